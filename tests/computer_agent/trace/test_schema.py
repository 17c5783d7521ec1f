"""The schema of the format fits what is written, and nothing else."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from computer_agent.step import Act, Done, Observation, Spent
from computer_agent.trace.codec import CLASSES
from computer_agent.trace.reader import read
from computer_agent.trace.record import FILE, KINDS, VERSION
from computer_agent.trace.schema import PATH, schema, text
from computer_agent.trace.writer import TraceWriter
from computer_api.actions import Click, RunCode, TypeText
from computer_api.geometry import Box, Pixel
from computer_api.receipt import Receipt, Scrolled
from computer_api.targets import Anchors, Match, Relation, TextTarget

TRACES = Path(__file__).parents[3] / "fixtures" / "traces"
TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "null": type(None),
    "array": list,
    "object": dict,
}


@cache
def definitions() -> dict[str, Any]:
    defined: Any = json.loads(PATH.read_bytes())["$defs"]
    assert isinstance(defined, dict)
    return defined


def fits(value: Any, rule: dict[str, Any]) -> bool:  # noqa: ANN401 - JSON
    """The part of JSON Schema that the format uses."""
    if "$ref" in rule:
        return fits(value, definitions()[rule["$ref"].removeprefix("#/$defs/")])
    if "oneOf" in rule:
        return sum(fits(value, one) for one in rule["oneOf"]) == 1
    if "anyOf" in rule:
        return any(fits(value, one) for one in rule["anyOf"])
    if "const" in rule:
        return bool(value == rule["const"])
    if "enum" in rule:
        return value in rule["enum"]
    typed = isinstance(value, TYPES[rule["type"]]) and not (
        isinstance(value, bool) and rule["type"] in ("integer", "number")
    )
    return typed and within(value, rule)


def within(value: Any, rule: dict[str, Any]) -> bool:  # noqa: ANN401 - JSON
    if isinstance(value, list):
        return all(fits(item, rule["items"]) for item in value)
    if isinstance(value, dict):
        properties = rule["properties"]
        known = set(rule["required"]) <= set(value) <= set(properties)
        return known and all(fits(item, properties[name]) for name, item in value.items())
    if "minimum" in rule:
        return bool(rule["minimum"] <= value <= rule.get("maximum", value))
    return True


def validated(folder: Path) -> int:
    whole = json.loads(PATH.read_bytes())
    lines = [json.loads(line) for line in (folder / FILE).read_bytes().splitlines()]
    for line in lines:
        assert fits(line, whole), line
    return len(lines)


def test_the_file_is_what_the_classes_say_now() -> None:
    assert PATH.read_text() == text(), "run: python -m computer_agent.trace.schema"


def test_every_kind_and_every_class_of_a_trace_is_in_it() -> None:
    assert set(definitions()) == {*CLASSES, "bytes", *(f"kind: {kind}" for kind in KINDS)}


@pytest.mark.parametrize("trace", sorted(path.parent.name for path in TRACES.glob(f"*/{FILE}")))
def test_the_recorded_traces_fit_and_are_read(trace: str) -> None:
    assert validated(TRACES / trace) > 1
    assert read(TRACES / trace).steps


def test_a_new_trace_fits(tmp_path: Path) -> None:
    writer = TraceWriter(tmp_path / "trace")
    writer.start(task="t", model="m", desktop="memory", screen=None)
    writer.observation(1, Observation(screenshot=None, notes=("a note",)))
    click = Click(target=TextTarget("Save", where=(Relation("near", Box(1, 2, 3, 4)),)), keys=("shift",))
    writer.decision(1, Act(thought="so", actions=(click, Click(target=Pixel(1, 2)))))
    receipt = Receipt(
        effect="here",
        scrolled=(Scrolled(way="down", asked=3, moved=None),),
        matches=(
            Match(
                box=Box(1, 2, 3, 4),
                text="x",
                score=1.0,
                source="text",
                anchors=Anchors(question=TextTarget("y")),
            ),
        ),
    )
    for action in (click, TypeText(text="x", secret=True), RunCode(language="shell", code="ls")):
        writer.result(writer.intent(1, action, approval="yes"), Done(action=action, receipt=receipt))
    writer.end("done", "so", Spent(steps=1, seconds=1.0, dollars=None, tokens=0))
    writer.close()
    assert validated(tmp_path / "trace") == 10


@pytest.mark.parametrize(
    ("field", "value"),
    [("kind", "dance"), ("version", 99), ("sequence", -1), ("time", "now"), ("task", 7), ("more", 1)],
)
def test_what_no_trace_holds_does_not_fit(field: str, value: object) -> None:
    line = json.loads((TRACES / "contact_form" / FILE).read_bytes().splitlines()[0])
    assert fits(line, json.loads(PATH.read_bytes()))
    line[field] = value
    assert not fits(line, json.loads(PATH.read_bytes()))


def test_a_validator_of_others_agrees() -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema comes with litellm only")
    validator = jsonschema.Draft202012Validator(schema())
    validator.check_schema(schema())
    for line in (TRACES / "contact_form" / FILE).read_bytes().splitlines():
        validator.validate(json.loads(line))


def test_of_every_version_of_the_format_a_recorded_trace_is_kept() -> None:
    kept = {json.loads(path.read_bytes().splitlines()[0])["version"] for path in TRACES.glob(f"*/{FILE}")}
    assert kept >= set(range(1, VERSION + 1)), "record a run with the new version into fixtures/traces"
