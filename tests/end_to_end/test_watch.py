"""`oi watch`: the page that shows a private desktop to this machine's user only."""

from __future__ import annotations

import http.client
import io
import signal
import subprocess
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from oi_process import OI, oi, steps
from PIL import Image
from xvfb import until

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.desktop


def asked(address: str, path: str, host: str | None = None) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", urlsplit(address).port, timeout=20)
    connection.request("GET", path, headers={} if host is None else {"Host": host})
    answer = connection.getresponse()
    try:
        return answer.status, answer.read()
    finally:
        connection.close()


def test_the_picture_is_served_to_whoever_has_the_address(tmp_path: Path) -> None:
    seen: dict[str, tuple[int, bytes]] = {}

    def look(_process: subprocess.Popen[str], out: Path) -> None:
        assert until(lambda: "→ wait" in out.read_text(), 40)
        with subprocess.Popen([*OI, "watch"], cwd=tmp_path, stdout=subprocess.PIPE, text=True) as watching:
            assert watching.stdout is not None
            line = watching.stdout.readline()
            address = next(word for word in line.split() if word.startswith("http://127.0.0.1:"))
            path = urlsplit(address).path
            seen["page"] = asked(address, path)
            seen["picture"] = asked(address, path + "picture.jpg?1")
            seen["no token"] = asked(address, "/picture.jpg")
            seen["another site"] = asked(address, path, host="evil.example")
            watching.send_signal(signal.SIGINT)
            assert watching.wait(20) == 130

    ran = oi(*steps("wait 12 seconds"), "--size", "800x600", cwd=tmp_path, during=look)
    assert ran.code == 0, ran
    assert seen["page"][0] == 200
    assert b"<img" in seen["page"][1]
    assert Image.open(io.BytesIO(seen["picture"][1])).size == (800, 600)
    assert seen["no token"][0] == 404
    assert seen["another site"][0] == 403


def test_without_a_private_desktop_it_says_how_to_start_one(tmp_path: Path) -> None:
    ran = oi("watch", cwd=tmp_path)
    assert ran.code == 2
    assert "No private desktop is running. Start one: oi --os --private" in ran.err
