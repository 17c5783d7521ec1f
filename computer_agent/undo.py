"""`oi undo`, `oi redo` and `oi diff`: see what code steps changed in a folder, and take it back."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from computer_agent.approval.code.visible import visible, visible_line
from computer_agent.settings import state_folder
from computer_api.terminal.checkpoints import BY_OTHERS, CheckpointError, Checkpoints

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from computer_api.terminal.checkpoints import Change, Checkpoint

_MOST_SHOWN = 40
_GUI = "What was done on the screen is not taken back."


def opened(workspace: Path, environment: Mapping[str, str]) -> Checkpoints:
    """The checkpoints of a folder. Raises ``CheckpointError``."""
    return Checkpoints(
        workspace,
        state_folder(environment) / "checkpoints",
        home=Path(environment.get("HOME") or Path.home()),
        environment=environment,
    )


def undo(words: Sequence[str], environment: Mapping[str, str]) -> int:
    """Take back the last block that wrote, or all from a checkpoint on; returns an exit code."""
    flags = _parser("undo", "take back what code steps changed in this folder").parse_args(words)
    return _told(lambda: _undo(flags, environment))


def redo(words: Sequence[str], environment: Mapping[str, str]) -> int:
    """Take back the last undo; returns an exit code."""
    flags = _parser("redo", "take back the last undo", numbered=False).parse_args(words)
    return _told(lambda: _redo(flags, environment))


def diff(words: Sequence[str], environment: Mapping[str, str]) -> int:
    """Show what changed since a checkpoint; returns an exit code."""
    flags = _parser("diff", "show what code steps changed in this folder").parse_args(words)
    return _told(lambda: _diff(flags, environment))


def _parser(name: str, description: str, *, numbered: bool = True) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"oi {name}", description=description, allow_abbrev=False)
    if numbered:
        parser.add_argument(
            "number", nargs="?", type=int, help="a checkpoint, as --list numbers them; default: the last"
        )
        parser.add_argument(
            "--list", action="store_true", help="list the checkpoints, and what none of them holds"
        )
    parser.add_argument("--workspace", default=".", help="the folder; default: this one", metavar="FOLDER")
    if name != "diff":
        parser.add_argument("-y", "--yes", action="store_true", help="do not ask")
        parser.add_argument(
            "--all", action="store_true", help="also what others than code steps have changed since"
        )
    return parser


def _undo(flags: argparse.Namespace, environment: Mapping[str, str]) -> int:
    checkpoints = opened(Path(flags.workspace), environment)
    if flags.list:
        return _list(checkpoints)
    checkpoint = checkpoints.next_undo() if flags.number is None else checkpoints.numbered(flags.number)
    if checkpoint is None:
        return _say(f'There is nothing to undo in "{checkpoints.workspace}".', 1)
    return _go_to(checkpoints, checkpoint, flags, "undo")


def _redo(flags: argparse.Namespace, environment: Mapping[str, str]) -> int:
    checkpoints = opened(Path(flags.workspace), environment)
    checkpoint = checkpoints.next_redo()
    if checkpoint is None:
        return _say(f'There is nothing more to redo in "{checkpoints.workspace}".', 1)
    return _go_to(checkpoints, checkpoint, flags, "redo")


def _go_to(
    checkpoints: Checkpoints, checkpoint: Checkpoint, flags: argparse.Namespace, kind: Literal["undo", "redo"]
) -> int:
    """Show what would change, ask, and do it."""
    changes = checkpoints.going_to(checkpoint, everything=flags.all)
    if not changes:
        # It is noted all the same, so that the next undo goes further back.
        checkpoints.restore(checkpoint, kind)
        return _say(f"No code step has changed anything since {_named(checkpoint)}.", 0)
    _say(f"{'Back' if kind == 'undo' else 'Forward'} to {_named(checkpoint)}:", 0)
    _list_changes(changes)
    if not flags.yes and any(change.kept is None for change in changes) and not _agreed():
        return 1
    if checkpoints.going_to(checkpoint, everything=flags.all) != changes:
        return _say("Files have changed since they were listed here, so nothing was done: say it again.", 1)
    restored = checkpoints.restore(checkpoint, kind, everything=flags.all)
    left = [change for change in restored.changes if change.kept is not None]
    done = len(restored.changes) - len(left)
    back = "redo" if kind == "undo" else "undo"
    _say(f"{done} file{'' if done == 1 else 's'} restored; `oi {back}` takes that back. {_GUI}", 0)
    for change in left:
        _say(f"  left alone: {visible_line(change.path)} ({change.kept})", 0)
    if any(change.kept == BY_OTHERS for change in left):
        _say(f"`oi {kind} {checkpoint.number} --all` takes back also what others changed.", 0)
    return 1 if left else 0


def _diff(flags: argparse.Namespace, environment: Mapping[str, str]) -> int:
    checkpoints = opened(Path(flags.workspace), environment)
    if flags.list:
        return _list(checkpoints)
    known = checkpoints.all()
    if flags.number is None:
        if not known:
            return _say(f'No code step has written in "{checkpoints.workspace}" yet.', 1)
        since, until = checkpoints.next_undo() or known[-1], None
    else:
        since = checkpoints.numbered(flags.number)
        until = next((one for one in known if one.number > since.number), None)
    words = checkpoints.difference(since, until)
    sys.stdout.write(visible(words) if sys.stdout.isatty() else words)
    return 0


def _list(checkpoints: Checkpoints) -> int:
    known = checkpoints.all()
    if not known:
        return _say(f'There are no checkpoints of "{checkpoints.workspace}".', 0)
    for one in known:
        sys.stdout.write(f"{one.number:4}  {_when(one)}  {visible_line(one.title)}\n")
    left = checkpoints.left_out()
    if left:
        shown = ", ".join(map(visible_line, left[:_MOST_SHOWN])) + (
            f" and {len(left) - _MOST_SHOWN} more" if left[_MOST_SHOWN:] else ""
        )
        _say(f"Not kept, since it is ignored or too large: {shown}", 0)
    return 0


def _list_changes(changes: Sequence[Change]) -> None:
    """What going back would do to each file: the other way round than it came about."""
    words = {"made": "delete", "changed": "restore", "deleted": "bring back"}
    for change in changes[:_MOST_SHOWN]:
        word = words[change.what] if change.kept is None else "leave"
        why = "" if change.kept is None else f"  ({change.kept})"
        sys.stdout.write(f"  {word:10} {visible_line(change.path)}{why}\n")
    if changes[_MOST_SHOWN:]:
        sys.stdout.write(f"  and {len(changes) - _MOST_SHOWN} more files\n")


def _agreed() -> bool:
    if sys.stdin is None or not sys.stdin.isatty():
        _complain("Nobody can be asked here, since the input is not a terminal; say -y to go back unasked.")
        return False
    sys.stdout.write("Go back? [y/N] ")
    sys.stdout.flush()
    return sys.stdin.readline().strip().casefold() in ("y", "yes")


def _named(checkpoint: Checkpoint) -> str:
    return f'checkpoint {checkpoint.number}, {_when(checkpoint)}, before "{visible_line(checkpoint.title)}"'


def _when(checkpoint: Checkpoint) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(checkpoint.time))


def _told(do: Callable[[], int]) -> int:
    try:
        return do()
    except CheckpointError as error:
        return _complain(f"{str(error)[:1].upper()}{str(error)[1:].removesuffix('.')}.")


def _say(words: str, code: int) -> int:
    sys.stdout.write(words + "\n")
    return code


def _complain(words: str) -> int:
    sys.stderr.write(words + "\n")
    return 2
