"""The events of a stream, wherever the network cuts it."""

import json
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from computer_agent.models.transports.events import events
from computer_agent.models.wires.wire import Framing, ProviderError

OBJECTS = [
    {"text": "Ада\u2028é\x0b\x85 ✓"},
    {"text": 'a "quoted"\nline', "n": 1},
    {"nested": {"list": [1, 2, {"x": None}]}},
]


def sse(*, ends: str, comment: bool = True) -> bytes:
    head = f": a comment{ends}event: ping{ends}{ends}" if comment else ""
    lines = [f"event: x{ends}data: {json.dumps(each, ensure_ascii=False)}{ends}{ends}" for each in OBJECTS]
    return (head + "".join(lines) + f"data: [DONE]{ends}{ends}data: {{}}{ends}{ends}").encode()


def ndjson() -> bytes:
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in OBJECTS).encode()


STREAMS: dict[str, tuple[bytes, Framing]] = {
    "lf": (sse(ends="\n"), "sse"),
    "cr lf": (sse(ends="\r\n"), "sse"),
    "no last line": (sse(ends="\n").rstrip(b"\n"), "sse"),
    "a line each": (ndjson(), "ndjson"),
    "a last line without end": (ndjson().rstrip(b"\n"), "ndjson"),
}


def pieces(data: bytes, places: list[int]) -> Iterator[bytes]:
    cuts = sorted({0, len(data), *(place % len(data) for place in places)})
    return (data[start:end] for start, end in pairwise(cuts))


@pytest.mark.parametrize(("data", "framing"), STREAMS.values(), ids=STREAMS)
@given(places=st.lists(st.integers(0, 10_000), max_size=30))
def test_the_events_are_the_same_however_the_stream_is_cut(
    data: bytes, framing: Framing, places: list[int]
) -> None:
    assert list(events(pieces(data, places), framing)) == OBJECTS


@pytest.mark.parametrize(("data", "framing"), STREAMS.values(), ids=STREAMS)
def test_a_stream_byte_by_byte_has_the_same_events(data: bytes, framing: Framing) -> None:
    assert list(events((bytes([byte]) for byte in data), framing)) == OBJECTS


def test_the_data_lines_of_one_event_are_one_text() -> None:
    assert list(events([b'data: {"a":\ndata: 1}\n\n'], "sse")) == [{"a": 1}]


@pytest.mark.parametrize("data", [b"data: {not json\n\n", b"data: [1]\n\n", b"data: \xff\xfe\n\n"])
def test_what_is_no_object_is_named(data: bytes) -> None:
    with pytest.raises(ProviderError, match="where an event should be"):
        list(events([data], "sse"))
