"""Settings of code steps: what flags and variables mean, and what is said about those that mean nothing."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from computer_agent.cli import _parser
from computer_agent.code_settings import BadSetting, CodeSettings
from computer_agent.settings import Settings, from_flags
from computer_api.terminal.sandbox import Network

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def code(*flags: str, environment: Mapping[str, str] | None = None) -> CodeSettings:
    return from_flags(_parser().parse_args(list(flags)), environment or {}).code


def settings(*flags: str) -> Settings:
    return from_flags(_parser().parse_args(list(flags)), {})


@pytest.mark.parametrize("count", [0, -5, 99, 8001])
def test_an_output_that_is_too_short_or_too_long_to_be_shown_is_refused(count: int) -> None:
    with pytest.raises(BadSetting, match=f'--max-output takes 100 to 8000 characters, not "{count}"'):
        code("--max_output", str(count))


def test_what_is_not_said_confines_code_to_the_folder_it_starts_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    usual = code()
    assert (usual.sandbox, usual.access, usual.network) == ("auto", "workspace-write", Network())
    assert usual.workspace == tmp_path.resolve()
    assert usual.policy.workspace == usual.workspace


def test_flags_go_before_variables(tmp_path: Path) -> None:
    given = {"OI_SANDBOX": "none", "OI_ACCESS": "full", "OI_NETWORK": "on", "OI_PYTHON": "python3.12"}
    place = ("--workspace", str(tmp_path))
    assert code(*place, environment=given).sandbox == "none"
    assert code(*place, "--sandbox", "bwrap", environment=given).sandbox == "bwrap"
    assert code(*place, "--access", "read-only", environment=given).access == "read-only"
    assert code(*place, "--network", "off", environment=given).network == Network()
    assert code(*place, environment=given).python == "python3.12"


@pytest.mark.parametrize(
    ("words", "network"),
    [
        ("off", Network()),
        ("on", Network(mode="on")),
        ("example.org", Network(mode="hosts", hosts=("example.org",))),
        ("example.org, .example.net", Network(mode="hosts", hosts=("example.org", ".example.net"))),
    ],
)
def test_the_network_is_off_on_or_some_hosts(words: str, network: Network) -> None:
    assert code("--network", words).network == network


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--sandbox", "jail"), 'cannot be "jail". Choose one of: auto, bwrap'),
        (("--access", "all"), 'cannot be "all". Choose one of: read-only'),
        (("--network", "https://example.org"), "takes off, on, or hosts"),
        (("--network", "*.example.org"), "takes off, on, or hosts"),
        (("--network", ","), "takes off, on, or hosts"),
        (("--workspace", "/nowhere/at/all"), 'names "/nowhere/at/all", which is not there'),
        (("--workspace", "~nobody-of-that-name"), "nobody here has that name"),
        (("--workspace", __file__), "takes a folder"),
        (("--writable", "/nowhere/at/all"), 'names "/nowhere/at/all", which is not there'),
        (("--workspace", "/", "--access", "workspace-write"), "holds the whole system"),
        (("--languages", "/nowhere/at/all"), "cannot be read"),
    ],
)
def test_what_means_nothing_is_named_with_what_would(flags: tuple[str, ...], words: str) -> None:
    with pytest.raises(BadSetting, match=re.escape(words)):
        code(*flags)


def test_a_folder_that_holds_everything_is_only_read() -> None:
    assert code("--workspace", "/").access == "read-only"


def test_further_languages_come_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "languages.json"
    lua = {"name": "lua", "extension": ".lua", "argv": ["lua", "{file}"]}
    file.write_text(json.dumps([lua]))
    assert code("--languages", str(file)).languages == (lua,)
    file.write_text("{")
    with pytest.raises(BadSetting, match="is not JSON"):
        code("--languages", str(file))
    file.write_text("{}")
    with pytest.raises(BadSetting, match="is a list of objects"):
        code("--languages", str(file))


@pytest.mark.parametrize(
    ("flags", "mode"),
    [
        ((), "ask"),
        (("-y",), "all"),
        (("--auto_run",), "all"),
        (("--approve", "auto"), "auto"),
        (("--approve", "never"), "plan"),
        (("-y", "--safe-mode", "off"), "all"),
        (("-y", "--safe_mode", "ask"), "ask"),
        (("-y", "-safe", "auto"), "auto"),
        (("--safe-mode", "auto"), "ask"),
        (("--approve", "plan", "--safe-mode", "auto"), "plan"),
    ],
)
def test_the_modes_of_the_classic_never_let_more_through(flags: tuple[str, ...], mode: str) -> None:
    assert settings(*flags).approval == mode
