"""Prices and limits of hosted models: litellm's packaged table, read as a file, since to import it takes seconds."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_FILE = "model_prices_and_context_window_backup.json"
_ANY = "sample_spec"  # the row that explains the others


@lru_cache(maxsize=64)
def row(model: str) -> Mapping[str, Any] | None:
    """The model's row, with or without the provider before its name; ``None`` when it has none.

    Prices are dollars a token, ``input_cost_per_token`` and the like; ``max_input_tokens`` and ``max_output_tokens``
    are limits, ``supports_vision`` and ``supports_function_calling`` abilities.
    """
    table = _text()
    for name in dict.fromkeys((model, model.partition("/")[2])):
        found = _row(table, name) if name and name != _ANY else None
        if found is not None:
            return found
    return None


def names() -> tuple[str, ...]:
    """All models that have a row; none where litellm is not installed."""
    text = _text()
    return tuple(name for name in json.loads(text) if name != _ANY) if text else ()


def _row(table: str, name: str) -> Mapping[str, Any] | None:
    """Only this row is parsed: the whole takes ten times as long, and its objects stay in memory for a while."""
    key = f"\n    {json.dumps(name)}: "
    start = table.find(key)
    if start >= 0:
        found = json.JSONDecoder().raw_decode(table, start + len(key))[0]
    elif table.startswith("{\n    "):
        return None
    else:  # written otherwise than it is today
        found = json.loads(table or "{}").get(name)
    return found if isinstance(found, dict) else None


def _text() -> str:
    file = _file()
    if file is None:
        return ""
    try:
        return file.read_text(encoding="utf-8")
    except OSError:
        return ""


def _file() -> Path | None:
    """Where the table lies; to look for a package does not import it."""
    from importlib.util import find_spec
    from pathlib import Path

    spec = find_spec("litellm")
    return Path(spec.origin).with_name(_FILE) if spec is not None and spec.origin is not None else None
