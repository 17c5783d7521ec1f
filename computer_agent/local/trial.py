"""What a server does not tell about a model, found out by asking the model for one token.

A server that takes no pictures or tools says so with an error, or leaves them out in silence: then the prompt has as
many tokens as without them, which its ``usage`` shows. Some leave pictures out only where there are tools, too.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    import httpx

SECONDS = 60.0  # a model may have to be loaded first
_MORE = 8  # tokens by which a picture or a tool makes a prompt longer, at least
_OK = 200
_REFUSALS = range(400, 600)
_NOT_OF_THE_MODEL = frozenset({401, 403, 404, 408, 429, 502, 503, 504})
_MOST_BYTES = 1_000_000

# 56 x 56 pixels of one grey: a side that patches of 14 and of 28 divide.
_PICTURE = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAADgAAAA4CAIAAAAn5KxJAAAAQklEQVR42u3OQQ0AAAgEIDX5RTeFDzdIQC"
    "epD6aeEBUVFRUVFRUVFRUVFRUVFRUVFRUVFRUVFRUVFRUVFRUVFRW9tq/pAfCwHco7AAAAAElFTkSuQmCC"
)
_TOOL = {
    "type": "function",
    "function": {
        "name": "press_key",
        "description": "Press one key of the keyboard, by its name.",
        "parameters": {
            "type": "object",
            "properties": {"key": {"type": "string", "description": "The key's name."}},
            "required": ["key"],
        },
    },
}


class Tried(NamedTuple):
    """What came of it; ``None`` is still unknown. Tools that make the model blind do not count as called."""

    sees: bool | None = None
    calls_tools: bool | None = None


class _Count(NamedTuple):
    """Whether the request was taken, ``None`` where something else failed, and how many tokens the prompt had."""

    taken: bool | None
    tokens: int | None = None


def tried(api_base: str, model: str, *, api_key: str | None = None, seconds: float = SECONDS) -> Tried:
    """Ask the server at ``api_base``, whose chat completions are under it, or under ``/v1``. ``seconds`` a request."""
    import httpx

    url = f"{api_base.rstrip('/').removesuffix('/v1')}/v1/chat/completions"
    headers = {} if api_key is None else {"Authorization": f"Bearer {api_key}"}
    with httpx.Client(
        trust_env=False, timeout=seconds, headers=headers, verify=url.startswith("https:")
    ) as http:
        plain = _asked(http, url, _body(model))
        if not plain.taken:
            return Tried()
        with_tools = _asked(http, url, _body(model, tools=True))
        with_picture = _asked(http, url, _body(model, picture=True))
        sees, calls_tools = _noticed(plain, with_picture), _noticed(plain, with_tools)
        if sees and calls_tools:
            with_both = _asked(http, url, _body(model, tools=True, picture=True))
            calls_tools = _noticed(with_tools, with_both) is not False
    return Tried(sees=sees, calls_tools=calls_tools)


def _body(model: str, *, tools: bool = False, picture: bool = False) -> dict[str, Any]:
    content: Any = "Hello"
    if picture:
        content = [{"type": "text", "text": content}, {"type": "image_url", "image_url": {"url": _PICTURE}}]
    body = {
        "model": model,
        "messages": [{"role": "user", "content": content}],
        "max_tokens": 1,
        "stream": False,
    }
    return body | {"tools": [_TOOL]} if tools else body


def _asked(http: httpx.Client, url: str, body: Mapping[str, Any]) -> _Count:
    import httpx

    try:
        response = http.post(url, json=body)
    except (httpx.HTTPError, httpx.InvalidURL):
        return _Count(taken=None)
    if response.status_code != _OK:
        refused = response.status_code in _REFUSALS and response.status_code not in _NOT_OF_THE_MODEL
        return _Count(taken=False if refused else None)
    try:
        told = json.loads(response.content) if len(response.content) < _MOST_BYTES else None
    except (ValueError, RecursionError):
        return _Count(taken=None)
    usage = told.get("usage") if isinstance(told, dict) else None
    tokens = usage.get("prompt_tokens") if isinstance(usage, dict) else None
    return _Count(taken=True, tokens=tokens if isinstance(tokens, int) else None)


def _noticed(plain: _Count, more: _Count) -> bool | None:
    """Whether what was added reached the model."""
    if more.taken is not True:
        return more.taken
    if plain.tokens is None or more.tokens is None:
        return None
    return more.tokens >= plain.tokens + _MORE
