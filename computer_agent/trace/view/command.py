"""`oi trace view`: a recorded run as one HTML file, to be read in any browser."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_MEANING = """\
oi trace view TRACE writes the trace in that folder or zip as one HTML file, trace.html in it, which needs no network;
without TRACE the newest one. --out FILE writes it there, --open shows it in the browser."""
_PAGE = "trace.html"


class BadWords(Exception):
    """What was asked makes no sense; the message says why and what would."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What the words ask for; the newest trace where ``trace`` is None."""

    trace: str | None = None
    out: Path | None = None
    shown: bool = False


def view(words: Sequence[str], environment: Mapping[str, str]) -> int:
    """Write the page, say where it is, and open it if that is wished. Gives the exit code."""
    if any(word in ("-h", "--help") for word in words):
        sys.stdout.write(f"{_MEANING}\n")
        return 0
    from computer_agent.trace.errors import TraceError
    from computer_agent.trace.view.writing import write_page

    try:
        wish = read(words)
    except BadWords as error:
        return _complain(str(error))
    try:
        trace = _meant(wish.trace, environment)
        out = wish.out or _beside(trace)
        size = write_page(trace, out)
    except TraceError as error:
        return _complain(str(error))
    except OSError as error:
        where = error.filename or wish.out
        return _complain(
            f'The page cannot be written to "{where}": {error.strerror}. Name another file: --out FILE'
        )
    sys.stdout.write(f"{out}  ({_size(size)})\n")
    if wish.shown:
        _open(out)
    return 0


def read(words: Sequence[str]) -> Wish:
    """The words of the command. Raises ``BadWords``."""
    trace, out, shown = None, None, False
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--open":
            shown = True
        elif word == "--out":
            if not rest:
                raise BadWords("--out takes the name of a file: --out run.html")
            out = Path(rest.pop(0))
        elif word.startswith("--out="):
            out = Path(word.removeprefix("--out="))
        elif word.startswith("-") or trace is not None:
            raise BadWords(f'"oi trace view {" ".join(words)}" is not understood at "{word}". {_MEANING}')
        else:
            trace = word
    if out is not None and out.is_dir():
        out /= _PAGE
    return Wish(trace=trace, out=out, shown=shown)


def _beside(trace: Path) -> Path:
    """Where the page goes: into the trace's folder; beside a zip, and named as it."""
    from computer_agent.trace.record import FILE

    if trace.is_dir():
        return trace / _PAGE
    return trace.with_name(_PAGE) if trace.name == FILE else trace.with_suffix(".html")


def _meant(words: str | None, environment: Mapping[str, str]) -> Path:
    """The trace of those words, or the newest. Raises ``TraceError``."""
    from computer_agent.trace.errors import TraceError
    from computer_agent.trace.storage import found, kept, traces_folder

    traces = traces_folder(environment)
    if words is not None:
        return found(words, traces)
    newest = next(iter(kept(traces)), None)
    if newest is None:
        raise TraceError(f'There is no trace in "{traces}" yet. Name the folder of one: oi trace view TRACE')
    return newest.path


def _open(file: Path) -> None:
    import webbrowser

    if not webbrowser.open(file.resolve().as_uri()):
        sys.stderr.write("No browser could be started; open that file in one.\n")


def _size(count: int) -> str:
    kilo = 1024
    return f"{count / kilo**2:.1f} MB" if count >= kilo**2 else f"{max(1, count // kilo)} KB"


def _complain(words: str) -> int:
    sys.stderr.write(f"{words}\n")
    return 2
