"""A task that promised a result is checked: by steps, on real programs, and failing where it is not so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from oi_process import oi, steps
from web_form import WebForm
from web_page import CHROMIUM_FLAGS

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.desktop

CHROMIUM = " ".join(f'"--{flag}"' for flag in CHROMIUM_FLAGS)


def test_what_was_saved_copied_and_closed_is_as_expected(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("first line\n")
    ran = oi(
        *steps(
            'open "mousepad" with "notes.txt"',
            'expect the program "mousepad"',
            "press ctrl+end",
            'type "Invoice 1047"',
            'expect the file "notes.txt" to hold "first line"',
            "press ctrl+s",
            f'expect the file "{tmp_path}/n*.txt" to hold "Invoice 1047"',
            "press ctrl+a; press ctrl+c",
            'expect the clipboard to contain "Invoice 1047"',
            "press ctrl+q",
            'expect no program "mousepad" within 30 seconds',
            f'expect no file "{tmp_path}/notes.txt~"',
        ),
        cwd=tmp_path,
    )
    assert ran.code == 0, ran


def test_the_fields_and_ticks_of_a_page_are_as_expected(tmp_path: Path) -> None:
    with WebForm() as site:
        ran = oi(
            *steps(
                f'open "chromium" with {CHROMIUM} "--user-data-dir={tmp_path}/profile" "{site.address}"',
                'expect "Book a trip" within 20 seconds',
                f'expect the address "{site.address}" to answer 200 with "Book a trip"',
                'type "Ada Lovelace" into "Full name"',
                'expect the field "Full name" to hold "Ada Lovelace"',
                'expect "Full name" to contain "Love"',
                'expect "Window seat" to be unticked',
                'click the tick "Window seat"',
                'expect "Window seat" to be ticked',
                'expect the field "E-mail" to hold "" within 1 second',
            ),
            cwd=tmp_path,
        )
    assert ran.code == 0, ran


def test_a_replay_expects_the_same_of_files_and_fields_and_stops_where_it_is_not_so(tmp_path: Path) -> None:
    (tmp_path / "out.csv").write_text("Ada,London\n")
    recorded = oi(
        *steps(
            'open "zenity" with "--entry" "--title=Question" "--text=Your name" "--entry-text=Ada"',
            'expect "Your name" to hold "Ada"',
            'expect the file "out.csv" to hold "London" within 1 second',
        ),
        "--trace",
        "trace",
        cwd=tmp_path,
    )
    assert recorded.code == 0, recorded
    replayed = oi("replay", "trace", "--private", "-y", cwd=tmp_path)
    assert replayed.code == 0, replayed
    (tmp_path / "out.csv").write_text("Ada,Paris\n")
    replayed = oi("replay", "trace", "--private", "-y", cwd=tmp_path)
    assert replayed.code == 1, replayed
    assert '"out.csv" does not hold "London"' in replayed.out


def test_code_expects_as_steps_do_and_fails_with_what_is_there_instead(tmp_path: Path) -> None:
    (tmp_path / "out.csv").write_text("Ada,London\n")
    for city, code in (("London", 0), ("Paris", 1)):
        ran = oi(
            *steps(f"run python \"computer.expect(file='out.csv', holds='{city}', within=0.5)\""),
            cwd=tmp_path,
        )
        assert ran.code == code, ran
    assert 'does not hold "Paris"' in ran.out


def test_what_is_not_so_ends_the_run_and_says_what_is(tmp_path: Path) -> None:
    ran = oi(
        *steps(
            'open "zenity" with "--entry" "--title=Question" "--text=Your name"',
            'type "Ada" into "Your name"',
            'expect "Your name" to hold "Grace" within 1 second',
            'press "Return"',
        ),
        cwd=tmp_path,
    )
    assert ran.code == 1
    assert 'Step 3, `expect "Your name" to hold "Grace" within 1 second`' in ran.out
    assert 'holds "Ada", not "Grace"' in ran.out
