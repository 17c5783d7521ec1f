"""The keyboard: pressing keys by name and typing text that arrives as it was meant.

Text goes by keys of the layout where it has them, and by scratch keys otherwise. Whatever
modifiers a person holds, and Caps Lock, are lifted while typing and put back.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from itertools import groupby
from typing import TYPE_CHECKING

from Xlib import X

from computer_platform.desktop import CannotType
from computer_platform.x11 import keysyms
from computer_platform.x11.consumed import keyboard_window, mixes_order, wait_until_consumed, wait_until_idle
from computer_platform.x11.keymap import LEVEL3_SHIFT, SHIFT_L, Keymap, Stroke, locking_mask
from computer_platform.x11.locks import lock
from computer_platform.x11.scratch import HANGS, ScratchKeys

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from computer_platform.x11.connection import Connection

_COMMANDS = frozenset({0xFF0D, 0xFF09})  # Return and Tab
_SETTLED = 1.0  # seconds after which that is done
_BEYOND_16_BITS = 0x01010000
_QUOTED = 40  # characters of a text in a message
_AHEAD = 400  # characters that a program may be behind; what it has not taken cannot be stopped any more
_GROUP_BITS = 13  # where the pointer's mask tells the layout in use
_MODIFIERS = ("Shift", "Caps Lock", "Control", "Alt", "Mod2", "Mod3", "Super", "AltGr")
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
        self._unsettled = 0.0  # when keys were last sent that LibreOffice deals with later
        self._ahead = 0  # characters typed since a program was known to have taken all
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
        """Type the text. Raises ``CannotType`` before anything is sent if a character cannot be typed.

        Also when somebody holds a modifier that would make shortcuts of it, and, then after some of it was
        typed, when the program does not take it.
        """
        wanted = [_keysym(character, text) for character in text.replace("\r\n", "\n")]
        self._renew()
        self._let_it_catch_up(len(wanted))
        with self._modifiers_lifted():
            strokes = self._usable_strokes()
            room = self._scratch.room(keep=self._held_codes())
            if room == 0 and (foreign := next((sym for sym in wanted if sym not in strokes), None)):
                raise CannotType(
                    f'This keyboard layout has no key for "{_shown(foreign)}" and no spare key to give it. '
                    "Paste the text instead, or free a key of the layout."
                )
            for batch in _batches(wanted, strokes, room):
                self._type(batch, strokes)

    def chord(self, *names: str) -> None:
        """Press keys together and release them; whatever modifiers are held meanwhile is lifted and put back.

        Raises ``CannotType``, with nothing pressed, for a key that this keyboard lacks, or when a person's finger
        stays on a modifier.
        """
        self._renew()
        wanted = [(name, keysyms.of_name(name) or 0) for name in names]
        strokes = [
            self._strokes.get(keysyms.canonical(keysym)) or self._lent(name, keysym)
            for name, keysym in wanted
        ]
        codes = [stroke.code for stroke in strokes]
        with self._modifiers_lifted():
            if self._mask() & ~self._keymap.locking & 0xFF:
                raise CannotType(
                    "Somebody holds a modifier on the keyboard, which would change what is pressed."
                )
            into = keyboard_window(self._connection) if not self._scratch.codes.isdisjoint(codes) else None
            self._fake(X.KeyPress, codes)
            self._fake(X.KeyRelease, reversed(codes))
            self._connection.sync()
            self._scratch.typed(codes, into)

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
        into = keyboard_window(self._connection) if not self._scratch.codes.isdisjoint(codes) else None
        self._connection.sync()
        self._unsettled = time.monotonic()
        self._scratch.typed(codes, into)
        self._held[name] = codes

    def _release(self, name: str, keysym: int) -> None:
        codes = self._held.pop(name, ())
        if not codes:
            self._renew()
            stroke = self._strokes.get(keysyms.canonical(keysym))
            codes = (stroke.code,) if stroke else ()
        self._fake(X.KeyRelease, reversed(codes))
        self._connection.sync()
        self._scratch.typed(codes, None)

    def _lent(self, name: str, keysym: int) -> Stroke:
        if self._scratch.room(keep=self._held_codes()) == 0:
            raise CannotType(f'This keyboard has no key "{name}" and no spare key to give it.')
        self._keymap = self._scratch.bind([keysym], self._keymap, keep=self._held_codes())
        code = self._scratch.code(keysym)
        if code is None:
            raise CannotType(f'This keyboard has no key "{name}".')
        return Stroke(code)

    def _let_it_catch_up(self, coming: int) -> None:
        """Do not run far ahead of a slow program: it would go on with what it has after a stop."""
        if self._ahead and self._ahead + coming > _AHEAD:
            if not wait_until_consumed(self._connection, [keyboard_window(self._connection)]):
                raise CannotType(HANGS)
            self._ahead = 0
        self._ahead += coming

    def _type(self, batch: Sequence[int], usable: Mapping[int, Stroke]) -> None:
        foreign = [keysym for keysym in batch if keysym not in usable]
        self._keymap = self._scratch.bind(foreign, self._keymap, keep=self._held_codes())
        strokes = [usable.get(keysym) or Stroke(self._scratch.code(keysym) or 0) for keysym in batch]
        into = keyboard_window(self._connection)
        try:
            if into is not None and mixes_order(self._connection, into):
                for run in _runs(batch):
                    if time.monotonic() - self._unsettled < _SETTLED:
                        wait_until_idle(self._connection, into)
                    self._send(strokes[run])
                    self._unsettled = time.monotonic() if batch[run.start] < _BEYOND_16_BITS else 0.0
            else:
                self._send(strokes)
        finally:  # a wait may be broken off, but what was typed was typed
            self._scratch.typed((stroke.code for stroke in strokes), into)

    def _send(self, strokes: Sequence[Stroke]) -> None:
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

    @contextmanager
    def _modifiers_lifted(self) -> Iterator[None]:
        """Meanwhile Caps Lock is off and no modifier is down, except what a person's own finger is on."""
        caps = bool(self._mask() & X.LockMask)
        down = [
            code for code in self._down() if code in self._keymap.modifiers and not self._keymap.locks(code)
        ]
        self._fake(X.KeyRelease, down)
        self._connection.sync()
        if caps:
            self._lock_caps(on=False)
        # A key that is down on another device stays down. Pressed here, it would stay for ever.
        fingers = set(self._down()) if down else set()
        try:
            yield
        finally:
            self._fake(X.KeyPress, [code for code in down if code not in fingers])
            self._connection.sync()
            if caps:
                self._lock_caps(on=True)

    def _lock_caps(self, *, on: bool) -> None:
        self._connection.note_caps_lock(on=not on)
        lock(self._connection.display, self._connection.authority_file, X.LockMask, on=on)

    def _usable_strokes(self) -> Mapping[int, Stroke]:
        """The keys of the layout that give what they say now. Raises ``CannotType`` where none can be used."""
        state = self._mask() & ~self._keymap.locking & 0xFF
        if state & ~X.ShiftMask:
            held = next(name for bit, name in enumerate(_MODIFIERS) if (state & ~X.ShiftMask) >> bit & 1)
            raise CannotType(
                f'Somebody holds "{held}" on the keyboard, so typed text would be taken for shortcuts. '
                "Let go of it."
            )
        if state:
            return {}  # with Shift held only keys that give the same on both levels are right
        down = set(self._down())
        if not down:
            return self._strokes
        return {keysym: stroke for keysym, stroke in self._strokes.items() if stroke.code not in down}

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
        state = self._mask()
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
        return self._mask() >> _GROUP_BITS & 3

    def _mask(self) -> int:
        """Modifiers, buttons and layout in use, as the server knows them."""
        return int(self._connection.root.query_pointer().mask)

    def _read(self) -> Keymap:
        rows = self._read_rows()
        modifiers = [
            [int(code) for code in codes if code] for codes in self._connection.server.get_modifier_mapping()
        ]
        return Keymap(
            rows=rows,
            modifiers=frozenset(code for codes in modifiers for code in codes),
            locking=locking_mask(rows, modifiers),
            group=self._group(),
        )

    def _read_rows(self) -> dict[int, tuple[int, ...]]:
        limits = self._connection.server.display.info
        first = int(limits.min_keycode)
        rows = self._connection.server.get_keyboard_mapping(first, int(limits.max_keycode) - first + 1)
        return {first + index: tuple(map(int, row)) for index, row in enumerate(rows)}


def _batches(wanted: Sequence[int], strokes: Mapping[int, Stroke], room: int) -> Iterator[list[int]]:
    """The keysyms in their order, cut where more foreign ones would be needed than there is room."""
    batch: list[int] = []
    foreign: set[int] = set()
    for keysym in wanted:
        if keysym not in strokes and keysym not in foreign:
            if len(foreign) == room:
                yield batch
                batch, foreign = [], set()
            foreign.add(keysym)
        batch.append(keysym)
    if batch:
        yield batch


def _runs(batch: Sequence[int]) -> Iterator[slice]:
    """The stretches of keys that LibreOffice keeps in order.

    It takes a character of more than 16 bits at once, others in a while, and commands when all else is done.
    """
    kinds = [
        f"command {place}" if keysym in _COMMANDS else "at once" if keysym >= _BEYOND_16_BITS else "later"
        for place, keysym in enumerate(batch)
    ]
    for _, run in groupby(range(len(kinds)), kinds.__getitem__):
        places = list(run)
        yield slice(places[0], places[-1] + 1)


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
