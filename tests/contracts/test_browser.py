"""What holds of every browser: one of the agent's own, and the person's through the screen."""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from web_page import CHROMIUM_FLAGS
from web_site import Answer, WebSite
from xvfb import until

from computer_api.browser.browser import Patience
from computer_api.browser.page import Field, Link
from computer_api.computer import Computer
from computer_api.errors import AmbiguousError, ComputerError, NotFoundError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from computer_api.browser_verbs import BrowserVerbs

pytestmark = pytest.mark.desktop

SHOP = """<!doctype html><html lang="en"><title>Kettles of the town</title>
<nav><a href="/home">Home</a> <a href="/imprint">Imprint</a></nav>
<main><h1>Kettles</h1>
<p>Two shops sell them, <a href="steel">one of steel</a> and <a href="glass?from=shop">one of glass</a>.</p>
<table><tr><th>Shop</th><th>Price</th></tr><tr><td><a href="/steel">Müller</a></td><td>19,90 €</td></tr></table>
<p style="display:none">You cannot see this.</p>
<p><a href="/prices.csv">Price list</a></p></main></html>"""
FORM = """<!doctype html><html lang="en"><title>Order</title><main><h1>Order</h1>
<form action="/thanks" autocomplete="off">
<p><label for="n">Full name</label> <input id="n" name="name">
<p><label>Colour <select name="colour"><option>Red<option>Green<option>Blue</select></label>
<p><label><input type="checkbox" name="news" value="yes"> Newsletter</label>
<p><button>Order now</button></form></main></html>"""
PRICES = b"shop,price\nM\xc3\xbcller,19.90\n"
PAGES = {
    "/": SHOP,
    "/steel": "<!doctype html><title>Steel</title><h1>A kettle of steel</h1>",
    "/glass": "<!doctype html><title>Glass</title><h1>A kettle of glass</h1>",
    "/order": FORM,
    "/photo": """<!doctype html><html lang="en"><title>Photo</title><h1>Your photo</h1><p></p>
<form action="/thanks"><label>Photo <input type="file" name="photo" onchange="this.files[0].text().then(
text => document.querySelector('p').textContent = 'It holds ' + text)"></label><button>Send</button></form></html>""",
    "/thanks": "<!doctype html><title>Thanks</title><h1>Thank you</h1>",
    "/long": "<!doctype html><title>Long</title>"
    + "".join(f"<p>This is line number {n}." for n in range(900)),
    "/prices.csv": Answer(body=PRICES, kind="text/csv", headers={"Content-Disposition": "attachment"}),
}


# What both share is tried with the quicker one.
SHARED = pytest.mark.parametrize("surf", ["own"], indirect=True)


@dataclass(frozen=True, kw_only=True)
class Surf:
    """A browser, the site, and where files go."""

    kind: str
    browser: BrowserVerbs
    site: WebSite
    downloads: Path


@contextmanager
def own_browser(folder: Path) -> Iterator[Computer]:
    with Computer.open("memory", environment=dict(os.environ) | {"HOME": str(folder)}) as computer:
        computer.browser.use("own")
        yield computer


@contextmanager
def screen_browser(folder: Path) -> Iterator[Computer]:
    """A window of Chromium on a desktop of its own stands for the person's."""
    environment = dict(os.environ) | {"HOME": str(folder)}
    with Computer.open("private", environment=environment) as computer:
        flags = (*CHROMIUM_FLAGS, f"user-data-dir={folder / 'profile'}", "force-renderer-accessibility")
        computer.windows.open("chromium", *(f"--{flag}" for flag in flags), "about:blank")
        computer.browser.use("screen")
        yield computer


OPENERS = {"own": own_browser, "screen": screen_browser}


@pytest.fixture(scope="module", params=OPENERS)
def surf(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Surf]:
    folder = tmp_path_factory.mktemp(request.param)
    downloads = folder / "Downloads"
    downloads.mkdir()
    with ExitStack() as closing:
        site = closing.enter_context(WebSite(PAGES))
        computer = closing.enter_context(OPENERS[request.param](folder))
        options = replace(computer.browsing.options, patience=Patience(answer=30))
        computer.browsing.options = options
        yield Surf(kind=request.param, browser=computer.browser, site=site, downloads=downloads)


def test_a_page_comes_as_text_with_its_source_links_and_tables(surf: Surf) -> None:
    page = surf.browser.open(f"{surf.site.address}/")
    assert (page.url, page.title) == (f"{surf.site.address}/", "Kettles of the town")
    assert datetime.now(UTC) - datetime.fromisoformat(page.time) < timedelta(minutes=1)
    lines = page.text.splitlines()
    assert lines[0] == "# Kettles"
    assert "Two shops sell them, one of steel [1] and one of glass [2]." in lines
    assert "| Shop | Price |" in lines
    assert "| Müller [3] | 19,90 € |" in lines
    assert "cannot see" not in page.text
    assert page.links[:3] == (
        Link(number=1, text="one of steel", url=f"{surf.site.address}/steel"),
        Link(number=2, text="one of glass", url=f"{surf.site.address}/glass?from=shop"),
        Link(number=3, text="Müller", url=f"{surf.site.address}/steel"),
    )
    assert (
        lines.index("# Kettles")
        < lines.index("## Around the main part")
        < lines.index("Home [5] Imprint [6]")
    )


def test_links_are_followed_by_number_and_by_text_and_back_again(surf: Surf) -> None:
    surf.browser.open(f"{surf.site.address}/")
    assert surf.browser.follow(2).title == "Glass"
    assert surf.browser.back().title == "Kettles of the town"
    assert surf.browser.forward().title == "Glass"
    surf.browser.back()
    assert surf.browser.follow("one of steel").text == "# A kettle of steel"


@SHARED
def test_a_name_that_fits_none_or_several_is_an_error_that_says_so(surf: Surf) -> None:
    surf.browser.open(f"{surf.site.address}/")
    with pytest.raises(
        AmbiguousError, match=r'Several fit "one of": \[1\] "one of steel", \[2\] "one of glass"'
    ):
        surf.browser.follow("one of")
    with pytest.raises(NotFoundError, match=r'nothing "one of wood" for that\. Closest: .*one of glass'):
        surf.browser.follow("one of wood")
    with pytest.raises(NotFoundError, match=r"has no \[99\]"):
        surf.browser.follow(99)


def test_a_form_is_filled_in_and_sent(surf: Surf) -> None:
    page = surf.browser.open(f"{surf.site.address}/order")
    assert [(field.label, field.kind) for field in page.fields] == [
        ("Full name", "text"),
        ("Colour", "choice"),
        ("Newsletter", "tick"),
        ("Order now", "button"),
    ]
    assert page.fields[1] == Field(
        number=2, label="Colour", kind="choice", value=page.fields[1].value, options=("Red", "Green", "Blue")
    )
    assert surf.browser.fill("Full name", "Ada Lovelace Übung") == "Ada Lovelace Übung"
    assert surf.browser.fill(2, "Green") == "Green"
    assert surf.browser.fill("Newsletter", "on") == "on"
    held = [(field.label, field.value) for field in surf.browser.read().fields]
    assert held[0] == ("Full name", "Ada Lovelace Übung")
    assert held[2] == ("Newsletter", "on")
    with pytest.raises(NotFoundError, match='does not offer "Pink"; it offers "Red", "Green", "Blue"'):
        surf.browser.fill("Colour", "Pink")
    assert surf.browser.click("Order now").title == "Thanks"
    assert surf.site.sent[-1] == {"name": ["Ada Lovelace Übung"], "colour": ["Green"], "news": ["yes"]}


def test_a_file_is_given_to_a_page_by_the_agents_own_browser_and_by_the_other_it_is_said_why_not(
    surf: Surf, tmp_path: Path
) -> None:
    file = tmp_path / "me.txt"
    file.write_text("my face", encoding="utf-8")
    surf.browser.open(f"{surf.site.address}/photo")
    if surf.kind == "screen":
        with pytest.raises(UnsupportedError, match=f'"Photo" cannot be given "{file}" in your browser'):
            surf.browser.upload("Photo", str(file))
        return
    assert surf.browser.upload("Photo", str(file)) == "me.txt"
    assert "It holds my face" in surf.browser.read().text
    assert surf.browser.click("Send").title == "Thanks"
    assert surf.site.sent[-1] == {"photo": ["me.txt"]}


@SHARED
def test_what_is_no_file_and_what_takes_none_is_said(surf: Surf, tmp_path: Path) -> None:
    surf.browser.open(f"{surf.site.address}/photo")
    with pytest.raises(NotFoundError, match=f'There is no file "{tmp_path}" to upload'):
        surf.browser.upload("Photo", str(tmp_path))
    with pytest.raises(NotFoundError, match='There is no file "~nobody-of-that-name/me" to upload'):
        surf.browser.upload("Photo", "~nobody-of-that-name/me")
    with pytest.raises(NotFoundError, match='There is no file "my face my face'):
        surf.browser.upload("Photo", "my face " * 1000)
    with pytest.raises(UnsupportedError, match='"Photo" takes a file: upload it there'):
        surf.browser.fill("Photo", "me.txt")
    with pytest.raises(UnsupportedError, match="is a button, which does not take that"):
        surf.browser.upload(2, __file__)


def test_pages_stay_open_in_tabs(surf: Surf) -> None:
    surf.browser.open(f"{surf.site.address}/")
    before = len(surf.browser.tabs())
    surf.browser.open(f"{surf.site.address}/steel", new_tab=True)
    tabs = surf.browser.tabs()
    assert [tab.title for tab in tabs][-2:] == ["Kettles of the town", "Steel"]
    assert [tab.number for tab in tabs if tab.current] == [before + 1]
    page = surf.browser.switch(before)
    assert (page.title, page.tab) == ("Kettles of the town", before)
    surf.browser.close_tab(before + 1)
    assert len(surf.browser.tabs()) == before
    with pytest.raises(NotFoundError, match=rf"There is no tab {before + 1}"):
        surf.browser.switch(before + 1)


@SHARED
def test_a_long_page_is_read_in_parts_and_loses_nothing(surf: Surf) -> None:
    page = surf.browser.open(f"{surf.site.address}/long")
    assert page.parts > 1
    texts = [page.text]
    while page.more:
        page = surf.browser.more()
        texts.append(page.text)
    lines = [line for text in texts for line in text.splitlines() if line]
    assert lines == [f"This is line number {number}." for number in range(900)]
    with pytest.raises(NotFoundError, match="it was read to its end"):
        surf.browser.more()


def test_a_file_is_saved_under_its_name_and_says_where_it_is_from(surf: Surf, tmp_path: Path) -> None:
    surf.browser.open(f"{surf.site.address}/")
    saved = surf.browser.download("Price list", str(tmp_path))
    assert saved.path == tmp_path / "prices.csv"
    assert saved.path.read_bytes() == PRICES
    assert (saved.url, saved.title, saved.size) == (
        f"{surf.site.address}/prices.csv",
        "Kettles of the town",
        len(PRICES),
    )
    assert surf.browser.download("Price list", str(tmp_path)).path == tmp_path / "prices (2).csv"
    assert saved.path.read_bytes() == PRICES


def test_an_address_where_nobody_answers_is_said_in_a_sentence(surf: Surf) -> None:
    with WebSite({}) as gone:
        pass
    with pytest.raises(ComputerError, match=rf'"{gone.address}.*" was not loaded: nothing answers there'):
        surf.browser.open(gone.address)
    assert surf.browser.open(f"{surf.site.address}/steel").title == "Steel"


@SHARED
@pytest.mark.parametrize("address", ["", "file:///etc/passwd", "javascript:alert(1)", "two words", "word"])
def test_what_is_no_address_of_the_web_is_not_opened(surf: Surf, address: str) -> None:
    asked = len(surf.site.asked)
    with pytest.raises(ComputerError, match=r"is no address|is not of http"):
        surf.browser.open(address)
    assert len(surf.site.asked) == asked


@SHARED
def test_the_names_of_open_interpreter_do_the_same(surf: Surf) -> None:
    assert surf.browser.go_to_url(f"{surf.site.address}/glass").title == "Glass"
    assert surf.browser.analyze_page("what is it made of?") == "# A kettle of glass"
    assert until(lambda: "/glass" in surf.site.asked)
