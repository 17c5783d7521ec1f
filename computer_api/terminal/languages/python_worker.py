"""Runs Python cells for the terminal: one file, standard library only, for Python 3.8 and later.

The terminal starts it as a child on the interpreter that the person chose:
``python python_worker.py CONTROL LIFELINE``. CONTROL is a socket on which both sides write records,
one JSON object a line; LIFELINE is a pipe that ends when the terminal's process does. What cells
print goes to standard output and error, and nothing else does.

    to the worker     {"values": [...]}  {"lines": true}  {"run": code, "cell": n}
                      {"reply": id, "value" | "png" | "error": ...}
    from the worker   {"ready": true}  {"began": n}  {"call": path, "id": id, "args": [...], "kwargs": {...}}
                      {"png": base64}  {"html": text}  {"done": n, "ok": bool, "exit": code or null}
"""

from __future__ import annotations

import sys

if __name__ == "__main__" and not getattr(sys.flags, "safe_path", False):
    # Otherwise the files beside this one would be importable, and the person's own are not.
    sys.path.pop(0)

import __future__

import ast
import base64
import builtins
import faulthandler
import functools
import io
import itertools
import json
import linecache
import os
import queue
import signal
import threading
import time
import traceback
import types

assert sys.platform != "win32"  # noqa: S101 - for the type checker; Windows never comes here

TYPE_CHECKING = False  # importing typing takes longer than running most cells
if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Task
    from collections.abc import Callable, Iterator
    from types import CodeType, FrameType, ModuleType
    from typing import Any

    Json = Any  # a value of a record

CELL = "<cell %d>"
PATIENT = 10  # so many questions may stay without an answer at once
COROUTINE = 0x80  # inspect.CO_COROUTINE; that module takes long to import
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
FORMS = {
    "text/html": "_repr_html_",
    "image/svg+xml": "_repr_svg_",
    "text/markdown": "_repr_markdown_",
    "image/png": "_repr_png_",
    "image/jpeg": "_repr_jpeg_",
}
BREAKS = frozenset({"br", "div", "h1", "h2", "h3", "h4", "h5", "h6", "li", "p", "pre", "table", "tr"})


class ComputerError(Exception):
    """The computer could not do what was asked; the message says why and what would work."""


class Value(dict):  # type: ignore[type-arg]  # Python 3.8 cannot be told of what
    """A structured answer: its fields can be read as attributes too, ``match.box``."""

    def __getattr__(self, name: str) -> Json:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __reduce__(self) -> tuple[Json, ...]:
        """Be pickled as a dict: other processes do not know this class."""
        return dict, (dict(self),)


class Channel:
    """The control channel as the worker sees it: records out, runs and replies in.

    Threads call at the same time and the terminal answers one after the other, but only while a cell
    runs: it reads what was sent before ``done``, so that every call that was sent is answered.
    """

    def __init__(self, descriptor: int, lifeline: int) -> None:
        self.descriptor = descriptor
        self.lifeline = lifeline
        self.runs: queue.SimpleQueue[tuple[str, int]] = queue.SimpleQueue()
        self.waiting: dict[int, queue.SimpleQueue[dict[str, Json]]] = {}
        self.values: frozenset[str] = frozenset()
        self.errors = {name: type(name, (ComputerError,), {}) for name in ERRORS}
        self.numbers = itertools.count(1)
        self.writing = threading.Lock()
        self.open = False  # a cell runs, and the terminal reads
        self.lines = False  # the next cell tells which line it runs
        self.forked = False  # this process is a copy of the worker
        self.stopped: set[threading.Thread] = set()
        self.sending = False
        self.running = False
        self.told = False  # the cell was told to stop
        self.interrupted = False  # and that has to be raised as soon as a record is written
        os.register_at_fork(after_in_child=self.leave)

    def listen(self) -> None:
        """Read records until the terminal is gone, and then end this process and all it started."""
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        try:
            with open(self.descriptor, "rb", closefd=False) as records:
                for line in records:
                    self.take(json.loads(line, object_hook=Value))
        finally:
            os.killpg(0, signal.SIGKILL)

    def take(self, record: dict[str, Json]) -> None:
        """Hand a record to the thread that waits for it."""
        if "run" in record:
            self.runs.put((record["run"], record["cell"]))
        elif "lines" in record:
            self.lines = True
        elif "values" in record:
            self.values = frozenset(record["values"])
        else:
            waiting = self.waiting.get(record["reply"])
            if waiting is not None:  # else it was interrupted
                waiting.put(record)

    def leave(self) -> None:
        """Be a forked copy of the worker, of which the terminal knows nothing."""
        self.forked, self.open = True, False
        self.writing = threading.Lock()  # a thread that is not here may have had it
        os.close(self.descriptor)
        os.close(self.lifeline)

    def begin(self, cell: int) -> None:
        """Tell that the cell runs: no interrupt of it is sent before this."""
        self.told = self.interrupted = False
        self.running = self.open = True
        self.send(began=cell)

    def ready(self) -> None:
        """Tell that this interpreter can run cells."""
        self.open = True
        self.send(ready=True)
        self.open = False

    def send(self, **record: Json) -> None:
        """Write one record whole: an interrupt is raised after it, never inside it."""
        line = memoryview((json.dumps(record, default=as_json) + "\n").encode())
        main = threading.current_thread() is threading.main_thread()
        if main:
            self.sending = True
        try:
            with self.writing:
                if not self.open:
                    raise self.errors["UnsupportedError"](self.why_closed())
                self.open = "done" not in record
                while line:
                    line = line[os.write(self.descriptor, line) :]
        finally:
            if main:
                self.sending = False
        if main and self.interrupted:
            self.interrupted = False
            raise KeyboardInterrupt

    def why_closed(self) -> str:
        """Why nothing can be asked of the terminal just now."""
        if self.forked:
            return "A forked process has no computer and shows nothing: only the process that runs the blocks has."
        return (
            "No block is running, and computer works only while one does: "
            "wait for the thread in the block that starts it, with join()."
        )

    def interrupt(self, _number: int, _frame: object) -> None:
        """Take SIGINT: it ends the running cell, and means nothing between cells."""
        self.told = self.running
        if self.sending:
            self.interrupted = self.running
        elif self.running:
            raise KeyboardInterrupt

    def stop_threads(self) -> None:
        """Refuse the computer to the threads of a cell that was told to stop, whatever they do later."""
        frames = sys._current_frames()  # noqa: SLF001 - public but for its name
        threads = [thread for thread in threading.enumerate() if thread is not threading.main_thread()]
        busy = {thread for thread in threads if is_busy(frames.get(thread.ident or 0))}
        self.stopped = busy | {thread for thread in self.stopped if thread.is_alive()}

    def call(self, path: tuple[str, ...], args: tuple[Json, ...], kwargs: dict[str, Json]) -> Json:
        """Ask the terminal's process to do it, wait, and return or raise what it answered."""
        if self.stopped and threading.current_thread() in self.stopped:
            raise self.errors["RefusedError"]("The block that this thread belongs to was told to stop.")
        number = next(self.numbers)
        answer: queue.SimpleQueue[dict[str, Json]] = queue.SimpleQueue()
        self.waiting[number] = answer
        try:
            self.send(call=path, id=number, args=args, kwargs=kwargs)
            return self.unpack(answer.get())
        except NotJsonError:
            given = ", ".join([repr(value) for value in (*args, *kwargs.values())])
            message = "%s takes text, numbers, lists and dicts only, and was given %s."
            raise TypeError(message % (".".join(path), given)) from None
        finally:
            del self.waiting[number]

    def unpack(self, reply: dict[str, Json]) -> Json:
        """The value of a reply, its picture, or its error raised."""
        if "error" in reply:
            name, message = reply["error"]
            raise self.error(name)(message)
        if "png" not in reply:
            return reply.get("value")
        png = base64.b64decode(reply["png"])
        try:
            from PIL import Image
        except ImportError:
            return png
        return Image.open(io.BytesIO(png))

    def error(self, name: str) -> type[Exception]:
        """The class of that name: Python's own, such as TypeError, or one of the computer's."""
        own = getattr(builtins, name, None)
        if isinstance(own, type) and issubclass(own, Exception):
            return own
        if name == "ComputerError":
            return ComputerError
        return self.errors.setdefault(name, type(name, (ComputerError,), {}))


class Computer:
    """The computer, used as ``computer.mouse.click("Save")``; the terminal's process does the work."""

    __slots__ = ("_channel", "_path")

    def __init__(self, channel: Channel, path: tuple[str, ...] = ()) -> None:
        self._channel = channel
        self._path = path

    def __getattr__(self, name: str) -> Json:
        if name.startswith("_"):
            raise AttributeError(name)
        path = (*self._path, name)
        if path == ("files",):
            return files()
        if ".".join(path) in self._channel.values:
            return self._channel.call(path, (), {})
        return Computer(self._channel, path)

    def __call__(self, *args: Json, **kwargs: Json) -> Json:
        """Have it done, and return what came of it."""
        return self._channel.call(self._path, args, kwargs)

    def __repr__(self) -> str:
        return "<" + ".".join(("computer", *self._path)) + ">"


@functools.lru_cache(maxsize=None)  # noqa: UP033 - Python 3.8 has no cache
def files() -> Json:
    """``computer.files``: done here and not by the terminal's process, so that it stays in the sandbox."""
    import pathlib

    place = pathlib.Path(__file__).parents[2] / "files.py"
    module = types.ModuleType("computer_files")
    exec(compile(place.read_text("utf-8"), str(place), "exec"), module.__dict__)  # noqa: S102 - our own file
    return module.Files(ComputerError)


class Questions(io.TextIOBase):
    """Standard input: each line is asked for over the control channel; no answer is end of input."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.unanswered = 0  # questions in a row

    def readable(self) -> bool:
        """Whether it can be read: yes."""
        return True

    def close(self) -> None:
        """Stay open: ``exit()`` closes standard input, and the next cell may read from it."""

    def ask(self, prompt: str, *, secret: bool = False) -> str | None:
        """The line that was answered to the prompt, without its end; a secret one is not shown."""
        sys.stdout.flush()
        try:
            answer = self.channel.call(("input",), (prompt, secret), {})
        except ComputerError:
            answer = None
        self.unanswered = 0 if isinstance(answer, str) else self.unanswered + 1
        if self.unanswered > PATIENT:  # a loop that takes no end of input for an answer
            time.sleep(0.1)
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
        return self.line(str(prompt), "input()", secret=False)

    def getpass(self, prompt: str = "Password: ", stream: object = None, **_how: object) -> str:  # noqa: ARG002 - its own signature
        """What ``getpass.getpass()`` is in a cell."""
        return self.line(prompt, "getpass()", secret=True)

    def line(self, prompt: str, asker: str, *, secret: bool) -> str:
        """Print the prompt, as a terminal would show it, and return what was answered."""
        print(prompt, end="", flush=True)  # noqa: T201 - a cell's own output
        answer = self.ask(prompt, secret=secret)
        print()  # noqa: T201 - nobody typed the line's end
        if answer is None:
            raise EOFError(f"Nobody is there to answer {asker}.")
        return answer


class Main(types.ModuleType):
    """The module of all cells."""

    def __init__(self) -> None:
        super().__init__("__main__")

    @property
    def __file__(self) -> str:  # type: ignore[override]  # cells have no file
        """For multiprocessing only: what a process that it starts afresh runs to know the cells' functions."""
        asker = sys._getframe(1)  # noqa: SLF001 - public but for its name
        if asker.f_globals.get("__name__") != "multiprocessing.spawn":
            raise AttributeError("__file__")
        return held_file("\n".join(definitions()))


class Afterwards:
    """Changes modules when they are imported: each is given to the function of its name."""

    def __init__(self, changes: dict[str, Callable[[ModuleType], None]]) -> None:
        self.changes = changes

    def find_spec(self, name: str, path: Json = None, target: Json = None) -> Json:
        """What the other finders find, and its change when it is run."""
        change = self.changes.pop(name, None)
        if change is None:
            return None
        specs = (finder.find_spec(name, path, target) for finder in sys.meta_path if finder is not self)
        spec = next(filter(None, specs), None)
        if spec is not None and spec.loader is not None:
            run = spec.loader.exec_module

            def run_and_change(module: ModuleType) -> None:
                run(module)
                change(module)

            spec.loader.exec_module = run_and_change  # type: ignore[method-assign]
        return spec


class Streams:
    """Standard output and error, which cells may close, redirect or replace."""

    def __init__(self) -> None:
        self.own = {"stdout": line_buffered(1), "stderr": line_buffered(2)}
        self.kept = {1: os.dup(1), 2: os.dup(2)}
        self.identity = file_identity(1)
        self.give_back()

    def give_back(self) -> None:
        """Have Python print to the terminal again."""
        for number, kept in self.kept.items():
            if file_identity(number) != self.identity:
                os.dup2(kept, number)
        for number, name in enumerate(("stdout", "stderr"), 1):
            if is_closed(self.own[name]):
                self.own[name] = line_buffered(number)
            setattr(sys, name, self.own[name])
            setattr(sys, f"__{name}__", self.own[name])  # what code takes to undo what it did

    def flush(self, *, failed: bool) -> None:
        """Hand over what a cell printed; one that failed leaves nothing of its own in their place."""
        try:
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
        except Exception:  # noqa: BLE001 - it is the cell's own stream, or a closed one
            failed = True
        if failed or self.are_lost():
            self.give_back()
        for own in self.own.values():
            own.flush()

    def are_lost(self) -> bool:
        """Whether what is printed would not reach the terminal, for it was closed or put elsewhere."""
        moved = any(file_identity(number) != self.identity for number in self.kept)
        return moved or any(map(is_closed, self.own.values()))

    def error(self, text: str) -> None:
        """Print to the terminal what the cell's end has to say, wherever the cell prints to."""
        self.flush(failed=True)
        self.own["stderr"].write(text)
        self.own["stderr"].flush()


class Cells:
    """Runs cells one after the other in one ``__main__`` module."""

    def __init__(self, channel: Channel, questions: Questions) -> None:
        self.channel = channel
        self.questions = questions
        self.streams = Streams()
        self.flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        self.loop: AbstractEventLoop | None = None
        self.shown: set[int] = set()  # the figures that this cell has shown
        self.module = Main()
        sys.modules["__main__"] = self.module
        self.module.__dict__.update(
            channel.errors,
            __builtins__=builtins,
            ComputerError=ComputerError,
            computer=Computer(channel),
            display=self.display,
        )

    def run(self, source: str, cell: int) -> None:
        """Run one cell to its end, whatever that is, and report it."""
        ok, code = False, None
        try:
            ok, code = self.ending(source, cell)
        except BaseException as error:  # noqa: BLE001 - a signal handler of the cell's own
            self.report(error)
        while True:
            try:
                self.finish(cell, ok=ok, code=code)
            except OSError:
                os.write(2, b"The block closed the descriptors by which its Python is reached.\n")
                os.killpg(0, signal.SIGKILL)
            except BaseException:  # noqa: BLE001, S112 - the same; the terminal takes a second end for what it is
                continue
            return

    def ending(self, source: str, cell: int) -> tuple[bool, int | None]:
        """Run the cell; whether it ran through, and its exit code if it named one."""
        # What a debugger or the cell before may have put in their place.
        signal.signal(signal.SIGINT, self.channel.interrupt)
        builtins.input = self.questions.input
        self.shown.clear()
        try:
            try:
                self.channel.begin(cell)
                self.execute(source, CELL % cell)
                self.flush_figures()
            finally:
                self.channel.running = False
        except SystemExit as end:
            code = self.exit_code(end)
            return code == 0, code
        except BaseException as error:  # noqa: BLE001 - what a cell raises is its own affair
            self.report(error)
            return False, None
        return True, None

    def finish(self, cell: int, *, ok: bool, code: int | None) -> None:
        """Hand over the last of the output, put in order what the cell left, and say that it is over."""
        self.channel.running = self.channel.interrupted = False
        self.streams.flush(failed=not ok)
        if self.channel.forked:  # this is a child that ran into the end of the cell
            os._exit(code if code is not None else int(not ok))
        if self.channel.told:
            self.channel.stop_threads()
        if not ok:
            close_figures()
        self.channel.send(done=cell, ok=ok, exit=code)

    def execute(self, source: str, name: str) -> None:
        """Compile the cell, with a last expression that is shown, and run it."""
        tells, self.channel.lines = self.channel.lines, False
        lines = (source + "\n").splitlines(
            keepends=True
        )  # whole ones: else the carets of a traceback are off
        linecache.cache[name] = (len(source), None, lines, name)
        flags = self.flags | ast.PyCF_ONLY_AST
        body = compile(source, name, "exec", flags, dont_inherit=True).body
        last = [body.pop()] if body and isinstance(body[-1], ast.Expr) else []
        trees: list[tuple[ast.AST, str]] = [(ast.Module(body=body, type_ignores=[]), "exec")] if body else []
        trees += [(ast.Interactive(body=last), "single")] if last else []
        parts = [(0, self.compiled(tree, name, mode)) for tree, mode in trees]
        if tells:  # compiled as a whole before, which finds errors that only the whole has
            parts = self.statements(body, last, name)
        if any(part.co_flags & COROUTINE for _, part in parts):
            self.run_on_loop(parts)
            return
        for line, part in parts:
            self.at_line(line)
            exec(part, self.module.__dict__)  # noqa: S102 - running code is what this file is for

    def statements(self, body: list[ast.stmt], last: list[ast.Expr], name: str) -> list[tuple[int, CodeType]]:
        """Each statement by itself, with its line. A text that stands alone is only one where it is the first."""
        parts: list[tuple[int, CodeType]] = []
        for node in body:
            if not parts or not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
                module = ast.Module(body=[node], type_ignores=[])
                parts.append((node.lineno, self.compiled(module, name, "exec")))
        return parts + [
            (one.lineno, self.compiled(ast.Interactive(body=[one]), name, "single")) for one in last
        ]

    def at_line(self, line: int) -> None:
        """Tell that the statement on that line runs now, and wait: what was printed before is to be seen before.

        0 is no line that anybody wants to know.
        """
        if line and not self.channel.forked:
            if not is_closed(self.streams.own["stdout"]):
                self.streams.own["stdout"].flush()
            self.channel.call(("line",), (line,), {})

    def compiled(self, tree: ast.AST, name: str, mode: str) -> CodeType:
        """A part of a cell, under what this and earlier cells imported from __future__."""
        code: CodeType = compile(tree, name, mode, self.flags, dont_inherit=True)  # type: ignore[call-overload]
        for feature in __future__.all_feature_names:
            self.flags |= code.co_flags & getattr(__future__, feature).compiler_flag
        return code

    def run_on_loop(self, parts: list[tuple[int, CodeType]]) -> None:
        """Run a cell that awaits on the event loop that all such cells share."""
        import asyncio

        if self.loop is None or self.loop.is_closed():
            self.loop = asyncio.new_event_loop()
            self.loop.set_exception_handler(warn_of_error)
            asyncio.set_event_loop(self.loop)
        earlier = asyncio.all_tasks(self.loop)
        task = self.loop.create_task(self.awaited(parts))
        try:
            self.loop.run_until_complete(task)
        except KeyboardInterrupt:
            self.cancel(asyncio.all_tasks(self.loop) - earlier)
            raise

    async def awaited(self, parts: list[tuple[int, CodeType]]) -> None:
        """Run the parts, all of them on the loop: one that does not await may start tasks."""
        for line, part in parts:
            self.at_line(line)
            result = eval(part, self.module.__dict__)  # noqa: S307 - as above
            if part.co_flags & COROUTINE:
                await result

    def cancel(self, tasks: set[Task[Any]]) -> None:
        """End the tasks of a cell that was told to stop."""
        import asyncio

        for task in tasks:
            task.cancel()
        if tasks and self.loop is not None:
            self.loop.run_until_complete(asyncio.wait(tasks))

    def show(self, value: object) -> None:
        """The display hook: what the cell's last expression came to."""
        if value is not None:
            builtins._ = value  # type: ignore[attr-defined]  # where Python's own hook keeps it
            self.display(value)

    def display(self, *values: object, **_options: object) -> None:
        """Show each value as a notebook would: as a picture or HTML if it can, and as text for who sees neither."""
        for value in values:
            if is_figure(value):
                self.shown.add(id(value))
            forms = forms_of(value)
            picture, html = forms.get("image/png"), forms.get("text/html") or forms.get("image/svg+xml")
            if isinstance(html, str):
                self.channel.send(html=html)
            if isinstance(picture, bytes):
                self.channel.send(png=base64.b64encode(picture).decode())
            else:
                print(text_of(value, forms))  # noqa: T201 - a cell's own output

    def flush_figures(self, *_args: object, **_options: object) -> None:
        """Show the figures that are open, as a notebook does, and close them; also what ``pyplot.show()`` does."""
        pyplot = sys.modules.get("matplotlib.pyplot")
        if pyplot is None or not hasattr(pyplot, "get_fignums"):
            return
        try:
            for figure in map(pyplot.figure, pyplot.get_fignums()):
                if id(figure) not in self.shown:
                    self.display(figure)
        finally:
            close_figures()

    def report(self, error: BaseException) -> None:
        """Print the error with the lines of cells and of the person's files, not of libraries."""
        try:
            text = described(error)
        except Exception as failure:  # noqa: BLE001 - an error that cannot even be shown
            text = f"{type(error).__name__}, which cannot be shown: {type(failure).__name__}\n"
        self.streams.error(text)

    def exit_code(self, end: SystemExit) -> int:
        """The exit code that Python would have ended with; a text is printed, as Python does."""
        if end.code is None:
            return 0
        if isinstance(end.code, int):
            return int(end.code)
        self.streams.error(str(end.code) + "\n")
        return 1


def warn_of_error(loop: AbstractEventLoop, context: dict[str, Any]) -> None:
    """Warn of what went wrong in a task that nobody looked at, but not of an interrupt, which ends the cell anyway."""
    if not isinstance(context.get("exception"), (KeyboardInterrupt, SystemExit)):
        loop.default_exception_handler(context)


class NotJsonError(TypeError):
    """A value that the control channel does not carry."""


def as_json(value: Any) -> Json:  # noqa: ANN401 - any at all
    """A number or a path of another kind as JSON has it, a picture of Pillow as the text of its PNG."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "save") and hasattr(value, "thumbnail"):
        picture = io.BytesIO()
        value.save(picture, "PNG")
        return "data:image/png;base64," + base64.b64encode(picture.getvalue()).decode("ascii")
    if hasattr(value, "tolist"):  # an array or a number of numpy
        return value.tolist()
    for kind, method in ((int, "__index__"), (float, "__float__")):
        if hasattr(type(value), method):
            return kind(value)
    raise NotJsonError


def is_own(filename: str) -> bool:
    """Whether a frame is of a cell or of a file that the person wrote."""
    if filename.startswith("<cell "):
        return True
    library = os.__file__[: -len("os.py")]
    return not (filename.startswith(("<", library)) or "-packages" in filename or filename == __file__)


def is_busy(frame: FrameType | None) -> bool:
    """Whether a thread is in the middle of the person's code, and not in a pool that waits for work."""
    while frame is not None:
        if is_own(frame.f_code.co_filename):
            return True
        frame = frame.f_back
    return False


def described(error: BaseException) -> str:
    """The traceback, without the frames of libraries."""
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
    text = "".join(summary.format())
    if isinstance(error, SyntaxError) and (error.text or "").lstrip()[:1] in ("!", "%"):
        text += "A line that begins with ! or % is IPython's: run a shell block, or use subprocess.\n"
    return text


def definitions() -> Iterator[str]:
    """The imports, functions, classes and constants of all cells so far, as source; what has to be first is first."""
    parts: list[str] = []
    for cell in itertools.count(1):
        if CELL % cell not in linecache.cache:
            break
        source = "".join(linecache.getlines(CELL % cell))
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError):  # it never ran, or awaits
            continue
        parts += [part_of(source, node) for node in tree.body if is_definition(node)]
    return iter(sorted(parts, key=lambda part: not part.startswith("from __future__")))


def is_definition(node: ast.stmt) -> bool:
    """Whether a statement only gives something a name, so that it can be run once more."""
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        return isinstance(node.value, ast.Constant)
    kinds = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return isinstance(node, kinds)


def part_of(source: str, node: ast.stmt) -> str:
    """The source of a statement, with its decorators, each of which is on lines of its own."""
    decorators = getattr(node, "decorator_list", None)
    if not decorators:
        return ast.get_source_segment(source, node) or ""
    return "".join(source.splitlines(keepends=True)[decorators[0].lineno - 1 : node.end_lineno])


HELD: dict[str, str] = {}


def held_file(text: str) -> str:
    """The path of a file that holds the text for as long as this process lives, in memory where that can be."""
    if text not in HELD:
        if hasattr(os, "memfd_create"):
            descriptor = os.memfd_create("cells")
            HELD[text] = f"/proc/{os.getpid()}/fd/{descriptor}"
        else:
            import tempfile

            descriptor, HELD[text] = tempfile.mkstemp(prefix="cells-", suffix=".py")
        with open(descriptor, "w", encoding="utf-8", closefd=False) as file:
            file.write(text)
    return HELD[text]


def is_figure(value: object) -> bool:
    """Whether it is a figure of matplotlib."""
    figures = sys.modules.get("matplotlib.figure")
    return figures is not None and isinstance(value, figures.Figure)


def close_figures() -> None:
    """Close the open figures, so that no later cell shows them."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None and hasattr(pyplot, "close"):
        pyplot.close("all")


def forms_of(value: Any) -> dict[str, Json]:  # noqa: ANN401 - any at all
    """What a value shows of itself, by its type: text, and bytes of a PNG."""
    if is_figure(value):
        picture = io.BytesIO()
        value.savefig(picture, format="png")
        return {"image/png": picture.getvalue()}
    forms = {kind: told(value, method) for kind, method in FORMS.items()}
    bundle = told(value, "_repr_mimebundle_")
    if isinstance(bundle, dict):
        forms.update(bundle)
    forms = {kind: form for kind, form in forms.items() if form is not None}
    for kind in ("image/png", "image/jpeg"):
        if isinstance(forms.get(kind), str):
            forms[kind] = base64.b64decode(forms[kind])
    if "image/png" not in forms and isinstance(forms.get("image/jpeg"), bytes):
        forms.update(from_jpeg(forms["image/jpeg"]))
    return forms


def told(value: object, method: str) -> Json:
    """What the method tells; nothing if it fails, and then it is said why."""
    # Of the type: a class is not its instances, and a proxy seems to have every attribute.
    tell = getattr(type(value), method, None)
    if tell is None:
        return None
    form: Json
    try:
        form = tell(value)
    except Exception as error:  # noqa: BLE001 - the value's own
        sys.stderr.write(f"[{method} of {type(value).__name__} failed: {type(error).__name__}: {error}]\n")
        return None
    return form[0] if isinstance(form, tuple) and form else form  # the rest is about how to show it


def from_jpeg(data: bytes) -> dict[str, Json]:
    """The photograph as PNG, or for a browser where Pillow is not there."""
    try:
        from PIL import Image
    except ImportError:
        return {"text/html": f'<img src="data:image/jpeg;base64,{base64.b64encode(data).decode()}">'}
    picture = io.BytesIO()
    Image.open(io.BytesIO(data)).save(picture, "PNG")
    return {"image/png": picture.getvalue()}


def text_of(value: object, forms: dict[str, Json]) -> str:
    """The value for who sees text only: of a value that does not say it otherwise, the words of its HTML."""
    for kind in ("text/plain", "text/markdown"):
        if isinstance(forms.get(kind), str):
            text = str(forms[kind])
            if not is_placeholder(text):
                return text
    text = repr(value)
    html = forms.get("text/html")
    return (words_of(html) or text) if isinstance(html, str) and is_placeholder(text) else text


def is_placeholder(text: str) -> bool:
    """Whether a text names an object and does not show it: ``<Table object at 0x7f>``."""
    return text.startswith("<") and text.endswith(">") and " object" in text


def words_of(html: str) -> str:
    """The text of HTML, a line for each row or paragraph, cells apart from each other."""
    from html.parser import HTMLParser

    class Words(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.words: list[str] = []
            self.hidden = 0

        def handle_starttag(self, tag: str, _attributes: object) -> None:
            self.hidden += tag in ("script", "style")
            if tag in BREAKS:
                self.words.append("\n")
            elif tag in ("td", "th"):
                self.words.append("\t")

        def handle_endtag(self, tag: str) -> None:
            self.hidden -= tag in ("script", "style")

        def handle_data(self, data: str) -> None:
            if not self.hidden:
                self.words.append(" ".join(data.split()) or " " * bool(data))

    words = Words()
    words.feed(html)
    words.close()
    lines = (line.strip() for line in "".join(words.words).split("\n"))
    return "\n".join(filter(None, lines))


def file_identity(descriptor: int) -> tuple[int, int] | None:
    """Which file a descriptor stands for; None if it is closed."""
    try:
        status = os.fstat(descriptor)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def die_with_the_terminal(lifeline: int) -> None:
    """Have Linux kill this process group when the lifeline ends, even while C code holds the lock.

    Elsewhere only the thread that reads the control channel notices.
    """
    import fcntl

    if hasattr(fcntl, "F_SETSIG"):
        fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(lifeline, fcntl.F_SETFL, os.O_NONBLOCK | os.O_ASYNC)


def is_closed(stream: io.TextIOWrapper) -> bool:
    """Whether it was closed, or lost what is under it."""
    try:
        return stream.closed
    except ValueError:
        return True


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
    os.environ.setdefault("MPLBACKEND", "Agg")  # a figure becomes a picture, not a window
    channel = Channel(control, lifeline)
    questions = Questions(channel)
    sys.stdin = questions  # all that reads lines from it needs no more
    cells = Cells(channel, questions)
    sys.displayhook = cells.show
    sys.meta_path.insert(0, Afterwards(changes(cells)))
    faulthandler.enable(2, all_threads=False)  # a crash names the line of the cell
    signal.signal(signal.SIGINT, channel.interrupt)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=channel.listen, daemon=True).start()
    channel.ready()
    while True:
        try:
            source, cell = channel.runs.get()
        except BaseException as error:  # noqa: BLE001 - a signal handler that a cell has set
            cells.report(error)
        else:
            cells.run(source, cell)


def changes(cells: Cells) -> dict[str, Callable[[ModuleType], None]]:
    """What cells find otherwise in modules: who asks for a password, and who shows a figure or a value."""
    return {
        "getpass": lambda module: setattr(module, "getpass", cells.questions.getpass),
        "matplotlib.backends.backend_agg": lambda module: setattr(module, "show", cells.flush_figures),
        "IPython.core.display_functions": lambda module: setattr(module, "display", cells.display),
    }


if __name__ == "__main__":
    main()
