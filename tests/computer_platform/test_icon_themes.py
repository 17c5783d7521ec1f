"""Which files a program draws its icons from."""

from __future__ import annotations

import os
import sys
import zipfile
from typing import TYPE_CHECKING

import pytest

from computer_platform.icon_themes import environment_of, office, office_folder, theme_name, themed

if TYPE_CHECKING:
    from pathlib import Path


def a_theme(root: Path, name: str, inherits: str, files: dict[str, bytes]) -> None:
    folders = sorted({file.rpartition("/")[0] for file in files})
    sections = "".join(
        f"[{folder}]\nSize=16\nType={'Scalable' if folder == 'scalable' else 'Fixed'}\n" for folder in folders
    )
    for file, data in files.items():
        (root / name / file).parent.mkdir(parents=True, exist_ok=True)
        (root / name / file).write_bytes(data)
    index = f"[Icon Theme]\nName={name}\nInherits={inherits}\nDirectories={','.join(folders)}\n{sections}"
    (root / name / "index.theme").write_text(index)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    icons = tmp_path / "share" / "icons"
    a_theme(icons, "Child", "Parent", {"16/save.png": b"child"})
    a_theme(icons, "Parent", "Child", {"16/save.png": b"parent", "scalable/open-symbolic.svg": b"symbolic"})
    a_theme(icons, "Adwaita", "", {"16/find.png": b"adwaita"})
    return {
        "HOME": str(tmp_path),
        "XDG_DATA_DIRS": str(tmp_path / "share"),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "XDG_CONFIG_DIRS": str(tmp_path / "xdg"),
    }


def test_the_theme_is_the_one_that_gtk_s_settings_name(environment: dict[str, str], tmp_path: Path) -> None:
    settings = tmp_path / "config" / "gtk-3.0" / "settings.ini"
    settings.parent.mkdir(parents=True)
    settings.write_text("[Settings]\ngtk-icon-theme-name = Child\n")
    assert theme_name(environment) == "Child"
    assert theme_name({**environment, "GTK_ICON_THEME": "Parent"}) == "Parent"


def test_qt_s_own_settings_count_where_the_program_is_told_to_use_them(
    environment: dict[str, str], tmp_path: Path
) -> None:
    settings = tmp_path / "config" / "qt5ct" / "qt5ct.conf"
    settings.parent.mkdir(parents=True)
    settings.write_text("[Appearance]\nicon_theme=Parent\n")
    assert theme_name({**environment, "QT_QPA_PLATFORMTHEME": "qt5ct"}) == "Parent"


def test_a_settings_file_that_is_broken_names_nothing(environment: dict[str, str], tmp_path: Path) -> None:
    settings = tmp_path / "config" / "gtk-3.0" / "settings.ini"
    settings.parent.mkdir(parents=True)
    before = theme_name(environment)
    settings.write_text("no section\n=\n")
    assert theme_name(environment) == before


def test_a_name_comes_from_the_first_theme_of_the_chain_that_draws_it(environment: dict[str, str]) -> None:
    files = themed(["save", "open", "find", "nothing", "../save"], {**environment, "GTK_ICON_THEME": "Child"})
    assert [(file.name, file.theme, file.data, file.size, file.symbolic) for file in files] == [
        ("save", "Child", b"child", 16, False),
        ("open", "Parent", b"symbolic", 0, True),
        ("find", "Adwaita", b"adwaita", 16, False),
    ]


def test_a_theme_that_is_not_installed_falls_back_to_the_usual_one(environment: dict[str, str]) -> None:
    files = themed(["find"], {**environment, "GTK_ICON_THEME": "Missing"})
    assert [file.theme for file in files] == ["Adwaita"]


def test_office_commands_are_found_in_each_set_and_under_their_other_names(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "images_plain.zip", "w") as archive:
        archive.writestr("cmd/lc_save.png", b"large")
        archive.writestr("cmd/sc_save.png", b"small")
        archive.writestr("links.txt", "cmd/lc_store.png cmd/lc_save.png\n")
    assert [(file.data, file.size) for file in office(["save"], tmp_path)] == [(b"large", 24), (b"small", 16)]
    assert [file.data for file in office(["store"], tmp_path)] == [b"large"]
    assert office(["nothing"], tmp_path) == ()


def test_a_process_that_is_not_there_or_no_office_tells_nothing() -> None:
    assert environment_of(2**30) == {}
    assert office_folder(2**30) is None


@pytest.mark.skipif(sys.platform != "linux", reason="The environment of a process is told by Linux only.")
def test_the_environment_of_a_process_is_that_it_was_started_with() -> None:
    assert environment_of(os.getpid()).get("PATH")
