"""Fetching a model through Ollama: a short list of what is worth it, and how far it is."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from computer_agent.approval.code.visible import visible
from computer_agent.models.model import ModelError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import httpx

_STEP = 10  # percent between two lines
_SILENT_SECONDS = 120.0  # that Ollama may take for a word, such as while it verifies
_OK = 200
_MOST_ERROR = 10_000  # bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A model of Ollama's library that sees, and so can drive a desktop; ``gigabytes`` are of the download."""

    name: str
    gigabytes: float
    calls_tools: bool


SUGGESTED = (
    Suggestion(name="qwen3-vl:8b", gigabytes=6.1, calls_tools=True),
    Suggestion(name="qwen3-vl:4b", gigabytes=3.3, calls_tools=True),
    Suggestion(name="qwen2.5vl:7b", gigabytes=6.0, calls_tools=False),
    Suggestion(name="gemma3:4b", gigabytes=3.3, calls_tools=False),
)
"""Best first. One needs about as much memory as its download, and a third more."""


def table() -> list[tuple[str, ...]]:
    """The suggestions as rows of cells, with a head."""
    rows = [
        (str(number), each.name, "yes", "yes" if each.calls_tools else "no", f"{each.gigabytes} GB")
        for number, each in enumerate(SUGGESTED, 1)
    ]
    return [("", "model", "sees", "tools", "size"), *rows]


def named(answer: str) -> str | None:
    """The model that is meant by a number of the list or by its name; Enter means the first."""
    if not answer:
        return SUGGESTED[0].name
    if answer.isdecimal():
        return SUGGESTED[int(answer) - 1].name if answer in map(str, range(1, len(SUGGESTED) + 1)) else None
    return answer if answer.isprintable() and " " not in answer else None


def pull(root: str, name: str, *, say: Callable[[str], None]) -> bool:
    """Have Ollama at ``root`` fetch the model; whether it has. Ctrl-C ends that, and keeps what came.

    What goes wrong is said, not raised: another model may do. Raises ``ModelError`` where Ollama itself is away.
    """
    import httpx

    say(f'Fetching "{visible(name)}". Ctrl-C stops it.')
    try:
        with (
            httpx.Client(trust_env=False, timeout=httpx.Timeout(_SILENT_SECONDS, connect=10.0)) as http,
            http.stream("POST", f"{root}/api/pull", json={"model": name, "stream": True}) as response,
        ):
            failure = _followed(response, say)
    except KeyboardInterrupt:
        say("Stopped. What has come is kept: to fetch it again goes on from there.")
        return False
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise ModelError(
            f"Ollama went away while it fetched a model: {str(error) or type(error).__name__}."
        ) from None
    say(
        f'"{visible(name)}" is there.'
        if failure is None
        else f'"{visible(name)}" cannot be fetched: {failure}'
    )
    return failure is None


def _followed(response: httpx.Response, say: Callable[[str], None]) -> str | None:
    """Tell how far it is until it is done; why it failed, if it did."""
    if response.status_code != _OK:
        return _failure(next(response.iter_bytes(_MOST_ERROR), b"")) or f"status {response.status_code}"
    progress = Progress()
    for told in _lines(response.iter_bytes()):
        if "error" in told:
            return visible(str(told["error"]))
        if told.get("status") == "success":
            return None
        line = progress.line(told)
        if line is not None:
            say(line)
    return "Ollama ended before it was whole."


class Progress:
    """How much of all parts has come, told once each tenth."""

    def __init__(self) -> None:
        self._parts: dict[str, tuple[int, int]] = {}
        self._told = -1
        self._status = ""

    def line(self, told: Mapping[str, Any]) -> str | None:
        """What is worth saying after this message, if anything."""
        status, digest = told.get("status"), told.get("digest")
        total, completed = told.get("total"), told.get("completed", 0)
        if isinstance(digest, str) and isinstance(total, int) and isinstance(completed, int) and total > 0:
            self._parts[digest] = (min(completed, total), total)
            return self._share()
        if isinstance(status, str) and status not in {self._status, "pulling manifest"}:
            self._status = status
            return f"  {visible(status)}"
        return None

    def _share(self) -> str | None:
        done, total = (sum(column) for column in zip(*self._parts.values(), strict=True))
        step = 100 * done // total // _STEP
        if step <= self._told:
            return None
        self._told = step
        return f"  {step * _STEP:3} %  {done / 1e9:.1f} of {total / 1e9:.1f} GB"


def _lines(pieces: Iterator[bytes]) -> Iterator[Mapping[str, Any]]:
    """The objects, one a line, however they are cut."""
    rest = b""
    for piece in pieces:
        *whole, rest = (rest + piece).split(b"\n")
        yield from filter(None, map(_object, whole))
    last = _object(rest)
    if last:
        yield last


def _object(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line or b"{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _failure(body: bytes) -> str:
    return visible(str(_object(body).get("error", "")))
