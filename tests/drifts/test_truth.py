"""How a replay is judged by what the program says."""

from __future__ import annotations

import pytest
from drifts.truth import Verdict, of_journal, verdict

TYPED = [["touch", "name"], ["value", "name", "Ada"], ["touch", "city"], ["value", "city", "London"]]
SAVED = [*TYPED, ["press", "save", {"name": "Ada", "city": "London"}]]
SWAPPED = [["touch", "name"], ["value", "name", "London"], ["touch", "city"], ["value", "city", "Ada"]]


@pytest.mark.parametrize(
    ("events", "ended", "expected"),
    [
        (SAVED, "done", "P"),
        (SAVED, "halted after", "PH"),
        (TYPED, "halted before", "H"),
        ([], "halted before", "H"),
        (TYPED, "done", "M"),
        ([*TYPED, ["press", "delete", {}]], "halted after", "W"),
        ([["touch", "mail"]], "halted before", "W"),
        (SWAPPED, "halted before", "W"),
        ([*SWAPPED, ["press", "save", {"name": "London", "city": "Ada"}]], "done", "S"),
        ([["press", "save", {"name": "", "city": ""}]], "done", "S"),
    ],
)
def test_what_was_done_makes_the_verdict(events: list[list[object]], ended: str, expected: Verdict) -> None:
    seen = verdict(
        of_journal(SAVED),
        of_journal(events),
        said_done=ended == "done",
        last_was_done=ended != "halted before",
    )
    assert seen == expected


def test_a_task_without_an_effect_proves_nothing() -> None:
    with pytest.raises(ValueError, match="proves nothing"):
        verdict(of_journal(TYPED), of_journal(TYPED), said_done=True, last_was_done=True)
