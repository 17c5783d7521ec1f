"""Which runs `oi stop` finds, and that it asks nobody else to end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from processes import killed_after
from xvfb import until

from computer_agent.runs import registered, running
from computer_agent.stop import stop
from computer_agent.trace.lock import lock

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="asks processes to end as POSIX has it")

RUN = """
import os, sys, time
from computer_agent.runs import registered
with registered("fill in the form", dict(os.environ)):
    try:
        print("begun", flush=True)
        time.sleep(60)
    except KeyboardInterrupt:
        pass
"""
ENDING = "import signal; signal.signal(signal.SIGTERM, signal.default_int_handler)" + RUN


@pytest.fixture
def session(tmp_path: Path) -> dict[str, str]:
    """What a shell of the session knows: its folder, and where states are kept."""
    (tmp_path / "session").mkdir(mode=0o700)
    return {"XDG_RUNTIME_DIR": str(tmp_path / "session"), "XDG_STATE_HOME": str(tmp_path / "state")}


@contextmanager
def run(environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """A run in a process of its own that ends when it is asked to."""
    started = subprocess.Popen(
        [sys.executable, "-c", ENDING], env=os.environ | environment, stdout=subprocess.PIPE, text=True
    )
    with killed_after(started) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        yield process


@contextmanager
def claimed(folder: Path, record: object) -> Iterator[None]:
    """A file that somebody holds, as if it was a run's."""
    folder.mkdir(parents=True, exist_ok=True)
    file = os.open(folder / "1-1.run", os.O_RDWR | os.O_CREAT)
    try:
        lock(file)
        os.write(file, json.dumps(record).encode())
        yield
    finally:
        os.close(file)


def test_a_run_that_knew_no_session_is_found_from_one(session: dict[str, str]) -> None:
    state = {"XDG_STATE_HOME": session["XDG_STATE_HOME"]}
    with registered("a task", state):
        assert [one.title for one in running(session)] == ["a task"]
    assert running(session) == ()


def test_a_run_registers_beside_the_traces_where_the_sessions_folder_is_somebody_elses(
    session: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "session" / "oi").write_text("")  # no folder can be made here, as in another user's
    with registered("a task", session):
        assert [one.title for one in running(session)] == ["a task"]


def test_two_runs_of_one_number_keep_files_of_their_own(session: dict[str, str]) -> None:
    with registered("in one container", session):
        with registered("in another", session):
            assert len(running(session)) == 2
        assert [one.title for one in running(session)] == ["in one container"]


def test_a_process_that_is_counted_elsewhere_is_not_asked_to_end(
    session: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    innocent = subprocess.Popen(["sleep", "60"])
    try:
        record = {"pid": innocent.pid, "numbering": "pid:[1]", "started": 1.0, "title": "elsewhere"}
        with claimed(tmp_path / "state" / "oi" / "runs", record):
            assert stop(["all"], session) == 1
        assert capsys.readouterr().err == "No oi is running.\n"
        assert innocent.poll() is None
    finally:
        innocent.kill()
        innocent.wait()


@pytest.mark.parametrize("record", [[1], {"pid": 0}, {"pid": -1}, {"pid": 2**70}, {"pid": "x"}, None])
def test_a_broken_file_is_no_run(session: dict[str, str], tmp_path: Path, record: object) -> None:
    with registered("a task", session):
        (sound,) = (tmp_path / "session" / "oi" / "runs").glob("*.run")
        whole = json.loads(sound.read_text())
    broken = whole | record if isinstance(record, dict) else record
    with claimed(tmp_path / "session" / "oi" / "runs", broken):
        assert running(session) == ()


def test_a_run_that_is_suspended_is_stopped_too(
    session: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    with run(session) as process:
        process.send_signal(signal.SIGSTOP)
        assert until(lambda: os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOHANG))
        assert stop([], session) == 0
        assert process.wait(10) == 0
    assert 'Stopped "fill in the form"' in capsys.readouterr().out


@pytest.mark.skipif(os.name == "nt" or os.getuid() != 0, reason="only root can be another user")
def test_another_users_run_is_left_to_them_which_is_said() -> None:
    code = """
import os, sys
from computer_agent.stop import stop
os.setuid(65534)
sys.exit(stop(["all"], dict(os.environ)))
"""
    with tempfile.TemporaryDirectory() as folder:
        session = {"XDG_RUNTIME_DIR": folder, "XDG_STATE_HOME": f"{folder}/state"}
        with run(session) as process:
            for path in (Path(folder), *Path(folder).rglob("*")):
                path.chmod(0o777)  # as it is after sudo, which keeps the session's folder
            asked = subprocess.run(
                [sys.executable, "-c", code],
                env=os.environ | session,
                capture_output=True,
                text=True,
                check=False,
            )
            said = f"Process {process.pid} is another user's, who has to stop it.\n"
            assert (asked.returncode, asked.stderr) == (1, said)
            assert process.poll() is None
