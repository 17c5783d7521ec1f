"""Code asks the run's own model: over every protocol, through the gate, and counted."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from model_client import png
from model_server import Call, ModelServer, Reply, Scripted

from computer_agent.advice import adviser
from computer_agent.approval import Allow
from computer_agent.assemble import Questions, model_for, session_for
from computer_agent.cli import _parser
from computer_agent.conversation import Conversation
from computer_agent.models.language_model import LanguageModel
from computer_agent.models.model import OverBudget
from computer_agent.models.steps import StepsModel
from computer_agent.settings import Settings, from_flags
from computer_agent.step import Finished, Observation, Performed
from computer_api.actions import AskModel, RunCode
from computer_api.errors import ComputerError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from model_server.brain import Turn

    from computer_agent.step import Event

ABLE = ("-lsv", "-lsf", "-cw", "100000")


def settings(folder: Path, *words: str) -> Settings:
    environment = {**os.environ, "XDG_STATE_HOME": str(folder / "state")}
    return from_flags(_parser().parse_args(["-y", *ABLE, *words, "--workspace", str(folder)]), environment)


def model(folder: Path, *words: str) -> LanguageModel:
    made = model_for(settings(folder, *words))
    assert isinstance(made, LanguageModel)
    return made


@pytest.mark.parametrize(
    ("name", "dialect", "wire"),
    [
        ("openai/test", "functions", "chat"),
        ("openai/computer-use-preview", "native", "responses"),
        ("anthropic/claude-opus-4-5", "native", "messages"),
        ("gemini/gemini-3.5-flash", "native", "gemini"),
    ],
)
def test_words_and_a_picture_go_over_every_protocol(
    tmp_path: Path, name: str, dialect: str, wire: str
) -> None:
    with ModelServer(Scripted([Reply(text=" Blue. "), Reply(text="42")])) as server:
        asked = model(
            tmp_path,
            "--os",
            "--model",
            name,
            "--api-base",
            server.address,
            "--api-key",
            "k",
            "--dialect",
            dialect,
        )
        assert asked.dialect.prompt("x", (), Observation(screenshot=None)).wire == wire
        assert asked.advise("What colour?", (png(),)) == "Blue."
        assert asked.advise("What is 6 * 7?") == "42"
        server.assert_clean()
        first, second = server.requests
    assert (len(first.pictures()), len(second.pictures())) == (1, 0)
    assert "What colour?" in " ".join(first.texts("user"))
    assert first.tool_names() == []


def test_what_was_asked_beside_is_in_the_cost_of_the_next_decision(tmp_path: Path) -> None:
    replies = [Reply(text="Blue.", tokens=(1000, 7, 0)), Reply(text="done", tokens=(100, 10, 0))] * 2
    with ModelServer(Scripted(replies)) as server:
        asked = model(tmp_path, "--model", "openai/test", "--api-base", server.api_base)
        asked.talks = True
        asked.advise("What colour?")
        for tokens in ((1100, 17), (1100, 17)):
            answer = asked.decide("a task", (), Observation(screenshot=None), lambda _: None)
            assert (answer.usage.tokens_in, answer.usage.tokens_out) == tokens
            if len(server.requests) < 4:
                asked.advise("And now?")


def test_what_is_asked_beside_stops_at_the_budget_of_the_run(tmp_path: Path) -> None:
    huge = Reply(text="Blue.", tokens=(10_000_000, 1000, 0))
    with ModelServer(Scripted([huge])) as server:
        # of a vendor's own model the price is known; its server is asked by another address
        words = (
            "--os",
            "--model",
            "anthropic/claude-opus-4-5",
            "--dialect",
            "native",
            "--api-key",
            "k",
            "-b",
            "0.5",
        )
        asked = model(tmp_path, *words)
        asked.transport = model(tmp_path, *words, "--api-base", server.address).transport
        asked.transport = replace(asked.transport, prices=asked.budget.prices)  # type: ignore[type-var]  # Http
        asked.advise("What colour?")
        with pytest.raises(OverBudget, match="is spent"):
            asked.advise("And now?")
        with pytest.raises(OverBudget, match="is spent"):
            asked.decide("a task", (), Observation(screenshot=None), lambda _: None)
        assert len(server.requests) == 1


def test_a_model_that_cannot_see_is_not_sent_a_picture(tmp_path: Path) -> None:
    with ModelServer(Scripted([])) as server:
        words = ("--model", "openai/test", "--api-base", server.api_base, "--no-supports-vision")
        blind = model(tmp_path, *words)
        with pytest.raises(ComputerError, match='"openai/test" cannot see'):
            adviser(lambda: blind)("What colour?", (png(),))
        assert server.requests == []


def test_steps_are_nobody_to_ask() -> None:
    steps = StepsModel(values={})
    with pytest.raises(UnsupportedError, match='"steps" is no model that can be asked'):
        adviser(lambda: steps)("What colour?", ())


def played(folder: Path, turns: Sequence[Turn]) -> tuple[ModelServer, list[Event], Finished]:
    """A turn of a conversation with these replies."""
    with ModelServer(Scripted(turns)) as server:
        chosen = settings(folder, "--model", "openai/test", "--api-base", server.api_base)
        made = model_for(chosen)
        assert isinstance(made, LanguageModel)
        made.talks = True
        told: list[Event] = []
        questions = Questions(ask=lambda _folder: lambda _proposal, _resolved: Allow("the test"))
        with session_for(chosen, made, tell=told.append, questions=questions, lasting=True) as session:
            *_, last = Conversation(session).say("Sort the mails.")
        assert isinstance(last, Finished)
        server.assert_clean()
        return server, told, last


def test_a_code_step_asks_the_model_of_its_run_through_the_gate(tmp_path: Path) -> None:
    code = (
        "for mail in ('Win now!', 'Lunch?'):\n    print(computer.ai.query(mail, 'Is it spam?'))\n"
        "print(computer.skills.list())"
    )
    server, told, last = played(
        tmp_path,
        [
            Reply(calls=(Call("run_code", {"language": "python", "code": code}),)),
            Reply(text="yes", tokens=(50, 1, 0)),
            Reply(text="no", tokens=(50, 1, 0)),
            Reply(text="The first is spam."),
        ],
    )
    assert last.words == "The first is spam."
    assert last.spent.tokens == 2 * 110 + 2 * 51
    outcomes = [event.outcome for event in told if isinstance(event, Performed)]
    assert [type(outcome.action) for outcome in outcomes] == [AskModel, AskModel, RunCode]
    assert "| yes\n| no\n| []" in " ".join(server.requests[-1].texts("tool"))
