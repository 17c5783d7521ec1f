from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import pytest

from computer_api import Computer
from computer_api.actions import Click
from computer_api.geometry import Pixel, Point
from computer_platform.desktop import Activity, Area, Frame, Window
from computer_platform.memory import MemoryDesktop

if TYPE_CHECKING:
    from computer_vision.reader import Reader

SIZE = (640, 320)
WINDOW = Area(0, 0, 320, 320)
FIELD, BUTTON, FILM, CLOCK = (
    Area(32, 32, 96, 32),
    Area(32, 160, 96, 32),
    Area(480, 32, 96, 96),
    Area(480, 240, 48, 16),
)
AT_FIELD, AT_BUTTON = (80, 48), (80, 176)


def inside(point: tuple[int, int], area: Area) -> bool:
    return area.left <= point[0] < area.left + area.width and area.top <= point[1] < area.top + area.height


def squares(area: Area) -> tuple[slice, slice]:
    """Where an area is in an array of squares of 16 pixels."""
    return (
        slice(area.top // 16, (area.top + area.height) // 16),
        slice(area.left // 16, (area.left + area.width) // 16),
    )


class Lit(MemoryDesktop):
    """A window with two controls that light up under the pointer, ``late`` pictures after it came.

    Its program is at work until then, or ``always``. With ``film`` something else goes on moving; with ``ticks``
    a clock ticks as the pointer comes.
    """

    def __init__(
        self, *, late: int = 0, always: bool = False, film: Area | None = None, ticks: bool = False
    ) -> None:
        window = Window(id=1, title="Lit", area=WINDOW, app="lit", pid=1, active=True, hidden=False)
        super().__init__(SIZE, windows=[window])
        self.late, self.always, self.film, self.ticks = late, always, film, ticks
        self.looks = count()
        self.seen = 0
        self.came = 0
        self.shown = self.pointer()

    def move(self, x: int, y: int) -> None:
        super().move(x, y)
        self.came = self.seen

    @property
    def waits(self) -> bool:
        """Whether it has not yet noticed where the pointer is."""
        return self.seen < self.came + self.late

    def capture(self, area: Area | None = None) -> Frame:
        self.seen = next(self.looks)
        if not self.waits:
            self.shown = self.pointer()
        frame = super().capture(area)
        shades = {one: 255 * inside(self.shown, one) for one in (FIELD, BUTTON)}
        shades |= {CLOCK: 255 * bool(self.ticks and self.came)}
        shades |= {} if self.film is None else {self.film: self.seen * 40 % 256}
        for place, shade in shades.items():
            frame.pixels[place.top : place.top + place.height, place.left : place.left + place.width, :3] = (
                shade
            )
        return frame

    def activity(self, window: Window | None) -> Activity:
        return "busy" if window is not None and (self.always or self.waits) else "idle"


def looks_until_it_is_there(computer: Computer, desktop: Lit, place: tuple[int, int]) -> int:
    """How many pictures were looked at until the pointer was there, and that was waited for."""
    before = desktop.seen
    computer._acting.go_to(Point(*place))
    return desktop.seen - before


@pytest.mark.parametrize("film", [None, FILM], ids=["alone", "beside a film of another program"])
def test_what_lights_up_late_is_not_the_effect_of_the_click(reader: Reader, film: Area | None) -> None:
    computer = Computer(Lit(late=10, film=film), reader=reader)
    computer.perform(Click(target=Pixel(*AT_FIELD)))  # from now on the film is known
    assert computer.perform(Click(target=Pixel(*AT_BUTTON))).effect == "nothing"


def test_a_program_that_never_rests_is_not_waited_for_each_time(reader: Reader) -> None:
    desktop = Lit(always=True)
    computer = Computer(desktop, reader=reader)
    looks = [looks_until_it_is_there(computer, desktop, place) for place in (AT_FIELD, AT_BUTTON) * 2]
    assert min(looks[:2]) > 2 * max(looks[2:])


def test_a_program_that_never_rests_but_paints_is_not_waited_for(reader: Reader) -> None:
    desktop = Lit(always=True, film=Area(160, 224, 48, 48))
    computer = Computer(desktop, reader=reader)
    assert looks_until_it_is_there(computer, desktop, AT_BUTTON) <= 12


def test_what_goes_out_where_the_pointer_was_is_no_clock_but_what_ticked_meanwhile_may_be_one(
    reader: Reader,
) -> None:
    desktop = Lit(ticks=True)
    computer = Computer(desktop, reader=reader)
    looks_until_it_is_there(computer, desktop, AT_FIELD)
    looks_until_it_is_there(computer, desktop, AT_BUTTON)
    suspects = computer._acting.movers.suspects()
    assert suspects is not None
    assert suspects[squares(CLOCK)].all()
    assert suspects.sum() == 3


def test_a_control_that_is_dark_is_noticed_as_quickly_as_one_that_lights_up(reader: Reader) -> None:
    desktop = Lit()
    computer = Computer(desktop, reader=reader)
    assert looks_until_it_is_there(computer, desktop, (200, 300)) <= 4
    assert looks_until_it_is_there(computer, desktop, AT_BUTTON) <= 5
