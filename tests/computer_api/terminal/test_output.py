"""What a model is shown of an output: its two ends, without what only terminals understand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from computer_api.terminal.output import Kept, plain, shorten


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
        ("cut off \x1b[3", "cut off 3"),
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
