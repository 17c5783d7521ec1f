"""What lies between dialect and transport: money, and a window that is full. Over a real socket."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import pytest
from model_server import Call, ModelServer, Reply, Scripted, Status
from vendor_runs import screenshot

from computer_agent.context.budget import Budget
from computer_agent.context.summary import FEWEST_STEPS, GAIN, KEPT_STEPS
from computer_agent.context.tokens import tokens_of
from computer_agent.models.dialects.function_calling import FunctionCalling
from computer_agent.models.language_model import LanguageModel
from computer_agent.models.model import BadReply, ContextFull, OverBudget
from computer_agent.models.transports.http import Http
from computer_agent.models.wires.chat import ChatWire
from computer_agent.models.wires.wire import Asking
from computer_agent.step import Act, Done, Observation, Step
from computer_api.actions import Click
from computer_api.elements import ScreenElements
from computer_api.geometry import Pixel
from computer_api.receipt import Receipt

if TYPE_CHECKING:
    from model_server import Turn

    from computer_agent.context.history import Observe

BLANK = Observation(screenshot=None)
CLICK = Reply(calls=(Call("computer", {"action": "click", "x": 1, "y": 2}),), tokens=(900, 40, 0))
SUMMARY = Reply(text="Goal: save it.\nDone: clicked 1,2 many times.", tokens=(500, 60, 0))
PRICES = {"input_cost_per_token": 1e-5, "output_cost_per_token": 1e-4}
FULL = Status(status=400, message="maximum context length is 8192 tokens")


@dataclass
class Played:
    """A model at a server that says these turns, and what was noticed."""

    server: ModelServer
    noticed: list[str] = field(default_factory=list)

    def model(self, *, window: int | None = None, budget: Budget | None = None) -> LanguageModel:
        transport = Http(
            "openai/scripted",
            wire=ChatWire(),
            asking=Asking(model="scripted"),
            api_base=self.server.api_base,
            prices=PRICES,
        )
        return LanguageModel(
            "openai/scripted",
            dialect=FunctionCalling(system="Work."),
            transport=transport,
            window=window,
            budget=budget or Budget(None, PRICES),
            on_notice=self.noticed.append,
        )


def steps(count: int, thought: str = "I click, since it is not saved yet.") -> list[Step]:
    action = Click(target=Pixel(1, 2))
    outcome = Done(action=action, receipt=Receipt(effect="here"))
    act = Act(thought=thought, actions=(action,))
    return [
        Step(number=number, seen=BLANK, act=act, outcomes=(outcome,), seconds=0.1)
        for number in range(1, count + 1)
    ]


def serving(*turns: Turn) -> ModelServer:
    return ModelServer(Scripted(turns))


def test_before_the_history_fills_the_window_its_older_steps_become_a_summary_that_stays() -> None:
    with serving(SUMMARY, CLICK, CLICK) as server:
        played = Played(server)
        model = played.model(window=4000)
        past = steps(40)
        act = model.decide("Save it", past, BLANK, lambda _: None)
        model.decide("Save it", [*past, *steps(1)], BLANK, lambda _: None)
        server.assert_clean()
    asked, first, second = server.requests
    assert "Step 33" in asked.texts("user")[0]
    assert "tools" not in asked.body
    assert len([m for m in first.messages if m["role"] == "assistant"]) == KEPT_STEPS
    assert "Done so far (steps 1 to 33" in first.texts("user")[0]
    assert second.messages[: len(first.messages)] == first.messages  # the prefix is the same
    assert played.noticed == ["The history grows long: the model puts steps 1 to 33 into a few words."]
    assert act.usage.tokens_in == 1400  # what the summary cost is no secret
    assert act.usage.dollars == pytest.approx(1400e-5 + 100e-4)


def test_when_the_provider_says_that_it_does_not_fit_it_is_summarised_once_and_asked_again() -> None:
    with serving(FULL, SUMMARY, CLICK) as server:
        act = Played(server).model().decide("Save it", steps(20), BLANK, lambda _: None)
        server.assert_clean()
    assert isinstance(act, Act)


def test_what_does_not_fit_even_so_is_told() -> None:
    with (
        serving(FULL, SUMMARY, FULL, SUMMARY, FULL) as server,
        pytest.raises(ContextFull, match="no longer fits"),
    ):
        Played(server).model().decide("Save it", steps(20), BLANK, lambda _: None)
    with serving(FULL) as server, pytest.raises(ContextFull, match="no longer fits"):
        Played(server).model().decide("Save it", steps(2), BLANK, lambda _: None)


def test_few_steps_that_do_not_fit_leave_the_newest_two() -> None:
    with serving(FULL, SUMMARY, CLICK) as server:
        Played(server).model().decide("Save it", steps(5), BLANK, lambda _: None)
        server.assert_clean()
    assert "Done so far (steps 1 to 3" in server.requests[-1].texts("user")[0]
    assert len([m for m in server.requests[-1].messages if m["role"] == "assistant"]) == FEWEST_STEPS


def test_a_window_that_is_full_without_any_steps_is_not_summarised_at_each_of_them() -> None:
    with serving(SUMMARY, *[CLICK] * GAIN, SUMMARY, CLICK) as server:
        played = Played(server)
        model, past = played.model(window=1200), steps(KEPT_STEPS + 2 * GAIN)
        estimate = tokens_of(model.dialect.prompt("Save it", past, BLANK), model.dialect.history.provider)
        model.budget.forecast.counted(estimate, 900, 40)  # three quarters of it, as the server counts
        for count in range(KEPT_STEPS + GAIN, KEPT_STEPS + 2 * GAIN + 1):
            model.decide("Save it", past[:count], BLANK, lambda _: None)
        server.assert_clean()
    assert len(played.noticed) == 2


@pytest.mark.parametrize("observe", ["picture", "text"])
def test_a_screen_that_has_not_changed_since_a_summarised_step_is_shown_again(observe: Observe) -> None:
    listed = ScreenElements()
    look = Observation(screenshot=screenshot(9), elements=listed)
    same = Observation(screenshot=None, unchanged_since=1, elements=listed)
    past = [replace(step, seen=same) for step in steps(40)]
    past[0] = replace(past[0], seen=look)
    with serving(SUMMARY, CLICK, CLICK) as server:
        model = Played(server).model(window=4000)
        model.dialect.history.observe = observe
        model.decide("Save it", past, same, lambda _: None)
        model.decide("Save it", [*past, replace(past[-1], number=41)], same, lambda _: None)
        server.assert_clean()
    for request in server.requests[1:]:
        told = "\n".join(request.texts("user"))
        assert ("The screen at step 34" if observe == "text" else "Screenshot of step 34") in told
        assert "has not changed since step 34" in told
        assert "since step 1." not in told
        assert len(request.pictures()) == (observe == "picture")


def test_another_history_is_not_told_the_summary_of_this_one() -> None:
    with serving(SUMMARY, CLICK, CLICK) as server:
        model = Played(server).model(window=4000)
        model.decide("Save it", steps(40), BLANK, lambda _: None)
        model.decide("Close it", steps(2), BLANK, lambda _: None)
        server.assert_clean()
    assert "Done so far" not in server.requests[-1].texts("user")[0]


def test_a_budget_stops_before_the_request_that_it_does_not_cover() -> None:
    with serving(CLICK) as server:
        model = Played(server).model(budget=Budget(0.1, PRICES))
        act = model.decide("Save it", [], BLANK, lambda _: None)
        assert isinstance(act, Act)
        step = Step(number=1, seen=BLANK, act=act, outcomes=steps(1)[0].outcomes, seconds=0.1)
        dear = [step] * 7
        with pytest.raises(OverBudget, match="Allow more with --max-budget"):
            model.decide("Save it", dear, BLANK, lambda _: None)
    assert len(server.requests) == 1  # nothing was asked that could not be paid


def test_what_was_paid_for_replies_that_came_to_nothing_is_said() -> None:
    wrong = Reply(calls=(Call("computer", {"action": "fly"}),), tokens=(900, 40, 0))
    with serving(wrong, wrong, wrong) as server, pytest.raises(BadReply) as failed:
        Played(server).model().decide("Save it", [], BLANK, lambda _: None)
    assert failed.value.usage is not None
    assert failed.value.usage.tokens_in == 2700
    assert failed.value.usage.dollars == pytest.approx(2700e-5 + 120e-4)
