"""OpenAI's computer tools over Responses: the preview with one action a call, and the tool whose calls are batches.

Each call is answered by exactly one screenshot, the newest, once all of its actions are done; what they changed is said
beside it. A call whose screenshot is no longer sent cannot stay: it is told in words from then on, without the
reasoning that led to it. Reasoning stays before its call.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from computer_agent.context.economy import dropped
from computer_agent.context.history import History, Image
from computer_agent.models.coordinates import PIXELS
from computer_agent.models.dialect import Prompt
from computer_agent.models.dialects.arguments import BadCall
from computer_agent.models.dialects.openai_actions import action_of, actions_of
from computer_agent.models.dialects.printed_calls import WordsOnly
from computer_agent.models.dialects.vendor_calls import (
    ANYWHERE,
    Called,
    decided,
    each,
    given_of,
    is_whole,
    joined,
    results,
    screen_apart,
    shown_size,
)
from computer_agent.models.dialects.vendor_tools import (
    Screen,
    call_beside,
    decision_beside,
    functions,
    vendor_rules,
)
from computer_agent.models.steps import shown
from computer_agent.models.wires.arguments_text import object_of
from computer_agent.step import Answer, SafetyCheck
from computer_agent.system_prompt import rules
from computer_api.actions import Look

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from computer_agent.context.history import Part, Turn
    from computer_agent.models.dialect import Message, Reply
    from computer_agent.step import Act, Observation, Step
    from computer_api.geometry import Size

Tool = Literal["computer", "computer_use_preview"]
Environment = Literal["windows", "mac", "linux", "ubuntu", "browser"]

_OWN = "the tool computer"
_PLACES = "pixels of the newest screenshot"
_SYSTEMS: dict[str, Environment] = {"darwin": "mac", "win32": "windows"}


def this_environment() -> Environment:
    """What the preview tool calls the system that this runs on."""
    return _SYSTEMS.get(sys.platform, "linux")


@dataclass(slots=True)
class OpenAIComputer:
    """One of OpenAI's two tools. ``system`` is the system prompt, ``history`` how the screen is shown.

    ``environment`` is told to the preview only.
    """

    system: str = field(default_factory=rules)
    tool: Tool = field(default="computer", kw_only=True)
    environment: Environment = field(default_factory=this_environment, kw_only=True)
    history: History = field(default_factory=History, kw_only=True)
    _size: Size | None = field(default=None, init=False, repr=False)

    def prompt(self, task: str, past: Sequence[Step], now: Observation) -> Prompt:
        """The whole conversation: what is seen, what was called, what became of it."""
        turns = self.history.turns(past, now)
        self._size = shown_size(turns, past, now)
        first, *later = self._screens(turns, [*(step.seen for step in past), now])
        items = [_said([f"Task: {task}"], first.parts, first.own)]
        pruned = 1 if turns[0].pruned else 0
        for turn, screen, step in zip(turns[1:], later, past, strict=True):
            items += self._told(step, screen)
            pruned = len(items) if turn.pruned or screen.newest is None else pruned
        previews = self.tool == "computer_use_preview" and self._size is not None
        return Prompt(
            wire="responses",
            system=vendor_rules(self.system, _OWN, _PLACES),
            messages=tuple(items),
            tools=tuple(self._tools()),
            pruned=pruned,
            extra={"truncation": "auto"} if previews else {},
        )

    def shown(self, on_delta: Callable[[str], None]) -> WordsOnly:
        """Its words are for the person, its calls come apart from them."""
        return WordsOnly(on_delta)

    def decision(self, reply: Reply, now: Observation) -> Act | Answer:
        """The calls as actions, with the provider's doubts about them."""
        size = self._size if now.screenshot is None else now.screenshot.size
        calls = _calls_in(reply.message)
        called = [_called(item, Screen(PIXELS, size), reply.finish) for item in calls]
        return decided(called, reply, tuple(check for item in calls for check in _checks(item)))

    def corrected(self, prompt: Prompt, reply: Reply, wrong: str) -> Prompt:
        """Each function is answered. Calls of the computer are told in words: nobody acknowledged their checks."""
        calls = _calls_in(reply.message)
        if any(item["type"] == "computer_call" for item in calls):
            asked = ", ".join(_asked(item) for item in calls)
            return prompt.and_then(_user([f"You asked for {asked}. Nothing was done. {wrong}"]))
        if not calls:
            said = reply.message["output"] if reply.text.strip() else []
            return prompt.and_then(*said, _user([wrong]))
        answers = [_output(item["call_id"], f"Nothing was done. {wrong}") for item in calls]
        return prompt.and_then(*map(_readable, reply.message["output"]), *answers)

    def _tools(self) -> Iterator[Message]:
        """Without a screen there is nothing to point at."""
        if self._size is not None and self.tool == "computer":
            yield {"type": "computer"}
        elif self._size is not None:
            width, height = self._size.pair
            size = {"display_width": width, "display_height": height}
            yield {"type": self.tool, **size, "environment": self.environment}
        for one in functions(_PLACES, zoom=True, desktop=self._size is not None):
            yield {
                "type": "function",
                "name": one.name,
                "description": one.description,
                "parameters": one.parameters,
                "strict": False,
            }

    def _screens(self, turns: Sequence[Turn], seen: Sequence[Observation]) -> list[_ShownScreen]:
        """What each turn shows. A picture that is sent again, of an unchanged screen, is dropped as others are."""
        found: list[_ShownScreen] = []
        newest: Image | None = None
        for turn, observation in zip(turns, seen, strict=True):
            parts, screen = screen_apart(turn, observation)
            own = turn.parts[len(parts) :]
            if isinstance(screen, Image) and not screen.whole:
                parts, own = turn.parts, ()  # a part of it is no screenshot: the last whole one stays
            elif screen is not None:
                newest = screen if isinstance(screen, Image) else None
            found.append(_ShownScreen(parts=parts, own=own, newest=newest))
        again = [place for place, one in enumerate(found) if one.newest is not None and not one.own]
        for place in again[: dropped([True] * len(again), self.history.kept, self.history.chunk)]:
            found[place] = replace(found[place], newest=None)
        return found

    def _told(self, step: Step, screen: _ShownScreen) -> list[Message]:
        """What the model said, the answers to its calls, and what is seen then."""
        items = self._own(step.act.reply)
        called = _read(items)
        if not is_whole(called, step):
            return self._retold(step, screen)
        calls = [item for item in items if item.get("type") in _CALLS]
        points = any(item["type"] == "computer_call" for item in calls)
        if points and screen.newest is None:
            return [*_in_words(step), *_next(screen, [_what_was_done(step)])]
        answers: list[Message] = []
        changes: list[str] = []
        for item, result in zip(calls, results(called, step.outcomes), strict=True):
            if item["type"] == "function_call":
                answers.append(_output(item["call_id"], result.text))
            elif screen.newest is not None:
                answers.append(self._screenshot(item, screen.newest))
                changes.append(f"What the actions did:\n{result.text}")
        return [*map(_readable, items), *answers, *_next(screen, changes, answered=points)]

    def _own(self, reply: object) -> list[Message]:
        """The items of a reply of this tool; none of another's."""
        if not isinstance(reply, dict) or not isinstance(reply.get("output"), list):
            return []
        items: list[Message] = reply["output"]
        form = "actions" if self.tool == "computer" else "action"
        other = any(item.get("type") == "computer_call" and form not in item for item in items)
        return [] if other else items

    def _retold(self, step: Step, screen: _ShownScreen) -> list[Message]:
        """The step of another model or a person: as calls where all of it can be said with one kind of call."""
        told = self._as_computer_call(step, screen) or _as_functions(step, screen)
        return [*_in_words(step), *(told or _next(screen, [_what_was_done(step)]))]

    def _as_computer_call(self, step: Step, screen: _ShownScreen) -> list[Message] | None:
        batch = [action_of(action, Screen(PIXELS, ANYWHERE)) for action in step.act.actions]
        fits = len(batch) == 1 or (batch and self.tool == "computer")
        if not fits or None in batch or screen.newest is None:
            return None
        form = {"actions": batch} if self.tool == "computer" else {"action": batch[0]}
        named = {"id": f"cu_step_{step.number}", "call_id": f"step_{step.number}", "status": "completed"}
        call = {"type": "computer_call", **named, **form, "pending_safety_checks": []}
        changes = [f"What the actions did:\n{joined(step.outcomes).text}"]
        return [call, self._screenshot(call, screen.newest), *_next(screen, changes, answered=True)]

    def _screenshot(self, call: Message, image: Image) -> Message:
        """The answer to a call; its checks are acknowledged: a step is only there if the person did so."""
        output: Message = {"type": "computer_screenshot", "image_url": image.url}
        if self.tool == "computer":
            output["detail"] = "original"
        answer = {"type": "computer_call_output", "call_id": call["call_id"], "output": output}
        checks = call.get("pending_safety_checks")
        return answer | {"acknowledged_safety_checks": checks} if checks else answer


@dataclass(frozen=True, slots=True, kw_only=True)
class _ShownScreen:
    """What a turn shows: ``own`` is its picture of the screen with its caption, ``parts`` is the rest.

    ``newest`` is the newest picture of the whole screen then, ``None`` if that is no longer sent.
    """

    parts: tuple[Part, ...]
    own: tuple[Part, ...]
    newest: Image | None


_CALLS = ("computer_call", "function_call")


def _calls_in(message: Message) -> list[Message]:
    return [item for item in message["output"] if item.get("type") in _CALLS]


def _called(item: Message, screen: Screen, finish: str = "") -> Called:
    """What one call asks for. Raises ``BadCall``."""
    if item["type"] == "computer_call":
        asked = item.get("actions") or [item.get("action") or {"type": "screenshot"}]
        return tuple(action for one in asked for action in actions_of(one, screen)) or (Look(),)
    decision = decision_beside(item["name"], given_of(item["arguments"], finish), screen, _OWN)
    return decision if isinstance(decision, Answer) else (decision,)


def _read(items: Sequence[Message]) -> list[Called]:
    """What the calls of the past asked for; nothing where one of them cannot be read."""
    try:
        return [_called(item, Screen(PIXELS, ANYWHERE)) for item in items if item.get("type") in _CALLS]
    except BadCall:
        return []


def _checks(item: Message) -> Iterator[SafetyCheck]:
    for check in item.get("pending_safety_checks") or ():
        code = str(check.get("code") or "")
        message = str(check.get("message") or code or "Its provider wants this confirmed.")
        yield SafetyCheck(message=message, id=str(check["id"]), code=code)


def _readable(item: Message) -> Message:
    """The item as it came; arguments that are no object cannot be sent back."""
    if item.get("type") != "function_call":
        return item
    given = object_of(item["arguments"])
    text = item["arguments"]
    try:
        same = json.loads(text) == given
    except ValueError:
        same = False
    return item if same else item | {"arguments": json.dumps(given, ensure_ascii=False)}


def _asked(item: Message) -> str:
    if item["type"] == "function_call":
        return f"{item['name']} {item['arguments']}"
    return json.dumps(item.get("actions") or item.get("action"), ensure_ascii=False)


def _as_functions(step: Step, screen: _ShownScreen) -> list[Message] | None:
    calls: list[Message] = []
    answers: list[Message] = []
    for number, (action, result) in enumerate(each(step), 1):
        said = call_beside(action, Screen(PIXELS, ANYWHERE), zoom=True)
        if said is None:
            return None
        own, arguments = f"step_{step.number}_{number}", json.dumps(said[1], ensure_ascii=False)
        calls.append({"type": "function_call", "call_id": own, "name": said[0], "arguments": arguments})
        answers.append(_output(own, result.text))
    return [*calls, *answers, *_next(screen, [])] if calls else None


def _in_words(step: Step) -> list[Message]:
    """What the model said beside its calls."""
    return [{"role": "assistant", "content": step.act.thought}] if step.act.thought.strip() else []


def _what_was_done(step: Step) -> str:
    lines = [f"{shown(action)}: {result.text}" for action, result in each(step)]
    return "\n".join([f"Step {step.number}, in words:", *(lines or ["nothing was done"])])


def _next(screen: _ShownScreen, words: list[str], *, answered: bool = False) -> list[Message]:
    """What is seen after the answers; ``answered`` if the picture of the screen is among these."""
    message = _said(words, screen.parts, () if answered else screen.own)
    return [message] if message["content"] else []


def _said(words: Sequence[str], *parts: Sequence[Part]) -> Message:
    told = _user(words)
    told["content"] += [_part(part) for some in parts for part in some]
    return told


def _part(part: Part) -> dict[str, Any]:
    if isinstance(part, Image):
        return {"type": "input_image", "image_url": part.url, "detail": "high"}
    return {"type": "input_text", "text": part.text}


def _user(words: Sequence[str]) -> Message:
    return {"role": "user", "content": [{"type": "input_text", "text": text} for text in words]}


def _output(call: str, text: str) -> Message:
    return {"type": "function_call_output", "call_id": call, "output": text}
