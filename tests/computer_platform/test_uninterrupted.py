"""A talk with the X server is not interrupted by a signal's handler, unless somebody insists."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING

import pytest

from computer_platform.x11.uninterrupted import Uninterrupted

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(
    not hasattr(signal, "SIGUSR1"), reason="elsewhere a signal sent to oneself ends the process"
)
BOTH = (signal.SIGINT, signal.SIGTERM)


class Stopped(Exception):
    """A handler's own exception."""


@pytest.fixture
def heard() -> Iterator[list[int]]:
    """The signals that our handlers have been called with; theirs are back afterwards."""
    got: list[int] = []
    before = [signal.signal(number, lambda number, _: got.append(number)) for number in BOTH]
    yield got
    for number, handler in zip(BOTH, before, strict=True):
        signal.signal(number, handler)


@pytest.mark.parametrize("number", BOTH)
def test_a_signal_during_a_talk_is_handled_right_after_it(heard: list[int], number: int) -> None:
    with Uninterrupted()():
        signal.raise_signal(number)
        assert heard == []
    assert heard == [number]


def test_ctrl_c_raises_after_the_talk_and_what_was_said_is_complete() -> None:
    said = []

    def talk() -> None:
        with Uninterrupted()():
            said.append("first half")
            signal.raise_signal(signal.SIGINT)
            said.append("second half")

    with pytest.raises(KeyboardInterrupt):
        talk()
    assert said == ["first half", "second half"]


def test_a_talk_inside_a_talk_ends_with_the_outer_one(heard: list[int]) -> None:
    talking = Uninterrupted()
    with talking():
        with talking():
            signal.raise_signal(signal.SIGINT)
        assert heard == []
    assert heard == [signal.SIGINT]


@pytest.mark.parametrize("first", BOTH)
@pytest.mark.parametrize("second", BOTH)
def test_a_second_signal_insists_and_does_not_wait(heard: list[int], first: int, second: int) -> None:
    with Uninterrupted(patience=0.0)():
        signal.raise_signal(first)
        signal.raise_signal(second)
        assert heard == [second]
    assert heard == [second, first]


@pytest.mark.parametrize("first", BOTH)
@pytest.mark.parametrize("second", BOTH)
def test_a_second_signal_at_once_is_the_same_wish_and_waits_too(
    heard: list[int], first: int, second: int
) -> None:
    talking = Uninterrupted(patience=60.0)
    with talking():
        signal.raise_signal(first)
        signal.raise_signal(second)
        assert heard == []
    assert heard == [first]
    assert not talking.torn


def test_after_an_interrupted_talk_the_next_one_holds_signals_back_again(heard: list[int]) -> None:
    def stop(number: int, _: object) -> None:
        heard.append(number)
        raise Stopped

    signal.signal(signal.SIGTERM, stop)
    talking = Uninterrupted(patience=0.0)
    came: list[int] = []

    def talk(times: int) -> None:
        with talking():
            for count in range(times):
                came.append(count)
                signal.raise_signal(signal.SIGTERM)
            came.append(times)

    with pytest.raises(Stopped):
        talk(3)
    assert came == [0, 1], "the second one waited"
    came.clear()
    with pytest.raises(Stopped):
        talk(1)
    assert came == [0, 1]


@pytest.mark.parametrize("failing", [False, True])
def test_the_handlers_are_restored(heard: list[int], *, failing: bool) -> None:
    before = [signal.getsignal(number) for number in BOTH]

    def talk() -> None:
        with Uninterrupted()():
            assert [signal.getsignal(number) for number in BOTH] != before
            if failing:
                raise Stopped

    if failing:
        with pytest.raises(Stopped):
            talk()
    else:
        talk()
    assert [signal.getsignal(number) for number in BOTH] == before
    signal.raise_signal(signal.SIGINT)
    assert heard == [signal.SIGINT]


def test_an_error_in_the_talk_does_not_lose_the_signal(heard: list[int]) -> None:
    def talk() -> None:
        with Uninterrupted()():
            signal.raise_signal(signal.SIGINT)
            raise Stopped

    with pytest.raises(Stopped):
        talk()
    assert heard == [signal.SIGINT]


@pytest.mark.parametrize("handler", [signal.SIG_DFL, signal.SIG_IGN])
def test_a_signal_that_has_no_handler_keeps_doing_what_it_did(
    heard: list[int], handler: signal.Handlers
) -> None:
    signal.signal(signal.SIGTERM, handler)
    with Uninterrupted()():
        assert signal.getsignal(signal.SIGTERM) is handler
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGTERM) is handler
    assert heard == [signal.SIGINT]


def test_a_talk_off_the_main_thread_touches_no_handler(heard: list[int]) -> None:
    before = [signal.getsignal(number) for number in BOTH]
    talking, ended = threading.Event(), threading.Event()

    def talk() -> None:
        with Uninterrupted()():
            talking.set()
            ended.wait(20)

    thread = threading.Thread(target=talk)
    thread.start()
    try:
        assert talking.wait(20)
        assert [signal.getsignal(number) for number in BOTH] == before
        signal.raise_signal(signal.SIGINT)
        assert heard == [signal.SIGINT]
    finally:
        ended.set()
        thread.join()
