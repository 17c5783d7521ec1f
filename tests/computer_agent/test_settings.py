"""Flags over environment over defaults, and a sentence for what cannot be used."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from computer_agent.cli import _parser
from computer_agent.limits import Limits
from computer_agent.options import DEFAULT_MODELS, key_that_is_set
from computer_agent.settings import (
    BadSetting,
    Settings,
    from_flags,
    known_secrets,
    parse_size,
    state_folder,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


def settings(*words: str, **environment: str) -> Settings:
    return from_flags(_parser().parse_args(list(words)), environment)


def test_without_a_word_everything_has_its_default() -> None:
    plain = settings()
    assert (plain.os, plain.task, plain.model, plain.desktop) == (False, "", None, None)
    assert (plain.size, plain.approval, plain.limits) == ((1280, 800), "ask", Limits())
    assert (plain.trace, plain.llm.api_base, plain.llm.api_key, dict(plain.values)) == (None, None, None, {})


@pytest.mark.parametrize(
    ("flag", "variable", "name", "first", "second"),
    [
        ("--model", "OI_MODEL", "model", "steps", "openai/gpt-5"),
        ("--desktop", "OI_DESKTOP", "desktop", "memory", "private"),
    ],
)
def test_a_flag_is_stronger_than_its_variable(
    flag: str, variable: str, name: str, first: str, second: str
) -> None:
    assert getattr(settings(**{variable: second}), name) == second
    assert getattr(settings(flag, first, **{variable: second}), name) == first
    assert getattr(settings(**{variable: ""}), name) is None


def test_local_is_stronger_than_the_model_of_the_environment_and_than_a_key() -> None:
    usual = {"OI_MODEL": "openai/gpt-5", "ANTHROPIC_API_KEY": "sk-a"}
    assert settings("--local", **usual).model is None
    assert settings("--local", "--model", "qwen3-vl:8b", **usual).model == "qwen3-vl:8b"
    assert settings(**usual).model == "openai/gpt-5"


def test_a_size_comes_from_its_flag_its_variable_or_is_the_usual_one() -> None:
    assert settings(OI_SIZE="800x600").size == (800, 600)
    assert settings("--size", "1024X768", OI_SIZE="800x600").size == (1024, 768)


def test_short_and_classic_names_mean_the_same() -> None:
    assert settings("-y").approval == settings("--auto_run").approval == settings("--yes").approval == "all"
    assert settings("--private").desktop == "private"
    assert settings("-m", "steps", "-ab", "http://x", "-ak", "k", "-b", "2").limits.dollars == 2


def test_the_pointer_glides_only_when_asked_to() -> None:
    assert not settings().glide
    assert settings("--glide").glide


def test_the_model_is_the_one_of_the_first_key_that_is_set() -> None:
    every = dict.fromkeys(DEFAULT_MODELS, "key")
    assert key_that_is_set(every) == "ANTHROPIC_API_KEY"
    assert key_that_is_set({"GEMINI_API_KEY": "key", "OPENAI_API_KEY": ""}) == "GEMINI_API_KEY"
    assert key_that_is_set({}) is None
    assert settings(OI_MODEL="steps", **every).model == "steps"
    assert settings(**every).model == DEFAULT_MODELS["ANTHROPIC_API_KEY"]


@given(st.integers(320, 16384), st.integers(200, 16384))
def test_a_size_is_width_and_height(width: int, height: int) -> None:
    assert parse_size(f"{width}x{height}") == (width, height)


def test_the_desktop_is_shared_by_asking_unless_something_else_is_said() -> None:
    assert settings().share == "ask"
    assert settings("--share", "wait").share == "wait"


def test_the_screen_to_work_on_comes_from_its_flag_its_variable_or_is_all_of_them() -> None:
    assert settings().monitor is None
    assert settings(OI_SCREEN="1").monitor == 1
    assert settings("--screen", "all", OI_SCREEN="1").monitor is None
    for wrong in ("-1", "left", "1.5", "0x1"):
        with pytest.raises(BadSetting, match=f'A screen is 0 .*not "{wrong}"'):
            settings(f"--screen={wrong}")


@given(st.text(max_size=12))
def test_a_text_is_a_size_or_an_error_that_quotes_it(text: str) -> None:
    try:
        width, height = parse_size(text)
    except BadSetting as error:
        assert f'"{text}"' in str(error)  # noqa: PT017 - either this or a size
    else:
        assert 320 <= width <= 16384
        assert 200 <= height <= 16384


@pytest.mark.parametrize(
    "text", ["1280", "1280x", "x800", "1280*800", "-1280x800", "1280x80²", "12.5x800", "½x800"]
)
def test_what_is_no_size_is_an_error_with_an_example(text: str) -> None:
    with pytest.raises(BadSetting, match="such as 1280x800, not") as failure:
        parse_size(text)
    assert f'"{text}"' in str(failure.value)


@pytest.mark.parametrize("text", ["10x10", "0x0", "319x800", "1280x199", "99999x800"])
def test_a_size_that_no_screen_has_is_an_error_with_the_range(text: str) -> None:
    with pytest.raises(BadSetting, match="between 320x200 and 16384x16384"):
        settings("--size", text)


@pytest.mark.parametrize(
    ("flag", "value"),
    [
        ("--max-steps", "0"),
        ("--max-steps", "-3"),
        ("--max-seconds", "0"),
        ("--max-seconds", "nan"),
        ("--max-budget", "-1"),
        ("--max-budget", "nan"),
    ],
)
def test_a_limit_is_a_number_above_nothing(flag: str, value: str) -> None:
    with pytest.raises(BadSetting, match=f"^{flag} takes a number above 0, not") as failure:
        settings(f"{flag}={value}")
    assert f'"{value}"' in str(failure.value)


def test_limits_are_taken_as_given() -> None:
    given_ = settings("--max-steps", "3", "--max-seconds", "1.5", "--max-budget", "0.25")
    assert given_.limits == Limits(steps=3, seconds=1.5, dollars=0.25)


def test_a_desktop_that_there_is_none_of_is_an_error_with_those_there_are() -> None:
    with pytest.raises(
        BadSetting, match=r'There is no desktop "wayland"\. Choose one of: x11, private, memory'
    ):
        settings(OI_DESKTOP="wayland")


# The task.


def test_the_task_is_the_words_and_the_file_after_them(tmp_path: Path) -> None:
    file = tmp_path / "task.txt"
    file.write_text('type "Zürich"\n', encoding="utf-8")
    assert settings("fill", "in", "the form").task == "fill in the form"
    assert settings("--file", str(file)).task == 'type "Zürich"\n'
    assert settings("First this.", "--file", str(file)).task == 'First this.\ntype "Zürich"\n'


def test_a_mark_at_the_beginning_of_a_file_is_no_part_of_the_task(tmp_path: Path) -> None:
    (tmp_path / "task.txt").write_text("look", encoding="utf-8-sig")
    assert settings("--file", str(tmp_path / "task.txt")).task == "look"


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "No such file"), (b"caf\xe9", r"is not UTF-8 text: byte 3 is 0xe9\. Save it as UTF-8")],
)
def test_a_task_file_that_cannot_be_read_is_an_error_that_says_why(
    tmp_path: Path, content: bytes | None, said: str
) -> None:
    path = tmp_path / "task.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BadSetting, match=said) as failure:
        settings("--file", str(path))
    assert f'"{path}"' in str(failure.value)


def test_a_folder_is_no_task_file(tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match="cannot be read: Is a directory"):
        settings("--file", str(tmp_path))


# Secrets.


def test_values_are_given_by_name_and_may_hold_equals_signs() -> None:
    given_ = settings("--var", "secret1=a=b", "--var", "Password=", "--var", "x=1")
    assert dict(given_.values) == {"secret1": "a=b", "Password": "", "x": "1"}


@pytest.mark.parametrize("words", ["secret1", "=hunter2", ""])
def test_a_value_without_a_name_is_an_error_with_an_example(words: str) -> None:
    with pytest.raises(BadSetting, match="--var secret1=hunter2"):
        settings("--var", words)


def test_settings_that_are_printed_show_no_key_no_value_and_no_environment() -> None:
    printed = repr(settings("--api-key", "sk-1", "--var", "secret1=hunter2", OPENAI_API_KEY="sk-2"))
    for secret in ("sk-1", "hunter2", "sk-2"):
        assert secret not in printed


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"XDG_STATE_HOME": "/state"}, Path("/state/oi")),
        ({"XDG_STATE_HOME": ""}, Path.home() / ".local/state/oi"),
        ({}, Path.home() / ".local/state/oi"),
    ],
)
def test_traces_go_into_the_users_state_folder(environment: Mapping[str, str], folder: Path) -> None:
    home = Path.home()
    expected = folder if folder.is_relative_to("/state") else home / ".local/state/oi"
    assert state_folder(environment) == expected
    assert settings(**environment).traces == expected / "traces"


def test_a_trace_goes_where_it_was_told_to_go() -> None:
    assert settings("--trace", "here").trace == Path("here")


# ------------------------------------------------------------------ the model


@pytest.mark.parametrize(
    ("flag", "variable", "name", "first", "second"),
    [
        ("--api-base", "OI_API_BASE", "api_base", "http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1"),
        ("--api-key", "OI_API_KEY", "api_key", "one", "two"),
        ("--api-version", "OI_API_VERSION", "api_version", "2024-01", "2025-01"),
        ("--dialect", "OI_DIALECT", "dialect", "qwen-3", "ui-tars-1.5"),
        ("--grounder", "OI_GROUNDER", "grounder", "openai/one", "openai/two"),
    ],
)
def test_a_flag_about_the_model_is_stronger_than_its_variable(
    flag: str, variable: str, name: str, first: str, second: str
) -> None:
    assert getattr(settings(**{variable: second}).llm, name) == second
    assert getattr(settings(flag, first, **{variable: second}).llm, name) == first
    assert getattr(settings(**{variable: ""}).llm, name) is None


def test_what_a_model_can_do_is_yes_no_or_still_to_be_found_out() -> None:
    assert settings().llm.supports_vision is None
    assert settings("--llm_supports_vision").llm.supports_vision is True
    assert settings("--no-llm_supports_functions").llm.supports_functions is False


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--context-window", "0"), '--context-window takes a number of tokens above 0, not "0"'),
        (("--max-tokens", "-5"), '--max-tokens takes a number of tokens above 0, not "-5"'),
        (("--temperature", "3"), '--temperature takes a number from 0 to 2, not "3"'),
        (("--temperature", "nan"), '--temperature takes a number from 0 to 2, not "nan"'),
        (("--transport", "pigeon"), '--transport cannot be "pigeon". Choose one of: auto, litellm, http.'),
        (("--code-output-template", "Look!"), 'once, for the text itself; "Look!" does not'),
        (("--user-message-template", "{content}{content}"), "once, for the text itself"),
        (("--custom-instructions", "@nowhere.md"), 'The instructions in "nowhere.md" cannot be read'),
    ],
)
def test_what_a_model_cannot_be_told_is_said_in_a_sentence(words: tuple[str, ...], said: str) -> None:
    with pytest.raises(BadSetting) as raised:
        settings(*words)
    assert said in str(raised.value)


def test_instructions_can_stand_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.md"
    file.write_text("\ufeffUse the metric system.", encoding="utf-8")
    assert settings("-ci", f"@{file}").llm.custom_instructions == "Use the metric system."


def test_keys_that_were_given_are_known_as_secrets_and_short_words_are_not() -> None:
    given = settings(
        "--api-key",
        "sk-given-0123456789",
        ANTHROPIC_API_KEY="sk-ant-0123456789",
        GH_TOKEN="short",  # noqa: S106 - none
        PATH="/usr/bin:/bin:/sbin",
    )
    assert known_secrets(given) == {"sk-given-0123456789", "sk-ant-0123456789"}
