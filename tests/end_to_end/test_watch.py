"""`oi watch`: a private desktop in the browser, seen and used by this machine's user only."""

from __future__ import annotations

import io
import os
import socket
import tempfile
import threading
from http.client import HTTPException
from subprocess import Popen
from typing import TYPE_CHECKING, Any

import pytest
from oi_process import Ran, oi, says, steps
from PIL import Image
from processes import killed_after
from watching import Page, VncViewer, Watching, browser, watching
from Xlib import X
from xvfb import until

from computer_agent.trace.reader import read
from computer_platform.private import open_private, running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from computer_platform.desktop import PersonEvent
    from computer_platform.private import PrivateDesktop

pytestmark = pytest.mark.desktop

SIZE = (640, 480)
TYPED = "Grüße, <>@€ {y}!"  # all of it on a German keyboard
WRITTEN = "A first line\nWrite below\n"  # the caret is where no text has to be read
BUTTONS = X.Button1Mask | X.Button2Mask | X.Button3Mask


@pytest.fixture(scope="module")
def desktop() -> Iterator[PrivateDesktop]:
    opened = open_private(SIZE, os.environ)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def plain(desktop: PrivateDesktop) -> Iterator[Watching]:
    with watching(desktop.running.display, "--plain") as found:
        yield found


@pytest.fixture(scope="module")
def by_vnc(desktop: PrivateDesktop) -> Iterator[Watching]:
    with watching(desktop.running.display) as found:
        yield found


@pytest.fixture
def page(plain: Watching) -> Iterator[Page]:
    """A page that looks on."""
    found = Page(plain.page.address)
    yield found
    found.post("give")


@pytest.fixture
def heard(desktop: PrivateDesktop) -> Iterator[list[PersonEvent]]:
    """What the desktop hears of a person."""
    events: list[PersonEvent] = []
    assert desktop.person is not None
    desktop.person.listen(events.append)
    yield events
    desktop.person.stop()


def pressed(desktop: PrivateDesktop) -> bool:
    """Whether any key or button is down, whoever holds it."""
    connection = desktop._connection
    with connection.talking():
        buttons = connection.root.query_pointer().mask & BUTTONS
        return bool(buttons or any(connection.server.query_keymap()))


def key(name: str, *, down: bool) -> dict[str, object]:
    return {"kind": "key", "name": name, "down": down}


def button(name: str, x: int, y: int, *, down: bool) -> dict[str, object]:
    return {"kind": "button", "name": name, "down": down, "x": x, "y": y}


# Looking on.


def test_the_picture_is_served_to_whoever_has_the_address(page: Page) -> None:
    found = page.get("")
    assert found.status == 200
    assert b"Take over" in found.body
    assert "frame-ancestors 'none'" in (found.headers["Content-Security-Policy"] or "")
    assert Image.open(io.BytesIO(page.get("picture.jpg?1").body)).size == SIZE
    assert page.get("page.js").headers["Content-Type"] == "text/javascript"


def test_what_has_not_changed_is_not_sent_again(desktop: PrivateDesktop, page: Page) -> None:
    desktop.move(100, 100)
    assert until(lambda: page.news()["pointer"] == [100, 100])
    before = page.news()
    answers: list[dict[str, Any]] = []
    asking = threading.Thread(target=lambda: answers.append(page.news(before["version"])))
    asking.start()
    asking.join(1.0)
    assert answers == []  # nothing has changed, so there is no answer
    desktop.move(110, 105)
    asking.join(10)
    assert answers[0]["pointer"] == [110, 105]
    assert answers[0]["picture"] == before["picture"]
    desktop.launch(["xterm", "-geometry", "30x5+20+20"])
    assert until(lambda: page.news()["picture"] > before["picture"], 20)


@pytest.mark.parametrize(
    ("name", "headers"),
    [
        ("/picture.jpg", {}),
        ("/wrong-token/picture.jpg", {}),
        ("", {"Host": "evil.example"}),
        ("", {"Host": "127.0.0.1:1"}),
        ("picture.jpg", {"Host": "127.0.0.1.evil.example"}),
    ],
)
def test_a_wrong_token_or_another_sites_name_is_refused(
    page: Page, name: str, headers: dict[str, str]
) -> None:
    found = page.get(name, **headers)
    assert found.status == 403
    assert "oi watch" in found.data["error"]


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1"])
@pytest.mark.parametrize("name", ["take", "input", "stop", "give"])
def test_another_sites_page_can_do_nothing(page: Page, origin: str, name: str) -> None:
    found = page.post(name, Origin=origin)
    assert found.status == 403
    assert f'The page "{origin}" may not use this desktop.' == found.data["error"]


def test_a_form_of_another_site_cannot_send_what_looks_like_json(page: Page) -> None:
    assert page.post("take", Content_Type="text/plain").status == 415


@pytest.mark.parametrize(
    "name", ["nothing", "novnc/../../../etc/passwd", "novnc/core/../../x.js", "page/page.html"]
)
def test_no_other_file_is_served(page: Page, by_vnc: Watching, name: str) -> None:
    assert page.get(name).status == 404
    assert by_vnc.page.get(name).status == 404


# Using it.


def test_what_a_viewer_does_is_a_persons_doing_in_its_order(
    desktop: PrivateDesktop, page: Page, heard: list[PersonEvent]
) -> None:
    assert page.post("take").status == 200
    assert page.news()["viewer"] == page.viewer
    done = page.does(
        {"kind": "move", "x": 300, "y": 200},
        button("right", 310, 210, down=True),
        button("right", 310, 210, down=False),
        button("middle", 320, 220, down=True),
        button("middle", 320, 220, down=False),
        key("Control", down=True),
        key("ArrowLeft", down=True),
        key("ArrowLeft", down=False),
        key("Control", down=False),
        {"kind": "wheel", "right": 0, "down": 2, "x": 320, "y": 220},
    )
    assert done.data == {}
    assert until(lambda: sum(event.kind == "wheel" for event in heard) == 2)
    # a window manager that looks at a click first holds up the mouse, and not the keyboard
    assert [(event.name, event.down) for event in heard if event.kind in ("button", "wheel")] == [
        *[("right", True), ("right", False), ("middle", True), ("middle", False)],
        *[("down", True), ("down", True)],
    ]
    assert [(event.name, event.down) for event in heard if event.kind == "key"] == [
        *[("Control_L", True), ("Left", True), ("Left", False), ("Control_L", False)],
    ]
    assert desktop.pointer() == (320, 220)
    assert not pressed(desktop)


def test_nothing_is_done_for_whoever_has_not_taken_over(desktop: PrivateDesktop, page: Page) -> None:
    before = desktop.pointer()
    found = page.does({"kind": "move", "x": 5, "y": 5})
    assert found.status == 409
    assert found.data["error"] == "You do not have this desktop. Press Take over first."
    assert desktop.pointer() == before


def test_of_two_who_look_on_the_one_who_took_over_last_has_it(desktop: PrivateDesktop, page: Page) -> None:
    other = Page(page.address)
    page.post("take")
    page.does(button("left", 600, 400, down=True), key("shift", down=True))
    assert pressed(desktop)
    assert other.post("take").status == 200
    assert not pressed(desktop)
    assert page.news()["viewer"] == other.viewer
    found = page.does({"kind": "move", "x": 5, "y": 5})
    assert (found.status, found.data["error"]) == (
        409,
        "You do not have this desktop. Another window has it now.",
    )
    page.post("give")  # what is not theirs they cannot give
    assert other.does().status == 200
    other.post("give")
    assert page.news()["viewer"] is None


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"kind": "move", "x": 640, "y": 5}, '"x" is a whole number from 0 to 639'),
        (key("nokey", down=True), 'There is no key "nokey"'),
    ],
)
def test_of_several_inputs_those_before_a_wrong_one_are_done(
    desktop: PrivateDesktop, page: Page, wrong: dict[str, object], words: str
) -> None:
    page.post("take")
    found = page.does({"kind": "move", "x": 7, "y": 8}, wrong, {"kind": "move", "x": 50, "y": 50})
    assert found.status == 400
    assert words in found.data["error"]
    assert desktop.pointer() == (7, 8)


def test_what_a_silent_page_holds_is_released(desktop: PrivateDesktop, page: Page) -> None:
    page.post("take")
    page.does(button("left", 600, 400, down=True), key("alt", down=True))
    assert pressed(desktop)
    assert until(lambda: not pressed(desktop), 60)
    assert until(lambda: page.news()["viewer"] is None)


def test_ctrl_c_ends_it_at_once_and_nothing_stays_pressed(desktop: PrivateDesktop) -> None:
    with watching(desktop.running.display, "--plain") as ending:
        page = ending.page
        page.post("take")
        page.does(button("left", 600, 400, down=True), key("shift", down=True))
        version = page.news()["version"]
        waiting = threading.Thread(target=cut_off, args=(page, version))
        waiting.start()
        assert pressed(desktop)
        took = ending.end()
        waiting.join(10)
    assert not pressed(desktop)
    assert took < 3  # 0.2 s when the machine is idle


def cut_off(page: Page, version: int) -> None:
    """Wait for news until the server hangs up."""
    with pytest.raises((OSError, HTTPException)):
        page.news(version)


# By VNC.


def test_a_vnc_viewer_sees_the_desktop_and_can_do_nothing(
    desktop: PrivateDesktop, by_vnc: Watching, heard: list[PersonEvent]
) -> None:
    assert "by VNC" in by_vnc.line
    before = desktop.pointer()
    viewer = VncViewer(by_vnc.page)
    assert (viewer.size, viewer.name) == (SIZE, "oi")
    viewer.pointer(610, 410, buttons=0b101)
    viewer.key(0xFFE1, down=True)
    seen = viewer.picture()  # answered after that
    assert len(seen) == 4 * SIZE[0] * SIZE[1]
    assert viewer.ping() == b"there?"
    viewer.close()
    assert desktop.pointer() == before
    assert heard == []
    assert not pressed(desktop)


def test_another_sites_page_gets_no_picture_by_vnc(by_vnc: Watching, page: Page) -> None:
    words = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec_WebSocket_Key": "a2V5"}
    assert by_vnc.page.get("vnc", Origin="http://evil.example", **words).status == 403
    assert by_vnc.page.get("vnc", **words).status == 403
    own = f"http://127.0.0.1:{page.port}"
    assert page.get("vnc", Origin=own, **words).status == 400  # shown as pictures


def test_what_a_person_typed_spoils_nothing_that_the_agent_types(
    desktop: PrivateDesktop, page: Page, tmp_path: Path
) -> None:
    typed = tmp_path / "typed"
    desktop.launch(["xterm", "-u8", "-e", "sh", "-c", f"cat >{typed}"], environment={"LC_ALL": "C.UTF-8"})
    assert desktop.windows is not None
    windows = desktop.windows
    assert until(
        lambda: typed.exists() and any(one.active and one.app == "XTerm" for one in windows.all()), 20
    )
    page.post("take")
    assert (
        page.does({"kind": "text", "text": "жé"}, key("Return", down=True), key("Return", down=False)).data
        == {}
    )
    assert until(lambda: typed.read_text() == "жé\n"), typed.read_text()
    desktop.type_text("Ω ж 你好 é\n")
    assert until(lambda: typed.read_text() == "жé\nΩ ж 你好 é\n"), typed.read_text()
    assert page.does({"kind": "text", "text": "Ωé!\n"}, {"kind": "paste", "text": "a 你\n"}).data == {}
    assert until(lambda: typed.read_text() == "жé\nΩ ж 你好 é\nΩé!\na 你\n"), typed.read_text()


# What cannot be.


def test_a_desktop_that_ends_is_said_to_have_ended(tmp_path: Path) -> None:
    desktop = open_private(SIZE, os.environ)
    with watching(desktop.running.display) as found:
        page = found.page
        assert page.post("take").status == 200
        desktop.close()
        assert until(lambda: page.news()["gone"])
        news = page.news()
        assert news["gone"].startswith("This desktop has ended.")
        assert news["viewer"] is None
        assert page.does({"kind": "move", "x": 1, "y": 1}).status == 410
        assert page.get("picture.jpg").status == 410
        assert found.process.poll() is None  # it goes on telling it
        found.end()


def test_without_a_private_desktop_it_says_how_to_start_one(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory(
        prefix="oi-test-", dir="/tmp"
    ) as runtime:  # a short name, as sessions have
        ran = oi("watch", cwd=tmp_path, environment=dict(os.environ) | {"XDG_RUNTIME_DIR": runtime})
    assert ran.code == 2
    assert "No private desktop is running. Start one: oi --os --private" in ran.err


def test_a_port_that_is_taken_is_named(desktop: PrivateDesktop, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = oi("watch", desktop.running.display, "--port", str(port), cwd=tmp_path)
    assert ran.code == 2
    assert f'The port "{port}" cannot be taken: Address already in use. Name another with --port' in ran.err


# A run, and a person with a browser.


def test_a_person_with_a_browser_pauses_the_run_and_the_trace_says_so(tmp_path: Path) -> None:
    """By VNC: take over, write into a document and save it, give back; then the agent goes on."""
    notes = tmp_path / "notes.txt"
    notes.write_text(WRITTEN)

    def work(process: Popen[str], out: Path) -> None:
        assert until(says(out, "→ wait"), 60)
        with watching() as found, browser(found.page.address, tmp_path) as computer:
            written(computer, notes)
            assert says(out, "goes on when you have done nothing")()
            assert not until(says(out, "→ run"), 1)
            computer.mouse.click("Give back")
            assert until(lambda: found.page.news()["viewer"] is None)
            assert until(says(out, "! The person used the mouse and the keyboard"), 60)
            on_it = running(os.environ)[-1]
            xterm = {"DISPLAY": on_it.display, "XAUTHORITY": on_it.xauthority}
            with killed_after(Popen(["xterm", "-T", "Go on"], env=os.environ | xterm)) as shown:
                assert until(lambda: process.poll() is not None, 60)
                assert shown.wait(20)

    task = steps(
        f'open "mousepad" with "{notes}"',
        'wait for window "Go on" within 100 seconds',
        'run shell "touch went-on"',
    )
    ran = oi(*task, "--size", "800x600", "--trace", "trace", cwd=tmp_path, during=work)
    assert ran.code == 0, ran
    assert (tmp_path / "went-on").exists()
    told(ran, tmp_path / "trace")


def told(ran: Ran, trace: Path) -> None:
    """That the run waited for the person, and that the trace says what they did."""
    assert "You used the mouse. It goes on when you have done nothing for 5 seconds." in ran.out
    used = [used for step in read(trace).steps for used in step.person]
    assert {one.then for one in used} == {"quiet"}
    assert sum(one.keys for one in used) >= len(TYPED)
    assert sum(one.buttons for one in used) >= 1
    assert sum(one.points for one in used) > 8


def test_the_plain_page_types_and_saves_and_its_stop_stops_the_run(tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text(WRITTEN)

    def work(process: Popen[str], out: Path) -> None:
        assert until(says(out, "→ wait"), 60)
        with watching("--plain") as found, browser(found.page.address, tmp_path) as computer:
            written(computer, notes)
            computer.mouse.click("Stop the run")
            assert until(lambda: process.poll() is not None, 20)
            assert until(lambda: any("This desktop has ended" in title for title in titles(computer)), 20)

    task = steps(f'open "mousepad" with "{notes}"', "wait 60 seconds")
    ran = oi(*task, "--size", "800x600", cwd=tmp_path, during=work)
    assert ran.code == 130, ran


def titles(computer: Any) -> list[str]:  # noqa: ANN401 - a Computer
    """What the windows of its screen are called; a browser's, by its page."""
    return [window.title for window in computer.desktop.windows.all()]


def written(computer: Any, notes: Path) -> None:  # noqa: ANN401 - a Computer
    """Take over, click into the document that the page shows, write and save."""
    assert until(lambda: any("you are watching" in title.casefold() for title in titles(computer)), 30)
    computer.mouse.click("Take over")  # which is grey until then
    assert until(lambda: any("You are in charge" in title for title in titles(computer)), 20)
    computer.mouse.click("Write below")
    computer.keyboard.hotkey("ctrl", "end")
    computer.desktop.type_text(TYPED)
    computer.keyboard.hotkey("ctrl", "s")
    assert until(lambda: notes.read_text() == WRITTEN + TYPED, 30), notes.read_text()
