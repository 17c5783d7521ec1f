"""What a model is shown of an output: its two ends, without what only terminals understand."""

import stat
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from computer_api.terminal.output import KEPT, Kept, Transcript, plain, shorten
from computer_api.terminal.screen import HEIGHT
from computer_api.terminal.spool import Outputs, Spool


@given(st.text(), st.integers(2, 200))
def test_a_text_that_fits_is_left_alone_and_any_other_keeps_both_ends(text: str, limit: int) -> None:
    short = shorten(text, limit)
    size = len(text.encode())
    if size <= limit // 2 * 2:
        assert short == text
        return
    head, _, rest = short.partition("\n[... ")
    note, _, tail = rest.partition(" left out ...]\n")
    # A text may hold a note of its own; the ends are then found by their lengths.
    if "[..." not in text and "left out" not in text:
        missing, total = (int(number) for number in note.removesuffix(" bytes").split(" of "))
        assert total == size
        assert text.startswith(head)
        assert text.endswith(tail)
        assert missing + len(head.encode()) + len(tail.encode()) == total
        assert len(head.encode()) > limit // 2 - 4
        assert len(tail.encode()) > limit // 2 - 4
    assert "\N{REPLACEMENT CHARACTER}" not in short or "\N{REPLACEMENT CHARACTER}" in text


@given(st.lists(st.binary(max_size=300)), st.integers(1, 20))
def test_how_the_bytes_arrive_changes_nothing(pieces: list[bytes], size: int) -> None:
    apart, together = Kept(size), Kept(size)
    for piece in pieces:
        apart.add(piece)
    together.add(b"".join(pieces))
    assert apart.text() == together.text()
    assert apart.total == together.total


def test_a_long_stream_takes_little_memory() -> None:
    kept = Kept(1000)
    for _ in range(1000):
        kept.add(b"x" * 1000)
    assert len(kept._head) + len(kept._tail) < 30_000
    assert kept.text().startswith("x" * 1000 + "\n[... 998000 of 1000000 bytes left out ...]\nx")


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b(Bascii\x1b7", "ascii"),
        ("10%\r50%\r100%\n", "100%\n"),
        ("10%\r50%\r100%\r\n", "100%\n"),
        ("a\r\nb\r\n", "a\nb\n"),
        ("done\r\x1b[Knext\n", "next\n"),
        ("b\bbo\bol\bld\bd", "bold"),
        ("bell\a and\0 nul", "bell and nul"),
        ("  tab\tkept  ", "  tab\tkept  "),
        ("cut off \x1b[3", "cut off "),
        ("cut off \x1b]0;title", "cut off "),
        ("100%\rok", "ok0%"),
        ("100%\r\x1b[Kok", "ok"),
        ("\x1b[1Gab\x1b[1Gc\n", "cb\n"),
        ("abc\x1b[2D\x1b[1Kd\n", " dc\n"),
        ("gone\x1b[2K\rhere\n", "here\n"),
        ("long one\r        \rx\n", "x\n"),
        ("ab\x1b[3Cd", "ab   d"),
        ("abcdef\r\x1b[2P", "cdef"),
        ("\x1b[38;5;1mred\x1b[m\x1b[?25l", "red"),
        ("a\x1b[Hb\n", "b\n"),
        ("before\n\x1b[H\x1b[2Jafter\n", "before\nafter\n"),
        ("\x1b[99999999999Cx", " " * 119 + "x"),
    ],
)
def test_a_terminal_s_own_language_is_taken_out(raw: str, shown: str) -> None:
    assert plain(raw) == shown


@given(st.text(alphabet=st.sampled_from("ab \n\r\b\x1b[]m0;?\x07é")))
def test_a_plain_text_holds_no_controls_and_stays_as_it_is(raw: str) -> None:
    once = plain(raw)
    assert not set(once) & set("\r\b\x1b\x07")
    assert plain(once) == once


@given(st.text(alphabet=st.characters(exclude_categories=["Cc", "Cs"], include_characters="\n\t")))
def test_a_text_without_controls_is_left_alone(text: str) -> None:
    assert plain(text) == text


BARS = {
    "two tqdm bars": (
        "outer 0%\n\rinner 0%\x1b[A\n\rinner 50%\x1b[A\r\n\rinner 100%\x1b[A\router 100%\n\ninner done\n",
        "outer 100%\ninner 100%\ninner done\n",
    ),
    "docker pull": (
        "a: Pulling\nb: Pulling\n\x1b[2A\x1b[2K\ra: Done\r\x1b[2B\x1b[1A\x1b[2K\rb: Done\r\x1b[1Bend\n",
        "a: Done\nb: Done\nend\n",
    ),
    "npm": ("\x1b[1G\x1b[0K| fetch\x1b[1G\x1b[0K/ fetch\x1b[1G\x1b[0Kadded 1 package\n", "added 1 package\n"),
    "apt": (
        "\x1b7\x1b[40;0fProgress: [ 10%]\x1b8Unpacking a\n\x1b7\x1b[40;0fProgress: [ 90%]\x1b8Setting up a\n",
        "Unpacking a\nSetting up a\n",
    ),
    "yarn": ("one\ntwo\nthree\n\x1b[3A\x1b[0Jone and all\n", "one and all\n"),
}


@pytest.mark.parametrize("bar", BARS)
def test_bars_that_are_redrawn_are_shown_as_they_last_stood(bar: str) -> None:
    raw, shown = BARS[bar]
    assert plain(raw) == shown


def test_a_cursor_goes_up_no_further_than_a_screen_is_high() -> None:
    lines = "".join(f"{number}\n" for number in range(HEIGHT + 5))
    shown = plain(lines + f"\x1b[{HEIGHT + 5}Ahere").split("\n")
    assert shown.index("here") == len(shown) - HEIGHT


def test_a_screen_whose_end_is_erased_stays_where_it_was() -> None:
    data = "\n" * 50 + "one\ntwo\nthree\n\x1b[3A\x1b[0Jone and all\n\x1b8here"
    whole, single = Transcript(), Transcript()
    whole.add(data.encode())
    for character in data:
        single.add(character.encode())
    assert whole.text() == single.text() == "\n" * 14 + "here" + "\n" * 36 + "one and all\n"


PIECES = st.one_of(
    st.binary(max_size=12),
    st.sampled_from([raw.encode() for raw, _ in BARS.values()]),
    st.sampled_from(
        ["é€😀".encode(), b"line\n", b"\n" * 50, b"x" * 5000, b"\r", b"\b", b"\x1b[3A", b"\x1b[K"]
    ),
    st.sampled_from([b"\x1b[2J", b"\x1b[20;3H", b"\x1b7", b"\x1b8", b"\x1b]0;t\x07", b"\x1b[1J", b"\x1b[J"]),
    st.builds(b"\x1b[%d%c".__mod__, st.tuples(st.integers(0, 130), st.sampled_from(b"ABCDEFGHJKPXfsu"))),
)
STREAMS = st.lists(PIECES, max_size=30).map(b"".join)


@settings(max_examples=60)
@given(STREAMS, st.lists(st.integers(1, 400), max_size=40), st.sampled_from([20, KEPT]))
def test_wherever_an_output_is_cut_into_pieces_the_model_is_shown_the_same(
    data: bytes, sizes: list[int], size: int
) -> None:
    whole, cut, single = Transcript(size), Transcript(size), Transcript(size)
    pieces = whole.add(data) + whole.end()
    rest, other_pieces = data, ""
    for step in sizes:
        other_pieces += cut.add(rest[:step])
        rest = rest[step:]
    other_pieces += cut.add(rest) + cut.end()
    for byte in data:
        single.add(bytes([byte]))
    single.end()
    assert whole.text() == cut.text() == single.text()
    assert pieces == other_pieces == data.decode("utf-8", "replace")
    assert whole.truncated == cut.truncated
    assert whole.total == cut.total == len(data)


@given(STREAMS)
def test_the_model_is_shown_no_controls(data: bytes) -> None:
    transcript = Transcript()
    transcript.add(data)
    transcript.end()
    controls = {character for character in transcript.text() if character < " " or character == "\x7f"}
    assert controls <= {"\n", "\t"}


@pytest.mark.parametrize(
    "unit", [b"x", b"line\n", b"10%\r", b"x\b", b"\n\x1b[A", b"\x1b[1K", b"\x1b]", b"\x1b[2J"]
)
def test_ten_times_the_output_takes_about_ten_times_as_long(unit: bytes) -> None:
    def seconds(count: int) -> float:
        transcript, began = Transcript(), time.process_time()
        for _ in range(count):
            transcript.add(unit * 100)
        transcript.text()
        return time.process_time() - began

    small = min(seconds(20) for _ in range(3))
    assert seconds(200) < 40 * small + 0.2


def test_a_progress_bar_of_megabytes_is_not_truncated_and_leaves_no_file(tmp_path: Path) -> None:
    transcript = Transcript(spool=Spool(Outputs(tmp_path / "outputs")))
    for number in range(20_000):
        transcript.add(b"\r%5d of 20000 files" % number)
    assert transcript.text() == "19999 of 20000 files"
    assert transcript.saved() == (None, None)
    assert not list((tmp_path / "outputs").iterdir())


def test_all_of_a_long_output_is_in_a_file_for_the_person_alone(tmp_path: Path) -> None:
    transcript = Transcript(spool=Spool(Outputs(tmp_path)))
    data = b"\x1b[31m0123456789\xff\n" * 20_000
    for start in range(0, len(data), 1000):
        transcript.add(data[start : start + 1000])
    saved, note = transcript.saved()
    assert saved is not None
    assert saved.read_bytes() == data
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600
    assert note == f'the whole output is in "{saved}"'


def test_a_file_has_a_size_and_what_comes_after_it_is_dropped(tmp_path: Path) -> None:
    spool = Spool(Outputs(tmp_path), most=300_000)
    for _ in range(50):
        spool.add(b"x" * 10_000)
    saved, note = spool.end(needed=True)
    assert saved is not None
    assert saved.read_bytes() == b"x" * 300_000
    assert note == f'the beginning of the output, 300000 bytes, is in "{saved}"'


@pytest.mark.skipif(sys.platform == "win32", reason="the limit that stands for a full disk is POSIX's")
def test_a_disk_that_takes_no_more_ends_the_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import resource

    spool = Spool(Outputs(tmp_path))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # it would be half of a module
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, before[1]))
    try:
        for _ in range(50):
            spool.add(b"x" * 10_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    saved, note = spool.end(needed=True)
    assert saved is not None
    assert saved.stat().st_size == 200_000
    assert note == f'saving the output failed (File too large): its beginning, 200000 bytes, is in "{saved}"'


def test_temporary_files_are_gone_after_closing() -> None:
    outputs = Outputs()
    spool = outputs.spool()
    spool.add(b"x" * 200_000)
    saved, _ = spool.end(needed=True)
    assert saved is not None
    assert saved.exists()
    outputs.close()
    assert not saved.parent.exists()
    outputs.close()
