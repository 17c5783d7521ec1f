"""Settings -> the language model: what it can do, which dialect it is spoken to in, and what carries the requests."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from computer_agent.code_settings import BadSetting
from computer_agent.context.budget import Budget
from computer_agent.context.history import History
from computer_agent.context.provider import provider_of
from computer_agent.hosts import served_here
from computer_agent.local import capabilities, servers
from computer_agent.local.capabilities import Patience
from computer_agent.model_settings import key_of
from computer_agent.models import prices
from computer_agent.models.dialects.table import Shown, dialect_name, dialect_of, space_of, wire_of
from computer_agent.models.dialects.text_dialect import TextDialect
from computer_agent.models.language_model import LanguageModel
from computer_agent.models.transports.failures import Asked, no_key
from computer_agent.models.transports.http import Http
from computer_agent.models.transports.litellm import Litellm
from computer_agent.models.wires.chat import ChatWire
from computer_agent.models.wires.gemini import GeminiWire
from computer_agent.models.wires.messages import MessagesWire
from computer_agent.models.wires.ollama import OllamaWire
from computer_agent.models.wires.responses import ResponsesWire
from computer_agent.models.wires.wire import Asking
from computer_agent.system_prompt import system_prompt

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from computer_agent.context.history import Observe
    from computer_agent.local.capabilities import Capabilities
    from computer_agent.models.dialect import Dialect, Transport, WireName
    from computer_agent.models.grounding import Grounded
    from computer_agent.models.wires.wire import Wire
    from computer_agent.settings import Settings

_REPLY_SECONDS = 120.0  # how long a model may be silent
_MAX_TOKENS = 4096
_SMALL_WINDOW = 16_000  # tokens: there only the newest picture is sent
_OLLAMA = ("ollama_chat/", "ollama/")
_OPENAI_LIKE = ("openai/", "openai_like/", "custom_openai/", "lm_studio/", "hosted_vllm/", "llamafile/")

# Where each vendor's own protocol is spoken, and the variables that its key and its address may stand in.
_VENDORS: Mapping[WireName, tuple[str, tuple[str, ...], str]] = {
    "messages": ("https://api.anthropic.com/v1", ("ANTHROPIC_API_KEY",), "ANTHROPIC_BASE_URL"),
    "responses": ("https://api.openai.com/v1", ("OPENAI_API_KEY",), "OPENAI_BASE_URL"),
    "gemini": (
        "https://generativelanguage.googleapis.com/v1beta",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        "GEMINI_BASE_URL",
    ),
}
_FREE: Mapping[str, Any] = {"input_cost_per_token": 0.0, "output_cost_per_token": 0.0}
_OWN_NAMES: Mapping[WireName, str] = {"messages": "anthropic/", "responses": "openai/", "gemini": "gemini/"}


def language_model(settings: Settings, say: Callable[[str], None]) -> LanguageModel:
    """The model that the settings name; ``say`` hears what takes a while. Raises ``ModelError`` and ``BadSetting``."""
    able = abilities(settings, say)
    name = settings.model or ""
    if settings.os:
        spoken = dialect_name(name, named=settings.llm.dialect, calls_tools=able.calls_tools)
    else:  # a family that was taught about screens alone has no words for code
        spoken = "printed" if able.calls_tools is False or settings.llm.dialect == "printed" else "functions"
    dialect = _dialect(settings, spoken, able)
    return LanguageModel(
        name,
        dialect=dialect,
        transport=_transport(settings, wire_of(spoken), able),
        budget=Budget(settings.limits.dollars, _prices(settings)),
        window=able.context_window,
    )


def model_in(
    dialect: Callable[[Capabilities], Dialect],
    settings: Settings,
    say: Callable[[str], None],
    *,
    transport: Transport | None = None,
) -> LanguageModel:
    """The model that the settings name, spoken to over chat completions in a dialect of the caller's.

    The dialect is made once it is known what the model can do. A ``transport`` of the caller's stands for a model of
    which no more is known than its name. Raises ``ModelError`` and ``BadSetting``.
    """
    name = settings.model or ""
    if transport is None:
        able = abilities(settings, say)
        transport = _transport(settings, "chat", able)
    else:
        said = capabilities.said(settings.llm)
        able = replace(said.over(capabilities.hosted(name)), calls_tools=said.calls_tools)
    return LanguageModel(
        name,
        dialect=dialect(able),
        transport=transport,
        budget=Budget(settings.limits.dollars, _prices(settings)),
    )


def chosen_model(settings: Settings, say: Callable[[str], None]) -> LanguageModel | Grounded:
    """The model that decides, with a second one that points where the settings name one.

    Raises ``ModelError`` and ``BadSetting``.
    """
    planner = language_model(settings, say)
    if settings.llm.grounder is None or not settings.os:
        return planner
    from computer_agent.models.dialects.function_calling import FunctionCalling
    from computer_agent.models.grounding import Grounded, pointing

    if not isinstance(planner.dialect, FunctionCalling):
        raise BadSetting(
            f'--grounder "{settings.llm.grounder}" needs a planner that calls our functions: '
            "take another model, or add --dialect functions."
        )
    theirs = _grounders(settings)
    name = theirs.model or ""
    grounder = LanguageModel(
        name,
        dialect=pointing(name),
        transport=_transport(theirs, "chat", capabilities.Capabilities()),
        budget=Budget(settings.limits.dollars, _prices(theirs)),
    )
    return Grounded(planner, grounder)


def _grounders(settings: Settings) -> Settings:
    """The settings with the model that points in place of the other: ``provider/model``, or ``model@http://...``."""
    llm, named = settings.llm, settings.llm.grounder or ""
    at = named.find("@http")
    name, address = (named, None) if at < 0 else (named[:at], named[at + 1 :])
    key = llm.api_key if address is not None and address == llm.api_base else None
    asked = replace(llm, api_base=address, api_key=key, api_version=None, transport="auto", grounder=None)
    return replace(settings, model=name, llm=asked)


def abilities(settings: Settings, say: Callable[[str], None]) -> Capabilities:
    """What the model can do: as the person says, else as its server or the packaged table says."""
    llm, name = settings.llm, settings.model or ""
    said = capabilities.said(llm)
    if llm.api_base is None and not name.startswith(_OLLAMA):
        return said.over(capabilities.hosted(name))
    if None not in (said.sees, said.calls_tools, said.context_window):
        return said
    known = None not in (said.sees, said.calls_tools)
    found = capabilities.probe(
        _address(settings),
        _bare(name),
        state=settings.state,
        api_key=llm.api_key,
        patience=Patience(trial=0.0) if known else Patience(),
        say=say,
    )
    return said.over(found)


def chosen_locally(
    settings: Settings, *, ask: Callable[[str], str | None] | None, say: Callable[[str], None]
) -> Settings:
    """The settings with a model of this machine, which the person takes from a menu. Raises ``ModelError``."""
    from computer_agent.local.menu import Menu, Wishes

    llm = settings.llm
    menu = Menu(ask=ask, say=say, state=settings.state, environment=settings.environment)
    wishes = Wishes(model=settings.model, api_base=llm.api_base, api_key=llm.api_key, offline=llm.offline)
    choice = menu.choose(wishes)
    return replace(settings, model=choice.name, llm=replace(llm, api_base=choice.api_base))


def reached(settings: Settings) -> tuple[str, ...]:
    """The servers that a run with these settings may reach while it is offline. Raises ``BadSetting``."""
    if settings.model in (None, "steps", "replay"):
        return ()
    if settings.llm.api_base is None and not (settings.model or "").startswith(_OLLAMA):
        raise BadSetting(
            f'--offline needs a model whose server is named, and "{settings.model}" is somewhere on the internet. '
            "Take one of this machine with --local, or name a server with --api-base."
        )
    return (_address(settings), *(reached(_grounders(settings)) if settings.llm.grounder else ()))


def _dialect(settings: Settings, spoken: str, able: Capabilities) -> Dialect:
    llm, name = settings.llm, settings.model or ""
    small = able.context_window is not None and able.context_window < _SMALL_WINDOW
    history = History(
        provider=provider_of(name),
        observe=_observe(settings, able),
        pictures=llm.pictures,
        sees=able.sees is not False,
        **({"kept": 1, "chunk": 1} if small else {}),
    )
    if wire_of(spoken) != "chat" and (history.observe, history.pictures) != ("picture", "full"):
        raise BadSetting(
            f'The dialect "{spoken}" is a vendor\'s tool, which is shown whole pictures: leave --observe and '
            "--pictures out, or add --dialect functions."
        )
    shown = Shown(
        system=system_prompt(settings), history=history, templates=llm.templates, space=space_of(name)
    )
    dialect = dialect_of(spoken, shown)
    if isinstance(dialect, TextDialect) and dialect.needs_pictures and history.observe == "text":
        raise BadSetting(
            f'The dialect "{spoken}" is about places on pictures, and "{name}" is shown none. '
            "Add --dialect functions or printed, or --supports-vision if it can see."
        )
    return dialect


def _observe(settings: Settings, able: Capabilities) -> Observe:
    """How the model is shown the screen."""
    if not settings.os:
        return "nothing"
    return settings.llm.observe or ("text" if able.sees is False else "picture")


def _transport(settings: Settings, wire: WireName, able: Capabilities) -> Transport:
    llm, name = settings.llm, settings.model or ""
    longest = llm.max_tokens or min(_MAX_TOKENS, able.max_tokens or _MAX_TOKENS)
    timeout = min(_REPLY_SECONDS, settings.limits.seconds)
    carried = _carried(settings, wire, able)
    if carried is None:
        return Litellm(
            name,
            api_base=llm.api_base,
            api_key=llm.api_key,
            api_version=llm.api_version,
            temperature=llm.temperature,
            max_tokens=longest,
            timeout=timeout,
            prices=_prices(settings),
        )
    keys = _VENDORS[wire][1] if wire in _VENDORS else ()
    found = next(filter(None, map(settings.environment.get, keys)), None)
    if wire in _VENDORS and not (llm.api_key or found) and _address(settings, wire) == _VENDORS[wire][0]:
        raise no_key(Asked(model=name, keys=keys))
    return Http(
        name,
        wire=carried,
        asking=Asking(model=_bare(name), max_tokens=longest, temperature=llm.temperature),
        api_base=_address(settings, wire),
        api_key=llm.api_key or (key_of(found, " or ".join(keys)) if llm.api_base is None else None),
        timeout=timeout,
        prices=_prices(settings),
        keys=keys,
    )


def _prices(settings: Settings) -> Mapping[str, Any] | None:
    """Dollars a token: none on this machine, and nobody knows at a server of somebody else's."""
    base, name = settings.llm.api_base, settings.model or ""
    if name.startswith(_OLLAMA) or served_here(base):
        return _FREE
    vendors = {urlsplit(usual).hostname for usual, _, _ in _VENDORS.values()}
    if base is not None and urlsplit(base).hostname not in vendors:
        return None
    return prices.row(name)


def _carried(settings: Settings, wire: WireName, able: Capabilities) -> Wire | None:
    """The wire of our own client; ``None`` where litellm carries it.

    Ours takes what needs nothing that only litellm knows: servers that speak chat completions, Ollama, and the vendors'
    own protocols at the vendors themselves.
    """
    llm, name = settings.llm, settings.model or ""
    if llm.transport == "litellm" and wire != "gemini":
        return None
    if wire != "chat":
        ours = name.startswith(_OWN_NAMES[wire]) or "/" not in name or llm.api_base is not None
        return _NATIVE[wire] if ours or llm.transport == "http" else None
    if name.startswith(_OLLAMA):
        return OllamaWire(context=able.context_window)
    here = served_here(llm.api_base)
    plain = llm.api_base is not None and name.startswith(_OPENAI_LIKE)
    if llm.transport == "http" and llm.api_base is None:
        raise BadSetting(
            "--transport http needs the address of a server: --api-base http://127.0.0.1:1234/v1."
        )
    return ChatWire() if here or plain or llm.transport == "http" else None


def _address(settings: Settings, wire: WireName = "chat") -> str:
    """Where the model is served, with the version of the API that an address without any path leaves out."""
    if settings.llm.api_base is not None:
        ollama = (settings.model or "").startswith(_OLLAMA)
        base = settings.llm.api_base
        return servers.root_of(base) if ollama else _versioned(base, wire)
    if wire in _VENDORS:
        usual, _, variable = _VENDORS[wire]
        return _versioned(settings.environment.get(variable) or usual, wire)
    return servers.ollama_root(settings.environment.get("OLLAMA_HOST", "") or "127.0.0.1:11434")


def _versioned(address: str, wire: WireName) -> str:
    if urlsplit(address).path.strip("/"):
        return address
    return f"{address.rstrip('/')}/{'v1beta' if wire == 'gemini' else 'v1'}"


def _bare(name: str) -> str:
    """The name as the server knows it: without litellm's word for whom to ask."""
    prefixes = (*_OLLAMA, *_OPENAI_LIKE, *_OWN_NAMES.values())
    return next((name.removeprefix(prefix) for prefix in prefixes if name.startswith(prefix)), name)


_NATIVE: Mapping[WireName, Wire] = {
    "messages": MessagesWire(),
    "responses": ResponsesWire(),
    "gemini": GeminiWire(),
}
