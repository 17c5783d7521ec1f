"""A request as the server got it: the same questions for every protocol, and the rules that it must keep."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from model_server.pictures import Picture
from model_server.protocols import Chat, protocol_at
from model_server.protocols.chat import parts_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from model_server.protocols.protocol import Item, ProtocolName, WireProtocol

__all__ = ["Picture", "Request", "text_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One POST: where to, with which headers (lower case), the bytes, and the body as JSON."""

    path: str
    headers: Mapping[str, str]
    raw: bytes
    body: dict[str, Any]

    @property
    def wire(self) -> WireProtocol:
        """The protocol that is spoken at its path."""
        return protocol_at(self.path) or Chat()

    @property
    def protocol(self) -> ProtocolName:
        """What the protocol is called."""
        return self.wire.name

    @property
    def model(self) -> str:
        """The model that is asked."""
        named = str(self.body.get("model", ""))
        return named or self.path.rpartition("/")[2].partition(":")[0]

    @property
    def streamed(self) -> bool:
        """Whether it wants a stream."""
        return self.wire.streams(self)

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages, items or contents, oldest first."""
        return self.wire.messages(self.body)

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools as they were declared."""
        return list(self.body.get("tools") or ())

    def tool_names(self) -> list[str]:
        """The names of the functions that the model may call; a vendor's own tool has its type as its name."""
        return [name for tool in self.tools for name in _names(tool)]

    def items(self) -> list[Item]:
        """All that it says, oldest first."""
        return list(self.wire.items(self.body))

    def parts(self) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        """Every content part of chat completions with its message, a plain string as a text part."""
        for message in self.messages:
            for part in parts_of(message):
                yield message, part

    def texts(self, role: str) -> list[str]:
        """All texts of ``system``, ``user``, ``assistant`` or ``tool``, oldest first."""
        return [item.text for item in self.items() if item.kind == "text" and item.role == role]

    def thinking(self) -> list[str]:
        """The model's earlier thoughts that came back."""
        return [item.text for item in self.items() if item.kind == "thinking"]

    def pictures(self) -> list[Picture]:
        """All pictures, oldest first."""
        return [item.picture for item in self.items() if item.picture is not None]

    def calls(self) -> list[tuple[str, dict[str, Any], str]]:
        """The model's own earlier calls: name, arguments, and the text that answered each.

        OpenAI's computer call is named ``computer``; its arguments are the action, or ``{"actions": [...]}``.
        """
        made: list[tuple[str, dict[str, Any], list[str]]] = []
        answers: dict[str, list[str]] = {}
        for item in self.items():
            if item.kind == "call":
                answers[item.call] = []
                made.append((item.name, item.arguments, answers[item.call]))
            elif item.kind == "text" and item.call in answers:
                answers[item.call].append(item.text)
        return [(name, arguments, "\n".join(texts)) for name, arguments, texts in made]

    def violations(self) -> list[str]:
        """What a strict provider would refuse about this request."""
        try:
            self.items()
            return list(self.wire.violations(self))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            return [f"the request cannot be read: {type(error).__name__}: {error}"]


def text_of(message: Mapping[str, Any]) -> str:
    """The text of a message of chat completions, whatever form its content has."""
    return "\n".join(part["text"] for part in parts_of(dict(message)) if part["type"] == "text")


def _names(tool: Mapping[str, Any]) -> list[str]:
    declared = tool.get("functionDeclarations") or tool.get("function_declarations")
    if declared is not None:
        return [str(function["name"]) for function in declared]
    inner = tool.get("function") or tool
    if "name" in inner:
        return [str(inner["name"])]
    return [str(tool["type"])] if "type" in tool else [str(name) for name in tool]
