"""What a request will take and cost, before it is sent."""

import base64

import numpy as np
import pytest

from computer_agent.context.budget import Budget
from computer_agent.context.provider import provider_of
from computer_agent.context.tokens import Forecast, tokens_of
from computer_agent.models.dialect import Prompt
from computer_agent.models.model import OverBudget
from computer_agent.step import Usage
from computer_api.geometry import Size
from computer_vision.picture import jpeg, png

CLAUDE = provider_of("anthropic/claude-sonnet-4-5")
PRICES = {
    "input_cost_per_token": 3e-6,
    "output_cost_per_token": 15e-6,
    "cache_read_input_token_cost": 0.3e-6,
    "cache_creation_input_token_cost": 3.75e-6,
}


def noise(size: Size) -> np.ndarray:
    return np.random.default_rng(1).integers(0, 255, (size.height, size.width, 4), np.uint8)


def url(data: bytes, kind: str) -> str:
    return f"data:image/{kind};base64,{base64.b64encode(data).decode()}"


@pytest.mark.parametrize("size", [Size(1280, 800), Size(320, 200), Size(33, 7)])
def test_a_picture_counts_by_its_size_whatever_its_bytes_and_its_place_in_the_prompt(size: Size) -> None:
    data = {"png": png(noise(size)), "jpeg": jpeg(noise(size))}
    texts = [url(data[kind], kind) for kind in data]
    for picture in texts:
        prompt = Prompt(wire="chat", system="", messages=({"content": [{"url": picture}]},))
        without = Prompt(wire="chat", system="", messages=({"content": [{"url": ""}]},))
        counted = tokens_of(prompt, CLAUDE) - tokens_of(without, CLAUDE)
        assert abs(counted - CLAUDE.tokens(size)) <= 1


def test_a_large_picture_in_plain_base64_counts_as_a_picture_too() -> None:
    data = base64.b64encode(png(noise(Size(640, 400)))).decode()
    prompt = Prompt(wire="messages", system="", messages=({"source": {"data": data}},))
    assert tokens_of(prompt, CLAUDE) < CLAUDE.tokens(Size(640, 400)) + 20


def test_text_counts_about_as_providers_count_it() -> None:
    words = "Click the Save button at the right of the form, then wait. " * 100
    assert 1000 < tokens_of(Prompt(wire="chat", system=words, messages=()), CLAUDE) < 2200


def test_the_forecast_follows_what_was_counted() -> None:
    forecast = Forecast()
    assert forecast.tokens(1000) == 1000
    forecast.counted(1000, 1300, 50)
    assert forecast.tokens(2000) == 2600
    assert forecast.reply == 50


def test_what_the_last_request_held_costs_a_tenth_once_the_provider_has_said_so() -> None:
    budget = Budget(None, PRICES)
    first = budget.foreseen(10_000, 0)
    budget.counted(10_000, 0, Usage(tokens_in=10_000, tokens_out=300, tokens_cached=5000))
    second = budget.foreseen(11_000, 0)
    after_a_drop = budget.foreseen(11_000, 3)
    assert first == pytest.approx(10_000 * 3.75e-6 + 300 * 15e-6)
    assert second == pytest.approx(10_000 * 0.3e-6 + 1000 * 3.75e-6 + 300 * 15e-6)
    assert after_a_drop == pytest.approx(11_000 * 3.75e-6 + 300 * 15e-6)


def test_the_step_that_would_cost_too_much_is_not_taken() -> None:
    budget = Budget(0.05, PRICES)
    budget.check(10_000, 0, 0.0)  # $0.042
    with pytest.raises(OverBudget, match=r"about \$0\.0420, and \$0\.0100 of the budget of \$0\.05 is spent"):
        budget.check(10_000, 0, 0.01)


@pytest.mark.parametrize(("prices", "spent"), [(None, 0.0), (PRICES, None)])
def test_a_budget_cannot_be_kept_where_a_price_is_not_known(
    prices: dict[str, float] | None, spent: float | None
) -> None:
    with pytest.raises(OverBudget, match="the price of this model is not known"):
        Budget(1.0, prices).check(10, 0, spent)
    Budget(None, prices).check(10, 0, spent)
