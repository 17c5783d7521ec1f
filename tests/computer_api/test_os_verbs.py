"""The desktop as a whole: notifications that a program shows, what is selected, files opened."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from xvfb import until

from computer_api.computer import Computer
from computer_api.errors import ComputerError, RefusedError
from computer_platform.memory import MemoryDesktop, form

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from computer_api.actions import Action
    from computer_api.receipt import Receipt
    from computer_vision.reader import Reader

# A notification service such as a desktop has: it writes what it is to show into a file, one a line.
SERVICE = """
import asyncio, json, pathlib, sys
from dbus_fast.aio import MessageBus
from dbus_fast.service import ServiceInterface, method

class Notifications(ServiceInterface):
    @method()
    def Notify(self, app: "s", old: "u", icon: "s", title: "s", text: "s",
               actions: "as", hints: "a{sv}", seconds: "i") -> "u":
        with open(sys.argv[1], "a", encoding="utf-8") as file:
            file.write(json.dumps([app, title, text]) + chr(10))
        return 1

    @method()
    def GetCapabilities(self) -> "as":
        return ["body"]

    @method()
    def GetServerInformation(self) -> "ssss":
        return ["test", "test", "1", "1.2"]

async def serve():
    bus = await MessageBus().connect()
    bus.export("/org/freedesktop/Notifications", Notifications("org.freedesktop.Notifications"))
    await bus.request_name("org.freedesktop.Notifications")
    pathlib.Path(sys.argv[1]).touch()
    await asyncio.get_running_loop().create_future()

asyncio.run(serve())
"""
TEXT = 'Fertig: 3 Dateien - it\'s \\ "done" \N{SNOWMAN}\nand more'


@pytest.fixture(scope="module")
def private() -> Iterator[Computer]:
    with Computer.open("private", size=(640, 400)) as computer:
        yield computer


@pytest.fixture
def memory(reader: Reader) -> Computer:
    return Computer(MemoryDesktop((640, 400), screens=form()), reader=reader, patience=0.0)


@pytest.mark.desktop
def test_a_notification_is_shown_by_the_desktop_s_service_or_it_is_said_that_none_is_there(
    private: Computer, tmp_path: Path
) -> None:
    with pytest.raises(ComputerError, match=r"No notification was shown: .*org\.freedesktop\.Notifications"):
        private.os.notify("nobody hears this")
    shown, script = tmp_path / "shown.txt", tmp_path / "service.py"
    script.write_text(SERVICE, encoding="utf-8")
    private.desktop.launch([sys.executable, str(script), str(shown)])
    assert until(shown.exists, seconds=30)
    private.os.notify(TEXT, title="A - title")
    private.os.notify("--help")
    import json

    told = [json.loads(line) for line in shown.read_text(encoding="utf-8").splitlines()]
    assert told == [["oi", "A - title", TEXT], ["oi", "oi", "--help"]]


@pytest.mark.desktop
def test_what_is_selected_is_read_and_the_clipboard_stays(private: Computer) -> None:
    private.clipboard.copy("mine")
    private.clipboard.copy("chosen", primary=True)
    assert private.os.get_selected_text() == private.os.selected_text() == "chosen"
    assert private.clipboard.view() == "mine"


def test_where_selecting_fills_nothing_it_is_copied_and_put_back(memory: Computer) -> None:
    memory.clipboard.copy("mine")
    assert memory.os.get_selected_text() == ""
    assert memory.clipboard.view() == "mine"


def test_a_notification_that_is_refused_is_not_shown(memory: Computer) -> None:
    def refuse(action: Action, perform: Callable[[Action], Receipt]) -> Receipt:
        raise RefusedError("no")

    memory.gate = refuse
    with pytest.raises(RefusedError):
        memory.os.notify("x")
    with pytest.raises(RefusedError):
        memory.os.open("mousepad")


def test_what_is_no_text_is_said(memory: Computer) -> None:
    with pytest.raises(TypeError, match=r"os\.notify"):
        memory.os.notify(7)  # type: ignore[arg-type]  # what people do
