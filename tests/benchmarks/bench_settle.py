"""How long after a program has painted its reaction the wait for it ends, beside fixed sleeps.

A Tk window reacts to a click after 0.1 to 2 s, in two parts, with a caret, a spinner and a clock on the screen. Ours
is a click with its receipt; theirs are the sleeps of scripts (1 s, 2 s) and a poll until two pictures are the same,
which a spinner never lets happen. A wait that ends before the last painting is wrong.
"""

from __future__ import annotations

import json
import os
import random
import tempfile
import time
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING

from timing import rounds, table
from xvfb import until, x_server

from computer_api import Computer
from computer_api.actions import Click
from computer_api.geometry import Pixel
from computer_platform.x11 import X11Desktop

if TYPE_CHECKING:
    from collections.abc import Callable

PROGRAM = Path(__file__).parents[1] / "receipt_programs" / "delayed_tk.py"
PYTHON = "/usr/bin/python3"
SIZE = (1920, 1080)
FIXED_ROUNDS = 10
POLL_SECONDS, POLL_LIMIT = 0.1, 4.0


class Bed:
    """The program on a screen of its own, and when it painted last."""

    def __init__(self, computer: Computer, folder: Path, delays: list[int]) -> None:
        self.computer = computer
        self._painted = folder / "painted"
        told = folder / "told"
        listed = ",".join(map(str, delays))
        computer.desktop.launch([PYTHON, str(PROGRAM), str(told), str(self._painted), listed])
        assert until(lambda: told.exists() and told.read_text().endswith("}"), 60)
        self.go = Pixel(*json.loads(told.read_text())["go"])
        computer.observe()

    def paintings(self) -> list[float]:
        """The times at which a reaction was complete."""
        return list(map(float, self._painted.read_text().split())) if self._painted.exists() else []

    def overhead(self, wait: Callable[[], None]) -> tuple[float, bool]:
        """Seconds from the last painting to the end of the wait, and whether it had ended too early."""
        before = len(self.paintings())
        wait()
        ended = time.monotonic()
        early = len(self.paintings()) == before
        assert until(lambda: len(self.paintings()) > before, 10)
        return ended - self.paintings()[-1], early


def main() -> None:
    """Print the table."""
    count = rounds(200)
    chance = random.Random(7)  # noqa: S311 - the same delays every time
    delays = [chance.randint(100, 2000) for _ in range(count + 4 * FIXED_ROUNDS)]
    with x_server(SIZE) as display, tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ) | {"DISPLAY": display, "HOME": folder}
        with Computer.on(X11Desktop(display, environment=environment), environment=environment) as computer:
            bed = Bed(computer, Path(folder), delays)
            lines = [("wait", "runs", "too early", "overhead ms, median", "90 %", "CPU ms each")]
            lines.append(_line("a click with its receipt", bed, count, lambda: _click(computer, bed.go)))
            lines.append(_line("sleep 1 s", bed, FIXED_ROUNDS, lambda: _sleep(bed, 1.0)))
            lines.append(_line("sleep 2 s", bed, FIXED_ROUNDS, lambda: _sleep(bed, 2.0)))
            lines.append(_line("two equal pictures", bed, FIXED_ROUNDS, lambda: _poll(bed)))
            table("Waiting for a reaction after 0.1 to 2 s", lines)


def _line(what: str, bed: Bed, count: int, wait: Callable[[], None]) -> tuple[str, ...]:
    began = time.process_time()
    found = [bed.overhead(wait) for _ in range(count)]
    spent = (time.process_time() - began) / count * 1000
    late = [seconds * 1000 for seconds, early in found if not early] or [0.0]
    ninth = quantiles(late, n=10)[-1] if len(late) > 1 else late[0]
    early = sum(early for _, early in found)
    return what, str(count), str(early), f"{median(late):.0f}", f"{ninth:.0f}", f"{spent:.0f}"


def _click(computer: Computer, where: Pixel) -> None:
    computer.perform(Click(target=where))


def _raw_click(bed: Bed) -> None:
    desktop = bed.computer.desktop
    desktop.move(bed.go.x, bed.go.y)
    desktop.button("left", down=True)
    desktop.button("left", down=False)


def _sleep(bed: Bed, seconds: float) -> None:
    _raw_click(bed)
    time.sleep(seconds)


def _poll(bed: Bed) -> None:
    _raw_click(bed)
    desktop, until_ = bed.computer.desktop, time.monotonic() + POLL_LIMIT
    before = desktop.capture().pixels
    while time.monotonic() < until_:
        time.sleep(POLL_SECONDS)
        after = desktop.capture().pixels
        if (before == after).all():
            return
        before = after


if __name__ == "__main__":
    main()
