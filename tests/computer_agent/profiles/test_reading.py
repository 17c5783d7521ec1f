"""A file of settings: what is in it, and a sentence for what cannot be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from computer_agent.code_settings import BadSetting
from computer_agent.options import OPTIONS
from computer_agent.profiles.classic import ANSWERED, RENAMED
from computer_agent.profiles.folders import SHIPPED
from computer_agent.profiles.reading import parse, read

if TYPE_CHECKING:
    from pathlib import Path

# The classic's profile as its own installation has it, in our words: every key of it.
CLASSIC = b"""\
llm:
  model: "gpt-4o"
  temperature: 0
  # api_key: ...
  api_base: http://127.0.0.1:1234/v1
  max_budget: 0.5
computer:
  import_computer_api: True
custom_instructions: "Metric units."
auto_run: False
safe_mode: "off"
offline: False
max_output: 2800
version: 0.2.5
"""


def toml(text: str) -> dict[str, object]:
    return dict(parse(text.encode(), "work.toml", "work.toml").values)


def refused(text: str | bytes, file: str = "work.toml") -> str:
    with pytest.raises(BadSetting) as error:
        parse(text.encode() if isinstance(text, str) else text, file, file)
    return str(error.value)


def test_settings_stand_under_the_names_of_the_flags() -> None:
    assert toml('model = "openai/gpt-5"\nmax-steps = 3\n[llm]\ntemperature = 0') == {
        "model": "openai/gpt-5",
        "max_steps": 3,
        "temperature": 0,
    }


def test_each_setting_knows_its_line() -> None:
    layer = parse(b'# mine\nmodel = "a/b"\n\n[llm]\ntemperature = 0.5\n', "x.toml", "x.toml")
    assert layer.place("model") == "x.toml, line 2"
    assert layer.place("temperature") == "x.toml, line 5"
    assert parse(b"llm.temperature = 0.5\n", "x.toml", "x.toml").place("temperature") == "x.toml, line 1"


def test_the_classic_s_yaml_is_read_and_what_it_sets_no_more_is_answered() -> None:
    pytest.importorskip("yaml", reason="PyYAML reads YAML; it comes with the extra yaml, and with litellm")
    layer = parse(CLASSIC, "default.yaml", "default.yaml")
    assert dict(layer.values) == {
        "model": "gpt-4o",
        "temperature": 0,
        "api_base": "http://127.0.0.1:1234/v1",
        "max_budget": 0.5,
        "custom_instructions": "Metric units.",
        "approve": "ask",
        "safe_mode": "off",
        "offline": False,
        "max_output": 2800,
    }
    assert layer.place("temperature") == "default.yaml, line 3"
    told = "\n".join(layer.notes)
    assert 'line 8: "computer.import_computer_api" sets nothing here. Code steps always have' in told
    assert "version" not in told


def test_yaml_can_name_no_class_and_call_nothing(tmp_path: Path) -> None:
    pytest.importorskip("yaml", reason="PyYAML reads YAML; it comes with the extra yaml, and with litellm")
    made = tmp_path / "made"
    said = refused(f"model: !!python/object/apply:os.mkdir ['{made}']", "evil.yaml")
    assert "evil.yaml is not YAML" in said
    assert "line 1" in said
    assert not made.exists()


def test_auto_run_is_approval_of_all() -> None:
    assert toml("auto_run = true") == {"approve": "all"}


def test_a_program_is_no_profile_and_is_told_what_to_write_instead() -> None:
    said = refused("raise SystemExit", "mine.py")
    assert '"mine.py" is a program, and a profile never runs one' in said
    assert "model = " in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('\nmodle = "x"', 'work.toml, line 2: there is no setting "modle". The nearest is "model".'),
        (
            "[llm]\ntemprature = 1",
            'line 2: there is no setting "llm.temprature". The nearest is "llm.temperature".',
        ),
        ("xyzzy = 1", "`oi help options` names them all"),
        ('trace = "here"', 'there is no setting "trace"'),
        ('temperature = "hot"', 'line 1: "temperature" takes a number, not "hot".'),
        ("temperature = true", '"temperature" takes a number, not "true"'),
        ("max_steps = 1.5", '"max_steps" takes a whole number, not "1.5"'),
        ('glide = "yes"', '"glide" takes true or false, not "yes"'),
        ('writable = "x"', '"writable" takes a list of texts, not "x"'),
        ('approve = "maybe"', '"approve" cannot be "maybe". Choose one of: plan, ask, auto, all, never.'),
        ("model = []", '"model" takes a text, not "[]"'),
        ("model = ", "is not TOML"),
        (b"model = '\xff'", "is not UTF-8 text: byte 9"),
        (b"#" * 100_001, "more than 100000 bytes"),
    ],
)
def test_what_cannot_be_set_is_said_with_its_place_and_what_would_work(text: str | bytes, said: str) -> None:
    assert said in refused(text)


def test_a_file_of_another_kind_is_refused_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match=r'end in \.toml, \.yaml, \.yml, \.json, not from "mine\.ini"'):
        read(tmp_path / "mine.ini")
    with pytest.raises(BadSetting, match="cannot be read: No such file"):
        read(tmp_path / "mine.toml")


def test_json_is_read_too() -> None:
    assert parse(b'{"llm": {"model": "a/b"}}', "x.json", "x.json").values == {"model": "a/b"}
    assert "holds no settings" in refused("[1]", "x.json")
    assert "is not JSON" in refused("[" * 5000, "x.json")


@given(st.text(max_size=200))
def test_any_text_is_settings_or_one_sentence(text: str) -> None:
    for file in ("any.toml", "any.json"):
        try:
            parse(text.encode("utf-8", "replace"), file, file)
        except BadSetting as error:
            assert file in str(error)  # noqa: PT017 - either this or settings


@pytest.mark.parametrize("name", ["default", "os", "local", "fast", "safe"])
def test_the_profiles_that_come_along_can_be_read(name: str) -> None:
    layer = read(SHIPPED / f"{name}.toml")
    assert layer.notes == ()
    assert bool(layer.values) == (name != "default")


def test_the_commented_lines_of_the_default_profile_are_settings() -> None:
    text = (SHIPPED / "default.toml").read_text(encoding="utf-8")
    lines = [line.removeprefix("# ") for line in text.splitlines() if " = " in line]
    assert len(lines) >= 5
    assert len(toml("\n".join(lines))) == len(lines)


def test_each_key_of_the_classic_leads_to_one_of_ours_or_to_an_answer() -> None:
    ours = {option.key for option in OPTIONS if option.in_files}
    assert set(RENAMED.values()) <= ours
    assert not set(RENAMED) & set(ANSWERED)
