"""What a key means that somebody presses: its keysym under the modifiers, locks and layout of that moment."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from Xlib import X

from computer_platform.x11 import keysyms
from computer_platform.x11.keymap import LEVEL3_SHIFT, NUM_LOCK, Keymap
from computer_platform.x11.people import key_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from computer_platform.x11.connection import Connection

_GROUP_BITS = 13  # where a state tells the layout in use
_KEYPAD = range(0xFF80, 0xFFBE)
_ROLES = {  # the keysyms by which a modifier's bit is known
    "Control_L": (0xFFE3, 0xFFE4),
    "Alt_L": (0xFFE9, 0xFFEA, 0xFFE7, 0xFFE8),
    "Super_L": (0xFFEB, 0xFFEC, 0xFFED, 0xFFEE),
    "Shift_L": (0xFFE1, 0xFFE2),
    "ISO_Level3_Shift": (LEVEL3_SHIFT, 0xFF7E),
}
_SHORTCUTS = frozenset({"Control_L", "Alt_L", "Super_L"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """The keyboard's map, and which bits of a state are which modifiers: ``roles`` by their names, and Num Lock."""

    keymap: Keymap
    roles: Mapping[str, int]
    num_lock: int = 0

    def held(self, state: int) -> frozenset[str]:
        """The modifiers that are down."""
        return frozenset(name for name, mask in self.roles.items() if state & mask)

    def modifier(self, code: int) -> str:
        """The name of the modifier that the key is, ``""`` for other keys."""
        row = self.keymap.rows.get(code, ())
        if code not in self.keymap.modifiers or not row:
            return ""
        return next((name for name, own in _ROLES.items() if row[0] in own), "")

    def name(self, code: int, state: int) -> str:
        """The key by itself, without modifiers: a character, or an X keysym name.

        A layout that writes no Latin letters has its shortcuts on those of the first one, so that is what they mean.
        """
        plain = self._levels(code, state)[0]
        first = self._levels(code, 0)[0]
        if self.held(state) & _SHORTCUTS and 0x20 <= first < 0x7F:  # noqa: PLR2004 - ASCII
            plain = first
        writes = None if plain in _KEYPAD else keysyms.character_of(plain)
        if writes is not None:
            return "space" if writes == " " else writes
        return key_names().get(plain, "")

    def keysym(self, code: int, state: int) -> int:
        """The keysym that the key gives under that state."""
        plain, shifted, third, third_shifted = self._levels(code, state)
        held = self.held(state)
        shift = "Shift_L" in held
        if "ISO_Level3_Shift" in held and (third or third_shifted):
            return (third_shifted or third) if shift else third
        if shifted in _KEYPAD:
            return shifted if shift != bool(state & self.num_lock) else plain
        if state & X.LockMask and _is_letter(plain, shifted):
            shift = not shift
        return (shifted or plain) if shift else plain

    def _levels(self, code: int, state: int) -> tuple[int, int, int, int]:
        return replace(self.keymap, group=state >> _GROUP_BITS & 3).levels(code)


def read_keys(connection: Connection) -> Keys:
    """The map of the display as it is now; asked within ``talking``."""
    limits = connection.server.display.info
    first = int(limits.min_keycode)
    found = connection.server.get_keyboard_mapping(first, int(limits.max_keycode) - first + 1)
    rows = {first + index: tuple(map(int, row)) for index, row in enumerate(found)}
    modifiers = [[int(code) for code in codes if code] for codes in connection.server.get_modifier_mapping()]
    keymap = Keymap(rows=rows, modifiers=frozenset(code for codes in modifiers for code in codes))
    return Keys(
        keymap=keymap,
        roles={name: _mask(rows, modifiers, own) for name, own in _ROLES.items()},
        num_lock=_mask(rows, modifiers, (NUM_LOCK,)),
    )


def _mask(
    rows: Mapping[int, Sequence[int]], modifiers: Sequence[Sequence[int]], wanted: Sequence[int]
) -> int:
    return sum(
        1 << number
        for number, codes in enumerate(modifiers)
        if any(rows.get(code, (0,))[:1] and rows[code][0] in wanted for code in codes if code in rows)
    )


def _is_letter(plain: int, shifted: int) -> bool:
    """Whether Caps Lock changes the key: it writes a small letter, and with Shift its capital."""
    small, capital = keysyms.character_of(plain), keysyms.character_of(shifted)
    return small is not None and capital is not None and small != capital and small.upper() == capital
