"""Where ours and the peers are measured: one screen of our own, a window on it, and the peers' process."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))

from xvfb import until, x_server  # noqa: E402 - it lies in the folder of the tests

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

PEERS = ROOT / ".venv-bench" / "bin" / "python"
PYNPUT = ROOT / ".venv-bench" / "pynput"  # its own python-xlib, which must win over pyautogui's
START_SECONDS = 30.0
ANSWER_SECONDS = 60.0
ARRIVE_SECONDS = 1.0  # for what may still be on its way after the call has returned

# The person's session: what is measured must neither depend on it nor touch it.
_SESSION = frozenset(
    {"DBUS_SESSION_BUS_ADDRESS", "AT_SPI_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR"}
)

Environment = dict[str, str]


class Answer(NamedTuple):
    """What a child says it measured, in seconds, and what came out."""

    seconds: float
    value: Any


class HungError(Exception):
    """The child did not answer in time, and was ended."""


class FailedError(Exception):
    """What was asked of the child raised an error there."""


class Child:
    """A process that answers lines: ``{"verb", "arguments"}`` in, ``{"seconds", "value"}`` or ``{"error"}`` out."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(self, verb: str, *, within: float = ANSWER_SECONDS, **arguments: Any) -> Answer:  # noqa: ANN401 - of each verb its own
        """Have the verb done. Raises ``HungError`` after that many seconds, ``FailedError`` with its error."""
        talk = self._process
        assert talk.stdin is not None
        assert talk.stdout is not None
        try:
            talk.stdin.write(json.dumps({"verb": verb, "arguments": arguments}).encode() + b"\n")
            talk.stdin.flush()
        except BrokenPipeError:
            raise FailedError("the process has ended") from None
        # Answers are whole lines, and nothing is sent before the next question: readable means an answer.
        if not select.select([talk.stdout], [], [], within)[0]:
            self.end()
            raise HungError(f"{verb}: no answer within {within:g} s")
        line = talk.stdout.readline()
        if not line:
            raise FailedError("the process has ended")
        said = json.loads(line)
        if "error" in said:
            raise FailedError(said["error"])
        return Answer(said["seconds"], said["value"])

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()


@contextmanager
def quiet_place() -> Iterator[Environment]:
    """An environment without the person's session, with a home that is empty and goes away."""
    with tempfile.TemporaryDirectory(prefix="oi-bench-") as folder:
        home = Path(folder) / "home"
        home.mkdir()
        inherited = {name: value for name, value in os.environ.items() if name not in _SESSION}
        # Compiled modules are kept, for ours and theirs alike, as they are once a person has run something.
        inherited.pop("PYTHONDONTWRITEBYTECODE", None)
        yield inherited | {"HOME": str(home), "PYTHONPYCACHEPREFIX": f"{folder}/compiled"}


@contextmanager
def screen(size: tuple[int, int] = (1280, 800)) -> Iterator[Environment]:
    """A fresh X server with openbox: the environment in which its desktop is ``x11``."""
    with x_server(size) as display, quiet_place() as place:
        authority = Path(place["HOME"]) / ".Xauthority"
        authority.touch()  # pyautogui's library wants a file, though the server asks for none
        # XDG_SESSION_TYPE: without it pyautogui.screenshot refuses to look for its helper programs.
        yield place | {"DISPLAY": display, "XAUTHORITY": str(authority), "XDG_SESSION_TYPE": "x11"}


@contextmanager
def peers(environment: Mapping[str, str]) -> Iterator[Child]:
    """The process with pyautogui, pytesseract, mss and jupyter_client in it."""
    with _child([str(PEERS), str(HERE / "peer.py")], environment) as child:
        yield child


@contextmanager
def window(environment: Mapping[str, str]) -> Iterator[Child]:
    """A Tk window at 40, 40 that counts clicks and takes text, and has the keyboard."""
    with _child([_python_with_tk(), str(HERE / "window.py")], environment) as child:
        assert until(lambda: child.ask("ready").value, START_SECONDS), (
            "the Tk window did not get the keyboard"
        )
        yield child


def arrived(child: Child, text: str) -> str:
    """What the window's field has got: the text as soon as it is all there, else what there is at rest."""
    got = child.ask("text").value
    rest = time.monotonic()
    while got != text and time.monotonic() - rest < ARRIVE_SECONDS:
        now = child.ask("text").value
        if now != got:
            got, rest = now, time.monotonic()
    return str(got)


def _python_with_tk() -> str:
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import tkinter"], check=False, capture_output=True).returncode == 0:
            return python
    raise SystemExit("No Python here has tkinter; install the package python3-tk.")


@contextmanager
def _child(command: Sequence[str], environment: Mapping[str, str]) -> Iterator[Child]:
    child = Child(command, environment)
    try:
        yield child
    finally:
        child.end()
