"""Replay: what was done is done again, on places found anew, and a difference stops it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from computer_agent.step import Act, Answer, Done, NotDone, Observation, Outcome, Spent, Step
from computer_agent.trace.errors import TraceError
from computer_agent.trace.reader import Attempt, Trace, TraceStep, read
from computer_agent.trace.record import Ended, Start
from computer_agent.trace.replay import ReplayModel, secret_names
from computer_api.actions import (
    Action,
    Browse,
    Click,
    Drag,
    KeyDown,
    KeyUp,
    Look,
    MouseDown,
    Move,
    OpenApp,
    PressKeys,
    RunCode,
    Scroll,
    TypeText,
    Zoom,
)
from computer_api.geometry import Box, Pixel
from computer_api.receipt import Receipt
from computer_api.targets import (
    AnchoredTarget,
    Anchors,
    ElementTarget,
    IconTarget,
    Match,
    Relation,
    SoughtTarget,
    Target,
    TextTarget,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from computer_agent.models.model import Model

FIXTURE = Path(__file__).parents[3] / "fixtures" / "traces" / "contact_form"
HERE = Receipt(effect="here")
NOTHING = Receipt(effect="nothing")
SAVE = Click(target=TextTarget("Save"))
KEYS = PressKeys(keys=("ctrl", "s"))


def again(question: SoughtTarget) -> AnchoredTarget:
    """What a place is found again by that this question answered."""
    return AnchoredTarget(anchors=Anchors(question=question))


def matched(
    *known: SoughtTarget | Anchors | None, effect: str = "here", focus: bool = False, far: bool = False
) -> Receipt:
    matches = tuple(
        Match(box=Box(1, 2, 3, 4), text="x", score=1.0, source="pixel", anchors=_anchors(one))
        for one in known
    )
    return Receipt(
        effect="here" if effect == "here" else "nothing",
        matches=matches,
        only_focus=focus,
        changed=(Box(500, 300, 90, 20),) if far else (),
    )


def _anchors(known: SoughtTarget | Anchors | None) -> Anchors:
    return known if isinstance(known, Anchors) else Anchors(question=known)


def done(action: Action, receipt: Receipt = HERE) -> Outcome:
    return Done(action=action, receipt=receipt)


def attempt(outcome: Outcome, *, nested: bool = False, redacted: bool = False) -> Attempt:
    is_done = isinstance(outcome, Done)
    return Attempt(
        id=1,
        action=outcome.action,
        approval="asked: yes",
        nested=nested,
        redacted=redacted,
        began=1.0,
        outcome="done" if isinstance(outcome, Done) else outcome.kind,
        receipt=outcome.receipt if isinstance(outcome, Done) else None,
        why="" if is_done else "it failed",
    )


def recorded(*attempts: Attempt | Outcome, ending: str | None = "done") -> Trace:
    """A trace with one attempt a step; nested ones belong to the step before."""
    steps: list[TraceStep] = []
    for each in attempts:
        one = each if isinstance(each, Attempt) else attempt(each)
        if one.nested:
            last = steps.pop()
            steps.append(TraceStep(number=last.number, began=1.0, attempts=(*last.attempts, one)))
        else:
            steps.append(TraceStep(number=len(steps) + 1, began=1.0, attempts=(one,)))
    spent = Spent(steps=1, seconds=1.0, dollars=0.0, tokens=0)
    return Trace(
        folder=Path("unused"),
        header=Start(task="t", model="m", desktop="d", screen=None, system="s", program="p"),
        began=1.0,
        steps=tuple(steps),
        ending=None if ending is None else Ended(ending=ending, words="", spent=spent),  # type: ignore[arg-type]  # one of the words
    )


def play(model: Model, receipts: Sequence[Receipt | NotDone | None]) -> tuple[list[Action], Answer]:
    """What the model asks for, one act a step, until it answers; each act has the receipt given for it."""
    past: list[Step] = []
    for receipt in (*receipts, None):
        decided = model.decide("t", past, Observation(screenshot=None), lambda _: None)
        if isinstance(decided, Answer):
            return [step.act.actions[0] for step in past], decided
        (action,) = decided.actions
        outcomes: tuple[Outcome, ...] = ()
        if isinstance(receipt, Receipt):
            outcomes = (Done(action=action, receipt=receipt),)
        elif receipt is not None:
            outcomes = (receipt,)
        past.append(
            Step(
                number=len(past) + 1,
                seen=Observation(screenshot=None),
                act=decided,
                outcomes=outcomes,
                seconds=0.1,
            )
        )
    decided = model.decide("t", past, Observation(screenshot=None), lambda _: None)
    assert isinstance(decided, Answer)
    return [step.act.actions[0] for step in past], decided


def test_what_was_done_is_done_again_and_called_done() -> None:
    model: Model = ReplayModel(recorded(done(SAVE), done(KEYS)))
    actions, answer = play(model, [HERE, HERE])
    assert actions == [SAVE, KEYS]
    assert answer == Answer(text="Replayed 2 steps; all as recorded.", done=True)


def test_the_example_trace_replays_with_its_pixel_replaced_by_a_question() -> None:
    typed = Receipt(effect="here", value="Ada Lovelace")
    actions, answer = play(ReplayModel(read(FIXTURE)), [typed, Receipt(effect="elsewhere")])
    name, click = actions
    assert name == TypeText(text="Ada Lovelace", into=ElementTarget("Name", role="field"))
    assert isinstance(click, Click)
    assert isinstance(click.target, AnchoredTarget)
    assert click.target.anchors.question == TextTarget("Save")
    assert answer.done
    assert answer.text == ("Replayed 2 steps; all as recorded. Recorded actions left out: 1 that failed.")


def test_a_number_of_a_web_page_is_replayed_as_what_it_stood_for_and_a_secret_is_asked_for() -> None:
    follow = done(Browse(what="follow", where="3"), Receipt(effect="unknown", meant="Offers"))
    fill = done(Browse(what="fill", where="4", secret=True), Receipt(effect="here", meant="Password"))
    with pytest.raises(TraceError, match=r'give secret1 \(or "Password"\)'):
        ReplayModel(recorded(follow, fill))
    actions, _ = play(ReplayModel(recorded(follow, fill), values={"password": "hunter2"}), [HERE, HERE])
    assert actions == [
        Browse(what="follow", where="Offers"),
        Browse(what="fill", where="Password", text="hunter2", secret=True),
    ]


def test_the_next_action_depends_on_the_past_alone() -> None:
    model = ReplayModel(recorded(done(SAVE), done(KEYS)))
    first = model.decide("t", [], Observation(screenshot=None), lambda _: None)
    assert model.decide("t", [], Observation(screenshot=None), lambda _: None) == first


def test_each_act_says_which_step_it_is_as_it_is_decided() -> None:
    said: list[str] = []
    model = ReplayModel(recorded(done(SAVE), done(KEYS)))
    act = model.decide("t", [], Observation(screenshot=None), said.append)
    assert isinstance(act, Act)
    assert said == [act.thought] == ['Replaying 1 of 2: Click "Save"']


places = st.builds(
    Anchors,
    look=st.just(b"a picture"),
    spot=st.sampled_from(((), (3, 4, 200, 100))),
    role=st.sampled_from(("", "text")),
) | st.builds(Anchors, spot=st.just((3, 4, 200, 100)))
questions = st.one_of(
    st.builds(TextTarget, st.text(min_size=1, max_size=3)),
    st.builds(ElementTarget, st.text(min_size=1, max_size=3)),
    st.builds(IconTarget, st.just("save")),
)
targets = st.one_of(st.builds(Pixel, st.integers(0, 99), st.integers(0, 99)), questions)


@given(
    st.lists(
        st.tuples(
            *(targets, targets, st.none() | questions | places, st.none() | questions | places, st.booleans())
        ),
        min_size=1,
    )
)
def test_no_recorded_pixel_is_ever_aimed_at(
    drags: list[tuple[Target, Target, SoughtTarget | Anchors | None, SoughtTarget | Anchors | None, bool]],
) -> None:
    trace = recorded(
        *(
            done(Drag(start=start, end=end), matched(*((first, second) if both else (first,))))
            for start, end, first, second, both in drags
        )
    )
    try:
        model = ReplayModel(trace)
    except TraceError as error:
        assert "a recorded pixel is never used" in str(error)  # noqa: PT017 - either this or a clean plan
        return
    actions, _ = play(model, [HERE] * len(drags))
    assert len(actions) == len(drags)
    assert not any(
        isinstance(spot, Pixel)
        for drag in actions
        if isinstance(drag, Drag)
        for spot in (drag.start, drag.end)
    )


@pytest.mark.parametrize(
    "known", [Anchors(spot=(3, 4, 200, 100)), Anchors(look=b"a picture"), Anchors(role="text")]
)
def test_a_place_without_words_is_sought_by_what_else_is_known_of_it(known: Anchors) -> None:
    place = Pixel(9, 9)
    steps = (Click(target=place), Scroll(down=3, target=place))
    actions, _ = play(
        ReplayModel(recorded(*(done(step, matched(known)) for step in steps))), [HERE] * len(steps)
    )
    exact, somewhere = AnchoredTarget(anchors=known), AnchoredTarget(anchors=known, area=True)
    assert actions == [Click(target=exact), Scroll(down=3, target=somewhere)]


def test_the_two_ends_of_a_drag_take_their_own_anchors() -> None:
    drag = Drag(start=Pixel(1, 1), end=Pixel(9, 9))
    trace = recorded(done(drag, matched(TextTarget("a.txt"), TextTarget("Bin"))))
    actions, _ = play(ReplayModel(trace), [HERE])
    assert actions == [Drag(start=again(TextTarget("a.txt")), end=again(TextTarget("Bin")))]


def test_the_places_on_the_way_of_a_drag_take_their_own_anchors_too() -> None:
    drag = Drag(start=Pixel(1, 1), via=(Pixel(5, 5),), end=Pixel(9, 9))
    found = matched(TextTarget("a.txt"), TextTarget("Folder"), TextTarget("Bin"))
    actions, _ = play(ReplayModel(recorded(done(drag, found))), [HERE])
    assert actions == [
        Drag(
            start=again(TextTarget("a.txt")), via=(again(TextTarget("Folder")),), end=again(TextTarget("Bin"))
        )
    ]


def test_a_place_without_a_name_stops_the_replay_before_anything_runs() -> None:
    trace = recorded(done(KEYS), done(KEYS), done(KEYS), done(Click(target=Pixel(412, 230)), matched(None)))
    with pytest.raises(TraceError) as caught:
        ReplayModel(trace)
    assert str(caught.value) == (
        "Step 4 clicked at a place with no text or label near it (412, 230): "
        "it cannot be found again, and a recorded pixel is never used."
    )


def test_a_target_that_is_sought_from_a_recorded_pixel_stops_the_replay() -> None:
    beside = TextTarget("Ada", where=(Relation("near", Pixel(412, 230)),))
    click = Click(target=TextTarget("Delete", where=(Relation("near", beside),)))
    with pytest.raises(TraceError, match=r"412, 230.*a recorded pixel is never used"):
        ReplayModel(recorded(done(click, matched(None))))


@pytest.mark.parametrize("action", [Click(), Scroll(down=3), MouseDown()])
def test_a_pointer_that_nothing_put_there_stops_the_replay(action: Action) -> None:
    with pytest.raises(TraceError, match="where the pointer happened to be"):
        ReplayModel(recorded(done(action)))
    actions, _ = play(
        ReplayModel(recorded(done(Move(target=TextTarget("List"))), done(action))), [HERE, HERE]
    )
    assert actions[1] == action


def test_only_what_was_done_is_done_again() -> None:
    trace = recorded(
        done(SAVE),
        NotDone(action=KEYS, why="no", kind="refused"),
        NotDone(action=KEYS, why="no", kind="error"),
        NotDone(action=KEYS, why="no", kind="error"),
        NotDone(action=KEYS, why="no", kind="skipped"),
    )
    model = ReplayModel(trace)
    actions, answer = play(model, [HERE])
    assert actions == [SAVE]
    assert model.notes == (
        "Recorded actions left out: 1 that were refused, 2 that failed, 1 that were skipped.",
    )
    assert answer.text.endswith(model.notes[0])


def test_what_only_looked_is_not_repeated() -> None:
    looking = (done(Look()), done(Zoom(left=0, top=0, right=9, bottom=9)))
    assert play(ReplayModel(recorded(*looking, done(SAVE))), [HERE])[0] == [SAVE]
    with pytest.raises(TraceError, match="nothing to replay"):
        ReplayModel(recorded(*looking))


def test_an_action_of_unknown_outcome_is_never_done_again() -> None:
    unknown = Attempt(id=9, action=KEYS, approval="yes", nested=False, redacted=False, began=1.0)
    actions, answer = play(ReplayModel(recorded(done(SAVE), unknown, ending=None)), [HERE])
    assert actions == [SAVE]
    assert not answer.done
    assert "has no end" in answer.text


def test_the_replay_of_a_run_that_gave_up_is_not_called_done() -> None:
    _, answer = play(ReplayModel(recorded(done(SAVE), ending="gave up")), [HERE])
    assert not answer.done
    assert 'ended as "gave up"' in answer.text


CODE = RunCode(language="python", code="computer.mouse.click('Save')")


def test_what_code_did_is_left_to_the_code() -> None:
    trace = recorded(done(CODE), attempt(done(SAVE), nested=True))
    assert play(ReplayModel(trace), [HERE])[0] == [CODE]


@pytest.mark.parametrize("kind", ["done", "error"])
def test_code_that_clicks_stored_pixels_is_not_run_again(kind: str) -> None:
    click = Click(target=Pixel(3, 4))
    inner = (
        done(click, matched(TextTarget("Save")))
        if kind == "done"
        else NotDone(action=click, why="", kind="error")
    )
    with pytest.raises(TraceError, match=r"ran code that used the pixel \(3,4\)"):
        ReplayModel(recorded(done(CODE), attempt(inner, nested=True)))


def test_code_that_is_not_run_again_may_have_used_pixels() -> None:
    inner = attempt(done(Click(target=Pixel(3, 4))), nested=True)
    trace = recorded(NotDone(action=CODE, why="no", kind="error"), inner, done(SAVE))
    assert play(ReplayModel(trace), [HERE])[0] == [SAVE]


PASSWORD = TypeText(text="", into=ElementTarget("Password", role="field"), secret=True)
NAMELESS = TypeText(text="", secret=True)


@pytest.mark.parametrize(
    "values",
    [
        {"secret1": "hunter2", "secret2": "1234"},
        {"Password": "hunter2", "secret2": "1234"},
        {"password": "hunter2", "SECRET2": "1234", "unused": "x"},
    ],
)
def test_secret_texts_come_from_the_given_values(values: Mapping[str, str]) -> None:
    actions, _ = play(ReplayModel(recorded(done(PASSWORD), done(NAMELESS)), values=values), [HERE, HERE])
    assert [(action.text, action.secret) for action in actions if isinstance(action, TypeText)] == [
        ("hunter2", True),
        ("1234", True),
    ]


def test_missing_secrets_are_named_before_anything_runs() -> None:
    trace = recorded(done(PASSWORD), done(NAMELESS))
    assert secret_names(trace) == ('secret1 (or "Password")', "secret2")
    with pytest.raises(TraceError, match=r'secret1 \(or "Password"\) and secret2'):
        ReplayModel(trace)
    with pytest.raises(TraceError, match=r"give secret2\."):
        ReplayModel(trace, values={"password": "hunter2"})


def test_a_text_that_was_hidden_is_asked_for_like_a_secret() -> None:
    hidden = attempt(
        done(TypeText(text="token ***"), Receipt(effect="here", value="token ***")), redacted=True
    )
    assert secret_names(recorded(hidden)) == ("secret1",)
    actions, answer = play(ReplayModel(recorded(hidden), values={"secret1": "token abc"}), [HERE])
    assert actions == [TypeText(text="token abc", secret=True)]
    assert answer.text == "Replayed 1 step; all as recorded."


def test_any_other_action_that_was_hidden_in_part_stops_the_replay() -> None:
    with pytest.raises(TraceError, match="hidden when it was recorded"):
        ReplayModel(recorded(attempt(done(CODE), redacted=True)))


def receipt(**fields: object) -> Receipt:
    return Receipt(**{"effect": "here", **fields})  # type: ignore[arg-type]  # each case gives fitting ones


@pytest.mark.parametrize(
    ("was", "now", "words"),
    [
        (HERE, NOTHING, "expected changed here, seen nothing changed"),
        (receipt(effect="elsewhere"), NOTHING, "seen nothing changed"),
        (receipt(opened=("Saved",)), HERE, 'expected a window "Saved" to open'),
        (
            receipt(opened=("Saved",)),
            receipt(opened=("Error",)),
            'expected a window "Saved" to open, seen opened "Error"',
        ),
        (HERE, receipt(opened=("Error",)), 'expected no window "Error", seen opened "Error"'),
        (receipt(closed=("Dialog",)), HERE, 'expected the window "Dialog" to close'),
        (receipt(value="Ada"), receipt(value="Ad"), 'expected the field to hold "Ada", seen "Ad"'),
        (receipt(value=""), receipt(value="Ada"), 'expected the field to hold "", seen "Ada"'),
        (
            matched(TextTarget("Save"), focus=True),
            receipt(effect="elsewhere"),
            "expected the target to get the keyboard",
        ),
        (matched(TextTarget("Save"), far=True), receipt(only_focus=True), "seen only the focus changed"),
        (HERE, receipt(failed=True, output="KeyError: 'x'\n"), "failed code: \"KeyError: 'x'\""),
        (
            HERE,
            NotDone(action=SAVE, why='Nothing reads "Save".', kind="error"),
            'seen not done: Nothing reads "Save"',
        ),
        (HERE, NotDone(action=SAVE, why="no", kind="refused"), "seen not allowed: no"),
        (HERE, None, "seen nothing was performed"),
    ],
)
def test_a_difference_in_meaning_stops_the_replay(
    was: Receipt, now: Receipt | NotDone | None, words: str
) -> None:
    actions, answer = play(ReplayModel(recorded(done(KEYS), done(SAVE, was), done(KEYS))), [HERE, now, HERE])
    assert [type(action) for action in actions] == [PressKeys, Click]
    assert not answer.done
    assert answer.text.startswith("The replay diverged at step 2: expected ")
    assert words in answer.text
    assert answer.text.endswith('(Click "Save").')


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (HERE, receipt(effect="elsewhere", seconds=9.0, moving=True, changed=(Box(1, 1, 1, 1),))),
        (NOTHING, HERE),
        (receipt(effect="unknown"), NOTHING),
        (receipt(opened=("Inbox (3)",)), receipt(opened=("inbox  (14)",), effect="nothing")),
        (receipt(failed=True), receipt(failed=True)),
        (HERE, receipt(opened=("Later",))),  # the recording opened it one step later
        (receipt(focus="a"), receipt(focus="b")),
    ],
)
def test_what_means_the_same_goes_on(was: Receipt, now: Receipt) -> None:
    opens = done(OpenApp(program="later"), receipt(opened=("Later",)))
    actions, answer = play(ReplayModel(recorded(done(SAVE, was), opens)), [now, receipt(opened=("Later",))])
    assert len(actions) == 2
    assert answer == Answer(text="Replayed 2 steps; all as recorded.")


@pytest.mark.parametrize(
    ("was", "now", "words"),
    [
        (receipt(value="Ada"), HERE, 'whether the field holds "Ada" in step 1'),
        (HERE, receipt(effect="unknown"), "whether the screen changed in step 1"),
    ],
)
def test_what_nobody_could_check_is_said(was: Receipt, now: Receipt, words: str) -> None:
    _, answer = play(ReplayModel(recorded(done(SAVE, was))), [now])
    assert answer.done
    assert answer.text == f"Replayed 1 step; as recorded, but nobody could check {words}."


@pytest.mark.parametrize(
    ("was", "now", "words"),
    [
        (("Loading…",), ("notes.txt - Mousepad",), ""),
        (("Splash", "Desk"), ("Splash", "Untitled"), ""),
        (("Desk", "Splash"), ("Splash", "Untitled"), ""),
        (("Desk",), ("Desk", "Later"), ""),  # the recording opened that one in the next step
        (("Desk",), (), 'expected a window "Desk" to open'),
        (("Desk", "Palette"), ("Desk",), 'expected a window "Palette" to open'),
        (("Desk",), ("Desk", "Restore?"), 'expected no window "Restore?"'),
        (("Desk",), ("Loading…", "Restore?"), 'expected no window "Restore?"'),
    ],
)
def test_of_a_program_that_starts_the_windows_are_counted(
    was: tuple[str, ...], now: tuple[str, ...], words: str
) -> None:
    opens = done(OpenApp(program="desk"), receipt(opened=was))
    later = receipt(opened=("Later",))
    _, answer = play(ReplayModel(recorded(opens, done(SAVE, later))), [receipt(opened=now), later])
    assert answer.done is not bool(words)
    assert words in answer.text


def test_a_part_of_the_run_keeps_the_numbers_of_the_whole() -> None:
    said: list[str] = []
    model = ReplayModel(recorded(done(SAVE), done(KEYS), done(SAVE)), first=2, last=2)
    model.decide("t", [], Observation(screenshot=None), said.append)
    assert said == ["Replaying 2 of 3: PressKeys"]
    actions, answer = play(model, [HERE])
    assert actions == [KEYS]
    assert not answer.done  # the task is not finished by a part that ends early
    assert answer.text == "Replayed 1 step; all as recorded. These were the steps 2 to 2 of 3."


def test_a_part_that_reaches_the_end_finishes_the_task() -> None:
    actions, answer = play(ReplayModel(recorded(done(SAVE), done(KEYS)), first=2), [HERE])
    assert actions == [KEYS]
    assert answer.done


def test_a_difference_in_a_part_is_told_by_the_number_in_the_whole() -> None:
    _, answer = play(ReplayModel(recorded(done(KEYS), done(SAVE)), first=2), [NOTHING])
    assert answer.text.startswith("The replay diverged at step 2: ")


@pytest.mark.parametrize(("first", "last"), [(0, None), (3, None), (1, 3), (2, 1)])
def test_a_part_that_is_not_there_is_refused(first: int, last: int | None) -> None:
    with pytest.raises(TraceError, match="it has the steps 1 to 2"):
        ReplayModel(recorded(done(SAVE), done(KEYS)), first=first, last=last)


def test_a_part_never_clicks_where_the_pointer_happens_to_be() -> None:
    trace = recorded(done(Move(target=TextTarget("List"))), done(Click()))
    with pytest.raises(TraceError, match="where the pointer happened to be"):
        ReplayModel(trace, first=2)


def test_a_part_does_not_begin_while_something_is_held_down() -> None:
    trace = recorded(done(KeyDown(keys=("ctrl",))), done(SAVE), done(KeyUp(keys=("ctrl",))), done(SAVE))
    with pytest.raises(TraceError, match="ctrl was held down before it"):
        ReplayModel(trace, first=2)
    assert play(ReplayModel(trace, first=4), [HERE])[0] == [SAVE]
