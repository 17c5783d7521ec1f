"""Which browser a run uses, and what it may reach, by flags and variables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from computer_agent.assemble import browser_options
from computer_agent.cli import _parser
from computer_agent.settings import from_flags
from computer_api.terminal.sandbox.policy import Network

if TYPE_CHECKING:
    from computer_api.browser.options import BrowserOptions


def options(*words: str, **environment: str) -> BrowserOptions:
    settings = from_flags(
        _parser().parse_args(["--model", "openai/m", "--api-base", "http://127.0.0.1:1/v1", *words, "look"]),
        environment,
    )
    return browser_options(settings)


@pytest.mark.parametrize(
    ("words", "kind", "program"),
    [
        (("--os",), "auto", None),
        (("--os", "--browser", "own"), "own", None),
        (("--os", "--browser", "screen"), "screen", None),
        (("--os", "--browser", "/opt/chrome"), "own", "/opt/chrome"),
        ((), "own", None),
        (("--browser", "screen"), "own", None),
    ],
)
def test_the_browser_is_the_one_that_was_named_and_without_a_desktop_ones_own(
    words: tuple[str, ...], kind: str, program: str | None
) -> None:
    found = options(*words)
    assert (found.kind, found.program) == (kind, program)
    assert options("--os", OI_BROWSER="screen").kind == "screen"


@pytest.mark.parametrize(
    ("words", "network"),
    [
        ((), None),
        (("--network", "on"), Network(mode="on")),
        (("--network", "off"), Network()),
        (
            ("--network", "example.org,.example.net"),
            Network(mode="hosts", hosts=("example.org", ".example.net")),
        ),
        (("--offline",), Network()),
    ],
)
def test_the_browser_reaches_what_the_network_setting_says(
    words: tuple[str, ...], network: Network | None
) -> None:
    assert options("--os", *words).reach.network == network
