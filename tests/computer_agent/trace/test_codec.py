"""The codec: exact both ways, closed, and silent about secrets."""

from __future__ import annotations

import json
import types
from dataclasses import replace
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from computer_agent.step import Done, NotDone, Spent, Usage
from computer_agent.trace.codec import CLASSES, SECRET, Json, decode, encode
from computer_agent.trace.errors import TraceError
from computer_api.actions import Action, AnswerPrompt, Browse, Click, HoldKeys, Look, TypeText, Wait
from computer_api.geometry import Box, Pixel
from computer_api.receipt import Receipt
from computer_api.targets import ElementTarget, PictureTarget, Relation, TextTarget

_SCALARS: dict[Any, st.SearchStrategy[Any]] = {
    int: st.integers(),
    float: st.floats(allow_nan=False, allow_infinity=False),
    str: st.text(),
    bool: st.booleans(),
    bytes: st.binary(max_size=40),
    type(None): st.none(),
}
_NEAR = Relation("near", PictureTarget("a.png"))
_WHERE: list[tuple[Relation, ...]] = [
    (),
    (_NEAR,),
    (Relation("in", Box(-1, 2, 3, 4)), Relation("right of", Pixel(5, 6))),
    (Relation("below", ElementTarget("", "field", where=(_NEAR, Relation("in", TextTarget("é", 2))))),),
]


def values(hint: Any) -> st.SearchStrategy[Any]:  # noqa: ANN401 - a type hint is whatever typing makes of it
    """Any value that a type hint of the house allows."""
    if hint in _SCALARS:
        return _SCALARS[hint]
    if get_origin(hint) is Literal:
        return st.sampled_from(get_args(hint))
    if get_origin(hint) in (Union, types.UnionType):
        return st.one_of([values(part) for part in get_args(hint)])
    if get_origin(hint) is tuple:
        if get_args(hint)[0] is Relation:  # they hold targets, which hold such again
            return st.sampled_from(_WHERE)
        return st.lists(values(get_args(hint)[0]), max_size=3).map(tuple)
    hints = get_type_hints(hint, localns={"Action": Action, "Receipt": Receipt})
    return st.builds(
        hint, **{name: st.deferred(lambda part=part: values(part)) for name, part in hints.items()}
    )


def through_json(value: object) -> object:
    return decode(json.loads(json.dumps(encode(value), allow_nan=False)))


_HIDING = TypeText | AnswerPrompt | Browse


def as_kept(value: object) -> object:
    return replace(value, text="") if isinstance(value, _HIDING) and value.secret else value


@pytest.mark.parametrize("cls", get_args(Action), ids=lambda cls: cls.__name__)
@settings(max_examples=40)
@given(data=st.data())
def test_every_action_comes_back_as_it_was(cls: type, data: st.DataObject) -> None:
    action = data.draw(values(cls))
    assert through_json(action) == as_kept(action)


@pytest.mark.parametrize("cls", [Receipt, Usage, Spent], ids=lambda cls: cls.__name__)
@settings(max_examples=40)
@given(data=st.data())
def test_receipts_and_costs_come_back_as_they_were(cls: type, data: st.DataObject) -> None:
    value = data.draw(values(cls))
    assert through_json(value) == value


@given(values(Done | NotDone))
def test_an_outcome_comes_back_with_its_action(outcome: Done | NotDone) -> None:
    assert through_json(outcome) == replace(outcome, action=as_kept(outcome.action))


def test_half_a_surrogate_pair_comes_back() -> None:
    assert through_json(TypeText(text="a\ud83d\u2028\x00")) == TypeText(text="a\ud83d\u2028\x00")


def test_integers_and_floats_stay_what_they_are() -> None:
    assert repr(through_json(Wait(seconds=2))) == "Wait(seconds=2)"
    assert repr(through_json(Wait(seconds=2.0))) == "Wait(seconds=2.0)"


def test_a_secret_text_is_nowhere_in_what_is_written() -> None:
    action = TypeText(text="hunter2", into=TextTarget("Password"), secret=True)
    written = json.dumps(encode(Done(action=action, receipt=Receipt(effect="here"))))
    assert "hunter2" not in written
    assert SECRET in written
    assert through_json(action) == TypeText(text="", into=TextTarget("Password"), secret=True)


def test_redaction_reaches_texts_and_leaves_fixed_words_alone() -> None:
    action = Click(target=TextTarget("Ada"), button="left")
    assert decode(encode(action, str.upper)) == Click(target=TextTarget("ADA"), button="left")


def test_every_field_is_written_so_that_a_later_default_changes_nothing() -> None:
    assert encode(Click()) == {"is": "Click", "target": None, "button": "left", "count": 1, "keys": []}


def test_a_missing_field_takes_its_default() -> None:
    assert decode({"is": "Click", "count": 2}) == Click(count=2)


def test_the_table_holds_all_classes_that_a_receipt_can_hold() -> None:
    assert {"Match", "Box", "Pixel", "TextTarget", "ElementTarget", "IconTarget"} <= CLASSES.keys()
    assert {"PictureTarget", "Relation"} <= CLASSES.keys()


@pytest.mark.parametrize(
    ("data", "named"),
    [
        ({"is": "Explode"}, '"Explode"'),
        ({"is": "Click", "force": 3}, '"force"'),
        ({"is": "Move"}, '"target"'),
        ({"target": None}, '"target"'),
        ({"is": "Click", "button": "sideways"}, '"sideways"'),
        ({"is": "Click", "count": "two"}, '"two"'),
        ({"is": "Click", "count": True}, '"True"'),
        ({"is": "Click", "keys": "ctrl"}, '"ctrl"'),
        ({"is": "Click", "target": {"is": "Look"}}, "Click.target"),
        ({"is": "Pixel", "x": 1.5, "y": 2}, '"1.5"'),
        ({"is": "bytes", "base64": "?"}, "base64"),
        ({"is": "bytes", "hex": "00"}, '"hex"'),
    ],
)
def test_what_is_not_of_the_format_is_named(data: dict[str, Json], named: str) -> None:
    with pytest.raises(TraceError) as caught:
        decode(data)
    assert named in str(caught.value)


@pytest.mark.parametrize("value", [HoldKeys(keys=(), seconds=float("inf")), {"a": 1}, Usage, Pixel])
def test_what_cannot_come_back_is_not_written(value: object) -> None:
    with pytest.raises(TraceError, match="no way to write"):
        encode(value)


def test_a_class_of_a_known_name_from_elsewhere_is_not_written() -> None:
    class Look:  # shadows the real one on purpose
        pass

    with pytest.raises(TraceError, match='"Look"'):
        encode(Look())


def test_an_action_without_fields_comes_back() -> None:
    assert through_json(Look()) == Look()
