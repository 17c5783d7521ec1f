"""Every name of Open Interpreter's Python object is there, with the documented arguments and defaults."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from computer_agent import AsyncInterpreter, Interpreter, OpenInterpreter, interpreter
from computer_agent.code_settings import BadSetting

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SAME = object()  # there is a default, which is our own

ATTRIBUTES: dict[str, Any] = {
    "messages": [],
    "offline": False,
    "auto_run": False,
    "verbose": False,
    "debug": False,
    "max_output": 2800,
    "safe_mode": "off",
    "shrink_images": True,
    "loop": False,
    "loop_message": SAME,
    "loop_breakers": SAME,
    "disable_telemetry": False,
    "in_terminal_interface": False,
    "conversation_history": True,
    "conversation_filename": None,
    "conversation_history_path": SAME,
    "os": False,
    "speak_messages": False,
    "llm": SAME,
    "system_message": SAME,
    "custom_instructions": "",
    "user_message_template": "{content}",
    "always_apply_user_message_template": False,
    "code_output_template": SAME,
    "empty_code_output_template": SAME,
    "code_output_sender": "user",
    "computer": SAME,
    "sync_computer": False,
    "import_computer_api": False,
    "skills_path": None,
    "import_skills": False,
    "multi_line": True,
    "contribute_conversation": False,
    "plain_text_display": False,
}
NO_ARGUMENTS = {
    "highlight_active_line": True,
    "responding": False,
    "last_messages_count": 0,
    "anonymous_telemetry": False,
    "will_contribute": False,
}
LLM: dict[str, Any] = {
    "model": "gpt-4o",
    "temperature": 0.0,
    "supports_vision": None,
    "supports_functions": None,
    "vision_renderer": SAME,
    "execution_instructions": SAME,
    "context_window": None,
    "max_tokens": None,
    "api_base": None,
    "api_key": None,
    "api_version": None,
    "max_budget": None,
    "completions": SAME,
}
# How a call is made: positional arguments by their number, others by their names.
CALLS: dict[str, list[tuple[int, tuple[str, ...]]]] = {
    "chat": [(0, ()), (1, ()), (4, ()), (0, ("message", "display", "stream", "blocking"))],
    "wait": [(0, ())],
    "reset": [(0, ())],
    "local_setup": [(0, ())],
    "display_message": [(1, ())],
    "get_oi_dir": [(0, ())],
    "llm.run": [(1, ())],
    "llm.load": [(0, ())],
    "computer.run": [(2, ()), (2, ("stream", "display"))],
    "computer.exec": [(1, ())],
    "computer.stop": [(0, ())],
    "computer.terminate": [(0, ())],
    "computer.screenshot": [(0, ())],
    "computer.view": [(0, ())],
    "computer.to_dict": [(0, ())],
    "computer.load_dict": [(1, ())],
    "computer.display.size": [(0, ())],
    "computer.display.center": [(0, ())],
    "computer.display.info": [(0, ())],
    "computer.display.view": [
        (0, ("show", "quadrant", "screen", "combine_screens", "active_app_only")),
        (5, ()),
    ],
    "computer.display.screenshot": [
        (0, ("show", "quadrant", "screen", "combine_screens", "active_app_only"))
    ],
    "computer.display.find": [(1, ("screenshot",))],
    "computer.display.find_text": [(1, ("screenshot",))],
    "computer.display.get_text_as_list_of_lists": [(0, ()), (0, ("screenshot",))],
    "computer.mouse.move": [(1, ()), (2, ()), (0, ("x", "y", "icon", "text", "screenshot"))],
    "computer.mouse.click": [
        (0, ()),
        (1, ()),
        (2, ()),
        (0, ("button", "clicks", "interval", "x", "y", "icon", "text", "screenshot")),
    ],
    "computer.mouse.double_click": [(0, ()), (1, ()), (2, ()), (0, ("x", "y"))],
    "computer.mouse.triple_click": [(0, ()), (1, ()), (2, ()), (0, ("icon",))],
    "computer.mouse.right_click": [(0, ()), (1, ()), (2, ()), (0, ("x", "y"))],
    "computer.mouse.scroll": [(1, ())],
    "computer.mouse.position": [(0, ())],
    "computer.mouse.down": [(0, ())],
    "computer.mouse.up": [(0, ())],
    "computer.keyboard.write": [(1, ()), (3, ()), (1, ("interval", "delay"))],
    "computer.keyboard.press": [(1, ()), (3, ()), (1, ("presses", "interval"))],
    "computer.keyboard.press_and_release": [(2, ("presses", "interval"))],
    "computer.keyboard.hotkey": [(2, ()), (3, ("interval",))],
    "computer.keyboard.down": [(1, ())],
    "computer.keyboard.up": [(1, ())],
    "computer.clipboard.view": [(0, ())],
    "computer.clipboard.copy": [(0, ()), (1, ()), (0, ("text",))],
    "computer.clipboard.paste": [(0, ())],
    "computer.os.get_selected_text": [(0, ())],
    "computer.os.notify": [(1, ())],
    "computer.browser.search": [(1, ())],
    "computer.browser.fast_search": [(1, ())],
    "computer.browser.setup": [(1, ()), (0, ("headless",))],
    "computer.browser.go_to_url": [(1, ())],
    "computer.browser.search_google": [(1, ()), (1, ("delays",))],
    "computer.browser.analyze_page": [(1, ())],
    "computer.browser.quit": [(0, ())],
    "computer.files.search": [(1, ())],
    "computer.files.edit": [(3, ())],
    "computer.mail.get": [(0, ()), (0, ("number", "unread"))],
    "computer.mail.send": [(3, ()), (3, ("attachments",))],
    "computer.mail.unread_count": [(0, ())],
    "computer.sms.send": [(2, ())],
    "computer.sms.get": [(0, ()), (0, ("contact", "limit", "substring"))],
    "computer.calendar.get_events": [(1, ()), (1, ("end",))],
    "computer.calendar.create_event": [(3, ()), (3, ("location", "notes", "calendar"))],
    "computer.calendar.delete_event": [(2, ()), (2, ("calendar",))],
    "computer.calendar.get_first_calendar": [(0, ())],
    "computer.contacts.get_phone_number": [(1, ())],
    "computer.contacts.get_email_address": [(1, ())],
    "computer.contacts.get_full_names_from_first_name": [(1, ())],
    "computer.vision.load": [(0, ())],
    "computer.vision.ocr": [(0, ("base_64",)), (0, ("path",)), (0, ("lmc",)), (0, ("pil_image",))],
    "computer.vision.query": [(0, ("query", "base_64")), (1, ("path",))],
    "computer.ai.chat": [(1, ()), (1, ("base64",))],
    "computer.ai.query": [(2, ())],
    "computer.ai.summarize": [(1, ())],
    "computer.skills.list": [(0, ())],
    "computer.skills.search": [(1, ())],
    "computer.skills.run": [(1, ())],
    "computer.skills.import_skills": [(0, ())],
    "computer.skills.new_skill.create": [(0, ())],
    "computer.skills.new_skill.add_step": [(2, ())],
    "computer.skills.new_skill.save": [(0, ())],
    "computer.docs.search": [(1, ())],
    "computer.terminal.run": [(2, ()), (2, ("stream", "display"))],
    "computer.terminal.stop": [(0, ())],
    "computer.terminal.terminate": [(0, ())],
    "computer.terminal.get_language": [(1, ())],
    "computer.terminal.sudo_install": [(1, ())],
}
ASYNC_CALLS: dict[str, list[tuple[int, tuple[str, ...]]]] = {
    "input": [(1, ())],
    "output": [(0, ())],
    "respond": [(0, ()), (1, ()), (0, ("run_code",))],
    "accumulate": [(1, ())],
}


@pytest.fixture
def fresh(tmp_path: Path) -> Interpreter:
    return Interpreter(environment={"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)})


def reached(owner: object, path: str) -> Any:  # noqa: ANN401 - whatever has that name
    for name in path.split("."):
        owner = getattr(owner, name)
    return owner


def takes(verb: Any, count: int, names: tuple[str, ...]) -> None:  # noqa: ANN401 - the same
    inspect.signature(verb).bind(*[None] * count, **dict.fromkeys(names))


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_an_attribute_has_its_default_and_can_be_given(fresh: Interpreter, name: str, tmp_path: Path) -> None:
    assert hasattr(fresh, name)
    if ATTRIBUTES[name] is SAME:
        assert getattr(fresh, name)
        return
    assert getattr(fresh, name) == ATTRIBUTES[name]
    given: Any = {
        "safe_mode": "auto",
        "messages": [{"role": "user", "type": "message", "content": "Hi"}],
    }.get(name, "other")
    made = Interpreter(**{name: given}, environment={"HOME": str(tmp_path)})
    assert getattr(made, name) == given


def test_the_constructor_takes_them_in_the_documented_order() -> None:
    names = list(inspect.signature(OpenInterpreter).parameters)
    assert names[: len(ATTRIBUTES)] == list(ATTRIBUTES)


@pytest.mark.parametrize("name", NO_ARGUMENTS)
def test_what_the_constructor_does_not_take_has_its_value(fresh: Interpreter, name: str) -> None:
    assert getattr(fresh, name) == NO_ARGUMENTS[name]
    assert name not in inspect.signature(Interpreter).parameters


@pytest.mark.parametrize("name", ["anonymous_telemetry", "will_contribute"])
def test_what_may_not_be_set_cannot_be(fresh: Interpreter, name: str) -> None:
    with pytest.raises(AttributeError):
        setattr(fresh, name, True)


@pytest.mark.parametrize("name", LLM)
def test_an_attribute_of_the_model_has_its_default_and_can_be_set(fresh: Interpreter, name: str) -> None:
    assert hasattr(fresh.llm, name)
    if LLM[name] is not SAME:
        assert getattr(fresh.llm, name) == LLM[name]
    setattr(fresh.llm, name, LLM[name])


@pytest.mark.parametrize("path", CALLS)
def test_a_call_takes_what_is_documented(fresh: Interpreter, path: str) -> None:
    verb = reached(fresh, path)
    assert callable(verb)
    for count, names in CALLS[path]:
        takes(verb, count, names)


@pytest.mark.parametrize("path", ASYNC_CALLS)
def test_a_call_of_the_async_object_takes_what_is_documented(path: str, tmp_path: Path) -> None:
    made = AsyncInterpreter(environment={"HOME": str(tmp_path)})
    for count, names in ASYNC_CALLS[path]:
        takes(reached(made, path), count, names)


@pytest.mark.parametrize(
    "name",
    [
        *("stop_event", "require_acknowledge", "acknowledged_outputs", "unsent_messages", "context_mode"),
        *("id", "print"),
    ],
)
def test_the_async_object_has_its_attributes(name: str, tmp_path: Path) -> None:
    assert hasattr(AsyncInterpreter(environment={"HOME": str(tmp_path)}), name)


@pytest.mark.parametrize(
    "name",
    [
        *("languages", "emit_images", "offline", "max_output", "verbose", "debug", "api_base"),
        *("import_computer_api", "import_skills", "save_skills", "system_message"),
    ],
)
def test_the_computer_has_its_attributes(fresh: Interpreter, name: str) -> None:
    assert hasattr(fresh.computer, name)


def test_the_computer_tells_of_every_call_in_a_line(fresh: Interpreter) -> None:
    lines = fresh.computer.system_message.splitlines()
    assert any(line.startswith("computer.mouse.click(") for line in lines)
    assert all("  # " in line for line in lines)
    assert "computer.keyboard.write" in fresh.computer.docs.search("write")


def test_what_is_set_on_the_computer_can_be_carried_to_another(fresh: Interpreter, tmp_path: Path) -> None:
    fresh.computer.max_output = 17
    fresh.computer.emit_images = False
    other = Interpreter(environment={"HOME": str(tmp_path)})
    other.computer.load_dict({**fresh.computer.to_dict(), "unknown": 1})
    assert (other.max_output, other.computer.emit_images) == (17, False)


@pytest.mark.parametrize("module", ["mail", "sms", "calendar", "contacts"])
def test_what_only_macos_scripts_did_says_what_would_work(fresh: Interpreter, module: str) -> None:
    from computer_api.errors import UnsupportedError

    calls: dict[str, Callable[[], object]] = {
        "mail": fresh.computer.mail.get,
        "sms": lambda: fresh.computer.sms.send("Ada", "Hi"),
        "calendar": lambda: fresh.computer.calendar.get_events("today"),
        "contacts": lambda: fresh.computer.contacts.get_phone_number("Ada"),
    }
    with pytest.raises(UnsupportedError, match=f"computer.{module} .* is not here: .*os=True"):
        calls[module]()


def test_there_is_one_ready_object_whatever_was_imported_before() -> None:
    import computer_agent
    import computer_agent.python_object.interpreter

    assert isinstance(interpreter, Interpreter)
    assert computer_agent.interpreter is interpreter
    assert OpenInterpreter is Interpreter
    with pytest.raises(AttributeError, match="no attribute 'interpreters'"):
        _ = computer_agent.interpreters


def test_the_object_is_made_without_anything_heavy_and_leaves_nothing(tmp_path: Path) -> None:
    code = (
        "from computer_agent import interpreter; import sys; "
        "print(sorted({'PIL', 'cv2', 'httpx', 'litellm', 'numpy', 'rich'} & set(sys.modules)))"
    )
    home = tmp_path / "empty"
    home.mkdir()
    environment = {"HOME": str(home), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True, timeout=60
    )
    assert run.stdout.strip() == "[]"
    assert not list(home.iterdir())


@pytest.mark.parametrize(
    ("given", "named"),
    [
        (("mistral", "http://127.0.0.1:1234/v1"), "openai/mistral"),
        (("org/mistral", "http://127.0.0.1:1234/v1"), "openai/org/mistral"),
        (("ollama/llama3", "http://127.0.0.1:11434"), "ollama/llama3"),
        (("gpt-4o", None), "gpt-4o"),
    ],
)
def test_a_model_of_an_own_server_is_as_openai_s(
    fresh: Interpreter, given: tuple[str, str | None], named: str
) -> None:
    fresh.llm.model, fresh.llm.api_base = given
    assert fresh.settings().model == named


def test_what_is_set_arrives_in_the_settings(fresh: Interpreter) -> None:
    fresh.llm.api_key = "k" * 20
    fresh.llm.max_tokens = 99
    fresh.llm.max_budget = 0.5
    fresh.llm.temperature = 0.7
    fresh.auto_run = True
    settings = fresh.settings()
    assert (settings.llm.api_key, settings.llm.max_tokens, settings.llm.temperature) == ("k" * 20, 99, 0.7)
    assert (settings.limits.dollars, settings.approval) == (0.5, "all")
    fresh.safe_mode = "ask"
    assert fresh.settings().approval == "ask"


def test_flags_and_a_profile_that_they_name_set_what_the_caller_has_not(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(
        'model = "openai/gpt-5"\ntemperature = 0.5\nmax_budget = 2.0\ncustom_instructions = "Metric."\nloop = true\n'
    )
    variables = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    options = ["--profile", str(tmp_path / "mine.toml"), "-y", "--max_output", "300"]
    ours = Interpreter(options=options, environment=variables)
    llm = ours.llm
    assert (llm.model, llm.temperature, llm.max_budget) == ("openai/gpt-5", 0.5, 2.0)
    assert (ours.custom_instructions, ours.loop, ours.auto_run, ours.max_output) == (
        "Metric.",
        True,
        True,
        300,
    )
    options += ["--system_message", "Theirs."]
    assert Interpreter(options=options, environment=variables).system_message == "Theirs."
    theirs = Interpreter(
        options=options,
        environment=variables,
        custom_instructions="Mine.",
        system_message="My own.",
        max_output=500,
    )
    assert (theirs.custom_instructions, theirs.system_message, theirs.max_output) == (
        "Mine.",
        "My own.",
        500,
    )
    with pytest.raises(BadSetting, match='There is no profile "nosuch"'):
        Interpreter(options=["-p", "nosuch"], environment=variables)


def test_the_config_file_of_oi_is_not_that_of_a_program(tmp_path: Path) -> None:
    (tmp_path / "oi").mkdir()
    (tmp_path / "oi" / "config.toml").write_text('model = "openai/gpt-5"\napprove = "all"\n')
    ours = Interpreter(environment={"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)})
    assert (ours.llm.model, ours.auto_run) == ("gpt-4o", False)


def test_a_name_that_is_almost_an_attribute_is_warned_of() -> None:
    ours = Interpreter(environment={"HOME": "/nowhere"})
    with pytest.warns(UserWarning, match='"autorun" sets nothing. Did you mean "auto_run"?'):
        ours.autorun = True
    ours.notes_of_mine = "kept"  # whatever is like none of ours is the caller's
    assert ours.notes_of_mine == "kept"
