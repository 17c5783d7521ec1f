"""Settings -> the language model: which dialect it is spoken to in, and what carries the requests."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from computer_agent.context.history import History
from computer_agent.context.provider import provider_of
from computer_agent.models.dialects.function_calling import FunctionCalling
from computer_agent.models.language_model import LanguageModel
from computer_agent.models.transports.http import LOCAL_HOSTS, Http
from computer_agent.models.transports.litellm import Litellm
from computer_agent.models.wires.chat import ChatWire
from computer_agent.models.wires.wire import Asking
from computer_agent.system_prompt import system_prompt

if TYPE_CHECKING:
    from computer_agent.models.dialect import Transport
    from computer_agent.settings import Settings

_REPLY_SECONDS = 120.0  # how long a model may be silent
_MAX_TOKENS = 4096
_OPENAI_LIKE = ("openai/", "openai_like/", "custom_openai/", "lm_studio/", "hosted_vllm/", "llamafile/")


def language_model(settings: Settings) -> LanguageModel:
    """The model that the settings name. Raises ``ModelError``."""
    llm = settings.llm
    history = History(
        provider=provider_of(settings.model), observe=llm.observe or "picture", pictures=llm.pictures
    )
    return LanguageModel(
        settings.model or "",
        dialect=FunctionCalling(system_prompt(settings), history=history),
        transport=_transport(settings),
    )


def _transport(settings: Settings) -> Transport:
    llm, name = settings.llm, settings.model or ""
    timeout = min(_REPLY_SECONDS, settings.limits.seconds)
    if _is_plain(settings):
        assert llm.api_base is not None  # noqa: S101 - what is plain has one
        asking = Asking(
            model=_bare(name), max_tokens=llm.max_tokens or _MAX_TOKENS, temperature=llm.temperature
        )
        return Http(
            name,
            wire=ChatWire(),
            asking=asking,
            api_base=llm.api_base,
            api_key=llm.api_key,
            timeout=timeout,
        )
    return Litellm(
        name,
        api_base=llm.api_base,
        api_key=llm.api_key,
        api_version=llm.api_version,
        temperature=llm.temperature,
        max_tokens=llm.max_tokens or _MAX_TOKENS,
        timeout=timeout,
    )


def _is_plain(settings: Settings) -> bool:
    """Whether it is a server that speaks chat completions and needs nothing that only litellm knows."""
    llm, name = settings.llm, settings.model or ""
    if llm.transport == "litellm" or llm.api_base is None:
        return False
    here = urlsplit(llm.api_base).hostname in LOCAL_HOSTS
    return llm.transport == "http" or name.startswith(_OPENAI_LIKE) or here


def _bare(name: str) -> str:
    """The name as the server knows it: without litellm's word for whom to ask."""
    return next((name.removeprefix(prefix) for prefix in _OPENAI_LIKE if name.startswith(prefix)), name)
