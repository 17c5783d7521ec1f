"""`oi doctor`: each capability tried for real, and what does not work said with what to do."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from oi_process import oi
from xvfb import until, x_server

from computer_platform.x11 import X11Desktop

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.desktop

EVERYTHING = {
    "desktop", "capture", "pointer", "windows", "text reading", "clipboard", "accessibility", "python", "shell",
    "sandbox", "browser", "typing",
}  # fmt: skip


def findings(out: str) -> dict[str, str]:
    """The state of each capability by its name."""
    return {line[6:20].strip(): line[:4].strip() for line in out.splitlines()}


def test_everything_works_on_a_private_desktop(tmp_path: Path) -> None:
    ran = oi("doctor", "--private", "--model", "steps", cwd=tmp_path)
    assert ran.code == 0, ran
    assert findings(ran.out) == dict.fromkeys(EVERYTHING | {"model"}, "ok")
    assert not ran.left


def test_a_screen_without_a_window_manager_or_a_session_says_what_is_absent(tmp_path: Path) -> None:
    with x_server(manager=False) as name:
        ran = oi("doctor", cwd=tmp_path, environment=dict(os.environ) | {"DISPLAY": name})
    found = findings(ran.out)
    assert found["windows"] == "--", ran
    assert found["accessibility"] == "--"
    assert found["capture"] == found["pointer"] == found["clipboard"] == found["text reading"] == "ok"
    assert "at-spi2-core" in ran.out


def without_tesseract(folder: Path) -> dict[str, str]:
    """The environment in which there are the programs of a private desktop and no other."""
    programs = folder / "bin"
    programs.mkdir()
    for program in ("bash", "Xvfb", "openbox", "dbus-daemon", "xauth", "sh", "zenity"):
        (programs / program).symlink_to(shutil.which(program) or "/nowhere")
    return dict(os.environ) | {"PATH": str(programs)}


def test_reading_needs_no_program(tmp_path: Path) -> None:
    ran = oi("doctor", "--private", cwd=tmp_path, environment=without_tesseract(tmp_path))
    assert findings(ran.out)["text reading"] == "ok", ran


def test_a_missing_reader_is_named_with_its_package(tmp_path: Path) -> None:
    environment = without_tesseract(tmp_path) | {"OI_READER": "tesseract"}
    ran = oi("doctor", "--private", cwd=tmp_path, environment=environment)
    assert ran.code == 1, ran
    assert findings(ran.out)["text reading"] == "FAIL"
    assert "tesseract-ocr" in ran.out


def test_a_model_that_cannot_be_reached_is_a_failure(tmp_path: Path) -> None:
    ran = oi(
        "doctor", "--private", "--model", "openai/nobody", "--api-base", "http://127.0.0.1:9/v1", "--api-key", "x",
        cwd=tmp_path,
    )  # fmt: skip
    assert ran.code == 1, ran
    assert findings(ran.out)["model"] == "FAIL"
    assert "127.0.0.1:9" in ran.out


def test_a_picture_on_the_persons_clipboard_is_left_there(tmp_path: Path) -> None:
    (tmp_path / "picture").write_bytes(b"\x89PNG not text")
    with x_server(manager=False) as name:
        environment = dict(os.environ) | {"DISPLAY": name}
        picture = ["xclip", "-selection", "clipboard", "-t", "image/png"]
        held = subprocess.Popen(
            [*picture, "-i", "-loops", "0", "-quiet", "picture"], cwd=tmp_path, env=environment
        )

        def pasted() -> bytes:
            return subprocess.run([*picture, "-o"], env=environment, capture_output=True, check=False).stdout

        try:
            assert until(lambda: pasted() == b"\x89PNG not text")
            ran = oi("doctor", "--model", "steps", cwd=tmp_path, environment=environment)
            assert pasted() == b"\x89PNG not text"
        finally:
            held.kill()
            held.wait()
    assert "read, and left alone" in ran.out


def test_a_window_of_the_person_with_the_same_title_is_neither_typed_into_nor_closed(tmp_path: Path) -> None:
    """Here the program that `oi doctor` starts shows another window than its own, so that only theirs fits."""
    zenity = shutil.which("zenity")
    (tmp_path / "zenity").write_text(f"#!/bin/sh\nexec {zenity} --info --title=Another --text=window\n")
    (tmp_path / "zenity").chmod(0o755)
    with x_server() as name:
        environment = dict(os.environ) | {"DISPLAY": name}
        stubbed = environment | {"PATH": f"{tmp_path}:{environment['PATH']}"}
        theirs = [str(zenity), "--entry", "--title=oi doctor", "--entry-text=kept"]
        with (
            closing(X11Desktop(name)) as desktop,
            subprocess.Popen(theirs, env=environment, stdout=subprocess.PIPE, text=True) as program,
        ):
            manager = desktop.windows
            assert manager is not None
            assert until(lambda: any(one.title == "oi doctor" for one in manager.all()))
            ran = oi("doctor", "--model", "steps", cwd=tmp_path, environment=stubbed)
            assert findings(ran.out)["typing"] == "--", ran
            with pytest.raises(
                subprocess.TimeoutExpired
            ):  # a window that was asked to close is gone in 0.1 s
                program.wait(1)
            manager.activate(next(one for one in manager.all() if one.title == "oi doctor"))
            for down in (True, False):
                desktop.key("Return", down=down)
            assert program.communicate(timeout=20)[0] == "kept\n"


def test_on_a_desktop_in_memory_nothing_is_said_to_be_missing(tmp_path: Path) -> None:
    ran = oi("doctor", "--desktop", "memory", "--model", "steps", cwd=tmp_path)
    assert ran.code == 0, ran
    assert "not tried, since no programs run on a desktop in memory" in ran.out
    assert "install" not in ran.out
