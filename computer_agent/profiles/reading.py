"""A file of settings -> the values in it, each checked, or a sentence with the file, the line and what would work."""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from computer_agent.code_settings import BadSetting
from computer_agent.options import BY_KEY, Layer
from computer_agent.profiles.classic import ANSWERED, RENAMED, said_otherwise

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from computer_agent.options import Option

SUFFIXES = (".toml", ".yaml", ".yml", ".json")
MOST_BYTES = 100_000
_PROGRAM = (
    '"{name}" is a program, and a profile never runs one. Write what it sets into a text file, such as '
    'work.toml with the line: model = "anthropic/claude-sonnet-4-5". `oi help options` names the settings.'
)


def read(file: Path, source: str | None = None) -> Layer:
    """The settings in a file; ``source`` is what it is called. Raises ``BadSetting``."""
    name = source or f'"{file}"'
    kind_of(file.name)
    try:
        with file.open("rb") as reading:
            content = reading.read(MOST_BYTES + 1)
    except OSError as error:
        raise BadSetting(f"The settings in {name} cannot be read: {error.strerror}.") from None
    return parse(content, file.name, name)


def parse(content: bytes, file: str, source: str) -> Layer:
    """The settings in the content of a file of that name. Raises ``BadSetting``."""
    if len(content) > MOST_BYTES:
        raise BadSetting(f"{source} has more than {MOST_BYTES} bytes, which no file of settings has.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadSetting(f"{source} is not UTF-8 text: byte {error.start} is not.") from None
    return _layer(_parsed(text, kind_of(file), source), text, source)


def kind_of(file: str) -> str:
    """The suffix of a file of settings. Raises ``BadSetting`` for a program and for what is none."""
    suffix = PurePath(file).suffix.lower()
    if suffix == ".py":
        raise BadSetting(_PROGRAM.format(name=file))
    if suffix not in SUFFIXES:
        raise BadSetting(
            f'Settings are read from files that end in {", ".join(SUFFIXES)}, not from "{file}".'
        )
    return suffix


def _parsed(text: str, kind: str, source: str) -> dict[str, Any]:
    """The tables in the text."""
    found: object
    try:
        match kind:
            case ".toml":
                found = tomllib.loads(text)
            case ".json":
                found = json.loads(text)
            case _:
                found = _yaml(text, source)
    except (ValueError, RecursionError) as error:  # of TOML and JSON, whose messages name the line
        raise BadSetting(f"{source} is not {kind[1:].upper()}: {error}.") from None
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise BadSetting(f"{source} holds no settings: each is a line such as model: NAME.")
    return found


def _yaml(text: str, source: str) -> object:
    """What stands in YAML, as plain values: nothing in it can name a class or a call."""
    try:
        import yaml
    except ImportError:
        raise BadSetting(
            f"{source} is YAML, which needs the package PyYAML: pip install 'oi-desktop[yaml]', or write it as "
            'TOML, such as model = "NAME".'
        ) from None
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" in line {mark.line + 1}" if mark is not None else ""
        what = getattr(error, "problem", None) or "it cannot be read"
        raise BadSetting(f"{source} is not YAML: {what}{where}.") from None


def _layer(tables: Mapping[str, Any], text: str, source: str) -> Layer:
    """The settings of the tables, each under the key of its option."""
    values: dict[str, Any] = {}
    lines: dict[str, int] = {}
    notes: list[str] = []
    for written, value in _flat(tables):
        line = _line(text, written)
        place = source if line is None else f"{source}, line {line}"
        key = written.replace("-", "_")
        if key in ANSWERED:
            if ANSWERED[key]:
                notes.append(f'{place}: "{written}" sets nothing here. {ANSWERED[key]}')
            continue
        key, value = said_otherwise(key, value) or (key, value)  # noqa: PLW2901 - the same setting in our words
        option = BY_KEY.get(key)
        if option is None or not option.in_files:
            raise BadSetting(f'{place}: there is no setting "{written}".{_nearest(key)}')
        values[key] = checked(option, value, place)
        if line is not None:
            lines[key] = line
    return Layer(source=source, values=values, lines=lines, notes=tuple(notes))


def _flat(tables: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Each value with its dotted name."""
    for name, value in tables.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value


def checked(option: Option, value: object, place: str) -> Any:  # noqa: ANN401 - of the option's kind
    """The value as the parser would leave it. Raises ``BadSetting`` for one of another kind."""
    wanted, good = "a text", value
    if value is None:
        return option.default
    match option.kind:
        case "flag":
            wanted, fits = "true or false", isinstance(value, bool)
        case "whole number":
            wanted, fits = "a whole number", isinstance(value, int) and not isinstance(value, bool)
        case "number":
            wanted, fits = "a number", isinstance(value, int | float) and not isinstance(value, bool)
        case "list":
            wanted, fits = (
                "a list of texts",
                isinstance(value, list) and all(isinstance(one, str) for one in value),
            )
        case _:
            fits = isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))
            good = str(value)
    if not fits:
        raise BadSetting(f'{place}: "{option.key}" takes {wanted}, not {_shown(value)}.')
    if option.choices and good not in option.choices:
        raise BadSetting(
            f'{place}: "{option.key}" cannot be {_shown(value)}. Choose one of: {", ".join(option.choices)}.'
        )
    return good


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if text.startswith('"') else f'"{text}"'


def _nearest(key: str) -> str:
    known = [option.key for option in BY_KEY.values() if option.in_files]
    near = difflib.get_close_matches(key, [*known, *RENAMED, *ANSWERED, "auto_run"], n=1)
    if not near:
        near = difflib.get_close_matches(key.rpartition(".")[2], known, n=1)
    return f' The nearest is "{near[0]}".' if near else " `oi help options` names them all."


def _line(text: str, dotted: str) -> int | None:
    """In which line a key stands, counted from 1; of a dotted one, below the line of its table."""
    *tables, name = dotted.split(".")
    lines = text.splitlines()
    start = 0
    for table in tables:
        head = re.compile(rf"""\s*(?:\[[\w.\s"]*)?["']?{re.escape(table)}\b""")
        start = next((at for at in range(start, len(lines)) if head.match(lines[at])), start)
    key = re.compile(rf"""\s*(?:[\w"'.{{,\s-]*\.\s*)?["']?{re.escape(name)}["']?\s*[=:]""")
    return next((at + 1 for at in range(start, len(lines)) if key.match(lines[at])), None)
