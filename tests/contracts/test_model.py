"""What every model keeps to. A new implementation adds itself to ``MODELS``."""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import get_args

import pytest
from language_models import litellm_model
from model_server import Call, ModelServer, Reply, Request

from computer_agent.context.history import Observe
from computer_agent.models.model import Model
from computer_agent.models.script import ScriptModel
from computer_agent.models.steps import StepsModel
from computer_agent.models.transports import litellm_library
from computer_agent.step import Act, Answer, Done, NotDone, Observation, Step
from computer_api.actions import Look, PressKeys
from computer_api.receipt import Receipt


@dataclass(frozen=True)
class Case:
    """A model that does ``TASK``: looks, then presses enter, then says it is done."""

    name: str
    make: Callable[[], Model]


TASK = "look; press enter"
BLANK = Observation(screenshot=None)


def script() -> Model:
    return ScriptModel(
        [
            Act(thought="I look first.", actions=(Look(),)),
            Act(thought="Now enter.", actions=(PressKeys(keys=("Return",)),)),
            Answer(text="Both are done."),
        ]
    )


@dataclass(frozen=True)
class Counting:
    """A brain that knows from the history alone how far it is."""

    def answer(self, request: Request) -> Reply:
        replies = (
            Reply(text="I look first.", calls=(Call("computer", {"action": "look"}),)),
            Reply(text="Now enter.", calls=(Call("computer", {"action": "press_keys", "keys": "enter"}),)),
            Reply(calls=(Call("finish", {"done": True, "text": "Both are done."}),)),
        )
        return replies[len(request.calls())]

    def unread(self) -> int:
        return 0


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what litellm's packages deprecate is not our business
        litellm_library.library()
    with ModelServer(Counting()) as server:
        yield server
        server.assert_clean()


MODELS = [Case("steps", StepsModel), Case("script", script)]


@pytest.fixture(params=[*MODELS, "litellm"], ids=lambda case: case if isinstance(case, str) else case.name)
def make(request: pytest.FixtureRequest) -> Callable[[], Model]:
    if isinstance(request.param, Case):
        return request.param.make
    served: ModelServer = request.getfixturevalue("server")  # only when it is needed: litellm takes seconds
    return lambda: litellm_model("openai/counting", api_base=served.api_base)


def play(model: Model, past: list[Step], now: Observation = BLANK) -> tuple[Act | Answer, str]:
    """One decision, and the text that was streamed while it was made."""
    deltas: list[str] = []
    decision = model.decide(TASK, past, now, deltas.append)
    return decision, "".join(deltas)


def performed(number: int, act: Act) -> Step:
    outcomes = tuple(Done(action=action, receipt=Receipt(effect="here")) for action in act.actions)
    return Step(number=number, seen=BLANK, act=act, outcomes=outcomes, seconds=0.1)


def run(model: Model) -> tuple[list[Act], Answer]:
    """The whole run, every action performed."""
    past: list[Step] = []
    for number in range(1, 10):
        decision, _ = play(model, past)
        if isinstance(decision, Answer):
            return [step.act for step in past], decision
        past.append(performed(number, decision))
    pytest.fail("no answer after nine steps")


def test_it_acts_until_it_answers(make: Callable[[], Model]) -> None:
    acts, answer = run(make())
    assert [action for act in acts for action in act.actions] == [Look(), PressKeys(keys=("Return",))]
    assert answer.done
    assert answer.text


def test_an_act_has_at_least_one_action(make: Callable[[], Model]) -> None:
    acts, _ = run(make())
    assert acts
    assert all(act.actions for act in acts)


def test_what_is_streamed_joins_to_the_thought(make: Callable[[], Model]) -> None:
    model, past = make(), list[Step]()
    while isinstance((decided := play(model, past))[0], Act):
        act, streamed = decided
        assert isinstance(act, Act)
        assert streamed == act.thought
        past.append(performed(len(past) + 1, act))
    answer, streamed = decided
    assert isinstance(answer, Answer)
    assert streamed in {"", answer.text}


def test_a_missing_screenshot_is_no_error(make: Callable[[], Model]) -> None:
    first, _ = play(make(), [], Observation(screenshot=None))
    assert isinstance(first, Act)
    unchanged, _ = play(make(), [performed(1, first)], Observation(screenshot=None, unchanged_since=1))
    assert isinstance(unchanged, Act | Answer)


def test_a_failed_action_is_no_error(make: Callable[[], Model]) -> None:
    first, _ = play(make(), [])
    assert isinstance(first, Act)
    outcomes = tuple(NotDone(action=action, why="no screen", kind="error") for action in first.actions)
    past = [Step(number=1, seen=BLANK, act=first, outcomes=outcomes, seconds=0.1)]
    decision, _ = play(make(), past, Observation(screenshot=None, outcomes=outcomes))
    assert isinstance(decision, Act | Answer)


def test_the_history_is_all_it_knows(make: Callable[[], Model]) -> None:
    one, other = make(), make()
    first, _ = play(one, [])
    assert isinstance(first, Act)
    second, _ = play(one, [performed(1, first)])
    assert play(other, [])[0] == first  # untouched by the other's run
    assert play(other, [performed(1, first)])[0] == second
    assert play(one, [])[0] == first  # and asked again from the start, it starts again


def test_it_says_its_name_and_how_it_is_shown_the_screen(make: Callable[[], Model]) -> None:
    model = make()
    assert model.name
    assert model.observe in get_args(Observe)
