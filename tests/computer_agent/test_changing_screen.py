"""A monitor comes or goes while the model decides: what it chose on the old picture is not clicked on the new one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent_run import Stage, act

from computer_agent.step import Answer
from computer_api.actions import Click
from computer_api.geometry import Pixel
from computer_platform.desktop import Area
from computer_platform.memory import MemoryDesktop

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from computer_agent.context.history import Observe
    from computer_agent.step import Act, Observation, Step

HERE, LEFT = Area(0, 0, 640, 400), Area(-320, 0, 320, 200)
CORNER = Click(target=Pixel(5, 5))


@dataclass(frozen=True, slots=True)
class DistractedModel:
    """Clicks the corner of each picture it sees; a person plugs a monitor in during its first thought."""

    desktop: MemoryDesktop
    name: str = "distracted"
    observe: Observe = "picture"

    def decide(
        self,
        task: str,
        past: Sequence[Step],
        now: Observation,
        on_delta: Callable[[str], None],
    ) -> Act | Answer:
        if not past:
            self.desktop.rearrange([HERE, LEFT])
        return act(CORNER) if len(past) < 2 else Answer(text="It is done.")


def test_a_monitor_plugged_in_while_the_model_thinks_makes_it_look_again(stage: Stage) -> None:
    desktop = MemoryDesktop(displays=[HERE])
    played = Stage(folder=stage.folder, reader=stage.reader, desktop=desktop).play(DistractedModel(desktop))
    first, second = played.attempts
    assert "The screen has changed since you saw it: the picture was 640x400 and is 960x400 now" in str(
        first.why
    )
    assert (first.outcome, second.outcome) == ("error", "done")
    assert desktop.pointer() == (-315, 5)
