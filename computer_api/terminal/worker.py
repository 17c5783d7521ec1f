"""One loop for every language: feed a block to a worker process, follow it to its end, stop it.

A worker is a process that stays. What its blocks print comes on one descriptor and what it has to
say about them, its records, on another, so that no output can pass for a record. This loop is the
only reader of both while a block runs, and the caller's thread runs it; between blocks ``Idle``
reads the output, so that what runs in the background never waits on a full pipe.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import selectors
import signal
import socket
import subprocess
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from computer_api.errors import ComputerError, UnsupportedError
from computer_api.terminal.call import Answer, Call, Reply
from computer_api.terminal.groups import MARK, kill_groups, marked_groups
from computer_api.terminal.limits import Watchdog
from computer_api.terminal.output import Chunk, Kept, Output, Transcript
from computer_api.terminal.shield import Shield

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from computer_api.terminal.place import Place

_READ = 64 * 1024
AFTER_THE_END = 1024 * 1024  # more than pipes and terminals hold; a background writer may never stop
_LONGEST_RECORD = 256 * 1024 * 1024
_LOOK = 0.1  # how often to look whether the process is still there, in seconds
GRACE = 2.0  # how long a block that was told to stop may take, in seconds
WAITING = 600.0  # and how long a program may wait for a line, in seconds
_HURRY = 0.12  # and how long when nobody will run another one after it


@dataclass(slots=True, kw_only=True)
class Block:
    """One block while it runs.

    ``on_line``, where somebody wants to know, is told the line that runs, in languages that can tell.
    ``waiting`` is what a program in it asked before it waited for a line that nobody answered; once it is
    ``unanswered``, all that ask get the end of input. ``reason`` says why it was stopped, if nobody interrupted it.
    """

    on_output: Callable[[Chunk], None]
    seconds: float
    deadline: float
    quiet_since: float
    on_line: Callable[[int], None] | None = None
    kept: Transcript = field(default_factory=Transcript)
    images: list[bytes] = field(default_factory=list)
    html: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    exit_code: int | None = None
    ok: bool = False
    began: bool = False
    done: bool = False
    lost: bool = False
    timed_out: bool = False
    waiting: str | None = None
    secret_wanted: bool = False
    unanswered: bool = False
    reason: str | None = None
    stopped_at: float | None = None
    stage: int = 0

    def go_on(self, *, on_output: Callable[[Chunk], None], seconds: float, kept: Transcript) -> None:
        """Begin anew with what was told, for as long as that: a line was answered, or there is none."""
        now = time.monotonic()
        self.on_output, self.seconds, self.deadline, self.quiet_since = on_output, seconds, now + seconds, now
        self.kept, self.images, self.html, self.notes = kept, [], [], []
        self.waiting, self.secret_wanted = None, False

    def output(self) -> Output:
        """What the block came to."""
        text = self.kept.text()
        saved, note = self.kept.saved()
        notes = self.notes if note is None else [note, *self.notes]
        if notes:
            text += ("\n" if text and not text.endswith("\n") else "") + "".join(
                f"[{note}]\n" for note in notes
            )
        return Output(
            text=text,
            exit_code=self.exit_code,
            ok=self.ok and self.stopped_at is None,
            images=tuple(self.images),
            html=tuple(self.html),
            saved=saved,
            waiting=self.waiting,
            secret_wanted=self.secret_wanted,
            truncated=self.kept.truncated,
            lost_state=self.lost,
            timed_out=self.timed_out,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Child:
    """A worker's process, where its output and its records are read, and all that is to be closed.

    ``leader`` leads the session and the group of what the worker runs; in a sandbox it is not ``process``. ``others``
    are more descriptors to read, with what reads them: it is given the block that runs, None between blocks, and
    tells whether more may come.
    """

    process: subprocess.Popen[bytes]
    leader: int
    output: int
    records: int
    resources: contextlib.ExitStack
    others: Mapping[int, Callable[[Block | None], bool]] = field(default_factory=dict)
    # Of the records: what is not a whole one yet, and the whole ones that nobody has acted on.
    pending: bytearray = field(default_factory=bytearray)
    unread: deque[bytes] = field(default_factory=deque)
    selector: selectors.DefaultSelector = field(default_factory=selectors.DefaultSelector)

    def close(self) -> None:
        """Let go of every descriptor."""
        self.selector.close()
        self.resources.close()


class Idle:
    """Reads a worker's output between blocks, on a thread of its own, and keeps it for the next one.

    The thread stays until ``stop``: to start one for each block takes longer than most blocks.
    """

    def __init__(self, child: Child) -> None:
        self._others = child.others
        self._sources = [child.output, *child.others]  # of which more may come
        self._kept = Kept()
        self._reading = threading.Lock()
        self._active = False
        self._bell, self._ring = socket.socketpair()
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._bell, selectors.EVENT_READ)
        self._thread = threading.Thread(target=self._read, name="terminal idle", daemon=True)
        self._thread.start()

    def resume(self) -> None:
        """Read along from now on."""
        with self._reading:
            for source in () if self._active else self._sources:
                self._selector.register(source, selectors.EVENT_READ)
            self._active = True

    def pause(self) -> Kept:
        """What came since; nothing is read any more when this returns."""
        with self._reading:
            for source in self._sources if self._active else ():
                self._selector.unregister(source)
            self._active = False
            kept, self._kept = self._kept, Kept()
        return kept

    def stop(self) -> None:
        """Pause for good; the descriptors may be closed then."""
        self._ring.close()
        self._thread.join()
        self._bell.close()
        self._selector.close()

    def _read(self) -> None:
        while True:
            ready = [key.fd for key, _ in self._selector.select()]
            if self._bell.fileno() in ready:
                return
            with self._reading:
                for source in [source for source in self._sources if self._active and source in ready]:
                    if not (self._others[source](None) if source in self._others else self._hear(source)):
                        self._selector.unregister(source)
                        self._sources.remove(source)

    def _hear(self, output: int) -> bool:
        """Keep what was printed, and tell whether more may come."""
        data = read_some(output)
        if data:
            self._kept.add(data)
        return data != b""


class Worker(ABC):
    """One language's worker: started when first used, and again after it died."""

    title: str

    def __init__(self, place: Place, answer: Answer | None) -> None:
        self.mark = secrets.token_hex(8)
        self.place = replace(place, environment={**place.environment, MARK: self.mark})
        self._answer = answer
        self._watchdog: Watchdog | None = None
        self._child: Child | None = None
        self._idle: Idle | None = None
        self._closed = False
        self._holds = False  # something that earlier blocks set
        self._untold = False  # that this was lost, since that block ended with an exception
        self._hurried = False  # the block that runs is the last one
        self._waiting: Block | None = None  # for a line, and the caller was told so
        self._expiry: threading.Timer | None = None  # ends it when nobody answers for long
        self._unsaid: list[str] = []  # what it printed when it was ended
        self._lock = threading.Lock()
        self._runner: int | None = None  # the thread that holds it
        self._bell, self._ring = socket.socketpair()
        self._shield = Shield()
        self._bell.settimeout(0)
        self._ring.settimeout(0)

    # What a language brings.

    @abstractmethod
    def start(self) -> Child:
        """Start the process, in a session of its own."""

    @abstractmethod
    def begin(self, child: Child, code: str) -> None:
        """Hand the block to the process."""

    @abstractmethod
    def split(self, pending: bytearray) -> list[bytes]:
        """Take the complete records from the front of what was read."""

    @abstractmethod
    def record(self, child: Child, block: Block, record: bytes) -> None:
        """Act on one record, which the code in the worker may have forged."""

    @abstractmethod
    def stages(self, child: Child) -> tuple[tuple[float, Callable[[], None]], ...]:
        """What to do when, in seconds since a block was told to stop; the last kills the process.

        All but the last is for a block that has begun: a worker that is not in a block, or not even
        ready for one, may take an interrupt for anything.
        """

    @abstractmethod
    def groups(self, child: Child) -> set[int]:
        """The process groups that the worker and its blocks started."""

    def tell_lines(self, child: Child) -> None:  # noqa: B027 - most cannot
        """Have the block that begins next tell which line it runs."""

    def on_quiet(self, child: Child, block: Block) -> None:  # noqa: B027 - most need not
        """Look at a block that has not printed for a while."""

    def give_line(self, child: Child, block: Block, text: str) -> None:
        """Give the line to the program that waits for it; needed by a language that uses ``wait_for_line``."""
        raise NotImplementedError

    def end_input(self, child: Child, block: Block) -> None:
        """Tell the program that waits for a line that there is none; as ``give_line``."""
        raise NotImplementedError

    def unusable(self, block: Block, code: int) -> str | None:  # noqa: ARG002 - a language's to use
        """One sentence on why the process that ended could never have run a block, if that is so."""
        return None

    # What all of them do.

    def run(
        self,
        code: str,
        *,
        on_output: Callable[[Chunk], None],
        seconds: float,
        on_line: Callable[[int], None] | None = None,
    ) -> Output:
        """Run one block to its end; see ``Terminal.run``."""

        def begin() -> Block:
            now = time.monotonic()
            block = Block(
                on_output=on_output,
                seconds=seconds,
                deadline=now + seconds,
                quiet_since=now,
                on_line=on_line,
                kept=self._transcript(),
            )
            self._end_waiting(on_output)
            if self._untold:
                block.lost = True
                block.notes.append(f"{self.title} was killed before; what earlier blocks set is gone")
            self._guarded(block, lambda: self._begin(block, code))
            return block

        return self._alone(begin)

    def answer(self, text: str, *, on_output: Callable[[Chunk], None], seconds: float) -> Output:
        """Give the line to the program that waits, and follow its block on; see ``Terminal.answer``."""

        def go_on() -> Block:
            block, child = self._no_longer_waiting(), self._child
            if block is None or child is None:
                raise UnsupportedError("No program waits for input.")
            block.go_on(on_output=on_output, seconds=seconds, kept=self._transcript())
            self._guarded(block, lambda: self.give_line(child, block, text))
            return block

        return self._alone(go_on)

    @property
    def waits(self) -> bool:
        """Whether a program waits for a line that ``answer`` gives it."""
        return self._waiting is not None

    def _alone(self, do: Callable[[], Block]) -> Output:
        """Have it done with nothing else going on in this worker, and return what came of the block."""
        if self._runner == threading.get_ident():
            raise UnsupportedError(
                f"{self.title} is running the block that asks for this; let the block end first."
            )
        try:
            with self._lock:
                if self._closed:
                    raise UnsupportedError("The terminal is closed, and runs nothing any more.")
                try:
                    self._runner = threading.get_ident()
                    read_all(self._bell)  # an interrupt that was meant for an earlier block
                    self._hurried = False
                    with self._shield(self._told):
                        block = do()
                finally:
                    self._runner = None
                self._untold = False
        finally:
            if self._closed:  # meanwhile, by somebody who left the rest to this thread
                self.close()
        return block.output()

    def _guarded(self, block: Block, begin: Callable[[], None]) -> None:
        """Begin, or go on, and follow the block; leave the worker idle whatever happens."""
        try:
            self._hear(block)
            begin()
            self._follow(block)
            self._show(block, block.kept.end())
        except BaseException:
            self._abandon(block)
            raise
        finally:
            self._rest()
        if block.waiting is not None:
            self._waiting = block
            self._expiry = threading.Timer(WAITING, self._expire, (block,))
            self._expiry.daemon = True
            self._expiry.start()

    def _no_longer_waiting(self) -> Block | None:
        """The block that waited until now."""
        if self._expiry is not None:
            self._expiry.cancel()
            if self._expiry is not threading.current_thread():
                self._expiry.join()
            self._expiry = None
        block, self._waiting = self._waiting, None
        return block

    def _expire(self, block: Block) -> None:
        """End a block that has waited for too long, on a thread of its own."""
        if not self._lock.acquire(blocking=False):
            return  # it is just being answered, or ended
        try:
            if self._waiting is block and not self._closed:
                self._end_waiting(nobody)
        finally:
            self._lock.release()
            if self._closed:
                self.close()

    def _end_waiting(self, on_output: Callable[[Chunk], None]) -> None:
        """Tell a program that still waits for a line that there is none, and stop what does not end then."""
        block, child = self._no_longer_waiting(), self._child
        if block is None or child is None:
            return
        block.go_on(on_output=on_output, seconds=GRACE, kept=self._transcript())
        block.unanswered, block.reason = True, "stopped: it went on after the end of its input"
        block.notes.append(
            "a program of the block before waited for input; there was none, and it was told so"
        )
        self._guarded(block, lambda: self.end_input(child, block))
        self._unsaid.append(block.output().text)

    def _told(self) -> None:
        """A handler has raised, and this block is in its way."""
        self._hurried = not self.place.lasting
        self.interrupt()

    def move(self, place: Place) -> None:
        """End the process; the next block starts one in that place, and says what is lost."""
        with self._lock:
            self.place = replace(place, environment=self.place.environment)
            if self._child is not None:
                self._no_longer_waiting()
                self._kill(self._child)
                self._child.process.wait()
                self._rest()
                self._untold, self._holds = self._untold or self._holds, False

    def interrupt(self) -> None:
        """Stop the running block, if there is one; a second time kills the worker at once."""
        with contextlib.suppress(OSError):
            self._ring.send(b"!")

    def close(self) -> None:
        """Kill everything that was started. A block that runs in another thread ends."""
        self._closed = True
        child = self._child
        if child is not None:
            self._kill(child)
        if self._lock.acquire(blocking=False):  # else the thread that runs a block does the rest
            try:
                self._rest()
            finally:
                self._lock.release()

    def _hear(self, block: Block) -> None:
        """Take what was printed since the last block, if there is a process."""
        for text in self._unsaid:
            self._printed(block, text.encode())
        self._unsaid.clear()
        if self._idle is not None:
            late = self._idle.pause()
            if late.total:
                self._printed(block, late.text().encode())

    def _begin(self, block: Block, code: str) -> None:
        """Hand the block to the process, which is started if there is none any more."""
        if self._child is not None and self._child.process.poll() is not None:
            self._ended_unseen(self._child, block)
        if self._child is None:
            self._child = self.start()
            self._watchdog = Watchdog(
                self.place.limits, self._child.process.pid, self._child.leader, f"{MARK}={self.mark}"
            )
            self._watchdog.limit_each()
            for source in (self._child.output, self._child.records, self._bell.fileno(), *self._child.others):
                self._child.selector.register(source, selectors.EVENT_READ)
        if block.on_line is not None:
            self.tell_lines(self._child)
        self.begin(self._child, code)

    def _ended_unseen(self, child: Child, block: Block) -> None:
        """Say what a process that ended between blocks has lost."""
        self._kill(child)
        unseen = replace(block, on_output=nobody, kept=Transcript(), notes=[])
        self._read_records(child, unseen)
        self._read_output(child, block)
        if self._holds and not self.keeps_state(unseen):
            block.lost, self._holds = True, False
            code = _described(child.process.returncode)
            block.notes.append(f"{self.title} had ended with {code}; what earlier blocks set is gone")
        self._rest()

    def _follow(self, block: Block) -> None:
        while not block.done and block.waiting is None and self._child is not None:
            self._turn(self._child, block)

    def _turn(self, child: Child, block: Block) -> None:
        """Wait for whatever comes next, and deal with it."""
        for key, _ in child.selector.select(_LOOK):
            if key.fileobj == child.output:
                self._read_output(child, block)
            elif key.fileobj == child.records:
                self._read_records(child, block)
            elif key.fd in child.others:
                if not child.others[key.fd](block):
                    child.selector.unregister(key.fd)
            elif read_all(self._bell):
                self.stop(child, block)
        if self._closed:
            self._kill(child)
        if not block.done and child.process.poll() is not None:
            self._died(child, block)
        elif not block.done:
            self._keep_limits(child, block)
            self._on_time(child, block)

    def _keep_limits(self, child: Child, block: Block) -> None:
        """End a block whose programs use more than they may, and the worker with it."""
        reason = None if self._watchdog is None else self._watchdog.exceeded()
        if reason is not None:
            block.reason, block.stopped_at = reason, time.monotonic()
            self.end(child)

    def _read_output(self, child: Child, block: Block) -> None:
        """Read what is there, in one piece of at most 64 KB, so that a slow view sees few pieces."""
        data = bytearray()
        while len(data) < _READ:
            some = read_some(child.output)
            if some == b"":
                with contextlib.suppress(KeyError):  # a record that came with it had this read before
                    child.selector.unregister(child.output)
            if not some:
                break
            data += some
        self._printed(block, bytes(data))

    def _transcript(self) -> Transcript:
        spool = None if self.place.outputs is None else self.place.outputs.spool()
        return Transcript(self.place.kept, spool)

    def _printed(self, block: Block, data: bytes) -> None:
        self._show(block, block.kept.add(data))
        block.quiet_since = time.monotonic()  # not before: nobody listens while a slow view shows it

    def _show(self, block: Block, text: str) -> None:
        if text:
            self._shield.lift(block.on_output, Chunk(text=text))

    def at_line(self, child: Child, block: Block, line: int) -> None:
        """Tell the line that runs now, after what was printed before it."""
        self._read_rest(child, block)
        if block.on_line is not None:
            self._shield.lift(block.on_line, line)

    def _read_records(self, child: Child, block: Block) -> None:
        data = read_some(child.records)
        if data == b"":
            child.selector.unregister(child.records)
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.process.wait(_LOOK)
        child.pending.extend(data or b"")
        if len(child.pending) > _LONGEST_RECORD:
            self._kill(child)
        child.unread.extend(self.split(child.pending))
        self._act_on_records(child, block)

    def _act_on_records(self, child: Child, block: Block) -> None:
        while child.unread:  # one that fails leaves the others to be acted on
            self.record(child, block, child.unread.popleft())

    def began(self, child: Child, block: Block) -> None:
        """From now on an interrupt reaches the block; one that was due before is done now."""
        block.began = True
        if block.stopped_at is not None:
            self._press(child, block)

    def ended(self, child: Child, block: Block, *, ok: bool, exit_code: int | None) -> None:
        """The block is over: whatever it printed is on its way already, so read it."""
        if child.process.returncode is not None:  # too late, it was killed
            return
        self._holds = True
        try:
            self._read_rest(child, block)
        finally:  # nobody tells it again, whatever the caller's view raises
            block.ok, block.exit_code, block.done = ok, exit_code, True
        if block.stopped_at is not None:
            block.notes.append(f"{_why(block)}; what earlier blocks set is kept")

    def _read_rest(self, child: Child, block: Block) -> None:
        end = block.kept.total + AFTER_THE_END
        before = -1
        while before < block.kept.total < end and child.output in child.selector.get_map():
            before = block.kept.total
            self._read_output(child, block)

    def _died(self, child: Child, block: Block) -> None:
        """The process is gone: take what it printed, kill what it left, and say what is lost."""
        self._kill(child)
        self._read_rest(child, block)
        code = child.process.wait()
        block.done, block.ok = True, False
        if (reason := self.unusable(block, code)) is not None:
            raise UnsupportedError(reason)
        if self.keeps_state(block):
            return
        block.lost = True
        block.exit_code = code
        self._holds, self._untold = False, self._untold or self._holds
        how = _why(block) if block.stopped_at is not None else f"{self.title} ended with {_described(code)}"
        block.notes.append(f"{how}; a new one starts, and what earlier blocks set is gone")

    def keeps_state(self, block: Block) -> bool:  # noqa: ARG002 - a language's to use
        """Whether the next process will know what this one did."""
        return False

    def _on_time(self, child: Child, block: Block) -> None:
        now = time.monotonic()
        if block.stopped_at is None and now > block.deadline:
            block.timed_out = True
            self.stop(child, block)
        elif block.stopped_at is not None:
            self._press(child, block)
        else:
            self.on_quiet(child, block)

    def stop(self, child: Child, block: Block) -> None:
        """Tell the block to stop; a second time, do not wait for it."""
        if block.stopped_at is not None:
            self.end(child)
            return
        block.stopped_at = time.monotonic()
        self._press(child, block)

    def _press(self, child: Child, block: Block) -> None:
        """Do what is due by now about a block that was told to stop."""
        stages = self.stages(child)
        elapsed = time.monotonic() - (block.stopped_at or 0.0)
        if self._hurried and elapsed >= _HURRY:
            self.end(child)
            return
        if not block.began and elapsed < stages[-1][0]:
            return
        while block.stage < len(stages) and stages[block.stage][0] <= elapsed:
            stages[block.stage][1]()
            block.stage += 1

    def wait_for_line(
        self,
        child: Child,  # noqa: ARG002 - a language's to use
        block: Block,
        question: str,
        *,
        secret: bool,
    ) -> str | None:
        """The line that the terminal's owner answers to a program that waits for one.

        When nobody answers, the block is ``waiting`` from now on: it leaves ``run``, and goes on with ``give_line``
        or ``end_input``. Without a line, and the block not waiting, the program is to be told that there is none.
        """
        if block.unanswered or block.stopped_at is not None:
            return None
        call = Call(path=("input",), args=(question, secret))
        reply = Reply() if self._answer is None else self.ask(block, call)
        if reply.error is not None:
            block.unanswered = True
        elif isinstance(reply.value, str):
            return reply.value
        else:
            block.waiting, block.secret_wanted = question, secret
        return None

    def ask(self, block: Block, call: Call) -> Reply:
        """What the terminal's owner answers; the time that takes is not the block's."""
        if self._child is not None and read_all(self._bell):  # before the call, and not after it
            self.stop(self._child, block)
        if block.stopped_at is not None or self._closed:
            return Reply(error=("RefusedError", "The block was told to stop."))
        if self._answer is None:
            return Reply(error=("UnsupportedError", "This terminal has no computer, and nobody to ask."))
        asked = time.monotonic()
        try:
            return self._shield.lift(self._answer, call)
        except (ComputerError, RecursionError) as error:  # the second, when what it was given goes too deep
            return Reply(error=(type(error).__name__, str(error)))
        finally:
            now = time.monotonic()
            block.deadline += now - asked
            block.quiet_since = now

    def _abandon(self, block: Block) -> None:
        """Stop a block that the caller no longer follows, so that the next finds the worker idle."""
        child = self._child
        if child is None or block.done:
            return
        block.on_output, block.on_line = nobody, None
        self._hurried = not self.place.lasting
        try:
            self.stop(child, block)
            self._act_on_records(child, block)
            while not block.done:
                self._turn(child, block)
        finally:
            if not block.done:
                self._died(child, block)

    def end(self, child: Child) -> None:
        """Kill the worker and all it started; it is gone when this returns, and its block with it."""
        self._kill(child)
        child.process.wait()

    def _kill(self, child: Child) -> None:
        groups = self.groups(child)
        # The worker first: it would go on with its block when it finds that a program has ended.
        kill_groups({child.process.pid, child.leader})
        kill_groups(groups | self.groups(child) | marked_groups(f"{MARK}={self.mark}"))

    def _rest(self) -> None:
        """After a block: let go of a dead process, or read along until the next block."""
        child = self._child
        if child is not None and self._closed:
            self._kill(child)
            child.process.wait()
        if child is not None and child.process.poll() is not None:
            if self._idle is not None:
                self._idle.stop()
            self._child = self._idle = None
            child.close()
        elif child is not None:
            self._idle = self._idle or Idle(child)
            self._idle.resume()
        if self._closed:
            self._no_longer_waiting()
            self._bell.close()
            self._ring.close()


def nobody(_chunk: Chunk) -> None:
    """Follow the output of a block that nobody looks at while it runs."""


def read_some(descriptor: int) -> bytes | None:
    """What can be read at once, ``b""`` at the end, None if there is nothing now."""
    try:
        return os.read(descriptor, _READ)
    except BlockingIOError:
        return None
    except OSError:  # how Linux says that nobody has the terminal open any more
        return b""


def read_all(bell: socket.socket) -> bool:
    """Whether the bell rang; it is quiet afterwards."""
    try:
        return bool(bell.recv(4096))
    except OSError:
        return False


def _why(block: Block) -> str:
    if block.reason is not None:
        return block.reason
    if block.timed_out:
        return f"stopped: it was not done after {block.seconds:g} s"
    return "stopped: it was interrupted"


def _described(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"exit code {code} ({signal.Signals(-code).name})"
    except ValueError:
        return f"exit code {code}"
