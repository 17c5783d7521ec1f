"""The seam of a speaker: neutral acts said in the words of one family of models, and read back from a request.

A speaker is what a model of that family would do at its end. It shares no code with the dialects that it tests.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from model_server.brain import Reply
    from model_server.pictures import Picture
    from model_server.request import Request

Place = tuple[int, int]
"""A pixel of the picture as it was received."""


@dataclass(frozen=True, slots=True)
class Click:
    """Click there once."""

    at: Place


@dataclass(frozen=True, slots=True)
class Type:
    """Type, after a click there; without a place where the focus is."""

    text: str
    at: Place | None = None


@dataclass(frozen=True, slots=True)
class Keys:
    """Press keys together, such as ``ctrl`` and ``s``."""

    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Wait:
    """Wait."""

    seconds: float


@dataclass(frozen=True, slots=True)
class End:
    """The task is done, or cannot be."""

    text: str
    done: bool = True


Act = Click | Type | Keys | Wait | End


@dataclass(frozen=True, slots=True, kw_only=True)
class Did:
    """An earlier act as the history tells it; ``text`` is what was typed, ``result`` what the model was told of it."""

    kind: Literal["click", "type", "keys", "wait", "other"]
    text: str = ""
    result: str = ""
    failed: bool = False

    @property
    def worked(self) -> bool:
        """Whether nothing says that it failed."""
        return not self.failed and not _FAILED.search(self.result)


class Speaker(Protocol):
    """One family of models."""

    @property
    def alone(self) -> bool:
        """Whether it does one thing a reply: a click first, the typing in the next."""
        ...

    def screen(self, request: Request) -> Picture | None:
        """The picture of the screen as it is now; ``None`` where no picture came."""
        ...

    def say(self, thought: str, act: Act, picture: Picture, request: Request) -> Reply:
        """The act, meant on the picture."""
        ...

    def did(self, request: Request) -> list[Did]:
        """Its own earlier acts, oldest first."""
        ...


class Family:
    """What most families have in common."""

    __slots__ = ()

    def screen(self, request: Request) -> Picture | None:
        """The newest picture is the last."""
        pictures = request.pictures()
        return pictures[-1] if pictures else None


_FAILED = re.compile(
    r"^\W*(?:\d+[.:)]\s*)?(?:[\w ]{0,24}:\s*)?(?:Failed|Not allowed|Not done|Not ended|Nothing was done|Broken off)\b",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """An earlier call: its name, its arguments, and what answered it."""

    name: str
    arguments: dict[str, Any]
    result: str
    failed: bool


def calls_made(request: Request) -> list[Made]:
    """The earlier calls. Where an answer can hold no words, those that come right after it count."""
    made: list[tuple[str, dict[str, Any], list[str], list[bool]]] = []
    known: dict[str, tuple[list[str], list[bool]]] = {}
    newest: list[str] = []  # calls since the model spoke last
    for item in request.items():
        if item.kind == "call":
            texts, failed = known[item.call] = list[str](), list[bool]()
            made.append((item.name, item.arguments, texts, failed))
            newest.append(item.call)
        elif item.role == "assistant":
            newest = []
        elif item.call in known:
            known[item.call][0].append(item.text)
            known[item.call][1].append(item.failed)
        elif item.kind == "text" and request.protocol == "responses":
            for call in newest:
                known[call][0].append(item.text)
    return [
        Made(name=name, arguments=arguments, result="\n".join(filter(None, texts)), failed=any(failed))
        for name, arguments, texts, failed in made
    ]


def said_before(request: Request) -> Iterator[tuple[str, str]]:
    """Each earlier text of the model, and the words of the turn that followed it."""
    said: list[tuple[str, list[str]]] = []
    for item in request.items():
        if item.kind == "text" and item.role == "assistant":
            said.append((item.text, []))
        elif item.kind == "text" and said:
            said[-1][1].append(item.text)
    return ((text, "\n".join(after)) for text, after in said)


def steps_of(act: Act) -> Sequence[Act]:
    """The act as one-handed models do it: the click before the typing is an act of its own."""
    if isinstance(act, Type) and act.at is not None:
        return (Click(act.at), Type(act.text))
    return (act,)
