"""`oi` as people talk with it, on a pseudo-terminal, with a model behind a real socket."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest
from chat_terminal import PROMPT, chatting, conversations, environment, of_model, runs
from model_server import Hang, ModelServer, Reply, Scripted
from oi_process import OI
from processes import below
from pseudo_terminal import Terminal
from xvfb import until

from computer_agent.conversations.record import read

if TYPE_CHECKING:
    from pathlib import Path

    from model_server import Turn

SOON = 0.5  # seconds, on a quiet machine
_PICTURE = """
import csv
from PIL import Image, ImageDraw
rows = [(row["month"], int(row["sold"])) for row in csv.DictReader(open("sales.csv", encoding="utf-8"))]
chart = Image.new("RGB", (200, 100), "white")
for place, (_, sold) in enumerate(rows):
    ImageDraw.Draw(chart).rectangle([20 + 60 * place, 100 - sold, 60 + 60 * place, 100], fill="navy")
chart.save("chart.png")
print(len(rows), "months")
chart
"""


def test_a_table_becomes_a_chart_and_the_next_question_uses_what_code_had_set(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "sales.csv").write_text("month,sold\nMai,20\nJuni,70\nJuli,45\n", encoding="utf-8")
    turns = [
        runs(_PICTURE, text="I draw a **chart** of it."),
        Reply(text="The chart is in `chart.png`."),
        runs("best = max(rows, key=lambda row: row[1])\nprint(best)"),
        Reply(text="It was **Juni**, with 70."),
    ]
    with chatting(tmp_path, turns) as chat:
        chat.says("make a chart of sales.csv")
        chat.is_asked("Allow? ")
        shown = chat.terminal.text
        assert shown.count("from PIL import Image, ImageDraw") == 1
        assert "I draw a chart of it." in shown
        chat.says("y")
        chat.is_asked()
        assert "3 months" in chat.terminal.text
        assert "A picture: " in chat.terminal.text
        assert "The chart is in chart.png." in chat.terminal.text
        chat.says("which month was the best?")
        chat.is_asked("Allow? ")
        chat.says("y")
        chat.is_asked()
        assert "('Juni', 70)" in chat.terminal.text
        assert "It was Juni, with 70." in chat.terminal.text
        assert chat.leaves() == 0
        chat.server.assert_clean()
    assert (tmp_path / "work" / "chart.png").read_bytes().startswith(b"\x89PNG")
    (kept,) = conversations(tmp_path)
    kinds = [(one["role"], one["type"]) for one in read(kept).messages]
    assert kinds == [
        ("user", "message"),
        ("assistant", "message"),
        ("assistant", "code"),
        ("computer", "console"),
        ("computer", "image"),
        ("assistant", "message"),
        ("user", "message"),
        ("assistant", "code"),
        ("computer", "console"),
        ("assistant", "message"),
    ]


_LONG = "import time\nprint('begun', flush=True)\ntime.sleep(600)"
_STATES: dict[str, tuple[Turn, str]] = {
    "model": (Hang(), ""),
    "streaming": (
        Hang(after=4, reply=Reply(text="I begin to answer, and then nothing more comes.")),
        "I begin",
    ),
    "shell": (runs("echo begun; sleep 600", "shell"), "     begun"),
    "python": (runs(_LONG), "     begun"),
    "child": (
        runs("import subprocess\nprint('begun', flush=True)\nsubprocess.run(['sleep', '600'])"),
        "     begun",
    ),
}


def test_ctrl_c_stops_what_is_done_and_the_conversation_goes_on(tmp_path: Path) -> None:
    turns = [turn for state, _ in _STATES.values() for turn in (state, Reply(text="I am **here**."))]
    with chatting(tmp_path, turns, "-y") as chat:
        for state, (_, sign) in _STATES.items():
            chat.says(f"do {state}")
            if sign:
                chat.is_asked(sign)
            else:
                assert until(chat.server.hanging.is_set, seconds=30)
            took = chat.interrupts()
            assert took < 10 * SOON, f"{state}: {took:.2f} s"  # on a busy machine
            assert "topped" in chat.terminal.text
            assert not [name for name in below(chat.terminal.pid).values() if name == "sleep"]
            chat.says("are you there?")
            chat.is_asked("I am here.")
            chat.is_asked()
        assert chat.leaves() == 0
    (kept,) = conversations(tmp_path)
    said = [one["content"] for one in read(kept).messages if one["role"] == "user"]
    assert said == [words for state in _STATES for words in (f"do {state}", "are you there?")]


def test_ctrl_c_twice_leaves_and_once_at_the_prompt_does_not(tmp_path: Path) -> None:
    with chatting(tmp_path, [Hang()]) as chat:
        chat.terminal.types("half a line")
        chat.is_asked("half a line")
        chat.terminal.types("\x03")
        chat.is_asked("Ctrl-C again leaves")
        chat.is_asked()
        chat.says("wait")
        assert until(chat.server.hanging.is_set, seconds=30)
        chat.terminal.types("\x03")
        chat.is_asked("topped")
        chat.terminal.types("\x03")
        assert chat.terminal.ends() == 130
    assert [one["content"] for one in read(conversations(tmp_path)[0]).messages] == ["wait"]


def test_commands_are_done_and_what_was_meant_is_guessed(tmp_path: Path) -> None:
    turns = [Reply(text="One."), Reply(text="Two."), Reply(text="Three.")]
    with chatting(tmp_path, turns) as chat:
        for typed, answer in [
            ("first", "One."),
            ("second", "Two."),
            ("%undo", 'Taken back: "second"'),
            ("%cost", "1 turn, 0 steps"),
            ("%tokens", "110 tokens"),
            ("%resett", "Did you mean %reset?"),
            ("%save here.json", "Saved in"),
            ("%jupyter", ".ipynb"),
            ("%markdown talk.md", "talk.md"),
            ("%auto_run", "Code runs unasked from now on"),
            ("%verbose on", "More is said"),
            ("%info", "approval  all"),
            ("%% echo from-the-shell; exit 3", "(exit code 3)"),
            ("%% cd /", "Each %% command has a shell of its own"),
            ("%% cd / && pwd", "\n/\n"),
            ("%% export", "PATH="),
            ("%model", "openai/test decides"),
            ("%model nobody/x", "From now on"),
            ("%profile", "fast, local, os, safe"),
            ("%reset", "Forgotten"),
            ("%load here.json", "Going on with 1 turn"),
            ("%help", "%screenshot"),
        ]:
            chat.says(typed)
            chat.is_asked(answer)
            chat.is_asked()
        assert chat.leaves() == 0
    work = tmp_path / "work"
    assert [one["content"] for one in json.loads((work / "here.json").read_bytes())] == ["first", "One."]
    assert "**You**\n\nfirst" in (work / "talk.md").read_text("utf-8")
    assert [len(read(file).messages) for file in conversations(tmp_path)] == [2, 2]


def test_several_lines_are_one_message_and_an_image_path_shows_the_picture(tmp_path: Path) -> None:
    from PIL import Image

    (tmp_path / "work").mkdir()
    Image.new("RGB", (30, 20), "red").save(tmp_path / "work" / "my dot.png")
    turns = [Reply(text="Read."), Reply(text="Pasted."), Reply(text="A red one.")]
    with chatting(tmp_path, turns) as chat:
        chat.says('"""one')
        chat.says('two"""')
        chat.is_asked("Read.")
        chat.is_asked()
        pasted = "\n".join(f"line {number}" for number in range(100))
        chat.terminal.types(f"\x1b[200~{pasted}\x1b[201~\r")
        chat.is_asked("Pasted.")
        chat.is_asked()
        chat.says(r"what is on my\ dot.png ?")
        chat.is_asked("A red one.")
        first, second, third = chat.server.requests
        assert first.texts("user") == ["Task: one\ntwo"]
        assert second.texts("user")[-1].endswith(pasted)
        assert [(one.width, one.height) for one in third.pictures()] == [(30, 20)]


def test_a_conversation_is_gone_on_with_and_the_model_is_told_what_was_said(tmp_path: Path) -> None:
    with chatting(tmp_path, [runs("x = 5\nprint(x)"), Reply(text="It is five.")]) as chat:
        chat.says("set x")
        chat.is_asked("It is five.")
        chat.is_asked()
        chat.leaves()
    with ModelServer(Scripted([Reply(text="You said: set x.")])) as server:
        ran = subprocess.run(
            [*OI, "resume", "set-x", *of_model(server)],
            cwd=tmp_path / "work",
            env=environment(tmp_path),
            input=b"what did I say?",
            capture_output=True,
            timeout=120,
            check=False,
        )
        assert ran.stdout.decode().strip() == "You said: set x.", ran.stderr
        request = server.requests[0]
        assert request.texts("user")[0] == "Task: set x"
        assert any("x = 5" in text and "It is five." in text for text in request.texts("assistant"))
        assert any("goes on now from its written record" in text for text in request.texts("user"))
    (kept,) = conversations(tmp_path)
    assert [one["content"] for one in read(kept).messages if one["role"] == "user"] == [
        "set x",
        "what did I say?",
    ]


def test_a_conversation_that_another_oi_has_open_is_gone_on_with_in_a_file_of_its_own(tmp_path: Path) -> None:
    with chatting(tmp_path, [Reply(text="One."), Reply(text="Two.")]) as first:
        first.says("begin")
        first.is_asked("One.")
        first.is_asked()
        with chatting(tmp_path, [Reply(text="Other.")], resumed="begin") as second:
            assert "Another oi has this conversation open" in second.terminal.text
            second.says("go on elsewhere")
            second.is_asked("Other.")
            second.is_asked()
            second.leaves()
        first.says("%undo")
        first.is_asked("Taken back")
        first.is_asked()
        first.leaves()
    kept = sorted([one["content"] for one in read(file).messages] for file in conversations(tmp_path))
    assert kept == [[], ["begin", "One.", "go on elsewhere", "Other."]]


def test_one_is_picked_of_the_list_and_what_was_typed_is_found_again(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "measurements.csv").write_text("")
    with chatting(tmp_path, [Reply(text="Good."), Reply(text="Fine.")]) as chat:
        chat.says("look at the weather")
        chat.is_asked("Good.")
        chat.is_asked()
        chat.says("%reset")
        chat.is_asked("Forgotten")
        chat.is_asked()
        chat.says("something else")
        chat.is_asked("Fine.")
        chat.is_asked()
        chat.leaves()
    with ModelServer(Scripted([Reply(text="Still good."), Reply(text="Complete.")])) as server:
        oi = Terminal(
            "--conversations", *of_model(server), cwd=tmp_path / "work", environment=environment(tmp_path)
        )
        oi.shows("nothing: none): ")
        assert [line.split()[-1] for line in oi.text.splitlines()[:2]] == ["else", "weather"]
        oi.types("look-at\r")
        oi.shows("Going on with 1 turn of look-at-the-weather_")
        oi.shows(PROMPT)
        oi.types("\x12weath")  # Ctrl-R
        oi.shows("look at the weather")
        oi.types("\r\r")
        oi.shows("Still good.")
        oi.shows(PROMPT)
        oi.types("read meas\t\r")
        oi.shows("Complete.")
        oi.types("\x04")
        oi.ends()
        assert server.requests[0].texts("user")[-1].endswith("look at the weather")
        assert server.requests[1].texts("user")[-1].endswith("read measurements.csv")
    assert sorted(len(read(file).messages) for file in conversations(tmp_path)) == [2, 6]


@pytest.mark.parametrize("term", ["dumb", "xterm-256color"])
def test_a_terminal_that_knows_ascii_alone_gets_escapes_and_files_are_utf_8(
    term: str, tmp_path: Path
) -> None:
    variables = {"TERM": term, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    with chatting(tmp_path, [Reply(text="Grüße, **你好** 🙂")], variables=variables) as chat:
        chat.terminal.types("sag Grüße\r")
        chat.is_asked(r"Gr\xfc\xdfe, \u4f60\u597d")
        chat.is_asked()
        assert chat.leaves() == 0
        assert chat.server.requests[0].texts("user") == ["Task: sag Grüße"]
    (kept,) = conversations(tmp_path)
    assert "Grüße, **你好** 🙂" in kept.read_text("utf-8")


def test_what_is_piped_in_is_read_whole_and_answered_without_a_prompt(tmp_path: Path) -> None:
    with ModelServer(Scripted([Reply(text="**Three** lines.")])) as server:
        ran = subprocess.run(
            [*OI, *of_model(server), "count these:"],
            cwd=tmp_path,
            env=environment(tmp_path),
            input=b"a\nb\nc\n",
            capture_output=True,
            timeout=120,
            check=False,
        )
        assert (ran.returncode, ran.stdout.decode()) == (0, "**Three** lines.\n"), ran.stderr
        assert server.requests[0].texts("user") == ["Task: count these:\n\na\nb\nc"]


def test_with_loop_the_model_is_asked_to_go_on_until_it_says_that_it_is_done(tmp_path: Path) -> None:
    turns = [Reply(text="First half."), Reply(text="Second half."), Reply(text="The whole task is done.")]
    with chatting(tmp_path, [*turns, Reply(text="Not asked for.")], "--loop") as chat:
        chat.says("do all of it")
        chat.is_asked("The whole task is done.")
        chat.is_asked()
        assert chat.leaves() == 0
        first, *rest = [request.texts("user")[-1] for request in chat.server.requests]
        assert first == "Task: do all of it"
        assert ["Go on with the task" in words for words in rest] == [True, True]


def test_of_a_long_output_the_model_is_shown_as_much_as_it_shall_be(tmp_path: Path) -> None:
    turns = [runs("print('a' * 5000 + 'z' * 5000)"), Reply(text="Long.")]
    with chatting(tmp_path, turns, "-y", "-xo", "200") as chat:
        chat.says("print much")
        chat.is_asked("Long.")
        chat.is_asked()
        told = "\n".join(text for one in chat.server.requests for text in one.texts("tool"))
        assert 90 <= told.count("a" * 10) * 10 <= 110
        assert 90 <= told.count("z" * 10) * 10 <= 110
        chat.leaves()


def test_where_the_disk_is_full_nothing_is_done_and_that_is_said(tmp_path: Path) -> None:
    with ModelServer(Scripted([Reply(text="Never asked.")])) as server:
        ran = subprocess.run(
            ["sh", "-c", 'ulimit -f 1 && exec "$0" "$@"', *OI, *of_model(server), "hello " * 500],
            cwd=tmp_path,
            # or it would leave half of a compiled module to all others, which Python does not notice
            env={**environment(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert ran.returncode == 1, ran
        assert "The conversation cannot be kept in" in ran.stdout
        assert "No room is left to write the trace" in ran.stdout
        assert "Stopped" not in ran.stdout
        assert not server.requests


def test_a_dumb_terminal_gets_plain_lines(tmp_path: Path) -> None:
    with chatting(tmp_path, [Reply(text="Hello **Ada**.")], variables={"TERM": "dumb"}) as chat:
        chat.says("I am Ada.\\\nHello.")
        chat.is_asked("Hello Ada.")
        chat.is_asked(f"{PROMPT} ")
        assert "\x1b" not in chat.terminal.raw
        assert chat.server.requests[0].texts("user") == ["Task: I am Ada.\nHello."]
