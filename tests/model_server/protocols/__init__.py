"""The providers' protocols, picked by path."""

from __future__ import annotations

from typing import TYPE_CHECKING

from model_server.protocols.chat import Chat
from model_server.protocols.gemini import Gemini
from model_server.protocols.messages import Messages
from model_server.protocols.ollama import Ollama
from model_server.protocols.responses import Responses

if TYPE_CHECKING:
    from model_server.protocols.protocol import WireProtocol

__all__ = ["Chat", "Gemini", "Messages", "Ollama", "Responses", "protocol_at"]


def protocol_at(path: str) -> WireProtocol | None:
    """The protocol that is spoken at the path of a POST; ``None`` where nothing is."""
    place = path.partition("?")[0]
    if place.endswith((":generateContent", ":streamGenerateContent")):
        return Gemini()
    ends: dict[str, WireProtocol] = {
        "/chat/completions": Chat(),
        "/responses": Responses(),
        "/messages": Messages(),
        "/api/chat": Ollama(),
    }
    return next((protocol for end, protocol in ends.items() if place.endswith(end)), None)
