"""What lies right of, below, near or in something: by boxes, and on pictures where only the pixels speak."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import pytest
from canvas import SIZE, Canvas, window
from hypothesis import given
from hypothesis import strategies as st

from computer_api.computer import Computer
from computer_api.errors import AmbiguousError, ComputerError, NotFoundError
from computer_api.fields import tick_of
from computer_api.geometry import Box, Pixel, Point
from computer_api.labels import _rest
from computer_api.relations import Anchored, distance_to, kept
from computer_api.sight import Sight
from computer_api.targets import (
    ElementTarget,
    IconTarget,
    Match,
    PictureTarget,
    Relation,
    Side,
    Target,
    TextTarget,
    within,
)
from computer_platform.desktop import Area, Element, Elements, Window
from computer_platform.memory import MemoryDesktop, Screen

if TYPE_CHECKING:
    from pathlib import Path

    from computer_vision.tesseract import TesseractReader

BOXES = st.builds(Box, st.integers(0, 900), st.integers(0, 600), st.integers(4, 200), st.integers(4, 60))
OPPOSITE: dict[Side, Side] = {
    "right of": "left of",
    "above": "below",
    "left of": "right of",
    "below": "above",
}


def place(computer: Computer, target: Target) -> Point:
    return computer.locate(target).point


def match(box: Box) -> Match:
    return Match(box=box, text="", score=1.0, source="text")


def where(side: Side, words: str) -> tuple[Relation, ...]:
    return (Relation(side, TextTarget(words)),)


# By boxes alone.


@given(BOXES, BOXES)
def test_what_is_right_of_something_has_that_on_its_left(one: Box, other: Box) -> None:
    for side, opposite in OPPOSITE.items():
        assert distance_to(one, other, side) == distance_to(other, one, opposite)


@given(BOXES, BOXES)
def test_nothing_is_on_two_opposite_sides_but_where_boxes_overlap(one: Box, other: Box) -> None:
    sides = [side for side in OPPOSITE if distance_to(one, other, side) is not None]
    if len(sides) > 1:
        assert one.grown(4).overlap(other) > 0


@given(BOXES)
def test_nothing_lies_anywhere_from_itself(box: Box) -> None:
    assert [side for side in get_args(Side) if distance_to(box, box, side) is not None] == []


@given(BOXES, st.lists(BOXES, min_size=1, max_size=6, unique=True), st.sampled_from(get_args(Side)))
def test_the_closest_are_among_all_that_fit(anchor: Box, boxes: list[Box], side: Side) -> None:
    found, seen = [match(box) for box in boxes], [Anchored(side=side, anchors=(anchor,))]
    every, closest = kept(found, seen, closest=False), kept(found, seen, closest=True)
    assert set(closest) <= set(every)
    assert bool(closest) == bool(every)
    distances = [distance_to(one.box, anchor, side) for one in every]
    assert all(distance is not None for distance in distances)
    if every and side != "near":
        least = min(distance for distance in distances if distance is not None)
        assert least in [distance_to(one.box, anchor, side) for one in closest]


def test_the_same_row_is_nearer_than_a_row_beside_it() -> None:
    ada, own, below = Box(10, 100, 40, 16), Box(600, 98, 60, 20), Box(20, 124, 60, 20)
    near = [Anchored(side="near", anchors=(ada,))]
    assert kept([match(below), match(own)], near, closest=True) == [match(own)]


def test_two_that_are_about_as_near_are_both_kept() -> None:
    ada, left, right = Box(300, 100, 40, 16), Box(200, 100, 60, 16), Box(382, 100, 60, 16)
    near = [Anchored(side="near", anchors=(ada,))]
    assert len(kept([match(left), match(right)], near, closest=True)) == 2


def test_what_is_in_the_anchors_own_window_comes_first() -> None:
    ada, mine, other = Box(300, 100, 40, 16), Box(700, 100, 60, 16), Box(360, 100, 60, 16)
    near = [Anchored(side="near", anchors=(ada,))]
    found = kept([match(other), match(mine)], near, closest=True, together=lambda one, _: one == mine)
    assert found == [match(mine)]


# On pictures that no program says anything about.

NAMES = ("Ada Byron", "Bob Hall", "Cleo Dane", "Dora Kent")


@pytest.fixture(scope="module")
def table() -> tuple[Canvas, dict[str, Box], dict[str, Box]]:
    """A row for each name, with an "Edit" and a "Delete" far to its right."""
    canvas, edit, delete = Canvas(), dict[str, Box](), dict[str, Box]()
    for number, name in enumerate(NAMES):
        top = 80 + 40 * number
        canvas.text(name, (40, top))
        edit[name] = canvas.text("Edit", (560, top))
        delete[name] = canvas.text("Delete", (700, top))
    return canvas, edit, delete


def test_each_delete_is_found_by_the_name_in_its_row(
    reader: TesseractReader, table: tuple[Canvas, dict[str, Box], dict[str, Box]]
) -> None:
    canvas, edit, delete = table
    computer = canvas.computer(reader)
    for name in NAMES:
        assert place(computer, TextTarget("Delete", where=where("near", name))) in delete[name]
        assert place(computer, TextTarget("Edit", where=where("right of", name))) in edit[name]


def test_directions_take_the_closest_and_numbers_count_all_that_lie_there(
    reader: TesseractReader, table: tuple[Canvas, dict[str, Box], dict[str, Box]]
) -> None:
    canvas, _, delete = table
    computer = canvas.computer(reader)
    below = TextTarget("Delete", where=(Relation("below", TextTarget("Delete", nth=2)),))
    assert place(computer, below) in delete["Cleo Dane"]
    assert place(computer, TextTarget("Delete", 2, where=below.where)) in delete["Dora Kent"]
    with pytest.raises(NotFoundError, match="only 2 are on the screen"):
        computer.locate(TextTarget("Delete", 3, where=below.where))
    above = TextTarget("Delete", where=(Relation("above", TextTarget("Delete", nth=4)),))
    assert place(computer, above) in delete["Cleo Dane"]


def test_relations_may_be_several_and_in_each_other(
    reader: TesseractReader, table: tuple[Canvas, dict[str, Box], dict[str, Box]]
) -> None:
    canvas, _, delete = table
    computer = canvas.computer(reader)
    edit_of_bob = TextTarget("Edit", where=where("near", "Bob Hall"))
    assert (
        place(computer, TextTarget("Delete", where=(Relation("right of", edit_of_bob),)))
        in delete["Bob Hall"]
    )
    both = (*where("below", "Ada Byron"), *where("near", "Bob Hall"))
    assert place(computer, TextTarget("Delete", where=both[1:])) in delete["Bob Hall"]
    with pytest.raises(NotFoundError):
        computer.locate(TextTarget("Delete", where=both))  # no "Delete" is under the name itself


def test_a_place_and_a_box_can_be_where_a_relation_begins(
    reader: TesseractReader, table: tuple[Canvas, dict[str, Box], dict[str, Box]]
) -> None:
    canvas, _, delete = table
    computer = canvas.computer(reader)
    assert (
        place(computer, TextTarget("Delete", where=(Relation("near", Pixel(60, 168)),)))
        in delete["Cleo Dane"]
    )
    box = Box(500, 105, 400, 40)
    assert place(computer, TextTarget("Delete", where=(Relation("in", box),))) in delete["Bob Hall"]


def test_a_name_that_stands_twice_leaves_a_doubt(reader: TesseractReader) -> None:
    canvas = Canvas()
    for top in (80, 160):
        canvas.text("Ada Byron", (40, top))
        canvas.text("Delete", (500, top))
    with pytest.raises(AmbiguousError, match='"Delete" near "Ada Byron" fits 2 places'):
        canvas.computer(reader).locate(TextTarget("Delete", where=where("near", "Ada Byron")))


def test_a_heading_of_the_same_words_is_no_doubt(reader: TesseractReader) -> None:
    canvas = Canvas()
    canvas.text("Ada Byron", (40, 20))
    for top, name in ((100, "Bob Hall"), (160, "Ada Byron")):
        canvas.text(name, (40, top))
        wanted = canvas.text("Delete", (500, top))
    computer = canvas.computer(reader)
    assert place(computer, TextTarget("Delete", where=where("near", "Ada Byron"))) in wanted


def test_what_a_relation_begins_at_must_be_there(reader: TesseractReader) -> None:
    canvas = Canvas()
    canvas.text("Delete", (500, 100))
    with pytest.raises(NotFoundError, match=r'^"Nobody here" is not on the screen'):
        canvas.computer(reader).locate(TextTarget("Delete", where=where("near", "Nobody here")))


@pytest.fixture(scope="module")
def form() -> tuple[Canvas, Box, Box, Box]:
    canvas = Canvas()
    canvas.text("Name", (60, 106))
    name = canvas.box(Area(200, 100, 300, 30))
    canvas.text("Notes", (60, 166))
    notes = canvas.box(Area(60, 190, 440, 30))
    canvas.text("Accept", (100, 260))
    tick = canvas.box(Area(70, 260, 18, 18))
    return canvas, name, notes, tick


def test_a_field_is_found_by_its_place_alone(
    reader: TesseractReader, form: tuple[Canvas, Box, Box, Box]
) -> None:
    canvas, name, notes, tick = form
    computer = canvas.computer(reader)
    assert place(computer, ElementTarget("", "field", where=where("right of", "Name"))) in name
    assert place(computer, ElementTarget("", "field", where=where("below", "Notes"))) in notes
    assert place(computer, ElementTarget("", "field", where=where("above", "Accept"))) in notes
    assert place(computer, ElementTarget("", "tick", where=where("left of", "Accept"))) in tick


def test_a_button_is_found_by_its_place_alone(reader: TesseractReader) -> None:
    canvas = Canvas()
    canvas.text("Picture:", (60, 110))
    canvas.box(Area(200, 104, 200, 30))
    browse = canvas.button("Browse", Area(420, 104, 90, 30))
    computer = canvas.computer(reader)
    assert place(computer, ElementTarget("", "button", where=where("right of", "Picture"))) in browse


def test_a_tick_box_that_was_read_as_a_letter_of_its_label_is_still_found(
    reader: TesseractReader, form: tuple[Canvas, Box, Box, Box]
) -> None:
    canvas, _, _, tick = form
    computer = canvas.computer(reader)
    words = computer.locate(TextTarget("Accept")).box
    label = Match(box=words.around(tick), text="■Accept", score=0.97, source="text")
    sight = Sight(computer.look(), computer.desktop, lambda _: ())
    assert tick_of(sight, label).point in tick
    assert tick_of(sight, Match(box=words, text="Accept", score=1.0, source="text")).point in tick


# Windows and dialogs.


def stack(*, dialog_of: int | None = 1) -> list[Window]:
    main, ask = (
        window(1, "Editor", Area(20, 20, 800, 560)),
        window(2, "Save changes", Area(200, 200, 400, 200)),
    )
    return [main, Window(**{name: getattr(ask, name) for name in ask.__slots__} | {"dialog_of": dialog_of})]


def test_what_is_in_the_dialog_is_not_what_is_in_the_window_under_it(reader: TesseractReader) -> None:
    canvas = Canvas()
    canvas.text("OK", (100, 500))
    wanted = canvas.text("OK", (500, 350))
    computer = canvas.computer(reader, stack())
    for relation in (
        Relation("in", ElementTarget("", role="dialog")),
        Relation("in", ElementTarget("Save changes", role="dialog")),
        within("dialog"),
        within("Save changes"),
    ):
        assert place(computer, TextTarget("OK", where=(relation,))) in wanted
    with pytest.raises(AmbiguousError):
        computer.locate(TextTarget("OK"))


def test_without_a_dialog_nothing_is_in_one(reader: TesseractReader) -> None:
    canvas = Canvas()
    canvas.text("OK", (500, 350))
    with pytest.raises(NotFoundError, match="No dialog is open"):
        canvas.computer(reader, stack(dialog_of=None)).locate(TextTarget("OK", where=(within("dialog"),)))


# What programs say, and what the picture shows.


def told(role: str, name: str, area: Area, *, pid: int | None = None, states: str = "") -> Element:
    return Element(role=role, name=name, value="", area=area, states=frozenset(states.split()), pid=pid)


class Told(MemoryDesktop):
    """A screen whose programs say what they are told to say."""

    said: tuple[Element, ...] = ()

    def elements(self, *, pid: int | None = None, seconds: float = 1.0) -> Elements:
        return Elements(items=self.said)


def saying(
    canvas: Canvas, reader: TesseractReader, *said: Element, windows: list[Window] | None = None
) -> Computer:
    desktop = Told(SIZE, [Screen(name="drawn", picture=canvas.image)], windows=windows)
    desktop.said = said
    return Computer(desktop, reader=reader, patience=0.0)


def test_a_name_that_stands_beside_another_field_does_not_decide(reader: TesseractReader) -> None:
    canvas, areas = Canvas(), [Area(200, 60 + 50 * row, 300, 30) for row in range(3)]
    for area, words in zip(areas, ("First name", "City", "Country"), strict=True):
        canvas.text(words, (60, area.top + 6))
        canvas.box(area)
    shifted = ("", "First name", "City")
    said = [told("text", name, area, states="editable") for area, name in zip(areas, shifted, strict=True)]
    computer = saying(canvas, reader, *said)
    for area, words in zip(areas, ("First name", "City", "Country"), strict=True):
        assert place(computer, ElementTarget(words, role="field")) in Box(*area)


def test_a_field_whose_name_is_not_written_is_not_taken_beside_another_ones_label(
    reader: TesseractReader,
) -> None:
    canvas, areas = Canvas(), [Area(200, 60, 300, 30), Area(200, 110, 300, 30)]
    for area, words in zip(areas, ("Strasse", "City"), strict=True):
        canvas.text(words, (60, area.top + 6))
        canvas.box(area)
    said = [
        told("text", name, area, states="editable")
        for area, name in zip(areas, ("City", "Nummer"), strict=True)
    ]
    computer = saying(canvas, reader, *said)
    assert place(computer, ElementTarget("City", role="field")) in Box(*areas[1])
    with pytest.raises(
        NotFoundError, match='says that its text "Nummer" is at 200,110, but "City" is what stands'
    ):
        computer.locate(ElementTarget("Nummer", role="field"))


def test_an_icon_button_is_taken_by_its_box_if_something_is_drawn_there(reader: TesseractReader) -> None:
    canvas = Canvas()
    box = canvas.box(Area(100, 100, 30, 30))
    good, empty = (
        told("push button", "Bold", Area(100, 100, 30, 30)),
        told("push button", "Italic", Area(300, 100, 30, 30)),
    )
    nowhere = told("push button", "Print", Area(0, 0, 0, 0))
    computer = saying(canvas, reader, good, empty, nowhere)
    assert place(computer, IconTarget("Bold")) in box
    with pytest.raises(NotFoundError, match="nothing is drawn there"):
        computer.locate(TextTarget("Italic"))
    with pytest.raises(NotFoundError):
        computer.locate(TextTarget("Print"))


def test_a_control_under_another_programs_window_is_not_taken(reader: TesseractReader) -> None:
    canvas = Canvas()
    canvas.box(Area(100, 100, 30, 30))
    below = Window(
        id=1, title="Mail", app="mail", pid=10, area=Area(0, 0, 800, 500), active=False, hidden=False
    )
    above = Window(
        id=2, title="Alert", app="alert", pid=20, area=Area(50, 50, 200, 200), active=True, hidden=False
    )
    bold = told("push button", "Bold", Area(100, 100, 30, 30), pid=10)
    assert (
        saying(canvas, reader, bold, windows=[above, below]).locate(TextTarget("Bold")).source
        == "accessibility"
    )
    with pytest.raises(NotFoundError, match='the window "Alert" covers it'):
        saying(canvas, reader, bold, windows=[below, above]).locate(TextTarget("Bold"))


def test_words_of_another_control_where_a_button_should_be_speak_against_it(reader: TesseractReader) -> None:
    canvas = Canvas()
    canvas.button("Cancel", Area(100, 100, 120, 36))
    said = (
        told("push button", "Apply", Area(100, 100, 120, 36)),
        told("push button", "Cancel", Area(300, 100, 120, 36)),
    )
    with pytest.raises(NotFoundError, match='but "Cancel" is what stands there'):
        saying(canvas, reader, *said).locate(TextTarget("Apply"))


def test_a_part_of_a_page_that_can_be_written_in_is_a_field(reader: TesseractReader) -> None:
    canvas = Canvas()
    canvas.text("Comment", (60, 106))
    written = told("section", "", Area(200, 100, 300, 60), states="editable focusable")
    computer = saying(canvas, reader, written)
    assert place(computer, ElementTarget("Comment", role="field")) in Box(200, 100, 300, 60)


# A part of a label.


def test_save_does_not_press_save_as(reader: TesseractReader) -> None:
    canvas = Canvas()
    canvas.button("Save As...", Area(100, 100, 120, 36))
    with pytest.raises(NotFoundError, match=r'"Save" is only a part of the control "Save As') as failure:
        canvas.computer(reader).locate(TextTarget("Save"))
    assert failure.value.closest[0].startswith("Save As")


def test_a_long_label_is_a_label_too(reader: TesseractReader) -> None:
    words, area = "Delete all messages in this folder", Area(100, 100, 360, 36)
    drawn, flat = Canvas(), Canvas()
    drawn.button(words, area)
    flat.text(words, (110, 110))
    for computer in (
        drawn.computer(reader),
        saying(flat, reader, told("push button", words, area)),
    ):
        for target in (TextTarget("Delete"), ElementTarget("Delete", role="button")):
            with pytest.raises(NotFoundError, match='only a part of the control "Delete all messages'):
                computer.locate(target)


def test_a_line_on_a_card_that_is_one_button_is_no_label(reader: TesseractReader) -> None:
    canvas = Canvas()
    box = canvas.text("Dora Kent wrote to you today", (110, 110))
    canvas.text("Will you come to the sea with us in the summer?", (110, 150))
    name = "Dora Kent wrote to you today Will you come to the sea with us in the summer?"
    card = told("push button", name, Area(60, 80, 600, 120))
    assert place(saying(canvas, reader, card), TextTarget("Dora Kent")) in box


def test_words_on_a_bar_over_the_whole_window_are_no_one_button(reader: TesseractReader) -> None:
    canvas = Canvas()
    canvas.button("Pricing Docs Blog", Area(20, 100, 700, 36))
    assert place(canvas.computer(reader), TextTarget("Docs")) in Box(20, 100, 700, 36)


@pytest.mark.parametrize(
    ("whole", "part", "rest"),
    [("+ new", "new", None), ("√删除", "删除", None), ("+1", "1", "+"), ("c++", "c", "++")],
)
def test_an_icon_that_is_read_before_a_label_is_no_part_of_it(
    whole: str, part: str, rest: str | None
) -> None:
    assert _rest(whole, part) == rest


def test_an_accelerator_is_no_part_of_the_label(reader: TesseractReader) -> None:
    canvas = Canvas()
    box = canvas.button("Save (Ctrl+S)", Area(100, 100, 160, 36))
    assert place(canvas.computer(reader), TextTarget("Save")) in box


def test_a_part_of_a_sentence_is_found(reader: TesseractReader) -> None:
    canvas = Canvas()
    box = canvas.text("Thank you, your order was saved today", (100, 100))
    assert place(canvas.computer(reader), TextTarget("your order")) in box


def test_a_part_of_a_programs_own_label_is_not_the_control(reader: TesseractReader) -> None:
    canvas = Canvas()
    canvas.text("Save As", (110, 110))
    menu = told("menu item", "Save As", Area(100, 100, 300, 36))
    with pytest.raises(NotFoundError, match='only a part of the control "Save As"'):
        saying(canvas, reader, menu).locate(TextTarget("Save"))
    assert saying(canvas, reader).locate(TextTarget("Save")).text == "Save", (
        "it is no control that anyone knows of"
    )


def test_last_name_is_not_the_field_for_name(reader: TesseractReader) -> None:
    canvas = Canvas()
    canvas.text("Last Name", (60, 106))
    canvas.box(Area(200, 100, 300, 30))
    with pytest.raises(NotFoundError, match='only a part of the label "Last Name"'):
        canvas.computer(reader).locate(ElementTarget("Name", role="field"))


@pytest.mark.parametrize("label", ["Name (optional)", "Name of your company", "Please enter your Name"])
def test_a_label_that_begins_with_the_words_or_is_a_sentence_names_its_field(
    reader: TesseractReader, label: str
) -> None:
    canvas = Canvas()
    canvas.text(label, (20, 106))
    field = canvas.box(Area(300, 100, 300, 30))
    assert place(canvas.computer(reader), ElementTarget("Name", role="field")) in field


# Pictures.


def test_a_picture_is_found_by_its_file(reader: TesseractReader, tmp_path: Path) -> None:
    canvas = Canvas()
    boxes = [
        canvas.button(words, Area(100, 60 + 90 * row, 120, 36)) for row, words in enumerate(("Go", "Undo"))
    ]
    left, top = boxes[1].left - 2, boxes[1].top - 2
    canvas.image.crop((left, top, boxes[1].right + 2, boxes[1].bottom + 2)).save(tmp_path / "undo.png")
    found = canvas.computer(reader).locate(PictureTarget(str(tmp_path / "undo.png")))
    assert found.point in boxes[1]
    assert found.source == "picture"


def test_a_file_that_is_no_picture_is_an_error_that_names_it(reader: TesseractReader, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_text("words")
    computer = Canvas().computer(reader)
    for name, said in (("a.png", "is no picture"), ("none.png", "cannot be read")):
        with pytest.raises(ComputerError, match=rf'{name}" {said}'):
            computer.locate(PictureTarget(str(tmp_path / name)))
