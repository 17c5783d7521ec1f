"""``chat()`` without a message: a conversation at the terminal, with the line editor and commands of `oi`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from computer_agent.chat.input import input_for
from computer_agent.chat.magic import SHELL, Magic, parsed, wish
from computer_agent.code_settings import BadSetting
from computer_agent.conversations.messages_file import load, named_file, save
from computer_agent.conversations.record import ConversationError
from computer_agent.models.model import ModelError
from computer_agent.python_object.turn import TurnError
from computer_agent.trace.errors import TraceError
from computer_api.errors import DesktopUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable

    from computer_agent.python_object.interpreter import Interpreter

_SAID = (ModelError, TurnError, BadSetting, ConversationError, TraceError, DesktopUnavailable)
_USUAL_FILE = "messages.json"
_HELP = (
    "%reset, %undo, %auto_run, %verbose, %save FILE, %load FILE, %exit, and %% COMMAND for the shell of the "
    "conversation. `oi` has more of them."
)


def talk(interpreter: Interpreter) -> None:
    """Talk until the input ends. Ctrl-C stops a turn; at the prompt it leaves, as Ctrl-D does."""
    source = input_for(
        interpreter.variables(), interpreter.settings().state / "history", quotes=interpreter.multi_line
    )
    while True:
        try:
            words = source.read()
        except (EOFError, KeyboardInterrupt):
            return
        if not words.strip():
            continue
        magic = parsed(words)
        try:
            if magic is None:
                interpreter.chat(words)
            elif isinstance(magic, Magic) and magic.name == "exit":
                return
            else:
                _do(interpreter, magic.name, magic.argument if isinstance(magic, Magic) else "")
        except KeyboardInterrupt:
            interpreter.display_message("Stopped.")
        except _SAID as error:
            interpreter.display_message(str(error))


def _do(interpreter: Interpreter, name: str, argument: str) -> None:
    """A command that was typed."""
    commands: dict[str, Callable[[Interpreter, str], str]] = {
        SHELL: _shell,
        "reset": _reset,
        "undo": _undo,
        "auto_run": lambda one, words: _switch(one, "auto_run", words),
        "verbose": lambda one, words: _switch(one, "verbose", words),
        "save": _save,
        "load": _load,
        "help": lambda _one, _words: _HELP,
    }
    done = commands.get(name)
    said = (
        f'There is no command "%{name}" here. There are: {_HELP}'
        if done is None
        else done(interpreter, argument)
    )
    if said:
        interpreter.display_message(said)


def _shell(interpreter: Interpreter, command: str) -> str:
    """In the shell that the model's code runs in, as in the classic; the model is not told."""
    return "".join(str(chunk["content"]) for chunk in interpreter.computer.exec(command)).rstrip("\n")


def _reset(interpreter: Interpreter, _words: str) -> str:
    interpreter.reset()
    return "Forgotten: a new conversation begins, and what code had set is gone."


def _undo(interpreter: Interpreter, _words: str) -> str:
    turns = [
        at for at, one in enumerate(interpreter.messages) if (one["role"], one["type"]) == ("user", "message")
    ]
    if not turns:
        return "There is no turn to take back."
    words = interpreter.messages[turns[-1]]["content"]
    del interpreter.messages[turns[-1] :]
    return f'Taken back: "{words}". What it did on this computer stays done.'


def _switch(interpreter: Interpreter, name: str, words: str) -> str:
    on = wish(words, now=bool(getattr(interpreter, name)))
    if on is None:
        return f'%{name} takes true or false, not "{words}".'
    setattr(interpreter, name, on)
    return f"{name} is {on}."


def _save(interpreter: Interpreter, file: str) -> str:
    named = named_file(file, _USUAL_FILE)
    save(interpreter.messages, named)
    return f"Saved in {named}."


def _load(interpreter: Interpreter, file: str) -> str:
    messages = load(named_file(file, _USUAL_FILE))  # before anything is forgotten
    interpreter.reset()
    interpreter.messages = list(messages)
    return f"{len(interpreter.messages)} messages are loaded."
