"""What a run of requests must not do: change what was already sent, or tell a secret."""

from __future__ import annotations

import base64
import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Sequence

    from model_server.request import Request


class Shared(NamedTuple):
    """How much of the request before stands at the beginning of a request, in messages and bytes of JSON."""

    number: int
    messages: int
    of: int
    bytes: int
    of_bytes: int
    head: bool
    why: str

    @property
    def whole(self) -> bool:
        """Whether nothing of the request before was changed."""
        return self.head and self.messages == self.of


def shared_prefixes(requests: Sequence[Request]) -> list[Shared]:
    """For each request but the first: what it shares with the one before, cache marks aside."""
    return [_shared(number, *pair) for number, pair in enumerate(pairwise(requests), 1)]


def assert_prefix_stable(requests: Sequence[Request], *, drops: int = 0) -> None:
    """Tools and system prompt never change; at most ``drops`` requests change earlier messages."""
    shared = shared_prefixes(requests)
    for one in shared:
        assert one.head, f"request {one.number} changes the tools or the system prompt: {one.why}"
    broken = [one for one in shared if not one.whole]
    told = "; ".join(f"request {one.number} from message {one.messages}: {one.why}" for one in broken)
    assert len(broken) <= drops, f"{len(broken)} requests change what was sent before, {drops} may: {told}"


def assert_none(requests: Sequence[Request], *secrets: str) -> None:
    """No request holds one of the words, be it as JSON, in base64 or in a URL."""
    assert secrets, "name at least one secret"
    for number, request in enumerate(requests):
        headers = "\n".join(f"{name}: {value}" for name, value in request.headers.items())
        sent = request.path.encode() + b"\n" + headers.encode() + b"\n" + request.raw
        for secret in secrets:
            found = [form for form in _forms(secret) if form in sent]
            assert not found, f"request {number} ({request.path}) holds the secret {secret[:2]}..."


def _forms(secret: str) -> set[bytes]:
    """The word as it may stand in a request. Of its base64 the part that does not depend on what is around it."""
    raw = secret.encode()
    texts = {
        secret,
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
        quote(secret),
        quote(secret, safe=""),
    }
    forms = {text.encode() for text in texts}
    for shift in range(3):
        coded = base64.b64encode(bytes(shift) + raw)
        inner = coded[4 if shift else 0 : len(coded) // 4 * 4 - 4]
        if len(inner) >= 8:
            forms.add(inner)
    return forms


def _shared(number: int, before: Request, now: Request) -> Shared:
    old, new = _messages(before), _messages(now)
    same = 0
    while same < min(len(old), len(new)) and old[same] == new[same]:
        same += 1
    why = ""
    if same < len(old):
        why = _difference(old[same], new[same] if same < len(new) else "")
    heads = [_text(request.wire.head(request.body)) for request in (before, now)]
    if heads[0] != heads[1]:
        why = _difference(*heads)
    sizes = [len(text.encode()) for text in old]
    return Shared(number, same, len(old), sum(sizes[:same]), sum(sizes), heads[0] == heads[1], why)


def _messages(request: Request) -> list[str]:
    return [_text(message) for message in request.messages]


def _text(value: object) -> str:
    return json.dumps(_unmarked(value), ensure_ascii=False)


def _unmarked(value: Any) -> Any:  # noqa: ANN401 - JSON
    """Without cache marks, and without the list around a single text that they demand."""
    if isinstance(value, list):
        return [_unmarked(one) for one in value]
    if not isinstance(value, dict):
        return value
    plain = {name: _unmarked(one) for name, one in value.items() if name != "cache_control"}
    for name in ("content", "system"):
        parts = plain.get(name)
        if isinstance(parts, list) and len(parts) == 1 and set(parts[0]) == {"type", "text"}:
            plain[name] = parts[0]["text"]
    return plain


def _difference(old: str, new: str) -> str:
    """Both texts from shortly before the first character that differs."""
    place = next((at for at, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), 0)
    start = max(0, place - 40)
    return f"{old[start : place + 40]!r} became {new[start : place + 40]!r}"
