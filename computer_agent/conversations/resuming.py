"""A kept conversation, for a model that goes on with it: what was said and answered, as words."""

from __future__ import annotations

import base64
from contextlib import suppress
from typing import TYPE_CHECKING

from computer_agent.conversation import Exchange
from computer_agent.conversations.record import of_person
from computer_agent.step import Act, Finished, Observation, Said, Spent, Step

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from computer_agent.lmc import Chunk

NOTE = (
    "As you see above. Then the conversation was closed; it goes on now from its written record. What code had set "
    "(variables, imports, programs that ran) is gone; files are as they are now. Code above is retold, not yours to "
    "call finished: run again what you need."
)
_LONGEST_OUTPUT = 2000  # characters of one output that a model is told again
_NOTHING = Spent(steps=0, seconds=0.0, dollars=0.0, tokens=0)


def remembered(messages: Sequence[Chunk]) -> tuple[list[Exchange], list[Step]]:
    """The turns, as a ``Conversation`` has them: each is a step that was answered in words.

    What code ran, and what came of it, stands in these words. The last exchange tells the model that this is so.
    """
    exchanges: list[Exchange] = []
    past: list[Step] = []
    for turn in _turns(messages):
        words = str(turn[0].get("content") or "")
        answer = _told(turn[1:])
        said = Said(words=words, pictures=tuple(_pictures(turn[1:])))
        shown = Said(words="", pictures=said.pictures) if not past else said  # the first words are the task
        exchanges.append(Exchange(said=said, finished=_done(answer), steps_before=len(past)))
        past.append(
            Step(
                number=len(past) + 1,
                seen=Observation(screenshot=None, said=shown),
                act=Act(thought=answer, actions=()),
                outcomes=(),
                seconds=0.0,
            )
        )
    if exchanges:
        last = exchanges[-1]
        note = Finished(ending="stopped", words=NOTE, spent=_NOTHING)
        exchanges[-1] = Exchange(said=last.said, finished=note, steps_before=last.steps_before)
    return exchanges, past


def _done(answer: str) -> Finished:
    return Finished(ending="done", words=answer, spent=_NOTHING)


def _turns(messages: Sequence[Chunk]) -> Iterator[list[Chunk]]:
    """The messages by turn: each begins with words of the person."""
    turn: list[Chunk] = []
    for message in messages:
        if of_person(message):
            if turn:
                yield turn
            turn = [message]
        elif turn:
            turn.append(message)
    if turn:
        yield turn


def _told(messages: Sequence[Chunk]) -> str:
    """What was answered and done, in words. A turn that ended without any says that."""
    parts = [part for part in map(_in_words, messages) if part]
    return "\n\n".join(parts) or "(No answer: the turn was broken off.)"


def _in_words(message: Chunk) -> str:
    content = message.get("content")
    match message.get("role"), message.get("type"):
        case "assistant", "message":
            return str(content).strip()
        case "assistant", "code":
            return f"[I ran this {message.get('format', '')} code:]\n{content}"
        case "computer", "console" if message.get("format") == "output":
            text = str(content).strip()
            if len(text) > _LONGEST_OUTPUT:
                half = _LONGEST_OUTPUT // 2
                text = f"{text[:half]}\n[...]\n{text[-half:]}"
            return f"[Its output:]\n{text}" if text else ""
        case "computer", "image":
            return "[A picture, which was shown to the person.]"
        case _:
            return ""


def _pictures(messages: Sequence[Chunk]) -> Iterator[bytes]:
    """The pictures that the person showed."""
    for message in messages:
        if message.get("role") == "user" and message.get("type") == "image":
            with suppress(ValueError):
                yield base64.b64decode(str(message.get("content")), validate=True)
