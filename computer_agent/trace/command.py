"""`oi trace`: list, show, view, zip, export and prune recorded runs."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from computer_agent.trace.errors import TraceError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from computer_agent.trace.storage import Kept

DONE, NOT_DONE, WRONG = 0, 1, 2

_MEANING = """\
oi trace list [--failed] [--search WORDS]     the traces that are kept, the newest first
oi trace show TRACE                           one as text: thoughts, actions, what they changed
oi trace view TRACE                           one as an HTML page that works offline
oi trace zip TRACE [OUT]                      one as a single file
oi trace export TRACE --to steps|python|pytest|gif|mp4 [OUT]
oi trace lift TRACE NAME=TEXT ... -o NEW      a new one in which {{NAME}} stands for that text
oi trace heal TRACE HEALED [-o NEW]           a new one with the targets that a replay found anew
oi trace prune [--older 30d] [--keep N] [--over 2GB] [--yes]   remove old ones
TRACE is a folder, a zip, a number of the list, or how a name in it begins."""


def trace(words: Sequence[str], environment: Mapping[str, str]) -> int:
    """Do one of the commands on traces; returns an exit code."""
    match list(words):
        case ["view", *rest]:
            from computer_agent.trace.view import view

            return view(rest, environment)
        case [("list" | "show" | "zip" | "export" | "prune" | "lift" | "heal") as name, *rest]:
            return _told(lambda: _COMMANDS[name](rest, environment))
        case [] | ["-h" | "--help" | "help", *_]:
            return _say(_MEANING.splitlines())
        case other:
            return _complain(f'"oi trace {other[0]}" is not known.\n{_MEANING}')


def _list(words: Sequence[str], environment: Mapping[str, str]) -> int:
    from computer_agent.trace.storage import holds, kept, traces_folder
    from computer_agent.trace.storage_telling import listed, readable_size

    parser = _parser("list", "list the traces that are kept")
    parser.add_argument("--failed", action="store_true", help="only those whose task was not done")
    parser.add_argument("--search", help="only those that hold these words", metavar="WORDS")
    flags = parser.parse_args(words)
    folder = traces_folder(environment)
    known = kept(folder)
    chosen = [
        (number, one)
        for number, one in enumerate(known, start=1)
        if (not flags.failed or one.failed) and (flags.search is None or holds(one.path, flags.search))
    ]
    if not chosen:
        which = "that fits" if known else "yet"
        return _say([f'There is no trace {which} in "{folder}".'])
    total = readable_size(sum(one.size for _, one in chosen))
    return _say([*listed(chosen), f'{_counted(len(chosen))}, {total}, in "{folder}".'])


def _show(words: Sequence[str], environment: Mapping[str, str]) -> int:
    from computer_agent.trace.reader import read
    from computer_agent.trace.storage import found, traces_folder
    from computer_agent.trace.storage_telling import told

    parser = _parser("show", "show a trace as text")
    parser.add_argument("trace", metavar="TRACE")
    flags = parser.parse_args(words)
    return _say(told(read(found(flags.trace, traces_folder(environment)))))


def _zip(words: Sequence[str], environment: Mapping[str, str]) -> int:
    from computer_agent.trace.archive import pack
    from computer_agent.trace.storage import found, traces_folder
    from computer_agent.trace.storage_telling import readable_size

    parser = _parser("zip", "put a trace into a single file")
    parser.add_argument("trace", metavar="TRACE")
    parser.add_argument("out", nargs="?", metavar="OUT", help="default: its name and .zip, in this folder")
    flags = parser.parse_args(words)
    folder = found(flags.trace, traces_folder(environment))
    out = Path(flags.out or f"{folder.resolve().name}.zip")
    return _say([f"{out}  ({readable_size(pack(folder, out))})"])


def _export(words: Sequence[str], environment: Mapping[str, str]) -> int:
    from computer_agent.trace.export_files import KINDS, export
    from computer_agent.trace.storage import found, traces_folder

    parser = _parser("export", "take a trace elsewhere")
    parser.add_argument("trace", metavar="TRACE")
    parser.add_argument("--to", required=True, choices=KINDS)
    parser.add_argument("out", nargs="?", metavar="OUT", help="default: its name, in this folder")
    flags = parser.parse_intermixed_args(words)
    folder = found(flags.trace, traces_folder(environment))
    out = None if flags.out is None else Path(flags.out)
    return _say(str(file) for file in export(folder, flags.to, out, path=environment.get("PATH")))


def _lift(words: Sequence[str], environment: Mapping[str, str]) -> int:
    from computer_agent.trace.storage import found, traces_folder
    from computer_agent.trace.variables import lift

    parser = _parser("lift", "make recorded texts parameters")
    parser.add_argument("trace", metavar="TRACE")
    parser.add_argument("values", nargs="+", metavar="NAME=TEXT", help="the name for a recorded text")
    parser.add_argument(
        "-o", "--out", required=True, metavar="NEW", help="a folder, or a .zip or .trace file"
    )
    parser.add_argument("--required", action="store_true", help="keep no recorded text to fall back on")
    flags = parser.parse_intermixed_args(words)
    values = dict(each.partition("=")[::2] for each in flags.values)
    counts = lift(
        found(flags.trace, traces_folder(environment)), values, Path(flags.out), required=flags.required
    )
    lines = (f'{{{{{name}}}}} for "{values[name]}": {count} times' for name, count in counts.items())
    return _say([*lines, flags.out])


def _heal(words: Sequence[str], environment: Mapping[str, str]) -> int:
    from computer_agent.trace.healing import accept
    from computer_agent.trace.storage import found, traces_folder

    parser = _parser("heal", "write a new trace with targets that a replay found anew")
    parser.add_argument("trace", metavar="TRACE")
    parser.add_argument("healed", metavar="HEALED", help="healed.json beside the trace of that replay")
    parser.add_argument("-o", "--out", metavar="NEW", help="default: its name and -healed, in this folder")
    flags = parser.parse_intermixed_args(words)
    trace = found(flags.trace, traces_folder(environment))
    suffix = "" if trace.is_dir() else trace.suffix
    out = Path(flags.out or f"{trace.resolve().name.removesuffix(suffix)}-healed{suffix}")
    count = accept(trace, Path(flags.healed), out)
    return _say([f"{count} target{'s' if count != 1 else ''} changed: {out}"])


def _prune(words: Sequence[str], environment: Mapping[str, str]) -> int:
    from computer_agent.trace.storage import kept, remove, traces_folder
    from computer_agent.trace.storage_retention import (
        BadRetention,
        Retention,
        days,
        outlived,
        retention,
        size,
    )
    from computer_agent.trace.storage_telling import listed, readable_size

    parser = _parser("prune", "remove old traces; without a limit those of OI_TRACES_KEEP hold")
    parser.add_argument("--older", help="what is older than this: 12h, 30d, 2w", metavar="AGE")
    parser.add_argument("--keep", type=int, help="what is beyond the newest N", metavar="N")
    parser.add_argument("--over", help="the oldest, until the rest takes no more: 500MB, 2GB", metavar="SIZE")
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask")
    flags = parser.parse_args(words)
    try:
        limits = Retention(
            older=None if flags.older is None else days(flags.older),
            keep=flags.keep,
            over=None if flags.over is None else size(flags.over),
        )
        if limits == Retention():
            limits = retention(environment.get("OI_TRACES_KEEP", ""))
    except BadRetention as error:
        return _complain(str(error))
    if limits == Retention():
        return _complain("Say what may go: --older 30d, --keep 100 or --over 2GB; or set OI_TRACES_KEEP.")
    if limits.keep is not None and limits.keep < 0:
        return _complain(f'--keep takes how many traces stay, not "{limits.keep}".')
    folder = traces_folder(environment)
    known = kept(folder)
    gone = outlived(known, limits, time.time())
    if not gone:
        return _say([f'Nothing is to be removed from "{folder}".'])
    numbers = {one.path: number for number, one in enumerate(known, start=1)}
    _say(listed([(numbers[one.path], one) for one in gone]))
    total = readable_size(sum(one.size for one in gone))
    if not flags.yes and not _agreed(f"Remove {_counted(len(gone))}, {total}, for good? [y/N] "):
        return NOT_DONE
    return _removed(gone, lambda one: remove(one.path, folder))


def _removed(gone: Sequence[Kept], remove: Callable[[Kept], int]) -> int:
    from computer_agent.trace.storage_telling import readable_size

    sizes, kept_on = [], []
    for one in gone:
        try:
            sizes.append(remove(one))
        except TraceError as error:
            kept_on.append(str(error))
    _say([f"Removed {_counted(len(sizes))}, {readable_size(sum(sizes))}."])
    for sentence in kept_on:
        _complain(sentence)
    return NOT_DONE if kept_on else DONE


_COMMANDS: Mapping[str, Callable[[Sequence[str], Mapping[str, str]], int]] = {
    "list": _list,
    "show": _show,
    "zip": _zip,
    "export": _export,
    "prune": _prune,
    "lift": _lift,
    "heal": _heal,
}


def _parser(name: str, description: str) -> argparse.ArgumentParser:
    return argparse.ArgumentParser(prog=f"oi trace {name}", description=description, allow_abbrev=False)


def _counted(number: int) -> str:
    return "1 trace" if number == 1 else f"{number} traces"


def _agreed(question: str) -> bool:
    if sys.stdin is None or not sys.stdin.isatty():
        _complain(
            "Nobody can be asked here, since the input is not a terminal; say -y to remove them unasked."
        )
        return False
    sys.stdout.write(question)
    sys.stdout.flush()
    return sys.stdin.readline().strip().casefold() in ("y", "yes")


def _told(do: Callable[[], int]) -> int:
    try:
        return do()
    except TraceError as error:
        return _complain(str(error))
    except OSError as error:
        on = "" if error.filename is None else f' ("{error.filename}")'
        return _complain(f"That could not be done, since the system said: {error.strerror or error}{on}.")


def _say(lines: Iterable[str]) -> int:
    for line in lines:
        sys.stdout.write(f"{line}\n")
    return DONE


def _complain(words: str) -> int:
    sys.stderr.write(f"{words}\n")
    return WRONG
