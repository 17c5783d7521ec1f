"""Code as a model writes it: the argument of a call that is still on its way, piece by piece."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from computer_agent.models.dialects.function_tools import CODE_NAMES

if TYPE_CHECKING:
    from collections.abc import Callable

    from computer_agent.models.dialect import Reply, Shown

_LANGUAGE = re.compile(r'"language"\s*:\s*"([^"\\]*)"')
_CODE = re.compile(r'"code"\s*:\s*"')
_HIGH, _LOW = r"\\u[dD][89abAB][0-9a-fA-F]{2}", r"\\u[dD][c-fC-F][0-9a-fA-F]{2}"
# A piece of a JSON string that can be read by itself: half a pair of surrogates waits for the other half.
_PIECE = re.compile(
    rf'[^"\\]+|\\["\\/bfnrt]|{_HIGH}{_LOW}|(?!{_HIGH})\\u[0-9a-fA-F]{{4}}|{_HIGH}(?=[^\\]|\\[^u])'
)


@runtime_checkable
class FollowsCalls(Protocol):
    """Takes, beside text, the calls that a stream brings."""

    def called(self, number: int, name: str, arguments: str) -> None:
        """Take the ``arguments`` of call ``number`` of the reply, as far as they have come."""
        ...


def follow(on_delta: Callable[[str], None], call: tuple[int, str, str] | None) -> None:
    """Pass the newest call on to whoever wants it."""
    if call is not None and isinstance(on_delta, FollowsCalls):
        on_delta.called(*call)


@dataclass(slots=True)
class ShownWithCode:
    """Passes text on as ``shown`` does, and code to ``on_code`` with its language, each piece once.

    A model that says the language last shows nothing before its code is whole. An empty piece stands between two calls.
    """

    shown: Shown
    on_code: Callable[[str, str], None]
    _number: int = field(default=-1, init=False)
    _language: str = field(default="", init=False)
    _blocks: int = field(default=0, init=False)
    _at: int = field(default=0, init=False)  # in the arguments, up to where the code was passed on

    def __call__(self, piece: str) -> None:
        """Take one piece of text."""
        self.shown(piece)

    def end(self, reply: Reply) -> None:
        """Nothing more comes."""
        self.shown.end(reply)

    def called(self, number: int, name: str, arguments: str) -> None:
        """Pass on what is new of the code."""
        if number != self._number:
            self._number, self._language, self._at = number, "", 0
        if name not in CODE_NAMES or (not self._at and not self._begin(arguments)):
            return
        pieces: list[str] = []
        while (found := _PIECE.match(arguments, self._at)) is not None:
            pieces.append(json.loads(f'"{found[0]}"', strict=False))
            self._at = found.end()
        if pieces:
            self.on_code(self._language, "".join(pieces))

    def _begin(self, arguments: str) -> bool:
        code = _CODE.search(arguments)
        language = _LANGUAGE.search(arguments, 0, len(arguments) if code is None else code.start())
        if code is None or language is None:
            return False
        self._language, self._at = language[1], code.end()
        if self._blocks:
            self.on_code(self._language, "")
        self._blocks += 1
        return True
