"""GLM-4.5V and its like: one call between box markers, places in thousandths, and a memory that it keeps itself.

Each request is a single message, as the family was trained: the task, what was done, its memory, then the newest
picture first and the older ones after it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from computer_agent.context.history import Image
from computer_agent.models.coordinates import THOUSAND
from computer_agent.models.dialect import Prompt
from computer_agent.models.dialects.arguments import Arguments, BadCall
from computer_agent.models.dialects.places import Picture, written
from computer_agent.models.dialects.text_calls import calls_in, quoted
from computer_agent.models.dialects.text_dialect import (
    Said,
    TextDialect,
    content_of,
    instructions,
    newest_size,
    own_text,
    plain,
    text_part,
)
from computer_agent.step import Answer
from computer_api.actions import Click, Drag, Look, Move, PressKeys, Scroll, TypeText, Wait
from computer_api.errors import ComputerError
from computer_api.keys import keys_text, parse_keys

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from computer_agent.context.history import Turn
    from computer_agent.models.dialects.text_calls import TextCall
    from computer_agent.step import Observation, Step
    from computer_api.actions import Action
    from computer_api.geometry import Pixel, Size
    from computer_api.targets import Target

_SECONDS = 5.0  # of one wait
_NOTCHES = 5  # of a scroll that says no step
_PICTURES = 5  # in one request
_LONGEST_MEMORY = 4000  # characters
_BOX, _BOX_END = "<|begin_of_box|>", "<|end_of_box|>"
_CLICKS: dict[str, Click] = {
    "left_click": Click(),
    "right_click": Click(button="right"),
    "middle_click": Click(button="middle"),
    "left_double_click": Click(count=2),
}
_ALIASES = {"click": "left_click", "double_click": "left_double_click", "drag": "left_drag"}
_NAMES = (
    *(*_CLICKS, "hover", "left_drag", "key", "type", "scroll", "WAIT", "DONE", "FAIL"),
    *("screenshot", *_ALIASES),
)
_WAYS = {"down": (1, 0), "up": (-1, 0), "right": (0, 1), "left": (0, -1)}
_MEMORY = re.compile(r"^[ \t*#]*Memory[ \t*]*:", re.MULTILINE)
_AFTER_MEMORY = re.compile(r"^[ \t*#]*(?:Reason|Action|Thought)[ \t*]*:", re.MULTILINE)
_LABELS = re.compile(r"^[ \t*#]*(?:Reason|Action|Thought)[ \t*]*:[ \t]*\n?", re.MULTILINE)


@dataclass(slots=True)
class Glm(TextDialect):
    """The family on a desktop."""

    marks: ClassVar[tuple[str, ...]] = (_BOX, "Memory:")

    def prompt(self, task: str, past: Sequence[Step], now: Observation) -> Prompt:
        """One message with all of it."""
        self._size = newest_size(past, now) or self._size
        turns = self.history.turns(past, now)
        told = [f"Task: {task}", *self._done(turns)]
        memory = next((one for step in reversed(past) if (one := memory_of(own_text(step) or ""))), "[]")
        told += [part.text for part in turns[-1].parts if not isinstance(part, Image)]
        told.append(f"Memory:\n{memory}")
        parts = [text_part("\n\n".join(told)), *map(content_of, _shown(turns))]
        message = {"role": "user", "content": plain(parts, keep=False)}
        return Prompt(wire="chat", system=self._instructions(), messages=(message,))

    def _done(self, turns: Sequence[Turn]) -> Iterator[str]:
        """What was said and done before, and what became of it."""
        steps = [turn.step for turn in turns if turn.step is not None]
        if not steps:
            return
        yield "History actions:"
        size = next((one.seen.screenshot.size for one in steps if one.seen.screenshot), self._size)
        for step in steps:
            size = size if step.seen.screenshot is None else step.seen.screenshot.size
            said = self._said(step, size).replace(_BOX, "").replace(_BOX_END, "")
            results = "\n".join(self._told(outcome) for outcome in step.outcomes)
            yield f"step {step.number}: {_without_memory(said)}\n{results}"

    def _instructions(self) -> str:
        return instructions("glm.md", self.system)

    def _read(self, text: str, size: Size | None) -> Said:
        box = text.find(_BOX)
        at = box + len(_BOX) if box >= 0 else _memory_end(text)
        found = calls_in(text, _NAMES, at, labelled=box >= 0)
        words = _LABELS.sub("", _without_memory(text[: box if box >= 0 else found.start])).strip()
        decision = _decision(found.calls[0], Picture(THOUSAND, size), words)
        return Said(words=words, decisions=(decision,))

    def _line(self, action: Action, size: Size | None) -> str | None:
        match action:
            case Click(target=target, keys=()) if (name := _click_name(action)) is not None:
                return self._pointed(name, target, size)
            case Move(target=target):
                return self._pointed("hover", target, size)
            case Drag(start=start, end=end, via=(), button="left", keys=()):
                first, last = self._place(start, size), self._place(end, size)
                return f"left_drag(start_box={first}, end_box={last})" if first and last else None
            case Scroll(unit="notches", keys=(), target=target) if (way := _way(action)) is not None:
                step = abs(action.down or action.right)
                return self._pointed("scroll", target, size, f"direction='{way}'", f"step={step}")
            case TypeText(text=text, into=None):
                return f"type(content={quoted(text)})"
            case PressKeys(keys=keys, times=1):
                return f"key(keys={quoted(keys_text(keys))})"
            case Wait(seconds=seconds) if seconds == _SECONDS:
                return "WAIT()"
            case _:
                return None

    def _pointed(self, name: str, target: Target | None, size: Size | None, *more: str) -> str | None:
        place = self._place(target, size)
        return None if place is None else f"{name}({', '.join([f'start_box={place}', *more])})"

    def _place(self, target: Target | None, size: Size | None) -> str | None:
        numbers = Picture(THOUSAND, size).numbers(target)
        return None if numbers is None else f"'{written(numbers, '[{x},{y}]')}'"

    def _wrapped(self, words: str, calls: list[str]) -> str:
        return "\n".join(filter(None, [words, *(f"{_BOX}{call}{_BOX_END}" for call in calls)]))


def memory_of(text: str) -> str:
    """What a reply keeps in mind, at most 4000 characters of it."""
    begun = _MEMORY.search(text)
    if begun is None:
        return ""
    ended = _AFTER_MEMORY.search(text, begun.end())
    return (
        text[begun.end() : ended.start() if ended else len(text)].partition(_BOX)[0].strip()[:_LONGEST_MEMORY]
    )


def _without_memory(text: str) -> str:
    begun = _MEMORY.search(text)
    if begun is None:
        return text
    ended = _AFTER_MEMORY.search(text, begun.end())
    return (text[: begun.start()] + (text[ended.start() :] if ended else "")).strip()


def _memory_end(text: str) -> int:
    """Where actions may begin: after a memory that comes first."""
    begun = _MEMORY.search(text)
    ended = _AFTER_MEMORY.search(text, begun.end()) if begun else None
    return ended.end() if ended else 0


def _shown(turns: Sequence[Turn]) -> list[Image]:
    """The newest picture first, then the older ones in their order."""
    images = [part for turn in turns for part in turn.parts if isinstance(part, Image)][-_PICTURES:]
    return [*images[-1:], *images[:-1]]


def _decision(call: TextCall, picture: Picture, words: str) -> Action | Answer:
    given = dict(call.arguments)
    given.pop("element_info", None)
    start, end = (
        picture.pixel(given.pop(name)) if given.get(name, "").strip() else None
        for name in ("start_box", "end_box")
    )
    a = Arguments(call.name, given)
    decision = _action(_ALIASES.get(call.name, call.name), a, (start, end), words)
    a.nothing_left()
    return decision


def _action(  # noqa: PLR0911 - one line an action
    name: str, a: Arguments, places: tuple[Pixel | None, Pixel | None], words: str
) -> Action | Answer:
    start, end = places
    match name:
        case "left_drag":
            return Drag(start=_needed(start, a), end=_needed(end, a, "end_box"))
        case "hover":
            return Move(target=_needed(start, a))
        case "key":
            return _keys(a)
        case "type":
            return TypeText(text=a.text("content", "text"))
        case "scroll":
            return _scroll(a, start)
        case "WAIT":
            return Wait(seconds=_SECONDS)
        case "screenshot":
            return Look()
        case "DONE" | "FAIL":
            return Answer(text=words, done=name == "DONE")
        case _:
            known = _CLICKS[name]
            return Click(target=_needed(start, a), button=known.button, count=known.count)


def _needed(place: Pixel | None, a: Arguments, name: str = "start_box") -> Pixel:
    if place is None:
        raise BadCall(f'The action "{a.action}" needs the place "{name}".')
    return place


def _keys(a: Arguments) -> PressKeys:
    try:
        return PressKeys(keys=parse_keys(a.text("keys", "key")))
    except ComputerError as unknown:
        raise BadCall(str(unknown)) from unknown


def _scroll(a: Arguments, place: Pixel | None) -> Scroll:
    asked = a.text("direction").strip().lower()
    if asked not in _WAYS:
        raise BadCall(f'The direction "{asked}" is none of up, down, left, right.')
    down, right = _WAYS[asked]
    step = a.whole("step", default=_NOTCHES)
    return Scroll(down=down * step, right=right * step, target=place)


def _click_name(action: Click) -> str | None:
    alike = ((name, known.button, known.count) for name, known in _CLICKS.items())
    return next(
        (name for name, button, count in alike if (button, count) == (action.button, action.count)), None
    )


def _way(action: Scroll) -> str | None:
    """The direction of a scroll along one side only."""
    if bool(action.down) == bool(action.right):
        return None
    if action.down:
        return "down" if action.down > 0 else "up"
    return "right" if action.right > 0 else "left"
