"""The Python object in turns: chunks, confirmations, refusals, edits, several at once, where code really runs."""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from scripted_completions import Completions
from scripted_completions import chunk as sent

from computer_agent import Interpreter
from computer_agent.models.model import ModelError
from computer_agent.python_object.turn import TurnError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scripted_completions import Reply

    from computer_agent.lmc import Chunk

SUM: Reply = ("Let me see.", "python", "print('hi')\n1 + 1")


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[..., Interpreter]]:
    """Makes interpreters whose model plays these replies, in a folder and a home of the test's own."""
    made: list[Interpreter] = []

    def make(*replies: Reply, **how: Any) -> Interpreter:  # noqa: ANN401 - any attribute
        interpreter = Interpreter(
            options=["--workspace", str(tmp_path), "--sandbox", "none"],
            environment={
                "PATH": os.environ["PATH"],
                "HOME": str(tmp_path),
                "XDG_CONFIG_HOME": str(tmp_path / "config"),
                "XDG_STATE_HOME": str(tmp_path / "state"),
            },
            **how,
        )
        interpreter.llm.completions = Completions(list(replies))
        made.append(interpreter)
        return interpreter

    make.forget = made.clear  # type: ignore[attr-defined]
    yield make
    for one in made:
        one.close()


def script(interpreter: Interpreter) -> Completions:
    completions = interpreter.llm.completions
    assert isinstance(completions, Completions)
    return completions


def short(chunk: Chunk) -> str:
    """Role, type and format, and the flag where it is one."""
    named = " ".join(chunk[key] for key in ("role", "type", "format") if key in chunk)
    flag = next((key for key in ("start", "end") if chunk.get(key)), None)
    return f"{named} {flag}" if flag else named


def folded(chunks: list[Chunk]) -> list[str]:
    """The chunks in short, equal neighbours once."""
    names = [short(chunk) for chunk in chunks]
    return [name for at, name in enumerate(names) if at == 0 or names[at - 1] != name]


def contents(messages: list[Chunk]) -> list[Any]:
    return [message["content"] for message in messages]


def test_a_turn_comes_chunk_for_chunk_and_its_messages_are_kept(make: Callable[..., Interpreter]) -> None:
    interpreter = make(SUM, "It is 2.")
    chunks = list(interpreter.chat("What is 1 + 1?", display=False, stream=True))
    assert folded(chunks) == [
        "assistant message start",
        "assistant message",
        "assistant message end",
        "assistant code python start",
        "assistant code python",
        "assistant code python end",
        "computer confirmation execution",
        "computer console start",
        "computer console active_line",
        "computer console output",
        "computer console active_line",
        "computer console output",
        "computer console active_line",
        "computer console end",
        "assistant message start",
        "assistant message",
        "assistant message end",
    ]
    asked = next(chunk for chunk in chunks if chunk["type"] == "confirmation")
    assert asked["content"] == {"type": "code", "format": "python", "content": "print('hi')\n1 + 1"}
    assert [chunk["content"] for chunk in chunks if chunk.get("format") == "active_line"] == [1, 2, None]
    assert interpreter.messages == [
        {"role": "user", "type": "message", "content": "What is 1 + 1?"},
        {"role": "assistant", "type": "message", "content": "Let me see."},
        {"role": "assistant", "type": "code", "format": "python", "content": "print('hi')\n1 + 1"},
        {"role": "computer", "type": "console", "format": "output", "content": "hi\n2\n"},
        {"role": "assistant", "type": "message", "content": "It is 2."},
    ]
    assert not interpreter.responding
    check_what_the_model_was_told(script(interpreter))
    check_that_they_were_written(interpreter)


def test_each_line_of_python_is_told_when_it_runs_between_what_is_printed(
    make: Callable[..., Interpreter],
) -> None:
    code = "\nx = [\n    1,\n]\nprint(x)\nfor one in x:\n    print(one)\nprint('end')"
    chunks = list(make(("", "python", code), "Done.", auto_run=True).chat("Go.", display=False, stream=True))
    ran = [chunk["content"] for chunk in chunks if chunk["type"] == "console" and "content" in chunk]
    assert ran == [2, 5, "[1]\n", 6, "1\n", 8, "end\n", None]


def check_what_the_model_was_told(completions: Completions) -> None:
    first, second = completions.asked
    assert first["model"] == "gpt-4o"
    assert first["stream"] is True
    (tool,) = first["tools"]
    assert tool["function"]["name"] == "execute"
    assert {"python", "shell"} <= set(tool["function"]["parameters"]["properties"]["language"]["enum"])
    said = second["messages"][1:]
    assert [message["role"] for message in said] == ["user", "assistant", "tool"]
    assert json.loads(said[1]["tool_calls"][0]["function"]["arguments"])["code"] == "print('hi')\n1 + 1"
    assert said[2]["content"] == "hi\n2\n"


def check_that_they_were_written(interpreter: Interpreter) -> None:
    name = interpreter.conversation_filename
    assert name is not None
    assert name.startswith("What_is_1_+_1__"[:9])
    file = Path(interpreter.conversation_history_path or "") / name
    assert json.loads(file.read_text(encoding="utf-8")) == interpreter.messages


def test_closing_the_generator_at_a_confirmation_runs_nothing_and_the_code_waits(
    make: Callable[..., Interpreter], tmp_path: Path
) -> None:
    interpreter = make(("shell", "echo made > made.txt"), "It is there.")
    chunks = interpreter.chat("Make it", display=False, stream=True)
    for chunk in chunks:
        if chunk["type"] == "confirmation":
            chunks.close()
    assert not (tmp_path / "made.txt").exists()
    assert [message["type"] for message in interpreter.messages] == ["message", "code"]
    # What waits is confirmed and run when a turn begins with it, before the model is asked.
    rest = list(interpreter.chat(interpreter.messages, display=False, stream=True))
    assert folded(rest)[0] == "computer confirmation execution"
    assert (tmp_path / "made.txt").read_text() == "made\n"
    assert interpreter.messages[-1]["content"] == "It is there."
    assert len(script(interpreter).asked) == 2


def test_code_that_was_refused_is_told_to_the_model_as_not_run(make: Callable[..., Interpreter]) -> None:
    interpreter = make(("python", "1"), "Very well.")
    for chunk in interpreter.chat("Do it", display=False, stream=True):
        if chunk["type"] == "confirmation":
            break
    assert interpreter.chat("Leave it", display=False) == [
        {"role": "assistant", "type": "message", "content": "Very well."}
    ]
    assert script(interpreter).messages[-2:] == [
        {"role": "tool", "tool_call_id": "call_1", "content": "This code was not run."},
        {"role": "user", "content": "Leave it"},
    ]


def test_code_may_be_changed_while_its_confirmation_is_held(make: Callable[..., Interpreter]) -> None:
    interpreter = make(("python", "print('theirs')"), "Done.")
    confirmations = 0
    for chunk in interpreter.chat("Go", display=False, stream=True):
        if chunk["type"] == "confirmation":
            confirmations += 1
            interpreter.messages[-1]["content"] = "print('mine')"
    assert confirmations == 1
    assert contents(interpreter.messages) == ["Go", "print('mine')", "mine\n", "Done."]
    assert "mine" in script(interpreter).messages[-1]["content"]


def test_with_auto_run_nobody_is_asked_and_variables_are_kept(make: Callable[..., Interpreter]) -> None:
    interpreter = make(("python", "x = 20"), ("python", "print(x + 1)"), "21.", auto_run=True)
    new = interpreter.chat("Count", display=False)
    assert contents(new) == ["x = 20", "", "print(x + 1)", "21\n", "21."]
    assert interpreter.last_messages_count == 1


def test_without_anybody_to_ask_code_waits_and_a_warning_says_so(make: Callable[..., Interpreter]) -> None:
    interpreter = make(("python", "print(1)"))
    with pytest.warns(UserWarning, match="nobody was asked"):
        new = interpreter.chat("Go", display=False)
    assert [message["type"] for message in new] == ["code"]


def test_only_the_end_of_a_long_output_is_kept(make: Callable[..., Interpreter]) -> None:
    interpreter = make(("python", "for n in range(1000): print(n)"), "Done.", auto_run=True, max_output=40)
    chunks = list(interpreter.chat("Go", display=False, stream=True))
    whole = "".join(chunk["content"] for chunk in chunks if chunk.get("format") == "output")
    assert whole == "".join(f"{n}\n" for n in range(1000))
    kept = interpreter.messages[-2]["content"]
    assert kept.endswith(whole[-40:])
    assert len(kept) < 140
    assert script(interpreter).messages[-1]["content"] == kept


def test_an_unknown_language_is_not_asked_about_and_the_second_time_ends_the_turn(
    make: Callable[..., Interpreter],
) -> None:
    interpreter = make(("cobol", "STOP RUN."), ("cobol", "STOP RUN."))
    chunks = list(interpreter.chat("Go", display=False, stream=True))
    assert "computer confirmation execution" not in folded(chunks)
    assert chunks[-1] == {"role": "computer", "type": "console", "end": True}
    assert [message["type"] for message in interpreter.messages] == [
        *("message", "code", "console", "code", "console")
    ]
    assert '"cobol" is not enabled here' in interpreter.messages[2]["content"]


def test_a_fence_is_code_for_a_model_without_functions(make: Callable[..., Interpreter]) -> None:
    text = "I look:\n\n```python\nprint(6 * 7)\n```\nand then I say it."
    interpreter = make(text, "42.", auto_run=True)
    interpreter.llm.supports_functions = False
    new = interpreter.chat("6 * 7?", display=False)
    assert contents(new)[1:] == ["print(6 * 7)", "42\n", "42."]
    assert new[0]["content"].strip() == "I look:"
    assert "tools" not in script(interpreter).asked[0]
    assert "42" in script(interpreter).messages[-1]["content"]


def test_templates_wrap_what_the_model_is_told(make: Callable[..., Interpreter]) -> None:
    interpreter = make(
        "```python\nprint(1)\n```",
        "One.",
        auto_run=True,
        user_message_template="Please: {content}",
        code_output_template="It said: {content}",
        custom_instructions="Speak like a pirate.",
        system_message="You are short.",
    )
    interpreter.llm.supports_functions = False
    interpreter.chat("Count", display=False)
    system, *messages = script(interpreter).asked[-1]["messages"]
    assert system["content"].startswith("You are short.")
    assert "Speak like a pirate." in system["content"]
    assert messages[0]["content"] == "Please: Count"
    assert messages[-1]["content"] == "It said: 1\n"


def test_messages_for_one_recipient_are_not_shown_to_the_other(make: Callable[..., Interpreter]) -> None:
    interpreter = make("Yes.")
    interpreter.messages = [
        {"role": "user", "type": "message", "content": "secret", "recipient": "user"},
        {"role": "user", "type": "message", "content": "hint", "recipient": "assistant"},
    ]
    interpreter.chat("Well?", display=False)
    assert [message["content"] for message in script(interpreter).messages] == ["hint", "Well?"]


def test_a_message_may_be_a_dict_or_a_list_that_replaces_all(make: Callable[..., Interpreter]) -> None:
    interpreter = make("A picture.", "Fresh.")
    picture = {"type": "image", "format": "base64.png", "content": "aGk="}
    interpreter.chat(picture, display=False)
    assert interpreter.messages[0] == {"role": "user", **picture}
    (told,) = script(interpreter).messages
    assert told["content"] == [{"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}]
    interpreter.chat([{"role": "user", "type": "message", "content": "New"}], display=False)
    assert contents(interpreter.messages) == ["New", "Fresh."]


def test_only_the_newest_pictures_of_the_computer_are_sent_and_an_empty_message_is_one(
    make: Callable[..., Interpreter],
) -> None:
    interpreter = make("Many.")
    picture = {"type": "image", "format": "base64.png", "content": "aGk="}
    interpreter.messages = [{"role": "user", **picture}, *({"role": "computer", **picture} for _ in range(7))]
    interpreter.chat("", display=False)
    told = [message["content"] for message in script(interpreter).messages]
    assert [isinstance(content, list) for content in told] == [True, False, False, *[True] * 5, False]
    assert told[-1] == "(nothing)"


def test_the_loop_goes_on_until_the_model_says_that_it_is_done(make: Callable[..., Interpreter]) -> None:
    interpreter = make("I think.", "Still.", "So. That is all!", loop=True, loop_breakers=["That is all!"])
    new = interpreter.chat("Go", display=False)
    assert contents(new) == ["I think.\n\nStill.\n\nSo. That is all!"]
    last = script(interpreter).messages
    assert last[-1] == {"role": "user", "content": interpreter.loop_message}
    assert interpreter.loop_message not in str(interpreter.messages)


def test_an_error_of_the_function_reaches_the_caller_and_the_conversation_goes_on(
    make: Callable[..., Interpreter],
) -> None:
    interpreter = make(ZeroDivisionError("theirs"), "Better.", "")
    with pytest.raises(ZeroDivisionError, match="theirs"):
        interpreter.chat("Go", display=False)
    assert contents(interpreter.chat("Again", display=False)) == ["Better."]


def test_an_answer_of_nothing_is_one_visible_error(make: Callable[..., Interpreter]) -> None:
    interpreter = make("", "", "", "")
    with pytest.raises(ModelError, match="empty reply"):
        interpreter.chat("Go", display=False)
    assert contents(interpreter.messages) == ["Go"]


def test_a_limit_is_an_error_that_names_it(make: Callable[..., Interpreter], tmp_path: Path) -> None:
    del tmp_path
    interpreter = make(*[("python", f"{n}") for n in range(4)], auto_run=True)
    interpreter.options = [*interpreter.options, "--max-steps", "2"]
    with pytest.raises(TurnError, match="limit of 2 steps"):
        interpreter.chat("Go", display=False)


@pytest.mark.parametrize("forgets", [False, True])
def test_a_budget_holds_for_all_turns_also_for_those_that_are_forgotten(
    make: Callable[..., Interpreter], *, forgets: bool
) -> None:
    interpreter = make()

    def dear(**_asked: object) -> Iterator[Any]:  # at 2.5 dollars for a million tokens
        yield sent({"content": "Hi."}, "stop")
        yield {"choices": [], "usage": {"prompt_tokens": 100_000, "completion_tokens": 1}}

    interpreter.llm.completions = dear
    interpreter.llm.max_budget = 0.6
    for _ in range(2):
        assert interpreter.chat("Go", display=False)
        if forgets:
            interpreter.reset()
    if forgets:  # what the first request of a conversation will cost is not foreseen
        interpreter.chat("Go", display=False)
    with pytest.raises(ModelError, match="budget"):
        interpreter.chat("Go", display=False)


def test_not_blocking_returns_at_once_and_wait_gives_the_messages(make: Callable[..., Interpreter]) -> None:
    interpreter = make(("python", "print('there')"), "Done.", auto_run=True)
    assert interpreter.chat("Go", display=False, blocking=False) is None
    assert contents(interpreter.wait()) == ["print('there')", "there\n", "Done."]
    assert not interpreter.responding


def test_two_objects_are_independent_of_each_other(make: Callable[..., Interpreter]) -> None:
    first = make(("python", "y = 1"), "a", auto_run=True)
    second = make(("python", "print('y' in globals())"), "b", auto_run=True)
    chunks = first.chat("One", display=False, stream=True)
    next(chunks)
    assert contents(second.chat("Two", display=False)) == ["print('y' in globals())", "False\n", "b"]
    list(chunks)
    assert contents(first.messages) == ["One", "y = 1", "", "a"]


def test_a_generator_that_is_left_is_a_refusal_when_the_next_turn_begins(
    make: Callable[..., Interpreter], tmp_path: Path
) -> None:
    interpreter = make(("shell", "touch made"), "Very well.")
    left = interpreter.chat("One", display=False, stream=True)
    assert any(chunk["type"] == "confirmation" for chunk in left)
    assert contents(interpreter.chat("Do not", display=False)) == ["Very well."]
    assert list(left) == []
    assert not (tmp_path / "made").exists()


def test_code_cannot_be_run_in_the_middle_of_a_block(make: Callable[..., Interpreter]) -> None:
    interpreter = make(("python", "print(1)"), "x", auto_run=True)
    for chunk in interpreter.chat("One", display=False, stream=True):
        if chunk.get("format") == "output":
            with pytest.raises(RuntimeError, match="A block of code is running"):
                interpreter.computer.run("python", "2")
    assert interpreter.computer.run("python", "2")


def test_an_object_that_nobody_holds_any_more_is_gone(make: Callable[..., Interpreter]) -> None:
    interpreter = make(("python", "1"), "x", auto_run=True)
    interpreter.chat("One", display=False)
    held = weakref.ref(interpreter)
    make.forget()  # type: ignore[attr-defined] # the fixture's own list
    del interpreter
    gc.collect()
    assert held() is None


def test_closing_the_generator_stops_code_that_runs(make: Callable[..., Interpreter], tmp_path: Path) -> None:
    interpreter = make(
        ("shell", "echo begun; sleep 60; touch late"), ("shell", "echo next"), "x", auto_run=True
    )
    chunks = interpreter.chat("Go", display=False, stream=True)
    for chunk in chunks:
        if chunk.get("format") == "output":
            break
    began = time.monotonic()
    chunks.close()
    assert time.monotonic() - began < 10
    assert not (tmp_path / "late").exists()
    assert "next" in str(contents(interpreter.chat("On", display=False)))


def test_what_waits_for_the_model_can_be_stopped_from_another_thread(
    make: Callable[..., Interpreter],
) -> None:
    interpreter = make()
    asked, never = threading.Event(), threading.Event()

    def hang(**_asked: object) -> Iterator[dict[str, Any]]:
        asked.set()
        never.wait(60)
        yield {}

    interpreter.llm.completions = hang
    interpreter.chat("Go", display=False, blocking=False)
    assert asked.wait(30)
    with pytest.raises(RuntimeError, match="in the middle of a turn"):
        interpreter.chat("Two", display=False)
    began = time.monotonic()
    interpreter.stop()
    assert interpreter.wait() == []
    assert time.monotonic() - began < 10
    never.set()


def test_reset_forgets_messages_and_variables(make: Callable[..., Interpreter]) -> None:
    interpreter = make(("python", "z = 1"), "a", ("python", "print('z' in globals())"), "b", auto_run=True)
    interpreter.chat("One", display=False)
    interpreter.reset()
    assert interpreter.messages == []
    assert contents(interpreter.chat("Two", display=False))[1] == "False\n"


def test_chat_without_a_message_needs_a_display(make: Callable[..., Interpreter]) -> None:
    with pytest.raises(ValueError, match="needs a message"):
        make().chat(display=False)
    with pytest.raises(TypeError, match="a text, a message or a list"):
        make().chat(3, display=False)  # type: ignore[arg-type]


def test_chunks_may_be_objects_of_the_same_shape(make: Callable[..., Interpreter]) -> None:
    interpreter = make()

    def said(**_asked: object) -> Iterator[Any]:
        for words in ("Hel", "lo."):
            delta = SimpleNamespace(content=words, tool_calls=None)
            yield SimpleNamespace(choices=[SimpleNamespace(delta=delta, finish_reason=None)])

    interpreter.llm.completions = said
    assert contents(interpreter.chat("Hi", display=False)) == ["Hello."]
    interpreter.llm.completions = lambda **_asked: 3  # type: ignore[assignment]
    with pytest.raises(ModelError, match="yields chunks as OpenAI streams them; it returned 3"):
        interpreter.chat("Hi", display=False)


def test_llm_run_gives_chunks_without_a_role(make: Callable[..., Interpreter]) -> None:
    interpreter = make(("Look:", "python", "1 + 1"))
    chunks = list(interpreter.llm.run([{"role": "user", "type": "message", "content": "Hi"}]))
    assert not [chunk for chunk in chunks if "role" in chunk]
    assert "".join(chunk["content"] for chunk in chunks if chunk["type"] == "message") == "Look:"
    assert "".join(chunk["content"] for chunk in chunks if chunk["type"] == "code") == "1 + 1"
    assert interpreter.messages == []


INTERRUPTED = """
import sys, threading, time
from pathlib import Path
from scripted_completions import Completions
from scripted_completions import chunk as sent
from computer_agent import Interpreter

begun, kind = Path(sys.argv[1]), sys.argv[2]

class Slow(Completions):
    def __call__(self, **asked):
        if kind == "model":
            begun.touch()
            time.sleep(60)
        return super().__call__(**asked)

interpreter = Interpreter(options=["--workspace", str(begun.parent), "--sandbox", "none"], auto_run=True)
interpreter.llm.completions = Slow([("shell", f"touch {begun}; sleep 60"), "x"])
try:
    interpreter.chat("Go", display=False)
except KeyboardInterrupt:
    print("STOPPED", flush=True)
interpreter.llm.completions = Completions(["Fine."])
print(interpreter.chat("Next", display=False)[-1]["content"])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT can be sent to one process there")
@pytest.mark.parametrize("kind", ["model", "shell"])
def test_ctrl_c_ends_the_turn_at_once_and_the_conversation_goes_on(kind: str, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    path = os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, sys.path)])
    environment = {**os.environ, "HOME": str(tmp_path), "PYTHONPATH": path}
    run = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, str(begun), kind],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        deadline = time.monotonic() + 60
        while not begun.exists():
            assert time.monotonic() < deadline
            assert run.poll() is None
            time.sleep(0.01)
        run.send_signal(signal.SIGINT)
        out, _ = run.communicate(timeout=30)  # far less than what would be slept
    finally:
        run.kill()
    assert out.split() == ["STOPPED", "Fine."]


ON_TERMINAL = """
import sys
from scripted_completions import Completions
from scripted_completions import chunk as sent
from computer_agent import Interpreter
from computer_agent.models.model import ModelError

interpreter = Interpreter(options=["--workspace", sys.argv[1], "--sandbox", "none"])
made = "open('made', 'w').close()"
away = ModelError("The model is away.")
replies = [("I make it.", "python", made), ("python", made), "It is there.", "Bye.", away]
interpreter.llm.completions = Completions(replies)
interpreter.chat("Make it")
interpreter.chat()
print("LEFT", len(interpreter.messages))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals like this one")
def test_on_a_terminal_the_person_is_asked_there_and_talks_on(tmp_path: Path) -> None:
    import pty

    screen, inside = pty.openpty()
    path = os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, sys.path)])
    environment = {**os.environ, "HOME": str(tmp_path / "home"), "PYTHONPATH": path, "TERM": "dumb"}
    (tmp_path / "work").mkdir()
    made = tmp_path / "work" / "made"
    run = subprocess.Popen(
        [sys.executable, "-c", ON_TERMINAL, str(made.parent)],
        env=environment, stdin=inside, stdout=inside, stderr=inside, start_new_session=True,
    )  # fmt: skip
    os.close(inside)
    try:
        assert "I make it." in until(screen, "Allow? ")
        assert not made.exists()
        os.write(screen, b"n\n")
        until(screen, "Allow? ")
        os.write(screen, b"y\n")
        assert "It is there." in until(screen, "> ")
        assert made.exists()
        os.write(screen, b"Thanks\n")
        assert "Bye." in until(screen, "> ")
        os.write(screen, b"Once more\n")
        assert "The model is away." in until(screen, "> ")
        for typed, answer in [
            ("%undo", 'Taken back: "Once more"'),
            ("%% echo from-the-$((1 + 1))nd-shell", "from-the-2nd-shell"),
            ("%auto_run on", "auto_run is True."),
            ("%nosuch", 'There is no command "%nosuch" here.'),
            ("%load nosuch.json", '"nosuch.json" cannot be read: No such file or directory.'),
            ("%save ~nobody-of-that-name/x", 'There is no home folder for "~nobody-of-that-name/x".'),
        ]:
            os.write(screen, f"{typed}\n".encode())
            assert answer in until(screen, "> ")
        os.write(screen, b"\x04")
        assert "LEFT 9" in until(screen, "LEFT 9")
        assert run.wait(30) == 0
    finally:
        run.kill()
        run.wait()
        os.close(screen)


def test_where_no_trace_can_be_written_a_talk_says_so_and_lives_on(tmp_path: Path) -> None:
    (tmp_path / "state").write_bytes(b"")  # where a folder should be
    path = os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, sys.path)])
    environment = {**os.environ, "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}
    talk = "from computer_agent import Interpreter\nInterpreter(options=['--sandbox', 'none']).chat()\nprint('LEFT')"
    ran = subprocess.run(
        [sys.executable, "-c", talk],
        cwd=tmp_path,
        env={**environment, "PYTHONPATH": path},
        input="hello\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "No trace can be written in" in ran.stdout, ran
    assert ran.stdout.endswith("LEFT\n")
    assert ran.returncode == 0


def until(screen: int, words: str) -> str:
    """What the terminal shows up to these words."""
    deadline, shown = time.monotonic() + 60, ""
    while words not in shown:
        assert time.monotonic() < deadline, shown
        if select.select([screen], [], [], 0.1)[0]:
            shown += os.read(screen, 4096).decode()
    return shown
