"""Pictures in messages: as bytes, and of which kind."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from computer_agent.lmc import Chunk


def picture_in(message: Chunk) -> bytes | None:
    """The PNG or JPEG file that a message of a picture holds; ``None`` for another, or one that holds none."""
    if message.get("type") != "image" or not str(message.get("format", "")).startswith("base64"):
        return None
    try:
        data = base64.b64decode(str(message.get("content") or ""), validate=True)
    except ValueError:
        return None
    return data or None


def picture_message(role: str, picture: bytes) -> Chunk:
    """A picture as a message of that role."""
    kind = "jpeg" if ending_of(picture) == "jpg" else "png"
    content = base64.b64encode(picture).decode()
    return {"role": role, "type": "image", "format": f"base64.{kind}", "content": content}


def ending_of(picture: bytes) -> str:
    """What the name of its file ends with."""
    return "jpg" if picture.startswith(b"\xff\xd8") else "png"


def media_type(picture: bytes) -> str:
    """``image/png`` or ``image/jpeg``."""
    return "image/jpeg" if ending_of(picture) == "jpg" else "image/png"
