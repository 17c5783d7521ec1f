"""A text that is put into a field: the way it goes, what is read back, and what is done when something else arrived."""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import typing_sinks
from hypothesis import given
from hypothesis import strategies as st
from xvfb import until, x_server

from computer_api.actions import Click, TypeText
from computer_api.computer import Computer
from computer_api.errors import NotTypedError, Stopped
from computer_api.read_back import Entry
from computer_api.sending import pieces
from computer_api.targets import ElementTarget
from computer_platform.desktop import Area, CannotType, Element, Frame, Window
from computer_platform.memory import MemoryDesktop, form
from computer_platform.private import open_private
from computer_platform.x11 import X11Desktop

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from computer_platform.private import PrivateDesktop
    from computer_vision.tesseract import TesseractReader

CITY = ElementTarget("City", role="field")
EDITOR = Window(id=1, title="Form", app="form", pid=7, area=Area(0, 0, 800, 600), active=True, hidden=False)
FAMILY, FLAG, DECOMPOSED = "👩\u200d👩\u200d👧", "👍🏽", "e\u0301\u0323"


@given(st.text(st.sampled_from("ab \n\té好Ж"), max_size=700), st.integers(1, 40), st.integers(0, 300))
def test_pieces_are_the_text_and_small(text: str, foreign: int, breaks: int) -> None:
    cut = list(pieces(text, foreign=foreign, breaks=breaks))
    assert "".join(cut) == text
    for piece in cut:
        assert 0 < len(piece) <= 200
        assert len({character for character in piece if ord(character) > 0x7E}) <= foreign
        assert sum(character in "\n\t" for character in piece) <= max(breaks, 1)


@given(st.lists(st.sampled_from([FAMILY, FLAG, DECOMPOSED, "\r\n", "x", " "]), max_size=200))
def test_no_piece_ends_within_a_sign(signs: list[str]) -> None:
    ends = {0}
    for sign in signs:
        ends.add(max(ends) + len(sign))
    place = 0
    for piece in pieces("".join(signs), foreign=20, breaks=200):
        place += len(piece)
        assert place in ends


def field(value: str, *states: str, at: int = 10) -> Element:
    return Element(
        role="text",
        name="",
        value=value,
        area=Area(at, 10, 100, 20),
        states=frozenset({"editable", "focused", *states}),
        pid=7,
    )


@pytest.mark.parametrize(
    ("before", "text", "now", "arrived"),
    [
        ("", "a\nb", "a\nb", True),
        ("", "a\r\nb", "a\nb", True),
        ("", "a", "a\n", False),
        ("", "a", "aa", False),
        ("ad", "bc", "abcd", True),
        ("a--d", "bc", "abcd", True),
        ("ad", "bc", "abcbcd", False),
        ("ad", "bc", "abc", True),
        ("ad", "bc", "abcdx", False),
        ("aa", "a", "aaa", True),
        ("aa", "a", "aa", True),  # it may have been selected
        ("", "two  blanks", "two\u00a0 blanks", True),  # as browsers write them
        ("", "no\u00a0break", "no break", False),
        ("x\u00a0 y", "!", "x\u00a0 y!", True),
    ],
)
def test_a_text_has_arrived_when_beside_it_there_is_only_what_was_there(
    before: str, text: str, now: str, *, arrived: bool
) -> None:
    entry = Entry(text=text, before=field(before), replaces=False)
    assert entry.arrived(field(now)) is arrived


@given(st.text("ab", max_size=5), st.text("ab", min_size=1, max_size=4), st.data())
def test_a_text_put_in_anywhere_has_arrived(before: str, text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(before)))
    end = data.draw(st.integers(start, len(before)))
    entry = Entry(text=text, before=field(before), replaces=False)
    assert entry.arrived(field(before[:start] + text + before[end:]))
    assert not entry.arrived(field(before[:start] + text + before[end:] + "!"))


@pytest.mark.parametrize(
    ("text", "now", "tells"),
    [
        ("hello", field("help"), True),
        ("hello", field("other", at=50), False),  # the keyboard has moved on
        ("hello\n", field("", "multi line"), False),  # Return sent it away
        ("one\ntwo", field("two", "multi line"), False),
        ("one\ntwo", field("one two", "multi line"), True),
        ("hello\n", field("hello"), False),  # what Return does to a line is the program's business
        ("x" * 20_000, field("x" * 10_000), False),  # more is not read
        ("hello", field("\ufffc"), False),
    ],
)
def test_what_a_field_holds_says_nothing_when_return_or_tab_may_have_done_it(
    text: str, now: Element, *, tells: bool
) -> None:
    assert Entry(text=text, before=field("", *now.states), replaces=False).tells(now) is tells


@pytest.mark.parametrize(
    ("before", "text", "now", "tells"),
    [
        (None, "hello", "", False),
        (None, "hello", "hello", True),
        ("", "one\ntwo", "", False),
        ("", "hello", "", False),  # the caret is in another one
        ("", "hello", "hell", True),
    ],
)
def test_a_paragraph_of_a_document_that_stays_as_it_was_says_nothing(
    before: str | None, text: str, now: str, *, tells: bool
) -> None:
    def paragraph(value: str) -> Element:
        return replace(field(value, "multi line"), role="paragraph")

    entry = Entry(text=text, before=None if before is None else paragraph(before), replaces=False)
    assert entry.tells(paragraph(now)) is tells


@pytest.mark.parametrize(
    ("text", "now", "adopted"),
    [
        ("abc dé", "ABC DÉ", True),
        ("1234567890", "(123) 456-7890", True),
        ("Ber", "Berlin", True),
        ("a", "aa", False),
        ("hello", "hellohello", False),
        ("hello", "hellooo", False),  # a key that was stuck
        ("hello", "hell", False),
        ("a-b", "ab", False),
        ("tel. 12", "12", False),
        ("cba", "abc", False),
        ("abc", "xabc", False),
        ("one\n", "ONE\n", False),
    ],
)
def test_a_field_may_give_a_text_a_form_of_its_own_but_keep_no_less(
    text: str, now: str, *, adopted: bool
) -> None:
    for replaces in (True, False):
        assert Entry(text=text, before=field(""), replaces=replaces).adopted(field(now)) is adopted
    assert not Entry(text=text, before=field("x"), replaces=False).adopted(field("x" + now))


class Deaf(MemoryDesktop):
    """Keys lose the last character; what is pasted arrives, or loses it too."""

    also_pasted = False

    def type_text(self, text: str) -> None:
        super().type_text(text[:-1])

    def paste_text(self, text: str) -> None:
        super().paste_text(text[:-1] if self.also_pasted else text)


def sent(desktop: MemoryDesktop) -> list[str]:
    return [event.verb for event in desktop.log if event.verb in {"type_text", "paste_text"}]


def test_what_keys_got_wrong_is_pasted_once_the_field_is_empty_again(reader: TesseractReader) -> None:
    desktop = Deaf(screens=form(), windows=[EDITOR])
    computer = Computer(desktop, reader=reader, patience=0.0)
    assert computer.perform(TypeText(text="Zürich", into=CITY)).value == "Zürich"
    assert sent(desktop) == ["type_text", "paste_text"]


def test_when_both_ways_fail_the_error_has_both_texts_and_there_is_no_third_try(
    reader: TesseractReader,
) -> None:
    desktop = Deaf(screens=form(), windows=[EDITOR])
    desktop.also_pasted = True
    computer = Computer(desktop, reader=reader, patience=0.0)
    with pytest.raises(NotTypedError, match='Typed "Zürich", but the field holds "Züric"') as failure:
        computer.perform(TypeText(text="Zürich", into=CITY))
    assert (failure.value.expected, failure.value.seen) == ("Zürich", "Züric")
    assert sent(desktop) == ["type_text", "paste_text"]


def test_a_text_added_to_another_is_not_tried_again(reader: TesseractReader) -> None:
    desktop = Deaf(screens=form(), windows=[EDITOR])
    computer = Computer(desktop, reader=reader, patience=0.0)
    computer.perform(TypeText(text="New", into=CITY))
    with pytest.raises(NotTypedError) as failure:
        computer.perform(TypeText(text=" York"))
    assert failure.value.seen == "New Yor"
    assert sent(desktop) == ["type_text", "paste_text", "type_text"]


def test_a_secret_is_typed_however_long_and_never_read_or_tried_again(reader: TesseractReader) -> None:
    desktop = Deaf(screens=form(), windows=[EDITOR])
    computer = Computer(desktop, reader=reader, patience=0.0)
    secret = "".join(map(chr, range(0x3B1, 0x3C9))) * 60
    assert computer.perform(TypeText(text=secret, into=CITY, secret=True)).value is None
    assert set(sent(desktop)) == {"type_text"}


def test_a_long_text_is_pasted_and_in_a_terminal_only_if_it_is_one_line(reader: TesseractReader) -> None:
    terminal = Window(
        id=1, title="sh", app="XTerm", pid=7, area=Area(0, 0, 800, 600), active=True, hidden=False
    )
    for window, text, ways in (
        (EDITOR, "word " * 300, {"paste_text"}),
        (EDITOR, "word\n" * 300, {"paste_text"}),
        (terminal, "word " * 300, {"paste_text"}),
        (terminal, "word\n" * 300, {"type_text"}),
        (EDITOR, "short é 好", {"type_text"}),
    ):
        desktop = MemoryDesktop(screens=form(), windows=[window])
        computer = Computer(desktop, reader=reader, patience=0.0, receipts=False)
        computer.perform(TypeText(text=text, into=CITY))
        assert set(sent(desktop)) == ways


class Browser(MemoryDesktop):
    """Tells one break more than there is where a text ends with one, as Chromium does of its text areas."""

    def focused(self, *, pid: int | None = None, seconds: float = 0.3) -> Element | None:
        told = super().focused(pid=pid, seconds=seconds)
        if told is None:
            return None
        value = told.value + "\n" if told.value.endswith("\n") or not told.value else told.value
        return replace(told, role="entry", states=told.states | {"multi line"}, value=value)


def test_the_break_that_a_browser_adds_is_no_part_of_the_text(reader: TesseractReader) -> None:
    computer = Computer(Browser(screens=form(), windows=[EDITOR]), reader=reader, patience=0.0)
    text = "word\n" * 250
    assert computer.perform(TypeText(text=text, into=CITY)).value == text
    assert computer.perform(TypeText(text="", into=CITY)).value == ""
    # here Return writes nothing, and a paste does
    assert computer.perform(TypeText(text="a\nb", into=CITY)).value == "a\nb"


class Late(MemoryDesktop):
    """Shows what was typed only a while after, and tells nothing of its fields."""

    typed_at = 0.0

    def type_text(self, text: str) -> None:
        self._before = self.capture()
        super().type_text(text)
        self.typed_at = time.monotonic()

    def capture(self, area: Area | None = None) -> Frame:
        return self._before if time.monotonic() - self.typed_at < 0.9 else super().capture(area)

    def focused(self, *, pid: int | None = None, seconds: float = 0.3) -> Element | None:
        return None


def test_a_program_that_paints_late_has_got_the_text(reader: TesseractReader) -> None:
    computer = Computer(Late(screens=form()), reader=reader, patience=0.0)
    computer.perform(Click(target=CITY))
    assert computer.perform(TypeText(text="Zürich")).effect != "nothing"


class Unpasteable(MemoryDesktop):
    """Nobody fetches what is on the clipboard, and the text is quoted in what is said about a bad one."""

    def paste_text(self, text: str) -> None:
        raise CannotType(f"{text} was not fetched")

    def type_text(self, text: str) -> None:
        if "\a" in text:
            raise CannotType(f"{text} cannot be typed")
        super().type_text(text)


def test_where_nobody_fetches_a_paste_keys_are_used(reader: TesseractReader) -> None:
    computer = Computer(Unpasteable(screens=form(), windows=[EDITOR]), reader=reader, patience=0.0)
    assert computer.perform(TypeText(text="word " * 300, into=CITY)).value == "word " * 300


def test_what_is_said_of_a_secret_that_cannot_be_typed_does_not_quote_it(reader: TesseractReader) -> None:
    computer = Computer(Unpasteable(screens=form(), windows=[EDITOR]), reader=reader, patience=0.0)
    with pytest.raises(NotTypedError, match="secret was not typed") as failure:
        computer.perform(TypeText(text="hunter2\a", into=CITY, secret=True))
    assert "hunter2" not in f"{failure.value} {failure.value.expected} {failure.value.seen}"
    assert failure.value.__cause__ is failure.value.__context__ is None


@pytest.mark.parametrize("character", ["\0", "\x1b", "\x7f", "\ud800"])
def test_a_long_text_with_a_character_that_no_key_gives_is_not_typed_in_part(
    reader: TesseractReader, character: str
) -> None:
    desktop = Unpasteable(screens=form(), windows=[EDITOR])
    computer = Computer(desktop, reader=reader, patience=0.0)
    with pytest.raises(NotTypedError, match=r"no key gives it\. Nothing was typed"):
        computer.perform(TypeText(text="word " * 300 + character, into=CITY))
    assert not sent(desktop)


class Full(MemoryDesktop):
    """Takes no more keys after the first 200."""

    def type_text(self, text: str) -> None:
        if sent(self):
            raise CannotType("It hangs.")
        super().type_text(text)


def test_how_much_was_typed_before_a_program_hung_is_said(reader: TesseractReader) -> None:
    computer = Computer(Full(screens=form()), reader=reader, patience=0.0)
    with pytest.raises(NotTypedError, match=r"It hangs\. Of the 600 characters 200 were typed before that"):
        computer.perform(TypeText(text="word " * 120, into=CITY))


class Wandering(MemoryDesktop):
    """Another window takes the keyboard after the first piece."""

    def type_text(self, text: str) -> None:
        super().type_text(text)
        assert self.windows is not None
        self.windows.activate(self.windows.all()[0])


def test_the_rest_of_a_long_text_is_not_typed_into_another_window(reader: TesseractReader) -> None:
    other = Window(id=2, title="Mail", app="mail", pid=8, area=Area(0, 0, 80, 60), active=False, hidden=False)
    desktop = Wandering(screens=form(), windows=[other, EDITOR])
    computer = Computer(desktop, reader=reader, patience=0.0, receipts=False)
    with pytest.raises(NotTypedError, match='"Form" lost the keyboard to "Mail" after 200 of 600 characters'):
        computer.perform(TypeText(text="word " * 120, secret=True))
    assert sent(desktop) == ["type_text"]


# Real programs.


@pytest.fixture
def screen() -> Iterator[str]:
    with x_server() as name:
        yield name


@contextmanager
def computer_on(screen: str, reader: TesseractReader) -> Iterator[tuple[Computer, X11Desktop]]:
    desktop = X11Desktop(screen)
    with Computer(desktop, reader=reader, patience=0.0, receipts=False) as computer:
        yield computer, desktop


@pytest.mark.desktop
@pytest.mark.parametrize("text", ["word " * 2000, "wörd Ж好€ " * 1000])
def test_a_long_text_stops_within_a_third_of_a_second_with_nothing_down(
    screen: str, reader: TesseractReader, tmp_path: Path, text: str
) -> None:
    with (
        computer_on(screen, reader) as (computer, desktop),
        typing_sinks.xterm(desktop, tmp_path) as terminal,
    ):
        asked: list[float] = []

        def check() -> None:
            if len(terminal.text()) > 500:
                asked.append(time.monotonic())
                raise Stopped

        computer.stop_when(check)
        with pytest.raises(Stopped):
            computer.perform(TypeText(text=text, secret=True))
        stopped = time.monotonic()
        assert not desktop.held()
        there = terminal.text()
        assert not until(lambda: len(terminal.text()) > len(there) + 450, 0.5), "it went on"
        assert text.startswith(terminal.text())
        assert stopped - asked[0] < 0.3


@pytest.mark.desktop
def test_a_window_that_closes_in_the_middle_of_a_text_ends_it(
    screen: str, reader: TesseractReader, tmp_path: Path
) -> None:
    with (
        computer_on(screen, reader) as (computer, desktop),
        typing_sinks.xterm(desktop, tmp_path) as terminal,
    ):
        closed: list[bool] = []

        def check() -> None:
            assert desktop.windows is not None
            if not closed and len(terminal.text()) > 100:
                closed.append(True)
                (window,) = [one for one in desktop.windows.all() if one.title == terminal.title]
                desktop.windows.close(window)
                assert until(lambda: all(one.id != window.id for one in desktop.windows.all()))

        computer.stop_when(check)
        with pytest.raises(NotTypedError, match=r'The window "xterm sink" (closed|lost the keyboard)'):
            computer.perform(TypeText(text="word " * 2000, secret=True))
        assert closed


FIELDS = """
import gi
gi.require_version("Gtk", "4.0")
from gi.repository import Gtk
loop = []
def shown(box, name, field):
    field.set_size_request(500, 45)
    field.update_property([Gtk.AccessibleProperty.LABEL], [name])
    box.append(field)
    return field
def keep_digits(field):
    kept = "".join(c for c in field.get_text() if c.isdigit())
    if kept != field.get_text():
        field.set_text(kept)
        field.set_position(-1)
def capitals(field):
    if field.get_text() != field.get_text().upper():
        field.set_text(field.get_text().upper())
        field.set_position(-1)
def indent(controller, key, code, state):
    if key == 0xff0d:
        controller.get_widget().get_buffer().insert_at_cursor(chr(10) + "    ")
        return True
def start(application):
    window = Gtk.ApplicationWindow(application=application, title="Fields")
    window.set_default_size(600, 400)
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    window.set_child(box)
    shown(box, "Plain", Gtk.Entry())
    shown(box, "Short", Gtk.Entry()).set_max_length(5)
    shown(box, "Digits", Gtk.Entry()).connect("changed", keep_digits)
    shown(box, "Capitals", Gtk.Entry()).connect("changed", capitals)
    shown(box, "Hidden", Gtk.PasswordEntry())
    shown(box, "Notes", Gtk.TextView())
    keys = Gtk.EventControllerKey()
    keys.set_propagation_phase(Gtk.PropagationPhase.CAPTURE)
    keys.connect("key-pressed", indent)
    shown(box, "Indenting", Gtk.TextView()).add_controller(keys)
    window.present()
application = Gtk.Application()
application.connect("activate", start)
application.run()
"""
NAMES = {"Plain", "Short", "Digits", "Capitals", "Hidden", "Notes", "Indenting"}


@pytest.fixture(scope="module")
def private(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateDesktop]:
    desktop = open_private((640, 480), os.environ)
    program = tmp_path_factory.mktemp("fields") / "fields.py"
    program.write_text(FIELDS)
    desktop.launch(["/usr/bin/python3", str(program)])

    def told() -> bool:
        elements = desktop.accessibility.elements() if desktop.accessibility is not None else None
        return elements is not None and {element.name for element in elements.items} >= NAMES

    assert until(told, 30), "the fields do not show"
    yield desktop
    desktop.close()


@pytest.fixture
def fields(private: PrivateDesktop, reader: TesseractReader) -> Computer:
    return Computer(private, reader=reader, patience=3.0)


@pytest.mark.desktop
def test_what_a_real_field_holds_is_read_back_exactly(fields: Computer) -> None:
    notes = ElementTarget("Notes", role="field")
    text = "Zeile 1 é\n\tZhЖ 你好 🙂 👍🏽\n" + "x" * 150
    assert fields.perform(TypeText(text=text, into=notes)).value == text
    assert fields.perform(TypeText(text="!")).value == text + "!"
    assert fields.perform(TypeText(text="new\nline", into=notes)).value == "new\nline"
    long = "wörd Ж好€ ςερτ\n" * 100
    assert fields.perform(TypeText(text=long, into=notes)).value == long
    fields.keyboard.hotkey("ctrl", "a")
    fields.perform(TypeText(text="done"))  # a long text pushes the other fields out of the window


@pytest.mark.desktop
def test_an_editor_that_indents_gets_the_text_by_a_paste(fields: Computer) -> None:
    fields.desktop.clipboard.write("mine")  # type: ignore[union-attr]  # there is one
    target = ElementTarget("Indenting", role="field")
    assert fields.perform(TypeText(text="a\nb\nc", into=target)).value == "a\nb\nc"
    assert fields.clipboard.view() == "mine"


@pytest.mark.desktop
@pytest.mark.parametrize(
    ("name", "text", "seen"), [("Short", "abcdefgh", "abcde"), ("Digits", "tel. 12 34", "1234")]
)
def test_a_field_that_takes_less_is_told_with_what_it_holds(
    fields: Computer, name: str, text: str, seen: str
) -> None:
    with pytest.raises(NotTypedError) as failure:
        pytest.fail(f"{fields.perform(TypeText(text=text, into=ElementTarget(name, role='field')))}")
    assert (failure.value.expected, failure.value.seen) == (text, seen)


@pytest.mark.desktop
def test_what_a_field_holds_is_not_its_label_though_another_field_is_called_so(fields: Computer) -> None:
    fields.perform(TypeText(text="Digits", into=ElementTarget("Plain", role="field")))
    fields.perform(TypeText(text="1234", into=ElementTarget("Digits", role="field")))
    held = {one.name: one.value for one in fields.elements(fields.look()).items if one.role == "field"}
    assert (held["Plain"], held["Digits"]) == ("Digits", "1234")


@pytest.mark.desktop
def test_a_field_that_writes_capitals_has_got_the_text_and_tells_what_it_made_of_it(fields: Computer) -> None:
    capitals = ElementTarget("Capitals", role="field")
    assert fields.perform(TypeText(text="ab 1", into=capitals)).value == "AB 1"


@pytest.mark.desktop
@pytest.mark.parametrize("secret", [True, False])
def test_a_secret_that_looks_like_the_one_before_it_has_arrived(fields: Computer, *, secret: bool) -> None:
    hidden = ElementTarget("Hidden", role="field")
    for text in ("hunter2", "hunter3", "hunter4"):
        receipt = fields.perform(TypeText(text=text, into=hidden, secret=secret))
        assert receipt.effect in {"here", "unknown"}
        assert receipt.value is None


@pytest.mark.desktop
def test_a_text_added_in_the_middle_is_known_to_have_arrived(fields: Computer) -> None:
    plain = ElementTarget("Plain", role="field")
    fields.perform(TypeText(text="one three", into=plain))
    fields.keyboard.press("home")
    fields.keyboard.press("right", presses=4)
    assert fields.perform(TypeText(text="two ")).value == "one two three"
    fields.perform(Click(target=plain, count=2))
    assert fields.perform(TypeText(text="2")).value in {"one 2 three", "2 two three", "one two 2"}


@pytest.mark.desktop
@pytest.mark.parametrize("text", ["short", "é" * 30 + "Ж" * 400, "long " * 400])
def test_a_stop_is_heard_while_a_program_hangs(fields: Computer, text: str) -> None:
    (window,) = fields.desktop.windows.all()
    fields.desktop.windows.activate(window)
    fields.desktop.clipboard.write("before")
    wished: list[float] = []

    def check() -> None:
        if wished:
            raise Stopped

    os.kill(window.pid, signal.SIGSTOP)
    wish = threading.Timer(0.5, lambda: wished.append(time.monotonic()))
    wish.start()
    fields.stop_when(check)
    try:
        with pytest.raises(Stopped):
            fields.perform(TypeText(text=text))
        assert time.monotonic() - wished[0] < 1.0  # 0.1 s, and more on a busy machine
        assert not fields.desktop.held()
        fields.stop_when(lambda: None)
        assert fields.desktop.clipboard.read() == "before"
    finally:
        os.kill(window.pid, signal.SIGCONT)
        wish.join()
        fields.stop_when(lambda: None)
