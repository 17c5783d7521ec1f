"""The Python worker: cells as in a notebook, and a computer that the terminal's owner answers for."""

import ast
import io
import os
import subprocess
import sys
import threading
import time
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

from computer_api.errors import NotFoundError
from computer_api.terminal import Call, Reply, Terminal
from computer_api.terminal.languages import python as parent_side

ENVIRONMENT = {"PATH": os.environ["PATH"]}
WORKER = Path(parent_side.__file__).with_name("python_worker.py")


class StoppedForGood(BaseException):
    """What ends everything, as a person's stop does."""


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
            case ("display", "width"):
                return Reply(value=1280)
            case ("screenshot",):
                return Reply(png=picture())
            case ("find",):
                raise NotFoundError('There is no "Save"; the closest is "Safe".')
            case ("odd",):
                return Reply(error=("OddError", "It is odd."))
            case ("stop",):
                raise StoppedForGood
            case ("input",):
                return Reply(value="Ada")
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


def test_the_last_value_is_kept_under_the_underscore(terminal: Terminal) -> None:
    printed(terminal, "6 * 7")
    assert printed(terminal, "_ + 1") == "43\n"


def test_parent_and_child_print_in_the_order_in_which_they_ran(terminal: Terminal) -> None:
    code = "import os, sys\nprint('A')\nos.system('echo B')\nprint('E', file=sys.stderr)\nprint('C')"
    assert printed(terminal, code) == "A\nB\nE\nC\n"


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


@pytest.mark.parametrize(
    ("code", "ok", "exit_code"),
    [("exit()", True, 0), ("import sys; sys.exit(3)", False, 3), ("raise SystemExit('why')", False, 1)],
)
def test_leaving_ends_the_cell_and_not_the_worker(
    terminal: Terminal, code: str, *, ok: bool, exit_code: int
) -> None:
    printed(terminal, "kept = 1")
    output = terminal.run("python", code)
    assert (output.ok, output.exit_code, output.lost_state) == (ok, exit_code, False)
    assert printed(terminal, "kept") == "1\n"


def test_a_crash_is_named_by_its_signal(terminal: Terminal) -> None:
    output = terminal.run("python", "import ctypes; ctypes.string_at(0)")
    assert output.exit_code == -11
    assert "SIGSEGV" in output.text


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


def test_records_that_a_cell_forges_break_nothing(terminal: Terminal) -> None:
    code = (
        "import os, stat\n"
        "for fd in range(3, 30):\n"
        "    try:\n"
        "        if stat.S_ISSOCK(os.fstat(fd).st_mode):\n"
        '            os.write(fd, b\'[]\\n7\\nnope\\n{"png": "?"}\\n{"call": 1}\\n{"done": 1}\\n\\xff\\n\')\n'
        "    except OSError: pass\n"
        "'still here'"
    )
    assert terminal.run("python", code).text == "'still here'\n"
    assert printed(terminal, "1") == "1\n"


def test_a_cell_that_forks_ends_once(terminal: Terminal) -> None:
    code = "import os\npid = os.fork()\nif pid: os.waitpid(pid, 0)\nprint('parent' if pid else 'child')"
    assert printed(terminal, code) == "child\nparent\n"
    assert printed(terminal, "'next'") == "'next'\n"


def test_a_program_that_reads_input_finds_its_end(terminal: Terminal) -> None:
    assert printed(terminal, "import subprocess\nsubprocess.run(['cat']).returncode") == "0\n"


def test_a_cell_can_ask_and_is_answered(terminal: Terminal, owner: Owner) -> None:
    assert printed(terminal, "name = input('Name? ')\nname") == "Name? \n'Ada'\n"
    assert owner.calls == [Call(path=("input",), args=("Name? ", False))]


def test_a_question_that_nobody_answers_is_the_end_of_input() -> None:
    with Terminal(environment=ENVIRONMENT) as terminal:
        assert "EOFError" in printed(terminal, "input('Name? ')")
        assert printed(terminal, "import sys\nsys.stdin.read()") == "''\n"
        assert "EOFError" in printed(terminal, "import getpass\ngetpass.getpass()")


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


def test_a_figure_is_shown_once_whether_or_not_it_is_the_last_value(terminal: Terminal) -> None:
    pytest.importorskip("matplotlib")
    left_open = terminal.run("python", "import matplotlib.pyplot as plt\nline = plt.plot([1, 2])")
    assert len(left_open.images) == 1
    assert len(terminal.run("python", "plt.figure()").images) == 1
    assert terminal.run("python", "1").images == ()


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
    assert len(done) <= 2


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
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, language, code], stdout=subprocess.PIPE, env=environment
    ) as parent:
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
