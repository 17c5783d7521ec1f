"""The view of a conversation: what was shown is not shown again, and nothing that hides is left hidden."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from rich.console import Console

from computer_agent.chat.conversation_view import ConversationView
from computer_agent.step import (
    Deciding,
    Done,
    Finished,
    NotDone,
    Performed,
    Printing,
    Spent,
    Thinking,
    Writing,
)
from computer_api.actions import RunCode
from computer_api.receipt import Receipt

if TYPE_CHECKING:
    from computer_agent.step import Ending

CODE = RunCode(language="python", code="x = 1\nprint(x)\n")
SPENT = Spent(steps=1, seconds=1.0, dollars=0.0, tokens=10)


class Seen:
    """A view, and what it has shown."""

    def __init__(self, *, plain: bool = False, width: int = 60) -> None:
        self.file = io.StringIO()
        self.pictures: list[bytes] = []
        console = Console(file=self.file, force_terminal=True, no_color=True, width=width, highlight=False)
        self.view = ConversationView(console, plain=plain, show_picture=self.pictures.append)

    def writes(self, text: str) -> None:
        for character in text:
            self.view.show(Writing(language="python", text=character))

    @property
    def lines(self) -> list[str]:
        import re

        self.view.break_line()
        return re.sub(r"\x1b\[[0-9;]*m", "", self.file.getvalue()).splitlines()


def finished(words: str, ending: Ending = "done") -> Finished:
    return Finished(ending=ending, words=words, spent=SPENT)


def ran(*images: bytes, failed: bool = False) -> Performed:
    receipt = Receipt(effect="unknown", images=images, failed=failed, seconds=0.5)
    return Performed(outcome=Done(action=CODE, receipt=receipt), nested=False)


def test_code_that_was_shown_as_it_was_written_is_not_shown_again() -> None:
    seen = Seen()
    seen.view.show(Thinking(text="I **set** x."))
    seen.view.show(Writing(language="python", text=""))
    seen.writes(CODE.code)
    assert seen.view.has_just_shown(CODE)
    seen.view.show(Deciding(action=CODE, nested=False))
    seen.view.show(Printing(text="1\n"))
    seen.view.show(ran(b"picture"))
    seen.view.show(Thinking(text="It is 1."))
    seen.view.show(finished("It is 1."))
    assert seen.lines == [
        "I set x.", "  x = 1", "  print(x)", "     1", "It is 1.", "1 step, 1.0 s, $0",
    ]  # fmt: skip
    assert seen.pictures == [b"picture"]


def test_other_code_than_was_shown_is_shown_and_asked_about_as_a_whole() -> None:
    seen = Seen()
    seen.writes("x = 2\n")
    assert not seen.view.has_just_shown(CODE)
    assert not seen.view.has_just_shown(RunCode(language="python", code="x = 2\n", outside=True))
    assert seen.view.has_just_shown(RunCode(language="python", code="x = 2"))
    seen.view.show(Deciding(action=CODE, nested=False))
    assert seen.lines == ["  x = 2", "  x = 1", "  print(x)"]
    assert not seen.view.has_just_shown(CODE)  # it has run: the same again is shown again


def test_words_after_a_block_part_it_from_its_question() -> None:
    seen = Seen()
    seen.view.show(Thinking(text="```python\nx = 1\nprint(x)\n```\n"))
    assert seen.view.has_just_shown(CODE)
    seen.view.show(Thinking(text="That is it."))
    assert not seen.view.has_just_shown(CODE)


def test_a_question_that_has_shown_the_code_is_enough() -> None:
    seen = Seen()
    seen.view.is_shown(CODE)
    seen.view.show(Deciding(action=CODE, nested=False))
    assert seen.lines == []


def test_what_hides_in_code_words_and_output_is_made_visible() -> None:
    seen = Seen()
    seen.writes("a = '\u202eb'\n")
    seen.view.show(Thinking(text="c\x1b[2Jd"))
    seen.view.show(Printing(text="e\x07\x1b[2Jf\n"))
    assert seen.lines == ["  a = '⟨U+202E⟩b'", "c⟨U+001B⟩[2Jd", "     e⟨U+0007⟩f"]


def test_an_answer_that_was_not_streamed_is_shown_and_so_is_what_failed() -> None:
    seen = Seen()
    seen.view.show(Deciding(action=CODE, nested=False))
    seen.view.show(ran(failed=True))
    seen.view.show(finished("# It\n- failed"))
    refused = NotDone(action=CODE, why="not today", kind="refused")
    seen.view.show(Performed(outcome=refused, nested=False))
    seen.view.show(finished("You stopped the run.", "stopped"))
    assert seen.lines[2:] == [
        "     ✗ the code failed  (0.50 s)",
        "It",
        "• failed",
        "1 step, 1.0 s, $0",
        "     ✗ refused: the python code: not today",
        "Stopped: You stopped the run.",
        "1 step, 1.0 s, $0",
    ]


def test_plain_shows_words_as_they_are() -> None:
    seen = Seen(plain=True)
    seen.view.show(Thinking(text="# Not a **title**\n| a |"))
    assert seen.lines == ["# Not a **title**", "| a |"]


def test_a_table_is_no_wider_than_the_terminal() -> None:
    seen = Seen(width=20)
    seen.view.show(Thinking(text="| one | two |\n|---|---|\n| a | some longer words here |\n"))
    assert max(map(len, seen.lines)) <= 20
    assert "longer" in "\n".join(seen.lines)


def test_a_bar_of_progress_is_shown_once_from_its_first_state_on() -> None:
    seen = Seen()
    seen.view.show(Deciding(action=CODE, nested=False))
    for text in ("\r  0 %", "\r 50 %", "\r100 %", "\n", "done\n"):
        seen.view.show(Printing(text=text))
    assert seen.lines[2:] == ["     100 %", "     done"]


def test_a_bar_that_stands_still_when_the_code_ends_is_shown() -> None:
    seen = Seen()
    for text in ("begun\n", "\r  0 %", "\r 50 %"):
        seen.view.show(Printing(text=text))
    seen.view.show(ran())
    assert seen.lines == ["     begun", "      50 %"]
