"""Servers of local models, as far as finding them goes: fixed answers over a real socket, and ports that misbehave."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, Self

Answer = Any
"""A JSON value; bytes as they are; an int as a status; a tuple of JSON values as a stream of lines; a callable that
takes the request's body and gives one of these."""


class Asked(NamedTuple):
    """One request."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any


class LocalServers:
    """A server with ``answers`` by path; ``root`` is its address. What it has no answer for is a 404."""

    def __init__(
        self, answers: Mapping[str, Answer], *, host: str = "127.0.0.1", hangs: frozenset[str] = frozenset()
    ) -> None:
        self.answers = dict(answers)
        self.asked: list[Asked] = []
        self.hangs = hangs
        self.closing = threading.Event()
        self._http = _Http(self, host)
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02})
        self.port = int(self._http.server_address[1])
        self.root = f"http://{f'[{host}]' if ':' in host else host}:{self.port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def paths(self) -> list[str]:
        return [asked.path for asked in self.asked]


class _Http(ThreadingHTTPServer):
    daemon_threads = False

    def __init__(self, owner: LocalServers, host: str) -> None:
        self.owner = owner
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, 0), _Handler)

    def server_bind(self) -> None:
        """As the base class, without asking for the machine's name."""
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - the base class says so
        """A client that goes away is no fault here."""


class _Handler(BaseHTTPRequestHandler):
    server: _Http

    def do_GET(self) -> None:
        self._answer(None)

    def do_POST(self) -> None:
        self._answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def _answer(self, body: object) -> None:
        owner = self.server.owner
        owner.asked.append(Asked(self.command, self.path, dict(self.headers), body))
        if self.path in owner.hangs:
            owner.closing.wait(60)
            return
        answer = owner.answers.get(self.path, 404)
        with suppress(BrokenPipeError, ConnectionResetError):
            self._say(answer(body) if callable(answer) else answer)

    def _say(self, answer: Answer) -> None:
        if isinstance(answer, int):
            self._whole(answer, b"")
        elif isinstance(answer, bytes):
            self._whole(200, answer, "text/html")
        elif isinstance(answer, tuple) and answer and isinstance(answer[0], int):
            self._whole(answer[0], json.dumps(answer[1]).encode())
        elif isinstance(answer, Iterator):
            self.send_response(200)
            self.send_header("Content-Type", "application/x-ndjson")
            self.end_headers()
            for line in answer:
                self.wfile.write(json.dumps(line).encode() + b"\n")
                self.wfile.flush()
        else:
            self._whole(200, json.dumps(answer).encode())

    def _whole(self, status: int, body: bytes, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
        """Say nothing: the requests are kept."""


@contextmanager
def talking(say: Callable[[socket.socket], None]) -> Iterator[str]:
    """A port where each connection is handed to ``say`` and kept until the end; gives the address."""
    kept: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listening.accept()
                    kept.append(connection)
                    with suppress(OSError):
                        say(connection)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join()
            for connection in kept:
                connection.close()


def free_port() -> int:
    """A port where nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


SEES_AND_ACTS = "qwen3-vl:8b"
OLLAMA_TAGS = {
    "models": [
        {
            "name": "gemma3:4b",
            "model": "gemma3:4b",
            "size": 3_338_801_804,
            "digest": "a2af6cc3eb7f",
            "details": {"family": "gemma3", "parameter_size": "4.3B"},
        },
        {
            "name": SEES_AND_ACTS,
            "model": SEES_AND_ACTS,
            "size": 6_140_411_022,
            "digest": "901cae732162",
            "details": {"family": "qwen3vl", "parameter_size": "8.8B"},
        },
        {
            "name": "nomic-embed-text:latest",
            "model": "nomic-embed-text:latest",
            "size": 274_302_450,
            "digest": "0a109f422b47",
            "details": {"family": "nomic-bert"},
        },
        {
            "name": "gpt-oss:120b-cloud",
            "model": "gpt-oss:120b-cloud",
            "remote_host": "https://ollama.com:443",
            "remote_model": "gpt-oss:120b",
            "size": 384,
            "digest": "569662207105",
            "details": {"family": "gptoss"},
        },
    ]
}
_SHOWN = {
    "gemma3:4b": {
        "capabilities": ["completion", "vision"],
        "model_info": {"general.architecture": "gemma3", "gemma3.context_length": 131072},
        "parameters": 'stop "<end_of_turn>"\ntemperature 1',
    },
    SEES_AND_ACTS: {
        "capabilities": ["completion", "vision", "tools", "thinking"],
        "model_info": {"general.architecture": "qwen3vl", "qwen3vl.context_length": 262144},
        "parameters": "top_p 0.95",
    },
    "nomic-embed-text:latest": {
        "capabilities": ["embedding"],
        "model_info": {"nomic-bert.context_length": 2048},
    },
}


def ollama(**more: Answer) -> dict[str, Answer]:
    """What Ollama answers."""
    return {
        "/": b"Ollama is running",
        "/api/version": {"version": "0.12.6"},
        "/api/tags": OLLAMA_TAGS,
        "/api/ps": {"models": [{"name": "gemma3:4b", "model": "gemma3:4b", "size": 1}]},
        "/api/show": lambda body: _SHOWN.get(body["model"], 404),
        "/v1/models": {
            "object": "list",
            "data": [
                {"id": row["name"], "object": "model", "owned_by": "library"} for row in OLLAMA_TAGS["models"]
            ],
        },
        **more,
    }


_UNEXPECTED = {"error": "Unexpected endpoint or method. (GET /x). Returning 200 anyway"}

LM_STUDIO_OLDER: dict[str, Answer] = {
    "/api/tags": _UNEXPECTED,
    "/api/version": _UNEXPECTED,
    "/api/v1/models": _UNEXPECTED,
    "/props": _UNEXPECTED,
    "/api/v0/models": {
        "object": "list",
        "data": [
            {
                "id": "qwen/qwen2.5-vl-7b",
                "object": "model",
                "type": "vlm",
                "arch": "qwen2_5_vl",
                "quantization": "Q4_K_M",
                "state": "loaded",
                "max_context_length": 128000,
                "loaded_context_length": 16384,
                "capabilities": ["tool_use"],
            },
            {"id": "phi-4", "type": "llm", "state": "not-loaded", "max_context_length": 16384},
            {"id": "text-embedding-nomic", "type": "embeddings", "state": "not-loaded"},
        ],
    },
    "/v1/models": {
        "object": "list",
        "data": [{"id": "qwen/qwen2.5-vl-7b", "object": "model", "owned_by": "organization_owner"}],
    },
}
LM_STUDIO: dict[str, Answer] = {
    **LM_STUDIO_OLDER,
    "/api/v1/models": {
        "models": [
            {
                "type": "llm",
                "key": "google/gemma-3-12b",
                "size_bytes": 8_150_000_000,
                "max_context_length": 131072,
                "loaded_instances": [{"id": "google/gemma-3-12b", "config": {"context_length": 8192}}],
                "capabilities": {"vision": True, "trained_for_tool_use": True},
            },
            {
                "type": "llm",
                "key": "local/plain",
                "max_context_length": 4096,
                "loaded_instances": [],
                "capabilities": {"vision": False, "trained_for_tool_use": False},
            },
            {"type": "embedding", "key": "text-embedding-nomic", "max_context_length": 2048},
        ]
    },
}

_LLAMA_LIST = {
    "models": [{"name": "Qwen.gguf", "model": "Qwen.gguf", "digest": "", "details": {"format": "gguf"}}],
    "object": "list",
    "data": [
        {
            "id": "Qwen.gguf",
            "object": "model",
            "owned_by": "llamacpp",
            "meta": {"n_ctx_train": 40960, "size": 5_027_000_000},
        }
    ],
}
LLAMA_CPP: dict[str, Answer] = {
    "/api/tags": _LLAMA_LIST,
    "/v1/models": _LLAMA_LIST,
    "/props": {
        "default_generation_settings": {"n_ctx": 12288},
        "total_slots": 1,
        "model_path": "/models/Qwen.gguf",
        "modalities": {"vision": True, "audio": False},
        "chat_template_caps": {"supports_tools": True, "supports_tool_calls": True},
        "build_info": "b6700-abc",
    },
}
LLAMAFILE: dict[str, Answer] = {
    "/v1/models": {
        "object": "list",
        "data": [{"id": "Llama-3.2-3B", "object": "model", "owned_by": "llamafile"}],
    }
}
VLLM: dict[str, Answer] = {
    "/openapi.json": {"info": {"title": "FastAPI"}},
    "/v1/models": {
        "object": "list",
        "data": [{"id": "Qwen/Qwen2.5-VL-7B", "object": "model", "owned_by": "vllm", "max_model_len": 32768}],
    },
}
JAN: dict[str, Answer] = {
    "/openapi.json": {"info": {"title": "👋Jan API", "version": "0.3.14"}},
    "/v1/models": {"object": "list", "data": [{"id": "jan-v1-4b", "object": "model", "owned_by": "user"}]},
}
JAN_WITH_A_KEY: dict[str, Answer] = {**JAN, "/v1/models": 401}
