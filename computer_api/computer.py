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
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self, assert_never

from computer_api import actions, copying, pointing
from computer_api.acting import Acting, Shown
from computer_api.ai_verbs import AiVerbs
from computer_api.arranging import perform_on_windows
from computer_api.clipboard import ClipboardVerbs
from computer_api.covering import Covering
from computer_api.display import DisplayVerbs, monitor, monitor_named
from computer_api.elements import Listing, ScreenElements
from computer_api.entering import choose, type_text
from computer_api.errors import (
    ComputerError,
    DesktopUnavailable,
    PersonActiveError,
    UnsupportedError,
)
from computer_api.expectations import expectation
from computer_api.expecting import expect
from computer_api.files import Files
from computer_api.gate import Gate, open_gate
from computer_api.geometry import Size
from computer_api.keyboard import KeyboardVerbs
from computer_api.locate import Locator
from computer_api.mouse import MouseVerbs
from computer_api.os_verbs import OsVerbs, notify
from computer_api.presence import Presence
from computer_api.read_back import held
from computer_api.receipt import Receipt
from computer_api.screenshot import Screenshot
from computer_api.skill_verbs import SkillVerbs
from computer_api.terminal_verbs import TerminalVerbs
from computer_api.vision_verbs import VisionVerbs, sent
from computer_api.watch import AT_ONCE
from computer_api.windows import WindowVerbs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import TracebackType

    from computer_api.actions import Action
    from computer_api.browser.browsing import Browsing
    from computer_api.browser_verbs import BrowserVerbs
    from computer_api.geometry import Box
    from computer_api.targets import Match, SoughtTarget, Target
    from computer_api.terminal import Answer, Chunk, Output, Terminal
    from computer_platform.desktop import Desktop, Frame, Window
    from computer_vision.reader import EngineName, Reader

CODE_VARIABLES = (
    "HOME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
)
"""What code steps see of the environment: no keys, no tokens, and no way to the screen but ``computer``."""

_LOOKING = (
    actions.Look,
    actions.Zoom,
    actions.Wait,
    actions.Expect,
    actions.ExpectValue,
    actions.ExpectTicked,
    actions.ExpectClipboard,
    actions.ExpectFile,
    actions.ExpectProcess,
    actions.ExpectHttp,
    actions.ClipboardGet,
    actions.WaitForWindow,
)  # they send nothing, so that they can be begun again


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureLimit:
    """The largest picture to show, in pixels and square pixels: what all current models take without shrinking it.

    1568 pixels on the long edge and 1.15 megapixels are Anthropic's older limit, the tightest in use.
    """

    long_edge: int = 1568
    area: int = 1_150_000
    short_edge: int | None = None

    def fitted(self, size: Size) -> Size:
        """The size in which a picture of that size is shown."""
        return size.fitted(long_edge=self.long_edge, area=self.area, short_edge=self.short_edge)


class Computer:
    """One desktop with a terminal beside it. Not for use by two threads at once, but for ``interrupt``.

    ``presence`` listens, from ``open`` and ``on`` to ``close``, to the person at the desktop: after Esc twice, or the
    pointer pushed into a corner, what is being done is broken off with ``Stopped``, and nothing is done any more.

    ``picture`` limits the size of pictures; a ``Pixel`` always lies on the picture as shown, so that without a
    limit it is a place on the desktop. ``receipts=False`` skips the watching: actions return at once
    with the effect ``unknown``. ``anchored`` finds words that name a bare pixel, for whoever approves or
    replays the action. ``glide`` moves the pointer as a hand would, not at once. ``patience`` is how long a target
    may take to appear, in seconds. ``screen`` is the one monitor to work on, 0 being the primary: pictures show
    only that, and there is ``DesktopUnavailable`` when it is not there.
    """

    def __init__(  # noqa: PLR0913 - six of them have defaults
        self,
        desktop: Desktop,
        *,
        reader: Reader,
        terminal: Terminal | None = None,
        picture: PictureLimit | None = None,
        patience: float = 3.0,
        receipts: bool = True,
        anchored: bool = False,
        glide: bool = False,
        screen: int | None = None,
    ) -> None:
        self._screen = screen
        self._monitor = None if screen is None else monitor(desktop.displays(), screen).name
        self.desktop = desktop
        self.gate: Gate = open_gate
        self.environment: Mapping[str, str] = {}  # what a browser is looked for in
        self.on_output: Callable[[str], None] = lambda _text: None
        self.on_line: Callable[[int], None] | None = None  # hears which line of Python runs
        self.on_question: Callable[[str, bool], str | None] = lambda _question, _secret: None
        self.advise: Callable[[str, tuple[bytes, ...]], str] = _no_model
        self._terminal = terminal
        self.reader = reader
        self._picture = picture
        self._acting = Acting(
            desktop,
            Locator(desktop, reader, self.look, anchored=anchored),
            self.look,
            patience=patience,
            receipts=receipts,
            glide=glide,
        )
        self.covering = Covering(desktop, self._acting.locator.lines)
        self._listing = Listing(desktop, self._acting.locator.lines)
        self.presence = Presence(desktop.person)
        self._stop_check: Callable[[], None] = lambda: None
        self._acting.check = self._check
        desktop.stop_when(self._check)
        self.display = DisplayVerbs(self)
        self.mouse = MouseVerbs(self)
        self.keyboard = KeyboardVerbs(self)
        self.clipboard = ClipboardVerbs(self)
        self.windows = WindowVerbs(self)
        self.terminal = TerminalVerbs(self)
        self.os = OsVerbs(self)
        self.vision = VisionVerbs(self)
        self.ai = AiVerbs(self)
        self.skills = SkillVerbs()
        self.files = Files(ComputerError)
        self._browsing: Browsing | None = None

    @property
    def browser(self) -> BrowserVerbs:
        """Pages as text and values; nothing is loaded or started before it is used."""
        from computer_api.browser_verbs import BrowserVerbs

        return BrowserVerbs(self)

    @property
    def browsing(self) -> Browsing:
        """The browser and its page; ``options`` may be set before it is used."""
        if self._browsing is None:
            from computer_api.browser.browsing import Browsing
            from computer_api.browser.options import BrowserOptions, open_browser

            self._browsing = Browsing(
                BrowserOptions(environment=self.environment),
                lambda options: open_browser(options, self._acting, self._check_stop),
            )
        return self._browsing

    def _check_stop(self) -> None:
        """Raise when a person wants an end; what else they do is no matter to a browser of the agent's own."""
        self.presence.check_stop()
        self._stop_check()

    @property
    def screen(self) -> int | None:
        """The one screen that it works on, by its number at first, 0 being the primary; None for all."""
        return self._screen

    def stop_when(self, check: Callable[[], None]) -> None:
        """``check`` is called between and inside actions, and raises ``Stopped`` when a person wants an end."""
        self._stop_check = check

    def _check(self) -> None:
        self.presence.check()
        self._stop_check()

    @classmethod
    def open(  # noqa: PLR0913 - all have defaults
        cls,
        name: str | None = None,
        *,
        size: tuple[int, int] = (1280, 800),
        environment: Mapping[str, str] | None = None,
        receipts: bool = True,
        glide: bool = False,
        screen: int | None = None,
        reader: EngineName | None = None,
    ) -> Self:
        """Connect to a desktop: ``x11`` (yours), ``private`` (a new one of that size), ``memory``, or what is there.

        ``reader`` is the engine that reads text. ``environment`` stands in for the process's own.
        Raises ``DesktopUnavailable`` with what to do.
        """
        from computer_platform import connect

        variables = os.environ if environment is None else environment
        desktop = connect(name, size=size, environment=variables)
        try:
            return cls.on(
                desktop, environment=variables, receipts=receipts, glide=glide, screen=screen, reader=reader
            )
        except DesktopUnavailable:  # it lacks that screen
            desktop.close()
            raise

    @classmethod
    def on(  # noqa: PLR0913 - all but two have defaults
        cls,
        desktop: Desktop,
        *,
        environment: Mapping[str, str],
        picture: PictureLimit | None = None,
        receipts: bool = True,
        anchored: bool = False,
        patience: float = 3.0,
        glide: bool = False,
        screen: int | None = None,
        reader: EngineName | None = None,
        terminal: Callable[[Answer], Terminal] | None = None,
    ) -> Self:
        """A computer on a desktop that is already connected, with the usual reader and terminal.

        ``reader`` is the engine that reads text, ``ppocr`` or ``tesseract``; without one it is what can run here.
        ``terminal`` makes the terminal, given what answers the ``computer`` of its code; without it code runs
        unconfined.
        """
        from computer_api.bridge import answering
        from computer_vision.reader import open_reader

        computer = cls(
            desktop,
            reader=open_reader(reader),
            picture=picture,
            receipts=receipts,
            anchored=anchored,
            patience=patience,
            glide=glide,
            screen=screen,
        )
        computer.environment = environment
        answer = answering(computer)
        computer._terminal = unconfined(environment, answer) if terminal is None else terminal(answer)
        computer.presence.watch(desktop.displays())
        computer.presence.begin()
        return computer

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release everything that is pressed, end the terminal's programs, let go of the desktop."""
        self.presence.close()
        if self._browsing is not None:
            self._browsing.close()
        if self._terminal is not None:
            self._terminal.close()
        self.desktop.close()

    def interrupt(self) -> None:
        """Stop a code step that is running; callable from another thread or a signal handler."""
        if self._terminal is not None:
            self._terminal.interrupt()

    def forget_code(self) -> None:
        """End the programs in which code ran: what it had set is gone."""
        if self._terminal is not None:
            self._terminal.forget()

    def let_go(self) -> None:
        """Release all that is held, as when a person uses the desktop; callable from a signal handler."""
        with suppress(DesktopUnavailable):
            self.presence.released |= self.desktop.held()
            self.desktop.release_all()
        self.presence.interrupt()

    @property
    def patience(self) -> float:
        """How long a target may take to appear, in seconds."""
        return self._acting.patience

    @patience.setter
    def patience(self, seconds: float) -> None:
        self._acting.patience = seconds

    @property
    def brisk(self) -> bool:
        """Whether to wait for no more quiet than shows that an action is over: what comes next is waited for."""
        return self._acting.brisk

    @brisk.setter
    def brisk(self, brisk: bool) -> None:
        self._acting.brisk = brisk

    def pause(self, seconds: float) -> None:
        """Let time pass, in pieces short enough to be stopped."""
        self._acting.wait(seconds)

    def later(self) -> Receipt | None:
        """What the last action has changed by now; None for one of which no change is watched."""
        return self._acting.later()

    def held(self) -> str | None:
        """What the field with the keyboard holds, where a program tells; None for a field for passwords."""
        field = held(self._acting)
        return None if field is None else field.value

    def look(self) -> Screenshot:
        """The desktop now, all of it or the one screen, in the size in which it is shown.

        Raises ``DesktopUnavailable`` when there is no such screen any more.
        """
        # by its name: when another is unplugged, or becomes the primary, the numbers mean others
        area = None if self._monitor is None else monitor_named(self.desktop.displays(), self._monitor).area
        frame = self.desktop.capture(area)
        self._acting.movers.saw(frame)
        return self.shown(frame)

    def present(self) -> Screenshot:
        """The desktop now, for somebody who will name pixels: from now on they mean places on this picture.

        When a monitor is added, removed, moved or resized after that, an action on a pixel is refused. Pictures made
        of it do not show what is in password fields.
        """
        return self._seen(self.covering.cover(self.look()))

    def _seen(self, screenshot: Screenshot) -> Screenshot:
        self._acting.locator.seen = screenshot.layout
        return screenshot

    def shown(self, frame: Frame) -> Screenshot:
        """A frame, or a part of one, in the size in which a picture like that is shown."""
        height, width = frame.pixels.shape[:2]
        return Screenshot(frame=frame, size=self._shown(Size(width, height)))

    def part(self, screenshot: Screenshot, box: Box) -> Screenshot:
        """A part of a screenshot, in the size in which a picture like that is shown; what is covered stays covered."""
        part = self.shown(screenshot.part(box))
        return replace(part, covered=screenshot.covered, sure=screenshot.sure)

    def _shown(self, size: Size) -> Size:
        """The size in which a picture of that size is shown."""
        return size if self._picture is None else self._picture.fitted(size)

    def observe(self) -> Screenshot:
        """The desktop as soon as it is quiet, after at most two seconds; pixels are places on this picture then."""
        self.presence.watch(self.desktop.displays())
        quiet = self._acting.quiet(seconds=2.0, polls=1 if self.brisk else 4)  # after the quiet of a receipt
        self._acting.movers.ours = False  # what changes from now on does so by itself
        return self._seen(self.covering.cover(quiet))

    def locate(self, target: Target, *, seconds: float | None = None) -> Match:
        """Where a target is. Raises ``NotFoundError``, ``AmbiguousError`` or ``OffScreenError``."""
        return self._acting.locate(target, seconds)

    def show(self, target: Target) -> Shown:
        """Where a target is and in which window, for a person who is asked about it. Raises as ``locate`` does."""
        return self._acting.show(target)

    @contextmanager
    def only_as_shown(self, shown: tuple[Shown, ...]) -> Iterator[None]:
        """Meanwhile an action on one of these targets is done only where the person was shown it."""
        before, self._acting.shown = self._acting.shown, shown
        try:
            yield
        finally:
            self._acting.shown = before

    def avoid(self, processes: frozenset[int]) -> None:
        """Find nothing in the windows of these processes, click nothing there, send them no keys."""
        self._acting.locator.avoided = self._listing.avoided = processes

    def receiving(self) -> Window | None:
        """The window that keys are meant for."""
        return self._acting.receiver()

    def find(self, target: SoughtTarget, screenshot: Screenshot) -> tuple[Match, ...]:
        """Every place that fits a target on this screenshot, from the top left; perhaps none."""
        return tuple(self._acting.locator.candidates(target, screenshot))

    def elements(
        self, screenshot: Screenshot, *, window: Window | None = None, seconds: float = 1.0, most: int = 200
    ) -> ScreenElements:
        """What can be acted on on a screenshot that was taken just now, numbered as people read.

        Programs get that many seconds to answer. Secrets that were typed are not in it.
        """
        found = self._listing.elements(screenshot, window=window, seconds=seconds, most=most)
        hide = self.covering.without_secrets
        items = tuple(replace(one, name=hide(one.name), value=hide(one.value)) for one in found.items)
        return replace(found, items=items)

    def text(self) -> tuple[str, ...]:
        """Everything that can be read on the screen now, line by line."""
        lines = self._acting.locator.lines(self.look())
        return tuple(" ".join(word.text for word in line.words) for line in lines)

    def run(self, language: str, code: str) -> Receipt:
        """Run code in the terminal, as ``terminal.run`` does."""
        return self.terminal.run(language, code)

    def expect(
        self,
        what: Target | str | None = None,
        *,
        within: float | None = None,
        **asked: Any,  # noqa: ANN401 - each form has its own
    ) -> Receipt:
        """Wait until something is so; ``within`` is for how many seconds at most.

        ``expect("Saved")``, ``expect(gone="Busy")``, ``expect(window="Report", gone=False)``,
        ``expect(field="Name", value="Ada", part=False)``, ``expect(tick="Accept", ticked=True)``,
        ``expect(file="~/out*.csv", holds="Ada")``, ``expect(process="soffice", gone=True)``,
        ``expect(url="http://127.0.0.1:8000/", status=200, holds="ok")``, ``expect(clipboard="x", part=True)``.
        Raises ``ExpectationError`` with what was there instead, and ``ValueError`` for another form.
        """
        return self.perform(expectation(what, asked, within))

    def perform(self, action: Action, *, first: Callable[[], None] | None = None) -> Receipt:
        """Do one action and say what it changed; ``first`` is called right before, and may raise.

        Raises ``ComputerError`` when it cannot be done, ``RefusedError`` when the gate does not let it
        through, and ``Stopped``. Whatever happens, what the action pressed is released.
        """
        return self.gate(action, lambda let_through: self._perform(let_through, first))

    def _perform(self, action: Action, first: Callable[[], None] | None) -> Receipt:
        began = time.monotonic()
        with self._releasing(), self._broken_off(action):
            self._acting.check()
            if first is not None:
                first()
            self._acting.forget()
            receipt = self._performed(action)
        return replace(receipt, seconds=time.monotonic() - began)

    @contextmanager
    def _broken_off(self, action: Action) -> Iterator[None]:
        """Say of an action that failed, or that a person's own work ended, whether any of it was done."""
        outer, self._acting.begun = self._acting.begun, False  # code that runs may ask for actions of its own
        try:
            yield
        except ComputerError as error:
            error.begun = self._acting.begun and not isinstance(action, _LOOKING)
            raise
        finally:
            self._acting.begun = outer

    @contextmanager
    def _releasing(self) -> Iterator[None]:
        """When an action breaks off half-way, leave no key or button down."""
        try:
            yield
        except BaseException as error:
            with suppress(DesktopUnavailable):  # one that went away holds nothing, and has said so already
                if isinstance(
                    error, PersonActiveError
                ):  # of earlier actions, too, which somebody must be told
                    self.presence.released |= self.desktop.held()
                self.desktop.release_all()
            raise

    def _performed(self, action: Action) -> Receipt:  # noqa: C901, PLR0911, PLR0912 - one arm an action
        acting, desktop = self._acting, self.desktop
        match action:
            case actions.Look():
                return Receipt(effect="unknown")
            case actions.Zoom():
                return self._zoom(action)
            case actions.Wait(seconds=seconds):
                return acting.watched((), lambda: acting.wait(seconds), patience=AT_ONCE)
            case actions.ClipboardGet():
                return copying.get(desktop, action, self._shown)
            case actions.ClipboardSet():
                return copying.put(desktop, action)
            case (
                actions.Expect()
                | actions.ExpectValue()
                | actions.ExpectTicked()
                | actions.ExpectClipboard()
                | actions.ExpectFile()
                | actions.ExpectProcess()
                | actions.ExpectHttp()
            ):
                return expect(acting, action)
            case actions.RunCode() | actions.AnswerPrompt():
                return self._run(action)
            case actions.Notify():
                return notify(desktop, action)
            case actions.AskModel(text=text, pictures=pictures):
                return Receipt(effect="unknown", output=self.advise(text, sent(pictures)))
            case actions.Browse():
                if action.secret:
                    self.covering.remember(action.text)
                return self.browsing.perform(action)
            case actions.Click():
                return pointing.click(acting, action)
            case actions.Tick():
                return pointing.tick(acting, action)
            case actions.Move():
                return pointing.move(acting, action)
            case actions.Drag():
                return pointing.drag(acting, action)
            case actions.Scroll():
                return pointing.scroll(acting, action)
            case actions.TypeText():
                if action.secret:
                    self.covering.remember(action.text)
                return type_text(acting, action)
            case actions.Choose():
                return choose(acting, action)
            case actions.PressKeys(keys=keys, times=times):
                return acting.watched((), lambda: acting.press(*keys, times=times))
            case actions.HoldKeys(keys=keys, seconds=seconds):
                return acting.watched((), lambda: acting.hold(keys, seconds), patience=AT_ONCE)
            case actions.KeyDown(keys=keys):
                return acting.watched((), lambda: acting.keys(keys, down=True), patience=AT_ONCE)
            case actions.KeyUp(keys=keys):
                return acting.watched((), lambda: acting.keys(keys, down=False), patience=AT_ONCE)
            case actions.MouseDown():
                return pointing.press(acting, action)
            case actions.MouseUp():
                return pointing.release(acting, action)
            case (
                actions.OpenApp()
                | actions.FocusWindow()
                | actions.CloseWindow()
                | actions.ArrangeWindow()
                | actions.PlaceWindow()
                | actions.WaitForWindow()
            ):
                return perform_on_windows(acting, action)
            case _:
                assert_never(action)

    def _zoom(self, action: actions.Zoom) -> Receipt:
        from computer_vision.picture import png, resized

        seen = self.covering.cover(self._acting.locator.as_seen(self.look()))
        region = seen.cut(action.left, action.top, action.right, action.bottom)
        crop = seen.pixels()[region.top : region.bottom, region.left : region.right]
        size = self._shown(Size(region.width, region.height))
        return Receipt(effect="unknown", images=(png(resized(crop, size.width, size.height)),))

    def _run(self, action: actions.RunCode | actions.AnswerPrompt) -> Receipt:
        if self._terminal is None:
            raise UnsupportedError("This computer has no terminal to run code in.")
        locator = self._acting.locator
        seen = locator.seen
        self._acting.begun = True
        try:
            output = self._output(self._terminal, action)
        finally:
            locator.seen = seen  # the code may have looked; whoever sent it has not
        return Receipt(
            effect="unknown",
            output=output.text + _waiting_note(output),
            failed=not output.ok and output.waiting is None,
            images=output.images,
            html=output.html,
            denied=output.denied,
            waiting=output.waiting,
            lost_state=output.lost_state,
        )

    def _output(self, terminal: Terminal, action: actions.RunCode | actions.AnswerPrompt) -> Output:
        """What the block, or the rest of it, came to."""

        def follow(chunk: Chunk) -> None:
            self.on_output(chunk.text)

        match action:
            case actions.RunCode(language=language, code=code, outside=outside):
                return terminal.run(language, code, on_output=follow, on_line=self.on_line, outside=outside)
            case actions.AnswerPrompt(text=text):
                return terminal.answer(text, on_output=follow)


def _no_model(_words: str, _pictures: tuple[bytes, ...]) -> str:
    """Where no run has given the computer its model."""
    raise UnsupportedError("No model can be asked here: that takes a run whose own model answers in words.")


def visible_to_code(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that code steps get: none that holds a key."""
    return {key: environment[key] for key in CODE_VARIABLES if key in environment}


def unconfined(environment: Mapping[str, str], answer: Answer) -> Terminal:
    """A terminal without a sandbox."""
    from computer_api.terminal import Terminal

    return Terminal(environment=visible_to_code(environment), answer=answer)


def _waiting_note(output: Output) -> str:
    """What a model is told about a program that waits."""
    if output.waiting is None:
        return ""
    what = "a secret line of input" if output.secret_wanted else "a line of input"
    return f'[a program waits for {what} after "{output.waiting}"; answer it, or run something else, which ends it]\n'
