"""The default dialect: our own function tools over chat completions, which every provider speaks.

The model's own messages go back as they came. Places are pixels of the picture as sent, or, for families that were
taught otherwise and count so whatever they are told, thousandths of it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from computer_agent.context import numbers
from computer_agent.context.history import History, Image, last_whole
from computer_agent.context.results import result_of
from computer_agent.models.coordinates import PIXELS, Pixels, Relative, moved
from computer_agent.models.dialect import NoCall, Prompt
from computer_agent.models.dialects.arguments import BadCall
from computer_agent.models.dialects.function_tools import (
    CODE_TOOLS,
    TOOLS,
    call_of,
    decision_of,
    with_fields,
)
from computer_agent.models.dialects.printed_calls import WordsOnly, first_call, words_before_call
from computer_agent.models.wires.arguments_text import UNREADABLE
from computer_agent.step import Act, Answer
from computer_agent.system_prompt import rules
from computer_api.actions import CHECKS
from computer_api.geometry import Pixel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from computer_agent.context.history import Part
    from computer_agent.models.dialect import Message, Reply
    from computer_agent.step import Observation, Step
    from computer_api.actions import Action
    from computer_api.elements import ScreenElement
    from computer_api.geometry import Size

_NOT_ENDED = "Not ended: first see what the other actions did, then call finish again."
_ASK_FOR_CALL = (
    "That was no tool call. Go on with a tool, or call finish if the task is done or cannot be done."
)
PIXEL_RULE = "x and y are pixels of the newest screenshot, counted from its top left corner; its size stands beside it."
"""As it stands in ``prompts/os.md``."""
THOUSANDTH_RULE = (
    "x and y go from 0 to 1000, from the left to the right and from the top to the bottom of the newest screenshot, "
    "whatever its size in pixels."
)
_IN_THOUSANDTHS: dict[str, tuple[str, str]] = {
    "x": (
        "integer",
        "Column of the place, 0 at the left to 1000 at the right of the screenshot. Wins over target, label and icon.",
    ),
    "y": ("integer", "Row of the place, 0 at the top to 1000 at the bottom of the screenshot."),
}
_EMPTY = "Your reply was empty. Call a tool, or call finish."


@dataclass(slots=True)
class FunctionCalling:
    """Our tools as functions. ``system`` is the system prompt, ``history`` how the screen is shown.

    ``space`` is how the model counts places; what is told in words alone is in pixels always.
    """

    system: str = field(default_factory=rules)
    history: History = field(default_factory=History, kw_only=True)
    space: Pixels | Relative = field(default=PIXELS, kw_only=True)
    _size: Size | None = field(default=None, init=False, repr=False)

    def prompt(self, task: str, past: Sequence[Step], now: Observation) -> Prompt:
        """The whole conversation: what is seen, what was called, what became of it."""
        messages: list[Message] = []
        pruned = 0
        parts = [_text(f"Task: {task}")]
        turns = self.history.turns(past, now)
        self._size = last_whole(turns) or self._size
        for turn in turns:
            parts += map(_content, turn.parts)
            messages.append({"role": "user", "content": _plain(parts, keep=turn.pruned)})
            pruned = len(messages) if turn.pruned else pruned
            if turn.step is not None:
                answered, parts = self._answered(turn.step)
                messages += answered
        return Prompt(
            wire="chat", system=self._system(), messages=tuple(messages), tools=self._tools(), pruned=pruned
        )

    def shown(self, on_delta: Callable[[str], None]) -> WordsOnly:
        """Words only: nobody wants to read JSON."""
        return WordsOnly(on_delta)

    def decision(self, reply: Reply, now: Observation) -> Act | Answer:
        """The calls as actions, wherever the model put them."""
        asked, thought = _asked(reply)
        decisions: list[tuple[Action | Answer, tuple[ScreenElement, ...]]] = []
        for name, given in asked:
            arguments, meant = numbers.placed(given, now)
            decisions.append((self._on_picture(decision_of(name, arguments), meant), meant))
        acted = [(action, meant) for action, meant in decisions if not isinstance(action, Answer)]
        if acted:
            actions, elements = zip(*acted, strict=True)
            checked = all(isinstance(action, CHECKS) for action in actions)
            ends = [answer for answer, _ in decisions if isinstance(answer, Answer) and answer.done]
            then = ends[-1] if checked and ends else None
            return Act(thought=thought, actions=actions, meant=elements, then=then, reply=reply.message)
        answer = decisions[0][0]
        assert isinstance(answer, Answer)  # noqa: S101 - for the type checker: what is no action is an answer
        return Answer(text=answer.text or thought, done=answer.done)

    def corrected(self, prompt: Prompt, reply: Reply, wrong: str) -> Prompt:
        """Each call is answered."""
        if not reply.calls:
            said = [reply.message] if reply.text.strip() else []
            return prompt.and_then(*said, {"role": "user", "content": wrong})
        answers = [
            {"role": "tool", "tool_call_id": call.id, "content": f"Nothing was done. {wrong}"}
            for call in reply.calls
        ]
        return prompt.and_then(reply.message, *answers)

    @property
    def _thousandths(self) -> bool:
        return isinstance(self.space, Relative) and self.history.observe in ("picture", "marked")

    def _system(self) -> str:
        return self.system.replace(PIXEL_RULE, THOUSANDTH_RULE) if self._thousandths else self.system

    def _tools(self) -> tuple[Message, ...]:
        if self.history.observe == "nothing":
            return CODE_TOOLS
        fields = dict(numbers.FIELDS) if self.history.observe != "picture" else {}
        if self._thousandths:
            fields = _IN_THOUSANDTHS | fields
        return with_fields(fields) if fields else TOOLS

    def _on_picture(self, decision: Action | Answer, meant: tuple[ScreenElement, ...]) -> Action | Answer:
        """The action with the model's numbers as pixels; those of an element are pixels already."""
        if not self._thousandths or isinstance(decision, Answer):
            return decision
        size, known = self._size, {element.pixel for element in meant}

        def pixel(place: Pixel) -> Pixel:
            if place in known:
                return place
            if size is None:
                raise BadCall("No picture of the screen was shown, so there are no places on it.")
            return self.space.pixel(place.x, place.y, size)

        return moved(decision, pixel)

    def _answered(self, step: Step) -> tuple[list[Message], list[Message]]:
        """The model's message and the answers to its calls; then the texts that belong into the next user message."""
        message = _own_message(step, self._said)
        results = iter([result_of(outcome) for outcome in step.outcomes])
        answers: list[Message] = []
        for call in message.get("tool_calls", ()):
            text = _NOT_ENDED if call["function"]["name"] == "finish" else next(results, "Not done.")
            answers.append({"role": "tool", "tool_call_id": call["id"], "content": text})
        return [message, *answers], [_text(text) for text in results]

    def _said(self, action: Action) -> Action:
        """The action as this model would have said it."""
        size = self._size
        if not self._thousandths or size is None:
            return action
        return moved(action, lambda place: Pixel(*map(round, self.space.numbers(place, size))))


def _content(part: Part) -> Message:
    match part:
        case Image():
            return {"type": "image_url", "image_url": {"url": part.url}}
        case _:
            return _text(part.text)


def _own_message(step: Step, said: Callable[[Action], Action]) -> Message:
    """The message as the model sent it, or one that says the same, for the step of another model or a person."""
    reply, actions = step.act.reply, step.act.actions
    if isinstance(reply, dict) and reply.get("role") == "assistant":
        calls = reply.get("tool_calls")
        if not calls or len([c for c in calls if c["function"]["name"] != "finish"]) == len(actions):
            return reply
    message: Message = {"role": "assistant", "content": step.act.thought or None}
    if actions:
        message["tool_calls"] = [
            _call(f"step_{step.number}_{n}", said(action)) for n, action in enumerate(actions, 1)
        ]
    elif not step.act.thought:
        message["content"] = "(nothing)"
    return message


def _call(own: str, action: Action) -> dict[str, Any]:
    name, arguments = call_of(action)
    text = json.dumps(arguments, ensure_ascii=False)
    return {"id": own, "type": "function", "function": {"name": name, "arguments": text}}


def _text(words: str) -> Message:
    return {"type": "text", "text": words}


def _plain(parts: list[Message], *, keep: bool) -> str | list[Message]:
    """Text alone is sent as a string: some local servers take nothing else."""
    if all(part["type"] == "text" for part in parts) and not keep:
        return "\n".join(part["text"] for part in parts)
    return parts


def _asked(reply: Reply) -> tuple[list[tuple[str, dict[str, object]]], str]:
    """The calls, wherever the model put them, and its words beside them."""
    if reply.calls:
        return [(call.name, _given(call.arguments, reply.finish)) for call in reply.calls], reply.text.strip()
    printed = first_call(reply.text)
    if printed is not None:
        return [printed], words_before_call(reply.text).strip()
    raise NoCall(_ASK_FOR_CALL if reply.text.strip() else _EMPTY)


def _given(arguments: str, finish: str) -> dict[str, object]:
    given: dict[str, object] = json.loads(arguments)
    if UNREADABLE not in given:
        return given
    if finish == "length":
        raise BadCall("Your reply was longer than allowed and was cut off. Send a shorter one.")
    raise BadCall(f'The arguments are no JSON object: "{_start(str(given[UNREADABLE]))}".')


def _start(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:79]}…"  # noqa: PLR2004 - enough to recognise it
