"""Code in the person's editor: it comes back as it was saved, and what fails is said."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from computer_agent.chat.editor import editor
from computer_agent.code_settings import BadSetting

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the editors here are shell scripts")


def edited(tmp_path: Path, script: str, code: str) -> str:
    """What an editor that is this script makes of the code; ``$1`` is its file."""
    program = tmp_path / "editor"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return editor({"EDITOR": str(program), "PATH": os.environ["PATH"]})("shell", code)


@pytest.mark.parametrize("code", ["ls", "ls\n", "a\r\nb\r\n", "a\rb", "\ufeffls", "", "ä\u2028b"])
def test_what_was_not_changed_comes_back_byte_for_byte(tmp_path: Path, code: str) -> None:
    assert edited(tmp_path, "true", code) == code


def test_what_was_saved_is_the_code_without_the_last_newline_that_editors_add(tmp_path: Path) -> None:
    assert edited(tmp_path, 'echo "ls -l" > "$1"', "ls") == "ls -l"


@pytest.mark.parametrize(
    ("script", "code", "words"),
    [
        ("exit 3", "ls", "exit code 3"),
        ('rm "$1"', "ls", "No such file"),
        ("printf '\\377' > \"$1\"", "ls", "not UTF-8"),
        ("true", "echo \ud800", "not text that an editor can show"),
    ],
)
def test_what_goes_wrong_in_the_editor_is_said(tmp_path: Path, script: str, code: str, words: str) -> None:
    with pytest.raises(BadSetting, match=words):
        edited(tmp_path, script, code)


@pytest.mark.parametrize("wished", ["'nano", "/nowhere/editor", 'a "b'])
def test_an_editor_that_cannot_be_started_is_said(wished: str) -> None:
    with pytest.raises(BadSetting, match="cannot be used"):
        editor({"VISUAL": wished, "PATH": os.environ["PATH"]})("shell", "ls")


def test_a_blank_wish_is_none() -> None:
    with pytest.raises(BadSetting, match="There is no editor here"):
        editor({"EDITOR": " ", "PATH": "/nowhere"})("shell", "ls")
