"""Chromium pages: the picture and the boxes of its texts, both from the browser itself over DevTools.

The DevTools protocol is spoken over two pipes, so no port is opened.
"""

from __future__ import annotations

import base64
import json
import os
import select
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import cv2
import numpy as np
from screens.truth import Screen, labels_from

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

HERE = Path(__file__).resolve().parent
PAGES = HERE / "pages"
LABELS = (HERE / "page_labels.js").read_text()
ANSWER_SECONDS = 60.0
FLAGS = (
    "--no-sandbox", "--no-first-run", "--no-default-browser-check", "--disable-gpu", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--password-store=basic",
    "--disable-features=Translate", "--remote-debugging-pipe",
)  # fmt: skip


class Browser:
    """A Chromium that is asked over pipes."""

    def __init__(self, environment: Mapping[str, str], home: Path, *flags: str) -> None:
        theirs_in, self._asking = os.pipe()
        self._answers, theirs_out = os.pipe()
        self._process = subprocess.Popen(
            ["bash", "-c", f'exec chromium "$@" 3<&{theirs_in} 4>&{theirs_out}', "chromium",
             *FLAGS, f"--user-data-dir={home}", *flags],
            env=dict(environment),
            pass_fds=(theirs_in, theirs_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(theirs_in)
        os.close(theirs_out)
        self._unread = b""
        self._number = 0
        self._session: str | None = None

    def __enter__(self) -> Self:
        targets = self.ask("Target.getTargets")["targetInfos"]
        page = next((target["targetId"] for target in targets if target["type"] == "page"), None)
        page = page or self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        return self

    def __exit__(self, *_error: object) -> None:
        os.close(self._asking)  # it ends when nobody can ask it any more
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._answers)

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
        """Call a DevTools method of the page, or of the browser before there is one."""
        self._number += 1
        question: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            question["sessionId"] = self._session
        os.write(self._asking, json.dumps(question).encode() + b"\0")
        while (told := self._next()).get("id") != self._number:
            pass
        assert "result" in told, f"{method}: {told}"
        answer: dict[str, Any] = told["result"]
        return answer

    def run(self, script: str) -> Any:  # noqa: ANN401 - JSON
        """The value of a script in the page, awaited when it is a promise."""
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def open(self, page: Path, query: str = "") -> None:
        """Show a file and wait until it and its fonts are there."""
        self.ask("Page.navigate", url=f"{page.as_uri()}{query}")
        ready = "document.readyState === 'complete' && document.fonts.status === 'loaded'"
        while not self.run(f"location.protocol === 'file:' && {ready}"):
            pass
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._unread:
            ready, _, _ = select.select([self._answers], [], [], ANSWER_SECONDS)
            part = os.read(self._answers, 1 << 20) if ready else b""
            assert part, "Chromium does not answer"
            self._unread += part
        message, _, self._unread = self._unread.partition(b"\0")
        told: dict[str, Any] = json.loads(message)
        return told


@contextmanager
def browser(environment: Mapping[str, str], *flags: str) -> Iterator[Browser]:
    """A Chromium with a profile of its own; without a window where ``--headless`` is among the flags."""
    with (
        tempfile.TemporaryDirectory(prefix="oi-screens-", ignore_cleanup_errors=True) as home,
        Browser(environment, Path(home), *flags) as running,
    ):
        yield running


def page(
    name: str,
    *,
    theme: str,
    size: tuple[int, int],
    scale: int = 1,
    tags: tuple[str, ...] = (),
    query: str = "",
) -> Screen:
    """``pages/NAME.html`` as Chromium shows it in a window of that size (in CSS pixels)."""
    with browser(os.environ, "--headless=new", "--lang=en") as running:
        running.ask(
            "Emulation.setDeviceMetricsOverride",
            width=size[0], height=size[1], deviceScaleFactor=scale, mobile=False,
        )  # fmt: skip
        running.open(PAGES / f"{name}.html", query)
        entries = running.run(LABELS)
        shot = running.ask("Page.captureScreenshot", format="png")["data"]
    picture = cv2.imdecode(np.frombuffer(base64.b64decode(shot), np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    assert picture.shape[:2] == (size[1] * scale, size[0] * scale), picture.shape
    return Screen(
        name=f"chromium_{name}",
        pixels=np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2BGRA), dtype=np.uint8),
        labels=labels_from(entries),
        theme=theme,
        toolkit="chromium",
        scale=scale,
        tags=tags,
    )
