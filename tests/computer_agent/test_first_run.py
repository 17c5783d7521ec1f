"""The first `oi`: what is there is offered, one question is asked, what was taken is tried and kept."""

from __future__ import annotations

import stat
import sys
import time
from typing import TYPE_CHECKING

import pytest
from model_server import ModelServer, Reply, Scripted, Status
from model_server.runtimes import Runtime, Served

from computer_agent.cli import _parser
from computer_agent.first_run import MODELS, first_run
from computer_agent.profiles.choosing import Asking, layers
from computer_agent.profiles.folders import config_file
from computer_agent.settings import Settings, from_flags

if TYPE_CHECKING:
    from pathlib import Path

OLLAMA = Runtime(
    flavour="ollama",
    models=(Served(name="small", calls=False), Served(name="qwen3-vl:8b", sees=True)),
)
READY = Reply(text="ready.")


class Person:
    """Answers in turn and keeps what was asked and said."""

    def __init__(self, *answers: str | None) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []
        self.said: list[str] = []
        self.asking = Asking(ask=self._answer, secret=self._answer, say=self.said.append)

    def _answer(self, question: str) -> str | None:
        self.asked.append(question)
        return self.answers.pop(0)

    @property
    def heard(self) -> str:
        return "\n".join(self.said)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {"XDG_CONFIG_HOME": str(tmp_path / "config"), "XDG_STATE_HOME": str(tmp_path / "state")}


def settings(environment: dict[str, str], *words: str) -> Settings:
    flags = _parser().parse_args(list(words))
    return from_flags(flags, environment, layers(flags, environment))


def test_a_model_of_this_machine_is_found_tried_and_kept_with_one_enter(environment: dict[str, str]) -> None:
    person = Person("")
    began = time.monotonic()
    with ModelServer(Scripted([READY]), runtime=OLLAMA) as server:
        ready = first_run(settings(environment), person.asking, roots=(server.address,))
    assert time.monotonic() - began < 60
    assert ready is not None
    assert (ready.model, ready.llm.api_base) == ("ollama_chat/qwen3-vl:8b", server.address)
    assert len(person.asked) == 1
    assert "1  ollama_chat/qwen3-vl:8b  Ollama on this machine, sees, calls tools" in person.heard
    assert "It answers (" in person.heard
    kept = settings(environment)
    assert (kept.model, kept.llm.api_base) == (ready.model, ready.llm.api_base)
    assert len(server.requests) == 1, "one tiny request"


def test_a_model_is_taken_by_its_number(environment: dict[str, str]) -> None:
    with ModelServer(Scripted([READY]), runtime=OLLAMA) as server:
        ready = first_run(settings(environment), Person("9", "2").asking, roots=(server.address,))
    assert ready is not None
    assert ready.model == "ollama_chat/small"


def test_each_key_that_is_set_is_offered_with_a_model_of_its_provider(environment: dict[str, str]) -> None:
    person = Person("q")
    keyed = environment | {"GROQ_API_KEY": "gsk_0123456789", "XAI_API_KEY": "xai-0123456789"}
    assert first_run(settings(keyed), person.asking, roots=()) is None
    assert f"1  {MODELS['GROQ_API_KEY']}  GROQ_API_KEY is set" in person.heard
    assert "2  xai/grok-4" in person.heard
    assert "0123456789" not in person.heard


@pytest.mark.parametrize(("says", "kept"), [("y", True), ("", False), ("n", False), (None, False)])
@pytest.mark.parametrize("way", ["asked", "at once"])
def test_a_pasted_key_is_tried_and_kept_only_when_the_person_says_so(
    environment: dict[str, str], says: str | None, way: str, *, kept: bool
) -> None:
    key = "sk-proj-0123456789abcdef"
    person = Person(*(["k", f" {key}\n"] if way == "asked" else [key]), says)
    with ModelServer(Scripted([READY]), key=key) as server:
        told = settings(environment, "--api-base", server.api_base, "-lsv", "-lsf", "-cw", "9000")
        ready = first_run(told, person.asking, roots=())
    assert ready is not None
    assert (ready.model, ready.llm.api_key) == (MODELS["OPENAI_API_KEY"], key)
    assert key not in person.heard
    file = config_file(environment)
    assert (file.exists() and key in file.read_text()) is kept
    if kept:
        assert settings(environment).llm.api_key == key
        assert stat.S_IMODE(file.stat().st_mode) == 0o600 or sys.platform == "win32"
    else:
        assert "export OPENAI_API_KEY=" in person.heard


def test_a_key_of_nobody_known_is_told_where_it_can_go(environment: dict[str, str]) -> None:
    person = Person("k", "abc123", "k", "two words", "k", "", "q")
    assert first_run(settings(environment), person.asking, roots=()) is None
    assert "Whose key that is cannot be seen" in person.heard
    assert "has a character that no key has" in person.heard


def test_what_does_not_answer_is_said_and_asked_again_and_not_kept(environment: dict[str, str]) -> None:
    person = Person("1", "s")
    with ModelServer(Scripted([Status(status=401, kind="auth")] * 9), runtime=OLLAMA) as server:
        ready = first_run(settings(environment), person.asking, roots=(server.address,))
    assert ready is not None
    assert ready.model == "steps"
    assert "Take another one, or mend that and try again." in person.heard
    assert "ollama" not in config_file(environment).read_text()


def test_steps_need_no_model(environment: dict[str, str]) -> None:
    person = Person("S")
    ready = first_run(settings(environment), person.asking, roots=())
    assert ready is not None
    assert (ready.model, ready.os) == ("steps", True)
    assert "No key is set and no model runs on this machine." in person.heard
    assert "`oi help steps`" in person.heard
    assert settings(environment).model == "steps"


def test_the_longer_menu_says_what_there_is_to_install(environment: dict[str, str]) -> None:
    """Whether or not a model's program is on this machine, nothing is started before a yes."""
    person = Person("l", "q", "q", "q", "q", "q")
    assert first_run(settings(environment | {"PATH": ""}), person.asking, roots=()) is None


@pytest.mark.parametrize("answer", ["q", "quit", None])
def test_whoever_leaves_has_nothing_written(environment: dict[str, str], answer: str | None) -> None:
    assert first_run(settings(environment), Person(answer).asking, roots=()) is None
    assert not config_file(environment).exists()


def test_the_menu_fits_a_terminal(environment: dict[str, str]) -> None:
    person = Person("q")
    first_run(settings(environment), person.asking, roots=())
    assert max(map(len, person.heard.splitlines())) < 80


@pytest.mark.desktop
def test_on_a_desktop_it_says_what_is_missing_there(environment: dict[str, str]) -> None:
    from xvfb import x_server

    person = Person("s")
    with x_server(manager=False) as name:
        first_run(settings(environment | {"DISPLAY": name}), person.asking, roots=())
    assert "For tasks on the desktop (oi --os) there is to mend:" in person.heard
    assert "accessibility: " in person.heard
