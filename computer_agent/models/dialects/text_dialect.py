"""What the dialects have in common whose calls are text in the model's own words: the conversation around them.

A conversation is plain chat messages: what is seen, what the model said, what became of it. Its own messages go back
as it wrote them, without hidden thinking and without what it wrote after its calls; the steps of another model or of a
person are told as this one would have said them, and in words where it could not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from computer_agent.context.history import History, Image
from computer_agent.context.results import result_of
from computer_agent.models.dialect import NoCall, Prompt
from computer_agent.models.dialects.arguments import BadCall
from computer_agent.models.dialects.printed_calls import WordsOnly, without_thinking
from computer_agent.models.steps import shown
from computer_agent.step import Act, Answer
from computer_agent.system_prompt import rules
from computer_api.actions import secret_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from computer_agent.context.history import Part
    from computer_agent.models.dialect import Call, Message, Reply
    from computer_agent.step import Observation, Outcome, Step
    from computer_api.actions import Action
    from computer_api.geometry import Size

CUT_OFF = "Your reply was longer than allowed and was cut off. Send a shorter one."
EMPTY = "Your reply was empty. Send an action."
_LONGEST = 200_000  # characters of a reply that is read
_PROMPTS = Path(__file__).parent.parent.parent / "prompts"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A reply that was read: its words beside the calls, what the calls say, and where in the text they end.

    ``whole`` is false where the text may go on inside a call.
    """

    words: str
    decisions: tuple[Action | Answer, ...]
    end: int | None = None
    whole: bool = True

    @property
    def actions(self) -> tuple[Action, ...]:
        """Without answers."""
        return tuple(one for one in self.decisions if not isinstance(one, Answer))


@dataclass(slots=True)
class TextDialect:
    """A family of models that write their calls. ``system`` ends the system prompt, ``history`` shows the screen.

    A family says how its calls are read and written; the size of the newest picture is kept from ``prompt`` on, for
    observations that have none of their own.
    """

    system: str = ""
    history: History = field(default_factory=History, kw_only=True)
    _size: Size | None = field(default=None, init=False, repr=False)

    needs_pictures: ClassVar[bool] = True
    marks: ClassVar[tuple[str, ...]] = ()

    def prompt(self, task: str, past: Sequence[Step], now: Observation) -> Prompt:
        """The whole conversation."""
        self._size = newest_size(past, now) or self._size
        size = _first_size(past) or self._size
        messages: list[Message] = []
        pruned = 0
        parts = [text_part(self._task(task))]
        for turn in self.history.turns(past, now):
            parts += map(content_of, turn.parts)
            messages.append({"role": "user", "content": plain(parts, keep=turn.pruned)})
            pruned = len(messages) if turn.pruned else pruned
            if turn.step is not None:
                size = _size_of(turn.step.seen) or size
                messages.append({"role": "assistant", "content": self._said(turn.step, size) or "(nothing)"})
                parts = [text_part(self._told(outcome)) for outcome in turn.step.outcomes]
        return Prompt(wire="chat", system=self._instructions(), messages=tuple(messages), pruned=pruned)

    def shown(self, on_delta: Callable[[str], None]) -> WordsOnly:
        """Words only: calls and hidden thinking are not for the person."""
        return WordsOnly(on_delta, self.marks, self._has_call)

    def decision(self, reply: Reply, now: Observation) -> Act | Answer:
        """The calls as actions. Raises ``BadCall``."""
        text = "\n".join([without_thinking(reply.text), *map(self._called, reply.calls)])
        check_length(text)
        cut_off = reply.finish == "length"
        try:
            said = self._read(text, _size_of(now) or self._size)
        except BadCall as bad:
            if cut_off:
                raise BadCall(CUT_OFF) from bad
            if isinstance(bad, NoCall) and not text.strip():
                raise NoCall(EMPTY) from bad
            raise
        if cut_off and not said.whole:
            raise BadCall(CUT_OFF)
        if said.actions:
            return Act(thought=said.words, actions=said.actions, reply=reply.message)
        answer = said.decisions[0]
        assert isinstance(answer, Answer)  # noqa: S101 - for the type checker: what is no action is an answer
        text = next((one.text for one in said.decisions if isinstance(one, Answer) and one.text), said.words)
        return Answer(text=text, done=all(one.done for one in said.decisions if isinstance(one, Answer)))

    def corrected(self, prompt: Prompt, reply: Reply, wrong: str) -> Prompt:
        """What it wrote, and what is wrong with it."""
        return corrected(prompt, reply, wrong)

    def _instructions(self) -> str:
        """The system prompt."""
        raise NotImplementedError

    def _read(self, text: str, size: Size | None) -> Said:
        """What a reply without hidden thinking says, its places meant on a picture of that size. Raises ``BadCall``."""
        raise NotImplementedError

    def _line(self, action: Action, size: Size | None) -> str | None:
        """The call that asks for the action, ``None`` where the family has none."""
        raise NotImplementedError

    def _wrapped(self, words: str, calls: list[str]) -> str:
        """A whole message of the model; ``calls`` may be empty."""
        raise NotImplementedError

    def _called(self, call: Call) -> str:
        """A call that the server took out of the text, or that the model made by a protocol of its own, as text."""
        raise BadCall(
            f'There is no tool "{call.name}". Write your action as text, in the form you were told.'
        )

    def _task(self, task: str) -> str:
        return f"Task: {task}"

    def _told(self, outcome: Outcome) -> str:
        return f"Result: {result_of(outcome)}"

    def _has_call(self, text: str) -> bool:
        """Whether there is a call in it, also one that is wrong."""
        try:
            check_length(text)
            self._read(without_thinking(text), self._size)
        except NoCall:
            return False
        except BadCall:
            return True
        return True

    def _said(self, step: Step, size: Size | None) -> str:
        """What the model said in a step, or what says the same."""
        own = own_text(step)
        if own is not None:
            own = without_thinking(own)
            try:
                said = self._read(own, size)
            except BadCall:
                pass
            else:
                if len(said.actions) == len(step.act.actions):
                    return own[: said.end].strip()
        return self._written(step.act.thought, step.act.actions, size)

    def _written(self, thought: str, actions: Sequence[Action], size: Size | None) -> str:
        """A thought and actions as the model would write them; in words what it cannot say."""
        calls, words = [], [thought] if thought else []
        for action in actions:
            line = None if secret_text(action) is not None else self._line(action, size)
            if line is None or without_thinking(line) != line:
                words.append(f"(Done in another way: {shown(action)}.)")
            else:
                calls.append(line)
        return self._wrapped("\n".join(words), calls)


def check_length(text: str) -> None:
    """Raise ``BadCall`` for a reply that is longer than anything sensible."""
    if len(text) > _LONGEST:
        raise BadCall(
            f"Your reply has {len(text)} characters, and at most {_LONGEST} are read. Send a shorter one."
        )


def corrected(prompt: Prompt, reply: Reply, wrong: str) -> Prompt:
    """The prompt with the reply, its calls as text since no tools are declared, and what is wrong with it."""
    calls = [f"{call.name}({call.arguments})" for call in reply.calls]
    text = "\n".join(filter(None, [reply.text.strip(), *calls]))
    said = [{"role": "assistant", "content": text}] if text else []
    return prompt.and_then(*said, {"role": "user", "content": f"Nothing was done. {wrong}"})


def instructions(name: str, system: str, **values: str) -> str:
    """A prompt file with its values, the rules of every family, and what ``system`` says beside our own rules.

    Those are about our own tools, which these families do not have.
    """
    from string import Template

    own = Template(_prompt(name)).substitute(values)
    further = system.removeprefix(rules()).strip()
    return "\n\n".join(filter(None, [own, _prompt("text_dialects.md"), further]))


def own_text(step: Step) -> str | None:
    """What the model wrote in a step, if it was one that writes its calls."""
    reply = step.act.reply
    if not isinstance(reply, dict) or reply.get("role") != "assistant" or reply.get("tool_calls"):
        return None
    content = reply.get("content")
    return content if isinstance(content, str) and content.strip() else None


def newest_size(past: Sequence[Step], now: Observation) -> Size | None:
    """The size of the newest picture of the screen."""
    seen = [now, *(step.seen for step in reversed(past))]
    return next((size for one in seen if (size := _size_of(one)) is not None), None)


def content_of(part: Part) -> Message:
    """A part of a turn as a part of a chat message."""
    if isinstance(part, Image):
        return {"type": "image_url", "image_url": {"url": part.url}}
    return text_part(part.text)


def text_part(words: str) -> Message:
    """Text as a part of a chat message."""
    return {"type": "text", "text": words}


def plain(parts: list[Message], *, keep: bool) -> str | list[Message]:
    """Text alone is sent as a string: some local servers take nothing else."""
    if all(part["type"] == "text" for part in parts) and not keep:
        return "\n".join(part["text"] for part in parts)
    return parts


def _first_size(past: Sequence[Step]) -> Size | None:
    return next((size for step in past if (size := _size_of(step.seen)) is not None), None)


def _size_of(seen: Observation) -> Size | None:
    return None if seen.screenshot is None else seen.screenshot.size


def _prompt(name: str) -> str:
    return (_PROMPTS / name).read_text(encoding="utf-8").strip()
