"""What is asked of a browser, whichever it is: numbers and names become links and fields, documents become pages."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, assert_never
from urllib.parse import quote_plus

from computer_api.browser.page import Download, Page, Tab
from computer_api.browser.paging import controls_of, in_parts, told
from computer_api.browser.reading import read
from computer_api.errors import AmbiguousError, ComputerError, NotFoundError, UnsupportedError
from computer_api.receipt import Receipt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from computer_api.actions import Browse
    from computer_api.browser.browser import Browser
    from computer_api.browser.options import BrowserOptions
    from computer_api.browser.reading import Control, Line

_DOWNLOAD_SECONDS = 300.0
_DOTS = "•••"


class Browsing:
    """One browser, opened when it is first needed, and the page that was read last.

    ``result`` is what the last action brought back as a value: a page, the tabs, a file, or the text of a field.
    """

    def __init__(self, options: BrowserOptions, opened: Callable[[BrowserOptions], Browser]) -> None:
        self.options = options
        self._meant: str | None = None  # what the number of the action stood for
        self.result: Page | Download | tuple[Tab, ...] | str | None = None
        self._opened = opened
        self._browser: Browser | None = None
        self._parts: tuple[tuple[Line, ...], ...] = ()
        self._page: Page | None = None
        self._seen: tuple[int, str, tuple[Line, ...]] | None = (
            None  # what was read last, by its tab and address
        )

    @property
    def browser(self) -> Browser:
        """The browser. Raises ``UnsupportedError`` where there is none."""
        if self._browser is None:
            self._browser = self._opened(self.options)
        return self._browser

    def close(self) -> None:
        """End the browser; what is asked next starts a new one."""
        browser, self._browser = self._browser, None
        self._page, self._parts, self._seen = None, (), None
        if browser is not None:
            browser.close()

    def perform(self, action: Browse) -> Receipt:
        """Do it. Raises ``ComputerError`` in one sentence."""
        self._meant = None
        receipt = self._performed(action)
        return replace(receipt, meant=self._meant)

    def _performed(self, action: Browse) -> Receipt:
        match action.what:
            case "read":
                return self._read()
            case "more":
                return self._part(1 if self._page is None else self._page.part + 1)
            case "fill":
                return self._fill(action)
            case "upload":
                return self._upload(action)
            case "download":
                return self._download(action)
            case "tabs":
                return self._tabs()
            case "quit":
                self.close()
                self.result = None
                return Receipt(effect="unknown", output="The browser is closed.\n")
            case "open" | "search" | "follow" | "click" | "back" | "forward" | "tab" | "close_tab":
                return self._moved(action)
            case _:
                assert_never(action.what)

    def called(self, where: str) -> str:
        """What a number or a name of the page that was read last stands for; ``""`` where it is none of it."""
        try:
            found = self._control(where, self._controls())
        except ComputerError:
            return ""
        return found.label

    def _moved(self, action: Browse) -> Receipt:
        """What leads to another page, which is read then."""
        if action.what == "close_tab":
            self.browser.close_tab(_number(action.where) if action.where else None)
            self._forget()
            return self._read() if self.browser.tabs() else self._tabs()
        try:
            self._move(action)
        except ComputerError:
            if action.what not in {"follow", "click"}:
                self._forget()
            raise
        return self._read()

    def _move(self, action: Browse) -> None:
        browser, where = self.browser, action.where
        match action.what:
            case "open":
                browser.go(self.options.reach.address(where), new_tab=action.new_tab)
            case "search":
                if not where.strip():
                    raise ComputerError("There is nothing to search for: give some words.")
                address = self.options.search.replace("{query}", quote_plus(where.strip()))
                browser.go(self.options.reach.address(address), new_tab=action.new_tab)
            case "follow":
                self._follow(where, new_tab=action.new_tab)
            case "click":
                browser.press(self._control(where, self._controls()))
            case "back":
                browser.back()
            case "forward":
                browser.forward()
            case _:
                browser.switch(_number(where))

    def _follow(self, where: str, *, new_tab: bool) -> None:
        links = [one for one in self._controls() if one.kind == "link"]
        link = self._control(where, links)
        if link.url:
            address = self.options.reach.address(
                link.url
            )  # which is not let through where it may not be reached
            if new_tab or link.mark is None:
                self.browser.go(address, new_tab=new_tab)
                return
        self.browser.press(link)

    def _fill(self, action: Browse) -> Receipt:
        fields = [one for one in self._controls() if one.kind not in {"link", "button"}]
        field = self._control(action.where, fields)
        if field.kind == "file":
            raise UnsupportedError(f'[{field.number}] "{field.label}" takes a file: upload it there.')
        text = action.text
        secret = action.secret or field.kind == "secret"
        held = self.browser.fill(field, text)
        self.result = _DOTS if secret else held
        if text.endswith("\n"):  # which sends the form
            return self._read()
        return Receipt(effect="here", value=self.result)

    def _upload(self, action: Browse) -> Receipt:
        field = self._control(action.where, [one for one in self._controls() if one.kind == "file"])
        file = _path(action.text)
        if not _is_file(file):
            raise NotFoundError(f'There is no file "{action.text}" to upload.')
        self.browser.upload(field, file.absolute())
        self.result = file.name
        return Receipt(effect="here", value=file.name)

    def _download(self, action: Browse) -> Receipt:
        where = action.where
        page = self._page
        what: Control | str
        if "://" in where:
            what = self.options.reach.address(where)
        else:
            what = self._control(where, self._controls())
            if what.url:
                self.options.reach.address(what.url)
        folder = _folder(action.folder) if action.folder else self.options.folder()
        saved = self.browser.download(what, folder, seconds=_DOWNLOAD_SECONDS)
        download = Download(
            path=saved.path,
            url=saved.url,
            title="" if page is None else page.title,
            size=saved.path.stat().st_size,
            time=_now(),
        )
        self.result = download
        words = f'Saved "{saved.path}" ({download.size:,} bytes) from {saved.url[:300]}\n'
        return Receipt(effect="unknown", output=words)

    def _tabs(self) -> Receipt:
        tabs = self.browser.tabs()
        self.result = tabs
        lines = [f'{"*" if tab.current else " "} {tab.number}. "{tab.title}" {tab.url[:300]}' for tab in tabs]
        return Receipt(effect="unknown", output="\n".join(lines or ["No tab is open."]) + "\n")

    def _read(self) -> Receipt:
        """Read the current tab from its beginning."""
        source = self.browser.source()
        lines = read(source.html, source.url, source.held)
        same, self._seen = self._seen == (source.tab, source.url, lines), (source.tab, source.url, lines)
        self._parts = in_parts(lines)
        self._page = Page(
            url=source.url, title=source.title, time=_now(), text="", tab=source.tab, notes=source.notes
        )
        receipt = self._part(1)
        return replace(receipt, effect="nothing") if same else receipt

    def _part(self, number: int) -> Receipt:
        if self._page is None:
            raise _nothing_open()
        if number > len(self._parts):
            raise NotFoundError(f'"{self._page.title}" has no part {number}; it was read to its end.')
        lines = self._parts[number - 1]
        links, fields = controls_of(lines)
        page = replace(
            self._page,
            text="\n".join(line.text for line in lines).strip("\n"),
            links=links,
            fields=fields,
            part=number,
            parts=len(self._parts),
        )
        self._page = self.result = page
        return Receipt(effect="unknown", output=told(page) + "\n")

    def _forget(self) -> None:
        self._page, self._parts = None, ()

    def _controls(self) -> list[Control]:
        """All of the page, the part that was read last first: a name that several have means the one there."""
        if self._page is None:
            raise _nothing_open()
        return [control for part in self._parts for line in part for control in line.controls]

    def _control(self, where: str, among: list[Control]) -> Control:
        """The one of that number or name. Raises ``NotFoundError`` and ``AmbiguousError``."""
        asked = " ".join(where.split())
        if number := re.fullmatch(r"\[?(\d{1,6})\]?", asked):
            return self._numbered(int(number[1]), among)
        if not asked:
            raise NotFoundError("Nothing is named: give the number in brackets, or the text.")
        names = [one for one in among if one.label.casefold() == asked.casefold()]
        found = names or [one for one in among if asked.casefold() in one.label.casefold()]
        different = {(one.url, one.kind) if one.url else one.number for one in found}
        if not found:
            labels = [one.label for one in among if one.label]
            closest = tuple(get_close_matches(asked, labels, n=3, cutoff=0.4))
            near = f" Closest: {', '.join(map(repr, closest))}." if closest else ""
            raise NotFoundError(f'The page has nothing "{asked}" for that.{near}', closest)
        if len(different) > 1:
            candidates = tuple(f'[{one.number}] "{one.label}"' for one in found)
            raise AmbiguousError(f'Several fit "{asked}": {_listed(candidates)}. Give a number.', candidates)
        return found[0]

    def _numbered(self, number: int, among: list[Control]) -> Control:
        for one in among:
            if one.number == number:
                self._meant = one.label or None
                return one
        for one in self._controls():
            if one.number == number:
                raise UnsupportedError(f'[{number}] "{one.label}" is a {one.kind}, which does not take that.')
        raise NotFoundError(f"The page has no [{number}]. Read it again for its numbers.")


def _listed(names: Iterable[str], most: int = 8) -> str:
    shown = list(names)
    return ", ".join(shown[:most]) + (", …" if len(shown) > most else "")


def _nothing_open() -> NotFoundError:
    return NotFoundError("No page was read yet: open one first, or read the one that is open.")


def _number(where: str) -> int:
    text = where.strip().strip("[]")
    if not text.isdecimal():
        raise NotFoundError(f'"{where}" is no number of a tab. See tabs for them.')
    return int(text)


def _folder(given: str) -> Path:
    folder = _path(given)
    if not folder.is_dir():
        raise NotFoundError(f'There is no folder "{given}" to save in.')
    return folder


def _path(given: str) -> Path:
    """The path; as it is where it begins with the home of somebody who is not there."""
    with suppress(RuntimeError):
        return Path(given).expanduser()
    return Path(given)


def _is_file(path: Path) -> bool:
    """Whether it is one; a text that is too long to be a path is none."""
    with suppress(OSError):
        return path.is_file()
    return False


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
