"""What an agent that is killed, or crashes, leaves on a person's screen: nothing."""

from __future__ import annotations

import os
import random
import re
import signal
import socket
import struct
import subprocess
import sys
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from processes import alive, below
from Xlib import X
from xvfb import connected, server, until

from computer_platform.x11 import X11Desktop

if TYPE_CHECKING:
    from collections.abc import Iterator

    from Xlib.display import Display

pytestmark = pytest.mark.desktop

PATIENCE = 15.0  # on a busy machine; usually 0.15 s
CAPS_LOCK = 0xFFE5
NOTE = "_OI_KEYBOARD_"
KILLS, NO_LINE = 10, -1

VICTIM = """
import ctypes, os, signal, sys
from computer_platform.x11 import X11Desktop
SCREEN = os.environ["SCREEN"]
desktop = X11Desktop(SCREEN)
key, button, move, write = desktop.key, desktop.button, desktop.move, desktop.type_text
{doing}
print("ready", flush=True)
{then}
"""

# Does a piece of work again and again, each time in a fork that ends at the given line of what drives the screen,
# and the first time in one that counts them.
ENDS_AT_A_LINE = """
import os, signal, sys
from computer_platform.x11 import X11Desktop
OURS = ("connection.py", "keyboard.py", "notes.py", "pointer.py", "scratch.py", "uninterrupted.py", "xtest.py")

def work():
    desktop.key("Shift_L", down=True)
    desktop.button("left", down=True)
    desktop.move(50, 60)
    desktop.button("left", down=False)
    desktop.key("Shift_L", down=False)
    desktop.type_text("aB!\\u00e9\\u03a9\\u4f60\\U0001f642")
    desktop.key("Control_L", down=True)
    desktop.key("Greek_psi", down=True)
    desktop.type_text("Zz\\u0434")
    desktop.key("Greek_psi", down=False)
    desktop.key("Control_L", down=False)

def trace(frame, event, _):
    global left
    if not frame.f_code.co_filename.endswith(OURS):
        return None
    if event == "line":
        left -= 1
        if left == 0:
            {end}
    return trace

for asked in sys.stdin:
    left = int(asked)
    child = os.fork()
    if child == 0:
        desktop = X11Desktop(os.environ["SCREEN"])
        desktop.button("right", down=True)
        desktop.button("right", down=False)
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            sys.settrace(trace)
            work()
        except KeyboardInterrupt:
            sys.settrace(None)
            desktop.close()
            os._exit(0)
        sys.settrace(None)
        if asked == "-1\\n":
            print(-left - 1, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    print("dead", flush=True)
"""


class State(NamedTuple):
    """What must be as before: keys and buttons down and Caps Lock, the map, and notes about taken keys."""

    down: frozenset[int]
    mask: int
    rows: list[tuple[int, ...]]
    modifiers: list[list[int]]
    notes: list[str]


def state_of(observer: Display) -> State:
    bits = observer.query_keymap()
    root = observer.screen().root
    names = [str(observer.get_atom_name(atom)) for atom in root.list_properties()]
    return State(
        down=frozenset(code for code in range(256) if bits[code // 8] >> code % 8 & 1),
        mask=int(root.query_pointer().mask),
        rows=[tuple(row) for row in observer.get_keyboard_mapping(8, 248)],
        modifiers=[list(codes) for codes in observer.get_modifier_mapping()],
        notes=[name for name in names if name.startswith(NOTE)],
    )


def assert_becomes(observer: Display, wanted: State, why: str = "") -> None:
    until(lambda: state_of(observer) == wanted, PATIENCE)
    assert state_of(observer) == wanted, why


@pytest.fixture(scope="module")
def screen() -> Iterator[str]:
    with server() as (name, _):
        yield name


@pytest.fixture
def observer(screen: str) -> Iterator[Display]:
    """Somebody who looks, or types; what is down before is nothing."""
    with connected(screen) as connection:
        before = state_of(connection)
        assert (before.down, before.mask, before.notes) == (frozenset(), 0, [])
        yield connection
        assert until(lambda: state_of(connection) == before, PATIENCE)


@contextmanager
def victim(
    screen: str, doing: str, then: str = "signal.pause()", **environment: str
) -> Iterator[subprocess.Popen[str]]:
    """A process that has done that on the screen, and waits or does something else; killed at the latest at the end."""
    process = subprocess.Popen(
        [sys.executable, "-c", VICTIM.format(doing=doing, then=then)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "SCREEN": screen} | environment,
    )
    with process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def watcher_of(pid: int) -> int:
    (watcher,) = below(pid)
    return watcher


def tap(server: Display, keysym: int) -> None:
    code = server.keysym_to_keycode(keysym)
    server.xtest_fake_input(X.KeyPress, code)
    server.xtest_fake_input(X.KeyRelease, code)
    server.sync()


DOINGS = {
    "a drag with shift": 'key("Shift_L", down=True); button("left", down=True); move(70, 80)',
    "a held key": 'key("h", down=True)',
    "remapped characters": 'write("\\u00e9\\u03a9\\u4f60\\U0001f642")',
    "all at once": (
        'button("right", down=True); write("\\u4f60"); key("Shift_R", down=True); key("Greek_psi", down=True)'
    ),
}


@pytest.mark.parametrize("doing", DOINGS)
def test_after_a_kill_the_screen_is_as_before(observer: Display, screen: str, doing: str) -> None:
    before = state_of(observer)
    with victim(screen, DOINGS[doing]) as agent:
        during = state_of(observer)
        assert during[:3] != before[:3], "otherwise nothing would have to be put right"
        agent.kill()
        assert_becomes(observer, before)


DEATHS = {
    "a segmentation fault": "ctypes.string_at(0)",
    "ended by the system": "os.kill(os.getpid(), signal.SIGTERM)",
    "gone without a word": "os._exit(1)",
    "the end without closing": "",
    "killed with its group": "os.killpg(0, signal.SIGKILL)",
}


@pytest.mark.parametrize("death", DEATHS)
def test_however_it_dies_the_screen_is_as_before(observer: Display, screen: str, death: str) -> None:
    before = state_of(observer)
    own_group = "os.setsid(); " + DOINGS["all at once"]
    with victim(screen, own_group, then="sys.stdin.read()\n" + DEATHS[death]) as agent:
        assert state_of(observer)[:3] != before[:3]
        assert agent.stdin is not None
        agent.stdin.close()
        assert_becomes(observer, before)


def die(process: subprocess.Popen[str], *, at: int) -> str:
    assert process.stdin is not None
    process.stdin.write(f"{at}\n")
    process.stdin.flush()
    return answer(process)


def answer(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


ENDS = {
    "killed": "os.kill(os.getpid(), signal.SIGKILL)",
    "interrupted": "signal.raise_signal(signal.SIGINT)",
    "interrupted by somebody who insists": "signal.raise_signal(signal.SIGINT); signal.raise_signal(signal.SIGTERM)",
}


@pytest.mark.parametrize(("end", "caps_lock"), [*((end, True) for end in ENDS), ("killed", False)])
def test_ended_at_any_line_it_leaves_nothing(
    observer: Display, screen: str, end: str, *, caps_lock: bool
) -> None:
    if caps_lock:
        tap(observer, CAPS_LOCK)
    before = state_of(observer)
    process = subprocess.Popen(
        [sys.executable, "-c", ENDS_AT_A_LINE.format(end=ENDS[end])],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "SCREEN": screen},
    )
    with process:
        lines = int(die(process, at=NO_LINE))
        assert answer(process) == "dead"
        assert_becomes(observer, before)
        assert lines > 1000
        for part in range(KILLS):
            line = 1 + random.randrange(part * lines // KILLS, (part + 1) * lines // KILLS)  # noqa: S311 - any will do
            assert die(process, at=line) == "dead"
            assert_becomes(observer, before, f"{end} at line {line} of {lines}")
    if caps_lock:
        tap(observer, CAPS_LOCK)


def test_others_on_the_screen_keep_what_they_hold(observer: Display, screen: str) -> None:
    before = state_of(observer)
    persons, lifted = (observer.keysym_to_keycode(ord("k")), observer.keysym_to_keycode(0xFFE3))
    doing = 'key("z", down=True); write("\\u4f60"); key("x", down=True); button("left", down=True)'
    with victim(screen, 'key("Greek_psi", down=True); key("m", down=True)') as other:
        others = state_of(observer)
        assert others.down
        assert others.rows != before.rows
        for code in (persons, lifted):
            observer.xtest_fake_input(X.KeyPress, code)
        observer.xtest_fake_input(X.ButtonPress, 3)
        observer.sync()
        with victim(screen, doing) as agent:
            assert state_of(observer).down > others.down | {persons, lifted}
            agent.kill()
            assert until(lambda: len(state_of(observer).notes) == len(others.notes), PATIENCE)
        after = state_of(observer)
        assert after.down == others.down | {persons, lifted}
        assert after.mask == X.Button3Mask | X.ControlMask
        assert after.rows == others.rows
        observer.xtest_fake_input(X.ButtonRelease, 3)
        for code in (persons, lifted):
            observer.xtest_fake_input(X.KeyRelease, code)
        observer.sync()
        other.kill()
        assert_becomes(observer, before)


def test_a_key_that_somebody_bound_anew_is_left_alone(observer: Display, screen: str) -> None:
    before = state_of(observer)
    with victim(screen, 'write("\\u4f60\\u597d")') as agent:
        changed = [
            code for code, row in enumerate(state_of(observer).rows, 8) if row != before.rows[code - 8]
        ]
        observer.change_keyboard_mapping(changed[0], [(0x1004E00,) * 2])
        observer.sync()
        agent.kill()
        assert until(lambda: not state_of(observer).notes, PATIENCE)
    rows = state_of(observer).rows
    assert [code for code, row in enumerate(rows, 8) if row != before.rows[code - 8]] == changed[:1]
    assert rows[changed[0] - 8][0] == 0x1004E00
    observer.change_keyboard_mapping(changed[0], [before.rows[changed[0] - 8]])
    observer.sync()


def test_a_screen_that_asks_for_a_cookie_is_put_right_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, cookie = tmp_path / "authority", os.urandom(16)
    parts = (socket.gethostname().encode(), b"", b"MIT-MAGIC-COOKIE-1", cookie)
    entry = b"".join(struct.pack(">H", len(part)) + part for part in parts)
    file.write_bytes(struct.pack(">H", 256) + entry)
    reopened = f'desktop.close(); desktop = X11Desktop(SCREEN, environment={{"XAUTHORITY": {str(file)!r}}})'
    with server(authority=file) as (name, _):
        monkeypatch.setenv("XAUTHORITY", str(file))
        with connected(name) as observer:
            before = state_of(observer)
            doing = f'os.environ.pop("XAUTHORITY"); {reopened}; desktop.key("h", down=True)'
            with victim(name, doing) as agent:
                assert state_of(observer).down
                agent.kill()
                assert_becomes(observer, before)


def test_looking_starts_no_process_and_the_first_press_starts_one_that_ends_with_the_desktop(
    screen: str,
) -> None:
    ours = os.getpid()
    kept = below(ours).keys()
    with closing(X11Desktop(screen)) as desktop:
        desktop.capture()
        desktop.move(3, 4)
        assert below(ours).keys() == kept
        desktop.button("left", down=True)
        (watcher,) = below(ours).keys() - kept
        desktop.button("left", down=False)
        desktop.type_text("\u4f60")
        assert below(ours).keys() - kept == {watcher}
    assert below(ours).keys() == kept


def test_a_desktop_that_ends_with_us_is_not_watched(screen: str) -> None:
    ours = os.getpid()
    kept = below(ours).keys()
    with closing(X11Desktop(screen, own_keyboard=True)) as desktop:
        desktop.type_text("a\u4f60")
        assert below(ours).keys() == kept


def test_the_watcher_keeps_nothing_of_ours_open_and_hears_no_signal_meant_for_us(
    observer: Display, screen: str
) -> None:
    before = state_of(observer)
    with victim(screen, DOINGS["all at once"]) as agent:
        watcher = watcher_of(agent.pid)
        assert until(lambda: ignores(watcher, signal.SIGINT, signal.SIGTERM, signal.SIGHUP), PATIENCE)
        links = {str(link.readlink()) for link in Path(f"/proc/{watcher}/fd").iterdir()}
        assert {re.sub(r":.*| .*", "", link) for link in links} <= {
            "pipe", os.devnull, "anon_inode", "/memfd"
        }  # fmt: skip
        assert len([link for link in links if link.startswith("pipe")]) == 1
        assert Path(f"/proc/{watcher}/cwd").readlink() == Path("/")
        assert os.getsid(watcher) == watcher
        agent.kill()
        assert_becomes(observer, before)
        assert until(lambda: not alive(watcher), PATIENCE)


def ignores(pid: int, *numbers: int) -> bool:
    status = Path(f"/proc/{pid}/status").read_text()
    ignored = int(status.partition("SigIgn:")[2].split()[0], 16)
    return all(ignored >> number - 1 & 1 for number in numbers)


def test_a_watcher_that_was_killed_is_replaced_and_the_new_one_knows_all(
    observer: Display, screen: str
) -> None:
    before = state_of(observer)
    then = 'sys.stdin.readline(); key("h", down=True); print("again", flush=True); signal.pause()'
    with victim(screen, DOINGS["all at once"], then=then) as agent:
        assert agent.stdin is not None
        assert agent.stdout is not None
        first = watcher_of(agent.pid)
        os.kill(first, signal.SIGKILL)
        assert until(lambda: not alive(first))
        agent.stdin.write("go on\n")
        agent.stdin.flush()
        assert agent.stdout.readline() == "again\n"
        assert watcher_of(agent.pid) != first
        agent.kill()
        assert_becomes(observer, before)


def test_the_watcher_does_not_outlive_the_screen_and_the_agent() -> None:
    with server() as (name, process), victim(name, DOINGS["all at once"]) as agent:
        watcher = watcher_of(agent.pid)
        process.kill()
        process.wait()
        agent.kill()
        assert until(lambda: not alive(watcher), PATIENCE)


def insist() -> None:
    signal.raise_signal(signal.SIGTERM)
    signal.raise_signal(signal.SIGTERM)


class Terminated(BaseException):
    """What the handler of a signal raises."""


def test_closing_a_connection_that_was_torn_leaves_nothing_either(observer: Display, screen: str) -> None:
    before = state_of(observer)

    def terminate(*_: object) -> None:
        raise Terminated

    handled = signal.signal(signal.SIGTERM, terminate)
    try:
        desktop = X11Desktop(screen)
        desktop.type_text("\u4f60")
        desktop.key("Shift_L", down=True)
        desktop.button("left", down=True)
        desktop._connection._uninterrupted._patience = 0.0  # pressed again at once is insisting here
        with pytest.raises(Terminated), desktop._connection.talking():
            insist()
        assert state_of(observer)[:3] != before[:3]
        desktop.close()
    finally:
        signal.signal(signal.SIGTERM, handled)
    assert state_of(observer) == before
