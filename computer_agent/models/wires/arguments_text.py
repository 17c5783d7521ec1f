"""The arguments of a call as an object that every provider takes back, whatever the model wrote."""

from __future__ import annotations

import json
from typing import Any

from computer_agent.models.dialects.printed_calls import object_in

UNREADABLE = "unreadable_arguments"


def object_of(arguments: str) -> dict[str, Any]:
    """The JSON object that the text is, with the usual slips mended; else one that holds the text itself."""
    try:
        given = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        given = None
    if isinstance(given, dict):
        return given
    return object_in(arguments) or {UNREADABLE: arguments}
