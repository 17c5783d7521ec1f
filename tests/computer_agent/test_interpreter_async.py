"""The Python object for asyncio: chunks in, chunks out, stop and go."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any

import pytest
from scripted_completions import Completions

from computer_agent import AsyncInterpreter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from scripted_completions import Reply

    from computer_agent.lmc import Chunk

COMPLETE = {"role": "server", "type": "status", "content": "complete"}


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[..., AsyncInterpreter]]:
    made: list[AsyncInterpreter] = []

    def make(*replies: Reply, **how: Any) -> AsyncInterpreter:  # noqa: ANN401 - any attribute
        interpreter = AsyncInterpreter(
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

    yield make
    for one in made:
        one.close()


async def told(interpreter: AsyncInterpreter) -> list[Chunk]:
    """All that is put out until the turn is complete."""
    chunks = []
    while (chunk := await asyncio.wait_for(interpreter.output(), 60)) != COMPLETE:
        chunks.append(chunk)
    return chunks


async def say(interpreter: AsyncInterpreter, *words: str, kind: str = "message") -> None:
    await interpreter.input({"role": "user", "type": kind, "start": True})
    for word in words:
        await interpreter.input({"role": "user", "type": kind, "content": word})
    await interpreter.input({"role": "user", "type": kind, "end": True})


def test_a_turn_ends_with_its_code_and_go_runs_it(make: Callable[..., AsyncInterpreter]) -> None:
    interpreter = make(("python", "print(6 * 7)"), "42.")

    async def talk() -> tuple[list[Chunk], list[Chunk]]:
        await say(interpreter, "What is ", "6 * 7?")
        first = await told(interpreter)
        await say(interpreter, "go", kind="command")
        return first, await told(interpreter)

    first, second = asyncio.run(talk())
    assert interpreter.messages[0] == {"role": "user", "type": "message", "content": "What is 6 * 7?"}
    assert first[-1] == {"role": "assistant", "type": "code", "format": "python", "end": True}
    assert not [chunk for chunk in first + second if chunk["type"] == "confirmation"]
    assert second[0] == {"role": "computer", "type": "console", "start": True}
    assert [message["content"] for message in interpreter.messages[1:]] == ["print(6 * 7)", "42\n", "42."]


def test_go_approves_one_block_alone(make: Callable[..., AsyncInterpreter]) -> None:
    interpreter = make(("python", "print(1)"), ("python", "print(2)"), "x")

    async def talk() -> None:
        await say(interpreter, "Count")
        await told(interpreter)
        await interpreter.input({"role": "user", "type": "command", "content": "go"})
        await told(interpreter)

    asyncio.run(talk())
    assert [message["content"] for message in interpreter.messages] == [
        "Count",
        "print(1)",
        "1\n",
        "print(2)",
    ]


def test_a_new_message_stops_the_turn_that_goes_on(make: Callable[..., AsyncInterpreter]) -> None:
    interpreter = make(("shell", "echo begun; sleep 60"), "There.", auto_run=True)

    async def talk() -> list[Chunk]:
        await say(interpreter, "Wait")
        while (await asyncio.wait_for(interpreter.output(), 60)).get("format") != "output":
            pass
        await say(interpreter, "Leave it")
        return await told(interpreter)

    chunks = asyncio.run(asyncio.wait_for(talk(), 50))
    assert [chunk["content"] for chunk in chunks if "content" in chunk] == ["There."]


def test_an_error_is_put_out_and_the_turn_is_complete(make: Callable[..., AsyncInterpreter]) -> None:
    interpreter = make(ValueError("theirs"))

    async def talk() -> list[Chunk]:
        await say(interpreter, "Go")
        return await told(interpreter)

    assert asyncio.run(talk()) == [{"role": "server", "type": "error", "content": "ValueError: theirs"}]


def test_the_stop_event_ends_a_turn_with_its_bracket_closed(make: Callable[..., AsyncInterpreter]) -> None:
    interpreter = make("word " * 50)
    chunks = []
    for chunk in interpreter.chat("Go", display=False, stream=True):
        chunks.append(chunk)
        if "content" in chunk:
            interpreter.stop_event.set()
    assert [("start" in one, "end" in one) for one in chunks] == [
        (True, False),
        (False, False),
        (False, True),
    ]


def test_pieces_are_added_up_to_messages(make: Callable[..., AsyncInterpreter]) -> None:
    interpreter = make()
    interpreter.accumulate({"role": "user", "content": "a"})
    interpreter.accumulate({"role": "user", "type": "message", "content": "b"})
    interpreter.accumulate({"role": "user", "type": "audio", "format": "bytes.wav", "start": True})
    interpreter.messages[-1]["content"] = b""
    interpreter.accumulate(b"cd")
    assert [message["content"] for message in interpreter.messages] == ["ab", b"cd"]


def test_an_output_that_was_given_up_loses_no_chunk(make: Callable[..., AsyncInterpreter]) -> None:
    interpreter = make("Hello.")
    interpreter.require_acknowledge = True

    async def talk() -> list[Chunk]:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(interpreter.output(), 0.01)
        await say(interpreter, "Hi")
        chunks: list[Chunk] = []
        while not chunks or chunks[-1].get("content") != "complete":
            chunks.append(await asyncio.wait_for(interpreter.output(), 60))
        return chunks

    chunks = asyncio.run(talk())
    assert [chunk.get("content") for chunk in chunks] == [None, "Hello.", None, "complete"]
    assert len({chunk["id"] for chunk in chunks}) == len(chunks)
