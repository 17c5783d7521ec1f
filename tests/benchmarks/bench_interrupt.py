"""How long after Ctrl-C the prompt of a conversation is there again, whatever is being done."""

from __future__ import annotations

import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[1]))

from chat_terminal import PROMPT, Chat, chatting, runs
from model_server import Hang, Reply, Turn
from processes import below
from stopping import Screen, screen
from timing import rounds, table
from xvfb import until

BAR = 0.5  # seconds
_HERE = Reply(text="I am **here**.")
_INTO_A_TERMINAL = """
computer.windows.open("xterm", "-T", "sink", "-e", "sh", "-c", "rm -f typed; stty -icanon; cat > typed")
computer.windows.wait("sink")
print('begun', flush=True)
computer.keyboard.write('abc XYZ ' * 2000)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What is being done: the model's turn that leads there, and what shows that it goes on.

    ``sign`` and ``then`` are words on the terminal, one after the other, and ``file`` is one that is typed into.
    """

    what: str
    turn: Turn
    sign: str = ""
    then: str = ""
    file: str = ""


TERMINAL = (
    State(what="waiting for the model", turn=Hang()),
    State(
        what="streaming an answer",
        turn=Hang(after=4, reply=Reply(text="I begin to answer, and then nothing more comes.")),
        sign="I begin",
    ),
    State(what="a shell step", turn=runs("echo begun; sleep 600", "shell"), sign="     begun"),
    State(
        what="a python step",
        turn=runs("import time\nprint('begun', flush=True)\ntime.sleep(600)"),
        sign="     begun",
    ),
    State(
        what="python, in a loop", turn=runs("print('begun', flush=True)\nwhile True: pass"), sign="     begun"
    ),
    State(
        what="python, with a child",
        turn=runs("import subprocess\nprint('begun', flush=True)\nsubprocess.run(['sleep', '600'])"),
        sign="     begun",
    ),
    State(
        what="printing without end",
        turn=runs("print('begun', flush=True)\nwhile True: print('line after line')"),
        sign="     begun",
    ),
)
CLICKING = State(
    what="clicking",
    turn=runs("print('begun', flush=True)\nwhile True:\n    computer.mouse.click(300, 300)"),
    sign="     begun",
    then="✓",
)
TYPING = State(
    what="typing",
    turn=runs("print('begun', flush=True)\ncomputer.keyboard.write('abc XYZ ' * 2000)"),
    sign="     begun",
    then="→ type",
)
TYPING_MUCH = State(
    what="in the middle of typing 16,000 characters",
    turn=runs(_INTO_A_TERMINAL),
    sign="     begun",
    then="→ type",
    file="typed",
)


def main() -> None:
    count = rounds(3)
    lines = [("Ctrl-C while", "ms", "(max)", "under the bar")]
    with ExitStack() as opened:
        lines += _measured(TERMINAL, count, opened)
        lines += _measured((CLICKING, TYPING), count, opened, "--os", "--desktop", "memory", on="memory: ")
        where = opened.enter_context(screen())
        on_x11 = (CLICKING, TYPING_MUCH)
        lines += _measured(on_x11, count, opened, "--os", "--desktop", "x11", where=where, on="X11: ")
    table(f"From Ctrl-C to the prompt; the bar is {BAR * 1000:.0f} ms", lines)


def _measured(
    states: tuple[State, ...],
    count: int,
    opened: ExitStack,
    *arguments: str,
    on: str = "",
    where: Screen | None = None,
) -> list[tuple[str, str, str, str]]:
    """A line for each state, all of them in one conversation."""
    home = Path(opened.enter_context(tempfile.TemporaryDirectory()))
    turns = [turn for state in states for turn in (state.turn, _HERE) * count]
    variables = {} if where is None else {"DISPLAY": where.name}
    lines = []
    with chatting(home, turns, "-y", *arguments, variables=variables) as chat:
        for state in states:
            times = [_interrupted(chat, state, where) for _ in range(count)]
            right = sum(time < BAR for time in times)
            lines.append(
                (
                    on + state.what,
                    f"{median(times) * 1000:.0f}",
                    f"({max(times) * 1000:.0f})",
                    f"{right}/{count}",
                )
            )
    return lines


def _interrupted(chat: Chat, state: State, where: Screen | None) -> float:
    """The seconds from Ctrl-C to the prompt; then one turn that shows that the conversation goes on."""
    chat.server.hanging.clear()
    chat.says(state.what)
    if state.sign:
        chat.is_asked(state.sign)
        chat.is_asked(state.then)
        if state.file:
            file = chat.home / "work" / state.file
            assert until(
                lambda: chat.terminal.now() and file.exists() and file.stat().st_size > 20, seconds=60
            )
    else:
        assert until(chat.server.hanging.is_set, seconds=30)
    took = chat.interrupts()
    assert "topped" in chat.terminal.text, chat.terminal.text
    assert where is None or not where.pressed()
    assert not [name for name in below(chat.terminal.pid).values() if name == "sleep"]
    chat.says("are you there?")
    chat.is_asked("I am here.")
    chat.is_asked(PROMPT)
    return took


if __name__ == "__main__":
    main()
