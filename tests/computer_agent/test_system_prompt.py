"""What every request begins with."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from pathlib import Path

from computer_agent.code_settings import CodeSettings
from computer_agent.model_settings import ModelSettings
from computer_agent.settings import Settings
from computer_agent.system_prompt import rules, system_prompt

DAY = dt.date(2026, 11, 28)
SETTINGS = Settings(os=True, code=CodeSettings(workspace=Path("/home/ada/trip")), desktop="private")


def test_it_begins_with_the_rules_and_says_what_computer_this_is() -> None:
    prompt = system_prompt(SETTINGS, today=DAY)
    assert prompt.startswith(rules())
    assert "python 3." in prompt
    assert "/home/ada/trip" in prompt
    assert "2026-11-28, Saturday" in prompt
    assert "$" not in prompt


def test_it_is_the_same_all_day_so_that_caches_hold_it() -> None:
    assert system_prompt(SETTINGS) == system_prompt(SETTINGS)


def test_the_persons_own_instructions_come_last_and_word_for_word() -> None:
    own = "Use the metric system. Costs are in $ and in {EUR}."
    prompt = system_prompt(replace(SETTINGS, llm=ModelSettings(custom_instructions=own)), today=DAY)
    assert prompt.endswith(own)
    assert "from them, as the task is" in prompt


def test_only_languages_whose_program_is_there_are_named(tmp_path: Path) -> None:
    (tmp_path / "node").touch(mode=0o755)
    prompt = system_prompt(replace(SETTINGS, environment={"PATH": str(tmp_path)}), today=DAY)
    assert "javascript" in prompt
    assert "shell" not in prompt.rpartition("This computer")[2]


def test_it_is_short() -> None:
    assert len(system_prompt(SETTINGS, today=DAY)) < 5500  # characters: some 1400 tokens of every request
