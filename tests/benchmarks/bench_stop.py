"""How long a run goes on after a person has pressed Esc twice, at each of its stages."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1]))

from model_server import Hang, ModelServer, Scripted
from stopping import Halt, Screen, said, screen, steps, stopped
from timing import rounds, table
from xvfb import until

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

LONG = 30
NOISE = "while :; do seq $RANDOM; done"
RESTLESS = f'open "xterm" with "-T" "noise" "-e" "bash" "-c" "{NOISE}"'
DEAF = "import signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN); time.sleep(30)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What a run is doing when it is stopped: the steps that lead there, the words that say so, a fact beside them."""

    what: str
    lines: tuple[str, ...]
    words: str
    also: Callable[[Screen], object] = lambda _screen: True


STAGES = (
    Stage(what="waiting", lines=(f"wait {LONG} seconds",), words="→ wait"),
    Stage(
        what="holding keys",
        lines=(f"hold ctrl+shift for {LONG} seconds",),
        words="→ hold",
        also=lambda where: len(where.pressed()) > 1,
    ),
    Stage(
        what="in the middle of a drag",
        lines=("drag 40,40" + " via 1200,40 via 1200,700 via 40,700 via 40,40" * 9 + " to 1200,700",),
        words="→ drag",
        also=lambda where: where.pressed(),
    ),
    Stage(
        what="typing 20,000 characters",
        lines=(
            'open "xterm" with "-T" "sink" "-e" "cat"',
            f'type "{"the quick brown fox " * 1000}"',
        ),
        words="→ type",
    ),
    Stage(
        what="reading the screen",
        lines=(RESTLESS, f'expect "never there" within {LONG} seconds'),
        words="→ expect",
    ),
    Stage(what="watching what changes", lines=(RESTLESS, *["press f12"] * 30), words="→ press"),
    Stage(what="looking at the screen", lines=(RESTLESS, *["look"] * 30), words="→ look"),
    Stage(what="waiting for a window", lines=(f'open "sleep" with "{LONG}"',), words="→ open"),
    Stage(what="a shell step", lines=(f'run shell "sleep {LONG}"',), words="→ run"),
    Stage(what="a python step", lines=(f'run python "import time; time.sleep({LONG})"',), words="→ run"),
    Stage(what="a python step that hears nothing", lines=(f'run python "{DEAF}"',), words="→ run"),
    Stage(
        what="a shell step that ignores Ctrl-C",
        lines=(f"run shell \"trap '' INT; sleep {LONG}\"",),
        words="→ run",
    ),
)


def main() -> None:
    count = rounds(1)
    lines = [("stopped while", "ms", "(max)", "right")]
    lines += [_measured(stage.what, [_at(stage) for _ in range(count)]) for stage in STAGES]
    lines.append(_measured("waiting for the model", [_at_the_model() for _ in range(count)]))
    table(
        "Esc twice, until nothing acts any more and the trace is whole",
        lines,
        "right: exit code 130, nothing stays pressed, the trace says who stopped it",
    )


def _measured(what: str, halts: list[Halt]) -> tuple[str, str, str, str]:
    times = [halt.seconds * 1000 for halt in halts]
    right = sum(
        halt.ran.code == 130 and not halt.pressed and "You pressed Esc twice." in halt.ran.out
        for halt in halts
    )
    return what, f"{median(times):.0f}", f"({max(times):.0f})", f"{right}/{len(halts)}"


def _at(stage: Stage) -> Halt:
    with screen() as where, tempfile.TemporaryDirectory() as folder:

        def reached(process: subprocess.Popen[str], out: Path) -> bool:
            return said(stage.words)(process, out) and bool(stage.also(where))

        def wish(_process: subprocess.Popen[str]) -> None:
            where.esc_twice()

        return stopped(where, Path(folder), steps(*stage.lines), reached, wish)


def _at_the_model() -> Halt:
    with (
        screen() as where,
        ModelServer(Scripted([Hang()])) as server,
        tempfile.TemporaryDirectory() as folder,
    ):
        arguments = [
            "--os", "--desktop", "x11", "-y", "--trace", "trace", "--model", "openai/scripted",
            "--api-base", server.api_base, "--api-key", "test", "do it",
        ]  # fmt: skip
        return stopped(
            where,
            Path(folder),
            arguments,
            lambda _process, _out: until(lambda: server.requests, 60),
            lambda _process: where.esc_twice(),
        )


if __name__ == "__main__":
    main()
