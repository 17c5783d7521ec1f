"""The viewer's page in a real browser, from a file: what it shows, marks, finds and does, and what it never does."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
import viewed_traces
from oi_process import OI
from PIL import Image, ImageStat
from screens.chromium import Browser
from xvfb import until

from computer_agent.step import Act, Done, Spent
from computer_agent.trace.record import FILE, IMAGES, VERSION
from computer_agent.trace.view.writing import write_page
from computer_agent.trace.writer import TraceWriter
from computer_api.actions import PressKeys
from computer_api.receipt import Receipt

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(shutil.which("chromium") is None, reason="chromium is not installed")

LONG = 500
READY = "document.documentElement.dataset.ready === 'yes'"
DRAWN = "[...document.querySelectorAll('#stage img')].every(image => image.complete && image.naturalWidth)"


class Reading(Browser):
    """A browser that remembers what it said about the page: requests, errors, what the console shows."""

    def __init__(self, home: Path) -> None:
        super().__init__(os.environ, home, "--headless=new", "--lang=en", "about:blank")
        self.events: list[dict[str, Any]] = []

    def _next(self) -> dict[str, Any]:
        told = super()._next()
        if "method" in told:
            self.events.append(told)
        return told

    def show(
        self, page: Path, link: str = "", *, size: tuple[int, int] = (1280, 800), theme: str = "light"
    ) -> None:
        """Open the page anew and wait until its picture is drawn."""
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=size[0],
            height=size[1],
            deviceScaleFactor=1,
            mobile=False,
        )
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        self.ask("Page.navigate", url="about:blank")
        self.open(page, link)
        self.until(f"{READY} && {DRAWN}")

    def until(self, fact: str) -> None:
        """Wait until a script's value is true; the page itself asks at each frame it draws."""
        awaited = (
            "new Promise((done, fail) => { const end = performance.now() + 30000; const look = () => "
            f"({fact}) ? done(true) : performance.now() > end ? fail(new Error('never so')) : setTimeout(look, 10);"
            " look(); })"
        )
        assert self.run(awaited) is True

    def press(self, *keys: str) -> None:
        for key in keys:
            self.ask("Input.dispatchKeyEvent", type="keyDown", key=key, text=key if len(key) == 1 else "")
            self.ask("Input.dispatchKeyEvent", type="keyUp", key=key)

    def mouse(self, kind: str, x: float, y: float) -> None:
        self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)

    def text(self, selector: str) -> str:
        return str(self.run(f"document.querySelector({json.dumps(selector)}).innerText"))

    def edges(self, selector: str) -> list[float]:
        """Left, top, width and height in the window."""
        script = (
            "(({left, top, width, height}) => [left, top, width, height])"
            f"(document.querySelector({json.dumps(selector)}).getBoundingClientRect())"
        )
        found: list[float] = self.run(script)
        return found

    def chosen(self) -> str:
        return self.text("[role=option][aria-selected=true] .words")

    def search(self, words: str) -> None:
        self.press("/")
        self.ask("Input.insertText", text=words)


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reading]:
    with Reading(tmp_path_factory.mktemp("profile")) as running:
        for domain in ("Page", "Runtime", "Log", "Network"):
            running.ask(f"{domain}.enable")
        yield running


@pytest.fixture
def browser(chromium: Reading) -> Iterator[Reading]:
    """The browser, of which each test demands that nothing was asked of a network and nothing went wrong."""
    chromium.events.clear()
    yield chromium
    chromium.run("localStorage.clear()")
    asked = [
        event["params"]["request"]["url"]
        for event in chromium.events
        if event["method"] == "Network.requestWillBeSent"
    ]
    assert [url[:60] for url in asked if not url.startswith(("file:", "blob:", "data:", "about:"))] == []
    wrong = {"Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"}
    assert [event for event in chromium.events if event["method"] in wrong] == []


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return viewed_traces.everything(tmp_path_factory.mktemp("viewed") / "run")


@pytest.fixture(scope="module")
def page(folder: Path) -> Path:
    file = folder.parent / "run.html"
    write_page(folder, file)
    return file


def _points(browser: Reading) -> list[list[float]]:
    """Where the marked points are on the picture, in pixels that the model was shown."""
    left, top, width, height = browser.edges("#stage img")
    across, down = viewed_traces.SHOWN.width / width, viewed_traces.SHOWN.height / height
    rings = browser.run(
        "[...document.querySelectorAll('#stage .point')].map(ring => ring.getBoundingClientRect())"
        ".map(({left, top, width, height}) => [left + width / 2, top + height / 2])"
    )
    return [[(x - left) * across, (y - top) * down] for x, y in rings]


def _box(browser: Reading, kind: str) -> list[float]:
    """A marked box, in points of the desktop."""
    left, top, width, height = browser.edges("#stage img")
    across, down = viewed_traces.SCREEN[0] / width, viewed_traces.SCREEN[1] / height
    script = (
        f"(box => {{ const matrix = box.getScreenCTM(); const {{x, y, width, height}} = box.getBBox();"
        f" return [x * matrix.a + matrix.e, y * matrix.d + matrix.f, width * matrix.a, height * matrix.d]; }})"
        f"(document.querySelector('#stage .{kind}'))"
    )
    x, y, wide, high = browser.run(script)
    return [(x - left) * across, (y - top) * down, wide * across, high * down]


def test_it_opens_at_the_first_failure_and_goes_from_one_to_the_next(browser: Reading, page: Path) -> None:
    browser.show(page)
    assert browser.text("#failures") == "✗ 4 failures"
    assert browser.text("#found") == f"{viewed_traces.STEPS} steps"
    assert "refused" in browser.text("#panel")
    assert "not yet" in browser.text("#panel")
    browser.until("location.hash === '#step=4'")
    seen = []
    for _ in range(4):
        browser.press("f")
        seen.append(browser.chosen())
    assert [words[:8] for words in seen] == ['click "O', "run shel", 'click "C', "click 17"]
    browser.press("F")
    assert browser.chosen().startswith('click "Close')


def test_keys_go_through_the_steps_and_a_link_leads_back_to_one(browser: Reading, page: Path) -> None:
    browser.show(page, "#step=2")
    assert browser.chosen() == 'type "Ada Lovelace" into "Name"'
    browser.press("j", "j")
    assert browser.chosen() == "run python: import csv"
    browser.until("location.hash === '#step=3'")
    browser.press("ArrowUp")
    assert browser.chosen() == "press tab"
    browser.until("location.hash === '#step=2&row=2'")
    link = browser.run("location.hash")
    browser.press("End")
    assert browser.chosen() == "answers: The form is saved."
    browser.show(page, link)
    assert browser.chosen() == "press tab"
    browser.press("?")
    assert browser.run("document.querySelector('#keys').open")
    browser.press("j")
    assert browser.chosen() == "press tab", "a dialog has the keys"
    browser.press("Escape")
    browser.until("!document.querySelector('#keys').open")


@pytest.mark.parametrize("size", [(1280, 800), (900, 700), (360, 740)])
def test_the_click_is_marked_at_its_pixel_at_every_size(
    browser: Reading, page: Path, size: tuple[int, int]
) -> None:
    browser.show(page, "#step=4", size=size)
    ((x, y),) = _points(browser)
    middle = (viewed_traces.CLICK_PIXEL.x + 0.5, viewed_traces.CLICK_PIXEL.y + 0.5)
    assert (x, y) == pytest.approx(middle, abs=0.6)
    assert browser.run("document.documentElement.scrollWidth <= innerWidth"), (
        "nothing is wider than the window"
    )


def test_on_another_monitor_marks_are_on_its_picture(browser: Reading, tmp_path: Path) -> None:
    viewed_traces.on_the_second_monitor(tmp_path / "run")
    write_page(tmp_path / "run", tmp_path / "run.html")
    browser.show(tmp_path / "run.html")
    ((x, y),) = _points(browser)
    assert (x, y) == pytest.approx((174.75, 125.75), abs=0.6), "the middle of the point that was clicked"
    browser.press("a")
    assert _box(browser, "changed") == pytest.approx([430, 240, 300, 130], abs=1.5)


def test_targets_and_changes_are_marked_where_they_were_also_when_zoomed(
    browser: Reading, page: Path
) -> None:
    browser.show(page, "#step=2")
    assert _box(browser, "target") == pytest.approx([390, 160, 400, 20], abs=1.5)
    browser.press("1", "+", "+")
    left, top, width, height = browser.edges("#stage")
    x, y, wide, high = browser.edges("#stage .point")
    assert left < x + wide / 2 < left + width, "what is clicked stays in sight"
    assert top < y + high / 2 < top + height
    assert browser.text("#zoom") == "200%"
    assert browser.edges("#stage img")[2] == 2 * viewed_traces.SHOWN.width
    assert browser.run("getComputedStyle(document.querySelector('#stage img')).imageRendering") == "pixelated"
    assert _box(browser, "target") == pytest.approx([390, 160, 400, 20], abs=1.5)
    browser.press("a")
    assert _box(browser, "changed") == pytest.approx([390, 160, 120, 20], abs=1.5)
    browser.press("b", "e")
    assert _box(browser, "element") == pytest.approx([390, 160, 400, 20], abs=1.5)
    assert browser.run("document.querySelector('#stage .element title').textContent") == "1  field Name"
    browser.press("m")
    assert browser.run("document.querySelectorAll('#stage .target, #stage .point').length") == 0


def _shown(browser: Reading) -> Image.Image:
    """The picture as it is drawn, without marks, at the size that the model was shown."""
    left, top, width, height = browser.edges("#stage img")
    clip = {"x": left, "y": top, "width": width, "height": height, "scale": 1}
    data = browser.ask("Page.captureScreenshot", format="png", clip=clip)["data"]
    with Image.open(BytesIO(base64.b64decode(data))) as image:
        return image.convert("RGB")


def _light(image: Image.Image, place: tuple[int, int]) -> float:
    """How much red is there, up to 255."""
    return ImageStat.Stat(image.crop((*place, place[0] + 1, place[1] + 1))).mean[0]


def test_the_slider_shows_the_picture_before_on_its_left_and_the_one_after_on_its_right(
    browser: Reading, page: Path
) -> None:
    browser.show(page, "#step=1")  # an empty desktop, then a form
    browser.press("m", "s", "1")
    browser.until(DRAWN)
    assert browser.run("document.querySelectorAll('#stage img').length") == 2
    place = (200, 170)  # white where the form is, blue where it is not
    left, top, width, _ = browser.edges("#stage .sheet")
    for at, white in ((0.9, False), (0.1, True)):
        browser.mouse("mousePressed", left + width / 2, top + 20)
        browser.mouse("mouseMoved", left + width * at, top + 20)
        browser.mouse("mouseReleased", left + width * at, top + 20)
        assert int(browser.run("document.querySelector('#slider').value")) == pytest.approx(1000 * at, abs=5)
        assert (_light(_shown(browser), place) > 200) == white
    browser.press("ArrowRight")
    assert int(browser.run("document.querySelector('#slider').value")) == pytest.approx(150, abs=5)
    browser.press("x")
    browser.until(DRAWN)
    assert _light(_shown(browser), place) > 100, "the form came up there"
    assert _light(_shown(browser), (20, 300)) == 0, "nothing changed there"
    browser.press("d")
    assert browser.run("[...document.querySelectorAll('#stage img')].map(image => image.dataset.side)") == [
        "before",
        "after",
    ]
    assert browser.run("document.querySelectorAll('#stage .sheet').length") == 2


def test_search_finds_output_code_and_words_and_marks_them(browser: Reading, page: Path) -> None:
    browser.show(page)
    browser.search("needle")
    assert browser.text("#found") == "1 of 16"
    assert browser.chosen().startswith("run python")
    browser.press("Escape")
    assert browser.text("#found") == "9 steps"
    browser.run("document.querySelector('#tab-code').click()")
    browser.search("NEEDLE")
    assert browser.text("#panel details pre mark") == "needle", "the fold with a hit in it is open"
    browser.press("Escape")
    browser.search("nowhere to be found")
    assert browser.text("#found") == "0 of 16"
    assert "Esc" in browser.text("#rows")
    browser.press("Escape")
    browser.run("document.querySelector('#only').click()")
    assert browser.text("#found") == "4 of 16"
    browser.run(
        "(kind => { kind.value = 'code'; kind.dispatchEvent(new Event('change')); })(document.querySelector('#kind'))"
    )
    assert browser.text("#found") == "1 of 16"
    assert browser.chosen().startswith("run shell")


def test_everything_about_a_step_can_be_read(browser: Reading, page: Path) -> None:
    browser.show(page, "#step=3")
    browser.run("document.querySelector('#tab-code').click()")
    assert viewed_traces.CODE.strip() in browser.text("#panel pre")
    assert "Ada, Paris\nrow 0" in browser.text("#panel")
    assert "\x1b" not in browser.run("document.querySelector('#panel').textContent")
    browser.run("document.querySelector('#tab-cost').click()")
    assert "tokens in\t3,000\t6,000\t45,000" in browser.text("#panel")
    assert "money\t$0.0100\t$0.0300\t$0.0900" in browser.text("#panel")
    browser.run("document.querySelector('#tab-run').click()")
    about = browser.text("#panel")
    for words in (
        "anthropic/claude",
        "private",
        "1280x800",
        f"version {VERSION}",
        "9 steps, 30.0 s, 45,000 tokens",
    ):
        assert words in about
    browser.show(page, "#step=2")
    assert "90 of 100 steps are left." in browser.text("#panel")
    browser.run("document.querySelector('#tab-receipt').click()")
    assert "400x20 at 390,160, by accessibility, score 1.00" in browser.text("#panel")
    browser.run("document.querySelector('#tab-step').click()")
    browser.show(page, "#step=4")
    assert "This may send data (external)" in browser.text("#panel")
    browser.show(page, "#step=5")
    assert "3 keys, 1 click, the pointer moved 200 points" in browser.text("#panel")
    browser.press("j")
    assert "opened: Save changes?" in browser.text("#panel")


def test_hostile_texts_are_read_and_do_nothing(browser: Reading, page: Path) -> None:
    browser.show(page, "#step=7")
    browser.press("j")
    browser.run("document.querySelector('#tab-code').click()")
    assert "</script><img src=x onerror=" in browser.text("#panel")
    assert "⟨U+202E⟩evil" in browser.text("#panel")
    for tab in ("receipt", "step", "run"):
        browser.run(f"document.querySelector('#tab-{tab}').click()")
    browser.run("dispatchEvent(new Event('beforeprint'))")
    assert "owned" not in browser.run("document.title")
    assert browser.run("[...document.images].every(image => image.src.startsWith('blob:'))")
    assert viewed_traces.SECRET not in browser.run("document.documentElement.outerHTML")


def test_a_step_is_copied_as_text(browser: Reading, page: Path) -> None:
    browser.show(page, "#step=4")
    browser.ask("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    browser.press("c")
    browser.until("document.querySelector('#said').textContent")
    copied = browser.run("navigator.clipboard.readText()")
    assert copied.splitlines()[:3] == [
        "Step 4 at 5.25 s: click 174,125",
        "Status: refused, 250 ms",
        "Why: The person refused it: not yet.",
    ]
    assert browser.text("#said") == "Copied step 4"


def test_dark_follows_the_system_and_the_button(browser: Reading, page: Path) -> None:
    back = "getComputedStyle(document.body).backgroundColor"
    browser.show(page)
    light = browser.run(back)
    browser.press("t")
    dark = browser.run(back)
    assert _luminance(light) > 200
    assert _luminance(dark) < 60
    browser.run("localStorage.clear()")
    browser.show(page, theme="dark")
    assert browser.run(back) == dark


def _luminance(colour: str) -> float:
    """The mean of ``rgb(1, 2, 3)``."""
    parts = [float(part) for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    return sum(parts) / 3


def test_the_timeline_chooses_narrows_and_enlarges(browser: Reading, page: Path) -> None:
    browser.show(page)
    left, top, width, height = browser.edges("#track")
    browser.mouse("mouseMoved", left + 3, top + height / 2)
    browser.mouse("mousePressed", left + 3, top + height / 2)
    browser.mouse("mouseReleased", left + 3, top + height / 2)
    browser.until("location.hash === '#step=1'")
    assert browser.run(
        "!document.querySelector('#hover').hidden && document.querySelector('#hover img').src.startsWith('blob:')"
    )
    assert 'open "travel-form"' in browser.text("#hover")
    browser.mouse("mousePressed", left + width * 0.14, top + height / 2)
    for at in (0.2, 0.3):
        browser.mouse("mouseMoved", left + width * at, top + height / 2)
    browser.mouse("mouseReleased", left + width * 0.3, top + height / 2)
    assert 1 < int(browser.text("#found").split()[0]) < 14
    assert browser.text("#range").split()[-1] == "\N{MULTIPLICATION SIGN}"
    browser.press("Escape")
    assert browser.text("#found") == "9 steps"
    browser.run("document.querySelector('#track').focus()")
    browser.press("Home", "ArrowRight")
    assert browser.run("document.querySelector('#track').getAttribute('aria-valuetext')").startswith(
        "step 2, done: type"
    )


def test_all_that_can_be_used_has_a_name_and_a_place_in_the_order(browser: Reading, page: Path) -> None:
    browser.show(page, "#step=2")
    nodes = browser.ask("Accessibility.getFullAXTree")["nodes"]
    used = {"button", "slider", "tab", "listbox", "option", "searchbox", "combobox", "checkbox"}
    found = [
        (node["role"]["value"], node["name"]["value"])
        for node in nodes
        if not node.get("ignored") and node["role"]["value"] in used | {"link", "splitter"}
    ]
    assert {role for role, _ in found} >= used
    assert [role for role, name in found if not name.strip()] == []
    assert browser.run("[...document.querySelectorAll('[tabindex]')].every(element => element.tabIndex < 1)")
    assert browser.run("document.querySelector('#list').getAttribute('aria-activedescendant')") == "row-1"


def test_printed_it_is_a_report_of_all_steps(browser: Reading, page: Path) -> None:
    browser.show(page, "#step=5")
    browser.ask("Emulation.setEmulatedMedia", media="print")
    browser.run("dispatchEvent(new Event('beforeprint'))")
    report = browser.run("document.body.innerText")
    browser.ask("Emulation.setEmulatedMedia", media="")
    assert report.startswith("Fill in the travel form")
    assert "The person refused it: not yet." in report
    assert report.count("Status: ") == 16
    assert browser.run("document.querySelector('#print img') !== null")


def test_a_trace_without_its_end_or_a_picture_says_so_on_the_page(
    browser: Reading, folder: Path, tmp_path: Path
) -> None:
    shutil.copytree(folder / IMAGES, tmp_path / IMAGES)
    data = (folder / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(data[: data.rindex(b'"kind":"end"')])
    for image in sorted((tmp_path / IMAGES).iterdir()):
        image.unlink()
    write_page(tmp_path, tmp_path / "run.html")
    browser.show(tmp_path / "run.html", "#step=2")
    missing = browser.text("#missing")
    assert "The last line was torn" in missing
    assert "The run has no end" in missing
    assert "9 pictures of this trace cannot be shown" in missing
    assert "This picture cannot be shown: the file is missing" in browser.text("#stage")
    assert browser.chosen().startswith("type")


def test_a_run_that_failed_without_a_failed_step_says_so_and_opens_at_its_last_step(
    browser: Reading, tmp_path: Path
) -> None:
    writer = TraceWriter(tmp_path / "run")
    writer.start(task="Save it", model="openai/gpt", desktop="memory", screen=None)
    press = PressKeys(keys=("Return",))
    for number in (1, 2):
        writer.decision(number, Act(thought="I go on.", actions=(press,)))
        outcome = Done(action=press, receipt=Receipt(effect="here"))
        writer.result(writer.intent(number, press, approval="-y"), outcome)
    writer.end("failed", "The model does not answer.", Spent(steps=2, seconds=1, dollars=None, tokens=9))
    writer.close()
    write_page(tmp_path / "run", tmp_path / "run.html")
    browser.show(tmp_path / "run.html")
    assert "The model does not answer." in browser.text("#missing")
    assert browser.text("#failures") == "no failures"
    browser.until("location.hash === '#step=2'")
    assert "No picture" in browser.text("#stage")
    browser.run("document.querySelector('#tab-run').click()")
    assert "unknown price" in browser.text("#panel")


def test_a_trace_of_500_steps_opens_at_once_and_holds_few_of_them_in_the_document(
    browser: Reading, tmp_path: Path
) -> None:
    memory = Path("/dev/shm")  # where a thousand synced records take no time
    file = tmp_path / "run.html"
    with TemporaryDirectory(dir=memory if memory.is_dir() else tmp_path) as place:
        viewed_traces.long(Path(place) / "run", LONG, fresh=20)
        assert write_page(Path(place) / "run", file) < 8_000_000
    browser.show(file)
    browser.until("location.hash === '#step=50'")
    assert browser.text("#found") == f"{LONG} steps"
    assert browser.run("Number(document.querySelector('[role=option]').getAttribute('aria-setsize'))") == LONG
    assert browser.run("document.querySelectorAll('[role=option]').length") < 40
    assert browser.run("performance.getEntriesByType('navigation')[0].domComplete") < 5000, (
        "under load; 300 ms else"
    )
    browser.press("End")
    assert browser.chosen() == f"click {LONG % viewed_traces.SHOWN.width},200"
    assert browser.run("document.images.length") < 40, "pictures that nobody sees are not decoded"


def test_the_command_opens_the_page_that_it_wrote(folder: Path, tmp_path: Path) -> None:
    opened = tmp_path / "opened"
    starter = tmp_path / "starter"
    starter.write_text(f'#!/bin/sh\nprintf %s "$1" > "{opened}.part"\nmv "{opened}.part" "{opened}"\n')
    starter.chmod(0o700)
    out = tmp_path / "a run.html"
    command = [*OI, "trace", "view", str(folder), "--out", str(out), "--open"]
    environment = {**os.environ, "BROWSER": f"{starter} %s"}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.startswith(f"{out}  (")
    assert until(opened.exists, 30)
    assert opened.read_text() == out.as_uri()
