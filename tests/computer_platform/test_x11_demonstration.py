"""What is done with mouse and keyboard on an X display: the keys, what they write, and where."""

from __future__ import annotations

import subprocess
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import pytest
from person_device import PersonDevice
from xvfb import server, until, x_server

from computer_platform.demonstration import InputEvent, demonstration
from computer_platform.desktop import DesktopUnavailable
from computer_platform.x11 import X11Desktop
from computer_platform.x11.composing import Composer
from computer_platform.x11.keysyms import character_of, of_name

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from computer_platform.demonstration import Demonstration

pytestmark = pytest.mark.desktop


@pytest.fixture(scope="module")
def screen() -> Iterator[str]:
    with x_server() as name:
        yield name


@contextmanager
def listening(screen: str, *layout: str) -> Iterator[tuple[PersonDevice, list[InputEvent]]]:
    """A person with that keyboard layout, and what is heard of them."""
    subprocess.run(["setxkbmap", "-display", screen, *(layout or ("us",))], check=True)
    heard: list[InputEvent] = []
    told = demonstration({"DISPLAY": screen})
    assert told is not None
    told.listen(heard.append)
    try:
        with closing(PersonDevice(screen)) as person:
            yield person, heard
    finally:
        told.stop()


def tap(person: PersonDevice, *names: str) -> None:
    for name in names:
        person.key(name, down=True)
    for name in reversed(names):
        person.key(name, down=False)


def written(heard: list[InputEvent]) -> str:
    return "".join(event.text or "" for event in heard if event.down)


def test_mouse_and_wheel_are_told_of_with_their_place_and_the_keys_held(screen: str) -> None:
    with listening(screen) as (person, heard):
        person.move(100, 120)
        person.key("Control_L", down=True)
        person.button(3, down=True)
        person.move(160, 130)
        person.button(3, down=False)
        person.key("Control_L", down=False)
        person.button(5, down=True)
        person.button(5, down=False)
        person.move(300, 300)
        assert until(lambda: len(heard) >= 6)
    told = [(event.kind, event.name, event.down, event.at, sorted(event.held)) for event in heard[1:]]
    assert told == [
        ("button", "right", True, (100, 120), ["Control_L"]),
        ("motion", "", False, (160, 130), ["Control_L"]),
        ("button", "right", False, (160, 130), ["Control_L"]),
        ("key", "Control_L", False, (160, 130), ["Control_L"]),
        ("wheel", "down", False, (160, 130), []),
    ]
    assert [event.seconds for event in heard] == sorted(event.seconds for event in heard)


def test_what_a_program_sends_in_a_persons_place_is_told_of_too(screen: str) -> None:
    with listening(screen) as (_, heard), closing(X11Desktop(screen)) as viewer:
        viewer.type_text("Ada")
        assert until(lambda: written(heard) == "Ada"), heard


@pytest.mark.parametrize(
    ("layout", "chords", "text"),
    [
        (("us",), [("a",), ("Shift_L", "a"), ("space",), ("Shift_L", "1")], "aA !"),
        (("de",), [("adiaeresis",), ("Shift_L", "7"), ("ISO_Level3_Shift", "q"), ("z",)], "ä/@z"),
        (("fr",), [("eacute",), ("Shift_L", "eacute"), ("dead_circumflex",), ("e",)], "é2ê"),
        (
            ("us", "-variant", "intl"),
            [("dead_acute",), ("e",), ("Shift_L", "dead_diaeresis"), ("space",)],
            'é"',
        ),
        (
            ("us",),
            [("Caps_Lock",), ("a",), ("Shift_L", "b"), ("Shift_L", "1"), ("Caps_Lock",), ("c",)],
            "Ab!c",
        ),
        (("ru",), [("Cyrillic_ef",), ("Shift_L", "Cyrillic_yeru")], "фЫ"),
        (("us", "-option", "compose:ralt"), [("Multi_key",), ("o",), ("e",), ("x",)], "œx"),
    ],
    ids=["us", "de", "fr", "dead keys", "caps lock", "russian", "compose"],
)
def test_a_key_is_told_of_with_the_character_that_it_writes(
    screen: str, layout: tuple[str, ...], chords: list[tuple[str, ...]], text: str
) -> None:
    with listening(screen, *layout) as (person, heard):
        for chord in chords:
            tap(person, *chord)
        assert until(lambda: written(heard) == text), written(heard)


def test_keys_that_write_nothing_and_shortcuts_have_names_alone(screen: str) -> None:
    with listening(screen, "us") as (person, heard):
        for chord in (("Control_L", "s"), ("Tab",), ("Shift_L", "Tab"), ("F5",), ("Alt_L", "Shift_L", "x")):
            tap(person, *chord)
        assert until(lambda: len(heard) >= 18)
    pressed = [(event.name, event.text, sorted(event.held)) for event in heard if event.down]
    modifiers = ("Control_L", "Shift_L", "Alt_L")
    assert [key for key in pressed if key[0] not in modifiers] == [
        ("s", None, ["Control_L"]),
        ("Tab", None, []),
        ("Tab", None, ["Shift_L"]),
        ("F5", None, []),
        ("x", None, ["Alt_L", "Shift_L"]),
    ]


def test_a_shortcut_on_a_layout_without_latin_letters_is_that_of_the_first_one(screen: str) -> None:
    with listening(screen, "us,ru") as (person, heard):
        tap(person, "Control_L", "c")
        assert until(lambda: len(heard) >= 4)
    assert [event.name for event in heard if event.down] == ["Control_L", "c"]


def test_a_layout_that_is_changed_meanwhile_is_followed(screen: str) -> None:
    with listening(screen, "us") as (person, heard):
        tap(person, "y")
        assert until(lambda: written(heard) == "y")
        subprocess.run(["setxkbmap", "-display", screen, "de"], check=True)
        with closing(PersonDevice(screen)) as german:
            tap(german, "odiaeresis")
            assert until(lambda: written(heard) == "yö"), written(heard)


def test_nothing_is_heard_after_the_end_which_may_be_said_twice(screen: str) -> None:
    heard: list[InputEvent] = []
    told: Demonstration | None = demonstration({"DISPLAY": screen})
    assert told is not None
    told.listen(heard.append)
    told.stop()
    told.stop()
    with listening(screen) as (person, others):
        tap(person, "a")
        assert until(lambda: len(others) >= 2)
    assert heard == []


def test_a_server_that_goes_away_ends_it_quietly() -> None:
    with server() as (name, process):
        told = demonstration({"DISPLAY": name})
        assert told is not None
        told.listen(lambda _event: None)
        process.kill()
        process.wait()
        told.stop()


def test_a_server_without_the_extension_is_named() -> None:
    with server(options=["-extension", "RECORD"]) as (name, _):
        told = demonstration({"DISPLAY": name})
        assert told is not None
        with pytest.raises(DesktopUnavailable, match="lacks the RECORD extension"):
            told.listen(lambda _event: None)


def test_without_a_display_there_is_nothing_to_hear() -> None:
    assert demonstration({}) is None


def keysyms(*names: str) -> list[int]:
    return [of_name(name) or 0 for name in names]


@pytest.mark.parametrize(
    ("names", "texts"),
    [
        (("dead_acute", "e", "e"), ["", "é", "e"]),
        (("dead_acute", "Shift_L", "E"), ["", None, "É"]),
        (("dead_acute", "dead_acute"), ["", "\N{ACUTE ACCENT}"]),
        (("dead_acute", "Escape", "e"), ["", "", "e"]),
        (("Return", "KP_7", "F1"), [None, "7", None]),
    ],
    ids=["accent", "capital", "twice", "broken off", "others"],
)
def test_a_composed_character_comes_with_its_last_key(
    names: tuple[str, ...], texts: list[str | None]
) -> None:
    composer = Composer({})
    assert [composer.take(keysym) for keysym in keysyms(*names)] == texts


def test_a_persons_own_sequences_come_first(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.write_text('<Multi_key> <o> <k> : "✔"\n# nothing\n<Multi_key> <quotedbl> <x> : "\\"x\\""\n')
    composer = Composer({"XCOMPOSEFILE": str(own)})
    assert [composer.take(keysym) for keysym in keysyms("Multi_key", "o", "k")] == ["", "", "✔"]
    assert [composer.take(keysym) for keysym in keysyms("Multi_key", "quotedbl", "x")] == ["", "", '"x"']


def test_keysyms_of_keypads_and_old_code_pages_are_characters() -> None:
    euro = 0x20AC
    assert [character_of(keysym) for keysym in [*keysyms("KP_5", "Cyrillic_ef", "Tab"), euro]] == [
        *("5", "ф"),
        None,
        "€",
    ]
