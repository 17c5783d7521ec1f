"""A person stops a run, or works on the desktop themselves: at any stage, with devices of their own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

import pytest
from model_server import Hang, ModelServer, Scripted
from oi_process import ABLE, OI, Ran, oi, says
from processes import killed_after
from pseudo_terminal import Terminal
from stopping import Screen, said, screen, steps, stopped
from xvfb import until

from computer_agent.trace.reader import read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.desktop

HALTED = 1.0  # what `make bench` measures is under 0.3 s; a busy machine is given more
LONG = 30


@pytest.fixture(scope="module")
def desk() -> Iterator[Screen]:
    with screen() as where:
        yield where


def was_stopped(ran: Ran, folder: Path, words: str) -> None:
    """The run says how it ended, and so does its trace, which is whole."""
    assert ran.code == 130, ran
    assert f"Stopped: {words}" in ran.out
    assert "Traceback" not in ran.err + ran.out
    ending = read(folder / "trace").ending
    assert ending is not None
    assert (ending.ending, ending.words) == ("stopped", words)


AROUND = "drag 40,40" + " via 1200,40 via 1200,700 via 40,700 via 40,40" * 9 + " to 1200,700"
DEAF = "import signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN); time.sleep(30)"
STAGES = {
    "wait": ((f"wait {LONG} seconds",), "→ wait"),
    "hold": ((f"hold ctrl+shift for {LONG} seconds",), "→ hold"),
    "drag": ((AROUND,), "→ drag"),
    "type": ((f'type "{"quick brown fox " * 900}"',), "→ type"),
    "read": ((f'expect "never there" within {LONG} seconds',), "→ expect"),
    "watch": (("press f12",) * LONG, "→ press"),
    "open": ((f'open "sleep" with "{LONG}"',), "→ open"),
    "python": ((f'run python "{DEAF}"',), "→ run"),
    "shell": ((f"run shell \"trap '' INT; sleep {LONG}\"",), "→ run"),
}


@contextmanager
def restless(desk: Screen) -> Iterator[None]:
    """A window in which something always changes."""
    command = ["xterm", "-T", "noise", "-e", "bash", "-c", "while :; do seq $RANDOM; done"]
    with killed_after(subprocess.Popen(command, env=desk.environment)):
        yield


@pytest.mark.parametrize("stage", STAGES)
def test_esc_twice_halts_at_any_stage(desk: Screen, tmp_path: Path, stage: str) -> None:
    lines, words = STAGES[stage]

    def reached(process: subprocess.Popen[str], out: Path) -> bool:
        return said(words)(process, out) and (stage not in ("hold", "drag") or bool(desk.pressed()))

    task = steps(*lines, 'run shell "touch went-on"')
    with restless(desk) if stage in ("type", "read", "watch") else nullcontext():
        halt = stopped(desk, tmp_path, task, reached, lambda _: desk.esc_twice())
    was_stopped(halt.ran, tmp_path, "You pressed Esc twice.")
    assert halt.seconds < HALTED
    assert halt.pressed == []
    assert not (tmp_path / "went-on").exists()


def test_esc_twice_halts_while_the_model_thinks(desk: Screen, tmp_path: Path) -> None:
    with ModelServer(Scripted([Hang()])) as server:
        arguments = [
            "--os", "--desktop", "x11", "-y", "--trace", "trace", "--model", "openai/scripted",
            "--api-base", server.api_base, "--api-key", "test", *ABLE, "do it",
        ]  # fmt: skip
        halt = stopped(
            desk, tmp_path, arguments, lambda *_: bool(server.requests), lambda _: desk.esc_twice()
        )
    was_stopped(halt.ran, tmp_path, "You pressed Esc twice.")
    assert halt.seconds < HALTED


def test_the_pointer_pushed_into_a_corner_halts(desk: Screen, tmp_path: Path) -> None:
    desk.person.move(640, 400)  # from where it comes
    halt = stopped(
        desk, tmp_path, steps(f"hold ctrl for {LONG} seconds"), said("→ hold"), lambda _: desk.slam()
    )
    was_stopped(halt.ran, tmp_path, "You pushed the pointer into a corner.")
    assert halt.seconds < HALTED
    assert halt.pressed == []


def test_the_agents_own_esc_and_its_own_clicks_in_corners_stop_nothing(desk: Screen, tmp_path: Path) -> None:
    task = "press escape 4 times; click 640,400; click 0,0; move to 640,400; click 1279,799; move to 0,799"
    ran = oi(*steps(*task.split("; ")), cwd=tmp_path, environment=desk.environment)
    assert ran.code == 0, ran


def test_ctrl_c_twice_at_once_breaks_no_release(desk: Screen, tmp_path: Path) -> None:
    def twice(process: subprocess.Popen[str]) -> None:
        process.send_signal(signal.SIGINT)
        until(lambda: not process.poll(), 0.02)
        process.send_signal(signal.SIGINT)

    task = steps("mouse down", "key down shift", f"hold ctrl for {LONG} seconds")
    halt = stopped(desk, tmp_path, task, lambda *_: len(desk.pressed()) > 2, twice)
    was_stopped(halt.ran, tmp_path, "You stopped the run.")
    assert halt.pressed == []
    assert halt.seconds < HALTED


def test_a_terminal_that_is_closed_stops_its_run(desk: Screen, tmp_path: Path) -> None:
    terminal = Terminal(*steps(f"hold ctrl for {LONG} seconds"), cwd=tmp_path, environment=desk.environment)
    terminal.shows("→ hold")
    assert until(desk.pressed, 20)
    terminal.closes()
    assert not desk.pressed()
    ending = read(tmp_path / "trace").ending
    assert ending is not None
    assert ending.ending == "stopped"


# oi stop


def stop(*words: str, cwd: Path) -> Ran:
    return oi("stop", *words, cwd=cwd)


def test_oi_stop_halts_the_run_and_says_which(desk: Screen, tmp_path: Path) -> None:
    answers: list[Ran] = []
    task = steps(f"hold ctrl for {LONG} seconds")
    halt = stopped(
        desk,
        tmp_path,
        task,
        lambda process, out: said("→ hold")(process, out) and bool(desk.pressed()),
        lambda _: answers.append(stop(cwd=tmp_path)),
    )
    was_stopped(halt.ran, tmp_path, "You stopped the run.")
    assert halt.pressed == []
    said_so = re.fullmatch(
        rf'Stopped "hold ctrl for {LONG} seconds" \(process \d+\), ([\d.]+) s\.\n', answers[0].out
    )
    assert answers[0].code == 0
    assert said_so, answers[0]
    assert float(said_so[1]) < HALTED


def test_oi_stop_names_the_runs_there_are_and_stops_the_one_that_is_named_or_all(
    desk: Screen, tmp_path: Path
) -> None:
    def during(process: subprocess.Popen[str], out: Path) -> None:
        assert until(says(out, "→ wait"), 60)
        with (tmp_path / "other.txt").open("w") as told:
            other = subprocess.Popen(
                [*OI, *steps(f"wait {LONG} seconds")[:-3], "--trace", "other", f"wait {LONG} seconds"],
                cwd=tmp_path,
                env=desk.environment,
                stdout=told,
            )
        try:
            assert until(says(tmp_path / "other.txt", "→ wait"), 60)
            wrong = stop("1", cwd=tmp_path)
            assert (wrong.code, wrong.out) == (1, "")
            assert f'The process "1" is no run of oi. Running are: {process.pid}, {other.pid}.' in wrong.err
            assert stop(str(process.pid), cwd=tmp_path).code == 0
            assert process.wait(20) == 130
            assert other.poll() is None
            everyone = stop("all", cwd=tmp_path)
            assert (everyone.code, everyone.out.count("Stopped")) == (0, 1)
            assert other.wait(20) == 130
        finally:
            other.kill()
            other.wait()

    oi(*steps(f"wait {LONG} seconds"), cwd=tmp_path, environment=desk.environment, during=during)
    nobody = stop(cwd=tmp_path)
    assert (nobody.code, nobody.err) == (1, "No oi is running.\n")


def test_what_a_killed_run_left_behind_is_no_run(desk: Screen, tmp_path: Path) -> None:
    def kill(process: subprocess.Popen[str], out: Path) -> None:
        assert until(says(out, "→ wait"), 60)
        process.kill()

    oi(*steps(f"wait {LONG} seconds"), cwd=tmp_path, environment=desk.environment, during=kill)
    assert stop(cwd=tmp_path).code == 1
    runs = os.path.join(os.environ["XDG_RUNTIME_DIR"], "oi", "runs")  # noqa: PTH118 - a name to list
    assert os.listdir(runs) == []  # noqa: PTH208 - the same


@pytest.mark.parametrize("words", [("everything",), ("1", "2")])
def test_oi_stop_with_other_words_says_what_would_work(tmp_path: Path, words: tuple[str, ...]) -> None:
    ran = stop(*words, cwd=tmp_path)
    assert ran.code == 2
    assert f'"oi stop {" ".join(words)}" names no run.' in ran.err
    assert "oi stop all" in ran.err


# The person works on the desktop themselves.


def test_without_a_terminal_the_run_waits_until_the_person_is_quiet_and_then_goes_on(
    desk: Screen, tmp_path: Path
) -> None:
    def during(_process: subprocess.Popen[str], out: Path) -> None:
        assert until(says(out, "→ wait 2 seconds"), 60)
        works_until(desk, says(out, "goes on when you have done nothing"))

    task = steps("wait 1 second", "wait 2 seconds", 'run shell "touch went-on"')
    ran = oi(*task, cwd=tmp_path, environment=desk.environment, during=during)
    assert ran.code == 0, ran
    assert "You used the mouse. It goes on when you have done nothing for 5 seconds." in ran.out
    assert "! The person used the mouse meanwhile; the screen may have changed" in ran.out
    assert (tmp_path / "went-on").exists()
    trace = read(tmp_path / "trace")
    (used,) = [used for step in trace.steps for used in step.person]
    assert used.then == "quiet"
    assert used.points > 8
    assert used.keys == 0
    outcomes = [attempt.outcome for step in trace.steps for attempt in step.attempts]
    assert outcomes == ["done", "interrupted", "done", "done"]


def test_steps_that_hold_a_key_let_go_of_it_for_the_person_and_do_not_go_on_without_it(
    desk: Screen, tmp_path: Path
) -> None:
    def during(_process: subprocess.Popen[str], out: Path) -> None:
        assert until(says(out, "→ wait 2 seconds"), 60)
        works_until(desk, says(out, "goes on when you have done nothing"))
        assert not desk.pressed()

    task = steps("key down shift", "wait 1 second", "wait 2 seconds", 'run shell "touch went-on"')
    ran = oi(*task, cwd=tmp_path, environment=desk.environment, during=during)
    assert ran.code == 1, ran
    assert "what was held down (Shift_L) was released when the desktop was used meanwhile" in ran.out
    assert not (tmp_path / "went-on").exists()


def works_until(desk: Screen, fact: Callable[[], bool]) -> None:
    """The person moves the mouse about, slowly and far from any corner, until that."""
    deadline = time.monotonic() + 20
    place = 0
    while not fact():
        assert time.monotonic() < deadline
        place += 1
        desk.person.move(500 + place % 50, 300 + place % 40)
        until(fact, 0.1)


def asking(desk: Screen, cwd: Path, *lines: str) -> Terminal:
    return Terminal(*steps(*lines), cwd=cwd, environment=desk.environment)


@pytest.mark.parametrize(
    ("answer", "code"), [("\n", 0), ("s\n", 130), ("\x03", 130)], ids=["Enter", "s", "Ctrl-C"]
)
def test_on_a_terminal_the_person_is_asked_whether_to_go_on(
    desk: Screen, tmp_path: Path, answer: str, code: int
) -> None:
    terminal = asking(desk, tmp_path, "wait 1 second", "wait 2 seconds", 'run shell "touch went-on"')
    terminal.shows("→ wait 2 seconds")
    works_until(desk, lambda: "You used the mouse." in terminal.now())
    terminal.shows("Go on? [Enter] go on  [s]top")
    desk.person.key("a", down=True)  # what is typed there is the answer
    desk.person.key("a", down=False)
    terminal.types(answer)
    assert terminal.ends() == code
    assert (tmp_path / "went-on").exists() == (code == 0)
    assert terminal.text.count("Go on?") <= 1


def test_before_ctrl_z_suspends_a_run_all_is_released_and_afterwards_the_person_is_asked(
    desk: Screen, tmp_path: Path
) -> None:
    terminal = asking(desk, tmp_path, f"hold ctrl for {LONG} seconds")
    terminal.shows("→ hold")
    assert until(desk.pressed, 20)
    terminal.types("\x1a")  # no shell could wake this one, so that the system does not suspend it
    terminal.shows("Go on?")
    assert not desk.pressed()
    terminal.types("s\n")
    assert terminal.ends() == 130


def test_the_enter_that_starts_a_run_and_a_mouse_that_still_moves_pause_nothing(
    desk: Screen, tmp_path: Path
) -> None:
    began = time.monotonic()

    def during(_process: subprocess.Popen[str], out: Path) -> None:
        desk.person.key("Return", down=True)
        works_until(desk, lambda: says(out, "→ wait")() or time.monotonic() - began > 2)
        desk.person.key("Return", down=False)

    ran = oi(*steps("wait 1 second"), cwd=tmp_path, environment=desk.environment, during=during)
    assert ran.code == 0, ran
    assert "You used" not in ran.out


def test_with_sharing_off_nothing_is_asked_and_the_stop_keys_work(desk: Screen, tmp_path: Path) -> None:
    def wish(_process: subprocess.Popen[str]) -> None:
        desk.person.move(300, 300)
        desk.person.move(400, 350)
        desk.esc_twice()

    task = ["--share", "off", *steps(f"wait {LONG} seconds")]
    halt = stopped(desk, tmp_path, task, said("→ wait"), wish)
    was_stopped(halt.ran, tmp_path, "You pressed Esc twice.")
    assert "You used" not in halt.ran.out


def test_esc_twice_halts_at_the_approval_question(desk: Screen, tmp_path: Path) -> None:
    arguments = [word for word in steps('run shell "touch done"') if word != "-y"]
    terminal = Terminal(*arguments, cwd=tmp_path, environment=desk.environment)
    terminal.shows("Allow?")
    began = time.monotonic()
    desk.esc_twice()
    terminal.shows("Allow? \nStopped: You pressed Esc twice.")
    assert time.monotonic() - began < HALTED
    assert terminal.ends() == 130
    assert not (tmp_path / "done").exists()
