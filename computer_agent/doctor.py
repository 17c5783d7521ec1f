"""`oi doctor`: try each capability for real, say what works, what does not, and what to do about it."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from computer_api.computer import Computer
from computer_api.errors import ComputerError, DesktopUnavailable, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from computer_agent.settings import Settings
    from computer_vision.reader import EngineName

_TEXT = "oi doctor é Ω 你好 <>"
_TITLE = "oi doctor"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One capability: whether it works, what was seen, and what to do if it does not."""

    name: str
    state: Literal["works", "fails", "absent"]
    words: str


def doctor(settings: Settings) -> int:
    """Print a line for each capability. 0 when all that a run needs works, else 1; 2 without a desktop."""
    try:
        computer = Computer.open(
            settings.desktop, size=settings.size, environment=settings.environment, reader=settings.reader
        )
    except DesktopUnavailable as none:
        _print(Finding(name="desktop", state="fails", words=str(none)))
        return 2
    failed = False
    with computer:
        for finding in examined(computer, settings):
            _print(finding)
            failed = failed or finding.state == "fails"
    return 1 if failed else 0


def examined(computer: Computer, settings: Settings) -> Iterator[Finding]:
    """Each capability in turn, tried on this computer; nothing of the person's is changed but the pointer's place."""
    yield Finding(name="desktop", state="works", words=computer.desktop.name)
    tries: dict[str, Callable[[Computer], str]] = {
        "capture": _capture,
        "pointer": _pointer,
        "windows": _windows,
        "text reading": partial(_ocr, engine=settings.reader),
        "clipboard": _clipboard,
        "accessibility": _accessibility,
        "python": _python,
        "shell": _shell,
        "sandbox": lambda _computer: _sandbox(settings),
        "browser": lambda _computer: _browser(settings),
        "typing": _typing,
    }
    for name, attempt in tries.items():
        yield _tried(name, lambda attempt=attempt: attempt(computer))  # type: ignore[misc]  # a bound default
    yield _model(settings)


def looked_over(settings: Settings) -> Iterator[Finding]:
    """What does not work or is not here, of all that can be tried without the person noticing."""
    try:
        computer = Computer.open(
            settings.desktop, size=settings.size, environment=settings.environment, reader=settings.reader
        )
    except DesktopUnavailable as none:
        yield Finding(name="desktop", state="fails", words=str(none))
        return
    tries: dict[str, Callable[[Computer], str]] = {
        "capture": _capture,
        "windows": _windows,
        "text reading": partial(_ocr, engine=settings.reader),
        "accessibility": _accessibility,
        "sandbox": lambda _computer: _sandbox(settings),
    }
    with computer:
        for name, attempt in tries.items():
            finding = _tried(name, lambda attempt=attempt: attempt(computer))  # type: ignore[misc]  # a bound default
            if finding.state != "works":
                yield finding


def _tried(name: str, attempt: Callable[[], str]) -> Finding:
    from computer_vision.reader import ReaderUnavailable

    began = time.monotonic()
    try:
        words = attempt()
    except _Absent as absent:
        return Finding(name=name, state="absent", words=str(absent))
    except (ComputerError, DesktopUnavailable, ReaderUnavailable, TimeoutError, _Failed) as failed:
        return Finding(name=name, state="fails", words=str(failed))
    return Finding(name=name, state="works", words=f"{words} ({1000 * (time.monotonic() - began):.0f} ms)")


class _Failed(Exception):
    """A capability did not do what it was asked."""


class _Absent(Exception):
    """A capability that a run can do without is not here."""


def _capture(computer: Computer) -> str:
    screenshot = computer.look()
    return f"{screenshot.native}, {len(computer.desktop.displays())} display(s)"


def _pointer(computer: Computer) -> str:
    desktop = computer.desktop
    before = desktop.pointer()
    area = desktop.displays()[0].area
    places = [(area.left + 40, area.top + 40), (area.right - 41, area.bottom - 41)]
    for place in places:
        desktop.move(*place)
        if desktop.pointer() != place:
            raise _Failed(f"the pointer was sent to {place} and is at {desktop.pointer()}")
    desktop.move(*before)
    return "moved and read back"


def _windows(computer: Computer) -> str:
    manager, listed = computer.desktop.windows, f"{len(computer.windows.all())} listed"
    if manager is None or not manager.managed:
        raise _Absent(f"{listed}; no window manager answers, so none can be maximised or minimised")
    return listed


def _browser(settings: Settings) -> str:
    """Start a browser of the agent's own, which a run can do without."""
    from computer_agent.assemble import browser_options
    from computer_api.browser.own import OwnBrowser

    options = browser_options(settings)
    browser = OwnBrowser(environment=settings.environment, program=options.program)
    try:
        return browser.version()
    except UnsupportedError as missing:
        raise _Absent(str(missing)) from None
    finally:
        browser.close()


def _ocr(computer: Computer, *, engine: EngineName | None) -> str:
    """Read a picture of known words, as sharp as a program draws them."""
    import numpy as np
    from PIL import Image, ImageDraw, ImageFont

    from computer_vision.picture import from_image
    from computer_vision.reader import open_reader

    image = Image.new("RGB", (420, 60), "white")
    ImageDraw.Draw(image).text((12, 16), "Save the document", fill="black", font=ImageFont.load_default(20))
    lines = open_reader(engine).read(np.ascontiguousarray(from_image(image)))
    seen = " ".join(word.text for line in lines for word in line.words)
    if seen.casefold() != "save the document":
        raise _Failed(f'"Save the document" was read as "{seen}"')
    return f'read "{seen}"; {len(computer.text())} lines on the screen'


def _clipboard(computer: Computer) -> str:
    clipboard = computer.desktop.clipboard
    if clipboard is None:
        raise _Absent("this desktop has no clipboard")
    before = clipboard.read()
    if computer.desktop.name == "x11":
        return "read, and left alone"  # it may hold a picture, which could not be put back
    clipboard.write(_TEXT)
    seen = clipboard.read()
    clipboard.write(before)
    if seen != _TEXT:
        raise _Failed(f'"{_TEXT}" was put there and "{seen}" came back')
    return "written and read back"


def _accessibility(computer: Computer) -> str:
    accessibility = computer.desktop.accessibility
    if accessibility is None:
        raise _Absent("no accessibility bus; fields are found by their looks only (install at-spi2-core)")
    elements = accessibility.elements()
    return f"{len(elements.items)} controls{' and more' if elements.truncated else ''}"


def _python(computer: Computer) -> str:
    seen = computer.run("python", "6 * 7").output.strip()
    if seen != "42":
        raise _Failed(f'6 * 7 gave "{seen}"')
    return "6 * 7 is 42"


def _shell(computer: Computer) -> str:
    seen = computer.run("shell", "echo $((6 * 7))").output.strip()
    if seen != "42":
        raise _Failed(f'echo $((6 * 7)) gave "{seen}"')
    return "6 * 7 is 42"


def _sandbox(settings: Settings) -> str:
    """Try the sandbox out that code steps would get."""
    from computer_api.terminal.sandbox.choosing import open_sandbox

    sandbox, protection = open_sandbox(settings.code.sandbox, settings.code.policy, settings.environment)
    sandbox.close()
    if not protection.confined:
        raise _Absent(protection.words)
    return protection.words


def _typing(computer: Computer) -> str:
    """Type into a window of our own that shows a field, and read the field back."""
    if computer.desktop.name == "memory":
        raise _Absent("not tried, since no programs run on a desktop in memory")
    manager = computer.desktop.windows
    if manager is None:
        raise _Absent("not tried, since without a window manager our window cannot be told from yours")
    before = {window.id for window in manager.all()}
    try:
        computer.windows.open("zenity", "--entry", f"--title={_TITLE}", "--text=oi doctor types here")
    except ComputerError as error:
        raise _Absent(f"not tried, since there is no window of ours to type into: {error}") from None
    # New and of that title: another program of the person's may open a window in the same moment.
    ours = {window.id for window in manager.all() if window.id not in before and window.title == _TITLE}
    try:
        return _typed(computer, ours)
    finally:
        for window in manager.all():
            if window.id in ours:
                manager.close(window)


def _typed(computer: Computer, ours: set[int]) -> str:
    active = computer.windows.active()
    if active is None or active.id not in ours:
        raise _Absent(
            "not tried, since our window did not get the keyboard"
        )  # nothing goes to a window of yours
    computer.keyboard.write(_TEXT)
    accessibility = computer.desktop.accessibility
    held = None if accessibility is None else accessibility.focused()
    if held is None:
        raise _Absent("typed, but nothing here reads it back")
    if held.value != _TEXT:
        raise _Failed(f'"{_TEXT}" was typed and "{held.value}" arrived')
    return "typed and read back"


def _model(settings: Settings) -> Finding:
    """Whether the model answers one short question; ``steps`` needs nobody."""
    from computer_agent.assemble import model_for
    from computer_agent.models.model import ModelError
    from computer_agent.step import Observation

    if settings.model is None:
        return Finding(
            name="model", state="absent", words="none named and no key set; `oi` says the three ways"
        )
    if settings.model == "steps":
        return Finding(name="model", state="works", words="steps needs no network")
    try:
        model_for(settings).decide(
            "Answer with: ready.", (), Observation(screenshot=None), lambda _text: None
        )
    except ModelError as error:
        return Finding(name="model", state="fails", words=str(error))
    return Finding(name="model", state="works", words=f"{settings.model} answers")


def _print(finding: Finding) -> None:
    marks = {"works": "ok  ", "fails": "FAIL", "absent": "--  "}
    sys.stdout.write(f"{marks[finding.state]}  {finding.name:<14} {finding.words}\n")
    sys.stdout.flush()
