"""The command: which desktop, on which port, until Ctrl-C."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_MEANING = """\
oi watch shows the newest private desktop in the browser; `oi watch :5` the one with the display :5. In the page,
"Take over" lets you use it, while the agent waits. --plain leaves out VNC; --port N takes that port."""
_PORTS = range(1, 65536)


class BadWords(Exception):
    """What was asked makes no sense; the message says why and what would."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What the words ask for."""

    display: str | None = None
    plain: bool = False
    port: int = 0


def watch(words: Sequence[str], environment: Mapping[str, str]) -> int:
    """Serve a page with the private desktop that is running; the newest, or the one whose display is named."""
    if any(word in ("-h", "--help") for word in words):
        sys.stdout.write(f"{_MEANING}\n")
        return 0
    try:
        wish = read(words)
    except BadWords as error:
        return _complain(str(error))
    if sys.platform == "linux":
        from computer_agent.watch.serving import CannotServe, serve
        from computer_platform.desktop import DesktopUnavailable

        try:
            serve(wish.display, environment, plain=wish.plain, port=wish.port)
        except (CannotServe, DesktopUnavailable) as error:
            return _complain(str(error))
        return 0
    return _complain("A private desktop needs Linux, so there is none to watch here.")


def read(words: Sequence[str]) -> Wish:
    """The words of the command. Raises ``BadWords``."""
    display, plain, port = None, False, 0
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if re.fullmatch(r":\d+", word) and display is None:
            display = word
        elif word == "--plain":
            plain = True
        elif word == "--port":
            port = _port(rest.pop(0) if rest else "")
        else:
            raise BadWords(f'"oi watch {" ".join(words)}" names no display. {_MEANING}')
    return Wish(display=display, plain=plain, port=port)


def _port(word: str) -> int:
    if not (word.isascii() and word.isdecimal() and int(word) in _PORTS):
        raise BadWords(
            f'--port takes a number from 1 to 65535, not "{word}". Without it any free port is taken.'
        )
    return int(word)


def _complain(words: str) -> int:
    sys.stderr.write(f"{words}\n")
    return 2
