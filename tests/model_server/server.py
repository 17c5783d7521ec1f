"""The server: one thread a connection, every request kept, faults on demand."""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import time
from typing import TYPE_CHECKING, Any, Self

from model_server import received
from model_server.brain import Closed, Cut, Fails, Garbled, Hang, Reply, Status, Turn
from model_server.local_failures import local_failure
from model_server.odd_servers import as_said, as_seen, refusal
from model_server.protocols import protocol_at
from model_server.protocols.protocol import Event, Saying
from model_server.request import Request
from model_server.runtimes import OPENAI, Answer, Runtime
from model_server.unechoed import unechoed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from types import TracebackType

    from model_server.brain import Brain
    from model_server.quirks import Quirk

_GONE = (BrokenPipeError, ConnectionResetError)
_KEY_HEADERS = ("authorization", "x-api-key", "x-goog-api-key")
_LONGEST_HANG = 60  # seconds


class ModelServer:
    """Use it as a context manager; ``api_base`` is what a client of OpenAI is told, ``address`` the server's own.

    The path of a POST picks the protocol. Streamed texts and arguments are cut into pieces of ``chunk`` characters,
    1 to 1000; ``split`` cuts all that is sent into pieces of so many bytes, also inside a character. ``quirks`` are
    those of the server, ``runtime`` says which models it has and how it tells. Without the ``key``, where there is one,
    whatever is asked is answered with status 401.
    A request that breaks the protocol is answered with status 400 and kept for ``assert_clean``.
    """

    def __init__(
        self,
        brain: Brain,
        *,
        chunk: int = 7,
        split: int | None = None,
        quirks: Iterable[Quirk] = (),
        runtime: Runtime = OPENAI,
        key: str | None = None,
    ) -> None:
        self.brain = brain
        self.chunk = chunk
        self.split = split
        self.quirks = frozenset(quirks)
        self.runtime = runtime
        self.key = key
        self.requests: list[Request] = []
        self.asked: list[str] = []  # whatever else was asked for, such as "GET /v1/models"
        self.complaints: list[str] = []
        self.closing = threading.Event()
        self.hanging = threading.Event()  # a request hangs now
        self._said: list[Saying] = []
        self._http = _Http(self)
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.005}, name="model-server"
        )

    @property
    def port(self) -> int:
        """Where it listens on 127.0.0.1."""
        return int(self._http.server_address[1])

    @property
    def address(self) -> str:
        """The address without a path."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def api_base(self) -> str:
        """The address for a client of OpenAI's API."""
        return f"{self.address}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.closing.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def assert_clean(self) -> None:
        """No request broke the protocol or a check, and the whole script was asked for."""
        assert not self.complaints, "\n".join(self.complaints)
        assert self.brain.unread() == 0, f"{self.brain.unread()} turns of the script were not asked for"

    def never_received(self, *secrets: str) -> None:
        """No request held one of the words: not in its path, its headers or its bytes, in no usual encoding."""
        received.assert_none(self.requests, *secrets)

    def assert_prefix_stable(self, *, drops: int = 0) -> None:
        """Each request but ``drops`` begins with all messages of the one before, cache marks aside."""
        received.assert_prefix_stable(self.requests, drops=drops)

    def answer(self, request: Request) -> Turn:
        """Keep the request, hold it against the protocol, and ask the brain."""
        self.requests.append(request)
        if not self.lets_in(request.headers):
            return Status(status=401, kind="auth")
        complaints = request.violations() or list(unechoed(request, self._said))
        if not complaints:
            refused = refusal(request, self.quirks, self.runtime.flavour)
            if refused is not None:
                return refused
            try:
                return self.brain.answer(as_seen(request, self.quirks))
            except AssertionError as failed:
                complaints = [str(failed)]
        self.complaints += complaints
        return Status(status=400, message="; ".join(complaints))

    def lets_in(self, headers: Mapping[str, str]) -> bool:
        """Whether the key stands in the header of one of the providers."""
        given = {headers.get(name, "").removeprefix("Bearer ") for name in _KEY_HEADERS}
        return self.key is None or self.key in given

    def saying(self, reply: Reply, request: Request) -> Saying:
        """The reply, on its way to that request."""
        said = Saying(
            reply=as_said(reply, self.quirks),
            model=request.model,
            chunk=self.chunk,
            before=len(request.calls()),
            quirks=self.quirks,
        )
        self._said.append(said)
        return said


class _Http(ThreadingHTTPServer):
    daemon_threads = False
    block_on_close = True

    def __init__(self, owner: ModelServer) -> None:
        self.owner = owner
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - the base class says so
        """Whatever failed in a handler fails the test, not only its output."""
        import traceback

        self.owner.complaints.append(traceback.format_exc())


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Http

    @property
    def owner(self) -> ModelServer:
        return self.server.owner

    def do_GET(self) -> None:
        self._tell("GET", b"")

    def do_POST(self) -> None:
        self.close_connection = True
        raw = self.rfile.read(int(self.headers["Content-Length"] or 0))
        if protocol_at(self.path) is None or not self.owner.runtime.speaks(self.path):
            self._tell("POST", raw)
            return
        request = Request(path=self.path, headers=self._given(), raw=raw, body=_object(raw))
        with suppress(*_GONE):
            self._say(self.owner.answer(request), request)

    def _tell(self, method: str, raw: bytes) -> None:
        """Answer what is no question to a model."""
        self.close_connection = True
        self.owner.asked.append(f"{method} {self.path}")
        if self.owner.lets_in(self._given()):
            answer = self.owner.runtime.answer(method, self.path, raw)
        else:
            answer = Answer(401, b'{"error": {"message": "Invalid API key", "type": "authentication_error"}}')
        with suppress(*_GONE):
            if answer.lines:
                self._stream("application/x-ndjson", (line.encode() + b"\n" for line in answer.lines))
            else:
                self._body(answer.status, answer.body, answer.headers)

    def _given(self) -> dict[str, str]:
        return {name.lower(): value for name, value in self.headers.items()}

    def _say(self, turn: Turn, request: Request) -> None:
        match turn:
            case Status():
                self._fail(turn, request)
            case Closed():
                return
            case Hang(reply=None):
                self._hang()
            case Garbled(reply=None) if not request.streamed:
                self._body(200, b"{not json")
            case Reply() if not request.streamed:
                body = request.wire.whole(self.owner.saying(turn, request))
                self._body(200, json.dumps(body).encode())
            case _:
                self._events(turn, request)

    def _events(self, turn: Reply | Cut | Garbled | Hang | Fails, request: Request) -> None:
        reply = turn if isinstance(turn, Reply) else turn.reply
        events = [] if reply is None else list(request.wire.events(self.owner.saying(reply, request)))
        frames = _framed(events, request, self.owner.quirks)
        kind = "text/event-stream" if request.wire.framing == "sse" else "application/x-ndjson"
        match turn:
            case Reply():
                self._stream(kind, frames)
            case Cut():
                self._stream(kind, _cut(turn, frames, events), whole=False)
            case Garbled():
                garbled = Event('{"not json')
                self._stream(kind, _framed([*events[: turn.after], garbled], request, self.owner.quirks))
            case Fails():
                failing = request.wire.failing(turn.fault)
                self._stream(kind, _framed([*events[: turn.after], failing], request, self.owner.quirks))
            case Hang():
                self._stream(kind, frames[: turn.after], whole=False)
                self._hang()

    def _hang(self) -> None:
        self.owner.hanging.set()
        self.owner.closing.wait(_LONGEST_HANG)

    def _fail(self, fault: Status, request: Request) -> None:
        headers = dict(fault.headers)
        if fault.retry_after is not None and (fault.dated or request.protocol != "gemini"):
            later = formatdate(time() + fault.retry_after, usegmt=True)
            headers["Retry-After"] = later if fault.dated else f"{fault.retry_after:g}"
        local = local_failure(self.owner.runtime.flavour, fault, request)
        if local is not None and local.event is not None:
            self._stream("text/event-stream", _framed([local.event], request, self.owner.quirks))
            return
        body = request.wire.failure(fault) if local is None else local.body
        self._body(fault.status, json.dumps(body).encode(), headers)

    def _body(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        for piece in self._split(body):
            self.wfile.write(piece)
            self.wfile.flush()

    def _stream(self, kind: str, frames: Iterable[bytes], *, whole: bool = True) -> None:
        """What is sent is chunked: without the last chunk a client knows that it was cut."""
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Transfer-Encoding", "chunked")
        self.send_header("Connection", "close")
        self.end_headers()
        pieces: Iterable[bytes] = frames if self.owner.split is None else self._split(b"".join(frames))
        for piece in pieces:
            self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            self.wfile.flush()
        if whole:
            self.wfile.write(b"0\r\n\r\n")

    def _split(self, data: bytes) -> Iterator[bytes]:
        size = self.owner.split or len(data) or 1
        return (data[start : start + size] for start in range(0, len(data), size))

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
        """Say nothing: the requests are kept."""


def _object(raw: bytes) -> dict[str, Any]:
    """The body; of what is no object nothing, which no protocol takes."""
    try:
        found = json.loads(raw)
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {}


def _framed(events: Iterable[Event], request: Request, quirks: frozenset[Quirk]) -> list[bytes]:
    """The events as bytes."""
    if request.wire.framing == "ndjson":
        return [event.data.encode() + b"\n" for event in events]
    end = "\r\n" if "crlf" in quirks else "\n"
    space = "" if "tight" in quirks else " "
    frames = []
    for event in events:
        named = f"event:{space}{event.name}{end}" if event.name else ""
        comment = f": PROCESSING{end}{end}" if "comments" in quirks else ""
        frames.append(f"{comment}{named}data:{space}{event.data}{end}{end}".encode())
    return frames


def _cut(turn: Cut, frames: list[bytes], events: list[Event]) -> list[bytes]:
    ended = next((place for place, event in enumerate(events) if event.ends), len(events))
    after = ended if turn.after == "calls" else turn.after
    half = [frames[after][: len(frames[after]) // 2]] if turn.inside and after < len(frames) else []
    return [*frames[:after], *half]
