"""Pasting into real programs: the text as they have it afterwards, and the clipboard as it was before."""

from __future__ import annotations

import os
import random
import signal
import threading
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING

import pytest
from typing_sinks import PROGRAMS, activate, tk
from typing_sinks.sink import running
from web_page import CHROMIUM_FLAGS
from x11_copying import Copied, copied, owner_of
from Xlib import XK, X
from xvfb import connected, server, until, x_server

from computer_platform.desktop import CannotType, Clip

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from typing_sinks import Sink
    from x11_copying import Forms
    from Xlib.display import Display

    from computer_platform.x11 import X11Desktop

pytestmark = pytest.mark.desktop

CHARACTERS = "abcdefghij KLMNOP 0123456789 <>|@€{}[]~^`'\" äöüßéñÅ Ωжшλ 你好日本語 🙂👍🏽 “„—\t\n"


def mixed(length: int) -> str:
    choose = random.Random(20)  # noqa: S311 - any text will do
    return "x" + "".join(choose.choice(CHARACTERS) for _ in range(length - 2)) + "y"


def picture() -> bytes:
    from PIL import Image

    buffer = BytesIO()
    Image.radial_gradient("L").save(buffer, "PNG")
    return buffer.getvalue()


PNG = picture()
BEFORE = Clip(text="what was there, ж", html="<b>what</b> was there, ж", png=PNG)


@pytest.fixture(scope="module")
def managed() -> Iterator[str]:
    with x_server() as name:
        yield name


@pytest.fixture
def desktop(managed: str, open_desktop: Callable[..., X11Desktop]) -> X11Desktop:
    return open_desktop(managed, name="ours", own_keyboard=True)


@pytest.mark.parametrize("name", ["xterm", "vte", "tk", "gtk3", "qt", "chromium", "libreoffice"])
def test_a_long_text_arrives_whole_and_the_clipboard_is_as_before(
    managed: str, desktop: X11Desktop, tmp_path: Path, name: str
) -> None:
    program, text = PROGRAMS[name], mixed(5000)
    if missing := program.missing():
        pytest.skip(missing)
    with program.opened(desktop, tmp_path) as sink:
        desktop.clipboard.write(BEFORE)
        desktop.clipboard.write("highlighted", "primary")
        # LibreOffice is deaf to Ctrl+V while it saves, which it did to show that it is up.
        assert until(lambda: pasted(desktop, text), 30)
        assert sink.received(text, 20) == text
        assert desktop.clipboard.contents() == BEFORE
        assert desktop.clipboard.read("primary") == "highlighted"
        _and_again_with_the_picture_of_another_program(managed, desktop, sink, text)


def _and_again_with_the_picture_of_another_program(
    display: str, desktop: X11Desktop, sink: Sink, before: str
) -> None:
    with copied(display, Copied(forms={"image/png": ("image/png", PNG)})) as copy:
        assert until(lambda: pasted(desktop, "Größe 好"), 30)
        if desktop.clipboard.contents() != Clip(png=PNG):
            pytest.fail("the picture was not put back")
        assert copy.lost.is_set() or sink.title == "xterm sink"  # which pastes from the other selection
    assert sink.received(before + "Größe 好", 20) == before + "Größe 好"


def pasted(desktop: X11Desktop, text: str) -> bool:
    try:
        desktop.paste_text(text)
    except CannotType:
        return False
    return True


def test_html_that_is_copied_in_chromium_is_read_and_is_back_after_a_loan(
    managed: str, desktop: X11Desktop, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        "<!doctype html><meta charset=utf-8><title>HTML source</title><p>Größe <b>fett 好</b></p>"
    )
    flags = [
        f"--{flag}"
        for flag in (*CHROMIUM_FLAGS, f"user-data-dir={tmp_path}/chromium", f"app={page.as_uri()}")
    ]
    with running(desktop, ["chromium", *flags]):
        activate(desktop, "HTML source")
        desktop.clipboard.write(Clip())
        assert until(lambda: _copied_all(desktop).text == "Größe fett 好", 30)
        seen = desktop.clipboard.contents()
        assert seen.html is not None
        assert "<b" in seen.html
        assert "fett 好</b>" in seen.html
        with desktop.clipboard.lent("lent"):
            assert desktop.clipboard.contents() == Clip(text="lent")
        assert desktop.clipboard.contents() == seen


def _copied_all(desktop: X11Desktop) -> Clip:
    for name in ("a", "c"):
        desktop.key("Control_L", down=True)
        desktop.key(name, down=True)
        desktop.key(name, down=False)
        desktop.key("Control_L", down=False)
    until(lambda: desktop.clipboard.contents() != Clip(), 1)
    return desktop.clipboard.contents()


def test_modifiers_that_are_held_do_not_change_the_keys_and_are_held_afterwards(
    managed: str, desktop: X11Desktop, tmp_path: Path, observe: Callable[[str], Display]
) -> None:
    person = observe(managed)
    alt = person.keysym_to_keycode(XK.XK_Alt_L)
    with tk(desktop, tmp_path) as sink:
        desktop.key("Shift_L", down=True)
        desktop.key("Control_L", down=True)
        person.xtest_fake_input(X.KeyPress, alt)
        person.sync()
        try:
            desktop.paste_text("held ж")
            assert sink.received("held ж") == "held ж"
            assert desktop.held() == {"Shift_L", "Control_L"}
            mask = person.screen().root.query_pointer().mask
            assert (
                mask & (X.ShiftMask | X.ControlMask | X.Mod1Mask) == X.ShiftMask | X.ControlMask | X.Mod1Mask
            )
        finally:
            person.xtest_fake_input(X.KeyRelease, alt)
            person.sync()
            desktop.release_all()


def test_a_program_that_is_too_busy_to_look_at_the_keys_pastes_what_was_meant(
    desktop: X11Desktop, tmp_path: Path
) -> None:
    with tk(desktop, tmp_path) as sink:
        desktop.clipboard.write("secret of the person")
        (pid,) = {window.pid for window in desktop.windows.all() if window.active}
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)
        going_on = threading.Timer(2.2, os.kill, (pid, signal.SIGCONT))
        going_on.start()
        try:
            desktop.paste_text("meant")
        finally:
            going_on.join()
        assert sink.received("meant") == "meant"
        assert desktop.clipboard.read() == "secret of the person"


# A program that does with a paste whatever a test wants, on a server without a window manager.


@pytest.fixture(scope="module")
def bare() -> Iterator[str]:
    with server() as (name, _):
        yield name


@pytest.fixture
def plain(bare: str, open_desktop: Callable[..., X11Desktop]) -> X11Desktop:
    return open_desktop(bare, name="ours", own_keyboard=True)


class Pasting:
    """A window with the keyboard; at Ctrl+V it does one thing after the other: fetch, copy."""

    def __init__(self, *does: str, app: str = "editor") -> None:
        self.does, self.app = does, app
        self.seen: list[str] = []
        self.keys: list[int] = []


@contextmanager
def pasting(display: str, program: Pasting) -> Iterator[None]:
    ready, ended = threading.Event(), threading.Event()

    def run() -> None:
        with connected(display) as connection:
            window = connection.screen().root.create_window(0, 0, 50, 50, 0, X.CopyFromParent)
            window.set_wm_class(program.app, program.app)
            window.change_attributes(event_mask=X.KeyPressMask | X.FocusChangeMask)
            window.map()
            connection.sync()
            window.set_input_focus(X.RevertToNone, X.CurrentTime)
            connection.sync()
            ready.set()
            while not ended.is_set():
                if until(connection.pending_events, 0.01):
                    event = connection.next_event()
                    if event.type == X.KeyPress and connection.keycode_to_keysym(event.detail, 0) in PASTES:
                        program.keys += [connection.keycode_to_keysym(event.detail, 0), event.state]
                        for doing in program.does:
                            _do(connection, window, doing, program)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        assert ready.wait(20)
        yield
    finally:
        ended.set()
        thread.join(20)


PASTES = (XK.XK_v, XK.XK_Insert)


def _do(connection: Display, window: object, doing: str, program: Pasting) -> None:
    atom = connection.intern_atom
    if doing == "copy":
        window.set_selection_owner(atom("CLIPBOARD"), X.CurrentTime)
        connection.sync()
        return
    window.convert_selection(atom(doing), atom("UTF8_STRING"), atom("_PASTED"), X.CurrentTime)
    while connection.next_event().type != X.SelectionNotify:
        pass
    content = window.get_full_property(atom("_PASTED"), X.AnyPropertyType)
    program.seen.append("" if content is None else content.value.decode())


@pytest.mark.parametrize(
    ("app", "selection", "keys"),
    [
        ("editor", "CLIPBOARD", [XK.XK_v, X.ControlMask]),
        ("org.gnome.Terminal", "CLIPBOARD", [XK.XK_v, X.ControlMask | X.ShiftMask]),
        ("Alacritty", "CLIPBOARD", [XK.XK_v, X.ControlMask | X.ShiftMask]),
        ("UXTerm", "PRIMARY", [XK.XK_Insert, X.ShiftMask]),
        ("URxvt", "PRIMARY", [XK.XK_Insert, X.ShiftMask]),
    ],
)
def test_each_program_is_told_to_paste_by_its_own_keys(
    bare: str, plain: X11Desktop, app: str, selection: str, keys: list[int]
) -> None:
    program = Pasting(selection, app=app)
    with pasting(bare, program):
        plain.paste_text("one\r\ntwo")
    assert program.seen == ["one\ntwo"]
    assert program.keys == keys


def test_what_a_program_copies_when_it_has_pasted_stays(
    bare: str, plain: X11Desktop, observe: Callable[[str], Display]
) -> None:
    plain.clipboard.write("before")
    program = Pasting("CLIPBOARD", "copy")
    with pasting(bare, program):
        plain.paste_text("ours")
        owner = owner_of(observe(bare))
        assert owner not in {0, plain.clipboard._owner.window if plain.clipboard._owner else 0}
    assert program.seen == ["ours"]
    assert plain.clipboard.read() == ""  # what it had copied ended with it


def test_a_paste_before_which_somebody_copied_is_said_not_to_have_happened(
    bare: str, plain: X11Desktop
) -> None:
    with (
        pasting(bare, Pasting("copy")),
        pytest.raises(CannotType, match="another program took the clipboard"),
    ):
        plain.paste_text("ours")


def test_that_a_clipboard_manager_fetches_it_is_no_paste(bare: str, plain: X11Desktop) -> None:
    plain.clipboard.write("before")
    program = Pasting()
    fetched = threading.Event()

    def fetch() -> None:
        with connected(bare) as connection:
            window = connection.screen().root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
            while not fetched.is_set():
                other = Pasting()
                _do(connection, window, "CLIPBOARD", other)
                if other.seen == ["secret of ours"]:
                    fetched.set()

    manager = threading.Thread(target=fetch, daemon=True)
    manager.start()
    with pasting(bare, program), pytest.raises(CannotType, match="did not fetch it") as refused:
        plain.paste_text("secret of ours")
    manager.join(20)
    assert fetched.is_set()
    assert program.keys == [XK.XK_v, X.ControlMask]
    assert "secret" not in str(refused.value)
    assert plain.clipboard.read() == "before"


def test_an_empty_text_presses_nothing_and_leaves_the_clipboard_alone(bare: str, plain: X11Desktop) -> None:
    forms: Forms = {"UTF8_STRING": ("UTF8_STRING", b"theirs")}
    program = Pasting("CLIPBOARD")
    with pasting(bare, program), copied(bare, Copied(forms=forms)) as copy:
        plain.paste_text("")
        assert not copy.lost.is_set()
        assert not copy.asked
    assert program.keys == []


@pytest.mark.parametrize("character", ["\0", "\ud83d"])
def test_a_text_that_programs_would_cut_is_refused_before_anything_is_pressed(
    bare: str, plain: X11Desktop, character: str
) -> None:
    program = Pasting("CLIPBOARD")
    with pasting(bare, program), pytest.raises(CannotType, match="cannot be pasted") as refused:
        plain.paste_text(f"secret{character}text")
    assert "secret" not in str(refused.value)
    assert program.keys == []
