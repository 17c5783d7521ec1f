"""Each family of models says what it does in its own words, and finds in the history what it has done."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from model_client import NAMES, Client, data_url, png
from model_server import Call, ComputerCall, ModelServer, Picture, Request, SafetyCheck
from model_server.speaking import (
    SPEAKERS,
    Click,
    Did,
    End,
    FunctionTools,
    Gemini,
    Keys,
    OpenAI,
    Type,
    Wait,
    rendered_by,
)
from model_server.speaking.spaces import Fractions, PerMille, Resized

if TYPE_CHECKING:
    from model_server import Reply
    from model_server.speaking import Act, Speaker

TYPED = 'Ада "é" it\'s\n2'
PLAN: tuple[Act, ...] = (
    Wait(0.5),
    Type(TYPED, at=(1279, 799)),
    Keys(("ctrl", "s")),
    Keys(("enter",)),
    Click((0, 0)),
    End("Both are done.", done=True),
)
WIRES = {"anthropic": "messages", "openai": "responses", "gemini": "gemini"}


@dataclass
class Planned:
    """A brain that goes on with its plan from what it finds in the history; ``did`` is what it found at the end."""

    speaks: Speaker
    did: list[Did] = field(default_factory=list)

    def answer(self, request: Request) -> Reply:
        self.did = self.speaks.did(request)
        left = list(PLAN)
        for one in self.did:
            if one.kind == "click" and isinstance(left[0], Type):
                left[0] = Type(left[0].text)
            else:
                left.pop(0)
        return self.speaks.say("I go on.", left[0], request.pictures()[-1], request)

    def unread(self) -> int:
        return 0


def played(speaker: Speaker, wire: str) -> list[Did]:
    """The whole plan over a real socket; what the model knows of it when it ends."""
    brain = Planned(speaker)
    with ModelServer(brain) as server:
        client = Client(server, wire)
        while not brain.did or brain.did[-1].kind != "click" or len(brain.did) < len(PLAN) - 1:
            client.turn("done", png(1280, 800))
        server.assert_clean()
        server.assert_prefix_stable()
    return brain.did


@pytest.mark.parametrize("name", SPEAKERS)
def test_what_a_model_has_done_it_reads_from_the_history(name: str) -> None:
    speaker = rendered_by(name)
    did = played(speaker, WIRES.get(name.partition("-")[0], "chat"))
    focused = did[1].kind == "click"
    assert focused or not speaker.alone
    assert [one.kind for one in did if one is not did[1] or not focused] == [
        "wait",
        "type",
        "keys",
        "keys",
        "click",
    ]
    assert [one.text for one in did if one.kind == "type"] == [TYPED]
    assert all(one.worked for one in did)


@pytest.mark.parametrize("wire", NAMES)
def test_function_tools_are_spoken_over_every_protocol(wire: str) -> None:
    kinds = [one.kind for one in played(FunctionTools(), wire)]
    assert kinds == ["wait", "type", "keys", "keys", "click"]


SAID = {
    "ui-tars-1.0": "Action: click(start_box='<|box_start|>(500,500)<|box_end|>')",
    "ui-tars-1.5": "Action: click(start_box='(644,406)')",
    "doubao": "Action: click(point='<point>500 500</point>')",
    "qwen-2.5": '{"action": "left_click", "coordinate": [644, 406]}',
    "qwen-3": '{"action": "left_click", "coordinate": [500, 500]}',
    "qwen-3.5": "<parameter=coordinate>\n[500, 500]\n</parameter>",
    "kimi": "pyautogui.click(x=0.5004, y=0.5006)",
    "opencua": "pyautogui.click(x=644, y=406)",
    "glm": "<|begin_of_box|>left_click(start_box='[500,500]', element_info='')<|end_of_box|>",
    "printed-json": '{"name": "computer", "arguments": {"action": "click", "x": 640, "y": 400}}',
}
PICTURE = Picture(b"", 1280, 800)
REQUEST = Request(path="/v1/chat/completions", headers={}, raw=b"", body={"messages": []})


@pytest.mark.parametrize("name", SAID)
def test_a_place_is_said_as_the_family_says_it(name: str) -> None:
    reply = rendered_by(name).say("Go.", Click((640, 400)), PICTURE, REQUEST)
    assert SAID[name] in reply.text
    assert not reply.calls


def test_typing_into_a_place_is_one_call_or_two_or_waits_its_turn() -> None:
    typing = Type("Ada", at=(640, 400))

    def calls(name: str) -> list[object]:
        return [
            getattr(call, "arguments", call)
            for call in rendered_by(name).say("", typing, PICTURE, REQUEST).calls
        ]

    click = {"action": "left_click", "coordinate": [640, 400]}
    assert calls("function-tools") == [{"action": "type", "x": 640, "y": 400, "text": "Ada"}]
    assert calls("anthropic-20250124") == [click, {"action": "type", "text": "Ada"}]
    assert calls("anthropic-20241022") == [click]
    assert calls("anthropic-toolset-20260801") == [{"coordinate": [640, 400]}, {"text": "Ada"}]
    (batch,) = rendered_by("openai").say("", typing, PICTURE, REQUEST).calls
    assert isinstance(batch, ComputerCall)
    assert [action["type"] for action in batch.actions] == ["click", "type"]
    (single,) = rendered_by("openai-preview").say("", typing, PICTURE, REQUEST).calls
    assert isinstance(single, ComputerCall)
    assert [action["type"] for action in single.actions] == ["click"]
    (typed,) = calls("gemini-browser")
    assert typed == {"x": 500, "y": 500, "text": "Ada", "press_enter": False, "clear_before_typing": True}


def test_spaces_reach_to_the_last_pixel_and_no_further() -> None:
    last = (1279, 799)
    assert PerMille().of(last, PICTURE) == (999, 999)
    assert PerMille(999).of((0, 0), PICTURE) == (0, 0)
    assert Fractions().of(last, PICTURE) == (0.9996, 0.9994)
    assert Resized().size(1280, 800) == (1288, 812)
    assert Resized().size(28, 28) == (56, 56)
    assert Resized().of(last, PICTURE) == (1287, 811)
    assert Resized(28, 56 * 56, 1_000_000).size(2560, 1600) == (1260, 784)


def test_a_check_is_pending_on_clicks_only() -> None:
    check = SafetyCheck(id="c1")
    speaker = OpenAI(checks=(check,))
    for act, checks in ((Click((1, 2)), (check,)), (Wait(1), ())):
        (call,) = speaker.say("", act, PICTURE, REQUEST).calls
        assert isinstance(call, ComputerCall)
        assert call.checks == checks
    (call,) = Gemini(careful=True).say("", Click((1, 2)), PICTURE, REQUEST).calls
    assert isinstance(call, Call)
    assert isinstance(call.arguments, dict)
    assert call.arguments["safety_decision"]["decision"] == "require_confirmation"


@pytest.mark.parametrize(
    "name", ["function-tools", "printed-json", "anthropic-20250124", "gemini-desktop", "ui-tars-1.5"]
)
@pytest.mark.parametrize(
    ("result", "worked"),
    [
        ("Failed: there is no such place.", False),
        ("1. done\n2. Not allowed: the person said no", False),
        ("Result: Not done.", False),
        ("done; it says: Nothing found", True),
        ("The window Failed imports opened.", True),
    ],
)
def test_a_failure_is_known_by_its_words(name: str, result: str, worked: bool) -> None:  # noqa: FBT001 - a case
    speaker = rendered_by(name)
    brain = Planned(speaker)
    with ModelServer(brain) as server:
        client = Client(server, WIRES.get(name.partition("-")[0], "chat"))
        client.turn(result)
        client.ask()
    assert [one.worked for one in brain.did] == [worked]


def test_a_failure_is_known_by_the_protocols_own_mark() -> None:
    brain = Planned(rendered_by("anthropic-20250124"))
    with ModelServer(brain) as server:
        client = Client(server, "messages")
        client.turn("no")
        result = client.messages[-1]["content"][0]
        result.update(is_error=True, content=result["content"][:1])
        client.messages[-1]["content"].append(
            {"type": "image", "source": client.messages[0]["content"][1]["source"]}
        )
        client.ask()
        assert [one.worked for one in brain.did] == [False]
    brain = Planned(rendered_by("gemini-desktop"))
    with ModelServer(brain) as server:
        client = Client(server, "gemini")
        client.turn("no")
        client.messages[-1]["parts"][0]["functionResponse"]["response"] = {"error": "no"}
        client.ask()
        server.assert_clean()
        assert [one.worked for one in brain.did] == [False]


def test_a_prompt_of_a_single_turn_holds_what_was_done_and_the_newest_picture_first() -> None:
    told = """Task: go

History actions:

step 1: Reason:
Go.
Action:
left_click(start_box='[5,6]', element_info='')
here

step 2: Reason:
Go.
Action:
type(content='it\\'s')
Failed: it is gone

Memory:
[]"""
    with ModelServer(Planned(rendered_by("glm"))) as server:
        client = Client(server, "chat")
        content = client.messages[1]["content"]
        newest = {"type": "image_url", "image_url": {"url": data_url(png(7, 5))}}
        client.messages[1]["content"] = [{"type": "text", "text": told}, newest, content[1]]
        client.ask()
        (request,) = server.requests
    screen = rendered_by("glm").screen(request)
    assert screen is not None
    assert (screen.width, screen.height) == (7, 5)
    click, typed = rendered_by("glm").did(request)
    assert (click.kind, click.worked) == ("click", True)
    assert (typed.kind, typed.text, typed.worked) == ("type", "it's", False)


def test_whoever_has_a_tool_to_finish_with_uses_it() -> None:
    tools = [{"name": "finish", "input_schema": {"type": "object"}}]
    request = Request(path="/v1/messages", headers={}, raw=b"", body={"messages": [], "tools": tools})
    for name in ("anthropic-20251124", "openai", "gemini-desktop"):
        (call,) = rendered_by(name).say("", End("No.", done=False), PICTURE, request).calls
        assert call == Call("finish", {"done": False, "text": "No."})
        said = rendered_by(name).say("", End("No.", done=False), PICTURE, REQUEST)
        assert (said.text, said.calls) == ("No.", ())


def test_a_tool_of_qwens_makes_its_server_read_the_tags() -> None:
    tools = [{"type": "function", "function": {"name": "computer_use"}}]
    request = Request(path="/v1/chat/completions", headers={}, raw=b"", body={"messages": [], "tools": tools})
    (call,) = rendered_by("qwen-3").say("", Wait(2), PICTURE, request).calls
    assert call == Call("computer_use", {"action": "wait", "time": 2})
