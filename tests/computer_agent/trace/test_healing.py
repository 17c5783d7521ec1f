"""A target that a replay does not find: a person or a model says where it is now, and the change is reviewed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from model_server import ModelServer, Reply, Scripted
from recorded_runs import Runner
from replayed_runs import Replayed, replayed

from computer_agent.context.budget import Budget
from computer_agent.models.grounding import Pointer
from computer_agent.models.language_model import LanguageModel
from computer_agent.models.transports.http import Http
from computer_agent.models.wires.chat import ChatWire
from computer_agent.models.wires.wire import Asking
from computer_agent.trace.command import trace as trace_command
from computer_agent.trace.errors import TraceError
from computer_agent.trace.healing import AskingModel, AskingPerson, accept, read_healed, write_healed
from computer_agent.trace.reader import read
from computer_agent.trace.replay_command import kept
from computer_agent.trace.replay_gate import Replaying
from computer_platform.desktop import Area
from computer_platform.memory import MemoryDesktop, Rule, Screen, Widget, form

if TYPE_CHECKING:
    from pathlib import Path

    from computer_agent.trace.reader import Trace
    from computer_vision.reader import Reader

STORE = (290, 268)  # where the button is, on the picture


@pytest.fixture(scope="module")
def recorded(reader: Reader, tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return Runner(reader=reader).run('click "Save"', tmp_path_factory.mktemp("recorded") / "trace").trace


def renamed(name: str = "Keep it") -> MemoryDesktop:
    """The form with another word on its button, and a second button that must not be pressed."""
    first, second = form()
    button = replace(first.widgets[-1], name=name)
    other = Widget(kind="button", name="Discard", area=Area(380, 250, 100, 36))
    rules = (Rule(clicked=name, show="saved", saves=True), Rule(clicked="Discard", show="lost"))
    lost = Screen(name="lost", widgets=second.widgets)
    return MemoryDesktop(
        (640, 400), (replace(first, widgets=(*first.widgets[:-1], button, other), rules=rules), second, lost)
    )


class Person:
    """Somebody who gives these answers, and reads what they are shown."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.shown: list[str] = []

    def ask(self, question: str) -> str | None:
        self.shown.append(question)
        return self.answers.pop(0) if self.answers else None

    def healer(self, recorded: Trace) -> AskingPerson:
        return AskingPerson(recorded=recorded, ask=self.ask, say=self.shown.append)


def healed_by(person: Person, recorded: Trace, reader: Reader, folder: Path) -> Replayed:
    return replayed(recorded, folder, reader, renamed(), Replaying(heal=person.healer(recorded)))


@pytest.mark.parametrize("answer", ["Keep it", "290,268", " 290 , 268 "])
def test_a_person_says_what_it_is_called_or_where_it_is(
    answer: str, recorded: Trace, reader: Reader, tmp_path: Path
) -> None:
    person = Person(answer)
    ran = healed_by(person, recorded, reader, tmp_path / "again")
    assert ran.desktop.screen == "saved"
    assert ran.result.outcome == "healed"
    assert ran.finished.ending == "done"
    assert "as recorded once step 1 had a new target" in ran.finished.words
    said = "\n".join(person.shown)
    assert 'Step 1, Click "Save": ' in said
    for word in ("recorded:", "now:"):
        (line,) = (line for line in person.shown if word in line)
        assert line.split()[-1].endswith(".png")


TOWN = 'type "Turin" into "City"; expect the field "City" to hold "Turin" within 0.2 seconds'


@pytest.fixture(scope="module")
def checked(reader: Reader, tmp_path_factory: pytest.TempPathFactory) -> Trace:
    ran = Runner(reader=reader).run(TOWN, tmp_path_factory.mktemp("checked") / "trace")
    assert ran.finished.ending == "done", ran.finished.words
    return ran.trace


@pytest.mark.parametrize("answer", ["Town", "300,196"])
def test_a_field_that_is_checked_and_has_another_label_now_is_healed_too(
    answer: str, checked: Trace, reader: Reader, tmp_path: Path
) -> None:
    first, second = form()
    desktop = MemoryDesktop((640, 400), (changed(first, "City", name="Town"), second))
    person = Person(answer, answer)
    ran = replayed(checked, tmp_path / "again", reader, desktop, Replaying(heal=person.healer(checked)))
    assert ran.finished.ending == "done", ran.finished.words
    assert [change.number for change in ran.model.healed] == [1, 2]


def test_a_field_that_is_there_and_holds_something_else_is_nothing_to_heal(
    reader: Reader, tmp_path: Path
) -> None:
    first, second = form()
    towns = [
        MemoryDesktop((640, 400), (changed(first, "City", value=town), second)) for town in ("Turin", "Bath")
    ]
    steps = 'expect the field "City" to hold "Turin" within 0.2 seconds'
    trace = Runner(reader=reader).run(steps, tmp_path / "trace", towns[0]).trace
    person = Person("Town")
    ran = replayed(trace, tmp_path / "again", reader, towns[1], Replaying(heal=person.healer(trace)))
    assert ran.result.outcome == "diverged"
    assert not person.shown


def changed(screen: Screen, widget: str, **fields: str) -> Screen:
    """The screen with a widget that is otherwise."""
    widgets = tuple(replace(one, **fields) if one.name == widget else one for one in screen.widgets)  # type: ignore[arg-type]  # texts all
    return replace(screen, widgets=widgets)


def test_a_number_of_the_list_is_taken(recorded: Trace, reader: Reader, tmp_path: Path) -> None:
    first, second = form()
    twice = (*first.widgets, replace(first.widgets[-1], area=Area(380, 250, 100, 36)))
    desktop = MemoryDesktop((640, 400), (replace(first, widgets=twice), second))
    person = Person("2")
    ran = replayed(recorded, tmp_path / "again", reader, desktop, Replaying(heal=person.healer(recorded)))
    assert ran.desktop.log, "something was clicked"
    assert sum(line.strip().startswith(("1  ", "2  ")) for line in person.shown) == 2
    (change,) = ran.model.healed
    assert change.match is not None
    assert change.match.point.x > 380


@pytest.mark.parametrize("answers", [(), ("",)])
def test_where_nobody_says_anything_nothing_is_sent(
    answers: tuple[str, ...], recorded: Trace, reader: Reader, tmp_path: Path
) -> None:
    ran = healed_by(Person(*answers), recorded, reader, tmp_path / "again")
    assert ran.result.outcome == "stopped"
    assert not ran.clicks
    assert not ran.model.healed


def test_what_was_healed_is_reviewed_and_gives_a_new_trace(
    recorded: Trace, reader: Reader, tmp_path: Path
) -> None:
    ran = healed_by(Person("290,268"), recorded, reader, tmp_path / "again")
    said = list(kept(ran.model, recorded, ran.folder))
    assert any('"Save" is now "Keep it", says a person' in line for line in said)
    file = ran.folder / "healed.json"
    assert read_healed(file) == ran.model.healed
    before = (recorded.folder / "trace.jsonl").read_bytes()
    new = tmp_path / "new.trace"
    assert not trace_command(["heal", str(recorded.folder), str(file), "-o", str(new)], {})
    assert (recorded.folder / "trace.jsonl").read_bytes() == before
    again = replayed(read(new), tmp_path / "third", reader, renamed())
    assert (again.result.outcome, again.desktop.screen) == ("pass", "saved"), again.finished.words
    moved = replayed(read(new), tmp_path / "fourth", reader, MemoryDesktop((640, 400), form()))
    assert moved.result.outcome == "stopped", "the new trace asks for the new button alone"


def test_changes_of_another_trace_are_refused(recorded: Trace, reader: Reader, tmp_path: Path) -> None:
    ran = healed_by(Person("Keep it"), recorded, reader, tmp_path / "again")
    (change,) = ran.model.healed
    file = write_healed((replace(change, attempt=77),), recorded, tmp_path)
    with pytest.raises(TraceError, match="is about another trace"):
        accept(recorded.folder, file, tmp_path / "new")
    assert not (tmp_path / "new").exists()
    file.write_text("{}")
    with pytest.raises(TraceError, match="holds no healed targets"):
        accept(recorded.folder, file, tmp_path / "new")


def _pointing(server: ModelServer) -> LanguageModel:
    transport = Http(
        "pointer", wire=ChatWire(), asking=Asking(model="pointer"), api_base=server.api_base, prices={}
    )
    return LanguageModel("pointer", dialect=Pointer(), transport=transport, budget=Budget(None, None))


def by_model(
    reply: str,
    desktop: MemoryDesktop,
    recorded: Trace,
    reader: Reader,
    folder: Path,
    person: Person | None = None,
) -> tuple[Replayed, ModelServer, list[str]]:
    said: list[str] = []
    with ModelServer(Scripted((Reply(text=reply),))) as server:
        healer = AskingModel(
            model=_pointing(server),
            recorded=recorded,
            say=said.append,
            person=None if person is None else person.healer(recorded),
        )
        ran = replayed(recorded, folder, reader, desktop, Replaying(heal=healer))
        server.assert_clean()
    return ran, server, said


def test_a_model_points_at_it_once(recorded: Trace, reader: Reader, tmp_path: Path) -> None:
    ran, server, _ = by_model("(290, 268)", renamed(), recorded, reader, tmp_path / "again")
    assert (ran.result.outcome, ran.desktop.screen) == ("healed", "saved")
    (asked,) = server.requests
    words = " ".join(asked.texts("user"))
    assert 'Its text was "Save".' in words
    assert "Near it stood: " in words
    assert len(asked.pictures()) == 2, "how it looked, and the screen now"
    (change,) = ran.model.healed
    assert change.by == "pointer"


def test_a_model_that_does_not_find_it_stops_the_replay(
    recorded: Trace, reader: Reader, tmp_path: Path
) -> None:
    ran, _, said = by_model("not found", renamed(), recorded, reader, tmp_path / "again")
    assert ran.result.outcome == "stopped"
    assert not ran.clicks
    assert said == ["pointer does not find the target of step 1 on the screen."]


def test_what_is_not_easily_taken_back_is_never_healed_by_a_model_alone(
    recorded: Trace, reader: Reader, tmp_path: Path
) -> None:
    ran, _, said = by_model("(430, 268)", renamed(), recorded, reader, tmp_path / "again")
    assert (ran.result.outcome, ran.desktop.screen) == ("stopped", "form")
    assert not ran.clicks
    assert said == ['Step 1 is not healed by a model alone, since "Discard" is not easily taken back.']


@pytest.mark.parametrize(("answer", "screen"), [("y", "saved"), ("n", "form"), ("", "form")])
def test_a_person_may_agree_to_what_a_model_found(
    answer: str, screen: str, recorded: Trace, reader: Reader, tmp_path: Path
) -> None:
    person = Person(answer)
    ran, *_ = by_model("(290, 268)", renamed("Send it"), recorded, reader, tmp_path / "again", person)
    assert ran.desktop.screen == screen
    assert "pointer says that it is" in person.shown[-1]


def test_what_is_healed_in_a_replay_for_another_person_keeps_the_name_of_the_parameter(
    reader: Reader, tmp_path: Path
) -> None:
    first = Runner(reader=reader).run('type "Ada" into "First name"; click "Save"', tmp_path / "a").folder
    assert not trace_command(["lift", str(first), "who=Ada", "-o", str(tmp_path / "b")], {})
    trace = read(tmp_path / "b")
    ran = replayed(
        trace,
        tmp_path / "again",
        reader,
        renamed(),
        Replaying(heal=Person("290,268").healer(trace)),
        {"who": "Grace"},
    )
    assert ran.desktop.values["First name"] == "Grace"
    list(kept(ran.model, trace, ran.folder))
    said = (ran.folder / "healed.json").read_text()
    assert "{{who}}" in said
    assert "Grace" not in said
