from __future__ import annotations

import re
import shutil
import signal
from typing import TYPE_CHECKING

import pytest
from chat_terminal import environment, of_model, runs
from hypothesis import given
from hypothesis import strategies as st
from model_server import ModelServer, Scripted
from oi_process import OI
from tmux import tmux

from computer_agent.chat.interrupts import Interrupts
from computer_agent.chat.talk import parts
from computer_agent.step import Printing

if TYPE_CHECKING:
    from pathlib import Path

STOPPED = "Stopped: You stopped the run."


def writes(interrupts: Interrupts, written: list[str], *, presses: int) -> None:
    """Write something, in the middle of which Ctrl-C comes."""
    with interrupts.listening():
        with interrupts.writing():
            for _ in range(presses):
                signal.raise_signal(signal.SIGINT)
            written.append("all of it")
        written.append("and more")


def test_what_is_being_written_when_ctrl_c_comes_is_written_whole() -> None:
    interrupts, written = Interrupts(), list[str]()
    with pytest.raises(KeyboardInterrupt):
        writes(interrupts, written, presses=1)
    assert written == ["all of it"]
    assert not interrupts.leaves


def test_a_second_ctrl_c_breaks_off_what_cannot_be_written() -> None:
    interrupts, written = Interrupts(), list[str]()
    with pytest.raises(KeyboardInterrupt):
        writes(interrupts, written, presses=2)
    assert written == []
    assert interrupts.leaves


def test_a_third_ctrl_c_does_not_break_off_what_the_second_has_begun() -> None:
    interrupts, done = Interrupts(), list[str]()
    with interrupts.listening(), interrupts.writing():
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        done.append("released")
    assert done == ["released"]


def test_after_what_was_written_ctrl_c_is_heard_at_once() -> None:
    interrupts, done = Interrupts(), []
    with interrupts.listening():
        with interrupts.writing():
            pass
        with pytest.raises(KeyboardInterrupt):
            done.append(signal.raise_signal(signal.SIGINT))
    assert done == []


@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
def test_ctrl_c_in_a_flood_of_output_shows_no_line_twice(tmp_path: Path) -> None:
    turns = range(1, 4)
    floods = [runs(f"for number in range(10**9): print(f'{turn}-{{number}}.')") for turn in turns]
    with (
        ModelServer(Scripted(floods)) as server,
        tmux([*OI, *of_model(server), "-y"], cwd=tmp_path, environment=environment(tmp_path)) as window,
    ):
        window.shows(">")
        for turn in turns:
            window.types(f"turn {turn}")
            window.shows(f" {turn}-99.")
            window.presses("C-c")
            window.shows(STOPPED, times=turn)
        shown = window.joined
    for turn in turns:  # what the terminal held when Ctrl-C came, it forgets: numbers may be missing
        numbers = [int(number) for number in re.findall(rf"\b{turn}-(\d+)\.", "\n".join(shown))]
        assert numbers == sorted(set(numbers))
    # and a line's end with them, after which the sentence stands beside what is left of that line
    assert "\n".join(shown).count(STOPPED) == len(turns)


@given(st.text(max_size=20_000))
def test_a_long_output_is_shown_in_pieces_between_which_ctrl_c_is_heard(text: str) -> None:
    pieces = [part.text for part in parts(Printing(text=text)) if isinstance(part, Printing)]
    assert "".join(pieces) == text
    assert all(len(piece) <= 4096 for piece in pieces)
