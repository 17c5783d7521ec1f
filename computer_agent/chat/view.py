"""Events folded into lines: what it sees, thinks, is about to do, what that changed, what it cost.

Lines are only ever appended: nothing is drawn twice, so that a pipe, a log and a scrollback read alike.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING, assert_never

from rich.console import Console
from rich.segment import Segment, Segments
from rich.text import Text

from computer_agent.chat.wrapping import wrapped
from computer_agent.models.steps import shown
from computer_agent.step import (
    AtLine,
    Deciding,
    Done,
    Finished,
    Looking,
    NotDone,
    Paused,
    Performed,
    Printing,
    Started,
    Stepped,
    Thinking,
    Writing,
)
from computer_api.actions import (
    Browse,
    ClipboardGet,
    ClipboardSet,
    Expect,
    ExpectClipboard,
    ExpectFile,
    ExpectHttp,
    ExpectProcess,
    ExpectTicked,
    ExpectValue,
    Look,
    RunCode,
    TypeText,
    WaitForWindow,
    Zoom,
)
from computer_api.receipt import short

if TYPE_CHECKING:
    from computer_agent.step import Ending, Event, Outcome, Spent, Usage
    from computer_api.actions import Action
    from computer_api.receipt import Receipt

_MARKS: dict[Ending, tuple[str, str]] = {
    "done": ("Done", "bold green"),
    "gave up": ("Not done", "bold red"),
    "limit": ("Stopped", "bold red"),
    "stopped": ("Stopped", "bold yellow"),
    "failed": ("Failed", "bold red"),
}


_LONG_LINE = 300  # characters of a text that is typed
_LOOKED_AT = re.compile(r"[^\t\n -~]")  # all else is plain
# Letters and marks by their category, and yet there is nothing to see.
_BLANK = frozenset(
    "\N{COMBINING GRAPHEME JOINER}\N{HANGUL CHOSEONG FILLER}\N{HANGUL JUNGSEONG FILLER}\N{HANGUL FILLER}"
    "\N{HALFWIDTH HANGUL FILLER}\N{BRAILLE PATTERN BLANK}\N{KHMER VOWEL INHERENT AQ}\N{KHMER VOWEL INHERENT AA}"
)


class TerminalView:
    """Writes to a terminal or a pipe. Follows NO_COLOR and the width, both by way of rich."""

    def __init__(self, console: Console | None = None, *, quiet_thoughts: bool = False) -> None:
        self.console = console or Console(highlight=False, soft_wrap=False)
        self.quiet_thoughts = quiet_thoughts
        self._open_line = False
        self._open_style = ""
        self._spent: Spent | None = None
        self._last = ""  # what asking for the last step took

    def show(self, event: Event) -> None:  # noqa: C901 - one arm an event
        """Write what an event says."""
        match event:
            case Started():
                self._started(event)
            case Looking():
                self._looking(event)
            case Thinking(text=text):
                if not self.quiet_thoughts:
                    self._stream(text, "italic")
            case Writing() | AtLine():  # the code is shown whole when it is about to run
                pass
            case Deciding(action=action, nested=nested):
                self._deciding(action, nested=nested)
            case Printing(text=text):
                self._stream(text, "dim")
            case Performed(outcome=outcome, nested=nested):
                self._performed(outcome, nested=nested)
            case Paused(words=words):
                self._line(f"     ‖ {words}", "bold yellow")
            case Stepped():
                self._stepped(event)
            case Finished():
                self._finished(event)
            case _:
                assert_never(event)

    @property
    def width(self) -> int:
        """In columns; of a dumb terminal, too, which rich takes to have 80."""
        if self.console.is_dumb_terminal:
            with suppress(OSError, ValueError):
                return os.get_terminal_size(self.console.file.fileno()).columns or self.console.width
        return self.console.width

    def say(self, words: str, style: str = "", *, whole: bool = False) -> None:
        """Write a line of our own, on a narrow terminal as several; ``whole``: as it is, such as a line of code."""
        self._line(words, style, whole=whole)

    def has_just_shown(self, action: Action) -> bool:  # noqa: ARG002 - for views that show code as it is written
        """Whether the action, as a whole, is the last thing that stands there."""
        return False

    def is_shown(self, action: Action) -> None:
        """Hear that a question has just shown the action."""

    def _started(self, event: Started) -> None:
        task = event.task.strip().splitlines()
        more = f"  (+{len(task) - 1} lines)" if len(task) > 1 else ""
        self._line(f"Task     {task[0] if task else ''}{more}", "bold")
        self._line(f"Desktop  {event.desktop}    Model  {event.model}", "dim")
        self._line(f"Trace    {event.trace}", "dim")

    def _looking(self, event: Looking) -> None:
        seen = event.seen
        if seen.screenshot is not None:
            what = f"sees the screen, {seen.screenshot.size}"
        else:
            what = f"the screen is as at step {seen.unchanged_since}"
        so_far = "" if self._spent is None else f"  ({readable_spent(self._spent)} so far{self._last})"
        self._line(f"{event.number:>3}  {what}{so_far}", "dim")
        for note in seen.notes:
            self._line(f"     ! {note}", "yellow")

    def _deciding(self, action: Action, *, nested: bool) -> None:
        step = shown(action)
        # Of a text the beginning: whoever was asked has seen all of it, and the trace has it.
        words = [_brief(step)] if isinstance(action, TypeText | ClipboardSet) else step.splitlines()
        self._line(f"{_indent(nested)}→ {words[0]}", "cyan")
        for line in words[1:]:
            self._line(f"{_indent(nested)}  {line}", "cyan")

    def _performed(self, outcome: Outcome, *, nested: bool) -> None:
        match outcome:
            case Done(action=action, receipt=receipt):
                mark, style = ("✗", "red") if receipt.failed else ("✓", "green")
                said = _result(action, receipt)
                self._line(f"{_indent(nested)}{mark} {said}  ({receipt.seconds:.2f} s)", style)
            case NotDone(action=action, why=why, kind="refused"):
                self._line(f"{_indent(nested)}✗ refused: {_short(action)}: {why}", "red")
            case NotDone(why=why):
                self._line(f"{_indent(nested)}✗ {why}", "red")
            case _:
                assert_never(outcome)

    def _stepped(self, event: Stepped) -> None:
        for outcome in event.step.outcomes:
            if isinstance(outcome, NotDone) and outcome.kind == "skipped":  # nothing else has told of it
                self._line(f"     ✗ skipped: {_short(outcome.action)}: {outcome.why}", "red")
        self._spent = event.spent
        self._last = _asked(event.step.act.usage)

    def _finished(self, event: Finished) -> None:
        mark, style = _MARKS[event.ending]
        self._line(f"{mark}: {event.words}", style)
        self._line(readable_spent(event.spent), "dim")

    def _stream(self, text: str, style: str) -> None:
        """Pieces as they come, each new line indented; the next event, or what is said by another, closes the line."""
        if style != self._open_style:
            self.break_line()
        self._open_style = style
        if not text:
            return
        first, *rest = printable(text).split("\n")
        lines = [first if self._open_line else _indented(first), *map(_indented, rest)]
        # At once, and not as a Text, which looks for words to wrap: that takes ten times as long.
        look = self.console.get_style(style)
        pieces = [piece for line in lines for piece in (Segment(line.expandtabs(), look), Segment.line())]
        self.console.print(Segments(pieces[:-1]), end="", soft_wrap=True)
        self._open_line = bool(lines[-1])

    def break_line(self) -> None:
        """End the line that is open, if one is."""
        if self._open_line:
            self.console.print()
            self._open_line = False

    def _line(self, words: str, style: str = "", *, whole: bool = False) -> None:
        self.break_line()
        lines = printable(words).split("\n")
        if self.console.is_terminal and not whole:
            lines = [wrapped(line, self.width) for line in lines]
        self.console.print(Text("\n".join(lines), style=style), soft_wrap=True)


def _result(action: Action, receipt: Receipt) -> str:
    match action:
        case RunCode():
            return "the code failed" if receipt.failed else "the code ran"
        case Expect(gone=gone) | WaitForWindow(gone=gone) | ExpectFile(gone=gone) | ExpectProcess(gone=gone):
            return "it is gone" if gone else "it is there"
        case ExpectValue() | ExpectTicked() | ExpectClipboard() | ExpectHttp():
            return "it is so"
        case Look() | Zoom():
            return "seen"
        case ClipboardGet():
            return _read(action, receipt)
        case Browse():  # a page's title and address, not all of it
            first = receipt.output.strip().partition("\n")[0]
            return "; ".join(filter(None, (receipt.sentence(), first)))
        case _:
            return "; ".join(filter(None, (receipt.sentence(), receipt.output.removesuffix("."))))


def _read(action: ClipboardGet, receipt: Receipt) -> str:
    if action.kind == "image":
        return "read a picture" if receipt.images else receipt.output.removesuffix(".")
    if not receipt.output:
        return f"read nothing: it holds no {'HTML' if action.kind == 'html' else 'text'}"
    count = len(receipt.output)
    return f'read "{short(receipt.output)}", {count:,} character{"" if count == 1 else "s"}'


def _brief(line: str) -> str:
    """The line, or its beginning and how long it is."""
    return line if len(line) <= _LONG_LINE else f"{line[:_LONG_LINE]}… ({len(line):,} characters)"


def _short(action: Action) -> str:
    """The action on one line."""
    return f"the {action.language} code" if isinstance(action, RunCode) else shown(action)


def _indented(line: str) -> str:
    return f"     {line}" if line else ""


def _indent(nested: bool) -> str:  # noqa: FBT001 - a flag of the event it comes from
    return "       " if nested else "     "


def readable_spent(spent: Spent) -> str:
    """Steps, seconds and dollars."""
    steps = f"{spent.steps} step{'' if spent.steps == 1 else 's'}"
    return f"{steps}, {spent.seconds:.1f} s, {_money(spent.dollars)}"


def _asked(usage: Usage) -> str:
    """What one step took of the model: nothing where no model was asked."""
    tokens = usage.tokens_in + usage.tokens_out
    if not tokens:
        return ""
    cached = f", {usage.tokens_cached:,} of them cached" if usage.tokens_cached else ""
    return f"; the last step {_money(usage.dollars)}, {tokens:,} tokens{cached}"


def _money(dollars: float | None) -> str:
    return "price unknown" if dollars is None else f"${dollars:.4f}" if dollars else "$0"


def printable(text: str) -> str:
    """The text with control, invisible and direction-changing characters made visible."""
    return _LOOKED_AT.sub(lambda found: found[0] if _plain(found[0]) else f"⟨U+{ord(found[0]):04X}⟩", text)


def _plain(character: str) -> bool:
    from unicodedata import category

    if character in _BLANK or "\N{VARIATION SELECTOR-17}" <= character <= "\N{VARIATION SELECTOR-256}":
        return False
    return character in "\t\n" or category(character) not in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
