"""A trace as a Python script on the Computer API: with its verbs where there is one, else with the action itself."""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from typing import TYPE_CHECKING

from computer_agent.approval.code.visible import visible_line
from computer_agent.models.steps.written import shown
from computer_agent.trace.export import NAMED, LeftOut, Portable, portable, variables
from computer_api import actions, geometry, targets
from computer_api.actions import Click, FocusWindow, OpenApp, PressKeys, RunCode, TypeText
from computer_api.keys import keys_text
from computer_api.targets import ElementTarget, TextTarget

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from computer_agent.trace.reader import Trace
    from computer_api.actions import Action

__all__ = ["as_python", "written_call"]

_LONGEST = 100


def as_python(trace: Trace) -> str:
    """A script that does it again; it opens what desktop is there. Secrets are read from the environment.

    Raises ``TraceError`` when nothing was done.
    """
    exported = portable(trace)
    script = _Script()
    body = list(script.body(exported))
    names = variables(exported)
    return "\n".join([*_heading(trace, names), *script.imports(names), "", "", *body, *_ENDING]) + "\n"


def written_call(action: Action) -> str:
    """One action as a call on the Computer API."""
    return _Script().call(action)


def _heading(trace: Trace, names: tuple[str, ...]) -> Iterator[str]:
    task = _short(trace.header.task).replace("\\", "\\\\").replace('"""', "'''")
    yield f'"""{task}'
    yield ""
    yield f"Recorded with {trace.header.model}; exported by `oi trace export`."
    if names:
        yield f"Set in the environment what the trace does not hold: {', '.join(names)}."
    yield '"""'
    yield ""


_ENDING = (
    "",
    "",
    'if __name__ == "__main__":',
    "    with Computer.open(sys.argv[1] if len(sys.argv) > 1 else None) as desktop:",
    "        main(desktop)",
)


class _Script:
    """Writes calls, and remembers the classes that they name."""

    def __init__(self) -> None:
        self._used: set[str] = set()

    def imports(self, names: tuple[str, ...]) -> Iterator[str]:
        if names:
            yield "import os"
        yield "import sys"
        yield ""
        lines = []
        for module in (actions, geometry, targets):
            # From where a class is defined: the other modules only use it.
            own = [name for name in sorted(self._used) if _defines(module, name)]
            if own:
                lines.append(f"from {module.__name__} import {', '.join(own)}")
        yield from sorted([*lines, "from computer_api.computer import Computer"])

    def body(self, exported: tuple[Portable | LeftOut, ...]) -> Iterator[str]:
        yield "def main(computer: Computer) -> None:"
        last = 0
        for one in exported:
            if one.step != last:
                yield f"    # step {one.step}"
                last = one.step
            if isinstance(one, LeftOut):
                yield f"    # left out: {_short(shown(one.action))} ({_short(one.why)})"
                continue
            if one.note:
                yield f"    # {one.note}"
            yield f"    {self.call(one.action)}"

    def call(self, action: Action) -> str:
        match action:
            case Click(
                target=TextTarget(text=text, nth=None, window=None, exact=False, where=()), keys=()
            ) if action.button in ("left", "right") and action.count in (1, 2):
                more = {"left": "", "right": ', button="right"'}[action.button]
                more += "" if action.count == 1 else ", clicks=2"
                return f"computer.mouse.click({self._value(text)}{more})"
            case TypeText(into=None, text=text, secret=secret):
                return f"computer.keyboard.write({self._value(text)}{', secret=True' if secret else ''})"
            case TypeText(
                into=ElementTarget(name=label, role="field", nth=None, window=None, where=()),
                text=text,
                secret=secret,
            ):
                more = ", secret=True" if secret else ""
                return f"computer.keyboard.write({self._value(text)}, into={self._value(label)}{more})"
            case PressKeys(keys=keys, times=times):
                more = "" if times == 1 else f", presses={times}"
                return f"computer.keyboard.press({self._value(keys_text(keys))}{more})"
            case OpenApp(program=program, arguments=arguments):
                said = ", ".join(map(self._value, (program, *arguments)))
                return f"computer.windows.open({said})"
            case FocusWindow(title=title):
                return f"computer.windows.focus({self._value(title)})"
            case RunCode(language=language, code=code, outside=False):
                return f"computer.terminal.run({self._value(language)}, {self._value(code)})"
            case _:
                return f"computer.perform({self._value(action)})"

    def _value(self, value: object) -> str:
        """The value as Python reads it: a secret from the environment, a class without its defaults."""
        if isinstance(value, str):
            name = NAMED.fullmatch(value)
            return repr(value) if name is None else f'os.environ["{name[1]}"]'
        if isinstance(value, tuple):
            items = ", ".join(map(self._value, value))
            return f"({items},)" if len(value) == 1 else f"({items})"
        if not is_dataclass(value):
            return repr(value)
        self._used.add(type(value).__name__)
        said = []
        for spot in fields(value):
            held = getattr(value, spot.name)
            if spot.default is MISSING or held != spot.default:
                said.append(f"{spot.name}={self._value(held)}")
        return f"{type(value).__name__}({', '.join(said)})"


def _defines(module: ModuleType, name: str) -> bool:
    return getattr(vars(module).get(name), "__module__", "") == module.__name__


def _short(text: str) -> str:
    line = visible_line(" ".join(text.split()))
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
