"""Writing a trace: one line a record as it happens, what is about to be done synced before it is done."""

from __future__ import annotations

import errno
import hashlib
import os
import platform
import shutil
import threading
import time
from contextlib import suppress
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from computer_agent.step import Act, Done
from computer_agent.trace.codec import SECRET, Redact, encode, unchanged
from computer_agent.trace.errors import TraceError, TraceFullError
from computer_agent.trace.lock import Lock
from computer_agent.trace.record import (
    FILE,
    IMAGES,
    Decided,
    Ended,
    Entry,
    ImageName,
    Intended,
    Observed,
    PersonUsed,
    Record,
    Resulted,
    Start,
    to_line,
)
from computer_api.actions import secret_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from computer_agent.step import Answer, Ending, Observation, Outcome, Spent
    from computer_agent.trace.record import Then
    from computer_api.actions import Action
    from computer_api.geometry import Size
    from computer_api.gestures import Doings
    from computer_api.receipt import Receipt
    from computer_platform.desktop import Window

LOCK = "lock"
RESERVE = "reserve"
RESERVED = 256 * 1024  # bytes that are let go when the disk is full, so that the trace can say so
_FULL = {errno.ENOSPC, errno.EFBIG, errno.EDQUOT}
_SHORTEST_SECRET = 4  # a shorter one would black out half of every text
_SUFFIXES = {b"\x89PNG": ".png", b"\xff\xd8\xff": ".jpg"}


class TraceWriter:
    """Appends one run to ``folder``, which is made if it is missing and must not hold a trace yet.

    ``clock`` gives seconds since 1970. Every text of a record passes ``redact`` before it is written;
    secret texts that were typed are hidden from all records besides. Any thread may write.

    Raises ``TraceError`` when another process writes there or a trace is there already, and
    ``TraceFullError`` when no room is left, here and in every verb but ``end`` and ``close``.
    """

    def __init__(
        self, folder: Path, *, clock: Callable[[], float] = time.time, redact: Redact = unchanged
    ) -> None:
        self.folder = folder
        self._clock = clock
        self._redact = redact
        self._secrets: set[str] = set()
        self._writing = threading.RLock()
        self._end = (
            0,
            0,
        )  # the whole lines in the file: bytes, number. One value, so an interrupt cannot split it
        self._intents = 0
        self._full = False
        self._over = False
        self._seen: list[ImageName] = []  # the first picture of a step, and the last
        self._file = -1
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = Lock(folder / LOCK, clock())
        except OSError as error:
            raise self._named(error) from error
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    def start(
        self, *, task: str, model: str, desktop: str, screen: Size | None, monitor: int | None = None
    ) -> None:
        """The run begins; ``screen`` is the size in points of what is worked on, ``monitor`` the one it is kept to."""
        system = f"{platform.system()} {platform.release()} {platform.machine()}"
        program = f"oi-desktop {_version()}"
        record = Start(
            task=task,
            model=model,
            desktop=desktop,
            screen=screen,
            system=system,
            program=program,
            monitor=monitor,
        )
        self._append(record, sync=True)

    def observation(self, step: int, seen: Observation, picture: bytes | None = None) -> ImageName | None:
        """What a step begins with. ``picture`` is its screenshot as PNG or JPEG, made here when missing."""
        shot, listed = seen.screenshot, seen.elements
        if shot is None:
            record = Observed(step=step, unchanged_since=seen.unchanged_since, notes=seen.notes)
        else:
            image = self.image(shot.png() if picture is None else picture)
            record = Observed(
                step=step,
                image=image,
                picture=shot.size,
                area=shot.box,
                unchanged_since=seen.unchanged_since,
                notes=seen.notes,
                covered=shot.covered,
                elements=() if listed is None else listed.items,
                truncated=listed is not None and listed.truncated,
            )
            self._seen = [*self._seen[:1], image]
        self._append(record)
        return record.image

    def decision(self, step: int, decided: Act | Answer) -> None:
        """What the model wants, or the answer that ends the run."""
        if isinstance(decided, Act):
            for action in decided.actions:
                self._remember_secret(action)
            record = Decided(
                step=step,
                thought=decided.thought,
                actions=decided.actions,
                usage=decided.usage,
                checks=decided.checks,
            )
        else:
            record = Decided(step=step, thought=decided.text, usage=decided.usage, answered=True)
        self._append(record)

    def intent(
        self, step: int, action: Action, *, approval: str, nested: bool = False, into: Window | None = None
    ) -> int:
        """An action is about to be performed; on the disk before this returns the id for ``result``.

        ``into`` is the window that keys without a target go to.
        """
        self._remember_secret(action)
        redacted = encode(action, self._hide) != encode(action)
        with self._writing:
            self._intents += 1  # first: an id that an interrupt wasted is better than one used twice
            intent = self._intents
        record = Intended(
            id=intent,
            step=step,
            action=action,
            approval=approval,
            nested=nested,
            redacted=redacted,
            window="" if into is None else into.title,
            app="" if into is None else into.app,
        )
        self._append(record, sync=True)
        return intent

    def result(
        self, intent: int, outcome: Outcome, *, before: bytes | None = None, after: bytes | None = None
    ) -> None:
        """What became of that intent; ``before`` and ``after`` are pictures as PNG or JPEG. Synced too."""
        self._remember_secret(outcome.action)
        pictures = [None if picture is None else self.image(picture) for picture in (before, after)]
        if isinstance(outcome, Done):
            record = Resulted(
                id=intent,
                outcome="done",
                receipt=_kept(outcome),
                before=pictures[0],
                after=pictures[1],
                images=tuple(self.image(image) for image in outcome.receipt.images),
            )
        else:
            record = Resulted(
                id=intent, outcome=outcome.kind, why=outcome.why, before=pictures[0], after=pictures[1]
            )
        self._append(record, sync=True)

    def person(self, step: int, doings: Doings, then: Then) -> None:
        """What the person did themselves, in or before that step."""
        since_1970 = self._clock() - time.monotonic()
        self._append(
            PersonUsed(
                step=step,
                began=round(since_1970 + doings.began, 6),
                ended=round(since_1970 + doings.ended, 6),
                keys=doings.keys,
                buttons=doings.buttons,
                notches=doings.notches,
                points=doings.points,
                then=then,
            )
        )

    def end(self, ending: Ending, words: str, spent: Spent) -> None:
        """The run is over. Does nothing the second time, and after a full disk, which is already written as the end."""
        if not self._full and not self._over:
            self._append(Ended(ending=ending, words=words, spent=spent), sync=True)
            self._over = True
            self._name_pictures()

    def image(self, data: bytes) -> ImageName:
        """Store a PNG or JPEG under the hash of its bytes, once, whole or not at all, and return its name."""
        suffix = next((suffix for magic, suffix in _SUFFIXES.items() if data.startswith(magic)), None)
        if suffix is None:
            raise TraceError(
                f'A picture for the trace must be PNG or JPEG; this one starts with "{data[:8]!r}".'
            )
        name = ImageName(hashlib.sha256(data).hexdigest() + suffix)
        path = self.folder / IMAGES / name
        with self._writing:
            self._check_open()
            if not path.exists():
                # Not synced: the reader checks the hash, and a picture lost to a power cut loses no action.
                part = path.with_suffix(".part")
                try:
                    part.touch(mode=0o600)
                    part.write_bytes(data)
                    part.replace(path)
                except OSError as error:
                    with suppress(OSError):
                        part.unlink()
                    self._fail(error)
        return name

    def _name_pictures(self) -> None:
        """Give the first picture and the last one names that a person finds: ``before`` and ``after``."""
        for name, image in zip(("before", "after"), self._seen[:1] + self._seen[-1:], strict=False):
            with suppress(OSError):  # a convenience; the trace is whole without it
                copy = (self.folder / name).with_suffix(Path(image).suffix)
                copy.touch(mode=0o600)  # before it holds anything
                shutil.copyfile(self.folder / IMAGES / image, copy)

    def close(self) -> None:
        """Let go of the folder. Writes nothing: a run that was not ended stays so. Safe to call twice."""
        with self._writing:
            if self._file >= 0:
                os.close(self._file)
                self._file = -1
                (self.folder / RESERVE).unlink(missing_ok=True)
            self._lock.release()

    def _open(self) -> None:
        path = self.folder / FILE
        if path.exists():
            raise TraceError(f'There is a trace in "{self.folder}" already; choose a folder without one.')
        try:
            (self.folder / IMAGES).mkdir(mode=0o700, exist_ok=True)
            (self.folder / RESERVE).write_bytes(bytes(RESERVED))
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        except OSError as error:
            with suppress(OSError):
                (self.folder / RESERVE).unlink()
            raise self._named(error) from error
        _sync_folder(self.folder)

    def _append(self, record: Record, *, sync: bool = False) -> None:
        with self._writing:
            self._check_open()
            try:
                self._put(record, sync=sync)
            except OSError as error:
                self._fail(error)
            except BaseException:  # ctrl-c in the middle of a line
                os.ftruncate(self._file, self._end[0])
                raise

    def _put(self, record: Record, *, sync: bool) -> None:
        size, sequence = self._end
        entry = Entry(sequence=sequence, time=self._clock(), record=record)
        line = memoryview(to_line(entry, self._hide))
        left = line
        while left:  # a disk that fills up takes a part first and fails then
            left = left[os.write(self._file, left) :]
        if sync:
            os.fsync(self._file)
        self._end = (size + len(line), sequence + 1)

    def _fail(self, error: OSError) -> None:
        """Cut the torn line off, say in the trace why it ends, and raise."""
        os.ftruncate(self._file, self._end[0])
        problem = self._named(error)
        if isinstance(problem, TraceFullError):
            self._full = True
            (self.folder / RESERVE).unlink(missing_ok=True)
            try:
                self._put(Ended(ending="failed", words="paused: disk full"), sync=True)
            except OSError:  # not even the reserve helped: the trace ends without a word, but whole
                os.ftruncate(self._file, self._end[0])
        raise problem from error

    def _named(self, error: OSError) -> TraceError:
        if error.errno in _FULL:
            return TraceFullError(
                f'No room is left to write the trace "{self.folder}", so nothing more is done; '
                "free some space on that disk."
            )
        return TraceError(f'The trace "{self.folder}" cannot be written: {error.strerror}.')

    def _check_open(self) -> None:
        if self._file < 0:
            raise TraceError(f'The trace "{self.folder}" is closed.')
        if self._full:
            raise self._named(OSError(errno.ENOSPC, ""))

    def _remember_secret(self, action: Action) -> None:
        text = secret_text(action)
        if text is not None and len(text) >= _SHORTEST_SECRET:
            self._secrets.add(text)

    def _hide(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, SECRET)
        return self._redact(text)


def _kept(outcome: Done) -> Receipt:
    """The receipt as it is written: its images go to files, and a secret's field is not shown."""
    receipt = replace(outcome.receipt, images=())
    if secret_text(outcome.action) is not None:
        return replace(receipt, value=None)
    return receipt


def _version() -> str:
    try:
        return metadata.version("oi-desktop")
    except metadata.PackageNotFoundError:  # run from its sources
        return "from sources"


def _sync_folder(folder: Path) -> None:
    """Make the new file's name durable; Windows does that by itself and opens no folders."""
    if os.name == "posix":
        file = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)
