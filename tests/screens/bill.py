"""What the pictures of a run cost in tokens, whole or only what changed, along the recorded session.

``python tests/screens/bill.py`` takes every fifth frame of the session for an observation, as if a model had acted
in between, and adds up what each provider would count for all requests of the run and for its new pictures.
"""

from __future__ import annotations

import sys
from itertools import islice
from pathlib import Path

if __name__ == "__main__":  # run as a program, it is not on the path of the tests
    sys.path[:0] = [
        str(Path(__file__).resolve().parents[2] / part) for part in ("tests", "vision", "platform", "")
    ]

from screens.session import frames

from computer_agent.context.economy import Economy, Pictures, dropped
from computer_agent.context.provider import provider_of
from computer_agent.step import Observation
from computer_api.geometry import Size
from computer_api.screenshot import Screenshot
from computer_api.settle import alike
from computer_platform.desktop import Area, Frame

MODELS = ("anthropic/claude-sonnet-4-5", "openai/gpt-5", "gemini/gemini-2.5-pro", "openai/qwen3-vl")
EVERY = 5


def observations(most: int) -> list[Observation]:
    """Every fifth frame as the loop would observe it: unchanged ones have no picture."""
    seen: list[Observation] = []
    last: Screenshot | None = None
    for recorded in islice(frames(), 0, most * EVERY, EVERY):
        height, width = recorded.pixels.shape[:2]
        now = Screenshot(
            frame=Frame(pixels=recorded.pixels, area=Area(0, 0, width, height)), size=Size(width, height)
        )
        same = last is not None and alike(last.frame, now.frame)
        seen.append(Observation(screenshot=None if same else now))
        last = last if same else now
    return seen


def sizes(seen: list[Observation], pictures: Pictures) -> list[Size | None]:
    """The size of the picture that each observation sends."""
    parts = Economy(pictures).parts(seen)
    return [
        None
        if one.screenshot is None
        else (one.screenshot.size if part is None else Size(part.width, part.height))
        for one, part in zip(seen, parts, strict=True)
    ]


def main() -> None:
    """Print the table."""
    seen = observations(60)
    ways: dict[Pictures, list[Size | None]] = {way: sizes(seen, way) for way in ("full", "changed")}
    pictured = [size for size in ways["full"] if size is not None]
    parts = sum(a != b for a, b in zip(ways["full"], ways["changed"], strict=True))
    sys.stdout.write(f"{len(seen)} steps, {len(pictured)} with a picture; {parts} of these as a part.\n")
    for model in MODELS:
        tokens = provider_of(model).tokens
        new, sent = {}, {}
        for way, shown in ways.items():
            counts = [tokens(size) for size in shown if size is not None]
            whole = [size == pictured[0] for size in shown if size is not None]
            new[way] = sum(counts)
            sent[way] = sum(sum(counts[dropped(whole[:end]) : end]) for end in range(1, len(counts) + 1))
        ratio, all_ratio = new["full"] / new["changed"], sent["full"] / sent["changed"]
        line = f"{model}: new {new['full']} -> {new['changed']} ({ratio:.2f}x less), "
        line += f"all requests {sent['full']} -> {sent['changed']} ({all_ratio:.2f}x less)\n"
        sys.stdout.write(line)


if __name__ == "__main__":
    main()
