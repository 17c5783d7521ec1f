"""What it costs to say `oi --version`, beside Python itself and an import of pyautogui; and what it imports."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bed import PEERS, screen
from timing import Row, Tally, in_turn, rounds, show, timed

if TYPE_CHECKING:
    from bed import Environment

OI = str(Path(sys.executable).with_name("oi"))
VERSION, HELP = [OI, "--version"], [OI, "--help"]
MAIN = "from computer_agent.cli import main; main(['--version'])"
NOTHING = [sys.executable, "-c", "pass"]
PYAUTOGUI = [str(PEERS), "-c", "import pyautogui"]
COMPUTER = [sys.executable, "-c", "from computer_api.computer import Computer; Computer.open('x11').close()"]


def main() -> None:
    count = rounds(15)
    rows = [
        Row(what="oi --version", peer="python -c pass"),
        Row(what="oi --version", peer="python -c 'import pyautogui'"),
        Row(what="oi --help", peer="python -c 'import pyautogui'"),
        Row(what="Computer.open('x11').close()", peer="python -c 'import pyautogui'"),
    ]
    commands = [(VERSION, NOTHING), (VERSION, PYAUTOGUI), (HELP, PYAUTOGUI), (COMPUTER, PYAUTOGUI)]
    with screen() as environment:
        measures = [
            partial(_run, command, times, tally, environment)
            for row, (ours, theirs) in zip(rows, commands, strict=True)
            for command, times, tally in (
                (ours, row.ours, row.ours_right),
                (theirs, row.theirs, row.theirs_right),
            )
        ]
        for command in {tuple(command) for pair in commands for command in pair}:
            _run(list(command), [], Tally(), environment)  # compiles what it imports
        in_turn(count, *measures)
        note = imports(environment)
    show("A process from its start to its end: right are those that ended well", rows, note)


def imports(environment: Environment) -> str:
    """What `oi --version` imports beyond a bare Python, by `-X importtime`: how many, how long, the dearest."""
    bare = _imported("pass", environment)
    ours = {name: cost for name, cost in _imported(MAIN, environment).items() if name not in bare}
    dearest = sorted(ours, key=lambda name: -ours[name])[:5]
    named = ", ".join(f"{name} {ours[name] / 1000:.1f}" for name in dearest)
    return f"-X importtime: {len(ours)} modules, {sum(ours.values()) / 1000:.1f} ms; the dearest by themselves: {named}"


def _imported(code: str, environment: Environment) -> dict[str, int]:
    """Each imported module, and the microseconds that it took by itself; the quickest of three runs."""
    command = [sys.executable, "-X", "importtime", "-c", code]
    runs = []
    for _ in range(3):
        said = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stderr
        rows = [line.removeprefix("import time:").split("|") for line in said.splitlines()[1:]]
        runs.append({name.strip(): int(own) for own, _, name in rows})
    return min(runs, key=lambda run: sum(run.values()))


def _run(command: list[str], times: list[float], tally: Tally, environment: Environment) -> None:
    seconds, done = timed(
        lambda: subprocess.run(command, env=environment, cwd="/", capture_output=True, check=False)
    )
    times.append(seconds)
    tally.count(right=done.returncode == 0)


if __name__ == "__main__":
    main()
