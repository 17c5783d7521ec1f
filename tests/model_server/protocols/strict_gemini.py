"""What Gemini refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from model_server.request import Request

_DATA = {"text", "inlineData", "inline_data", "functionCall", "functionResponse", "fileData"}


def violations(request: Request) -> Iterator[str]:
    """The rules of the turns, of calls and their answers, and of safety decisions."""
    if ":streamGenerateContent" in request.path and "alt=sse" not in request.path:
        yield "a stream without alt=sse comes as one JSON array"
    roles = [content.get("role") for content in request.messages]
    if any(role != ("user", "model")[place % 2] for place, role in enumerate(roles)) or len(roles) % 2 == 0:
        yield f"user and model must take turns, and the user begins and ends; the roles are {roles}"
    called: list[dict[str, Any]] = []
    for place, content in enumerate(request.messages):
        parts = content["parts"]
        if not parts or any(not _DATA & set(part) for part in parts):
            yield f"content {place} has no parts, or a part without data"
        answers = [part["functionResponse"] for part in parts if "functionResponse" in part]
        yield from (f"content {place} {wrong}" for wrong in _answers(answers, called))
        called = [part["functionCall"] for part in parts if "functionCall" in part]
    if called:
        yield f"the calls {[call['name'] for call in called]} have no functionResponse"


def _answers(answers: list[dict[str, Any]], called: list[dict[str, Any]]) -> Iterator[str]:
    if [answer["name"] for answer in answers] != [call["name"] for call in called]:
        yield (
            f"has the answers {[answer['name'] for answer in answers]} "
            f"to the calls {[call['name'] for call in called]}"
        )
        return
    for answer, call in zip(answers, called, strict=True):
        if not isinstance(answer.get("response"), dict):
            yield f"answers {call['name']!r} with a response that is no object"
            continue
        decision = (call.get("args") or {}).get("safety_decision") or {}
        asked = decision.get("decision") == "require_confirmation"
        acknowledged = str(answer["response"].get("safety_acknowledgement", "")).lower() == "true"
        if asked and not acknowledged:
            yield f"answers {call['name']!r} without the safety_acknowledgement that it requires"
        if acknowledged and not asked:
            yield f"acknowledges a safety decision that {call['name']!r} did not ask for"
