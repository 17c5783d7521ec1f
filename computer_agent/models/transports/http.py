"""Our own client: one request, one reply, over httpx, for local servers and for the vendors' own protocols.

It takes a tenth of a second and a few megabytes, where litellm takes four seconds and 190.
"""

from __future__ import annotations

import json
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from computer_agent.hosts import served_here
from computer_agent.models.model import ModelError
from computer_agent.models.transports.events import events
from computer_agent.models.transports.failures import AnsweredError, Asked, FailedError, failure_of
from computer_agent.models.usage import usage_of
from computer_agent.models.wires.chat import ChatReading
from computer_agent.models.wires.wire import Asking, ProviderError
from computer_agent.models.wires.written_code import follow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import httpx

    from computer_agent.models.dialect import Prompt, Reply
    from computer_agent.models.wires.wire import Wire

_CONNECT_SECONDS = 10.0
_LONGEST_ERROR = 100_000  # bytes of what a server says of a failure
_LISTING_SECONDS = 5.0
_OK, _NOT_FOUND = 200, 404


@dataclass(slots=True)
class Http:
    """A model at ``api_base``, whose protocol is ``wire``.

    ``name`` is the model as the person named it, ``asking.model`` as the server does. ``prices`` is the row of prices,
    dollars a token; ``keys`` are the environment variables that a key may stand in, for messages. ``timeout`` is how
    many seconds the server may be silent. The environment's proxies are for other hosts than this machine.
    """

    name: str
    wire: Wire = field(kw_only=True)
    asking: Asking = field(kw_only=True)
    api_base: str = field(kw_only=True)
    api_key: str | None = field(default=None, kw_only=True, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, kw_only=True, repr=False)
    timeout: float = field(default=120.0, kw_only=True)
    prices: Mapping[str, Any] | None = field(default=None, kw_only=True, repr=False)
    keys: tuple[str, ...] = field(default=(), kw_only=True)
    _client: httpx.Client | None = field(default=None, init=False, repr=False)
    _answered_before: bool = field(default=False, init=False, repr=False)

    def __post_init__(self) -> None:
        address = urlsplit(self.api_base)
        if address.scheme not in {"http", "https"} or not address.hostname:
            raise ModelError(
                f'The address of a model\'s server begins with http:// or https://, not "{self.api_base}". '
                "Such as http://127.0.0.1:1234/v1."
            )

    def warm_up(self) -> None:
        """There is too little to wait for."""

    def ask(self, prompt: Prompt, on_delta: Callable[[str], None]) -> Reply:
        """Ask once. Raises ``FailedError``."""
        import httpx

        try:
            return self._once(prompt, on_delta)
        except ProviderError as said:
            answered = AnsweredError(str(said), said.status, said.code, None)
            raise FailedError(failure_of(answered, self._asked())) from said
        except AnsweredError as answer:
            known = self._served() if answer.status_code == _NOT_FOUND else ()
            raise FailedError(failure_of(answer, self._asked(known))) from answer
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise FailedError(failure_of(error, self._asked())) from error

    def _once(self, prompt: Prompt, on_delta: Callable[[str], None]) -> Reply:
        url = self.api_base.rstrip("/") + self.wire.path(self.asking)
        body = json.dumps(self.wire.body(prompt, self.asking), ensure_ascii=False)
        headers = {"Content-Type": "application/json", **self._headers(), **prompt.headers}
        reading = self.wire.reading()
        # Half a character, as a program printed or a model wrote it, cannot be sent.
        with self._sent(url, headers, body.encode("utf-8", "replace")) as response:
            if response.status_code != _OK:
                raise _answered(response)
            if _is_stream(response):
                for event in events(response.iter_bytes(), self.wire.framing):
                    text = reading.event(event)
                    if text:
                        on_delta(text)
                    if isinstance(reading, ChatReading):  # the others send calls whole, or none for code
                        follow(on_delta, reading.newest_call())
            else:
                text = reading.whole(_object(response.read()))
                if text:
                    on_delta(text)
        if not reading.complete:
            raise ProviderError("The reply ended before it was whole.")
        prices = {} if self.prices is None else {self.name: self.prices}
        return reading.reply(usage_of(reading.counted, self.name, prices))

    def _headers(self) -> dict[str, str]:
        return {**self.wire.headers(self.api_key), **self.headers}

    @contextmanager
    def _sent(self, url: str, headers: Mapping[str, str], body: bytes) -> Iterator[httpx.Response]:
        """The request's response. A connection that the server closed while it was idle is no failure of it."""
        import httpx

        with ExitStack() as closing:

            def once() -> httpx.Response:
                asked = self._connected().stream("POST", url, headers=headers, content=body)
                return closing.enter_context(asked)

            try:
                response = once()
            except (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError):
                if not self._answered_before:
                    raise
                response = once()
            self._answered_before = True
            yield response

    def _served(self) -> tuple[str, ...]:
        """The models that the server has, as the person names them; none where it does not tell."""
        import httpx

        url = self.api_base.rstrip("/") + self.wire.listing
        try:
            answered = self._connected().get(url, headers=self._headers(), timeout=_LISTING_SECONDS)
            told = json.loads(answered.content) if answered.status_code == _OK else None
        except (httpx.HTTPError, ValueError, RecursionError):
            return ()
        before = self.name.removesuffix(self.asking.model)
        rows = (
            next((told[key] for key in ("data", "models") if key in told), ())
            if isinstance(told, dict)
            else ()
        )
        named = [row.get("id") or row.get("name") for row in rows if isinstance(row, dict)]
        return tuple(before + name.removeprefix("models/") for name in named if isinstance(name, str))

    def _connected(self) -> httpx.Client:
        """One client for all requests, so that a connection serves several."""
        import httpx

        if self._client is None:
            limits = httpx.Timeout(self.timeout, connect=min(_CONNECT_SECONDS, self.timeout))
            away = not served_here(self.api_base)
            self._client = httpx.Client(timeout=limits, trust_env=away, follow_redirects=False)
        return self._client

    def _asked(self, known: Sequence[str] = ()) -> Asked:
        return Asked(
            model=self.name, api_base=self.api_base, keys=self.keys, known=known, timeout=self.timeout
        )


def _is_stream(response: httpx.Response) -> bool:
    kind = response.headers.get("content-type", "")
    return "event-stream" in kind or "ndjson" in kind


def _object(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        start = body[:60].decode("utf-8", "replace")
        raise ProviderError(f'The server sent "{start}" where a reply should be.')
    return found


def _answered(response: httpx.Response) -> AnsweredError:
    """The failure in the server's own words, wherever it put them."""
    body = b"".join(_first(response, _LONGEST_ERROR))
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        told = body.decode("utf-8", "replace")
    told = told[0] if isinstance(told, list) and told else told  # Gemini's streams
    error = told.get("error", told) if isinstance(told, dict) else told
    words, code = (str(error), "")
    if isinstance(error, dict):
        words = str(error.get("message") or error.get("detail") or error)
        code = str(error.get("code") or error.get("type") or "")
    answered = AnsweredError(words, response.status_code, code, response)
    answered.retry_after = _delay(error)
    return answered


def _delay(error: object) -> float | None:
    """Gemini's ``retryDelay``, such as ``"17s"``, among the details of a failure."""
    details = error.get("details") if isinstance(error, dict) else None
    for detail in details if isinstance(details, list) else ():
        wished = str(detail.get("retryDelay", "")) if isinstance(detail, dict) else ""
        if wished.endswith("s") and wished[:-1].replace(".", "", 1).isdecimal():
            return float(wished[:-1])
    return None


def _first(response: httpx.Response, most: int) -> list[bytes]:
    pieces: list[bytes] = []
    for piece in response.iter_bytes():
        pieces.append(piece)
        if sum(map(len, pieces)) >= most:
            break
    return pieces
