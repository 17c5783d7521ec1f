"""Any hosted or local model, through litellm: asking, streaming, waiting, and naming what went wrong."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from computer_agent.models import litellm_library
from computer_agent.models.cache_marks import marked
from computer_agent.models.chat import Accumulator, Reply
from computer_agent.models.function_calling import FunctionCalling
from computer_agent.models.litellm_errors import Asked, failure_of, no_key
from computer_agent.models.model import RateLimited, Refused
from computer_agent.models.usage import usage_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from computer_agent.models.chat import Message
    from computer_agent.models.litellm_errors import Failure
    from computer_agent.step import Act, Answer, Observation, Step

_LONGEST_WAIT = 120.0  # seconds; a provider that wants more is told to the person
_FIRST_WAIT = 0.5
_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})


def _say_nothing(_: str) -> None:
    """Who does not want notices."""


@dataclass(slots=True)
class LitellmModel:
    """A model by litellm's name for it, ``provider/model``.

    ``api_base`` is the address of a server of one's own; a local one gets no key that it was not given.
    ``timeout`` is in seconds. ``wait`` sleeps between tries; ``on_notice`` is told, in a sentence, why.
    """

    name: str
    api_base: str | None = field(default=None, kw_only=True)
    api_key: str | None = field(default=None, kw_only=True, repr=False)
    temperature: float | None = field(default=None, kw_only=True)
    max_tokens: int = field(default=4096, kw_only=True)
    retries: int = field(default=4, kw_only=True)
    timeout: float = field(default=120.0, kw_only=True)
    stream: bool = field(default=True, kw_only=True)
    dialect: FunctionCalling = field(default_factory=FunctionCalling, kw_only=True, repr=False)
    wait: Callable[[float], None] = field(default=time.sleep, kw_only=True, repr=False)
    on_notice: Callable[[str], None] = field(default=_say_nothing, kw_only=True, repr=False)
    _keys: tuple[str, ...] | None = field(default=None, init=False, repr=False)

    @property
    def needs_pictures(self) -> bool:
        """It decides on screenshots, unless it is told the screen in words."""
        return self.dialect.observe != "text"

    def warm_up(self) -> None:
        """Begin litellm's import in the background."""
        litellm_library.warm_up()

    def decide(
        self, task: str, past: Sequence[Step], now: Observation, on_delta: Callable[[str], None]
    ) -> Act | Answer:
        """The next actions, or the answer that ends the run. Raises ``ModelError``."""
        return self.dialect.decide(self._ask, (task, past, now), on_delta)

    def _ask(
        self, messages: Sequence[Message], tools: Sequence[Message], on_delta: Callable[[str], None]
    ) -> Reply:
        """Ask until there is a reply: what passes by itself is tried again, with growing pauses."""
        self._check_key()
        tries = 0
        while True:
            try:
                return self._once(messages, tools, on_delta)
            except _raised_by_litellm() as error:
                failure = failure_of(error, self._asked())
                pause = self._pause(failure, tries)
                if pause is None:
                    raise failure.error from error
            tries += 1
            self.on_notice(
                f"{_reason(failure)} Asking again in {pause:.1f} seconds ({tries} of {self.retries})."
            )
            self.wait(pause)

    def _once(
        self, messages: Sequence[Message], tools: Sequence[Message], on_delta: Callable[[str], None]
    ) -> Reply:
        litellm = litellm_library.library()
        answer = litellm.completion(**self._request(messages, tools))
        reply = Accumulator()
        counted: dict[str, Any] = {}
        for chunk in answer if self.stream else [answer]:
            counted = _counted(chunk) or counted
            for choice in chunk.choices[:1]:
                said = choice.delta if self.stream else choice.message
                text = reply.add(said.model_dump(), choice.finish_reason)
                if text:
                    on_delta(text)
        if reply.finish == "content_filter" or reply.refusal:
            raise Refused(
                f'"{self.name}" will not do it.' + (f' It said: "{reply.refusal}"' if reply.refusal else "")
            )
        usage = usage_of(counted, self.name, litellm.model_cost)
        return Reply(message=reply.message(), finish=reply.finish, usage=usage)

    def _request(self, messages: Sequence[Message], tools: Sequence[Message]) -> dict[str, Any]:
        request: dict[str, Any] = {
            "model": self.name,
            "messages": marked(messages) if "claude" in self.name.lower() else list(messages),
            "tools": list(tools),
            "max_tokens": self.max_tokens,
            "timeout": self.timeout,
            "stream": self.stream,
            "num_retries": 0,
            "max_retries": 0,
        }
        if self.stream:
            request["stream_options"] = {"include_usage": True}
        optional = {"api_base": self.api_base, "api_key": self._own_key(), "temperature": self.temperature}
        return request | {name: value for name, value in optional.items() if value is not None}

    def _own_key(self) -> str | None:
        """The key that was given; a local server without one gets a word, never a key from the environment."""
        return self.api_key or ("none" if self._is_local() else None)

    def _is_local(self) -> bool:
        return self.api_base is not None and urlsplit(self.api_base).hostname in _LOCAL

    def _check_key(self) -> None:
        """Say that the key is missing before anything is sent. Asked once: it takes litellm a while."""
        if self._keys is None:
            missing = litellm_library.library().validate_environment(model=self.name)["missing_keys"]
            self._keys = tuple(name for name in missing if name.endswith("_API_KEY"))
            if self._keys == tuple(missing) and missing and self.api_key is None and self.api_base is None:
                asked, self._keys = self._asked(), None
                raise no_key(asked)

    def _asked(self) -> Asked:
        return Asked(
            model=self.name,
            api_base=self.api_base,
            keys=self._keys or (),
            known=tuple(litellm_library.library().model_cost),
            timeout=self.timeout,
        )

    def _pause(self, failure: Failure, tries: int) -> float | None:
        """Seconds until the next try, ``None`` when there is none."""
        wished = failure.retry_after
        if not failure.passing or tries >= self.retries or (wished or 0) > _LONGEST_WAIT:
            return None
        jitter = random.uniform(0, 0.25)  # noqa: S311 - so that several agents do not come back together
        return wished + jitter if wished is not None else _FIRST_WAIT * 2**tries * (1 + jitter)


def _raised_by_litellm() -> tuple[type[Exception], ...]:
    """Every error of litellm's is one of openai's; a broken stream may also show as httpx's own."""
    import httpx
    import openai

    return (openai.OpenAIError, httpx.HTTPError)


def _counted(chunk: Any) -> dict[str, Any]:  # noqa: ANN401 - litellm ships no types
    usage = getattr(chunk, "usage", None)
    return {} if usage is None else usage.model_dump()


def _reason(failure: Failure) -> str:
    return "Too many requests." if isinstance(failure.error, RateLimited) else "The model's server failed."
