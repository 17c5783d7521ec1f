"""The 39 cases on which runners of shell code were compared, each in bash, zsh and sh: none may hang."""

import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from computer_api.terminal import Output, Terminal
from computer_api.terminal.languages.language import Language

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="these shells are not on Windows")
SHELLS = ("bash", "zsh", "sh")
HANG = 30.0
waiting_is_known = sys.platform == "linux"


class Shell:
    """One shell, and what the cases ask of it."""

    def __init__(self, terminal: Terminal, language: str, folder: Path) -> None:
        self.terminal = terminal
        self.language = language
        self.folder = folder
        # How much passes does not depend on the shell, and 100 MB took no other way than this does.
        self.much = 20_000_000 if language == "bash" else 2_000_000

    def run(self, code: str, seconds: float = HANG) -> Output:
        before = time.monotonic()
        output = self.terminal.run(self.language, code, seconds=seconds)
        assert time.monotonic() - before < HANG
        return output

    def says(self, code: str) -> str:
        output = self.run(code)
        assert not output.timed_out
        return output.text

    def code_of(self, code: str) -> int | None:
        return self.run(code).exit_code

    def interrupted(self, code: str) -> Output:
        """The block that prints "on" and is interrupted then."""
        seen = threading.Event()

        def look(chunk: object) -> None:
            if "on" in chunk.text and not seen.is_set():  # type: ignore[attr-defined]  # a Chunk
                seen.set()
                self.terminal.interrupt()

        before = time.monotonic()
        output = self.terminal.run(self.language, code, on_output=look, seconds=HANG)
        assert time.monotonic() - before < 4
        assert not output.timed_out
        assert "not reached" not in output.text
        return output


Case = Callable[[Shell], None]
CASES: dict[str, Case] = {}


def case(name: str) -> Callable[[Case], Case]:
    def add(body: Case) -> Case:
        assert name not in CASES
        CASES[name] = body
        return body

    return add


@pytest.fixture(scope="module")
def terminal(
    tmp_path_factory: pytest.TempPathFactory, impatient_shells: tuple[Language, ...]
) -> Iterator[Terminal]:
    """One for all cases, which find it as those before have left it."""
    home = tmp_path_factory.mktemp("home")
    environment = {"PATH": os.environ["PATH"], "HOME": str(home)}
    with Terminal(cwd=home, environment=environment, languages=impatient_shells) as started:
        yield started


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest, terminal: Terminal, tmp_path: Path) -> Shell:
    if shutil.which(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    terminal.run(request.param, f"cd '{tmp_path}'; unset x kept E a", seconds=HANG)
    return Shell(terminal, request.param, tmp_path)


@case("heredoc")
def _(shell: Shell) -> None:
    assert shell.says("cat <<'X'\n  two\n\ttab $HOME `no`\nX") == "  two\n\ttab $HOME `no`\n"


@case("multi-line string")
def _(shell: Shell) -> None:
    assert shell.says("echo 'one\n  two'") == "one\n  two\n"


@case("unbalanced quote")
def _(shell: Shell) -> None:
    assert not shell.run("echo 'abc").ok
    assert shell.says("echo next") == "next\n"


@case("exit 3")
def _(shell: Shell) -> None:
    assert shell.code_of("exit 3") == 3


@case("cd persists")
def _(shell: Shell) -> None:
    shell.says("cd /usr")
    assert shell.says("pwd") == "/usr\n"


@case("export persists")
def _(shell: Shell) -> None:
    shell.says("export GREETING=hello")
    assert shell.says("printenv GREETING") == "hello\n"


@case("function persists")
def _(shell: Shell) -> None:
    shell.says("greet() { echo hello $1; }")
    assert shell.says("greet Ada") == "hello Ada\n"


@case("array persists")
def _(shell: Shell) -> None:
    if shell.language == "sh":  # its only array
        shell.says("set -- one 'two 3'")
        assert shell.says('for x in "$@"; do echo "$x"; done') == "one\ntwo 3\n"
        return
    shell.says("a=(one 'two 3')")
    assert shell.says('for x in "${a[@]}"; do echo "$x"; done') == "one\ntwo 3\n"


@case("state survives exit")
def _(shell: Shell) -> None:
    shell.says("kept='a b'; export E=exported; greet() { echo hello; }; alias l='echo alias'; cd /usr")
    assert not shell.run("exit 3").lost_state
    assert shell.says('echo "$kept"; printenv E; greet; l; pwd') == "a b\nexported\nhello\nalias\n/usr\n"


@case("sleep 100 &")
def _(shell: Shell) -> None:
    before = time.monotonic()
    shell.says("sleep 100 &")
    assert time.monotonic() - before < 2


@case("late output of a background job")
def _(shell: Shell) -> None:
    shell.says("(while [ ! -e go ]; do :; done; echo late) &")
    (shell.folder / "go").touch()
    seen, end = "", time.monotonic() + HANG
    while "late" not in seen and time.monotonic() < end:
        seen += shell.says("echo now")
    assert "late\n" in seen


@case("read without input")
def _(shell: Shell) -> None:
    if not waiting_is_known:
        pytest.skip("only Linux tells at once who waits for input")
    assert shell.run('read x; echo "after $x"').waiting == ""
    assert shell.says("echo next").endswith("]\nnext\n")


@case("read, answered")
def _(shell: Shell) -> None:
    if not waiting_is_known:
        pytest.skip("only Linux tells at once who waits for input")
    assert shell.run("printf 'Name? '; read x; echo \"Hi $x\"").waiting == "Name? "
    answered = shell.terminal.answer("Ada", seconds=HANG)
    assert answered.ok
    assert answered.text.endswith("Hi Ada\n")


@case("getpass on /dev/tty")
def _(shell: Shell) -> None:
    if not waiting_is_known:
        pytest.skip("only Linux tells at once who waits for input")
    asking = shell.run("python3 -c 'import getpass; print(len(getpass.getpass()))'; echo after")
    assert (asking.waiting, asking.secret_wanted) == ("Password: ", True)
    answered = shell.terminal.answer("geheim", seconds=HANG)
    assert answered.text.endswith("6\nafter\n")
    assert "geheim" not in answered.text


@case("sudo as another user")
def _(shell: Shell) -> None:
    if shutil.which("sudo") is None:
        assert shell.code_of("sudo -n true") == 127
    else:
        assert shell.run("sudo -n -k true; echo after").text.endswith("after\n")


@case("python REPL")
def _(shell: Shell) -> None:
    if not waiting_is_known:
        pytest.skip("only Linux tells at once who waits for input")
    assert shell.run("python3 -q").waiting == ">>> "
    assert "42" in shell.terminal.answer("6 * 7", seconds=HANG).text
    assert shell.says("echo next").endswith("next\n")


@case("less file")
def _(shell: Shell) -> None:
    (shell.folder / "long").write_text("line\n" * 200)
    assert shell.says("less -R +G long | wc -l | tr -d ' '; less long") == "200\n" + "line\n" * 200


@case("git log pager")
def _(shell: Shell) -> None:
    setup = "git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m 'first commit'"
    assert "first commit" in shell.says(f"{setup} && git log")


@case("top, full screen")
def _(shell: Shell) -> None:
    if shutil.which("top") is None:
        pytest.skip("top is not installed")
    shell.run("top", seconds=1.0)
    assert shell.says("echo next").endswith("next\n")


@case("progress with \\r streams")
def _(shell: Shell) -> None:
    assert shell.says("printf '1%%\\r50%%\\r100%%\\n'") == "100%\n"


@case("binary 1 MB byte-exact")
def _(shell: Shell) -> None:
    seen: list[str] = []
    code = "i=0; while [ $i -lt 4096 ]; do printf '\\001\\177\\t\\r\\n\\303\\244%250s' ''; i=$((i+1)); done"
    output = shell.terminal.run(shell.language, code, on_output=lambda c: seen.append(c.text), seconds=HANG)
    assert output.ok
    assert "".join(seen) == ("\1\x7f\t\r\nä" + " " * 250) * 4096


@case("100 MB in lines")
def _(shell: Shell) -> None:
    output = shell.run(f"yes 123456789 | head -c {shell.much}")
    assert output.ok
    assert f"of {shell.much} bytes" in output.text


@case("100 MB without a newline")
def _(shell: Shell) -> None:
    output = shell.run(f"head -c {shell.much} /dev/zero | tr '\\0' x")
    assert output.ok
    assert f"of {shell.much} bytes" in output.text


@case("interrupt sleep")
def _(shell: Shell) -> None:
    assert not shell.interrupted("echo on; sleep 60; echo not reached").ok


@case("interrupt a loop of sleeps")
def _(shell: Shell) -> None:
    shell.interrupted("echo on; while :; do sleep 0.05; done; echo not reached")


@case("interrupt a pure loop")
def _(shell: Shell) -> None:
    shell.interrupted("echo on; while :; do :; done; echo not reached")


@case("state survives SIGINT")
def _(shell: Shell) -> None:
    shell.says("kept=1")
    assert not shell.interrupted("echo on; sleep 60; echo not reached").lost_state
    assert shell.says("echo $kept") == "1\n"


@case("job that ignores SIGINT")
def _(shell: Shell) -> None:
    shell.says("kept=1")
    deaf = "sh -c \"trap '' INT; echo on; sleep 60\""
    assert not shell.interrupted(deaf).lost_state
    assert shell.says("echo $kept").endswith("1\n")


@case("set -e, then false in the next block")
def _(shell: Shell) -> None:
    shell.says("set -e")
    assert shell.code_of("false") == 1
    assert shell.says("echo next") == "next\n"


@case("set -e inside a block")
def _(shell: Shell) -> None:
    output = shell.run("set -e\nfalse\necho not reached")
    assert (output.text, output.exit_code, output.lost_state) == ("", 1, False)


@case("set -u")
def _(shell: Shell) -> None:
    assert not shell.run("set -u; echo $undefined; echo not reached").ok
    assert shell.says("echo $undefined next") == "next\n"


@case("exit codes 1, 42, 1")
def _(shell: Shell) -> None:
    assert [shell.code_of(code) for code in ("false", "(exit 42)", "test a = b")] == [1, 42, 1]


@case("stdout/stderr order")
def _(shell: Shell) -> None:
    assert shell.says("echo a; echo b >&2; echo c; sh -c 'echo d >&2'; echo e") == "a\nb\nc\nd\ne\n"


@case("no trailing newline")
def _(shell: Shell) -> None:
    assert shell.says("printf 'no end'") == "no end"


@case("output that contains the record")
def _(shell: Shell) -> None:
    assert shell.says("printf 'D 1 0 /\\000B 1\\000after\\n'").endswith("after\n")


@case("exec >/dev/null")
def _(shell: Shell) -> None:
    shell.says("exec >/dev/null")
    assert shell.says("echo next") == "next\n"


@case("trailing backslash")
def _(shell: Shell) -> None:
    assert shell.says("echo hi \\") == "hi\n"


@case("unicode and a 300 KB block")
def _(shell: Shell) -> None:
    comment = "\n".join(["# " + "x" * 98] * 3000)
    assert shell.says(comment + "\necho 'aé€😀 مرحبا' # said") == "aé€😀 مرحبا\n"


@case("for, case, function, expansions")
def _(shell: Shell) -> None:
    code = "f() { for i in 1 2; do\n  case $i in 2) echo two $((6*7)) ${x:-none};; esac\ndone; }; f"
    assert shell.says(code) == "two 42 none\n"


@pytest.mark.parametrize("name", CASES)
def test_a_case_on_which_runners_were_compared(shell: Shell, name: str) -> None:
    CASES[name](shell)


def test_all_of_the_39_cases_are_here() -> None:
    assert len(CASES) == 39
