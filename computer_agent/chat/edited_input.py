"""The line editor: history and its search, several lines, completion. prompt_toolkit draws it."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import Completer, Completion
from prompt_toolkit.filters import Condition, is_searching
from prompt_toolkit.history import FileHistory, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.output import create_output
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.shortcuts import CompleteStyle

from computer_agent.chat.lines import as_text, message_of, needs_more
from computer_agent.chat.magic_completion import completions

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from prompt_toolkit.completion import CompleteEvent
    from prompt_toolkit.document import Document
    from prompt_toolkit.history import History
    from prompt_toolkit.key_binding import KeyPressEvent
    from prompt_toolkit.output import Output

    from computer_agent.chat.magic_completion import Names

_PROMPT, _MORE = "> ", ". "


class EditedInput:
    """Reads messages with a line editor. ``history`` is a file of UTF-8, readable by the person alone."""

    def __init__(self, history: Path, *, quotes: bool = True, names: Names | None = None) -> None:
        self._quotes = quotes
        self._session: PromptSession[str] = PromptSession(
            history=_history(history),
            completer=_Completer(names),
            complete_while_typing=False,
            complete_style=CompleteStyle.READLINE_LIKE,  # which needs no empty lines below
            reserve_space_for_menu=0,
            multiline=True,
            prompt_continuation=_MORE,
            key_bindings=self._keys(),
            enable_open_in_editor=True,
            output=_output(),
        )

    def read(self) -> str:
        """The next message. Raises ``EOFError`` for Ctrl-D on an empty line, ``KeyboardInterrupt`` for Ctrl-C."""
        typed = self._session.prompt(_PROMPT)
        return message_of(as_text(typed, sys.stdin.encoding), quotes=self._quotes)

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        @keys.add("enter", filter=~is_searching)
        def _enter(event: KeyPressEvent) -> None:
            """Send it, or go on with a further line."""
            buffer = event.current_buffer
            if needs_more(buffer.text, quotes=self._quotes):
                buffer.insert_text("\n")
            else:
                buffer.validate_and_handle()

        @keys.add("escape", "enter")
        def _alt_enter(event: KeyPressEvent) -> None:
            """A further line."""
            event.current_buffer.insert_text("\n")

        @keys.add("c-@", filter=Condition(lambda: not self._session.default_buffer.text))
        def _early_end(event: KeyPressEvent) -> None:
            """Ctrl-D from before the prompt, which Linux then gives as this."""
            event.app.exit(exception=EOFError)

        return keys


class _Completer(Completer):
    """Offers commands and paths."""

    def __init__(self, names: Names | None) -> None:
        self._names = names or (lambda _command: ())

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """What may stand in place of the word before the cursor."""
        del complete_event
        begun, found = completions(document.text_before_cursor, self._names)
        for text in found:
            yield Completion(text, start_position=-len(begun))


class _Utf8History(FileHistory):
    """The file of what was typed; a line that cannot be kept is not kept."""

    def store_string(self, string: str) -> None:
        """Append what was typed."""
        with suppress(OSError):
            super().store_string(as_text(string, sys.stdin.encoding).encode("utf-8", "replace").decode())

    def load_history_strings(self) -> Iterable[str]:
        """What was typed, the newest first."""
        try:
            return list(super().load_history_strings())
        except OSError:
            return []


def _history(file: Path) -> History:
    """The history in that file, or for as long as we live where no file can be."""
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.touch(mode=0o600)
    except OSError:
        return InMemoryHistory()
    return _Utf8History(str(file))


def _output() -> Output:
    """The terminal, which is not asked where its cursor is: the answer of one that goes away would be typed text."""
    output = create_output()
    if isinstance(output, Vt100_Output):
        output.enable_cpr = False
    return output
