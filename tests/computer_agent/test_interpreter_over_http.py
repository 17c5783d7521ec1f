"""The Python object with a model behind a real socket: numbers from a file, a picture, a question on what is there."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from model_server.brain import Call, Reply, Scripted, Status
from model_server.server import ModelServer

from computer_agent import Interpreter
from computer_agent.models.model import NoKey

if TYPE_CHECKING:
    from pathlib import Path

LOAD = "rows = [line.split(',') for line in open('data.csv').read().split()[1:]]\nprint(len(rows))"
PICTURE = """
import struct, zlib
def part(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
pixels = zlib.compress(b"".join(b"\\0" + b"\\xff\\0\\0" * 8 for _ in range(8)))
png = b"\\x89PNG\\r\\n\\x1a\\n" + part(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0))
class Chart:
    def _repr_png_(self):
        return png + part(b"IDAT", pixels) + part(b"IEND", b"")
Chart()
"""


def run(code: str) -> Reply:
    return Reply(text="I look.", calls=(Call("execute", {"language": "python", "code": code}),))


def interpreter(folder: Path, server: ModelServer) -> Interpreter:
    made = Interpreter(
        auto_run=True,
        options=["--workspace", str(folder), "--sandbox", "none"],
        environment={
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "XDG_STATE_HOME": str(folder / "state"),
        },
    )
    made.llm.model = "served"
    made.llm.api_base = server.api_base
    made.llm.supports_functions = made.llm.supports_vision = True
    made.llm.context_window = 100_000
    return made


def test_a_file_is_read_a_chart_made_and_asked_about_later(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("year,sum\n2024,3\n2025,4\n")
    replies = [
        run(LOAD),
        run(PICTURE),
        Reply(text="Two rows, and here is the chart."),
        run("print(rows[-1][1])"),
        Reply(text="It was 4."),
    ]
    with ModelServer(Scripted(replies)) as server, interpreter(tmp_path, server) as talking:
        first = talking.chat("Plot data.csv", display=False)
        then = talking.chat("And the last sum?", display=False)
        server.assert_clean()
        sent = server.requests[-1]
    assert [message["type"] for message in first] == [
        *("message", "code", "console", "message", "code", "image", "message")
    ]
    assert [message["content"] for message in then[1:]] == ["print(rows[-1][1])", "4\n", "It was 4."]
    assert sent.body["model"] == "served"
    assert str(sent.body["messages"]).count("image_url") > 0


def test_what_the_server_says_is_wrong_reaches_the_caller(tmp_path: Path) -> None:
    with (
        ModelServer(Scripted([Status(status=401, kind="auth")])) as server,
        interpreter(tmp_path, server) as talking,
        pytest.raises(NoKey),
    ):
        talking.chat("Hello", display=False)
