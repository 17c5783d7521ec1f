"""Reading what another program has copied."""

from __future__ import annotations

import time
from itertools import chain
from typing import TYPE_CHECKING

import Xlib.error
from Xlib import X
from Xlib.protocol import request

from computer_platform.x11.clipboard.forms import BYTES, NUMBERS, Form

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

    from Xlib.protocol import rq

    from computer_platform.x11.connection import Connection

_SECONDS = 2.0  # that a program may take to answer, or to give the next piece
_SLICE = 0.1  # seconds; between them a signal is heard, and it is looked whether the owner still lives
_WORDS = 1 << 16  # of a property that are fetched at once
_WHOLE_SECONDS = 60.0  # for all that is asked in one talk: a program may go on giving for ever
_ROOM = 500_000_000  # bytes, for the same reason
_TOO_LONG = (
    "What the program that copied last gives takes too long, or has no end, so it cannot be read. "
    "Copy less at a time."
)
_NO_ANSWER = (
    f"The program that copied last did not answer within {_SECONDS:g} s, so what it has cannot be read. "
    "Copy again, there or in another program."
)


class TooLargeError(Exception):
    """What the program gives is more than there is room for."""


class Asking:
    """A talk with whoever owns a selection now; ``owner`` is that window, 0 for nobody.

    The answers come to a window of its own, whose number is not used again: what arrives late reaches nobody.
    It may take ``seconds`` whatever comes, and ``room`` is how many bytes it may fetch, both in all.
    """

    def __init__(
        self, connection: Connection, selection: int, *, seconds: float = _WHOLE_SECONDS, room: int = _ROOM
    ) -> None:
        self._connection = connection
        self._selection = selection
        self._deadline = time.monotonic() + seconds
        self._room = room
        with connection.talking():
            self._window = connection.root.create_window(
                -10, -10, 1, 1, 0, X.CopyFromParent, X.InputOnly, event_mask=X.PropertyChangeMask
            )
            self.owner = self._owner_now()
            self._targets, self._in_pieces = connection.atom("TARGETS"), connection.atom("INCR")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._connection.talking():
            # not its destroy(), which would let the number be used again at once
            request.DestroyWindow(display=self._connection.server.display, window=self._window.id)

    def still(self) -> bool:
        """Whether the same window owns the selection now."""
        with self._connection.talking():
            return self._owner_now() == self.owner

    def targets(self) -> tuple[int, ...]:
        """What may be asked for, as the owner says; empty when it does not say."""
        told = self.form(self._targets)
        if told is None or isinstance(told.data, bytes) or told.bits != NUMBERS:
            return ()
        return told.data

    def form(self, target: int) -> Form | None:
        """The content in that form, None where the owner has none such or has gone.

        Raises ``TimeoutError`` when it does not answer, and ``TooLargeError``.
        """
        with self._connection.talking():
            # the answer is asked for under the target's own name: no other conversion has that
            self._window.convert_selection(self._selection, target, target, X.CurrentTime)
        told = self._await(
            lambda event: (
                event.type == X.SelectionNotify
                and event.requestor.id == self._window.id
                and event.target == target
            )
        )
        if told is None or told.property == X.NONE:
            return None
        form = self._taken(target)
        if form is not None and form.type == self._in_pieces:
            return self._joined(target)
        return form

    def _joined(self, target: int) -> Form | None:
        """That the first answer was deleted asks for the first piece, and so on; an empty one is the end."""
        pieces: list[Form] = []
        while self._await(lambda event: self._is_new(event, target)) is not None:
            piece = self._taken(target)
            if piece is None:
                continue  # two came in one
            if not piece.data:
                return _whole(pieces, piece)
            pieces.append(piece)
        return None

    def _taken(self, target: int) -> Form | None:
        with self._connection.talking():
            found = self._window.get_full_property(target, X.AnyPropertyType, _WORDS)
            self._window.delete_property(target)
        if found is None:
            return None
        data = bytes(found.value) if found.format == BYTES else tuple(map(int, found.value or ()))
        form = Form(type=int(found.property_type), bits=int(found.format or BYTES), data=data)
        self._room -= form.size
        if self._room < 0:
            raise TooLargeError
        return form

    def _await(self, wanted: Callable[[rq.Event], bool]) -> rq.Event | None:
        """That event, None when the owner has gone. Raises ``TimeoutError``."""
        if time.monotonic() > self._deadline:  # though there is always more
            raise TimeoutError(_TOO_LONG)
        until = min(time.monotonic() + _SECONDS, self._deadline)
        while True:
            left = until - time.monotonic()
            with self._connection.talking():
                event = self._connection.wait_for(wanted, max(0.0, min(left, _SLICE)))
                if event is not None:
                    return event
                if not self._owner_lives():
                    return None
            if left <= 0:
                raise TimeoutError(_TOO_LONG if until == self._deadline else _NO_ANSWER)

    def _owner_now(self) -> int:
        owner = self._connection.server.get_selection_owner(self._selection)
        return 0 if owner == X.NONE else int(owner.id)

    def _owner_lives(self) -> bool:
        """Whether its window is there: it may have lost the selection and still owe us the rest."""
        try:
            self._connection.server.create_resource_object("window", self.owner).get_geometry()
        except Xlib.error.XError:
            return False
        return True

    def _is_new(self, event: rq.Event, target: int) -> bool:
        return bool(
            event.type == X.PropertyNotify
            and event.window.id == self._window.id
            and event.atom == target
            and event.state == X.PropertyNewValue
        )


def _whole(pieces: list[Form], last: Form) -> Form:
    """All the pieces, of which the last one is empty."""
    if all(isinstance(piece.data, bytes) for piece in pieces):
        return Form(type=last.type, bits=BYTES, data=b"".join(bytes(piece.data) for piece in pieces))
    data = tuple(chain.from_iterable(piece.data for piece in pieces))
    return Form(type=last.type, bits=max(piece.bits for piece in pieces), data=data)
