"""A function in place of a model, as ``llm.completions`` takes it: plays replies, and keeps what it was asked."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

Reply = str | tuple[str, str] | tuple[str, str, str] | BaseException
"""Words, or a language and its code, or words before a language and its code, or what is raised."""


@dataclass
class Completions:
    """Plays the replies one after the other; ``asked`` holds the arguments of each call."""

    replies: list[Reply]
    asked: list[dict[str, Any]] = field(default_factory=list)
    piece: int = 9

    def __call__(self, **asked: Any) -> Iterator[dict[str, Any]]:  # noqa: ANN401 - as litellm's
        reply = self.replies[len(self.asked)]
        self.asked.append(asked)
        if isinstance(reply, BaseException):
            raise reply
        words, code = _told_apart(reply)
        for piece in cut(words, self.piece):
            yield chunk({"content": piece})
        if code is not None:
            arguments = json.dumps({"language": code[0], "code": code[1]})
            yield chunk(call("call_x", "execute", ""))
            for piece in cut(arguments, self.piece):
                yield chunk(call(None, None, piece))
        yield chunk({}, "stop" if code is None else "tool_calls")

    @property
    def messages(self) -> list[dict[str, Any]]:
        """What was sent last, without the system prompt."""
        return list(self.asked[-1]["messages"][1:])


def _told_apart(reply: str | tuple[str, ...]) -> tuple[str, tuple[str, str] | None]:
    """The words of a reply and its code."""
    match reply:
        case str():
            return reply, None
        case (language, code):
            return "", (language, code)
        case (words, language, code):
            return words, (language, code)
        case _:
            raise ValueError(reply)


def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def call(own: str | None, name: str | None, arguments: str) -> dict[str, Any]:
    function: dict[str, Any] = {"arguments": arguments}
    if name is not None:
        function["name"] = name
    begun = {} if own is None else {"id": own, "type": "function"}
    return {"tool_calls": [{"index": 0, **begun, "function": function}]}


def cut(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]
