"""Any hosted or local model, through litellm: asking, streaming, and naming what went wrong."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, assert_never

from computer_agent.hosts import served_here
from computer_agent.models.model import ModelError
from computer_agent.models.transports import litellm_library
from computer_agent.models.transports.failures import AnsweredError, Asked, FailedError, failure_of, no_key
from computer_agent.models.usage import usage_of
from computer_agent.models.wires.cache_marks import marked_chat
from computer_agent.models.wires.chat import Accumulator, messages_of
from computer_agent.models.wires.messages import MessagesReading, MessagesWire
from computer_agent.models.wires.responses import ResponsesReading, ResponsesWire
from computer_agent.models.wires.wire import Asking, ProviderError
from computer_agent.models.wires.written_code import follow

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from computer_agent.models.dialect import Prompt, Reply
    from computer_agent.models.wires.wire import Reading
    from computer_agent.step import Usage


@dataclass(slots=True)
class Litellm:
    """A model by litellm's name for it, ``provider/model``.

    ``api_base`` is the address of a server of one's own; a local one gets no key that it was not given.
    ``timeout`` is in seconds; ``prices`` is the row of prices, ``None`` for litellm's own.
    """

    model: str
    api_base: str | None = field(default=None, kw_only=True)
    api_key: str | None = field(default=None, kw_only=True, repr=False)
    api_version: str | None = field(default=None, kw_only=True)
    temperature: float | None = field(default=None, kw_only=True)
    max_tokens: int = field(default=4096, kw_only=True)
    timeout: float = field(default=120.0, kw_only=True)
    stream: bool = field(default=True, kw_only=True)
    prices: Mapping[str, Any] | None = field(default=None, kw_only=True, repr=False)
    _keys: tuple[str, ...] | None = field(default=None, init=False, repr=False)

    def warm_up(self) -> None:
        """Begin litellm's import in the background."""
        litellm_library.warm_up()

    def ask(self, prompt: Prompt, on_delta: Callable[[str], None]) -> Reply:
        """Ask once. Raises ``FailedError`` and ``ModelError``."""
        self._check_key()
        try:
            return self._once(prompt, on_delta)
        except ProviderError as said:
            answered = AnsweredError(str(said), said.status, said.code, None)
            raise FailedError(failure_of(answered, self._asked())) from said
        except _raised_by_litellm() as error:
            raise FailedError(failure_of(error, self._asked())) from error

    def _once(self, prompt: Prompt, on_delta: Callable[[str], None]) -> Reply:
        match prompt.wire:
            case "chat":
                return self._chat(prompt, on_delta)
            case "messages":
                return asyncio.run(self._messages(prompt, on_delta))
            case "responses":
                return self._responses(prompt, on_delta)
            case "gemini":  # it drops half of what a request for Gemini's computer tool says
                raise ModelError(
                    "Gemini's own protocol does not go through litellm: leave --transport at auto, "
                    "or take --dialect functions."
                )
            case _:
                assert_never(prompt.wire)

    def _chat(self, prompt: Prompt, on_delta: Callable[[str], None]) -> Reply:
        answer = litellm_library.library().completion(**self._request(prompt))
        reply = Accumulator()
        counted: dict[str, Any] = {}
        for chunk in answer if self.stream else [answer]:
            counted = _counted(chunk) or counted
            for choice in chunk.choices[:1]:
                said = choice.delta if self.stream else choice.message
                text = reply.add(said.model_dump(), choice.finish_reason)
                if text:
                    on_delta(text)
                follow(on_delta, reply.newest_call())
        return reply.reply(self._usage(counted))

    async def _messages(self, prompt: Prompt, on_delta: Callable[[str], None]) -> Reply:
        """Anthropic's messages, also where Amazon or Google serve them.

        litellm knows these asynchronously alone, and in one piece: its streams need the packages of its proxy.
        """
        body = MessagesWire().body(prompt, replace(self._asking(), stream=False))
        headers = {"extra_headers": dict(prompt.headers)} if prompt.headers else {}
        library = litellm_library.library()
        where = self._optional()
        if self.api_base is not None:  # to which litellm adds the version itself
            where["api_base"] = self.api_base.rstrip("/").removesuffix("/v1")
        answer = await library.anthropic.messages.acreate(**body, **headers, **where)
        reading = MessagesReading()
        on_delta(reading.whole(answer))
        return self._whole(reading)

    def _responses(self, prompt: Prompt, on_delta: Callable[[str], None]) -> Reply:
        """OpenAI's Responses, also where Azure serves them."""
        body = ResponsesWire().body(prompt, self._asking())
        answer = litellm_library.library().responses(**body, **self._optional())
        reading = ResponsesReading()
        if self.stream:
            for event in answer:
                text = reading.event(event.model_dump(mode="json", exclude_unset=True))
                if text:
                    on_delta(text)
        else:
            on_delta(reading.whole(answer.model_dump(mode="json", exclude_unset=True)))
        return self._whole(reading)

    def _whole(self, reading: Reading) -> Reply:
        if not reading.complete:
            raise ProviderError("The reply ended before it was whole.")
        return reading.reply(self._usage(reading.counted))

    def _usage(self, counted: Mapping[str, Any]) -> Usage:
        known = litellm_library.library().model_cost if self.prices is None else {self.model: self.prices}
        return usage_of(counted, self.model, known)

    def _asking(self) -> Asking:
        return Asking(
            model=self.model, max_tokens=self.max_tokens, temperature=self.temperature, stream=self.stream
        )

    def _request(self, prompt: Prompt) -> dict[str, Any]:
        request: dict[str, Any] = {
            "model": self.model,
            "messages": marked_chat(prompt) if "claude" in self.model.lower() else messages_of(prompt),
            "max_tokens": self.max_tokens,
            "stream": self.stream,
            "num_retries": 0,
            "max_retries": 0,
            **prompt.extra,
        }
        if prompt.tools:
            request["tools"] = list(prompt.tools)
        if self.stream:
            request["stream_options"] = {"include_usage": True}
        if self.temperature is not None:
            request["temperature"] = self.temperature
        return request | self._optional()

    def _optional(self) -> dict[str, Any]:
        """Where to, with which key, as far as it was said."""
        optional = {
            "api_base": self.api_base,
            "api_key": self._own_key(),
            "api_version": self.api_version,
            "timeout": self.timeout,
        }
        return {name: value for name, value in optional.items() if value is not None}

    def _own_key(self) -> str | None:
        """The key that was given; a local server without one gets a word, never a key from the environment."""
        return self.api_key or ("none" if self._is_local() else None)

    def _is_local(self) -> bool:
        return served_here(self.api_base)

    def _check_key(self) -> None:
        """Say that the key is missing before anything is sent. Asked once: it takes litellm a while."""
        if self._keys is None:
            missing = litellm_library.library().validate_environment(model=self.model)["missing_keys"]
            self._keys = tuple(name for name in missing if name.endswith("_API_KEY"))
            if self._keys == tuple(missing) and missing and self.api_key is None and self.api_base is None:
                asked, self._keys = self._asked(), None
                raise no_key(asked)

    def _asked(self) -> Asked:
        return Asked(
            model=self.model,
            api_base=self.api_base,
            keys=self._keys or (),
            known=tuple(litellm_library.library().model_cost),
            timeout=self.timeout,
        )


def _raised_by_litellm() -> tuple[type[Exception], ...]:
    """Every error of litellm's is one of openai's; a broken stream may also show as httpx's own."""
    import httpx
    import openai

    return (openai.OpenAIError, httpx.HTTPError)


def _counted(chunk: Any) -> dict[str, Any]:  # noqa: ANN401 - litellm ships no types
    usage = getattr(chunk, "usage", None)
    return {} if usage is None else usage.model_dump()
