"""The verbs of people and of code steps: the calls that users of Open Interpreter know, and what they refuse."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from computer_api.actions import (
    Action,
    Click,
    ClipboardGet,
    ClipboardSet,
    CloseWindow,
    Drag,
    FocusWindow,
    KeyDown,
    KeyUp,
    MouseDown,
    MouseUp,
    Move,
    OpenApp,
    PressKeys,
    Scroll,
    Tick,
    TypeText,
)
from computer_api.computer import Computer, PictureLimit
from computer_api.errors import NotFoundError, OffScreenError
from computer_api.geometry import Pixel
from computer_api.keys import UnknownKeyError
from computer_api.receipt import Receipt
from computer_api.targets import ElementTarget, IconTarget, PictureTarget, Relation, TextTarget, within
from computer_platform.desktop import Area, Window
from computer_platform.memory import MemoryDesktop, Screen, Widget, form

if TYPE_CHECKING:
    from collections.abc import Callable

    from computer_vision.tesseract import TesseractReader


@pytest.fixture
def computer(reader: TesseractReader) -> Computer:
    window = Window(
        id=1, title="Form", app="form", pid=7, area=Area(200, 100, 400, 200), active=True, hidden=False
    )
    return Computer(
        MemoryDesktop(screens=form(), windows=[window]), reader=reader, patience=0.0, receipts=False
    )


@pytest.fixture
def asked(computer: Computer) -> list[Action]:
    """The actions that the verbs build; none is performed."""
    actions: list[Action] = []

    def gate(action: Action, perform: Callable[[Action], Receipt]) -> Receipt:
        actions.append(action)
        return Receipt(effect="unknown", output="on the clipboard")

    computer.gate = gate
    return actions


SAVE = TextTarget("Save")


@pytest.mark.parametrize(
    ("call", "actions"),
    [
        (lambda c: c.mouse.click("Save"), [Click(target=SAVE)]),
        (lambda c: c.mouse.click(10, 20), [Click(target=Pixel(10, 20))]),
        (lambda c: c.mouse.click(x=10, y=20), [Click(target=Pixel(10, 20))]),
        (lambda c: c.mouse.click(text="Save"), [Click(target=SAVE)]),
        (lambda c: c.mouse.click(icon="settings"), [Click(target=IconTarget("settings"))]),
        (lambda c: c.mouse.click(SAVE), [Click(target=SAVE)]),
        (
            lambda c: c.mouse.click("Save", near="Ada", window="Mail", nth=2),
            [Click(target=TextTarget("Save", 2, "Mail", where=(Relation("near", TextTarget("Ada")),)))],
        ),
        (
            lambda c: c.mouse.click(role="field", right_of="Name", below=(1, 2)),
            [
                Click(
                    target=ElementTarget(
                        "",
                        "field",
                        where=(Relation("right of", TextTarget("Name")), Relation("below", Pixel(1, 2))),
                    )
                )
            ],
        ),
        (
            lambda c: c.mouse.click("OK", role="button", within="dialog"),
            [Click(target=ElementTarget("OK", "button", where=(within("dialog"),)))],
        ),
        (lambda c: c.mouse.click(picture="a.png"), [Click(target=PictureTarget("a.png"))]),
        (lambda c: c.mouse.tick("News"), [Tick(target=ElementTarget("News", "tick"))]),
        (lambda c: c.mouse.untick("News"), [Tick(target=ElementTarget("News", "tick"), ticked=False)]),
        (lambda c: c.mouse.click(), [Click()]),
        (
            lambda c: c.mouse.click("Save", button="right", clicks=2),
            [Click(target=SAVE, button="right", count=2)],
        ),
        (lambda c: c.mouse.double_click("Save"), [Click(target=SAVE, count=2)]),
        (lambda c: c.mouse.double_click(), [Click(count=2)]),
        (lambda c: c.mouse.triple_click(x=1, y=2), [Click(target=Pixel(1, 2), count=3)]),
        (lambda c: c.mouse.right_click(icon="bin"), [Click(target=IconTarget("bin"), button="right")]),
        (lambda c: c.mouse.middle_click(3, 4), [Click(target=Pixel(3, 4), button="middle")]),
        (lambda c: c.mouse.back(), [Click(button="back")]),
        (lambda c: c.mouse.forward("Save"), [Click(target=SAVE, button="forward")]),
        (
            lambda c: c.mouse.click("Save", keys="ctrl+shift", interval=0.1),
            [Click(target=SAVE, keys=("Control_L", "Shift_L"))],
        ),
        (
            lambda c: c.mouse.double_click(x=1, y=2, keys="alt"),
            [Click(target=Pixel(1, 2), count=2, keys=("Alt_L",))],
        ),
        (lambda c: c.mouse.click(x=None, y=None, text="Save"), [Click(target=SAVE)]),
        (lambda c: c.mouse.move("Save"), [Move(target=SAVE)]),
        (lambda c: c.mouse.move(x=0, y=0), [Move(target=Pixel(0, 0))]),
        (lambda c: c.mouse.drag("Save", (5, 6)), [Drag(start=SAVE, end=Pixel(5, 6))]),
        (lambda c: c.mouse.drag([5, 6], SAVE), [Drag(start=Pixel(5, 6), end=SAVE)]),
        (
            lambda c: c.mouse.drag((1, 2), SAVE, via=[(3, 4), "City"], button="right", keys="shift"),
            [
                Drag(
                    start=Pixel(1, 2),
                    end=SAVE,
                    via=(Pixel(3, 4), TextTarget("City")),
                    button="right",
                    keys=("Shift_L",),
                )
            ],
        ),
        (lambda c: c.mouse.scroll(3), [Scroll(down=-3)]),
        (lambda c: c.mouse.scroll(-2, "City"), [Scroll(down=2, target=TextTarget("City"))]),
        (
            lambda c: c.mouse.scroll(-2, x=5, y=6, keys="ctrl"),
            [Scroll(down=2, target=Pixel(5, 6), keys=("Control_L",))],
        ),
        (lambda c: c.mouse.scroll(4, horizontal=True), [Scroll(right=4)]),
        (
            lambda c: c.mouse.scroll_pixels(5, 6, down=350, right=-20),
            [Scroll(down=350, right=-20, target=Pixel(5, 6), unit="pixels")],
        ),
        (lambda c: c.mouse.scroll(-3), [Scroll(down=3)]),
        (lambda c: c.mouse.down(), [MouseDown()]),
        (lambda c: c.mouse.up("right"), [MouseUp(button="right")]),
        (lambda c: c.keyboard.write("Ada"), [TypeText(text="Ada")]),
        (lambda c: c.keyboard.write("Ada", 0.1, 0.3), [TypeText(text="Ada")]),
        (
            lambda c: c.keyboard.write("Ada", into="City", secret=True),
            [TypeText(text="Ada", into=ElementTarget("City", role="field"), secret=True)],
        ),
        (lambda c: c.keyboard.press("enter"), [PressKeys(keys=("Return",))]),
        (
            lambda c: c.keyboard.press("enter", presses=3, interval=0.1),
            [PressKeys(keys=("Return",), times=3)],
        ),
        (
            lambda c: c.keyboard.press("a", "ctrl+s", presses=2),
            [PressKeys(keys=("a",)), PressKeys(keys=("Control_L", "s"))] * 2,
        ),
        (lambda c: c.keyboard.press_and_release("f5"), [PressKeys(keys=("F5",))]),
        (lambda c: c.keyboard.hotkey("ctrl", "shift", "t"), [PressKeys(keys=("Control_L", "Shift_L", "t"))]),
        (lambda c: c.keyboard.hotkey("ctrl+s"), [PressKeys(keys=("Control_L", "s"))]),
        (lambda c: c.keyboard.hotkey("command", "space"), [PressKeys(keys=("Super_L", "space"))]),
        (lambda c: c.keyboard.down("shift"), [KeyDown(keys=("Shift_L",))]),
        (lambda c: c.keyboard.up("shift"), [KeyUp(keys=("Shift_L",))]),
        (lambda c: c.clipboard.view(), [ClipboardGet()]),
        (lambda c: c.clipboard.copy("text"), [ClipboardSet(text="text")]),
        (lambda c: c.clipboard.copy(), [PressKeys(keys=("Control_L", "c"))]),
        (lambda c: c.clipboard.paste(), [PressKeys(keys=("Control_L", "v"))]),
        (lambda c: c.windows.open("mousepad", "a.txt"), [OpenApp(program="mousepad", arguments=("a.txt",))]),
        (lambda c: c.windows.focus("Form"), [FocusWindow(title="Form")]),
        (lambda c: c.windows.close("Form"), [CloseWindow(title="Form")]),
    ],
)
def test_a_verb_is_the_action_it_stands_for(
    computer: Computer, asked: list[Action], call: Callable[[Computer], object], actions: list[Action]
) -> None:
    call(computer)
    assert asked == actions


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda c: c.mouse.click("Save", "now"), "'Save', 'now'"),
        (lambda c: c.mouse.click(10), "A place is a text, two whole numbers"),
        (lambda c: c.mouse.click(10.5, 20.5), "10.5, 20.5"),
        (lambda c: c.mouse.click(x=10), "not x=10."),
        (lambda c: c.mouse.click("Save", x=1, y=2), "'Save'"),
        (lambda c: c.mouse.click("Save", icon="save"), "icon='save'"),
        (
            lambda c: c.mouse.click(1, 2, near="Ada"),
            "only what is named by its text, icon or kind can be near",
        ),
        (
            lambda c: c.mouse.click("Save", near=3.5),
            "mouse.click(near=) takes a text, two numbers or a target",
        ),
        (lambda c: c.mouse.click("Save", nth="2"), "mouse.click(nth=) takes a whole number, not '2'"),
        (lambda c: c.display.locate(), "display.locate needs what to look for"),
        (lambda c: c.mouse.click(None), "None"),
        (
            lambda c: c.mouse.click("Save", clicks="two"),
            "mouse.click(clicks=) takes a whole number, not 'two'",
        ),
        (
            lambda c: c.mouse.click(where="Save"),
            "mouse.click takes no where=; a place is named by x=, y=, icon=, text=",
        ),
        (
            lambda c: c.mouse.click("Save", keys=["ctrl"]),
            "mouse.click(keys=) takes a text in quotes, not ['ctrl']",
        ),
        (
            lambda c: c.mouse.drag("Save", "City", via="Form"),
            "mouse.drag(via=) takes a list of places, not 'Form'",
        ),
        (lambda c: c.mouse.drag("Save", "City", via=[5]), "A place to drag"),
        (
            lambda c: c.mouse.scroll_pixels(down=0.5),
            "mouse.scroll_pixels(down=) takes a whole number, not 0.5",
        ),
        (lambda c: c.mouse.move(), "mouse.move needs a place"),
        (lambda c: c.mouse.drag("Save", 5), "A place to drag"),
        (lambda c: c.mouse.drag((1, 2, 3), "Save"), "(1, 2, 3)"),
        (lambda c: c.mouse.scroll(2.5), "mouse.scroll takes a whole number, not 2.5"),
        (lambda c: c.mouse.scroll("down"), "mouse.scroll takes a whole number, not 'down'"),
        (lambda c: c.keyboard.write(42), "keyboard.write takes a text in quotes, not 42"),
        (lambda c: c.keyboard.write("x", into=3), "keyboard.write(into=) takes a text in quotes, not 3"),
        (lambda c: c.keyboard.press(), "keyboard.press needs a key"),
        (lambda c: c.keyboard.press(["ctrl", "c"]), "keyboard.press takes a text in quotes"),
        (lambda c: c.keyboard.hotkey(), "keyboard.hotkey needs keys"),
        (lambda c: c.keyboard.hotkey("ctrl", 1), "keyboard.hotkey takes a text in quotes, not 1"),
        (lambda c: c.keyboard.down(1), "keyboard.down takes a text in quotes, not 1"),
        (lambda c: c.keyboard.up(None), "keyboard.up takes a text in quotes, not None"),
        (lambda c: c.clipboard.copy(5), "clipboard.copy takes a text in quotes, not 5"),
        (lambda c: c.windows.open(3), "windows.open takes a text in quotes, not 3"),
        (lambda c: c.windows.open("mousepad", 3), "windows.open takes a text in quotes, not 3"),
        (lambda c: c.windows.focus(3), "windows.focus takes a text in quotes, not 3"),
        (lambda c: c.windows.close(None), "windows.close takes a text in quotes, not None"),
        (lambda c: c.display.find_text(3), "display.find_text takes a text in quotes, not 3"),
        (lambda c: c.display.view(screen="first"), "display.view(screen=) takes a whole number, not 'first'"),
    ],
)
def test_what_a_verb_cannot_take_is_a_type_error_in_a_sentence_and_nothing_is_done(
    computer: Computer, asked: list[Action], call: Callable[[Computer], object], said: str
) -> None:
    with pytest.raises(TypeError) as failure:
        call(computer)
    assert said in str(failure.value)
    assert str(failure.value).endswith(".")
    assert asked == []


@pytest.mark.parametrize("number", [0, -1])
def test_a_number_below_the_first_is_an_error_and_nothing_is_done(
    computer: Computer, asked: list[Action], number: int
) -> None:
    with pytest.raises(ValueError, match=rf"mouse.click\(nth=\) counts from 1.*there is no {number}\.$"):
        computer.mouse.click("Save", nth=number)
    assert asked == []


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda c: c.mouse.click("Save", button="centre"),
            "There is no mouse button 'centre'. Buttons are left",
        ),
        (lambda c: c.mouse.down("centre"), "There is no mouse button 'centre'"),
        (lambda c: c.mouse.drag((1, 2), (3, 4), button="thumb"), "There is no mouse button 'thumb'"),
        (lambda c: c.mouse.click("Save", clicks=0), "takes a number from 1 up, not 0"),
        (lambda c: c.keyboard.press("a", presses=0), "takes a number from 1 up, not 0"),
        (lambda c: c.display.view(quadrant=5), "A quadrant is 1, 2, 3 or 4, not 5"),
        (
            lambda c: c.display.view(screen=1),
            'There is no screen 1. Screens are 0 ("memory-0", 1280x800 at 0,0), and -1 for all',
        ),
        (lambda c: c.display.view(screen=-2), "takes a number from -1 up, not -2"),
    ],
)
def test_a_value_that_there_is_none_of_is_an_error_that_names_what_there_is(
    computer: Computer, asked: list[Action], call: Callable[[Computer], object], said: str
) -> None:
    with pytest.raises(ValueError) as failure:  # noqa: PT011 - the sentence is looked at below
        call(computer)
    assert said in str(failure.value)
    assert asked == []


def test_an_unknown_key_is_an_error_before_any_key_is_pressed(
    computer: Computer, asked: list[Action]
) -> None:
    with pytest.raises(UnknownKeyError, match="Retrun"):
        computer.keyboard.press("a", "Retrun")
    assert asked == []


def test_what_the_clipboard_holds_comes_back_as_text(computer: Computer) -> None:
    computer.clipboard.copy("häuser")
    assert computer.clipboard.view() == "häuser"


def test_paste_puts_the_clipboard_into_the_field(computer: Computer) -> None:
    computer.clipboard.copy("Zürich")
    computer.mouse.click("City")
    computer.mouse.click(390, 196)
    computer.clipboard.paste()
    elements = computer.desktop.accessibility
    assert elements is not None
    assert [element.value for element in elements.elements().items if element.name == "City"] == ["Zürich"]


def test_the_mouse_knows_where_it_is_on_the_picture(computer: Computer) -> None:
    computer.mouse.move(17, 23)
    assert computer.mouse.position() == (17, 23)
    with pytest.raises(OffScreenError):
        computer.mouse.move(1280, 0)


# The display.


def test_the_display_has_the_size_of_its_picture(reader: TesseractReader) -> None:
    computer = Computer(
        MemoryDesktop((1000, 500), scale=2), reader=reader, picture=PictureLimit(long_edge=800)
    )
    display = computer.display
    assert display.size() == (display.width, display.height) == display.view().size == (800, 400)
    assert display.center() == (400, 200)


def test_the_display_lists_its_monitors_in_points_the_primary_one_first(reader: TesseractReader) -> None:
    areas = [Area(0, 0, 640, 400), Area(-320, 0, 320, 200)]
    info = Computer(MemoryDesktop(displays=areas, scale=2), reader=reader).display.info()
    assert [entry["primary"] for entry in info] == [True, False]
    assert [(entry["left"], entry["width"], entry["height"]) for entry in info] == [
        (0, 640, 400),
        (-320, 320, 200),
    ]


def test_a_view_is_an_rgb_picture_of_all_a_monitor_a_quarter_or_the_active_window(
    reader: TesseractReader,
) -> None:
    areas = [Area(0, 0, 640, 400), Area(-320, 0, 320, 200)]
    window = Window(
        id=1, title="Form", app="form", pid=7, area=Area(100, 50, 300, 200), active=True, hidden=False
    )
    desktop = MemoryDesktop(screens=form(), displays=areas, scale=2, windows=[window])
    display = Computer(desktop, reader=reader, picture=PictureLimit(long_edge=960)).display
    assert (display.view().size, display.view().mode) == ((960, 400), "RGB")
    assert display.screenshot().size == (960, 400)
    assert display.view(screen=0).size == (960, 600)
    assert display.view(screen=1).size == (640, 400)
    assert display.view(active_app_only=True).size == (600, 400)
    quarters = [display.view(quadrant=number) for number in (1, 2, 3, 4)]
    assert {quarter.size for quarter in quarters} == {(480, 200)}
    whole = display.view()
    whole_again = whole.copy()
    for quarter, corner in zip(quarters, ((0, 0), (480, 0), (0, 200), (480, 200)), strict=True):
        whole_again.paste(quarter, corner)
    assert whole_again.tobytes() == whole.tobytes()


def test_without_an_active_window_all_is_shown(reader: TesseractReader) -> None:
    display = Computer(MemoryDesktop((640, 400), windows=[]), reader=reader).display
    assert display.view(active_app_only=True).size == (640, 400)


@pytest.mark.parametrize("words", ["Save", '"Save"'])
def test_a_text_is_found_with_its_coordinates_on_the_picture(reader: TesseractReader, words: str) -> None:
    computer = Computer(MemoryDesktop((640, 400), form(), scale=2), reader=reader, patience=0.0)
    (found,) = computer.display.find(words)
    assert found["text"] == "Save"
    assert found["similarity"] == (1.0 if words == "Save" else 0.97)  # quotes are not on the screen
    place = found["coordinates"]
    assert isinstance(place, tuple)
    x, y = place
    assert 480 <= x < 680
    assert 500 <= y < 572
    assert computer.display.find_text("Nowhere") == []


def test_what_can_be_read_comes_as_lines_of_words(computer: Computer) -> None:
    lines = computer.display.get_text_as_list_of_lists()
    assert ["New", "contact"] in lines


# Windows.


def test_windows_are_listed_and_one_is_active(computer: Computer) -> None:
    assert [window.title for window in computer.windows.all()] == ["Form"]
    active = computer.windows.active()
    assert active is not None
    assert active.title == "Form"
    computer.windows.close("Form")
    assert computer.windows.active() is None
    with pytest.raises(NotFoundError):
        computer.windows.focus("Form")


def test_without_a_window_manager_there_are_no_windows(reader: TesseractReader) -> None:
    computer = Computer(MemoryDesktop(), reader=reader)
    assert computer.windows.all() == ()
    assert computer.windows.active() is None


def test_a_classic_script_fills_in_a_form(reader: TesseractReader) -> None:
    boxes = (
        Widget(kind="field", name="User", area=Area(200, 100, 200, 30)),
        Widget(kind="password", name="Password", area=Area(200, 160, 200, 30)),
    )
    desktop = MemoryDesktop(screens=[Screen(name="login", widgets=boxes)])
    computer = Computer(desktop, reader=reader, patience=0.0, receipts=False)
    computer.mouse.click(x=300, y=115)
    computer.keyboard.write("ada")
    computer.keyboard.press("tab")
    computer.keyboard.write("hunter2")
    assert [element.value for element in desktop.elements().items] == ["ada", ""]
    focused = desktop.focused()
    assert focused is not None
    assert focused.name == "Password"
