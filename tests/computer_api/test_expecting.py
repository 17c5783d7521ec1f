"""What can be expected beside the screen, and of it: real files, programs, pages, and what a desktop tells."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
import zipfile
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Any

import pytest
from processes import killed_after

from computer_api import actions
from computer_api.computer import Computer
from computer_api.errors import ExpectationError, Stopped, UnsupportedError
from computer_api.receipt import Receipt
from computer_api.targets import ElementTarget, TextTarget

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def computer() -> Iterator[Computer]:
    with Computer.open("memory", environment={}) as opened:
        yield opened


def words(error: pytest.ExceptionInfo[ExpectationError]) -> str:
    return str(error.value)


def test_a_file_that_is_there_and_holds_the_text_is_as_expected(computer: Computer, tmp_path: Path) -> None:
    (tmp_path / "out.csv").write_text("Name,City\nAda,London\n")
    receipt = computer.expect(file=tmp_path / "out.csv", holds="Ada,London", within=2)
    assert receipt.effect == "unknown"
    computer.expect(file=f"{tmp_path}/o*.csv", within=2)
    computer.expect(file=tmp_path / "other.csv", gone=True, within=0)


def test_what_a_file_lacks_is_said_with_what_is_beside_it(computer: Computer, tmp_path: Path) -> None:
    (tmp_path / "report.csv").write_text("Ada")
    with pytest.raises(ExpectationError) as error:
        computer.expect(file=tmp_path / "reprot.csv", within=0)
    assert 'In its folder: "report.csv".' in words(error)
    with pytest.raises(ExpectationError) as error:
        computer.expect(file=tmp_path / "report.csv", holds="Grace", within=0.3)
    assert 'does not hold "Grace"' in words(error)
    with pytest.raises(ExpectationError) as error:
        computer.expect(file=tmp_path / "no" / "report.csv", within=0)
    assert f'no folder "{tmp_path / "no"}"' in words(error)
    with pytest.raises(ExpectationError) as error:
        computer.expect(file=tmp_path / "report.csv", gone=True, within=0)
    assert "is there" in words(error)
    with pytest.raises(ExpectationError) as error:
        computer.expect(file=tmp_path, holds="x", within=0.3)
    assert "is a folder" in words(error)


def test_a_file_that_appears_while_it_is_waited_for_is_seen(computer: Computer, tmp_path: Path) -> None:
    later = threading.Timer(0.4, lambda: (tmp_path / "late.txt").write_text("here"))
    later.start()
    computer.expect(file=tmp_path / "late.txt", holds="here", within=10)
    later.join()


def test_a_file_that_is_still_being_written_is_not_there_yet(computer: Computer, tmp_path: Path) -> None:
    path = tmp_path / "growing.txt"
    path.write_text("")
    ended = threading.Event()

    def write() -> None:
        with path.open("a") as file:
            while not ended.wait(0.01):
                file.write("more ")
                file.flush()

    writing = threading.Thread(target=write)
    writing.start()
    try:
        with pytest.raises(ExpectationError) as error:
            computer.expect(file=path, within=0.6)
        assert "still being written" in words(error)
    finally:
        ended.set()
        writing.join()
    computer.expect(file=path, holds="more", within=2)


def test_the_words_of_an_office_document_are_found_though_it_is_an_archive(
    computer: Computer, tmp_path: Path
) -> None:
    path = tmp_path / "report.odt"
    page = '<d xmlns="x"><p>Invoice <b>10</b>47</p><p>Zürich &amp; Bern</p></d>'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("content.xml", page)
    for text in ("Invoice 1047", "Zürich & Bern"):
        computer.expect(file=path, holds=text, within=2)
    with pytest.raises(ExpectationError):
        computer.expect(file=path, holds="Basel", within=0.3)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1252"])
def test_a_text_is_found_in_the_encodings_that_programs_write(
    computer: Computer, tmp_path: Path, encoding: str
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("erste Zeile\r\nGrüße".encode(encoding))
    computer.expect(file=path, holds="Grüße", within=2)


def test_a_text_over_the_edge_of_two_pieces_is_found(computer: Computer, tmp_path: Path) -> None:
    path = tmp_path / "large.txt"
    path.write_bytes(b"x" * ((1 << 20) - 3) + b"needle" + b"y" * 10)
    computer.expect(file=path, holds="needle", within=3)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_that_nobody_writes_to_is_not_read(computer: Computer, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ExpectationError) as error:
        computer.expect(file=tmp_path / "pipe", holds="x", within=0.3)
    assert "no file that can be read" in words(error)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="this user may look anywhere")
def test_where_one_may_not_look_nothing_is_gone(computer: Computer, tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0)
    for gone in (True, False):
        with pytest.raises(ExpectationError) as error:
            computer.expect(file=tmp_path / "closed" / "a.txt", gone=gone, within=0)
        assert "cannot be looked at: Permission denied" in words(error)


def test_no_path_is_no_file_and_a_name_that_is_too_long_is_none_either(computer: Computer) -> None:
    for path in ("", "x" * 5000, "a\0b"):
        with pytest.raises(ExpectationError) as error:
            computer.expect(file=path, within=0)
        assert "There is no file" in words(error)


def test_a_damaged_document_is_searched_as_it_is(computer: Computer, tmp_path: Path) -> None:
    path = tmp_path / "report.odt"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("content.xml", "<d>" + "Invoice " * 500 + "</d>")
    held = bytearray(path.read_bytes())
    held[45:60] = b"\xff" * 15
    path.write_bytes(held)
    computer.expect(file=path, holds="content.xml", within=2)
    with pytest.raises(ExpectationError):
        computer.expect(file=path, holds="Invoice", within=0.3)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="programs are listed on Linux only")
def test_a_program_goes_by_its_script_but_not_by_the_file_it_has_open(
    computer: Computer, tmp_path: Path
) -> None:
    (tmp_path / "seeding-oi.py").write_text("import sys; sys.stdin.read()")
    command = [sys.executable, "-u", tmp_path / "seeding-oi.py"]
    with killed_after(subprocess.Popen(command, stdin=subprocess.PIPE)) as program:
        computer.expect(process="seeding-oi", within=5)
        computer.expect(process="seeding-oi.py", within=5)
        program.communicate()
    command = ["cat", "-", tmp_path / "seeding-oi.py"]
    with killed_after(subprocess.Popen(command, stdin=subprocess.PIPE)) as program:
        computer.expect(process="cat", within=5)
        computer.expect(process="seeding-oi", gone=True, within=1)
        program.communicate()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="programs are listed on Linux only")
def test_a_program_that_runs_is_there_until_it_has_ended(computer: Computer, tmp_path: Path) -> None:
    script = tmp_path / "waiting-program-for-oi"
    script.write_text("#!/bin/sh\nread line\n")
    script.chmod(0o755)
    with killed_after(subprocess.Popen([script], stdin=subprocess.PIPE)) as program:
        computer.expect(process="waiting-program-for-oi", within=5)
        with pytest.raises(ExpectationError) as error:
            computer.expect(process="waiting-program-for-oi", gone=True, within=0.2)
        assert "still runs" in words(error)
        program.communicate()
        computer.expect(process="waiting-program-for-oi", gone=True, within=5)
    with pytest.raises(ExpectationError) as error:
        computer.expect(process="waiting-program-for-oi", within=0.2)
    assert 'No program "waiting-program-for-oi" runs' in words(error)


class Page(BaseHTTPRequestHandler):
    """Answers by its path: /200, /404, /away sends on to another host, /slow never answers."""

    never = threading.Event()

    def do_GET(self) -> None:
        if self.path == "/slow":
            self.never.wait(30)
            return
        away = self.path == "/away"
        self.send_response(302 if away else int(self.path.partition("?")[0].strip("/")))
        if away:
            self.send_header("Location", "http://oi.invalid/")
        self.end_headers()
        self.wfile.write(b"all is well")

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Page) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            Page.never.set()
            server.shutdown()
            thread.join()
            Page.never.clear()


def test_a_page_answers_as_expected(computer: Computer) -> None:
    with serving() as address:
        computer.expect(url=f"{address}/200", holds="all is well", within=3)
        computer.expect(url=f"{address}/404", status=404, within=3)
        computer.expect(url=f"{address}/away", status=302, within=3)
        computer.expect(url=f"{address}/404?city=Zürich", status=404, within=3)
        with pytest.raises(ExpectationError) as error:
            computer.expect(url=f"{address}/404", within=0.2)
        assert "answers 404, not 200" in words(error)
        with pytest.raises(ExpectationError) as error:
            computer.expect(url=f"{address}/200", holds="broken", within=0.2)
        assert 'without "broken" in it' in words(error)
    with pytest.raises(ExpectationError) as error:
        computer.expect(url=f"{address}/200", within=0.2)
    assert "does not answer" in words(error)
    with pytest.raises(UnsupportedError, match="begins with http"):
        computer.expect(url="file:///etc/passwd", within=0.2)


def test_a_page_that_does_not_answer_can_be_stopped_within_a_moment(computer: Computer) -> None:
    asked = time.monotonic()

    def stop() -> None:
        if time.monotonic() - asked > 0.3:
            raise Stopped("enough")

    with serving() as address:
        computer.stop_when(stop)
        try:
            with pytest.raises(Stopped):
                computer.expect(url=f"{address}/slow", within=20)
        finally:
            computer.stop_when(lambda: None)
        assert time.monotonic() - asked < 3


def test_the_clipboard_is_compared_whole_or_in_part(computer: Computer) -> None:
    computer.clipboard.copy("Ada Lovelace")
    computer.expect(clipboard="Ada Lovelace", within=1)
    computer.expect(clipboard="Love", part=True, within=1)
    with pytest.raises(ExpectationError) as error:
        computer.expect(clipboard="Ada", within=0.2)
    assert 'holds "Ada Lovelace", not "Ada"' in words(error)


@pytest.mark.parametrize(
    ("asked", "action"),
    [
        ({"gone": "Busy"}, actions.Expect(target=TextTarget("Busy"), gone=True)),
        ({"field": "Name"}, actions.Expect(target=ElementTarget("Name", role="field"))),
        (
            {"field": "Name", "value": "Ada", "part": True},
            actions.ExpectValue(target=ElementTarget("Name", role="field"), value="Ada", part=True),
        ),
        (
            {"tick": "Accept", "ticked": False},
            actions.ExpectTicked(target=ElementTarget("Accept", role="tick"), ticked=False),
        ),
        ({"window": "Report", "gone": True}, actions.WaitForWindow(title="Report", gone=True)),
        ({"url": "http://x/", "status": 404}, actions.ExpectHttp(url="http://x/", status=404)),
    ],
)
def test_each_form_is_one_action(computer: Computer, asked: dict[str, Any], action: actions.Action) -> None:
    seen: list[actions.Action] = []

    def gate(action: actions.Action, perform: object) -> Receipt:
        seen.append(action)
        return Receipt(effect="unknown")

    before, computer.gate = computer.gate, gate
    try:
        computer.expect(**asked)
    finally:
        computer.gate = before
    assert seen == [action]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, "takes one of file, process"),
        ({"file": "a", "url": "b"}, "not file and url"),
        ({"file": "a", "value": "x"}, "expect(file=…) takes gone and holds beside it, not value"),
        ({"color": "red"}, "takes one of"),
    ],
)
def test_another_form_is_refused_in_a_sentence(computer: Computer, asked: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        computer.expect(**asked)
