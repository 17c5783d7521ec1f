"""Runs Python cells for the terminal: one file, standard library only, for Python 3.8 and later.

The terminal starts it as a child on the interpreter that the person chose:
``python python_worker.py CONTROL LIFELINE``. CONTROL is a socket on which both sides write records,
one JSON object a line; LIFELINE is a pipe that ends when the terminal's process does. What cells
print goes to standard output and error, and nothing else does.

    to the worker     {"values": [...]}  {"run": code}  {"reply": id, "value" | "png" | "error": ...}
    from the worker   {"began": true}  {"call": path, "id": id, "args": [...], "kwargs": {...}}
                      {"png": base64}  {"done": true, "ok": bool, "exit": code or null}
"""

from __future__ import annotations

import sys

if __name__ == "__main__":
    # Otherwise the files beside this one would be importable, and the person's own are not.
    sys.path.pop(0)

import __future__

import ast
import base64
import builtins
import inspect
import io
import json
import linecache
import os
import queue
import signal
import threading
import types

assert sys.platform != "win32"  # noqa: S101 - for the type checker; Windows never comes here

TYPE_CHECKING = False  # importing typing takes longer than running most cells
if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from typing import Any

    Json = Any  # a value of a record

CELL = "<cell %d>"
ERRORS = (
    "OffScreenError",
    "NotFoundError",
    "AmbiguousError",
    "NotTypedError",
    "ExpectationError",
    "UnsupportedError",
    "TimedOutError",
    "RefusedError",
    "PersonActiveError",
)


class ComputerError(Exception):
    """The computer could not do what was asked; the message says why and what would work."""


class Channel:
    """The control channel as the worker sees it: records out, runs and replies in."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.runs: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.replies: queue.SimpleQueue[dict[str, Json]] = queue.SimpleQueue()
        self.values: frozenset[str] = frozenset()
        self.errors = {name: type(name, (ComputerError,), {}) for name in ERRORS}
        self.asked = 0
        self.asking = threading.Lock()
        self.writing = threading.Lock()
        self.sending = False
        self.running = False
        self.interrupted = False

    def listen(self) -> None:
        """Read records until the terminal is gone, and then end this process and all it started."""
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        with open(self.descriptor, "rb", closefd=False) as records:
            for line in records:
                record = json.loads(line)
                if "run" in record:
                    self.runs.put(record["run"])
                elif "reply" in record:
                    self.replies.put(record)
                else:
                    self.values = frozenset(record["values"])
        os.killpg(0, signal.SIGKILL)

    def send(self, **record: Json) -> None:
        """Write one record whole: an interrupt is raised after it, never inside it."""
        line = (json.dumps(record) + "\n").encode()
        main = threading.current_thread() is threading.main_thread()
        with self.writing:
            if main:
                self.sending = True
            try:
                while line:
                    line = line[os.write(self.descriptor, line) :]
            finally:
                if main:
                    self.sending = False
        if main and self.interrupted:
            self.interrupted = False
            raise KeyboardInterrupt

    def interrupt(self, _number: int, _frame: object) -> None:
        """Take SIGINT: it ends the running cell, and means nothing between cells."""
        if self.sending:
            self.interrupted = self.running
        elif self.running:
            raise KeyboardInterrupt

    def call(self, path: tuple[str, ...], args: tuple[Json, ...], kwargs: dict[str, Json]) -> Json:
        """Ask the terminal's process to do it, wait, and return or raise what it answered."""
        with self.asking:
            self.asked += 1
            number = self.asked
            try:
                self.send(call=path, id=number, args=args, kwargs=kwargs)
            except TypeError:
                given = ", ".join([repr(value) for value in (*args, *kwargs.values())])
                message = "%s takes text, numbers, lists and dicts only, and was given %s."
                raise TypeError(message % (".".join(path), given)) from None
            reply = self.replies.get()
            while reply["reply"] != number:  # the answer to a call that was interrupted
                reply = self.replies.get()
        return self.unpack(reply)

    def unpack(self, reply: dict[str, Json]) -> Json:
        """The value of a reply, its picture, or its error raised."""
        if "error" in reply:
            name, message = reply["error"]
            if name != "ComputerError" and name not in self.errors:
                self.errors[name] = type(name, (ComputerError,), {})
            raise self.errors.get(name, ComputerError)(message)
        if "png" not in reply:
            return reply.get("value")
        png = base64.b64decode(reply["png"])
        try:
            from PIL import Image
        except ImportError:
            return png
        return Image.open(io.BytesIO(png))


class Computer:
    """The computer, used as ``computer.mouse.click("Save")``; the terminal's process does the work."""

    def __init__(self, channel: Channel, path: tuple[str, ...] = ()) -> None:
        self._channel = channel
        self._path = path

    def __getattr__(self, name: str) -> Json:
        if name.startswith("_"):
            raise AttributeError(name)
        path = (*self._path, name)
        if ".".join(path) in self._channel.values:
            return self._channel.call(path, (), {})
        return Computer(self._channel, path)

    def __call__(self, *args: Json, **kwargs: Json) -> Json:
        """Have it done, and return what came of it."""
        return self._channel.call(self._path, args, kwargs)

    def __repr__(self) -> str:
        return "<" + ".".join(("computer", *self._path)) + ">"


class Questions(io.TextIOBase):
    """Standard input: each line is asked for over the control channel; no answer is end of input."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel

    def readable(self) -> bool:
        """Whether it can be read: yes."""
        return True

    def ask(self, prompt: str) -> str | None:
        """The line that was answered to the prompt, without its end."""
        try:
            answer = self.channel.call(("input",), (prompt,), {})
        except ComputerError:
            return None
        return answer if isinstance(answer, str) else None

    def readline(self, _size: int | None = -1) -> str:  # type: ignore[override]  # as io.StringIO has it
        """The next line with its end, empty at the end of input."""
        answer = self.ask("")
        return "" if answer is None else answer + "\n"

    def read(self, _size: int | None = -1) -> str:
        """All lines up to the end of input."""
        return "".join(iter(self.readline, ""))

    def input(self, prompt: object = "") -> str:
        """What ``input()`` is in a cell."""
        print(prompt, end="", flush=True)  # noqa: T201 - a cell's own output
        answer = self.ask(str(prompt))
        print()  # noqa: T201 - nobody typed the line's end
        if answer is None:
            raise EOFError("Nobody is there to answer input().")
        return answer


class Cells:
    """Runs cells one after the other in one ``__main__`` module."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.count = 0
        self.process = os.getpid()
        self.flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        self.loop: AbstractEventLoop | None = None
        self.shown: set[int] = set()
        self.module = types.ModuleType("__main__")
        sys.modules["__main__"] = self.module
        self.module.__dict__.update(
            channel.errors,
            __builtins__=builtins,
            ComputerError=ComputerError,
            computer=Computer(channel),
        )

    def run(self, source: str) -> None:
        """Run one cell to its end, whatever that is, and report it."""
        ok, code = True, None
        try:
            try:
                self.channel.running = True
                self.channel.send(began=True)  # an interrupt of this cell is not sent before this
                self.execute(source)
                self.flush_figures()
            finally:
                self.channel.running = False
        except SystemExit as end:
            code = self.exit_code(end)
            ok = code == 0
        except BaseException as error:  # noqa: BLE001 - what a cell raises is its own affair
            ok = False
            self.report(error)
        self.channel.interrupted = False
        sys.stdout.flush()
        sys.stderr.flush()
        if os.getpid() != self.process:  # the cell forked, and this is the child
            os._exit(code or 0)
        self.channel.send(done=True, ok=ok, exit=code)

    def execute(self, source: str) -> None:
        """Compile the cell, with a last expression that is shown, and run it."""
        self.count += 1
        self.shown.clear()
        name = CELL % self.count
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        flags = self.flags | ast.PyCF_ONLY_AST
        body = compile(source, name, "exec", flags, dont_inherit=True).body
        last = [body.pop()] if body and isinstance(body[-1], ast.Expr) else []
        if body:
            self.evaluate(ast.Module(body=body, type_ignores=[]), name, "exec")
        if last:
            self.evaluate(ast.Interactive(body=last), name, "single")

    def evaluate(self, tree: ast.AST, name: str, mode: str) -> None:
        """Run a part of a cell; one that awaits runs on the event loop that all cells share."""
        code = compile(tree, name, mode, self.flags, dont_inherit=True)  # type: ignore[call-overload]
        for feature in __future__.all_feature_names:
            self.flags |= code.co_flags & getattr(__future__, feature).compiler_flag
        if not code.co_flags & inspect.CO_COROUTINE:
            exec(code, self.module.__dict__)  # noqa: S102 - running code is what this file is for
            return
        import asyncio

        if self.loop is None:
            self.loop = asyncio.new_event_loop()
            asyncio.set_event_loop(self.loop)
        task = self.loop.create_task(eval(code, self.module.__dict__))  # noqa: S307 - as above
        try:
            self.loop.run_until_complete(task)
        finally:
            if not task.done():  # interrupted
                task.cancel()
                self.loop.run_until_complete(asyncio.wait([task]))

    def show(self, value: object) -> None:
        """The display hook: a picture goes to the terminal as PNG, anything else as its repr."""
        if value is None:
            return
        builtins._ = value  # type: ignore[attr-defined]  # where Python's own hook keeps it
        png = self.png(value)
        if png is None:
            print(repr(value))  # noqa: T201 - a cell's own output
        else:
            self.channel.send(png=base64.b64encode(png).decode())

    def png(self, value: object) -> bytes | None:
        """The picture that a value is: a PIL image, a matplotlib figure, or what draws itself."""
        figures = sys.modules.get("matplotlib.figure")
        if figures is not None and isinstance(value, figures.Figure):
            self.shown.add(id(value))
            picture = io.BytesIO()
            value.savefig(picture, format="png")
            return picture.getvalue()
        draw = None if isinstance(value, type) else getattr(value, "_repr_png_", None)
        drawn = draw() if callable(draw) else None
        return drawn if isinstance(drawn, bytes) else None

    def flush_figures(self) -> None:
        """Send the figures that the cell left open, as a notebook does, and close them."""
        pyplot = sys.modules.get("matplotlib.pyplot")
        if pyplot is None or not hasattr(pyplot, "get_fignums"):
            return
        for number in pyplot.get_fignums():
            figure = pyplot.figure(number)
            if id(figure) not in self.shown:
                self.show(figure)
        pyplot.close("all")

    def report(self, error: BaseException) -> None:
        """Print the error with the lines of cells and of the person's files, not of libraries."""
        import traceback

        summary = traceback.TracebackException(type(error), error, error.__traceback__)
        seen: set[int] = set()
        rest = [summary]
        while rest:
            part = rest.pop()
            if id(part) in seen:
                continue
            seen.add(id(part))
            part.stack[:] = [frame for frame in part.stack if is_own(frame.filename)]
            inner = getattr(part, "exceptions", None) or []
            rest.extend(link for link in (part.__cause__, part.__context__, *inner) if link)
        sys.stderr.write("".join(summary.format()))

    @staticmethod
    def exit_code(end: SystemExit) -> int:
        """The exit code that Python would have ended with; a text is printed, as Python does."""
        if end.code is None:
            return 0
        if isinstance(end.code, int):
            return end.code
        sys.stderr.write(str(end.code) + "\n")
        return 1


def is_own(filename: str) -> bool:
    """Whether a frame is of a cell or of a file that the person wrote."""
    if filename.startswith("<cell "):
        return True
    library = os.__file__[: -len("os.py")]
    return not (filename.startswith(("<", library)) or "-packages" in filename or filename == __file__)


def die_with_the_terminal(lifeline: int) -> None:
    """Have Linux kill this process group when the lifeline ends, even while C code holds the lock.

    Elsewhere only the thread that reads the control channel notices.
    """
    import fcntl

    if hasattr(fcntl, "F_SETSIG"):
        fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(lifeline, fcntl.F_SETFL, os.O_NONBLOCK | os.O_ASYNC)


def line_buffered(descriptor: int) -> io.TextIOWrapper:
    """A text stream of UTF-8 that hands every line on at once and never fails on a character."""
    stream = open(descriptor, "wb", closefd=False)  # noqa: SIM115 - for as long as the process
    return io.TextIOWrapper(stream, encoding="utf-8", errors="backslashreplace", line_buffering=True)


def main() -> None:
    """Run the cells that come over the control channel, until the terminal is gone."""
    control, lifeline = int(sys.argv[1]), int(sys.argv[2])
    os.set_inheritable(control, False)  # noqa: FBT003 - its own signature
    os.set_inheritable(lifeline, False)  # noqa: FBT003 - its own signature
    die_with_the_terminal(lifeline)
    sys.argv[:] = [""]
    sys.path.insert(0, "")
    sys.stdout, sys.stderr = line_buffered(1), line_buffered(2)
    os.environ.setdefault("MPLBACKEND", "Agg")  # a figure becomes a picture, not a window
    channel = Channel(control)
    questions = Questions(channel)
    sys.stdin = questions  # all that reads lines from it needs no more
    builtins.input = questions.input
    cells = Cells(channel)
    sys.displayhook = cells.show
    signal.signal(signal.SIGINT, channel.interrupt)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=channel.listen, daemon=True).start()
    while True:
        cells.run(channel.runs.get())


if __name__ == "__main__":
    main()
