"""LMC, the messages that Open Interpreter speaks: our events as its chunks, and its chunks as its messages.

A message is a flat dict: ``role`` (``user``, ``assistant``, ``computer``), ``type``, perhaps ``format``, ``content``,
perhaps ``recipient``. A chunk is a piece of one. Between the chunks come flags, which have no content: ``start`` opens
a bracket and ``end`` closes it.

``Recorder`` puts chunks in their brackets and keeps what they come to; ``Fold`` makes chunks of the loop's events.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from computer_agent.step import (
    AtLine,
    Deciding,
    Done,
    Finished,
    Looking,
    Performed,
    Printing,
    Thinking,
    Writing,
)
from computer_api.actions import CHECKS, AnswerPrompt, RunCode, TypeText, secret_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from computer_agent.step import Event, Outcome
    from computer_api.actions import Action
    from computer_api.receipt import Receipt

Chunk = dict[str, Any]
"""A message, a piece of one, or a flag."""

_HIDDEN = "•••"
_LONGEST_COMPARED = 200_000  # characters of an output that are worth comparing with what was streamed of it
_NEVER_KEPT = ("active_line", "review")


def cut_note(max_output: int) -> str:
    """What stands before an output of which only the end is kept."""
    return f"[Only the last {max_output} characters of this output are kept.]\n\n"


def code_of(action: Action) -> tuple[str, str]:
    """An action as a language and its code: what is done on the screen is a call of ``computer`` in Python."""
    if isinstance(action, RunCode):
        return action.language, action.code
    from computer_agent.trace.export_python import written_call

    if secret_text(action):
        if not isinstance(action, TypeText | AnswerPrompt):
            return "python", f"computer.perform({type(action).__name__}(...))"
        action = replace(action, text=_HIDDEN)
    return "python", written_call(action)


def confirmation(language: str, code: str) -> Chunk:
    """What asks a consumer whether that code may run."""
    content = {"type": "code", "format": language, "content": code}
    return {"role": "computer", "type": "confirmation", "format": "execution", "content": content}


@dataclass(slots=True)
class Recorder:
    """Puts chunks in brackets, and keeps what they come to in ``messages``.

    What is kept does not depend on how content was cut into chunks. What is yielded is a copy: nobody who keeps it sees
    it grow. An output keeps its last ``max_output`` characters. ``kept`` is called whenever a message is whole.
    """

    messages: list[Chunk]
    max_output: int = 2800
    kept: Callable[[], None] = field(default=lambda: None, kw_only=True)
    _open: Chunk | None = field(default=None, init=False)
    _cut: Chunk | None = field(
        default=None, init=False
    )  # the message that has a note before what is left of it

    @property
    def is_open(self) -> bool:
        """Whether a bracket is."""
        return self._open is not None

    def add(self, chunk: Chunk) -> Iterator[Chunk]:
        """The flags that the chunk brings, and the chunk; an empty one vanishes."""
        if chunk.get("content") == "":
            return
        if chunk["type"] == "confirmation":
            yield from self.end()
            yield dict(chunk)
            return
        opens = self._open is None or not _belongs(chunk, self._open)
        if opens:
            yield from self.end()
            self._open = _bracket(chunk)
            yield {**self._open, "start": True}
        message = self._keep(chunk, opens=opens)
        yield dict(chunk)
        if message is not None and message["type"] == "console":
            self._shorten(message)

    def end(self) -> Iterator[Chunk]:
        """The flag that closes the open bracket, if one is."""
        if self._open is not None:
            closed, self._open = self._open, None
            self.kept()
            yield {**closed, "end": True}

    def keep(self, message: Chunk) -> None:
        """Keep a message that nobody is told of."""
        self.messages.append(message)
        self.kept()

    def _keep(self, chunk: Chunk, *, opens: bool) -> Chunk | None:
        """The message that the chunk is kept in."""
        if chunk.get("format") in _NEVER_KEPT or chunk["type"] in _NEVER_KEPT:
            return None
        last = self.messages[-1] if self.messages else None
        if opens or last is None or not _goes_on(chunk, last):
            self.messages.append(dict(chunk))
        else:
            last["content"] += chunk["content"]
        return self.messages[-1]

    def _shorten(self, message: Chunk) -> None:
        note = cut_note(self.max_output)
        text: str = message["content"]
        if message is self._cut:
            text = text.removeprefix(note)
        if message is self._cut or len(text) > self.max_output:
            self._cut = message
            message["content"] = note + text[max(0, len(text) - self.max_output) :]


def _bracket(chunk: Chunk) -> Chunk:
    """What flags say of the chunks between them."""
    named = {"role": chunk["role"], "type": chunk["type"]}
    if chunk.get("format") is not None and chunk["type"] != "console":
        named["format"] = chunk["format"]
    return named


def _belongs(chunk: Chunk, bracket: Chunk) -> bool:
    if chunk["type"] == "image":  # each is one of its own
        return False
    return (
        chunk["role"] == bracket["role"]
        and chunk["type"] == bracket["type"]
        and ("format" not in bracket or chunk.get("format") == bracket["format"])
    )


def _goes_on(chunk: Chunk, message: Chunk) -> bool:
    """Whether the chunk is more of the message."""
    same = all(chunk.get(key) == message.get(key) for key in ("role", "type", "format", "recipient"))
    return same and isinstance(chunk["content"], str) and isinstance(message.get("content"), str)


_ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][0-9A-Za-z]|[@-Z\\^_=>78])"
)
_BEGUN = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x1b]*\x1b?|[()]?)\Z")
_LONGEST_ESCAPE = 4096


@dataclass(slots=True)
class WithoutEscapes:
    """Takes the escape codes out of an output, however it is cut into pieces."""

    _held: str = field(default="", init=False)

    def add(self, text: str) -> str:
        """The piece without them; what may be the beginning of one waits for the next piece."""
        text = self._held + text
        begun = _BEGUN.search(text)
        if begun is not None and len(begun[0]) > _LONGEST_ESCAPE:
            begun = None
        self._held = "" if begun is None else begun[0]
        return _ESCAPE.sub("", text[: len(text) - len(self._held)])

    def end(self) -> str:
        """What was held back and was none."""
        held, self._held = self._held, ""
        return held


@dataclass(slots=True)
class Fold:
    """Makes chunks of the events of a turn, and has them recorded.

    ``own`` says whether a language makes its chunks itself, which come by ``ran``. ``pictures`` says whether what is
    seen of the screen is shown, too.
    """

    recorder: Recorder
    own: Callable[[str], bool] = lambda _language: False
    pictures: bool = False
    _said: list[str] = field(default_factory=list, init=False)  # since the last action
    _written: list[str] = field(default_factory=list, init=False)  # of the block that is being written
    _later: bool = field(
        default=False, init=False
    )  # a second block is being written, to be shown in its turn
    _shown: str | None = field(default=None, init=False)  # the code that was shown, and has not run yet
    _running: bool = field(default=False, init=False)
    _printed: list[str] = field(default_factory=list, init=False)  # by the block that runs, as it came
    _at: int = field(default=0, init=False)  # the line that was told last
    _direct: bool = field(default=False, init=False)  # its language made chunks itself
    _plain: WithoutEscapes = field(default_factory=WithoutEscapes, init=False)

    def take(self, event: Event) -> Iterator[Chunk]:
        """The chunks of an event."""
        match event:
            case Thinking(text=text):
                yield from self._words(text)
            case Writing(language=language, text=text):
                yield from self._writing(language, text)
            case Deciding(action=action, nested=False):
                yield from self._deciding(action)
            case Printing(text=text) if self._running:
                yield from self._output(text)
            case AtLine(line=line) if self._running:
                yield from self._at_line(line)
            case Performed(outcome=outcome, nested=False):
                yield from self._performed(outcome)
            case Looking(seen=seen) if self.pictures and seen.screenshot is not None:
                yield from self.recorder.add(_image(seen.screenshot.png()))
            case Finished(ending="done" | "gave up", words=words):
                yield from self._answered(words)
            case _:
                pass

    def asked(self, action: Action) -> Iterator[Chunk]:
        """The code, as far as it was not shown, and the question whether it may run."""
        language, code = code_of(action)
        if not self._running:  # code that asks for an action is in the middle of its own output
            yield from self._code(language, code)
        yield from self.recorder.add(confirmation(language, code))

    def shown(self, action: Action) -> Iterator[Chunk]:
        """The code alone, as far as it was not shown: for where nobody is asked."""
        yield from self._code(*code_of(action))

    def edited(self, action: Action) -> RunCode | None:
        """The code as a consumer has changed it in the newest message of code meanwhile, or ``None``."""
        language, code = code_of(action)
        newest = next((one for one in reversed(self.recorder.messages) if one.get("type") == "code"), None)
        if self._running or newest is None or newest.get("content") == code:
            return None
        self._shown = str(newest["content"])
        outside = isinstance(action, RunCode) and action.outside
        return RunCode(language=str(newest.get("format") or language), code=self._shown, outside=outside)

    def resume(self, code: str) -> None:
        """Take it that this code was shown already."""
        self._shown = code

    def ran(self, chunk: Chunk) -> Iterator[Chunk]:
        """A chunk that a language made itself; it has no role."""
        self._direct = True
        yield from self.recorder.add({"role": "computer", **chunk})

    def not_run(self, action: RunCode, why: str) -> Iterator[Chunk]:
        """The code, and why it is not even asked about."""
        yield from self._code(action.language, action.code)
        self._shown = None
        yield from self.recorder.add(_console(f"{why}\n"))

    def _words(self, text: str) -> Iterator[Chunk]:
        self._said.append(text)
        yield from self.recorder.add({"role": "assistant", "type": "message", "content": text})

    def _writing(self, language: str, text: str) -> Iterator[Chunk]:
        """A piece of code; an empty one begins another block, which is shown when the first has run."""
        if not text:
            self._later = bool(self._written)
        elif not self._later:
            self._written.append(text)
            yield from self.recorder.add(_code(language, text))

    def _deciding(self, action: Action) -> Iterator[Chunk]:
        language, code = code_of(action)
        yield from self._code(language, code)
        self._shown, self._running, self._direct = None, True, False
        self._said.clear()
        self._printed.clear()
        self._plain = WithoutEscapes()
        if isinstance(action, RunCode) and not self.own(language):
            self._at = 0
            yield from self._at_line(_first_line(code))

    def _code(self, language: str, code: str) -> Iterator[Chunk]:
        """Show the code, or what was not yet written of it."""
        if self._shown == code:
            return
        written = "".join(self._written)
        self._written.clear()
        self._later = False
        self._shown = code
        last = self.recorder.messages[-1] if self.recorder.messages else {}
        if written and last.get("type") == "code" and last.get("content") == written:
            if code.startswith(written):
                yield from self.recorder.add(_code(str(last.get("format") or language), code[len(written) :]))
            else:  # it was read otherwise in the end than it looked
                last["content"] = code
            return
        yield from self.recorder.end()  # two blocks are two messages
        yield from self.recorder.add(_code(language, code))

    def _at_line(self, line: int) -> Iterator[Chunk]:
        """The line that runs, unless it was told already."""
        if line != self._at:
            self._at = line
            yield from self.recorder.add(_line(line))

    def _output(self, text: str) -> Iterator[Chunk]:
        self._printed.append(text)
        yield from self.recorder.add(_console(self._plain.add(text)))

    def _performed(self, outcome: Outcome) -> Iterator[Chunk]:
        if not self._running:  # it was refused
            yield from self._code(*code_of(outcome.action))
        self._running, self._shown = False, None
        yield from self.recorder.add(_console(self._plain.end()))
        if not isinstance(outcome, Done):
            told = "Not allowed: " if outcome.kind == "refused" else ""
            yield from self.recorder.add(_console(f"{told}{outcome.why}\n"))
            return
        if not self._direct:
            yield from self._received(outcome.action, outcome.receipt)
        if not self.recorder.messages or self.recorder.messages[-1]["role"] != "computer":
            self.recorder.keep(_console(""))
        yield from self.recorder.add(_line(None))

    def _received(self, action: Action, receipt: Receipt) -> Iterator[Chunk]:
        """What was not seen while the action ran: notes at the end of the output, pictures, what a browser shows."""
        if isinstance(action, RunCode):
            rest = _rest("".join(self._printed), receipt.output)
        else:
            came = "it is so" if isinstance(action, CHECKS) else receipt.sentence()
            rest = "\n".join(filter(None, (came, receipt.output)))
            rest = f"{rest}\n" if rest else ""
        yield from self.recorder.add(_console(rest))
        for image in receipt.images:
            yield from self.recorder.add(_image(image))
        for page in receipt.html:
            yield from self.recorder.add(
                {"role": "computer", "type": "code", "format": "html", "content": page}
            )

    def _answered(self, words: str) -> Iterator[Chunk]:
        """The answer, if it was not said before as the model's words."""
        said = "".join(self._said)
        self._said.clear()
        if words.strip() and words.strip() not in said:
            between = "\n\n" if said.strip() else ""
            yield from self.recorder.add({"role": "assistant", "type": "message", "content": between + words})


def _rest(printed: str, output: str) -> str:
    """What stands in the model's copy of an output beyond what was printed: notes on how it ended."""
    from computer_api.terminal.output import plain

    if not printed:
        return output
    if len(printed) > _LONGEST_COMPARED:
        return ""
    seen = plain(printed)
    return output[len(seen) :] if output.startswith(seen) else ""


def _first_line(code: str) -> int:
    """The number of the first line that is not blank, from 1: where a block begins."""
    lines = code.splitlines()
    return next((number for number, line in enumerate(lines, start=1) if line.strip()), 1)


def _code(language: str, text: str) -> Chunk:
    return {"role": "assistant", "type": "code", "format": language, "content": text}


def _console(text: str) -> Chunk:
    return {"role": "computer", "type": "console", "format": "output", "content": text}


def _line(number: int | None) -> Chunk:
    return {"role": "computer", "type": "console", "format": "active_line", "content": number}


def _image(png: bytes) -> Chunk:
    import base64

    content = base64.b64encode(png).decode()
    return {"role": "computer", "type": "image", "format": "base64.png", "content": content}
