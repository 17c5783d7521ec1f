"""UI-TARS and Doubao: a thought, and actions as text. Versions differ in how they count and write places."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

from computer_agent.models.coordinates import THOUSAND, Resized, smart_resize
from computer_agent.models.dialects.arguments import Arguments, BadCall
from computer_agent.models.dialects.places import Picture, drag_to, written
from computer_agent.models.dialects.text_calls import calls_in, quoted
from computer_agent.models.dialects.text_dialect import Said, TextDialect, instructions
from computer_agent.step import Answer
from computer_api.actions import Click, Drag, KeyDown, KeyUp, Move, PressKeys, Scroll, TypeText, Wait
from computer_api.errors import ComputerError
from computer_api.keys import keys_text, parse_keys

if TYPE_CHECKING:
    from computer_agent.models.coordinates import Space
    from computer_agent.models.dialects.text_calls import TextCall
    from computer_api.actions import Action
    from computer_api.geometry import Pixel, Size
    from computer_api.targets import Target

Version = Literal["1.0", "1.5", "doubao"]

_PATCH = 28 * 28
# 1.5 7B sees a picture of its own size and counts its pixels. The others count thousandths, whatever the size.
SPACES: dict[Version, Space] = {
    "1.0": THOUSAND,
    "1.5": Resized(smart_resize(28, 16384 * _PATCH, 100 * _PATCH)),
    "doubao": THOUSAND,
}
_POINTS: dict[Version, str] = {
    "1.0": "<|box_start|>({x},{y})<|box_end|>",
    "1.5": "<|box_start|>({x},{y})<|box_end|>",
    "doubao": "<point>{x} {y}</point>",
}
_START = ("start_box", "point", "start_point", "box", "start")
_END = ("end_box", "end_point", "end")
_LABEL = re.compile(r"^[ \t*#]*Action[ \t*]*[:\uff1a]", re.MULTILINE)
_THOUGHT = re.compile(r"\A\s*Thought[ \t]*[:\uff1a][ \t]*")
_NOTCHES = 5  # of one scroll, which says no amount
_SECONDS = 5.0  # of one wait
_CLICKS: dict[str, Click] = {
    "click": Click(),
    "left_double": Click(count=2),
    "right_single": Click(button="right"),
}
_ALIASES = {
    "left_single": "click",
    "left_click": "click",
    "double_click": "left_double",
    "right_click": "right_single",
    "select": "drag",
    "press": "hotkey",
    "keydown": "key_down",
    "keyup": "key_up",
    "release": "key_up",
    "mouse_move": "hover",
}
_NAMES = (
    *(*_CLICKS, "drag", "hotkey", "type", "scroll", "wait", "finished", "call_user"),
    *("hover", "key_down", "key_up", *_ALIASES),
)
_WAYS = {"down": (1, 0), "up": (-1, 0), "right": (0, 1), "left": (0, -1)}


@dataclass(slots=True)
class UiTars(TextDialect):
    """One version of the family: 1.0 (also 72B and DPO), 1.5 (7B), or Doubao."""

    version: Version = field(default="1.5", kw_only=True)

    marks: ClassVar[tuple[str, ...]] = ("Action:", "Action\uff1a")

    def _instructions(self) -> str:
        point = _POINTS[self.version].format(x="x1", y="y1")
        end = _POINTS[self.version].format(x="x2", y="y2")
        start_name, end_name = self._names
        one = start_name if self.version != "doubao" else "point"
        return instructions(
            "ui_tars.md", self.system, point=point, end=end, one=one, start_name=start_name, end_name=end_name
        )

    @property
    def _names(self) -> tuple[str, str]:
        return ("start_point", "end_point") if self.version == "doubao" else ("start_box", "end_box")

    def _read(self, text: str, size: Size | None) -> Said:
        label = _LABEL.search(text)
        at = label.end() if label else 0
        found = calls_in(text, _NAMES, at, labelled=label is not None)
        words = text[: label.start() if label else found.start]
        words = _THOUGHT.sub("", words).strip()
        decisions: list[Action | Answer] = []
        for call in found.calls:
            _decide(decisions, call, Picture(SPACES[self.version], size), words)
        return Said(words=words, decisions=tuple(decisions), end=found.end)

    def _line(self, action: Action, size: Size | None) -> str | None:
        match action:
            case Click(target=target) if (name := _click_name(action)) is not None:
                return self._pointed(name, target, size)
            case Drag(start=start, end=end, via=(), button="left", keys=()):
                first, last = self._place(start, size), self._place(end, size)
                names = self._names
                return f"drag({names[0]}={first}, {names[1]}={last})" if first and last else None
            case Scroll(unit="notches", keys=()) if (way := _way(action)) is not None:
                return self._pointed("scroll", action.target, size, f"direction='{way}'")
            case TypeText(text=text, into=None):
                return f"type(content={quoted(text)})"
            case PressKeys(keys=keys, times=1):
                return f"hotkey(key={quoted(' '.join(keys_text((key,)) for key in keys))})"
            case Wait(seconds=seconds) if seconds == _SECONDS:
                return "wait()"
            case _:
                return None

    def _pointed(self, name: str, target: Target | None, size: Size | None, *more: str) -> str | None:
        if target is None:
            return f"{name}({', '.join(more)})" if more else None
        place = self._place(target, size)
        key = "point" if self.version == "doubao" else "start_box"
        return f"{name}({', '.join([f'{key}={place}', *more])})" if place else None

    def _place(self, target: Target | None, size: Size | None) -> str | None:
        numbers = Picture(SPACES[self.version], size).numbers(target)
        return None if numbers is None else f"'{written(numbers, _POINTS[self.version])}'"

    def _wrapped(self, words: str, calls: list[str]) -> str:
        thought = [f"Thought: {words}"] if words else []
        actions = "\n\n".join(calls)
        return "\n".join([*thought, *([f"Action: {actions}"] if calls else [])])


def _decide(decisions: list[Action | Answer], call: TextCall, picture: Picture, words: str) -> None:
    """Add what one call says."""
    name = _ALIASES.get(call.name, call.name)
    given = dict(call.arguments)
    start, end = _place(given, _START, picture), _place(given, _END, picture)
    a = Arguments(call.name, given)
    if name == "drag" and start is None and end is not None:
        drag_to(decisions, end)
    else:
        decisions.append(_decision(name, a, (start, end), words))
    a.nothing_left()


def _decision(  # noqa: PLR0911 - one line an action
    name: str, a: Arguments, places: tuple[Pixel | None, Pixel | None], words: str
) -> Action | Answer:
    start, end = places
    match name:
        case "click" | "left_double" | "right_single":
            known = _CLICKS[name]
            return Click(target=_needed(start, a), button=known.button, count=known.count)
        case "hover":
            return Move(target=_needed(start, a))
        case "drag":
            return Drag(start=_needed(start, a), end=_needed(end, a, "end_box"))
        case "hotkey":
            return PressKeys(keys=_keys(a))
        case "key_down":
            return KeyDown(keys=_keys(a))
        case "key_up":
            return KeyUp(keys=_keys(a))
        case "type":
            return TypeText(text=a.text("content", "text"))
        case "scroll":
            down, right = _direction(a)
            return Scroll(down=_NOTCHES * down, right=_NOTCHES * right, target=start)
        case "wait":
            return Wait(seconds=a.number("time", "seconds", default=_SECONDS))
        case _:
            said = a.text("content", "text", required=False)
            return Answer(text=said or words, done=name == "finished")


def _place(given: dict[str, str], names: tuple[str, ...], picture: Picture) -> Pixel | None:
    found = [given.pop(name) for name in names if name in given]
    return picture.pixel(found[0]) if found and found[0].strip() else None


def _needed(place: Pixel | None, a: Arguments, name: str = "start_box") -> Pixel:
    if place is None:
        raise BadCall(f'The action "{a.action}" needs the place "{name}".')
    return place


def _keys(a: Arguments) -> tuple[str, ...]:
    try:
        return parse_keys(a.text("key", "hotkey", "keys"))
    except ComputerError as unknown:
        raise BadCall(str(unknown)) from unknown


def _direction(a: Arguments) -> tuple[int, int]:
    asked = a.text("direction").strip().lower()
    if asked not in _WAYS:
        raise BadCall(f'The direction "{asked}" is none of up, down, left, right.')
    return _WAYS[asked]


def _click_name(action: Click) -> str | None:
    if action.keys:
        return None
    alike = ((name, known.button, known.count) for name, known in _CLICKS.items())
    return next(
        (name for name, button, count in alike if (button, count) == (action.button, action.count)), None
    )


def _way(action: Scroll) -> str | None:
    moved = {(_NOTCHES * down, _NOTCHES * right): way for way, (down, right) in _WAYS.items()}
    return moved.get((action.down, action.right))
