"""The loop's events as LMC chunks: brackets that balance, and messages that do not depend on how a stream was cut."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from computer_agent.lmc import Fold, Recorder, WithoutEscapes, cut_note
from computer_agent.step import (
    Deciding,
    Done,
    Finished,
    NotDone,
    Performed,
    Printing,
    Spent,
    Thinking,
    Writing,
)
from computer_api.actions import Click, RunCode, TypeText
from computer_api.receipt import Receipt
from computer_api.targets import TextTarget
from computer_api.terminal.output import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from computer_agent.lmc import Chunk
    from computer_agent.step import Ending, Event

CODE = RunCode(language="python", code="print('hi')\n1 + 1")
NOTHING = Spent(steps=0, seconds=0.0, dollars=0.0, tokens=0)

KINDS: list[dict[str, Any]] = [
    {"role": "assistant", "type": "message"},
    {"role": "assistant", "type": "code", "format": "python"},
    {"role": "assistant", "type": "code", "format": "shell"},
    {"role": "computer", "type": "console", "format": "output"},
    {"role": "computer", "type": "console", "format": "active_line"},
    {"role": "computer", "type": "image", "format": "base64.png"},
    {"role": "assistant", "type": "review", "format": "safe"},
    {"role": "computer", "type": "code", "format": "html"},
]


def finished(words: str, ending: Ending = "done") -> Finished:
    return Finished(ending=ending, words=words, spent=NOTHING)


def folded(events: Iterable[Event], *, max_output: int = 2800) -> tuple[list[Chunk], list[Chunk]]:
    """The chunks of the events and the messages that are kept of them."""
    messages: list[Chunk] = []
    fold = Fold(Recorder(messages, max_output))
    chunks = [chunk for event in events for chunk in fold.take(event)]
    return [*chunks, *fold.recorder.end()], messages


def short(chunk: Chunk) -> str:
    """A chunk on one line: role, type, format, and its flag or content."""
    named = " ".join(chunk[key] for key in ("role", "type", "format") if key in chunk)
    flag = next((key for key in ("start", "end") if chunk.get(key)), None)
    return f"{named} {flag}" if flag else f"{named} {chunk['content']!r}"


def test_a_turn_is_told_chunk_for_chunk() -> None:
    chunks, messages = folded(
        [
            Thinking(text="Let me "),
            Thinking(text="see."),
            Writing(language="python", text=""),
            Writing(language="python", text="print('hi')"),
            Writing(language="python", text="\n1 + 1"),
            Deciding(action=CODE, nested=False),
            Printing(text="hi\n"),
            Printing(text="2\n"),
            Performed(
                outcome=Done(action=CODE, receipt=Receipt(effect="unknown", output="hi\n2\n")), nested=False
            ),
            Thinking(text="It is 2."),
            finished("It is 2."),
        ]
    )
    assert list(map(short, chunks)) == [
        "assistant message start",
        "assistant message 'Let me '",
        "assistant message 'see.'",
        "assistant message end",
        "assistant code python start",
        """assistant code python "print('hi')\"""",
        "assistant code python '\\n1 + 1'",
        "assistant code python end",
        "computer console start",
        "computer console active_line 1",
        "computer console output 'hi\\n'",
        "computer console output '2\\n'",
        "computer console active_line None",
        "computer console end",
        "assistant message start",
        "assistant message 'It is 2.'",
        "assistant message end",
    ]
    assert messages == [
        {"role": "assistant", "type": "message", "content": "Let me see."},
        {"role": "assistant", "type": "code", "format": "python", "content": CODE.code},
        {"role": "computer", "type": "console", "format": "output", "content": "hi\n2\n"},
        {"role": "assistant", "type": "message", "content": "It is 2."},
    ]


def test_a_confirmation_closes_the_bracket_and_is_kept_nowhere() -> None:
    messages: list[Chunk] = []
    fold = Fold(Recorder(messages))
    chunks = [*fold.take(Writing(language="python", text="print("))]
    chunks += fold.asked(CODE.__class__(language="python", code="print(1)"))
    assert list(map(short, chunks)) == [
        "assistant code python start",
        "assistant code python 'print('",
        "assistant code python '1)'",
        "assistant code python end",
        "computer confirmation execution "
        + repr({"type": "code", "format": "python", "content": "print(1)"}),
    ]
    assert messages == [{"role": "assistant", "type": "code", "format": "python", "content": "print(1)"}]
    assert fold.edited(RunCode(language="python", code="print(1)")) is None
    messages[0]["content"] = "print(2)"
    edited = fold.edited(RunCode(language="python", code="print(1)"))
    assert edited == RunCode(language="python", code="print(2)")
    after = list(fold.take(Deciding(action=edited, nested=False)))
    assert list(map(short, after)) == ["computer console start", "computer console active_line 1"]


def test_two_blocks_of_one_reply_are_two_messages_each_before_its_own_run() -> None:
    first, second = RunCode(language="shell", code="echo 1"), RunCode(language="shell", code="echo 2")
    events: list[Event] = [
        Writing(language="shell", text=""),
        Writing(language="shell", text="echo 1"),
        Writing(language="shell", text=""),
        Writing(language="shell", text="echo 2"),
    ]
    for code in (first, second):
        events += [
            Deciding(action=code, nested=False),
            Printing(text=f"{code.code[-1]}\n"),
            Performed(
                outcome=Done(action=code, receipt=Receipt(effect="unknown", output=f"{code.code[-1]}\n")),
                nested=False,
            ),
        ]
    _, messages = folded(events)
    assert [message["content"] for message in messages] == ["echo 1", "1\n", "echo 2", "2\n"]


def test_a_run_without_output_leaves_an_empty_output_and_one_that_failed_by_itself_says_why() -> None:
    quiet = Performed(outcome=Done(action=CODE, receipt=Receipt(effect="unknown")), nested=False)
    chunks, messages = folded([Deciding(action=CODE, nested=False), quiet])
    assert messages[-1] == {"role": "computer", "type": "console", "format": "output", "content": ""}
    assert "computer console output ''" not in map(short, chunks)
    broken = Performed(outcome=NotDone(action=CODE, why="The worker died.", kind="error"), nested=False)
    chunks, messages = folded([Deciding(action=CODE, nested=False), broken])
    assert messages[-1]["content"] == "The worker died.\n"
    assert "computer console active_line None" not in map(short, chunks)
    refused = Performed(outcome=NotDone(action=CODE, why="the person said no", kind="refused"), nested=False)
    _, messages = folded([refused])
    assert [message["content"] for message in messages] == [CODE.code, "Not allowed: the person said no\n"]


def test_notes_on_how_a_block_ended_come_after_what_it_printed() -> None:
    receipt = Receipt(effect="unknown", output="half\n[exit code 3]\n", failed=True)
    chunks, messages = folded(
        [
            Deciding(action=CODE, nested=False),
            Printing(text="\x1b[31mha\x1b[0"),
            Printing(text="mlf\n"),
            Performed(outcome=Done(action=CODE, receipt=receipt), nested=False),
        ]
    )
    assert messages[-1]["content"] == "half\n[exit code 3]\n"
    assert list(map(short, chunks))[-3:] == [
        "computer console output '[exit code 3]\\n'",
        "computer console active_line None",
        "computer console end",
    ]


def test_each_picture_is_a_message_and_a_bracket_of_its_own() -> None:
    receipt = Receipt(effect="unknown", images=(b"one", b"two"))
    done = Performed(outcome=Done(action=CODE, receipt=receipt), nested=False)
    chunks, messages = folded([Deciding(action=CODE, nested=False), done])
    assert [message["content"] for message in messages if message["type"] == "image"] == ["b25l", "dHdv"]
    assert [short(chunk) for chunk in chunks if chunk["type"] == "image"] == [
        f"computer image base64.png {what}" for what in ("start", "'b25l'", "end", "start", "'dHdv'", "end")
    ]


def test_what_is_done_on_the_screen_is_a_call_in_python_and_a_secret_is_hidden() -> None:
    click = Click(target=TextTarget("Save"))
    done = Performed(outcome=Done(action=click, receipt=Receipt(effect="here")), nested=False)
    _, messages = folded([Deciding(action=click, nested=False), done])
    assert [message["content"] for message in messages] == [
        'computer.mouse.click("Save")'.replace('"', "'"),
        "changed here\n",
    ]
    _, messages = folded([Deciding(action=TypeText(text="hunter2", secret=True), nested=False)])
    assert "hunter2" not in str(messages)


def test_an_answer_that_was_not_streamed_is_a_message_and_one_that_was_is_not_said_twice() -> None:
    _, messages = folded([finished("All done.")])
    assert [message["content"] for message in messages] == ["All done."]
    _, messages = folded([Thinking(text=" All done.\n"), finished("All done.")])
    assert [message["content"] for message in messages] == [" All done.\n"]


def test_what_a_consumer_keeps_does_not_grow() -> None:
    messages: list[Chunk] = []
    recorder = Recorder(messages)
    first = list(recorder.add({"role": "assistant", "type": "message", "content": "a"}))
    list(recorder.add({"role": "assistant", "type": "message", "content": "b"}))
    assert first[-1]["content"] == "a"
    assert messages[0]["content"] == "ab"


@pytest.mark.parametrize("size", [1, 7, 100])
def test_only_the_end_of_a_long_output_is_kept_and_all_of_it_is_yielded(size: int) -> None:
    text = "".join(f"line {number}\n" for number in range(50))
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    events: list[Event] = [Deciding(action=CODE, nested=False), *(Printing(text=piece) for piece in pieces)]
    chunks, messages = folded(events, max_output=40)
    assert messages[-1]["content"] == cut_note(40) + text[-40:]
    assert "".join(chunk["content"] for chunk in chunks if chunk.get("format") == "output") == text


parts = st.lists(st.tuples(st.sampled_from(KINDS), st.text(min_size=1, max_size=12)), max_size=12)


def chunks_of(kind: dict[str, Any], text: str, cuts: list[int]) -> list[Chunk]:
    if kind.get("format") == "active_line":
        return [{**kind, "content": len(text)}]
    if kind["type"] == "image":
        return [{**kind, "content": text}]
    places = [0, *sorted({cut % (len(text) + 1) for cut in cuts}), len(text)]
    return [{**kind, "content": text[a:b]} for a, b in pairwise(places)]


@given(parts, st.lists(st.integers(0, 100), max_size=6), st.integers(1, 30))
def test_however_content_is_cut_the_same_messages_are_kept_and_flags_balance(
    content: list[tuple[dict[str, Any], str]], cuts: list[int], most: int
) -> None:
    kept = []
    for places in ([], cuts):
        messages: list[Chunk] = []
        recorder = Recorder(messages, most)
        out = [
            told
            for kind, text in content
            for chunk in chunks_of(kind, text, places)
            for told in recorder.add(chunk)
        ]
        out += recorder.end()
        check_brackets(out)
        kept.append(messages)
    assert kept[0] == kept[1]


def check_brackets(chunks: list[Chunk]) -> None:
    opened: Chunk | None = None
    for chunk in chunks:
        if chunk.get("start"):
            assert opened is None
            opened = {key: value for key, value in chunk.items() if key != "start"}
            assert "content" not in chunk
            assert chunk["type"] != "console" or "format" not in chunk
        elif chunk.get("end"):
            assert {key: value for key, value in chunk.items() if key != "end"} == opened
            opened = None
        else:
            assert opened is not None
            assert (chunk["role"], chunk["type"]) == (opened["role"], opened["type"])
    assert opened is None


@given(st.text(alphabet="\x1b[]()0;31mKAx\x07\\\n", max_size=40), st.lists(st.integers(0, 40), max_size=6))
def test_escape_codes_are_taken_out_however_an_output_is_cut(text: str, cuts: list[int]) -> None:
    whole = WithoutEscapes()
    at_once = whole.add(text) + whole.end()
    places = [0, *sorted({min(cut, len(text)) for cut in cuts}), len(text)]
    piecewise = WithoutEscapes()
    pieces = "".join(piecewise.add(text[a:b]) for a, b in pairwise(places))
    assert pieces + piecewise.end() == at_once


told = st.lists(
    st.tuples(
        st.sampled_from(["think", "run", "answer"]),
        st.text(alphabet="ab\n \x1b[0m", min_size=1, max_size=12),
        st.text(alphabet="xy\n\x1b[1m", max_size=12),
    ),
    max_size=5,
)


def events_of(parts: list[tuple[str, str, str]], cuts: list[int]) -> Iterator[Event]:
    """A turn's events; each text comes in the pieces that the cuts make of it."""

    def pieces(text: str) -> list[str]:
        places = [0, *sorted({cut % (len(text) + 1) for cut in cuts}), len(text)]
        return [text[a:b] for a, b in pairwise(places) if a < b]

    for kind, first, second in parts:
        if kind == "think":
            yield from (Thinking(text=piece) for piece in pieces(first))
        elif kind == "answer":
            yield finished(first)
        else:
            code = RunCode(language="python", code=first)
            yield from (Writing(language="python", text=piece) for piece in pieces(first))
            yield Deciding(action=code, nested=False)
            yield from (Printing(text=piece) for piece in pieces(second))
            receipt = Receipt(effect="unknown", output=plain(second))
            yield Performed(outcome=Done(action=code, receipt=receipt), nested=False)


@given(told, st.lists(st.integers(0, 100), max_size=6))
def test_however_a_turn_is_streamed_the_same_messages_are_kept(
    parts: list[tuple[str, str, str]], cuts: list[int]
) -> None:
    chunks, messages = folded(events_of(parts, cuts), max_output=20)
    check_brackets(chunks)
    _, whole = folded(events_of(parts, []), max_output=20)
    assert messages == whole
