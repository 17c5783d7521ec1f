"""What a model can do: said by the person, told by its server, found out by asking it, or read from a table.

What was found out is kept in the state folder, so that it is found out once.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from computer_agent.approval.code.visible import visible
from computer_agent.local import servers, trial
from computer_agent.local.kept import read_object, write_object
from computer_agent.local.server import NAMES, LocalServer
from computer_agent.models import prices

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from computer_agent.local.server import Kind, LocalModel
    from computer_agent.model_settings import ModelSettings

FILE = "capabilities.json"
OLLAMA_CONTEXT = 32_768
"""How many tokens Ollama is told to hold unless the person says otherwise: fifty steps with pictures take 23,000, and
what a model could hold at most seldom fits into the memory of this machine."""
_LONGEST_REPLY = 4096
_KEPT = 200  # models; the oldest are forgotten


class Patience(NamedTuple):
    """How many seconds a server has for all that it tells, and for each trial; 0 tries nothing."""

    answer: float = 5.0
    trial: float = trial.SECONDS


_USUAL = Patience()


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What a model can do; ``None`` is unknown. Tokens: what it holds, and its longest reply."""

    sees: bool | None = None
    calls_tools: bool | None = None
    context_window: int | None = None
    max_tokens: int | None = None

    def over(self, other: Capabilities) -> Capabilities:
        """These, and the other's where these are unknown."""
        known = {name: value for name, value in asdict(self).items() if value is not None}
        return replace(other, **known)


def said(settings: ModelSettings) -> Capabilities:
    """What the person said of the model."""
    return Capabilities(
        sees=settings.supports_vision,
        calls_tools=settings.supports_functions,
        context_window=settings.context_window,
        max_tokens=settings.max_tokens,
    )


def hosted(model: str) -> Capabilities:
    """What the packaged table says of a model as litellm names it."""
    row = prices.row(model)
    if row is None:
        return Capabilities()
    return Capabilities(
        sees=_flag(row.get("supports_vision")),
        calls_tools=_flag(row.get("supports_function_calling")),
        context_window=_count(row.get("max_input_tokens")),
        max_tokens=_count(row.get("max_output_tokens")),
    )


def probe(
    api_base: str,
    model: str,
    *,
    state: Path,
    api_key: str | None = None,
    patience: Patience = _USUAL,
    say: Callable[[str], None] = lambda _: None,
) -> Capabilities:
    """What the model of that name, as its server knows it, can do; found out once for each version of it.

    What the server does not tell is tried with up to four requests for one token, of which ``say`` is told before.
    Raises ``ModelError`` for an address that is none; a server that is away leaves all unknown.
    """
    root = servers.root_of(api_base)
    answered = servers.look(
        [servers.Address(root=root, key=api_key)], seconds=patience.answer, only=(model,)
    )[0]
    server = answered if isinstance(answered, LocalServer) else None
    known = None if server is None else server.model(model)
    version = "" if known is None else known.version or ""
    file, key = state / FILE, json.dumps([root, model], ensure_ascii=False)
    kept = _kept(read_object(file).get(key), version)
    told = Capabilities() if server is None or known is None else _told(server, known)
    sure = replace(told, calls_tools=None) if server is not None and _is_doubtful(server.kind, told) else told
    found = sure.over(kept)  # what it tells is of now, such as how much it holds since it was started again
    if (found.sees is None or found.calls_tools is None) and patience.trial > 0 and server is not None:
        say(f'What "{visible(model)}" can do is not all told by {NAMES[server.kind]}: trying it, once.')
        tried = trial.tried(server.api_base, model, api_key=api_key, seconds=patience.trial)
        found = found.over(Capabilities(sees=tried.sees, calls_tools=tried.calls_tools))
    if found != kept and server is not None:
        _keep(file, key, found, version)
    return found.over(told)


def _told(server: LocalServer, model: LocalModel) -> Capabilities:
    window = model.context
    if server.kind == "ollama" and window is not None:
        window = min(window, OLLAMA_CONTEXT)
    elif server.kind == "lm_studio" and not model.loaded:
        window = None  # how much it will hold is the person's setting in LM Studio, seldom the most it could
    longest = None if window is None else min(_LONGEST_REPLY, max(1, window // 4))
    return Capabilities(
        sees=model.sees, calls_tools=model.calls_tools, context_window=window, max_tokens=longest
    )


def _is_doubtful(kind: Kind, told: Capabilities) -> bool:
    """LM Studio can lose pictures where a request has tools, too (lmstudio-ai/lmstudio-bug-tracker#245)."""
    return kind == "lm_studio" and told.sees is True and told.calls_tools is True


def _kept(entry: object, version: str) -> Capabilities:
    """The kept entry, as far as it is of this version and nobody has put something else in the file."""
    if not isinstance(entry, dict) or entry.get("version") != version:
        return Capabilities()
    return Capabilities(
        sees=_flag(entry.get("sees")),
        calls_tools=_flag(entry.get("calls_tools")),
        context_window=_count(entry.get("context_window")),
        max_tokens=_count(entry.get("max_tokens")),
    )


def _keep(file: Path, key: str, found: Capabilities, version: str) -> None:
    entries: Mapping[str, Any] = read_object(file)
    others = {name: value for name, value in entries.items() if name != key}
    newest = dict(list(others.items())[-(_KEPT - 1) :])
    with suppress(OSError):  # a folder that cannot be written to costs the questions of next time, no more
        write_object(file, {**newest, key: {**asdict(found), "version": version}})


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
