"""``oi-computer``: the computer in shell blocks, from several programs at once, and what it says when it cannot."""

import os
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from computer_api.errors import NotFoundError
from computer_api.terminal import Call, Reply, Terminal
from computer_api.terminal.client.oi_computer import UsageError, arguments, request

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="these shells are not on Windows")
PATIENCE = 10.0


class Owner:
    """Answers what shells ask, as a computer would."""

    def __init__(self) -> None:
        self.asked: list[Call] = []

    def answer(self, call: Call) -> Reply:
        self.asked.append(call)
        match call.path:
            case ("display", "view"):
                return Reply(png=b"\x89PNG")
            case ("display", "locate"):
                raise NotFoundError('There is no "Save" on the screen.')
            case ("text",):
                return Reply(value=["File", "Ada Lovelace"])
            case ("windows", "all"):
                return Reply(value=[{"title": "Editor"}])
            case ("keyboard", "write"):
                return Reply(value=f"typed {call.args[0]}")
            case _:
                return Reply(value="done")


@pytest.fixture
def owner() -> Owner:
    return Owner()


@pytest.fixture(params=["bash", "zsh", "sh"])
def language(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    return name


@pytest.fixture
def terminal(tmp_path: Path, owner: Owner) -> Iterator[Terminal]:
    with Terminal(cwd=tmp_path, environment={"PATH": os.environ["PATH"]}, answer=owner.answer) as started:
        yield started


def printed(terminal: Terminal, language: str, code: str) -> str:
    return terminal.run(language, code, seconds=PATIENCE).text


def test_a_shell_uses_the_computer(terminal: Terminal, language: str, owner: Owner) -> None:
    assert printed(terminal, language, 'oi-computer click "Save" --count 2 && echo ok') == "done\nok\n"
    assert owner.asked == [Call(path=("mouse", "click"), args=("Save",), kwargs={"count": 2})]
    assert printed(terminal, language, "oi-computer text | tail -1") == "Ada Lovelace\n"


def test_clients_at_once_get_each_their_own_reply(terminal: Terminal, language: str, owner: Owner) -> None:
    names = [f"name{number}" for number in range(8)]
    code = f"printf '%s\\n' {' '.join(names)} | xargs -P 4 -n 1 sh -c 'echo $0: $(oi-computer type $0)'"
    lines = printed(terminal, language, code).splitlines()
    assert sorted(lines) == [f"{name}: typed {name}" for name in names]
    assert len(owner.asked) == 8


def test_an_error_is_one_sentence_and_a_wrong_use_another(terminal: Terminal, owner: Owner) -> None:
    assert printed(terminal, "bash", "oi-computer find Save; echo $?") == (
        'oi-computer: There is no "Save" on the screen.\n1\n'
    )
    for wrong in ("nonsense", "keyboard", "click --count", ""):
        output = terminal.run("bash", f"oi-computer {wrong} >/dev/null 2>&1", seconds=PATIENCE)
        assert output.exit_code == 2
    assert len(owner.asked) == 1


def test_help_is_printed_without_asking(terminal: Terminal, owner: Owner) -> None:
    assert printed(terminal, "bash", "oi-computer --help").startswith("Usage: oi-computer")
    assert owner.asked == []


def test_a_picture_is_written_and_values_are_json(terminal: Terminal, tmp_path: Path) -> None:
    assert terminal.run("bash", "oi-computer screenshot shot.png", seconds=PATIENCE).ok
    assert (tmp_path / "shot.png").read_bytes() == b"\x89PNG"
    assert printed(terminal, "bash", "oi-computer windows") == '[{"title": "Editor"}]\n'


def test_between_blocks_nothing_is_done_and_the_reason_is_told(
    terminal: Terminal, owner: Owner, tmp_path: Path
) -> None:
    later = "(while [ ! -e go ]; do :; done; oi-computer click Save >said 2>&1; mv said told) & true"
    terminal.run("bash", later, seconds=PATIENCE)
    (tmp_path / "go").touch()
    end = time.monotonic() + PATIENCE
    while not (tmp_path / "told").exists() and time.monotonic() < end:
        threading.Event().wait(0.02)
    assert "while a block runs" in (tmp_path / "told").read_text()
    assert owner.asked == []


def test_a_client_that_sends_rubbish_or_nothing_does_no_harm(terminal: Terminal, owner: Owner) -> None:
    rubbish = (
        "python3 -c 'import os, socket\n"
        'shared = socket.socket(fileno=int(os.environ["OI_COMPUTER_FD"]))\n'
        "ours, theirs = socket.socketpair()\n"
        'socket.send_fds(shared, [b"?"], [theirs.fileno()])\n'
        'ours.sendall(b"{[\\n")\n'
        'socket.send_fds(shared, [b"?"], [1])\n'
        'shared.send(b"xyz")\''
    )
    assert terminal.run("bash", rubbish, seconds=PATIENCE).ok
    assert printed(terminal, "bash", "oi-computer click Save") == "done\n"
    assert len(owner.asked) == 1


def test_outside_of_a_block_s_shell_the_reason_is_told(terminal: Terminal) -> None:
    assert "this is not it" in printed(terminal, "bash", "env -u OI_COMPUTER_FD oi-computer text")
    assert "inherits" in printed(
        terminal, "bash", 'python3 -c \'import subprocess; subprocess.run(["oi-computer", "text"])\''
    )


def test_a_terminal_without_a_computer_has_no_such_program(tmp_path: Path) -> None:
    with Terminal(cwd=tmp_path, environment={"PATH": os.environ["PATH"]}) as terminal:
        assert terminal.run("bash", "oi-computer text", seconds=PATIENCE).exit_code == 127


@pytest.mark.parametrize(
    ("words", "path", "args", "kwargs"),
    [
        (["click", "300", "200"], ["mouse", "click"], [300, 200], {}),
        (["type", "42"], ["keyboard", "write"], ["42"], {}),
        (["press", "ctrl+s"], ["keyboard", "press"], ["ctrl+s"], {}),
        (["windows"], ["windows", "all"], [], {}),
        (["clipboard"], ["clipboard", "view"], [], {}),
        (["windows", "focus", "Editor"], ["windows", "focus"], ["Editor"], {}),
        (["mouse", "scroll", "-3", "--horizontal", "true"], ["mouse", "scroll"], [-3], {"horizontal": True}),
        (["mouse", "double-click", "OK"], ["mouse", "double_click"], ["OK"], {}),
        (["expect", "Saved", "--seconds=2.5"], ["expect"], ["Saved"], {"seconds": 2.5}),
        (["type", "--", "--count"], ["keyboard", "write"], ["--count"], {}),
    ],
)
def test_words_become_a_call(
    words: list[str], path: list[str], args: list[object], kwargs: dict[str, object]
) -> None:
    assert request(words) == (path, args, kwargs)


@given(st.lists(st.text(), max_size=4))
def test_what_is_typed_is_never_taken_for_a_value(words: list[str]) -> None:
    assert arguments(["--", *words], text=True) == (words, {})


def test_a_word_that_is_no_verb_is_named_with_those_that_are() -> None:
    with pytest.raises(UsageError, match=r'"clik".*click'):
        request(["clik", "Save"])
