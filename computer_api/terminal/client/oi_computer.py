"""``oi-computer``: the computer, for shells. One file, standard library only, for Python 3.8 and later.

It makes a pair of sockets, passes one of them over the socket that the shell inherited (OI_COMPUTER_FD), writes its
request on the other, one JSON object in a line, and waits there for the reply.
"""

from __future__ import annotations

import array
import base64
import json
import os
import socket
import sys

TYPE_CHECKING = False  # importing typing takes longer than most requests
if TYPE_CHECKING:
    from typing import Any

    Json = Any  # a value of a request or a reply

HELP = """\
Usage: oi-computer VERB [ARGUMENT ...] [--NAME VALUE ...]

  click "Save"            click what shows this text; also: click 300 200
  type "text"             type the text          press ctrl+s      press keys
  find "Save"             where it is            text              all that the screen shows
  expect "Saved"          fail unless it shows   screenshot FILE   save a PNG picture
  open PROGRAM            start a program        windows           list the windows
  clipboard               print the clipboard    copy "text"       put text on the clipboard
  move, drag, scroll, double_click, right_click  as click

ROOM VERB reaches the rest: mouse, keyboard, display, windows, clipboard, terminal, browser, os, vision, ai, skills;
  oi-computer windows focus "Editor"     oi-computer mouse scroll -3 --horizontal true

Numbers, true, false, null and JSON lists are values, all else is text; after "--" everything is text, as is what
type, find, expect and copy are given. What it returns is printed, as JSON where it is not text.
Exit code 0: done; 1: not done, the reason is on standard error; 2: wrong use.
"""
# The short forms, and whether their arguments are always text.
SHORT = {
    "click": (("mouse", "click"), False),
    "double_click": (("mouse", "double_click"), False),
    "right_click": (("mouse", "right_click"), False),
    "move": (("mouse", "move"), False),
    "drag": (("mouse", "drag"), False),
    "scroll": (("mouse", "scroll"), False),
    "type": (("keyboard", "write"), True),
    "press": (("keyboard", "press"), True),
    "find": (("display", "locate"), True),
    "text": (("text",), False),
    "expect": (("expect",), True),
    "screenshot": (("display", "view"), False),
    "open": (("windows", "open"), True),
    "copy": (("clipboard", "copy"), True),
}
# What a room does when no verb is given.
ALONE = {
    "windows": "all",
    "clipboard": "view",
    "display": "size",
    "mouse": "position",
    "browser": "read",
    "skills": "list",
}
ROOMS = (
    "mouse",
    "keyboard",
    "display",
    "windows",
    "clipboard",
    "terminal",
    "browser",
    "os",
    "vision",
    "ai",
    "skills",
)


class UsageError(Exception):
    """The words are no request."""


def request(words: list[str]) -> tuple[list[str], list[Json], dict[str, Json]]:
    """The path, the arguments and the keyword arguments that the words ask for."""
    first, *rest = words
    if first in SHORT:
        path, text = SHORT[first]
        return (list(path), *arguments(rest, text=text))
    if first not in ROOMS:
        known = ", ".join([*SHORT, *ROOMS])
        message = f'There is no "{first}"; use one of {known}, or see oi-computer --help.'
        raise UsageError(message)
    if not rest or rest[0].startswith("-"):
        if first not in ALONE:
            message = f'"{first}" needs a verb, as in: oi-computer {first} VERB.'
            raise UsageError(message)
        return ([first, ALONE[first]], *arguments(rest, text=False))
    return ([first, rest[0].replace("-", "_")], *arguments(rest[1:], text=False))


def arguments(words: list[str], *, text: bool) -> tuple[list[Json], dict[str, Json]]:
    """Words as arguments, and ``--name value`` as keyword arguments."""
    given: list[Json] = []
    named: dict[str, Json] = {}
    rest = iter(words)
    for word in rest:
        if word == "--":
            given.extend(rest)
        elif word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            if not equals:
                value = next(rest, "")
                if not value:
                    message = f'"{word}" needs a value, as in: {word} 2.'
                    raise UsageError(message)
            named[name.replace("-", "_")] = meant(value)
        else:
            given.append(word if text else meant(word))
    return given, named


def meant(word: str) -> Json:
    """A number, a truth value, null or a list where the word is one, else its text."""
    try:
        value = json.loads(word)
    except ValueError:
        return word
    return word if isinstance(value, (str, dict)) else value


def asked(path: list[str], args: list[Json], kwargs: dict[str, Json]) -> dict[str, Json]:
    """What the terminal's process replies. Raises ``OSError`` when it cannot be reached."""
    if sys.platform == "win32":
        message = "it is not there on Windows"
        raise OSError(message)
    shared = socket.socket(fileno=os.dup(int(os.environ["OI_COMPUTER_FD"])))
    ours, theirs = socket.socketpair()
    with shared, ours:
        with theirs:
            passed = array.array("i", [theirs.fileno()])
            shared.sendmsg([b"?"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, passed)])
        line = json.dumps({"call": path, "args": args, "kwargs": kwargs}) + "\n"
        ours.sendall(line.encode())
        with ours.makefile("rb") as replies:
            reply = replies.readline()
    if not reply:
        message = "the block was told to stop"
        raise OSError(message)
    answer: dict[str, Json] = json.loads(reply)
    return answer


def show(reply: dict[str, Json], file: str | None) -> int:
    """Print what came back, or why nothing did, and return the exit code."""
    if "error" in reply:
        name, message = reply["error"]
        sys.stderr.write(f"oi-computer: {' '.join(str(message).split())}\n")
        return 2 if name == "TypeError" else 1
    if "png" in reply:
        if file is None:
            sys.stderr.write(
                "oi-computer: This is a picture: name a file, as in: oi-computer screenshot FILE.\n"
            )
            return 2
        with open(file, "wb") as picture:  # noqa: PTH123 - importing pathlib takes longer than most requests
            picture.write(base64.b64decode(reply["png"]))
        return 0
    value = reply.get("value")
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        value = "\n".join(value)
    if value is not None and value != "":
        sys.stdout.write((value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)) + "\n")
    return 0


def main(words: list[str]) -> int:
    """Do what the words ask, and return the exit code."""
    if not words or words[0] in ("-h", "--help", "help"):
        (sys.stdout if words else sys.stderr).write(HELP)
        return 0 if words else 2
    try:
        path, args, kwargs = request(words)
        file = str(args.pop(0)) if path == ["display", "view"] and args else None
        return show(asked(path, args, kwargs), file)
    except UsageError as error:
        sys.stderr.write(f"oi-computer: {error}\n")
        return 2
    except (KeyError, ValueError):
        sys.stderr.write("oi-computer: This works in the shell that oi runs code in, and this is not it.\n")
    except OSError as error:
        sys.stderr.write(
            f"oi-computer: The computer could not be asked ({error}); start this from the shell itself,"
            " not from a program that closes what it inherits.\n"
        )
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
