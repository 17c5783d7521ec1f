"""A desktop of the agent's own, on which nobody else works: its X server, window manager and buses.

Everything on it is a descendant of one guardian process (``guardian.py``), which ends it all when
``close`` is called and also when this process is killed. What it needs lives in one folder that
only this user can enter, and ``running`` finds it there for whoever wants to watch.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from computer_platform.atspi import AtspiAccessibility
from computer_platform.desktop import DesktopUnavailable, Ended
from computer_platform.desktop_entries import command_for
from computer_platform.inherited import without_secrets
from computer_platform.private_server import PLAIN, WATCHABLE, servers, vnc_socket
from computer_platform.x11 import X11Desktop
from computer_platform.x11.launch import last_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from computer_platform.desktop import Desktop

assert sys.platform == "linux"  # noqa: S101 - tells the type checker; connect() answers people elsewhere

START_SECONDS = 10.0  # for each part, on a busy machine; usually 0.1
_LONGEST_HOME = 66  # bytes: a socket's path has 107, of which those in a desktop's folder need 41
NEEDED = {PLAIN: "xvfb", "openbox": "openbox", "dbus-daemon": "dbus"}  # program -> Debian package

BACKGROUND = 0x4A5A6A  # a plain one: a picture would be searched for text and change nothing

# Ways to the person's own desktop, and hints about its screen, keyboard and session, false on this one.
PERSONAL = frozenset(
    {
        "DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "XAUTHORITY", "XDG_RUNTIME_DIR", "SESSION_MANAGER",
        "DESKTOP_STARTUP_ID", "XDG_ACTIVATION_TOKEN", "XDG_SESSION_ID", "XDG_SESSION_TYPE",
        "XDG_CURRENT_DESKTOP", "DESKTOP_SESSION", "WINDOWID", "SWAYSOCK", "I3SOCK",
        "GTK_A11Y",
        "GTK_IM_MODULE", "QT_IM_MODULE", "QT_IM_MODULES", "XMODIFIERS", "GDK_SCALE", "GDK_DPI_SCALE",
        "QT_SCALE_FACTOR",
        "QT_AUTO_SCREEN_SCALE_FACTOR", "QT_SCREEN_SCALE_FACTORS", "QT_FONT_DPI",
    }
)  # fmt: skip
PERSONAL_PREFIXES = ("DBUS_", "AT_SPI", "IBUS_")

# Programs describe their controls, and draw with X11.
PROGRAM_ENVIRONMENT = {
    "XDG_SESSION_TYPE": "x11",
    "GDK_BACKEND": "x11",
    "QT_QPA_PLATFORM": "xcb",
    "GTK_MODULES": "gail:atk-bridge",
    "NO_AT_BRIDGE": "0",
    "GNOME_ACCESSIBILITY": "1",
    "QT_ACCESSIBILITY": "1",
    "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
    "GVFS_DISABLE_FUSE": "1",  # a mount in the runtime folder would stand in the way of its removal
}

# New windows get the keyboard and a free place; no menus, so a click on the background does nothing.
OPENBOX_CONFIG = """<?xml version="1.0" encoding="UTF-8"?>
<openbox_config xmlns="http://openbox.org/3.4/rc">
  <focus><focusNew>yes</focusNew><followMouse>no</followMouse><focusLast>yes</focusLast></focus>
  <placement><policy>Smart</policy><center>yes</center></placement>
  <theme><name>Clearlooks</name><titleLayout>NLIMC</titleLayout><animateIconify>no</animateIconify></theme>
  <desktops><number>1</number><popupTime>0</popupTime></desktops>
  <resize><drawContents>yes</drawContents><popupShow>Never</popupShow></resize>
  <keyboard>
    <keybind key="A-F4"><action name="Close"/></keybind>
    <keybind key="A-Tab"><action name="NextWindow"><dialog>none</dialog>
      <finalactions><action name="Focus"/><action name="Raise"/></finalactions></action></keybind>
  </keyboard>
  <mouse>
    <dragThreshold>4</dragThreshold><doubleClickTime>400</doubleClickTime>
    <context name="Client">
      <mousebind button="Left" action="Press"><action name="Focus"/><action name="Raise"/></mousebind>
      <mousebind button="Middle" action="Press"><action name="Focus"/><action name="Raise"/></mousebind>
      <mousebind button="Right" action="Press"><action name="Focus"/><action name="Raise"/></mousebind>
    </context>
    <context name="Titlebar">
      <mousebind button="Left" action="Press"><action name="Focus"/><action name="Raise"/></mousebind>
      <mousebind button="Left" action="Drag"><action name="Move"/></mousebind>
      <mousebind button="Left" action="DoubleClick"><action name="ToggleMaximize"/></mousebind>
    </context>
    <context name="Top Bottom Left Right TLCorner TRCorner BLCorner BRCorner">
      <mousebind button="Left" action="Press"><action name="Focus"/><action name="Raise"/></mousebind>
      <mousebind button="Left" action="Drag"><action name="Resize"/></mousebind>
    </context>
    <context name="Close">
      <mousebind button="Left" action="Click"><action name="Close"/></mousebind>
    </context>
    <context name="Iconify">
      <mousebind button="Left" action="Click"><action name="Iconify"/></mousebind>
    </context>
    <context name="Maximize">
      <mousebind button="Left" action="Click"><action name="ToggleMaximize"/></mousebind>
    </context>
  </mouse>
</openbox_config>
"""

# A blinking caret or a sliding menu is a change on the screen that no action made.
GTK_SETTINGS = "[Settings]\ngtk-enable-animations=0\ngtk-cursor-blink=0\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A private desktop that runs now: what another process needs to look at it.

    ``pid`` and ``started`` are the process that owns it and that process's start, in clock ticks
    since boot: together they are not used twice. ``opened`` is the time of day, in Unix seconds.
    """

    display: str
    xauthority: str
    size: tuple[int, int]
    pid: int
    started: int
    opened: float
    folder: str

    @property
    def vnc(self) -> str | None:
        """The socket at which it takes VNC connections from this user; None where it takes none."""
        return vnc_socket(self.folder)


class PrivateDesktop(X11Desktop):
    """An X11 desktop whose programs are started by its guardian and end with it."""

    def __init__(self, guardian: Guardian, running: Running, environment: Mapping[str, str]) -> None:
        """``environment`` is what its programs get: how to reach this display and its buses."""
        self._guardian = guardian
        self.running = running
        self._controls = AtspiAccessibility(environment["DBUS_SESSION_BUS_ADDRESS"])
        with contextlib.ExitStack() as opened:
            opened.callback(self._controls.close)
            spoken = self._controls.available()
            super().__init__(
                running.display,
                name="private",
                environment=environment,
                own_keyboard=True,
                accessibility=self._controls if spoken else None,
            )
            opened.callback(super().close)
            self._controls.surroundings = self.surroundings
            self._controls.check = self.safe_point
            with self._connection.talking():
                self._connection.root.change_attributes(background_pixel=BACKGROUND)
                self._connection.root.clear_area()
            opened.pop_all()

    def launch(self, argv: Sequence[str], *, environment: Mapping[str, str] | None = None) -> int:
        """Start a program on this desktop; it ends when the desktop does. Raises ``FileNotFoundError``."""
        if not argv:
            raise ValueError('No program was named. Give at least its name, such as ["xterm"].')
        self.pointer()  # a program without a screen would fail where nobody sees it
        inherited = {**self._environment, **(environment or {})}
        return self._guardian.start(command_for(argv, inherited), inherited, kept=True)

    def ended(self, pid: int) -> Ended | None:
        """How a program that ``launch`` started has ended; None while it runs."""
        return self._guardian.ended(pid)

    def close(self) -> None:
        """End every program here and remove all traces of the desktop."""
        with contextlib.ExitStack() as parts:
            parts.callback(self._guardian.close)
            parts.callback(self._controls.close)
            super().close()


class Guardian:
    """This process's end of the guardian: asks it to start programs, and hangs up to end them."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        """Start it; from now on the folder goes when this process does."""
        script = Path(__file__).with_name("guardian.py")
        self._requests, theirs = socket.socketpair()
        with contextlib.ExitStack() as opened, theirs:
            opened.enter_context(self._requests)
            self._requests.settimeout(START_SECONDS)
            self._replies = opened.enter_context(self._requests.makefile("rb"))
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(script), str(os.getpid()), str(folder)],
                env=dict(environment),
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C in the terminal is for the agent
            )
            opened.pop_all()
        self.pid = self._process.pid

    def start(self, argv: Sequence[str], environment: Mapping[str, str], **service: object) -> int:
        """Start a program and return its process id. Raises ``FileNotFoundError``, ``DesktopUnavailable``."""
        reply = self._answer({"argv": list(argv), "environment": dict(environment), **service})
        if reply.get("missing"):
            raise FileNotFoundError(
                f'There is no program "{argv[0]}" here. Install it, or give its full path.'
            )
        if "error" in reply:
            raise OSError(reply["errno"], reply["error"], argv[0])
        return int(reply["pid"])

    def ended(self, pid: int) -> Ended | None:
        """How a program that was ``kept`` track of has ended; None while it runs. Raises ``DesktopUnavailable``."""
        reply = self._answer({"ended": pid})
        if "code" not in reply:
            return None
        return Ended(code=int(reply["code"]), said=last_line(str(reply["complaints"]).encode()))

    def _answer(self, request: Mapping[str, object]) -> dict[str, Any]:
        try:
            self._requests.sendall(json.dumps(request).encode() + b"\n")
            answer = self._replies.readline()
        except (OSError, ValueError):
            answer = b""
        if not answer:
            raise DesktopUnavailable("The private desktop has ended; nothing can be started on it.")
        reply: dict[str, Any] = json.loads(answer)
        return reply

    def close(self) -> None:
        """Hang up and wait until everything has ended."""
        with contextlib.suppress(OSError):
            self._requests.shutdown(socket.SHUT_RDWR)
        self._replies.close()
        self._requests.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()  # its children are set to die with it
            self._process.wait()


def open_private(size: tuple[int, int], environment: Mapping[str, str]) -> PrivateDesktop:
    """Start a desktop of that size in pixels, with a window manager and buses of its own.

    Raises ``DesktopUnavailable`` naming what to install, or with the X server's own complaint.
    """
    programs = _programs(environment.get("PATH", os.defpath))
    home = _home(environment, create=True)
    folder = Path(tempfile.mkdtemp(prefix="desktop-", dir=home))
    with contextlib.ExitStack() as opened:
        opened.callback(shutil.rmtree, folder, ignore_errors=True)  # the guardian does it, once there is one
        guardian = Guardian(folder, environment)
        opened.callback(guardian.close)
        running, own = _start(programs, folder, guardian, size, environment)
        desktop = PrivateDesktop(guardian, running, own)
        opened.callback(desktop.close)
        _register(running, guardian.pid)
        opened.pop_all()
    return desktop


def _start(
    programs: Mapping[str, str],
    folder: Path,
    guardian: Guardian,
    size: tuple[int, int],
    environment: Mapping[str, str],
) -> tuple[Running, dict[str, str]]:
    """Start its parts; tells where it is, and what its programs get."""
    own = program_environment(environment, folder)
    _furnish(folder, _data_home(environment))
    display = _start_server(programs, folder, guardian, size, own)
    own["DISPLAY"] = display
    with Signal(folder / "bus.ready") as bus_ready, Signal(folder / "openbox.ready") as manager_ready:
        bus = guardian.start(
            [programs["dbus-daemon"], "--session", "--nofork", "--nopidfile", "--print-address=READY",
             f"--address={own['DBUS_SESSION_BUS_ADDRESS']}"],
            own, service=True, ready=str(bus_ready.path), log=str(folder / "dbus-daemon.log"),
        )  # fmt: skip
        manager = guardian.start(
            [programs["openbox"], "--sm-disable", "--config-file", str(folder / "openbox.xml"),
             "--startup", "sh -c 'echo ready >\"$READY\"'"],
            {**own, "READY": str(manager_ready.path)}, service=True, log=str(folder / "openbox.log"),
        )  # fmt: skip
        bus_ready.wait("dbus-daemon", bus)
        manager_ready.wait("openbox", manager)
    running = Running(
        display=display,
        xauthority=own["XAUTHORITY"],
        size=size,
        pid=os.getpid(),
        started=_started(os.getpid()) or 0,
        opened=time.time(),
        folder=str(folder),
    )
    return running, own


def _programs(path: str) -> dict[str, str]:
    """Where each needed program is."""
    found = {name: shutil.which(name, path=path) for name in (WATCHABLE, *NEEDED)}
    missing = [name for name in NEEDED if found[name] is None and not (name == PLAIN and found[WATCHABLE])]
    if missing:
        named = " and ".join(f'"{name}"' for name in missing)
        packages = " ".join(NEEDED[name] for name in missing)
        raise DesktopUnavailable(
            f"A private desktop needs {named}, not found on PATH. "
            f"On Debian or Ubuntu: sudo apt install {packages}"
        )
    return {name: where for name, where in found.items() if where is not None}


def program_environment(environment: Mapping[str, str], folder: Path) -> dict[str, str]:
    """The person's environment without secrets and the ways to their own desktop, with those to this one.

    Programs keep their state in the desktop's folder, since what one desktop left half-done - an editor's
    autosaved text - would greet the next with a question. Settings stay the person's.
    """
    kept = {
        name: value
        for name, value in without_secrets(environment).items()
        if name not in PERSONAL and not name.startswith(PERSONAL_PREFIXES)
    }
    settings = environment.get("XDG_CONFIG_DIRS") or "/etc/xdg"
    shared = environment.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    return {
        **kept,
        **PROGRAM_ENVIRONMENT,
        "XAUTHORITY": str(folder / "Xauthority"),
        "XDG_RUNTIME_DIR": str(folder / "run"),
        "XDG_CONFIG_DIRS": f"{folder / 'settings'}:{settings}",
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_STATE_HOME": str(folder / "state"),
        "XDG_DATA_DIRS": f"{_data_home(environment)}:{shared}",  # the person's own icons, themes, applications
        "DBUS_SESSION_BUS_ADDRESS": f"unix:path={folder / 'run' / 'bus'}",
    }


def _data_home(environment: Mapping[str, str]) -> Path:
    """Where the person's programs keep their data."""
    home = environment.get("HOME") or Path.home()
    return Path(environment.get("XDG_DATA_HOME") or Path(home, ".local", "share"))


def _furnish(folder: Path, data_home: Path) -> None:
    """Write the files that the parts of the desktop read."""
    (folder / "run").mkdir(mode=0o700)
    for own in ("data", "state"):
        (folder / own).mkdir(mode=0o700)
    (folder / "data" / "Trash").symlink_to(
        data_home / "Trash"
    )  # what is thrown away must outlive the desktop
    (folder / "openbox.xml").write_text(OPENBOX_CONFIG)
    for toolkit in ("gtk-3.0", "gtk-4.0"):
        (folder / "settings" / toolkit).mkdir(parents=True)
        (folder / "settings" / toolkit / "settings.ini").write_text(GTK_SETTINGS)
    (folder / "Xauthority").touch(mode=0o600)
    (folder / "Xauthority").write_bytes(_authority(os.urandom(16)))


def _authority(cookie: bytes) -> bytes:
    """An Xauthority file that opens any display of this machine with the cookie.

    Each entry is a 16-bit family and four counted strings, big-endian: address, display number
    (empty fits all), scheme, secret. Xlib finds it under the wildcard family, which holds when the
    host name changes; python-xlib knows only the local family with the host name.
    """
    family_local, family_wild = 256, 65535
    entries = b""
    for family, address in ((family_local, os.uname().nodename.encode()), (family_wild, b"")):
        entries += struct.pack(">H", family)
        for text in (address, b"", b"MIT-MAGIC-COOKIE-1", cookie):
            entries += struct.pack(">H", len(text)) + text
    return entries


def _start_server(
    programs: Mapping[str, str],
    folder: Path,
    guardian: Guardian,
    size: tuple[int, int],
    environment: Mapping[str, str],
) -> str:
    """Start the X server on a free number, reachable by whoever holds the cookie; one that fails has a substitute."""
    failed: DesktopUnavailable | None = None
    for name, command in servers(programs, folder, size, environment["XAUTHORITY"]):
        try:
            with Signal(folder / f"{name}.ready") as number:
                log = str(folder / f"{name}.log")
                server = guardian.start(command, environment, service=True, ready=str(number.path), log=log)
                return ":" + number.wait(name, server)
        except DesktopUnavailable as error:
            failed = error
    raise failed or DesktopUnavailable("There is no X server to start.")


class Signal:
    """A line that a starting program writes to a named pipe when it is ready."""

    def __init__(self, path: Path) -> None:
        """Made before the program starts, so that it finds a reader."""
        self.path = path
        os.mkfifo(path, 0o600)
        self._reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._reader)

    def wait(self, program: str, pid: int) -> str:
        """The line. Raises ``DesktopUnavailable`` when the program ends without it, or dawdles."""
        deadline = time.monotonic() + START_SECONDS
        waiting = select.poll()
        waiting.register(self._reader, select.POLLIN)
        read = b""
        while not read.endswith(b"\n"):
            piece = os.read(self._reader, 4096) if waiting.poll(50) else None
            if piece:
                read += piece
            elif piece == b"" or _started(pid) is None:
                raise DesktopUnavailable(f'"{program}" ended while starting. {self._complaint(program)}')
            elif time.monotonic() > deadline:
                late = f'"{program}" was not ready within {START_SECONDS:.0f} s.'
                raise DesktopUnavailable(f"{late} {self._complaint(program)}")
        return read.decode().strip()

    def _complaint(self, program: str) -> str:
        said = self.path.with_name(f"{program}.log").read_text(errors="replace").split()
        return f"It said: {' '.join(said)[-400:]}" if said else "It said nothing."


def running(environment: Mapping[str, str]) -> tuple[Running, ...]:
    """The private desktops of this user that run now, oldest first; remains of dead ones are removed."""
    found = []
    for folder in _home(environment, create=False).glob("desktop-*"):
        stored = _stored(folder)
        if stored is None or _started(stored["guardian"]) != stored["guardian_started"]:
            _remove_remains(folder, starting=stored is None)
        elif _started(stored["pid"]) == stored["started"]:
            found.append(
                Running(
                    display=stored["display"],
                    xauthority=str(folder / "Xauthority"),
                    size=tuple(stored["size"]),
                    pid=stored["pid"],
                    started=stored["started"],
                    opened=stored["opened"],
                    folder=str(folder),
                )
            )
    return tuple(sorted(found, key=lambda one: one.opened))


def attach(running: Running, *, in_person: bool = False) -> Desktop:
    """A second connection to a running private desktop, for looking at it; closing it ends nothing there.

    ``in_person`` says that what is done by it is a person's work, and is to be told apart from the agent's.
    """
    own = {"DISPLAY": running.display, "XAUTHORITY": running.xauthority}
    return X11Desktop(running.display, name="private", environment=own, in_person=in_person)


def _register(running: Running, guardian: int) -> None:
    """Write down that the desktop runs, whole or not at all."""
    record = {
        "display": running.display,
        "size": running.size,
        "pid": running.pid,
        "started": running.started,
        "guardian": guardian,
        "guardian_started": _started(guardian),
        "opened": running.opened,
    }
    unfinished = Path(running.folder) / "desktop.json.part"
    unfinished.write_text(json.dumps(record))
    unfinished.replace(unfinished.with_suffix(""))


def _stored(folder: Path) -> dict[str, Any] | None:
    try:
        return dict(json.loads((folder / "desktop.json").read_text()))
    except (OSError, ValueError):
        return None


def _remove_remains(folder: Path, *, starting: bool) -> None:
    """Remove a folder whose guardian was killed; one without a record may be a desktop that starts now."""
    with contextlib.suppress(FileNotFoundError):
        if not starting or time.time() - folder.stat().st_mtime > 6 * START_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)


def _home(environment: Mapping[str, str], *, create: bool) -> Path:
    """The folder of this user's private desktops, that nobody else can enter."""
    home = next(place for place in _homes(environment) if len(os.fsencode(place)) <= _LONGEST_HOME)
    if create:
        home.mkdir(mode=0o700, exist_ok=True)
    elif not home.exists():
        return home
    found = home.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise DesktopUnavailable(
            f'"{home}" must be a folder that only you can enter, and is not. '
            "Move it away, or chmod 700 it if it is yours."
        )
    return home


def _homes(environment: Mapping[str, str]) -> Iterator[Path]:
    """Where it may be, the best place first, a short one last."""
    runtime = environment.get("XDG_RUNTIME_DIR", "")
    if runtime and Path(runtime).is_dir() and Path(runtime).stat().st_uid == os.getuid():
        yield Path(runtime) / "oi"
    for temporary in (environment.get("TMPDIR") or "/tmp", "/tmp"):  # noqa: S108 - checked by who asks
        yield Path(temporary) / f"oi-{os.getuid()}"


def _started(pid: int) -> int | None:
    """When the process started, in clock ticks since boot; None if it has ended."""
    try:
        state, *fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if state == "Z" else int(fields[18])
