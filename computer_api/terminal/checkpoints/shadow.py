"""A folder's files as a tree in the store, and a tree's files back in the folder."""

from __future__ import annotations

import contextlib
import json
import os
import stat
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from computer_api.terminal.checkpoints.errors import CheckpointError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from computer_api.terminal.checkpoints.git import Git
LARGEST = 5 * 1024 * 1024  # bytes of a file that is kept
_LINKED = "its folder is a link now"
_PROTECTED = "its folder is write-protected"
_GROWN = "it has grown too large to be copied"
BY_OTHERS = "it was changed since, and not by a code step"
NOT_HELD = "it was there, but the checkpoint does not hold it"
_USUAL_MODES = (0o644, 0o755)  # those that git keeps
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # git's name for a folder without files


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What became of one file of the workspace; ``path`` is relative to it. ``kept``: left as it is, and why."""

    path: str
    what: Literal["made", "changed", "deleted"]
    kept: str | None = None

    def sentence(self) -> str:
        """The same in a line."""
        return f"{self.what:8} {self.path}{f'  (left alone: {self.kept})' if self.kept else ''}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """A folder's tree, the repositories below it (their paths end with a slash), and what was left out."""

    tree: str
    nested: tuple[str, ...]
    left_out: tuple[str, ...]


def copy(git: Git, *, until: float | None) -> Copied:
    """Store what changed since the last time, and return the tree of all. Raises ``CheckpointError``."""
    try:
        return _copy(git, until)
    except CheckpointError:
        if git.forget_index() and (until is None or time.monotonic() < until):
            return _copy(git, until)  # the index was broken, or held files that are in the store no more
        raise


def _copy(git: Git, until: float | None) -> Copied:
    listed = git("ls-files", "-z", "--others", "--modified", "--deleted", "--exclude-standard", until=until)
    nested, gone, kept, left_out = [], [], [], []
    for path in dict.fromkeys(_paths(listed)):
        if path.endswith("/"):
            nested.append(path)
        elif _is_gone(git.files, path):
            gone.append(path)
        elif _cannot_be_kept(git.files, path):
            left_out.append(path)
        else:
            kept.append(path)
    if (
        gone or left_out
    ):  # first: a folder may be where a file was. What is left out may be there as it once was
        removed = _listed([*gone, *left_out])
        git("update-index", "-z", "--force-remove", "--stdin", given=removed, until=until)
    if kept:
        git(
            "update-index",
            "-z",
            "--add",
            "--remove",
            "--replace",
            "--stdin",
            given=_listed(kept),
            until=until,
        )
        _note_modes(git, kept)
    tree = git("write-tree", until=until).decode().strip()
    return Copied(tree=tree, nested=tuple(nested), left_out=tuple(left_out))


def ignored(git: Git) -> tuple[str, ...]:
    """What is left out because the person's ignore files, or ours, name it; folders end with a slash."""
    return tuple(_paths(git("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")))


def changes(git: Git, before: str, after: str) -> tuple[Change, ...]:
    """How the files of one tree become those of another."""
    words = git("diff-tree", "-r", "-z", "--no-renames", "--name-status", before, after)
    fields = words.split(b"\0")
    names: Mapping[bytes, Literal["made", "changed", "deleted"]] = {b"A": "made", b"D": "deleted"}
    return tuple(
        Change(path=os.fsdecode(path), what=names.get(status, "changed"))
        for status, path in zip(fields[::2], fields[1::2], strict=False)
        if path
    )


def difference(git: Git, before: str, after: str) -> str:
    """The same as a unified diff."""
    words = git("diff-tree", "-r", "-p", "--no-renames", "--no-ext-diff", "--no-textconv", before, after)
    return words.decode(errors="replace")


def restore(
    git: Git,
    now: str,
    wanted: str,
    *,
    left_out: Collection[str] = (),
    others: Collection[str] = (),
    without: tuple[str, ...] = (),
) -> tuple[Change, ...]:
    """Turn the folder's files from one tree into another, and say what became of each. Raises ``CheckpointError``.

    ``now`` is the tree of the files as they are. What is in the way and not in it was not copied, so it is left; so is
    what was there at the time of ``wanted`` but is not in it: ``left_out``, and what its ignore files name. ``others``
    are left because somebody else changed them. The folders ``without`` are not looked at.
    """
    todo = [change for change in changes(git, now, wanted) if not change.path.startswith(without)]
    left = tuple(replace(change, kept=BY_OTHERS) for change in todo if change.path in others)
    todo = [change for change in todo if change.path not in others]
    rules = [change for change in todo if Path(change.path).name == ".gitignore"]
    rest = [change for change in todo if change not in rules]
    git("read-tree", wanted, index="-wanted")
    try:
        done = _made_so(git, rules, frozenset())
        # Now the ignore files are those of the time to which this goes back.
        return (*left, *done, *_made_so(git, rest, frozenset(left_out) | _ignored_of(git, rest)))
    finally:
        git.forget_index("-wanted")


def _ignored_of(git: Git, todo: Sequence[Change]) -> frozenset[str]:
    """Which files that would be deleted are named by ignore files."""
    given = _listed([f"./{change.path}" for change in todo if change.what == "deleted"])
    if not given:
        return frozenset()
    named = git("check-ignore", "-z", "--no-index", "--stdin", given=given, fine=(0, 1))
    return frozenset(path.removeprefix("./") for path in _paths(named))


def _made_so(git: Git, todo: Sequence[Change], not_held: frozenset[str]) -> tuple[Change, ...]:
    # Deleted first: a folder may have to make room for a file, and a file for a folder.
    deleted = tuple(_deleted(git.files, change, not_held) for change in todo if change.what == "deleted")
    written = tuple(_judged(git.files, change) for change in todo if change.what != "deleted")
    paths = [change.path for change in written if change.kept is None]
    modes = _modes(git, paths)
    git("checkout-index", "-z", "--force", "--stdin", given=_listed(paths), index="-wanted")
    for path, mode in modes.items():
        _set_mode(git.files / path, mode)
    return (*deleted, *written)


def _note_modes(git: Git, paths: Sequence[str]) -> None:
    """Note the permissions of files that git would bring back with others: readable for all, say."""
    known = _noted_modes(git)
    noted = dict(known)
    for path in paths:
        with contextlib.suppress(OSError):  # it is gone meanwhile
            status = (git.files / path).lstat()
            mode = stat.S_IMODE(status.st_mode) & 0o777
            noted.pop(path, None)
            if stat.S_ISREG(status.st_mode) and mode not in _USUAL_MODES:
                noted[path] = mode
    if noted != known:
        git.modes.write_text(json.dumps(noted))


def _noted_modes(git: Git) -> dict[str, int]:
    try:
        found = json.loads(git.modes.read_bytes())
    except (OSError, ValueError):  # none yet, or the disk was full
        return {}
    return found if isinstance(found, dict) else {}


def _modes(git: Git, paths: Sequence[str]) -> dict[str, int]:
    """The permissions that each file shall have: those it has, or had when it was last there."""
    noted = _noted_modes(git)
    found: dict[str, int] = {}
    for path in paths:
        place = git.files / path
        if _kind(place) == stat.S_IFREG:
            found[path] = stat.S_IMODE(place.stat().st_mode) & 0o777
        elif path in noted:
            found[path] = noted[path]
    return found


def _set_mode(place: Path, mode: int) -> None:
    """Give a file permissions; whether it can be executed is for git to say."""
    status = place.lstat()
    if stat.S_ISREG(status.st_mode):
        can_run = (mode & 0o444) >> 2 if status.st_mode & 0o100 else 0
        place.chmod(mode & 0o666 | can_run)


def _deleted(files: Path, change: Change, not_held: frozenset[str]) -> Change:
    if change.path in not_held:
        return replace(change, kept=NOT_HELD)
    if _through_link(files, change.path):
        return replace(change, kept=_LINKED)
    if _is_too_large(files / change.path):
        return replace(change, kept=_GROWN)
    try:
        _delete(files, change.path)
    except PermissionError:
        return replace(change, kept=_PROTECTED)
    return change


def _judged(files: Path, change: Change) -> Change:
    """The change, or why it is not made: something is there that nobody could bring back, or it would be elsewhere."""
    place = files / change.path
    in_the_way = any(_kind(folder) not in (0, stat.S_IFDIR) for folder in place.parents)
    if _through_link(files, change.path):
        return replace(change, kept=_LINKED)
    if in_the_way or (change.what == "made" and os.path.lexists(place)) or _is_folder(place):
        return replace(change, kept="something that no checkpoint holds is there")
    if _is_too_large(place):
        return replace(change, kept=_GROWN)
    if not _may_be_made(place):
        return replace(change, kept=_PROTECTED)
    return change


def _may_be_made(place: Path) -> bool:
    """Whether the first folder on the way to a file that is there lets files be made in it."""
    around = next(folder for folder in place.parents if _is_folder(folder))
    return os.access(around, os.W_OK | os.X_OK)


def _delete(files: Path, path: str) -> None:
    """Delete a file, and the folders that are empty then."""
    place = files / path
    place.unlink(missing_ok=True)
    for folder in place.parents:
        if folder == files:
            break
        try:
            folder.rmdir()
        except OSError:  # something is in it
            break


def _cannot_be_kept(files: Path, path: str) -> bool:
    """Whether it is too large, cannot be read, or has a name that git takes for its own."""
    place = files / path
    return (
        _is_too_large(place)
        or any(part.casefold() == ".git" for part in Path(path).parts)
        or not (_kind(place) == stat.S_IFLNK or os.access(place, os.R_OK))
    )


def _is_gone(files: Path, path: str) -> bool:
    """Whether no file is there any more: nothing, a folder, or what a link leads to."""
    place = files / path
    try:
        place.lstat()
    except PermissionError:  # of its folder: nobody knows
        return False
    except OSError:
        return True
    return _is_folder(place) or _through_link(files, path)


def _kind(path: Path) -> int:
    """The type of what is at a path, itself and not what a link leads to; 0 where nothing is, or nobody may look."""
    try:
        return stat.S_IFMT(path.lstat().st_mode)
    except OSError:
        return 0


def _is_folder(place: Path) -> bool:
    return _kind(place) == stat.S_IFDIR


def _through_link(files: Path, path: str) -> bool:
    """Whether a folder on the way to a file is a symbolic link, so that the file is somewhere else."""
    folders = Path(path).parents
    return any(_kind(files / folder) == stat.S_IFLNK for folder in folders if folder != Path())


def _is_too_large(path: Path) -> bool:
    """Whether it is a file that is not copied; sockets, pipes and devices are none that could be."""
    try:
        status = path.lstat()
    except OSError:
        return False
    if stat.S_ISREG(status.st_mode):
        return status.st_size > LARGEST
    return not stat.S_ISLNK(status.st_mode) and not stat.S_ISDIR(status.st_mode)


def _paths(listed: bytes) -> Iterator[str]:
    return (os.fsdecode(path) for path in listed.split(b"\0") if path)


def _listed(paths: Sequence[str]) -> bytes:
    return b"".join(os.fsencode(path) + b"\0" for path in paths)
