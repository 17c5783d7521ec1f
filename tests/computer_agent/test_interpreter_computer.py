"""The Python object's computer: code in our languages and in a person's own, and the desktop by the classic's names."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from scripted_completions import Completions, call, chunk

from computer_agent import Interpreter
from computer_agent.python_object.direct import Direct
from computer_agent.python_object.hands import Display, Keyboard, Mouse
from computer_api.computer import Computer
from computer_api.errors import NotFoundError, UnsupportedError
from computer_platform.memory import MemoryDesktop, form

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from scripted_completions import Reply

    from computer_agent.lmc import Chunk
    from computer_vision.reader import Reader


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[..., Interpreter]]:
    """Makes interpreters on a desktop in memory, whose model plays these replies."""
    made: list[Interpreter] = []

    def make(*replies: Reply, **how: Any) -> Interpreter:  # noqa: ANN401 - any attribute
        interpreter = Interpreter(
            options=["--workspace", str(tmp_path), "--sandbox", "none", "--desktop", "memory"],
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

    yield make
    for one in made:
        one.close()


def contents(messages: list[Chunk]) -> list[Any]:
    return [message["content"] for message in messages]


class Shout:
    """A language as the documentation of the classic has one: without a constructor of its own."""

    name = "Shout"
    aliases: ClassVar[list[str]] = ["loud"]
    file_extension = "shout"
    system_message = "Shout is a language of capital letters."
    ended: ClassVar[list[str]] = []

    def run(self, code: str) -> Iterator[Chunk]:
        yield {"type": "console", "format": "active_line", "content": 0}
        yield {"type": "console", "format": "output", "content": code.upper()}
        yield {"type": "console", "format": "output", "content": "!\n"}
        yield {"type": "image", "format": "base64.png", "content": "aGk="}
        yield {"type": "code", "format": "html", "content": "<b>HI</b>"}

    def stop(self) -> None:
        self.ended.append("stop")

    def terminate(self) -> None:
        self.ended.append("terminate")


class Counter:
    """One that keeps its own state and takes the computer."""

    name = "counter"

    def __init__(self, computer: object) -> None:
        self.computer = computer
        self.count = 0

    def run(self, code: str) -> Iterator[Chunk]:
        if code == "odd":
            yield "no dict"  # type: ignore[misc]
        if code == "break":
            raise OverflowError("no more numbers")
        self.count += 1
        yield {"type": "console", "format": "output", "content": f"{self.count}\n"}


def test_a_language_of_a_person_s_own_makes_its_chunks_itself(make: Callable[..., Interpreter]) -> None:
    interpreter = make(("loud", "hi"), "Done.")
    interpreter.computer.languages.append(Shout)
    chunks = list(interpreter.chat("Shout", display=False, stream=True))
    assert [chunk["type"] for chunk in chunks].count("confirmation") == 1
    assert [chunk["content"] for chunk in chunks if chunk.get("format") == "active_line"] == [0, None]
    assert [(message["type"], message["content"]) for message in interpreter.messages[1:]] == [
        ("code", "hi"),
        ("console", "HI!\n"),
        ("image", "aGk="),
        ("code", "<b>HI</b>"),
        ("message", "Done."),
    ]
    completions = interpreter.llm.completions
    assert isinstance(completions, Completions)
    assert Shout.system_message in completions.asked[0]["messages"][0]["content"]
    tool = completions.asked[0]["tools"][0]["function"]
    assert "shout" in tool["parameters"]["properties"]["language"]["enum"]


def test_a_refused_block_of_an_own_language_does_not_run(make: Callable[..., Interpreter]) -> None:
    interpreter = make(("counter", "1"))
    interpreter.computer.languages.append(Counter)
    for told in interpreter.chat("Count", display=False, stream=True):
        if told["type"] == "confirmation":
            break
    assert interpreter.computer.run("counter", "1") == [
        {"type": "console", "format": "output", "content": "1\n"}
    ]


def test_an_own_language_has_one_object_whatever_it_is_called_and_its_errors_are_told(
    make: Callable[..., Interpreter],
) -> None:
    interpreter = make(("counter", "break"), "Sorry.", auto_run=True)
    interpreter.computer.languages = [Counter, Shout]
    assert contents(interpreter.computer.run("COUNTER", "x")) == ["1\n"]
    assert contents(interpreter.computer.run("counter", "x")) == ["2\n"]
    new = interpreter.chat("Go", display=False)
    assert "OverflowError: no more numbers" in new[1]["content"]
    (odd,) = interpreter.computer.run("counter", "odd")
    assert "yields dicts with a type and a content; it yielded 'no dict'" in odd["content"]
    with pytest.raises(UnsupportedError, match=r'"python" is not enabled here. Use one of: counter, shout'):
        interpreter.computer.run("python", "1")
    Shout.ended.clear()
    interpreter.computer.run("shout", "x")
    interpreter.computer.stop()
    interpreter.reset()
    assert Shout.ended == ["stop", "terminate"]
    assert contents(interpreter.computer.run("counter", "x")) == ["1\n"]


def test_code_is_run_for_the_caller_unasked(make: Callable[..., Interpreter]) -> None:
    interpreter = make()
    run = interpreter.computer.run
    assert run("python", "a = 'kept'\nprint(a)") == [
        {"type": "console", "format": "output", "content": "kept\n"}
    ]
    streamed = list(run("python", "print(a)\n1 / 0", stream=True))
    lines = [one["content"] for one in streamed if one["format"] == "active_line"]
    assert lines == [1, 2, None]
    assert streamed[-1] == {"type": "console", "format": "active_line", "content": None}
    assert "ZeroDivisionError" in "".join(str(one["content"]) for one in streamed)
    assert contents(interpreter.computer.exec("echo out; exit 3"))[0].startswith("out\n")
    assert interpreter.messages == []


def desktop_of(interpreter: Interpreter) -> MemoryDesktop:
    desktop = interpreter.screen().desktop
    assert isinstance(desktop, MemoryDesktop)
    return desktop


def test_the_desktop_is_used_by_the_classic_s_names(make: Callable[..., Interpreter]) -> None:
    computer = make().computer
    width, height = computer.display.size()
    assert (computer.display.width, computer.display.height) == (width, height)
    assert computer.display.center() == (width // 2, height // 2)
    assert computer.screenshot(active_app_only=False).size == (width, height)
    assert computer.display.view(quadrant=4).size == (width // 2, height // 2)
    computer.mouse.move(20, 30)
    assert computer.mouse.position() == (20, 30)
    computer.mouse.click(x=40.4, y=50)
    assert computer.mouse.position() == (40, 50)
    computer.clipboard.copy("Grüße")
    assert computer.clipboard.view() == "Grüße"


def test_a_text_is_found_in_shares_of_the_picture_and_clicked_where_it_is(reader: Reader) -> None:
    desktop = MemoryDesktop((640, 400), screens=form())
    computer = Computer(desktop, reader=reader, patience=0.0, receipts=False)
    direct = Direct(lambda: computer, lambda _words, _pictures: "")
    (found,) = Display(direct).find('"Save"')
    assert found["coordinates"] == pytest.approx((290 / 640, 268 / 400), abs=0.01)
    assert Display(direct).find_text("Nowhere") == []
    assert ["First", "name"] in Display(direct).get_text_as_list_of_lists()
    Keyboard(direct).write("Grüße Ω", into="City")
    Mouse(direct).click(text="Save")
    assert desktop.screen == "saved"
    with pytest.raises(NotFoundError):
        Mouse(direct).click("Save")


def test_the_screen_is_used_by_any_model_with_a_confirmation_for_each_action(
    make: Callable[..., Interpreter],
) -> None:
    """What is done on the screen is shown as the call that would do it."""
    interpreter = make(os=True)

    def click(**asked: Any) -> Iterator[dict[str, Any]]:  # noqa: ANN401 - as litellm's
        called = sum(message["role"] == "tool" for message in asked["messages"])
        if called:
            yield chunk({"content": "Clicked."}, "stop")
        else:
            yield chunk(call("a", "computer", json.dumps({"action": "click", "x": 5, "y": 6})), "tool_calls")

    interpreter.llm.completions = click
    interpreter.computer.emit_images = False
    chunks = list(interpreter.chat("Click there", display=False, stream=True))
    (asked,) = [one for one in chunks if one["type"] == "confirmation"]
    assert "Click" in asked["content"]["content"]
    assert asked["content"]["format"] == "python"
    assert interpreter.messages[-1]["content"] == "Clicked."
    assert any(event.verb == "button" for event in desktop_of(interpreter).log)


def test_pictures_of_the_screen_come_as_messages_where_they_are_wished(
    make: Callable[..., Interpreter],
) -> None:
    interpreter = make("I see.", os=True)
    new = interpreter.chat("Look", display=False)
    assert [(message["role"], message["type"]) for message in new] == [
        ("computer", "image"),
        ("assistant", "message"),
    ]


def test_the_model_can_be_asked_beside_the_conversation(make: Callable[..., Interpreter]) -> None:
    interpreter = make("Paris.", "A picture.")
    assert interpreter.computer.ai.chat("Capital of France?") == "Paris."
    assert interpreter.computer.vision.query("What is it?") == "A picture."
    assert interpreter.messages == []


def test_files_are_searched_and_edited(make: Callable[..., Interpreter], tmp_path: Path) -> None:
    files = make().computer.files
    (tmp_path / "a.txt").write_text("one two\ntwo\n")
    assert len(files.search("two", tmp_path, "a.txt")) == 2
    files.edit(tmp_path / "a.txt", "one two", "three")
    assert (tmp_path / "a.txt").read_text() == "three\ntwo\n"


def test_a_skill_is_written_listed_and_run_again(make: Callable[..., Interpreter]) -> None:
    skills = make().computer.skills
    assert skills.list() == []
    skills.new_skill.create()
    skills.new_skill.name = "Greet"
    skills.new_skill.add_step("say it", "print('Hello')")
    skills.new_skill.save()
    assert [name.casefold() for name in skills.list()] == ["greet"]
    assert skills.search("greet")
    skills.run("greet")


def test_a_language_whose_program_is_not_here_is_not_offered(
    make: Callable[..., Interpreter], tmp_path: Path
) -> None:
    languages = make().computer.languages_now
    assert languages.offered(str(tmp_path)) == ("shell", "python", "html")
    program = tmp_path / "ruby"
    program.touch()
    program.chmod(0o755)
    assert "ruby" in languages.offered(str(tmp_path))
    assert languages.find("rb") is languages.find("RUBY")


def test_code_of_a_turn_can_ask_the_model_too(make: Callable[..., Interpreter]) -> None:
    interpreter = make(
        ("python", "print(computer.ai.chat('Capital of France?'))"), "Paris.", "Done.", auto_run=True
    )
    assert contents(interpreter.chat("Ask", display=False))[1:] == ["Paris.\n", "Done."]
