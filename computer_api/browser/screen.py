"""The person's own browser, used through the screen: its address bar, its keys, and what it copies of a page.

It works with what every browser of Chromium's and Firefox's families has, and needs nothing of theirs. A page is read
by copying all of it: its text, links, tables and the names of its fields; what they hold is what the browser tells
assistive technology. What was on the clipboard is put back.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from computer_api import actions, pointing
from computer_api.browser.browser import Patience, Saved, Source
from computer_api.browser.failures import failure
from computer_api.browser.names import free_path
from computer_api.browser.page import Tab
from computer_api.browser.programs import chromium
from computer_api.entering import choose, type_text
from computer_api.errors import ComputerError, NotFoundError, NotTypedError, TimedOutError, UnsupportedError
from computer_api.geometry import Point
from computer_api.programs import launch
from computer_api.targets import ElementTarget

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from computer_api.acting import Acting
    from computer_api.browser.reading import Control
    from computer_api.targets import Target
    from computer_platform.desktop import Clip, Clipboard, Element, Window

_BROWSERS = re.compile(
    r"chromium|chrome|firefox|edge|brave|vivaldi|opera|epiphany|librewolf|waterfox", re.IGNORECASE
)
_MEMORY = re.compile(r" - (?:High m|M)emory usage - .*$")  # which Chromium adds to a tab's name after a while
_TITLE_END = re.compile(r" [-\u2013\u2014] (?:Google |Mozilla |Microsoft\u200b? )?[\w ]+$")
_CONTROL = "Control_L"
_COPY_SECONDS = 1.5
_QUIET_SECONDS = 6.0
_POLL_SECONDS = 0.05
_TAB_SECONDS = 1.0
_MOST_ELEMENTS = 600
_DOCUMENT = "document web"
_TICKS = frozenset({"check box", "radio button", "toggle button", "switch"})
_HAS_FIELDS = re.compile(r"<(?:input|select|textarea)\b")
_AS_LOADED = "what fields hold is told as the page was loaded, not as it was filled in since"
_AGAIN_SECONDS = 0.3
_TRIES = 3
_MOST_TABS = 8  # that have a key of their own
_UNFINISHED = (".crdownload", ".part", ".tmp", ".download")
_ERROR_CODE = re.compile(r"\bERR_[A-Z_]+\b")
_LONGEST_ERROR = 2000  # characters of a browser's own page about an error


class ScreenBrowser:
    """The topmost window of a browser; one is started where there is none. ``program`` is what to start."""

    name = "screen"

    def __init__(
        self,
        acting: Acting,
        *,
        environment: Mapping[str, str],
        program: str | None = None,
        patience: Patience | None = None,
    ) -> None:
        self._acting = acting
        self._environment = environment
        self._program = program
        self._patience = patience or Patience()
        self._tab = 1
        self._last = ("", "")  # address and page, as they were read last
        self._wanted = ""  # the address that was entered since

    @contextmanager
    def _unwatched(self) -> Iterator[None]:
        """Meanwhile nothing waits to see what became different: here the page is read afterwards."""
        before, self._acting.receipts = self._acting.receipts, False
        try:
            yield
        finally:
            self._acting.receipts = before

    def go(self, url: str, *, new_tab: bool) -> None:
        """Type the address into the address bar."""
        if self._window() is None:
            program = chromium(self._environment, self._program)
            launch(self._acting, actions.OpenApp(program=program, arguments=(url,)))
            self._loaded()
            return
        self._focus()
        if new_tab:
            self._press("t")
            self._acting.quiet(first=0.3, seconds=2.0)
            self._tab = min(self._tab + 1, _MOST_TABS)
        self._enter(url)
        self._loaded()

    def source(self) -> Source:
        """Copy the address and all of the page. Raises ``TimedOutError`` when nothing is copied."""
        deadline = time.monotonic() + self._patience.answer
        while True:
            try:
                url, html = self._copied_all()
            except TimedOutError:
                if time.monotonic() > deadline:
                    raise
                continue
            if not self._is_old(url, html) or time.monotonic() > deadline:
                break
            self._acting.wait(
                _AGAIN_SECONDS
            )  # the address is the new one, and what is shown is still the old page
        self._last, self._wanted = (url, html), ""
        text = re.sub(r"<[^>]*>", " ", html)
        if len(text) < _LONGEST_ERROR and (code := _ERROR_CODE.search(text)):
            raise failure(url, f"net::{code[0]}", seconds=self._patience.answer)
        title = self._focus().title
        held = self._held()
        notes = () if held is not None or not _HAS_FIELDS.search(html) else (_AS_LOADED,)
        plain = _TITLE_END.sub("", title)
        return Source(html=html, url=url, title=plain, tab=self._tab, held=held or {}, notes=notes)

    def _held(self) -> dict[str, str] | None:
        """What the fields that show hold, by their labels; None where the browser describes nothing."""
        described = self._described()
        if not any(one.role == _DOCUMENT for one in described):
            return None
        held: dict[str, str] = {}
        for one in described:
            if one.role in _TICKS:
                held[one.name] = "on" if "checked" in one.states else "off"
            elif "editable" in one.states:
                held[one.name] = one.value
        return held

    def _is_old(self, url: str, html: str) -> bool:
        """Whether the address, or the page, is still the one from before, and another was wanted."""
        last_url, last_html = self._last
        if self._wanted and not _same_address(self._wanted, last_url) and _same_address(url, last_url):
            return True
        return html == last_html and not _same_address(url, last_url)

    def _copied_all(self) -> tuple[str, str]:
        """The address and the page, as they are shown now."""
        window = self._focus()
        with self._borrowed() as clipboard:
            self._press("l")
            url = self._copied(clipboard).text or ""
            if url.split() != [url]:  # the keyboard was still in the page
                raise TimedOutError("The browser's address bar does not answer. Read the page again.")
            html = self._copied_page(clipboard, window, url)
            self._press("l")
            after = self._copied(clipboard).text or ""
            self._leave_address_bar()
        if after != url:
            raise TimedOutError(f'"{after}" is still loading. Read it again.')
        return url, html

    def press(self, control: Control) -> None:
        """Open a link's address, or click what shows that text, after it was scrolled to."""
        self._focus()
        if control.url:
            self.go(control.url, new_tab=False)
            return
        role = "button" if control.kind == "button" else "tick" if control.kind == "tick" else None
        target = ElementTarget(control.label, role)
        self._bring(control, target)
        pointing.click(self._acting, actions.Click(target=target))
        self._loaded()

    def fill(self, control: Control, text: str) -> str:
        """Type into the field of that label, choose, or tick."""
        self._focus()
        target = ElementTarget(control.label, "tick" if control.kind == "tick" else "field")
        match control.kind:
            case "tick":
                if text not in {"on", "off"}:
                    raise ComputerError(f'"{control.label}" is a tick box: fill it with "on" or "off".')
                self._bring(control, target)
                pointing.tick(self._acting, actions.Tick(target=target, ticked=text == "on"))
            case "choice":
                if text not in control.options:
                    offered = ", ".join(f'"{one}"' for one in control.options)
                    raise NotFoundError(f'"{control.label}" does not offer "{text}"; it offers {offered}.')
                self._bring(control, target)
                choose(self._acting, actions.Choose(option=text, target=target))
            case "text" | "secret":
                self._bring(control, target)
                wanted = text.removesuffix("\n")
                typed = actions.TypeText(text=wanted, into=target, secret=control.kind == "secret")
                type_text(self._acting, typed)
                if wanted != text:
                    self._acting.press("Return")
                    self._loaded()
                return wanted
            case _:
                raise UnsupportedError(f'"{control.label}" holds no text. Click it.')
        return text

    def upload(self, field: Control, file: Path) -> None:
        """Not here: the browser asks for the file in a dialog of its own."""
        raise UnsupportedError(
            f'"{field.label}" cannot be given "{file}" in your browser, which asks for files in a dialog of its own: '
            "click it and choose the file there, or use the agent's own browser."
        )

    def back(self) -> None:
        """Alt and left."""
        self._step("Left", "before")

    def forward(self) -> None:
        """Alt and right."""
        self._step("Right", "after")

    def tabs(self) -> tuple[Tab, ...]:
        """The tabs as the browser describes them to assistive technology, without their addresses.

        Raises ``UnsupportedError`` where it describes nothing.
        """
        if self._window() is None:
            return ()
        described = self._described_tabs()
        if not described:
            raise UnsupportedError(
                "This browser describes nothing to assistive technology, so that its tabs cannot be listed. "
                "Switch to one by its number."
            )
        return tuple(
            Tab(number=number, url="", title=_MEMORY.sub("", one.name), current="selected" in one.states)
            for number, one in enumerate(described, 1)
        )

    def switch(self, number: int) -> None:
        """The key of that tab."""
        self._focus()
        there = len(self._described_tabs()) or _MOST_TABS
        if not 1 <= number <= min(there, _MOST_TABS):
            raise NotFoundError(f"There is no tab {number} that has a key; the tabs are 1 to {there}.")
        self._press(str(number))
        deadline = time.monotonic() + _TAB_SECONDS
        while time.monotonic() < deadline:
            self._acting.wait(_POLL_SECONDS)
            if any("selected" in one.states for one in self._described_tabs()[number - 1 : number]):
                break
        self._tab, self._last = number, ("", "")

    def _described_tabs(self) -> list[Element]:
        """What stands above the page and is a tab, from left to right."""
        elements = self._described()
        document = next((one for one in elements if one.role == _DOCUMENT), None)
        top = None if document is None else document.area.top
        tabs = [one for one in elements if one.role == "page tab" and (top is None or one.area.top < top)]
        return sorted(tabs, key=lambda one: one.area.left)

    def _described(self) -> tuple[Element, ...]:
        accessibility, window = self._acting.desktop.accessibility, self._window()
        if accessibility is None or window is None or window.pid is None:
            return ()
        return accessibility.elements(pid=window.pid, seconds=1.0, most=_MOST_ELEMENTS).items

    def close_tab(self, number: int | None) -> None:
        """Control and W."""
        self._focus()
        if number is not None:
            self.switch(number)
        self._press("w")
        self._acting.quiet(first=0.3, seconds=2.0)
        self._tab, self._last = max(1, self._tab - 1), ("", "")

    def download(self, what: Control | str, folder: Path, *, seconds: float) -> Saved:
        """Open the address and wait for a file in the person's folder for downloads; it is moved from there."""
        url = what if isinstance(what, str) else what.url
        usual = Path(self._environment.get("HOME") or Path.home()) / "Downloads"
        before = _files(usual)
        if url:
            if self._window() is None:
                self.go(url, new_tab=False)
            else:
                self._focus()
                self._enter(url)
        elif not isinstance(what, str):
            self.press(what)
        self._wanted = ""  # the page stays
        found = self._arrived(usual, before, url, seconds)
        path = found if folder.resolve() == usual.resolve() else free_path(folder, found.name)
        if path != found:
            try:
                shutil.move(found, path)
            except OSError as error:
                raise ComputerError(f'The file cannot be written in "{folder}": {error.strerror}.') from None
        return Saved(path=path, url=url)

    def close(self) -> None:
        """Leave the person's browser as it is."""

    def _arrived(self, folder: Path, before: frozenset[Path], url: str, seconds: float) -> Path:
        """The new file, once it does not grow any more."""
        deadline = time.monotonic() + seconds
        begin = time.monotonic() + self._patience.answer
        while time.monotonic() < deadline:
            new = _files(folder) - before
            done = [path for path in new if path.suffix not in _UNFINISHED]
            if done and len(new) == len(done):
                return done[0]
            if not new and time.monotonic() > begin:
                raise ComputerError(
                    f'"{url}" brought no file into "{folder}" within {self._patience.answer:g} s: '
                    "it is a page, or the browser asks where to save it."
                )
            self._acting.wait(_POLL_SECONDS)
        raise TimedOutError(f'"{url}" was not complete after {seconds:g} s.')

    def _window(self) -> Window | None:
        """The topmost window of a browser."""
        manager = self._acting.desktop.windows
        if manager is None:
            raise UnsupportedError(
                f"The {self._acting.desktop.name} desktop has no windows, and so no browser."
            )
        named = (
            _BROWSERS
            if self._program is None
            else re.compile(re.escape(Path(self._program).stem), re.IGNORECASE)
        )
        return next(
            (one for one in reversed(manager.all()) if named.search(one.app) and not one.dialog_of), None
        )

    def _focus(self) -> Window:
        """Give the browser the keyboard."""
        window = self._window()
        if window is None:
            raise _nothing_open()
        manager = self._acting.desktop.windows
        if manager is not None and not window.active:
            manager.activate(window)
        return window

    def _press(self, key: str) -> None:
        self._acting.press(_CONTROL, key)

    def _enter(self, url: str) -> None:
        """Type an address into the address bar, and press Return only when all of it stands there."""
        for _ in range(_TRIES):
            self._press("l")
            with self._unwatched():
                type_text(self._acting, actions.TypeText(text=url))
            self._acting.press("Delete")  # what the browser would add to it, from the history
            self._press("a")
            with self._borrowed() as clipboard, contextlib.suppress(TimedOutError):
                if _same_address(self._copied(clipboard).text or "", url):
                    self._acting.press("Return")
                    self._wanted = url
                    return
        raise NotTypedError(f'"{url}" did not arrive in the address bar.', url, "")

    def _loaded(self) -> None:
        """Wait until the screen is quiet, and the browser does not say that it is busy."""
        deadline = time.monotonic() + self._patience.parsed
        while True:
            self._acting.quiet(first=0.3, seconds=_QUIET_SECONDS)
            documents = [one for one in self._described() if one.role == _DOCUMENT]
            if not any("busy" in one.states for one in documents) or time.monotonic() > deadline:
                return

    def _step(self, key: str, where: str) -> None:
        before = self._address()
        self._acting.press("Alt_L", key)
        self._loaded()
        if self._address() == before:
            raise NotFoundError(f'There is no page {where} "{before}" in this tab.')

    def _address(self) -> str:
        self._focus()
        with self._borrowed() as clipboard:
            self._press("l")
            url = self._copied(clipboard).text or ""
            self._leave_address_bar()
        return url

    def _leave_address_bar(self) -> None:
        self._acting.press("Escape", times=2)

    def _copied_page(self, clipboard: Clipboard, window: Window, url: str) -> str:
        clip = None
        for _ in range(_TRIES):
            self._leave_address_bar()
            self._press("a")
            clip = self._copied(clipboard)
            if clip.html is not None:
                return clip.html
            if clip.text != url:  # a field of the page has the keyboard, and its text was copied
                area = window.area
                self._acting.go_to(Point(area.left + 3, area.top + area.height * 2 // 3))
                self._acting.click()
        return _as_html(clip.text or "" if clip is not None and clip.text != url else "")

    def _copied(self, clipboard: Clipboard) -> Clip:
        """What the browser copies now. Raises ``TimedOutError``."""
        from computer_platform.desktop import Clip

        clipboard.write(Clip(text=""))
        self._press("c")
        deadline = time.monotonic() + _COPY_SECONDS
        while time.monotonic() < deadline:
            with contextlib.suppress(TimeoutError):
                if clipboard.read() or clipboard.contents().html:
                    return clipboard.contents()
            self._acting.wait(_POLL_SECONDS)
        raise TimedOutError(
            "The browser copied nothing: the page is empty, or is still loading. Read it again."
        )

    @contextmanager
    def _borrowed(self) -> Iterator[Clipboard]:
        """The clipboard, which holds afterwards what it held."""
        from computer_platform.desktop import Clip

        clipboard = self._acting.desktop.clipboard
        if clipboard is None:
            raise UnsupportedError(
                f"The {self._acting.desktop.name} desktop has no clipboard to read pages by."
            )
        kept = Clip(text="")
        with contextlib.suppress(TimeoutError):
            kept = clipboard.contents()
        try:
            yield clipboard
        finally:
            clipboard.write(kept)

    def _bring(self, control: Control, target: Target) -> None:
        """Scroll to it, by the browser's own search, where it is not on the screen."""
        try:
            self._acting.locate(target, 0.5)
        except NotFoundError:
            self._press("f")
            type_text(self._acting, actions.TypeText(text=f"{control.label}\n"))
            self._acting.press("Escape")
            self._acting.quiet(first=0.3, seconds=2.0)


def _same_address(one: str, other: str) -> bool:
    return unquote(one).rstrip("/") == unquote(other).rstrip("/")


def _nothing_open() -> NotFoundError:
    return NotFoundError("No browser is open. Open a page first.")


def _files(folder: Path) -> frozenset[Path]:
    try:
        return frozenset(
            path for path in folder.iterdir() if path.is_file() and not path.name.startswith(".")
        )
    except OSError:
        return frozenset()


def _as_html(text: str) -> str:
    from html import escape

    return f"<pre>{escape(text)}</pre>"
