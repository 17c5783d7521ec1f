"""Markdown as it streams in: every word once, whatever pieces it comes in, and nothing that was shown is touched."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from computer_agent.chat.code_lines import CodeLines
from computer_agent.chat.markdown import MarkdownFlow

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass
class Paper:
    """Keeps what is shown: the text, and what stands in a style."""

    text: str = ""
    styled: list[tuple[str, str]] = field(default_factory=list)
    last: str = ""

    def write(self, text: str, style: str) -> None:
        self.text += text
        if style and style == self.last:
            self.styled[-1] = (self.styled[-1][0] + text, style)
        elif style:
            self.styled.append((text, style))
        if text:
            self.last = style

    def code(self, language: str, line: str) -> None:
        self.text += f"{language}: {line}"

    def table(self, rows: Sequence[Sequence[str]]) -> None:
        self.text += f"{rows}\n"


def shown(pieces: Iterable[str], width: int = 80) -> Paper:
    paper = Paper()
    flow = MarkdownFlow(paper, lambda: width)
    for piece in pieces:
        flow.feed(piece)
    flow.end()
    return paper


_MARKS = [
    "**",
    "*",
    "_",
    "__",
    "`",
    "```",
    "~~",
    "~~~",
    "[",
    "](x)",
    "!",
    "\\",
    "#",
    "- ",
    "> ",
    "| ",
    "|--|",
    "1. ",
    "---",
]
_TEXTS = st.lists(
    st.sampled_from(
        [*_MARKS, "word", "snake_case_name", " ", "\n", "\n\n", "\t", "\r\n", "漢字", "é", "a" * 90]
    ),
    max_size=40,
).map("".join)


@example("\r\n", [1], 12)
@example("word\r\n**a**\r\n", [1], 12)
@given(_TEXTS, st.lists(st.integers(1, 9), min_size=1, max_size=20), st.integers(12, 90))
def test_what_is_shown_does_not_depend_on_the_pieces_it_came_in(
    text: str, sizes: list[int], width: int
) -> None:
    pieces, at, turn = [], 0, 0
    while at < len(text):
        pieces.append(text[at : at + sizes[turn % len(sizes)]])
        at, turn = at + sizes[turn % len(sizes)], turn + 1
    assert shown(pieces, width) == shown([text], width)


@given(st.lists(st.text("abcdefgh", min_size=1, max_size=30), min_size=1, max_size=60), st.integers(12, 60))
def test_every_word_is_shown_once_and_no_line_is_wider_than_the_terminal(
    words: list[str], width: int
) -> None:
    text = shown(list(" ".join(words)), width).text
    assert text.split() == words
    assert all(cell_len(line) <= max(width, *map(len, words)) for line in text.splitlines())


def test_a_word_is_shown_as_soon_as_it_is_whole() -> None:
    paper = Paper()
    flow = MarkdownFlow(paper, lambda: 80)
    flow.feed("I look at the fi")
    assert paper.text == "I look at the"
    flow.feed("le. It is **lar")
    assert paper.text == "I look at the file. It is"
    flow.feed("ge** and")
    assert paper.text == "I look at the file. It is large"


@pytest.mark.parametrize(
    ("markdown", "text", "styled"),
    [
        ("It is **large**.", "It is large.", [("large", "bold")]),
        ("*so* and _so_", "so and so", [("so", "italic"), ("so", "italic")]),
        ("a snake_case_name", "a snake_case_name", []),
        ("2 * 3 * 4", "2 * 3 * 4", []),
        ("run `ls *.py` now", "run ls *.py now", [("ls", "cyan"), ("*.py", "cyan")]),
        ("``a `tick` ``", "a `tick`", [("a", "cyan"), ("`tick`", "cyan")]),
        ("**unclosed", "**unclosed", []),
        (r"\*plain\*", "*plain*", []),
        ("~~gone~~", "gone", [("gone", "strike")]),
        ("**with `code`**", "with code", [("with", "bold"), ("code", "bold cyan")]),
        ("# A title", "A title", [("A", "bold underline"), ("title", "bold underline")]),
        ("### Small", "Small", [("Small", "bold")]),
        ("[here](http://x.y)", "here (http://x.y)", [("here", "underline"), ("(http://x.y)", "dim")]),
        ("[http://x.y](http://x.y)", "http://x.y", [("http://x.y", "underline")]),
    ],
)
def test_marks_become_styles(markdown: str, text: str, styled: list[tuple[str, str]]) -> None:
    paper = shown([markdown])
    assert paper.text == f"{text}\n"
    assert paper.styled == styled


@pytest.mark.parametrize(
    ("markdown", "lines"),
    [
        ("- one two three four\n  - five", ["• one two", "  three four", "  • five"]),
        ("10. one two three", ["10. one two", "    three"]),
        ("> one two three four", ["│ one two", "│ three four"]),
        ("one\n\n\n\ntwo\n", ["one", "", "two"]),
        ("---", ["─" * 12]),
        ("```python\nx = 1\n\n  y\n```\nend", ["python: x = 1", "python: ", "python:   y", "end"]),
        ("- a\n  ~~~\n  code\n  ~~~", ["• a", ": code"]),
        ("````\n```\n````", [": ```"]),
        ("| a | b |\n|---|:-:|\n| 1 | **2** |\nend", ["[['a', 'b'], ['1', '2']]", "end"]),
        ("| no table |\nend", ["| no table |", "end"]),
        ("漢字漢字漢字漢字", ["漢字漢字漢字", "漢字"]),
    ],
)
def test_lines_are_put_in_their_form_and_into_the_width(markdown: str, lines: list[str]) -> None:
    assert shown(list(markdown), 12).text.splitlines() == lines


_TWELVE = "one two three four five six seven eight nine ten eleven twelve"


def test_the_width_is_asked_anew_while_words_come() -> None:
    paper, width = Paper(), 40
    flow = MarkdownFlow(paper, lambda: width)
    flow.feed(_TWELVE[:34])
    width = 10
    flow.feed(_TWELVE[34:])
    flow.end()
    assert paper.text.split() == _TWELVE.split()
    assert max(map(len, paper.text.splitlines()[1:])) <= 10


@given(
    st.lists(st.text("abc'\"#()=1 \t\\", max_size=20), max_size=12),
    st.sampled_from(["python", "shell", "html", "?"]),
)
def test_highlighted_code_is_the_code(lines: list[str], language: str) -> None:
    code = CodeLines(language)
    assert ["".join(piece for piece, _ in code.add(line)) for line in lines] == lines


def test_a_keyword_and_a_text_over_several_lines_are_told_apart() -> None:
    code = CodeLines("python")
    assert ("return", "magenta") in code.add("return 1")
    code.add("x = '''")
    assert all(style == "green" for _, style in code.add("return 1"))
