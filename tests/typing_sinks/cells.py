"""What is typed, and under what: the rows and columns of the typing matrix."""

from __future__ import annotations

import subprocess
from contextlib import contextmanager
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, NamedTuple

from Xlib import X
from Xlib.protocol.event import MappingNotify
from xvfb import connected, until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from Xlib.display import Display

NEXT_GROUP, SHIFT_L, CAPS_LOCK = 0xFE08, 0xFFE1, 0xFFE5


class Layout(NamedTuple):
    """What ``setxkbmap`` is told, and which of the layouts is in use, from 0."""

    options: str
    group: int = 0


LAYOUTS = {
    "us": Layout("us"),
    "de": Layout("de"),
    "fr": Layout("fr"),
    "ru": Layout("ru"),
    "dvorak": Layout("us -variant dvorak"),
    "us,ru": Layout("us,ru -option grp:menu_toggle", group=1),
}

SCRIPTS = {
    "ASCII": "".join(map(chr, range(0x20, 0x7F))),
    "accents": "´ ` ^ ~ ¨ ¸ á à â ã ä É È Ê Ñ Ü ç ø å ß œ €",  # noqa: RUF001 - the signs themselves
    "Greek": "Ελληνικά άλφα, ΰς Ω",
    "Cyrillic": "Съешь ещё булок, Їжак № 5",
    "CJK": "你好，世界 東京カナ 한글",  # noqa: RUF001 - its own comma
    "emoji": "👍🏽 👩‍💻 👨‍👩‍👧 ❤️ ✌🏿 🏳️‍🌈 🇫🇷",
    "lines": "\tone\n\ttwo\n3",
}
EVERYTHING = " ".join(SCRIPTS.values())


def use(display_name: str, layout: Layout) -> None:
    """Give the server's keyboard that layout, and nothing else that was set before."""
    command = ["setxkbmap", "-display", display_name, "-option", "", "-layout", *layout.options.split()]
    with connected(display_name) as server:
        _switch(server, 0)  # which of several is in use outlasts them
        subprocess.run(command, check=True)
        server.refresh_keyboard_mapping(MappingNotify(request=X.MappingKeyboard, first_keycode=8, count=248))
        _switch(server, layout.group)


@contextmanager
def caps_lock(display_name: str) -> Iterator[None]:
    """Caps Lock is on, and must still be on in the end."""
    with connected(display_name) as person:
        code = person.keysym_to_keycode(CAPS_LOCK)
        _tap(person, code)
        assert person.screen().root.query_pointer().mask & X.LockMask
        try:
            yield
            assert person.screen().root.query_pointer().mask & X.LockMask, "Caps Lock was left off"
        finally:
            if person.screen().root.query_pointer().mask & X.LockMask:
                _tap(person, code)


@contextmanager
def held_shift(display_name: str) -> Iterator[None]:
    """A person holds Shift, which must still be down in the end."""
    with connected(display_name) as person:
        code = person.keysym_to_keycode(SHIFT_L)
        person.xtest_fake_input(X.KeyPress, code)
        person.sync()
        try:
            yield
            assert person.screen().root.query_pointer().mask & X.ShiftMask, "the person's Shift was let go"
        finally:
            person.xtest_fake_input(X.KeyRelease, code)
            person.sync()


def differences(wanted: str, got: str) -> list[str]:
    """What did not arrive as it was typed, in the order of the text; nothing when all did."""
    steps = SequenceMatcher(None, wanted, got, autojunk=False).get_opcodes()
    return [
        f"at {start}: {wanted[start:end]!a} arrived as {got[other:stop]!a}"
        for kind, start, end, other, stop in steps
        if kind != "equal"
    ]


def _switch(server: Display, group: int) -> None:
    def in_use() -> bool:
        if server.screen().root.query_pointer().mask >> 13 & 3 == group:
            return True
        _tap(server, server.keysym_to_keycode(NEXT_GROUP))
        return False

    assert until(in_use), f"layout {group} could not be switched to"


def _tap(server: Display, code: int) -> None:
    server.xtest_fake_input(X.KeyPress, code)
    server.xtest_fake_input(X.KeyRelease, code)
    server.sync()
