"""The terminal as a whole: languages by name, workers inside and outside, blocks that wait, files of long outputs."""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from computer_api.errors import UnsupportedError
from computer_api.terminal import Call, Chunk, Reply, Terminal
from computer_api.terminal.groups import processes
from computer_api.terminal.languages.language import Language
from computer_api.terminal.sandbox import Command, Denial, Enclosed, Unconfined

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no language runs on Windows yet")

ENVIRONMENT = {"PATH": os.environ["PATH"]}
PATIENCE = 20.0


class Labelled:
    """A sandbox that confines nothing and sets a variable, by which code sees where it runs."""

    name = "labelled"

    def __init__(self, label: str) -> None:
        self._label = label
        self.closed = 0

    def enclose(self, command: Command) -> AbstractContextManager[Enclosed]:
        from dataclasses import replace

        return Unconfined().enclose(
            replace(command, environment={**command.environment, "LABEL": self._label})
        )

    def denials(self, output: str) -> tuple[Denial, ...]:
        return (Denial("write", "/etc", output.strip()),)

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def terminal(tmp_path: Path, impatient_shells: tuple[Language, ...]) -> Iterator[Terminal]:
    with Terminal(cwd=tmp_path, environment=ENVIRONMENT, languages=impatient_shells) as started:
        yield started


def until(fact: object) -> None:
    """Wait until a function is true."""
    assert callable(fact)
    end = time.monotonic() + PATIENCE
    while not fact():
        assert time.monotonic() < end, "it did not come to be"
        threading.Event().wait(0.02)


def is_alive(pid: int) -> bool:
    """A process that waits to be reaped is not; one whose last threads are still ending cannot be reaped yet."""
    process = Path(f"/proc/{pid}")
    try:
        ended = (process / "stat").read_text().rpartition(")")[2].startswith(" Z")
        return not ended or len(list((process / "task").iterdir())) > 1
    except OSError:
        return False


@pytest.mark.parametrize("name", ["python", "Python3", " PY ", "bash", "Shell", "sh"])
def test_a_language_is_found_however_it_is_written(terminal: Terminal, name: str) -> None:
    code = "print(6 * 7)" if "py" in name.lower() else "echo $((6 * 7))"
    assert terminal.run(name, code).text == "42\n"


def test_the_closest_name_is_told_where_there_is_none(terminal: Terminal) -> None:
    with pytest.raises(UnsupportedError, match=r'no language "pythn" here.*"python"'):
        terminal.run("pythn", "1")


def test_what_cannot_run_says_what_it_needs(tmp_path: Path) -> None:
    with Terminal(environment={"PATH": str(tmp_path)}) as terminal:
        assert terminal.languages()[0] == "python"
        assert "bash" not in terminal.languages()
        assert any('"bash"' in sentence for sentence in terminal.missing())


def test_importing_the_terminal_imports_no_language() -> None:
    import subprocess

    code = "import sys, computer_api.terminal; print([m for m in sys.modules if 'terminal.languages.' in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_outside_is_a_worker_of_its_own(tmp_path: Path) -> None:
    with Terminal(cwd=tmp_path, environment=ENVIRONMENT, sandbox=Labelled("in")) as terminal:
        terminal.run("python", "x = 1")
        assert terminal.run("python", "import os; print(os.environ.get('LABEL'))").text == "in\n"
        out = terminal.run(
            "python", "import os; print(os.environ.get('LABEL'), 'x' in globals())", outside=True
        )
        assert out.text == "None False\n"
        assert terminal.run("python", "print(x)").text == "1\n"


def test_what_was_denied_comes_with_a_block_that_failed_inside(tmp_path: Path) -> None:
    with Terminal(cwd=tmp_path, environment=ENVIRONMENT, sandbox=Labelled("in")) as terminal:
        assert terminal.run("bash", "echo no; false").denied == (Denial("write", "/etc", "no"),)
        assert terminal.run("bash", "echo yes").denied == ()
        assert terminal.run("bash", "echo no; false", outside=True).denied == ()


def test_a_new_sandbox_ends_what_ran_in_the_old_one_and_the_next_block_says_so(tmp_path: Path) -> None:
    first, second = Labelled("first"), Labelled("second")
    with Terminal(cwd=tmp_path, environment=ENVIRONMENT, sandbox=first) as terminal:
        terminal.run("python", "x = 1")
        terminal.run("python", "y = 1", outside=True)
        terminal.confine(second)
        moved = terminal.run("python", "import os; print(os.environ['LABEL'], 'x' in globals())")
        assert moved.text.startswith("second False\n[")
        assert moved.lost_state
        assert not terminal.run("python", "print(y)", outside=True).lost_state
        assert (first.closed, second.closed) == (1, 0)
    assert second.closed == 1


def test_a_block_that_nobody_answers_waits_and_goes_on_later(terminal: Terminal) -> None:
    asked = terminal.run("python", "name = input('Name? ')\nprint('hello', name)")
    assert (asked.waiting, asked.ok, asked.secret_wanted) == ("Name? ", False, False)
    answered = terminal.answer("Ada")
    assert (answered.ok, answered.waiting) == (True, None)
    assert answered.text.endswith("hello Ada\n")
    assert "Name?" not in answered.text
    with pytest.raises(UnsupportedError, match="No program waits"):
        terminal.answer("more")


def test_a_program_in_the_shell_waits_too_and_may_ask_again(terminal: Terminal) -> None:
    first = terminal.run("bash", "read -p 'a? ' a; read -p 'b? ' b; echo $a-$b")
    assert first.waiting == "a? "
    second = terminal.answer("1")
    assert second.waiting == "b? "
    assert terminal.answer("2").text.endswith("1-2\n")


def test_a_secret_is_known_as_one(terminal: Terminal) -> None:
    asked = terminal.run("bash", "read -s -p 'Password: ' p; echo ${#p}")
    assert asked.secret_wanted
    assert "hunter2" not in terminal.answer("hunter2").text


def test_another_language_runs_while_a_block_waits(terminal: Terminal) -> None:
    terminal.run("python", "name = input('Name? ')")
    assert terminal.run("bash", "echo meanwhile").text == "meanwhile\n"
    assert terminal.answer("Ada").ok
    assert terminal.run("python", "print(name)").text == "Ada\n"


@pytest.mark.parametrize(
    ("language", "asks", "keeps"),
    [("python", "x = 5\ninput('Name? ')", "print(x)"), ("bash", "x=5; cat", "echo $x")],
)
def test_another_block_of_the_language_ends_the_waiting_one_and_says_so(
    terminal: Terminal, language: str, asks: str, keeps: str
) -> None:
    assert terminal.run(language, asks).waiting is not None
    after = terminal.run(language, keeps)
    assert "waited for input; there was none" in after.text
    assert after.text.endswith("5\n")
    assert (after.ok, after.lost_state) == (True, False)


def test_a_program_that_goes_on_after_the_end_of_its_input_is_stopped(terminal: Terminal) -> None:
    code = "import time\ntry:\n  input('Name? ')\nexcept EOFError:\n  time.sleep(60)"
    terminal.run("python", code)
    before = time.monotonic()
    after = terminal.run("python", "print('next')")
    assert time.monotonic() - before < PATIENCE
    assert "it went on after the end of its input" in after.text
    assert after.text.endswith("next\n")


def test_closing_ends_a_block_that_waits(tmp_path: Path) -> None:
    threads = threading.active_count()
    with Terminal(cwd=tmp_path, environment=ENVIRONMENT) as terminal:
        terminal.run("bash", "echo $$ >pid; read x")
    pid = int((tmp_path / "pid").read_text())
    until(lambda: not is_alive(pid))
    assert threading.active_count() == threads


def test_who_is_asked_first_and_refuses_ends_the_input(tmp_path: Path) -> None:
    calls: list[Call] = []

    def answer(call: Call) -> Reply:
        calls.append(call)
        return Reply(error=("RefusedError", "No."))

    with Terminal(cwd=tmp_path, environment=ENVIRONMENT, answer=answer) as terminal:
        output = terminal.run("python", "input('Name? ')")
    assert "EOFError" in output.text
    assert output.waiting is None
    assert calls == [Call(path=("input",), args=("Name? ", False))]


def test_a_block_that_asks_for_its_own_language_is_told_why_not(tmp_path: Path) -> None:
    def answer(_call: Call) -> Reply:
        return Reply(value=[nested("python"), nested("bash")])

    def nested(language: str) -> str:
        try:
            return terminal.run(language, "echo inner").text
        except UnsupportedError as error:
            return str(error)

    with Terminal(cwd=tmp_path, environment=ENVIRONMENT, answer=answer) as terminal:
        output = terminal.run("python", "for told in computer.terminal.run('python', '1'): print(told)")
    assert "is running the block that asks for this" in output.text
    assert output.text.endswith("inner\n\n")


def test_a_worker_that_ended_between_blocks_is_started_anew_and_the_loss_is_said(terminal: Terminal) -> None:
    pid = int(terminal.run("python", "import os; x = 1; print(os.getpid())").text)
    os.kill(pid, signal.SIGKILL)
    until(lambda: not is_alive(pid))
    after = terminal.run("python", "print('x' in globals())")
    assert after.text.startswith("False\n[")
    assert (after.ok, after.lost_state) == (True, True)


@pytest.mark.skipif(sys.platform != "linux", reason="a mark in the environment is only seen on Linux")
@pytest.mark.parametrize("language", ["python", "bash"])
def test_a_daemon_ends_with_the_terminal(tmp_path: Path, language: str) -> None:
    daemon = f"setsid -f sh -c 'echo $$ >{tmp_path}/pid; exec sleep 600'"
    code = f"import os\nos.system({daemon!r})" if language == "python" else daemon
    file = tmp_path / "pid"
    with Terminal(cwd=tmp_path, environment=ENVIRONMENT) as terminal:
        terminal.run(language, code)
        until(lambda: file.exists() and file.read_text().endswith("\n"))
        pid = int(file.read_text())
        assert is_alive(pid)
    until(lambda: not is_alive(pid))


def test_a_long_output_is_in_a_file_that_its_text_names(tmp_path: Path) -> None:
    chunks: list[Chunk] = []
    with Terminal(cwd=tmp_path, environment=ENVIRONMENT) as terminal:
        output = terminal.run("bash", "seq 100000", on_output=chunks.append)
        assert output.saved is not None
        whole = output.saved.read_text()
        assert whole == "".join(chunk.text for chunk in chunks)
        assert whole == "".join(f"{number}\n" for number in range(1, 100_001))
        assert f'[the whole output is in "{output.saved}"]\n' in output.text
    assert not output.saved.exists()


def test_files_stay_in_a_folder_that_was_given(tmp_path: Path) -> None:
    with Terminal(cwd=tmp_path, environment=ENVIRONMENT, spool=tmp_path / "kept") as terminal:
        saved = terminal.run("bash", "seq 100000").saved
        terminal.run("bash", "seq 10")
    assert saved is not None
    assert list((tmp_path / "kept").iterdir()) == [saved]


def test_bytes_that_are_no_text_come_through(terminal: Terminal) -> None:
    # What is random would hold codes that move the cursor, and what was printed first be written over.
    output = terminal.run("bash", r"printf 'a\xffb\x00c\xc3\n'; head -c 100000 /dev/zero; echo; echo end")
    assert output.text.startswith("a\N{REPLACEMENT CHARACTER}bc\N{REPLACEMENT CHARACTER}\n")
    assert output.text.endswith("end\n")


def test_the_first_piece_comes_while_the_block_runs(terminal: Terminal) -> None:
    seen = threading.Event()

    def look(chunk: Chunk) -> None:
        if "first" in chunk.text:
            seen.set()
            terminal.interrupt()

    terminal.run("python", "import time\nprint('first')\ntime.sleep(60)", on_output=look)
    assert seen.is_set()


@pytest.mark.skipif(sys.platform != "linux", reason="processes are listed on Linux")
def test_blocks_leave_no_process_behind(tmp_path: Path) -> None:
    before = {process.name for process in processes()}
    with Terminal(cwd=tmp_path, environment={**ENVIRONMENT, "LEFT": str(tmp_path)}) as terminal:
        terminal.run("bash", "sleep 600 & (sleep 601 &) ; setsid sleep 602 & disown")
        terminal.run(
            "python", "import subprocess; subprocess.Popen(['sleep', '603'], start_new_session=True)"
        )

    def left() -> list[str]:
        found = []
        for process in processes():
            if process.name not in before:
                try:
                    words = (process / "environ").read_bytes()
                except OSError:
                    continue
                if f"LEFT={tmp_path}".encode() in words:
                    found.append(process.name)
        return found

    until(lambda: not left())
