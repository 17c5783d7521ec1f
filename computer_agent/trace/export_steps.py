"""A trace as plain-English steps: to be read, edited, and run without a model."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from computer_agent.approval.code.visible import visible_line
from computer_agent.models.steps.written import shown, written
from computer_agent.trace.export import NAMED, LeftOut, Portable, portable, variables
from computer_api.actions import aimed_at, targets_of
from computer_api.computer import PictureLimit
from computer_api.geometry import Pixel, Size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from computer_agent.trace.reader import Trace
    from computer_api.actions import Action
    from computer_api.targets import Target

__all__ = ["as_steps"]

_QUOTED = re.compile(f'"{NAMED.pattern}"')
_LONGEST = 100


def as_steps(trace: Trace) -> str:
    """The steps language; it reads back with ``parse_steps``. Secrets are ``$NAME``. Raises ``TraceError``."""
    exported = portable(trace)
    screen = trace.header.screen or Size(1, 1)
    return "\n".join([*_heading(trace, variables(exported)), *_body(trace, exported, screen)]) + "\n"


def _heading(trace: Trace, names: tuple[str, ...]) -> Iterator[str]:
    yield from (f"# {visible_line(line)}" for line in trace.header.task.splitlines())
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(trace.began))
    yield f"# Recorded {when} with {trace.header.model} on the desktop {trace.header.desktop}."
    if names:
        given = " ".join(f"--var {name}=..." for name in names)
        yield f"# It types what the trace does not hold: give {given}"
    yield ""


def _body(trace: Trace, exported: tuple[Portable | LeftOut, ...], screen: Size) -> Iterator[str]:
    thoughts = {step.number: step.decision.thought for step in trace.steps if step.decision is not None}
    if trace.header.model in ("steps", "replay"):  # which think nothing but the step
        thoughts = {}
    last = 0
    for one in exported:
        if isinstance(one, LeftOut):
            yield f"# left out: {_line(shown(one.action))} ({_line(one.why)})"
            continue
        step = _step(one.action, screen)
        thought = _line(thoughts.get(one.step, ""))
        if one.step != last and thought and not _says_the_same(thought, step):
            yield f"# {thought}"
        last = one.step
        if one.note:
            yield f"# {one.note}:"
        yield step


def _step(action: Action, screen: Size) -> str:
    """The action as a step, its places on the picture that steps are given."""
    picture = PictureLimit().fitted(screen)
    targets = [_on_picture(target, screen, picture) for target in targets_of(action)]
    words = written(aimed_at(action, targets))
    return _QUOTED.sub(r"$\1", words)


def _on_picture(target: Target, screen: Size, picture: Size) -> Target:
    if not isinstance(target, Pixel) or screen == picture or screen.width == 1:
        return target
    return replace(
        target, x=target.x * picture.width // screen.width, y=target.y * picture.height // screen.height
    )


def _says_the_same(thought: str, step: str) -> bool:
    return re.sub(r"\W+", "", thought).casefold() in re.sub(r"\W+", "", step).casefold()


def _line(text: str) -> str:
    line = visible_line(" ".join(text.split()))
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
