"""Commands to `oi` itself, in a conversation: lines that begin with a percent sign."""

from __future__ import annotations

import difflib
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class MagicCommand:
    """A command there is. ``argument`` is how its argument is named in the help; ``is_path`` if that is a file."""

    name: str
    help: str
    argument: str = ""
    is_path: bool = False
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Magic:
    """A command that was typed: its name, which is one of ``COMMANDS`` or ``%`` for the shell, and the rest."""

    name: str
    argument: str


@dataclass(frozen=True, slots=True)
class UnknownMagic:
    """A command that there is not. ``nearest`` is the one that was perhaps meant."""

    name: str
    nearest: str | None


COMMANDS = (
    MagicCommand(name="help", help="this list"),
    MagicCommand(name="reset", help="forget the conversation and what code has set; a new one begins"),
    MagicCommand(name="undo", help="take the last turn back (what it did stays done: `oi undo`)"),
    MagicCommand(
        name="tokens", argument="[text]", help="tokens used so far; with a text, about how many it has"
    ),
    MagicCommand(name="cost", help="dollars, steps and time so far"),
    MagicCommand(
        name="save",
        argument="[file]",
        is_path=True,
        help="the messages as JSON, as Open Interpreter has them",
        aliases=("save_message",),
    ),
    MagicCommand(
        name="load",
        argument="[file]",
        is_path=True,
        help="go on with saved messages",
        aliases=("load_message",),
    ),
    MagicCommand(name="jupyter", argument="[file]", is_path=True, help="the conversation as a notebook"),
    MagicCommand(name="markdown", argument="[file]", is_path=True, help="the conversation as Markdown"),
    MagicCommand(name="model", argument="[name]", help="which model decides, or another one from now on"),
    MagicCommand(name="profile", argument="[name]", help="the profiles, or the settings of one from now on"),
    MagicCommand(name="auto_run", argument="[true|false]", help="run code unasked, or ask again"),
    MagicCommand(name="verbose", argument="[true|false]", help="say more of each step", aliases=("debug",)),
    MagicCommand(name="screenshot", help="the screen, shown to you and, with your next words, to the model"),
    MagicCommand(name="info", help="model, folders, approval, versions"),
    MagicCommand(name="exit", help="leave; so do Ctrl-D, and Ctrl-C twice", aliases=("quit",)),
)
SHELL = "%"
_NAMES = {name: command for command in COMMANDS for name in (command.name, *command.aliases)}


def parsed(text: str) -> Magic | UnknownMagic | None:
    """The command that a text is; ``None`` for words to the model."""
    words = text.strip()
    if not words.startswith("%") or "\n" in words:
        return None
    if words.startswith("%%"):
        return Magic(SHELL, words[2:].strip())
    name, _, argument = words[1:].partition(" ")
    key = name.casefold().replace("-", "_")
    if key in _NAMES:
        return Magic(_NAMES[key].name, argument.strip())
    if not key[:1].isalpha() and key:  # a percent sign with a number or the like is none of ours
        return None
    near = difflib.get_close_matches(key, _NAMES, n=1, cutoff=0.5)
    return UnknownMagic(name, near[0] if near else None)


def names() -> tuple[str, ...]:
    """What completion offers, each with its percent sign."""
    return tuple(f"%{command.name}" for command in COMMANDS)


def takes_path(name: str) -> bool:
    """Whether the command's argument is a file."""
    return name in _NAMES and _NAMES[name].is_path


def help_lines() -> list[str]:
    """A line for each command."""
    rows = [("%% command", "run it in your shell, unasked; the model is not told")]
    rows += [(f"%{one.name} {one.argument}".strip(), one.help) for one in COMMANDS]
    width = max(len(left) for left, _ in rows)
    return [
        *(f"  {left:<{width}}  {right}" for left, right in rows),
        '  """ begins and ends a text of several lines; so do Alt-Enter and a \\ at the end of a line.',
        "  Ctrl-C stops what it does, twice leaves. Ctrl-R searches what you typed. Tab completes.",
        "  A picture's path in your words shows the picture to the model.",
    ]


def wish(argument: str, *, now: bool) -> bool | None:
    """What ``true``, ``off`` and the like say; without a word the contrary of ``now``; ``None`` for another one."""
    word = argument.casefold()
    if not word:
        return not now
    if word in ("true", "on", "yes", "1"):
        return True
    return False if word in ("false", "off", "no", "0") else None
