"""The person's own browser, used through the screen: its address bar, its keys, and what it copies of a page.

It works with what every browser of Chromium's and Firefox's families has, and needs nothing of theirs. A page is read
by copying all of it: its text, links, tables and the names of its fields, but not what was typed into them since. What
was on the clipboard is put back.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from computer_api import actions, pointing
from computer_api.browser.browser import Patience, Saved, Source
from computer_api.browser.failures import failure
from computer_api.browser.names import free_path
from computer_api.browser.page import Tab
from computer_api.browser.programs import chromium
from computer_api.entering import choose, type_text
from computer_api.errors import ComputerError, NotFoundError, TimedOutError, UnsupportedError
from computer_api.geometry import Point
from computer_api.programs import launch
from computer_api.targets import ElementTarget

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from computer_api.acting import Acting
    from computer_api.browser.reading import Control
    from computer_api.targets import Target
    from computer_platform.desktop import Clip, Clipboard, Window

_BROWSERS = re.compile(
    r"chromium|chrome|firefox|edge|brave|vivaldi|opera|epiphany|librewolf|waterfox", re.IGNORECASE
)
_TITLE_END = re.compile(r" [-\u2013\u2014] (?:Google |Mozilla |Microsoft\u200b? )?[\w ]+$")
_CONTROL = "Control_L"
_COPY_SECONDS = 3.0
_QUIET_SECONDS = 6.0
_POLL_SECONDS = 0.05
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
        self._press("l")
        type_text(self._acting, actions.TypeText(text=f"{url}\n"))
        self._loaded()

    def source(self) -> Source:
        """Copy the address and all of the page. Raises ``TimedOutError`` when nothing is copied."""
        window = self._focus()
        with self._borrowed() as clipboard:
            self._press("l")
            url = self._copied(clipboard).text or ""
            html = self._copied_page(clipboard, window)
        title = _TITLE_END.sub("", window.title)
        text = re.sub(r"<[^>]*>", " ", html)
        if len(text) < _LONGEST_ERROR and (code := _ERROR_CODE.search(text)):
            raise failure(url, f"net::{code[0]}", seconds=self._patience.answer)
        return Source(html=html, url=url, title=title, tab=self._tab)

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

    def back(self) -> None:
        """Alt and left."""
        self._step("Left", "before")

    def forward(self) -> None:
        """Alt and right."""
        self._step("Right", "after")

    def tabs(self) -> tuple[Tab, ...]:
        """Go through the first eight tabs by their keys, and back to the current one."""
        if self._window() is None:
            return ()
        found: list[Tab] = []
        current = (self._address(), self._focus().title)
        for number in range(1, _MOST_TABS + 1):
            self._press(str(number))
            self._acting.quiet(first=0.2, seconds=1.5)
            url, title = self._address(), self._focus().title
            if found and found[-1].url == url and found[-1].title == _TITLE_END.sub("", title):
                break  # there was no such tab, and nothing happened
            found.append(
                Tab(number=number, url=url, title=_TITLE_END.sub("", title), current=(url, title) == current)
            )
        self._tab = next((tab.number for tab in found if tab.current), 1)
        self._press(str(self._tab))
        self._acting.quiet(first=0.2, seconds=1.5)
        return tuple(found)

    def switch(self, number: int) -> None:
        """The key of that tab."""
        there = self.tabs()
        if not 1 <= number <= len(there):
            known = f"the tabs are 1 to {len(there)}" if there else "no tab is open"
            raise NotFoundError(f"There is no tab {number}; {known}.")
        self._focus()
        self._press(str(number))
        self._tab = number
        self._acting.quiet(first=0.2, seconds=2.0)

    def close_tab(self, number: int | None) -> None:
        """Control and W."""
        if number is not None:
            self.switch(number)
        if self._window() is None:
            raise _nothing_open()
        self._focus()
        self._press("w")
        self._acting.quiet(first=0.3, seconds=2.0)
        self._tab = max(1, self._tab - 1)

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
                self._press("l")
                type_text(self._acting, actions.TypeText(text=f"{url}\n"))
        elif not isinstance(what, str):
            self.press(what)
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

    def _loaded(self) -> None:
        self._acting.quiet(first=0.4, seconds=_QUIET_SECONDS, polls=6)

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

    def _copied_page(self, clipboard: Clipboard, window: Window) -> str:
        self._leave_address_bar()
        self._press("a")
        clip = self._copied(clipboard)
        if clip.html is None:  # a field of the page has the keyboard, and its text was copied
            area = window.area
            self._acting.go_to(Point(area.left + 3, area.top + area.height * 2 // 3))
            self._acting.click()
            self._press("a")
            clip = self._copied(clipboard)
        return clip.html if clip.html is not None else _as_html(clip.text or "")

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


def _nothing_open() -> NotFoundError:
    return NotFoundError("No browser is open. Open a page first.")


def _files(folder: Path) -> frozenset[Path]:
    try:
        return frozenset(path for path in folder.iterdir() if path.is_file())
    except OSError:
        return frozenset()


def _as_html(text: str) -> str:
    from html import escape

    return f"<pre>{escape(text)}</pre>"
