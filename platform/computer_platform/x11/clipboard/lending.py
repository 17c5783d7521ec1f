"""A selection that is taken for one paste and then holds again what it held before."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Literal

from computer_platform.desktop import CannotType
from computer_platform.x11.clipboard.asking import Asking, TooLargeError

if TYPE_CHECKING:
    from collections.abc import Callable

    from computer_platform.x11.clipboard.forms import Form, Offer
    from computer_platform.x11.clipboard.owning import Holding, Owner
    from computer_platform.x11.connection import Connection

_REMEMBER_SECONDS = 1.0
_REMEMBER_BYTES = 64_000_000
_SLICE = 0.03  # seconds of a wait, between which it may be broken off
_STALLED = 5.0  # seconds for the next piece, of a program that has begun to fetch
_NOT_CONTENT = (
    "TARGETS", "MULTIPLE", "TIMESTAMP", "SAVE_TARGETS",
    "DELETE", "INSERT_SELECTION", "INSERT_PROPERTY",  # asking for these does something
    "GTK_TEXT_BUFFER_CONTENTS",  # an address in the owner's memory
)  # fmt: skip
_FIRST = ("UTF8_STRING", "text/html", "image/png", "STRING", "text/plain;charset=utf-8", "text/uri-list")

Outcome = Literal["fetched", "not fetched", "broken off", "taken"]


class Loan:
    """A text lent to whoever pastes; ``wait`` tells what became of it."""

    def __init__(self, owner: Owner, holding: Holding) -> None:
        self._owner = owner
        self._holding = holding

    def client(self, window: int) -> int:
        """Which client of the server made the window of that number."""
        return self._owner.client(window)

    def last(self) -> float:
        """When somebody asked last, in seconds of ``time.monotonic()``; what the server has sent us is answered."""
        self._owner.catch_up()
        return self._holding.moved

    def wait(
        self, client: int | None, *, seconds: float, check: Callable[[], None] = lambda: None
    ) -> Outcome:
        """Wait until that client, or any for None, has the text whole. It may ask again: see ``last``.

        It may take ``seconds`` to begin, and as long as it needs to fetch a long text, but not stop in the middle.
        ``check`` is called again and again, and may raise.
        """
        until = time.monotonic() + seconds
        while True:
            check()
            with self._owner.changed:
                outcome, end = self._now(client, until)
                if time.monotonic() >= end:
                    return outcome
                self._owner.changed.wait(min(end - time.monotonic(), _SLICE))

    def _now(self, client: int | None, until: float) -> tuple[Outcome, float]:
        """What it has come to so far, and when that is final if nothing more happens."""
        holding = self._holding
        if holding.under_way:
            return "broken off", holding.moved + _STALLED
        if client in holding.fetched or (client is None and holding.fetched):
            return "fetched", 0.0
        return ("taken", 0.0) if holding.lost else ("not fetched", until)


def remembered(connection: Connection, selection: int) -> Offer | None:
    """All that another program has copied, in every form it gives within a second; None for nothing.

    Raises ``CannotType`` when it is too much to keep, or cannot be had in that time.
    """
    kept: dict[int, Form] = {}
    with Asking(connection, selection, seconds=_REMEMBER_SECONDS, room=_REMEMBER_BYTES) as asking:
        if not asking.owner:
            return None
        try:
            for target in _in_order(connection, asking.targets()):
                form = asking.form(target)
                if form is not None:
                    kept[target] = form
        except (TimeoutError, TooLargeError):
            if not kept:
                raise CannotType(
                    "Nothing was pasted: what another program has copied is too much to be put back afterwards, or "
                    "that program does not answer. Type the text instead."
                ) from None
    return kept or None


def _in_order(connection: Connection, targets: tuple[int, ...]) -> list[int]:
    """What is content, the forms that matter most first. A program from before ICCCM does not say what it has."""
    with connection.talking():
        unwanted = {connection.atom(name) for name in _NOT_CONTENT}
        first = [connection.atom(name) for name in _FIRST]
    content = [target for target in targets if target not in unwanted]
    rank = {target: place for place, target in enumerate(first)}
    return sorted(content, key=lambda target: rank.get(target, len(first))) or [first[0], first[3]]
