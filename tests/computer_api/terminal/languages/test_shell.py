"""The shell worker: what makes other runners hang, and what a shell must keep."""

import os
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from computer_api.terminal import Call, Chunk, Reply, Terminal
from computer_api.terminal.languages.language import Language

ENVIRONMENT = {"PATH": os.environ["PATH"]}
linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who waits for input")


@pytest.fixture
def terminal(tmp_path: Path, impatient_shells: tuple[Language, ...]) -> Iterator[Terminal]:
    environment = {**ENVIRONMENT, "HOME": str(tmp_path)}
    with Terminal(cwd=tmp_path, environment=environment, languages=impatient_shells) as started:
        yield started


@pytest.fixture(scope="module")
def shared_terminal(
    tmp_path_factory: pytest.TempPathFactory, impatient_shells: tuple[Language, ...]
) -> Iterator[Terminal]:
    """For blocks that set nothing."""
    home = tmp_path_factory.mktemp("home")
    environment = {**ENVIRONMENT, "HOME": str(home)}
    with Terminal(cwd=home, environment=environment, languages=impatient_shells) as started:
        yield started


def printed(terminal: Terminal, code: str) -> str:
    output = terminal.run("shell", code, seconds=20)
    assert not output.timed_out
    return output.text


@pytest.mark.parametrize(
    ("code", "text", "exit_code"),
    [
        ("cat <<'X'\n  two\n\ttab $HOME `no`\nX", "  two\n\ttab $HOME `no`\n", 0),
        ("echo 'one\n  two'", "one\n  two\n", 0),
        ("for i in 1 2; do\n  case $i in 2) echo two;; esac\ndone", "two\n", 0),
        ("echo {a,b} $((6*7)) ${never_set:-none}", "a b 42 none\n", 0),
        ("printf 'no end'", "no end", 0),
        ("echo a; echo b >&2; echo c", "a\nb\nc\n", 0),
        ("echo hi \\", "hi\n", 0),
        ("echo hi # said", "hi\n", 0),
        ("# nothing", "", 0),
        ("", "", 0),
        ("false", "", 1),
        ("(exit 42)", "", 42),
        ("return 5", "", 5),
        ("exit 3", "", 3),
        ("echo bye; exit", "bye\n", 0),
        ("set -e\nfalse\necho not reached", "", 1),
        ("printf '1%%\\r50%%\\r100%%\\n'", "100%\n", 0),
        ("printf '\\033[31mred\\033[0m\\n'", "red\n", 0),
        ("test -t 1 && echo a terminal", "a terminal\n", 0),
        ("printf 'D 1 0 /\\0'", "D 1 0 /", 0),
        ("alias greet='echo hello'\ngreet", "hello\n", 0),
    ],
)
def test_a_block_prints_and_ends_as_in_a_script(
    shared_terminal: Terminal, code: str, text: str, exit_code: int
) -> None:
    output = shared_terminal.run("shell", code, seconds=20)
    assert (output.text, output.exit_code, output.ok) == (text, exit_code, exit_code == 0)


@pytest.mark.parametrize("code", ["echo 'abc", 'echo "abc', "if true; then", "cat <<X", "echo $(", "{"])
def test_a_block_without_its_end_returns_at_once(shared_terminal: Terminal, code: str) -> None:
    assert not shared_terminal.run("shell", code, seconds=20).timed_out
    assert printed(shared_terminal, "echo next") == "next\n"


SETTING = """
cd sub
export E=exported
v='with "quotes" and
lines'
a=(1 'two 2')
f() { echo function $1; }
alias l='echo alias'
"""
ASKING = 'pwd; printenv E; echo "$v"; echo "${a[1]}"; f 1; l'


@pytest.mark.parametrize("between", ["true", "exit 3", "set -e; false", "set -u; : $undefined; true"])
def test_directory_variables_and_functions_stay_even_when_the_shell_leaves(
    terminal: Terminal, tmp_path: Path, between: str
) -> None:
    (tmp_path / "sub").mkdir()
    printed(terminal, SETTING)
    assert not terminal.run("shell", between).lost_state
    assert printed(terminal, ASKING) == (
        f'{tmp_path}/sub\nexported\nwith "quotes" and\nlines\ntwo 2\nfunction 1\nalias\n'
    )


@pytest.mark.parametrize(
    "switch",
    [
        "set -e",
        "set -u",
        "set -x",
        "set -f",
        "exec >/dev/null",
        "exec 2>&1 >/dev/null </dev/null",
        "stty raw",
        "trap '' INT",
        "PS1='(venv) $ '",
        "PROMPT_COMMAND='echo prompt'",
        "unset PROMPT_COMMAND",
    ],
)
def test_what_a_block_switches_does_not_break_the_next(terminal: Terminal, switch: str) -> None:
    printed(terminal, switch)
    assert printed(terminal, "false; echo $undefined on *.none") == " on *.none\n".lstrip()
    before = time.monotonic()
    assert terminal.run("shell", "sleep 60", seconds=0.2).exit_code == 130
    assert time.monotonic() - before < 1


def test_the_exit_code_of_a_block_is_there_for_the_next(terminal: Terminal) -> None:
    terminal.run("shell", "(exit 9)")
    assert printed(terminal, "echo $?") == "9\n"


@linux
@pytest.mark.parametrize(
    "code",
    [
        "read x; echo after",
        "cat; echo after",
        "python3 -c 'import getpass; getpass.getpass()'; echo after",
        "python3; echo after",
        "python3 -c 'input()' | cat; echo after",
        "read -s -n 1 x </dev/tty; echo after",
    ],
)
def test_a_program_that_nobody_answers_waits_and_then_is_told_that_there_is_no_input(
    shared_terminal: Terminal, code: str
) -> None:
    assert shared_terminal.run("shell", code, seconds=20).waiting is not None
    output = printed(shared_terminal, "echo next")
    assert "after\n" in output
    assert "waited for input" in output
    assert output.endswith("next\n")


@linux
@pytest.mark.parametrize(
    ("code", "secret"),
    [
        ("read -p 'Name? ' x", False),
        ("read -s -p 'Password: ' x", True),
        ("stty -echo; printf 'Password: ' >/dev/tty; read x </dev/tty; stty echo", True),
        ("read -s -n 1 -p 'Press a key' x", False),
    ],
)
def test_whether_the_line_is_secret_is_told(shared_terminal: Terminal, code: str, *, secret: bool) -> None:
    output = shared_terminal.run("shell", code, seconds=20)
    assert output.waiting is not None
    assert output.waiting.startswith(("Name?", "Pass", "Press"))
    assert output.secret_wanted == secret
    printed(shared_terminal, "true")  # it waits no more


@linux
def test_a_program_that_takes_every_key_for_a_key_is_stopped(terminal: Terminal, tmp_path: Path) -> None:
    (tmp_path / "game.py").write_text(
        "import signal, sys, tty\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\ntty.setraw(0)\n"
        "while True: sys.stdin.read(1)\n"
    )
    printed(terminal, "kept=1")
    assert terminal.run("shell", "python3 game.py", seconds=20).waiting is not None
    output = terminal.run("shell", "echo $kept", seconds=20)
    assert not output.timed_out
    assert not output.lost_state
    assert output.text.endswith("]\n1\n")


@linux
def test_a_program_that_is_only_slow_is_not_taken_to_wait(terminal: Terminal) -> None:
    listening = (
        'python3 -c \'import select, socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen();'
        " select.select([s], [], [], 0.3)'"
    )
    assert printed(terminal, f"sleep 0.3; {listening}; echo after") == "after\n"


@linux
def test_a_question_goes_to_the_owner_of_the_terminal(
    tmp_path: Path, impatient_shells: tuple[Language, ...]
) -> None:
    asked: list[Call] = []

    def answer(call: Call) -> Reply:
        asked.append(call)
        return Reply(value="Ada")

    with Terminal(
        cwd=tmp_path, environment=ENVIRONMENT, answer=answer, languages=impatient_shells
    ) as terminal:
        assert printed(terminal, "echo start; read -p 'Name? ' x; echo \"Hi $x\"").endswith("Hi Ada\n")
    assert asked == [Call(path=("input",), args=("Name? ", False))]


@pytest.mark.skipif(shutil.which("less") is None, reason="less is not installed")
def test_pagers_do_not_page(terminal: Terminal, tmp_path: Path) -> None:
    (tmp_path / "long").write_text("line\n" * 200)
    assert printed(terminal, "less -R +G long | wc -l; less long; seq 3 | less -; seq 2 | more") == (
        "200\n" + "line\n" * 200 + "1\n2\n3\n1\n2\n"
    )


def test_bytes_that_are_no_text_do_no_harm(terminal: Terminal) -> None:
    pieces: list[str] = []
    output = terminal.run("shell", "head -c 300000 /dev/urandom", on_output=lambda c: pieces.append(c.text))
    assert output.ok
    assert output.truncated
    assert printed(terminal, "echo next") == "next\n"


@pytest.mark.parametrize(
    "code",
    [
        "sleep 60; echo not reached",
        "while :; do sleep 0.05; done; echo not reached",
        "while :; do :; done; echo not reached",
        "sleep 60 | cat; echo not reached",
        "f() { sleep 60; echo not reached; }; f",
    ],
)
def test_a_timeout_stops_the_whole_block_at_once(terminal: Terminal, code: str) -> None:
    printed(terminal, "kept=1")
    before = time.monotonic()
    output = terminal.run("shell", code, seconds=0.2)
    assert time.monotonic() - before < 1.5
    assert "not reached" not in output.text
    assert (output.exit_code, output.lost_state) == (130, False)
    assert printed(terminal, "echo $kept") == "1\n"


def test_a_job_in_the_background_makes_no_noise_and_can_be_stopped(terminal: Terminal) -> None:
    assert printed(terminal, "sleep 60 &") == ""
    assert "sleep 60" in printed(terminal, "jobs")
    assert printed(terminal, "kill %1; wait %1 2>/dev/null; echo $?").endswith("143\n")


@pytest.mark.parametrize("change", ["unset PROMPT_COMMAND", "PROMPT_COMMAND='echo prompt'"])
def test_a_block_that_changes_the_prompt_can_be_stopped(terminal: Terminal, change: str) -> None:
    printed(terminal, "kept=1")
    output = terminal.run("shell", f"{change}; sleep 60", seconds=0.2)
    assert (output.timed_out, output.lost_state) == (True, False)
    assert printed(terminal, "echo $kept") == "1\n"


@pytest.mark.parametrize("turn", range(10))
def test_closing_runs_nothing_more_of_the_block(tmp_path: Path, turn: int) -> None:
    pieces: list[str] = []
    closers: list[threading.Thread] = []

    def close_once(chunk: Chunk) -> None:
        pieces.append(chunk.text)
        if not closers:
            closers.append(threading.Thread(target=watched.close))
            closers[0].start()

    with Terminal(cwd=tmp_path, environment=ENVIRONMENT) as watched:
        watched.run("shell", f"echo on; sleep 60; echo {turn} >reached", on_output=close_once)
        closers[0].join()
    assert "".join(pieces) == "on\n"
    assert not (tmp_path / "reached").exists()


def test_the_start_up_files_of_the_person_are_not_read(tmp_path: Path) -> None:
    for name in (".bashrc", ".bash_profile", ".profile", ".zshrc"):
        (tmp_path / name).write_text("echo from a start-up file\nsleep 60\n")
    with Terminal(cwd=tmp_path, environment={**ENVIRONMENT, "HOME": str(tmp_path)}) as terminal:
        assert printed(terminal, "echo clean") == "clean\n"


def test_nothing_is_left_in_the_history(terminal: Terminal, tmp_path: Path) -> None:
    printed(terminal, "echo secret; exit")
    terminal.close()
    assert not (tmp_path / ".bash_history").exists()
