"""The keyboard's map as it is now: which key, with which modifiers, gives a keysym. Pure values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from computer_platform.x11 import keysyms

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

SHIFT_L, CAPS_LOCK, NUM_LOCK, SCROLL_LOCK, SHIFT_LOCK = 0xFFE1, 0xFFE5, 0xFF7F, 0xFF14, 0xFFE6
LEVEL3_SHIFT = 0xFE03
LOCKS = frozenset({CAPS_LOCK, NUM_LOCK, SCROLL_LOCK, SHIFT_LOCK})

_LEVELS = ((False, False), (True, False), (False, True), (True, True))  # (Shift, AltGr)
_CORE_LEVELS = 4  # two groups of two, which survive being read and written
_ONE_LAYOUT = 7  # keysyms in a row at most: two groups of two, and up to three more levels
_BROWSER_SEARCH = 225  # Chromium takes this keycode for a command, whatever is bound to it
_RESERVED = 8  # the first code of the protocol, which some programs ignore
_OWN_BLOCK = range(184, 225)  # proven with every toolkit when each of its keys is bound


class Stroke(NamedTuple):
    """One key, and the modifiers under which it gives what is wanted."""

    code: int
    shift: bool = False
    level3: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Keymap:
    """The rows of the core map by keycode, and the keycodes that act as modifiers.

    A row holds the keysyms of group 1 plain and shifted, of group 2 plain and shifted, and then, with one
    layout, those with AltGr, plain and shifted. With several layouts nothing tells whose the others are.
    ``group`` is the layout in use, counted from 0; ``locking`` the bits of modifiers that lock keys switch.
    """

    rows: Mapping[int, tuple[int, ...]]
    modifiers: frozenset[int]
    group: int = 0
    locking: int = 0

    @property
    def width(self) -> int:
        """Keysyms in each row."""
        return max((len(row) for row in self.rows.values()), default=2)

    def strokes(self, *, without: frozenset[int] = frozenset()) -> dict[int, Stroke]:
        """How to give each keysym, by its canonical number, leaving out some keycodes."""
        level3 = self.code_of(LEVEL3_SHIFT) is not None and not self._several
        found: dict[int, Stroke] = {}
        # Plain keys first on the whole keyboard: fewer modifiers, fewer surprises.
        for column, (shift, altgr) in enumerate(_LEVELS):
            for code, row in self.rows.items():
                keysym = self._levels(row)[column]
                if keysym and code not in without and (level3 or not altgr):
                    found.setdefault(keysyms.canonical(keysym), Stroke(code, shift=shift, level3=altgr))
        return found

    def code_of(self, keysym: int) -> int | None:
        """The keycode that carries the keysym, a modifier's where there is one."""
        codes = [code for code, row in self.rows.items() if keysym in row]
        return min(codes, key=lambda code: (code not in self.modifiers, code), default=None)

    def levels(self, code: int) -> tuple[int, int, int, int]:
        """The keysyms of a key: plain, with Shift, with AltGr and with both; 0 where it has none, or nobody knows."""
        return self._levels(self.rows.get(code, ()))

    def locks(self, code: int) -> bool:
        """Whether pressing the key switches a state instead of holding it."""
        return not LOCKS.isdisjoint(self.rows.get(code, ()))

    def free(self, *, ours: frozenset[int] = frozenset()) -> list[int]:
        """Keycodes that mean nothing to anybody but us, and with nothing between them that would suffer.

        A request binds a whole span of keys. A key with more levels than the core protocol knows
        would lose some of them, so the span may not reach over one.
        """
        stretches: list[list[int]] = [[]]
        for code, row in sorted(self.rows.items()):
            if any(row[_CORE_LEVELS:]):
                stretches.append([])
            elif (code in ours or not any(row)) and self._usable(code):
                stretches[-1].append(code)
        return max(stretches, key=len)

    def own_block(self) -> list[int]:
        """Keycodes to take on a keyboard that nobody else uses."""
        return [code for code in _OWN_BLOCK if code in self.rows and self._usable(code)]

    def span(self, changes: Mapping[int, Sequence[int]]) -> tuple[int, list[tuple[int, ...]]]:
        """The first keycode, and the rows from there on, of one request that makes all changes."""
        first, last = min(changes), max(changes)
        return first, list(self._span_rows(changes, first, last))

    def _span_rows(
        self, changes: Mapping[int, Sequence[int]], first: int, last: int
    ) -> Iterator[tuple[int, ...]]:
        width = self.width
        for code in range(first, last + 1):
            row = tuple(changes.get(code, self.rows.get(code, ())))
            yield (*row, *[0] * (width - len(row)))[:width]

    def _usable(self, code: int) -> bool:
        return code not in self.modifiers and code not in {_RESERVED, _BROWSER_SEARCH}

    @property
    def _several(self) -> bool:
        """Whether there may be more than one layout."""
        return self.width > _ONE_LAYOUT or any(
            any(row[2:4]) and tuple(row[2:4]) != tuple(row[:2]) for row in self.rows.values()
        )

    def _levels(self, row: tuple[int, ...]) -> tuple[int, int, int, int]:
        plain, shifted, second, second_shifted, third, third_shifted = (*row, 0, 0, 0, 0, 0, 0)[:6]
        if self.group > 1:
            # Columns for it are not to be told from those of AltGr: only a key that is the same in all is known.
            same = not {keysym for keysym in row if keysym} - {plain, shifted}
            return (plain, shifted, 0, 0) if same else (0, 0, 0, 0)
        if self.group == 0 or not (second or second_shifted) or (second, second_shifted) == (plain, shifted):
            # A key with one layout keeps it whatever the group is.
            return plain, shifted, third, third_shifted
        return second, second_shifted, 0, 0


def locking_mask(rows: Mapping[int, Sequence[int]], modifiers: Sequence[Sequence[int]]) -> int:
    """The bits of the modifiers that Num Lock and its like switch; ``modifiers`` are the keycodes of all eight."""
    return sum(
        1 << number
        for number, codes in enumerate(modifiers)
        if any(not LOCKS.isdisjoint(rows.get(code, ())) for code in codes)
    )
