"""Windows asked for by name, on a desktop in memory: places on the picture, and what is not done is said."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from computer_api import Computer
from computer_api.computer import PictureLimit
from computer_api.errors import ComputerError, NotFoundError, OffScreenError, TimedOutError, UnsupportedError
from computer_api.titles import called, meaning_of, named, window_meant
from computer_platform.desktop import Area, Window
from computer_platform.memory import MemoryDesktop, MemoryWindows

if TYPE_CHECKING:
    from collections.abc import Callable

    from computer_platform.desktop import Arrangement
    from computer_vision.tesseract import TesseractReader

FRAME = 20  # points of a title bar
SOMEWHERE = Area(100, 120, 400, 300)


def window(number: int, title: str, area: Area = SOMEWHERE, **more: object) -> Window:
    given = {"app": "App", "pid": None, "active": False, "hidden": False, **more}
    return Window(id=number, title=title, area=area, **given)  # type: ignore[arg-type] # any of its fields


class Stubborn(MemoryWindows):
    """Windows that take requests and do nothing."""

    def activate(self, window: Window) -> None:
        """Nothing."""

    close = activate

    def move(self, window: Window, area: Area) -> None:
        """Nothing."""

    def arrange(self, window: Window, how: Arrangement) -> None:
        """Nothing."""


class Framed(MemoryWindows):
    """Windows with a title bar."""

    def move(self, window: Window, area: Area) -> None:
        """The frame goes with it."""
        super().move(window, area)
        at = self._index(window)
        frame = Area(area.left, area.top - FRAME, area.width, area.height + FRAME)
        self._windows[at] = replace(self._windows[at], frame=frame)


class Desk(MemoryDesktop):
    """A desktop with a window manager of one's own."""

    def __init__(self, manager: MemoryWindows, size: tuple[int, int] = (1280, 800)) -> None:
        super().__init__(size)
        self._windows = manager


@pytest.fixture
def on(reader: TesseractReader) -> Callable[..., Computer]:
    return lambda manager, **options: Computer(Desk(manager), reader=reader, receipts=False, **options)


def area_of(computer: Computer, title: str) -> Area:
    return next(one.area for one in computer.windows.all() if one.title == title)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"left": 10}, (10, 120, 400, 300)),
        ({"top": 0}, (100, 0, 400, 300)),
        ({"width": 640, "height": 480}, (100, 120, 640, 480)),
        ({"left": -50, "top": 700, "width": 200, "height": 99}, (-50, 700, 200, 99)),
    ],
)
def test_what_is_not_said_of_a_place_stays(
    on: Callable[..., Computer], asked: dict[str, int], expected: tuple[int, ...]
) -> None:
    computer = on(MemoryWindows([window(1, "Notes")]))
    receipt = computer.windows.place("notes", **asked)
    assert area_of(computer, "Notes") == expected
    left, top, width, height = expected
    assert receipt.output == f"now {width}x{height} at {left},{top}"


def test_a_place_is_that_of_the_frame(on: Callable[..., Computer]) -> None:
    framed = window(1, "Notes", frame=Area(100, 100, 400, 320))
    computer = on(Framed([framed]))
    assert (
        computer.windows.place("Notes", left=0, top=0, width=500, height=400).output == "now 500x400 at 0,0"
    )
    assert area_of(computer, "Notes") == (0, FRAME, 500, 400 - FRAME)


@given(
    left=st.integers(-90, 150),
    top=st.integers(0, 99),
    width=st.integers(1, 300),
    height=st.integers(1, 300),
)
def test_on_a_smaller_picture_a_window_lands_within_a_pixel_of_where_it_was_asked_for(
    reader: TesseractReader, left: int, top: int, width: int, height: int
) -> None:
    desktop = Desk(MemoryWindows([window(1, "Notes")]), (320, 200))
    computer = Computer(
        desktop, reader=reader, receipts=False, picture=PictureLimit(long_edge=160, area=20_000)
    )
    if left + width <= 0:
        with pytest.raises(OffScreenError, match='There "Notes" would be out of sight'):
            computer.windows.place("Notes", left=left, top=top, width=width, height=height)
        return
    receipt = computer.windows.place("Notes", left=left, top=top, width=width, height=height)
    assert receipt.output == f"now {width}x{height} at {left},{top}"
    assert area_of(computer, "Notes") == (2 * left, 2 * top, 2 * width, 2 * height)


def test_a_maximised_or_minimised_window_is_restored_before_it_is_placed(on: Callable[..., Computer]) -> None:
    computer = on(MemoryWindows([window(1, "Large", maximized=True), window(2, "Hidden", hidden=True)]))
    for title in ("Large", "Hidden"):
        computer.windows.move(title, 5, 6)
    assert [(one.maximized, one.hidden) for one in computer.windows.all()] == [(False, False)] * 2


@pytest.mark.parametrize(
    ("verb", "said"),
    [
        ("focus", '"Notes" was asked to take the keyboard, but "Mail" has it.'),
        ("raise_", '"Notes" was raised, but "Mail" stays above it.'),
        ("maximize", '"Notes" was asked to be maximised, but it is not.'),
        ("minimize", '"Notes" was asked to be minimised, but it still shows.'),
    ],
)
def test_a_window_that_does_not_do_what_it_is_asked_is_an_error_that_says_how_it_is(
    on: Callable[..., Computer], verb: str, said: str
) -> None:
    computer = on(Stubborn([window(1, "Notes"), window(2, "Mail", active=True)]))
    with pytest.raises(ComputerError) as failure:
        getattr(computer.windows, verb)("notes")
    assert str(failure.value) == said


def test_a_window_that_stays_where_it_is_is_said_to(on: Callable[..., Computer]) -> None:
    computer = on(Stubborn([window(1, "Notes"), window(2, "Large", maximized=True)]))
    with pytest.raises(ComputerError, match='"Notes" did not follow: it stays 400x300 at 100,120'):
        computer.windows.move("Notes", 0, 0)
    assert computer.windows.move("Notes", 100, 120).output == "now 400x300 at 100,120"
    with pytest.raises(
        ComputerError, match='"Large" was asked to be as large as before, but it is still max'
    ):
        computer.windows.restore("Large")


def test_a_minimised_window_that_is_raised_is_as_large_as_it_was(on: Callable[..., Computer]) -> None:
    computer = on(MemoryWindows([window(1, "Notes", hidden=True, maximized=True), window(2, "Mail")]))
    computer.windows.raise_("Notes")
    now = computer.windows.all()[-1]
    assert (now.title, now.hidden, now.maximized) == ("Notes", False, True)


@pytest.mark.parametrize("size", [{"width": 10**12}, {"height": 32_768}, {"left": 0, "width": 2**32 + 300}])
def test_no_window_is_made_larger_than_any_can_be(on: Callable[..., Computer], size: dict[str, int]) -> None:
    computer = on(MemoryWindows([window(1, "Notes")]))
    with pytest.raises(UnsupportedError, match=r"No window can be \d+x\d+. The picture is 1280x800."):
        computer.windows.place("Notes", **size)
    assert computer.windows.all()[0].area == SOMEWHERE


def test_a_place_and_a_time_are_numbers(on: Callable[..., Computer]) -> None:
    computer = on(MemoryWindows([window(1, "Notes")]))
    for wrong in (1.5, "3", True):
        with pytest.raises(TypeError, match=r"windows.place\(left=\) takes a whole number"):
            computer.windows.place("Notes", left=cast("int", wrong))
    with pytest.raises(TypeError, match="takes a number of seconds, not '2'"):
        computer.windows.wait("Notes", seconds=cast("float", "2"))
    for never in (-1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="takes a number of seconds from 0 up"):
            computer.windows.wait("Nothing", seconds=never)


def test_the_dialog_that_has_the_keyboard_is_named(on: Callable[..., Computer]) -> None:
    computer = on(Stubborn([window(1, "Notes"), window(2, "Save?", active=True, dialog_of=1)]))
    with pytest.raises(
        ComputerError, match='"Notes" cannot have the keyboard while its dialog "Save\\?" is open'
    ):
        computer.windows.focus("Notes")


def test_a_window_that_asks_before_it_closes_is_not_called_closed(on: Callable[..., Computer]) -> None:
    class Asking(MemoryWindows):
        def close(self, window: Window) -> None:
            self._windows.append(replace(window, id=9, title="Save changes?", dialog_of=window.id))

    receipt = on(Asking([window(1, "Notes")])).windows.close("Notes")
    assert receipt.output == '"Notes" is still open: it asks in "Save changes?"'


def test_without_a_manager_nothing_is_minimised(on: Callable[..., Computer]) -> None:
    class Bare(MemoryWindows):
        managed = False

    computer = on(Bare([window(1, "Notes"), window(2, "Mail")]))
    computer.windows.raise_("Notes")
    for ask in (computer.windows.maximize, computer.windows.minimize, computer.windows.restore):
        with pytest.raises(
            UnsupportedError, match=r'"Notes" cannot be asked to .*: no window manager runs here'
        ):
            ask("Notes")


def test_a_window_is_waited_for_by_the_way_in_which_its_title_fitted(on: Callable[..., Computer]) -> None:
    """The copy dialog that goes is not the folder whose title also says "copying"."""

    class Closing(MemoryWindows):
        def all(self) -> tuple[Window, ...]:
            now = super().all()
            self._windows = [one for one in self._windows if one.title != "Copying"]
            return now

    computer = on(Closing([window(1, "All about copying"), window(2, "Copying")]))
    computer.windows.wait("copying", gone=True, seconds=1)
    computer.windows.wait("all about", seconds=0)
    with pytest.raises(TimedOutError, match=r'The window "copying" is still open after 0\.1 s'):
        computer.windows.wait("copying", gone=True, seconds=0.1)
    with pytest.raises(NotFoundError, match='" " is no title to wait for'):
        computer.windows.wait(" ", gone=True)


def test_a_wait_can_be_stopped(on: Callable[..., Computer]) -> None:
    class StoppedError(Exception):
        pass

    def stop() -> None:
        raise StoppedError

    computer = on(MemoryWindows([]))
    computer.stop_when(stop)
    with pytest.raises(StoppedError):
        computer.windows.wait("Notes", seconds=60)


def test_what_is_no_title_is_said_to_be_none(on: Callable[..., Computer]) -> None:
    with pytest.raises(TypeError, match="takes a text in quotes, not 3"):
        on(MemoryWindows([])).windows.raise_(3)


@given(st.lists(st.sampled_from(["Notes", "notes", "My notes", "Notebook", ""]), min_size=1, max_size=5))
def test_the_window_meant_has_the_title_or_nothing_better_does(titles: list[str]) -> None:
    stack = [window(number, title) for number, title in enumerate(titles)]
    equal = [one for one in stack if one.title.casefold() == "notes"]
    if equal:
        assert window_meant(stack, "NOTES").id == equal[-1].id
    elif "My notes" in titles:
        assert window_meant(stack, "NOTES").title == "My notes"
    else:
        assert meaning_of(stack, "NOTES") is None


def test_a_window_whose_title_is_blank_is_called_by_its_program(on: Callable[..., Computer]) -> None:
    blank = window(1, "  \t", app="Zenity")
    assert (called(blank), named(blank)) == ("Zenity", '"Zenity"')
    with pytest.raises(NotFoundError, match='Open are: "Zenity"'):
        on(MemoryWindows([blank])).windows.close("  ")


def test_a_title_of_any_length_is_named_on_one_short_line() -> None:
    assert named(window(1, "Two\nlines  of it")) == '"Two lines of it"'
    assert named(window(1, "")) == '"App"'
    assert len(named(window(1, "x" * 5000))) == 62
