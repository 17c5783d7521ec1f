"""Qwen-VL's ``computer_use``: a function that is declared in the system prompt and called in tags.

2.5 counts pixels of the picture as its server resizes it; 3 and later count thousandths and are told that the screen is
1000x1000. 3.5 writes its calls as XML; both forms are read from every version.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from computer_agent.models.coordinates import THOUSAND, Resized, smart_resize
from computer_agent.models.dialect import NoCall
from computer_agent.models.dialects.arguments import Arguments, BadCall
from computer_agent.models.dialects.places import Picture, drag_to
from computer_agent.models.dialects.printed_calls import call_in, first_call, tagged
from computer_agent.models.dialects.text_dialect import Said, TextDialect, instructions
from computer_agent.step import Answer
from computer_api.actions import Click, Drag, Look, Move, PressKeys, Scroll, TypeText, Wait
from computer_api.errors import ComputerError
from computer_api.keys import keys_text, parse_keys

if TYPE_CHECKING:
    from collections.abc import Iterator

    from computer_agent.models.coordinates import Space
    from computer_agent.models.dialect import Call
    from computer_api.actions import Action
    from computer_api.geometry import Pixel, Size
    from computer_api.targets import Target

Version = Literal["2.5", "3", "3.5"]

_MOST = 16384 * 28 * 28
RESIZED = Resized(smart_resize(28, _MOST))
"""How Qwen2.5-VL and what is made of it see a picture."""
SPACES: dict[Version, Space] = {"2.5": RESIZED, "3": THOUSAND, "3.5": THOUSAND}
NAME = "computer_use"

_CLICKS: dict[str, Click] = {
    "left_click": Click(),
    "right_click": Click(button="right"),
    "middle_click": Click(button="middle"),
    "double_click": Click(count=2),
    "triple_click": Click(count=3),
}
_ACTIONS: dict[str, str] = {
    "key": "press the keys together",
    "type": "type the text",
    "mouse_move": "move the pointer to coordinate",
    "left_click": "click at coordinate",
    "left_click_drag": "drag from where the pointer is to coordinate",
    "right_click": "click the right button at coordinate",
    "middle_click": "click the middle button at coordinate",
    "double_click": "double-click at coordinate",
    "triple_click": "triple-click at coordinate",
    "scroll": "turn the wheel, at coordinate if given",
    "hscroll": "scroll sideways",
    "wait": "wait for time seconds",
    "answer": "answer the question of the task with text",
    "terminate": "end the task with its status",
}
_ALIASES = {
    "click": "left_click",
    "move": "mouse_move",
    "drag": "left_click_drag",
    "hotkey": "key",
    "press": "key",
    "screenshot": "look",
}
_LONGEST_CALLS = 50
_FUNCTION = "<function="
_EXAMPLES: dict[bool, str] = {
    False: '<tool_call>\n{"name": "computer_use", "arguments": {"action": "left_click", "coordinate": [x, y]}}\n'
    "</tool_call>",
    True: "<tool_call>\n<function=computer_use>\n<parameter=action>\nleft_click\n</parameter>\n"
    "<parameter=coordinate>\n[x, y]\n</parameter>\n</function>\n</tool_call>",
}


@dataclass(slots=True)
class Qwen(TextDialect):
    """One version of the family."""

    version: Version = field(default="3", kw_only=True)

    marks: ClassVar[tuple[str, ...]] = ("<tool_call>", _FUNCTION, "{", "```")

    def _instructions(self) -> str:
        function = {"type": "function", "function": _function(self._resolution())}
        tools = json.dumps(function, ensure_ascii=False)
        return instructions("qwen.md", self.system, tools=tools, example=_EXAMPLES[self._xml])

    @property
    def _xml(self) -> bool:
        return self.version == "3.5"

    def _resolution(self) -> str:
        if self.version != "2.5":
            return "The screen's resolution is 1000x1000."
        return "" if self._size is None else f"The screen's resolution is {RESIZED.resize(self._size)}."

    def _read(self, text: str, size: Size | None) -> Said:
        found, start, end = _calls(text)
        words = text[:start].strip()
        decisions: list[Action | Answer] = []
        for given in found:
            _decide(decisions, given, Picture(SPACES[self.version], size), words)
        whole = "</tool_call>" in text[start:] or end < len(text)
        return Said(words=words, decisions=tuple(decisions), end=end, whole=whole)

    def _called(self, call: Call) -> str:
        if call.name != NAME:
            raise BadCall(f'There is no function "{call.name}"; there is "{NAME}".')
        return f'<tool_call>\n{{"name": "{NAME}", "arguments": {call.arguments or "{}"}}}\n</tool_call>'

    def _line(self, action: Action, size: Size | None) -> str | None:
        match action:
            case Drag(start=start, end=end, via=(), button="left", keys=()):
                first = self._at("mouse_move", start, size)
                last = self._at("left_click_drag", end, size)
                return None if first is None or last is None else f"{first}\n{last}"
            case _:
                given = self._given(action, size)
                return None if given is None else self._call(given)

    def _given(self, action: Action, size: Size | None) -> dict[str, Any] | None:
        match action:
            case Click(target=target, keys=()) if (name := _click_name(action)) is not None:
                return self._aimed({"action": name}, target, size)
            case Move(target=target):
                return self._aimed({"action": "mouse_move"}, target, size)
            case Scroll(down=down, right=0, unit="pixels", keys=(), target=target):
                return self._aimed({"action": "scroll", "pixels": -down}, target, size)
            case Scroll(down=0, right=right, unit="pixels", keys=(), target=target):
                return self._aimed({"action": "hscroll", "pixels": right}, target, size)
            case TypeText(text=text, into=None) if not (self._xml and _is_tag(text)):
                return {"action": "type", "text": text}
            case PressKeys(keys=keys, times=1):
                return {"action": "key", "keys": [keys_text((key,)) for key in keys]}
            case Wait(seconds=seconds):
                return {"action": "wait", "time": seconds}
            case _:
                return None

    def _aimed(
        self, given: dict[str, Any], target: Target | None, size: Size | None
    ) -> dict[str, Any] | None:
        if target is None:
            return given
        numbers = Picture(SPACES[self.version], size).numbers(target)
        return None if numbers is None else given | {"coordinate": list(numbers)}

    def _at(self, action: str, target: Target, size: Size | None) -> str | None:
        given = self._aimed({"action": action}, target, size)
        return None if given is None else self._call(given)

    def _call(self, given: dict[str, Any]) -> str:
        if not self._xml:
            inner = json.dumps({"name": NAME, "arguments": given}, ensure_ascii=False)
            inner = inner.replace("</", "<\\/").replace("<tool", "\\u003ctool")  # the same text, but no tag
            return f"<tool_call>\n{inner}\n</tool_call>"
        lines = [
            f"<parameter={name}>\n{value if isinstance(value, str) else json.dumps(value)}\n</parameter>"
            for name, value in given.items()
        ]
        return "\n".join(["<tool_call>", f"<function={NAME}>", *lines, "</function>", "</tool_call>"])

    def _wrapped(self, words: str, calls: list[str]) -> str:
        return "\n".join(filter(None, [words, *calls]))


def _calls(text: str) -> tuple[list[dict[str, Any]], int, int]:
    """The arguments of the calls, and where they begin and end. Raises ``BadCall``."""
    tags = tagged(text)[:_LONGEST_CALLS]
    if tags:
        return [_arguments(inner) for inner, _, _ in tags], tags[0][1], tags[-1][2]
    begun = text.find(_FUNCTION)
    if begun >= 0:
        return [_arguments(text[begun:])], begun, len(text)
    printed = first_call(text)
    if printed is None:
        raise NoCall(f"That was no call. Call {NAME} in <tool_call> tags, or end with its action terminate.")
    return [_checked(*printed)], max(text.find("{"), 0), len(text)


def _arguments(inner: str) -> dict[str, Any]:
    if inner.lstrip().startswith(_FUNCTION):
        return _from_xml(inner)
    called = call_in(inner) or first_call(inner)
    if called is None:
        raise BadCall(
            f'The call cannot be read: "{_start(inner)}". It is a JSON object with name and arguments.'
        )
    return _checked(*called)


def _checked(name: str, given: dict[str, Any]) -> dict[str, Any]:
    if name in (NAME, "computer"):
        return given
    if name in _ACTIONS:
        return {**given, "action": name}
    raise BadCall(f'There is no function "{name}"; there is "{NAME}".')


def _from_xml(inner: str) -> dict[str, Any]:
    """The parameters; a missing end of one does no harm."""
    name = inner.partition(_FUNCTION)[2].partition(">")[0].strip()
    return _checked(name, dict(_parameters(inner)))


def _parameters(inner: str) -> Iterator[tuple[str, Any]]:
    for part in inner.split("<parameter=")[1:]:
        name, _, rest = part.partition(">")
        value = rest.partition("</parameter>")[0].partition("</function>")[0]
        end = "\r\n" if value.startswith("\r\n") else "\n"
        value = value.removeprefix(end).removesuffix(end)
        yield name.strip(), _list_in(value) if name.strip() == "keys" else value


def _list_in(value: str) -> object:
    """Keys are a list of JSON, or a single text."""
    if not value.strip().startswith("["):
        return value.strip()
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _decide(
    decisions: list[Action | Answer], arguments: dict[str, Any], picture: Picture, words: str
) -> None:
    """Add what one call says."""
    given = dict(arguments)
    verb = str(given.pop("action", "")).strip().lower()
    verb = _ALIASES.get(verb, verb)
    if verb not in _ACTIONS and verb != "look":
        raise BadCall(f'There is no action "{verb}"; there are: {", ".join(_ACTIONS)}.')
    place, start = (
        _place(given, picture, *names)
        for names in (("coordinate", "coordinates", "point"), ("start_coordinate",))
    )
    a = Arguments(verb, given)
    if verb == "left_click_drag" and start is None:
        drag_to(decisions, _needed(place, verb))
    elif verb == "left_click_drag":
        decisions.append(Drag(start=_needed(start, verb), end=_needed(place, verb)))
    else:
        decisions.append(_decision(verb, a, place, words))
    a.nothing_left()


def _decision(verb: str, a: Arguments, place: Pixel | None, words: str) -> Action | Answer:  # noqa: PLR0911 - one line an action
    match verb:
        case "key":
            return PressKeys(keys=_keys(a))
        case "type":
            return TypeText(text=a.text("text"))
        case "mouse_move":
            return Move(target=_needed(place, verb))
        case "scroll":
            return Scroll(down=-a.whole("pixels"), unit="pixels", target=place)
        case "hscroll":
            return Scroll(right=a.whole("pixels"), unit="pixels", target=place)
        case "wait":
            return Wait(seconds=a.number("time", "seconds", default=1.0))
        case "look":
            return Look()
        case "answer":
            return Answer(text=a.text("text", "answer"))
        case "terminate":
            return Answer(text=a.text("text", required=False) or words, done=_status(a))
        case _:
            known = _CLICKS[verb]
            return Click(target=place, button=known.button, count=known.count)


def _place(given: dict[str, Any], picture: Picture, *names: str) -> Pixel | None:
    found = [given.pop(name) for name in names if name in given]
    return picture.pixel(found[0]) if found and found[0] not in (None, "", []) else None


def _needed(place: Pixel | None, verb: str) -> Pixel:
    if place is None:
        raise BadCall(f'The action "{verb}" needs its "coordinate", [x, y].')
    return place


def _keys(a: Arguments) -> tuple[str, ...]:
    asked = a.texts("keys", "key", "text")
    if not asked:
        raise BadCall('The action "key" needs "keys", such as ["ctrl", "s"].')
    try:
        return parse_keys("+".join(asked))
    except ComputerError as unknown:
        raise BadCall(str(unknown)) from unknown


def _status(a: Arguments) -> bool:
    status = a.text("status", required=False).strip().lower() or "success"
    if status not in ("success", "failure"):
        raise BadCall(f'The status "{status}" is neither success nor failure.')
    return status == "success"


def _is_tag(text: str) -> bool:
    """Whether a text cannot stand in XML that has no escapes."""
    return any(tag in text for tag in ("<parameter=", "</parameter>", "</function>", "tool_call>"))


def _click_name(action: Click) -> str | None:
    alike = ((name, known.button, known.count) for name, known in _CLICKS.items())
    return next(
        (name for name, button, count in alike if (button, count) == (action.button, action.count)), None
    )


def _function(resolution: str) -> dict[str, Any]:
    listed = "\n".join(f"* {name}: {what}" for name, what in _ACTIONS.items())
    properties = {
        "action": {"type": "string", "enum": list(_ACTIONS), "description": f"What to do:\n{listed}"},
        "keys": {"type": "array", "items": {"type": "string"}, "description": "Of key, such as ctrl and s."},
        "text": {"type": "string", "description": "Of type and answer."},
        "coordinate": {"type": "array", "items": {"type": "number"}, "description": "[x, y] on the screen."},
        "pixels": {
            "type": "number",
            "description": "Of scroll and hscroll: positive is up or right, negative down or left.",
        },
        "time": {"type": "number", "description": "Of wait: seconds."},
        "status": {"type": "string", "enum": ["success", "failure"], "description": "Of terminate."},
    }
    description = f"Use the computer with mouse and keyboard, and see it in screenshots. {resolution}".strip()
    parameters = {"type": "object", "properties": properties, "required": ["action"]}
    return {"name": NAME, "description": description, "parameters": parameters}


def _start(text: str) -> str:
    text = text.strip()
    return text if len(text) <= 80 else f"{text[:79]}…"  # noqa: PLR2004 - enough to recognise it
