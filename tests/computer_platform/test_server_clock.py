"""The clock of an X server on ours: whatever the delays, what happened keeps its order and its distances."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from computer_platform.x11.server_clock import ServerClock

_WRAP = 1 << 32


@given(
    start=st.floats(0, 1e6),
    happened=st.lists(st.integers(0, 5000), min_size=2, max_size=20),
    late=st.lists(st.floats(0, 2), min_size=20, max_size=20),
)
def test_events_keep_their_distances_however_late_they_are_heard(
    start: float, happened: list[int], late: list[float]
) -> None:
    clock = ServerClock()
    clock.heard(1000, start + 1)  # one that was under way for no time at all
    told = []
    for milliseconds, delay in zip(sorted(happened), late, strict=False):
        clock.heard(1000 + milliseconds, start + 1 + milliseconds / 1000 + delay)
        told.append(clock.seconds(1000 + milliseconds))
    for (earlier, later), (first, then) in zip(pairwise(sorted(happened)), pairwise(told), strict=True):
        assert abs((then - first) - (later - earlier) / 1000) < 1e-6


def test_a_clock_of_32_bits_that_begins_anew_goes_on() -> None:
    clock = ServerClock()
    clock.heard(_WRAP - 10, 500.0)
    before = clock.seconds(_WRAP - 10)
    clock.heard(15, 500.025)
    assert (before, clock.seconds(15)) == (500.0, 500.025)


def test_an_event_from_before_the_clock_began_anew_that_is_asked_for_after_it_is_not_weeks_ahead() -> None:
    clock = ServerClock()
    clock.heard(_WRAP - 20, 500.0)
    clock.heard(15, 500.035)  # the last of several that came at once
    assert clock.seconds(_WRAP - 10) == 500.035
    clock.heard(1015, 501.035)
    assert clock.seconds(1015) == 501.035
