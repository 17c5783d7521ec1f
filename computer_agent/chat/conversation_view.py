"""The view of a conversation: Markdown as it streams, code as it is written, output as it comes, pictures.

As in every view of ours lines are only appended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.box import ASCII, SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from computer_agent.approval.code.visible import visible
from computer_agent.chat.code_lines import CodeLines
from computer_agent.chat.markdown import MarkdownFlow
from computer_agent.chat.output_flow import OutputFlow
from computer_agent.chat.view import TerminalView, printable, readable_spent
from computer_agent.step import (
    Deciding,
    Done,
    Finished,
    Looking,
    NotDone,
    Performed,
    Printing,
    Started,
    Thinking,
    Writing,
)
from computer_api.actions import RunCode

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from computer_agent.step import Event
    from computer_api.actions import Action

CODE_INDENT = "  "
_ANSWERED = ("done", "gave up")


class ConversationView(TerminalView):
    """Shows a conversation. ``verbose`` tells what each step saw and cost, ``plain`` shows texts as they are.

    ``show_picture`` shows a PNG or JPEG file that code made.
    """

    def __init__(
        self,
        console: Console | None = None,
        *,
        verbose: bool = False,
        plain: bool = False,
        show_picture: Callable[[bytes], object] = lambda _picture: None,
    ) -> None:
        super().__init__(console or Console(highlight=False, soft_wrap=False, no_color=plain or None))
        self.verbose = verbose
        self.show_picture = show_picture
        self._plain = plain or not self.console.is_terminal
        self._flow = MarkdownFlow(self, lambda: self.width, fancy=self.is_fancy)
        self._output = OutputFlow(lambda text: self._stream(text, "dim"))
        self._said = ""  # by the model, since the last action
        self._code: CodeLines | None = None
        self._line_held = ""  # of the code that is being written
        self._written = ""  # of the block, so far
        self._shown: str | None = None  # the code of the last block that stands there whole

    @property
    def is_fancy(self) -> bool:
        """Whether the terminal can show more than ASCII."""
        return self.console.encoding.casefold().startswith("utf")

    def show(self, event: Event) -> None:
        """Write what an event says."""
        match event:
            case Started():
                if self.verbose:
                    super().show(event)
            case Looking():
                self._looks(event)
            case Thinking(text=text) if not self.quiet_thoughts:
                self._thinks(text)
            case Writing(language=language, text=text):
                self._writes(language, text)
            case Deciding(action=RunCode() as action, nested=False):
                self._runs(action)
            case Printing(text=text):
                self._prints(text)
            case Performed(outcome=outcome, nested=False) if isinstance(outcome.action, RunCode):
                self._ran(event)
            case Finished():
                self._ends(event)
            case _:
                super().show(event)

    def has_just_shown(self, action: Action) -> bool:
        """Whether the code, as a whole, is the last that was shown. What asks for more than to run, is not."""
        self.break_line()
        return isinstance(action, RunCode) and not action.outside and self._shown == _whole(action.code)

    def is_shown(self, action: Action) -> None:
        """Hear that a question has just shown the action."""
        if isinstance(action, RunCode):
            self._shown = _whole(action.code)

    def break_line(self) -> None:
        """End what is open: words, code, a line of output."""
        if self._flow.is_open:
            self._flow.end()
        self._end_code()
        self._output.end()
        super().break_line()
        self._open_style = ""

    # Where Markdown is shown: a Sink.

    def write(self, text: str, style: str) -> None:
        """Show a piece of words; a line feed ends the line."""
        if text.strip():
            self._end_code()
            self._shown = None
        if style:
            self.console.print(Text(printable(text), style=style), end="", soft_wrap=True)
        elif text:
            self._raw(printable(text))

    def code(self, language: str, line: str) -> None:
        """Show a line of a code block in the words."""
        if self._code is None:
            self._code = CodeLines(language)
        self._written += line
        self._code_line(line.removesuffix("\n"))

    def table(self, rows: Sequence[Sequence[str]]) -> None:
        """Show a table, its heading first, no wider than the terminal."""
        table = Table(box=SIMPLE_HEAD if self.is_fancy else ASCII, show_edge=False, pad_edge=False)
        columns = max(map(len, rows))
        for place in range(columns):
            table.add_column(Text(printable(rows[0][place] if place < len(rows[0]) else "")), overflow="fold")
        for row in rows[1:]:
            table.add_row(*(Text(printable(cell)) for cell in row[:columns]))
        self.console.print(table)

    def _raw(self, text: str) -> None:
        self.console.file.write(text)
        self.console.file.flush()

    def _looks(self, event: Looking) -> None:
        self._said = ""
        if self.verbose:
            super().show(event)
            return
        for note in event.seen.notes:
            self._line(f"     ! {note}", "yellow")

    def _thinks(self, text: str) -> None:
        if self._plain:
            self._stream_plain(text)
        else:
            if not self._flow.is_open:
                self.break_line()
            self._flow.feed(text)
        self._said += text

    def _stream_plain(self, text: str) -> None:
        """Words as they are."""
        if self._open_style != "words":
            self.break_line()
        self._open_style = "words"
        self._raw(printable(text.replace("\r\n", "\n")))
        self._open_line = not text.endswith("\n") if text else self._open_line

    def _writes(self, language: str, text: str) -> None:
        """A piece of code; an empty one begins a block."""
        if not text or self._code is None or self._flow.is_open:
            self.break_line()
            self._code = CodeLines(language)
        self._written += text
        *lines, self._line_held = (self._line_held + text).split("\n")
        for line in lines:
            self._code_line(line)

    def _code_line(self, line: str) -> None:
        """A line of code; what hides in it is made visible, as the question would."""
        assert self._code is not None  # noqa: S101 - whoever calls has begun it
        line = visible(line.removesuffix("\r"))
        text = Text(CODE_INDENT)
        for piece, style in [(line, "")] if self._plain else self._code.add(line):
            text.append(piece, style=style)
        self.console.print(text, soft_wrap=True)

    def _end_code(self) -> None:
        """The last line of a block that was being written."""
        if self._line_held:
            line, self._line_held = self._line_held, ""
            self._code_line(line)
        if self._written:
            self._shown = _whole(self._written)
        self._written, self._code = "", None

    def _runs(self, action: RunCode) -> None:
        """The code that runs now, as far as it does not stand there already."""
        self.break_line()
        if self._shown != _whole(action.code):
            self._code = CodeLines(action.language)
            for line in _whole(action.code).split("\n"):
                self._code_line(line)
            self._code = None
        self._shown, self._said = None, ""

    def _prints(self, text: str) -> None:
        if self._open_style != "dim":
            self.break_line()
            self._open_style = "dim"  # also while it only holds the line that rewrites itself
        self._output.add(text)

    def _ran(self, event: Performed) -> None:
        outcome = event.outcome
        self._shown = None
        failed = isinstance(outcome, NotDone) or outcome.receipt.failed
        if failed or self.verbose:
            super().show(event)
        self.break_line()
        if isinstance(outcome, Done):
            for picture in outcome.receipt.images:
                self.show_picture(picture)

    def _ends(self, event: Finished) -> None:
        """The answer, where it was not said as it came, and what the turn took."""
        said, self._said = self._said, ""
        if event.ending in _ANSWERED:
            if event.words.strip() and event.words.strip() not in said:
                self._thinks(event.words)
                self._said = ""
            self.break_line()
            if self.console.is_terminal or self.verbose:  # else the answer alone is wanted
                self._line(readable_spent(event.spent), "dim")
            return
        super().show(event)


def _whole(code: str) -> str:
    """The code without the line feeds at its end, which nobody sees."""
    return code.rstrip("\n")
