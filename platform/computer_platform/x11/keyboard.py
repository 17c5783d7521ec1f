"""The keyboard: pressing keys by name and typing text that arrives as it was meant.

Text goes by keys of the layout where it has them, and by scratch keys otherwise. Whatever
modifiers a person holds, and Caps Lock, are lifted while typing and put back.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from Xlib import X

from computer_platform.desktop import CannotType
from computer_platform.x11 import keysyms
from computer_platform.x11.keymap import CAPS_LOCK, LEVEL3_SHIFT, SHIFT_L, Keymap, Stroke
from computer_platform.x11.scratch import ScratchKeys

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from computer_platform.x11.connection import Connection

_QUOTED = 40  # characters of a text in a message
_BUTTON_MASKS = {1: X.Button1Mask, 2: X.Button2Mask, 3: X.Button3Mask}


class Keyboard:
    """The keyboard of one display. Every verb is done, for the server, when it returns.

    With ``own_keyboard`` nobody else types on the display, so a fixed block of keys is taken for
    foreign characters; otherwise only keys that mean nothing.
    """

    def __init__(self, connection: Connection, *, own_keyboard: bool) -> None:
        self._connection = connection
        self._own_keyboard = own_keyboard
        self._held: dict[str, tuple[int, ...]] = {}  # name -> keycodes, in the order of pressing
        self._scratch = ScratchKeys(connection, own_keyboard=own_keyboard)
        self._keymap = self._read()
        self._strokes: dict[int, Stroke] = {}
        self._review()
        if own_keyboard or self._scratch.crashed:
            self._release_reported()

    def key(self, name: str, *, down: bool) -> None:
        """Press or release a key. Raises ``CannotType`` for a name that this keyboard lacks."""
        keysym = keysyms.of_name(name)
        if keysym is None:
            raise CannotType(
                f'There is no key named "{name}". Key names are X keysym names such as "Return", '
                '"Control_L", "F5" or "a".'
            )
        if not down:
            self._release(name, keysym)
        elif name not in self._held:
            self._press(name, keysym)

    def type_text(self, text: str) -> None:
        """Type the text. Raises ``CannotType`` before anything is sent if a character has no keysym."""
        wanted = [_keysym(character, text) for character in text.replace("\r\n", "\n")]
        self._renew()
        room = self._scratch.room(keep=self._held_codes())
        if room == 0 and (foreign := next((sym for sym in wanted if sym not in self._strokes), None)):
            raise CannotType(
                f'This keyboard layout has no key for "{_shown(foreign)}" and no spare key to give it. '
                "Paste the text instead, or free a key of the layout."
            )
        with self._modifiers_lifted():
            for batch in self._batches(wanted, room):
                self._type(batch)

    def held(self) -> frozenset[str]:
        """The names of keys pressed and not yet released."""
        return frozenset(self._held)

    def release(self) -> None:
        """Release the keys that are held; on a keyboard of our own, all that are down."""
        for name in reversed(list(self._held)):
            self._fake(X.KeyRelease, reversed(self._held.pop(name)))
        self._connection.sync()
        if self._own_keyboard:
            self._release_reported()

    def close(self) -> None:
        """Release what is held and give the scratch keys back."""
        self.release()
        self._renew()
        self._scratch.restore(self._keymap)

    def _press(self, name: str, keysym: int) -> None:
        self._renew()
        stroke = self._strokes.get(keysyms.canonical(keysym)) or self._lent(name, keysym)
        down = self._held_codes()
        # A modifier's own level does not matter: Meta_L may stand as the shifted level of Alt_L.
        brought = [] if stroke.code in self._keymap.modifiers else self._modifiers_of(stroke)
        codes = (*(code for code in brought if code not in down), stroke.code)
        self._fake(X.KeyPress, codes)
        self._connection.sync()
        self._scratch.typed(codes)
        self._held[name] = codes

    def _release(self, name: str, keysym: int) -> None:
        codes = self._held.pop(name, ())
        if not codes:
            self._renew()
            stroke = self._strokes.get(keysyms.canonical(keysym))
            codes = (stroke.code,) if stroke else ()
        self._fake(X.KeyRelease, reversed(codes))
        self._connection.sync()
        self._scratch.typed(codes)

    def _lent(self, name: str, keysym: int) -> Stroke:
        if self._scratch.room(keep=self._held_codes()) == 0:
            raise CannotType(f'This keyboard has no key "{name}" and no spare key to give it.')
        self._keymap = self._scratch.bind([keysym], self._keymap, keep=self._held_codes())
        code = self._scratch.code(keysym)
        if code is None:
            raise CannotType(f'This keyboard has no key "{name}".')
        return Stroke(code)

    def _batches(self, wanted: Sequence[int], room: int) -> Iterator[list[int]]:
        """The keysyms in their order, cut where more foreign ones would be needed than there is room."""
        batch: list[int] = []
        foreign: set[int] = set()
        for keysym in wanted:
            if keysym not in self._strokes and keysym not in foreign:
                if len(foreign) == room:
                    yield batch
                    batch, foreign = [], set()
                foreign.add(keysym)
            batch.append(keysym)
        if batch:
            yield batch

    def _type(self, batch: Sequence[int]) -> None:
        foreign = [keysym for keysym in batch if keysym not in self._strokes]
        self._keymap = self._scratch.bind(foreign, self._keymap, keep=self._held_codes())
        strokes = [self._strokes.get(keysym) or Stroke(self._scratch.code(keysym) or 0) for keysym in batch]
        pressed: list[int] = []
        for stroke in strokes:
            modifiers = self._modifiers_of(stroke)
            if modifiers != pressed:  # only when the level changes
                self._fake(X.KeyRelease, pressed)
                self._fake(X.KeyPress, modifiers)
                pressed = modifiers
            self._fake(X.KeyPress, [stroke.code])
            self._fake(X.KeyRelease, [stroke.code])
        self._fake(X.KeyRelease, pressed)
        self._connection.sync()
        self._scratch.typed(stroke.code for stroke in strokes)

    @contextmanager
    def _modifiers_lifted(self) -> Iterator[None]:
        state = int(self._connection.root.query_pointer().mask)
        caps = self._keymap.code_of(CAPS_LOCK) if state & X.LockMask else None
        tap = () if caps is None else (caps,)
        down = [
            code for code in self._down() if code in self._keymap.modifiers and not self._keymap.locks(code)
        ]
        self._fake(X.KeyRelease, down)
        self._fake(X.KeyPress, tap)
        self._fake(X.KeyRelease, tap)
        try:
            yield
        finally:
            self._fake(X.KeyPress, (*tap, *down))
            self._fake(X.KeyRelease, tap)
            self._connection.sync()

    def _modifiers_of(self, stroke: Stroke) -> list[int]:
        needed = ((stroke.shift, SHIFT_L), (stroke.level3, LEVEL3_SHIFT))
        codes = [self._keymap.code_of(keysym) for need, keysym in needed if need]
        return [code for code in codes if code is not None]

    def _fake(self, event_type: int, codes: Iterable[int]) -> None:
        for code in codes:
            self._connection.fake(event_type, code)

    def _held_codes(self) -> set[int]:
        return {code for codes in self._held.values() for code in codes}

    def _down(self) -> list[int]:
        bits = self._connection.server.query_keymap()
        return [byte * 8 + bit for byte in range(1, 32) for bit in range(8) if bits[byte] >> bit & 1]

    def _release_reported(self) -> None:
        """Release every key and button that is down: a process that was killed left them so."""
        self._fake(X.KeyRelease, self._down())
        state = int(self._connection.root.query_pointer().mask)
        for number, mask in _BUTTON_MASKS.items():
            if state & mask:
                self._connection.fake(X.ButtonRelease, number)
        self._connection.sync()

    def _renew(self) -> None:
        """Read the map again if somebody, we included, changed it, or another layout is in use."""
        if self._connection.mapping_changed() or self._group() != self._keymap.group:
            self._keymap = self._read()
            self._review()

    def _review(self) -> None:
        self._scratch.review(self._keymap)
        self._strokes = self._keymap.strokes(without=self._scratch.codes)

    def _group(self) -> int:
        return int(self._connection.root.query_pointer().mask) >> 13 & 3

    def _read(self) -> Keymap:
        modifiers = self._connection.server.get_modifier_mapping()
        return Keymap(
            rows=self._read_rows(),
            modifiers=frozenset(int(code) for codes in modifiers for code in codes if code),
            group=self._group(),
        )

    def _read_rows(self) -> dict[int, tuple[int, ...]]:
        limits = self._connection.server.display.info
        first = int(limits.min_keycode)
        rows = self._connection.server.get_keyboard_mapping(first, int(limits.max_keycode) - first + 1)
        return {first + index: tuple(map(int, row)) for index, row in enumerate(rows)}


def _keysym(character: str, text: str) -> int:
    keysym = keysyms.of_character(character)
    if keysym is None:
        raise CannotType(
            f"The character {character!r} of {_shortened(text)!r} cannot be typed: no key gives it. "
            "Leave it out, or press a key by its name."
        )
    return keysym


def _shortened(text: str) -> str:
    return text if len(text) <= _QUOTED else text[: _QUOTED - 1] + "\N{HORIZONTAL ELLIPSIS}"


def _shown(keysym: int) -> str:
    return chr(keysym & 0xFFFFFF)
