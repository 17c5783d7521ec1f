"""What a reply cost: tokens as the provider counted them, dollars from a table of prices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from computer_agent.step import Usage

_MOST = 1e12  # tokens that anybody counts
_LONG_PROMPT = 200_000  # tokens; some models cost more above

Prices = Mapping[str, Mapping[str, Any]]


def usage_of(counted: Mapping[str, Any], model: str, prices: Prices) -> Usage:
    """Tokens and dollars of one reply.

    ``counted`` is the ``usage`` of a chat completion; ``prices`` is litellm's table, dollars a token by model.
    """
    found = counted.get("prompt_tokens_details")
    details: Mapping[str, Any] = found if isinstance(found, Mapping) else {}
    cached = _first(details.get("cached_tokens"), counted.get("cache_read_input_tokens"))
    written = _first(counted.get("cache_creation_input_tokens"), details.get("cache_creation_tokens"))
    into, out = _first(counted.get("prompt_tokens")), _first(counted.get("completion_tokens"))
    price = price_of(model, prices)
    dollars = None if price is None else dollars_of(price, (into, cached, written, out))
    return Usage(tokens_in=into, tokens_out=out, tokens_cached=cached, dollars=dollars)


def price_of(model: str, prices: Prices) -> Mapping[str, Any] | None:
    """The model's row of the table, with or without the provider before its name; ``None`` when it has none."""
    for name in (model, model.partition("/")[2]):
        row = prices.get(name)
        if row is not None and row.get("input_cost_per_token") is not None:
            return row
    return None


def together(first: Usage, second: Usage) -> Usage:
    """The sum; its dollars are unknown if those of either are."""
    known = first.dollars is not None and second.dollars is not None
    return Usage(
        tokens_in=first.tokens_in + second.tokens_in,
        tokens_out=first.tokens_out + second.tokens_out,
        tokens_cached=first.tokens_cached + second.tokens_cached,
        dollars=(first.dollars or 0) + (second.dollars or 0) if known else None,
    )


def dollars_of(price: Mapping[str, Any], tokens: tuple[int, int, int, int]) -> float:
    """``tokens``: in all, of these read from and written to the cache, and out. Long prompts have their own price."""
    into, cached, written, out = tokens
    long = into > _LONG_PROMPT and "input_cost_per_token_above_200k_tokens" in price
    tier = "_above_200k_tokens" if long else ""

    def each(name: str, otherwise: float) -> float:
        found = price.get(f"{name}{tier}", price.get(name))
        return otherwise if found is None else float(found)

    plain = each("input_cost_per_token", 0)
    return (
        max(0, into - cached - written) * plain
        + cached * each("cache_read_input_token_cost", plain)
        + written * each("cache_creation_input_token_cost", plain)
        + out * each("output_cost_per_token", 0)
    )


def _first(*counts: object) -> int:
    """The first that is a number of tokens, 0 where none is: a server that cannot count can still answer."""
    return next((int(count) for count in counts if isinstance(count, int | float) and 0 < count < _MOST), 0)
