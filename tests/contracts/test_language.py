"""What every language of the terminal does alike: each case runs in Python, in the shell and in JavaScript."""

import dis
import itertools
import os
import re
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Self

import pytest

from computer_api import terminal as terminal_package
from computer_api.errors import UnsupportedError
from computer_api.terminal import Chunk, Terminal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no language runs on Windows yet")

PATIENCE = 10.0
TERMINAL = str(Path(terminal_package.__file__).parent)


@dataclass(frozen=True, kw_only=True)
class Words:
    """How a language says what the cases need."""

    name: str
    remember: str
    recall: str
    fail: str
    broken: str
    say: Callable[[str], str]
    forever: str
    deaf: str
    vanish: str
    environment: str
    child: Callable[[str], str]
    later: Callable[[Path], str]
    remark: str
    directory: str
    count: str


def python_child(then: str) -> str:
    return f"import subprocess; print(subprocess.Popen(['sleep', '60']).pid){then}"


LANGUAGES = [
    Words(
        name="python",
        remember="x = 'kept'",
        recall="print(x)",
        fail="raise ValueError('no')",
        broken="print('abc",
        say=lambda text: f"print({text!r})",
        forever="import time\nprint('on', flush=True)\ntime.sleep(60)",
        deaf=(
            "import time\nend = time.monotonic() + 60\n"
            "while time.monotonic() < end:\n"
            "  try:\n    print('on')\n    time.sleep(60)\n  except KeyboardInterrupt:\n    pass"
        ),
        vanish="import os\nos._exit(7)",
        environment="import os\nprint(*os.environ, sep='\\n')",
        child=python_child,
        later=lambda file: (
            "import threading\n"
            f"def wait():\n  while not os.path.exists({str(file)!r}): pass\n  print('late', flush=True)\n"
            "import os; threading.Thread(target=wait).start()"
        ),
        remark="#",
        directory="import os; print(os.getcwd())",
        count="for i in range(100000): print(i)",
    ),
    Words(
        name="shell",
        remember="x=kept",
        recall='echo "$x"',
        fail="false",
        broken="echo 'abc",
        say=lambda text: f"echo '{text}'",
        forever="echo on; sleep 60",
        deaf="trap '' INT TERM HUP; echo on; while :; do :; done",
        vanish="exec sh -c 'exit 7'",
        environment="env | sed 's/=.*//'",
        child=lambda then: f"sleep 60 & echo $!{then}",
        later=lambda file: f"(while [ ! -e '{file}' ]; do :; done; echo late) &",
        remark="#",
        directory="pwd",
        count="seq 0 99999",
    ),
    Words(
        name="javascript",
        remember="const x = 'kept'",
        recall="console.log(x)",
        fail="throw new Error('no')",
        broken="console.log('abc",
        say=lambda text: f"console.log('{text}')",
        forever="console.log('on')\nawait new Promise(resolve => setTimeout(resolve, 60000))",
        deaf=(
            "const deaf = `trap '' INT TERM HUP; echo on; while :; do :; done`\n"
            "child_process.execSync(deaf, {stdio: 'inherit'})"
        ),
        vanish="process.reallyExit(7)",
        environment="for (const name of Object.keys(process.env)) console.log(name)",
        child=lambda then: f"console.log(child_process.spawn('sleep', ['60']).pid){then}",
        later=lambda file: (
            f"const wait = () => fs.existsSync('{file}') ? console.log('late') : setTimeout(wait, 1)\nvoid wait()"
        ),
        remark="//",
        directory="console.log(process.cwd())",
        count="for (let i = 0; i < 100000; i++) console.log(i)",
    ),
]


SHELLS = [replace(words, name=name) for words in LANGUAGES if words.name == "shell" for name in ("zsh", "sh")]


@pytest.fixture(params=LANGUAGES, ids=lambda words: words.name)
def words(request: pytest.FixtureRequest) -> Words:
    chosen: Words = request.param
    if chosen.name == "javascript" and shutil.which("node") is None:
        pytest.skip("there is no Node.js")
    return chosen


@pytest.fixture(params=[*LANGUAGES, *SHELLS], ids=lambda words: words.name)
def any_words(request: pytest.FixtureRequest) -> Words:
    """For cases that are cheap, so that every kind of shell runs them."""
    chosen: Words = request.param
    program = {"javascript": "node", "zsh": "zsh", "sh": "sh"}.get(chosen.name)
    if program is not None and shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    return chosen


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    with Terminal(cwd=tmp_path, environment={"PATH": os.environ["PATH"]}) as started:
        yield started


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return not Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].startswith(" Z")


def wait_until_dead(pid: int) -> bool:
    end = time.monotonic() + PATIENCE
    while is_alive(pid):
        if time.monotonic() > end:
            return False
        threading.Event().wait(0.01)
    return True


def interrupt_when_on(terminal: Terminal) -> Callable[[Chunk], None]:
    seen: list[str] = []

    def look(chunk: Chunk) -> None:
        if "on" in chunk.text and not seen:
            seen.append(chunk.text)
            terminal.interrupt()

    return look


def test_a_later_block_finds_what_an_earlier_one_set(terminal: Terminal, any_words: Words) -> None:
    assert terminal.run(any_words.name, any_words.remember).ok
    assert terminal.run(any_words.name, any_words.recall).text == "kept\n"


def test_the_first_block_of_a_cold_worker_prints_what_it_prints_and_no_more(
    terminal: Terminal, any_words: Words
) -> None:
    assert terminal.run(any_words.name, any_words.say("hello")).text == "hello\n"


def test_a_block_that_fails_says_so_and_keeps_the_state(terminal: Terminal, any_words: Words) -> None:
    terminal.run(any_words.name, any_words.remember)
    failed = terminal.run(any_words.name, any_words.fail)
    assert not failed.ok
    assert not failed.lost_state
    assert terminal.run(any_words.name, any_words.recall).text == "kept\n"


def test_a_block_that_cannot_be_parsed_returns_at_once_with_the_reason(
    terminal: Terminal, any_words: Words
) -> None:
    output = terminal.run(any_words.name, any_words.broken, seconds=PATIENCE)
    assert not output.ok
    assert not output.timed_out
    assert re.search(r"line 1|: ?2: ", output.text)  # zsh and sh name the line where it should have ended
    assert terminal.run(any_words.name, any_words.say("next")).text == "next\n"


def test_characters_of_every_length_come_back_whole(terminal: Terminal, any_words: Words) -> None:
    assert terminal.run(any_words.name, any_words.say("aé€😀 مرحبا")).text == "aé€😀 مرحبا\n"


def test_the_pieces_are_the_output(terminal: Terminal, any_words: Words) -> None:
    pieces: list[str] = []
    output = terminal.run(
        any_words.name, any_words.say("ü" * 50_000), on_output=lambda chunk: pieces.append(chunk.text)
    )
    assert "".join(pieces) == output.text == "ü" * 50_000 + "\n"


def test_a_block_of_300_kilobytes_is_run_whole(terminal: Terminal, any_words: Words) -> None:
    code = "\n".join([f"{any_words.remark} {'x' * 98}"] * 3000) + "\n" + any_words.say("end")
    assert terminal.run(any_words.name, code).text == "end\n"


def test_an_interrupt_ends_the_block_and_keeps_the_state(terminal: Terminal, any_words: Words) -> None:
    terminal.run(any_words.name, any_words.remember)
    before = time.monotonic()
    stopped = terminal.run(any_words.name, any_words.forever, on_output=interrupt_when_on(terminal))
    assert time.monotonic() - before < 2
    assert not stopped.ok
    assert not stopped.lost_state
    assert "interrupted" in stopped.text
    assert terminal.run(any_words.name, any_words.recall).text == "kept\n"


def test_an_interrupt_from_another_thread_ends_the_block(terminal: Terminal, any_words: Words) -> None:
    started = threading.Event()

    def interrupt_when_started() -> None:
        started.wait(PATIENCE)
        terminal.interrupt()

    waiter = threading.Thread(target=interrupt_when_started)
    waiter.start()
    stopped = terminal.run(any_words.name, any_words.forever, on_output=lambda _: started.set())
    waiter.join()
    assert "interrupted" in stopped.text


def test_an_interrupt_between_blocks_does_not_hit_the_next_one(terminal: Terminal, any_words: Words) -> None:
    terminal.run(any_words.name, any_words.remember)
    terminal.interrupt()
    assert terminal.run(any_words.name, any_words.recall).ok


def test_a_block_that_swallows_interrupts_is_killed_and_the_loss_is_said(
    terminal: Terminal, words: Words
) -> None:
    terminal.run(words.name, words.remember)
    before = time.monotonic()
    stopped = terminal.run(words.name, words.deaf, on_output=interrupt_when_on(terminal))
    assert 1.9 < time.monotonic() - before < 4
    assert stopped.lost_state
    assert "is gone" in stopped.text
    assert terminal.run(words.name, words.say("new")).text == "new\n"


def test_a_second_interrupt_does_not_wait(terminal: Terminal, words: Words) -> None:
    first = interrupt_when_on(terminal)

    def twice(chunk: Chunk) -> None:
        first(chunk)
        if watcher.ident is None:
            watcher.start()

    # The first is taken before the second comes: the loop looks again within a tenth of a second.
    watcher = threading.Timer(0.5, terminal.interrupt)
    before = time.monotonic()
    assert terminal.run(words.name, words.deaf, on_output=twice).lost_state
    assert time.monotonic() - before < 1.9
    watcher.join()


def test_a_block_that_takes_too_long_is_stopped_and_says_after_how_many_seconds(
    terminal: Terminal, any_words: Words
) -> None:
    output = terminal.run(any_words.name, any_words.forever, seconds=0.3)
    assert output.timed_out
    assert not output.ok
    assert "0.3 s" in output.text


def test_a_worker_that_vanishes_is_noticed_at_once_with_its_code(
    terminal: Terminal, any_words: Words
) -> None:
    terminal.run(any_words.name, any_words.remember)
    before = time.monotonic()
    output = terminal.run(any_words.name, any_words.vanish)
    assert time.monotonic() - before < 2
    assert (output.ok, output.exit_code, output.lost_state) == (False, 7, True)
    assert "exit code 7" in output.text
    assert terminal.run(any_words.name, any_words.say("again")).text == "again\n"


def test_a_program_in_the_background_does_not_hold_the_block(terminal: Terminal, any_words: Words) -> None:
    before = time.monotonic()
    output = terminal.run(any_words.name, any_words.child(""))
    assert time.monotonic() - before < 5
    assert is_alive(int(output.text.split()[-1]))  # zsh tells its number as a job before


def test_closing_ends_what_blocks_left_running(terminal: Terminal, any_words: Words) -> None:
    child = int(terminal.run(any_words.name, any_words.child("")).text.split()[-1])
    terminal.close()
    assert wait_until_dead(child)
    with pytest.raises(UnsupportedError, match="closed"):
        terminal.run(any_words.name, any_words.say("more"))


def test_closing_from_another_thread_ends_the_block(terminal: Terminal, any_words: Words) -> None:
    closer = threading.Thread(target=terminal.close)
    output = terminal.run(any_words.name, any_words.forever, on_output=lambda _: closer.start())
    closer.join()
    assert not output.ok


def test_what_is_printed_between_blocks_is_in_the_next_output(
    terminal: Terminal, any_words: Words, tmp_path: Path
) -> None:
    go = tmp_path / "go"
    terminal.run(any_words.name, any_words.later(go))
    go.touch()
    seen = ""
    end = time.monotonic() + PATIENCE
    while "late" not in seen and time.monotonic() < end:
        seen += terminal.run(any_words.name, any_words.say("now")).text
    assert "late\n" in seen


def test_the_child_has_the_given_environment_and_not_ours(tmp_path: Path, any_words: Words) -> None:
    given = {"PATH": os.environ["PATH"], "ONLY_THIS": "1"}
    with Terminal(cwd=tmp_path, environment=given) as terminal:
        names = set(terminal.run(any_words.name, any_words.environment).text.split())
    # Of the interpreter, of bash, and the mark of what a terminal started.
    ours = {"MPLBACKEND", "LC_CTYPE", "PWD", "OLDPWD", "SHLVL", "_", "TERM", "OI_TERMINAL"}
    pagers = {"PAGER", "GIT_PAGER", "MANPAGER", "SYSTEMD_PAGER", "LESS"}
    quiet = {"GIT_TERMINAL_PROMPT", "DEBIAN_FRONTEND", "PYTHONUNBUFFERED"}
    assert given.keys() | pagers | quiet <= names
    if any_words.name == "zsh":
        ours |= {"HOME", "LOGNAME"}  # which it finds out itself
    assert names <= given.keys() | pagers | quiet | ours


def test_blocks_start_in_the_given_directory(terminal: Terminal, any_words: Words, tmp_path: Path) -> None:
    assert terminal.run(any_words.name, any_words.directory).text == f"{tmp_path}\n"


def test_long_output_is_kept_at_both_ends_and_its_length_said(terminal: Terminal, any_words: Words) -> None:
    output = terminal.run(any_words.name, any_words.count)
    assert output.truncated
    assert output.text.startswith("0\n1\n")
    assert output.text.endswith(f'99998\n99999\n[the whole output is in "{output.saved}"]\n')
    assert "of 588890 bytes left out" in output.text
    assert len(output.text) < 140_000


def test_an_error_in_the_caller_s_view_stops_the_block_and_leaves_the_worker_usable(
    terminal: Terminal, any_words: Words
) -> None:
    class ViewError(Exception):
        pass

    def fail(_chunk: Chunk) -> None:
        raise ViewError

    terminal.run(any_words.name, any_words.remember)
    with pytest.raises(ViewError):
        terminal.run(any_words.name, any_words.forever, on_output=fail)
    assert terminal.run(any_words.name, any_words.recall).text == "kept\n"


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_in_the_view_of_the_last_output_loses_nothing(
    terminal: Terminal, any_words: Words, error: type[BaseException]
) -> None:
    def fail(_chunk: Chunk) -> None:
        raise error

    terminal.run(any_words.name, any_words.remember)
    for _ in range(20):  # whether the output or the end of the block is read first
        with pytest.raises(error):
            terminal.run(any_words.name, any_words.say("new"), on_output=fail)
        assert terminal.run(any_words.name, any_words.recall).text == "kept\n"


def test_a_loss_that_the_caller_s_error_hid_is_said_by_the_next_block(
    terminal: Terminal, words: Words
) -> None:
    class ViewError(Exception):
        pass

    def fail(_chunk: Chunk) -> None:
        raise ViewError

    terminal.run(words.name, words.remember)
    with pytest.raises(ViewError):
        terminal.run(words.name, words.deaf, on_output=fail)
    after = terminal.run(words.name, words.say("new"))
    assert after.text.startswith("new\n[")
    assert after.lost_state
    assert not terminal.run(words.name, words.say("newer")).lost_state


def test_interrupts_that_come_as_blocks_end_leave_nothing_for_the_next(
    terminal: Terminal, any_words: Words
) -> None:
    terminal.run(any_words.name, any_words.remember)
    for _ in range(20):
        terminal.run(any_words.name, any_words.say("on"), on_output=interrupt_when_on(terminal))
        assert terminal.run(any_words.name, any_words.recall).text == "kept\n"


def left_behind() -> tuple[int, int]:
    return len(list(Path("/dev/fd").iterdir())), threading.active_count()


@pytest.mark.parametrize("warm", [True, False])
@pytest.mark.parametrize("seconds", [0.0001, 0.0003, 0.001, 0.002, 0.004, 0.01, 0.02, 0.05])
def test_ctrl_c_at_any_moment_ends_the_block_leaves_nothing_and_keeps_the_state(
    tmp_path: Path, words: Words, seconds: float, *, warm: bool
) -> None:
    before = left_behind()
    with Terminal(cwd=tmp_path, environment={"PATH": os.environ["PATH"]}) as terminal:
        if warm:
            terminal.run(words.name, words.remember)
        ctrl_c = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
        began = time.monotonic()

        def run_until_it_comes() -> None:
            ctrl_c.start()
            terminal.run(words.name, words.forever)

        with pytest.raises(KeyboardInterrupt):
            run_until_it_comes()
        assert time.monotonic() - began < 1.5
        ctrl_c.join()
        if not warm:
            terminal.run(words.name, words.remember)
        assert terminal.run(words.name, words.recall).text == "kept\n"
    assert left_behind() == before


class InterruptAt:
    """A trace function that has Ctrl-C come at one of the places in the terminal where Python looks for signals.

    It does so after a call, at the start of a function and when it jumps back: what could be broken off only
    elsewhere is safe.
    """

    ends = frozenset(
        dis.opmap[name]
        for name in ("CALL", "CALL_KW", "CALL_FUNCTION_EX", "RESUME", "JUMP_BACKWARD")
        if name in dis.opmap
    )

    def __init__(self, place: int) -> None:
        self.left = place
        self.came = ""
        self.before: dict[FrameType, int] = {}

    def __call__(self, frame: FrameType, event: str, _argument: object) -> Self | None:
        if not frame.f_code.co_filename.startswith(TERMINAL):
            return None
        frame.f_trace_opcodes = True
        if event == "return":
            self.before.pop(frame, None)
        elif event == "opcode":
            before = self.before.get(frame)
            self.before[frame] = frame.f_code.co_code[frame.f_lasti]
            if before in self.ends and not self.came:
                self._pass(frame)
        return self

    def _pass(self, frame: FrameType) -> None:
        if self.left == 0:
            self.came = f"{frame.f_code.co_filename}:{frame.f_lineno}"
            os.kill(os.getpid(), signal.SIGINT)
        self.left -= 1


def test_ctrl_c_at_every_place_leaves_the_terminal_as_it_was(terminal: Terminal, words: Words) -> None:
    terminal.run(words.name, words.remember)
    handlers = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    sys._getframe().f_trace_opcodes = True  # Python 3.12 hears of no frame's before there is one
    for place in itertools.count():
        interrupt = InterruptAt(place)
        raised, own = False, sys.gettrace()
        sys.settrace(interrupt)
        try:
            terminal.run(words.name, words.say("on"))
        except KeyboardInterrupt:
            raised = True
        finally:
            sys.settrace(own)
        if not interrupt.came:
            break
        assert raised, interrupt.came
        assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == handlers, interrupt.came
        assert terminal.run(words.name, words.recall).text == "kept\n", interrupt.came
    assert place > 100


def test_a_handler_that_raises_nothing_runs_at_once_and_stops_nothing(
    terminal: Terminal, words: Words
) -> None:
    heard = threading.Event()
    before = signal.signal(signal.SIGINT, lambda _number, _frame: heard.set())
    try:
        output = terminal.run(
            words.name, words.say("on"), on_output=lambda _: os.kill(os.getpid(), signal.SIGINT)
        )
    finally:
        ours = signal.signal(signal.SIGINT, before)
    assert heard.is_set()
    assert output.ok
    assert getattr(ours, "__name__", "") == "<lambda>"


def test_an_unknown_language_is_refused_with_the_known_ones(terminal: Terminal) -> None:
    with pytest.raises(UnsupportedError, match=r'"cobol".*python, shell'):
        terminal.run("cobol", "DISPLAY 'HI'.")


@pytest.mark.parametrize(
    ("alias", "code"),
    [("py", "print(7)"), ("Python", "print(7)"), ("bash", "echo 7"), ("sh", "echo 7"), ("zsh", "echo 7")],
)
def test_a_language_is_known_by_its_other_names(terminal: Terminal, alias: str, code: str) -> None:
    assert terminal.run(alias, code).text == "7\n"


def test_without_bash_there_is_no_shell_and_the_reason_is_one_sentence(tmp_path: Path) -> None:
    with Terminal(environment={"PATH": str(tmp_path)}) as terminal:
        assert terminal.languages() == ("python", "html")
        with pytest.raises(UnsupportedError, match='needs "bash"'):
            terminal.run("shell", "true")


def test_an_interpreter_that_is_not_there_is_named(tmp_path: Path) -> None:
    missing = str(tmp_path / "python9")
    with (
        Terminal(environment={}, python=missing) as terminal,
        pytest.raises(UnsupportedError, match="python9"),
    ):
        terminal.run("python", "1")
