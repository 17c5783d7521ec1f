"""The packaged table of prices is read as a file, one row at a time."""

import json
import subprocess
import sys

import pytest

from computer_agent.models import prices


def test_a_row_has_prices_a_token_limits_and_abilities() -> None:
    row = prices.row("claude-sonnet-4-5")
    assert row is not None
    assert (row["input_cost_per_token"], row["output_cost_per_token"]) == (3e-06, 1.5e-05)
    assert (row["max_input_tokens"], row["supports_vision"], row["supports_function_calling"]) == (
        200_000,
        True,
        True,
    )


def test_the_provider_before_a_name_may_be_part_of_it_or_not() -> None:
    assert prices.row("anthropic/claude-sonnet-4-5") == prices.row("claude-sonnet-4-5")
    own, other = prices.row("gemini/gemini-2.5-pro"), prices.row("gemini-2.5-pro")
    assert own is not None
    assert other is not None
    assert own["litellm_provider"] != other["litellm_provider"]


@pytest.mark.parametrize("name", ["", "nobody/nothing", "sample_spec", 'x"y', "litellm_provider", "é"])
def test_what_has_no_row_is_unknown(name: str) -> None:
    assert prices.row(name) is None


def test_every_name_has_its_row() -> None:
    names = prices.names()
    assert len(names) > 4000
    for name in names[:: len(names) // 20]:
        row = prices.row(name)
        assert row is not None, name
        assert "litellm_provider" in row


def test_a_table_that_is_written_otherwise_is_read_as_well() -> None:
    table = {"sample_spec": {}, "a/b": {"input_cost_per_token": 1.0}, "c": 5}
    for text in (json.dumps(table), json.dumps(table, indent=2), json.dumps(table, indent=4)):
        assert prices._row(text, "a/b") == {"input_cost_per_token": 1.0}
        assert prices._row(text, "c") is None
        assert prices._row(text, "b") is None


def test_reading_a_row_imports_nothing_of_litellm() -> None:
    code = (
        "import sys; from computer_agent.models import prices; print(prices.row('gpt-5')['mode']);"
        "print([name for name in sys.modules if name.partition('.')[0] in ('litellm', 'httpx', 'openai')])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split("\n")[:2] == ["chat", "[]"]
