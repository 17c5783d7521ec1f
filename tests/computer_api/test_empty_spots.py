"""A place without words and label is found by its window and the texts around it, and never on a guess."""

from __future__ import annotations

from dataclasses import replace

import pytest
from canvas import Canvas, window
from PIL import Image

from computer_api.computer import Computer
from computer_api.errors import AmbiguousError, NotFoundError
from computer_api.geometry import Box, Pixel, Point
from computer_api.targets import AnchoredTarget, ElementTarget, Match
from computer_platform.desktop import Area, Elements, Window
from computer_platform.memory import MemoryDesktop, Screen, Widget
from computer_vision.reader import Line, Region, Word

SIZE = (900, 700)
WORDS = {"Open drawing": (20, 20), "Layers": (20, 60), "Colours": (20, 100), "Zoom": (300, 20)}
SPOT = (180, 140)  # empty, in the window


class Told:
    """A reader that is told what was drawn."""

    def __init__(self, lines: tuple[Line, ...]) -> None:
        self._lines = lines

    def read(self, pixels: object) -> tuple[Line, ...]:
        return self._lines


class Framed(MemoryDesktop):
    """A desktop on which programs tell their windows and nothing in them, or one thing that fills them."""

    role = "frame"

    def elements(self, *, pid: int | None = None, seconds: float = 1.0, most: int = 2000) -> Elements:
        told = super().elements(pid=pid, seconds=seconds, most=most)
        return replace(told, items=tuple(replace(one, role=self.role) for one in told.items))


def home(area: Area, *, title: str = "Drawing", app: str = "Draw") -> Window:
    return window(1, title, area, app=app)


def desk(
    *windows: Window,
    words: dict[str, tuple[int, int]] | None = None,
    scale: float = 1.0,
    widgets: tuple[Widget, ...] = (),
    dots: tuple[tuple[int, int], ...] = (),
) -> Computer:
    """The first window with those words at those places in it, and with ``dots`` drawn there."""
    canvas = Canvas(Image.new("RGB", SIZE, (236, 236, 236)))
    corner = windows[0].area if windows else Area(0, 0, *SIZE)
    lines = []
    for text, (right, down) in (WORDS if words is None else words).items():
        at = round(corner.left + scale * right), round(corner.top + scale * down)
        box = canvas.text(text, at, round(16 * scale))
        lines.append(Line(words=(Word(text=text, region=Region(*_parts(box)), score=1.0),)))
    for right, down in dots:
        canvas.box(Area(corner.left + right - 6, corner.top + down - 6, 13, 13), fill=(200, 30, 30))
    screen = Screen(name="drawn", picture=canvas.image, widgets=widgets)
    desktop = MemoryDesktop(SIZE, [screen], windows=windows or None)
    return Computer(desktop, reader=Told(tuple(lines)), patience=0.0, anchored=True)


def _parts(box: Box) -> tuple[int, int, int, int]:
    return box.left, box.top, box.width, box.height


def recorded(computer: Computer, place: tuple[int, int], *, area: bool = False) -> AnchoredTarget:
    anchors = computer.locate(Pixel(*place)).anchors
    assert anchors is not None
    assert anchors.question is None
    return AnchoredTarget(anchors=anchors, area=area)


def again(target: AnchoredTarget, computer: Computer) -> Match | None:
    try:
        return computer.locate(target)
    except (NotFoundError, AmbiguousError):
        return None


FIRST = Area(60, 60, 480, 330)
PLACE = (FIRST.left + SPOT[0], FIRST.top + SPOT[1])


@pytest.mark.parametrize(
    ("area", "scale"),
    [
        (FIRST, 1.0),
        (Area(197, 113, 480, 330), 1.0),  # moved
        (Area(60, 60, 700, 450), 1.0),  # larger, its words where they were
        (Area(20, 10, 600, 412), 1.25),  # all of it larger
    ],
)
def test_an_empty_place_is_found_in_its_window_by_what_stands_around_it(area: Area, scale: float) -> None:
    target = recorded(desk(home(FIRST)), PLACE)
    match = again(target, desk(home(area), scale=scale))
    assert match is not None
    wanted = Point(area.left + round(scale * SPOT[0]), area.top + round(scale * SPOT[1]))
    assert max(abs(match.point.x - wanted.x), abs(match.point.y - wanted.y)) <= 3


MOVED = {**WORDS, "Layers": (20, 200), "Colours": (380, 60), "Zoom": (30, 290)}
OTHERS = {"Quite": (20, 20), "other": (20, 60)}
LARGE = Area(60, 60, 700, 450)


NOBODY_CAN_TELL = {
    "moved texts": desk(home(FIRST), words=MOVED),
    "other texts": desk(home(FIRST), words={"Quite": (20, 20), "other": (20, 60), "words": (20, 100)}),
    "two texts changed places": desk(home(FIRST), words={**WORDS, "Layers": (20, 100), "Colours": (20, 60)}),
    "larger, one text moved": desk(home(LARGE), words={**WORDS, "Zoom": (520, 20)}),
    "larger, too few texts": desk(home(LARGE), words={"Open drawing": (20, 20)}),
    "outside": desk(home(Area(60, 60, 170, 330)), words={"Layers": (20, 60), "Colours": (20, 100)}),
    "other program": desk(home(FIRST, app="Other")),
    "words there": desk(home(FIRST), words={**WORDS, "Delete all": (150, 130)}),
    "drawn there": desk(home(FIRST), dots=(SPOT,)),
    "covered": desk(home(FIRST), window(2, "Above", Area(200, 150, 200, 200), app="Other")),
    "two windows": desk(home(FIRST), home(Area(600, 60, 200, 200))),
    "no window": desk(),
}


def test_where_nobody_can_tell_nothing_is_done() -> None:
    target = recorded(desk(home(FIRST)), PLACE)
    assert [name for name, now in NOBODY_CAN_TELL.items() if again(target, now) is not None] == []


def test_a_window_without_a_word_is_known_by_its_title_and_size() -> None:
    target = recorded(desk(home(FIRST), words={}), PLACE)
    moved = Area(197, 113, FIRST.width, FIRST.height)
    match = again(target, desk(home(moved), words={}))
    assert match is not None
    assert match.point == Point(moved.left + SPOT[0], moved.top + SPOT[1])
    assert again(target, desk(home(LARGE), words={})) is None
    assert again(target, desk(home(moved, title="Another"), words={})) is None


def test_what_stood_in_the_row_of_a_place_has_to_stand_there() -> None:
    beside = {**WORDS, "Bob": (20, 130)}
    target = recorded(desk(home(FIRST), words=beside), PLACE)
    assert again(target, desk(home(FIRST), words=beside)) is not None
    assert again(target, desk(home(FIRST), words={**WORDS, "Ada": (20, 130)})) is None


def test_the_middle_of_a_window_is_no_place_in_it() -> None:
    widgets = (Widget(kind="label", name="Drawing", area=FIRST),)
    desktop = Framed(SIZE, [Screen(name="drawn", widgets=widgets)], windows=[home(FIRST)])
    target = recorded(Computer(desktop, reader=Told(()), patience=0.0, anchored=True), PLACE)
    assert target.anchors.path == ('frame "Drawing"',)
    assert target.anchors.spot


def test_a_terminal_is_one_place_whatever_stands_in_it() -> None:
    widgets = (Widget(kind="label", name="Terminal", area=FIRST),)
    desktop = Framed(SIZE, [Screen(name="drawn", widgets=widgets)], windows=[home(FIRST)])
    desktop.role = "terminal"
    match = Computer(desktop, reader=Told(()), patience=0.0, anchored=True).locate(Pixel(*PLACE))
    assert match.anchors is not None
    assert match.anchors.question == ElementTarget("Terminal", role="terminal")


def test_a_wheel_turns_in_its_window_whatever_stands_in_it_now() -> None:
    target = recorded(desk(home(FIRST)), PLACE, area=True)
    match = again(target, desk(home(FIRST), words=OTHERS))
    assert match is not None
    assert match.point == Point(*PLACE)


def test_a_wheel_is_turned_over_the_only_area_of_its_kind_in_a_window_of_another_size() -> None:
    whole = Widget(kind="field", name="", area=Area(60, 160, 480, 230))
    larger = Widget(kind="field", name="", area=Area(60, 160, 700, 350))
    target = recorded(desk(home(FIRST), words={"Zoom": (300, 20)}, widgets=(whole,)), PLACE, area=True)
    target = replace(target, anchors=replace(target.anchors, role=""))  # by which an editor is known
    match = again(target, desk(home(LARGE), words=OTHERS, widgets=(larger,)))
    assert match is not None
    assert match.point in Box(*larger.area)
    second = Widget(kind="field", name="", area=Area(60, 80, 700, 50))
    assert again(target, desk(home(LARGE), words=OTHERS, widgets=(second, larger))) is None


def test_of_places_that_look_alike_the_one_in_its_place_of_the_window_is_taken() -> None:
    dots = (SPOT, (300, 140), (420, 140))
    target = recorded(desk(home(FIRST), dots=dots), PLACE)
    assert target.anchors.look
    moved = Area(197, 113, 480, 330)
    match = again(target, desk(home(moved), dots=dots))
    assert match is not None
    assert match.point == Point(moved.left + SPOT[0], moved.top + SPOT[1])
    assert again(target, desk(home(moved), words=MOVED, dots=dots)) is None
