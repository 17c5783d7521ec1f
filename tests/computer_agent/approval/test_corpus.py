"""The judge of code on a corpus by somebody who had not seen its rules, and on variants of what it once missed.

When it first met the corpus, 151 of 179 harmless blocks were low, 6 of 454 dangerous ones, and the last block of 16
of 65 sessions; now 150, none and none.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from computer_agent.approval.code import Assessor

_CORPUS = Path(__file__).parents[3] / "fixtures" / "commands"
_VARIANTS = Path(__file__).parent / "variants.json"


def _last_level(language: str, blocks: list[str]) -> str:
    session = Assessor(workspace=Path("/home/ada/work"), home=Path("/home/ada"))
    return [session.assess(language, block).level for block in blocks][-1]


def _lines(name: str) -> list[dict[str, object]]:
    text = (_CORPUS / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def _low(name: str) -> list[object]:
    """The blocks, or the sessions, of a table whose last block is low."""
    found: list[object] = []
    for line in _lines(name):
        blocks = line.get("blocks", [line.get("code")])
        assert isinstance(blocks, list)
        if _last_level(str(line["language"]), blocks) == "low":
            found.append(blocks)
    return found


def test_nothing_dangerous_of_the_corpus_runs_unasked() -> None:
    assert _low("dangerous") == []


def test_no_session_of_the_corpus_ends_in_a_block_that_runs_unasked() -> None:
    assert _low("state") == []


def test_half_of_the_harmless_blocks_of_the_corpus_run_unasked() -> None:
    assert 2 * len(_low("harmless")) >= len(_lines("harmless"))


# By a third person, who had seen neither the rules nor the first corpus. At its first meeting none of 61 dangerous
# blocks was low, and 58 of 60 harmless ones.
def test_nothing_dangerous_of_the_second_corpus_runs_unasked() -> None:
    assert _low("second-dangerous") == []


def test_most_harmless_blocks_of_the_second_corpus_run_unasked() -> None:
    assert 10 * len(_low("second-harmless")) >= 9 * len(_lines("second-harmless"))


def _variants(kind: str) -> list[tuple[str, list[str]]]:
    table = json.loads(_VARIANTS.read_text(encoding="utf-8"))
    return [(language, blocks) for language, *blocks in table[kind]]


@pytest.mark.parametrize(("language", "blocks"), _variants("asked"))
def test_what_changes_the_meaning_of_code_is_asked_about(language: str, blocks: list[str]) -> None:
    assert _last_level(language, blocks) != "low"


@pytest.mark.parametrize(("language", "blocks"), _variants("unasked"))
def test_ordinary_work_stays_usable_after_ordinary_work(language: str, blocks: list[str]) -> None:
    assert _last_level(language, blocks) == "low"


@pytest.mark.parametrize(
    ("language", "before", "after"),
    [
        ("shell", "trap 'rm -rf data' EXIT", "ls"),
        ("python", "import sys\nsys.path.insert(0, 'x')", "print(1)"),
        ("javascript", "process.chdir('..')", "console.log(1)"),
    ],
)
def test_a_worker_that_was_lost_took_the_changed_meaning_with_it(
    language: str, before: str, after: str
) -> None:
    session = Assessor(workspace=Path("/home/ada/work"), home=Path("/home/ada"))
    session.assess(language, before)
    found = session.assess(language, after)
    assert found.level == "medium"
    assert any("may have changed what" in label.words for label in found.labels)
    session.forget(language)
    assert session.assess(language, after).level == "low"
