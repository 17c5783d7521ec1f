"""`oi config`, `oi --profiles`, `oi --reset_profile`, and the file that is written."""

from __future__ import annotations

import os
import stat
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from computer_agent.cli import main
from computer_agent.code_settings import BadSetting
from computer_agent.profiles.folders import config_file, profiles_folder
from computer_agent.profiles.reading import parse
from computer_agent.profiles.writing import _with, keep

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Told = Callable[..., tuple[int, str, str]]


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Told:
    """What a command says with a config folder of its own: exit code, output, complaints."""
    for name in [name for name in os.environ if name.startswith("OI_") or name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))

    def run(*words: str) -> tuple[int, str, str]:
        code = main(list(words))
        out, err = capsys.readouterr()
        return code, out, err

    return run


def written(text: str) -> Path:
    file = config_file(os.environ)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def row(out: str, key: str) -> list[str]:
    return next(line.split(maxsplit=2) for line in out.splitlines() if line.split()[0] == key)


def test_config_says_each_value_and_where_it_comes_from(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written("max_steps = 7\n")
    monkeypatch.setenv("OI_SIZE", "800x600")
    monkeypatch.setenv("GEMINI_API_KEY", "AIza-0123456789")
    code, out, err = told("config", "--profile", "safe", "--glide")
    assert (code, err) == (0, "")
    assert row(out, "size") == ["size", "800x600", "OI_SIZE"]
    assert row(out, "glide") == ["glide", "yes", "the command line"]
    assert row(out, "max_budget")[2].startswith('profile "safe" (')
    assert row(out, "model") == ["model", "gemini/gemini-2.5-pro", "GEMINI_API_KEY is set"]
    assert row(out, "share")[:2] == ["share", "ask"]
    assert row(told("config")[1], "max_steps") == ["max_steps", "7", f'"{file}", line 1']


def test_config_shows_no_key(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-2")
    _, out, _ = told("config", "--api-key", "sk-secret-1")
    assert "sk-secret" not in out
    assert row(out, "api_key") == ["api_key", "(hidden)", "the command line"]


def test_config_says_what_cannot_be_used(told: Told) -> None:
    file = written("temperature = 9")
    code, out, err = told("config")
    assert code == 2
    assert row(out, "temperature")[1] == "9"
    assert f'It is set in "{file}", line 1.' in err
    written("temprature = 1")
    assert 'The nearest is "temperature"' in told("config")[2]


def test_a_run_with_a_bad_config_file_ends_before_it_begins(told: Told) -> None:
    written('modle = "steps"')
    code, out, err = told("--os", "--desktop", "memory", "-y", "look")
    assert (code, out) == (2, "")
    assert 'there is no setting "modle"' in err


def test_a_run_takes_its_model_from_the_config_file(told: Told) -> None:
    written('model = "steps"\nos = true\ndesktop = "memory"\napprove = "all"')
    code, out, _ = told("look")
    assert code == 0
    assert "Done: The step is done." in out


def test_what_the_classic_s_profile_sets_no_more_is_said(told: Told, tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text(
        '{"speak_messages": true, "llm": {"model": "steps"}}', encoding="utf-8"
    )
    _, _, err = told("--os", "--desktop", "memory", "-y", "-p", str(tmp_path / "old.json"), "look")
    assert '"speak_messages" sets nothing here. Nothing is spoken' in err


def test_config_path_is_that_of_the_file(told: Told) -> None:
    assert told("config", "path") == (0, f"{config_file(os.environ)}\n", "")


def test_config_edit_opens_the_file_in_the_editor_and_reads_what_was_saved(
    told: Told, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script = tmp_path / "edit.py"
    script.write_text(
        "import pathlib, sys\nfile = pathlib.Path(sys.argv[1])\n"
        "assert 'oi help options' in file.read_text()\nfile.write_text('max_steps = \"many\"')\n",
        encoding="utf-8",
    )
    monkeypatch.setenv("VISUAL", "")
    monkeypatch.setenv("EDITOR", f"'{sys.executable}' '{script}'")
    code, _, err = told("config", "edit")
    assert code == 2
    assert '"max_steps" takes a whole number' in err
    assert stat.S_IMODE(config_file(os.environ).stat().st_mode) & 0o077 == 0 or sys.platform == "win32"
    monkeypatch.setenv("EDITOR", "no-such-editor-here")
    assert 'The editor "no-such-editor-here" cannot be used' in told("config", "edit")[2]


def test_an_unknown_command_of_config_is_said(told: Told) -> None:
    code, out, err = told("config", "show")
    assert (code, out) == (2, "")
    assert '"oi config show" is not known' in err
    assert told("config", "--help")[1].startswith("oi config [options]")


def test_profiles_are_listed_with_the_folder_of_the_person_s_own(told: Told) -> None:
    folder = profiles_folder(os.environ)
    folder.mkdir(parents=True)
    (folder / "work.yaml").write_text("os: true", encoding="utf-8")
    code, out, _ = told("--profiles")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()[:6]] == [
        "default",
        "fast",
        "local",
        "os",
        "safe",
        "work",
    ]
    assert f'"{folder}"' in out


def test_reset_profile_puts_the_person_s_file_aside_and_loses_nothing(told: Told) -> None:
    folder = profiles_folder(os.environ)
    folder.mkdir(parents=True)
    for text in ("glide = true", "glide = false"):
        (folder / "safe.toml").write_text(text, encoding="utf-8")
        assert "safe.toml" in told("--reset_profile", "safe")[1]
    assert [(folder / f"safe.toml.old{number}").read_text() for number in (1, 2)] == [
        "glide = true",
        "glide = false",
    ]
    assert "Nothing was changed" in told("--reset_profile", "safe")[1]
    config = written("max_steps = 1")
    assert config.name in told("--reset_profile")[1]
    assert not config.exists()
    assert 'No profile "mine" comes with oi' in told("--reset_profile", "mine")[2]


# Writing.


def test_keeping_a_value_changes_its_line_alone(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "config.toml"
    keep(file, {"model": "a/b", "max_steps": 3})
    assert file.read_text() == 'model = "a/b"\nmax_steps = 3\n'
    file.write_text('# mine\nmodel = "a/b"  # good\n[llm]\ntemperature = 1')
    keep(file, {"model": "c/d", "offline": True, "api_base": None})
    assert file.read_text() == '# mine\nmodel = "c/d"\noffline = true\n[llm]\ntemperature = 1'
    keep(file, {"model": None})
    assert file.read_text() == "# mine\noffline = true\n[llm]\ntemperature = 1"


def test_only_its_owner_can_read_what_was_kept(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("")
    file.chmod(0o644)
    keep(file, {"api_key": "sk-1"})
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 or sys.platform == "win32"


def test_a_link_to_the_settings_stays_one(tmp_path: Path) -> None:
    (tmp_path / "kept.toml").write_text("max_steps = 1\n")
    (tmp_path / "config.toml").symlink_to(tmp_path / "kept.toml")
    keep(tmp_path / "config.toml", {"model": "a/b"})
    assert (tmp_path / "config.toml").is_symlink()
    assert (tmp_path / "kept.toml").read_text() == 'max_steps = 1\nmodel = "a/b"\n'


def test_what_cannot_be_written_is_said_and_nothing_is_lost(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadSetting, match="cannot be written"):
        keep(tmp_path / "file" / "config.toml", {"model": "a/b"})
    broken = tmp_path / "config.toml"
    broken.write_text("model = [")
    with pytest.raises(BadSetting, match="is not TOML"):
        keep(broken, {"max_steps": 3})
    assert broken.read_text() == "model = ["


@given(st.text(st.characters(exclude_categories=("Cs",)), max_size=60))
def test_any_text_that_is_kept_is_read_back(text: str) -> None:
    assert parse(_with("", "model", text).encode(), "x.toml", "x").values == {"model": text}
