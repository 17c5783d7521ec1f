"""The dialect of the Python object: one function, ``execute``, and LMC messages as the history.

What the model is shown is what ``interpreter.messages`` holds, each time anew: who changes them changes what it
remembers. A model without functions writes its code between fences.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from computer_agent.context.history import History
from computer_agent.context.results import as_data
from computer_agent.context.tokens import tokens_of
from computer_agent.models.dialect import NoCall, Prompt
from computer_agent.models.dialects.arguments import BadCall
from computer_agent.models.dialects.function_tools import CODE_NAMES, decision_of
from computer_agent.models.dialects.printed import CODE
from computer_agent.models.dialects.printed_calls import (
    WordsOnly,
    blocks,
    first_call,
    without_thinking,
    words_before_call,
)
from computer_agent.models.wires.arguments_text import UNREADABLE
from computer_agent.python_object.pictures import bytes_of
from computer_agent.python_object.wording import PRINTED_NOTHING, PROMPTS
from computer_agent.step import Act, Answer
from computer_api.actions import RunCode

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from computer_agent.lmc import Chunk
    from computer_agent.models.dialect import Message, Reply
    from computer_agent.python_object.wording import Wording
    from computer_agent.step import Observation, Step

_NOTHING = "(nothing)"
_NOT_RUN = "This code was not run."
_UNSEEN = "[a picture, which is not sent to this model]"
_OLD_PICTURE = "[an older picture, which is not sent again]"
_PICTURES = 5  # of the computer's own that are sent
_FEWEST = 2  # messages that are sent however small the model's window is


@dataclass(slots=True)
class Execute:
    """``messages`` are read anew for each prompt; ``wording`` says how, ``languages`` what may be asked for.

    ``functions``: whether the model has them, ``None`` where nobody knows: then both forms are understood. ``window``
    is how many tokens are sent at most: the oldest messages are left out first. ``more`` are messages that are sent
    after those and not kept. ``describe`` puts a picture into words for a model that cannot see.
    """

    messages: Callable[[], Sequence[Chunk]]
    wording: Callable[[], Wording]
    languages: Callable[[], Sequence[str]]
    functions: bool | None = field(default=None, kw_only=True)
    sees: bool = field(default=True, kw_only=True)
    window: int | None = field(default=None, kw_only=True)
    more: Sequence[Chunk] = field(default=(), kw_only=True)
    describe: Callable[[Chunk], str] | None = field(default=None, kw_only=True)
    history: History = field(default_factory=lambda: History(observe="nothing"), kw_only=True)

    def prompt(self, task: str, past: Sequence[Step], now: Observation) -> Prompt:
        """The messages, whatever the steps were."""
        del task, past, now
        wording = self.wording()
        system = wording.system
        if self.functions is not True:
            system += "\n\n" + (PROMPTS / "execute_printed.md").read_text(encoding="utf-8").strip()
        meant = [one for one in (*self.messages(), *self.more) if one.get("recipient") in (None, "assistant")]
        kept = _without_old_pictures(meant)
        tools = () if self.functions is False else (self._tool(),)
        prompt = Prompt(wire="chat", system=system, messages=self._told(kept, wording), tools=tools)
        while self.window is not None and len(kept) > _FEWEST and self._size(prompt) > self.window:
            kept = kept[max(1, len(kept) // 8) :]
            prompt = replace(prompt, messages=self._told(kept, wording))
        return prompt

    def shown(self, on_delta: Callable[[str], None]) -> WordsOnly:
        """Words only: code is passed on apart from them."""
        return WordsOnly(on_delta, is_call=lambda text: self._printed(text) is not None)

    def decision(self, reply: Reply, now: Observation) -> Act | Answer:
        """The calls as code to be run, or the first block. Raises ``BadCall``."""
        del now
        if reply.calls:
            actions = tuple(_action(call.name, _given(call.arguments, reply.finish)) for call in reply.calls)
            return Act(thought=reply.text.strip(), actions=actions, reply=reply.message)
        text = without_thinking(reply.text)
        printed = self._printed(text)
        if printed is not None:
            words, action = printed
            return Act(thought=words, actions=(action,), reply=reply.message)
        raise NoCall("Your reply was empty. Answer in words, or run code.")

    def corrected(self, prompt: Prompt, reply: Reply, wrong: str) -> Prompt:
        """Each call is answered."""
        if not reply.calls:
            said = [reply.message] if reply.text.strip() else []
            return prompt.and_then(*said, {"role": "user", "content": wrong})
        answers = [
            {"role": "tool", "tool_call_id": call.id, "content": f"Nothing was run. {wrong}"}
            for call in reply.calls
        ]
        return prompt.and_then(reply.message, *answers)

    def _size(self, prompt: Prompt) -> int:
        return tokens_of(prompt, self.history.provider)

    def _tool(self) -> Message:
        fields = {
            "language": {"type": "string", "description": "Its language.", "enum": list(self.languages())},
            "code": {"type": "string", "description": "The code."},
        }
        return {
            "type": "function",
            "function": {
                "name": "execute",
                "description": "Run code on this computer; variables are kept between calls.",
                "parameters": {"type": "object", "properties": fields, "required": ["language", "code"]},
            },
        }

    def _printed(self, text: str) -> tuple[str, RunCode] | None:
        """The words before the first block or printed call, and the code in it."""
        if self.functions is not True:
            known = {name.lower() for name in self.languages()} | CODE
            for block in blocks(text):
                if block.word in known and block.body.strip():
                    return text[: block.start].strip(), RunCode(language=block.word, code=block.body)
        called = first_call(text)
        if called is None or called[0] not in CODE_NAMES:
            return None
        return words_before_call(text).strip(), _action(*called)

    def _told(self, kept: Sequence[Chunk], wording: Wording) -> tuple[Message, ...]:
        telling = _Telling(self, wording)
        last = max((at for at, one in enumerate(kept) if one["role"] == "user"), default=-1)
        for at, message in enumerate(kept):
            telling.tell(message, newest=at == last)
        return telling.done()


@dataclass(slots=True)
class _Telling:
    """Puts messages into the form of chat completions, one after the other."""

    dialect: Execute
    wording: Wording
    _messages: list[Message] = field(default_factory=list, init=False)
    _asked: str = field(default="", init=False)  # the id of the call that waits for its output
    _outputs: list[str] = field(default_factory=list, init=False)  # of that call
    _pictures: list[Message] = field(default_factory=list, init=False)  # which come after it
    _calls: int = field(default=0, init=False)

    def tell(self, message: Chunk, *, newest: bool) -> None:
        role, kind = message["role"], message["type"]
        if role == "computer":
            self._computer(message)
            return
        self._answer()
        if kind == "code" and role == "assistant":
            self._code(message)
        elif kind == "image":
            self._add("user", self._picture(message))
        else:
            text = _text_of(message)
            if role == "user" and kind == "message" and (newest or self.wording.always_user_message):
                text = self.wording.user_message.replace("{content}", text)
            self._add(role, text or _NOTHING)

    def done(self) -> tuple[Message, ...]:
        self._answer()
        return tuple(self._messages)

    def _computer(self, message: Chunk) -> None:
        match message["type"], message.get("format"):
            case "console", "output":
                self._outputs.append(str(message["content"]))
            case "image", _:
                self._pictures.append({"role": "user", "content": self._picture(message)})
            case _:  # what a person is shown
                pass

    def _code(self, message: Chunk) -> None:
        language, code = str(message.get("format") or "python"), str(message["content"])
        if self.dialect.functions is False:
            fence = "~~~" if "```" in code else "```"
            self._join(f"{fence}{language}\n{code}\n{fence}")
            self._asked = "printed"
            return
        self._calls += 1
        self._asked = f"call_{self._calls}"
        arguments = json.dumps({"language": language, "code": code}, ensure_ascii=False)
        call = {
            "id": self._asked,
            "type": "function",
            "function": {"name": "execute", "arguments": arguments},
        }
        last = self._messages[-1] if self._messages else {}
        if last.get("role") == "assistant" and "tool_calls" not in last:
            last["tool_calls"] = [call]
        else:
            self._messages.append({"role": "assistant", "content": None, "tool_calls": [call]})

    def _answer(self) -> None:
        """Say what became of the call before, and what was printed without one; then come its pictures."""
        output = as_data("".join(self._outputs))
        if self._asked and self._asked != "printed":
            said = output if output.strip() else PRINTED_NOTHING
            said = said if self._outputs or self._pictures else _NOT_RUN
            self._messages.append({"role": "tool", "tool_call_id": self._asked, "content": said})
        elif self._outputs:
            template = self.wording.code_output if output.strip() else self.wording.empty_code_output
            self._add(self.wording.output_sender, template.replace("{content}", output))
        elif self._asked and not self._pictures:
            self._add("user", _NOT_RUN)
        self._messages += self._pictures
        self._asked, self._outputs, self._pictures = "", [], []

    def _add(self, role: str, content: str | list[Message]) -> None:
        if content:
            self._messages.append({"role": role, "content": content})

    def _join(self, text: str) -> None:
        """Add to what the assistant said last."""
        last = self._messages[-1] if self._messages else {}
        if last.get("role") == "assistant" and isinstance(last.get("content"), str):
            last["content"] += f"\n\n{text}"
        else:
            self._add("assistant", text)

    def _picture(self, message: Chunk) -> str | list[Message]:
        """The picture as a part of a message, or words in its place."""
        if message.get("format") == "description":
            return str(message["content"])
        if not self.dialect.sees:
            return _UNSEEN if self.dialect.describe is None else self.dialect.describe(message)
        url = _url_of(message)
        if url is None:
            return f'[the picture "{message["content"]}" cannot be read]'
        return [{"type": "image_url", "image_url": {"url": url}}]


def _without_old_pictures(messages: list[Chunk]) -> list[Chunk]:
    """The messages, with words for all but the newest pictures of the computer's own; a person's stay."""
    places = [at for at, one in enumerate(messages) if one["type"] == "image" and one["role"] == "computer"]
    old = set(places[:-_PICTURES])
    return [
        {**one, "format": "description", "content": _OLD_PICTURE} if at in old else one
        for at, one in enumerate(messages)
    ]


def _text_of(message: Chunk) -> str:
    """A message of words, a file or code of a person's, as text."""
    match message["type"]:
        case "code":
            return f"```{message.get('format', '')}\n{message['content']}\n```"
        case "file":
            return f'The file "{message["content"]}".'
        case _:
            return str(message["content"])


def _url_of(message: Chunk) -> str | None:
    kind = str(message.get("format") or "base64")
    if kind == "path":
        data = bytes_of(message)
        if data is None:
            return None
        media = "jpeg" if data.startswith(b"\xff\xd8") else "png"
        return f"data:image/{media};base64,{base64.b64encode(data).decode()}"
    return f"data:image/{kind.partition('.')[2] or 'png'};base64,{message['content']}"


def _action(name: str, given: dict[str, Any]) -> RunCode:
    if name not in CODE_NAMES:
        raise BadCall(f'There is no function "{name}". The one that there is is execute(language, code).')
    action = decision_of(name, given)
    assert isinstance(action, RunCode)  # noqa: S101 - for the type checker: that is what those names ask for
    return replace(action, outside=False)


def _given(arguments: str, finish: str) -> dict[str, Any]:
    given: dict[str, Any] = json.loads(arguments)
    if UNREADABLE not in given:
        return given
    if finish == "length":
        raise BadCall("Your reply was longer than allowed and was cut off. Send a shorter one.")
    raise BadCall(f'The arguments are no JSON object: "{str(given[UNREADABLE])[:80]}".')
