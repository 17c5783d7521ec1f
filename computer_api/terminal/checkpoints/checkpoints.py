"""Checkpoints of a workspace: one before each block that writes, so that what it did can be seen and taken back.

    folder/git            the store
    folder/checkpoints    a line of JSON each: number, time, title, the tree of each folder
    folder/lock           held by whoever writes

The workspace's own repositories are never touched: the store has a folder and an index of its own. Repositories below
the workspace are kept as trees of their own, for git would keep no more than their names.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
import time
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Literal, Self

from computer_api.terminal.checkpoints import shadow
from computer_api.terminal.checkpoints.errors import CheckpointError
from computer_api.terminal.checkpoints.git import Git, git_outside

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from computer_api.terminal.checkpoints.shadow import Change

_SECONDS = 2.0  # that a block waits for its checkpoint
_MOST = 50  # checkpoints that are kept
_MOST_BYTES = 1024**3
_MOST_NESTED = 64
_NEW = "it is a repository of its own, made since then"

Kind = Literal["before", "undo", "redo"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """The workspace at one time. ``trees`` holds the tree of each folder, its path relative and ending with a slash.

    ``left_out``: the files that were there and are in none of them, too large or unreadable, but for ignored ones.
    ``kind``: taken ``before`` a block, or before an ``undo`` or a ``redo``, which went to ``back_to``. ``after`` are
    the trees when that had ended: what changed later was not its doing.
    """

    number: int
    time: float
    title: str
    kind: Kind
    trees: Mapping[str, str]
    back_to: int | None = None
    left_out: Sequence[str] = ()
    after: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What going back to a checkpoint changed, and the checkpoint that was taken before."""

    to: Checkpoint
    before: Checkpoint
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Copy:
    """The workspace as it is now: its trees and what they leave out, as in a checkpoint."""

    trees: Mapping[str, str]
    left_out: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _By:
    """The files that only others than code changed, and those that both did."""

    others: frozenset[str] = frozenset()
    both: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Leave:
    """What going back leaves: lost repositories, which have their own turn, what no tree holds, what others changed."""

    lost: Sequence[str]
    left_out: frozenset[str]
    others: frozenset[str]


class Checkpoints:
    """The checkpoints of one workspace. Raises ``CheckpointError`` for a folder that holds a home or everything.

    ``store`` is the folder of all workspaces' checkpoints. Any thread may use it, and other processes.
    """

    def __init__(self, workspace: Path, store: Path, *, home: Path, environment: Mapping[str, str]) -> None:
        self.workspace = workspace.resolve()
        if home.resolve().is_relative_to(self.workspace):
            raise CheckpointError(
                f'"{self.workspace}" holds your whole home, which is not copied: start oi in a folder of the task.'
            )
        name = sha256(str(self.workspace).encode("utf-8", "surrogateescape")).hexdigest()[:16]
        self._folder = store / name
        if self._folder.resolve().is_relative_to(self.workspace):
            raise CheckpointError(f'Checkpoints would lie in the workspace "{self.workspace}" itself.')
        self._environment = environment
        self._program = git_outside(self.workspace, environment)
        self._ready = threading.Event()
        self._ready.set()
        self._lock = threading.Lock()

    def prepare(self) -> Self:
        """Copy the workspace for the first time, in the background: the next copies are quick."""
        self._ready.clear()
        threading.Thread(target=self._prepare, name="first checkpoint", daemon=True).start()
        return self

    def take(self, title: str, *, seconds: float = _SECONDS) -> Checkpoint:
        """A checkpoint of the workspace now. Raises ``CheckpointError`` when it is not done in that time."""
        until = time.monotonic() + seconds
        if not self._ready.wait(seconds):
            raise CheckpointError(f"the first copy of the workspace was not done within {seconds:g} s")
        with self._held(until):
            return self._keep("before", title, self._copied(until))

    def ended(self, checkpoint: Checkpoint, *, seconds: float = _SECONDS) -> None:
        """The block after that checkpoint has ended: what changes from now on is not its doing.

        Raises ``CheckpointError`` when that is not noted in that time.
        """
        until = time.monotonic() + seconds
        with self._held(until):
            self._end(checkpoint, self._copied(until))

    def all(self) -> tuple[Checkpoint, ...]:
        """The checkpoints, oldest first."""
        return self._read()

    def next_undo(self) -> Checkpoint | None:
        """The last checkpoint before a block that nobody has gone back to yet."""
        undone: set[int] = set()
        for one in reversed(self.all()):
            if one.number in undone:  # a redo has undone an undo, and what that had undone is done again
                continue
            if one.kind == "before":
                return one
            if one.back_to is not None:
                undone.update(range(one.back_to, one.number))
        return None

    def next_redo(self) -> Checkpoint | None:
        """The checkpoint before the last undo that nobody has redone, if no block has run since."""
        undone: list[Checkpoint] = []
        for one in self.all():
            match one.kind:
                case "before":
                    undone.clear()
                case "undo":
                    undone.append(one)
                case "redo":
                    del undone[-1:]
        return undone[-1] if undone else None

    def numbered(self, number: int) -> Checkpoint:
        """The checkpoint of that number. Raises ``CheckpointError``."""
        found = next((one for one in self.all() if one.number == number), None)
        if found is None:
            known = self.all()
            which = (
                f"they go from {known[0].number} to {known[-1].number}" if known else "there are none here"
            )
            raise CheckpointError(f"There is no checkpoint {number}: {which}.")
        return found

    def changes_since(self, checkpoint: Checkpoint, until: Checkpoint | None = None) -> tuple[Change, ...]:
        """What became of each file from then until another checkpoint, or until now."""
        return self._changes(checkpoint, self._now() if until is None else until)

    def difference(self, checkpoint: Checkpoint, until: Checkpoint | None = None) -> str:
        """The same as a unified diff; each folder of its own under a line with its name."""
        parts = []
        for folder, before, after in self._paired(checkpoint, self._now() if until is None else until):
            words = shadow.difference(self._git(""), before, after)
            parts.append(f"# in {folder}\n{words}" if folder and words else words)
        return "".join(parts)

    def going_to(self, checkpoint: Checkpoint, *, everything: bool = False) -> tuple[Change, ...]:
        """What ``restore`` would change, the other way round: what became of each file since then.

        What others than code have changed since is left alone, unless ``everything`` is to be as it was; it is named
        where code had changed it too.
        """
        now = self._now()
        by = _By() if everything else self._by(checkpoint, now)
        return tuple(
            replace(change, kept=shadow.BY_OTHERS) if change.path in by.both else change
            for change in self._changes(checkpoint, now)
            if change.path not in by.others
        )

    def restore(
        self, checkpoint: Checkpoint, kind: Literal["undo", "redo"] = "undo", *, everything: bool = False
    ) -> Restored:
        """Go to a checkpoint; the workspace as it is becomes one before that. Raises ``CheckpointError``.

        What others than code have changed since is left alone, unless ``everything`` is to be as it was; it is named
        where code had changed it too.
        """
        with self._held(time.monotonic() + 60):
            now = self._copied(None)
            by = _By() if everything else self._by(checkpoint, now)
            leave = _Leave(
                lost=_only_in(checkpoint, now),
                left_out=frozenset(checkpoint.left_out),
                others=by.others | by.both,
            )
            before = self._keep(kind, f"{kind} of {checkpoint.number}", now, back_to=checkpoint.number)
            done = [
                replace(change, path=folder + change.path)
                for folder, wanted, current in self._paired(checkpoint, now)
                for change in self._restored(folder, current, wanted, leave)
                if folder + change.path not in by.others
            ]
            done += self._beyond(checkpoint, now)
            ended = self._end(before, self._copied(None))
            return Restored(to=checkpoint, before=ended, changes=tuple(done))

    def left_out(self) -> tuple[str, ...]:
        """What no checkpoint holds: what ignore files name, and files that are too large."""
        found = []
        with self._held(time.monotonic() + 60):
            copied = self._copied(None)
            for folder in copied.trees:
                found += [folder + path for path in shadow.ignored(self._git(folder))]
        return (*found, *copied.left_out)

    def prune(self) -> None:
        """Forget all but the newest checkpoints, and more of them while the store is too large."""
        with self._held(time.monotonic() + 60):
            kept = list(self._read())[-_MOST:]
            self._write(kept)
            while kept and self._bytes() > _MOST_BYTES:
                kept = kept[len(kept) // 2 + 1 :]
                self._write(kept)

    def _prepare(self) -> None:
        try:
            # What goes wrong here, the first block that writes will say.
            with contextlib.suppress(CheckpointError), self._held(time.monotonic() + 60):
                self._copied(None)
        finally:
            self._ready.set()

    def _git(self, folder: str) -> Git:
        name = sha256(folder.encode("utf-8", "surrogateescape")).hexdigest()[:16] if folder else "top"
        return Git(self._folder, self.workspace / folder, name, self._environment, program=self._program)

    def _now(self) -> _Copy:
        with self._held(time.monotonic() + 60):
            return self._copied(None)

    def _copied(self, until: float | None) -> _Copy:
        try:
            return self._copy(until)
        except OSError as error:
            raise CheckpointError(f"the workspace could not be copied: {error.strerror}") from None
        except CheckpointError:
            # Of a git that was killed, or found the disk full: they would keep it full.
            for half_written in (self._folder / "git" / "objects").glob("??/tmp_obj_*"):
                half_written.unlink(missing_ok=True)
            raise

    def _copy(self, until: float | None) -> _Copy:
        """The tree of the workspace, and of each repository in it."""
        trees: dict[str, str] = {}
        left_out: list[str] = []
        folders = [""]
        while folders and len(trees) < _MOST_NESTED:
            folder = folders.pop(0)
            copied = shadow.copy(self._git(folder), until=until)
            trees[folder] = copied.tree
            folders += [folder + path for path in copied.nested]
            left_out += [folder + path for path in copied.left_out]
        return _Copy(trees=trees, left_out=(*left_out, *folders))

    def _paired(self, then: _Copy | Checkpoint, now: _Copy | Checkpoint) -> list[tuple[str, str, str]]:
        """Each folder that there was then, the workspace first, with its tree of then and of now.

        One that is no repository any more may still have files; its tree of now is cut from the folder around it.
        """
        git = self._git("")
        return [
            (folder, tree, now.trees[folder] if folder in now.trees else _cut(git, now.trees, folder))
            for folder, tree in then.trees.items()
        ]

    def _changes(self, then: _Copy | Checkpoint, now: _Copy | Checkpoint) -> tuple[Change, ...]:
        lost = _only_in(then, now)
        found = [
            replace(change, path=folder + change.path)
            for folder, before, after in self._paired(then, now)
            for change in shadow.changes(self._git(""), before, after)
            if not _is_in(folder + change.path, lost, folder)
        ]
        return (*found, *self._beyond(then, now))

    def _beyond(self, then: _Copy | Checkpoint, now: _Copy | Checkpoint) -> tuple[Change, ...]:
        """What going back leaves as it is: repositories made since, and files deleted that no checkpoint holds."""
        made = [shadow.Change(path=folder, what="made", kept=_NEW) for folder in _only_in(now, then)]
        gone = [path for path in then.left_out if not os.path.lexists(self.workspace / path)]
        return (*made, *(shadow.Change(path=path, what="deleted", kept=shadow.NOT_HELD) for path in gone))

    def _restored(self, folder: str, current: str, wanted: str, leave: _Leave) -> tuple[Change, ...]:
        """Turn one folder into what it was, but for the repositories in it that are lost: those have their own turn."""
        if current == wanted:
            return ()
        (self.workspace / folder).mkdir(parents=True, exist_ok=True)
        return shadow.restore(
            self._git(folder),
            current,
            wanted,
            left_out=_within(folder, leave.left_out),
            others=_within(folder, leave.others),
            without=tuple(_within(folder, leave.lost) - {""}),
        )

    def _by(self, checkpoint: Checkpoint, now: _Copy) -> _By:
        """Who changed what since the checkpoint. Where the end of a block is unknown, it did all till the next one."""
        since = [one for one in self.all() if one.number >= checkpoint.number]
        states: list[_Copy | Checkpoint] = [*since[1:], now]
        code: set[str] = set()
        others: set[str] = set()
        for one, following in zip(since, states, strict=True):
            ended = following if one.after is None else _Copy(trees=one.after, left_out=())
            code.update(change.path for change in self._changes(one, ended))
            others.update(change.path for change in self._changes(ended, following))
        return _By(others=frozenset(others - code), both=frozenset(others & code))

    def _end(self, checkpoint: Checkpoint, copied: _Copy) -> Checkpoint:
        ended = replace(checkpoint, after=copied.trees)
        self._name(ended)
        _append(self._folder / "checkpoints", _line(ended))
        return ended

    def _keep(self, kind: Kind, title: str, copied: _Copy, *, back_to: int | None = None) -> Checkpoint:
        """Write the checkpoint down, with a name in the store for each tree, so that no pruning takes them."""
        known = self.all()
        number = known[-1].number + 1 if known else 1
        one = Checkpoint(
            number=number,
            time=time.time(),
            title=title,
            kind=kind,
            trees=copied.trees,
            back_to=back_to,
            left_out=copied.left_out,
        )
        self._name(one)
        _append(self._folder / "checkpoints", _line(one))
        return one

    def _name(self, checkpoint: Checkpoint) -> None:
        names = "".join(
            f"update refs/oi/{checkpoint.number}/{place} {tree}\n"
            for place, tree in enumerate((*checkpoint.trees.values(), *(checkpoint.after or {}).values()))
        )
        self._git("")("update-ref", "--stdin", given=names.encode())

    def _read(self) -> tuple[Checkpoint, ...]:
        """What is written down; of a checkpoint with several lines the last one counts."""
        try:
            lines = (self._folder / "checkpoints").read_bytes().splitlines()
        except OSError:
            return ()
        found: dict[int, Checkpoint] = {}
        for line in lines:
            with contextlib.suppress(ValueError, TypeError):  # the last line of a process that was killed
                one = Checkpoint(**json.loads(line))
                found[one.number] = replace(one, left_out=tuple(one.left_out))
        return tuple(found.values())

    def _write(self, kept: list[Checkpoint]) -> None:
        """Only these are left, and what only the others held is removed from the store."""
        file = self._folder / "checkpoints"
        new = file.with_suffix(".new")
        new.write_text("".join(map(_line, kept)), encoding="utf-8")
        new.replace(file)
        git = self._git("")
        numbers = {str(one.number) for one in kept}
        names = git("for-each-ref", "--format=%(refname)", "refs/oi").decode().split()
        gone = "".join(f"delete {name}\n" for name in names if name.split("/")[2] not in numbers)
        if gone:
            git("update-ref", "--stdin", given=gone.encode())
            git("gc", "--quiet", "--prune=now", fine=(0, 1, 128))

    def _bytes(self) -> int:
        return sum(
            file.stat().st_size for file in (self._folder / "git" / "objects").rglob("*") if file.is_file()
        )

    def _forget_locks(self) -> None:
        """Remove what a git that was killed has left: it would keep every later one out."""
        for lock in (*self._folder.glob("index-*.lock"), self._folder / "git" / "packed-refs.lock"):
            lock.unlink(missing_ok=True)

    @contextlib.contextmanager
    def _held(self, until: float) -> Iterator[None]:
        """Alone with the store, among the threads and the processes."""
        if not self._lock.acquire(timeout=max(0.0, until - time.monotonic())):
            raise CheckpointError("another checkpoint of this workspace is being taken")
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with (self._folder / "lock").open("w") as file:
                _lock(file.fileno(), until)
                self._forget_locks()
                yield
        except OSError as error:
            raise CheckpointError(f"the checkpoints cannot be kept: {error.strerror}") from None
        finally:
            self._lock.release()


def _lock(descriptor: int, until: float) -> None:
    """Lock the file; the lock ends with the descriptor."""
    if sys.platform == "win32":  # one process at a time is only asked for where there is a call for it
        return
    import fcntl

    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                raise CheckpointError("another oi uses the checkpoints of this workspace") from None
            time.sleep(0.02)
        else:
            return


def _append(file: Path, line: str) -> None:
    """Add a line, after what a process that was killed, or a disk that was full, may have left of another."""
    with file.open("a+b") as opened:
        end = opened.seek(0, os.SEEK_END)
        opened.seek(max(0, end - 1))
        whole = opened.read() in (b"", b"\n")
        opened.write(("" if whole else "\n").encode() + line.encode())


def _only_in(one: _Copy | Checkpoint, other: _Copy | Checkpoint) -> tuple[str, ...]:
    """The repositories below the workspace that there are only in one of the two."""
    return tuple(folder for folder in one.trees if folder not in other.trees)


def _within(folder: str, paths: Iterable[str]) -> frozenset[str]:
    """Those of the paths that are in the folder, relative to it."""
    return frozenset(path.removeprefix(folder) for path in paths if path.startswith(folder))


def _is_in(path: str, folders: Sequence[str], itself: str) -> bool:
    return any(path.startswith(folder) for folder in folders if folder != itself)


def _cut(git: Git, trees: Mapping[str, str], folder: str) -> str:
    """The tree of a folder, as a part of that of the folder around it."""
    around = max((other for other in trees if folder.startswith(other)), key=len)
    listed = git("ls-tree", "-d", "-z", trees[around], folder.removeprefix(around).rstrip("/"))
    return listed.split()[2].decode() if listed else shadow.EMPTY_TREE


def _line(checkpoint: Checkpoint) -> str:
    fields = {name: getattr(checkpoint, name) for name in Checkpoint.__slots__}
    return json.dumps(fields) + "\n"
