"""The computer: observe it, ask it to perform an action, get a receipt of what that changed.

    with Computer.open("private", size=(1280, 800)) as computer:
        computer.windows.open("mousepad", "notes.txt")
        computer.keyboard.write("Hello")
        computer.mouse.click("File")

``display``, ``mouse``, ``keyboard``, ``clipboard`` and ``windows`` are thin verbs: each builds an action
and hands it to ``perform``, so that a person's call passes the same gate as a model's.
"""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self, assert_never

from computer_api import actions
from computer_api.clipboard import ClipboardVerbs
from computer_api.display import DisplayVerbs
from computer_api.errors import (
    ComputerError,
    ExpectationError,
    NotFoundError,
    NotTypedError,
    OffScreenError,
    TimedOutError,
    UnsupportedError,
)
from computer_api.gate import Gate, open_gate
from computer_api.geometry import Box, Pixel, Size
from computer_api.keyboard import KeyboardVerbs
from computer_api.locate import Locator, SoughtTarget, windows_titled
from computer_api.mouse import MouseVerbs
from computer_api.receipt import Receipt
from computer_api.screenshot import Screenshot
from computer_api.settle import settled
from computer_api.targets import Match, Target, TextTarget, described
from computer_api.watch import receipt_of, scene
from computer_api.windows import WindowVerbs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import TracebackType

    from computer_api.actions import Action
    from computer_api.terminal import Terminal
    from computer_platform.desktop import Button, Clipboard, Desktop, Element, Window, Windows
    from computer_vision.reader import Reader

CODE_VARIABLES = ("HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER")
"""What code steps see of the environment: no keys, no tokens, and no way to the screen but ``computer``."""

_WINDOW_SECONDS = 15.0
_PROGRAM_GONE_POLLS = 0.05
_VALUE_SECONDS = 0.6
_PRESS_SECONDS = 0.012  # long enough for programs that poll the buttons
_SECRET_ROLES = frozenset({"password text"})


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureLimit:
    """The largest picture to show: what all current models take without shrinking it themselves.

    1568 pixels on the long edge and 1.15 megapixels are Anthropic's older limit, the tightest in use.
    """

    long_edge: int = 1568
    area: int = 1_150_000


class Computer:
    """One desktop with a terminal beside it. Not for use by two threads at once, but for ``interrupt``.

    ``picture`` limits the size of pictures; a ``Pixel`` always lies on the picture as shown, so that without a
    limit it is a place on the desktop. ``receipts=False`` skips the watching: actions return at once
    with the effect ``unknown``. ``patience`` is how long a target may take to appear, in seconds.
    """

    def __init__(
        self,
        desktop: Desktop,
        *,
        reader: Reader,
        terminal: Terminal | None = None,
        picture: PictureLimit | None = None,
        patience: float = 3.0,
        receipts: bool = True,
    ) -> None:
        self.desktop = desktop
        self.gate: Gate = open_gate
        self.stopped: Callable[[], None] = lambda: None
        self.on_output: Callable[[str], None] = lambda _text: None
        self._terminal = terminal
        self._picture = picture
        self._patience = patience
        self._receipts = receipts
        self._locator = Locator(desktop, reader, self.look)
        self.display = DisplayVerbs(self)
        self.mouse = MouseVerbs(self)
        self.keyboard = KeyboardVerbs(self)
        self.clipboard = ClipboardVerbs(self)
        self.windows = WindowVerbs(self)

    @classmethod
    def open(
        cls,
        name: str | None = None,
        *,
        size: tuple[int, int] = (1280, 800),
        environment: Mapping[str, str] | None = None,
        receipts: bool = True,
    ) -> Self:
        """Connect to a desktop: ``x11`` (yours), ``private`` (a new one of that size), ``memory``, or what is there.

        ``environment`` stands in for the process's own. Raises ``DesktopUnavailable`` with what to do.
        """
        from computer_platform import connect

        variables = os.environ if environment is None else environment
        return cls.on(connect(name, size=size, environment=variables), environment=variables, receipts=receipts)

    @classmethod
    def on(
        cls,
        desktop: Desktop,
        *,
        environment: Mapping[str, str],
        picture: PictureLimit | None = None,
        receipts: bool = True,
        patience: float = 3.0,
    ) -> Self:
        """A computer on a desktop that is already connected, with the usual reader and terminal."""
        from computer_api.bridge import answering
        from computer_api.terminal import Terminal
        from computer_vision.tesseract import TesseractReader

        computer = cls(
            desktop, reader=TesseractReader(), picture=picture, receipts=receipts, patience=patience
        )
        visible = {key: environment[key] for key in CODE_VARIABLES if key in environment}
        computer._terminal = Terminal(environment=visible, answer=answering(computer))
        return computer

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release everything that is pressed, end the terminal's programs, let go of the desktop."""
        if self._terminal is not None:
            self._terminal.close()
        self.desktop.close()

    def interrupt(self) -> None:
        """Stop a code step that is running; callable from another thread or a signal handler."""
        if self._terminal is not None:
            self._terminal.interrupt()

    def look(self) -> Screenshot:
        """The whole desktop now, in the size in which it is shown."""
        frame = self.desktop.capture()
        height, width = frame.pixels.shape[:2]
        size = Size(width, height)
        if self._picture is not None:
            size = size.fitted(long_edge=self._picture.long_edge, area=self._picture.area)
        return Screenshot(frame=frame, size=size)

    def observe(self) -> Screenshot:
        """The desktop as soon as it is quiet, after at most two seconds."""
        frame = settled(lambda: self.look().frame, check=self.stopped).frame
        return replace(self.look(), frame=frame)

    def locate(self, target: Target, *, seconds: float | None = None) -> Match:
        """Where a target is. Raises ``NotFoundError``, ``AmbiguousError`` or ``OffScreenError``."""
        return self._locator.locate(
            target, seconds=self._patience if seconds is None else seconds, check=self.stopped
        )

    def find(self, target: SoughtTarget, screenshot: Screenshot) -> tuple[Match, ...]:
        """Every place that fits a target on this screenshot, from the top left; perhaps none."""
        return tuple(self._locator.candidates(target, screenshot))

    def text(self) -> tuple[str, ...]:
        """Everything that can be read on the screen now, line by line."""
        lines = self._locator.lines(self.look())
        return tuple(" ".join(word.text for word in line.words) for line in lines)

    def run(self, language: str, code: str) -> Receipt:
        """Run code in the terminal; what it printed is the receipt's ``output``."""
        return self.perform(actions.RunCode(language=language, code=code))

    def perform(self, action: Action) -> Receipt:
        """Do one action and say what it changed.

        Raises ``ComputerError`` when it cannot be done, ``RefusedError`` when the gate does not let it
        through, and ``Stopped``. Whatever happens, what the action pressed is released.
        """
        return self.gate(action, self._perform)

    def _perform(self, action: Action) -> Receipt:
        began = time.monotonic()
        self.stopped()
        with self._releasing():
            receipt = self._performed(action)
        return replace(receipt, seconds=time.monotonic() - began)

    @contextmanager
    def _releasing(self) -> Iterator[None]:
        """When an action breaks off half-way, leave no key or button down."""
        try:
            yield
        except BaseException:
            self.desktop.release_all()
            raise

    def _performed(self, action: Action) -> Receipt:  # noqa: C901, PLR0911, PLR0912 - one arm an action, each a line
        match action:
            case actions.Look():
                return Receipt(effect="unknown")
            case actions.Zoom():
                return self._zoom(action)
            case actions.Wait(seconds=seconds):
                return self._watched((), lambda: self._wait(seconds))
            case actions.ClipboardGet():
                return Receipt(effect="unknown", output=self._clipboard().read())
            case actions.ClipboardSet(text=text):
                return self._set_clipboard(text)
            case actions.Expect():
                return self._expect(action)
            case actions.RunCode():
                return self._run(action)
            case actions.Click():
                return self._click(action)
            case actions.Move(target=target):
                match = self.locate(target)
                return self._watched((match,), lambda: self.desktop.move(match.point.x, match.point.y))
            case actions.Drag():
                return self._drag(action)
            case actions.Scroll():
                return self._scroll(action)
            case actions.TypeText():
                return self._type(action)
            case actions.Choose():
                return self._choose(action)
            case actions.PressKeys(keys=keys, times=times):
                return self._watched((), lambda: self._press(keys, times))
            case actions.HoldKeys(keys=keys, seconds=seconds):
                return self._watched((), lambda: self._hold(keys, seconds))
            case actions.KeyDown(keys=keys):
                return self._watched((), lambda: self._keys(keys, down=True))
            case actions.KeyUp(keys=keys):
                return self._watched((), lambda: self._keys(keys, down=False))
            case actions.MouseDown(button=button):
                return self._watched((), lambda: self.desktop.button(button, down=True))
            case actions.MouseUp(button=button):
                return self._watched((), lambda: self.desktop.button(button, down=False))
            case actions.OpenApp():
                return self._open(action)
            case actions.FocusWindow(title=title):
                window = self._window(title)
                return self._watched((), lambda: self._manager().activate(window))
            case actions.CloseWindow(title=title):
                window = self._window(title)
                return self._watched((), lambda: self._manager().close(window))
            case _:
                assert_never(action)

    def _watched(self, matches: tuple[Match, ...], act: Callable[[], None]) -> Receipt:
        """Act, and say what became different; without receipts, only act."""
        if not self._receipts:
            act()
            return Receipt(effect="unknown", matches=matches)
        before = scene(self.desktop, self.look)
        act()
        return receipt_of(before, self.desktop, self.look, matches=matches, check=self.stopped)

    def _point_at(self, target: Target | None) -> tuple[Match, ...]:
        """Find the target and put the pointer on it; let the control light up before the watching begins."""
        if target is None:
            return ()
        match = self.locate(target)
        if self.desktop.pointer() != (match.point.x, match.point.y):
            self.desktop.move(match.point.x, match.point.y)
            if self._receipts:
                settled(lambda: self.look().frame, seconds=0.25, check=self.stopped)
        return (match,)

    def _click(self, action: actions.Click) -> Receipt:
        matches = self._point_at(action.target)
        return self._watched(matches, lambda: self._press_button(action.button, action.count, action.keys))

    def _press_button(self, button: Button, count: int, keys: tuple[str, ...] = ()) -> None:
        self._keys(keys, down=True)
        for _ in range(count):
            self.desktop.button(button, down=True)
            time.sleep(_PRESS_SECONDS)
            self.desktop.button(button, down=False)
        self._keys(keys, down=False)

    def _keys(self, keys: tuple[str, ...], *, down: bool) -> None:
        for key in keys if down else reversed(keys):
            self.desktop.key(key, down=down)

    def _press(self, keys: tuple[str, ...], times: int) -> None:
        for _ in range(times):
            self._keys(keys, down=True)
            self._keys(keys, down=False)

    def _hold(self, keys: tuple[str, ...], seconds: float) -> None:
        self._keys(keys, down=True)
        self._wait(seconds)
        self._keys(keys, down=False)

    def _wait(self, seconds: float) -> None:
        """Let time pass, in pieces short enough to be stopped."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self.stopped()
            time.sleep(min(left, 0.05))

    def _drag(self, action: actions.Drag) -> Receipt:
        """Press, a nudge, eight moves, a dwell with a jiggle, release: what HTML5 and GTK take for a drag."""
        end = self.locate(action.end)
        (start,) = self._point_at(action.start)
        return self._watched((start, end), lambda: self._drag_between(start, end, action))

    def _drag_between(self, start: Match, end: Match, action: actions.Drag) -> None:
        (x, y), (to_x, to_y) = (start.point.x, start.point.y), (end.point.x, end.point.y)
        self._keys(action.keys, down=True)
        time.sleep(0.01)
        self.desktop.button(action.button, down=True)
        time.sleep(0.02)
        self.desktop.move(x + 4, y + 4)
        time.sleep(0.01)
        steps = max(8, int(max(abs(to_x - x), abs(to_y - y)) / 40))
        for step in range(1, steps + 1):
            self.stopped()
            self.desktop.move(x + (to_x - x) * step // steps, y + (to_y - y) * step // steps)
            time.sleep(0.008)
        time.sleep(0.025)
        self.desktop.move(to_x + 1, to_y)
        self.desktop.move(to_x, to_y)
        time.sleep(0.025)
        self.desktop.button(action.button, down=False)
        self._keys(action.keys, down=False)

    def _scroll(self, action: actions.Scroll) -> Receipt:
        matches = self._point_at(action.target)
        return self._watched(matches, lambda: self.desktop.scroll(action.right, action.down))

    def _type(self, action: actions.TypeText) -> Receipt:
        matches = self._point_at(action.into)
        if matches:
            self._enter(matches[0])
        receipt = self._watched(matches, lambda: self._send(action))
        if action.secret or not self._receipts:
            return receipt
        return replace(receipt, value=self._read_back(action))

    def _enter(self, field: Match) -> None:
        """Put the keyboard into a field and select what it holds, so that typing replaces it."""
        self._press_button("left", 1)
        settled(lambda: self.look().frame, seconds=0.5, check=self.stopped)
        held = self._focused()
        if held is not None and held.role not in _SECRET_ROLES and not held.value:
            return
        if held is not None and "multi line" in held.states:
            self._press(("Control_L", "a"), 1)
            return
        self._press(("End",), 1)
        self._press(("Shift_L", "Home"), 1)

    def _send(self, action: actions.TypeText) -> None:
        from computer_platform.desktop import CannotType

        if not action.text and action.into is not None:
            self._press(("Delete",), 1)
            return
        try:
            self.desktop.type_text(action.text)
        except CannotType as cannot:
            raise NotTypedError(str(cannot), expected="" if action.secret else action.text) from None

    def _focused(self) -> Element | None:
        accessibility = self.desktop.accessibility
        return None if accessibility is None else accessibility.focused()

    def _read_back(self, action: actions.TypeText) -> str | None:
        """What the field holds now, where a program says so. Raises ``NotTypedError`` when it is something else."""
        if any(character in action.text for character in "\n\t"):
            return None  # Return and Tab may have left the field
        until = time.monotonic() + _VALUE_SECONDS
        while True:
            held = self._focused()
            if held is None or "editable" not in held.states or held.role in _SECRET_ROLES:
                return None
            arrived = held.value == action.text if action.into is not None else action.text in held.value
            if arrived:
                return held.value
            if time.monotonic() > until:
                raise NotTypedError(
                    f'Typed "{action.text}", but the field holds "{held.value}".',
                    expected=action.text,
                    seen=held.value,
                )
            self._wait(0.05)

    def _choose(self, action: actions.Choose) -> Receipt:
        """Open a drop-down, then click the option in what has appeared."""
        (field,) = self._point_at(action.target)
        return self._watched((field,), lambda: self._pick(field, action.option))

    def _pick(self, field: Match, option: str) -> None:
        before = self.look()
        self._press_button("left", 1)
        shown = self._appeared(before)
        try:
            match = self._locator.locate_on(TextTarget(option), self.look(), prefer=shown)
        except ComputerError:
            self._press(("Escape",), 1)
            raise
        self.desktop.move(match.point.x, match.point.y)
        settled(lambda: self.look().frame, seconds=0.3, check=self.stopped)
        self._press_button("left", 1)

    def _appeared(self, before: Screenshot) -> tuple[Box, ...]:
        from computer_vision.change import changes

        frame = settled(lambda: self.look().frame, first=0.2, check=self.stopped).frame
        return tuple(before.box_of(region) for region in changes(before.frame.pixels, frame.pixels))

    def _zoom(self, action: actions.Zoom) -> Receipt:
        from computer_vision.picture import png

        seen = self.look()
        first = seen.point(Pixel(action.left, action.top))
        last = seen.point(Pixel(action.right - 1, action.bottom - 1))
        if last.x < first.x or last.y < first.y:
            raise OffScreenError(
                f"A zoom goes from its top left to its bottom right corner, not from "
                f"({action.left}, {action.top}) to ({action.right}, {action.bottom})."
            )
        region = seen.region_of(Box(first.x, first.y, last.x - first.x + 1, last.y - first.y + 1))
        crop = seen.frame.pixels[region.top : region.bottom, region.left : region.right]
        return Receipt(effect="unknown", images=(png(crop),))

    def _expect(self, action: actions.Expect) -> Receipt:
        if action.gone:
            if not self._locator.gone(action.target, seconds=action.seconds, check=self.stopped):
                raise ExpectationError(
                    f"{described(action.target)} is still on the screen after {action.seconds:g} s."
                )
            return Receipt(effect="unknown")
        try:
            match = self.locate(action.target, seconds=action.seconds)
        except NotFoundError as missing:
            raise ExpectationError(f"Waited {action.seconds:g} s: {missing}") from None
        return Receipt(effect="unknown", matches=(match,))

    def _run(self, action: actions.RunCode) -> Receipt:
        if self._terminal is None:
            raise UnsupportedError("This computer has no terminal to run code in.")
        output = self._terminal.run(
            action.language, action.code, on_output=lambda chunk: self.on_output(chunk.text)
        )
        return Receipt(effect="unknown", output=output.text, failed=not output.ok, images=output.images)

    def _clipboard(self) -> Clipboard:
        if self.desktop.clipboard is None:
            raise UnsupportedError(f"The {self.desktop.name} desktop has no clipboard.")
        return self.desktop.clipboard

    def _set_clipboard(self, text: str) -> Receipt:
        self._clipboard().write(text)
        return Receipt(effect="unknown", value=self._clipboard().read())

    def _manager(self) -> Windows:
        if self.desktop.windows is None:
            raise UnsupportedError(f"The {self.desktop.name} desktop has no window manager that answers.")
        return self.desktop.windows

    def _window(self, title: str) -> Window:
        stack = self._manager().all()
        found = windows_titled(stack, title)
        if not found:
            titles = tuple(window.title for window in stack)
            listed = ", ".join(f'"{name}"' for name in titles) or "none"
            raise NotFoundError(f'No window is called "{title}". Open are: {listed}.', titles)
        return found[-1]

    def _open(self, action: actions.OpenApp) -> Receipt:
        return self._watched((), lambda: self._launch(action))

    def _launch(self, action: actions.OpenApp) -> None:
        """Start the program and wait for a window that was not there before."""
        manager = self.desktop.windows
        known = set() if manager is None else {window.id for window in manager.all()}
        try:
            self.desktop.launch([action.program, *action.arguments])
        except (FileNotFoundError, PermissionError):
            raise NotFoundError(
                f'There is no program "{action.program}" here. Give its command name, and install it if need be.'
            ) from None
        if manager is None:
            return
        until = time.monotonic() + _WINDOW_SECONDS
        while not any(window.id not in known and not window.hidden for window in manager.all()):
            if time.monotonic() > until:
                raise TimedOutError(f'"{action.program}" was started but showed no window in {_WINDOW_SECONDS:g} s.')
            self._wait(_PROGRAM_GONE_POLLS)

