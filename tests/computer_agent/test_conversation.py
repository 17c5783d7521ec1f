"""A conversation: turns on one computer with one model, which remembers them; asked over a real socket."""

from __future__ import annotations

import dataclasses
import json
import os
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import pytest
from model_server import Call, ModelServer, Reply, Scripted, Status

from computer_agent.approval import Allow
from computer_agent.assemble import Questions, model_for, session_for
from computer_agent.context.history import History
from computer_agent.conversation import Conversation
from computer_agent.limits import Limits
from computer_agent.model_settings import ModelSettings, Templates
from computer_agent.models.coordinates import PIXELS
from computer_agent.models.dialects.table import DIALECTS, Shown
from computer_agent.models.language_model import LanguageModel
from computer_agent.settings import Settings
from computer_agent.step import (
    Act,
    Deciding,
    Event,
    Finished,
    Observation,
    Performed,
    Printing,
    Said,
    Step,
    Writing,
)
from computer_agent.trace.reader import read

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from model_server.brain import Turn

_PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63f8cfc00000"
    "0301010018dd8db00000000049454e44ae426082"
)


def python(code: str) -> Reply:
    return Reply(calls=(Call("run_code", {"language": "python", "code": code}),))


@dataclasses.dataclass
class Talk:
    server: ModelServer
    conversation: Conversation
    told: list[Event]
    stop_at: str = ""

    def hear(self, event: Event) -> None:
        """Take an event; Ctrl-C comes when code prints what is waited for."""
        self.told.append(event)
        if self.stop_at and isinstance(event, Printing) and self.stop_at in event.text:
            raise KeyboardInterrupt

    def say(self, words: str, *pictures: bytes) -> Finished:
        events = list(self.conversation.say(words, pictures=pictures))
        last = events[-1]
        assert isinstance(last, Finished)
        return last

    def output(self) -> str:
        return "".join(event.text for event in self.told if isinstance(event, Printing))


@contextmanager
def talking(
    folder: Path, turns: Sequence[Turn], *, limits: Limits | None = None, **llm: object
) -> Iterator[Talk]:
    (folder / "work").mkdir()
    with ModelServer(Scripted(turns)) as server:
        settings = Settings(
            model="openai/test",
            llm=ModelSettings(
                api_base=server.api_base,
                **{"supports_vision": True, "supports_functions": True, "context_window": 100_000, **llm},  # type: ignore[arg-type] # fields of it
            ),
            approval="all",
            limits=limits or Limits(),
            traces=folder / "traces",
            state=folder / "state",
            environment={**os.environ, "XDG_STATE_HOME": str(folder / "state"), "HOME": str(folder / "work")},
        )
        settings = dataclasses.replace(
            settings, code=dataclasses.replace(settings.code, workspace=folder / "work")
        )
        model = model_for(settings)
        assert isinstance(model, LanguageModel)
        model.talks = True
        questions = Questions(ask=lambda _folder: lambda _proposal, _resolved: Allow("the test"))
        heard: list[Talk] = []

        def tell(event: Event) -> None:
            heard[0].hear(event)

        with session_for(settings, model, tell=tell, questions=questions, lasting=True) as session:
            heard.append(Talk(server, Conversation(session), []))
            yield heard[0]


def test_words_alone_are_an_answer_and_the_next_turn_knows_them(tmp_path: Path) -> None:
    with talking(
        tmp_path, [Reply(text="Hello Ada."), Reply(text="Your name is Ada."), Reply(text="Nothing else.")]
    ) as talk:
        assert talk.say("I am Ada.").words == "Hello Ada."
        assert talk.say("What is my name?").words == "Your name is Ada."
        assert talk.say("And what else do you know?").ending == "done"
        first, second, third = talk.server.requests
        assert first.texts("user") == ["Task: I am Ada."]
        assert second.texts("user")[-1] == "The person now says: What is my name?"
        assert second.texts("assistant") == ["Hello Ada."]
        assert third.texts("assistant") == ["Hello Ada.", "Your name is Ada."]
        talk.server.assert_prefix_stable()
        talk.server.assert_clean()


def test_code_keeps_its_state_over_turns_and_is_told_while_it_is_written(tmp_path: Path) -> None:
    script = [
        python("x = 6 * 7\nprint(x)"),
        Reply(text="It is 42."),
        python("print(x + 1)"),
        Reply(text="43."),
    ]
    with talking(tmp_path, script) as talk:
        assert talk.say("What is 6 times 7?").words == "It is 42."
        assert talk.say("And one more?").words == "43."
        assert "42\n" in talk.output()
        assert "43\n" in talk.output()
        written = "".join(event.text for event in talk.told if isinstance(event, Writing))
        assert written == "x = 6 * 7\nprint(x)print(x + 1)"
        first = next(place for place, event in enumerate(talk.told) if isinstance(event, Deciding))
        assert any(isinstance(event, Writing) for event in talk.told[:first])


def test_without_os_there_are_tools_for_code_alone_and_the_screen_is_refused(tmp_path: Path) -> None:
    script = [python("computer.mouse.click('Save')"), Reply(text="There is no screen.")]
    with talking(tmp_path, script) as talk:
        talk.say("Click on Save.")
        assert {"run_code", "answer_prompt"} <= set(talk.server.requests[0].tool_names())
        assert not {"computer", "finish"} & set(talk.server.requests[0].tool_names())
        assert "start it with --os" in talk.server.requests[1].texts("tool")[-1]
        assert not any(request.pictures() for request in talk.server.requests)


def test_a_picture_that_the_person_shows_is_sent_and_an_unseeing_model_is_told_of_it(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    with talking(tmp_path / "a", [Reply(text="A dot.")]) as talk:
        talk.say("What is this?", _PNG)
        (picture,) = talk.server.requests[0].pictures()
        assert (picture.width, picture.height) == (1, 1)
        assert "Picture from the person:" in talk.server.requests[0].texts("user")
    with talking(tmp_path / "b", [Reply(text="I cannot see it.")], supports_vision=False) as talk:
        talk.say("What is this?", _PNG)
        assert not talk.server.requests[0].pictures()
        assert any("not sent to this model" in text for text in talk.server.requests[0].texts("user"))


def test_a_turn_that_failed_is_told_to_the_next_one(tmp_path: Path) -> None:
    script = [Reply(text="Hello."), Status(status=400, message="no such thing"), Reply(text="Yes.")]
    with talking(tmp_path, script) as talk:
        talk.say("Hi.")
        assert talk.say("Do it.").ending == "failed"
        assert talk.say("Are you there?").words == "Yes."
        said = talk.server.requests[-1].texts("user")
        assert any("Do it." in text for text in said)
        assert any(text.startswith("Your turn before ended so:") for text in said)


def test_breaking_a_turn_off_keeps_the_conversation_and_what_code_had_set(tmp_path: Path) -> None:
    sleeps = python("import time\nprint('begun')\ntime.sleep(600)")
    script = [python("y = 5"), Reply(text="Set."), sleeps, python("print(y)"), Reply(text="It is 5.")]
    with talking(tmp_path, script) as talk:
        talk.say("Set y.")
        talk.stop_at = "begun"
        assert talk.say("Sleep.").ending == "stopped"
        talk.stop_at = ""
        assert talk.say("What is y?").words == "It is 5."
        assert "5\n" in talk.output()
        said = talk.server.requests[-1].texts("user")
        assert any("Sleep." in text for text in said)
        assert any("You stopped the run." in text for text in said)


def test_a_turn_whose_events_nobody_takes_ends_and_the_next_one_begins(tmp_path: Path) -> None:
    with talking(tmp_path, [Reply(text="Hello.")]) as talk:
        with closing(talk.conversation.say("Hi.")) as events:
            next(events)
        assert talk.conversation.exchanges[-1].finished is None
        assert talk.say("Are you there?").words == "Hello."


def test_undo_takes_the_last_turn_out_of_what_is_remembered(tmp_path: Path) -> None:
    with talking(tmp_path, [Reply(text="One."), Reply(text="Two."), Reply(text="Three.")]) as talk:
        talk.say("first")
        talk.say("second")
        assert talk.conversation.undo() == "second"
        talk.say("third")
        assert talk.server.requests[-1].texts("assistant") == ["One."]
        assert not any("second" in text for text in talk.server.requests[-1].texts("user"))
        assert [talk.conversation.undo() for _ in range(3)] == ["third", "first", None]


def test_reset_forgets_the_turns_and_what_code_had_set(tmp_path: Path) -> None:
    with talking(
        tmp_path, [python("z = 1"), Reply(text="Set."), python("print(z)"), Reply(text="Gone.")]
    ) as talk:
        talk.say("Set z.")
        talk.conversation.reset()
        talk.say("Show z.")
        assert talk.server.requests[2].texts("user") == ["Task: Show z."]
        assert "NameError" in talk.output()
        outcomes = [event.outcome for event in talk.told if isinstance(event, Performed)]
        assert len(outcomes) == 2


def test_each_turn_has_a_trace_of_its_own_and_limits_of_its_own(tmp_path: Path) -> None:
    script = [python("1"), Reply(text="One."), python("2"), Reply(text="Two.")]
    with talking(tmp_path, script, limits=Limits(steps=2)) as talk:
        assert talk.say("first").ending == "done"
        assert talk.say("second").ending == "done"
        assert [read(folder).header.task for folder in talk.conversation.session.traces] == [
            "first",
            "second",
        ]
        assert talk.conversation.spent.steps == 2
        assert talk.conversation.spent.tokens == 440


@pytest.mark.parametrize("tools", [True, False], ids=["functions", "printed"])
def test_models_without_tools_write_their_code_into_the_text(tmp_path: Path, *, tools: bool) -> None:
    code = python("print(2 + 2)") if tools else Reply(text="I compute it.\n```python\nprint(2 + 2)\n```")
    with talking(tmp_path, [code, Reply(text="It is 4.")], supports_functions=tools) as talk:
        assert talk.say("2 + 2?").words == "It is 4."
        assert "4\n" in talk.output()


@pytest.mark.parametrize("name", DIALECTS)
def test_every_dialect_tells_what_was_answered_and_what_is_said_now(name: str) -> None:
    dialect = DIALECTS[name](Shown(system="Help.", history=History(), templates=Templates(), space=PIXELS))
    answered = Step(
        number=1,
        seen=Observation(screenshot=None),
        act=Act(thought="Hello Ada.", actions=()),
        outcomes=(),
        seconds=0.0,
    )
    now = Observation(screenshot=None, said=Said(words="And now?", answered="It was broken off."))
    told = json.dumps(dialect.prompt("I am Ada.", [answered], now).messages)
    places = [told.index(words) for words in ("I am Ada.", "Hello Ada.", "It was broken off.", "And now?")]
    assert places == sorted(places)
