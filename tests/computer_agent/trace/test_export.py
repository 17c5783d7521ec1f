"""A recorded run as steps, as Python, as a pytest file, as a film: it does the same again, and holds no secret."""

from __future__ import annotations

import os
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw
from recorded_runs import Recorded, Runner, form_desktop

from computer_agent.models.steps import parse_steps
from computer_agent.step import Act, Done, NotDone, Observation, Spent
from computer_agent.trace.command import trace as command
from computer_agent.trace.errors import TraceError
from computer_agent.trace.export import LeftOut, Portable, portable, variables
from computer_agent.trace.export_film import as_gif, write_mp4
from computer_agent.trace.export_pytest import as_pytest
from computer_agent.trace.export_python import as_python
from computer_agent.trace.export_steps import as_steps
from computer_agent.trace.reader import read
from computer_agent.trace.writer import TraceWriter
from computer_api.actions import (
    Action,
    Click,
    Drag,
    Look,
    OpenApp,
    PressKeys,
    RunCode,
    Scroll,
    TypeText,
    Wait,
)
from computer_api.computer import Computer
from computer_api.geometry import Box, Pixel, Size
from computer_api.receipt import Receipt
from computer_api.screenshot import Screenshot
from computer_api.targets import ElementTarget, Match, Relation, TextTarget
from computer_platform.desktop import Area, Frame
from computer_vision.picture import from_image

if TYPE_CHECKING:
    from computer_agent.trace.reader import Trace
    from computer_vision.reader import Reader

SECRET = "rosebud-77"  # noqa: S105 - typed by the run, and in no export
STEPS = """type "Ada" into "First name"
type secret $PASSWORD into "City"
click 290,268
expect "Saved\""""
FILLED = {"First name": "Ada", "City": SECRET}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory, reader: Reader) -> Recorded:
    """A run that filled the form and pressed Save by its pixel."""
    runner = Runner(reader=reader, values={"PASSWORD": SECRET})
    made = runner.run(STEPS, tmp_path_factory.mktemp("runs") / "run")
    assert made.desktop.values == FILLED
    return made


def test_exported_steps_run_and_do_the_same(recorded: Recorded, reader: Reader, tmp_path: Path) -> None:
    steps = as_steps(recorded.trace)
    assert 'click "Save"' in steps
    assert "$CITY" in steps
    again = Runner(reader=reader, values={"CITY": SECRET}).run(steps, tmp_path / "again")
    assert again.finished.ending == "done"
    assert again.desktop.values == FILLED


def test_an_exported_script_runs_and_does_the_same(recorded: Recorded, reader: Reader) -> None:
    script = compile(as_python(recorded.trace), "exported.py", "exec")
    names: dict[str, object] = {"__name__": "exported"}
    exec(script, names)  # noqa: S102 - that it runs is what is tested
    main = names["main"]
    assert callable(main)
    desktop = form_desktop()
    environment = dict(os.environ)
    os.environ["CITY"] = SECRET
    try:
        main(Computer(desktop, reader=reader, patience=0.0))
    finally:
        os.environ.clear()
        os.environ.update(environment)
    assert desktop.values == FILLED


def test_no_export_holds_a_secret(recorded: Recorded) -> None:
    trace = recorded.trace
    for text in (as_steps(trace), as_python(trace), as_pytest(trace, "run.trace")):
        assert SECRET not in text
        assert "CITY" in text


def run_of(folder: Path, *actions: Action, receipt: Receipt | None = None, task: str = "a task") -> Trace:
    """A trace in which these were done, each a step."""
    writer = TraceWriter(folder)
    writer.start(task=task, model="a model", desktop="memory", screen=Size(640, 400))
    for number, action in enumerate(actions, start=1):
        writer.decision(number, Act(thought=f"thought {number}", actions=(action,)))
        intent = writer.intent(number, action, approval="yes")
        writer.result(intent, Done(action=action, receipt=receipt or Receipt(effect="here")))
    writer.end("done", "done", Spent(steps=1, seconds=1.0, dollars=0.0, tokens=0))
    writer.close()
    return read(folder)


def test_a_bare_place_is_kept_with_a_comment_that_says_so(tmp_path: Path) -> None:
    steps = as_steps(run_of(tmp_path / "run", Click(target=Pixel(30, 40))))
    assert "# only a place is known" in steps
    assert steps.endswith("click 30,40\n")
    assert [one.action for one in parse_steps(steps)] == [Click(target=Pixel(30, 40))]


def test_thoughts_are_comments_whatever_they_hold(tmp_path: Path) -> None:
    writer = TraceWriter(tmp_path / "run")
    writer.start(task='two\nlines"""\u2028click "X"', model="m", desktop="memory", screen=None)
    writer.decision(1, Act(thought='first\nclick "Delete all"\rmore\0', actions=(Wait(seconds=1),)))
    wait = Wait(seconds=1)
    writer.result(
        writer.intent(1, wait, approval="yes"), Done(action=wait, receipt=Receipt(effect="unknown"))
    )
    missing = Click(target=TextTarget('"\nclick "Delete all"'))
    refused = NotDone(action=missing, why='no\nclick "Delete all"', kind="refused")
    writer.result(writer.intent(1, missing, approval="no"), refused)
    writer.close()
    trace = read(tmp_path / "run")
    assert [one.action for one in parse_steps(as_steps(trace))] == [wait]
    compile(as_python(trace), "exported.py", "exec")
    compile(as_pytest(trace, "x.trace"), "test_exported.py", "exec")


def test_what_was_not_done_is_left_out_and_told(tmp_path: Path) -> None:
    trace = read(Path(__file__).parents[3] / "fixtures" / "traces" / "contact_form")
    assert '# left out: click "Store" (error: ' in as_steps(trace)
    kinds = [type(one) for one in portable(trace)]
    assert kinds.count(LeftOut) == 1
    with pytest.raises(TraceError, match="nothing to export"):
        as_steps(run_of(tmp_path / "run", Look()))


def test_a_hidden_part_of_an_action_becomes_a_value_with_a_name(tmp_path: Path) -> None:
    first = TypeText(text="sesame-open", into=ElementTarget("Password", role="field"), secret=True)
    trace = run_of(
        tmp_path / "run",
        first,
        replace(first, text="sesame-close"),
        RunCode(language="shell", code="login sesame-open"),
        OpenApp(program="browser", arguments=("sesame-open",)),
    )
    exported = portable(trace)
    assert variables(exported) == ("PASSWORD", "PASSWORD_2", "CODE")
    assert isinstance(exported[3], LeftOut)
    steps = as_steps(trace)
    assert "type secret $PASSWORD_2 into" in steps
    values = dict.fromkeys(variables(exported), "value")
    assert RunCode(language="shell", code="value") in [one.action for one in parse_steps(steps, values)]
    assert "sesame" not in steps + as_python(trace)


texts = st.text(st.characters(codec="utf-8", exclude_characters="\ufdd0"), min_size=1, max_size=20)
targets = st.one_of(
    st.builds(TextTarget, texts, st.none() | st.integers(1, 12), st.none() | texts, st.booleans()),
    st.builds(ElementTarget, texts, st.sampled_from(["button", "field", "tick"])),
    st.builds(
        TextTarget, texts, where=st.tuples(st.builds(Relation, st.just("near"), st.builds(TextTarget, texts)))
    ),
)
some_actions = st.one_of(
    st.builds(Click, target=targets, count=st.integers(1, 3), keys=st.sampled_from([(), ("Control_L",)])),
    st.builds(Drag, start=targets, end=targets),
    st.builds(Scroll, down=st.integers(1, 9), target=targets),
    st.builds(TypeText, text=texts, into=st.none() | st.builds(ElementTarget, texts, st.just("field"))),
    st.builds(
        PressKeys, keys=st.sampled_from([("Control_L", "s"), ("+",), ("Return",)]), times=st.integers(1, 3)
    ),
    st.builds(RunCode, language=st.just("python"), code=texts),
    st.builds(OpenApp, program=texts, arguments=st.tuples(texts)),
)


@settings(max_examples=25)
@given(st.lists(some_actions, min_size=1, max_size=4))
def test_steps_and_script_of_any_actions_say_what_was_done(
    tmp_path_factory: pytest.TempPathFactory, made: list[Action]
) -> None:
    trace = run_of(tmp_path_factory.mktemp("any") / "run", *made)
    assert [one.action for one in parse_steps(as_steps(trace))] == made
    names: dict[str, object] = {"__name__": "exported"}
    exec(compile(as_python(trace), "exported.py", "exec"), names)  # noqa: S102 - that it runs is what is tested


def screenshot(number: int) -> Screenshot:
    image = Image.new("RGB", (1280, 800), "#3b4a63")
    draw = ImageDraw.Draw(image)
    for row in range(40):
        draw.text(
            (20 + 5 * number, 20 * row), f"line {row * number} of a page with words " * 4, fill="#dfe6f2"
        )
    return Screenshot(frame=Frame(pixels=from_image(image), area=Area(0, 0, 1280, 800)), size=Size(1280, 800))


def film_of(folder: Path, steps: int) -> Trace:
    writer = TraceWriter(folder)
    writer.start(task="a film", model="m", desktop="memory", screen=None)
    for number in range(1, steps + 1):
        click = Click(target=TextTarget(f"line {number}"))
        match = Match(box=Box(10 * number, 20 * number, 100, 20), text="x", score=1.0, source="text")
        writer.observation(number, Observation(screenshot=screenshot(number)))
        intent = writer.intent(number, click, approval="yes")
        writer.result(intent, Done(action=click, receipt=Receipt(effect="here", matches=(match,))))
    writer.end("done", "done", Spent(steps=steps, seconds=1.0, dollars=0.0, tokens=0))
    writer.close()
    return read(folder)


def test_a_film_shows_the_pointer_the_click_and_the_words_at_a_readable_speed(tmp_path: Path) -> None:
    film = Image.open(BytesIO(as_gif(film_of(tmp_path / "run", 2))))
    durations, rings = [], 0
    for number in range(film.n_frames):  # type: ignore[attr-defined]  # a GIF has it
        film.seek(number)
        durations.append(film.info["duration"])
        red = [count for count, color in film.convert("RGB").getcolors(1 << 20) or () if _is_red(color)]
        rings += bool(sum(red) > 40)
    assert film.size == (800, 544)
    assert rings == 2
    assert sum(duration >= 1000 for duration in durations) == 3
    assert film.info["loop"] == 0


def _is_red(color: object) -> bool:
    assert isinstance(color, tuple)
    red, green, blue = color[:3]
    return bool(red > 180 and green < 90 and blue < 90)


def test_a_film_is_made_smaller_until_it_fits(tmp_path: Path) -> None:
    trace = film_of(tmp_path / "run", 3)
    whole = as_gif(trace)
    small = as_gif(trace, most=len(whole) - 1)
    assert len(small) < len(whole)
    assert Image.open(BytesIO(small)).width == 640


def test_what_cannot_be_filmed_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="holds no picture"):
        as_gif(run_of(tmp_path / "run", Wait(seconds=1)))
    with pytest.raises(TraceError, match="ffmpeg, which is not installed here"):
        write_mp4(film_of(tmp_path / "film", 1), tmp_path / "out.mp4", path=str(tmp_path))
    assert not (tmp_path / "out.mp4").exists()


def test_the_command_writes_files_and_never_over_others(
    recorded: Recorded, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(recorded.folder)
    test = tmp_path / "test_form.py"
    assert command(["export", folder, "--to", "pytest", str(test)], {}) == 0
    assert capsys.readouterr().out.splitlines() == [str(test), str(tmp_path / "test_form.trace")]
    assert read(tmp_path / "test_form.trace").steps == recorded.trace.steps
    assert 'trace.replay(\'test_form.trace\', var={"secret1": os.environ["CITY"]})' in test.read_text()
    for kind, name in (("steps", "f.steps"), ("python", "f.py"), ("gif", "f.gif")):
        assert command(["export", folder, "--to", kind, str(tmp_path / name)], {}) == 0
        assert command(["export", folder, "--to", kind, str(tmp_path / name)], {}) == 2
        assert "is there already" in capsys.readouterr().err


def test_exported_values_are_what_the_film_and_the_steps_call_by_name(recorded: Recorded) -> None:
    (secret,) = (one for one in portable(recorded.trace) if isinstance(one, Portable) and one.names)
    assert secret.names == ("CITY",)
    assert isinstance(secret.action, TypeText)
    assert secret.action.secret
