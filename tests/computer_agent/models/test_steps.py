import re
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import computer_agent
from computer_agent.models.model import BadSteps
from computer_agent.models.steps import StepsModel, parse_steps, shown, shown_task, written
from computer_agent.step import Act, Answer, Done, NotDone, Observation, Outcome, Step
from computer_api.actions import (
    Action,
    AnswerPrompt,
    ArrangeWindow,
    AskModel,
    Browse,
    BrowserVerb,
    Choose,
    Click,
    ClipboardGet,
    ClipboardSet,
    CloseWindow,
    Drag,
    Expect,
    ExpectClipboard,
    ExpectFile,
    ExpectHttp,
    ExpectProcess,
    ExpectTicked,
    ExpectValue,
    FocusWindow,
    HoldKeys,
    KeyDown,
    KeyUp,
    Look,
    MouseDown,
    MouseUp,
    Move,
    Notify,
    OpenApp,
    PlaceWindow,
    PressKeys,
    RunCode,
    Scroll,
    Tick,
    TypeText,
    Wait,
    WaitForWindow,
    Zoom,
)
from computer_api.geometry import Box, Pixel
from computer_api.receipt import Receipt
from computer_api.targets import ElementTarget, IconTarget, PictureTarget, Relation, Side, TextTarget

PAGE = Path(computer_agent.__path__[0]) / "prompts" / "steps.md"


def only(task: str) -> Action:
    (instruction,) = parse_steps(task)
    return instruction.action


def beside(side: Side, words: str) -> tuple[Relation, ...]:
    return (Relation(side, TextTarget(words)),)


def field(name: str) -> ElementTarget:
    return ElementTarget(name, role="field")


@pytest.mark.parametrize(
    ("step", "action"),
    [
        ('click "Save"', Click(target=TextTarget("Save"))),
        ("Please CLICK on the “Save”.", Click(target=TextTarget("Save"))),
        ("click 'it\\'s'", Click(target=TextTarget("it's"))),
        ("click", Click()),
        ("right click here", Click(button="right")),
        ('double-click "x"', Click(target=TextTarget("x"), count=2)),
        ('triple right click "x"', Click(target=TextTarget("x"), count=3, button="right")),
        ('click "x" with the middle button twice', Click(target=TextTarget("x"), count=2, button="middle")),
        ('ctrl+shift+click "x"', Click(target=TextTarget("x"), keys=("Control_L", "Shift_L"))),
        ('click "A" holding ctrl', Click(target=TextTarget("A"), keys=("Control_L",))),
        ("click 120,340", Click(target=Pixel(120, 340))),
        ("click at (120, 340)", Click(target=Pixel(120, 340))),
        ('click the second "Delete"', Click(target=TextTarget("Delete", nth=2))),
        (
            'click the 3rd "Delete" in the "Bin" window',
            Click(target=TextTarget("Delete", nth=3, window="Bin")),
        ),
        ('click the "OK" button', Click(target=ElementTarget("OK", role="button"))),
        ('click the check box "News"', Click(target=ElementTarget("News", role="tick"))),
        ('click the icon "gear"', Click(target=IconTarget("gear"))),
        ('click the picture "save.png"', Click(target=PictureTarget("save.png"))),
        ('tick "News"', Tick(target=ElementTarget("News", role="tick"))),
        (
            'untick "News" near "Ada"',
            Tick(target=ElementTarget("News", "tick", where=beside("near", "Ada")), ticked=False),
        ),
        (
            'tick the box left of "News"',
            Tick(target=ElementTarget("", "tick", where=beside("left of", "News"))),
        ),
        (
            'click "Delete" right of "Ada"',
            Click(target=TextTarget("Delete", where=beside("right of", "Ada"))),
        ),
        ('click "Edit" next to "Ada"', Click(target=TextTarget("Edit", where=beside("near", "Ada")))),
        (
            'click the second "Delete" in window "Mail" below "Ada" above the button "Add"',
            Click(
                target=TextTarget(
                    "Delete",
                    nth=2,
                    window="Mail",
                    where=(
                        *beside("below", "Ada"),
                        Relation("above", ElementTarget("Add", role="button")),
                    ),
                )
            ),
        ),
        (
            'type "x" into the field below "Notes"',
            TypeText(text="x", into=ElementTarget("", "field", where=beside("below", "Notes"))),
        ),
        (
            'click "OK" in the dialog "Save changes"',
            Click(target=TextTarget("OK", where=(Relation("in", ElementTarget("Save changes", "dialog")),))),
        ),
        (
            'click "OK" in the dialog holding ctrl',
            Click(
                target=TextTarget("OK", where=(Relation("in", ElementTarget("", "dialog")),)),
                keys=("Control_L",),
            ),
        ),
        (
            'expect "Done" inside "Log" within 5 seconds',
            Expect(target=TextTarget("Done", where=beside("in", "Log")), seconds=5),
        ),
        ('expect "Done" within 5 seconds', Expect(target=TextTarget("Done"), seconds=5)),
        (
            'click "A" near ( "B" left of "C" ) below the area 10,20 30x40',
            Click(
                target=TextTarget(
                    "A",
                    where=(
                        Relation("near", TextTarget("B", where=beside("left of", "C"))),
                        Relation("below", Box(10, 20, 30, 40)),
                    ),
                )
            ),
        ),
        (
            'click the element "Files" of kind "page tab"',
            Click(target=ElementTarget("Files", role="page tab")),
        ),
        ('hover over "File"', Move(target=TextTarget("File"))),
        ('drag "a" to 200,50', Drag(start=TextTarget("a"), end=Pixel(200, 50))),
        ("scroll down", Scroll(down=3)),
        ('scroll up two over "list"', Scroll(down=-2, target=TextTarget("list"))),
        ("scroll left 4", Scroll(right=-4)),
        ('scroll down 350 pixels over "list"', Scroll(down=350, unit="pixels", target=TextTarget("list"))),
        ("scroll up 2 holding ctrl", Scroll(down=-2, keys=("Control_L",))),
        (
            'drag 1,1 via 9,1 and via "corner" to 9,9',
            Drag(start=Pixel(1, 1), via=(Pixel(9, 1), TextTarget("corner")), end=Pixel(9, 9)),
        ),
        ('move window "Mousepad" to 10,20', PlaceWindow(title="Mousepad", left=10, top=20)),
        ('resize the window "Mousepad" to 800x600', PlaceWindow(title="Mousepad", width=800, height=600)),
        ('place "Mousepad" at left -5 width 300', PlaceWindow(title="Mousepad", left=-5, width=300)),
        ("maximise window Mousepad", ArrangeWindow(title="Mousepad", how="maximize")),
        ('minimize the "Mousepad" window', ArrangeWindow(title="Mousepad", how="minimize")),
        ('restore "Mousepad"', ArrangeWindow(title="Mousepad", how="restore")),
        ('raise window "Mousepad"', ArrangeWindow(title="Mousepad", how="raise")),
        ('wait for window "Save as"', WaitForWindow(title="Save as")),
        ('wait for the window "Save as" within 3 seconds', WaitForWindow(title="Save as", seconds=3)),
        ('wait for no window "Save as"', WaitForWindow(title="Save as", gone=True)),
        ('wait until the window "Save as" is gone', WaitForWindow(title="Save as", gone=True)),
        ('type "Ada" into the "Name" field', TypeText(text="Ada", into=field("Name"))),
        ('fill in "Name" with "Ada"', TypeText(text="Ada", into=field("Name"))),
        ('type "a\\nb" into 5,6', TypeText(text="a\nb", into=Pixel(5, 6))),
        ('type password "x"', TypeText(text="x", secret=True)),
        ('pick "Green" in "Colour"', Choose(option="Green", target=field("Colour"))),
        ("press the enter key", PressKeys(keys=("Return",))),
        ("press ctrl + s please", PressKeys(keys=("Control_L", "s"))),
        ("press page up 3 times", PressKeys(keys=("Page_Up",), times=3)),
        ("press 5 2 times", PressKeys(keys=("5",), times=2)),
        ('press "ctrl+;"', PressKeys(keys=("Control_L", ";"))),
        ("hold down shift for 500 ms", HoldKeys(keys=("Shift_L",), seconds=0.5)),
        ("hold down for 2s", HoldKeys(keys=("Down",), seconds=2)),
        ("key down ctrl", KeyDown(keys=("Control_L",))),
        ("release ctrl", KeyUp(keys=("Control_L",))),
        ("mouse down right", MouseDown(button="right")),
        ("mouse up", MouseUp()),
        ("wait", Wait(seconds=1)),
        ("wait for 2 minutes", Wait(seconds=120)),
        ('wait for the button "OK"', Expect(target=ElementTarget("OK", role="button"))),
        ('expect no "Error"', Expect(target=TextTarget("Error"), gone=True)),
        ('expect "Busy" is gone within 10 seconds', Expect(target=TextTarget("Busy"), gone=True, seconds=10)),
        ('expect the field "Name" in 3 seconds', Expect(target=field("Name"), seconds=3)),
        ('expect the field "Name" to hold "Ada"', ExpectValue(target=field("Name"), value="Ada")),
        (
            'expect "Name" contains "A" for 2 s',
            ExpectValue(target=field("Name"), value="A", part=True, seconds=2),
        ),
        ('expect "News" to be ticked', ExpectTicked(target=ElementTarget("News", role="tick"))),
        (
            'expect the check box "News" is not ticked',
            ExpectTicked(target=ElementTarget("News", role="tick"), ticked=False),
        ),
        ('expect the clipboard to hold "x"', ExpectClipboard(text="x")),
        ('expect the selection to contain "x"', ExpectClipboard(text="x", part=True, selection="primary")),
        ('expect the file "~/a.csv" to exist within 9 s', ExpectFile(path="~/a.csv", seconds=9)),
        ('expect file a.csv with "Ada"', ExpectFile(path="a.csv", holds="Ada")),
        ('expect the file "lock" to be gone', ExpectFile(path="lock", gone=True)),
        ("expect the program soffice to run", ExpectProcess(name="soffice")),
        ('expect no program "soffice"', ExpectProcess(name="soffice", gone=True)),
        ('expect the page "http://x/" to answer 404', ExpectHttp(url="http://x/", status=404)),
        ('expect "http://x/" to answer 200 with "ok"', ExpectHttp(url="http://x/", holds="ok")),
        ('expect "Saved" to appear within 9 s', Expect(target=TextTarget("Saved"), seconds=9)),
        ('expect "Busy" to disappear', Expect(target=TextTarget("Busy"), gone=True)),
        ('expect the address "http://x/" with "ok"', ExpectHttp(url="http://x/", holds="ok")),
        ('expect the window "Report" within 20 seconds', WaitForWindow(title="Report", seconds=20)),
        ('expect no window "Report"', WaitForWindow(title="Report", gone=True)),
        ("open mousepad", OpenApp(program="mousepad")),
        ('open "mousepad" with "a", "b" and "c"', OpenApp(program="mousepad", arguments=("a", "b", "c"))),
        ("switch to the window Mousepad", FocusWindow(title="Mousepad")),
        ('close the "Mousepad" window', CloseWindow(title="Mousepad")),
        ('copy text "abc" to the clipboard', ClipboardSet(text="abc")),
        ('copy "abc"', ClipboardSet(text="abc")),
        ('copy image "a.png" to clipboard', ClipboardSet(image="a.png")),
        (
            'copy text "b" and html "<b>b</b>" to the selection',
            ClipboardSet(text="b", html="<b>b</b>", selection="primary"),
        ),
        ("read the clipboard", ClipboardGet()),
        ("read the picture from the clipboard", ClipboardGet(kind="image")),
        ("read the selection", ClipboardGet(selection="primary")),
        ("look at the screen", Look()),
        ("zoom into 10,10 to 200,200", Zoom(left=10, top=10, right=200, bottom=200)),
        ('run shell "ls | wc"', RunCode(language="shell", code="ls | wc")),
        ('run shell "ls" outside the sandbox', RunCode(language="shell", code="ls", outside=True)),
        ('answer "yes"', AnswerPrompt(text="yes")),
        ('answer the program with password "x"', AnswerPrompt(text="x", secret=True)),
    ],
)
def test_a_step_is_the_action_that_it_says(step: str, action: Action) -> None:
    assert only(step) == action


def test_steps_are_divided_by_semicolons_lines_and_then() -> None:
    task = '1. look; read clipboard\r\n\n# a comment; look\n - click "a;b#c" # one; more\n• press enter, then press tab'
    assert [step.action for step in parse_steps(task)] == [
        Look(),
        ClipboardGet(),
        Click(target=TextTarget("a;b#c")),
        PressKeys(keys=("Return",)),
        PressKeys(keys=("Tab",)),
    ]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_fenced_block_is_code_as_it_stands(newline: str) -> None:
    lines = ["look", "```python", "x = '# ; \"'", "", "print(x)", "```", "look"]
    assert parse_steps(newline.join(lines))[1].action == RunCode(
        language="python", code="x = '# ; \"'\n\nprint(x)"
    )


@pytest.mark.parametrize(
    ("task", "said", "marked"),
    [
        ('look\nclik "Save"', ["Step 2 (line 2)", '"clik"', 'Did you mean "click"?'], "clik"),
        ("click Save", ["in quotes", '"Save"'], "Save"),
        ('click "你好" naw', ['"naw"'], "naw"),
        ('expect "Saved" wthin 3 seconds', ['Did you mean "within"?', 'expect "Saved" within'], "wthin"),
        ('drag "a" "b"', ['to "somewhere"'], '"b"'),
        ("press ctrl+pgupp", ['"pgupp"', 'nearest is "pgup"'], "ctrl+pgupp"),
        ('press "Save"', ['"Save"', 'click "OK"'], '"Save"'),
        ("hold ctrl", ["too early", "for 2 seconds"], " "),
        ('resize window "A" to big', ["800x600"], "big"),
        ('place window "A" somewhere', ["10,20"], "somewhere"),
        ('place window "A" at left wide', ["a whole number"], "wide"),
        ("zoom 10,10 to there", ["120,340"], "there"),
        ("wait soon", ["2 seconds"], "soon"),
        ('run "ls"', ["too early", "the code"], " "),
        ('click exactly the button "x"', ["exactly"], "the"),
        ('type "C:\\Program"', ["backslash", "\\\\"], "\\"),
        ('click "Save', ["not closed"], '"'),
        ("```python\nprint(1)", ["not closed"], "```python"),
        ("```\nprint(1)\n```", ["language"], "```"),
        ("type $NAME", ['"$NAME"', "none are given"], "$NAME"),
        ("Fill the form and send it", ['"form"'], "form"),
    ],
)
def test_an_error_names_the_step_and_marks_the_word(task: str, said: list[str], marked: str) -> None:
    with pytest.raises(BadSteps) as caught:
        parse_steps(task)
    message = str(caught.value)
    assert [words for words in [*said, "`oi help steps`"] if words not in message] == []
    _, source, mark, *_ = message.split("\n")
    wide = len(re.findall("[你好]", source))  # a terminal shows these two columns wide
    start, end = mark.index("^") - wide, len(mark) - wide
    assert (source + " ")[start:end] == marked


@pytest.mark.parametrize("task", ["", " \n ;; ", "# only a comment", "1. "])
def test_a_task_without_steps_says_what_to_write(task: str) -> None:
    with pytest.raises(BadSteps, match=r'no steps.*click "Save".*`oi help steps`') as caught:
        parse_steps(task)
    example = str(caught.value).split("such as: ")[1].split(". `oi")[0]
    assert len(parse_steps(example)) == 4


# Secrets.


@pytest.mark.parametrize(
    "task",
    [
        'type secret "hunter2" into "Password"; look',
        'fill "Password" with password: "hunter2"',
        'type secret "hunter2" innto "Password"',
        'type secret hunter2 into "Password"',
        "type secret 'hunter2",
        'type secret "hunter2\\q"',
        'type secret the "hunter2"',
    ],
)
def test_a_secret_is_in_no_words_and_no_error(task: str) -> None:
    try:
        said = " ".join(step.words for step in parse_steps(task))
    except BadSteps as error:
        said = str(error)
    assert "hunter2" not in said
    assert "type secret" in said or "with password" in said


def test_a_secret_is_written_but_not_shown() -> None:
    action = TypeText(text="hunter2", into=field("Password"), secret=True)
    assert written(action) == 'type secret "hunter2" into "Password"'
    assert shown(action) == 'type secret "•••" into "Password"'
    assert shown(TypeText(text="Ada")) == 'type "Ada"'


def test_a_task_can_be_kept_without_its_secrets() -> None:
    task = '1. look; type secret "hunter2" into "P" # mine\ntype secret $P'
    assert shown_task(task) == 'look\ntype secret "•••" into "P"\ntype secret $P'


def test_a_value_stands_for_its_name_and_stays_out_of_the_words() -> None:
    (step,) = parse_steps("type secret $PASSWORD into $WHERE", {"PASSWORD": "hunter2", "WHERE": "Pass"})
    assert step.action == TypeText(text="hunter2", into=field("Pass"), secret=True)
    assert step.words == "type secret $PASSWORD into $WHERE"
    assert "hunter2" not in repr(StepsModel(values={"PASSWORD": "hunter2"}))


# There and back.

texts = st.text(max_size=12)
counts = st.none() | st.integers(1, 30)
windows = st.none() | texts
numbers = st.integers(-3000, 3000)
seconds = st.floats(0, 1e6)
buttons = st.sampled_from(["left", "middle", "right", "back", "forward"])
lone_keys = st.sampled_from(
    ["Return", "Down", "Control_L", "Page_Up", "space", "A", "+", "-", ";", '"', "#", "'", "5"]
)
held_keys = st.sampled_from(["Control_L", "Shift_L", "Alt_L", "Super_L"])
chords = lone_keys.map(lambda key: (key,)) | st.tuples(held_keys, lone_keys.filter(lambda key: key != "A"))
sizes = st.integers(1, 3000)
sides: st.SearchStrategy[Side] = st.sampled_from(get_args(Side))
boxes = st.builds(Box, numbers, numbers, sizes, sizes)
wheres = st.deferred(lambda: st.lists(st.builds(Relation, sides, targets | boxes), max_size=2).map(tuple))
targets = st.one_of(
    st.builds(Pixel, numbers, numbers),
    st.builds(TextTarget, texts, counts, windows, st.booleans(), wheres),
    st.builds(
        ElementTarget,
        texts,
        st.none()
        | st.sampled_from(["field", "button", "tick", "menu", "list", "link", "text", "icon"])
        | texts,
        counts,
        windows,
        wheres,
    ),
    st.builds(IconTarget, texts, counts, windows, wheres),
    st.builds(PictureTarget, texts, counts, windows, wheres),
)
languages = (
    st.sampled_from(["python", "c++", "c#", "visual basic", "the", "then", "secret", "code", "ab.", "run"])
    | texts
)
codes = st.text(alphabet='ab `"\\\r\n;#', max_size=30) | texts
held = st.just(()) | chords
ACTIONS: dict[type, st.SearchStrategy[Action]] = {
    Click: st.builds(Click, target=st.none() | targets, button=buttons, count=st.integers(1, 9), keys=held),
    Tick: st.builds(Tick, target=targets, ticked=st.booleans()),
    Move: st.builds(Move, target=targets),
    Drag: st.builds(
        Drag,
        start=targets,
        end=targets,
        via=st.lists(targets, max_size=3).map(tuple),
        button=buttons,
        keys=held,
    ),
    Scroll: st.builds(
        Scroll,
        down=numbers,
        right=numbers,
        target=st.none() | targets,
        unit=st.sampled_from(["notches", "pixels"]),
        keys=held,
    ),
    TypeText: st.builds(TypeText, text=texts, into=st.none() | targets, secret=st.booleans()),
    Choose: st.builds(Choose, option=texts, target=targets),
    PressKeys: st.builds(PressKeys, keys=chords, times=st.integers(1, 99)),
    HoldKeys: st.builds(HoldKeys, keys=chords, seconds=seconds),
    KeyDown: st.builds(KeyDown, keys=chords),
    KeyUp: st.builds(KeyUp, keys=chords),
    MouseDown: st.builds(MouseDown, button=buttons),
    MouseUp: st.builds(MouseUp, button=buttons),
    Wait: st.builds(Wait, seconds=seconds),
    OpenApp: st.builds(OpenApp, program=texts, arguments=st.lists(texts, max_size=3).map(tuple)),
    FocusWindow: st.builds(FocusWindow, title=texts),
    CloseWindow: st.builds(CloseWindow, title=texts),
    ArrangeWindow: st.builds(
        ArrangeWindow, title=texts, how=st.sampled_from(["raise", "maximize", "minimize", "restore"])
    ),
    PlaceWindow: st.builds(
        PlaceWindow,
        title=texts,
        left=st.none() | numbers,
        top=st.none() | numbers,
        width=st.none() | numbers,
        height=numbers,
    ),
    WaitForWindow: st.builds(WaitForWindow, title=texts, gone=st.booleans(), seconds=seconds),
    ClipboardSet: st.builds(
        ClipboardSet,
        text=texts,
        html=st.none() | texts,
        image=st.none() | texts,
        selection=st.sampled_from(["clipboard", "primary"]),
    ),
    ClipboardGet: st.builds(
        ClipboardGet,
        kind=st.sampled_from(["text", "html", "image"]),
        selection=st.sampled_from(["clipboard", "primary"]),
    ),
    Zoom: st.builds(Zoom, left=numbers, top=numbers, right=numbers, bottom=numbers),
    Look: st.just(Look()),
    RunCode: st.builds(RunCode, language=languages, code=codes, outside=st.booleans()),
    AnswerPrompt: st.builds(AnswerPrompt, text=texts, secret=st.booleans()),
    Browse: st.builds(
        Browse,
        what=st.sampled_from(get_args(BrowserVerb)),
        where=st.just("") | texts,
        text=st.just("") | texts,
        secret=st.booleans(),
        new_tab=st.booleans(),
        folder=st.just("") | texts,
    ),
    Notify: st.builds(Notify, text=texts, title=texts),
    AskModel: st.builds(AskModel, text=texts, pictures=st.lists(texts, max_size=3).map(tuple)),
    Expect: st.builds(Expect, target=targets, gone=st.booleans(), seconds=seconds),
    ExpectValue: st.builds(ExpectValue, target=targets, value=texts, part=st.booleans(), seconds=seconds),
    ExpectTicked: st.builds(ExpectTicked, target=targets, ticked=st.booleans(), seconds=seconds),
    ExpectClipboard: st.builds(
        ExpectClipboard,
        text=texts,
        part=st.booleans(),
        selection=st.sampled_from(["clipboard", "primary"]),
        seconds=seconds,
    ),
    ExpectFile: st.builds(ExpectFile, path=texts, holds=st.none() | texts, seconds=seconds)
    | st.builds(ExpectFile, path=texts, gone=st.just(True), seconds=seconds),  # noqa: FBT003 - a value drawn
    ExpectProcess: st.builds(ExpectProcess, name=texts, gone=st.booleans(), seconds=seconds),
    ExpectHttp: st.builds(
        ExpectHttp, url=texts, status=st.integers(100, 599), holds=st.none() | texts, seconds=seconds
    ),
}


@pytest.mark.parametrize("kind", get_args(Action))
@given(data=st.data())
def test_what_is_written_is_read_back(kind: type, data: st.DataObject) -> None:
    action = data.draw(ACTIONS[kind])
    assert only(written(action)) == action


@given(st.lists(st.one_of(list(ACTIONS.values())), min_size=1, max_size=4))
def test_written_steps_make_a_file_that_is_read_back(several: list[Action]) -> None:
    task = "\n".join(written(action) for action in several)
    assert [step.action for step in parse_steps(task)] == several


WORDS = [
    "click",
    '"Save"',
    "the",
    "type",
    "secret",
    "into",
    "3",
    "times",
    "press",
    "ctrl+s",
    "in",
    "window",
    "'",
    '"',
]
WORDS += [
    "```",
    "\n",
    ";",
    "#",
    "1.",
    "$X",
    "expect",
    "no",
    "within",
    "scroll",
    "down",
    "10,20",
    "holding",
    "then",
    "\\",
]


@given(st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join) | st.text(max_size=30))
def test_any_text_gives_steps_or_one_clear_error(task: str) -> None:
    try:
        steps = parse_steps(task)
    except BadSteps as error:
        assert "`oi help steps`" in str(error)  # noqa: PT017 - either outcome is right
    else:
        assert [only(written(step.action)) for step in steps] == [step.action for step in steps]


# The page.


def examples() -> list[str]:
    """The indented blocks of the help page that are steps."""
    page = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"(?:^    .*\n)+", page, flags=re.MULTILINE)
    return [re.sub(r"^    ", "", block, flags=re.MULTILINE) for block in blocks]


def test_every_example_of_the_help_page_is_read_and_every_action_has_one() -> None:
    steps = [step for block in examples() for step in parse_steps(block)]
    assert {type(step.action) for step in steps} == set(get_args(Action))


def test_the_error_on_the_help_page_is_the_one_that_is_raised() -> None:
    with pytest.raises(BadSteps) as caught:
        parse_steps('clik "Save"')
    quoted = re.findall(r"^> ?(.*)$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    lines = [line for line in quoted if line]
    assert str(caught.value).startswith("\n".join(lines))


# The model.

BLANK = Observation(screenshot=None)
TASK = 'look; click "Save"; type secret "x"'


def step(number: int, act: Act, outcome: Outcome) -> Step:
    return Step(number=number, seen=BLANK, act=act, outcomes=(outcome,), seconds=0.1)


def done(action: Action, *, failed: bool = False, output: str = "") -> Done:
    return Done(action=action, receipt=Receipt(effect="here", failed=failed, output=output))


def after(task: str, *outcomes: Outcome) -> Act | Answer:
    """What the model decides when its acts so far had these outcomes."""
    model, past = StepsModel(), list[Step]()
    for number, outcome in enumerate(outcomes, 1):
        decision = model.decide(task, past, BLANK, lambda _: None)
        assert isinstance(decision, Act)
        past.append(step(number, decision, outcome))
    return model.decide(task, past, BLANK, lambda _: None)


def test_the_steps_come_one_by_one_in_their_own_words() -> None:
    assert after(TASK) == Act(thought="look", actions=(Look(),))
    assert after(TASK, done(Look())) == Act(
        thought='click "Save"', actions=(Click(target=TextTarget("Save")),)
    )
    third = after(TASK, done(Look()), done(Click()))
    assert third == Act(thought='type secret "•••"', actions=(TypeText(text="x", secret=True),))
    assert after(TASK, done(Look()), done(Click()), done(Look())) == Answer(text="All 3 steps are done.")
    assert after("look", done(Look())) == Answer(text="The step is done.")


@pytest.mark.parametrize("kind", ["error", "refused", "skipped"])
def test_a_step_that_was_not_done_ends_the_run_with_its_reason(kind: str) -> None:
    failed = NotDone(action=Click(), why='"Save" is not on the screen.', kind=kind)  # type: ignore[arg-type] - a str from the list
    assert after(TASK, done(Look()), failed) == Answer(
        text='Step 2, `click "Save"`: "Save" is not on the screen.', done=False
    )


def test_the_last_step_failing_is_not_reported_as_done() -> None:
    assert after("look", NotDone(action=Look(), why="no screen.", kind="error")) == Answer(
        text="Step 1, `look`: no screen.", done=False
    )


def test_code_that_fails_ends_the_run_with_what_it_printed() -> None:
    task = 'run python "1/0"'
    answer = after(
        task, done(RunCode(language="python", code="1/0"), failed=True, output="ZeroDivisionError\n")
    )
    assert answer == Answer(text='Step 1, `run python "1/0"`: ZeroDivisionError', done=False)


def test_a_mistake_in_a_later_step_stops_the_run_before_the_first() -> None:
    with pytest.raises(BadSteps, match="Step 2"):
        after("look; lok")
