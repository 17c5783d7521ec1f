"""Gemini's computer use over generateContent: the browser's functions, and the desktop's of newer models.

Places are thousandths of the screenshot's sides. Each call is answered in order, the last with the newest screenshot.
What must be confirmed reaches the person as a check; thoughts go back as they were signed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from computer_agent.context.history import History, Image, Stub
from computer_agent.models.coordinates import THOUSAND
from computer_agent.models.dialect import Prompt
from computer_agent.models.dialects.arguments import BadCall
from computer_agent.models.dialects.gemini_actions import (
    KNOWN,
    Environment,
    Generation,
    actions_of,
    call_of,
    functions_of,
)
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
    screen_apart,
    shown_size,
    sizes_seen,
)
from computer_agent.models.dialects.vendor_tools import (
    Screen,
    call_beside,
    decision_beside,
    functions,
    vendor_rules,
)
from computer_agent.models.steps import shown
from computer_agent.step import Answer, SafetyCheck
from computer_agent.system_prompt import rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from computer_agent.context.history import Part, Turn
    from computer_agent.models.dialect import Message, Reply
    from computer_agent.step import Act, Observation, Step
    from computer_api.actions import Action
    from computer_api.geometry import Size

_OWN = "the computer use functions"
_PLACES = "0 to 999 of the newest screenshot's width and height, whatever its size in pixels"
_UNSIGNED = "skip_thought_signature_validator"  # what Google takes for a call that its model did not make
_MALFORMED = frozenset({"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"})
_UNCONCERNED = frozenset({"", "regular", "allow", "allowed"})
_CONFIRM = "Its provider wants this confirmed by a person."


@dataclass(slots=True)
class GeminiComputer:
    """Gemini's functions. ``system`` is the system prompt, ``history`` how the screen is shown.

    ``generation`` is that of the model; the first knows a browser alone, whatever the ``environment``. ``excluded`` are
    functions that it shall not have.
    """

    system: str = field(default_factory=rules)
    generation: Generation = field(default="3.5", kw_only=True)
    environment: Environment = field(default="desktop", kw_only=True)
    excluded: tuple[str, ...] = field(default=(), kw_only=True)
    history: History = field(default_factory=History, kw_only=True)
    _size: Size | None = field(default=None, init=False, repr=False)

    def prompt(self, task: str, past: Sequence[Step], now: Observation) -> Prompt:
        """The whole conversation: what is seen, what was called, what became of it."""
        turns = self.history.turns(past, now)
        self._size = shown_size(turns, past, now)
        seen = [*(step.seen for step in past), now]
        sizes = [*sizes_seen(past), self._size]
        contents: list[Message] = []
        pruned = 0
        answers: list[Message] = [_text(f"Task: {task}")]
        for turn, observation, size in zip(turns, seen, sizes, strict=True):
            contents.append({"role": "user", "parts": _with_screen(answers, turn, observation)})
            pruned = len(contents) if turn.pruned else pruned
            if turn.step is not None:
                content, answers = self._answered(turn.step, Screen(THOUSAND, size))
                contents.append(content)
        return Prompt(
            wire="gemini",
            system=vendor_rules(self.system, _OWN, _PLACES),
            messages=tuple(contents),
            tools=tuple(self._tools()),
            pruned=pruned,
        )

    def shown(self, on_delta: Callable[[str], None]) -> WordsOnly:
        """Its words are for the person, its calls come apart from them."""
        return WordsOnly(on_delta)

    def decision(self, reply: Reply, now: Observation) -> Act | Answer:
        """The calls as actions, with the provider's doubts about them."""
        if reply.finish in _MALFORMED:
            raise BadCall(
                "Your function call could not be read. Call the function again, with plain arguments."
            )
        size = self._size if now.screenshot is None else now.screenshot.size
        calls = [(call.name, given_of(call.arguments, reply.finish)) for call in reply.calls]
        called = [self._called(name, given, Screen(THOUSAND, size)) for name, given in calls]
        checks = [check for name, given in calls for check in _checks(name, given)]
        return decided(called, reply, tuple(checks))

    def corrected(self, prompt: Prompt, reply: Reply, wrong: str) -> Prompt:
        """Each call is answered. One that wants a confirmation is told in words: nobody gave it."""
        calls = _calls_in(reply.message)
        if not calls and reply.finish not in _MALFORMED and reply.text.strip():
            return prompt.and_then(reply.message, _user([_text(wrong)]))
        if not calls or reply.finish in _MALFORMED:
            return _added(prompt, wrong)
        if any(_must_confirm(call) for call in calls):
            asked = ", ".join(f"{call['name']} {call.get('args') or {}}" for call in calls)
            return _added(prompt, f"You asked for {asked}. Nothing was done. {wrong}")
        refused = Result(text=f"Nothing was done. {wrong}", failed=True)
        answers = [self._response(call, refused) for call in calls]
        return prompt.and_then(reply.message, _user(answers))

    def _tools(self) -> Iterator[Message]:
        """Without a screen there is nothing to point at."""
        if self._size is not None:
            browses = self.generation == "2.5" or self.environment == "browser"
            tool: Message = {"environment": "ENVIRONMENT_BROWSER" if browses else "ENVIRONMENT_DESKTOP"}
            if self.excluded:
                tool["excludedPredefinedFunctions"] = list(self.excluded)
            yield {"computerUse": tool}
        beside = functions(_PLACES, zoom=True, desktop=self._size is not None)
        yield {
            "functionDeclarations": [
                {"name": one.name, "description": one.description, "parameters": one.parameters}
                for one in beside
            ]
        }

    def _called(self, name: str, given: Mapping[str, object], screen: Screen) -> Called:
        if name in self.excluded:
            raise BadCall(f'The function "{name}" is not to be used here.')
        if name in KNOWN:
            return actions_of(name, given, screen)
        own = f"{_OWN} ({', '.join(self._names())})"
        given = {field_: value for field_, value in given.items() if field_ != "safety_decision"}
        decision = decision_beside(name, given, screen, own)
        return decision if isinstance(decision, Answer) else (decision,)

    def _names(self) -> tuple[str, ...]:
        known = functions_of(self.generation, self.environment)
        return tuple(name for name in known if name not in self.excluded)

    def _answered(self, step: Step, screen: Screen) -> tuple[Message, list[Message]]:
        """The model's content as it sent it, and the parts with what became of its calls."""
        reply = step.act.reply
        if not isinstance(reply, dict) or not isinstance(reply.get("parts"), list):
            return self._retold(step, screen)
        calls = _calls_in(reply)
        try:
            called = [
                self._called(call["name"], call.get("args") or {}, Screen(THOUSAND, ANYWHERE))
                for call in calls
            ]
        except BadCall:  # it was another's
            return self._retold(step, screen)
        if not is_whole(called, step):
            return self._retold(step, screen)
        found = results(called, step.outcomes)
        return reply, [self._response(call, one) for call, one in zip(calls, found, strict=True)]

    def _retold(self, step: Step, screen: Screen) -> tuple[Message, list[Message]]:
        """A content that says the same, for the step of another model or a person; in words what no call says."""
        parts = [_text(step.act.thought)] if step.act.thought.strip() else []
        answers: list[Message] = []
        words: list[Message] = []
        for action, result in each(step):
            call = self._call(action, screen)
            if call is None:
                parts.append(_text(f"Done without a function: {shown(action)}"))
                words.append(_text(f"{shown(action)}: {result.text}"))
                continue
            signed = {} if answers else {"thoughtSignature": _UNSIGNED}
            parts.append({"functionCall": call} | signed)
            answers.append(self._response(call, result))
        return {"role": "model", "parts": parts or [_text("(nothing)")]}, [*answers, *words]

    def _call(self, action: Action, screen: Screen) -> Message | None:
        try:
            said = call_of(action, self.generation, screen)
        except BadCall:  # nobody knows on which picture
            return None
        if said is None or said[0] not in self._names():
            said = call_beside(action, screen, zoom=True)
        return None if said is None else {"name": said[0], "args": said[1]}

    def _response(self, call: Message, result: Result) -> Message:
        """The answer to a call. A check of it is acknowledged: a step is only there if the person did so."""
        response: Message = {"error" if result.failed else "output": result.text}
        if call["name"] in KNOWN and (self.generation == "2.5" or self.environment == "browser"):
            response["url"] = ""  # demanded of browsers; which page it is stands on the screenshot
        if _must_confirm(call):
            response["safety_acknowledgement"] = "true"
        answer: Message = {"name": call["name"], "response": response}
        return {"functionResponse": ({"id": call["id"]} if "id" in call else {}) | answer}


def _calls_in(content: Message) -> list[Message]:
    return [part["functionCall"] for part in content.get("parts") or () if "functionCall" in part]


def _decision(given: Mapping[str, object]) -> Mapping[str, Any]:
    decision = given.get("safety_decision")
    return decision if isinstance(decision, dict) else {}


def _must_confirm(call: Message) -> bool:
    return str(_decision(call.get("args") or {}).get("decision", "")) not in _UNCONCERNED


def _checks(name: str, given: Mapping[str, object]) -> Iterator[SafetyCheck]:
    decision = _decision(given)
    code = str(decision.get("decision", ""))
    if code not in _UNCONCERNED:
        yield SafetyCheck(message=str(decision.get("explanation") or _CONFIRM), id=name, code=code)


def _with_screen(answers: list[Message], turn: Turn, seen: Observation) -> list[Message]:
    """The answers with what is seen after them; the screen inside the last answer to one of Gemini's functions."""
    places = [place for place, answer in enumerate(answers) if _is_native(answer)]
    parts, screen = screen_apart(turn, seen)
    if not places or screen is None or (isinstance(screen, Image) and not screen.whole):
        return [*answers, *map(_part, turn.parts)]
    answer = answers[places[-1]]["functionResponse"]
    if isinstance(screen, Stub):
        answer = answer | {"response": answer["response"] | {"screenshot": screen.text}}
    else:
        answer = answer | {"parts": [_part(screen)]}
    whole = {"functionResponse": answer}
    return [*answers[: places[-1]], whole, *answers[places[-1] + 1 :], *map(_part, parts)]


def _is_native(answer: Message) -> bool:
    return "functionResponse" in answer and answer["functionResponse"]["name"] in KNOWN


def _added(prompt: Prompt, words: str) -> Prompt:
    """The prompt with these words at the end of its last content: two of the user's may not follow each other."""
    *before, last = prompt.messages
    return replace(prompt, messages=(*before, last | {"parts": [*last["parts"], _text(words)]}))


def _part(part: Part) -> Message:
    if isinstance(part, Image):
        return {"inlineData": {"mimeType": part.media_type, "data": part.base64}}
    return _text(part.text)


def _user(parts: list[Message]) -> Message:
    return {"role": "user", "parts": parts}


def _text(words: str) -> Message:
    return {"text": words}
