"""What code in a worker reaches of the computer: its public verbs, and nothing else."""

from __future__ import annotations

import inspect
import json
from io import BytesIO
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from computer_api.bridge import ROOMS, answering
from computer_api.computer import Computer
from computer_api.errors import RefusedError, Stopped
from computer_api.terminal import Call, Reply
from computer_platform.desktop import Area, DesktopUnavailable, Window
from computer_platform.memory import MemoryDesktop, form
from computer_vision.tesseract import TesseractReader

if TYPE_CHECKING:
    from collections.abc import Callable

    from computer_api.actions import Action
    from computer_api.receipt import Receipt


@pytest.fixture
def computer(reader: TesseractReader) -> Computer:
    return made(reader)


def made(reader: TesseractReader) -> Computer:
    window = Window(
        id=1, title="Form", app="form", pid=7, area=Area(200, 100, 400, 200), active=True, hidden=False
    )
    desktop = MemoryDesktop((640, 400), screens=form(), windows=[window], programs={"form": "form"})
    return Computer(desktop, reader=reader, patience=0.0)


def called(computer: Computer, *path: str, args: tuple[object, ...] = (), **kwargs: object) -> Reply:
    return answering(computer)(Call(path=path, args=args, kwargs=kwargs))


def test_a_verb_is_done_and_answered_in_the_words_of_its_receipt(computer: Computer) -> None:
    assert called(computer, "mouse", "click", args=("Save",)) == Reply(value="changed here")
    assert called(computer, "keyboard", "write", args=("x",), secret=True).error is None
    placed = called(computer, "windows", "place", args=("Form",), left=10, top=20)
    assert str(placed.value).endswith("now 400x200 at 10,20")


def test_pictures_come_as_png_and_values_as_plain_data(computer: Computer) -> None:
    png = called(computer, "display", "view", quadrant=1).png
    assert png is not None
    assert Image.open(BytesIO(png)).size == (320, 200)
    assert called(computer, "display", "width") == Reply(value=640)
    assert called(computer, "display", "size") == Reply(value=[640, 400])
    (window,) = called(computer, "windows", "all").value
    assert (window["title"], list(window["area"])) == ("Form", [200, 100, 400, 200])
    assert "Save" in called(computer, "text").value


def test_whatever_is_answered_can_be_written_as_json(computer: Computer) -> None:
    asked = [
        called(computer, "windows", "active"),
        called(computer, "display", "info"),
        called(computer, "display", "find_text", args=("Save",)),
        called(computer, "mouse", "position"),
        called(computer, "clipboard", "view"),
    ]
    for reply in asked:
        assert reply.error is None
        json.dumps(reply.value)


@pytest.mark.parametrize(
    "path",
    [
        (),
        ("mouse",),
        ("desktop", "capture"),
        ("perform",),
        ("run",),
        ("gate",),
        ("close",),
        ("interrupt",),
        ("stop_when",),
        ("desktop",),
        ("_terminal", "run"),
        ("mouse", "_computer"),
        ("mouse", "__class__"),
        ("mouse", "__init__"),
        ("mouse", "click", "__globals__"),
        ("mouse", "_computer", "gate"),
        ("mouse", "teleport"),
        ("", ""),
    ],
)
def test_nothing_but_public_verbs_can_be_reached(computer: Computer, path: tuple[str, ...]) -> None:
    reply = called(computer, *path)
    assert reply.error is not None
    assert reply.error[0] == "TypeError"
    assert f"{'.'.join(path)!r}" in reply.error[1]
    assert f"{', '.join(ROOMS)}, text() and expect()" in reply.error[1]


@pytest.mark.parametrize(
    ("path", "args", "error"),
    [
        (("mouse", "click"), ("Nowhere",), "NotFoundError"),
        (("mouse", "click"), (5000, 10), "OffScreenError"),
        (("mouse", "click"), (None,), "TypeError"),
        (("mouse", "click"), ("Save", "now", "please"), "TypeError"),
        (("display", "view"), (True, 9), "ValueError"),
        (("keyboard", "press"), ("Retrun",), "UnknownKeyError"),
        (("keyboard", "write"), ("\x1b",), "NotTypedError"),
        (("windows", "open"), ("nothing",), "NotFoundError"),
    ],
)
def test_an_error_arrives_by_its_name_and_with_its_sentence(
    computer: Computer, path: tuple[str, ...], args: tuple[object, ...], error: str
) -> None:
    reply = called(computer, *path, args=args)
    assert reply.error is not None
    assert reply.error[0] == error
    assert reply.error[1].endswith((".", "?"))


def test_an_argument_that_no_verb_has_is_an_error_by_its_name(computer: Computer) -> None:
    reply = called(computer, "mouse", "click", target="Save")
    assert reply.error is not None
    assert "target" in reply.error[1]


def test_a_refusal_arrives_by_its_name_and_the_desktop_is_left_alone(computer: Computer) -> None:
    def closed(action: Action, perform: Callable[[Action], Receipt]) -> Receipt:
        raise RefusedError("not today")

    computer.gate = closed
    assert called(computer, "mouse", "click", args=(1, 1)).error == ("RefusedError", "not today")
    assert isinstance(computer.desktop, MemoryDesktop)
    assert computer.desktop.log == ()


@pytest.mark.parametrize("what", [Stopped("enough"), DesktopUnavailable("gone")])
def test_the_end_of_a_run_is_no_error_that_code_could_catch(computer: Computer, what: Exception) -> None:
    def ending(action: Action, perform: Callable[[Action], Receipt]) -> Receipt:
        raise what

    computer.gate = ending
    with pytest.raises(type(what)):
        called(computer, "mouse", "click", args=(1, 1))


def verbs() -> list[tuple[str, str]]:
    """Every public name of every room."""
    rooms = Computer(MemoryDesktop(), reader=TesseractReader())
    return [
        (room, name)
        for room in ROOMS
        for name, _ in inspect.getmembers(type(getattr(rooms, room)))
        if not name.startswith("_")
    ]


JSON = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 700),
    st.floats(allow_nan=False, width=16),
    st.sampled_from(["Save", "left", "ctrl", "form", "", "\0", "a\nb"]),
    st.lists(st.integers(-5, 700), max_size=3),
    st.dictionaries(st.text(max_size=2), st.none(), max_size=1),
)


@settings(max_examples=200)
@given(verb=st.sampled_from(verbs()), args=st.lists(JSON, max_size=3), data=st.data())
def test_whatever_code_passes_to_a_verb_an_answer_comes_that_can_be_sent(
    reader: TesseractReader, verb: tuple[str, str], args: list[object], data: st.DataObject
) -> None:
    names = [
        "x",
        "y",
        "icon",
        "text",
        "button",
        "clicks",
        "presses",
        "into",
        "quadrant",
        "screen",
        "interval",
    ]
    kwargs = data.draw(st.dictionaries(st.sampled_from(names), JSON, max_size=2))
    computer = made(reader)
    computer._acting.receipts = False
    reply = answering(computer)(Call(path=verb, args=tuple(args), kwargs=kwargs))
    json.dumps([reply.value, reply.error])
    if reply.error is not None:
        assert reply.error[1]
