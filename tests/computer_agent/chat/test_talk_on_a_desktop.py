"""`oi --os` without a task: a conversation that has the whole desktop, stopped in the middle of its work there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from chat_terminal import chatting, conversations, runs
from model_server import Reply
from stopping import screen

from computer_agent.conversations.record import read

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.desktop

_STATES = {
    "clicking": "print('begun', flush=True)\nwhile True:\n    computer.mouse.click(300, 300)",
    "typing": """
computer.windows.open("zenity", "--entry", "--title", "Field")
computer.windows.wait("Field")
print('begun', flush=True)
computer.keyboard.write('abc XYZ ' * 2000)
""",
}


def test_ctrl_c_and_esc_stop_the_work_on_the_screen_and_keep_the_conversation(tmp_path: Path) -> None:
    turns = [turn for code in _STATES.values() for turn in (runs(code), Reply(text="I am **here**."))]
    turns += [runs(_STATES["clicking"]), Reply(text="Still here.")]
    with screen() as where:
        variables = {"DISPLAY": where.name}
        with chatting(tmp_path, turns, "--os", "--desktop", "x11", "-y", variables=variables) as chat:
            for state in _STATES:
                chat.says(f"do {state}")
                chat.is_asked("     begun")
                chat.is_asked("→ type" if state == "typing" else "✓")
                took = chat.interrupts()
                assert took < 5.0, f"{state}: {took:.2f} s"  # half a second on a quiet machine
                assert where.pressed() == []
                chat.says("are you there?")
                chat.is_asked("I am here.")
                chat.is_asked()
            chat.says("again")
            chat.is_asked("     begun")
            chat.is_asked("✓")
            where.esc_twice()
            chat.is_asked()
            chat.says("are you there?")
            chat.is_asked("Still here.")
            chat.is_asked()
            assert chat.leaves() == 0
    (kept,) = conversations(tmp_path)
    assert [one["content"] for one in read(kept).messages if one["role"] == "user"][-1] == "are you there?"
