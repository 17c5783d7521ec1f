"""What a name, a file or an address means as a command: desktop entries and file types, in folders made for it."""

from __future__ import annotations

import os
import string
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from computer_platform.desktop_entries import Menu, command_for, locales_of, split
from computer_platform.file_types import type_of

TYPES = """\
50:text/plain:*.txt
50:text/markdown:*.md
50:image/png:*.png
50:application/x-tar-gz:*.tar.gz
50:x/gz:*.gz
"""


class System:
    """Folders with programs, entries and types, and the environment that names them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {
            "HOME": str(folder / "home"),
            "PATH": str(folder / "bin"),
            "XDG_DATA_HOME": str(folder / "own"),
            "XDG_DATA_DIRS": f"{folder / 'first'}:{folder / 'second'}",
            "XDG_CONFIG_HOME": str(folder / "config"),
            "XDG_CONFIG_DIRS": str(folder / "no such folder"),
        }
        self.write("first/mime/globs2", TYPES)
        self.write("first/mime/subclasses", "image/png application/picture\n")
        self.program("edit", "view", "terminal-only", "xterm")

    def write(self, path: str, text: str) -> Path:
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(text)
        return self.folder / path

    def program(self, *names: str) -> None:
        for name in names:
            self.write(f"bin/{name}", "#!/bin/sh\n").chmod(0o755)

    def entry(self, name: str, keys: str = "", *, command: str = "edit", where: str = "first") -> Path:
        """An entry in ``name.desktop``, called ``Name`` unless ``keys`` say otherwise."""
        usual = {"Type": "Application", "Name": name, "Exec": command}
        given = {line.partition("=")[0] for line in keys.splitlines()}
        lines = [f"{key}={value}" for key, value in usual.items() if key not in given]
        body = "\n".join(["[Desktop Entry]", *lines, keys, ""])
        return self.write(f"{where}/applications/{name}.desktop", body)

    def command(self, *argv: str, **variables: str) -> list[str]:
        return command_for(argv, self.environment | variables)


@pytest.fixture
def system(tmp_path: Path) -> System:
    return System(tmp_path)


def test_a_command_is_itself(system: System) -> None:
    system.entry("edit", "Name=Other\nExec=view")
    assert system.command("edit", "-x", "a b") == ["edit", "-x", "a b"]
    script = str(system.folder / "bin" / "view")
    assert system.command(script) == [script]


@pytest.mark.parametrize(
    "called",
    ["Text Editor", "  text   EDITOR ", "Texteditor", "org.example.Writer", "org.example.Writer.desktop", "writer",
     "Word Processor", "Textverarbeitung", "editor"],
)  # fmt: skip
def test_a_program_is_known_by_its_names_in_both_languages_by_its_file_and_by_a_word(
    system: System, called: str
) -> None:
    names = (
        "Name=Text Editor\nName[de]=Texteditor\nGenericName=Word Processor\nGenericName[de]=Textverarbeitung"
    )
    system.entry("org.example.Writer", names)
    assert system.command(called, LANG="de_AT.UTF-8") == ["edit"]


def test_a_part_of_a_word_is_no_name_and_the_nearest_are_offered(system: System) -> None:
    system.entry("Text Editor")
    with pytest.raises(FileNotFoundError, match=r'There is no program "Edit" here\. Near to it are .*"edit"'):
        system.command("Edit")
    with pytest.raises(
        FileNotFoundError, match=r'no program "Text Edito" here\. Near to it are "Text Editor"'
    ):
        system.command("Text Edito")
    with pytest.raises(
        FileNotFoundError, match=r'no program "spreadsheet" here\. The menu has "Text Editor"\.'
    ):
        system.command("spreadsheet")
    with pytest.raises(FileNotFoundError, match='no program or file "/no/such/thing" here'):
        system.command("/no/such/thing")


def test_a_name_that_two_programs_have_is_asked_back_with_both(system: System) -> None:
    system.entry("Ink", "GenericName=Writer")
    system.entry("Quill", "GenericName=Writer", command="view")
    with pytest.raises(FileNotFoundError, match='Several programs are called "writer": "Ink", "Quill"'):
        system.command("writer")
    assert system.command("quill") == ["view"]


@pytest.mark.parametrize(
    "keys",
    ["Hidden=true", "NoDisplay=true", "TryExec=not-installed", "Exec=not-installed", "Type=Link", "Exec=",
     'Exec=edit "open'],
)  # fmt: skip
def test_what_no_menu_would_show_has_no_name(system: System, keys: str) -> None:
    system.entry("one of those", keys)
    with pytest.raises(FileNotFoundError, match='There is no program "one of those too" here'):
        system.command("one of those too")
    assert Menu(system.environment).names() == []


def test_the_persons_own_entry_goes_before_the_systems_and_can_delete_it(system: System) -> None:
    system.entry("Notes", command="view", where="second")
    system.entry("Notes", command="edit", where="own")
    assert system.command("Notes") == ["edit"]
    system.entry("Notes", "Hidden=true", where="own")
    with pytest.raises(FileNotFoundError):
        system.command("Notes")


@pytest.mark.parametrize(
    ("line", "arguments", "expected"),
    [
        ("edit %f", ["a"], ["edit", "a"]),
        ("edit %f", [], ["edit"]),
        ("edit %F --end", ["a", "b c"], ["edit", "a", "b c", "--end"]),
        ("edit %u %U", ["a"], ["edit", "a"]),
        ("edit", ["--new", "a"], ["edit", "--new", "a"]),
        ("edit --open=%f %i", ["a"], ["edit", "--open=a", "--icon", "pen"]),
        ("edit %c 100%% %d%v", [], ["edit", "Pen & Paper", "100%", ""]),
        ('edit "a b" "say \\\\"hi\\\\"" "\\\\$HOME"', [], ["edit", "a b", 'say "hi"', "$HOME"]),
        ("sh -c 'exec edit \"$0\"' %u", ["x"], ["sh", "-c", 'exec edit "$0"', "x"]),
    ],
)
def test_field_codes_and_quotes_are_understood(
    system: System, line: str, arguments: list[str], expected: list[str]
) -> None:
    system.program("sh")
    system.entry("pen", f"Name=Pen & Paper\nIcon=pen\nExec={line}")
    assert system.command("Pen & Paper", *arguments) == expected


def test_the_entry_itself_and_its_folder_are_passed_on(system: System) -> None:
    path = system.entry("pen", f"Exec=edit %k\nPath={system.folder}")
    assert system.command("pen") == ["env", "-C", str(system.folder), "edit", str(path)]


def test_a_program_for_the_terminal_runs_in_one(system: System) -> None:
    system.entry("Monitor", "Terminal=true", command="terminal-only %F")
    assert system.command("monitor", "x") == ["xterm", "-e", "terminal-only", "x"]
    (system.folder / "bin" / "xterm").unlink()
    with pytest.raises(OSError, match="no terminal emulator is installed"):
        system.command("monitor")


def test_a_program_that_a_bus_could_start_is_started_by_its_command(system: System) -> None:
    system.entry("org.example.Bus", "Name=Bus\nDBusActivatable=true")
    assert system.command("bus", "f") == ["edit", "f"]


def test_a_file_is_opened_by_the_program_that_offers_to(system: System) -> None:
    system.entry("Pictures", "MimeType=image/png;", command="view %f")
    system.entry("Editor", "MimeType=text/plain;", command="edit %F")
    for name, program in (
        ("a.png", "view"),
        ("A.PNG", "view"),
        ("a.txt", "edit"),
        ("a.md", "edit"),
        ("README", "edit"),
    ):
        path = str(system.write(f"home/{name}", "text"))
        assert system.command(path) == [program, path]
        assert system.command(f"file://{path}") == [program, path]
        assert system.command(f"~/{name}") == [program, path]


def test_the_persons_choice_goes_before_what_a_program_offers(system: System) -> None:
    system.entry("A first", "MimeType=text/plain;", command="view %f")
    system.entry("chosen", "NoDisplay=true", command="edit %f")
    path = str(system.write("home/a.txt", ""))
    assert system.command(path) == ["view", path]
    system.write("config/mimeapps.list", "[Default Applications]\ntext/plain=gone.desktop;chosen.desktop;\n")
    assert system.command(path) == ["edit", path]
    system.write("config/gnome-mimeapps.list", "[Default Applications]\ntext/plain=A first.desktop\n")
    assert system.command(path, XDG_CURRENT_DESKTOP="GNOME") == ["view", path]
    system.write("config/mimeapps.list", "[Removed Associations]\ntext/plain=A first.desktop;\n")
    with pytest.raises(OSError, match="no program here opens text/plain files"):
        system.command(path)


def test_a_program_with_a_window_opens_a_file_before_one_in_a_terminal(system: System) -> None:
    system.entry("A terminal one", "Terminal=true\nMimeType=text/plain;", command="terminal-only %f")
    system.entry("Z window", "MimeType=text/plain;", command="edit %f")
    path = str(system.write("home/a.txt", ""))
    assert system.command(path) == ["edit", path]


def test_folders_and_addresses_have_programs_too(system: System) -> None:
    system.entry("Files", "MimeType=inode/directory;", command="view %U")
    system.entry("Web", "MimeType=x-scheme-handler/https;", command="edit %U")
    assert system.command(str(system.folder)) == ["view", str(system.folder)]
    assert system.command("https://example.org/?a=b c") == ["edit", "https://example.org/?a=b c"]
    with pytest.raises(OSError, match="no program here opens x-scheme-handler/mailto files"):
        system.command("mailto:ada@example.org")
    system.program("xdg-open")
    assert system.command("mailto:ada@example.org")[1:] == ["mailto:ada@example.org"]


def test_a_file_that_may_run_but_cannot_is_opened(system: System) -> None:
    """As every file may on a stick from another system."""
    system.entry("Editor", "MimeType=text/plain;", command="edit %F")
    path = system.write("home/a.txt", "words")
    path.chmod(0o755)
    assert system.command(str(path)) == ["edit", str(path)]


def test_the_longest_ending_decides_the_type(system: System) -> None:
    system.entry("Tar", "MimeType=application/x-tar-gz;", command="view %f")
    system.entry("Gz", "MimeType=x/gz;", command="edit %f")
    path = str(system.write("home/a.tar.gz", ""))
    assert system.command(path) == ["view", path]


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"LANG": "de_AT.UTF-8@euro"}, ["de_AT@euro", "de_AT", "de@euro", "de"]),
        ({"LANG": "de_DE", "LC_ALL": "fr"}, ["fr"]),
        ({"LANG": "C.UTF-8", "LC_MESSAGES": "pt_BR"}, ["pt_BR", "pt"]),
        ({}, []),
    ],
)
def test_the_languages_are_tried_from_the_nearest(variables: dict[str, str], expected: list[str]) -> None:
    assert locales_of(variables) == expected


@given(st.lists(st.text(string.printable, max_size=8), max_size=5))
def test_quoted_words_come_back_whole(words: list[str]) -> None:
    escaped = ['"' + "".join(f"\\{one}" if one in '"`$\\' else one for one in word) + '"' for word in words]
    assert split(" ".join(escaped)) == words


@given(st.text(max_size=40))
def test_any_name_is_a_program_or_a_clear_error(name: str) -> None:
    try:
        assert command_for([name], {"PATH": "/nowhere", "XDG_DATA_DIRS": "/nowhere", "HOME": "/nowhere"})
    except OSError as error:
        assert error.strerror or name in str(error)  # noqa: PT017 - either way is right


def test_a_pipe_or_a_device_is_not_read_to_tell_its_type(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(type_of(tmp_path / "pipe", {})), daemon=True)
    thread.start()
    thread.join(20)
    assert found == ["inode/special"]
    assert type_of(Path(os.devnull), {}) == "inode/special"
