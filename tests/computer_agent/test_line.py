"""One line from a terminal: what was typed before the question is none, and no bytes end the run."""

from __future__ import annotations

import os
import sys
from io import StringIO

import pytest

from computer_agent.chat.line import read_line

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal is POSIX")


class Answering(StringIO):
    """A standard output on which each thing said is answered on a keyboard."""

    def __init__(self, keyboard: int, *answers: bytes) -> None:
        super().__init__()
        self._keyboard = keyboard
        self._answers = list(answers)

    def write(self, words: str) -> int:
        if self._answers:
            os.write(self._keyboard, self._answers.pop(0))
        return super().write(words)


@pytest.mark.parametrize(
    ("answer", "line"),
    [(b"yes\n", "yes"), ("ü\n".encode(), "ü"), (b"\xff y\n", "\N{REPLACEMENT CHARACTER}"), (b"\n", "")],
)
def test_a_line_is_what_was_typed_after_the_question(
    monkeypatch: pytest.MonkeyPatch, answer: bytes, line: str
) -> None:
    keyboard, screen = os.openpty()
    with os.fdopen(screen, encoding="utf-8") as terminal:
        os.write(keyboard, b"typed ahead\n")
        monkeypatch.setattr(sys, "stdin", terminal)
        monkeypatch.setattr(sys, "stdout", Answering(keyboard, answer, b"second\n"))
        assert read_line("Allow? ") == line
        assert read_line("Allow? ") == "second"
    os.close(keyboard)
