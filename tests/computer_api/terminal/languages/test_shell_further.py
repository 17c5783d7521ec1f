"""What else blocks do to their shell, in bash, zsh and sh: the next block must find it in order."""

import os
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from computer_api.errors import UnsupportedError
from computer_api.terminal import Call, Reply, Terminal
from computer_api.terminal.languages.language import Language
from computer_api.terminal.sandbox.choosing import open_sandbox
from computer_api.terminal.sandbox.policy import Policy

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="these shells are not on Windows")
linux = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux tells who waits and who is whose child"
)
PATIENCE = 30.0


@pytest.fixture(params=["bash", "zsh", "sh"])
def language(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    return name


@pytest.fixture
def terminal(tmp_path: Path, impatient_shells: tuple[Language, ...]) -> Iterator[Terminal]:
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    with Terminal(cwd=tmp_path, environment=environment, languages=impatient_shells) as started:
        yield started


@pytest.mark.parametrize(
    "code",
    [
        "set -m",
        "set +m",
        "set -x",
        "set -f",
        "trap '' INT",
        "trap 'echo trapped' INT TERM",
        "exec 2>&1 >/dev/null </dev/null",
        "exec 5<&- 6>&- 7>&- 8>&- 9>&-",
        "stty -echo",
        "stty raw",
        "printf '\\033[?1049h\\033[?25l'",
        "mkdir gone; cd gone; rmdir ../gone; cd ..",
        "precmd() { echo prompt; }; PROMPT_COMMAND='echo prompt'; PS1='$ '",
        "precmd_functions= PS1='> ' PS2='> '",
        "IFS=:",
        "umask 777",
        "ulimit -n 40",
        "printf() { echo mine; }; read() { echo mine; }; print() { echo mine; }; cat() { echo mine; }",
        "test() { false; }; cd() { false; }; jobs() { sleep 60; }",
        "alias echo='echo aliased' read='sleep 60'; unalias echo",
        "exit() { true; }",
        "__oi_code=x",
        "trap 'rm -f lock' EXIT",
        "if true; then",
        "echo ${",
        "set -- a b; shift; OPTIND=3",
        "emulate sh 2>/dev/null; setopt localoptions ksharrays 2>/dev/null; shopt -s nullglob 2>/dev/null",
        "set -o posix 2>/dev/null",
    ],
)
def test_what_a_block_leaves_behind_does_not_touch_the_next(
    terminal: Terminal, language: str, code: str
) -> None:
    terminal.run(language, code, seconds=PATIENCE)
    output = terminal.run(language, "false; echo next; /bin/sh -c 'exit 3'", seconds=PATIENCE)
    assert (output.text, output.exit_code, output.lost_state) == ("next\n", 3, False)


@pytest.mark.parametrize("code", ["trap '' INT", "set +m", "PROMPT_COMMAND='echo prompt'", "stty raw"])
def test_a_block_can_be_stopped_whatever_the_one_before_did(
    terminal: Terminal, language: str, code: str
) -> None:
    terminal.run(language, code, seconds=PATIENCE)
    before = time.monotonic()
    output = terminal.run(language, "sleep 60", seconds=0.2)
    assert time.monotonic() - before < 4
    assert (output.timed_out, output.lost_state) == (True, False)


def test_a_path_that_is_unset_stays_so_and_the_shell_goes_on(terminal: Terminal, language: str) -> None:
    terminal.run(language, "saved=$PATH; unset PATH", seconds=PATIENCE)
    terminal.run(language, "PATH=$saved; export PATH", seconds=PATIENCE)
    assert terminal.run(language, "env true && echo next", seconds=PATIENCE).text == "next\n"


def test_a_deleted_directory_is_no_trap(terminal: Terminal, language: str, tmp_path: Path) -> None:
    terminal.run(language, "mkdir gone; cd gone; rmdir ../gone", seconds=PATIENCE)
    assert terminal.run(language, "echo next", seconds=PATIENCE).text == "next\n"
    assert terminal.run(language, "exit 3", seconds=PATIENCE).exit_code == 3
    assert terminal.run(language, f"cd {tmp_path} && echo back", seconds=PATIENCE).text.endswith("back\n")


def test_an_exit_trap_of_a_script_runs_and_the_state_is_kept(terminal: Terminal, language: str) -> None:
    terminal.run(language, "kept=1", seconds=PATIENCE)
    ended = terminal.run(language, "trap 'echo bye $?' EXIT; exit 4", seconds=PATIENCE)
    assert (ended.text, ended.exit_code, ended.lost_state) == ("bye 4\n", 4, False)
    assert terminal.run(language, "echo $kept; (trap 'echo sub' EXIT; true)", seconds=PATIENCE).text == (
        "1\nsub\n"
    )


@pytest.mark.parametrize(
    ("code", "number", "told"), [("kill -9 $$", -9, "SIGKILL"), ("exec sh -c 'exit 7'", 7, "exit code 7")]
)
def test_a_shell_that_is_gone_is_noticed_and_a_new_one_runs(
    terminal: Terminal, language: str, code: str, number: int, told: str
) -> None:
    output = terminal.run(language, code, seconds=PATIENCE)
    assert (output.exit_code, output.lost_state) == (number, True)
    assert told in output.text
    assert terminal.run(language, "echo new", seconds=PATIENCE).text == "new\n"


def test_functions_are_kept_over_two_exits_as_they_were_last_and_not_over_a_crash(
    terminal: Terminal, language: str
) -> None:
    terminal.run(language, "f() { echo first; }; g() {\n  echo g $1\n}", seconds=PATIENCE)
    terminal.run(language, "f() { echo second; }; exit 1", seconds=PATIENCE)
    terminal.run(language, "exit 2", seconds=PATIENCE)
    assert terminal.run(language, "f; g 2", seconds=PATIENCE).text == "second\ng 2\n"
    assert terminal.run(language, "kill -9 $$", seconds=PATIENCE).lost_state
    assert terminal.run(language, "f", seconds=PATIENCE).exit_code == 127
    assert terminal.run(language, "exit 3", seconds=PATIENCE).exit_code == 3
    assert terminal.run(language, "f", seconds=PATIENCE).exit_code == 127


def test_a_nested_shell_keeps_what_it_sets_to_itself(terminal: Terminal, language: str) -> None:
    terminal.run(language, "x=1", seconds=PATIENCE)
    code = f"{language} -c 'x=2; exit 5'; echo $? $x; ({language} -c 'kill -9 $$'); echo $x"
    assert terminal.run(language, code, seconds=PATIENCE).text.endswith("1\n")


@linux
def test_a_nested_interactive_shell_waits_for_a_line(terminal: Terminal, language: str) -> None:
    assert terminal.run(language, "sh -i", seconds=PATIENCE).waiting is not None
    assert "42" in terminal.answer("echo $((6*7))", seconds=PATIENCE).text
    assert terminal.run(language, "echo next", seconds=PATIENCE).text.endswith("next\n")


@linux
def test_a_line_is_asked_for_on_the_terminal_even_where_input_comes_from_elsewhere(
    terminal: Terminal, language: str
) -> None:
    code = 'echo ignored | sh -c \'printf "Sure? " >/dev/tty; read x </dev/tty; echo "said $x"\''
    assert terminal.run(language, code, seconds=PATIENCE).waiting == "Sure? "
    assert terminal.answer("yes", seconds=PATIENCE).text.endswith("said yes\n")


def test_background_jobs_are_told_at_most_once_and_can_be_stopped(terminal: Terminal, language: str) -> None:
    terminal.run(language, "sleep 60 & kept=$!", seconds=PATIENCE)
    assert "sleep 60" in terminal.run(language, "jobs", seconds=PATIENCE).text
    terminal.run(language, "kill $kept; wait $kept 2>/dev/null", seconds=PATIENCE)
    assert terminal.run(language, "jobs; echo next", seconds=PATIENCE).text.endswith("next\n")
    assert terminal.run(language, "echo alone", seconds=PATIENCE).text == "alone\n"


def gone(pid: int) -> bool:
    end = time.monotonic() + PATIENCE
    while Path(f"/proc/{pid}/stat").exists() and " Z " not in Path(f"/proc/{pid}/stat").read_text():
        if time.monotonic() > end:
            return False
        threading.Event().wait(0.02)
    return True


@linux
def test_what_left_the_session_ends_with_the_terminal(
    terminal: Terminal, language: str, tmp_path: Path
) -> None:
    code = (
        "daemon='import os, sys, time\n"
        "if os.fork(): os._exit(0)\n"
        "os.setsid()\n"
        "if os.fork(): os._exit(0)\n"
        'open("pid0", "w").write(str(os.getpid())); os.rename("pid0", "pid-daemon")\n'
        "time.sleep(60)'\n"
        'python3 -c "$daemon"\n'
        "setsid sh -c 'echo $$ >pid1; mv pid1 pid-setsid; exec sleep 60' >/dev/null 2>&1 &\n"
        "nohup sh -c 'echo $$ >pid2; mv pid2 pid-nohup; exec sleep 60' >/dev/null 2>&1 &\n"
        "while ! cat pid-daemon pid-setsid pid-nohup >/dev/null 2>&1; do sleep 0.02; done"
    )
    assert terminal.run(language, code, seconds=PATIENCE).ok
    pids = [int((tmp_path / f"pid-{name}").read_text()) for name in ("daemon", "setsid", "nohup")]
    assert all(Path(f"/proc/{pid}").exists() for pid in pids)
    terminal.close()
    assert all(gone(pid) for pid in pids)


def test_each_name_runs_in_the_shell_of_that_name(terminal: Terminal, language: str) -> None:
    code = 'echo "${BASH_VERSION:+bash}${ZSH_VERSION:+zsh}"'
    expected = {"bash": "bash\n", "zsh": "zsh\n"}
    if language in expected:
        assert terminal.run(language, code, seconds=PATIENCE).text == expected[language]
    assert "sh" in terminal.run(language, "ps -o comm= -p $$", seconds=PATIENCE).text


@pytest.mark.parametrize("name", ["bash", "zsh"])
def test_a_shell_that_is_missing_is_told_in_one_sentence(tmp_path: Path, name: str) -> None:
    (tmp_path / "sh").symlink_to("/bin/sh")
    with Terminal(cwd=tmp_path, environment={"PATH": str(tmp_path)}) as terminal:
        with pytest.raises(UnsupportedError, match=f'"{name}".*install'):
            terminal.run(name, "true")
        assert terminal.run("shell", "echo from sh").text == "from sh\n"


def test_powershell_is_known_and_says_that_it_cannot_run(terminal: Terminal) -> None:
    assert "powershell" not in terminal.languages()
    with pytest.raises(UnsupportedError, match=r"PowerShell cannot run.*use python"):
        terminal.run("pwsh", "Get-Date")


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bwrap is not installed")
def test_in_a_sandbox_a_shell_waits_uses_the_computer_and_keeps_what_it_knows(
    tmp_path: Path, language: str, impatient_shells: tuple[Language, ...]
) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home")}
    (tmp_path / "work").mkdir()
    policy = Policy(access="workspace-write", workspace=tmp_path / "work")
    try:
        sandbox, _ = open_sandbox("bwrap", policy, environment)
    except UnsupportedError as error:
        pytest.skip(str(error))

    def answer(call: Call) -> Reply:
        return Reply() if call.path == ("input",) else Reply(value=".".join(call.path))

    with Terminal(
        cwd=tmp_path / "work",
        environment=environment,
        answer=answer,
        sandbox=sandbox,
        languages=impatient_shells,
    ) as terminal:
        assert terminal.run(language, "oi-computer click Save", seconds=PATIENCE).text == "mouse.click\n"
        asking = terminal.run(language, "stty -echo; printf 'Password: '; read x; echo $x", seconds=PATIENCE)
        assert (asking.waiting, asking.secret_wanted) == ("Password: ", True)
        assert terminal.answer("Ada", seconds=PATIENCE).text.endswith("Ada\n")
        assert not terminal.run(language, "exit 3", seconds=PATIENCE).lost_state
        assert terminal.run(language, "echo $x", seconds=PATIENCE).text == "Ada\n"
        before = time.monotonic()
        assert not terminal.run(language, "sleep 60", seconds=0.2).lost_state
        assert time.monotonic() - before < 4
