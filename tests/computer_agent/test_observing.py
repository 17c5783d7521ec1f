"""What a model behind a real socket is shown of a screen, and what its numbers do."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np
import pytest
from agent_run import Stage
from language_models import litellm_model
from model_server import Call, ModelServer, Reply, Request, Scripted
from PIL import Image

from computer_agent.context.history import History
from computer_agent.context.provider import provider_of
from computer_agent.loop import run
from computer_agent.models.dialects.function_calling import FunctionCalling
from computer_agent.models.transports import litellm_library
from computer_agent.trace.reader import read
from computer_platform.desktop import Area
from computer_platform.memory import Event, MemoryDesktop, Rule, Screen, Widget, form
from computer_vision.picture import GREY

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from computer_agent.context.history import Observe
    from computer_agent.trace.reader import Trace
    from computer_vision.reader import Reader

FINISH = Reply(calls=(Call("finish", {"done": True, "text": "Done."}),))


@pytest.fixture(scope="module", autouse=True)
def _litellm() -> None:
    """Import it once. It and what it needs use deprecated things while they are imported; not our business."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        litellm_library.library()


@dataclass(kw_only=True)
class Run:
    requests: list[Request]
    trace: Trace
    desktop: MemoryDesktop


@dataclass
class Brain:
    """Answers with functions of what it was sent: a step of a model that looks before it acts."""

    steps: list[Callable[[Request], Reply]]
    asked: int = field(default=0)

    def answer(self, request: Request) -> Reply:
        self.asked += 1
        return self.steps[self.asked - 1](request)

    def unread(self) -> int:
        return len(self.steps) - self.asked


def observed(
    stage: Stage, brain: Brain | Scripted, observe: Observe = "picture", *, pictures: str = "full"
) -> Run:
    """A run with the real litellm on a desktop in memory."""
    with ModelServer(brain) as server:
        history = History(
            provider=provider_of("openai/gpt-4o"),
            observe=observe,
            pictures=pictures,  # type: ignore[arg-type] - one of the two
        )
        dialect = FunctionCalling(history=history)
        model = litellm_model("openai/scripted", api_base=server.api_base, dialect=dialect)
        agent = replace(stage.agent(model), lists_elements=observe != "picture")
        list(run("a task", agent))
        agent.trace.close()
        server.assert_clean()
        return Run(requests=server.requests, trace=read(stage.folder / "trace"), desktop=stage.desktop)


def number_of(request: Request, words: str) -> int:
    """The number before the newest line that holds the words."""
    lines = "\n".join(request.texts("user")).splitlines()
    line = next(line for line in reversed(lines) if words in line and line.startswith("["))
    return int(line[1 : line.index("]")])


def clicks(run_: Run) -> list[Event]:
    return [event for event in run_.desktop.log if event.verb == "button"]


def test_a_model_that_cannot_see_acts_by_numbers_and_is_sent_no_picture(stage: Stage) -> None:
    def fill(request: Request) -> Reply:
        number = number_of(request, "field")
        return Reply(calls=(Call("computer", {"action": "type", "element": number, "text": "Ada"}),))

    def look_closer(_: Request) -> Reply:
        return Reply(calls=(Call("computer", {"action": "zoom", "region": [0, 0, 60, 60]}),))

    done = observed(stage, Brain([fill, look_closer, lambda _: FINISH]), "text")
    assert "data:image" not in b"".join(request.raw for request in done.requests).decode()
    assert all(request.pictures() == [] for request in done.requests)
    assert '= "Ada"' in "\n".join(done.requests[-1].texts("user")), "what the field holds now is told"
    first = done.trace.steps[0].observation
    assert first is not None
    assert first.image is not None, "the trace keeps the picture"
    assert [one.number for one in first.elements] == list(range(1, len(first.elements) + 1))
    assert any(one.role == "field" for one in first.elements)
    assert "element" in done.requests[0].body["tools"][0]["function"]["parameters"]["properties"]


def test_a_marked_picture_bears_numbers_and_a_plain_one_does_not(tmp_path: Path, reader: Reader) -> None:
    sent = {}
    ways: tuple[Observe, ...] = ("picture", "marked")
    for observe in ways:
        folder = tmp_path / observe
        folder.mkdir()
        done = observed(Stage(folder=folder, reader=reader), Scripted([FINISH]), observe)
        (picture,) = done.requests[0].pictures()
        sent[observe] = np.asarray(Image.open(BytesIO(picture.data)).convert("RGB")).astype(int)
    spread = {observe: int((one.max(axis=2) - one.min(axis=2) > 80).sum()) for observe, one in sent.items()}
    assert spread["picture"] == 0
    assert spread["marked"] > 200, "outlines and labels have colours that the grey form has not"


def test_a_number_of_what_has_moved_meanwhile_is_refused_and_nothing_is_clicked(
    tmp_path: Path, reader: Reader
) -> None:
    first = Screen(
        name="first",
        widgets=(
            Widget(kind="button", name="Swap", area=Area(20, 20, 120, 40)),
            Widget(kind="button", name="Keep", area=Area(20, 120, 120, 40)),
        ),
        rules=(Rule(clicked="Swap", show="second"),),
    )
    second = Screen(
        name="second", widgets=(Widget(kind="button", name="Delete", area=Area(20, 120, 120, 40)),)
    )
    desktop = MemoryDesktop((640, 400), (first, second))

    def both(request: Request) -> Reply:
        swap, keep = number_of(request, "Swap"), number_of(request, "Keep")
        calls = [Call("computer", {"action": "click", "element": number}) for number in (swap, keep)]
        return Reply(calls=tuple(calls))

    stage = Stage(folder=tmp_path, reader=reader, desktop=desktop)
    done = observed(stage, Brain([both, lambda _: FINISH]), "text")
    assert len(clicks(done)) == 2, "pressed and released once, on Swap"
    result = done.requests[-1].calls()[-1][2]
    assert result.startswith('Failed: Element 2 (button "Keep") is not there as it was'), result
    assert [attempt.outcome for step in done.trace.steps for attempt in step.attempts] == ["done", "error"]


def test_a_number_holds_for_a_field_that_the_same_reply_has_filled_before(stage: Stage) -> None:
    def twice(request: Request) -> Reply:
        number = number_of(request, "field")
        typed = Call("computer", {"action": "type", "element": number, "text": "Ada"})
        return Reply(calls=(typed, Call("computer", {"action": "click", "element": number})))

    done = observed(stage, Brain([twice, lambda _: FINISH]), "text")
    assert [attempt.outcome for attempt in done.trace.steps[0].attempts] == ["done", "done"]


def test_a_number_that_was_not_shown_is_answered_with_those_there_are(stage: Stage) -> None:
    wrong = Reply(calls=(Call("computer", {"action": "click", "element": 77}),))
    done = observed(stage, Scripted([wrong, FINISH]), "text")
    assert (
        "No element has the number 77 on the newest screen; they go from 1 to"
        in done.requests[1].calls()[0][2]
    )
    assert not clicks(done)


def test_on_an_unchanged_screen_the_same_numbers_hold_and_the_list_is_not_sent_again(stage: Stage) -> None:
    wait = Reply(calls=(Call("computer", {"action": "wait", "seconds": 0}),))

    def click(request: Request) -> Reply:
        assert "the screen has not changed since step 1" in request.texts("user")[-1]
        assert sum("in words (data" in text for text in request.texts("user")) == 1
        return Reply(calls=(Call("computer", {"action": "click", "element": number_of(request, "field")}),))

    done = observed(stage, Brain([lambda _: wait, click, lambda _: FINISH]), "text")
    assert len(clicks(done)) == 2


def test_only_the_changed_part_is_sent_where_that_is_set(stage: Stage) -> None:
    def fill(request: Request) -> Reply:
        widget = next(one for one in form()[0].widgets if one.kind == "field")
        x, y = widget.area.left + 5, widget.area.top + 5
        return Reply(calls=(Call("computer", {"action": "type", "x": x, "y": y, "text": "Ada"}),))

    done = observed(stage, Brain([fill, lambda _: FINISH]), pictures="changed")
    whole, part = done.requests[-1].pictures()
    assert (whole.width, whole.height) == (640, 400)
    assert part.width * part.height < 0.2 * 640 * 400
    caption = done.requests[-1].texts("user")[-1]
    assert f"only the part that changed is sent, {part.width}x{part.height} pixels" in caption


def test_what_is_in_a_password_field_is_in_no_request_and_in_no_file_of_the_trace(
    tmp_path: Path, reader: Reader
) -> None:
    area = Area(200, 100, 240, 40)
    login = Screen(name="login", widgets=(Widget(kind="password", name="Code", area=area),))
    stage = Stage(folder=tmp_path, reader=reader, desktop=MemoryDesktop((640, 400), (login,)))
    typed = {"action": "type", "x": 300, "y": 120, "text": "Kilimanjaro", "secret": True}
    zoomed = {"action": "zoom", "region": [180, 80, 460, 160]}
    turns = [Reply(calls=(Call("computer", typed),)), Reply(calls=(Call("computer", zoomed),)), FINISH]
    done = observed(stage, Scripted(turns))
    assert (stage.desktop.capture().pixels[108:132, 206:300, :3] < 100).any(), "the screen shows dots"
    for picture in [one.data for request in done.requests for one in request.pictures()]:
        assert_covered(picture, area)
    files = list((tmp_path / "trace" / "images").iterdir())
    assert len(files) >= 2
    for file in files:
        assert_covered(file.read_bytes(), area)
    seen = done.trace.steps[0].observation
    assert seen is not None
    assert [(box.left, box.top, box.width, box.height) for box in seen.covered] == [tuple(area)]


def assert_covered(data: bytes, area: Area) -> None:
    """Nothing but grey is in the area, on a whole picture or on the zoom of this test."""
    with Image.open(BytesIO(data)) as image:
        picture = np.asarray(image.convert("RGB")).astype(int)
    left, top = (0, 0) if picture.shape[:2] == (400, 640) else (180, 80)
    inside = picture[area.top - top + 2 : area.bottom - top - 2, area.left - left + 2 : area.right - left - 2]
    assert inside.size > 0
    assert (abs(inside - GREY) <= 3).all()
