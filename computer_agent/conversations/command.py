"""`oi conversations`: list, search, show and export what was talked about."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from computer_agent.conversations.record import ConversationError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from computer_agent.conversations.record import Kept
    from computer_agent.conversations.storage import Listed

DONE, NOT_DONE, WRONG = 0, 1, 2
FORMATS = ("markdown", "notebook", "json")
_ENDINGS = {"markdown": ".md", "notebook": ".ipynb", "json": ".json"}
_MOST_TITLE = 60

_MEANING = """\
oi conversations list                    what was talked about, the newest first
oi conversations search WORDS            the messages that hold these words
oi conversations show NAME               one as text
oi conversations export NAME [--to markdown|notebook|json] [OUT]
oi resume [NAME]                         go on with the newest, or with that one
oi --conversations                       pick one of the list to go on with
NAME is how its first words begin, such as make-a-chart, a number of the list (not for resume), or a file."""


def conversations(words: Sequence[str], environment: Mapping[str, str]) -> int:
    """Do one of the commands on conversations; returns an exit code."""
    match list(words):
        case [("list" | "search" | "show" | "export") as name, *rest]:
            return _told(lambda: _COMMANDS[name](rest, environment))
        case []:
            return _told(lambda: _list([], environment))
        case ["-h" | "--help" | "help", *_]:
            return _say(_MEANING.splitlines())
        case other:
            return _complain(f'"oi conversations {other[0]}" is not known.\n{_MEANING}')


def folder(environment: Mapping[str, str]) -> Path:
    """Where this user's conversations are kept."""
    from computer_agent.conversations.storage import folder_of
    from computer_agent.settings import state_folder

    return folder_of(state_folder(environment))


def picked(environment: Mapping[str, str], ask: Callable[[str], str | None]) -> str | None:
    """The conversation that the person picks out of the list, by its path; ``None`` when they pick none.

    ``ask`` gives ``None`` where nobody can be asked: then the list is all there is.
    """
    from computer_agent.conversations.storage import found

    where = folder(environment)
    _list([], environment)
    while True:
        answer = (ask("Go on with (a number, or how its name begins; nothing: none): ") or "").strip()
        if not answer:
            return None
        try:
            return str(found(answer, where))
        except ConversationError as error:
            _complain(str(error))


def lines_of(listed: Iterable[Listed]) -> list[str]:
    """A line for each: its number, when, how many turns, its name, what was said first."""
    lines = []
    for one in listed:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(one.changed))
        turns = f"{one.turns} turn{'' if one.turns == 1 else 's'}"
        lines.append(f"{one.number:>3}  {when}  {turns:>8}  {_short(one.title)}")
    return lines


def _list(words: Sequence[str], environment: Mapping[str, str]) -> int:
    from computer_agent.conversations.storage import kept

    _parser("list", "list what was talked about").parse_args(words)
    where = folder(environment)
    known = kept(where)
    if not known:
        return _say([f'There is no conversation yet in "{where}": `oi` begins one.'])
    count = "1 conversation" if len(known) == 1 else f"{len(known)} conversations"
    return _say([*lines_of(known), f'{count}, in "{where}". Go on with one: oi resume NAME.'])


def _search(words: Sequence[str], environment: Mapping[str, str]) -> int:
    from computer_agent.conversations.storage import search

    parser = _parser("search", "find messages that hold all of these words")
    parser.add_argument("words", nargs="+", metavar="WORDS")
    flags = parser.parse_args(words)
    count = 0
    newest: Path | None = None
    for hit in search(flags.words, folder(environment)):
        if hit.listed.path != newest:
            newest = hit.listed.path
            _say(lines_of([hit.listed]))
        _say([f"       {hit.who}: {_visible(hit.excerpt)}"])
        count += 1
    if not count:
        return _say([f'No conversation holds "{" ".join(flags.words)}".']) or NOT_DONE
    return DONE


def _show(words: Sequence[str], environment: Mapping[str, str]) -> int:
    parser = _parser("show", "show a conversation as text")
    parser.add_argument("name", metavar="NAME")
    conversation = _found(parser.parse_args(words).name, environment)
    return _say(as_text(conversation))


def as_text(conversation: Kept) -> list[str]:
    """The conversation in lines, each of the person's marked."""
    lines: list[str] = []
    for message in conversation.messages:
        content = str(message.get("content") or "")
        match message.get("role"), message.get("type"):
            case "user", "message":
                lines += ["", *(f"> {line}" for line in content.splitlines())]
            case _, "image":
                lines.append("  (a picture)")
            case "assistant", "code":
                lines += [f"  {message.get('format') or 'code'}:", *_indented(content)]
            case "computer", "console" if message.get("format") == "output" and content.strip():
                lines += ["  output:", *_indented(content)]
            case _, "message":
                lines += ["", *content.splitlines()]
            case _:
                pass
    return list(map(_visible, lines[1:]))


def _indented(text: str) -> list[str]:
    return [f"    {line}" for line in text.rstrip("\n").splitlines()]


def _export(words: Sequence[str], environment: Mapping[str, str]) -> int:
    parser = _parser("export", "take a conversation elsewhere")
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("--to", choices=FORMATS, help="default: by OUT's ending, else markdown")
    parser.add_argument("out", nargs="?", metavar="OUT", help="default: its name, in this folder")
    flags = parser.parse_intermixed_args(words)
    conversation = _found(flags.name, environment)
    by_ending = {ending: name for name, ending in _ENDINGS.items()}
    kind = flags.to or by_ending.get(Path(flags.out or "").suffix.casefold(), "markdown")
    out = Path(flags.out or f"{conversation.path.stem}{_ENDINGS[kind]}")
    return _say(str(file) for file in export(conversation, kind, out))


def export(conversation: Kept, kind: str, out: Path) -> tuple[Path, ...]:
    """Write the conversation as that kind of file. Raises ``ConversationError``."""
    from computer_agent.conversations.markdown import export_markdown
    from computer_agent.conversations.messages_file import save
    from computer_agent.conversations.notebook import export_notebook

    if kind == "json":
        save(conversation.messages, out)
        return (out,)
    return (export_markdown if kind == "markdown" else export_notebook)(conversation, out)


_COMMANDS: Mapping[str, Callable[[Sequence[str], Mapping[str, str]], int]] = {
    "list": _list,
    "search": _search,
    "show": _show,
    "export": _export,
}


def _found(name: str, environment: Mapping[str, str]) -> Kept:
    from computer_agent.conversations.record import read
    from computer_agent.conversations.storage import found

    return read(found(name, folder(environment)))


def _parser(name: str, description: str) -> argparse.ArgumentParser:
    return argparse.ArgumentParser(
        prog=f"oi conversations {name}", description=description, allow_abbrev=False
    )


def _short(title: str) -> str:
    title = _visible(title)
    return title if len(title) <= _MOST_TITLE else f"{title[: _MOST_TITLE - 1]}…"


def _visible(line: str) -> str:
    from computer_agent.approval.code.visible import visible_line

    return visible_line(line)


def _told(do: Callable[[], int]) -> int:
    try:
        return do()
    except ConversationError as error:
        return _complain(str(error))


def _say(lines: Iterable[str]) -> int:
    for line in lines:
        sys.stdout.write(f"{line}\n")
    return DONE


def _complain(words: str) -> int:
    sys.stderr.write(f"{words}\n")
    return WRONG
