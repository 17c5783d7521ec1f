"""Let the person change a text in the editor of their choice."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from computer_agent.code_settings import BadSetting

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_USUAL = ("editor", "nano", "vi", "notepad.exe")
_ENDINGS = {"python": ".py", "shell": ".sh", "bash": ".sh", "javascript": ".js"}


def editor(environment: Mapping[str, str]) -> Callable[[str, str], str]:
    """A function of a language and its code that opens $VISUAL, $EDITOR or a usual editor, and returns what was saved.

    It raises ``BadSetting`` when there is no editor, when it failed, or when the code, or what it saved, is not UTF-8
    text.
    """

    def edit(language: str, code: str) -> str:
        command = editor_command(environment)
        with tempfile.TemporaryDirectory(prefix="oi-edit-") as folder:
            file = Path(folder) / f"code{_ENDINGS.get(language.casefold(), '.txt')}"
            try:
                file.write_bytes(code.encode("utf-8"))
                code_of_exit = subprocess.run([*command, str(file)], check=False).returncode
                changed = file.read_bytes().decode("utf-8")  # line ends stay as they are
            except OSError as error:
                raise BadSetting(f'The editor "{command[0]}" cannot be used: {error.strerror}.') from None
            except UnicodeEncodeError:
                raise BadSetting(
                    "This code is not text that an editor can show: refuse it instead."
                ) from None
            except UnicodeDecodeError:
                raise BadSetting("What the editor saved is not UTF-8 text, so nothing was changed.") from None
        if code_of_exit != 0:
            raise BadSetting(
                f'The editor "{command[0]}" failed (exit code {code_of_exit}), so nothing was changed.'
            )
        # Editors end a file with a newline, which the code had perhaps not.
        return changed if code.endswith("\n") else changed.removesuffix("\n")

    return edit


def editor_command(environment: Mapping[str, str]) -> list[str]:
    """The words that start $VISUAL, $EDITOR or a usual editor. Raises ``BadSetting`` where there is none."""
    wished = environment.get("VISUAL") or environment.get("EDITOR")
    if wished and wished.strip():
        try:
            return shlex.split(wished)
        except ValueError as error:
            raise BadSetting(f'The editor "{wished}" cannot be used: {str(error).lower()}.') from None
    usual = next((name for name in _USUAL if shutil.which(name, path=environment.get("PATH"))), None)
    if usual is None:
        raise BadSetting("There is no editor here: name one with the variable EDITOR.")
    return [usual]
