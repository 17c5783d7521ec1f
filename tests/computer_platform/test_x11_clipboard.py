"""The clipboard between this desktop and other programs."""

from __future__ import annotations

import operator
import os
import subprocess
import threading
import time
from contextlib import ExitStack, closing, contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from x11_copying import Copied, copied, lost, owner_of
from Xlib import X, Xatom
from Xlib.protocol.event import SelectionNotify
from xvfb import connected, server, until

from computer_platform.desktop import CannotType, Clip, DesktopUnavailable
from computer_platform.x11 import X11Desktop
from computer_platform.x11.clipboard.asking import Asking, TooLargeError
from computer_platform.x11.clipboard.forms import Form, offer_of
from computer_platform.x11.clipboard.owning import Owner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from x11_copying import Forms
    from Xlib.display import Display
    from Xlib.protocol import rq
    from Xlib.xobject import drawable

pytestmark = pytest.mark.desktop

TEXT = "naïve, 你好 🙂\nsecond line"
LONG = "0123456789 é 好\n" * 170_000  # 3 MB
HUGE = LONG * 4


@pytest.fixture(scope="module")
def screen() -> Iterator[str]:
    with server() as (name, _):
        yield name


@pytest.fixture
def desktop(screen: str) -> Iterator[X11Desktop]:
    opened = X11Desktop(screen, name="ours")
    yield opened
    opened.close()


def xclip(screen: str, *options: str, given: str | None = None) -> str:
    command = ["xclip", "-selection", "clipboard", "-display", screen, *options]
    if given is not None:
        subprocess.run(
            command, input=given.encode(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True
        )
        return ""
    return subprocess.run(command, capture_output=True, check=True, timeout=20).stdout.decode()


@pytest.mark.parametrize("text", [TEXT, LONG], ids=["short", "three megabytes"])
def test_another_program_pastes_what_we_wrote(screen: str, desktop: X11Desktop, text: str) -> None:
    desktop.clipboard.write(text)
    assert xclip(screen, "-o", "-target", "UTF8_STRING") == text


@pytest.mark.parametrize("text", [TEXT, LONG], ids=["short", "three megabytes"])
def test_we_read_what_another_program_copied(screen: str, desktop: X11Desktop, text: str) -> None:
    xclip(screen, "-in", given=text)
    assert until(lambda: desktop.clipboard.read() == text)  # xclip returns before it owns the clipboard


def test_two_desktops_take_the_clipboard_from_each_other(
    screen: str, desktop: X11Desktop, open_desktop: Callable[..., X11Desktop]
) -> None:
    other = open_desktop(screen, name="other")
    for turn in range(20):
        writer, reader = (desktop, other) if turn % 2 else (other, desktop)
        writer.clipboard.write(f"turn {turn} ж")
        assert reader.clipboard.read() == f"turn {turn} ж"
        assert writer.clipboard.read() == f"turn {turn} ж"
    desktop.clipboard.write(LONG)
    assert other.clipboard.read() == LONG
    other.close()


def test_every_kind_that_is_announced_is_given(screen: str, desktop: X11Desktop) -> None:
    desktop.clipboard.write("café")
    kinds = xclip(screen, "-o", "-target", "TARGETS").split()
    assert set(kinds) == {
        "TARGETS",
        "TIMESTAMP",
        "MULTIPLE",
        "TEXT",
        "UTF8_STRING",
        "text/plain;charset=utf-8",
        "text/plain",
        "STRING",
    }
    for kind in ("UTF8_STRING", "text/plain;charset=utf-8", "text/plain", "TEXT"):
        assert xclip(screen, "-o", "-target", kind) == "café"
    latin = subprocess.run(
        ["xclip", "-selection", "clipboard", "-display", screen, "-o", "-target", "STRING"],
        capture_output=True,
        check=True,
    )
    assert latin.stdout == "café".encode("latin-1")


def test_an_empty_clipboard_reads_as_no_text(open_desktop: Callable[..., X11Desktop]) -> None:
    with server() as (name, _):
        desktop = open_desktop(name)
        assert desktop.clipboard.read() == ""
        desktop.close()


def test_the_text_outlives_a_desktop_of_the_person(
    screen: str, open_desktop: Callable[..., X11Desktop]
) -> None:
    desktop = open_desktop(screen)
    desktop.clipboard.write(TEXT)
    desktop.close()
    reader = open_desktop(screen, name="reader")
    assert until(lambda: reader.clipboard.read() == TEXT)
    reader.close()


def test_what_another_program_copied_since_is_left_alone(
    screen: str, open_desktop: Callable[..., X11Desktop]
) -> None:
    desktop = open_desktop(screen)
    desktop.clipboard.write("ours")
    xclip(screen, "-in", given="theirs")
    assert until(lambda: desktop.clipboard.read() == "theirs")
    desktop.close()
    assert xclip(screen, "-o") == "theirs"


def test_the_text_of_any_other_desktop_ends_with_it(
    screen: str, open_desktop: Callable[..., X11Desktop]
) -> None:
    desktop = open_desktop(screen, name="private")
    desktop.clipboard.write(TEXT)
    desktop.close()
    reader = open_desktop(screen, name="reader")
    connection = reader._connection
    selection = connection.atom("CLIPBOARD")
    assert until(lambda: connection.server.get_selection_owner(selection) == X.NONE)
    assert reader.clipboard.read() == ""
    reader.close()


def test_no_thread_or_pipe_is_left_behind(screen: str, open_desktop: Callable[..., X11Desktop]) -> None:
    before = open_files_and_threads()
    for _ in range(5):
        desktop = open_desktop(screen, name="brief")
        desktop.clipboard.write("x")
        desktop.capture()
        desktop.close()
    assert until(lambda: all(map(operator.le, open_files_and_threads(), before)))


def open_files_and_threads() -> tuple[int, int]:
    own = Path("/proc/self")
    return len(list((own / "fd").iterdir())), len(list((own / "task").iterdir()))


def test_writing_says_so_when_the_screen_has_gone(open_desktop: Callable[..., X11Desktop]) -> None:
    with server() as (name, process):
        desktop = open_desktop(name)
        desktop.clipboard.write("before")
        process.kill()
        process.wait()
        with pytest.raises(DesktopUnavailable, match=name):
            desktop.clipboard.write("after")
        with pytest.raises(DesktopUnavailable, match=name):
            desktop.clipboard.read()
        desktop.close()


# All forms, both selections, any size.


def picture() -> bytes:
    from PIL import Image

    buffer = BytesIO()
    Image.radial_gradient("L").resize((64, 48)).convert("RGB").save(buffer, "PNG")
    return buffer.getvalue()


PNG = picture()


def raw_xclip(screen: str, *options: str, given: bytes | None = None, selection: str = "clipboard") -> bytes:
    command = ["xclip", "-selection", selection, "-display", screen, *options]
    if given is None:
        return subprocess.run(command, capture_output=True, check=True, timeout=30).stdout
    subprocess.run(command, input=given, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return b""


def test_more_than_ten_megabytes_go_out_to_several_programs_at_once(
    screen: str, desktop: X11Desktop, open_desktop: Callable[..., X11Desktop]
) -> None:
    desktop.clipboard.write(HUGE)
    command = ["xclip", "-selection", "clipboard", "-display", screen, "-o", "-target", "UTF8_STRING"]
    readers = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(3)]
    other = open_desktop(screen, name="other")
    assert other.clipboard.read() == HUGE
    for reader in readers:
        assert reader.communicate(timeout=60)[0] == HUGE.encode()


def test_more_than_ten_megabytes_come_in(screen: str, desktop: X11Desktop) -> None:
    raw_xclip(screen, "-in", given=HUGE.encode())
    assert until(lambda: desktop.clipboard.read() == HUGE)


def test_the_two_selections_are_apart(screen: str, desktop: X11Desktop) -> None:
    desktop.clipboard.write("copied")
    desktop.clipboard.write("highlighted ж", "primary")
    assert raw_xclip(screen, "-o", "-target", "UTF8_STRING") == b"copied"
    assert raw_xclip(screen, "-o", "-target", "UTF8_STRING", selection="primary") == "highlighted ж".encode()
    raw_xclip(screen, "-in", given=b"theirs", selection="primary")
    assert until(lambda: desktop.clipboard.read("primary") == "theirs")
    assert desktop.clipboard.read() == "copied"


def test_pictures_go_both_ways(screen: str, desktop: X11Desktop) -> None:
    desktop.clipboard.write(Clip(png=PNG))
    assert raw_xclip(screen, "-o", "-target", "image/png") == PNG
    assert desktop.clipboard.read() == ""
    raw_xclip(screen, "-in", "-target", "image/png", given=PNG[::-1])
    assert until(lambda: desktop.clipboard.contents() == Clip(png=PNG[::-1]))


def test_html_goes_both_ways_and_says_how_it_is_encoded(screen: str, desktop: X11Desktop) -> None:
    desktop.clipboard.write(Clip(html="<b>Größe</b>", text="Größe"))
    given = raw_xclip(screen, "-o", "-target", "text/html").decode()
    assert given.endswith("<b>Größe</b>")
    assert "charset=utf-8" in given
    assert desktop.clipboard.contents() == Clip(html="<b>Größe</b>", text="Größe")
    raw_xclip(screen, "-in", "-target", "text/html", given="<i>naïve</i>".encode())
    assert until(lambda: desktop.clipboard.contents() == Clip(html="<i>naïve</i>"))


def test_an_emptied_clipboard_belongs_to_nobody(
    screen: str, desktop: X11Desktop, observe: Callable[[str], Display]
) -> None:
    raw_xclip(screen, "-in", given=b"theirs")
    assert until(lambda: desktop.clipboard.read() == "theirs")
    desktop.clipboard.write(Clip())
    assert owner_of(observe(screen)) == 0
    assert desktop.clipboard.contents() == Clip()


GTK = """
import sys, gi
gi.require_version("Gdk", "4.0")
from gi.repository import Gdk, GLib, GObject
board = Gdk.Display.open(sys.argv[1]).get_clipboard()
content = GObject.Value(Gdk.Texture, Gdk.Texture.new_from_filename(sys.argv[2]))
board.set_content(Gdk.ContentProvider.new_for_value(content))
GLib.MainLoop().run()
"""
TK = """
import sys, tkinter
window = tkinter.Tk(screenName=sys.argv[1])
window.clipboard_clear()
window.clipboard_append("ж好 " * 300_000)
window.mainloop()
"""


@contextmanager
def program(screen: str, source: str, *arguments: str) -> Iterator[None]:
    """A program of another toolkit, once it has copied."""
    command = ["/usr/bin/python3", "-c", source, screen, *arguments]
    with (
        connected(screen) as display,
        subprocess.Popen(command, env=os.environ | {"GDK_BACKEND": "x11"}) as running,
    ):
        before = owner_of(display)
        try:
            assert until(lambda: owner_of(display) not in {0, before} or running.poll(), 30)
            yield
        finally:
            running.kill()


def test_a_long_text_of_a_tk_program_is_read(screen: str, desktop: X11Desktop) -> None:
    with program(screen, TK):
        assert desktop.clipboard.read() == "ж好 " * 300_000


def test_a_picture_of_a_gtk_program_is_read(screen: str, desktop: X11Desktop, tmp_path: Path) -> None:
    from PIL import Image

    (tmp_path / "picture.png").write_bytes(PNG)
    with program(screen, GTK, str(tmp_path / "picture.png")):
        seen = Image.open(BytesIO(desktop.clipboard.contents().png or b""))
        assert seen.convert("RGB").tobytes() == Image.open(BytesIO(PNG)).tobytes()


@pytest.mark.parametrize(
    ("forms", "text"),
    [
        ({"UTF8_STRING": ("UTF8_STRING", "Ω 你好".encode()), "STRING": ("STRING", b"? ??")}, "Ω 你好"),
        ({"STRING": ("STRING", "naïve".encode("latin-1"))}, "naïve"),
        ({"STRING": ("STRING", b"?"), "COMPOUND_TEXT": ("COMPOUND_TEXT", b"\x1b-F\xd9")}, "Ω"),
        ({"text/plain": ("text/plain", b"plain")}, "plain"),
        ({"UTF8_STRING": ("UTF8_STRING", b"")}, ""),
        ({"image/png": ("image/png", b"no text")}, ""),
        ({}, ""),
    ],
)
@pytest.mark.parametrize("tells", [True, False], ids=["says what it has", "does not say"])
def test_text_is_read_in_the_best_form_that_a_program_has(
    screen: str, desktop: X11Desktop, forms: Forms, text: str, *, tells: bool
) -> None:
    if not tells and forms and not {"UTF8_STRING", "STRING"} & set(forms):
        text = ""  # one so old has no other
    with copied(screen, Copied(forms=forms, tells_targets=tells)):
        seen = desktop.clipboard.read()
    assert seen == text or (not tells and "COMPOUND_TEXT" in forms and seen == "?")


def test_several_forms_are_given_in_one_request(
    screen: str, desktop: X11Desktop, observe: Callable[[str], Display]
) -> None:
    desktop.clipboard.write(Clip(text="é" * 300_000, png=PNG))
    asking = observe(screen)
    window = asking.screen().root.create_window(
        0, 0, 1, 1, 0, X.CopyFromParent, event_mask=X.PropertyChangeMask
    )
    atom = asking.intern_atom
    names = ["UTF8_STRING", "image/png", "TIMESTAMP", "image/tiff", "STRING"]
    pairs = [number for name in names for number in (atom(name), atom(f"_TO_{name}"))]
    window.change_property(atom("_ALL"), atom("ATOM_PAIR"), 32, pairs)
    window.convert_selection(atom("CLIPBOARD"), atom("MULTIPLE"), atom("_ALL"), X.CurrentTime)
    assert wait_for(asking, X.SelectionNotify).property == atom("_ALL")
    answered = window.get_full_property(atom("_ALL"), X.AnyPropertyType).value
    assert list(answered[1::2]) == [*pairs[1:6:2], 0, pairs[9]]
    assert window.get_full_property(atom("_TO_image/png"), X.AnyPropertyType).value == PNG
    assert window.get_full_property(atom("_TO_TIMESTAMP"), X.AnyPropertyType).value[0] > 0
    for name, whole in (("UTF8_STRING", ("é" * 300_000).encode()), ("STRING", b"\xe9" * 300_000)):
        assert fetched_in_pieces(asking, window, atom(f"_TO_{name}")) == whole  # each by itself


def wait_for(asking: Display, kind: int) -> rq.Event:
    while True:
        assert until(asking.pending_events)
        event = asking.next_event()
        if event.type == kind:
            return event


def fetched_in_pieces(asking: Display, window: drawable.Window, place: int) -> bytes:
    pieces = b""
    size = window.get_full_property(place, asking.intern_atom("INCR")).value[0]
    while True:
        window.delete_property(place)
        assert until(lambda: window.get_full_property(place, X.AnyPropertyType) is not None)
        piece = window.get_full_property(place, X.AnyPropertyType, 1 << 16).value
        if not piece:
            window.delete_property(place)
            assert size == len(pieces)
            return pieces
        pieces += piece


# Programs that misbehave.


def test_a_program_that_stops_fetching_in_the_middle_keeps_nobody_from_reading(
    screen: str, desktop: X11Desktop
) -> None:
    desktop.clipboard.write(LONG)
    with connected(screen) as asking:
        atom = asking.intern_atom
        window = asking.screen().root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
        window.convert_selection(atom("CLIPBOARD"), atom("UTF8_STRING"), atom("_HERE"), X.CurrentTime)
        wait_for(asking, X.SelectionNotify)
        owner = desktop.clipboard._owner
        assert owner is not None
        assert until(lambda: len(owner._deliveries) == 1)
        assert xclip(screen, "-o", "-target", "UTF8_STRING") == LONG
        assert len(owner._deliveries) == 1
    assert until(lambda: not owner._deliveries), "the program has gone, and its text is kept"
    assert xclip(screen, "-o", "-target", "UTF8_STRING") == LONG


def test_a_program_that_never_answers_is_an_error_in_time_and_its_late_answer_is_not_taken_for_another(
    screen: str, desktop: X11Desktop
) -> None:
    forms: Forms = {"UTF8_STRING": ("UTF8_STRING", b"late secret")}
    with copied(screen, Copied(forms=forms), answering=False) as copy:
        began = time.monotonic()
        with pytest.raises(TimeoutError, match="did not answer") as silent:
            desktop.clipboard.read()
        assert time.monotonic() - began < 5
        assert "secret" not in str(silent.value)
        newer = Copied(forms={"UTF8_STRING": ("UTF8_STRING", b"newer")})
        with copied(screen, newer):
            copy.answering.set()
            assert lost(copy)  # all its answers are sent by now
            assert desktop.clipboard.read() == "newer"


def test_a_program_that_stops_giving_in_the_middle_is_an_error_in_time(
    screen: str, desktop: X11Desktop
) -> None:
    forms: Forms = {"UTF8_STRING": ("UTF8_STRING", b"x" * 500_000)}
    with copied(screen, Copied(forms=forms, pieces=3)):
        with pytest.raises(TimeoutError, match="did not answer"):
            desktop.clipboard.read()
        desktop.clipboard.write("after")
        assert desktop.clipboard.read() == "after"


def test_a_program_that_dies_while_it_is_asked_has_nothing_on_the_clipboard(
    screen: str, desktop: X11Desktop
) -> None:
    forms: Forms = {"UTF8_STRING": ("UTF8_STRING", b"x")}
    with copied(screen, Copied(forms=forms), answering=False) as copy:
        threading.Timer(0.3, copy.ended.set).start()
        assert desktop.clipboard.read() == ""


def test_reading_leaves_no_window_behind(
    screen: str, desktop: X11Desktop, observe: Callable[[str], Display]
) -> None:
    desktop.clipboard.write("text")
    desktop.clipboard.read()
    root = observe(screen).screen().root
    before = len(root.query_tree().children)
    for _ in range(10):
        desktop.clipboard.read()
        desktop.clipboard.contents()
    # the server destroys them, and those of other connections that have just ended, when it gets to it
    assert until(lambda: len(root.query_tree().children) <= before)


def test_a_loss_that_is_heard_of_in_the_middle_of_copying_does_not_empty_what_is_copied(
    screen: str, desktop: X11Desktop, open_desktop: Callable[..., X11Desktop]
) -> None:
    """On a busy machine both reach the thread at once: that another program has copied, and our next copy."""
    other = open_desktop(screen, name="other")
    desktop.clipboard.write("first")
    owner, connection = desktop.clipboard._owner, desktop._connection
    assert owner is not None
    selection, offer = connection.atom("CLIPBOARD"), offer_of(Clip(text="second"), connection.atom)

    def take_when_another_has_copied() -> None:
        other.clipboard.write("theirs")
        owner._take(selection, offer)

    owner._have_done(take_when_another_has_copied)
    assert desktop.clipboard.read() == "second"
    assert other.clipboard.read() == "second"


# Lent for a paste, and given back.


@pytest.fixture
def observer(screen: str, observe: Callable[[str], Display]) -> Display:
    return observe(screen)


FORMS: Forms = {
    "UTF8_STRING": ("UTF8_STRING", "words ж".encode()),
    "text/html": ("text/html", b"<b>words</b>"),
    "image/png": ("image/png", PNG * 40),
    "application/x-own": ("application/x-own", b"\x00\x01"),
    "DELETE": ("NULL", b""),
}


def test_what_another_program_had_copied_is_back_after_a_loan_in_every_form(
    screen: str, desktop: X11Desktop
) -> None:
    with copied(screen, Copied(forms=FORMS)) as copy:
        with desktop.clipboard.lent("lent"):
            assert xclip(screen, "-o", "-target", "UTF8_STRING") == "lent"
        assert lost(copy)
        assert "DELETE" not in copy.asked
    for target, (_, data) in FORMS.items():
        if target != "DELETE":
            assert raw_xclip(screen, "-o", "-target", target) == data
    kinds = raw_xclip(screen, "-o", "-target", "TARGETS").decode().split()
    assert set(kinds) == {"TARGETS", "TIMESTAMP", "MULTIPLE", *FORMS} - {"DELETE"}


def test_what_we_had_copied_is_back_after_a_loan(screen: str, desktop: X11Desktop) -> None:
    clip = Clip(text="ours", html="<i>ours</i>", png=PNG)
    desktop.clipboard.write(clip)
    with desktop.clipboard.lent("lent"):
        assert desktop.clipboard.contents() == Clip(text="lent")
    assert desktop.clipboard.contents() == clip


def test_an_empty_clipboard_is_empty_again_after_a_loan(desktop: X11Desktop, observer: Display) -> None:
    desktop.clipboard.write(Clip())
    with desktop.clipboard.lent("lent"):
        assert owner_of(observer) != 0
    assert owner_of(observer) == 0


def test_what_somebody_copies_during_a_loan_stays(screen: str, desktop: X11Desktop) -> None:
    desktop.clipboard.write("before")
    newer = Copied(forms={"UTF8_STRING": ("UTF8_STRING", b"theirs")})
    with desktop.clipboard.lent("lent") as loan, copied(screen, newer):
        assert loan.wait(None, seconds=20) == "taken"
        assert desktop.clipboard.read() == "theirs"
    desktop.clipboard.write(Clip())
    with desktop.clipboard.lent("lent"):
        raw_xclip(screen, "-in", given=b"of xclip")
        assert until(lambda: desktop.clipboard.read() == "of xclip")
    assert desktop.clipboard.read() == "of xclip"


def test_what_somebody_has_copied_just_before_a_loan_is_back_after_it(
    screen: str, desktop: X11Desktop, observer: Display
) -> None:
    forms: Forms = {"UTF8_STRING": ("UTF8_STRING", b"theirs")}
    for turn in range(25):
        desktop.clipboard.write(f"ours {turn}")
        ours = owner_of(observer)
        with copied(screen, Copied(forms=forms)):
            assert owner_of(observer) != ours  # of which our thread may not have heard
            with desktop.clipboard.lent("lent"):
                pass
            assert desktop.clipboard.read() == "theirs"


def test_a_long_list_of_numbers_goes_out_and_comes_in_whole(screen: str, desktop: X11Desktop) -> None:
    connection = desktop._connection
    selection, target = connection.atom("CLIPBOARD"), connection.atom("_OI_NUMBERS")
    form = Form(type=Xatom.INTEGER, bits=32, data=tuple(range(200_000)))
    with closing(Owner(screen, None)) as owner:
        owner.take(selection, {target: form})
        with Asking(connection, selection) as asking:
            assert asking.form(target) == form


def test_a_program_that_gives_more_and_more_is_left_in_time(screen: str, desktop: X11Desktop) -> None:
    forms: Forms = {"UTF8_STRING": ("UTF8_STRING", b"x" * 200_000_000)}
    connection = desktop._connection
    with (
        copied(screen, Copied(forms=forms)),
        Asking(connection, connection.atom("CLIPBOARD"), seconds=1) as asking,
        pytest.raises(TimeoutError, match="takes too long, or has no end"),
    ):
        asking.form(connection.atom("UTF8_STRING"))


def test_a_loan_is_not_begun_when_what_is_there_could_not_be_put_back(
    screen: str, desktop: X11Desktop
) -> None:
    forms: Forms = {"UTF8_STRING": ("UTF8_STRING", b"secret")}
    with copied(screen, Copied(forms=forms), answering=False) as copy:
        with pytest.raises(CannotType, match="does not answer") as refused, desktop.clipboard.lent("x"):
            pass
        assert "secret" not in str(refused.value)
        assert not copy.lost.is_set()
        copy.answering.set()
        assert desktop.clipboard.read() == "secret"


def test_no_more_is_fetched_than_there_is_room_for(screen: str, desktop: X11Desktop) -> None:
    forms: Forms = {
        "UTF8_STRING": ("UTF8_STRING", b"x" * 300_000),
        "STRING": ("STRING", b"y" * 300_000),
    }
    connection = desktop._connection
    with copied(screen, Copied(forms=forms)):
        with Asking(connection, connection.atom("CLIPBOARD"), room=400_000) as asking:
            whole = asking.form(connection.atom("UTF8_STRING"))
            assert whole is not None
            assert whole.data == b"x" * 300_000
            with pytest.raises(TooLargeError):
                asking.form(connection.atom("STRING"))
        assert desktop.clipboard.read() == "x" * 300_000


def test_a_loan_knows_who_has_fetched_it_whole(
    screen: str, desktop: X11Desktop, open_desktop: Callable[..., X11Desktop]
) -> None:
    reader = open_desktop(screen, name="reader")
    with desktop.clipboard.lent(LONG) as loan:
        assert loan.wait(None, seconds=0.05) == "not fetched"
        assert reader.clipboard.read() == LONG
        assert loan.wait(None, seconds=20) == "fetched"
        assert loan.wait(loan.client(reader._connection.window.id), seconds=20) == "fetched"
        assert loan.wait(loan.client(desktop._connection.window.id), seconds=0.05) == "not fetched"


def test_clipboard_managers_are_asked_to_keep_no_copy_of_a_loan(screen: str, desktop: X11Desktop) -> None:
    with desktop.clipboard.lent("lent") as loan:
        assert raw_xclip(screen, "-o", "-target", "x-kde-passwordManagerHint") == b"secret"
        assert loan.wait(None, seconds=0.05) == "not fetched"


# What is left when a desktop of the person is closed.


@pytest.mark.parametrize(
    ("clip", "target", "left"),
    [
        (Clip(png=PNG), "image/png", PNG),
        (Clip(html="<b>x</b>"), "text/html", b"<b>x</b>"),
        (Clip(text="words ж", png=PNG), "UTF8_STRING", "words ж".encode()),
    ],
)
def test_xclip_takes_over_what_means_most(
    screen: str, open_desktop: Callable[..., X11Desktop], clip: Clip, target: str, left: bytes
) -> None:
    desktop = open_desktop(screen)
    desktop.clipboard.write(clip)
    desktop.close()
    assert until(lambda: offered(screen, target).endswith(left))


def offered(screen: str, target: str) -> bytes:
    command = ["xclip", "-selection", "clipboard", "-display", screen, "-o", "-target", target]
    return subprocess.run(command, capture_output=True, check=False, timeout=30).stdout


def test_a_clipboard_manager_is_handed_everything(
    screen: str, open_desktop: Callable[..., X11Desktop]
) -> None:
    desktop = open_desktop(screen)
    desktop.clipboard.write(Clip(text=LONG, png=PNG))
    saved: dict[str, bytes] = {}
    with managing(screen, saved):
        desktop.close()
        reader = open_desktop(screen, name="reader")
        assert reader.clipboard.read() == LONG
        assert set(saved) >= {"UTF8_STRING", "image/png"}
        assert saved["image/png"] == PNG
        reader.close()


@contextmanager
def managing(screen: str, saved: dict[str, bytes]) -> Iterator[None]:
    """A clipboard manager as the freedesktop specification has it: asked to save, it fetches, then owns."""
    ready, ended = threading.Event(), threading.Event()

    def run() -> None:
        with connected(screen) as display, ExitStack() as owning:
            atom = display.intern_atom
            window = display.screen().root.create_window(0, 0, 1, 1, 0, X.CopyFromParent, X.InputOnly)
            window.set_selection_owner(atom("CLIPBOARD_MANAGER"), X.CurrentTime)
            display.sync()
            ready.set()
            while not ended.is_set():
                if not until(display.pending_events, 0.01):
                    continue
                event = display.next_event()
                if event.type != X.SelectionRequest or event.target != atom("SAVE_TARGETS"):
                    continue
                targets = event.requestor.get_full_property(event.property, X.AnyPropertyType).value
                for name in map(display.get_atom_name, targets):
                    saved[name] = raw_xclip(screen, "-o", "-target", name)
                forms = {name: (name, data) for name, data in saved.items()}
                owning.enter_context(copied(screen, Copied(forms=forms)))
                event.requestor.send_event(
                    SelectionNotify(
                        time=event.time,
                        requestor=event.requestor,
                        selection=event.selection,
                        target=event.target,
                        property=event.property,
                    )
                )
                display.sync()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        assert ready.wait(20)
        yield
    finally:
        ended.set()
        thread.join(20)
