"""Replays on a desktop: facts are waited for, nothing is sent twice, and what went otherwise is said as a value."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from recorded_runs import Runner, form_desktop
from replayed_runs import LateDesktop, replayed

from computer_agent.trace.archive import names, pack
from computer_agent.trace.reader import read
from computer_agent.trace.replay_command import kept
from computer_agent.trace.replay_gate import Replaying
from computer_agent.trace.replay_result import Pictures, ReplayResult, StepResult, read_result
from computer_agent.trace.view.writing import page
from computer_api.actions import Wait
from computer_platform.memory import MemoryDesktop, Screen, form

if TYPE_CHECKING:
    from pathlib import Path

    from computer_agent.trace.reader import Trace
    from computer_platform.desktop import Activity, Button, Window
    from computer_vision.reader import Reader

FILL = 'type "Ada" into "First name"; type "Oslo" into "City"; click "Save"; expect "Saved"'
SOON = Replaying(patience=0.2)


@pytest.fixture(scope="module")
def recorded(reader: Reader, tmp_path_factory: pytest.TempPathFactory) -> Trace:
    """The form filled in and saved."""
    return Runner(reader=reader).run(FILL, tmp_path_factory.mktemp("recorded") / "trace").trace


def dead_form() -> tuple[Screen, Screen]:
    """The form with a Save button that does nothing."""
    first, second = form()
    return replace(first, rules=()), second


def without_save() -> tuple[Screen, Screen]:
    """The form without a Save button."""
    first, second = dead_form()
    return replace(first, widgets=first.widgets[:-1]), second


def moved() -> MemoryDesktop:
    return MemoryDesktop((800, 500), form(origin=(60, 70)))


def waiting(trace: Trace, seconds: float) -> Trace:
    """The trace with a pause of that many seconds before its last action."""
    *before, last, answer = trace.steps
    pause = replace(last.attempts[0], id=99, action=Wait(seconds=seconds))
    return replace(trace, steps=(*before, replace(last, attempts=(pause, *last.attempts)), answer))


def test_a_recorded_form_is_filled_in_where_it_is_now(
    recorded: Trace, reader: Reader, tmp_path: Path
) -> None:
    ran = replayed(recorded, tmp_path / "again", reader, moved())
    assert ran.finished.ending == "done"
    assert ran.desktop.values == {"First name": "Ada", "City": "Oslo"}
    assert ran.result.outcome == "pass"
    assert [step.outcome for step in ran.result.steps] == ["pass"] * 4


class LoadingDesktop(LateDesktop):
    """Shows all at once, is at work for a while after that, and throws away what is clicked meanwhile."""

    left = 10  # times that it is found at work

    def activity(self, window: Window | None) -> Activity:
        self.left -= 1
        return "busy" if self.left >= 0 else "idle"

    def button(self, button: Button, *, down: bool) -> None:
        if self.left < 0:
            super().button(button, down=down)


def test_a_program_that_still_loads_is_let_get_ready_before_the_first_step(
    recorded: Trace, reader: Reader, tmp_path: Path
) -> None:
    desktop = LoadingDesktop((640, 400), form())
    ran = replayed(
        replace(recorded, steps=recorded.steps[2:]),
        tmp_path / "again",
        reader,
        desktop,
        Replaying(patience=1.0),
    )
    assert ran.finished.ending == "done", ran.finished.words
    assert desktop.screen == "saved"


def test_ten_replays_of_one_recording_are_the_same(recorded: Trace, reader: Reader, tmp_path: Path) -> None:
    _same_each_time(10, replace(recorded, steps=recorded.steps[2:]), reader, tmp_path)


@pytest.mark.heavy
def test_two_hundred_replays_are_the_same_and_five_times_as_fast_as_a_model(
    recorded: Trace, reader: Reader, tmp_path: Path
) -> None:
    mean = _same_each_time(200, recorded, reader, tmp_path)
    assert recorded.ending is not None
    assert recorded.ending.spent is not None
    with_model = (
        recorded.ending.spent.seconds + len(recorded.steps) * 1.0
    )  # asked for each action, and for the end
    assert with_model / mean >= 5.0, f"{with_model:.2f} s with a model of 1 s a step, {mean:.2f} s replayed"


def _same_each_time(times: int, recorded: Trace, reader: Reader, folder: Path) -> float:
    """Replay it that often, and say how long one took in the mean, in seconds."""
    seconds, found = 0.0, set()
    for number in range(times):
        ran = replayed(recorded, folder / str(number), reader, form_desktop())
        steps = tuple((step.number, step.outcome, step.notes) for step in ran.result.steps)
        found.add((ran.finished.words, ran.result.outcome, steps, tuple(sorted(ran.desktop.values.items()))))
        seconds += ran.seconds
        shutil.rmtree(ran.folder)
    assert len(found) == 1, found
    assert found.pop()[1] == "pass"
    return seconds / times


def test_an_effect_that_shows_late_is_no_difference(recorded: Trace, reader: Reader, tmp_path: Path) -> None:
    desktop = LateDesktop((640, 400), form())
    desktop.late = 3.2  # after a receipt has given it up
    click = replace(recorded, steps=recorded.steps[2:])
    ran = replayed(click, tmp_path / "again", reader, desktop)
    assert ran.finished.ending == "done", ran.finished.words
    assert ran.result.steps[0].notes == ("the effect showed after 3 s",) or not ran.result.steps[0].notes
    assert ran.clicks == 2, "pressed once and released once"


def test_an_effect_that_does_not_come_ends_it_in_a_bounded_time_and_is_not_tried_again(
    recorded: Trace, reader: Reader, tmp_path: Path
) -> None:
    click = replace(recorded, steps=recorded.steps[2:])
    ran = replayed(click, tmp_path / "again", reader, LateDesktop((640, 400), dead_form()), SOON)
    assert ran.finished.ending == "gave up"
    failed = ran.result.failed
    assert failed is not None
    assert (ran.result.outcome, failed.number, failed.outcome) == ("diverged", 1, "diverged")
    assert failed.expected == "more than the focus to change"
    assert failed.seen == 'focus moved to the push button "Save"'
    assert ran.clicks == 2, "pressed once and released once"
    assert ran.seconds < 30


def test_a_target_that_is_not_there_stops_it_before_anything_is_sent(
    recorded: Trace, reader: Reader, tmp_path: Path
) -> None:
    click = replace(recorded, steps=recorded.steps[2:])
    ran = replayed(click, tmp_path / "again", reader, LateDesktop((640, 400), without_save()), SOON)
    failed = ran.result.failed
    assert failed is not None
    assert (ran.result.outcome, failed.outcome) == ("stopped", "stopped")
    assert ran.finished.words.startswith("The replay stopped before step 1, of which nothing was done: ")
    assert '"Save"' in ran.finished.words
    assert not ran.clicks
    assert ran.seconds < 30


def test_a_field_that_holds_the_value_already_is_said(
    recorded: Trace, reader: Reader, tmp_path: Path
) -> None:
    first, second = form()
    widgets = tuple(
        replace(widget, value="Ada") if widget.name == "First name" else widget for widget in first.widgets
    )
    desktop = MemoryDesktop((640, 400), (replace(first, widgets=widgets), second))
    # the keyboard is there already, too, so that nothing at all changes on the screen
    desktop.move(300, 130)
    desktop.button("left", down=True)
    desktop.button("left", down=False)
    ran = replayed(replace(recorded, steps=recorded.steps[:1]), tmp_path / "again", reader, desktop)
    assert ran.result.steps[0].outcome == "pass"
    assert 'the field held "Ada" already in step 1' in ran.finished.words


def test_a_recorded_pause_is_not_slept_through(recorded: Trace, reader: Reader, tmp_path: Path) -> None:
    ran = replayed(waiting(recorded, 600.0), tmp_path / "again", reader, form_desktop())
    assert ran.finished.ending == "done"
    assert len(ran.result.steps) == 5


def test_the_recorded_pace_is_kept_for_who_watches(recorded: Trace, reader: Reader, tmp_path: Path) -> None:
    first, second = (step.attempts[0] for step in recorded.steps[:2])
    later = replace(second, began=(first.ended or 0.0) + 3.0, ended=(first.ended or 0.0) + 3.1)
    steps = (recorded.steps[0], replace(recorded.steps[1], attempts=(later,)))
    slow = replayed(
        replace(recorded, steps=steps), tmp_path / "slow", reader, form_desktop(), Replaying(speed=2.0)
    )
    assert slow.seconds >= 1.5
    quick = replayed(replace(recorded, steps=steps), tmp_path / "quick", reader, form_desktop())
    assert quick.seconds < slow.seconds


def test_a_person_who_is_asked_before_each_step_may_stop_it(
    recorded: Trace, reader: Reader, tmp_path: Path
) -> None:
    asked: list[str] = []

    def ask(words: str) -> bool:
        asked.append(words)
        return len(asked) < 2

    ran = replayed(recorded, tmp_path / "again", reader, form_desktop(), Replaying(step=ask))
    assert ran.finished.ending == "stopped"
    assert asked == ['1 of 4: TypeText the field "First name"', '2 of 4: TypeText the field "City"']
    assert [step.outcome for step in ran.result.steps] == ["pass"]
    assert ran.result.outcome == "stopped"
    assert ran.desktop.screen == "form"


def test_the_result_is_kept_beside_the_trace_with_the_pictures_of_both_runs(
    recorded: Trace, reader: Reader, tmp_path: Path
) -> None:
    ran = replayed(recorded, tmp_path / "again", reader, MemoryDesktop((640, 400), without_save()))
    said = list(kept(ran.model, recorded, ran.folder))
    assert said[0] == 'stopped before step 3: Click "Save"'
    result = read_result(ran.folder)
    assert result is not None
    assert result.outcome == "stopped"
    assert [step.outcome for step in result.steps] == ["pass", "pass", "stopped"]
    pictures = result.steps[2].pictures
    assert pictures.recorded_before is not None
    assert read(ran.folder).image(pictures.recorded_before) == recorded.image(pictures.recorded_before)
    assert pictures.seen_before is not None
    shown = page(ran.folder)
    assert '"compared":true' in shown
    assert '"status":"diverged"' in shown
    pack(ran.folder, tmp_path / "again.zip")
    assert "replay.json" in names(tmp_path / "again.zip")
    assert read_result(tmp_path / "again.zip") == result


def test_the_outcome_of_a_replay_is_the_worst_of_its_steps() -> None:
    def one(outcome: str) -> StepResult:
        return StepResult(number=1, step=1, attempt=1, action="Click", outcome=outcome, pictures=Pictures())  # type: ignore[arg-type]  # one of the words

    steps = {word: one(word) for word in ("pass", "healed", "diverged", "stopped")}
    finished = {
        words: ReplayResult(of=2, steps=tuple(steps[word] for word in words.split()), finished=True)
        for words in ("pass pass", "pass healed", "healed diverged", "pass stopped")
    }
    assert [result.outcome for result in finished.values()] == ["pass", "healed", "diverged", "stopped"]
    assert ReplayResult(of=2, steps=(steps["pass"],)).outcome == "stopped", "it did not come to its end"


def test_what_is_no_result_of_a_replay_is_none(tmp_path: Path) -> None:
    (tmp_path / "replay.json").write_text('{"steps": [{}]}')
    assert read_result(tmp_path) is None
    assert read_result(tmp_path / "nothing") is None
