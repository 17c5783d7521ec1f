"""What the clients raise, as this project's errors: which kind, whether another try may help, what to do about it.

litellm's own classes are not enough: a refused connection arrives as "internal server error".
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from difflib import get_close_matches
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from computer_agent.models.model import (
    ContextFull,
    ModelError,
    NoKey,
    RateLimited,
    Refused,
    UnknownModel,
    Unreachable,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import httpx


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Who was asked, as far as messages need it. ``keys`` are the environment variables for its API key."""

    model: str
    api_base: str | None = None
    keys: tuple[str, ...] = ()
    known: Sequence[str] = ()
    timeout: float = 0.0

    @property
    def host(self) -> str:
        """Host and port of the server, or the provider's name."""
        if self.api_base is None:
            return f'the provider of "{self.model}"'
        address = urlsplit(self.api_base)
        port = address.port or (443 if address.scheme == "https" else 80)
        return f"{address.hostname}:{port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """``passing`` if the same request may succeed later; ``retry_after`` is the provider's wish, in seconds."""

    error: ModelError
    passing: bool = False
    retry_after: float | None = None


class AnsweredError(Exception):
    """The server answered with a failure; ``response`` has its headers, ``status_code`` is None inside a stream.

    ``retry_after`` is its wish in seconds, where it stands in the body, as Gemini has it.
    """

    def __init__(self, words: str, status: int | None, code: str, response: httpx.Response | None) -> None:
        super().__init__(words)
        self.retry_after: float | None = None
        self.status_code = status
        self.code = code
        self.response = response


class FailedError(Exception):
    """A request failed; ``failure`` says as what."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(str(failure.error))
        self.failure = failure


_CONTEXT = re.compile(
    r"context.{0,3}(length|window|size)|maximum context|too many tokens|prompt is too long|exceed_context"
    r"|input token count.{0,40}exceeds",
    re.IGNORECASE,
)
_NO_CREDIT = re.compile(
    r"insufficient_quota|exceeded your current quota|credit balance|billing", re.IGNORECASE
)
_POLICY = re.compile(r"content.?policy|content.?filter|safety system|content management", re.IGNORECASE)
_UNABLE = re.compile(
    r"(?P<pictures>image input is not supported|missing data required for image input|not a multimodal model"
    r"|image_url is only supported|(?:does|do) not support (?:image|vision))"
    r"|(?P<tools>(?:does|do) not support (?:tool|function))",
    re.IGNORECASE,
)
_WHAT = {
    "pictures": "pictures: take another model, or show it the screen in words with --no-llm_supports_vision.",
    "tools": "tools: take another model, or have it write its calls as text with --no-llm_supports_functions.",
}
_STATUS_OF = {
    "rate_limit_exceeded": 429,
    "rate_limit_error": 429,
    "insufficient_quota": 429,
    "context_length_exceeded": 400,
    "invalid_request_error": 400,
    "authentication_error": 401,
    "not_found_error": 404,
}
_PREFIX = re.compile(r"^(?:[\w.]*(?:Error|Exception):? ?(?:- )?)+")
_WORDS = 300
_FEW = 8  # models of a server, all of which are named
_BAD_REQUEST = frozenset({400, 413, 422})


def failure_of(error: Exception, asked: Asked) -> Failure:
    """The failure that an exception of litellm, openai or httpx stands for."""
    chain = list(_chain(error))
    ours = next((each for each in chain if isinstance(each, ModelError)), None)
    if ours is not None:  # such as that of --offline, which a library took for a connection that failed
        return Failure(error=ours)
    names = {type(each).__name__ for each in chain}
    status = getattr(error, "status_code", None)
    words = " ".join([*map(str, chain[:3]), *(str(getattr(each, "code", "")) for each in chain)])
    if names & {
        "ConnectError",
        "ConnectionRefusedError",
        "gaierror",
        "APIConnectionError",
    } and "MidStream" not in str(names):
        return Failure(error=Unreachable(_no_connection(chain, asked)))
    if names & {"Timeout", "APITimeoutError", "ReadTimeout", "ConnectTimeout", "WriteTimeout"}:
        return Failure(error=Unreachable(f"{asked.host} did not answer within {asked.timeout:g} seconds."))
    code = str(getattr(error, "code", "") or "")
    if status is None:  # inside a stream, where a word stands for it
        status = _STATUS_OF.get(code)
    asks_wrong = status in _BAD_REQUEST or status is None
    if asks_wrong and _CONTEXT.search(words):
        return Failure(
            error=ContextFull(f'The history no longer fits into the window of "{asked.model}".{_said(error)}')
        )
    if unable := _UNABLE.search(words):
        return Failure(
            error=Refused(f'"{asked.model}" cannot take {_WHAT[unable.lastgroup or ""]}{_said(error)}')
        )
    if asks_wrong and _POLICY.search(words):
        return Failure(error=Refused(f"The provider's rules on content refused the request.{_said(error)}"))
    if "Missing credentials" in words:
        return Failure(error=no_key(asked))
    return _by_status(error, status, asked, words)


def no_key(asked: Asked) -> NoKey:
    """There is no key at all."""
    return NoKey(f'There is no API key for "{asked.model}". Set {_variables(asked)}, or name another model.')


def _by_status(error: Exception, status: int | None, asked: Asked, words: str) -> Failure:
    said = _said(error)
    match status:
        case 401:
            return Failure(
                error=NoKey(
                    f'The provider of "{asked.model}" does not accept the API key. Check {_variables(asked)}.{said}'
                )
            )
        case 404:
            return Failure(error=unknown_model(asked, said))
        case 400 if "LLM Provider NOT provided" in words:
            return Failure(error=unknown_model(asked, ""))
        case 429 if _NO_CREDIT.search(words):
            return Failure(
                error=RateLimited(f'The account for "{asked.model}" has no credit or quota left.{said}')
            )
        case 429:
            wished = _retry_after(error)
            later = "later" if wished is None else f"in {wished:.0f} seconds"
            limited = RateLimited(f'Too many requests for "{asked.model}". Try again {later}.{said}')
            return Failure(error=limited, passing=True, retry_after=wished)
        case 408 | 409 | 500 | 502 | 503 | 504 | 529 | None:
            failing = Unreachable(f"{_capital(asked.host)} fails again and again.{said}")
            return Failure(error=failing, passing=True, retry_after=_retry_after(error))
        case _:
            return Failure(
                error=Refused(f'The provider of "{asked.model}" refused the request ({status}).{said}')
            )


def unknown_model(asked: Asked, said: str) -> UnknownModel:
    """Name the nearest known models, and the form in which a server of one's own is named."""
    near = _nearest(asked)
    nearest = f" The nearest known names: {', '.join(near)}." if near else ""
    if not near and 0 < len(asked.known) <= _FEW:
        nearest = f" There are: {', '.join(asked.known)}."
    form = (
        ""
        if "/" in asked.model
        else f' For a server that speaks OpenAI\'s API, write "openai/{asked.model}".'
    )
    return UnknownModel(f'There is no model "{asked.model}" at its provider.{nearest}{form}{said}')


def _nearest(asked: Asked) -> list[str]:
    """Those of the same provider first, which the table also has without its name."""
    provider, slash, bare = asked.model.rpartition("/")
    own = [name for name in asked.known if name.startswith(provider + slash)]
    own += [f"{provider}{slash}{name}" for name in asked.known if slash and "/" not in name]
    return (
        get_close_matches(asked.model, own, n=3)
        or get_close_matches(asked.model, asked.known, n=3)
        or get_close_matches(bare, asked.known, n=3)
    )


def _no_connection(chain: list[BaseException], asked: Asked) -> str:
    refused = any(isinstance(each, ConnectionRefusedError) for each in chain)
    cause = (
        "refused the connection: is the server running?"
        if refused
        else "cannot be reached: check the network."
    )
    return f"{_capital(asked.host)} {cause}"


def _variables(asked: Asked) -> str:
    return " or ".join(asked.keys) if asked.keys else "--api-key"


def _retry_after(error: Exception) -> float | None:
    """The provider's wish in seconds, from a header or from the body."""
    for each in _chain(error):
        if (wished := getattr(each, "retry_after", None)) is not None:
            return float(wished)
        headers = getattr(getattr(each, "response", None), "headers", None) or getattr(
            each, "litellm_response_headers", None
        )
        found = _header(headers)
        if found is not None:
            return found
    return None


def _header(headers: Mapping[str, str] | None) -> float | None:
    """Seconds, which the header gives as such or as a date."""
    wished = (headers or {}).get("retry-after")
    if wished is None:
        return None
    try:
        return max(0.0, float(wished))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(wished).timestamp() - time.time())
    except ValueError:
        return None


def _said(error: Exception) -> str:
    """The provider's own words, without litellm's and without what a terminal would obey."""
    words = "".join(c if c.isprintable() else " " for c in str(error)).split("  Pass model as")[0]
    words = _PREFIX.sub("", " ".join(words.split())).strip(" -")
    if not words:
        return ""
    return f' It said: "{words if len(words) <= _WORDS else words[: _WORDS - 1] + "…"}"'


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _capital(words: str) -> str:
    """At the beginning of a sentence; the name of a host stays as it is."""
    return words[:1].upper() + words[1:] if words.startswith("the ") else words
