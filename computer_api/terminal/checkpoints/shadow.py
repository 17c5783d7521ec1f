"""A folder's files as a tree in the store, and a tree's files back in the folder."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from computer_api.terminal.checkpoints.git import Git
LARGEST = 5 * 1024 * 1024  # bytes of a file that is kept
_LINKED = "its folder is a link now"
_GROWN = "it has grown too large to be copied"
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
    listed = git("ls-files", "-z", "--others", "--modified", "--deleted", "--exclude-standard", until=until)
    nested, gone, kept, left_out = [], [], [], []
    for path in dict.fromkeys(_paths(listed)):
        if path.endswith("/"):
            nested.append(path)
        elif _is_gone(git.files, path):
            gone.append(path)
        elif _is_too_large(git.files / path) or not _may_be_read(git.files / path):
            left_out.append(path)
        else:
            kept.append(path)
    if gone:  # first: a folder may be where a file was
        git("update-index", "-z", "--force-remove", "--stdin", given=_listed(gone), until=until)
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


def restore(git: Git, now: str, wanted: str) -> tuple[Change, ...]:
    """Turn the folder's files from one tree into another, and say what became of each. Raises ``CheckpointError``.

    ``now`` is the tree of the files as they are. What is in the way and not in it was not copied, so it is left.
    """
    todo = changes(git, now, wanted)
    # Deleted first: a folder may have to make room for a file, and a file for a folder.
    deleted = tuple(_deleted(git.files, change) for change in todo if change.what == "deleted")
    written = tuple(_judged(git.files, change) for change in todo if change.what != "deleted")
    given = _listed([change.path for change in written if change.kept is None])
    git("read-tree", wanted, index="-wanted")
    try:
        git("checkout-index", "-z", "--force", "--stdin", given=given, index="-wanted")
    finally:
        git.forget_index("-wanted")
    return (*deleted, *written)


def _deleted(files: Path, change: Change) -> Change:
    if _through_link(files, change.path):
        return replace(change, kept=_LINKED)
    if _is_too_large(files / change.path):
        return replace(change, kept=_GROWN)
    _delete(files, change.path)
    return change


def _judged(files: Path, change: Change) -> Change:
    """The change, or why it is not made: something is there that nobody could bring back, or it would be elsewhere."""
    place = files / change.path
    in_the_way = any(os.path.lexists(folder) and not folder.is_dir() for folder in place.parents)
    if _through_link(files, change.path):
        return replace(change, kept=_LINKED)
    if in_the_way or (change.what == "made" and os.path.lexists(place)) or _is_folder(place):
        return replace(change, kept="something that no checkpoint holds is there")
    if _is_too_large(place):
        return replace(change, kept=_GROWN)
    return change


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


def _may_be_read(path: Path) -> bool:
    return path.is_symlink() or os.access(path, os.R_OK)


def _is_gone(files: Path, path: str) -> bool:
    """Whether no file is there any more: nothing, a folder, or what a link leads to."""
    place = files / path
    return not os.path.lexists(place) or _is_folder(place) or _through_link(files, path)


def _is_folder(place: Path) -> bool:
    return place.is_dir() and not place.is_symlink()


def _through_link(files: Path, path: str) -> bool:
    """Whether a folder on the way to a file is a symbolic link, so that the file is somewhere else."""
    folders = Path(path).parents
    return any((files / folder).is_symlink() for folder in folders if folder != Path())


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
