"""The real litellm over a real socket, against the model server."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import pytest
from language_models import litellm_model
from model_server import Call, Cut, Garbled, Hang, ModelServer, Reply, Request, Scripted, Status, Turn
from model_server import ScreenReader as Reader

from computer_agent.models.dialect import Prompt
from computer_agent.models.language_model import LanguageModel
from computer_agent.models.model import (
    BadReply,
    ContextFull,
    ModelError,
    NoKey,
    RateLimited,
    Refused,
    UnknownModel,
    Unreachable,
)
from computer_agent.models.transports import litellm_library
from computer_agent.models.transports.http import Http
from computer_agent.models.transports.litellm import Litellm
from computer_agent.models.wires.messages import MessagesWire
from computer_agent.models.wires.responses import ResponsesWire
from computer_agent.models.wires.wire import Asking, Wire
from computer_agent.step import Act, Answer, Done, Observation, Step
from computer_api.actions import Click, PressKeys, TypeText
from computer_api.geometry import Pixel, Size
from computer_api.receipt import Receipt
from computer_api.screenshot import Screenshot
from computer_platform.desktop import Area, Frame

ROOT = Path(__file__).parents[3]
BLANK = Observation(screenshot=None)
FILLED = Reply(
    text="I fill the form, ✓ then save.",
    calls=(
        Call("computer", {"action": "type", "x": 12, "y": 34, "text": 'Ада "é"\n'}),
        Call("computer", {"action": "press_keys", "keys": "ctrl+s"}),
        Call("computer", {"action": "click", "x": 1279, "y": 799}),
    ),
    tokens=(1200, 30, 1024),
)
FILLED_ACTIONS = (
    TypeText(text='Ада "é"\n', into=Pixel(12, 34)),
    PressKeys(keys=("Control_L", "s")),
    Click(target=Pixel(1279, 799)),
)
CLICK = Reply(calls=(Call("computer", {"action": "click", "x": 1, "y": 2}),))


@pytest.fixture(scope="session", autouse=True)
def _litellm() -> None:
    """Import it once. It and what it needs use deprecated things while they are imported; not our business."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        litellm_library.library()


def model(server: ModelServer, **settings: object) -> LanguageModel:
    """A model at the server that does not wait between tries."""
    return litellm_model(
        "openai/scripted",
        api_base=server.api_base,
        **{"wait": lambda _: None, **settings},  # type: ignore[arg-type] - settings of litellm_model
    )


def decide(*turns: Turn, chunk: int = 7, **settings: object) -> Act | Answer:
    """One decision with these turns, all of which must be asked for."""
    with ModelServer(Scripted(turns), chunk=chunk) as server:
        try:
            return model(server, **settings).decide("Save it", [], BLANK, lambda _: None)
        finally:
            server.assert_clean()


def screenshot(shade: int, size: Size) -> Screenshot:
    pixels = np.full((size.height, size.width, 4), shade, np.uint8)
    return Screenshot(frame=Frame(pixels=pixels, area=Area(0, 0, size.width, size.height)), size=size)


# ------------------------------------------------------------------ the happy path


@pytest.mark.parametrize("chunk", [1, 7, 1000])
def test_a_streamed_reply_is_the_same_act_at_every_chunk_size(chunk: int) -> None:
    heard: list[str] = []
    with ModelServer(Scripted([FILLED]), chunk=chunk) as server:
        act = model(server).decide("Save it", [], BLANK, heard.append)
        server.assert_clean()
    assert isinstance(act, Act)
    assert act.actions == FILLED_ACTIONS
    assert "".join(heard) == act.thought == FILLED.text
    assert (act.usage.tokens_in, act.usage.tokens_out, act.usage.tokens_cached) == (1200, 30, 1024)


def test_a_reply_in_one_piece_is_the_same_act() -> None:
    act = decide(FILLED, stream=False)
    assert isinstance(act, Act)
    assert act.actions == FILLED_ACTIONS
    assert act.usage.tokens_in == 1200


def test_a_known_model_has_a_price_and_an_unknown_one_has_none() -> None:
    with ModelServer(Scripted([CLICK, CLICK])) as server:
        known = litellm_model("openai/gpt-4o", api_base=server.api_base).decide(
            "t", [], BLANK, lambda _: None
        )
        unknown = model(server).decide("t", [], BLANK, lambda _: None)
    assert known.usage.dollars is not None
    assert 0 < known.usage.dollars < 0.01
    assert unknown.usage.dollars is None


def test_a_local_server_gets_no_key_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    with ModelServer(Scripted([CLICK])) as server:
        model(server).decide("t", [], BLANK, lambda _: None)
    assert "sk-secret" not in server.requests[0].headers["authorization"]


def test_a_key_that_was_given_is_sent() -> None:
    with ModelServer(Scripted([CLICK])) as server:
        model(server, api_key="sk-mine").decide("t", [], BLANK, lambda _: None)
    assert server.requests[0].headers["authorization"] == "Bearer sk-mine"


# ------------------------------------------------------------------ the history on the wire


def play(server: ModelServer, size: Size, steps: int) -> list[Request]:
    """A run of that many steps, a new picture at each."""
    asked, past = model(server), list[Step]()
    for number in range(1, steps + 1):
        seen = Observation(screenshot=screenshot(number * 7, size))
        act = asked.decide("Save it", past, seen, lambda _: None)
        assert isinstance(act, Act)
        outcomes = tuple(Done(action=action, receipt=Receipt(effect="here")) for action in act.actions)
        past.append(Step(number=number, seen=seen, act=act, outcomes=outcomes, seconds=0.1))
    server.assert_clean()
    return server.requests


def test_the_beginning_of_each_request_is_the_one_before_byte_for_byte() -> None:
    with ModelServer(Scripted([FILLED] * 9)) as server:
        requests = play(server, Size(64, 40), 9)
    for before, now in pairwise(requests[:7]):
        assert json.dumps(now.messages).startswith(json.dumps(before.messages)[:-1])
    assert all(request.body["tools"] == requests[0].body["tools"] for request in requests)
    assert [len(request.pictures()) for request in requests] == [1, 2, 3, 4, 5, 6, 7, 3, 4]


@pytest.mark.parametrize("size", [Size(1280, 800), Size(1430, 804)])
def test_pictures_arrive_in_the_size_that_is_stated_beside_them(size: Size) -> None:
    with ModelServer(Scripted([CLICK] * 2)) as server:
        requests = play(server, size, 2)
    assert [(p.width, p.height) for p in requests[-1].pictures()] == [(size.width, size.height)] * 2
    assert sum(f"{size} pixels" in text for text in requests[-1].texts("user")) == 2


def test_the_server_complains_about_a_call_without_an_answer() -> None:
    """The check that the tests above lean on does fail."""
    call = {"id": "a", "type": "function", "function": {"name": "computer", "arguments": "{}"}}
    messages: list[dict[str, object]] = [
        {"role": "system", "content": ""},
        {"role": "user", "content": ""},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "user", "content": ""},
    ]
    request = Request(path="", headers={}, raw=b"", body={"messages": messages})
    assert request.violations() == ["message 3 comes while the calls ['a'] have no answer"]


# ------------------------------------------------------------------ faults


def test_too_many_requests_waits_as_long_as_the_provider_asks_and_says_so() -> None:
    waits: list[float] = []
    notices: list[str] = []
    act = decide(Status(status=429, retry_after=9), CLICK, wait=waits.append, on_notice=notices.append)
    assert isinstance(act, Act)
    assert 9 <= waits[0] <= 9.25
    assert notices == [f"Too many requests. Asking again in {waits[0]:.1f} seconds (1 of 4)."]


def test_pauses_grow_when_the_provider_asks_for_none() -> None:
    waits: list[float] = []
    with pytest.raises(RateLimited, match="Too many requests"):
        decide(*[Status(status=429)] * 5, wait=waits.append)
    assert len(waits) == 4
    assert waits == sorted(waits)


def test_a_wait_longer_than_two_minutes_is_not_waited_for() -> None:
    with pytest.raises(RateLimited):
        decide(Status(status=429, retry_after=3600))


@pytest.mark.parametrize(
    "fault", [Status(status=500), Status(status=503), Cut(3, FILLED), Cut(9, FILLED), Garbled()]
)
def test_what_may_pass_is_tried_again(fault: Turn) -> None:
    act = decide(fault, fault, FILLED)
    assert isinstance(act, Act)
    assert act.actions == FILLED_ACTIONS


@pytest.mark.parametrize("fault", [Status(status=500, message="on fire"), Cut(2, FILLED), Garbled()])
def test_what_does_not_pass_names_the_server(fault: Turn) -> None:
    with pytest.raises(Unreachable, match=r"127\.0\.0\.1:\d+ fails again and again"):
        decide(fault, fault, retries=1)


@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        (Status(status=401, message="bad key"), NoKey, 'Check OPENAI_API_KEY. It said: "bad key"'),
        (Status(status=404, message="no such model"), UnknownModel, 'There is no model "openai/scripted"'),
        (
            Status(status=400, message="too long", code="context_length_exceeded"),
            ContextFull,
            "no longer fits",
        ),
        (Status(status=400, message="maximum context length is 8192 tokens"), ContextFull, "no longer fits"),
        (Status(status=400, message="blocked", code="content_policy_violation"), Refused, "rules on content"),
        (Status(status=400, message="odd request"), Refused, '(400). It said: "odd request"'),
        (Status(status=403, message="not for you"), Refused, '(403). It said: "not for you"'),
        (
            Status(status=429, message="no money", code="insufficient_quota"),
            RateLimited,
            "no credit or quota left",
        ),
        (Reply(text="I", finish="content_filter"), Refused, '"openai/scripted" will not do it'),
    ],
)
def test_what_will_not_pass_is_asked_once_and_named(fault: Turn, kind: type[ModelError], words: str) -> None:
    with pytest.raises(kind) as raised:
        decide(fault)
    assert words in str(raised.value)


def test_the_providers_words_cannot_send_control_characters_to_the_terminal() -> None:
    with pytest.raises(Refused) as raised:
        decide(Status(status=400, message="a\x1b[2Jb"))
    assert str(raised.value).isprintable()


def test_a_server_that_hangs_is_left_after_the_timeout() -> None:
    with pytest.raises(Unreachable, match=r"did not answer within 0\.3 seconds"):
        decide(Hang(), timeout=0.3)


def test_a_refused_connection_is_named_with_host_and_port() -> None:
    with ModelServer(Scripted([])) as server:
        gone = server.api_base
    port = server.port
    with pytest.raises(
        Unreachable, match=rf"127\.0\.0\.1:{port} refused the connection: is the server running\?"
    ):
        litellm_model("openai/x", api_base=gone).decide("t", [], BLANK, lambda _: None)


def test_a_missing_key_is_named_before_anything_is_sent(outside_connections: list[str]) -> None:
    with pytest.raises(NoKey, match=r'no API key for "anthropic/claude-sonnet-4-5"\. Set ANTHROPIC_API_KEY'):
        litellm_model("anthropic/claude-sonnet-4-5").decide("t", [], BLANK, lambda _: None)
    assert outside_connections == []


@pytest.mark.parametrize("name", ["gpt-5o", "nobody/nothing"])
def test_an_unknown_name_is_said_to_be_unknown(name: str, outside_connections: list[str]) -> None:
    with pytest.raises(UnknownModel, match=f'no model "{name}"'):
        litellm_model(name).decide("t", [], BLANK, lambda _: None)
    assert outside_connections == []


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownModel, match=r"nearest known names: .*gpt-4o"):
        litellm_model("gpt-4o0").decide("t", [], BLANK, lambda _: None)


def test_an_unknown_tool_is_corrected() -> None:
    act = decide(Reply(calls=(Call("teleport", {"x": 1}),)), CLICK)
    assert isinstance(act, Act)


def test_arguments_that_were_cut_off_are_asked_for_again() -> None:
    with ModelServer(
        Scripted([Reply(calls=(Call("computer", '{"action": "ty'),), finish="length"), CLICK])
    ) as server:
        model(server).decide("t", [], BLANK, lambda _: None)
        server.assert_clean()
    assert "Send a shorter one" in server.requests[1].messages[-1]["content"]


def test_replies_without_any_token_end_in_a_visible_sentence() -> None:
    with pytest.raises(BadReply, match=r"empty reply \(0 tokens\), 3 times"):
        decide(*[Reply(tokens=(5, 0, 0))] * 3)


_INTERRUPTED = """
import atexit
import gc
import os
import sys
atexit.register(lambda: gc.get_freeze_count() or os._exit(8))  # the last that happens
from language_models import litellm_model
from computer_agent.step import Observation
try:
    litellm_model("openai/x", api_base=sys.argv[1]).decide("t", [], Observation(screenshot=None), print)
except KeyboardInterrupt:
    sys.exit(7)
"""


def test_ctrl_c_ends_a_request_and_the_program_at_once() -> None:
    """Python looks through all there is for garbage as it ends, which for litellm's objects takes seconds."""
    paths = os.pathsep.join(str(ROOT / folder) for folder in (".", "vision", "platform", "tests"))
    with ModelServer(Scripted([Hang()])) as server:
        child = subprocess.Popen(
            [sys.executable, "-c", _INTERRUPTED, server.api_base], env={**os.environ, "PYTHONPATH": paths}
        )
        try:
            assert server.hanging.wait(60), "the request did not arrive"
            child.send_signal(signal.SIGINT)
            began = time.monotonic()
            assert child.wait(30) == 7
            assert time.monotonic() - began < 2
        finally:
            child.kill()
            child.wait()


# ------------------------------------------------------------------ litellm itself


_IMPORTING = """
import sys
from language_models import litellm_model
litellm_model("openai/x")
print(sorted({"litellm", "openai", "httpx", "pydantic"} & sys.modules.keys()))
"""


def test_making_a_model_imports_nothing_heavy() -> None:
    paths = os.pathsep.join(str(ROOT / folder) for folder in (".", "vision", "platform", "tests"))
    done = subprocess.run(
        [sys.executable, "-c", _IMPORTING],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"


def test_without_litellm_the_extra_to_install_is_named() -> None:
    paths = os.pathsep.join(str(ROOT / folder) for folder in (".", "vision", "platform", "tests"))
    code = (
        "from computer_agent.models.transports.litellm_library import library\n"
        "from computer_agent.models.model import ModelError\n"
        "try: library()\n"
        "except ModelError as error: print(error)\n"
    )
    # -S leaves out site-packages, as an installation without the extra does.
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        env={"PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "run pip install 'oi-desktop[models]'" in done.stdout


def test_no_startup_hook_of_litellm_is_installed() -> None:
    """Two stolen releases had one."""
    assert [path for folder in sys.path for path in Path(folder or ".").glob("litellm*.pth")] == []


def test_the_warm_up_does_not_hold_the_caller() -> None:
    thread = litellm_library.warm_up()
    thread.join(30)
    assert not thread.is_alive()
    assert thread is not threading.current_thread()


# ------------------------------------------------------------------ the model that reads screenshots


FORM = ROOT / "fixtures" / "screens" / "chromium_form_light.png"
TRUTH = json.loads(FORM.with_suffix(".json").read_text())
TASK = (
    'FILL {"First name": "Ada", "Street address": "1 Main St"} THEN CLICK "Submit Order" UNTIL "Order saved"'
)


def form(screen: Size, zoom: float, saved: Sequence[str] = ()) -> Screenshot:
    """The form on a screen of that size, drawn larger by ``zoom``, as a model is shown it."""
    picture = cv2.imread(str(FORM))
    assert picture is not None
    for line, text in enumerate(saved):
        cv2.putText(picture, text, (330, 520 + 40 * line), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (0, 0, 0), 2)
    picture = cv2.resize(picture, None, fx=zoom, fy=zoom, interpolation=cv2.INTER_CUBIC)
    pixels = np.full((screen.height, screen.width, 4), 255, np.uint8)
    height, width = min(picture.shape[0], screen.height), min(picture.shape[1], screen.width)
    pixels[:height, :width, :3] = picture[:height, :width]
    frame = Frame(pixels=pixels, area=Area(0, 0, screen.width, screen.height))
    return Screenshot(frame=frame, size=screen.fitted(long_edge=1568, area=1_150_000))


def box_of(label: str, zoom: float) -> tuple[float, float, float, float]:
    left, top, width, height = next(field["box"] for field in TRUTH["fields"] if field["label"] == label)
    return left * zoom, top * zoom, (left + width) * zoom, (top + height) * zoom


@pytest.mark.parametrize(("screen", "zoom"), [(Size(1280, 800), 1.0), (Size(2560, 1440), 2.0)])
def test_the_screen_reader_fills_a_form_in_pixels_of_the_picture_that_it_got(
    screen: Size, zoom: float
) -> None:
    past: list[Step] = []
    typed: dict[str, Pixel] = {}
    with ModelServer(Reader()) as server:
        asked = model(server)
        for number in range(1, 9):
            clicked = any(isinstance(step.act.actions[0], Click) for step in past)
            shot = form(screen, zoom, ["Order saved"] if clicked else [])
            seen = Observation(screenshot=shot)
            act = asked.decide(TASK, past, seen, lambda _: None)
            if isinstance(act, Answer):
                break
            (action,) = act.actions
            if isinstance(action, TypeText) and isinstance(action.into, Pixel):
                typed[action.text] = action.into
            outcome = Done(action=action, receipt=Receipt(effect="here"))
            past.append(Step(number=number, seen=seen, act=act, outcomes=(outcome,), seconds=0.1))
        else:
            pytest.fail("no answer after eight steps")
        server.assert_clean()
    assert act == Answer(text='"Order saved" is on the screen.', done=True, usage=act.usage)
    assert len(past) == 3
    for label, text in (("First name", "Ada"), ("Street address", "1 Main St")):
        point = shot.point(typed[text])
        left, top, right, bottom = box_of(label, zoom)
        assert left < point.x < right
        assert top < point.y < bottom


def test_the_screen_reader_misses_when_pictures_and_coordinates_disagree() -> None:
    """It can tell: a picture of half the size whose coordinates are taken for whole ones."""
    with ModelServer(Reader()) as server:
        whole = form(Size(1280, 800), 1.0)
        half = Screenshot(frame=whole.frame, size=Size(900, 562))
        act = model(server).decide(TASK, [], Observation(screenshot=half), lambda _: None)
    assert isinstance(act, Act)
    (action,) = act.actions
    assert isinstance(action, TypeText)
    assert isinstance(action.into, Pixel)
    left, top, right, bottom = box_of("First name", 1.0)
    assert not (left < action.into.x < right and top < action.into.y < bottom)


# ------------------------------------------------------------------ the vendors' own protocols


SCREEN = {
    "type": "computer_20251124",
    "name": "computer",
    "display_width_px": 1280,
    "display_height_px": 800,
    "enable_zoom": True,
}
NATIVE = {
    "messages": (
        "anthropic/claude-sonnet-4-5",
        "",
        MessagesWire(),
        Prompt(
            wire="messages",
            system="Work.",
            messages=({"role": "user", "content": "Hello"},),
            tools=(SCREEN, {"name": "weather", "input_schema": {"type": "object"}}),
            headers={"anthropic-beta": "computer-use-2025-11-24"},
        ),
    ),
    "responses": (
        "openai/gpt-5",
        "/v1",
        ResponsesWire(),
        Prompt(
            wire="responses",
            system="Work.",
            messages=({"role": "user", "content": "Hello"},),
            tools=(
                {"type": "function", "name": "weather", "parameters": {"type": "object", "properties": {}}},
            ),
        ),
    ),
}


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(("name", "base", "wire", "prompt"), NATIVE.values(), ids=NATIVE)
def test_a_vendors_own_protocol_says_and_hears_the_same_through_litellm_as_through_our_own_client(
    name: str,
    base: str,
    wire: Wire,
    prompt: Prompt,
    stream: bool,  # noqa: FBT001 - the two cases of one rule
) -> None:
    said = Reply(
        text="I look — ✓",
        thinking="hm",
        calls=(Call("weather", {"place": "Zürich"}),),
        tokens=(1200, 30, 1024),
    )
    heard: list[str] = []
    with ModelServer(Scripted([said, said])) as server:
        through = Litellm(name, api_base=server.address + base, api_key="sk", stream=stream)
        theirs = through.ask(prompt, heard.append)
        asking = Asking(model=name.partition("/")[2], stream=stream)
        ours = Http(name, wire=wire, asking=asking, api_base=server.api_base, api_key="sk").ask(
            prompt, lambda _: None
        )
        server.assert_clean()
        one, other = server.requests
    assert theirs.message == ours.message
    assert (theirs.text, theirs.calls, theirs.finish) == (ours.text, ours.calls, ours.finish)
    assert theirs.usage.tokens_in == ours.usage.tokens_in == 1200
    assert "".join(heard) == "I look — ✓"
    assert one.body["tools"] == other.body["tools"]
    assert one.headers.get("anthropic-beta") == other.headers.get("anthropic-beta")


def test_geminis_own_protocol_is_not_sent_through_litellm_which_drops_half_of_it() -> None:
    prompt = Prompt(wire="gemini", system="Work.", messages=({"role": "user", "parts": [{"text": "Hello"}]},))
    with pytest.raises(ModelError, match="does not go through litellm"):
        Litellm("gemini/gemini-2.5-pro", api_key="x").ask(prompt, lambda _: None)


@pytest.mark.parametrize("path", ["", "/v1", "/v1/"])
def test_anthropics_address_may_end_with_the_version_or_not(path: str) -> None:
    prompt = Prompt(wire="messages", system="Work.", messages=({"role": "user", "content": "Hello"},))
    with ModelServer(Scripted([Reply(text="Hello")])) as server:
        transport = Litellm("anthropic/claude-opus-4-5", api_base=server.address + path, api_key="sk-mine")
        assert transport.ask(prompt, lambda _: None).text == "Hello"
    assert [request.path for request in server.requests] == ["/v1/messages"]
