"""Code and clicks in one task: shell and Python steps beside a real window, the Python with `computer` in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from oi_process import oi, steps

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.desktop


def test_code_and_clicks_work_on_the_same_desktop_and_python_keeps_its_state(tmp_path: Path) -> None:
    ran = oi(
        *steps(
            'run shell "echo Ada > name.txt"',
            """run python "name = open('name.txt').read().strip()" """,
            'open "sh" with "-c" "zenity --entry --title=Question --text=\'Your name\' > answer.txt"',
            'expect "Your name"',
            """run python "computer.keyboard.write(name + ' Lovelace')" """,
            """run python "print(computer.mouse.click('OK'))" """,
            'expect no "Your name"',
            'run shell "cat answer.txt"',
        ),
        cwd=tmp_path,
    )
    assert ran.code == 0, ran
    assert (tmp_path / "answer.txt").read_text() == "Ada Lovelace\n"
    assert ran.out.count("Ada Lovelace") >= 1
    assert 'closed "Question"' in ran.out
    assert not ran.left


def test_a_python_step_gets_our_errors_as_exceptions_with_their_names(tmp_path: Path) -> None:
    (tmp_path / "task.steps").write_text(
        """```python
try:
    computer.mouse.click(5000, 10)
except OffScreenError as error:
    print("refused:", error)
```
"""
    )
    ran = oi("--os", "--private", "--model", "steps", "-y", "--file", "task.steps", cwd=tmp_path)
    assert ran.code == 0, ran
    assert "refused: (5000, 10) is outside the picture, which is 1280x800" in ran.out


def test_a_python_step_that_fails_ends_the_run_with_its_error(tmp_path: Path) -> None:
    ran = oi(*steps('run python "1/0"', 'run shell "touch should-not-be"'), cwd=tmp_path)
    assert ran.code == 1, ran
    assert "ZeroDivisionError" in ran.out
    assert not (tmp_path / "should-not-be").exists()


def test_nested_actions_need_approval_too(tmp_path: Path) -> None:
    ran = oi(
        "--os", "--private", "--model", "steps", "--approve", "never", 'run python "computer.mouse.click(10, 10)"',
        cwd=tmp_path,
    )  # fmt: skip
    assert ran.code == 1, ran
    assert "may only look" in ran.out
