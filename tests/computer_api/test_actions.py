"""What an action aims at."""

import pytest

from computer_api.actions import Action, Choose, Click, Drag, Look, TypeText, aimed_at, targets_of
from computer_api.geometry import Pixel
from computer_api.targets import ElementTarget, IconTarget, TextTarget


@pytest.mark.parametrize(
    ("action", "targets"),
    [
        (Look(), ()),
        (Click(), ()),
        (Click(target=Pixel(1, 2)), (Pixel(1, 2),)),
        (Drag(start=TextTarget("a"), end=IconTarget("b")), (TextTarget("a"), IconTarget("b"))),
        (
            Drag(start=Pixel(1, 1), via=(Pixel(2, 2), TextTarget("m")), end=Pixel(3, 3)),
            (Pixel(1, 1), Pixel(2, 2), TextTarget("m"), Pixel(3, 3)),
        ),
        (TypeText(text="x", into=ElementTarget("City")), (ElementTarget("City"),)),
        (Choose(option="x", target=TextTarget("Class")), (TextTarget("Class"),)),
    ],
)
def test_the_targets_of_an_action_come_in_their_order(action: Action, targets: tuple[object, ...]) -> None:
    assert targets_of(action) == targets


def test_an_action_can_be_aimed_anew_at_each_of_its_targets() -> None:
    drag = Drag(start=Pixel(1, 1), via=(Pixel(2, 2), Pixel(3, 3)), end=Pixel(4, 4), button="right")
    anew = (TextTarget("a"), TextTarget("b"), TextTarget("c"), TextTarget("d"))
    assert aimed_at(drag, anew) == Drag(start=anew[0], via=anew[1:3], end=anew[3], button="right")
    assert aimed_at(Click(count=2), ()) == Click(count=2)
