"""`oi record` watches a person at work on real programs, and `oi replay` does the same again."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from demonstrating import Desk, desk
from oi_process import Ran, oi, says
from xvfb import until

from computer_agent.trace.reader import read
from computer_api.actions import Click, PressKeys, TypeText

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    from computer_agent.trace.reader import Trace
    from computer_api.actions import Action

pytestmark = pytest.mark.desktop

BOOKING = Path(__file__).parents[1] / "recorded_programs" / "booking_tk.py"
PYTHON = "/usr/bin/python3"  # Debian's, which has Tk
SECONDS = 40.0
SECRET = "open sesame"  # noqa: S105 - made up


def shows_form(where: Desk, out: Path, place: str) -> None:
    """Start the form, and wait until it can be used."""
    where.desktop.launch([PYTHON, str(BOOKING), str(out), place])
    assert until(lambda: out.exists() and out.read_text() == "ready", SECONDS)
    assert until(lambda: has_window(where, "Booking"), SECONDS)


def has_window(where: Desk, title: str) -> bool:
    return any(window.title == title and window.active for window in where.desktop.windows.all())


def recorded(
    where: Desk,
    folder: Path,
    show: Callable[[], None],
    *,
    end: Callable[[subprocess.Popen[str]], None] = lambda process: process.send_signal(signal.SIGINT),
) -> Ran:
    """What `oi record` says while the person shows something."""

    def during(process: subprocess.Popen[str], out: Path) -> None:
        assert until(says(out, "Recording what you do"), SECONDS), out.read_text()
        show()
        end(process)

    return oi(
        "record",
        "-o",
        "trace",
        "--task",
        "book a trip",
        cwd=folder,
        environment=where.environment,
        during=during,
    )


def done(trace: Trace) -> list[Action]:
    return [attempt.action for step in trace.steps for attempt in step.attempts]


def kinds(actions: list[Action]) -> list[str]:
    return [type(action).__name__ for action in actions]


def books(where: Desk, out: Path, left: int, top: int) -> None:
    """Fill in the form, whose inside begins there, and save it."""
    hand = where.hand
    hand.click(left + 250, top + 22)
    hand.write("Ada Lovelacx\bé")
    hand.press("Tab")
    hand.write("London")
    hand.press("Tab")
    hand.write(SECRET)
    hand.click(left + 143, top + 157, times=2)
    hand.drag((left + 60, top + 235), (left + 180, top + 235))
    hand.press("Control_L", "s")
    assert until(lambda: out.read_text() != "ready", SECONDS)


def test_what_a_person_does_on_a_form_is_done_again_on_another_one(tmp_path: Path) -> None:
    out = tmp_path / "booked.txt"
    with desk() as where:
        shows_form(where, out, "+300+150")
        ran = recorded(where, tmp_path, lambda: books(where, out, 300, 170))
    assert ran.code == 0, ran
    assert not ran.left
    assert "oi replay trace --var secret1=..." in ran.out
    entered = out.read_text()
    assert entered == f"Ada Lovelacé | London | {SECRET} | Business | Ticket in it"
    holds_all_but_the_secret(read(tmp_path / "trace"))
    told = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.suffix in (".jsonl", ".txt"))
    assert SECRET.encode() not in told.replace(out.read_bytes(), b"")

    out.unlink()
    with desk((1600, 1000)) as other:
        shows_form(other, out, "+820+420")
        arguments = ("replay", "trace", "-y", "--var", f"secret1={SECRET}")
        replayed = oi(*arguments, cwd=tmp_path, environment=other.environment)
    assert replayed.code == 0, replayed
    assert out.read_text() == entered


def holds_all_but_the_secret(trace: Trace) -> None:
    """The steps of the booking, each once, in their order."""
    assert (trace.header.model, trace.header.task) == ("person", "book a trip")
    actions = done(trace)
    assert kinds(actions) == [
        *("Click", "TypeText", "PressKeys", "TypeText", "PressKeys", "TypeText", "Click", "Drag", "PressKeys")
    ]
    texts = [(action.text, action.secret) for action in actions if isinstance(action, TypeText)]
    assert texts == [("Ada Lovelacé", False), ("London", False), ("", True)]
    assert [action.count for action in actions if isinstance(action, Click)] == [1, 2]
    assert actions[-1] == PressKeys(keys=("Control_L", "s"))
    last = trace.steps[len(actions) - 1].attempts[0].receipt
    assert last is not None
    assert last.closed == ("Booking",)


def test_a_password_field_is_known_by_what_its_program_says(tmp_path: Path) -> None:
    """The keys that end it are pressed anywhere, and are no part of it."""
    form = [
        "zenity",
        "--forms",
        "--title=Log in",
        "--text=Who are you?",
        "--add-entry=Name",
        "--add-password=Word",
    ]
    with desk() as where:
        where.desktop.launch(form)
        assert until(lambda: has_window(where, "Log in"), SECONDS)
        accessible = where.desktop.accessibility
        assert accessible is not None
        assert until(lambda: accessible.secrets().items, SECONDS)

        def show() -> None:
            hand = where.hand
            field = next(one.area for one in accessible.elements().items if one.role == "text")
            hand.click(field.left + 20, field.top + 10)
            hand.press("Tab")
            hand.write(SECRET)
            hand.press("Shift_L", "Tab")
            hand.write("ada")

        ran = recorded(
            where, tmp_path, show, end=lambda _process: where.hand.press("Control_L", "Alt_L", "End")
        )
    assert ran.code == 0, ran
    trace = read(tmp_path / "trace")
    assert kinds(done(trace)) == ["Click", "PressKeys", "TypeText", "PressKeys", "TypeText"]
    secret, typed = (step.attempts[0] for step in (trace.steps[2], trace.steps[4]))
    assert typed.receipt is not None
    assert typed.receipt.value == "ada"
    assert isinstance(secret.action, TypeText)
    assert secret.action.secret
    assert all(step.observation is not None and step.observation.covered for step in trace.steps)
    assert SECRET not in (tmp_path / "trace" / "trace.jsonl").read_text() + ran.out + ran.err


def test_where_nothing_can_be_heard_it_says_so(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "DISPLAY"}
    ran = oi("record", cwd=tmp_path, environment=environment)
    assert ran.code == 2, ran
    assert "DISPLAY" in ran.err
    assert ran.err.count("\n") == 1
