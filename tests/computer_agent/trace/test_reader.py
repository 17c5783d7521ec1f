"""The reader: a torn tail is left out, anything else that is wrong is named by its line."""

from __future__ import annotations

import json
import zlib
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from computer_agent.step import Act, Done, Spent
from computer_agent.trace.errors import TraceError
from computer_agent.trace.reader import read
from computer_agent.trace.record import FILE, IMAGES, ImageName, from_line, to_line
from computer_agent.trace.writer import TraceWriter
from computer_api.actions import Click
from computer_api.receipt import Receipt
from computer_api.targets import TextTarget

FIXTURE = Path(__file__).parents[3] / "fixtures" / "traces" / "contact_form"
CLICK = Click(target=TextTarget("Save"))


@cache
def recorded() -> bytes:
    """Six lines: start, decision, intent, result, intent without a result, end."""
    with TemporaryDirectory() as folder:
        writer = TraceWriter(Path(folder))
        writer.start(task="save it", model="script", desktop="memory", screen=None)
        writer.decision(1, Act(thought="I save", actions=(CLICK, CLICK)))
        intent = writer.intent(1, CLICK, approval="asked: yes")
        writer.result(intent, Done(action=CLICK, receipt=Receipt(effect="here")))
        writer.intent(1, CLICK, approval="asked: yes")
        writer.end("stopped", "stopped by hand", Spent(steps=1, seconds=1.0, dollars=0.0, tokens=0))
        writer.close()
        return (Path(folder) / FILE).read_bytes()


def lines() -> list[bytes]:
    return recorded().splitlines(keepends=True)


def read_bytes(data: bytes) -> object:
    with TemporaryDirectory() as folder:
        path = Path(folder) / FILE
        path.write_bytes(data)
        return read(path)


def line(**fields: object) -> bytes:
    covered = json.dumps(fields, separators=(",", ":"))[:-1].encode()
    return covered + b',"crc32":%d}\n' % zlib.crc32(covered)


def written(folder: Path, data: bytes) -> Path:
    (folder / FILE).write_bytes(data)
    return folder


@given(st.data())
def test_cut_off_anywhere_the_trace_is_read_up_to_its_last_whole_line(data: st.DataObject) -> None:
    size = data.draw(st.integers(len(lines()[0]), len(recorded()) - 1))
    with TemporaryDirectory() as folder:
        trace = read(written(Path(folder), recorded()[:size]))
    torn = recorded()[:size].rpartition(b"\n")[2]
    assert any("torn" in note and str(len(torn)) in note for note in trace.notes) == bool(torn)
    assert trace.ending is None


@given(st.data())
def test_a_byte_changed_before_the_last_line_is_an_error_that_names_the_line(data: st.DataObject) -> None:
    number = data.draw(st.integers(1, len(lines()) - 1))
    start = sum(map(len, lines()[: number - 1]))
    place = data.draw(st.integers(start, start + len(lines()[number - 1]) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda byte: byte != recorded()[place]))
    damaged = recorded()[:place] + bytes([byte]) + recorded()[place + 1 :]
    with pytest.raises(TraceError, match=f"Line {number} of"):
        read_bytes(damaged)


@pytest.mark.parametrize("taken", range(1, 5))
def test_a_line_taken_out_is_noticed(taken: int) -> None:
    kept = [line for number, line in enumerate(lines()) if number != taken]
    with pytest.raises(TraceError, match=rf"Line {taken + 1} of .* taken out or put in"):
        read_bytes(b"".join(kept))


def test_a_line_put_in_twice_is_noticed() -> None:
    with pytest.raises(TraceError, match=r"Line 3 of .* put in"):
        read_bytes(b"".join([*lines()[:2], *lines()[1:]]))


def test_an_intent_without_a_result_is_unknown_and_noted(tmp_path: Path) -> None:
    trace = read(written(tmp_path, recorded()))
    assert [attempt.outcome for attempt in trace.steps[0].attempts] == ["done", "unknown"]
    assert trace.notes == ("Click in step 1 has no result: whether it was done is unknown.",)


def test_a_missing_or_damaged_picture_is_tolerated(tmp_path: Path, png: bytes) -> None:
    writer = TraceWriter(tmp_path)
    writer.start(task="t", model="m", desktop="d", screen=None)
    name = writer.image(png)
    writer.close()
    trace = read(tmp_path)
    assert trace.image(name) == png
    (tmp_path / IMAGES / name).write_bytes(png[:-1])
    assert trace.image(name) is None
    (tmp_path / IMAGES / name).unlink()
    assert trace.image(name) is None
    assert trace.image(ImageName("../trace.jsonl")) is None


@pytest.mark.parametrize("crc", ["right", "of another kind"])
def test_a_newer_format_is_refused_with_a_sentence(crc: str) -> None:
    newer = line(version=4, sequence=0) if crc == "right" else b'{"version":4,"sha":"00"}\n'
    with pytest.raises(
        TraceError, match=r"format version 4, newer than the 3 .* newer version of the program"
    ):
        read_bytes(newer)


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"version": 1, "sequence": 0, "time": 1.0, "kind": "dream"}, '"dream"'),
        ({"sequence": 0, "time": 1.0, "kind": "start"}, "version"),
        ({"version": 1, "time": 1.0, "kind": "start"}, "sequence"),
        ({"version": 1, "sequence": 0, "time": 1.0, "kind": "start", "task": "x"}, '"desktop"'),
        (
            {"version": 1, "sequence": 0, "time": 1.0, "kind": "end", "ending": "bored", "words": ""},
            '"bored"',
        ),
        (
            {"version": 1, "sequence": 0, "time": 1.0, "kind": "end", "ending": "done", "words": ""},
            "not the start",
        ),
    ],
)
def test_a_whole_line_that_is_not_of_the_format_is_named(fields: dict[str, object], named: str) -> None:
    with pytest.raises(TraceError) as caught:
        read_bytes(line(**fields))
    assert named in str(caught.value)


def test_a_result_that_no_intent_waits_for_is_an_error() -> None:
    again = line(version=1, sequence=4, time=1.0, kind="result", id=1, outcome="done")
    with pytest.raises(TraceError, match=r"Line 5 of .* which no open intent has"):
        read_bytes(b"".join([*lines()[:4], again]))


@pytest.mark.parametrize("data", [b"", b"{", b"hello\n"])
def test_what_is_no_trace_is_said_to_be_none(data: bytes) -> None:
    with pytest.raises(TraceError, match=r"not a trace|cannot be read"):
        read_bytes(data)


def test_a_missing_trace_is_named(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="There is no trace to read at"):
        read(tmp_path / "nowhere")


def test_a_trace_is_read_by_its_folder_or_its_file() -> None:
    assert read(FIXTURE) == read(FIXTURE / FILE)


def test_the_example_reads_as_the_form_that_it_filled() -> None:
    trace = read(FIXTURE)
    assert trace.header.task == "Enter Ada Lovelace in the contact form and save it"
    assert [len(step.attempts) for step in trace.steps] == [2, 1, 0]
    assert trace.ending is not None
    assert trace.ending.ending == "done"
    observation = trace.steps[0].observation
    assert observation is not None
    assert observation.image is not None
    assert trace.image(observation.image) is not None
    assert trace.notes == ()


def test_version_one_is_still_read_and_means_the_same_when_it_is_written_again() -> None:
    for written_once in (FIXTURE / FILE).read_bytes().splitlines(keepends=True):
        assert written_once.startswith(b'{"version":1,')
        assert from_line(to_line(from_line(written_once))) == from_line(written_once)
