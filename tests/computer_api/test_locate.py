"""Finding on pictures: drawn ones, where only the pixels speak, and forms that have a tree of controls too."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import pytest
from canvas import SIZE, Canvas, window
from hypothesis import given
from hypothesis import strategies as st

from computer_api.computer import Computer
from computer_api.errors import AmbiguousError, NotFoundError, Stopped, UnsupportedError
from computer_api.fields import belonging
from computer_api.geometry import Box, Pixel, Point
from computer_api.targets import ElementTarget, IconTarget, Match, Target, TextTarget
from computer_platform.desktop import Area, Window
from computer_platform.memory import MemoryDesktop, Screen, Widget, form
from computer_vision.tesseract import TesseractReader

if TYPE_CHECKING:
    from computer_platform.desktop import Frame


def place(computer: Computer, target: Target) -> Point:
    return computer.locate(target).point


# Texts.


@pytest.mark.parametrize("at", [(3, 3), (400, 250), (805, 578)])
def test_a_text_is_found_wherever_it_stands(reader: TesseractReader, at: tuple[int, int]) -> None:
    canvas = Canvas()
    box = canvas.text("Save", at)
    canvas.text("Open", (at[0], (at[1] + 200) % 560))
    assert place(canvas.computer(reader), TextTarget("Save")) in box


def test_several_words_are_found_as_one_place_around_them_all(reader: TesseractReader) -> None:
    canvas = Canvas()
    canvas.text("Name", (100, 80))
    box = canvas.text("Send the report now", (100, 120))
    match = canvas.computer(reader).locate(TextTarget("the report"))
    assert match.point in box
    assert 60 < match.box.width < box.width
    assert match.text == "the report"


@pytest.mark.parametrize(
    ("asked", "there"),
    [("Subscribe", "Unsubscribe"), ("Start", "Restart"), ("Saved", "Unsaved"), ("1000", "10001")],
)
def test_a_part_of_a_word_is_another_word(reader: TesseractReader, asked: str, there: str) -> None:
    canvas = Canvas()
    canvas.button(there, Area(100, 80, 160, 40))
    with pytest.raises(NotFoundError) as missing:
        canvas.computer(reader).locate(TextTarget(asked))
    assert missing.value.closest == (there,)


def test_on_a_scaled_screen_the_place_is_in_points_and_candidates_are_in_pixels(
    reader: TesseractReader,
) -> None:
    desktop = MemoryDesktop((640, 400), form(), scale=2)
    match = Computer(desktop, reader=reader, patience=0.0).locate(TextTarget("Save"))
    assert match.point in Box(240, 250, 100, 36)


def test_on_a_monitor_left_of_the_primary_one_a_text_has_negative_coordinates(
    reader: TesseractReader,
) -> None:
    displays = [Area(0, 0, 300, 200), Area(-700, 0, 700, 400)]
    desktop = MemoryDesktop(screens=form(origin=(-650, 0)), displays=displays)
    assert place(Computer(desktop, reader=reader, patience=0.0), TextTarget("Save")) in Box(
        -410, 250, 100, 36
    )


def test_equal_texts_are_an_error_that_names_every_place_from_the_top_left(reader: TesseractReader) -> None:
    canvas = Canvas()
    boxes = [canvas.text("Edit", at) for at in ((500, 60), (80, 60), (300, 400))]
    computer = canvas.computer(reader)
    with pytest.raises(AmbiguousError, match='"Edit" fits 3 places') as failure:
        computer.locate(TextTarget("Edit"))
    assert len(failure.value.candidates) == 3
    for candidate, box in zip(failure.value.candidates, (boxes[1], boxes[0], boxes[2]), strict=True):
        text, _, pixel = candidate.partition(" at ")
        x, _, y = pixel.partition(",")
        assert text == '"Edit"'
        assert Point(int(x), int(y)) in box
        assert candidate in str(failure.value)


def test_a_number_chooses_among_equal_texts_counting_from_the_top_left(reader: TesseractReader) -> None:
    canvas = Canvas()
    boxes = [canvas.text("Edit", at) for at in ((80, 60), (500, 60), (300, 400))]
    computer = canvas.computer(reader)
    for number, box in enumerate(boxes, start=1):
        assert place(computer, TextTarget("Edit", nth=number)) in box
    for number in (0, 4, -1):
        with pytest.raises(NotFoundError, match="only 3 are on the screen"):
            computer.locate(TextTarget("Edit", nth=number))


def test_a_text_that_is_not_there_is_an_error_with_the_closest_ones(reader: TesseractReader) -> None:
    canvas = Canvas()
    canvas.text("Submit order", (100, 100))
    canvas.text("Cancel", (100, 300))
    with pytest.raises(
        NotFoundError, match=r'"Submit offer form" is not on the screen\. .*"Submit order"'
    ) as failure:
        canvas.computer(reader).locate(TextTarget("Submit offer form"))
    assert failure.value.closest[0] == "Submit order"


def test_on_an_empty_screen_nothing_is_close(reader: TesseractReader) -> None:
    with pytest.raises(NotFoundError, match="No text on the screen comes close") as failure:
        Canvas().computer(reader).locate(TextTarget("Save"))
    assert failure.value.closest == ()


def test_exact_takes_no_other_case(reader: TesseractReader) -> None:
    canvas = Canvas()
    canvas.text("Save", (100, 100))
    computer = canvas.computer(reader)
    assert computer.locate(TextTarget("SAVE")).text == "Save"
    with pytest.raises(NotFoundError):
        computer.locate(TextTarget("SAVE", exact=True))


def test_the_better_reading_wins_over_a_worse_one(reader: TesseractReader) -> None:
    canvas = Canvas()
    canvas.text("Save changes before you leave", (100, 100))
    box = canvas.text("Save", (400, 300))
    assert place(canvas.computer(reader), TextTarget("Save")) in box


@pytest.mark.parametrize("blank", ["", " ", "\n\u00a0"])
def test_a_target_without_a_word_is_nowhere(reader: TesseractReader, blank: str) -> None:
    computer = Computer(MemoryDesktop(SIZE, form()), reader=reader, patience=0.0)
    targets: list[Target] = [TextTarget(blank), IconTarget(blank)]
    targets += [ElementTarget(blank, role=role) for role in (None, "field", "button", "tick")]
    for target in targets:
        with pytest.raises(NotFoundError):
            computer.locate(target)


# Windows.

LEFT, RIGHT = Area(20, 60, 400, 500), Area(440, 60, 400, 500)


def two_windows(*, left: str = "Mail", right: str = "Notes") -> list[Window]:
    return [window(1, left, LEFT), window(2, right, RIGHT, app="mousepad")]


def test_a_window_narrows_to_what_it_shows(reader: TesseractReader) -> None:
    canvas = Canvas()
    inside_left, inside_right = canvas.text("Delete", (100, 200)), canvas.text("Delete", (600, 200))
    computer = canvas.computer(reader, two_windows())
    assert place(computer, TextTarget("Delete", window="mail")) in inside_left
    assert place(computer, TextTarget("Delete", window="Notes")) in inside_right
    assert place(computer, TextTarget("Delete", window="mousepad")) in inside_right
    with pytest.raises(NotFoundError, match=r'No window is called "Calendar"\. Open are: "Mail", "Notes"'):
        computer.locate(TextTarget("Delete", window="Calendar"))


def test_a_text_on_a_window_above_is_not_in_the_one_below(reader: TesseractReader) -> None:
    canvas = Canvas()
    canvas.text("Delete", (100, 200))
    stack = [window(1, "Mail", LEFT), window(2, "Alert", Area(80, 180, 200, 100))]
    computer = canvas.computer(reader, stack)
    with pytest.raises(NotFoundError):
        computer.locate(TextTarget("Delete", window="Mail"))
    assert computer.locate(TextTarget("Delete", window="Alert")).text == "Delete"


def test_a_hidden_window_covers_nothing(reader: TesseractReader) -> None:
    canvas = Canvas()
    box = canvas.text("Delete", (100, 200))
    stack = [window(1, "Mail", LEFT), window(2, "Alert", Area(80, 180, 200, 100), hidden=True)]
    assert place(canvas.computer(reader, stack), TextTarget("Delete", window="Mail")) in box


# Fields and other controls, drawn: no program says what they are.


def test_a_field_is_the_box_right_of_its_label(reader: TesseractReader) -> None:
    canvas = Canvas()
    canvas.text("First name:", (60, 106))
    first = canvas.box(Area(200, 100, 300, 30))
    canvas.text("City:", (60, 166))
    city = canvas.box(Area(200, 160, 300, 30))
    computer = canvas.computer(reader)
    assert place(computer, ElementTarget("First name", role="field")) in first
    assert place(computer, ElementTarget("City", role="field")) in city


def test_a_field_is_the_box_below_its_label_when_none_is_beside_it(reader: TesseractReader) -> None:
    canvas = Canvas()
    canvas.text("First name", (60, 76))
    first = canvas.box(Area(60, 100, 300, 30))
    canvas.text("City", (60, 156))
    city = canvas.box(Area(60, 180, 300, 30))
    computer = canvas.computer(reader)
    assert place(computer, ElementTarget("First name", role="field")) in first
    assert place(computer, ElementTarget("City", role="field")) in city


@pytest.mark.parametrize("left", [60, 70, 90])
def test_a_button_below_a_label_is_never_its_field(reader: TesseractReader, left: int) -> None:
    canvas = Canvas()
    canvas.text("First name", (60, 76))
    canvas.button("Continue", Area(left, 100, 110, 30))
    with pytest.raises(NotFoundError):
        canvas.computer(reader).locate(ElementTarget("First name", role="field"))


def test_a_field_that_holds_a_short_text_is_still_a_field(reader: TesseractReader) -> None:
    canvas = Canvas()
    canvas.text("First name", (60, 76))
    box = canvas.box(Area(60, 100, 300, 30))
    canvas.text("Ada", (68, 106))
    assert place(canvas.computer(reader), ElementTarget("First name", role="field")) in box


def test_a_tick_box_is_the_square_left_of_its_label(reader: TesseractReader) -> None:
    canvas = Canvas()
    box = canvas.box(Area(60, 100, 18, 18))
    canvas.text("Window seat", (90, 100))
    assert place(canvas.computer(reader), ElementTarget("Window seat", role="tick")) in box


# Controls that say what they are.


def test_the_tree_says_where_a_field_ends_and_the_picture_says_which_it_is(reader: TesseractReader) -> None:
    computer = Computer(MemoryDesktop(SIZE, form()), reader=reader, patience=0.0)
    match = computer.locate(ElementTarget("City", role="field"))
    assert (match.box, match.source) == (Box(240, 180, 300, 32), "accessibility")
    button = computer.locate(ElementTarget("Save", role="button"))
    assert button.box == Box(240, 250, 100, 36)


def test_an_icon_is_a_button_that_says_what_it_means(reader: TesseractReader) -> None:
    screen = Screen(name="bar", widgets=(Widget(kind="button", name="Settings", area=Area(10, 10, 30, 30)),))
    computer = Computer(MemoryDesktop(SIZE, [screen]), reader=reader, patience=0.0)
    assert computer.locate(IconTarget("settings")).box == Box(10, 10, 30, 30)
    with pytest.raises(NotFoundError):
        computer.locate(IconTarget("print"))


def test_a_control_that_reaches_beyond_the_screen_is_used_where_its_words_are(
    reader: TesseractReader,
) -> None:
    long = Widget(kind="label", name="Save", area=Area(-3000, 100, 3200, 40))
    canvas = Canvas()
    box = canvas.text("Save", (60, 110))
    desktop = MemoryDesktop(SIZE, [Screen(name="far", picture=canvas.image, widgets=(long,))])
    assert place(Computer(desktop, reader=reader, patience=0.0), ElementTarget("Save", role="label")) in box


def test_without_an_engine_that_reads_a_text_is_an_error_that_says_what_to_install() -> None:
    computer = Computer(
        MemoryDesktop(SIZE, form()), reader=TesseractReader(program="no-such-tesseract"), patience=0.0
    )
    with pytest.raises(UnsupportedError, match="no-such-tesseract"):
        computer.locate(TextTarget("Save"))
    assert computer.locate(Pixel(10, 10)).point == Point(10, 10)


# Waiting.


class Changing(MemoryDesktop):
    """A desktop that shows its next screen after that many looks."""

    def __init__(self, before: Screen, after: Screen, *, looks: int) -> None:
        super().__init__(SIZE, [before, after])
        self._looks = count()
        self._after = after.name
        self._number = looks

    def capture(self, area: Area | None = None) -> Frame:
        if next(self._looks) == self._number:
            self._show(self._after)
        return super().capture(area)


def said(name: str, words: str) -> Screen:
    return Screen(name=name, widgets=(Widget(kind="label", name=words, area=Area(100, 100, 200, 30)),))


def test_a_text_is_waited_for(reader: TesseractReader) -> None:
    desktop = Changing(said("before", "Working"), said("after", "Finished"), looks=3)
    computer = Computer(desktop, reader=reader, patience=20.0)
    assert computer.locate(TextTarget("Finished")).text == "Finished"


def test_a_single_digit_that_changes_is_noticed(reader: TesseractReader) -> None:
    desktop = Changing(said("before", "Unread mails 1"), said("after", "Unread mails 7"), looks=3)
    computer = Computer(desktop, reader=reader, patience=20.0)
    assert computer.locate(TextTarget("Unread mails 7")).text == "Unread mails 7"


def test_a_text_that_goes_away_is_gone_and_one_that_stays_is_not(reader: TesseractReader) -> None:
    desktop = Changing(said("before", "Working"), said("after", "Finished"), looks=3)
    computer = Computer(desktop, reader=reader, patience=0.0)
    locator = computer._acting.locator
    assert locator.gone(TextTarget("Working"), seconds=20, check=lambda: None)
    assert not locator.gone(TextTarget("Finished"), seconds=0.1, check=lambda: None)
    assert locator.gone(TextTarget("Working"), seconds=0.0, check=lambda: None)


def test_two_of_a_text_are_not_gone(reader: TesseractReader) -> None:
    canvas = Canvas()
    canvas.text("Error", (100, 100))
    canvas.text("Error", (100, 300))
    locator = canvas.computer(reader)._acting.locator
    assert not locator.gone(TextTarget("Error"), seconds=0.0, check=lambda: None)


def test_the_wait_for_a_text_can_be_ended(reader: TesseractReader) -> None:
    def stop() -> None:
        raise Stopped("enough")

    computer = Computer(MemoryDesktop(SIZE, form()), reader=reader, patience=60.0)
    computer.stop_when(stop)
    with pytest.raises(Stopped, match="enough"):
        computer.locate(TextTarget("Nowhere"))


def test_among_several_the_one_in_the_preferred_place_is_taken(reader: TesseractReader) -> None:
    canvas = Canvas()
    canvas.text("Business", (100, 100))
    box = canvas.text("Business", (100, 300))
    computer = canvas.computer(reader)
    match = computer._acting.locator.locate_on(
        TextTarget("Business"), computer.look(), prefer=[Box(80, 280, 200, 60)]
    )
    assert match.point in box


# Which field a label names, as geometry alone.

LABELS = st.builds(Box, st.integers(0, 800), st.integers(0, 800), st.integers(20, 200), st.integers(10, 24))


@given(LABELS, st.integers(0, 300), st.integers(30, 400))
def test_the_field_on_the_labels_row_is_its_own_before_the_one_below(
    label: Box, gap: int, width: int
) -> None:
    beside = Box(label.right + gap, label.top - 5, width, label.height + 10)
    below = Box(label.left, label.bottom + 10, width, 30)
    for fields in ([beside, below], [below, beside]):
        assert belonging(label, fields) == beside
    assert belonging(label, [below]) == below
    assert belonging(label, []) is None


@given(LABELS, st.integers(0, 300), st.integers(30, 300))
def test_of_two_fields_on_its_row_a_label_names_the_nearer_one(label: Box, gap: int, width: int) -> None:
    near = Box(label.right + gap, label.top - 5, width, label.height + 10)
    far = Box(near.right + 10, near.top, width, near.height)
    assert belonging(label, [far, near]) == near


@given(LABELS, st.integers(30, 300))
def test_a_field_left_of_a_label_or_above_it_is_never_its_own(label: Box, width: int) -> None:
    left = Box(label.left - width - 10, label.top - 5, width, label.height + 10)
    above = Box(label.left, label.top - 60, width, 40)
    assert belonging(label, [left, above]) is None


@given(LABELS)
def test_a_label_inside_a_field_names_the_smallest_around_it(label: Box) -> None:
    fields = [label.grown(40), label.grown(4), label.grown(20)]
    assert belonging(label, fields) == label.grown(4)


def test_a_match_is_clicked_in_its_middle() -> None:
    match = Match(box=Box(10, 20, 30, 40), text="", score=1.0, source="pixel")
    assert match.point == Point(25, 40)
