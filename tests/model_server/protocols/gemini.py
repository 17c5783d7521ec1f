"""Gemini's generateContent."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from model_server import pictures
from model_server.protocols.protocol import Event, Item, Saying, arguments_object, compact, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from model_server.brain import Status
    from model_server.protocols.protocol import ProtocolName
    from model_server.request import Request

_FINISH = {
    "stop": "STOP",
    "tool_calls": "STOP",
    "length": "MAX_TOKENS",
    "content_filter": "SAFETY",
    "malformed": "MALFORMED_FUNCTION_CALL",
}
_STATUS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
_WORDS = {
    "auth": "API key not valid. Please pass a valid API key.",
    "forbidden": "Permission denied: Consumer has been suspended.",
    "quota": "You exceeded your current quota, please check your plan and billing details.",
    "no_model": "models/scripted is not found for API version v1beta, or is not supported for generateContent.",
    "rate": "Resource has been exhausted (e.g. check quota).",
    "overloaded": "The model is overloaded. Please try again later.",
    "context": "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    "content_filter": "The prompt was blocked.",
}


@dataclass(frozen=True, slots=True)
class Gemini:
    """Contents of parts; the model and the wish for a stream stand in the path."""

    name: ProtocolName = "gemini"
    framing: Literal["sse", "ndjson"] = "sse"

    def streams(self, request: Request) -> bool:
        return ":streamGenerateContent" in request.path

    def head(self, body: dict[str, Any]) -> dict[str, Any]:
        system = body.get("systemInstruction") or body.get("system_instruction")
        return {"tools": body.get("tools"), "systemInstruction": system}

    def messages(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        return list(body["contents"])

    def items(self, body: dict[str, Any]) -> Iterator[Item]:
        """Calls have no id: the n-th answer of a turn is that of the n-th call of the turn before."""
        system = self.head(body)["systemInstruction"] or {}
        for part in system.get("parts") or ():
            yield Item(kind="text", role="system", turn=-1, text=part["text"])
        for turn, content in enumerate(body["contents"]):
            yield from _items(content, turn)

    def violations(self, request: Request) -> Iterator[str]:
        """See ``strict_gemini``."""
        from model_server.protocols.strict_gemini import violations

        yield from violations(request)

    def events(self, saying: Saying) -> Iterator[Event]:
        """Calls come whole, one an event; the last event has an empty text and the reason to end."""
        for part in _parts(saying, whole=False):
            yield Event(compact(_response(saying, [part])))
        last = _response(saying, [{"text": ""}], finish=_finish(saying))
        if "no_stream_usage" in saying.quirks:
            del last["usageMetadata"]
        yield Event(compact(last), ends=True)

    def whole(self, saying: Saying) -> dict[str, Any]:
        return _response(saying, list(_parts(saying, whole=True)), finish=_finish(saying))

    def failure(self, fault: Status) -> dict[str, Any]:
        status = fault.code or _STATUS.get(fault.status, "UNKNOWN")
        error = {"code": fault.status, "message": words_of(fault, _WORDS), "status": status}
        if fault.retry_after is None or fault.dated:
            return {"error": error}
        retry = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{fault.retry_after:g}s"}
        return {"error": error | {"details": [retry]}}

    def failing(self, fault: Status) -> Event:
        return Event(compact(self.failure(fault)))


def _items(content: dict[str, Any], turn: int) -> Iterator[Item]:
    role = "assistant" if content.get("role") == "model" else "user"
    called = answered = 0
    for part in content["parts"]:
        if "functionCall" in part:
            call = part["functionCall"]
            own = f"{turn}.{called}"
            given = call.get("args") or {}
            yield Item(kind="call", role=role, turn=turn, call=own, name=call["name"], arguments=given)
            called += 1
        elif "functionResponse" in part:
            yield from _answer(part["functionResponse"], turn, f"{turn - 1}.{answered}")
            answered += 1
        else:
            yield from _part(part, role, turn, "")


def _answer(answer: dict[str, Any], turn: int, call: str) -> Iterator[Item]:
    response = answer.get("response") or {}
    plain = next((response[name] for name in ("output", "result", "error") if name in response), None)
    text = plain if isinstance(plain, str) else json.dumps(response, ensure_ascii=False)
    yield Item(kind="text", role="tool", turn=turn, text=text, call=call, failed="error" in response)
    for part in answer.get("parts") or ():
        yield from _part(part, "tool", turn, call)


def _part(part: dict[str, Any], role: str, turn: int, call: str) -> Iterator[Item]:
    inline = part.get("inlineData") or part.get("inline_data")
    if inline is not None:
        kind = inline.get("mimeType") or inline.get("mime_type")
        picture = pictures.decoded(inline["data"], kind, role=role, turn=turn, call=call)
        yield Item(kind="picture", role=role, turn=turn, picture=picture, call=call)
    elif "text" in part:
        yield Item(
            kind="thinking" if part.get("thought") else "text",
            role=role,
            turn=turn,
            text=part["text"],
            call=call,
        )


def _parts(saying: Saying, *, whole: bool) -> Iterator[dict[str, Any]]:
    """The first call has the signature, else the last text."""
    reply = saying.reply
    signed = {"thoughtSignature": saying.signature} if saying.signature else {}
    for piece in _pieces(saying, reply.thinking, whole=whole):
        yield {"text": piece, "thought": True}
    texts = list(_pieces(saying, reply.text or reply.refusal, whole=whole))
    for place, piece in enumerate(texts):
        closes = not reply.calls and place == len(texts) - 1
        yield {"text": piece} | (signed if closes else {})
    for place, call in enumerate(saying.calls()):
        given = arguments_object(call)
        if given is not None:  # else the reply ends with MALFORMED_FUNCTION_CALL
            yield {"functionCall": {"name": call.name, "args": given}} | (signed if place == 0 else {})


def _pieces(saying: Saying, text: str, *, whole: bool) -> Iterator[str]:
    return iter([text] if text else []) if whole else saying.pieces(text)


def _finish(saying: Saying) -> str:
    if any(arguments_object(call) is None for call in saying.calls()):
        return "MALFORMED_FUNCTION_CALL"
    return _FINISH.get(saying.finish, saying.finish)


def _response(saying: Saying, parts: list[dict[str, Any]], finish: str | None = None) -> dict[str, Any]:
    into, out, cached = saying.reply.tokens
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
    if finish is not None:
        candidate["finishReason"] = finish
    if finish == "MALFORMED_FUNCTION_CALL":
        candidate["content"] = {}
        candidate["finishMessage"] = "Malformed function call: print(computer(action='click'"
    usage = {"promptTokenCount": into, "totalTokenCount": into + out}
    if finish is not None:
        usage["candidatesTokenCount"] = out - saying.reply.reasoned
    if saying.reply.reasoned:
        usage["thoughtsTokenCount"] = saying.reply.reasoned
    if cached:
        usage["cachedContentTokenCount"] = cached
    return {
        "candidates": [candidate],
        "usageMetadata": usage,
        "modelVersion": saying.model,
        "responseId": f"response_{saying.before}",
    }
