"""Code is shown as it is written: each piece once, whatever the stream cuts, and the same in the end."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from computer_agent.models.dialect import Reply
from computer_agent.models.wires.written_code import ShownWithCode


class _Words:
    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.ended = False

    def __call__(self, piece: str) -> None:
        self.pieces.append(piece)

    def end(self, _: Reply) -> None:
        self.ended = True


def _told(arguments: str, cuts: list[int], *, name: str = "run_code") -> tuple[str, list[str]]:
    told: list[tuple[str, str]] = []
    shown = ShownWithCode(_Words(), lambda language, text: told.append((language, text)))
    for end in [*sorted({min(cut, len(arguments)) for cut in cuts}), len(arguments)]:
        shown.called(1, name, arguments[:end])
    assert all(language == "python" for language, _ in told)
    return "".join(text for _, text in told), [text for _, text in told]


@given(
    code=st.text(st.characters(exclude_categories=["Cs"]), max_size=60),
    cuts=st.lists(st.integers(0, 200), max_size=12),
    ascii_only=st.booleans(),
)
def test_however_the_arguments_are_cut_the_code_comes_once_and_whole(
    code: str, cuts: list[int], *, ascii_only: bool
) -> None:
    arguments = json.dumps({"language": "python", "code": code}, ensure_ascii=ascii_only)
    assert _told(arguments, cuts)[0] == code


def test_the_pieces_come_while_the_code_is_written() -> None:
    arguments = json.dumps({"language": "python", "code": "a = 1\nb = 2\n"})
    half = arguments.index("b = 2")
    _, pieces = _told(arguments, [half])
    assert pieces == ["a = 1\n", "b = 2\n"]


def test_half_a_character_waits_for_the_other_half() -> None:
    arguments = json.dumps({"language": "python", "code": "x = '😀'"})
    middle = arguments.index("\\ude00")
    whole, pieces = _told(arguments, [middle - 3, middle, middle + 2])
    assert whole == "x = '😀'"
    assert all("\ud83d" not in piece for piece in pieces)


def test_other_calls_and_code_before_its_language_are_not_shown() -> None:
    assert _told(json.dumps({"language": "python", "code": "1"}), [], name="computer")[0] == ""
    assert _told(json.dumps({"code": "1", "language": "python"}), [12])[0] == ""


def test_a_second_call_begins_anew() -> None:
    told: list[tuple[str, str]] = []
    shown = ShownWithCode(_Words(), lambda language, text: told.append((language, text)))
    shown.called(1, "run_code", '{"language": "python", "code": "1"}')
    shown.called(2, "execute", '{"language": "shell", "code": "ls"}')
    assert told == [("python", "1"), ("shell", ""), ("shell", "ls")]


def test_words_pass_through() -> None:
    words = _Words()
    shown = ShownWithCode(words, lambda *_: None)
    shown("hello")
    shown.end(Reply(message={}))
    assert (words.pieces, words.ended) == (["hello"], True)
