"""Pictures in LMC messages as files."""

from __future__ import annotations

import base64
import binascii
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from computer_agent.lmc import Chunk


def bytes_of(message: Chunk) -> bytes | None:
    """The PNG or JPEG file of a picture's message, ``None`` for a description or what cannot be read."""
    content, form = str(message["content"]), str(message.get("format") or "base64")
    try:
        if form == "path":
            return Path(content).expanduser().read_bytes()
        if form.startswith("base64"):
            return base64.b64decode(content, validate=True)
    except (OSError, binascii.Error, ValueError):
        return None
    return None
