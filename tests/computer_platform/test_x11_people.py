"""What people do with their own mouse and keyboard on an X display, told apart from what programs send."""

from __future__ import annotations

import socket
import struct
import subprocess
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from person_device import PersonDevice
from Xlib.ext import xinput
from Xlib.protocol import rq
from xvfb import connected, server, until

from computer_platform.desktop import CannotType, DesktopUnavailable, PersonEvent
from computer_platform.x11 import X11Desktop
from computer_platform.x11.people import X11Person

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from Xlib.display import Display

pytestmark = pytest.mark.desktop


@pytest.fixture(scope="module")
def screen() -> Iterator[str]:
    with server() as (name, _):
        yield name


@pytest.fixture
def desktop(screen: str, open_desktop: Callable[..., X11Desktop]) -> X11Desktop:
    return open_desktop(screen)


@pytest.fixture
def person(screen: str) -> Iterator[PersonDevice]:
    device = PersonDevice(screen)
    yield device
    device.close()


@pytest.fixture
def heard(desktop: X11Desktop) -> list[PersonEvent]:
    """What the desktop hears of its person."""
    events: list[PersonEvent] = []
    assert desktop.person is not None
    desktop.person.listen(events.append)
    return events


def names(heard: list[PersonEvent], kind: str) -> list[tuple[str, bool]]:
    return [(event.name, event.down) for event in heard if event.kind == kind]


def test_what_we_send_is_not_heard_and_what_a_person_does_is(
    desktop: X11Desktop, person: PersonDevice, heard: list[PersonEvent]
) -> None:
    for down in (True, False):
        desktop.key("Escape", down=down)
        desktop.button("left", down=down)
    desktop.move(700, 20)
    desktop.scroll(0, 3)
    desktop.type_text("Ada \u03a9")
    person.button(1, down=True)
    person.button(1, down=False)
    assert until(lambda: len(heard) >= 2)
    assert names(heard, "button") == [("left", True), ("left", False)]
    assert {event.kind for event in heard} == {"button"}
    assert heard[0].at == (700, 20)


def test_keys_that_write_nothing_have_names_and_what_a_person_types_has_none(
    person: PersonDevice, heard: list[PersonEvent]
) -> None:
    for name in ("Escape", "F5", "Shift_L", "Home", "a", "7", "space", "Return", "KP_7"):
        person.key(name, down=True)
        person.key(name, down=False)
    assert until(lambda: len(heard) >= 18)
    assert [name for name, down in names(heard, "key") if down] == [
        "Escape",
        "F5",
        "Shift_L",
        "Home",
        *[""] * 5,
    ]


def test_a_key_is_heard_at_once(person: PersonDevice, heard: list[PersonEvent]) -> None:
    began = time.monotonic()
    person.key("Escape", down=True)
    assert until(lambda: heard), "not only when the key is let go"
    assert began <= heard[0].seconds <= time.monotonic()
    person.key("Escape", down=False)


def test_a_motion_says_how_far_the_person_moved_the_pointer_and_not_how_far_we_did(
    desktop: X11Desktop, person: PersonDevice, heard: list[PersonEvent]
) -> None:
    person.move(100, 100)
    assert until(lambda: heard)
    heard.clear()
    person.move(150, 90)
    assert until(lambda: heard)
    assert (heard[0].at, heard[0].by) == ((150, 90), (50, -10))
    heard.clear()
    desktop.move(1200, 700)
    person.move(1201, 700)
    assert until(lambda: heard)
    assert abs(heard[0].by[0]) < 10, "our own jump is no part of it"
    assert heard[-1].at == (1201, 700)


def test_a_fast_mouse_is_heard_of_a_few_times_and_as_far_as_it_went(
    person: PersonDevice, heard: list[PersonEvent]
) -> None:
    person.move(0, 400)
    assert until(lambda: heard)
    heard.clear()
    for x in range(1, 801):
        person.move(x, 400)
    assert until(lambda: heard and heard[-1].at == (800, 400))
    assert sum(event.by[0] for event in heard) == 800
    assert len(heard) < 200


def test_how_fast_a_hand_was_does_not_depend_on_when_it_is_heard_of(
    desktop: X11Desktop, person: PersonDevice
) -> None:
    heard: list[PersonEvent] = []
    go_on = threading.Event()

    def slowly(event: PersonEvent) -> None:
        heard.append(event)
        go_on.wait(10)

    assert desktop.person is not None
    person.move(600, 400)
    desktop.person.listen(slowly)
    began = time.monotonic()
    person.move(500, 300)
    assert until(lambda: heard)
    person.move(0, 0)
    person.button(1, down=True)
    person.button(1, down=False)
    took = time.monotonic() - began
    assert until(lambda: time.monotonic() > began + 2 * took + 0.1)
    go_on.set()
    assert until(lambda: len(heard) == 4)
    assert [event.kind for event in heard] == ["motion", "motion", "button", "button"]
    assert 0 <= heard[1].seconds - heard[0].seconds <= took + 0.001
    assert heard[0].seconds <= heard[2].seconds <= heard[3].seconds <= time.monotonic()


def test_a_menu_that_has_grabbed_the_keyboard_and_the_mouse_keeps_nothing_from_us(
    screen: str, person: PersonDevice, heard: list[PersonEvent]
) -> None:
    from Xlib import X

    with connected(screen) as menu:
        root = menu.screen().root
        assert root.grab_keyboard(1, X.GrabModeAsync, X.GrabModeAsync, X.CurrentTime) == X.GrabSuccess
        assert root.grab_pointer(1, 0, X.GrabModeAsync, X.GrabModeAsync, 0, 0, X.CurrentTime) == X.GrabSuccess
        menu.sync()
        person.key("Escape", down=True)
        person.key("Escape", down=False)
        assert until(lambda: names(heard, "key") == [("Escape", True), ("Escape", False)])


def test_after_stop_nothing_is_heard_and_listening_can_begin_again(
    desktop: X11Desktop, person: PersonDevice, heard: list[PersonEvent]
) -> None:
    listener = desktop.person
    assert listener is not None
    listener.stop()
    listener.stop()
    person.key("F5", down=True)
    again: list[PersonEvent] = []
    listener.listen(again.append)
    person.key("F5", down=False)
    assert until(lambda: again)
    assert heard == []
    assert names(again, "key") == [("F5", False)]


def test_whoever_hears_something_may_stop_listening(desktop: X11Desktop, person: PersonDevice) -> None:
    listener = desktop.person
    assert listener is not None
    events: list[PersonEvent] = []

    def once(event: PersonEvent) -> None:
        events.append(event)
        listener.stop()

    listener.listen(once)
    person.key("F5", down=True)
    assert until(lambda: events)
    person.key("F5", down=False)
    assert len(events) == 1


def plug_in_a_second_pointer(screen: Display) -> int:
    """Add a pair of master devices, with XTEST devices of its own; the number of its XTEST pointer."""

    class AddMaster(rq.Request):
        _request = rq.Struct(
            rq.Card8("opcode"),
            rq.Opcode(43),
            rq.RequestLength(),
            rq.Card8("changes", 1),
            rq.Pad(3),
            rq.Card16("kind", 1),
            rq.Card16("length", 4),  # in words
            rq.LengthOf("name", 2),
            rq.Bool("sends_core", 1),
            rq.Bool("enabled", 1),
            rq.String8("name"),
        )

    opcode = screen.display.get_extension_major("XInputExtension")
    AddMaster(display=screen.display, opcode=opcode, name="second")
    screen.sync()
    found = screen.xinput_query_device(xinput.AllDevices).devices
    return next(int(device.deviceid) for device in found if device.name == "second XTEST pointer")


def test_devices_that_are_plugged_in_later_are_told_apart_too(screen: str) -> None:
    with server() as (name, _), connected(name) as observer:
        people, device = X11Person(name, None), PersonDevice(name)
        heard: list[PersonEvent] = []
        people.listen(heard.append)
        try:
            own, device._connection._mouse = device._connection._mouse, plug_in_a_second_pointer(observer)
            device.button(1, down=True)
            device.button(1, down=False)
            device._connection._mouse = own
            device.button(3, down=True)
            device.button(3, down=False)
            assert until(lambda: len(heard) == 2)
            assert names(heard, "button") == [("right", True), ("right", False)]
        finally:
            device.close()
            people.stop()


def listening() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "oi listens to people"]


def test_a_closed_desktop_and_a_lost_server_end_the_thread_without_a_word(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with server() as (name, process):
        desktop, lost = X11Desktop(name), X11Person(name, None)
        for person in (desktop.person, lost):
            assert person is not None
            person.listen(lambda _event: None)
        assert len(listening()) == 2
        desktop.close()
        assert len(listening()) == 1
        process.kill()
        process.wait()
        assert until(lambda: not listening())
        lost.stop()
    assert capfd.readouterr() == ("", "")


def test_no_display_is_said(screen: str) -> None:
    with pytest.raises(DesktopUnavailable, match=":7654"):
        X11Person(":7654", None).listen(lambda _event: None)


def test_a_key_that_a_keyboard_lacks_is_named(person: PersonDevice) -> None:
    with pytest.raises(CannotType, match='"no such key"'):
        person.key("no such key", down=True)


# A person who looks on from elsewhere: a real VNC server, and a viewer of a few lines.


class Viewer:
    """Speaks just enough RFB 3.8 to use a mouse and a keyboard."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._socket.settimeout(20)
        self._read(12)
        self._socket.sendall(b"RFB 003.008\n")
        self._read(self._read(1)[0])
        self._socket.sendall(b"\x01")  # no password
        assert self._read(4) == bytes(4)
        self._socket.sendall(b"\x01")  # others may look on
        self._read(20)
        self._read(struct.unpack(">I", self._read(4))[0])

    def pointer(self, x: int, y: int, mask: int = 0) -> None:
        self._socket.sendall(struct.pack(">BBHH", 5, mask, x, y))

    def key(self, keysym: int, *, down: bool) -> None:
        self._socket.sendall(struct.pack(">BBxxI", 4, down, keysym))

    def close(self) -> None:
        self._socket.close()

    def _read(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            piece = self._socket.recv(count - len(data))
            assert piece, "the VNC server hung up"
            data += piece
        return data


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def vnc_server() -> Iterator[tuple[str, int]]:
    """A VNC server with an X server in it: the display, and the port."""
    import os
    import select

    reading, writing = os.pipe()
    port = free_port()
    command = ["Xtigervnc", "-displayfd", str(writing), "-geometry", "800x600", "-depth", "24", "-localhost"]
    command += ["-SecurityTypes", "None", "-rfbport", str(port), "-nolisten", "tcp"]
    with os.fdopen(reading, "rb") as told:
        process = subprocess.Popen(
            command, pass_fds=[writing], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(writing)
        try:
            ready, _, _ = select.select([told], [], [], 20)
            number = told.readline().strip() if ready else b""
            assert number, "Xtigervnc did not start"
            yield f":{number.decode()}", port
        finally:
            process.terminate()
            process.wait(10)


def test_the_viewer_of_a_vnc_server_is_a_person(open_desktop: Callable[..., X11Desktop]) -> None:
    from shutil import which

    if which("Xtigervnc") is None:
        pytest.skip("needs tigervnc-standalone-server")
    with vnc_server() as (name, port):
        desktop = open_desktop(name)
        heard: list[PersonEvent] = []
        assert desktop.person is not None
        desktop.person.listen(heard.append)
        viewer = Viewer(port)
        try:
            desktop.key("Escape", down=True)
            desktop.key("Escape", down=False)
            viewer.pointer(300, 200)
            viewer.pointer(300, 200, mask=8)  # the wheel, up
            viewer.pointer(300, 200)
            viewer.key(0xFF1B, down=True)
            viewer.key(0xFF1B, down=False)
            assert until(lambda: len(names(heard, "key")) == 2)
        finally:
            viewer.close()
        assert names(heard, "key") == [("Escape", True), ("Escape", False)]
        assert names(heard, "wheel") == [("up", True)]
        assert (300, 200) in [event.at for event in heard if event.kind == "motion"]
        desktop.close()
