"""What the tests of traces share: programs in processes of their own, and small pictures."""

from __future__ import annotations

import os
import subprocess
import sys
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[3]
CHILD = Path(__file__).with_name("child.py")


@pytest.fixture
def spawn() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts ``child.py`` with arguments, behind a prefix command if one is given; ends what is left."""
    paths = os.pathsep.join(str(ROOT / floor) for floor in (".", "vision", "platform"))
    running: list[subprocess.Popen[str]] = []

    def start(*arguments: object, before: tuple[str, ...] = ()) -> subprocess.Popen[str]:
        command = [*before, sys.executable, str(CHILD), *map(str, arguments)]
        environment = {**os.environ, "PYTHONPATH": paths}
        child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        running.append(child)
        return child

    yield start
    for child in running:
        child.kill()
        child.wait()
        assert child.stdout is not None
        child.stdout.close()


@pytest.fixture
def png() -> bytes:
    """A picture of one grey pixel."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return len(body).to_bytes(4) + kind + body + zlib.crc32(kind + body).to_bytes(4)

    header = (1).to_bytes(4) + (1).to_bytes(4) + bytes([8, 0, 0, 0, 0])
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0\x80")) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body
