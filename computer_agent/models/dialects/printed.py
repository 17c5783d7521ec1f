"""For models without tool calling: our tools in words, a call is one JSON object or one block of code in plain text."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from computer_agent.code_settings import BadSetting
from computer_agent.context import numbers
from computer_agent.context.results import result_of
from computer_agent.model_settings import Templates
from computer_agent.models.coordinates import PIXELS, Pixels, Relative, moved
from computer_agent.models.dialect import NoCall
from computer_agent.models.dialects.arguments import BadCall
from computer_agent.models.dialects.function_calling import PIXEL_RULE, THOUSANDTH_RULE
from computer_agent.models.dialects.function_tools import call_of, decision_of
from computer_agent.models.dialects.printed_calls import (
    MARKS,
    blocks,
    call_in,
    first_call,
    object_in,
    tagged,
    without_thinking,
)
from computer_agent.models.dialects.text_dialect import CUT_OFF, EMPTY, Said, TextDialect, check_length
from computer_agent.step import Act, Answer, Done
from computer_agent.system_prompt import rules
from computer_api.actions import RunCode
from computer_api.geometry import Pixel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from computer_agent.models.dialect import Call, Reply
    from computer_agent.step import Observation, Outcome
    from computer_api.actions import Action
    from computer_api.geometry import Size

CODE = frozenset(
    {
        *("python", "py", "python3", "ipython"),
        *("shell", "sh", "bash", "zsh", "console", "terminal", "shellscript", "shell-session"),
        *("javascript", "js", "node", "nodejs", "typescript", "ts"),
        *("powershell", "pwsh", "ps1", "applescript", "osascript"),
        *("ruby", "rb", "r", "rscript", "perl", "pl", "go", "golang", "java", "lua", "php", "html", "htm"),
    }
)
"""Words after a fence that make a block code to be run."""

_CONTENT = "{content}"
_ASK = (
    "That was no call. Write one ```json block with a call, or one block of code with its language after the fence; "
    "if the task is done or cannot be done, call finish."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A call in the text: its tool and arguments, where it begins and ends, and whether it is closed."""

    name: str
    given: Mapping[str, object]
    start: int
    end: int
    closed: bool = True


@dataclass(slots=True)
class Printed(TextDialect):
    """Our tools in words. ``templates`` say how the task and the output of code are put to the model.

    Only the first call of a reply counts: what comes after it was written without seeing what it did. ``space`` is how
    the model counts places on pictures; what is told in words alone is in pixels always. Raises ``BadSetting`` for a
    template without exactly one ``{content}``.
    """

    system: str = field(default_factory=rules)
    templates: Templates = field(default_factory=Templates, kw_only=True)
    space: Pixels | Relative = field(default=PIXELS, kw_only=True)

    needs_pictures: ClassVar[bool] = False
    marks: ClassVar[tuple[str, ...]] = MARKS

    def __post_init__(self) -> None:
        for name in ("user_message", "code_output"):
            template = getattr(self.templates, name)
            if template.count(_CONTENT) != 1:
                raise BadSetting(f'The template "{name}" has {_CONTENT} in it once, not as in "{template}".')

    def decision(self, reply: Reply, now: Observation) -> Act | Answer:
        """The first call as an action, also where it names an element by its number. Raises ``BadCall``."""
        text = "\n".join([without_thinking(reply.text), *map(self._called, reply.calls)])
        check_length(text)
        cut_off = reply.finish == "length"
        try:
            found = _call(text)
        except BadCall as bad:
            raise BadCall(CUT_OFF if cut_off else str(bad)) from bad
        if cut_off and (found is None or not found.closed):
            raise BadCall(CUT_OFF)
        if found is None:
            raise NoCall(_ASK if text.strip() else EMPTY)
        given, meant = numbers.placed(found.given, now)
        decision = decision_of(found.name, given)
        words = text[: found.start].strip()
        if isinstance(decision, Answer):
            return Answer(text=decision.text or words, done=decision.done)
        if not meant:  # the places of elements are pixels already
            size = self._size if now.screenshot is None else now.screenshot.size
            decision = self._moved(
                decision, size, lambda place, seen: self.space.pixel(place.x, place.y, seen)
            )
        return Act(thought=words, actions=(decision,), meant=(meant,), reply=reply.message)

    def _instructions(self) -> str:
        name = "printed_code.md" if self.history.observe == "nothing" else "printed.md"
        path = Path(__file__).parent.parent.parent / "prompts" / name
        system = self.system
        if self._counts_otherwise:
            system = system.replace(PIXEL_RULE, THOUSANDTH_RULE)
        told = [system, path.read_text(encoding="utf-8").strip()]
        if self.history.observe in ("marked", "text"):
            told += [f"- {name}: {description}" for name, (_, description) in numbers.FIELDS.items()]
        return "\n\n".join(filter(None, told[:2])) + "".join(f"\n{line}" for line in told[2:])

    @property
    def _counts_otherwise(self) -> bool:
        return isinstance(self.space, Relative) and self.history.observe in ("picture", "marked")

    def _moved(self, action: Action, size: Size | None, place: Callable[[Pixel, Size], Pixel]) -> Action:
        """The action with its places counted in the other way."""
        if not self._counts_otherwise or size is None:
            return action
        return moved(action, lambda pixel: place(pixel, size))

    def _read(self, text: str, _: Size | None) -> Said:
        found = _call(text)
        if found is None:
            raise NoCall(_ASK)
        given = {name: value for name, value in found.given.items() if name not in numbers.FIELDS}
        placed = given if len(given) == len(found.given) else {"x": 0, "y": 0, **given}
        words = text[: found.start].strip()
        return Said(words=words, decisions=(decision_of(found.name, placed),), end=found.end)

    def _line(self, action: Action, size: Size | None) -> str:
        if isinstance(action, RunCode) and not action.outside and _fits(action):
            fence = "~~~" if "```" in action.code else "```"
            return f"{fence}{action.language}\n{action.code}\n{fence}"
        action = self._moved(
            action, size, lambda pixel, seen: Pixel(*map(round, self.space.numbers(pixel, seen)))
        )
        name, given = call_of(action)
        call = json.dumps({"name": name, "arguments": given}, ensure_ascii=False)
        return f"```json\n{call}\n```"

    def _wrapped(self, words: str, calls: list[str]) -> str:
        return "\n".join(filter(None, [words, *calls]))

    def _called(self, call: Call) -> str:
        return f'{{"name": {json.dumps(call.name)}, "arguments": {call.arguments or "{}"}}}'

    def _task(self, task: str) -> str:
        return f"Task: {self.templates.user_message.replace(_CONTENT, task)}"

    def _told(self, outcome: Outcome) -> str:
        result = result_of(outcome)
        if not isinstance(outcome, Done) or not isinstance(outcome.action, RunCode):
            return f"Result: {result}"
        if not outcome.receipt.output and not outcome.receipt.failed:
            return self.templates.empty_code_output
        return self.templates.code_output.replace(_CONTENT, result)


def _call(text: str) -> _Found | None:
    """The first call in the text. Raises ``BadCall`` for a block that was meant as one."""
    marked = sorted(_marked(text), key=lambda found: found.start)
    first = marked[0] if marked else None
    bare = first_call(text[: first.start] if first else text)
    if bare is not None:
        place = text.find("{")
        return _Found(
            name=bare[0], given=bare[1], start=max(place, 0), end=first.start if first else len(text)
        )
    if first is None:
        _check_meant(text)
    return first


def _marked(text: str) -> Iterator[_Found]:
    """The calls in fences and tags."""
    for block in blocks(text):
        called = call_in(block.body)
        if called is not None:
            yield _Found(name=called[0], given=called[1], start=block.start, end=block.end)
        elif block.word in CODE and block.body.strip():
            given = {"language": block.word, "code": block.body}
            yield _Found(name="run_code", given=given, start=block.start, end=block.end, closed=block.closed)
    for inner, start, end in tagged(text):
        called = call_in(inner)
        if called is not None:
            yield _Found(name=called[0], given=called[1], start=start, end=end)


def _check_meant(text: str) -> None:
    """Raise ``BadCall`` for a JSON object that cannot be read, or a block that does not say what it is."""
    for block in blocks(text):
        meant = block.word in {"json", "tool_call"} and block.body.lstrip().startswith("{")
        if meant and object_in(block.body) is None:
            raise BadCall(f'The JSON of your call cannot be read: "{_start(block.body)}".')
        if not block.word and block.body.strip():
            raise BadCall("Your block does not say what it is: write the language, or json, after its fence.")


def _fits(action: RunCode) -> bool:
    """Whether the code is read back as it is from a block."""
    fence = "~~~" if "```" in action.code else "```"
    code = f"{fence}{action.language}\n{action.code}\n{fence}"
    found = blocks(code)
    same = (
        len(found) == 1
        and found[0].closed
        and (found[0].word, found[0].body)
        == (
            action.language,
            action.code,
        )
    )
    return same and action.language in CODE and bool(action.code.strip()) and call_in(action.code) is None


def _start(text: str) -> str:
    text = text.strip()
    return text if len(text) <= 80 else f"{text[:79]}…"  # noqa: PLR2004 - enough to recognise it
