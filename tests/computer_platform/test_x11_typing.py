"""Typed text arrives as it was meant: in three toolkits, under several layouts, whatever is held."""

from __future__ import annotations

import os
import random
import signal
import socket
import struct
import subprocess
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
import typing_sinks
from processes import below, killed_after
from Xlib import X, display
from xvfb import until, window_manager, x_server

from computer_platform.desktop import CannotType
from computer_platform.x11 import X11Desktop, locks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    Opener = Callable[[X11Desktop, Path], AbstractContextManager[typing_sinks.Sink]]

pytestmark = pytest.mark.desktop

ASCII = "".join(map(chr, range(0x20, 0x7F)))
FOREIGN = "éèàùçñöäüßæøåÉÜÑ¿¡ΩαβγδςσΆώЖжщЯфыйцукенёЁіїєґ№你好世界東京한글日本語あア😀🙂🚀€→—“”…‰ŁłŐőŞşאבبتกข"
CLUSTERS = "👩\u200d👩\u200d👧\u200d👦 ❤\ufe0f 👍🏽 🇩🇪 1\ufe0f\u20e3 e\u0301n\u0303 ạ\u0308 \u00a0 क्षि"
LAYOUTS = {"dvorak": ("us", "-variant", "dvorak"), "dead": ("us", "-variant", "intl")}
SINKS = {"xterm": typing_sinks.xterm, "tk": typing_sinks.tk, "mousepad": typing_sinks.mousepad}


def mixed(seed: int, length: int) -> str:
    choose = random.Random(seed)  # noqa: S311 - any text will do
    characters = [choose.choice(FOREIGN if choose.random() < 0.3 else ASCII) for _ in range(length)]
    return "".join(characters).strip() + "."


@pytest.fixture
def screen() -> Iterator[str]:
    with x_server() as name:
        yield name


def layout(screen: str, *options: str) -> None:
    subprocess.run(["setxkbmap", "-display", screen, *options], check=True)


@contextmanager
def locked(screen: str, modifiers: int) -> Iterator[None]:
    """As sticky keys do, and lock keys."""
    locks.lock(screen, None, modifiers, on=True)
    yield
    locks.lock(screen, None, modifiers, on=False)


@pytest.fixture
def desktop(screen: str) -> Iterator[X11Desktop]:
    opened = X11Desktop(screen)
    yield opened
    opened.close()


@pytest.fixture(params=list(SINKS))
def sink(request: pytest.FixtureRequest) -> Opener:
    opener: Opener = SINKS[request.param]
    return opener


@pytest.mark.parametrize("own_keyboard", [False, True])
def test_ascii_accents_and_other_scripts_arrive_exactly(
    screen: str, sink: Opener, tmp_path: Path, open_desktop: Callable[..., X11Desktop], *, own_keyboard: bool
) -> None:
    desktop = open_desktop(screen, own_keyboard=own_keyboard)
    with sink(desktop, tmp_path) as field:
        wanted = ASCII + "\nÀ propos de Жук, 你好 🙂\n" + mixed(1, 160) + "\n"
        desktop.type_text(wanted)
        for seed in range(4):  # many small texts: keys are bound again and again
            text = mixed(seed, 30)
            desktop.type_text(text)
            wanted += text
        assert field.received(wanted) == wanted
    desktop.close()


@pytest.mark.parametrize("name", ["de", "fr", "ru", "dvorak"])
def test_text_does_not_depend_on_the_layout(
    screen: str, sink: Opener, tmp_path: Path, name: str, open_desktop: Callable[..., X11Desktop]
) -> None:
    layout(screen, *LAYOUTS.get(name, (name,)))
    desktop = open_desktop(screen)
    with sink(desktop, tmp_path) as field:
        wanted = ASCII + "é ß m , @ € { ^ ` ~ < > | Привет, ёлка № 5 " + mixed(2, 40)
        desktop.type_text(wanted)
        assert field.received(wanted) == wanted
    desktop.close()


def test_what_is_one_sign_of_many_code_points_arrives_point_for_point(
    desktop: X11Desktop, sink: Opener, tmp_path: Path
) -> None:
    with sink(desktop, tmp_path) as field:
        desktop.type_text(CLUSTERS)
        assert field.received(CLUSTERS) == CLUSTERS


@pytest.mark.parametrize(
    ("name", "text"),
    [("dead", "'\"`^~ 'a \"u `e ~n ^o é ü ñ"), ("de", "@€{[]}\\~|µ"), ("fr", "^¨`~ ^e ¨u @#{[|\\]}¤")],
)
def test_dead_keys_make_no_accents_and_altgr_alone_is_enough(
    screen: str, open_desktop: Callable[..., X11Desktop], tmp_path: Path, name: str, text: str
) -> None:
    layout(screen, *LAYOUTS.get(name, (name,)))
    desktop = open_desktop(screen)
    with typing_sinks.tk(desktop, tmp_path) as field:
        desktop.type_text(text)
        assert field.received(text) == text


@pytest.mark.parametrize(
    ("layouts", "group"),
    [("us,de", 0), ("us,de", 1), ("us,us,de", 2), ("us,ru,de,fr", 2), ("us,ru,de,fr", 3)],
)
def test_each_of_several_layouts_is_typed_on(
    screen: str,
    tmp_path: Path,
    layouts: str,
    group: int,
    observe: Callable[[str], display.Display],
    open_desktop: Callable[..., X11Desktop],
) -> None:
    layout(screen, layouts, "-option", "grp:caps_toggle")
    desktop, server = open_desktop(screen), observe(screen)
    wanted = "zZyY aqwm; 1!/:-_ @€{[]}\\~|µ é Ж 好"
    with typing_sinks.xterm(desktop, tmp_path) as terminal:
        for _ in range(group):
            desktop.key("ISO_Next_Group", down=True)
            desktop.key("ISO_Next_Group", down=False)
        desktop.type_text(wanted)
        assert terminal.received(wanted) == wanted
    # the last with GTK, too, which starts slowly
    with (typing_sinks.mousepad if group == 3 else typing_sinks.tk)(desktop, tmp_path) as editor:
        desktop.type_text(wanted)
        assert server.screen().root.query_pointer().mask >> 13 & 3 == group
        for _ in range((layouts.count(",") + 1 - group) % (layouts.count(",") + 1)):
            desktop.key("ISO_Next_Group", down=True)
            desktop.key("ISO_Next_Group", down=False)
        assert editor.received(wanted) == wanted


SLOW_TK = typing_sinks.TK_TEXT.replace(
    "window.mainloop()",
    # each a question to the server, for whose answer the program rests
    "field.bind('<Key>', lambda event: [window.winfo_pointerxy() for _ in range(300)] and None)\n"
    "window.title('Slow sink')\nwindow.mainloop()",
)


def test_no_key_is_bound_anew_before_a_slow_program_has_read_it(desktop: X11Desktop, tmp_path: Path) -> None:
    kept, program = tmp_path / "slow.txt", tmp_path / "slow.py"
    program.write_text(SLOW_TK)
    desktop.launch(["/usr/bin/python3", str(program), str(kept)])
    field = typing_sinks.ready(desktop, "Slow sink", kept)
    wanted = FOREIGN[:45]  # of which a person's keyboard has room for a third at a time
    desktop.type_text(wanted)
    assert field.received(wanted) == wanted


def test_what_another_window_has_not_read_yet_keeps_its_meaning(desktop: X11Desktop, tmp_path: Path) -> None:
    first, second = FOREIGN[:12], FOREIGN[12:36]
    with typing_sinks.tk(desktop, tmp_path) as one, typing_sinks.xterm(desktop, tmp_path) as other:
        windows = desktop.windows
        assert windows is not None
        titled = {window.title: window for window in windows.all()}
        windows.activate(titled[one.title])
        pid = titled[one.title].pid
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)
        going_on = threading.Timer(0.7, os.kill, (pid, signal.SIGCONT))
        going_on.start()
        desktop.type_text(first)
        windows.activate(titled[other.title])
        desktop.type_text(second)
        going_on.join()
        assert other.received(second) == second
        assert one.received(first) == first


def test_a_program_that_takes_no_keys_is_said_to_hang(desktop: X11Desktop, tmp_path: Path) -> None:
    with typing_sinks.xterm(desktop, tmp_path):
        windows = desktop.windows
        assert windows is not None
        (window,) = windows.all()
        assert window.pid is not None
        os.kill(window.pid, signal.SIGSTOP)
        try:
            with pytest.raises(CannotType, match="may hang"):
                desktop.type_text(FOREIGN[:40])
        finally:
            os.kill(window.pid, signal.SIGCONT)


def test_a_layout_that_changes_in_between_is_noticed(
    screen: str, desktop: X11Desktop, tmp_path: Path
) -> None:
    with typing_sinks.xterm(desktop, tmp_path) as field:
        wanted = ""
        for name in ("de", "fr", "us"):
            desktop.type_text("aqwzmy;€@é好")
            wanted += "aqwzmy;€@é好"
            # what a program has not looked up yet would be looked up in the new layout
            assert field.received(wanted) == wanted
            layout(screen, name)


def test_the_second_of_two_layouts_in_use_is_typed_on(
    screen: str, desktop: X11Desktop, tmp_path: Path, observe: Callable[[str], display.Display]
) -> None:
    layout(screen, "us,ru", "-option", "grp:caps_toggle")
    with typing_sinks.xterm(desktop, tmp_path) as field:
        desktop.type_text("one один ")
        desktop.key("ISO_Next_Group", down=True)
        desktop.key("ISO_Next_Group", down=False)
        server = observe(screen)
        assert server.screen().root.query_pointer().mask >> 13 & 3 == 1
        desktop.type_text("two два")
        assert field.received("one один two два") == "one один two два"


def test_caps_lock_does_not_change_the_text_and_stays_on(
    screen: str, desktop: X11Desktop, tmp_path: Path, observe: Callable[[str], display.Display]
) -> None:
    server = observe(screen)
    with typing_sinks.tk(desktop, tmp_path) as field:
        desktop.key("Caps_Lock", down=True)
        desktop.key("Caps_Lock", down=False)
        assert server.screen().root.query_pointer().mask & X.LockMask
        desktop.type_text("Hello World 123 é ж")
        assert field.received("Hello World 123 é ж") == "Hello World 123 é ж"
    assert server.screen().root.query_pointer().mask & X.LockMask


@pytest.mark.parametrize("options", [("-option", "caps:escape"), ("-option", "shift:both_capslock_cancel")])
def test_caps_lock_needs_no_key_of_that_name(
    screen: str,
    options: tuple[str, ...],
    tmp_path: Path,
    observe: Callable[[str], display.Display],
    open_desktop: Callable[..., X11Desktop],
) -> None:
    layout(screen, "us", *options)
    server, desktop = observe(screen), open_desktop(screen)
    with locked(screen, X.LockMask | X.Mod2Mask), typing_sinks.xterm(desktop, tmp_path) as field:
        desktop.type_text("Hello World 123 é ж")
        assert field.received("Hello World 123 é ж") == "Hello World 123 é ж"
        assert server.screen().root.query_pointer().mask & 0xFF == X.LockMask | X.Mod2Mask


def test_a_locked_shift_changes_nothing_and_a_locked_control_is_told(
    screen: str, desktop: X11Desktop, tmp_path: Path
) -> None:
    with typing_sinks.tk(desktop, tmp_path) as field:
        with locked(screen, X.ShiftMask):
            desktop.type_text("abc 1 é ж;")
        with locked(screen, X.ControlMask), pytest.raises(CannotType, match='holds "Control"'):
            desktop.type_text("lost")
        desktop.type_text("!")
        assert field.received("abc 1 é ж;!") == "abc 1 é ж;!"


def test_a_letter_that_is_held_can_be_typed(desktop: X11Desktop, tmp_path: Path) -> None:
    with typing_sinks.xterm(desktop, tmp_path) as field:
        desktop.key("F7", down=True)
        desktop.key("a", down=True)
        desktop.type_text("banana")
        assert until(lambda: field.text().removeprefix("\x1b[18~").lstrip("a") == "banana"), field.text()
        assert {"a", "F7"} == desktop.held()
        desktop.release_all()


@contextmanager
def viewer(port: int) -> Iterator[Callable[[int, bool], None]]:
    """Somebody who watches a VNC server: presses keys on a keyboard that is not ours."""
    with socket.create_connection(("127.0.0.1", port), 10) as talk, talk.makefile("rb") as heard:
        heard.read(12)  # which protocol; then the kinds of security, of which the first is none
        talk.sendall(b"RFB 003.008\n")
        heard.read(heard.read(1)[0])
        talk.sendall(b"\x01")
        heard.read(4)
        talk.sendall(b"\x01")
        heard.read(int.from_bytes(heard.read(24)[20:]))
        yield lambda keysym, down: talk.sendall(struct.pack(">BBHI", 4, down, 0, keysym))


@contextmanager
def watched_screen() -> Iterator[tuple[str, int]]:
    """A screen with a VNC server: its name, and the port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    reading, writing = os.pipe()
    command = [
        "Xtigervnc",
        "-displayfd",
        str(writing),
        "-SecurityTypes",
        "None",
        "-localhost",
        "-rfbport",
        str(port),
    ]
    with killed_after(subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL)) as server:
        os.close(writing)
        with os.fdopen(reading, "rb") as told:
            name = f":{told.readline().strip().decode()}"
        try:
            with window_manager(name):
                yield name, port
        finally:  # one that is killed leaves its socket and its lock
            server.terminate()
            server.wait(10)


def test_what_a_person_holds_on_a_keyboard_of_their_own_is_theirs_again_and_comes_up_with_their_finger(
    tmp_path: Path, observe: Callable[[str], display.Display], open_desktop: Callable[..., X11Desktop]
) -> None:
    with watched_screen() as (screen, port), viewer(port) as press:
        desktop, server = open_desktop(screen), observe(screen)

        def state() -> int:
            return int(server.screen().root.query_pointer().mask) & 0xFF

        with typing_sinks.tk(desktop, tmp_path) as field:
            wanted = ""
            for keysym, mask in ((0xFFE1, X.ShiftMask), (0xFFE3, X.ControlMask)):
                press(keysym, True)  # noqa: FBT003
                assert until(lambda mask=mask: state() == mask)
                desktop.type_text("abc; é Ж ")
                wanted += "abc; é Ж "
                assert field.received(wanted) == wanted
                assert state() == mask
                press(keysym, False)  # noqa: FBT003
                assert until(lambda: state() == 0)
        desktop.close()


def test_nothing_is_typed_for_an_empty_text_and_into_no_window(
    screen: str, desktop: X11Desktop, tmp_path: Path, observe: Callable[[str], display.Display]
) -> None:
    desktop.type_text("")
    desktop.type_text("nobody hears é Ж")
    with typing_sinks.xterm(desktop, tmp_path) as field:
        desktop.type_text("")
        desktop.type_text("heard é Ж")
        assert field.received("heard é Ж") == "heard é Ж"
    assert not any(observe(screen).query_keymap())


def test_a_modifier_that_somebody_holds_does_not_change_the_text_and_is_down_again(
    screen: str, desktop: X11Desktop, tmp_path: Path, observe: Callable[[str], display.Display]
) -> None:
    person = observe(screen)
    shift = person.keysym_to_keycode(0xFFE1)
    with typing_sinks.tk(desktop, tmp_path) as field:
        person.xtest_fake_input(X.KeyPress, shift)
        person.sync()
        desktop.key("Control_L", down=True)
        desktop.type_text("abc 1 é")
        assert field.received("abc 1 é") == "abc 1 é"
        mask = person.screen().root.query_pointer().mask
        assert mask & X.ShiftMask
        assert mask & X.ControlMask
        assert desktop.held() == {"Control_L"}
        person.xtest_fake_input(X.KeyRelease, shift)
        person.sync()


def test_a_key_brings_the_modifier_that_its_level_needs(desktop: X11Desktop, tmp_path: Path) -> None:
    with typing_sinks.xterm(desktop, tmp_path) as field:
        for name in ("A", "plus", "a", "eacute", "Cyrillic_zhe", "U4F60", "Return", "Tab"):
            desktop.key(name, down=True)
            desktop.key(name, down=False)
        assert field.received("A+aéж你\n\t") == "A+aéж你\n\t"


def test_keys_after_a_click_go_to_the_window_that_was_clicked(desktop: X11Desktop, tmp_path: Path) -> None:
    with typing_sinks.xterm(desktop, tmp_path) as first, typing_sinks.tk(desktop, tmp_path) as second:
        windows = desktop.windows
        assert windows is not None
        titled = {window.title: window for window in windows.all()}
        windows.move(titled[first.title], titled[first.title].area._replace(left=20, top=30))
        windows.move(titled[second.title], titled[second.title].area._replace(left=640, top=30))
        for turn in range(10):
            for sink in (first, second):
                area = titled[sink.title].area
                desktop.move((20 if sink is first else 640) + area.width // 2, 30 + area.height // 2)
                desktop.button("left", down=True)
                desktop.button("left", down=False)
                desktop.type_text(f"{sink.title[0]}{turn}é")
        for sink in (first, second):
            wanted = "".join(f"{sink.title[0]}{turn}é" for turn in range(10))
            assert sink.received(wanted) == wanted


def test_a_text_with_an_impossible_character_types_nothing(desktop: X11Desktop, tmp_path: Path) -> None:
    with typing_sinks.xterm(desktop, tmp_path) as field:
        with pytest.raises(CannotType, match=r"'\\x07'"):
            desktop.type_text("lost \a")
        desktop.type_text("kept")
        assert field.received("kept") == "kept"


def test_closing_releases_what_is_down_and_gives_the_keys_back(
    screen: str, open_desktop: Callable[..., X11Desktop], observe: Callable[[str], display.Display]
) -> None:
    observer = observe(screen)
    before = observer.get_keyboard_mapping(8, 248)
    for own_keyboard in (False, True):
        desktop = open_desktop(screen, own_keyboard=own_keyboard)
        desktop.type_text(mixed(3, 200))
        assert observer.get_keyboard_mapping(8, 248) != before
        desktop.key("Shift_L", down=True)
        desktop.key("é", down=True)
        desktop.button("left", down=True)
        desktop.close()
        assert not any(observer.query_keymap())
        assert not observer.screen().root.query_pointer().mask
        assert observer.get_keyboard_mapping(8, 248) == before
        assert not [name for name in _root_properties(observer) if "OI_KEYBOARD" in name]


def test_modifiers_are_as_before_after_the_whole_block_was_bound(
    screen: str, open_desktop: Callable[..., X11Desktop], observe: Callable[[str], display.Display]
) -> None:
    observer = observe(screen)
    modifiers = [list(codes) for codes in observer.get_modifier_mapping()]
    codes = {code for row in modifiers for code in row if code}
    rows = {code: observer.get_keyboard_mapping(code, 1) for code in codes}
    desktop = open_desktop(screen, own_keyboard=True)
    desktop.type_text(FOREIGN)
    assert [list(codes) for codes in observer.get_modifier_mapping()] == modifiers
    assert {code: observer.get_keyboard_mapping(code, 1) for code in codes} == rows
    desktop.close()


def test_the_keys_of_a_typer_that_was_killed_are_taken_back(
    screen: str,
    tmp_path: Path,
    open_desktop: Callable[..., X11Desktop],
    observe: Callable[[str], display.Display],
) -> None:
    observer = observe(screen)
    before = observer.get_keyboard_mapping(8, 248)
    program = tmp_path / "typer.py"
    program.write_text(
        "import sys, signal\n"
        "from computer_platform.x11 import X11Desktop\n"
        "desktop = X11Desktop(sys.argv[1])\n"
        f"desktop.type_text({FOREIGN!r})\n"
        "desktop.key('h', down=True)\n"
        "print('ready', flush=True)\n"
        "signal.pause()\n"
    )
    command = [sys.executable, str(program), screen]
    path = os.pathsep.join(sys.path)
    environment = os.environ | {"PYTHONPATH": path}
    with killed_after(subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)) as typer:
        assert typer.stdout is not None
        assert typer.stdout.readline() == b"ready\n"
        alive = open_desktop(screen)
        assert any(observer.query_keymap()), "what a living process holds is left alone"
        alive.close()
        for watcher in below(typer.pid):
            os.kill(watcher, signal.SIGKILL)  # as if the machine had ended both
        typer.send_signal(signal.SIGKILL)
    taken = observer.get_keyboard_mapping(8, 248)
    assert taken != before
    assert any(observer.query_keymap())
    desktop = open_desktop(screen)
    assert not any(observer.query_keymap())
    with typing_sinks.tk(desktop, tmp_path) as field:
        desktop.type_text("é Ω 你好 🙂")
        assert field.received("é Ω 你好 🙂") == "é Ω 你好 🙂"
    desktop.close()
    assert until(lambda: observer.get_keyboard_mapping(8, 248) == before)
    assert not [name for name in _root_properties(observer) if "OI_KEYBOARD" in name]


def _root_properties(server: display.Display) -> list[str]:
    return [server.get_atom_name(atom) for atom in server.screen().root.list_properties()]
