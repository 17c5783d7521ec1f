"""``X11Clipboard``: the Clipboard seam on an X server."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, TypeVar

from computer_platform.desktop import Clip
from computer_platform.x11.clipboard.asking import Asking, TooLargeError
from computer_platform.x11.clipboard.forms import (
    BYTES,
    HTML,
    PNG,
    TEXTS,
    Form,
    html_in,
    offer_of,
    text_in,
)
from computer_platform.x11.clipboard.heir import bequeath
from computer_platform.x11.clipboard.lending import Loan, remembered
from computer_platform.x11.clipboard.owning import PRIVATE_HINT, Owner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from computer_platform.desktop import Selection
    from computer_platform.x11.clipboard.forms import Offer
    from computer_platform.x11.connection import Connection

_NAMES: dict[Selection, str] = {"clipboard": "CLIPBOARD", "primary": "PRIMARY"}
_TIMES = 3  # that reading begins again when another program copies meanwhile

T = TypeVar("T")


class X11Clipboard:
    """The clipboard of one display. Reading and writing raise ``DesktopUnavailable`` when it is gone."""

    def __init__(self, connection: Connection, authority_file: str | None) -> None:
        self._connection = connection
        self._authority_file = authority_file
        self._owner: Owner | None = None
        with connection.talking():
            self._atoms = {selection: connection.atom(name) for selection, name in _NAMES.items()}

    def read(self, selection: Selection = "clipboard") -> str:
        """The text that it holds, of any size, ``""`` when it holds none.

        Raises ``TimeoutError`` when the program that has it does not answer, stops in the middle, or finds no end.
        """
        return self._asked(selection, lambda asking: self._text(asking, asking.targets())) or ""

    def contents(self, selection: Selection = "clipboard") -> Clip:
        """All forms of what it holds. Raises ``TimeoutError`` as ``read`` does."""

        def clip(asking: Asking) -> Clip | None:
            targets = asking.targets()
            html = self._first(asking, targets, [HTML])
            png = self._first(asking, targets, [PNG])
            found = Clip(
                text=self._text(asking, targets),
                html=None if html is None else html_in(html),
                png=png.data if png is not None and isinstance(png.data, bytes) else None,
            )
            return None if found == Clip() else found

        return self._asked(selection, clip) or Clip()

    def write(self, content: str | Clip, selection: Selection = "clipboard") -> None:
        """Put a text, or something in several forms, on it; it stays while this desktop is open.

        An empty ``Clip()`` empties it.
        """
        clip = Clip(text=content) if isinstance(content, str) else content
        with self._connection.talking():
            offer = offer_of(clip, self._connection.atom)
        owner, atom = self._owning(), self._atoms[selection]
        holding = owner.take(atom, offer)
        if clip == Clip():
            owner.replace(holding, None)

    @contextmanager
    def lent(self, text: str, selection: Selection = "clipboard") -> Iterator[Loan]:
        """Meanwhile it holds the text, then again what it held before, unless somebody has copied since.

        Clipboard managers are asked to keep no copy. Raises ``CannotType`` when what it holds now cannot be kept.
        """
        owner, atom = self._owning(), self._atoms[selection]
        ours = owner.left(atom)  # asked anew: that somebody has copied may not have been heard yet
        before = remembered(self._connection, atom) if ours is None else ours
        offer, holding = self._private(text), None
        try:
            with self._connection.talking():  # a signal is dealt with after that
                holding = owner.take(atom, offer)
            yield Loan(owner, holding)
        finally:
            if holding is not None:
                owner.replace(holding, before)

    def close(self, heir: Mapping[str, str] | None) -> None:
        """Let go. With an heir's environment a clipboard manager, or else ``xclip``, goes on offering what we have."""
        if self._owner is None:
            return
        owner, self._owner = self._owner, None
        with closing(owner):
            if heir is None:
                return
            for selection in _NAMES:
                left = owner.left(self._atoms[selection])
                if left:
                    bequeath(left, selection, self._connection, heir)

    def _owning(self) -> Owner:
        if self._owner is None:
            self._owner = Owner(self._connection.display, self._authority_file)
        return self._owner

    def _private(self, text: str) -> Offer:
        with self._connection.talking():
            atom = self._connection.atom
            hint = Form(type=atom(PRIVATE_HINT), bits=BYTES, data=b"secret")
            return offer_of(Clip(text=text), atom) | {atom(PRIVATE_HINT): hint}

    def _asked(self, selection: Selection, question: Callable[[Asking], T | None]) -> T | None:
        """The answer of whoever owns it; of the next one, where it went to another in the middle."""
        for _ in range(_TIMES):
            with Asking(self._connection, self._atoms[selection]) as asking:
                try:
                    answer = question(asking) if asking.owner else None
                except TooLargeError:
                    raise TimeoutError(
                        "What the program that copied last gives is too much to be read, or has no end. "
                        "Copy less at a time."
                    ) from None
                if answer is not None or asking.still():
                    return answer
        return None

    def _text(self, asking: Asking, targets: Sequence[int]) -> str | None:
        # one that does not say what it has is asked for what all programs have
        form = self._first(asking, targets, TEXTS if targets else ("UTF8_STRING", "STRING"))
        with self._connection.talking():
            return None if form is None else text_in(form, self._connection.atom)

    def _first(self, asking: Asking, targets: Sequence[int], names: Sequence[str]) -> Form | None:
        """The first of these forms that is there."""
        for name in names:
            with self._connection.talking():
                target = self._connection.atom(name)
            if target in targets or not targets:
                form = asking.form(target)
                if form is not None:
                    return form
        return None
