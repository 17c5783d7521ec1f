"""The server: one thread a connection, every request kept, faults on demand."""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self

from model_server.brain import Cut, Garbled, Hang, Reply, Status, Turn
from model_server.request import Request

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from model_server.brain import Brain

_GONE = (BrokenPipeError, ConnectionResetError)


class ModelServer:
    """Use it as a context manager; ``api_base`` is what a client is told.

    Streamed texts and arguments are cut into pieces of ``chunk`` characters, 1 to 1000.
    A request that breaks the protocol is answered with status 400 and kept for ``assert_clean``.
    """

    def __init__(self, brain: Brain, *, chunk: int = 7) -> None:
        self.brain = brain
        self.chunk = chunk
        self.requests: list[Request] = []
        self.complaints: list[str] = []
        self.closing = threading.Event()
        self.hanging = threading.Event()  # a request hangs now
        self._http = _Http(self)
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, name="model-server"
        )

    @property
    def port(self) -> int:
        """Where it listens on 127.0.0.1."""
        return int(self._http.server_address[1])

    @property
    def api_base(self) -> str:
        """The address for a client of OpenAI's API."""
        return f"http://127.0.0.1:{self.port}/v1"

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

    def answer(self, request: Request) -> Turn:
        """Keep the request, hold it against the protocol, and ask the brain."""
        self.requests.append(request)
        complaints = request.violations()
        if not complaints:
            try:
                return self.brain.answer(request)
            except AssertionError as failed:
                complaints = [str(failed)]
        self.complaints += complaints
        return Status(status=400, message="; ".join(complaints))


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

    def do_POST(self) -> None:
        self.close_connection = True
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(path=self.path, headers=headers, raw=raw, body=json.loads(raw))
        with suppress(*_GONE):
            self._say(self.server.owner.answer(request), stream=bool(request.body.get("stream")))

    def _say(self, turn: Turn, *, stream: bool) -> None:
        match turn:
            case Status():
                self._fail(turn)
            case Hang():
                self.server.owner.hanging.set()
                self.server.owner.closing.wait(60)
            case Garbled() if stream:
                self._events(iter(["{not json"]))
            case Garbled():
                self._body(200, b"{not json")
            case Cut(after, reply):
                self._events(_events(reply, self.server.owner.chunk), cut_after=after)
            case Reply() if stream:
                self._events(_events(turn, self.server.owner.chunk))
            case Reply():
                self._body(200, json.dumps(_completion(turn)).encode())

    def _fail(self, fault: Status) -> None:
        error = {"message": fault.message, "type": "error", "param": None, "code": fault.code}
        headers = {} if fault.retry_after is None else {"Retry-After": f"{fault.retry_after:g}"}
        self._body(fault.status, json.dumps({"error": error}).encode(), headers)

    def _body(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def _events(self, events: Iterator[str], cut_after: int | None = None) -> None:
        """Server-sent events, chunked: without the last chunk a client knows that the stream was cut."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.send_header("Connection", "close")
        self.end_headers()
        for count, event in enumerate([*events, "[DONE]"]):
            if count == cut_after:
                return
            data = f"data: {event}\n\n".encode()
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
        """Say nothing: the requests are kept."""


def _events(reply: Reply, chunk: int) -> Iterator[str]:
    """The reply as chat-completion chunks; calls come one after the other, told apart by their index."""
    yield _chunk({"role": "assistant", "content": ""})
    for piece in _pieces(reply.text, chunk):
        yield _chunk({"content": piece})
    for index, call in enumerate(_calls(reply)):
        function = call["function"]
        begun = {"index": index, "id": call["id"], "type": "function"}
        yield _chunk({"tool_calls": [{**begun, "function": {"name": function["name"], "arguments": ""}}]})
        for piece in _pieces(function["arguments"], chunk):
            yield _chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield _chunk({}, finish=_finish(reply))
    yield json.dumps({**_HEAD, "object": "chat.completion.chunk", "choices": [], "usage": _usage(reply)})


def _completion(reply: Reply) -> dict[str, object]:
    message = {"role": "assistant", "content": reply.text or None, "tool_calls": _calls(reply) or None}
    choice = {"index": 0, "message": message, "finish_reason": _finish(reply)}
    return {**_HEAD, "object": "chat.completion", "choices": [choice], "usage": _usage(reply)}


_HEAD = {"id": "chatcmpl-1", "created": 1, "model": "scripted"}


def _chunk(delta: dict[str, object], finish: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return json.dumps({**_HEAD, "object": "chat.completion.chunk", "choices": [choice]})


def _calls(reply: Reply) -> list[dict[str, Any]]:
    return [
        {
            "id": f"call_{index}",
            "type": "function",
            "function": {
                "name": call.name,
                "arguments": call.arguments
                if isinstance(call.arguments, str)
                else json.dumps(call.arguments),
            },
        }
        for index, call in enumerate(reply.calls)
    ]


def _finish(reply: Reply) -> str:
    return reply.finish or ("tool_calls" if reply.calls else "stop")


def _usage(reply: Reply) -> dict[str, object]:
    into, out, cached = reply.tokens
    return {
        "prompt_tokens": into,
        "completion_tokens": out,
        "total_tokens": into + out,
        "prompt_tokens_details": {"cached_tokens": cached},
    }


def _pieces(text: str, size: int) -> Iterator[str]:
    return (text[start : start + size] for start in range(0, len(text), size))
