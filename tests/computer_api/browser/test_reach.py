"""Which addresses may be loaded, by what a person calls them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from computer_api.browser.names import free_path
from computer_api.browser.reach import Reach
from computer_api.errors import ComputerError, RefusedError
from computer_api.terminal.sandbox.policy import Network

if TYPE_CHECKING:
    from pathlib import Path

OFF = Reach(network=Network())
SOME = Reach(network=Network(mode="hosts", hosts=("example.org", ".example.net")))
ALL = Reach(network=Network(mode="on"))


@pytest.mark.parametrize(
    ("given", "whole"),
    [
        ("example.org", "https://example.org"),
        ("example.org/a b", None),
        (" https://example.org/x?y=1#z ", "https://example.org/x?y=1#z"),
        ("localhost:8000/x", "http://localhost:8000/x"),
        ("127.0.0.1", "http://127.0.0.1"),
        ("http://intranet/", "http://intranet/"),
        ("https://example.org/ä", "https://example.org/%C3%A4"),
        ("intranet", None),
        ("", None),
        ("file:///etc/passwd", None),
        ("javascript:alert(1)", None),
        ("data:text/html,x", None),
        ("view-source:https://example.org", None),
        ("chrome://settings", None),
        ("https://", None),
        ("http://[", None),
        ("http://example.org:99999999/", None),
    ],
)
def test_an_address_is_made_whole_or_refused_in_a_sentence(given: str, whole: str | None) -> None:
    if whole is not None:
        assert Reach().address(given) == whole
        return
    with pytest.raises(ComputerError, match=r"is no address|is not of http or https"):
        Reach().address(given)


@pytest.mark.parametrize(
    ("reach", "host", "allowed"),
    [
        (Reach(), "anywhere.example", True),
        (ALL, "anywhere.example", True),
        (OFF, "example.org", False),
        (OFF, "localhost", True),
        (OFF, "127.0.0.9", True),
        (OFF, "10.0.0.1", False),
        (SOME, "example.org", True),
        (SOME, "EXAMPLE.org.", True),
        (SOME, "www.example.org", False),
        (SOME, "notexample.org", False),
        (SOME, "www.example.net", True),
        (SOME, "example.net", True),
        (SOME, "badexample.net", False),
    ],
)
def test_hosts_are_allowed_exactly_or_by_their_suffix(reach: Reach, host: str, allowed: bool) -> None:  # noqa: FBT001 - a case
    assert reach.allows(host) is allowed
    if not allowed:
        with pytest.raises(RefusedError, match="may not be reached"):
            reach.address(f"https://{host}/")


def test_the_browser_is_told_the_same_rules() -> None:
    assert Reach().rules() == ALL.rules() == ""
    here = "EXCLUDE localhost, EXCLUDE 127.0.0.1, EXCLUDE [::1]"
    assert OFF.rules() == f"MAP * ~NOTFOUND, {here}"
    hosts = "EXCLUDE example.org, EXCLUDE *.example.net, EXCLUDE example.net"
    assert SOME.rules() == f"MAP * ~NOTFOUND, {here}, {hosts}"


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("a.csv", "a.csv"),
        ("../../.bashrc", "bashrc"),
        ("C:\\Windows\\x.exe", "x.exe"),
        ("", "download"),
        ("..", "download"),
    ],
)
def test_a_saved_file_stays_in_its_folder_and_replaces_none(tmp_path: Path, given: str, name: str) -> None:
    first = free_path(tmp_path, given)
    assert first == tmp_path / name
    first.write_text("kept")
    assert free_path(tmp_path, given).name == (name.replace(".", " (2).") if "." in name else f"{name} (2)")
