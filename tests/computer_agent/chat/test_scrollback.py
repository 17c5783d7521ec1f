"""What a terminal keeps of a long answer: every token once, in any width, also while the window changes."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

import pytest
from chat_terminal import environment, of_model
from model_server import ModelServer, Reply, Scripted
from oi_process import OI
from tmux import tmux

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")

TOKENS = [f"w{number}" for number in range(10_000)]


def answer() -> str:
    """Ten thousand tokens: paragraphs, items, marks, code."""
    lines = []
    for start in range(0, len(TOKENS), 50):
        words = TOKENS[start : start + 50]
        words[3], words[7] = f"**{words[3]}**", f"`{words[7]}`"
        lines.append(("- " if start % 200 == 50 else "") + " ".join(words))
        if start % 1000 == 0:
            lines.append(f"```python\ncode{start} = {start}\n```")
        lines.append("")
    return "\n".join(lines)


def test_a_dumb_terminal_of_40_columns_gets_whole_words(tmp_path: Path) -> None:
    with (
        ModelServer(
            Scripted([Reply(text="There are words in this answer that do not fit into a line.")])
        ) as server,
        tmux(
            ["env", "TERM=dumb", *OI, *of_model(server)],
            cwd=tmp_path,
            environment=environment(tmp_path),
            size=(40, 12),
        ) as window,
    ):
        window.shows(">")
        assert window.scrollback[0] == "oi with openai/test; it asks before it"
        window.types("tell me")
        window.shows("fit into a line.")
        assert "There are words in this answer that do" in window.scrollback


@pytest.mark.parametrize("size", [(80, 24), (40, 12)], ids=["80 columns", "40 columns, while it is resized"])
def test_ten_thousand_tokens_stand_in_the_scrollback_once(size: tuple[int, int], tmp_path: Path) -> None:
    variables = environment(tmp_path)
    with (
        ModelServer(Scripted([Reply(text=f"{answer()}\n\nThe end.")]), chunk=9) as server,
        tmux([*OI, *of_model(server)], cwd=tmp_path, environment=variables, size=size) as window,
    ):
        window.shows(">")
        window.types("tell me a lot")
        if size[0] == 40:
            for place, wide in enumerate((100, 33, 60, 40)):
                window.shows(f"w{500 + 2000 * place} ")
                window.resizes(wide, 12 + place)
        window.shows("The end.")
        shown = "\n".join(window.joined)
        assert re.findall(r"\bw\d+\b", shown) == TOKENS
        assert re.findall(r"\bcode(\d+) =", shown) == [str(number) for number in range(0, 10_000, 1000)]
        assert max(map(len, window.scrollback)) <= 100
