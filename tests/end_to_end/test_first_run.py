"""The first `oi` on a terminal, as somebody has it who has set nothing."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from model_server import ModelServer, Reply, Scripted
from model_server.runtimes import Runtime, Served
from pseudo_terminal import Terminal

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Nothing is set, and nothing of this machine is found but what a test says."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("OI_") and not name.endswith("_KEY")
    }
    return kept | {"XDG_CONFIG_HOME": str(tmp_path / "config"), "XDG_STATE_HOME": str(tmp_path / "state")}


def test_a_model_of_this_machine_is_offered_tried_and_kept(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    runtime = Runtime(flavour="ollama", models=(Served(name="qwen3-vl:8b", sees=True),))
    with ModelServer(Scripted([Reply(text="ready.")]), runtime=runtime) as server:
        environment["OLLAMA_HOST"] = f"127.0.0.1:{server.port}"
        oi = Terminal("--os", "--desktop", "memory", cwd=tmp_path, environment=environment)
        oi.shows("or q to leave: ")
        assert "ollama_chat/qwen3-vl:8b" in oi.text
        oi.types("1\n")
        oi.shows("It answers (")
        oi.shows("Ctrl-D leaves.\n>")  # the conversation begins
        oi.types("\x04")
        assert oi.ends() == 0
    kept = (tmp_path / "config" / "oi" / "config.toml").read_text()
    assert 'model = "ollama_chat/qwen3-vl:8b"' in kept


def test_whoever_has_taken_steps_has_them_the_next_time_too(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    environment = {name: value for name, value in environment.items() if name != "DISPLAY"}
    oi = Terminal("--desktop", "memory", cwd=tmp_path, environment=environment)
    oi.shows("q to leave: ")
    oi.types("s\n")
    oi.shows("Ctrl-D leaves.\n>")
    oi.types("\x04")
    assert oi.ends() == 0
    again = Terminal("--desktop", "memory", cwd=tmp_path, environment=environment)
    again.shows("oi with steps on the whole desktop")
    again.shows("Ctrl-D leaves.\n>")
    again.types("look\r")
    again.shows("The step is done.")
    assert again.text.count("look") == 2  # as it is typed, and as it is done
    again.shows("\n>")
    again.types("\x04")
    assert again.ends() == 0


def test_a_key_that_is_pasted_is_not_shown_while_it_is_typed(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    key = "sk-proj-0123456789abcdef"
    with ModelServer(Scripted([Reply(text="ready.")]), key=key) as server:
        words = ("--os", "--desktop", "memory", "--api-base", server.api_base, "-lsv", "-lsf", "-cw", "9000")
        oi = Terminal(*words, cwd=tmp_path, environment=environment)
        oi.shows("q to leave: ")
        oi.types("k\n")
        oi.shows("The key (it is not shown): ")
        oi.types(f"{key}\n")
        oi.shows("Keep the key in")
        assert key not in oi.text
        oi.types("y\n")
        oi.shows("Ctrl-D leaves.\n>")  # the conversation begins
        oi.types("\x04")
        assert oi.ends() == 0
    assert key in (tmp_path / "config" / "oi" / "config.toml").read_text()


def test_ctrl_c_leaves_and_nothing_is_written(tmp_path: Path, environment: dict[str, str]) -> None:
    oi = Terminal("--os", cwd=tmp_path, environment=environment)
    oi.shows("q to leave: ")
    oi.types("\x03")
    assert oi.ends() == 130
    assert not (tmp_path / "config").exists()
