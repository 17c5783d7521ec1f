"""`oi config`: what holds and where it comes from; `oi --profiles` and `oi --reset_profile`."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from computer_agent.approval.code.visible import visible
from computer_agent.chat.editor import editor_command
from computer_agent.code_settings import BadSetting
from computer_agent.flags import parser
from computer_agent.options import OPTIONS, effective
from computer_agent.profiles.choosing import Asking, known, layers
from computer_agent.profiles.folders import SHIPPED, config_file, profiles_folder
from computer_agent.profiles.reading import SUFFIXES, read
from computer_agent.profiles.writing import write_private
from computer_agent.settings import from_flags

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from computer_agent.options import Effective, Option

DONE, NOT_DONE, WRONG = 0, 1, 2
_WIDEST = 36  # characters of a value
_USAGE = """\
oi config [options]   each setting, its value, and where that comes from; with --profile NAME: as that has it
oi config path        where the config file is
oi config edit        open it in your editor ($VISUAL, $EDITOR)"""
_NEW = """\
# What oi takes in every run unless a flag, a variable or a profile says otherwise. All settings: oi help options

# model = "anthropic/claude-sonnet-4-5"
# approve = "ask"
# max_budget = 2.0
# custom_instructions = "Use the metric system."
"""


def config(words: Sequence[str], environment: Mapping[str, str], asking: Asking | None = None) -> int:
    """Do one of the commands on settings; returns an exit code."""
    try:
        match list(words):
            case ["path"]:
                return _say([str(config_file(environment))])
            case ["edit"]:
                return _edit(config_file(environment), environment)
            case ["-h" | "--help" | "help", *_]:
                return _say(_USAGE.splitlines())
            case [other, *_] if not other.startswith("-"):
                return _complain(f'"oi config {other}" is not known.\n{_USAGE}')
            case flags:
                return _show(flags, environment, asking)
    except BadSetting as error:
        return _complain(str(error))


def profiles(words: Sequence[str], environment: Mapping[str, str]) -> int:
    """List the profiles, and say where the person's own go; returns an exit code."""
    if words:
        return _complain(f'--profiles stands by itself, without "{" ".join(words)}".')
    folder, there = profiles_folder(environment), known(environment)
    width = max(map(len, there))
    lines = [
        f"  {name:<{width}}  {'comes with oi' if file.parent == SHIPPED else file}"
        for name, file in sorted(there.items())
    ]
    return _say(
        [*lines, "", f'Your own go into "{folder}": a file such as work.toml. Use one: oi --profile NAME.']
    )


def reset_profile(words: Sequence[str], environment: Mapping[str, str]) -> int:
    """Put the person's file of that name aside, so that the shipped profile holds again; returns an exit code.

    Without a name that is every file that stands before a shipped one, and the config file.
    """
    shipped = {file.stem for file in SHIPPED.glob("*.toml")}
    folder = profiles_folder(environment)
    names = list(words) or sorted(shipped)
    files = [config_file(environment)] if list(words) in ([], ["default"]) else []
    for name in names:
        if name not in shipped:
            return _complain(f'No profile "{name}" comes with oi. There are: {", ".join(sorted(shipped))}.')
        files += [folder / f"{name}{suffix}" for suffix in SUFFIXES]
    changed = [file for file in files if file.exists()]
    if not changed:
        return _say(["Nothing was changed: no file of yours stands before what comes with oi."])
    return _say([f'"{file}" is now "{_put_aside(file).name}".' for file in changed])


def _put_aside(file: Path) -> Path:
    number = 1
    while (aside := file.with_name(f"{file.name}.old{number}")).exists():
        number += 1
    return file.rename(aside)


def _show(words: Sequence[str], environment: Mapping[str, str], asking: Asking | None) -> int:
    flags = parser("").parse_args(list(words))
    files = layers(flags, environment, asking)
    found = effective(flags, environment, files)
    rows = [(option.key, _shown(option, found[option.key]), found[option.key].source) for option in OPTIONS]
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    _say([f"{key:<{widths[0]}}  {value:<{widths[1]}}  {source}".rstrip() for key, value, source in rows])
    for layer in files:
        _say(layer.notes)
    from_flags(flags, environment, files)  # says what of it cannot be used
    return DONE


def _shown(option: Option, found: Effective) -> str:
    """The value in one short line; of a key not even its length."""
    value = found.value
    if value is None or value in ("", ()):
        return "-"
    if option.key == "api_key":
        return "(hidden)"
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = visible(" ".join(map(str, value)) if isinstance(value, list | tuple) else str(value))
    text = " ".join(text.split())
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"


def _edit(file: Path, environment: Mapping[str, str]) -> int:
    """Open the file, made before if there is none, and say what cannot be used of what was saved."""
    if not file.exists():
        write_private(file, _NEW)
    command = editor_command(environment)
    try:
        failed = subprocess.run([*command, str(file)], check=False).returncode
    except OSError as error:
        raise BadSetting(f'The editor "{command[0]}" cannot be used: {error.strerror}.') from None
    if failed:
        return _complain(f'The editor "{command[0]}" failed (exit code {failed}).', NOT_DONE)
    for note in read(file).notes:
        _say([note])
    return DONE


def _say(lines: Sequence[str]) -> int:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return DONE


def _complain(words: str, code: int = WRONG) -> int:
    sys.stderr.write(f"{words}\n")
    return code
