"""What the next request will cost, so that a run stops before it and not after."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from computer_agent.context.tokens import Forecast
from computer_agent.models.model import OverBudget
from computer_agent.models.usage import dollars_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from computer_agent.step import Usage


@dataclass(slots=True)
class Budget:
    """The dollars that a run may cost, ``None`` for no limit, and the row of prices, ``None`` where it is not known.

    ``elsewhere`` is what a second model of the run has cost, ``None`` where that is not known.
    What is foreseen follows what was counted: as much of the prompt as the last request held is taken to be in the
    provider's cache if that one found its own beginning there, and nothing was dropped since.
    """

    dollars: float | None
    prices: Mapping[str, Any] | None
    forecast: Forecast = field(default_factory=Forecast)
    elsewhere: float | None = field(default=0.0, init=False)
    _cached: bool = field(default=False, init=False)
    _pruned: int = field(default=0, init=False)

    def foreseen(self, estimate: int, pruned: int) -> float | None:
        """Dollars of a request of so many estimated tokens; ``None`` where the price is not known."""
        if self.prices is None:
            return None
        into = self.forecast.tokens(estimate)
        cached = min(into, self.forecast.last) if self._cached and pruned == self._pruned else 0
        written = into - cached if "cache_creation_input_token_cost" in self.prices else 0
        return dollars_of(self.prices, (into, cached, written, self.forecast.reply))

    def check(self, estimate: int, pruned: int, spent: float | None) -> None:
        """Raise ``OverBudget`` where the next request would cost more than is left."""
        if self.dollars is None:
            return
        foreseen = self.foreseen(estimate, pruned)
        if foreseen is None or spent is None or self.elsewhere is None:
            raise OverBudget(
                "A budget was set, but the price of this model is not known, so it cannot be kept. "
                "Run it without --max-budget, or limit it with --max-steps."
            )
        spent += self.elsewhere
        if spent + foreseen > self.dollars:
            raise OverBudget(
                f"The next step would cost about ${foreseen:.4f}, and ${spent:.4f} of the budget of ${self.dollars:g} "
                "is spent. Allow more with --max-budget."
            )

    def counted(self, estimate: int, pruned: int, usage: Usage) -> None:
        """The provider counted that for the request."""
        self.forecast.counted(estimate, usage.tokens_in, usage.tokens_out)
        self._cached, self._pruned = usage.tokens_cached > 0, pruned

    def rewritten(self) -> None:
        """The next prompt begins otherwise than the last: nothing of it is in the provider's cache."""
        self._cached = False
