"""A real small model over the real wires: plumbing, not intelligence. Whether it does its task is never looked at."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import pytest
from text_dialects import screen

from computer_agent.cli import _parser
from computer_agent.context.history import History
from computer_agent.local.capabilities import Capabilities, Patience, probe
from computer_agent.loop import run
from computer_agent.model_choice import language_model
from computer_agent.models.dialects.function_calling import FunctionCalling
from computer_agent.models.dialects.printed import Printed
from computer_agent.models.language_model import LanguageModel
from computer_agent.models.model import BadReply, ContextFull
from computer_agent.models.transports.http import Http
from computer_agent.models.transports.litellm import Litellm
from computer_agent.models.wires.chat import ChatWire
from computer_agent.models.wires.wire import Asking
from computer_agent.settings import from_flags
from computer_agent.step import Act, Answer, Finished, Stepped
from computer_agent.trace.reader import read
from computer_api.actions import Click, Move, TypeText, targets_of
from computer_api.computer import Computer
from computer_api.geometry import Pixel, Size

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from agent_run import Stage

    from computer_agent.models.dialect import Dialect, Transport

pytestmark = pytest.mark.real_model

WINDOW = 6144  # tokens, as server.mjs has it
PATIENT = Patience(answer=60.0, trial=120.0)
SIZE = Size(1000, 1000)  # numbers have three digits at most in the server's grammar
TASKS = ("Click the Save button at (120, 340).", "Double click the icon at (45, 200).")


@dataclass(frozen=True, slots=True)
class Way:
    """How a request gets to the server and its reply back."""

    through: Literal["http", "litellm"]
    stream: bool

    def __str__(self) -> str:
        return f"{self.through}-{'stream' if self.stream else 'whole'}"

    def transport(self, api_base: str, model: str, longest: int) -> Transport:
        if self.through == "litellm":
            return Litellm(
                f"openai/{model}",
                api_base=api_base,
                temperature=0.0,
                max_tokens=longest,
                timeout=300.0,
                stream=self.stream,
            )
        asking = Asking(model=model, temperature=0.0, max_tokens=longest, stream=self.stream)
        return Http(model, wire=ChatWire(), asking=asking, api_base=api_base, timeout=300.0)

    @contextmanager
    def model(
        self, api_base: str, name: str, dialect: Dialect, *, longest: int = 256
    ) -> Iterator[LanguageModel]:
        transport = self.transport(api_base, name, longest)
        model = LanguageModel(name, dialect=dialect, transport=transport, retries=0)
        with hung_up(model):
            yield model


@contextmanager
def hung_up(model: LanguageModel) -> Iterator[None]:
    """This server keeps its connections open, so our client's must be closed at the end."""
    try:
        yield
    finally:
        if isinstance(model.transport, Http) and model.transport._client is not None:
            model.transport._client.close()


WAYS = tuple(Way(through, stream) for through in ("http", "litellm") for stream in (True, False))


@pytest.fixture(params=WAYS, ids=str)
def way(request: pytest.FixtureRequest) -> Way:
    found = request.param
    assert isinstance(found, Way)
    return found


def check(act: Act | Answer) -> None:
    """Everything about a decision but whether it is a good one."""
    assert isinstance(act, Act), act
    assert act.actions
    for action in act.actions:
        assert isinstance(action, Click | Move | TypeText), "only these are in the server's grammar"
        for target in targets_of(action):
            if isinstance(target, Pixel):
                assert 0 <= target.x < SIZE.width, action
                assert 0 <= target.y < SIZE.height, action
    assert act.usage.tokens_in > 0
    assert act.usage.tokens_out > 0


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home for what was found out about the model, so that it is found out once."""
    return tmp_path_factory.mktemp("state")


def test_its_window_and_what_it_can_do_are_found_out(api_base: str, state: Path) -> None:
    found = probe(api_base, "local", state=state / "oi", patience=PATIENT)
    assert found == Capabilities(
        sees=False, calls_tools=True, context_window=WINDOW, max_tokens=WINDOW // 4
    ), "a picture is a few words to it, and a tool is many"


def test_called_functions_are_actions_in_range_and_counted(api_base: str, way: Way) -> None:
    for task in TASKS:
        with way.model(api_base, "local", FunctionCalling()) as model:
            act = model.decide(task, (), screen(SIZE), lambda _: None)
        check(act)
        assert isinstance(act, Act)
        assert act.usage.tokens_in > 2000, "the tools are a part of the prompt"
        assert isinstance(act.reply, dict)
        (call,) = act.reply["tool_calls"]
        assert call["function"]["name"] == "computer"


def test_of_a_screen_in_words_it_takes_elements_by_their_numbers(
    api_base: str, way: Way, stage: Stage
) -> None:
    dialect = FunctionCalling(history=History(observe="text"))
    computer = Computer(stage.desktop, reader=stage.reader, patience=0.0)
    seen = computer.observe()
    elements = computer.elements(seen)
    with way.model(api_base, "local", dialect) as model:
        act = model.decide(
            "Click element 3.", (), replace(screen(SIZE), screenshot=seen, elements=elements), lambda _: None
        )
    check(act)
    assert isinstance(act, Act)
    numbered = {element.pixel for element in elements.items}
    for action, meant in zip(act.actions, act.meant, strict=True):
        pixels = {target for target in targets_of(action) if isinstance(target, Pixel)}
        assert pixels == {element.pixel for element in meant} <= numbered


@pytest.mark.parametrize("transport", ["http", "litellm"])
def test_a_run_of_three_steps_ends_without_an_error(
    api_base: str, stage: Stage, state: Path, transport: str
) -> None:
    words = ["--os", "--model", "openai/local", "--api-base", api_base, "--transport", transport]
    settings = from_flags(
        _parser().parse_args([*words, "--temperature", "0"]), {"XDG_STATE_HOME": str(state)}
    )
    model = language_model(settings, lambda _: None)
    assert (model.observe, model.window) == ("text", WINDOW), "as the probe has found"
    limited = replace(stage, limits=replace(stage.limits, steps=3))
    agent = replace(limited.agent(model), lists_elements=True)
    with hung_up(model):
        events = list(run("Type Ada into element 3, then click element 5.", agent))
    agent.trace.close()
    last = events[-1]
    assert isinstance(last, Finished)
    assert last.ending in {"done", "gave up", "limit"}, last.words
    assert 1 <= sum(isinstance(event, Stepped) for event in events) <= 3
    assert last.spent.tokens > 0
    assert len(read(stage.folder / "trace").steps) >= last.spent.steps


def test_printed_calls_are_actions_in_range_and_counted(api_base: str, way: Way) -> None:
    for task in TASKS:
        shown: list[str] = []
        with way.model(api_base, "printed", Printed()) as model:
            check(model.decide(task, (), screen(SIZE), shown.append))
        assert "{" not in "".join(shown), "nobody reads JSON"


def test_free_talk_is_a_decision_or_one_sentence_about_why_it_is_none(api_base: str, way: Way) -> None:
    with way.model(api_base, "local", Printed("You click where you are told."), longest=40) as model:
        said = decided_or_refused(model)
    assert isinstance(said, Act | Answer | BadReply)
    if isinstance(said, BadReply):
        assert "corrections" in str(said) or "empty reply" in str(said)
    else:
        assert said.usage.tokens_out > 0


def decided_or_refused(model: LanguageModel) -> Act | Answer | BadReply:
    try:
        return model.decide(TASKS[0], (), screen(SIZE), lambda _: None)
    except BadReply as bad:
        return bad


def test_a_prompt_that_does_not_fit_is_called_so(api_base: str, way: Way) -> None:
    with way.model(api_base, "printed", Printed()) as model, pytest.raises(ContextFull):
        model.decide("Click on all of these. " + "Save. " * WINDOW, (), screen(SIZE), lambda _: None)
