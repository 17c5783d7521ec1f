"""A planner that describes and a grounder that points are one model, over two real sockets."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_server import Call, ModelServer, Reply, Scripted, Status
from text_dialects import SIZES, USUAL, said, screen, step

from computer_agent.code_settings import BadSetting
from computer_agent.context.budget import Budget
from computer_agent.context.tokens import tokens_of
from computer_agent.models.coordinates import PIXELS, THOUSAND, Pixels, Relative, Resized
from computer_agent.models.dialects.function_calling import FunctionCalling
from computer_agent.models.dialects.qwen import RESIZED
from computer_agent.models.dialects.ui_tars import UiTars
from computer_agent.models.grounding import Grounded, Pointer, pointing
from computer_agent.models.language_model import LanguageModel
from computer_agent.models.model import BadReply, OverBudget
from computer_agent.models.transports.http import Http
from computer_agent.models.wires.chat import ChatWire
from computer_agent.models.wires.wire import Asking
from computer_agent.step import Act, Answer, Observation, Usage
from computer_api.actions import Click, Drag, Move, TypeText
from computer_api.geometry import Pixel, Size
from computer_api.targets import TextTarget

if TYPE_CHECKING:
    from collections.abc import Iterator

    from computer_agent.models.dialect import Dialect

NOW = screen()
Known = Pixels | Relative | Resized
PROVIDER = Pointer().history.provider
PRICES = {"input_cost_per_token": 1e-3, "output_cost_per_token": 1e-3}


def click(**where: object) -> Reply:
    return Reply(calls=(Call("computer", {"action": "click", **where}),), tokens=(100, 10, 0))


def points(text: str) -> Reply:
    return Reply(text=text, tokens=(50, 5, 0))


@dataclass
class Pair:
    """A planner and a grounder at servers that say these replies."""

    planner: ModelServer
    grounder: ModelServer
    planning: Dialect = field(default_factory=lambda: FunctionCalling(system="Work.\n- x and y are pixels."))
    pointing: Dialect = field(default_factory=Pointer)

    def decide(self, now: Observation = NOW) -> Act | Answer:
        model = Grounded(
            _model("planner", self.planner, self.planning), _model("grounder", self.grounder, self.pointing)
        )
        decision = model.decide("Save it", (), now, lambda _: None)
        self.planner.assert_clean()
        self.grounder.assert_clean()
        return decision


def _model(name: str, server: ModelServer, dialect: Dialect) -> LanguageModel:
    transport = Http(
        name, wire=ChatWire(), asking=Asking(model=name), api_base=server.api_base, prices=PRICES
    )
    return LanguageModel(name, dialect=dialect, transport=transport, budget=Budget(None, PRICES))


@pytest.fixture
def pair(request: pytest.FixtureRequest) -> Iterator[Pair]:
    planned, pointed = request.param
    with ModelServer(Scripted(planned)) as planner, ModelServer(Scripted(pointed)) as grounder:
        yield Pair(planner, grounder)


said_by = pytest.mark.parametrize


@said_by("pair", [((click(place="the round button"),), (points("(640, 200)"),))], indirect=True)
def test_a_described_place_is_pointed_at_and_both_are_paid(pair: Pair) -> None:
    act = pair.decide()
    assert isinstance(act, Act)
    assert act.actions == (Click(target=Pixel(640, 200)),)
    assert (act.usage.tokens_in, act.usage.tokens_out) == (150, 15)
    assert act.usage.dollars == pytest.approx(0.165)
    (asked,) = pair.grounder.requests
    assert [(one.width, one.height) for one in asked.pictures()] == [(1280, 800)]
    assert "The picture is 1280x800 pixels" in asked.texts("user")[0]
    assert "the round button" in asked.texts("user")[0]


@said_by("pair", [((click(place="the round button"),), ())], indirect=True)
def test_the_budget_is_of_both_together(pair: Pair) -> None:
    """The planner's request leaves too little for the grounder's."""
    model = Grounded(
        _model("planner", pair.planner, pair.planning), _model("grounder", pair.grounder, pair.pointing)
    )
    model.planner.budget.dollars = 100.0
    foreseen = model.grounder.budget.foreseen(
        tokens_of(Pointer().prompt("the round button", (), NOW), PROVIDER), 0
    )
    assert foreseen is not None
    model.grounder.budget.dollars = foreseen + 0.35  # enough for it alone
    before = step(Move(target=Pixel(1, 2)))
    before = replace(before, act=replace(before.act, usage=Usage(dollars=0.3)))
    with pytest.raises(OverBudget, match=r"\$0\.4100 of the budget"):
        model.decide("Save it", [before], NOW, lambda _: None)
    assert pair.grounder.requests == []


@said_by(
    "pair", [((click(place="the round button"),), (Status(status=500), points("(640, 200)")))], indirect=True
)
def test_what_happens_with_either_is_told(pair: Pair) -> None:
    told: list[str] = []
    model = Grounded(
        _model("planner", pair.planner, pair.planning), _model("grounder", pair.grounder, pair.pointing)
    )
    model.on_notice = told.append
    model.grounder.wait = lambda _: None
    assert isinstance(model.decide("Save it", (), NOW, lambda _: None), Act)
    assert len(told) == 1


@said_by("pair", [((click(target="Save"),), ())], indirect=True)
def test_what_is_named_by_its_text_needs_no_grounder(pair: Pair) -> None:
    act = pair.decide()
    assert isinstance(act, Act)
    assert act.actions == (Click(target=TextTarget("Save")),)
    assert pair.grounder.requests == []


@said_by(
    "pair",
    [
        (
            (
                Reply(
                    calls=(
                        Call("computer", {"action": "drag", "place": "the knob", "to_place": "the end"}),
                        Call(
                            "computer", {"action": "type", "text": "Ada", "place": "the name", "x": 1, "y": 1}
                        ),
                    )
                ),
            ),
            (points("(1, 2)"), points("<point>3 4</point>"), points('{"x": 5, "y": 6}')),
        )
    ],
    indirect=True,
)
def test_each_place_of_each_action_is_one_request(pair: Pair) -> None:
    act = pair.decide()
    assert isinstance(act, Act)
    assert act.actions == (
        Drag(start=Pixel(1, 2), end=Pixel(3, 4)),
        TypeText(text="Ada", into=Pixel(5, 6)),
    )


@said_by(
    "pair",
    [
        (
            (click(place="the moon"), click(place="the sun at the top")),
            (points("not found"), points("I see it at (7, 8).")),
        )
    ],
    indirect=True,
)
def test_a_place_that_is_not_found_is_told_to_the_planner(pair: Pair) -> None:
    act = pair.decide()
    assert isinstance(act, Act)
    assert act.actions == (Click(target=Pixel(7, 8)),)
    assert '"the moon" was not found on the screenshot.' in pair.planner.requests[1].texts("tool")[0]
    assert act.usage.tokens_in == 300


@said_by("pair", [((click(place="x"),) * 3, (points("(5000, 8)"),) * 3)], indirect=True)
def test_it_is_told_at_most_twice(pair: Pair) -> None:
    with pytest.raises(BadReply, match="was not found"):
        pair.decide()


@said_by("pair", [((click(place="x", colour="red"), click(place="x")), (points("(1, 1)"),))], indirect=True)
def test_a_wrong_call_does_not_cost_a_request_to_the_grounder(pair: Pair) -> None:
    pair.decide()
    assert len(pair.grounder.requests) == 1


@said_by(
    "pair",
    [((Reply(text='{"action": "click", "place": "x"}'),), (points("Action: click(start_box='(500,250)')"),))],
    indirect=True,
)
def test_a_printed_call_and_a_whole_dialect_as_grounder_work_too(pair: Pair) -> None:
    pair.pointing = UiTars(version="1.0")
    act = pair.decide()
    assert isinstance(act, Act)
    assert act.actions == (Click(target=Pixel(640, 200)),)


@said_by("pair", [((click(place="x"),), (points("(640, 200)"),))], indirect=True)
def test_a_planner_that_counts_thousandths_is_given_pixels_all_the_same(pair: Pair) -> None:
    pair.planning = FunctionCalling(system="", space=Relative(1000))
    act = pair.decide()
    assert isinstance(act, Act)
    assert act.actions == (Click(target=Pixel(640, 200)),)


@said_by("pair", [((click(target="OK"),), ())], indirect=True)
def test_the_planner_is_offered_words_for_places_and_no_numbers(pair: Pair) -> None:
    pair.decide()
    (asked,) = pair.planner.requests
    fields = next(one["function"] for one in asked.tools if one["function"]["name"] == "computer")[
        "parameters"
    ]
    assert {"place", "to_place", "target", "label"} <= fields["properties"].keys()
    assert not {"x", "y", "to_x", "to_y", "path"} & fields["properties"].keys()
    assert "zoom" not in fields["properties"]["action"]["enum"]
    (system,) = asked.texts("system")
    assert "x and y" not in system
    assert "describe it in place" in system


@said_by("pair", [((click(place="x"),) * 3, ())], indirect=True)
def test_without_a_screenshot_nothing_can_be_pointed_at(pair: Pair) -> None:
    with pytest.raises(BadReply, match="There is no screenshot"):
        pair.decide(Observation(screenshot=None))


def test_on_an_unchanged_screen_the_newest_picture_is_sent() -> None:
    unchanged = Observation(screenshot=None, unchanged_since=1)
    with (
        ModelServer(Scripted((click(place="x"),))) as planner,
        ModelServer(Scripted((points("(1, 2)"),))) as grounder,
    ):
        model = Grounded(_model("p", planner, FunctionCalling(system="")), _model("g", grounder, Pointer()))
        past = [step(Click(target=Pixel(1, 1)), size=Size(640, 480))]
        model.decide("Save it", past, unchanged, lambda _: None)
        (asked,) = grounder.requests
        assert [(one.width, one.height) for one in asked.pictures()] == [(640, 480)]


# ------------------------------------------------------------------ the pointer alone


@cache
def pointer(space: Known, size: Size) -> Pointer:
    """One that was shown a screen of that size."""
    made = Pointer(space)
    made.prompt("the button", (), screen(size))
    return made


def pointed(text: str, space: Known = PIXELS, size: Size = USUAL) -> Act | Answer:
    return pointer(space, size).decision(said(text), screen(size))


@pytest.mark.parametrize(
    "text",
    [
        "(640, 200)",
        "[640, 200]",
        "<think>(1, 1)</think>(640, 200)",
        "<point>640 200</point>",
        "click(start_box='(640,200)')",
        "pyautogui.click(x=640, y=200)",
        '{"x": 640, "y": 200}',
        '```json\n[{"bbox_2d": [630, 190, 650, 210]}]\n```',
        '{"name": "computer_use", "arguments": {"action": "left_click", "coordinate": [640, 200]}}',
        "Step (1): it is at (640, 200), that is (640, 200).",
    ],
)
def test_a_place_is_understood_in_any_notation(text: str) -> None:
    act = pointed(text)
    assert isinstance(act, Act)
    assert act.actions == (Move(target=Pixel(640, 200)),)


@pytest.mark.parametrize(
    "text", ["", "not found", "(640)", "(1, 2) or (3, 4)", "(1, 2, 3)", "(5000, 1)", '{"x": null}', "{"]
)
def test_anything_else_is_no_place(text: str) -> None:
    answer = pointed(text)
    assert isinstance(answer, Answer)
    assert not answer.done


@pytest.mark.parametrize("space", [PIXELS, THOUSAND, RESIZED], ids=["pixels", "thousand", "resized"])
@given(st.sampled_from(SIZES), st.floats(0, 1, exclude_max=True), st.floats(0, 1, exclude_max=True))
def test_every_pixel_can_be_pointed_at(space: Known, size: Size, across: float, down: float) -> None:
    pixel = Pixel(int(across * size.width), int(down * size.height))
    x, y = space.numbers(pixel, size)
    act = pointed(f"({x:.6f}, {y:.6f})", space, size)
    assert isinstance(act, Act)
    assert act.actions == (Move(target=pixel),)


@pytest.mark.parametrize(
    ("model", "stated"),
    [
        ("openai/ByteDance/UI-TARS-1.5-7B", "1932x1092 pixels"),
        ("ui-tars-72b-dpo", "1000 wide and 1000 high"),
        ("doubao-1-5-ui-tars", "1000 wide and 1000 high"),
        ("Salesforce/GTA1-7B", "1932x1092 pixels"),
        ("Hcompany/Holo1.5-7B", "1932x1092 pixels"),
        ("Hcompany/Holo2-8B", "1000 wide and 1000 high"),
        ("qwen3-vl:8b", "1000 wide and 1000 high"),
        ("qwen2.5vl:7b", "1932x1092 pixels"),
        ("anthropic/claude-sonnet-4-5", "1920x1080 pixels"),
    ],
)
def test_each_family_points_in_its_own_space_and_is_told_its_size(model: str, stated: str) -> None:
    content = pointing(model).prompt("x", (), screen(Size(1920, 1080))).messages[0]["content"]
    assert f"The picture is {stated}" in content[-1]["text"]


def test_a_model_of_which_nobody_knows_how_it_counts_does_not_point() -> None:
    with pytest.raises(BadSetting, match='Nobody knows how "acme/seer" counts places'):
        pointing("acme/seer")
