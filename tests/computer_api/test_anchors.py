"""What is recorded of a place finds the same place on another day, or nothing: never another one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest
from canvas import Canvas, window
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageFont

from computer_api.computer import Computer
from computer_api.errors import AmbiguousError, NotFoundError
from computer_api.geometry import Box, Pixel
from computer_api.targets import AnchoredTarget, Anchors, ElementTarget, TextTarget
from computer_platform.desktop import Area, Elements
from computer_platform.memory import MemoryDesktop, Screen, Widget
from computer_vision.reader import Line, Region, Word

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from computer_api.targets import Match
    from computer_platform.desktop import Window
    from computer_vision.reader import Pixels

SIZE = (640, 520)
NAMES = ("Ada Byron", "Ada Hall", "Bob Hall", "Cleo Dane", "Dora Kent", "Room 1", "Room 2", "Ann")
LABELS = ("Full name", "City", "E-mail", "Street")
BUTTONS = ("Save", "Clear", "Close", "Print")


@dataclass(frozen=True, slots=True)
class Drawn:
    """What is on a page: for each control its place, under the name that only the test knows; and what is read."""

    image: Image.Image
    places: dict[str, Box]
    lines: tuple[Line, ...]


class Told:
    """A reader that is told what was drawn, and reads all of it."""

    def __init__(self, lines: tuple[Line, ...]) -> None:
        self._lines = lines

    def read(self, pixels: Pixels) -> tuple[Line, ...]:
        return self._lines


class Page:
    """Draws controls that are known by their pixels alone, from a corner and at a scale."""

    def __init__(self, corner: tuple[int, int] = (60, 50), scale: float = 1.0) -> None:
        self.canvas = Canvas(Image.new("RGB", SIZE, (236, 236, 236)))
        self.places: dict[str, Box] = {}
        self._lines: list[Line] = []
        self._corner, self._scale = corner, scale

    def text(self, words: str, left: int, top: int) -> Box:
        at = self._area(left, top, 0, 0)
        box = self.canvas.text(words, (at.left, at.top), round(16 * self._scale))
        self._read(words, box)
        return box

    def button(self, key: str, words: str, left: int, top: int) -> None:
        area = self._area(left, top, 80, 28)
        self.places[key] = self.canvas.box(area, fill=(215, 215, 215))
        size = round(16 * self._scale)
        wide = round(ImageFont.load_default(size=size).getlength(words))
        at = (area.left + (area.width - wide) // 2, area.top + 5)
        self._read(words, self.canvas.text(words, at, size))

    def field(self, key: str, label: str, top: int) -> None:
        self.text(label, 0, top + 5)
        self.places[key] = self.canvas.box(self._area(140, top, 220, 28))

    def drawn(self) -> Drawn:
        return Drawn(self.canvas.image, dict(self.places), tuple(self._lines))

    def _area(self, left: int, top: int, width: int, height: int) -> Area:
        by = self._scale
        across, down = self._corner
        return Area(across + round(left * by), down + round(top * by), round(width * by), round(height * by))

    def _read(self, words: str, box: Box) -> None:
        self._lines.append(self.line(words, box))

    @staticmethod
    def line(words: str, box: Box) -> Line:
        wide, left, spoken = box.width / len(words), 0, []
        for word in words.split(" "):
            region = Region(
                round(box.left + left * wide), box.top, max(1, round(len(word) * wide)), box.height
            )
            spoken.append(Word(text=word, region=region, score=1.0))
            left += len(word) + 1
        return Line(words=tuple(spoken))


def people(names: Iterable[str], corner: tuple[int, int] = (60, 50), scale: float = 1.0) -> Drawn:
    """A list of people, with the same two buttons beside each."""
    page = Page(corner, scale)
    page.text("People", 0, 0)
    for number, name in enumerate(names):
        top = 40 + 40 * number
        page.text(name, 0, top + 5)
        page.button(f"edit {name}", "Edit", 200, top)
        page.button(f"delete {name}", "Delete", 320, top)
    return page.drawn()


def form(
    labels: Sequence[str],
    buttons: Sequence[str],
    corner: tuple[int, int] = (60, 50),
    scale: float = 1.0,
) -> Drawn:
    """Fields below each other, and a row of buttons."""
    page = Page(corner, scale)
    page.text("Contact", 0, 0)
    for number, label in enumerate(labels):
        page.field(label, label, 40 + 44 * number)
    for number, words in enumerate(buttons):
        page.button(words, words, 110 * number, 60 + 44 * len(labels))
    return page.drawn()


def cards(names: Iterable[str], scale: float = 1.0) -> Drawn:
    """Things with a title and the same button below it."""
    page = Page(scale=scale)
    page.text("Shop", 0, 0)
    for number, name in enumerate(names):
        page.text(name, 0, 60 + 90 * number)
        page.button(name, "Buy", 0, 84 + 90 * number)
    return page.drawn()


def computer(drawn: Drawn, windows: Sequence[Window] | None = None, *, anchored: bool = False) -> Computer:
    desktop = MemoryDesktop(SIZE, [Screen(name="drawn", picture=drawn.image)], windows=windows)
    return Computer(desktop, reader=Told(drawn.lines), patience=0.0, anchored=anchored)


def recorded(drawn: Drawn, key: str, windows: Sequence[Window] | None = None) -> AnchoredTarget:
    """The control as it is known after a click on its pixels."""
    middle = drawn.places[key].center
    anchors = computer(drawn, windows, anchored=True).locate(Pixel(middle.x, middle.y)).anchors
    assert anchors is not None
    return AnchoredTarget(anchors=anchors)


def again(target: AnchoredTarget, drawn: Drawn, windows: Sequence[Window] | None = None) -> Match | None:
    """Where it is found on another day; None where the search stopped."""
    try:
        return computer(drawn, windows).locate(target)
    except (NotFoundError, AmbiguousError):
        return None


def is_at(match: Match | None, drawn: Drawn, key: str) -> bool:
    return match is not None and match.point in drawn.places[key]


CORNERS = st.tuples(st.integers(10, 100), st.integers(10, 60))
SCALES = st.sampled_from((1.0, 1.1, 1.25))


# Lists: the same buttons in each row.


@settings(max_examples=12, deadline=None)
@given(
    st.lists(st.sampled_from(NAMES), min_size=2, max_size=5, unique=True).flatmap(
        lambda names: st.tuples(st.just(names), st.permutations(names), st.sampled_from(names))
    ),
    st.sampled_from(("edit", "delete")),
    CORNERS,
    SCALES,
)
def test_a_button_of_a_row_is_found_in_its_row_wherever_that_is_now(
    lists: tuple[list[str], list[str], str], button: str, corner: tuple[int, int], scale: float
) -> None:
    before, after, name = lists
    target = recorded(people(before), f"{button} {name}")
    now = people(after, corner, scale)
    assert is_at(again(target, now), now, f"{button} {name}")


@settings(max_examples=12, deadline=None)
@given(
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=5, unique=True),
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=5, unique=True),
    st.sampled_from(("edit", "delete")),
    st.data(),
)
def test_the_button_of_a_row_that_is_gone_is_no_other_rows(
    before: list[str], after: list[str], button: str, data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from(before))
    target = recorded(people(before), f"{button} {name}")
    now = people([one for one in after if one != name] or ["Eve"])
    assert again(target, now) is None


def test_what_stands_beside_a_lost_row_is_told() -> None:
    target = recorded(people(("Ada Byron", "Bob Hall")), "delete Ada Byron")
    with pytest.raises(NotFoundError, match=r'"Delete".*"Ada Byron".*not there.*"Cleo Dane"'):
        computer(people(("Bob Hall", "Cleo Dane"))).locate(target)


def test_of_two_equal_rows_none_is_taken_and_both_are_told() -> None:
    target = recorded(people(("Ada Byron", "Bob Hall")), "delete Ada Byron")
    twice = people(("Ada Byron", "Ada Byron", "Bob Hall"))
    with pytest.raises(AmbiguousError) as both:
        computer(twice).locate(target)
    assert len([one for one in both.value.candidates if '"Ada Byron"' in one]) == 2


def test_an_entry_of_a_list_is_what_its_words_say_whatever_stands_beside_it() -> None:
    then, now = Page(), Page()
    then.text("plan.txt", 200, 40)
    then.text("bills.txt", 0, 40)
    page = then.drawn()
    page.places["plan"] = Box(260, 90, 60, 16)
    now.text("letter.txt", 0, 120)
    moved = now.text("plan.txt", 120, 120)
    match = again(recorded(page, "plan"), now.drawn())
    assert match is not None
    assert match.point in moved.grown(2)


class Listing(MemoryDesktop):
    """Tells of a list, and of nothing in it."""

    role = "list box"

    def elements(self, *, pid: int | None = None, seconds: float = 1.0, most: int = 2000) -> Elements:
        told = super().elements(pid=pid, seconds=seconds, most=most)
        return replace(told, items=tuple(replace(one, role=self.role) for one in told.items))


@pytest.mark.parametrize(("role", "known"), [("list box", TextTarget("London")), ("table", None)])
def test_beside_the_words_of_a_list_it_is_the_row_and_of_a_table_another_cell(
    role: str, known: TextTarget | None
) -> None:
    page = Page()
    for number, town in enumerate(("Bath", "London", "York")):
        page.text(town, 0, 40 * number)
    drawn = page.drawn()
    screen = Screen(
        name="towns",
        picture=drawn.image,
        widgets=(Widget(kind="label", name="", area=Area(50, 40, 300, 130)),),
    )
    desktop = Listing(SIZE, [screen])
    desktop.role = role
    found = Computer(desktop, reader=Told(drawn.lines), patience=0.0, anchored=True).locate(Pixel(260, 98))
    assert found.anchors is not None
    assert found.anchors.question == known


# Cards: the same button under each title.


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.sampled_from(NAMES), min_size=2, max_size=5, unique=True).flatmap(
        lambda names: st.tuples(st.just(names), st.permutations(names), st.sampled_from(names))
    ),
    SCALES,
)
def test_a_button_under_a_title_is_found_under_it_or_nowhere(
    lists: tuple[list[str], list[str], str], scale: float
) -> None:
    before, after, name = lists
    target = recorded(cards(before), name)
    now = cards(after, scale)
    assert is_at(again(target, now), now, name)
    assert again(target, cards([one for one in after if one != name])) is None


# Forms.


@settings(max_examples=12, deadline=None)
@given(
    st.permutations(LABELS),
    st.permutations(LABELS),
    st.permutations(BUTTONS),
    st.sampled_from((*LABELS, *BUTTONS)),
    CORNERS,
    SCALES,
)
def test_a_control_of_a_form_is_found_by_its_label_in_any_order(
    before: Sequence[str],
    after: Sequence[str],
    buttons: Sequence[str],
    key: str,
    corner: tuple[int, int],
    scale: float,
) -> None:
    target = recorded(form(before, BUTTONS), key)
    now = form(after, buttons, corner, scale)
    assert is_at(again(target, now), now, key)


@settings(max_examples=12, deadline=None)
@given(
    st.lists(st.sampled_from(LABELS), min_size=1, unique=True),
    st.lists(st.sampled_from(BUTTONS), min_size=1, unique=True),
    st.sampled_from((*LABELS, *BUTTONS)),
)
def test_a_control_that_is_gone_or_renamed_is_no_other(
    labels: list[str], buttons: list[str], key: str
) -> None:
    target = recorded(form(LABELS, BUTTONS), key)
    gone = form([one for one in labels if one != key], [one for one in buttons if one != key])
    assert again(target, gone) is None
    renamed = form(
        ["Birthday" if one == key else one for one in LABELS],
        ["Store" if one == key else one for one in BUTTONS],
    )
    assert again(target, renamed) is None


# Windows.


def test_the_same_words_in_another_program_are_not_taken() -> None:
    whole = Area(0, 0, *SIZE)
    then, now = window(1, "Contact", whole, app="Contacts"), window(2, "Order", whole, app="Orders")
    drawn = form(LABELS[:2], BUTTONS)
    target = recorded(drawn, "Save", [then])
    assert is_at(again(target, drawn, [then]), drawn, "Save")
    with pytest.raises(NotFoundError, match='another program than "Contacts"'):
        computer(drawn, [now]).locate(target)


@pytest.mark.parametrize("owner", [1, 77])
def test_a_dialog_in_the_way_stops_it_by_its_title(owner: int) -> None:
    drawn = form(LABELS[:2], BUTTONS)
    home = replace(window(1, "Contact", Area(0, 0, *SIZE), app="Contacts"), pid=9)
    dialog = replace(
        window(2, "Software update", Area(500, 400, 140, 100), app="Toplevel"), dialog_of=owner, pid=9
    )
    target = recorded(drawn, "Save", [home])
    with pytest.raises(NotFoundError, match='the dialog "Software update" lies before its window'):
        computer(drawn, [home, dialog]).locate(target)
    known = recorded(drawn, "Save", [home, dialog])
    assert is_at(again(known, drawn, [home, dialog]), drawn, "Save")


def test_a_dialog_that_hides_it_is_told_too() -> None:
    home = window(1, "Contact", Area(0, 0, *SIZE), app="Contacts")
    dialog = replace(window(2, "Software update", Area(0, 0, *SIZE), app="Toplevel"), dialog_of=1)
    target = recorded(form(LABELS[:2], BUTTONS), "Save", [home])
    with pytest.raises(NotFoundError, match='The dialog "Software update" is open'):
        computer(people(("Ann",)), [home, dialog]).locate(target)


class Chromium(MemoryDesktop):
    """Tells of its window alone until it is asked for ids; then of a dialog without a name that lies over its page."""

    asked = False

    def elements(self, *, pid: int | None = None, seconds: float = 1.0, most: int = 2000) -> Elements:
        told = super().elements(seconds=seconds, most=most)
        window, *rest = (replace(one, pid=9) for one in told.items)
        dialog = (replace(one, role="dialog", name="", states=frozenset({"modal"})) for one in rest[:1])
        frame = replace(window, role="frame")
        return replace(told, items=(frame, *dialog, *rest[1:]) if self.asked else (frame,))

    def identified(
        self, *, roles: frozenset[str] | None = None, pid: int | None = None, seconds: float = 0.5
    ) -> Elements:
        self.asked = True
        return super().identified(roles=roles, pid=pid, seconds=seconds)


def test_a_dialog_that_a_page_tells_of_only_when_it_is_asked_for_more_stops_it_too() -> None:
    drawn = form(LABELS[:2], BUTTONS)
    home = replace(window(1, "Contact", Area(0, 0, *SIZE), app="Contacts"), pid=9)
    page = (
        Widget(kind="label", name="Contact", area=Area(0, 0, *SIZE)),
        Widget(kind="label", name="", area=Area(380, 300, 220, 160)),
        Widget(kind="label", name="Software update", area=Area(400, 320, 160, 30)),
    )
    screen = Screen(name="drawn", picture=drawn.image, widgets=page)
    desktop = Chromium(SIZE, [screen], windows=[home])
    target = recorded(drawn, "Save", [home])
    with pytest.raises(NotFoundError, match='the dialog "Software update" lies before the rest'):
        Computer(desktop, reader=Told(drawn.lines), patience=0.0).locate(target)


def test_who_records_asks_a_page_for_more_than_its_window() -> None:
    home = replace(window(1, "Contact", Area(0, 0, *SIZE), app="Contacts"), pid=9)
    page = (
        Widget(kind="label", name="Contact", area=Area(0, 0, *SIZE)),
        Widget(kind="label", name="", area=Area(380, 300, 220, 160)),
    )
    desktop = Chromium(SIZE, [Screen(name="page", widgets=page)], windows=[home])
    found = Computer(desktop, reader=Told(()), patience=0.0, anchored=True).locate(Pixel(500, 400))
    assert found.anchors is not None
    assert found.anchors.path == ('frame "Contact"', "dialog")


# The program's own id.


def contact(*, save: str = "Save", own: str = "save-button", around: str = "Clear") -> Computer:
    """A form that tells its controls and their ids."""
    widgets = (
        Widget(kind="label", name="New contact", area=Area(40, 20, 200, 30)),
        Widget(kind="field", name="Full name", area=Area(160, 70, 200, 32)),
        Widget(kind="button", name=around, area=Area(40, 140, 90, 36), id="clear-button"),
        Widget(kind="button", name=save, area=Area(160, 140, 90, 36), id=own),
    )
    lines = [Page.line(one.name, Box(one.area.left + 10, one.area.top + 8, 70, 18)) for one in widgets[::2]]
    lines += [Page.line("Full name", Box(70, 78, 80, 18)), Page.line(save, Box(180, 148, 50, 18))]
    desktop = MemoryDesktop(SIZE, [Screen(name="form", widgets=widgets)])
    return Computer(desktop, reader=Told(tuple(lines)), patience=0.0, anchored=True)


def test_a_renamed_control_is_taken_where_its_program_says_that_it_is_the_same() -> None:
    anchors = contact().locate(Pixel(205, 158)).anchors
    assert anchors is not None
    assert (anchors.id, anchors.role) == ("save-button", "push button")
    target = AnchoredTarget(anchors=anchors)
    assert contact(save="Store").locate(target).point in Box(160, 140, 90, 36)
    for other in (contact(save="Store", own="other"), contact(save="Store", own="")):
        with pytest.raises(NotFoundError):
            other.locate(target)


# The controls that a place lies in.


def sheets(*names: str, title: str = "New papers") -> Computer:
    """Parts of a window that only its program names, with the same button in each."""
    lines = [Page.line(title, Box(60, 20, 120, 18))]
    widgets = []
    for number, name in enumerate(names):
        top = 80 + 160 * number
        widgets.append(Widget(kind="label", name=name, area=Area(40, top, 400, 120)))
        widgets.append(Widget(kind="button", name="Save", area=Area(160, top + 40, 90, 36)))
        lines.append(Page.line("Save", Box(180, top + 48, 50, 18)))
    desktop = MemoryDesktop(SIZE, [Screen(name="papers", widgets=tuple(widgets))])
    return Computer(desktop, reader=Told(tuple(lines)), patience=0.0, anchored=True)


def test_the_controls_that_a_place_lies_in_tell_it_from_one_that_all_else_speaks_for_too() -> None:
    anchors = sheets("Invoice").locate(Pixel(205, 138)).anchors
    assert anchors is not None
    assert anchors.path == ('label "Invoice"', 'push button "Save"')
    target = AnchoredTarget(anchors=anchors)
    assert sheets("Letter", "Invoice").locate(target).point in Box(160, 280, 90, 36)
    blind = AnchoredTarget(anchors=replace(anchors, path=()))
    alone = sheets("Letter", "Invoice", title="Quite another")
    for now, known in ((sheets("Letter", "Invoice"), blind), (alone, target)):
        with pytest.raises(AmbiguousError):
            now.locate(known)
    with pytest.raises(AmbiguousError):
        sheets("Letter", "Receipt").locate(target)


# Nothing of the place itself.


def test_a_place_without_anything_is_never_found_by_where_it_was() -> None:
    empty = form(LABELS[:1], BUTTONS[:1])
    anchors = computer(empty, anchored=True).locate(Pixel(600, 500)).anchors
    assert anchors is not None
    assert anchors.question is None
    assert not anchors.look
    assert again(AnchoredTarget(anchors=anchors), empty) is None


def test_a_question_with_a_number_and_nothing_that_tells_its_answers_apart_stops() -> None:
    """As of a trace of version 2, and of buttons that nothing stands beside."""
    target = AnchoredTarget(anchors=Anchors(question=TextTarget("Delete", nth=2)))
    assert again(target, people(("Ada Byron", "Bob Hall"))) is None
    assert again(target, people(("Ada Byron",))) is None


def test_what_lies_beside_a_button_in_a_sunken_box_is_what_stands_in_that_box() -> None:
    page = Page()
    page.button("ticket", "Ticket", 0, 40)
    page.places["basket"] = page.canvas.box(page._area(100, 30, 200, 48), fill=(236, 236, 236))
    page.text("Basket", 110, 45)
    page.places["words"] = Box(page.places["basket"].left + 10, page.places["basket"].top + 10, 56, 28)
    assert recorded(page.drawn(), "words").anchors.question == TextTarget("Basket")
    target = recorded(page.drawn(), "basket")
    assert target.anchors.question is None, "the empty part of the box is no field of the button beside it"


def test_a_lone_letter_beside_a_place_is_no_label_of_it() -> None:
    for words, known in (("x", None), ("To", ElementTarget("To", role="field"))):
        page = Page()
        page.field("it", words, 40)
        assert recorded(page.drawn(), "it").anchors.question == known
