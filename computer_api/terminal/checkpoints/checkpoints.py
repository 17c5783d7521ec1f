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
import sys
import threading
import time
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Literal, Self

from computer_api.terminal.checkpoints import shadow
from computer_api.terminal.checkpoints.errors import CheckpointError
from computer_api.terminal.checkpoints.git import Git

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from computer_api.terminal.checkpoints.shadow import Change

_SECONDS = 2.0  # that a block waits for its checkpoint
_MOST = 50  # checkpoints that are kept
_MOST_BYTES = 1024**3
_MOST_NESTED = 64

Kind = Literal["before", "undo"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """The workspace at one time. ``trees`` holds the tree of each folder, its path relative and ending with a slash.

    ``kind``: taken ``before`` a block, or before an ``undo``, which went back to ``back_to``.
    """

    number: int
    time: float
    title: str
    kind: Kind
    trees: Mapping[str, str]
    back_to: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What going back to a checkpoint changed, and the checkpoint that was taken before."""

    to: Checkpoint
    before: Checkpoint
    changes: tuple[Change, ...]


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

    def all(self) -> tuple[Checkpoint, ...]:
        """The checkpoints, oldest first."""
        return tuple(self._read())

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

    def last_undo(self) -> Checkpoint | None:
        """The checkpoint before the last undo, if nothing was done since."""
        last = next(reversed(self.all()), None)
        return last if last is not None and last.kind == "undo" else None

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
        return tuple(
            shadow.Change(path=folder + change.path, what=change.what)
            for folder, before, after in self._pairs(checkpoint, until)
            for change in shadow.changes(self._git(folder), before, after)
        )

    def difference(self, checkpoint: Checkpoint, until: Checkpoint | None = None) -> str:
        """The same as a unified diff; each folder of its own under a line with its name."""
        parts = []
        for folder, before, after in self._pairs(checkpoint, until):
            words = shadow.difference(self._git(folder), before, after)
            parts.append(f"# in {folder}\n{words}" if folder and words else words)
        return "".join(parts)

    def restore(self, checkpoint: Checkpoint) -> Restored:
        """Go back to a checkpoint; the workspace as it is becomes one before that. Raises ``CheckpointError``."""
        with self._held(time.monotonic() + 60):
            now = self._copied(None)
            before = self._keep("undo", f"undo of {checkpoint.number}", now, back_to=checkpoint.number)
            done = tuple(
                shadow.Change(path=folder + change.path, what=change.what, kept=change.kept)
                for folder, current, wanted in _paired(now, checkpoint.trees)
                for change in shadow.restore(self._git(folder), current, wanted)
            )
            return Restored(to=checkpoint, before=before, changes=done)

    def left_out(self) -> tuple[str, ...]:
        """What no checkpoint holds: what ignore files name, and files that are too large."""
        found = []
        for folder in self._trees(None):
            git = self._git(folder)
            found += [
                folder + path for path in (*shadow.ignored(git), *shadow.copy(git, until=None).left_out)
            ]
        return tuple(found)

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
        return Git(self._folder, self.workspace / folder, name, self._environment)

    def _copied(self, until: float | None) -> dict[str, str]:
        try:
            return self._trees(until)
        except OSError as error:
            raise CheckpointError(f"the workspace could not be copied: {error.strerror}") from None

    def _trees(self, until: float | None) -> dict[str, str]:
        """The tree of the workspace, and of each repository in it."""
        trees: dict[str, str] = {}
        folders = [""]
        while folders and len(trees) < _MOST_NESTED:
            folder = folders.pop(0)
            copied = shadow.copy(self._git(folder), until=until)
            trees[folder] = copied.tree
            folders += [folder + path for path in copied.nested]
        return trees

    def _pairs(self, checkpoint: Checkpoint, until: Checkpoint | None) -> list[tuple[str, str, str]]:
        if until is not None:
            return _paired(checkpoint.trees, until.trees)
        with self._held(time.monotonic() + 60):
            return _paired(checkpoint.trees, self._copied(None))

    def _keep(
        self, kind: Kind, title: str, trees: dict[str, str], *, back_to: int | None = None
    ) -> Checkpoint:
        """Write the checkpoint down, with a name in the store for each tree, so that no pruning takes them."""
        known = self.all()
        number = known[-1].number + 1 if known else 1
        one = Checkpoint(
            number=number, time=time.time(), title=title, kind=kind, trees=trees, back_to=back_to
        )
        self._name(one)
        with (self._folder / "checkpoints").open("a", encoding="utf-8") as file:
            file.write(_line(one))
        return one

    def _name(self, checkpoint: Checkpoint) -> None:
        names = "".join(
            f"update refs/oi/{checkpoint.number}/{place} {tree}\n"
            for place, tree in enumerate(checkpoint.trees.values())
        )
        self._git("")("update-ref", "--stdin", given=names.encode())

    def _read(self) -> Iterator[Checkpoint]:
        try:
            lines = (self._folder / "checkpoints").read_text(encoding="utf-8").splitlines()
        except OSError:
            return
        for line in lines:
            with contextlib.suppress(ValueError, TypeError):  # the last line of a process that was killed
                yield Checkpoint(**json.loads(line))

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
            git("gc", "--quiet", "--prune=now", check=False)

    def _bytes(self) -> int:
        return sum(
            file.stat().st_size for file in (self._folder / "git" / "objects").rglob("*") if file.is_file()
        )

    @contextlib.contextmanager
    def _held(self, until: float) -> Iterator[None]:
        """Alone with the store, among the threads and the processes."""
        if not self._lock.acquire(timeout=max(0.0, until - time.monotonic())):
            raise CheckpointError("another checkpoint of this workspace is being taken")
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with (self._folder / "lock").open("w") as file:
                _lock(file.fileno(), until)
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


def _paired(before: Mapping[str, str], after: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """Each folder that both have, with its two trees.

    A repository that only one of them has is left alone: it was made or deleted whole, its own history included.
    """
    return [(folder, tree, after[folder]) for folder, tree in before.items() if folder in after]


def _line(checkpoint: Checkpoint) -> str:
    fields = {name: getattr(checkpoint, name) for name in Checkpoint.__slots__}
    return json.dumps(fields) + "\n"
