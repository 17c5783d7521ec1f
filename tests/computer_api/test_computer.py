"""Every action on a desktop in memory: what it does, what its receipt says, and what it leaves behind."""

from __future__ import annotations

import time
from dataclasses import replace
from io import BytesIO
from typing import TYPE_CHECKING, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from computer_api.actions import (
    Action,
    ArrangeWindow,
    Choose,
    Click,
    ClipboardGet,
    ClipboardSet,
    CloseWindow,
    Drag,
    Expect,
    FocusWindow,
    HoldKeys,
    KeyDown,
    KeyUp,
    Look,
    MouseDown,
    MouseUp,
    Move,
    OpenApp,
    PlaceWindow,
    PressKeys,
    RunCode,
    Scroll,
    TypeText,
    Wait,
    WaitForWindow,
    Zoom,
)
from computer_api.computer import Computer, PictureLimit
from computer_api.errors import (
    AmbiguousError,
    ComputerError,
    DesktopUnavailable,
    ExpectationError,
    NotFoundError,
    NotTypedError,
    OffScreenError,
    RefusedError,
    Stopped,
    UnsupportedError,
)
from computer_api.geometry import Pixel, Point
from computer_api.targets import ElementTarget, IconTarget, TextTarget
from computer_platform.desktop import Area, Button, Window
from computer_platform.memory import Event, MemoryDesktop, Rule, Screen, Widget, form
from computer_vision.picture import to_image

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from computer_api.receipt import Receipt
    from computer_vision.tesseract import TesseractReader

SAVE, CITY = TextTarget("Save"), ElementTarget("City", role="field")
SECONDS = 20.0


@pytest.fixture
def computer(reader: TesseractReader) -> Computer:
    """The form, with receipts."""
    return Computer(MemoryDesktop(screens=form()), reader=reader, patience=0.0)


@pytest.fixture
def quick(reader: TesseractReader) -> Computer:
    """The form, without receipts."""
    return Computer(MemoryDesktop(screens=form()), reader=reader, patience=0.0, receipts=False)


def log(computer: Computer) -> list[tuple[object, ...]]:
    """What was done to the desktop: the verb, then its arguments."""
    desktop = computer.desktop
    assert isinstance(desktop, MemoryDesktop)
    return [(event.verb, *event.arguments) for event in desktop.log]


def note(title: str, number: int = 1, *, active: bool = False) -> Window:
    return Window(
        id=number, title=title, app="notes", pid=None, area=Area(0, 0, 99, 99), active=active, hidden=False
    )


# Doing.


def test_a_click_presses_and_releases_on_its_target(quick: Computer) -> None:
    receipt = quick.perform(Click(target=Pixel(10, 20), button="right", count=2))
    press, release = ("button", "right", True), ("button", "right", False)
    assert log(quick) == [("move", 10, 20), press, release, press, release]
    assert (receipt.effect, receipt.matches[0].point) == ("unknown", Point(10, 20))


def test_a_click_without_a_target_is_made_where_the_pointer_is(quick: Computer) -> None:
    quick.perform(Click())
    assert log(quick) == [("button", "left", True), ("button", "left", False)]


def test_keys_are_held_around_a_click_and_released_in_reverse(quick: Computer) -> None:
    quick.perform(Click(target=Pixel(5, 5), keys=("Control_L", "Shift_L")))
    assert [event for event in log(quick) if event[0] in {"key", "button"}] == [
        ("key", "Control_L", True),
        ("key", "Shift_L", True),
        ("button", "left", True),
        ("button", "left", False),
        ("key", "Shift_L", False),
        ("key", "Control_L", False),
    ]


def test_a_drag_goes_from_one_place_to_the_other_in_small_moves_with_the_button_down(quick: Computer) -> None:
    quick.perform(Drag(start=Pixel(100, 100), end=Pixel(500, 300), keys=("Alt_L",)))
    done = log(quick)
    pressed, released = done.index(("button", "left", True)), done.index(("button", "left", False))
    assert done[pressed - 2 : pressed] == [("move", 100, 100), ("key", "Alt_L", True)]
    assert done[released - 1] == ("move", 500, 300)
    assert done[released + 1 :] == [("key", "Alt_L", False)]
    moves = [event[1:] for event in done[pressed:released] if event[0] == "move"]
    assert len(moves) >= 8
    assert all(isinstance(x, int) and 100 <= x <= 501 for x, _ in moves)


def test_keys_are_pressed_together_as_often_as_asked(quick: Computer) -> None:
    quick.perform(PressKeys(keys=("Control_L", "s"), times=2))
    once = [("key", "Control_L", True), ("key", "s", True), ("key", "s", False), ("key", "Control_L", False)]
    assert log(quick) == once * 2


def test_keys_are_held_for_their_time(quick: Computer) -> None:
    began = time.monotonic()
    receipt = quick.perform(HoldKeys(keys=("Right",), seconds=0.15))
    assert 0.15 <= receipt.seconds <= time.monotonic() - began
    assert log(quick) == [("key", "Right", True), ("key", "Right", False)]


def test_what_is_pressed_on_purpose_stays_down_until_it_is_released(quick: Computer) -> None:
    quick.perform(KeyDown(keys=("Shift_L",)))
    quick.perform(MouseDown(button="middle"))
    quick.perform(Move(target=Pixel(3, 4)))
    assert quick.desktop.held() == {"Shift_L", "middle"}
    quick.perform(KeyUp(keys=("Shift_L",)))
    quick.perform(MouseUp(button="middle"))
    assert not quick.desktop.held()


def test_the_wheel_is_turned_over_its_target(quick: Computer) -> None:
    quick.perform(Scroll(down=3, right=-1, target=Pixel(7, 8)))
    assert log(quick) == [("move", 7, 8), ("scroll", -1, 1), ("scroll", 0, 1), ("scroll", 0, 1)]


def test_a_wait_lasts_and_can_be_ended(quick: Computer) -> None:
    assert quick.perform(Wait(seconds=0.1)).seconds >= 0.1
    checks: list[None] = []

    def stop_at_the_third() -> None:
        checks.append(None)
        if len(checks) == 3:
            raise Stopped("enough")

    quick.stop_when(stop_at_the_third)
    with pytest.raises(Stopped):
        quick.perform(Wait(seconds=3600))


def test_looking_changes_nothing_and_the_clipboard_comes_back_as_output(quick: Computer) -> None:
    assert quick.perform(Look()).effect == "unknown"
    assert quick.perform(ClipboardGet()).output == ""
    assert quick.perform(ClipboardSet(text="häuser\n")).value == "häuser\n"
    assert quick.perform(ClipboardGet()).output == "häuser\n"
    assert log(quick) == []


def test_a_program_is_started_and_its_window_is_on_the_receipt(reader: TesseractReader) -> None:
    class Opening(MemoryDesktop):
        def launch(self, argv: Sequence[str], *, environment: object = None) -> int:
            assert self.windows is not None
            number = super().launch(argv)
            self.windows._windows.append(note(" ".join(argv), 2))
            return number

    desktop = Opening(screens=form(), windows=[note("Desk")], programs={"mousepad": "form"})
    computer = Computer(desktop, reader=reader)
    receipt = computer.perform(OpenApp(program="mousepad", arguments=("a.txt",)))
    assert (receipt.opened, receipt.closed) == (("mousepad a.txt",), ())
    with pytest.raises(NotFoundError, match='There is no program "gimp" here'):
        computer.perform(OpenApp(program="gimp"))


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (PermissionError(13, "Permission denied"), "Permission denied"),
        (OSError(8, "Exec format error"), "Exec format error"),
        (NotADirectoryError(20, "Not a directory"), "Not a directory"),
        (ValueError("embedded null byte"), "embedded null byte"),
    ],
)
def test_a_file_that_is_no_program_is_an_error_that_says_why(
    reader: TesseractReader, failure: Exception, said: str
) -> None:
    class Failing(MemoryDesktop):
        def launch(self, argv: Sequence[str], *, environment: object = None) -> int:
            raise failure

    with pytest.raises(UnsupportedError, match=f'"notes.txt" cannot be started as a program: {said}'):
        Computer(Failing(), reader=reader).perform(OpenApp(program="notes.txt"))


def test_windows_are_raised_and_closed_by_their_title(reader: TesseractReader) -> None:
    desktop = MemoryDesktop(windows=[note("Letter", 1), note("Budget", 2, active=True)])
    computer = Computer(desktop, reader=reader)
    assert computer.perform(FocusWindow(title="letter")).focus == "Letter"
    assert computer.perform(CloseWindow(title="budget")).closed == ("Budget",)
    with pytest.raises(NotFoundError, match=r'No window is called "Budget"\. Open are: "Letter"') as failure:
        computer.perform(FocusWindow(title="Budget"))
    assert failure.value.closest == ("Letter",)


def test_without_a_window_manager_a_window_is_an_error_and_a_program_still_starts(
    reader: TesseractReader,
) -> None:
    computer = Computer(MemoryDesktop(programs={"xterm": "empty"}), reader=reader)
    with pytest.raises(UnsupportedError, match="no window manager"):
        computer.perform(CloseWindow(title="Notes"))
    assert computer.perform(OpenApp(program="xterm")).opened == ()


def test_an_option_is_chosen_from_the_list_that_opens(reader: TesseractReader) -> None:
    label = Widget(kind="label", name="Class", area=Area(100, 100, 80, 30))
    closed = Widget(kind="button", name="Economy", area=Area(200, 100, 160, 30))
    options = tuple(
        Widget(kind="label", name=name, area=Area(210, 140 + 30 * row, 150, 30))
        for row, name in enumerate(("Economy class", "Business class"))
    )
    desktop = MemoryDesktop(
        screens=[
            Screen(
                name="closed",
                widgets=(label, closed),
                rules=(Rule(clicked="Economy", show="open"),),
            ),
            Screen(
                name="open",
                widgets=(label, closed, *options),
                rules=(
                    Rule(clicked="Business class", show="chosen"),
                    Rule(pressed="Escape", show="closed"),
                ),
            ),
            Screen(name="chosen", widgets=(label, replace(closed, name="Business"))),
        ]
    )
    computer = Computer(desktop, reader=reader, patience=0.0)
    with pytest.raises(NotFoundError, match="First class"):
        computer.perform(Choose(option="First class", target=TextTarget("Economy")))
    assert desktop.screen == "closed"
    receipt = computer.perform(Choose(option="Business class", target=TextTarget("Economy")))
    assert desktop.screen == "chosen"
    assert receipt.effect in {"here", "elsewhere"}


def test_code_needs_a_terminal(quick: Computer) -> None:
    with pytest.raises(UnsupportedError, match="no terminal"):
        quick.perform(RunCode(language="python", code="1"))


# Typing.


def test_a_text_goes_into_its_field_and_is_read_back(computer: Computer) -> None:
    receipt = computer.perform(TypeText(text="Zürich <HB>", into=CITY))
    assert receipt.value == "Zürich <HB>"
    assert receipt.effect == "here"
    assert receipt.sentence() == 'the field holds "Zürich <HB>"'


def test_the_old_text_of_a_field_is_replaced_and_can_be_emptied(computer: Computer) -> None:
    computer.perform(TypeText(text="Bern", into=CITY))
    assert computer.perform(TypeText(text="Zürich", into=CITY)).value == "Zürich"
    assert computer.perform(TypeText(text="", into=CITY)).value == ""


def test_without_a_field_a_text_goes_where_the_keyboard_is_and_is_added(computer: Computer) -> None:
    computer.perform(TypeText(text="New", into=CITY))
    assert computer.perform(TypeText(text=" York")).value == "New York"


def test_a_field_that_holds_something_else_is_an_error_with_both_texts(reader: TesseractReader) -> None:
    class Forgetful(MemoryDesktop):
        def type_text(self, text: str) -> None:
            super().type_text(text[:-1])

    computer = Computer(Forgetful(screens=form()), reader=reader, patience=0.0)
    with pytest.raises(NotTypedError, match='Typed "Zürich", but the field holds "Züric"') as failure:
        computer.perform(TypeText(text="Zürich", into=CITY))
    assert (failure.value.expected, failure.value.seen) == ("Zürich", "Züric")


def test_a_secret_is_not_read_back_and_not_named_when_it_cannot_be_typed(computer: Computer) -> None:
    receipt = computer.perform(TypeText(text="hunter2", into=CITY, secret=True))
    assert receipt.value is None
    with pytest.raises(NotTypedError) as failure:
        computer.perform(TypeText(text="hunter2\0", into=CITY, secret=True))
    assert "hunter2" not in str(failure.value) + failure.value.expected + failure.value.seen


def test_after_return_nothing_is_read_back(computer: Computer) -> None:
    computer.perform(Click(target=CITY))
    assert computer.perform(TypeText(text="Bern\n")).value is None


def test_what_cannot_be_typed_is_an_error_and_sends_nothing(computer: Computer) -> None:
    with pytest.raises(NotTypedError, match=r"'\\x1b' cannot be typed"):
        computer.perform(TypeText(text="a\x1b"))
    assert ("type_text", "a\x1b") not in log(computer)


@pytest.mark.parametrize(
    "action",
    [
        PressKeys(keys=("Control_L", "XF86AudioMute")),
        HoldKeys(keys=("XF86AudioMute",), seconds=0.01),
        KeyDown(keys=("XF86AudioMute",)),
        KeyUp(keys=("XF86AudioMute",)),
        Click(target=Pixel(1, 1), keys=("XF86AudioMute",)),
    ],
)
def test_a_key_that_this_keyboard_lacks_is_an_error_and_nothing_stays_down(
    quick: Computer, action: Action
) -> None:
    with pytest.raises(UnsupportedError, match='There is no key "XF86AudioMute"'):
        quick.perform(action)
    assert not quick.desktop.held()


# Receipts.


def test_a_button_that_leads_on_changes_here(computer: Computer) -> None:
    receipt = computer.perform(Click(target=SAVE))
    assert (receipt.effect, receipt.sentence()) == ("here", "changed here")
    assert receipt.matches[0].text == "Save"


def test_a_change_far_from_the_target_is_elsewhere(reader: TesseractReader) -> None:
    far = Widget(kind="label", name="Saved", area=Area(900, 700, 100, 30))
    button = Widget(kind="button", name="Save", area=Area(50, 50, 100, 30))
    screens = [
        Screen(name="before", widgets=(button,), rules=(Rule(clicked="Save", show="after"),)),
        Screen(name="after", widgets=(button, far)),
    ]
    computer = Computer(MemoryDesktop(screens=screens), reader=reader, patience=0.0)
    computer.mouse.move("Save")
    receipt = computer.perform(Click(target=SAVE))
    assert receipt.effect == "elsewhere"
    (box,) = receipt.changed
    assert 890 <= box.left < box.right <= 1010
    assert 690 <= box.top < box.bottom <= 740


def test_a_click_on_nothing_changes_nothing_and_says_so(computer: Computer) -> None:
    receipt = computer.perform(Click(target=Pixel(700, 600)))
    assert (receipt.effect, receipt.sentence()) == ("nothing", "nothing changed")
    assert receipt.changed == ()


def test_without_receipts_actions_return_at_once_and_claim_nothing(quick: Computer) -> None:
    began = time.monotonic()
    receipts = [quick.perform(Click(target=Pixel(x, 600))) for x in range(0, 800, 40)]
    assert time.monotonic() - began < 3.0
    assert {receipt.effect for receipt in receipts} == {"unknown"}
    assert quick.perform(TypeText(text="x", into=CITY)).value is None


# Expecting.


def test_what_is_there_is_expected_and_what_is_gone_is_expected_to_be(quick: Computer) -> None:
    assert quick.perform(Expect(target=SAVE)).matches[0].text == "Save"
    assert quick.perform(Expect(target=TextTarget("Nowhere"), gone=True)).effect == "unknown"


def test_a_text_that_is_there_twice_is_there(reader: TesseractReader) -> None:
    twice = tuple(Widget(kind="label", name="Saved", area=Area(100, top, 100, 30)) for top in (100, 300))
    computer = Computer(
        MemoryDesktop(screens=[Screen(name="twice", widgets=twice)]), reader=reader, patience=0.0
    )
    assert computer.perform(Expect(target=TextTarget("Saved"))).effect == "unknown"
    with pytest.raises(AmbiguousError):
        computer.perform(Click(target=TextTarget("Saved")))


def test_what_does_not_come_and_what_does_not_go_are_errors_that_say_how_long(quick: Computer) -> None:
    with pytest.raises(ExpectationError, match=r'Waited 0\.1 s: "Nowhere" is not on the screen'):
        quick.perform(Expect(target=TextTarget("Nowhere"), seconds=0.1))
    with pytest.raises(ExpectationError, match=r'"Save" is still on the screen after 0\.1 s'):
        quick.perform(Expect(target=SAVE, gone=True, seconds=0.1))


# Zooming, and pictures that are smaller than the screen.


def colours(width: int, height: int) -> Image.Image:
    """A picture in which every pixel has a colour of its own."""
    x, y = np.meshgrid(np.arange(width), np.arange(height))
    return Image.fromarray(np.dstack([x % 256, y % 256, x // 256 * 16 + y // 256]).astype(np.uint8))


@pytest.mark.parametrize(("size", "scale"), [((1280, 800), 1), ((2560, 1600), 1), ((640, 400), 4)])
def test_a_zoom_shows_the_captured_pixels_under_that_part_of_the_picture(
    reader: TesseractReader, size: tuple[int, int], scale: int
) -> None:
    picture = colours(size[0] * scale, size[1] * scale)
    desktop = MemoryDesktop(size, [Screen(name="colours", picture=picture)], scale=scale)
    computer = Computer(desktop, reader=reader, picture=PictureLimit(long_edge=1280))
    assert computer.display.size() == (1280, 800) if size != (640, 400) else (640, 400)
    width, height = computer.display.size()
    across = picture.width // width
    (png,) = computer.perform(Zoom(left=100, top=40, right=300, bottom=90)).images
    expected = picture.crop((100 * across, 40 * across, 300 * across, 90 * across))
    assert np.array_equal(np.asarray(Image.open(BytesIO(png)).convert("RGB")), np.asarray(expected))
    (whole,) = computer.perform(Zoom(left=0, top=0, right=width, bottom=height)).images
    assert Image.open(BytesIO(whole)).size == (width, height)  # no model takes a larger one


@pytest.mark.parametrize("gone", [False, True])
def test_a_place_cannot_be_expected(quick: Computer, *, gone: bool) -> None:
    with pytest.raises(UnsupportedError, match="A place is always there"):
        quick.perform(Expect(target=Pixel(5, 5), gone=gone))


@pytest.mark.parametrize("corners", [(10, 10, 10, 50), (50, 10, 10, 50), (0, 0, 1281, 10), (-1, 0, 5, 5)])
def test_a_zoom_needs_a_part_of_the_picture(quick: Computer, corners: tuple[int, int, int, int]) -> None:
    left, top, right, bottom = corners
    with pytest.raises(OffScreenError, match="no part of the picture, which is 1280x800"):
        quick.perform(Zoom(left=left, top=top, right=right, bottom=bottom))


@settings(max_examples=25)
@given(st.data())
def test_a_pixel_of_a_smaller_picture_is_clicked_on_the_point_it_shows(
    reader: TesseractReader, data: st.DataObject
) -> None:
    desktop = MemoryDesktop(displays=[Area(0, -40, 400, 340), Area(-500, -40, 500, 340)])
    limit = PictureLimit(long_edge=data.draw(st.integers(1, 900)))
    computer = Computer(desktop, reader=reader, picture=limit, receipts=False)
    width, height = computer.display.size()
    pixel = Pixel(data.draw(st.integers(0, width - 1)), data.draw(st.integers(0, height - 1)))
    computer.perform(Click(target=pixel))
    assert computer.mouse.position() == (pixel.x, pixel.y)
    x, y = desktop.pointer()
    assert (x, y) == (
        -500 + (2 * pixel.x + 1) * 900 // (2 * width),
        -40 + (2 * pixel.y + 1) * 340 // (2 * height),
    )


def test_without_a_limit_a_pixel_is_a_point(quick: Computer) -> None:
    quick.perform(Move(target=Pixel(1279, 799)))
    assert quick.desktop.pointer() == (1279, 799)
    with pytest.raises(OffScreenError, match="1280x800"):
        quick.perform(Move(target=Pixel(1280, 10)))


def test_the_usual_limit_leaves_a_common_screen_alone_and_shrinks_a_large_one(
    reader: TesseractReader,
) -> None:
    def shown(width: int, height: int) -> tuple[int, int]:
        desktop = MemoryDesktop((width, height))
        return Computer(desktop, reader=reader, picture=PictureLimit()).display.size()

    assert shown(1280, 800) == (1280, 800)
    width, height = shown(3840, 2160)
    assert max(width, height) <= 1568
    assert width * height <= 1_150_000
    assert abs(width / height - 16 / 9) < 0.01


def test_what_is_seen_when_it_is_quiet_has_the_shown_size(reader: TesseractReader) -> None:
    computer = Computer(MemoryDesktop((2000, 1000)), reader=reader, picture=PictureLimit(long_edge=500))
    assert computer.observe().size == computer.look().size


# Failing, refusing, stopping.

UNLIKELY = (
    TextTarget(""),
    TextTarget("Save", window="Nowhere"),
    TextTarget("Save", window=""),
    ElementTarget(""),
    ElementTarget("", role="field"),
    ElementTarget(" ", role="tick"),
    ElementTarget("Save", role="button", nth=0),
    IconTarget(""),
)
BOXES = st.one_of(
    st.builds(Pixel, st.integers(-10, 1400), st.integers(-10, 900)),
    st.sampled_from([SAVE, CITY, TextTarget("Nowhere"), *UNLIKELY]),
)
KEYS = st.lists(st.sampled_from(["a", "Return", "Shift_L", "F5", "Hyper_L"]), max_size=3).map(tuple)
BUTTONS = st.sampled_from(get_args(Button))
BRIEF = st.floats(0, 0.01)


def _any_action() -> st.SearchStrategy[Action]:
    """Any action at all, with values that fit this screen and values that do not."""
    edges = st.integers(-10, 1400)
    texts = st.text(max_size=5)
    return st.one_of(
        st.builds(Click, target=st.none() | BOXES, button=BUTTONS, count=st.integers(0, 3), keys=KEYS),
        st.builds(Move, target=BOXES),
        st.builds(
            Drag,
            start=BOXES,
            end=BOXES,
            via=st.lists(BOXES, max_size=2).map(tuple),
            button=BUTTONS,
            keys=KEYS,
        ),
        st.builds(
            Scroll,
            down=st.integers(-9, 9),
            right=st.integers(-9, 9),
            target=st.none() | BOXES,
            unit=st.sampled_from(["notches", "pixels"]),
            keys=KEYS,
        ),
        st.builds(TypeText, text=texts, into=st.none() | BOXES, secret=st.booleans()),
        st.builds(Choose, option=texts, target=BOXES),
        st.builds(PressKeys, keys=KEYS, times=st.integers(0, 3)),
        st.builds(HoldKeys, keys=KEYS, seconds=BRIEF),
        st.builds(KeyDown, keys=KEYS),
        st.builds(KeyUp, keys=KEYS),
        st.builds(MouseDown, button=BUTTONS),
        st.builds(MouseUp, button=BUTTONS),
        st.builds(Wait, seconds=BRIEF),
        st.builds(OpenApp, program=texts),
        st.builds(FocusWindow, title=texts),
        st.builds(CloseWindow, title=texts),
        st.builds(
            ArrangeWindow, title=texts, how=st.sampled_from(["raise", "maximize", "minimize", "restore"])
        ),
        st.builds(PlaceWindow, title=texts, left=st.none() | edges, width=st.none() | edges),
        st.builds(WaitForWindow, title=texts, gone=st.booleans(), seconds=BRIEF),
        st.builds(ClipboardSet, text=texts, html=st.none() | texts, image=st.none() | texts),
        st.builds(ClipboardGet, kind=st.sampled_from(["text", "html", "image"])),
        st.builds(Zoom, left=edges, top=edges, right=edges, bottom=edges),
        st.just(Look()),
        st.builds(RunCode, language=texts, code=texts),
        st.builds(Expect, target=BOXES, gone=st.booleans(), seconds=BRIEF),
    )


@settings(max_examples=60)
@given(action=_any_action(), windows=st.sampled_from([None, (note("Notes"),)]))
def test_every_action_is_performed_or_is_an_error_in_words_and_an_error_leaves_nothing_down(
    reader: TesseractReader, action: Action, windows: tuple[Window, ...] | None
) -> None:
    desktop = MemoryDesktop(screens=form(), windows=windows, programs={"mousepad": "saved"})
    computer = Computer(desktop, reader=reader, patience=0.0, receipts=False)
    failure = None
    try:
        assert computer.perform(action).seconds >= 0
    except ComputerError as error:
        failure = str(error)
    if failure is None and isinstance(action, KeyDown | MouseDown):
        return
    assert failure is None or failure.endswith((".", "?"))
    assert not desktop.held()


class Interrupted(MemoryDesktop):
    """A desktop on which something happens at the n-th raw verb."""

    def __init__(self, at: int, what: BaseException) -> None:
        super().__init__(screens=form())
        self._at, self._what = at, what

    def _did(self, verb: str, *arguments: object) -> None:
        super()._did(verb, *arguments)
        if len(self.log) == self._at:
            raise self._what


@pytest.mark.parametrize("what", [KeyboardInterrupt(), DesktopUnavailable("gone")])
@pytest.mark.parametrize(
    "action",
    [
        Click(target=Pixel(9, 9), count=2, keys=("Control_L", "Shift_L")),
        Drag(start=Pixel(9, 9), end=Pixel(99, 99), keys=("Alt_L",)),
        PressKeys(keys=("Control_L", "Alt_L", "t")),
    ],
)
def test_whenever_an_action_breaks_off_nothing_stays_down(
    reader: TesseractReader, action: Action, what: BaseException
) -> None:
    broken = 0
    for at in range(1, 40):
        desktop = Interrupted(at, what)
        computer = Computer(desktop, reader=reader, receipts=False)
        try:
            computer.perform(action)
        except type(what):
            broken += 1
            assert not desktop.held(), desktop.log
        else:
            break
    assert broken >= 6


def test_a_stop_between_the_moves_of_a_drag_releases_the_button(quick: Computer) -> None:
    def stop_when_pressed() -> None:
        if quick.desktop.held():
            raise Stopped("enough")

    quick.stop_when(stop_when_pressed)
    with pytest.raises(Stopped):
        quick.perform(Drag(start=Pixel(9, 9), end=Pixel(900, 9)))
    assert ("button", "left", True) in log(quick)
    assert not quick.desktop.held()


def test_nothing_at_all_reaches_the_desktop_when_the_gate_refuses(computer: Computer) -> None:
    asked: list[Action] = []

    def closed(action: Action, perform: Callable[[Action], Receipt]) -> Receipt:
        asked.append(action)
        raise RefusedError("not today")

    computer.gate = closed
    actions: list[Action] = [
        Click(target=SAVE),
        TypeText(text="x", into=CITY),
        PressKeys(keys=("a",)),
        ClipboardSet(text="x"),
    ]
    for action in actions:
        with pytest.raises(RefusedError, match="not today"):
            computer.perform(action)
    assert asked == actions
    assert log(computer) == []
    desktop = computer.desktop
    assert desktop.clipboard is not None
    assert desktop.clipboard.read() == ""


def test_every_hand_goes_through_the_gate(quick: Computer) -> None:
    passed: list[Action] = []

    def counting(action: Action, perform: Callable[[Action], Receipt]) -> Receipt:
        passed.append(action)
        return perform(action)

    quick.gate = counting
    quick.mouse.click(1, 1)
    quick.keyboard.write("x")
    quick.clipboard.view()
    quick.perform(Look())
    assert passed == [Click(target=Pixel(1, 1)), TypeText(text="x"), ClipboardGet(), Look()]


def test_a_computer_that_is_left_lets_go_of_everything(reader: TesseractReader) -> None:
    desktop = MemoryDesktop(screens=form())
    with Computer(desktop, reader=reader, receipts=False) as computer:
        computer.keyboard.down("shift")
        assert desktop.held() == {"Shift_L"}
    assert not desktop.held()
    with pytest.raises(DesktopUnavailable):
        desktop.capture()


def test_a_desktop_that_has_gone_is_not_an_error_to_try_otherwise(reader: TesseractReader) -> None:
    desktop = MemoryDesktop(screens=form())
    desktop.close()
    with pytest.raises(DesktopUnavailable):
        Computer(desktop, reader=reader).perform(Click(target=Pixel(1, 1)))


def test_opened_by_name_a_computer_has_a_terminal_beside_its_desktop() -> None:
    with Computer.open("memory", size=(640, 400), environment={"PATH": "/usr/bin:/bin"}) as computer:
        assert computer.desktop.name == "memory"
        assert computer.display.size() == (640, 400)
        ran = computer.run("shell", "echo $((6 * 7)); echo ${SECRET_KEY:-no key}")
        assert ran.output.split("\n")[:2] == ["42", "no key"]


def test_the_screen_as_text_is_read_line_by_line(quick: Computer) -> None:
    assert [line for line in quick.text() if "contact" in line] == ["New contact"]
    assert "Save" in quick.text()


def test_the_picture_is_the_one_that_was_captured(quick: Computer) -> None:
    seen = quick.look()
    assert seen.image().tobytes() == to_image(seen.frame.pixels).tobytes()
    assert Event(verb="capture") not in MemoryDesktop().log


def test_a_text_that_reaches_nothing_is_an_error(computer: Computer) -> None:
    with pytest.raises(NotTypedError, match="nothing on the screen changed"):
        computer.perform(TypeText(text="lost"))
