"""Every flag of Open Interpreter is accepted, or answered with what replaced it; the help fits a screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from computer_agent.cli import _parser, main
from computer_agent.flags import HELP, IGNORED, REPLACED
from computer_agent.options import OPTIONS
from computer_agent.settings import from_flags
from computer_agent.system_prompt import rules, system_prompt

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable

    from computer_agent.settings import Settings

# A flag of the classic as one would type it, and what our settings are then.
ACCEPTED: dict[str, Callable[[Settings], object]] = {
    "-ci Metric": lambda s: s.llm.custom_instructions == "Metric",
    "--custom_instructions Metric": lambda s: s.llm.custom_instructions == "Metric",
    "-sm Rules": lambda s: s.llm.system_message == "Rules",
    "--system_message Rules": lambda s: s.llm.system_message == "Rules",
    "-y": lambda s: s.approval == "all",
    "--auto_run": lambda s: s.approval == "all",
    "-nhl": lambda s: not s.chat.highlight_active_line,
    "--no_highlight_active_line": lambda s: not s.chat.highlight_active_line,
    "-v": lambda s: s.chat.verbose,
    "--verbose": lambda s: s.chat.verbose,
    "-debug": lambda s: s.chat.verbose,
    "--debug": lambda s: s.chat.verbose,
    "--debug_mode": lambda s: s.chat.verbose,
    "-m a/b": lambda s: s.model == "a/b",
    "--model a/b": lambda s: s.model == "a/b",
    "-t 0.5": lambda s: s.llm.temperature == 0.5,
    "--temperature 0": lambda s: s.llm.temperature == 0,
    "-lsv": lambda s: s.llm.supports_vision is True,
    "--llm_supports_vision": lambda s: s.llm.supports_vision is True,
    "--no-llm_supports_vision": lambda s: s.llm.supports_vision is False,
    "-lsf": lambda s: s.llm.supports_functions is True,
    "--llm_supports_functions": lambda s: s.llm.supports_functions is True,
    "--no-llm_supports_functions": lambda s: s.llm.supports_functions is False,
    "-cw 9000": lambda s: s.llm.context_window == 9000,
    "--context_window 9000": lambda s: s.llm.context_window == 9000,
    "-x 500": lambda s: s.llm.max_tokens == 500,
    "--max_tokens 500": lambda s: s.llm.max_tokens == 500,
    "-b 0.5": lambda s: s.limits.dollars == 0.5,
    "--max_budget 0.5": lambda s: s.limits.dollars == 0.5,
    "-ab http://127.0.0.1:1": lambda s: s.llm.api_base == "http://127.0.0.1:1",
    "--api_base http://127.0.0.1:1": lambda s: s.llm.api_base == "http://127.0.0.1:1",
    "-ak k": lambda s: s.llm.api_key == "k",
    "--api_key k": lambda s: s.llm.api_key == "k",
    "-av 2025": lambda s: s.llm.api_version == "2025",
    "--api_version 2025": lambda s: s.llm.api_version == "2025",
    "-o": lambda s: s.llm.offline,
    "--offline": lambda s: s.llm.offline,
    "-xo 2800": lambda s: s.code.max_output == 2800,
    "--max_output 2800": lambda s: s.code.max_output == 2800,
    "--loop": lambda s: s.chat.loop,
    "-dt": lambda s: s.task == "",
    "--disable_telemetry": lambda s: s.task == "",
    "-safe ask": lambda s: s.approval == "ask",
    "--safe_mode auto -y": lambda s: s.approval == "auto",
    "-ml": lambda s: s.chat.multi_line,
    "--multi_line": lambda s: s.chat.multi_line,
    "-l": lambda s: s.llm.local,
    "--local": lambda s: s.llm.local,
    "-os": lambda s: s.os,
    "--os": lambda s: s.os,
    "-pl": lambda s: s.chat.plain,
    "--plain": lambda s: s.chat.plain,
    "-s": lambda s: s.chat.plain,
    "--stdin": lambda s: s.chat.plain,
    # The 1.0 preview's.
    "--api-base http://127.0.0.1:1": lambda s: s.llm.api_base == "http://127.0.0.1:1",
    "--api-key k": lambda s: s.llm.api_key == "k",
    "--api-version 2025": lambda s: s.llm.api_version == "2025",
    "--max-tokens 500": lambda s: s.llm.max_tokens == 500,
    "--auto-run": lambda s: s.approval == "all",
    "--no-tool-calling": lambda s: s.llm.supports_functions is False,
    "--system-message Rules": lambda s: s.llm.system_message == "Rules",
    "--instructions Metric": lambda s: s.llm.custom_instructions == "Metric",
    "--max-turns 3": lambda s: s.limits.steps == 3,
}  # fmt: skip

PROFILES = {"-p fast": "fast", "--profile fast": "fast", "-f": "fast", "--fast": "fast"}

ANSWERED = [
    "-sp",
    "--speak_messages",
    "--codestral",
    "--assistant",
    "--llama3",
    "--groq",
    "-vi",
    "--vision",
    "--local_models",
    "--server",
    "--contribute_conversation",
    "--voice",
    "--serve",
    "--provider",
    "--tools=a,b",
    "--allowed-commands=ls",
    "--allowed-paths=.",
    "--interactive",
    "--no-interactive",
    "--input=x",
    "--save-profile=x",
]

ELSEWHERE = ["--profiles", "--reset_profile", "--conversations"]


def parsed(*words: str) -> Namespace:
    return _parser().parse_args(list(words))


@pytest.mark.parametrize("words", ACCEPTED)
def test_a_flag_of_the_classic_does_what_it_did(words: str) -> None:
    assert ACCEPTED[words](
        from_flags(parsed(*words.split(maxsplit=1) if "-y" not in words else words.split()), {})
    )


@pytest.mark.parametrize(("words", "name"), PROFILES.items())
def test_a_flag_names_a_profile(words: str, name: str) -> None:
    assert from_flags(parsed(*words.split()), {}).profile == name


@pytest.mark.parametrize("flag", ANSWERED)
def test_a_flag_that_is_gone_is_answered_in_one_sentence(
    flag: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main([flag, "a task"])
    out, err = capsys.readouterr()
    assert (end.value.code, out) == (2, "")
    name = flag.partition("=")[0]
    assert err.startswith(f"{name}: ")
    assert err.count("\n") == 1
    assert len(err) > len(name) + 20


@pytest.mark.parametrize("flag", ELSEWHERE)
def test_a_command_that_looks_like_a_flag_says_so_when_it_is_not_the_first_word(
    flag: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["-y", flag])
    assert f"{flag}: It stands by itself" in capsys.readouterr().err


def test_all_flags_that_are_answered_are_tried_here() -> None:
    tried = {flag.partition("=")[0] for flag in ANSWERED} | set(ELSEWHERE)
    assert {flag for flags in REPLACED for flag in flags} == tried | {"--reset-profile"}
    assert {flag for flags in IGNORED for flag in flags} <= set(ACCEPTED)


def test_an_unknown_flag_is_told_the_one_that_was_perhaps_meant(capsys: pytest.CaptureFixture[str]) -> None:
    for flag, meant in {
        "--modle": "--model",
        "--max_step=3": "--max-steps",
        "--aproove": "--approve",
    }.items():
        with pytest.raises(SystemExit) as end:
            main([flag])
        assert end.value.code == 2
        err = capsys.readouterr().err
        assert f"Did you mean {meant}?" in err
        assert err.count("\n") == 1


def test_what_was_not_given_is_left_open_for_the_files() -> None:
    flags = parsed()
    assert [option.key for option in OPTIONS if getattr(flags, option.key, None) is not None] == []


def test_help_fits_a_screen_and_begins_with_the_commonest_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == HELP.splitlines()
    assert len(lines) <= 23  # and the next prompt
    assert max(map(len, lines)) < 80
    commands = [line.split("  ")[1] for line in lines if line.startswith("  oi")]
    assert commands[:3] == ["oi", 'oi --os "fill in the form"', "oi replay TRACE"]


def test_help_options_names_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "options"]) == 0
    out = capsys.readouterr().out
    assert [option.key for option in OPTIONS if option.flags and option.flags[-1] not in out] == []
    assert "--speak_messages" not in out


def test_one_s_own_rules_stand_in_place_of_ours() -> None:
    prompt = system_prompt(from_flags(parsed("--os", "-sm", "Be a poet."), {}))
    assert prompt.startswith("Be a poet.\n\n")
    assert rules() not in prompt
