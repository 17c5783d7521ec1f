from computer_agent.models.script import ScriptModel
from computer_agent.step import Act, Answer, Observation, Step
from computer_api.actions import ClipboardGet, Look

BLANK = Observation(screenshot=None)
LOOK = Act(thought="I look.", actions=(Look(),))
READ = Act(thought="", actions=(ClipboardGet(),))


def steps(*acts: Act) -> list[Step]:
    return [Step(number=n, seen=BLANK, act=act, outcomes=(), seconds=0.0) for n, act in enumerate(acts, 1)]


def test_the_replies_come_in_order_and_then_the_script_is_over() -> None:
    model, said = ScriptModel([LOOK, READ, Answer(text="Done.")]), list[str]()
    assert model.decide("any task", [], BLANK, said.append) is LOOK
    assert model.decide("any task", steps(LOOK), BLANK, said.append) is READ
    assert model.decide("any task", steps(LOOK, READ), BLANK, said.append) == Answer(text="Done.")
    over = model.decide("any task", steps(LOOK, READ, LOOK), BLANK, said.append)
    assert over == Answer(text="The script is over.", done=False)
    assert said == ["I look."]


def test_it_forgets_nothing_because_it_remembers_nothing() -> None:
    model = ScriptModel([LOOK, READ])
    for _ in range(2):
        assert model.decide("task", [], BLANK, lambda _: None) is LOOK


def test_its_name_can_be_the_one_of_what_it_replays() -> None:
    assert ScriptModel([]).name == "script"
    assert ScriptModel([], name="monday.trace").name == "monday.trace"
