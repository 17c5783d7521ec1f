"""The peers in an environment of their own, called as their documentation shows, with the clock around the call.

Runs in .venv-bench, because pyautogui's python3-xlib and our python-xlib are both the module Xlib; pynput needs the
latter, and lies in a folder beside.
Lines in, lines out: see ``bed.Child``.
"""

from __future__ import annotations

import base64
import io
import json
import os
import sys
import time
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from jupyter_client.blocking.client import BlockingKernelClient
    from jupyter_client.manager import KernelManager
    from PIL.Image import Image


def load(*modules: str) -> None:
    """Import, so that the first call does not pay for it."""
    for module in modules:
        __import__(module)


def click(x: int, y: int, pause: float) -> None:
    import pyautogui

    pyautogui.PAUSE = pause
    pyautogui.click(x, y)


def write(text: str, pause: float) -> None:
    import pyautogui

    pyautogui.PAUSE = pause
    pyautogui.write(text)


def drag(x: int, y: int, to_x: int, to_y: int, pause: float) -> None:
    import pyautogui

    pyautogui.PAUSE = pause
    pyautogui.moveTo(x, y)
    pyautogui.dragTo(to_x, to_y, duration=0.2, button="left")


def pynput_click(x: int, y: int) -> None:
    from pynput.mouse import Button, Controller

    mouse = _controller(Controller)
    mouse.position = (x, y)
    mouse.click(Button.left)


def pynput_drag(x: int, y: int, to_x: int, to_y: int) -> None:
    from pynput.mouse import Button, Controller

    mouse = _controller(Controller)
    mouse.position = (x, y)
    mouse.press(Button.left)
    mouse.position = (to_x, to_y)
    mouse.release(Button.left)


def pynput_write(text: str) -> None:
    from pynput.keyboard import Controller

    _controller(Controller).type(text)


def screenshot(width: int, height: int) -> bytes:
    """pyautogui's screenshot for a model: shrunk and encoded by Pillow with its defaults."""
    import pyautogui

    return _encoded(pyautogui.screenshot(), (width, height), "PNG")


def grab(width: int, height: int, kind: str) -> bytes:
    """The same from mss, one instance kept, as its documentation recommends."""
    from PIL import Image

    shot = _mss().grab(_mss().monitors[0])
    picture = Image.frombytes("RGB", shot.size, shot.bgra, "raw", "BGRX")
    options = {"quality": 88, "subsampling": 0} if kind == "JPEG" else {}
    return _encoded(picture, (width, height), kind, **options)


def find(path: str, texts: list[str], threads: int | None) -> list[list[tuple[int, int, int, int]]]:
    """Where pytesseract reads each text: read once, then runs of words on one line."""
    import pytesseract
    from PIL import Image

    os.environ.pop("OMP_THREAD_LIMIT", None)
    if threads is not None:
        os.environ["OMP_THREAD_LIMIT"] = str(threads)
    data = pytesseract.image_to_data(Image.open(path), output_type=pytesseract.Output.DICT)
    return [_places(data, text) for text in texts]


def look_and_find(text: str) -> list[tuple[int, int, int, int]]:
    """A text on the screen as it is: pyautogui's picture, read by pytesseract with one thread."""
    import pyautogui
    import pytesseract

    os.environ["OMP_THREAD_LIMIT"] = "1"
    data = pytesseract.image_to_data(pyautogui.screenshot(), output_type=pytesseract.Output.DICT)
    return _places(data, text)


def run_cold(code: str) -> str:
    """Start a kernel, run code in it, and keep it for ``run``."""
    from jupyter_client.manager import start_new_kernel

    _kernels.append(start_new_kernel())
    return run(code)


def run(code: str) -> str:
    said: list[str] = []

    def heard(message: dict[str, Any]) -> None:
        content = message["content"]
        said.append(content.get("text") or content.get("data", {}).get("text/plain", ""))

    _kernels[-1][1].execute_interactive(code, output_hook=heard)
    return "".join(said)


def interrupt(code: str) -> float:
    """Seconds from the interrupt of a cell that has printed something to the kernel's word that it is idle."""
    manager, client = _kernels[-1]
    client.execute(code)
    while client.get_iopub_msg(timeout=10)["msg_type"] != "stream":
        pass
    began = time.perf_counter()
    manager.interrupt_kernel()
    while client.get_iopub_msg(timeout=10)["content"].get("execution_state") != "idle":
        pass
    return time.perf_counter() - began


def end_kernel() -> None:
    manager, client = _kernels.pop()
    client.stop_channels()
    manager.shutdown_kernel(now=True)


_kernels: list[tuple[KernelManager, BlockingKernelClient]] = []

VERBS: dict[str, Callable[..., object]] = {
    verb.__name__: verb
    for verb in (
        *(click, drag, write, pynput_click, pynput_drag, pynput_write),
        *(screenshot, grab, find, look_and_find, run_cold, run, interrupt, end_kernel),
    )
}


@cache
def _controller(kind: Any) -> Any:  # noqa: ANN401 - pynput is not in the environment of the type checker's reader
    return kind()


@cache
def _mss() -> Any:  # noqa: ANN401 - mss is not in the environment of the type checker's reader
    import mss

    return mss.MSS()


def _encoded(picture: Image, size: tuple[int, int], kind: str, **options: Any) -> bytes:  # noqa: ANN401 - Pillow's
    if picture.size != size:
        picture = picture.resize(size)
    held = io.BytesIO()
    picture.save(held, kind, **options)
    return held.getvalue()


def _places(data: dict[str, list[Any]], text: str) -> list[tuple[int, int, int, int]]:
    wanted = [_bare(word) for word in text.split()]
    read = [index for index, word in enumerate(data["text"]) if word.strip()]
    found = []
    for start in range(len(read) - len(wanted) + 1):
        run = read[start : start + len(wanted)]
        lines = {(data["block_num"][i], data["par_num"][i], data["line_num"][i]) for i in run}
        if len(lines) == 1 and [_bare(data["text"][i]) for i in run] == wanted:
            left, top = min(data["left"][i] for i in run), min(data["top"][i] for i in run)
            right = max(data["left"][i] + data["width"][i] for i in run)
            bottom = max(data["top"][i] + data["height"][i] for i in run)
            found.append((left, top, right - left, bottom - top))
    return found


def _bare(word: str) -> str:
    """A word as people compare them: no case, no punctuation around it (unless it is nothing else)."""
    return word.strip(".,:;!?()[]{}|*\"'").casefold() or word


def answer(verb: str, arguments: dict[str, Any]) -> dict[str, object]:
    try:
        if verb == "load":
            load(*arguments["modules"])
            return {"seconds": 0.0, "value": None}
        began = time.perf_counter()
        value = VERBS[verb](**arguments)
        seconds = time.perf_counter() - began
    except Exception as error:  # noqa: BLE001 - whatever a peer raises is what came out
        return {"error": f"{type(error).__name__}: {error}"}
    if isinstance(value, bytes):
        value = base64.b64encode(value).decode()
    return {"seconds": seconds, "value": value}


def main() -> None:
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what libraries print is no answer
    for line in sys.stdin:
        question = json.loads(line)
        answers.write(json.dumps(answer(question["verb"], question["arguments"])) + "\n")
        answers.flush()
    while _kernels:
        end_kernel()


if __name__ == "__main__":
    main()
