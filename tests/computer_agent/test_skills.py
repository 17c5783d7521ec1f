"""Skills: a recorded run under a name, done again with other values, through the gate and compared."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from recorded_runs import Runner, form_desktop

from computer_agent.cli import main
from computer_agent.skills.keeping import folder_of
from computer_agent.skills.running import SkillsOf
from computer_api.bridge import answering
from computer_api.computer import Computer, unconfined
from computer_api.errors import ComputerError, NotFoundError, RefusedError, UnsupportedError
from computer_api.terminal import Call

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from computer_api.actions import Action
    from computer_api.receipt import Receipt
    from computer_vision.reader import Reader

STEPS = 'type "Ada" into "First name"; type "London" into "City"; click "Save"'


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory, reader: Reader) -> Path:
    """The folder of traces with one recorded run in it."""
    traces = tmp_path_factory.mktemp("traces")
    Runner(reader=reader).run(STEPS, traces / "2026-11-28_10-00-00")
    return traces


@pytest.fixture
def state(tmp_path: Path, recorded: Path) -> Path:
    """A state folder with one recorded run in it."""
    shutil.copytree(recorded, tmp_path / "traces")
    return tmp_path


@pytest.fixture
def computer(reader: Reader, state: Path) -> Computer:
    made = Computer(form_desktop(), reader=reader, patience=0.0, anchored=True)
    made.skills.kept = SkillsOf(made, state, state / "traces")
    return made


def test_the_newest_task_that_was_done_is_kept_with_parameters_and_done_again_with_others(
    computer: Computer,
) -> None:
    said = computer.skills.save("register person", person="Ada", place="London")
    assert 'computer.skills.run("register person", person="Ada", place="London")' in said
    assert computer.skills.list() == ["register person"]
    assert "{{person}}" in computer.skills.search("register {{person}}")["register person"]
    done = computer.skills.run("register person", person="Grace", place="New York")
    assert "3 steps, as recorded" in done
    assert "Grace" in done
    log = str(computer.desktop.log)  # type: ignore[attr-defined]  # of a memory desktop
    assert "Grace" in log
    assert "New York" in log
    assert "London" not in log


def test_without_a_value_the_recorded_one_is_taken(computer: Computer) -> None:
    computer.skills.save("register", person="Ada")
    computer.skills.run("REGISTER")
    assert "Ada" in str(computer.desktop.log)  # type: ignore[attr-defined]  # of a memory desktop


def test_each_action_of_a_skill_passes_the_gate(computer: Computer) -> None:
    computer.skills.save("register")
    asked: list[Action] = []

    def refuse(action: Action, perform: Callable[[Action], Receipt]) -> Receipt:
        asked.append(action)
        if len(asked) == 2:
            raise RefusedError("not London")
        return perform(action)

    computer.gate = refuse
    with pytest.raises(RefusedError, match="not London"):
        computer.skills.run("register")
    assert len(asked) == 2
    assert computer.gate is refuse, "the gate is put back"


def test_a_skill_stops_where_the_screen_is_another(computer: Computer, reader: Reader) -> None:
    from computer_platform.memory import MemoryDesktop

    computer.skills.save("register")
    elsewhere = Computer(MemoryDesktop((640, 400)), reader=reader, patience=0.0)
    elsewhere.skills.kept = computer.skills.kept
    other = SkillsOf(elsewhere, computer.skills.kept.state, computer.skills.kept.traces)  # type: ignore[union-attr]  # ours
    with pytest.raises(NotFoundError, match="First name"):
        other.run("register", {})


@pytest.mark.parametrize(
    ("name", "values", "said"),
    [
        ("../evil", {}, "cannot be the name of a skill"),
        ("", {}, "cannot be the name of a skill"),
        ("a.b", {}, "cannot be the name of a skill"),
        ("good", {"person": "Nobody"}, 'No recorded action types, checks or names "Nobody"'),
        ("good", {"person": "Lond"}, "stands only inside of other words"),
    ],
)
def test_what_cannot_be_kept_is_said(
    computer: Computer, name: str, values: dict[str, str], said: str
) -> None:
    with pytest.raises(ComputerError) as error:
        computer.skills.save(name, **values)
    assert said in str(error.value)
    assert computer.skills.list() == []


def test_a_name_that_is_taken_is_not_written_over(computer: Computer) -> None:
    computer.skills.save("register")
    with pytest.raises(ComputerError, match='There is a skill "Register" already'):
        computer.skills.save("Register")


@pytest.mark.parametrize(
    ("name", "values", "said"),
    [
        ("registr", {}, 'There is no skill "registr". The nearest is "register". There are: register.'),
        ("register", {"city": "Rome"}, 'has no parameter "city"; it has: person.'),
    ],
)
def test_what_cannot_be_done_is_said(
    computer: Computer, name: str, values: dict[str, str], said: str
) -> None:
    computer.skills.save("register", person="Ada")
    with pytest.raises(ComputerError) as error:
        computer.skills.run(name, **values)
    assert said in str(error.value)


def test_a_skill_is_written_step_by_step_and_its_code_runs(computer: Computer) -> None:
    computer._terminal = unconfined({"PATH": "/usr/bin:/bin"}, answering(computer))
    new = computer.skills.new_skill
    new.create()
    new.name = "count"
    new.add_step("Count\nto three", "for number in range(1, 4):\n    print(number)")
    new.add_step("Say so", "print('```')")
    assert 'computer.skills.run("count")' in new.save()
    assert computer.skills.search("count")["count"] == "Count to three; Say so"
    assert computer.skills.run("count") == "1\n2\n3\n```\n"
    computer._terminal.close()
    with pytest.raises(UnsupportedError, match="no step yet"):
        type(new)(computer.skills).save()


def test_code_reaches_skills_and_what_is_no_verb_of_them_not(computer: Computer) -> None:
    answer = answering(computer)
    assert "Kept" in answer(Call(path=("skills", "save"), args=("register",), kwargs={"person": "Ada"})).value
    assert answer(Call(path=("skills", "list"))).value == ["register"]
    assert (
        "as recorded"
        in answer(Call(path=("skills", "run"), args=("register",), kwargs={"person": "Bob"})).value
    )
    error = answer(Call(path=("skills", "run"), args=("nothing",))).error
    assert error is not None
    assert error[0] == "NotFoundError"


def test_without_a_run_no_skills_are_kept(reader: Reader) -> None:
    with pytest.raises(UnsupportedError, match="No skills are kept here"):
        Computer(form_desktop(), reader=reader).skills.run("x")


def test_the_command_keeps_lists_runs_and_removes(
    state: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    oi = state / "oi"
    oi.mkdir()
    (state / "traces").rename(oi / "traces")
    monkeypatch.setenv("XDG_STATE_HOME", str(state))
    assert main(["skills"]) == 0
    assert "No skill is kept yet" in capsys.readouterr().out
    assert main(["skills", "save", "register", "person=Ada"]) == 0
    assert 'oi skills run "register" --var person="Ada"' in capsys.readouterr().out
    assert (folder_of(oi) / "register.zip").exists()
    assert main(["skills", "list"]) == 0
    assert "{{person}}" in capsys.readouterr().out
    assert main(["skills", "remove", "register"]) == 0
    capsys.readouterr()
    assert main(["skills", "run", "register"]) == 2
    assert 'There is no skill "register"' in capsys.readouterr().err
    assert main(["skills", "nonsense"]) == 2
    assert '"oi skills nonsense" is not known' in capsys.readouterr().err


def test_the_command_does_a_skill_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert main(["--os", "--desktop", "memory", "--model", "steps", "-y", 'copy "Ada"; press tab']) == 0
    assert main(["skills", "save", "greet", "who=Ada"]) == 0
    capsys.readouterr()
    assert main(["skills", "run", "greet", "-y", "--var", "who=Grace"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert 'copy "Grace"' in out
    assert "Replayed 2 steps; all as recorded" in out
