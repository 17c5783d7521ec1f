"""What goes wrong at a person's desk: one clear sentence, the right exit code, the trace whole, nothing left behind."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
from typing import TYPE_CHECKING

import pytest
from model_server import Call, Cut, Garbled, Hang, ModelServer, Reply, Scripted, Status
from oi_process import ABLE, OI, Ran, oi, says, steps
from Xlib import display
from xvfb import until, x_server

from computer_agent.trace.reader import Trace, read

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.desktop

TRACE = ("--trace", "trace")
LONG = 60.0  # seconds that an action would take if nobody stopped it


def trace_of(folder: Path) -> Trace:
    return read(folder / "trace")


def sentence(ran: Ran) -> str:
    """What was said on the error stream, which holds no traceback."""
    assert "Traceback" not in ran.err, ran
    assert "Traceback" not in ran.out, ran
    return ran.err.strip()


def interrupted_when(words: str) -> Callable[[subprocess.Popen[str], Path], None]:
    """What sends Ctrl-C as soon as the run has said these words."""

    def during(process: subprocess.Popen[str], out: Path) -> None:
        assert until(says(out, words), 40), out.read_text()
        process.send_signal(signal.SIGINT)

    return during


# Before a run


def test_without_a_display_and_without_xvfb_it_says_what_to_install(tmp_path: Path) -> None:
    environment = dict(os.environ) | {"PATH": str(tmp_path)}
    ran = oi("--os", "--model", "steps", "-y", "look", cwd=tmp_path, environment=environment)
    assert ran.code == 2
    assert "xvfb" in sentence(ran)


def test_a_display_that_does_not_answer_is_named(tmp_path: Path) -> None:
    environment = dict(os.environ) | {"DISPLAY": ":7654"}
    ran = oi(
        "--os", "--desktop", "x11", "--model", "steps", "-y", "look", cwd=tmp_path, environment=environment
    )
    assert ran.code == 2
    assert ":7654" in sentence(ran)


def test_with_no_display_at_all_a_private_one_is_taken_and_said(tmp_path: Path) -> None:
    ran = oi("--os", "--model", "steps", "-y", "look", cwd=tmp_path)
    assert ran.code == 0, ran
    assert ran.out.startswith(
        "There is no screen here, so the work is done on a private desktop; `oi watch` shows it."
    )
    assert not ran.left


def test_no_model_and_no_key_shows_the_three_ways(tmp_path: Path) -> None:
    ran = oi("--os", "do something", cwd=tmp_path)
    assert ran.code == 2
    for way in ("ANTHROPIC_API_KEY", "--api-base", "--model steps"):
        assert way in ran.err


@pytest.mark.parametrize("arguments", [("--os",), ()])
def test_no_task_is_said_without_starting_anything(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    ran = oi(*arguments, "--model", "steps", cwd=tmp_path)
    assert ran.code == 2
    assert sentence(ran)
    assert not ran.out
    assert not any((tmp_path / "home").iterdir())  # a run begins with its trace


def test_a_task_file_that_is_not_utf8_is_named_with_the_byte(tmp_path: Path) -> None:
    (tmp_path / "task.txt").write_bytes("größe".encode("latin-1"))
    ran = oi("--os", "--model", "steps", "--file", "task.txt", cwd=tmp_path)
    assert ran.code == 2
    assert '"task.txt" is not UTF-8 text: byte 2 is 0xf6' in sentence(ran)


def test_a_task_file_that_is_absent_is_named(tmp_path: Path) -> None:
    ran = oi("--os", "--model", "steps", "--file", "absent.txt", cwd=tmp_path)
    assert ran.code == 2
    assert '"absent.txt" cannot be read: No such file or directory.' in sentence(ran)


def test_a_wrong_word_in_the_steps_is_pointed_at_before_a_desktop_is_opened(tmp_path: Path) -> None:
    ran = oi(*steps('clik "Save"'), cwd=tmp_path)
    assert ran.code == 2
    assert '"clik"' in sentence(ran)
    assert '"click"' in ran.err


@pytest.mark.parametrize("size", ["big", "10x10", "1280"])
def test_a_size_that_is_none_is_named(tmp_path: Path, size: str) -> None:
    ran = oi("--os", "--private", "--size", size, "--model", "steps", "look", cwd=tmp_path)
    assert ran.code == 2
    assert f'"{size}"' in sentence(ran)


# The model


def asked(
    tmp_path: Path, *arguments: str, model: str = "openai/scripted", api_base: str | None = None
) -> Ran:
    base = () if api_base is None else ("--api-base", api_base, "--api-key", "test", *ABLE)
    return oi("--os", "--private", "-y", *TRACE, "--model", model, *base, *arguments, "do it", cwd=tmp_path)


def test_a_model_name_that_nobody_knows_is_named(tmp_path: Path) -> None:
    ran = asked(tmp_path, model="nonsense-9000")
    assert ran.code == 2, ran
    assert "nonsense-9000" in sentence(ran) + ran.out
    assert not ran.left


def test_a_missing_key_names_its_variable(tmp_path: Path) -> None:
    ran = asked(tmp_path, model="openai/gpt-4o")
    assert ran.code == 2, ran
    assert "OPENAI_API_KEY" in ran.err + ran.out


def test_a_server_that_is_not_there_is_named_with_its_port(tmp_path: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        ran = asked(tmp_path, api_base=f"http://127.0.0.1:{port}/v1")
    assert ran.code == 2, ran
    assert f"127.0.0.1:{port}" in ran.err + ran.out
    assert not ran.left


@pytest.mark.parametrize(
    ("turns", "words"),
    [
        ([Status(status=401, message="bad key")], "key"),
        ([Status(status=429, retry_after=0.05)] * 9, "too many"),
        ([Status(status=500)] * 9, "server"),
        ([Garbled()] * 9, ""),
        ([Cut(1, Reply(text="half a sentence that is long enough to be cut"))] * 9, ""),
    ],
    ids=["401", "429", "500", "broken JSON", "cut stream"],
)
def test_a_fault_of_the_server_ends_the_run_with_a_sentence_and_a_whole_trace(
    tmp_path: Path, turns: list[Reply | Status | Cut | Garbled], words: str
) -> None:
    with ModelServer(Scripted(turns)) as server:
        ran = asked(tmp_path, api_base=server.api_base)
    assert ran.code == 2, ran
    assert "Failed: " in ran.out, ran
    assert words in ran.out.casefold()
    assert "Traceback" not in ran.out + ran.err
    assert trace_of(tmp_path).ending is not None
    assert not ran.left


def test_an_unknown_tool_is_corrected_and_an_impossible_place_comes_back_as_a_sentence(
    tmp_path: Path,
) -> None:
    turns = [
        Reply(calls=(Call("teleport", {"to": "Mars"}),)),
        Reply(calls=(Call("computer", {"action": "click", "x": 5000, "y": 10}),)),
        Reply(calls=(Call("finish", {"done": False, "text": "I cannot."}),)),
    ]
    with ModelServer(Scripted(turns)) as server:
        ran = asked(tmp_path, api_base=server.api_base)
        server.assert_clean()
    assert ran.code == 1, ran
    assert "(5000, 10) is outside the picture, which is 1280x800" in ran.out
    assert "Not done: I cannot." in ran.out


def test_the_same_click_without_effect_is_nudged_at_three_and_stopped_at_five(tmp_path: Path) -> None:
    click = Reply(calls=(Call("computer", {"action": "click", "x": 1100, "y": 700}),))
    with ModelServer(Scripted([click] * 5)) as server:
        ran = asked(tmp_path, api_base=server.api_base)
        server.assert_clean()
    assert ran.code == 1, ran
    assert "tried this step 3 times and nothing changed" in ran.out
    assert "The same step was tried 5 times without any effect." in ran.out


# In the middle of a task


def test_a_text_that_is_not_there_is_said_with_the_closest(tmp_path: Path) -> None:
    ran = oi(
        *steps(
            'open "zenity" with "--info" "--title=Note" "--text=Saved the document"',
            'expect "document"',
            'click "Documents folder"',
        ),
        *TRACE,
        cwd=tmp_path,
    )
    assert ran.code == 1, ran
    assert '"Documents folder" is not on the screen. The closest' in ran.out
    assert trace_of(tmp_path).ending is not None


def test_a_program_that_closes_in_mid_task_is_noticed(tmp_path: Path) -> None:
    program = 'open "sh" with "-c" "echo $$ > pid; exec zenity --entry --title=Question --text=Name"'
    ran = oi(
        *steps(program, 'expect "Name"', 'run shell "kill $(cat pid)"', 'type "Ada" into "Name"'),
        *("--sandbox", "none"),  # in it there is no such process
        *TRACE,
        cwd=tmp_path,
    )
    assert ran.code == 1, ran
    assert '"Name" is not on the screen' in ran.out
    assert not ran.left


def test_a_program_that_is_not_installed_is_named(tmp_path: Path) -> None:
    ran = oi(*steps('open "no-such-program"'), cwd=tmp_path)
    assert ran.code == 1, ran
    assert 'There is no program "no-such-program" here.' in ran.out


def test_the_screen_that_goes_away_ends_the_run_with_a_sentence(tmp_path: Path) -> None:
    def kill_the_screen(_process: subprocess.Popen[str], out: Path) -> None:
        assert until(says(out, "→ wait"), 40)
        server.kill()

    from xvfb import server as x_process

    with x_process() as (name, server):
        environment = dict(os.environ) | {"DISPLAY": name}
        ran = oi(
            "--os", "--desktop", "x11", "--model", "steps", "-y", *TRACE, f"wait {LONG} seconds; look",
            cwd=tmp_path, environment=environment, during=kill_the_screen,
        )  # fmt: skip
    assert ran.code == 1, ran
    assert f"{name}" in ran.out
    assert "Failed: " in ran.out
    assert "Traceback" not in ran.err + ran.out
    assert trace_of(tmp_path).ending is not None


NOISE = """
import os, tkinter
root = tkinter.Tk()
image = tkinter.PhotoImage(data=b"P6 700 500 255 " + os.urandom(700 * 500 * 3))
tkinter.Label(root, image=image).pack()
root.mainloop()
"""


def test_a_full_disk_stops_the_run_before_the_next_action_and_the_trace_says_so(tmp_path: Path) -> None:
    (tmp_path / "noise.py").write_text(NOISE)
    (tmp_path / "disk").mkdir()
    mounted = "mount -t tmpfs -o size=600k tmpfs disk"  # the picture of a window full of noise does not fit
    alone = ["unshare", "-Urm", "sh", "-c"]
    if subprocess.run([*alone, mounted], cwd=tmp_path, check=False).returncode:
        pytest.skip("no small disk can be mounted here; the trace's own tests fill one by limits")
    task = steps('open "/usr/bin/python3" with "noise.py"', 'run shell "touch went-on"')
    script = f'{mounted} && "$@"; code=$?; cp -r disk/trace trace; exit $code'
    command = [*alone, script, "sh", *OI, *task, "--trace", "disk/trace"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False)
    assert ran.returncode == 1, ran
    assert "No room is left to write the trace" in ran.stdout
    assert "Traceback" not in ran.stdout + ran.stderr
    assert not (tmp_path / "went-on").exists()
    ending = trace_of(tmp_path).ending
    assert ending is not None
    assert ending.words == "paused: disk full"


# Stopping


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (f"wait {LONG} seconds", "→ wait"),
        (f'expect "never there" within {LONG} seconds', "→ expect"),
        (f'run shell "sleep {LONG}"', "→ run"),
        (f'run python "import time; time.sleep({LONG})"', "→ run"),
        (f'open "sleep" with "{LONG:.0f}"', "→ open"),
    ],
    ids=["wait", "expect", "shell", "python", "open"],
)
def test_ctrl_c_ends_an_action_at_once(tmp_path: Path, step: str, words: str) -> None:
    ran = oi(*steps(step, 'run shell "touch went-on"'), *TRACE, cwd=tmp_path, during=interrupted_when(words))
    assert ran.code == 130, ran
    assert "Stopped: You stopped the run." in ran.out
    assert "Traceback" not in ran.err
    assert "computer_a" not in ran.out  # the interrupted cell may show its own traceback, never ours
    assert ran.seconds < LONG / 2
    assert not (tmp_path / "went-on").exists()
    ending = trace_of(tmp_path).ending
    assert ending is not None
    assert ending.ending == "stopped"
    assert not ran.left


def test_ctrl_c_ends_the_wait_for_a_model(tmp_path: Path) -> None:
    with ModelServer(Scripted([Hang()])) as server:

        def during(process: subprocess.Popen[str], _out: Path) -> None:
            assert until(lambda: server.requests, 60)
            process.send_signal(signal.SIGINT)

        ran = oi(
            "--os", "--private", "-y", *TRACE, "--model", "openai/scripted", "--api-base", server.api_base,
            "--api-key", "test", *ABLE, "do it", cwd=tmp_path, during=during,
        )  # fmt: skip
    assert ran.code == 130, ran
    assert "Traceback" not in ran.err + ran.out
    assert not ran.left


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "kill"])
def test_keys_that_are_held_are_released_when_the_run_is_stopped(
    tmp_path: Path, sign: signal.Signals
) -> None:
    with x_server() as name:
        environment = dict(os.environ) | {"DISPLAY": name}
        task = f"mouse down; key down shift; hold ctrl for {LONG} seconds"

        def during(process: subprocess.Popen[str], out: Path) -> None:
            assert until(says(out, "→ hold"), 40), out.read_text()
            assert until(lambda: pressed(name), 10)
            process.send_signal(sign)

        ran = oi(
            "--os", "--desktop", "x11", "--model", "steps", "-y", *TRACE, task,
            cwd=tmp_path, environment=environment, during=during,
        )  # fmt: skip
        assert ran.code == 130, ran
        assert not pressed(name)


def pressed(name: str) -> list[int]:
    """The key codes that are down on a display, and the mask of the buttons that are."""
    connection = display.Display(name)
    try:
        keymap = enumerate(connection.query_keymap())
        keys = [8 * byte + bit for byte, bits in keymap for bit in range(8) if bits >> bit & 1]
        buttons = connection.screen().root.query_pointer().mask & 0x1F00
        return [*keys, *([buttons] if buttons else [])]
    finally:
        connection.close()


def test_without_a_terminal_nobody_is_asked_and_nothing_is_done(tmp_path: Path) -> None:
    ran = oi("--os", "--private", "--model", "steps", 'run shell "touch done"', cwd=tmp_path)
    assert ran.code == 1, ran
    assert "nobody can be asked here" in ran.out
    assert not (tmp_path / "done").exists()


def test_the_trace_of_a_failed_run_is_json_line_by_line(tmp_path: Path) -> None:
    oi(*steps('click "nothing like this"'), *TRACE, cwd=tmp_path)
    kinds = [
        json.loads(line)["kind"] for line in (tmp_path / "trace" / "trace.jsonl").read_text().splitlines()
    ]
    assert kinds == ["start", "observation", "decision", "intent", "result", "observation", "decision", "end"]
