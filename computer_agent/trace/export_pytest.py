"""A trace as a pytest file, with the trace itself beside it, which the plugin replays."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from computer_agent.approval.code.visible import visible_line
from computer_agent.trace.errors import TraceError
from computer_agent.trace.export import portable, variables
from computer_agent.trace.export_steps import as_steps
from computer_agent.trace.replay import ReplayModel, secret_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from computer_agent.trace.reader import Trace

__all__ = ["as_pytest", "replays"]

_LONGEST = 60


def replays(trace: Trace) -> bool:
    """Whether it can be replayed: a bare place, for one, is never used again."""
    try:
        values = {f"secret{number}": "x" for number, _ in enumerate(secret_names(trace), start=1)}
        ReplayModel(trace, values=values)
    except TraceError:
        return False
    return True


def as_pytest(trace: Trace, file: str) -> str:
    """A file with one test; ``file`` is the trace's zip beside it, which a trace that cannot be replayed needs not.

    Raises ``TraceError`` when nothing was done.
    """
    names = variables(portable(trace))
    needs = (
        ["import os", "from typing import TYPE_CHECKING"] if names else ["from typing import TYPE_CHECKING"]
    )
    task = visible_line(" ".join(trace.header.task.split())).replace("\\", "\\\\").replace('"""', "'''")
    heading = [
        f'"""{task[:100]}',
        "",
        f"Recorded with {trace.header.model}; exported by `oi trace export`.",
        '"""',
        "",
        *needs,
        "",
        "if TYPE_CHECKING:",
        "    from computer_agent.pytest_plugin import Traces",
        "",
        "",
    ]
    body = _replayed(file, names) if replays(trace) else _run(as_steps(trace), names)
    return "\n".join([*heading, f'def {_test_name(trace)}(trace: "Traces") -> None:', *body]) + "\n"


def _replayed(file: str, names: Sequence[str]) -> Iterator[str]:
    given = ", ".join(f'"secret{number}": os.environ["{name}"]' for number, name in enumerate(names, start=1))
    yield f"    trace.replay({file!r}" + (f", var={{{given}}})" if names else ")")


def _run(steps: str, names: Sequence[str]) -> Iterator[str]:
    given = ", ".join(f'"{name}": os.environ["{name}"]' for name in names)
    yield "    trace.run("
    yield from (f"        {line + chr(10)!r}" for line in steps.splitlines() if line)
    yield f"        , var={{{given}}})" if names else "    )"


def _test_name(trace: Trace) -> str:
    words = re.sub(r"[^a-z0-9]+", "_", trace.header.task.casefold()).strip("_")
    return f"test_{words[:_LONGEST].strip('_') or 'recorded'}"
