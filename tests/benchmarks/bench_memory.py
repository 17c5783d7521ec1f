"""Memory of `oi` while it holds a private desktop, of what runs on that desktop, and of pyautogui beside it."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bed import START_SECONDS, peers, quiet_place, screen
from processes import below
from timing import rounds, table
from xvfb import until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bed import Environment

OI = str(Path(sys.executable).with_name("oi"))
TASK = ["--os", "--private", "--model", "steps", "-y", "wait 60 seconds"]
ON_IT, SERVERS = {"openbox", "dbus-daemon"}, {"Xtigervnc", "Xvfb"}
REST_SECONDS = 1.0  # without growing


def main() -> None:
    rounds(1)
    with screen() as environment, peers(environment) as peer:
        peer.ask("load", modules=["pyautogui"])
        bare = peer.ask("screenshot", width=1280, height=800)
        assert bare.value
        pyautogui = _resident(peer.pid)
    with quiet_place() as environment, _holding_a_desktop(environment) as pid:
        oi, others = _resident(pid), {child: name for child, name in below(pid).items() if child != pid}
        shares = [(name, _proportional(child)) for child, name in others.items()]
    lines = [
        ("", "MiB", "beside pyautogui"),
        ("oi that holds a private desktop, resident", f"{oi:.1f}", f"{oi / pyautogui:.2f}x"),
        (f"its {len(shares)} other processes, proportional", f"{sum(size for _, size in shares):.1f}", ""),
        ("python with pyautogui after a screenshot, resident", f"{pyautogui:.1f}", "1x"),
    ]
    named = ", ".join(f"{name} {size:.1f}" for name, size in sorted(shares, key=lambda share: -share[1]))
    table("Memory", lines, f"The other processes: {named}")


@contextmanager
def _holding_a_desktop(environment: Environment) -> Iterator[int]:
    """An `oi` that waits on its private desktop: its process id, once it has stopped growing."""
    process = subprocess.Popen(
        [OI, *TASK],
        env=environment,
        cwd=environment["HOME"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert until(lambda: _made(set(below(process.pid).values())), START_SECONDS), "oi made no desktop"
        _until_at_rest(process.pid)
        yield process.pid
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(START_SECONDS)


def _made(programs: set[str]) -> bool:
    return programs >= ON_IT and bool(programs & SERVERS)


def _until_at_rest(pid: int) -> None:
    """Wait until the process has not grown for a while."""
    seen, since = 0.0, time.monotonic()

    def resting() -> bool:
        nonlocal seen, since
        now = _resident(pid)
        if now != seen:
            seen, since = now, time.monotonic()
        return time.monotonic() - since > REST_SECONDS

    assert until(resting, START_SECONDS), "oi does not stop growing"


def _resident(pid: int) -> float:
    """Mebibytes in memory, those shared with others included."""
    return _kib(Path(f"/proc/{pid}/status"), "VmRSS") / 1024


def _proportional(pid: int) -> float:
    """Mebibytes in memory, each shared page divided by how many share it: these may be added up."""
    return _kib(Path(f"/proc/{pid}/smaps_rollup"), "Pss") / 1024


def _kib(file: Path, name: str) -> int:
    found = re.search(rf"^{name}:\s+(\d+) kB", file.read_text(), re.MULTILINE)
    assert found, f"{file} does not say {name}"
    return int(found[1])


if __name__ == "__main__":
    main()
