"""Anthropic's computer tools over its messages: three dated versions, and the toolset whose actions are tools.

Each call is answered by its own result, in order; the newest screenshot is in the last of them. Our functions for what
has a name instead of a place stand beside it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from computer_agent.context.history import History, Image
from computer_agent.models.coordinates import PIXELS
from computer_agent.models.dialect import Prompt
from computer_agent.models.dialects.anthropic_actions import (
    VERBS,
    Aim,
    Version,
    actions_of,
    input_of,
    pointer_after,
)
from computer_agent.models.dialects.arguments import BadCall
from computer_agent.models.dialects.printed_calls import WordsOnly
from computer_agent.models.dialects.vendor_calls import (
    ANYWHERE,
    Called,
    Result,
    decided,
    each,
    given_of,
    is_whole,
    results,
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
from computer_agent.step import Answer, Done, NotDone
from computer_agent.system_prompt import rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from computer_agent.context.history import Part
    from computer_agent.models.dialect import Message, Reply
    from computer_agent.step import Act, Observation, Step
    from computer_api.actions import Action
    from computer_api.geometry import Pixel, Size

COMPUTER = "computer"
TOOLSET: Version = "20260801"
_BETAS: dict[Version, str] = {
    "20241022": "computer-use-2024-10-22",
    "20250124": "computer-use-2025-01-24",
    "20251124": "computer-use-2025-11-24",
}
_PLACES = "pixels of the newest screenshot"


@dataclass(slots=True)
class AnthropicComputer:
    """A version of Anthropic's tool. ``system`` is the system prompt, ``history`` how the screen is shown."""

    system: str = field(default_factory=rules)
    version: Version = field(default="20250124", kw_only=True)
    history: History = field(default_factory=History, kw_only=True)
    _size: Size | None = field(default=None, init=False, repr=False)
    _pointer: Pixel | None = field(default=None, init=False, repr=False)

    def prompt(self, task: str, past: Sequence[Step], now: Observation) -> Prompt:
        """The whole conversation: what is seen, what was called, what became of it."""
        turns = self.history.turns(past, now)
        self._size, self._pointer = shown_size(turns, past, now), None
        messages: list[Message] = []
        pruned = 0
        answers: list[Message] = [_text(f"Task: {task}")]
        for turn in turns:
            messages.append({"role": "user", "content": _with_parts(answers, turn.parts)})
            pruned = len(messages) if turn.pruned else pruned
            if turn.step is not None:
                message, answers = self._answered(turn.step)
                messages.append(message)
                self._pointer = _pointer_after(self._pointer, turn.step)
        return Prompt(
            wire="messages",
            system=vendor_rules(self.system, self._own, _PLACES),
            messages=tuple(messages),
            tools=tuple(self._tools()),
            pruned=pruned,
            headers=self._headers(),
        )

    def shown(self, on_delta: Callable[[str], None]) -> WordsOnly:
        """Its words are for the person, its calls come apart from them."""
        return WordsOnly(on_delta)

    def decision(self, reply: Reply, now: Observation) -> Act | Answer:
        """The calls as actions."""
        size = self._size if now.screenshot is None else now.screenshot.size
        calls = [(call.name, given_of(call.arguments, reply.finish)) for call in reply.calls]
        return decided(self._called(calls, Screen(PIXELS, size)), reply)

    def corrected(self, prompt: Prompt, reply: Reply, wrong: str) -> Prompt:
        """Each call is answered."""
        if not reply.calls:
            said = [reply.message] if reply.text.strip() else []
            return prompt.and_then(*said, {"role": "user", "content": [_text(wrong)]})
        refused = Result(text=f"Nothing was done. {wrong}", failed=True)
        answers = [_result(call.id, refused) for call in reply.calls]
        return prompt.and_then(reply.message, {"role": "user", "content": answers})

    @property
    def _own(self) -> str:
        return "the computer toolset" if self.version == TOOLSET else "the tool computer"

    def _headers(self) -> dict[str, str]:
        beta = _BETAS.get(self.version)
        return {} if beta is None or self._size is None else {"anthropic-beta": beta}

    def _tools(self) -> Iterator[Message]:
        """Without a screen there is nothing to point at."""
        if self._size is not None:
            yield self._computer(self._size)
        for one in functions(_PLACES, zoom=not self._zooms, desktop=self._size is not None):
            yield {"name": one.name, "description": one.description, "input_schema": one.parameters}

    def _computer(self, size: Size) -> Message:
        if self.version == TOOLSET:
            return {"type": f"computer_toolset_{TOOLSET}"}
        tool = {
            "type": f"computer_{self.version}",
            "name": COMPUTER,
            "display_width_px": size.width,
            "display_height_px": size.height,
        }
        return tool | {"enable_zoom": True} if self._zooms else tool

    @property
    def _zooms(self) -> bool:
        return "zoom" in VERBS[self.version]

    def _called(self, calls: Sequence[tuple[str, Mapping[str, object]]], screen: Screen) -> list[Called]:
        """What each call asks for, from where the pointer is now on. Raises ``BadCall``."""
        pointer = self._pointer
        called: list[Called] = []
        for name, given in calls:
            one = self._one(name, given, Aim(screen, pointer))
            called.append(one)
            pointer = pointer if isinstance(one, Answer) else pointer_after(pointer, one)
        return called

    def _one(self, name: str, given: Mapping[str, object], aim: Aim) -> Called:
        if self.version == TOOLSET and name in VERBS[TOOLSET]:
            return actions_of(name, given, aim, self.version)
        if self.version != TOOLSET and name == COMPUTER:
            return actions_of(str(given.get("action", "")), given, aim, self.version)
        decision = decision_beside(name, given, aim.screen, self._own)
        return decision if isinstance(decision, Answer) else (decision,)

    def _answered(self, step: Step) -> tuple[Message, list[Message]]:
        """The model's message as it sent it, and the blocks with what became of its calls."""
        message = _message_of(step.act.reply)
        blocks = [block for block in message["content"] if block.get("type") == "tool_use"]
        try:
            calls = [(block["name"], given_of(block["input"])) for block in blocks]
            called = self._called(calls, Screen(PIXELS, ANYWHERE))
        except BadCall:  # another version's
            return self._retold(step)
        if not is_whole(called, step):
            return self._retold(step)
        answers: list[Message] = []
        pointer = self._pointer
        for block, one, result in zip(blocks, called, results(called, step.outcomes), strict=True):
            answers.append(_result(block["id"], _with_pointer(block, pointer, result)))
            pointer = pointer if isinstance(one, Answer) else pointer_after(pointer, one)
        return message, answers

    def _retold(self, step: Step) -> tuple[Message, list[Message]]:
        """A message that says the same, for the step of another model or a person; in words what no call says."""
        content = [_text(step.act.thought)] if step.act.thought.strip() else []
        answers: list[Message] = []
        words: list[Message] = []
        for number, (action, result) in enumerate(each(step), 1):
            call = self._call(f"step_{step.number}_{number}", action)
            if call is None:
                content.append(_text(f"Done without a tool: {shown(action)}"))
                words.append(_text(f"{shown(action)}: {result.text}"))
            else:
                content.append(call)
                answers.append(_result(call["id"], result))
        return {"role": "assistant", "content": content or [_text("(nothing)")]}, [*answers, *words]

    def _call(self, own: str, action: Action) -> Message | None:
        screen = Screen(PIXELS, ANYWHERE)
        said = input_of(action, self.version, screen)
        if said is None:
            beside = call_beside(action, screen, zoom=not self._zooms)
            return None if beside is None else _tool_use(own, *beside)
        verb, given = said
        if self.version == TOOLSET:
            return _tool_use(own, verb, given) | {"toolset_name": COMPUTER}
        return _tool_use(own, COMPUTER, {"action": verb, **given})


def _message_of(reply: object) -> Message:
    """The message, if it is one of this wire; an empty one else."""
    if isinstance(reply, dict) and isinstance(reply.get("content"), list):
        return reply
    return {"role": "assistant", "content": []}


def _pointer_after(pointer: Pixel | None, step: Step) -> Pixel | None:
    """Where the step left the pointer; what broke off left it nobody knows where."""
    pointer = pointer_after(pointer, [one.action for one in step.outcomes if isinstance(one, Done)])
    broken = any(isinstance(one, NotDone) and one.kind in {"error", "interrupted"} for one in step.outcomes)
    return None if broken else pointer


def _with_pointer(block: Message, pointer: Pixel | None, result: Result) -> Result:
    """Who asks for the pointer gets its place in the form that its maker gives it."""
    if "cursor_position" not in {block["name"], block["input"].get("action")}:
        return result
    place = "Its place is not known." if pointer is None else f"X={pointer.x},Y={pointer.y}"
    return replace(result, text=place)


def _with_parts(answers: list[Message], parts: Sequence[Part]) -> list[Message]:
    """The answers with what is seen after them: inside the last result, as its maker's models expect it.

    A result with a picture cannot be marked as an error.
    """
    seen = [_block(part) for part in parts]
    places = [place for place, answer in enumerate(answers) if answer["type"] == "tool_result"]
    if not places or not seen:
        return [*answers, *seen]
    last = answers[places[-1]]
    whole = {name: value for name, value in last.items() if name != "is_error"}
    whole["content"] = [*last["content"], *seen]
    return [*answers[: places[-1]], whole, *answers[places[-1] + 1 :]]


def _result(call: str, result: Result) -> Message:
    block: Message = {"type": "tool_result", "tool_use_id": call, "content": [_text(result.text)]}
    return block | {"is_error": True} if result.failed else block


def _tool_use(own: str, name: str, given: Mapping[str, object]) -> Message:
    return {"type": "tool_use", "id": own, "name": name, "input": dict(given)}


def _block(part: Part) -> Message:
    if isinstance(part, Image):
        source = {"type": "base64", "media_type": part.media_type, "data": part.base64}
        return {"type": "image", "source": source}
    return _text(part.text)


def _text(words: str) -> Message:
    return {"type": "text", "text": words}
