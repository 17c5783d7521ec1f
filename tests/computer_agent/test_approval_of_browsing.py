"""What of the web is done unasked, what is asked about, and in which words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from approving import HERE

from computer_agent.approval.approval import Proposal, Resolved
from computer_agent.approval.browsing import risk_of_browsing
from computer_agent.approval.judge import Judge, Surroundings
from computer_agent.approval.modes import ask, auto, plan
from computer_api.actions import Browse
from computer_api.browser.reach import Reach
from computer_api.terminal.sandbox.policy import Network

if TYPE_CHECKING:
    from pathlib import Path

CALLED = {"3": "Buy now", "4": "Details"}
OFFLINE = {"pages": Reach(network=Network()), "pages_held": True}
SOME = {"pages": Reach(network=Network(mode="hosts", hosts=("example.org",))), "pages_held": True}
ALL = {"pages": Reach(network=Network(mode="on")), "pages_held": True}


def asked(action: Browse, **around: object) -> str:
    """Which modes do it unasked, and what a person is told."""
    surroundings = Surroundings(
        workspace=HERE.workspace,
        home=HERE.home,
        confined=False,
        sandbox="no sandbox",
        **around,  # type: ignore[arg-type]  # the fields above
    )
    judge = Judge(lambda: surroundings, called=lambda where: CALLED.get(where.strip("[]"), ""))
    risk = judge.risk(
        Proposal(action=action, nested=False, resolve=lambda: Resolved(shown=(), screenshot=None))
    )
    modes = [
        mode.__name__ for mode in (plan, ask, auto) if mode(risk) is not None and "Allow" in repr(mode(risk))
    ]
    return f"{risk.level}; {', '.join(modes) or 'asked'}; {'; '.join(label.words for label in risk.labels)}"


ALWAYS = "low; plan, ask, auto; "


@pytest.mark.parametrize("what", ["read", "more", "tabs", "tab", "back", "forward", "quit"])
def test_reading_is_never_asked_about(what: str) -> None:
    assert asked(Browse(what=what)) == ALWAYS  # type: ignore[arg-type]  # one of them


def test_a_page_of_this_machine_or_of_an_allowed_host_is_loaded_unasked() -> None:
    assert asked(Browse(what="open", where="http://127.0.0.1:8000/")) == ALWAYS
    assert asked(Browse(what="open", where="example.org"), **SOME) == ALWAYS
    assert asked(Browse(what="open", where="example.org"), **ALL) == ALWAYS
    assert asked(Browse(what="search", where="kettles"), **ALL) == ALWAYS


def test_any_other_host_is_asked_about_by_its_name() -> None:
    for address in ("example.org", "https://127.0.0.1@example.org/?q=secret"):
        said = asked(Browse(what="open", where=address))
        assert said == 'medium; asked; loads a page of the host "example.org"'
    assert asked(Browse(what="search", where="kettles")).endswith(
        'asks a search engine on the internet for "kettles"'
    )


def test_following_and_clicking_are_free_in_auto_only_where_nothing_else_can_be_reached() -> None:
    follow, click = Browse(what="follow", where="4"), Browse(what="click", where="[4]")
    assert asked(follow) == 'medium; asked; [4] is "Details"'
    assert asked(follow, **OFFLINE) == 'medium; auto; [4] is "Details"'
    assert asked(click, **SOME) == 'medium; auto; [4] is "Details"'
    assert asked(Browse(what="click", where="9"), **SOME) == "medium; asked; "


def test_a_number_that_means_more_than_a_look_is_known_by_its_name() -> None:
    said = asked(Browse(what="click", where="3"), **ALL)
    assert said == 'high; asked; "Buy now": the word "Buy" announces more than a look'


def test_filling_is_free_in_auto_and_sending_or_secrets_are_not() -> None:
    assert asked(Browse(what="fill", where="Name", text="Ada")) == "medium; auto; "
    assert asked(Browse(what="fill", where="Name", text="Ada\n")) == "medium; asked; "
    assert (
        asked(Browse(what="fill", where="Code", text="x", secret=True), **ALL)
        == "high; asked; fills in a secret"
    )


def test_a_file_that_leaves_is_asked_about_with_its_name_and_a_hidden_or_linked_one_always(
    tmp_path: Path,
) -> None:
    (tmp_path / "report.pdf").write_bytes(b"%PDF")
    (tmp_path / "link.pdf").symlink_to(tmp_path / "report.pdf")
    given = Browse(what="upload", where="4", text=str(tmp_path / "report.pdf"))
    said = f'gives the website the file "{tmp_path / "report.pdf"}": [4] is "Details"'
    assert asked(given, **ALL) == f"high; asked; {said}"

    def hard(text: str) -> str | None:
        everything = Reach(network=Network(mode="on"))
        action = Browse(what="upload", where="4", text=text)
        return risk_of_browsing(action, everything, held=False, called=lambda _: "").hard

    assert hard("report.pdf") is None
    for hidden in ("~/.ssh/id_rsa", "/etc/shadow", str(tmp_path / "link.pdf")):
        assert "leaves this computer" in (hard(hidden) or "")


def test_what_can_be_no_file_is_asked_about_as_it_is_and_breaks_nothing(tmp_path: Path) -> None:
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    for text in ("~nobody-of-that-name/x", str(tmp_path / "circle"), "a\0b"):
        said = asked(Browse(what="upload", where="4", text=text), **ALL)
        assert said == f'high; asked; gives the website the file "{text}": [4] is "Details"'


def test_files_are_asked_about_and_hidden_places_named_risky() -> None:
    assert asked(Browse(what="download", where="4"), **ALL) == 'medium; asked; saves a file: [4] is "Details"'
    assert asked(Browse(what="download", where="4", folder="~/.config"), **ALL).startswith("high; asked")
