from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from computer_agent.limits import Limits, all_steps_taken, idle, nudge, reached, repeated
from computer_agent.step import Act, Done, NotDone, Observation, Outcome, Spent, Step
from computer_api.actions import Action, Click, ExpectFile, Look, PressKeys, RunCode, Scroll, Wait, Zoom
from computer_api.geometry import Pixel
from computer_api.receipt import Effect, Receipt
from computer_api.targets import TextTarget

SAVE, OPEN = Click(target=TextTarget("Save")), Click(target=TextTarget("Open"))


def spent(*, steps: int = 0, seconds: float = 0.0, dollars: float | None = 0.0) -> Spent:
    return Spent(steps=steps, seconds=seconds, dollars=dollars, tokens=0)


def done(action: Action, effect: Effect = "nothing") -> Outcome:
    return Done(action=action, receipt=Receipt(effect=effect))


def failed(action: Action) -> Outcome:
    return NotDone(action=action, why="not there", kind="error")


def step(*outcomes: Outcome) -> Step:
    act = Act(thought="", actions=tuple(outcome.action for outcome in outcomes))
    return Step(number=1, seen=Observation(screenshot=None), act=act, outcomes=outcomes, seconds=0.0)


def unchanged(one: Step) -> Step:
    return replace(one, seen=Observation(screenshot=None, unchanged_since=1))


AMOUNTS = st.floats(0, 1e6)


@given(st.integers(1, 1000), st.integers(0, 2000), AMOUNTS, AMOUNTS, AMOUNTS, AMOUNTS)
def test_a_run_ends_exactly_when_one_of_its_limits_is_reached(
    limit: int, steps: int, most_seconds: float, seconds: float, most_dollars: float, dollars: float
) -> None:
    limits = Limits(steps=limit, seconds=most_seconds, dollars=most_dollars)
    used = spent(steps=steps, seconds=seconds, dollars=dollars)
    reason = reached(limits, used, ())
    assert (reason is not None) == (seconds >= most_seconds or dollars >= most_dollars)
    assert (all_steps_taken(limits, used) is not None) == (steps >= limit)
    for said in (reason, all_steps_taken(limits, used)):
        assert said is None or said.endswith(".")


@pytest.mark.parametrize(
    ("used", "said"),
    [
        (spent(seconds=60.5), "The limit of 60 seconds is reached. Allow more with --max-seconds."),
        (spent(dollars=2.0), "The budget of $1.5 is spent. Allow more with --max-budget."),
        (
            spent(dollars=None),
            "A budget was set, but the price of this model is not known, so it cannot be kept.",
        ),
    ],
)
def test_the_reason_names_the_limit_and_the_flag(used: Spent, said: str) -> None:
    assert reached(Limits(steps=7, seconds=60.0, dollars=1.5), used, ()) == said


def test_the_reason_names_how_many_steps_there_were() -> None:
    said = "The limit of 7 steps is reached. Allow more with --max-steps."
    assert all_steps_taken(Limits(steps=7), spent(steps=7)) == said


def test_without_a_budget_an_unknown_price_is_no_reason_to_stop() -> None:
    assert reached(Limits(), spent(dollars=None), ()) is None


@given(st.integers(0, 9))
def test_equal_steps_in_vain_are_warned_of_from_three_and_end_the_run_at_five(times: int) -> None:
    past = [step(done(OPEN, "here")), *[step(done(SAVE))] * times]
    assert repeated(past) == times
    assert (nudge(past) is not None) == (times >= 3)
    reason = reached(Limits(), spent(), past)
    assert reason == (f"The same step was tried {times} times without any effect." if times >= 5 else None)


@pytest.mark.parametrize("outcome", [done(SAVE), failed(SAVE)])
def test_failing_and_changing_nothing_are_both_in_vain(outcome: Outcome) -> None:
    assert repeated([step(outcome)] * 4) == 4


@pytest.mark.parametrize("effect", ["here", "elsewhere", "unknown"])
def test_what_had_an_effect_or_may_have_had_one_is_not_in_vain(effect: Effect) -> None:
    assert repeated([step(done(SAVE, effect))] * 9) == 0


def test_only_the_end_of_the_history_counts_and_another_step_breaks_the_row() -> None:
    assert repeated([step(done(SAVE))] * 4 + [step(done(OPEN))]) == 1
    assert repeated([step(done(SAVE))] * 4 + [step(done(SAVE, "here"))]) == 0
    assert repeated([step(done(SAVE))] * 2 + [step(done(SAVE, "here"))] + [step(done(SAVE))]) == 1


def at(x: int, y: int) -> Outcome:
    return done(Click(target=Pixel(x, y)))


@given(st.integers(0, 14), st.sampled_from([Look(), Wait(seconds=1), Zoom(left=0, top=0, right=9, bottom=9)]))
def test_who_only_looks_and_waits_is_warned_from_five_steps_on_and_stopped_at_twelve(
    times: int, action: Action
) -> None:
    past = [step(done(OPEN, "here")), *[unchanged(step(done(action, "unknown")))] * times]
    assert idle(past) == times
    assert (nudge(past) is not None) == (times >= 5)
    reason = reached(Limits(), spent(), past)
    assert (reason is not None) == (times >= 12)
    assert reason is None or "only looked or waited" in reason


def test_a_screen_that_changes_while_it_is_waited_for_is_no_idleness() -> None:
    changed = step(done(Wait(seconds=1), "unknown"))
    waits = unchanged(changed)
    assert idle([*[waits] * 20, changed]) == 0
    assert idle([*[waits] * 20, changed, waits, waits]) == 2


def test_two_dead_steps_in_turn_are_each_counted() -> None:
    past = [step(done(SAVE)), step(done(OPEN))] * 3
    assert repeated(past) == 3
    assert nudge(past) is not None
    assert reached(Limits(), spent(), [*past, *past[:4]]) is not None


@pytest.mark.parametrize("between", [done(Wait(seconds=1)), done(Look(), "unknown"), done(Scroll(down=1))])
def test_looking_and_waiting_in_between_break_no_row(between: Outcome) -> None:
    assert repeated([step(done(SAVE)), step(between)] * 3) == 3


EXPECTED = ExpectFile(path="out.csv")


def test_what_was_expected_and_was_so_breaks_no_row_and_may_be_repeated() -> None:
    click, was_so = step(at(1, 2)), step(done(EXPECTED, "unknown"))
    assert repeated([click, was_so, click, was_so, click]) == 3
    assert repeated([step(at(1, 2), done(EXPECTED, "unknown"))] * 3) == 3
    assert repeated([was_so] * 5) == 0


def test_what_is_expected_in_vain_is_counted() -> None:
    assert repeated([step(failed(EXPECTED))] * 4) == 4


def test_a_scroll_that_showed_something_breaks_the_row() -> None:
    assert repeated([step(done(SAVE))] * 2 + [step(done(Scroll(down=1), "here")), step(done(SAVE))]) == 1


def test_clicks_a_few_pixels_apart_are_the_same() -> None:
    assert repeated([step(at(100 + shift, 200 - shift)) for shift in (0, 3, 5, 2, 4)]) == 3 + 2
    assert repeated([step(at(100, 200)), step(at(100, 206))]) == 1


def test_a_step_of_several_actions_is_in_vain_when_all_of_them_are() -> None:
    keys = PressKeys(keys=("a",))
    assert repeated([step(done(SAVE), done(keys))] * 3) == 3
    assert repeated([step(done(SAVE), done(keys, "here"))] * 3) == 0


@pytest.mark.parametrize(
    "action",
    [Look(), Wait(seconds=1), Scroll(down=1), Zoom(left=0, top=0, right=1, bottom=1)],
)
def test_looking_waiting_and_scrolling_may_be_repeated(action: Action) -> None:
    assert repeated([step(done(action))] * 9) == 0


def test_code_says_nothing_about_its_effect_and_may_be_repeated() -> None:
    assert repeated([step(done(RunCode(language="shell", code="make"), "unknown"))] * 9) == 0


def test_a_run_that_has_done_nothing_has_repeated_nothing() -> None:
    assert repeated(()) == 0
    assert nudge(()) is None
