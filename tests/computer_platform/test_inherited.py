"""What programs on a desktop inherit: no key of the person's, and on a private one a state of their own."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from xvfb import until, x_server

from computer_platform import connect
from computer_platform.inherited import without_secrets
from computer_platform.private import program_environment

if TYPE_CHECKING:
    from collections.abc import Mapping

    from computer_platform.desktop import Desktop

SECRETS = (
    "ANTHROPIC_API_KEY", "OI_API_KEY", "API_KEY", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID",
    "AWS_SESSION_TOKEN", "CLIENT_SECRET", "PGPASSWORD_PASSWORD", "GOOGLE_APPLICATION_CREDENTIALS", "db_password",
)  # fmt: skip
GIVEN = "given on purpose"
HARMLESS = ("PATH", "LANG", "TOKENIZERS_PARALLELISM", "KEYBOARD_KEY", "MONKEY", "SECRETARY", "XAUTHORITY")


@pytest.mark.parametrize("name", SECRETS)
def test_a_variable_whose_name_says_secret_is_not_inherited(name: str) -> None:
    assert without_secrets({name: "hunter2", "LANG": "C"}) == {"LANG": "C"}


@pytest.mark.parametrize("name", HARMLESS)
def test_other_variables_are_inherited(name: str) -> None:
    assert without_secrets({name: "x"}) == {name: "x"}


def told(desktop: Desktop, folder: Path, **added: str) -> Mapping[str, str]:
    """The environment of a program that is started there."""
    file = folder / "told"
    desktop.launch(["sh", "-c", f"env >{file}.part; mv {file}.part {file}"], environment=added)
    assert until(file.exists)
    return dict(line.split("=", 1) for line in file.read_text().splitlines() if "=" in line)


@pytest.mark.desktop
@pytest.mark.parametrize("name", ["x11", "private"])
def test_programs_get_the_secrets_they_are_started_with_and_no_other(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OURS_API_KEY", "hunter2")
    with x_server(manager=False) as display:
        environment = {**os.environ, "DISPLAY": display, "THEIRS_TOKEN": "hunter2"}
        with closing(connect(name, size=(640, 480), environment=environment)) as desktop:
            found = told(desktop, tmp_path, EDITOR_TOKEN=GIVEN)
    assert "hunter2" not in found.values()
    assert found["EDITOR_TOKEN"] == GIVEN


@pytest.mark.desktop
def test_what_programs_keep_goes_with_a_private_desktop_and_what_they_throw_away_does_not(
    tmp_path: Path,
) -> None:
    trash = tmp_path / "Trash"
    trash.mkdir()
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path)}
    with closing(connect("private", size=(640, 480), environment=environment)) as desktop:
        found = told(desktop, tmp_path)
        data, state = Path(found["XDG_DATA_HOME"]), Path(found["XDG_STATE_HOME"])
        (data / "session").write_text("unsaved")
        (state / "session").write_text("unsaved")
        (data / "Trash" / "thrown.txt").write_text("away")
        assert found["XDG_DATA_DIRS"].split(":")[0] == str(tmp_path)
    assert not data.exists()
    assert not state.exists()
    assert (trash / "thrown.txt").read_text() == "away"


def test_settings_stay_the_persons() -> None:
    own = program_environment({"XDG_CONFIG_HOME": "/home/ada/.config", "HOME": "/home/ada"}, Path("/folder"))
    assert own["XDG_CONFIG_HOME"] == "/home/ada/.config"
    assert own["XDG_DATA_DIRS"] == "/home/ada/.local/share:/usr/local/share:/usr/share"
