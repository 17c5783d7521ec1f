"""``X11Desktop``: the Desktop seam on an X server."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from types import MappingProxyType
from typing import TYPE_CHECKING

from computer_platform.boxes import Surroundings
from computer_platform.desktop import DesktopUnavailable, Frame
from computer_platform.desktop_entries import command_for
from computer_platform.inherited import without_secrets
from computer_platform.x11 import devices, launch, screens
from computer_platform.x11.at_rest import at_rest, family
from computer_platform.x11.capture import Camera
from computer_platform.x11.clipboard import X11Clipboard
from computer_platform.x11.connection import Connection
from computer_platform.x11.keyboard import Keyboard
from computer_platform.x11.paste import paste
from computer_platform.x11.people import X11Person
from computer_platform.x11.person_device import PersonConnection
from computer_platform.x11.pointer import Pointer
from computer_platform.x11.shadows import with_shadows
from computer_platform.x11.unmanaged import UnmanagedWindows
from computer_platform.x11.windows import X11Windows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from computer_platform.desktop import (
        Accessibility,
        Activity,
        Area,
        Button,
        Display,
        Ended,
        Person,
        Window,
    )

_LAYOUTS = 5  # the screen may be resized between our asking for its size and for its picture
_MANAGER_SECONDS = 1.0  # that the window manager gets to deal with a click before keys follow it
_NOTHING: Mapping[str, str] = MappingProxyType({})


class X11Desktop:
    """One X display, such as ``:0``. Points are its pixels.

    ``environment`` is what launched programs get beside ours, secrets excepted; its ``XAUTHORITY`` also opens the
    display. ``own_keyboard`` says that nobody else types here, so that keys may be taken freely; ``in_person`` that
    what is done here is a person's work, who sits elsewhere, and is sent by their mouse and keyboard.
    Raises ``DesktopUnavailable`` when the display cannot be opened.
    """

    def __init__(
        self,
        display: str,
        *,
        name: str = "x11",
        environment: Mapping[str, str] = _NOTHING,
        own_keyboard: bool = False,
        in_person: bool = False,
        accessibility: Accessibility | None = None,
    ) -> None:
        self._name = name
        self._display = display
        self._environment = without_secrets(environment)
        self._accessibility = accessibility
        authority_file = environment.get("XAUTHORITY")
        self._clicked = False
        self._closed = False
        self._programs = launch.Programs()
        with ExitStack() as opened:
            self._connection = (
                PersonConnection(display, authority_file)
                if in_person
                else Connection(display, authority_file, outlives_us=not own_keyboard)
            )
            opened.callback(self._connection.close)
            with self._connection.talking():
                self._screens = screens.Screens(self._connection)
                self._layout = self._screens.layout()
                self._camera = Camera(self._connection, authority_file)
            self._pointer = Pointer(self._connection)
            self._windows = X11Windows(self._connection)
            self._unmanaged = UnmanagedWindows(self._connection)
            self._clipboard = X11Clipboard(self._connection, authority_file)
            with self._connection.talking():
                if not self._connection.server.has_extension("XTEST"):
                    raise DesktopUnavailable(
                        f'The X server "{display}" lacks the XTEST extension, so no input can be sent to it. '
                        "Start it without `-tst`."
                    )
                self._keyboard = Keyboard(self._connection, own_keyboard=own_keyboard)
                told_apart = devices.present(self._connection)
                self._connection.sync()  # what was asked last has no answer that would tell of its loss
            self._person = X11Person(display, authority_file) if told_apart else None
            opened.pop_all()

    @property
    def name(self) -> str:
        """The name it was given: ``x11``, or that of the desktop built on it."""
        return self._name

    @property
    def windows(self) -> X11Windows:
        """The windows as the window manager has them, or, where none answers now, as the server does."""
        return self._windows if self._windows.present() else self._unmanaged

    @property
    def clipboard(self) -> X11Clipboard:
        """The clipboard of the display."""
        return self._clipboard

    @property
    def accessibility(self) -> Accessibility | None:
        """What programs tell assistive technology, if the desktop was given a bus for it."""
        return self._accessibility

    @property
    def person(self) -> Person | None:
        """The people at the display, where the server tells whose input is whose; it listens when asked to."""
        return self._person

    def displays(self) -> tuple[Display, ...]:
        """The monitors as they are now, primary first."""
        with self._connection.talking():
            return self._screens.displays()

    def capture(self, area: Area | None = None) -> Frame:
        """The picture of the area, clipped to the desktop. Raises ``ValueError`` if all of it is outside."""
        for _ in range(_LAYOUTS):
            with self._connection.talking():
                answer = self._screens.ask()
                layout = self._layout  # most likely still so: then one round trip gives both
                shown = layout.whole if area is None else screens.clipped(area, layout.whole)
                pixels = self._camera.grab(shown) if shown.width and shown.height else None
                self._layout = answer()
            if self._layout != layout:
                continue
            if pixels is not None:
                return Frame(pixels=pixels, area=shown, monitors=layout.areas)
            if not (shown.width and shown.height):
                raise ValueError(
                    f'The area "{tuple(area or ())}" lies outside the desktop, which is "{tuple(layout.whole)}" '
                    "(left, top, width, height)."
                )
        raise DesktopUnavailable(
            f'The screen "{self._display}" gave no picture, {_LAYOUTS} times. If it still runs, run this again.'
        )

    def surroundings(self) -> Surroundings:
        """The desktop's area and the windows, by which the places that programs tell of controls are put right."""
        windows = self._windows.all()
        with self._connection.talking():
            return Surroundings(
                inside=self._screens.layout().whole,
                windows=(*windows, *with_shadows(self._connection, windows)),
            )

    def pointer(self) -> tuple[int, int]:
        """Where the pointer is."""
        with self._connection.talking():
            return self._pointer.position()

    def move(self, x: int, y: int) -> None:
        """Put the pointer there, or at the nearest point of the desktop."""
        with self._connection.talking():
            self._pointer.move(x, y, self._screens.layout().root)

    def button(self, button: Button, *, down: bool) -> None:
        """Press or release a mouse button where the pointer is."""
        with self._connection.talking():
            self._pointer.button(button, down=down)
            self._clicked = True

    def scroll(self, right: int, down: int) -> None:
        """Turn the wheel by notches; negative is left and up."""
        with self._connection.talking():
            self._pointer.scroll(right, down)

    def key(self, name: str, *, down: bool) -> None:
        """Press or release one key. Raises ``CannotType`` for a name this keyboard lacks."""
        with self._connection.talking():
            if self._clicked:
                self._let_focus_follow()
            self._keyboard.key(name, down=down)

    def type_text(self, text: str) -> None:
        """Type the text into whatever has the keyboard; newline is Return.

        Raises ``CannotType``, before anything is sent, for a character that no key can give.
        """
        with self._connection.talking():
            self._let_focus_follow()
            self._keyboard.type_text(text)

    def paste_text(self, text: str) -> None:
        """Paste the text into whatever has the keyboard. Raises ``CannotType`` when it did not fetch it."""
        with self._connection.talking():
            self._let_focus_follow()
        paste(text, self._connection, self._keyboard, self._clipboard)

    def held(self) -> frozenset[str]:
        """Keys and buttons that this desktop was told to press and not yet to release."""
        return self._keyboard.held() | self._pointer.held()

    def release_all(self) -> None:
        """Release every key and button that this desktop pressed; a person's stay as they are."""
        with self._connection.talking():
            self._pointer.release()
            self._keyboard.release()

    def launch(self, argv: Sequence[str], *, environment: Mapping[str, str] | None = None) -> int:
        """Start a program on this desktop and return its process id. Raises ``FileNotFoundError``."""
        if not argv:
            raise ValueError('No program was named. Give at least its name, such as ["xterm"].')
        self.pointer()  # a program without a screen would fail where nobody sees it
        inherited = self._launch_environment(environment or {})
        return self._programs.start(command_for(argv, inherited), inherited)

    def ended(self, pid: int) -> Ended | None:
        """How a program that ``launch`` started has ended; None while it runs."""
        return self._programs.ended(pid)

    def activity(self, window: Window | None) -> Activity:
        """``busy`` while a thread of the window's program, or of one that it started, wants the processor."""
        if window is None or window.pid is None:
            return "idle"
        return "idle" if at_rest(family(window.pid)) else "busy"

    def stop_when(self, check: Callable[[], None]) -> None:
        """Call ``check`` while a verb waits for a program; it may raise, and what the verb had pressed is released."""
        self._connection.check = check

    def safe_point(self) -> None:
        """Where other waits than those for the X server may be broken off."""
        self._connection.safe_point()

    def close(self) -> None:
        """Release everything pressed, give back the keys that were taken, and let go of the screen."""
        if self._closed:
            return
        self._closed = True
        self._connection.check = None
        heir = self._launch_environment({}) if self._name == "x11" else None
        with ExitStack() as parts:  # each is let go of whatever happens to the others, the connection last
            parts.callback(self._connection.close)
            parts.callback(self._camera.close)
            parts.callback(self._programs.close)
            if self._person is not None:
                parts.callback(self._person.stop)
            parts.callback(self._clipboard.close, heir)
            # a server that went first took everything that was pressed with it
            with suppress(DesktopUnavailable), self._connection.talking():
                self._pointer.release()
                self._keyboard.close()

    def _let_focus_follow(self) -> None:
        """Keys sent after a click must not reach the window that had the keyboard before it."""
        self._windows.caught_up(_MANAGER_SECONDS)
        self._clicked = False

    def _launch_environment(self, environment: Mapping[str, str]) -> dict[str, str]:
        return launch.environment_for(
            self._display, self._environment, environment, accessible=self._accessibility is not None
        )
