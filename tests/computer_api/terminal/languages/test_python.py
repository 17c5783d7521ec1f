"""The Python worker: cells as in a notebook, and a computer that the terminal's owner answers for."""

import ast
import io
import os
import signal
import subprocess
import sys
import threading
import time
import venv
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from processes import killed_after

from computer_api.errors import NotFoundError, UnsupportedError
from computer_api.terminal import Call, Chunk, Output, Reply, Terminal
from computer_api.terminal.languages import python as parent_side
from computer_api.terminal.languages.python import PythonLanguage
from computer_api.terminal.place import Place

ENVIRONMENT = {"PATH": os.environ["PATH"]}
PATIENCE = 20.0  # seconds, on a machine that does much else
WORKER = Path(parent_side.__file__).with_name("python_worker.py")


class StoppedForGood(BaseException):
    """What ends everything, as a person's stop does."""


RAISED: dict[str, BaseException] = {
    "find": NotFoundError('There is no "Save"; the closest is "Safe".'),
    "broken": ValueError("a mistake of ours"),
    "deep": RecursionError("it goes too deep"),
    "stop": StoppedForGood(),
}


class Owner:
    """Answers calls, and remembers them."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.inside = 0
        self.most_inside = 0

    def answer(self, call: Call) -> Reply:
        self.calls.append(call)
        self.inside += 1
        self.most_inside = max(self.most_inside, self.inside)
        try:
            return self.reply(call)
        finally:
            self.inside -= 1

    def reply(self, call: Call) -> Reply:
        match call.path:
            case (name,) if name in RAISED:
                raise RAISED[name]
            case ("display", "width"):
                return Reply(value=1280)
            case ("screenshot",):
                return Reply(png=picture())
            case ("odd",):
                return Reply(error=("OddError", "It is odd."))
            case ("input",):
                return Reply(value="Ada")
            case ("wrong",):
                return Reply(error=("TypeError", "wrong() takes no 'buton'"))
            case ("match",):
                return Reply(value={"box": {"x": 1}, "text": "Save"})
            case _:
                return Reply(value=[*call.args, dict(call.kwargs)])


def picture() -> bytes:
    from PIL import Image

    file = io.BytesIO()
    Image.new("RGB", (3, 2), "red").save(file, "PNG")
    return file.getvalue()


@pytest.fixture
def owner() -> Owner:
    return Owner()


@pytest.fixture
def terminal(tmp_path: Path, owner: Owner) -> Iterator[Terminal]:
    with Terminal(cwd=tmp_path, environment=ENVIRONMENT, answer=owner.answer) as started:
        yield started


def printed(terminal: Terminal, code: str) -> str:
    return terminal.run("python", code).text


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("1+1", "2\n"),
        ("x = 1\nx + 2", "3\n"),
        ("None", ""),
        ("1+1\nx = 5", ""),
        ("'a\\r\\nb'", "'a\\r\\nb'\n"),
        ("print('no end', end='')", "no end"),
        ("def f():\n    return 'ok'\n\nf()", "'ok'\n"),
        ("import asyncio\nawait asyncio.sleep(0, 'slept')", "'slept'\n"),
        ("async def g():\n    return 4\nprint(await g())", "4\n"),
        ("__name__", "'__main__'\n"),
        ("import pickle\nclass A: pass\ntype(pickle.loads(pickle.dumps(A()))) is A", "True\n"),
        ("'\\ud800'; print('\\ud800')", "\\ud800\n"),
        ("", ""),
        ("# only a remark", ""),
    ],
)
def test_a_cell_shows_its_last_value_and_what_it_prints(terminal: Terminal, code: str, text: str) -> None:
    output = terminal.run("python", code)
    assert (output.text, output.ok) == (text, True)


@dataclass(frozen=True, kw_only=True)
class Case:
    """A cell, and what comes of it. ``then`` is run after it, by the same worker unless ``lost``."""

    name: str
    code: str
    text: str | None = None
    contains: tuple[str, ...] = ()
    ok: bool = True
    exit_code: int | None = None
    lost: bool = False
    then: str = "'next'"
    after: str = "'next'\n"


# The table of facts, section 1, and what else cells do to their worker: 52 cases, each done within PATIENCE.
# Those that are stopped from outside, and those of the computer, are tests of their own below.
CASES = [
    Case(name="a value", code="6 * 7", text="42\n", then="_ + 1", after="43\n"),
    Case(name="state", code="x = [1]\nx.append(2)", text="", then="x", after="[1, 2]\n"),
    Case(
        name="state after an error",
        code="x = 1\n1 / 0",
        contains=("ZeroDivisionError",),
        ok=False,
        then="x",
        after="1\n",
    ),
    Case(
        name="syntax error", code="print('no')\nif", contains=('"<cell 1>", line 2', "SyntaxError"), ok=False
    ),
    Case(name="a null byte", code="x = '\0'", contains=("null bytes",), ok=False),
    Case(name="IPython's own", code="!ls", contains=("SyntaxError", "run a shell block"), ok=False),
    Case(name="top-level await", code="import asyncio\nawait asyncio.sleep(0, 5)", text="5\n"),
    Case(
        name="a task made before the await",
        code="import asyncio\nasync def five():\n    return 5\ntask = asyncio.create_task(five())\nawait task",
        text="5\n",
        then="asyncio.run(five())",
        after="5\n",
    ),
    Case(
        name="exit in a cell that awaits",
        code="import asyncio\nawait asyncio.sleep(0)\nexit(3)",
        text="",
        ok=False,
        exit_code=3,
    ),
    Case(name="exit()", code="exit()", text="", exit_code=0),
    Case(
        name="quit()",
        code="quit()\nprint('no')",
        text="",
        exit_code=0,
        then="input('? ')",
        after="? \n'Ada'\n",
    ),
    Case(name="sys.exit with a number", code="import sys; sys.exit(3)", text="", ok=False, exit_code=3),
    Case(
        name="sys.exit with a text", code="import sys; sys.exit('why')", text="why\n", ok=False, exit_code=1
    ),
    Case(
        name="os._exit",
        code="import os; os._exit(7)",
        contains=("exit code 7",),
        ok=False,
        exit_code=7,
        lost=True,
    ),
    Case(
        name="a crash",
        code="import ctypes\n\nctypes.string_at(0)",
        contains=("Segmentation fault", '"<cell 1>", line 3 in <module>', "SIGSEGV"),
        ok=False,
        exit_code=-signal.SIGSEGV,
        lost=True,
    ),
    Case(
        name="an alarm without a handler",
        code="import signal, time\nsignal.setitimer(signal.ITIMER_REAL, 0.05)\ntime.sleep(60)",
        contains=("SIGALRM",),
        ok=False,
        exit_code=-signal.SIGALRM,
        lost=True,
    ),
    Case(
        name="an alarm with a handler",
        code=(
            "import signal, time\ndef late(*_): raise TimeoutError('late')\n"
            "before = signal.signal(signal.SIGALRM, late)\n"
            "before = signal.setitimer(signal.ITIMER_REAL, 0.05)\ntime.sleep(60)"
        ),
        contains=("TimeoutError: late",),
        ok=False,
    ),
    Case(
        name="a handler that raises all the time",
        code=(
            "import signal\nbefore = signal.signal(signal.SIGALRM, lambda *_: 1 / 0)\n"
            "before = signal.setitimer(signal.ITIMER_REAL, 0.01, 0.003)\nwhile True: pass"
        ),
        contains=("ZeroDivisionError",),
        ok=False,
        then="x = signal.signal(signal.SIGALRM, signal.SIG_IGN)",
        after="",
    ),
    Case(
        name="endless recursion",
        code="def f(): return f()\nf()",
        contains=("RecursionError", "repeated"),
        ok=False,
    ),
    Case(
        name="an error that cannot be shown",
        code="class E(Exception):\n    def __str__(self): raise ValueError\nraise E",
        contains=("E: <", "line 3"),
        ok=False,
    ),
    Case(
        name="a value that cannot be shown",
        code="class R:\n    def __repr__(self): raise ValueError('r')\nR()",
        contains=("ValueError: r",),
        ok=False,
    ),
    Case(
        name="an error of no usual kind",
        code="raise BaseException('b')",
        contains=("BaseException: b",),
        ok=False,
    ),
    Case(
        name="parent and child in order",
        code="import os, sys\nprint('A')\nx = os.system('echo B')\nprint('E', file=sys.stderr)\nprint('C')",
        text="A\nB\nE\nC\n",
    ),
    Case(name="a child that reads", code="import subprocess\nsubprocess.run(['cat']).returncode", text="0\n"),
    Case(
        name="a child in the background",
        code="import subprocess\nchild = subprocess.Popen(['sleep', '60'])",
        text="",
        then="child.poll()",
        after="",
    ),
    Case(
        name="fork",
        code="import os\npid = os.fork()\nif pid: os.waitpid(pid, 0)\nprint('parent' if pid else 'child')",
        contains=("child\nparent\n",),
    ),
    Case(
        name="a fork that fails",
        code="import os\npid = os.fork()\nif not pid: 1 / 0\nos.waitpid(pid, 0)[1] >> 8",
        contains=("ZeroDivisionError", "\n1\n"),
    ),
    Case(
        name="a fork that calls",
        code=(
            "import os\npid = os.fork()\nif not pid:\n"
            "    try: computer.echo()\n    except ComputerError as error: print(error)\n"
            "    os._exit(0)\nx = os.waitpid(pid, 0)"
        ),
        contains=("A forked process has no computer",),
    ),
    *(
        Case(
            name=f"multiprocessing by {how}",
            code=(
                "import multiprocessing\nBASE = 10\ndef square(x):\n    return BASE + x * x\n"
                f"with multiprocessing.get_context({how!r}).Pool(2) as pool: print(pool.map(square, [1, 2, 3]))"
            ),
            text="[11, 14, 19]\n",
            then="__file__",
            after="NameError",
        )
        for how in ("fork", "spawn", "forkserver")
    ),
    Case(name="emoji and a lone surrogate", code="print('é😀 \\ud800')", text="é😀 \\ud800\n"),
    Case(name="code that is no text", code="print('\ud800')", contains=("Error",), ok=False),
    Case(
        name="binary output",
        code="import sys\nx = sys.stdout.buffer.write(b'\\xff\\x00a\\n')\nprint('b')",
        text="\ufffda\nb\n",
    ),
    Case(name="a large cell", code="#" * 2_000_000 + "\n1", text="1\n"),
    Case(name="a large value", code="'x' * 100_000_000", contains=("bytes left out",)),
    Case(
        name="a warning",
        code="import warnings\nwarnings.warn('careful')",
        contains=("<cell 1>:2: UserWarning: careful",),
    ),
    Case(name="logging", code="import logging\nlogging.warning('logged')", text="WARNING:root:logged\n"),
    Case(
        name="an error in a thread",
        code="import threading\nt = threading.Thread(target=lambda: 1 / 0)\nt.start(); t.join()",
        contains=("ZeroDivisionError",),
    ),
    Case(
        name="a thread that prints",
        code="import threading\nt = threading.Thread(target=lambda: print('t'))\nt.start(); t.join()",
        text="t\n",
    ),
    Case(name="stdout closed", code="import sys\nsys.stdout.close()", text=""),
    Case(
        name="stderr closed, and an error",
        code="import sys\nsys.stderr.close()\n1 / 0",
        contains=("ZeroDivisionError",),
        ok=False,
    ),
    Case(
        name="stdout taken apart",
        code="import io, sys\nsys.stdout = io.TextIOWrapper(sys.stdout.detach())\nprint('mine')",
        text="mine\n",
    ),
    Case(
        name="stdout replaced, and an error",
        code="import io, sys\nsys.stdout = io.StringIO()\n1 / 0",
        contains=("ZeroDivisionError",),
        ok=False,
    ),
    Case(
        name="stdout replaced for good",
        code="import io, sys\nsys.stdout = mine = io.StringIO()\nprint('mine')",
        text="",
        then="sys.stdout = sys.__stdout__\nmine.getvalue()",
        after="'mine\\n'",
    ),
    Case(
        name="descriptor 1 led away",
        code="import os\nx = os.dup2(os.open(os.devnull, os.O_WRONLY), 1)\nprint('lost')",
        text="",
    ),
    Case(name="descriptors closed", code="import os\nos.close(0); os.close(1); os.close(2)", text=""),
    Case(
        name="every descriptor closed",
        code="import os\nos.closerange(3, 200)",
        contains=("The block closed the descriptors by which its Python is reached.",),
        ok=False,
        lost=True,
        exit_code=-signal.SIGKILL,
    ),
    Case(
        name="input() deleted",
        code="import builtins\ndel builtins.input",
        text="",
        then="input('? ')",
        after="? \n'Ada'\n",
    ),
    Case(name="getpass", code="import getpass\ngetpass.getpass('Word: ')", text="Word: \n'Ada'\n"),
    Case(
        name="standard input",
        code="import sys\nsys.stdin.readline(), next(sys.stdin), sys.stdin.isatty()",
        text="('Ada\\n', 'Ada\\n', False)\n",
    ),
    Case(name="another folder", code="import os\nos.chdir('/')", text="", then="os.getcwd()", after="'/'\n"),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_cell_ends_in_time_and_the_next_one_runs(terminal: Terminal, case: Case) -> None:
    began = time.monotonic()
    output = terminal.run("python", case.code, seconds=PATIENCE)
    if case.text is not None:
        assert output.text == case.text
    for part in case.contains:
        assert part in output.text
    assert (output.ok, output.exit_code, output.lost_state) == (case.ok, case.exit_code, case.lost)
    assert case.after in printed(terminal, case.then)
    assert time.monotonic() - began < PATIENCE


def test_a_hundred_thousand_lines_all_arrive_before_the_end(terminal: Terminal) -> None:
    lines: list[str] = []
    terminal.run(
        "python", "for i in range(100000): print(i)", on_output=lambda chunk: lines.append(chunk.text)
    )
    assert "".join(lines) == "".join(f"{number}\n" for number in range(100_000))


def test_a_traceback_shows_the_cell_s_own_lines_only(terminal: Terminal) -> None:
    text = printed(terminal, "import json\ndef read():\n    json.loads('{')\n\nread()")
    assert 'File "<cell 1>", line 5, in <module>\n    read()' in text
    assert 'File "<cell 1>", line 3, in read\n    json.loads(' in text
    assert text.count("File") == 2
    assert "json.decoder.JSONDecodeError: " in text


def test_a_traceback_shows_the_lines_of_the_person_s_own_files(terminal: Terminal, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def go():\n    return 1 / 0\n")
    assert "return 1 / 0" in printed(terminal, "import mine\nmine.go()")


def test_a_function_of_an_earlier_cell_shows_its_lines_when_it_fails_later(terminal: Terminal) -> None:
    printed(terminal, "def f():\n    raise KeyError('first cell')")
    assert "    raise KeyError('first cell')\n" in printed(terminal, "f()")


def test_code_that_never_hands_over_is_killed_after_the_grace(terminal: Terminal) -> None:
    before = time.monotonic()
    output = terminal.run("python", "sum(range(10**11))", seconds=0.3)
    assert time.monotonic() - before < 4
    assert output.timed_out
    assert output.lost_state


@pytest.mark.parametrize(
    "code",
    [
        "while True: pass",
        "import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()",
        "import subprocess\nsubprocess.run(['sleep', '60'])",
        "import os\nwhile True: os.system('sleep 60')",
        "import asyncio\nawait asyncio.sleep(60)",
        "for i in range(10**9): print(i)",
        "while True: computer.mouse.move(1, 2)",
    ],
)
def test_an_interrupt_reaches_whatever_the_cell_is_doing(terminal: Terminal, code: str) -> None:
    printed(terminal, "kept = 1")
    output = terminal.run("python", code, seconds=0.3)
    if "os.system" in code:  # each sleep is stopped, and the loop starts the next
        assert output.timed_out
        return
    assert not output.lost_state
    assert printed(terminal, "kept") == "1\n"
    assert printed(terminal, "computer.echo(5)") == "[5, {}]\n"


def test_output_that_looks_like_a_record_is_output(terminal: Terminal) -> None:
    forged = '{"done": true, "ok": true, "exit": 0}'
    assert printed(terminal, f"print({forged!r})\nprint('after')") == f"{forged}\nafter\n"


FORGED = [
    "[]",
    "7",
    "nope",
    "\xff",
    "[" * 100_000,
    "9" * 10_000,
    '{"png": "?"}',
    '{"png": "bm8gcGljdHVyZQ=="}',
    '{"html": 5}',
    '{"call": 1}',
    '{"call": [[[]]], "id": 1, "args": [], "kwargs": {}}',
    '{"call": [], "id": "x", "args": [], "kwargs": {}}',
    '{"call": ["input"], "id": 999, "args": [], "kwargs": {}}',
    '{"call": ["input"], "id": 999, "args": ["?", false], "kwargs": {}}',
    '{"call": ["echo"], "id": 999, "args": [], "kwargs": {}}',
    '{"ready": 1}',
    '{"began": null}',
    '{"done": 1}',
    '{"done": 99, "ok": true, "exit": null}',
    '{"done": true, "ok": 1, "exit": "0"}',
]


def test_records_that_a_cell_forges_break_nothing(terminal: Terminal) -> None:
    code = (
        "import os, stat\n"
        "for fd in range(3, 30):\n"
        "    try:\n"
        "        if stat.S_ISSOCK(os.fstat(fd).st_mode):\n"
        f"            for record in {FORGED!r}: os.write(fd, record.encode('latin-1') + b'\\n')\n"
        "    except OSError: pass\n"
        "'still here'"
    )
    output = terminal.run("python", code)
    assert (output.text, output.images, output.html) == ("'still here'\n", (), ())
    assert printed(terminal, "computer.echo(1)") == "[1, {}]\n"


def test_a_mistake_in_what_answers_is_raised_here_and_does_not_hold_the_cell(terminal: Terminal) -> None:
    with pytest.raises(ValueError, match="a mistake of ours"):
        terminal.run("python", "computer.broken()")
    assert printed(terminal, "1") == "1\n"


def test_what_goes_too_deep_for_us_is_the_cell_s_error(terminal: Terminal) -> None:
    assert "RecursionError: it goes too deep" in terminal.run("python", "computer.deep()").text


def test_a_cell_can_ask_and_is_answered(terminal: Terminal, owner: Owner) -> None:
    assert printed(terminal, "name = input('Name? ')\nname") == "Name? \n'Ada'\n"
    assert owner.calls == [Call(path=("input",), args=("Name? ", False))]


def test_the_first_cell_can_use_the_computer(terminal: Terminal, owner: Owner) -> None:
    assert (
        printed(terminal, "computer.mouse.click('Save', button='left')") == "['Save', {'button': 'left'}]\n"
    )
    assert owner.calls == [Call(path=("mouse", "click"), args=("Save",), kwargs={"button": "left"})]


def test_a_value_is_read_without_a_call(terminal: Terminal) -> None:
    assert printed(terminal, "computer.display.width // 2") == "640\n"
    assert printed(terminal, "computer.display") == "<computer.display>\n"


def test_an_error_of_the_computer_is_an_exception_of_its_name(terminal: Terminal) -> None:
    assert 'NotFoundError: There is no "Save"; the closest is "Safe".' in printed(
        terminal, "computer.find('Save')"
    )
    caught = (
        "try: computer.find('Save')\nexcept NotFoundError as error: print(isinstance(error, ComputerError))"
    )
    assert printed(terminal, caught) == "True\n"
    assert printed(terminal, "computer.odd()").endswith("OddError: It is odd.\n")


def test_an_argument_that_cannot_be_sent_is_named(terminal: Terminal) -> None:
    text = printed(terminal, "computer.mouse.click({1, 2})")
    assert "TypeError: mouse.click takes text, numbers, lists and dicts only, and was given {1, 2}." in text
    assert printed(terminal, "computer.echo(1)") == "[1, {}]\n"


def test_calls_from_threads_come_one_at_a_time(terminal: Terminal, owner: Owner) -> None:
    code = (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "with ThreadPoolExecutor(8) as pool: got = list(pool.map(computer.echo, range(200)))\n"
        "got == [[n, {}] for n in range(200)]"
    )
    assert printed(terminal, code) == "True\n"
    assert owner.most_inside == 1


def test_a_screenshot_is_a_picture_and_a_picture_is_shown(terminal: Terminal) -> None:
    output = terminal.run("python", "computer.screenshot()")
    assert output.text == ""
    from PIL import Image

    (png,) = output.images
    shown = Image.open(io.BytesIO(png))
    assert shown.size == (3, 2)
    assert shown.convert("RGB").getpixel((0, 0)) == (255, 0, 0)


def test_without_pillow_a_screenshot_is_the_bytes_of_a_png(tmp_path: Path, owner: Owner) -> None:
    bare = tmp_path / "bare"
    venv.create(bare, with_pip=False)
    with Terminal(
        environment=ENVIRONMENT, python=str(bare / "bin" / "python"), answer=owner.answer
    ) as terminal:
        assert printed(terminal, "computer.screenshot()[:4]") == "b'\\x89PNG'\n"


def test_the_time_that_an_answer_takes_is_not_the_cell_s(tmp_path: Path) -> None:
    def slow(_call: Call) -> Reply:
        end = time.monotonic() + 0.6
        while time.monotonic() < end:
            pass
        return Reply(value="at last")

    with Terminal(environment=ENVIRONMENT, answer=slow) as terminal:
        terminal.run("python", "1")
        assert terminal.run("python", "computer.approve()", seconds=0.5).text == "'at last'\n"


def test_a_stop_raised_by_the_owner_ends_the_cell_and_reaches_the_caller(
    terminal: Terminal, owner: Owner
) -> None:
    printed(terminal, "kept = 1")
    stubborn = "try:\n    computer.stop()\nfinally:\n    computer.mouse.click('after')"
    with pytest.raises(StoppedForGood):
        terminal.run("python", stubborn)
    assert [call.path for call in owner.calls] == [("stop",)]
    assert printed(terminal, "kept") == "1\n"


def test_no_call_passes_after_an_interrupt() -> None:
    done: list[Call] = []

    def answer(call: Call) -> Reply:
        done.append(call)
        watched.interrupt()
        return Reply()

    code = "while True:\n    try: computer.click()\n    except BaseException: pass"
    with Terminal(environment=ENVIRONMENT, answer=answer) as watched:
        assert watched.run("python", code).lost_state
    assert len(done) == 1


def test_the_worker_needs_no_python_newer_than_3_8() -> None:
    ast.parse(WORKER.read_text(), feature_version=(3, 8))


def test_files_beside_the_worker_are_not_in_the_way(terminal: Terminal, tmp_path: Path) -> None:
    (tmp_path / "output.py").write_text("mine = True\n")
    assert printed(terminal, "import output\noutput.mine") == "True\n"
    assert printed(terminal, "import sys\nsys.path[0], sys.argv") == "('', [''])\n"


PARENT = """
import os, sys, threading
from computer_api.terminal import Terminal
terminal = Terminal(environment={"PATH": os.environ["PATH"]})
language, code = sys.argv[1:]
terminal.run(language, code, on_output=lambda chunk: print(chunk.text, end="", flush=True))
"""


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("python", "import os\nprint(os.getpid())\nsum(range(10**11))"),
        (
            "python",
            "import subprocess, time\nprint(subprocess.Popen(['sleep', '60']).pid)\ntime.sleep(60)",
        ),
        ("shell", "echo $$; sleep 60"),
        ("shell", "sleep 60 & echo $!; wait"),
    ],
    ids=["python in C code", "a child of python", "the shell", "a child of the shell"],
)
def test_what_runs_dies_with_a_parent_that_is_killed(language: str, code: str) -> None:
    if "sum" in code and sys.platform != "linux":
        pytest.skip("only Linux tells a process that never hands over")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, "-c", PARENT, language, code]
    with killed_after(subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        os.kill(child, 0)
        parent.kill()
        parent.wait()
        end = time.monotonic() + 10
        while Path(f"/proc/{child}").exists() and time.monotonic() < end:
            threading.Event().wait(0.01)
        assert not Path(f"/proc/{child}").exists()


def test_closing_leaves_no_descriptor_and_no_thread_behind() -> None:
    def open_now() -> tuple[int, int]:
        return len(list(Path("/dev/fd").iterdir())), threading.active_count()

    before = open_now()
    for _ in range(3):
        with Terminal(environment=ENVIRONMENT) as terminal:
            terminal.run("python", "1")
            terminal.run("shell", "true")
            terminal.run("python", "import os; os._exit(1)")
            terminal.run("shell", "exit 1")
    assert open_now() == before


def test_output_comes_while_the_cell_runs(terminal: Terminal, tmp_path: Path) -> None:
    go = tmp_path / "go"
    code = f"import os\nprint('first')\nwhile not os.path.exists({str(go)!r}): pass\nprint('second')"
    seen: list[str] = []

    def look(chunk: Chunk) -> None:
        seen.append(chunk.text)
        go.touch()

    output = terminal.run("python", code, on_output=look, seconds=PATIENCE)
    assert not output.timed_out
    assert "".join(seen) == "first\nsecond\n"
    assert len(seen) > 1


# What values show of themselves.

TABLE = """
class Table:
    def _repr_html_(self):
        return '<style>b{}</style><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2 &lt; 3</td></tr></table>'
"""


def test_html_goes_out_beside_the_text_of_a_value(terminal: Terminal) -> None:
    output = terminal.run("python", TABLE + "    def __repr__(self): return 'a b'\nTable()")
    assert output.text == "a b\n"
    assert len(output.html) == 1
    assert output.html[0].startswith("<style>")


def test_a_value_that_shows_itself_only_in_a_browser_is_put_into_words(terminal: Terminal) -> None:
    output = terminal.run("python", TABLE + "Table()")
    assert output.text == "a\tb\n1\t2 < 3\n"
    assert len(output.html) == 1


@pytest.mark.parametrize(
    ("form", "text", "html"),
    [
        ("_repr_markdown_(self): return '# A'", "# A\n", ()),
        ("_repr_svg_(self): return '<svg/>'", None, ("<svg/>",)),
        ("_repr_html_(self): return None", None, ()),
        ("_repr_html_(self): return '<b>a</b>', {'isolated': True}", "a\n", ("<b>a</b>",)),
        ("_repr_mimebundle_(self, **_): return {'text/plain': 'p', 'text/html': 'h'}", "p\n", ("h",)),
        ("_repr_html_(self): 1 / 0", None, ()),
        ("_repr_png_(self): return None", None, ()),
        ("__getattr__(self, name): return lambda: 'anything'", None, ()),
    ],
)
def test_a_value_is_shown_by_its_own_methods(
    terminal: Terminal, form: str, text: str | None, html: tuple[str, ...]
) -> None:
    output = terminal.run("python", f"class A:\n    def {form}\nA()")
    assert output.ok
    assert output.html == html
    if text is None:
        assert "<__main__.A object at " in output.text
    else:
        assert output.text == text


def test_a_method_that_fails_is_named_and_the_value_is_shown_without(terminal: Terminal) -> None:
    text = printed(
        terminal, "class A:\n    def _repr_html_(self): 1 / 0\n    def __repr__(self): return 'A!'\nA()"
    )
    assert text == "[_repr_html_ of A failed: ZeroDivisionError: division by zero]\nA!\n"


def test_a_class_is_not_shown_as_its_instances_are(terminal: Terminal) -> None:
    output = terminal.run("python", TABLE + "Table")
    assert (output.text, output.html) == ("<class '__main__.Table'>\n", ())


def test_display_shows_values_in_the_middle_of_a_cell(terminal: Terminal) -> None:
    output = terminal.run("python", TABLE + "display(1, Table())\nprint('end')")
    assert output.text == "1\na\tb\n1\t2 < 3\nend\n"
    assert len(output.html) == 1


def test_display_of_ipython_is_ours_when_a_cell_imports_it(terminal: Terminal, tmp_path: Path) -> None:
    core = tmp_path / "IPython" / "core"
    core.mkdir(parents=True)
    (core / "display_functions.py").write_text(
        "def display(*values): raise RuntimeError('not in a notebook')\n"
    )
    assert printed(terminal, "from IPython.core.display_functions import display as shown\nshown(5)") == "5\n"


def test_photographs_are_shown_as_png(terminal: Terminal) -> None:
    code = (
        "import io\nfrom PIL import Image\nfile = io.BytesIO()\nImage.new('RGB', (3, 2)).save(file, 'JPEG')\n"
        "class Photo:\n    def _repr_jpeg_(self): return file.getvalue()\nPhoto()"
    )
    output = terminal.run("python", code)
    assert [png[:4] for png in output.images] == [b"\x89PNG"]
    assert output.text == ""


def test_what_is_shown_is_kept_up_to_a_number_and_a_size_and_the_rest_is_counted(terminal: Terminal) -> None:
    output = terminal.run(
        "python", "class B:\n    def _repr_html_(self): return 'b'\nfor _ in range(18): display(B())"
    )
    assert len(output.html) == 16
    assert "[2 more HTML values left out: a block keeps at most 16, of 4 MB together]" in output.text
    large = (
        "class B:\n    def _repr_html_(self): return 'b' * 3_000_000\n    def __repr__(self): return 'B'\n"
    )
    output = terminal.run("python", large + "for _ in range(2): display(B())")
    assert len(output.html) == 1
    assert "[1 more HTML value left out" in output.text
    code = "from PIL import Image\nfor n in range(17): display(Image.new('RGB', (n + 1, 1)))"
    output = terminal.run("python", code)
    assert len(output.images) == 16
    assert "[1 more image left out: a block keeps at most 16, of 32 MB together]" in output.text


def test_pictures_that_are_none_are_not_kept(terminal: Terminal) -> None:
    output = terminal.run("python", "class P:\n    def _repr_png_(self): return b'no picture'\nP()")
    assert (output.images, output.ok) == ((), True)


def interpreters_with(*modules: str) -> list[str]:
    """The interpreters here that have these modules: ours and the system's."""
    found = [sys.executable, "/usr/bin/python3"]
    return [python for python in found if runs(python, f"import {', '.join(modules)}")]


def runs(python: str, code: str) -> bool:
    try:
        return subprocess.run([python, "-c", code], check=False, capture_output=True).returncode == 0
    except OSError:
        return False


@pytest.fixture
def plotting(tmp_path: Path) -> Iterator[Terminal]:
    pythons = interpreters_with("matplotlib", "pandas")
    if not pythons:
        pytest.skip("no Python here has matplotlib and pandas")
    with Terminal(cwd=tmp_path, environment=ENVIRONMENT, python=pythons[0]) as started:
        yield started


def test_a_figure_is_shown_once_whether_it_is_left_open_or_shown_or_the_last_value(
    plotting: Terminal,
) -> None:
    left_open = plotting.run("python", "import matplotlib.pyplot as plt\nline = plt.plot([1, 2])")
    assert len(left_open.images) == 1
    assert len(plotting.run("python", "plt.figure()").images) == 1
    shown = plotting.run("python", "for n in range(3):\n    line = plt.plot([n])\n    plt.show()")
    assert (len(shown.images), shown.text) == (3, "")
    failed = plotting.run("python", "line = plt.plot([1, 2])\n1 / 0")
    assert (failed.images, failed.ok) == ((), False)
    assert plotting.run("python", "1").images == ()


def test_a_table_is_html_and_text(plotting: Terminal) -> None:
    output = plotting.run("python", "import pandas\npandas.DataFrame({'a': [1, 2]})")
    assert output.text == "   a\n0  1\n1  2\n"
    assert "<table" in output.html[0]


# The interpreter that was chosen.


def interpreters() -> list[str]:
    """Every Python that is here, whatever its version: the system's, and those beside ours."""
    beside = Path(sys.base_prefix).parent.glob("*/bin/python")
    return [str(python) for python in (Path("/usr/bin/python3"), *sorted(beside)) if python.is_file()]


@pytest.mark.parametrize("python", interpreters())
def test_any_python_from_3_8_on_runs_cells_and_an_older_one_is_refused_in_a_sentence(
    python: str, owner: Owner
) -> None:
    with Terminal(environment=ENVIRONMENT, python=python, answer=owner.answer) as terminal:
        if not runs(python, "import sys; assert sys.version_info >= (3, 8)"):
            with pytest.raises(
                UnsupportedError, match=r"cannot run Python here: .*; name a Python 3.8 or newer\.$"
            ):
                terminal.run("python", "1")
            return
        text = printed(terminal, "import sys, asyncio\nawait asyncio.sleep(0, sys.version_info[:2])")
        version = subprocess.check_output(
            [python, "-c", "import sys; print(sys.version_info[:2])"], text=True
        )
        assert text == version
        assert printed(terminal, "computer.echo(computer.display.width)") == "[1280, {}]\n"
        assert printed(terminal, TABLE + "Table()") == "a\tb\n1\t2 < 3\n"
        assert "line 1, in <module>\n    1 / 0\n" in printed(terminal, "1 / 0")
        stopped = terminal.run("python", "kept = 1\nwhile True: kept += 1", seconds=0.2)
        assert (stopped.timed_out, stopped.lost_state) == (True, False)


def test_the_interpreter_can_be_named_by_the_folder_of_its_venv(tmp_path: Path) -> None:
    venv.create(tmp_path / "own", with_pip=False)
    place = Place(cwd=tmp_path, environment=ENVIRONMENT)
    worker = PythonLanguage(python=str(tmp_path / "own")).worker(place, None)
    output = worker.run("import sys; print(sys.prefix)", on_output=lambda _: None, seconds=PATIENCE)
    worker.close()
    assert output.text == f"{tmp_path / 'own'}\n"


@pytest.mark.parametrize("python", ["no-such-python", "/no/such/python"])
def test_an_interpreter_that_is_not_there_is_named_in_one_sentence(python: str) -> None:
    language = PythonLanguage(python=python)
    assert language.missing(ENVIRONMENT) == (
        f'There is no interpreter "{python}"; name a Python 3.8 or newer, by its path or the folder of its venv.'
    )
    with pytest.raises(UnsupportedError, match=python):
        language.worker(Place(cwd=None, environment=ENVIRONMENT), None)
    assert PythonLanguage().missing({}) is None


def test_a_program_that_is_no_python_is_named_with_what_it_said(tmp_path: Path) -> None:
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\necho 'library not found' >&2\nexit 9\n")
    program.chmod(0o755)
    with (
        Terminal(environment=ENVIRONMENT, python=str(program)) as terminal,
        pytest.raises(UnsupportedError, match='exit code 9 and said "library not found"; name'),
    ):
        terminal.run("python", "1")


# The computer.


def test_a_wrong_call_is_python_s_own_error(terminal: Terminal) -> None:
    code = "try: computer.wrong()\nexcept TypeError as error: print(isinstance(error, ComputerError), error)"
    assert printed(terminal, code) == "False wrong() takes no 'buton'\n"


def test_fields_of_an_answer_are_attributes_too(terminal: Terminal) -> None:
    assert printed(terminal, "match = computer.match()\nmatch.box.x, match['text'], match") == (
        "(1, 'Save', {'box': {'x': 1}, 'text': 'Save'})\n"
    )
    assert "AttributeError: wide" in printed(terminal, "match.wide")
    assert printed(terminal, "import pickle\ntype(pickle.loads(pickle.dumps(match)))") == "<class 'dict'>\n"


def test_nothing_can_be_set_on_the_computer(terminal: Terminal) -> None:
    assert "AttributeError" in printed(terminal, "computer.display.width = 5")


def test_paths_and_numbers_of_other_kinds_can_be_sent(terminal: Terminal) -> None:
    code = "import pathlib, fractions\ncomputer.echo(pathlib.Path('/a'), fractions.Fraction(1, 2), (1, True))"
    assert printed(terminal, code) == "['/a', 0.5, [1, True], {}]\n"


def test_calls_from_tasks_that_run_threads_all_come_back(terminal: Terminal) -> None:
    code = (
        "import asyncio\nloop = asyncio.get_running_loop()\n"
        "answers = await asyncio.gather(*[loop.run_in_executor(None, computer.echo, n) for n in range(50)])\n"
        "answers == [[n, {}] for n in range(50)]"
    )
    assert printed(terminal, code) == "True\n"


LATE = """
import threading
go, said = threading.Event(), []
def call_late():
    go.wait()
    try: said.append(computer.echo(1))
    except ComputerError as error: said.append(str(error))
    open('called', 'w').close()
thread = threading.Thread(target=call_late)
thread.start()
"""


def test_a_thread_that_outlives_its_cell_may_call_while_another_runs(terminal: Terminal) -> None:
    printed(terminal, LATE)
    assert printed(terminal, "go.set(); thread.join(); said") == "[[1, {}]]\n"


def test_a_call_between_cells_fails_at_once_and_says_why(
    terminal: Terminal, owner: Owner, tmp_path: Path
) -> None:
    between = "while computer._channel.open: pass"
    printed(terminal, LATE.replace("go.wait()", between))
    end = time.monotonic() + PATIENCE
    while not (tmp_path / "called").exists() and time.monotonic() < end:
        threading.Event().wait(0.01)
    text = printed(terminal, "said[0]")
    assert "No block is running, and computer works only while one does" in text
    assert owner.calls == []


def stopped_when_on(terminal: Terminal, code: str) -> Output:
    """The cell, which prints "on" first of all, and is stopped then."""

    def stop(chunk: Chunk) -> None:
        if chunk.text.startswith("on\n"):
            terminal.interrupt()

    return terminal.run("python", code, on_output=stop, seconds=PATIENCE)


def test_threads_of_a_cell_that_was_stopped_never_call_again(terminal: Terminal, owner: Owner) -> None:
    code = (
        "import threading\ncalled, refused = threading.Event(), threading.Event()\n"
        "def call():\n"
        "    while True:\n"
        "        try:\n"
        "            computer.echo(1)\n"
        "            called.set()\n"
        "        except RefusedError as error:\n"
        "            if 'thread' in str(error): refused.set()\n"
        "        except ComputerError: pass\n"
        "threading.Thread(target=call, daemon=True).start()\n"
        "kept = called.wait() and 1\nprint('on')\n"
        "while True: kept = 1"
    )
    stopped_when_on(terminal, code)
    before = len(owner.calls)
    assert before > 0
    assert printed(terminal, "refused.wait(10), kept") == "(True, 1)\n"
    assert len(owner.calls) == before
    assert printed(terminal, "computer.echo(2)") == "[2, {}]\n"


def test_threads_of_a_pool_that_wait_for_work_outlast_a_stop(terminal: Terminal) -> None:
    printed(terminal, "from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(2)")
    printed(terminal, "first = list(pool.map(computer.echo, [1, 2]))")
    terminal.run("python", "while True: kept = 1", seconds=0.2)
    assert printed(terminal, "list(pool.map(computer.echo, [1, 2]))") == "[[1, {}], [2, {}]]\n"


def test_a_call_in_finally_after_an_interrupt_is_refused_and_the_cell_ends(
    terminal: Terminal, owner: Owner
) -> None:
    code = (
        "import time\nkept = 1\ntry:\n    print('on')\n    time.sleep(60)\n"
        "finally:\n    computer.mouse.click('after')"
    )
    output = stopped_when_on(terminal, code)
    assert "RefusedError: The block was told to stop." in output.text
    assert not output.lost_state
    assert owner.calls == []
    assert printed(terminal, "kept") == "1\n"


def test_tasks_of_a_cell_that_was_stopped_do_not_go_on(terminal: Terminal, owner: Owner) -> None:
    code = (
        "import asyncio\ncalled = asyncio.Event()\n"
        "async def call():\n"
        "    while True:\n        await asyncio.sleep(0)\n        computer.echo(1)\n        called.set()\n"
        "task = asyncio.ensure_future(call())\nawait called.wait()\nprint('on')\nawait asyncio.sleep(60)"
    )
    output = stopped_when_on(terminal, code)
    assert not output.lost_state
    before = len(owner.calls)
    assert before > 0
    assert printed(terminal, "await asyncio.sleep(0.01)\ntask.done()") == "True\n"
    assert len(owner.calls) == before


def test_an_interrupt_during_a_call_reaches_the_cell_when_the_call_has_been_answered(owner: Owner) -> None:
    def answer(call: Call) -> Reply:
        watched.interrupt()
        return owner.answer(call)

    with Terminal(environment=ENVIRONMENT, answer=answer) as watched:
        output = watched.run("python", "kept = 1\ncomputer.echo(1)\nwhile True: kept = 2")
        assert "interrupted" in output.text
        assert "in <module>" in output.text
        assert len(owner.calls) == 1


def test_an_answer_is_there_within_milliseconds(terminal: Terminal) -> None:
    # Measured on the idle machine: 0.1 ms. A wait by polling would be 5 ms and more.
    code = (
        "import time\nbegan = time.perf_counter()\nfor _ in range(500): computer.display.width\n"
        "(time.perf_counter() - began) / 500 < 0.003"
    )
    assert any(printed(terminal, code) == "True\n" for _ in range(5))


# Which line runs.


def told(terminal: Terminal, code: str) -> list[str | int]:
    """The lines that run, between what is printed."""
    heard: list[str | int] = []
    terminal.run("python", code, on_output=lambda chunk: heard.append(chunk.text), on_line=heard.append)
    return heard


def test_the_line_of_each_statement_is_told_when_it_runs(terminal: Terminal) -> None:
    code = "print('a', end='')\n\n@print\ndef f():\n    pass\nfor n in range(2):\n    n\nx = 5\nx"
    heard = told(terminal, code)
    assert [one for one in heard if isinstance(one, int)] == [1, 4, 6, 8, 9]
    assert heard[:3] == [1, "a", 4]
    assert heard[-2:] == [9, "5\n"]
    assert told(terminal, "1 + 1") == [1, "2\n"]


def test_lines_are_told_only_to_who_asks_and_only_of_that_block(terminal: Terminal) -> None:
    assert told(terminal, "a = 1\na") == [1, 2, "1\n"]
    records: list[Chunk] = []
    terminal.run("python", "a = 1\na", on_output=records.append)
    assert [chunk.text for chunk in records] == ["1\n"]


@pytest.mark.parametrize(
    "code",
    [
        "x = 1\nglobal x",
        "x = 1\nfrom __future__ import annotations",
        "def f():\n    return\nreturn",
        "1 / 0\nprint('not reached')",
        "'a docstring'\nx = 1\n'no docstring'\nprint(__doc__)",
        "from __future__ import annotations\ndef f(a: nothing): pass\nf.__annotations__",
        "import asyncio\nawait asyncio.sleep(0)\nprint('awaited')\nawait asyncio.sleep(0, 7)",
        "y: int = 3\n__annotations__",
        "import os\nchild = os.fork()\nif not child:\n    z = 1\n    os._exit(0)\nos.waitpid(child, 0)[1]",
        "import sys\nsys.exit(3)\nprint('not reached')",
        "import sys\nsys.stdout.close()\nx = 1",
        "",
        "# nothing",
    ],
)
def test_a_block_does_the_same_whether_or_not_its_lines_are_told(code: str, tmp_path: Path) -> None:
    came = []
    for lines in (None, [].append):
        with closing(Terminal(environment=ENVIRONMENT, cwd=tmp_path)) as terminal:
            output = terminal.run("python", code, on_line=lines)
            came.append((output.text, output.ok, output.exit_code))
    assert came[0] == came[1]


# Questions of a cell.


class Unanswered:
    """A worker whose owner has no answer at once."""

    def __init__(self, cwd: Path) -> None:
        place = Place(cwd=cwd, environment=ENVIRONMENT)
        self.worker = PythonLanguage().worker(place, lambda _call: Reply())

    def run(self, code: str, seconds: float = PATIENCE) -> Output:
        return self.worker.run(code, on_output=lambda _: None, seconds=seconds)

    def answer(self, text: str) -> Output:
        return self.worker.answer(text, on_output=lambda _: None, seconds=PATIENCE)


@pytest.fixture
def unanswered(tmp_path: Path) -> Iterator[Unanswered]:
    started = Unanswered(tmp_path)
    yield started
    started.worker.close()


@pytest.mark.parametrize(
    ("code", "question", "secret"),
    [
        ("input('Name? ')", "Name? ", False),
        ("import getpass\ngetpass.getpass('Word: ')", "Word: ", True),
        ("import sys\nprint('Line: ', end='')\nsys.stdin.readline().strip()", "Line: ", False),
        (
            "import asyncio\nawait asyncio.get_running_loop().run_in_executor(None, input, 'T? ')",
            "T? ",
            False,
        ),
    ],
)
def test_a_cell_that_asks_waits_for_an_answer_that_comes_later(
    unanswered: Unanswered, code: str, question: str, *, secret: bool
) -> None:
    waiting = unanswered.run(code)
    assert (waiting.waiting, waiting.secret_wanted, waiting.ok) == (question, secret, False)
    assert waiting.text.endswith(question)
    output = unanswered.answer("Ada")
    assert output.text.strip() == "'Ada'"
    assert (output.waiting, output.ok) == (None, True)


def test_questions_of_several_threads_are_answered_one_after_the_other(unanswered: Unanswered) -> None:
    code = (
        "import threading\ngot = []\n"
        "threads = [threading.Thread(target=lambda: got.append(input('T? '))) for _ in range(3)]\n"
        "for thread in threads: thread.start()\nfor thread in threads: thread.join()\nsorted(got)"
    )
    assert unanswered.run(code).waiting == "T? "
    assert unanswered.answer("a").waiting == "T? "
    assert unanswered.answer("b").waiting == "T? "
    assert "['a', 'b', 'c']" in unanswered.answer("c").text


def test_a_debugger_is_answered_line_by_line_and_ends_with_its_input(unanswered: Unanswered) -> None:
    assert unanswered.run("x = 5\nbreakpoint()\nx + 1").waiting == "(Pdb) "
    assert "\n5\n" in unanswered.answer("p x").text
    assert unanswered.answer("c").text.endswith("6\n")
    assert unanswered.run("breakpoint()\nx").waiting == "(Pdb) "
    after = unanswered.run("x")
    assert "BdbQuit" in after.text
    assert "5\n" in after.text
    # The debugger's own handler of interrupts is not in the way any more.
    stopped = unanswered.run("while True: x = 1", seconds=0.2)
    assert not stopped.lost_state


def test_a_question_that_nobody_answers_is_the_end_of_input_when_the_next_block_comes(
    unanswered: Unanswered,
) -> None:
    assert unanswered.run("kept = 1\ninput('Name? ')").waiting == "Name? "
    after = unanswered.run("kept")
    assert "EOFError: Nobody is there to answer input()." in after.text
    assert "1\n" in after.text
    assert not after.lost_state


def test_a_question_that_the_owner_refuses_is_the_end_of_input() -> None:
    def refuse(_call: Call) -> Reply:
        return Reply(error=("RefusedError", "Not now."))

    with Terminal(environment=ENVIRONMENT, answer=refuse) as terminal:
        assert "EOFError" in printed(terminal, "input('Name? ')")
        assert printed(terminal, "import sys\nsys.stdin.read()") == "''\n"
        assert "EOFError" in printed(terminal, "import getpass\ngetpass.getpass()")
        many = "for _ in range(14):\n    try: input('again? ')\n    except EOFError: pass"
        assert printed(terminal, many).count("again?") == 14


def test_files_of_the_computer_are_the_workers_own_and_its_errors_ours(
    terminal: Terminal, tmp_path: Path
) -> None:
    code = """
computer.files.write("a.txt", "one\\ntwo\\n")
print(computer.files.edit("a.txt", "two", "2"))
print(computer.files.search("one"))
try:
    computer.files.edit("a.txt", "three", "3")
except ComputerError as error:
    print(error)
"""
    said = terminal.run("python", code).text
    assert (tmp_path / "a.txt").read_text() == "one\n2\n"
    assert 'changed "a.txt" in line 2' in said
    assert "'line': 1, 'text': 'one'" in said
    assert '"a.txt" does not hold that text.' in said
