"""Documents as clean text: what is kept, what is numbered, and that nothing can break it."""

from __future__ import annotations

from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from computer_api.browser.page import Page
from computer_api.browser.paging import controls_of, in_parts, told
from computer_api.browser.reading import Control, Line, read

URL = "https://shop.example/offers/list.html"


def text(html: str) -> str:
    return "\n".join(line.text for line in read(html, URL))


def controls(html: str) -> list[Control]:
    return [control for line in read(html, URL) for control in line.controls]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h1>One</h1><h3>Two <i>and</i></h3>after", "# One\n### Two and\nafter"),
        ("<p>a<br>b</p><p>c</p>", "a\nb\n\nc"),
        ("<ul><li>one<ol><li>x<li>y</ol></li><li>two</ul>", "- one\n  1. x\n  2. y\n- two"),
        ("<table><tr><th>A<th>B<tr><td>1<td>2|3</table>", "| A | B |\n| 1 | 2/3 |"),
        ("<table><tbody><tr><td>a<p>b</p></td></tr></table>", "| a; b |"),
        ("<table role=presentation><tr><td>left<td>right</table>", "left\nright"),
        ("<pre>def f():\n    return 1</pre>", "def f():\n    return 1"),
        ("a  \n b&nbsp;<b>c</b>", "a b c"),
        ("<img alt='a cat' src=x.png>", "(picture: a cat)"),
        ("<script>alert(1)</script><style>p{}</style>seen<template>not</template>", "seen"),
        ("see data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB here", "see (data) here"),
        ("x\x1b[31my\x00", "x[31my"),
        ("", ""),
    ],
)
def test_text_keeps_its_structure(html: str, expected: str) -> None:
    assert text(html).replace("\n\n", "\n") == expected.replace("\n\n", "\n")


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("one.html", "https://shop.example/offers/one.html"),
        ("/two?a=1&amp;b=2", "https://shop.example/two?a=1&b=2"),
        ("//other.example/", "https://other.example/"),
        ("mailto:ada@shop.example", "mailto:ada@shop.example"),
        ("javascript:alert(1)", ""),
        ("java\nscript:alert(1)", ""),
        ("data:text/html;base64,AAAA", ""),
        ("file:///etc/passwd", ""),
        ("http://[", ""),
    ],
)
def test_links_have_their_whole_address_or_none(href: str, url: str) -> None:
    (link,) = controls(f'<a href="{href}">there</a>')
    assert (link.kind, link.label, link.url, link.number) == ("link", "there", url, 1)


def test_a_link_around_a_card_is_numbered_once_at_its_end() -> None:
    html = "<a href=/k><div><h3>Kettle</h3><p>19,90 €</p></div></a><a href=/i aria-label='Basket'><svg></svg></a>"
    assert text(html) == "### Kettle\n\n19,90 € [1]\n\nBasket [2]"
    assert [one.label for one in controls(html)] == ["Kettle 19,90 €", "Basket"]


@pytest.mark.parametrize(
    ("html", "line"),
    [
        ("<label for=n>Full name</label><input id=n value=Ada>", '[1] field "Full name": "Ada"'),
        ("<label>City <input></label>", '[1] field "City": empty'),
        ("<input placeholder='Search here'>", '[1] field "Search here": empty'),
        ("<span id=l>Street</span><input aria-labelledby=l>", 'Street\n[1] field "Street": empty'),
        ("<input type=password aria-label=Code value=•••>", '[1] secret field "Code": "•••"'),
        ("<label><input type=checkbox checked> News</label>", '[1] tick box "News": on'),
        ("<div role=switch aria-checked=false>Dark</div>", '[1] tick box "Dark": off'),
        ("<select name=c><option>A<option selected>B</select>", '[1] choice "c": "B" of "A", "B"'),
        ("<textarea name=t>some text</textarea>", '[1] field "t": "some text"'),
        ("<button>Send <b>now</b></button>", '[1] button "Send now"'),
        ("<input type=submit value=Go>", '[1] button "Go"'),
        ("<input type=hidden name=token value=x>", ""),
    ],
)
def test_fields_are_told_with_their_label_and_what_they_hold(html: str, line: str) -> None:
    assert text(html) == line


def test_what_is_around_the_main_part_comes_after_it() -> None:
    html = "<nav><a href=/>Home</a></nav><main><h1>Kettles</h1><p>Two of them.</p></main><footer>Imprint</footer>"
    assert text(html).splitlines() == [
        "# Kettles",
        "",
        "Two of them.",
        "",
        "## Around the main part",
        "Home [1]",
        "Imprint",
    ]


def test_without_a_main_part_navigation_is_still_moved_to_the_end() -> None:
    html = (
        "<nav>Home</nav><h1>Kettles</h1><p>Two of them, from two shops in town.</p><footer>Imprint</footer>"
    )
    assert text(html).index("Kettles") < text(html).index("Home")
    assert text("<nav>Only navigation</nav>") == "Only navigation"


@given(st.text(max_size=300))
def test_no_document_breaks_the_reader(html: str) -> None:
    for line in read(html, URL):
        assert "\n" not in line.text


_TAGS = (
    "div",
    "p",
    "a",
    "ul",
    "li",
    "table",
    "tr",
    "td",
    "b",
    "main",
    "nav",
    "form",
    "label",
    "select",
    "option",
    "pre",
)
_pieces = st.one_of(
    st.sampled_from(
        [*(f"<{tag}>" for tag in _TAGS), *(f"</{tag}>" for tag in _TAGS), "<a href=/x>", "<input>", "<br>"]
    ),
    st.text("abc &<>\n", max_size=5),
)


@given(st.lists(_pieces, max_size=60).map("".join))
def test_numbers_are_in_the_text_in_order_each_once(html: str) -> None:
    lines = read(html, URL)
    numbers = [control.number for line in lines for control in line.controls]
    assert sorted(numbers) == list(range(1, len(numbers) + 1))
    for line in lines:
        assert all(f"[{control.number}]" in line.text for control in line.controls)


def test_a_document_that_is_nested_without_end_is_read() -> None:
    assert "deep" in text("<div>" * 30_000 + "deep")


@given(st.lists(st.text("abc é", min_size=1, max_size=120), max_size=40), st.integers(50, 200))
def test_parts_hold_every_line_in_order_and_none_is_too_long(paragraphs: list[str], longest: int) -> None:
    html = "".join(f"<p>{escape(one)} <a href='/{at}'>go</a>" for at, one in enumerate(paragraphs))
    lines = read(html, URL)
    parts = in_parts(lines, longest)
    assert "".join(line.text for part in parts for line in part) == "".join(line.text for line in lines)
    for part in parts:
        assert part == parts[-1] or part
        assert len(part) <= 1 or sum(len(line.text) + 1 for line in part) <= longest
    shown = [link.number for part in parts for link in controls_of(part)[0]]
    assert shown == [control.number for line in lines for control in line.controls]


def test_a_part_is_told_with_its_source_and_the_addresses_of_its_links() -> None:
    lines = read("<h1>Offers</h1><p><a href=/k>Kettle</a></p><p><a onclick=x data-oi=3>More</a></p>", URL)
    links, fields = controls_of(lines)
    page = Page(
        url=URL,
        title="Offers",
        time="2026-01-01T00:00:00+00:00",
        text="\n".join(line.text for line in lines),
        links=links,
        fields=fields,
        parts=2,
        notes=("the server answered 404 Not Found",),
    )
    assert told(page).splitlines() == [
        f'"Offers" {URL} (tab 1, part 1 of 2)',
        "(the server answered 404 Not Found)",
        "",
        "# Offers",
        "",
        "Kettle [1]",
        "",
        "More [2]",
        "",
        "Addresses:",
        "[1] https://shop.example/k",
        "",
        "(Part 2 of 2 is read with more.)",
    ]


def test_a_line_that_is_too_long_for_a_part_is_cut_and_keeps_its_links() -> None:
    (line,) = read("<a href=/a>first</a> " + "x" * 300 + " <a href=/b>last</a>", URL)
    parts = in_parts([line], 100)
    assert "".join(one.text for part in parts for one in part) == line.text
    assert [link.text for link in controls_of(parts[0])[0]] == ["first"]
    assert [link.text for link in controls_of(parts[-1])[0]] == ["last"]
    assert in_parts([]) == ((),)
    assert in_parts([Line(text="")]) == ((Line(text=""),),)
