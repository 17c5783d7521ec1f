"""Spare keys that are given a keysym for as long as it is needed.

A key event carries only a keycode; the program that gets it looks the keysym up, later, in a copy
of the map that it renews when told to. So all keys of a batch are bound in one request (each one
makes the window manager grab its hotkeys anew, about 58 ms), programs get time to hear of it, and
a key is not bound again soon after it was typed.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import Xlib.error
from Xlib import Xatom

from computer_platform.desktop import CannotType
from computer_platform.x11.consumed import keyboard_window, wait_until_consumed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from computer_platform.x11.connection import Connection
    from computer_platform.x11.keymap import Keymap

_HEARD = 0.010  # seconds until programs have been told of a new map
_LOOKED_UP = 0.050  # seconds at least until a program has looked up a key that was typed
HANGS = (
    "The program that has the keyboard takes no keys; it may hang. Wait until it goes on, then type again."
)
_MARK = "_OI_KEYBOARD"


class ScratchKeys:
    """The spare keys of one keyboard: which they are, what they give, and when each was typed last.

    They are noted in a property of the root window, so that the next process finds them when this
    one is killed.
    """

    def __init__(self, connection: Connection, *, own_keyboard: bool) -> None:
        self._connection = connection
        self._own_keyboard = own_keyboard
        self._before: dict[int, tuple[int, ...]] = {}  # what each of our keys gave when we took it
        self._bound: dict[int, int] = {}  # keysym -> keycode
        self._typed: dict[int, float] = {}  # keycode -> when
        self._typed_into: set[int | None] = set()  # windows that may not have looked all of it up
        self._heard = True  # whether the program with the keyboard has been told of the keys bound last
        self._behind = False  # whether one of them was waited for in vain
        self.reclaimed = self._reclaim()
        self._publish()

    @property
    def codes(self) -> frozenset[int]:
        """The keycodes that are ours."""
        return frozenset(self._before)

    def code(self, keysym: int) -> int | None:
        """The key that gives this keysym, if one is bound."""
        return self._bound.get(keysym)

    def review(self, keymap: Keymap) -> None:
        """Take stock after somebody changed the map: which of our keys are still ours, which are free."""
        self._bound = {
            keysym: code for keysym, code in self._bound.items() if keymap.rows.get(code, (0,))[0] == keysym
        }
        ours = frozenset(self._bound.values()) | self.reclaimed
        self._before = {
            code: self._before.get(code, () if code in self.reclaimed else keymap.rows[code])
            for code in (keymap.own_block() if self._own_keyboard else keymap.free(ours=ours))
        }
        self._bound = {keysym: code for keysym, code in self._bound.items() if code in self._before}
        self._publish()

    def bind(self, wanted: Collection[int], keymap: Keymap, *, keep: Iterable[int] = ()) -> Keymap:
        """Give every wanted keysym a key, in one request; returns the map as it is then.

        ``keep`` names keycodes not to take. There must be at least as many keys as wanted keysyms; see
        ``room``. Raises ``CannotType`` when a program does not take what was typed before, which would turn
        into something else, or does not take note of the new keys.
        """
        missing = [keysym for keysym in dict.fromkeys(wanted) if keysym not in self._bound]
        if missing:
            keymap = self._bind(missing, wanted, keymap, keep)
        if wanted and not self._heard:
            if not self._consumed([keyboard_window(self._connection)]):
                raise CannotType(HANGS)
            self._connection.pause(_HEARD)
            self._heard = True
        return keymap

    def _bind(
        self, missing: Sequence[int], wanted: Collection[int], keymap: Keymap, keep: Iterable[int]
    ) -> Keymap:
        taken = {*keep, *(self._bound[keysym] for keysym in wanted if keysym in self._bound)}
        in_use = set(self._bound.values())
        candidates = [code for code in self._before if code not in taken]
        candidates.sort(key=lambda code: (code in in_use, self._typed.get(code, 0.0), code))
        chosen = dict(zip(missing, candidates, strict=False))
        if not self._looked_up(chosen.values()):
            raise CannotType(HANGS)
        replaced = set(chosen.values())
        self._bound = {keysym: code for keysym, code in self._bound.items() if code not in replaced}
        # Both levels the same: whether shift is down, then, does not matter.
        rows = {code: (keysym, keysym) for keysym, code in chosen.items()}
        self._change(rows, keymap)
        self._bound |= chosen
        self._heard = False
        return replace(keymap, rows={**keymap.rows, **rows})

    def room(self, *, keep: Collection[int] = ()) -> int:
        """How many keysyms can be bound at the same time."""
        return len(self._before.keys() - set(keep))

    def typed(self, codes: Iterable[int], into: int | None) -> None:
        """Note that these keys have just been typed, at first into that window."""
        ours = set(codes) & self._before.keys()
        if ours:
            self._typed |= dict.fromkeys(ours, time.monotonic())
            # what was typed may have given the keyboard to another window
            self._typed_into |= {into, keyboard_window(self._connection)}

    def restore(self, keymap: Keymap) -> None:
        """Give all keys back what they gave before, in one request, and forget them."""
        used = set(self._bound.values()) | self.reclaimed
        try:
            if used and not self._behind:
                self._looked_up(used)
        finally:
            self._give_back(used, keymap)

    def _give_back(self, used: Collection[int], keymap: Keymap) -> None:
        if used:
            self._change({code: self._before.get(code, ()) for code in used}, keymap)
        self._connection.root.delete_property(self._property(self._connection.window.id))
        self._connection.sync()
        self._bound, self._before = {}, {}

    def _change(self, rows: Mapping[int, tuple[int, ...]], keymap: Keymap) -> None:
        first, span = keymap.span(rows)
        self._connection.server.change_keyboard_mapping(first, span)
        self._connection.sync()

    def _looked_up(self, codes: Iterable[int]) -> bool:
        """Wait until programs have looked up what these keys meant when they were typed; False when one does not."""
        last = max((self._typed.get(code, 0.0) for code in codes), default=0.0)
        if not last or not self._typed_into:
            return True
        done = self._consumed(self._typed_into)
        self._connection.pause(last + _LOOKED_UP - time.monotonic())
        if done:
            self._typed_into.clear()
        return done

    def _consumed(self, windows: Iterable[int | None]) -> bool:
        self._behind = True  # a wait that is broken off leaves it so
        self._behind = not wait_until_consumed(self._connection, windows)
        return not self._behind

    def _publish(self) -> None:
        window = self._connection.window
        codes = sorted(self._before) or sorted(self.reclaimed)
        window.change_property(self._connection.atom(_MARK), Xatom.CARDINAL, 32, codes)
        self._connection.root.change_property(self._property(window.id), Xatom.CARDINAL, 32, codes)

    def _property(self, window: int) -> int:
        return self._connection.atom(f"{_MARK}_{window:x}")

    def _reclaim(self) -> frozenset[int]:
        """The keys of processes that died without giving them back; their notes are removed."""
        server, root = self._connection.server, self._connection.root
        found: set[int] = set()
        self.crashed = False
        for atom in root.list_properties():
            name = str(server.get_atom_name(atom))
            if not name.startswith(_MARK + "_") or self._lives(int(name.rpartition("_")[2], 16)):
                continue
            self.crashed = True
            note = root.get_full_property(atom, Xatom.CARDINAL)
            found.update(int(code) for code in (note.value if note else ()))
            root.delete_property(atom)
        return frozenset(found)

    def _lives(self, window: int) -> bool:
        if window == self._connection.window.id:
            return False  # the server gave us the number of one that died
        owner = self._connection.server.create_resource_object("window", window)
        try:
            return owner.get_full_property(self._connection.atom(_MARK), Xatom.CARDINAL) is not None
        except Xlib.error.XError:
            return False
