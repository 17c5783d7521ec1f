"""A recorded run, performed again without a model: the window elsewhere, the screen of another size."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from model_server import Call, ModelServer, Reply, Scripted
from oi_process import ABLE, oi, steps

pytestmark = pytest.mark.desktop

FORM = Path(__file__).parents[2] / "fixtures" / "demo" / "travel-form.sh"


def test_steps_are_replayed_where_the_window_is_now(tmp_path: Path) -> None:
    recorded = oi(
        *steps(
            f'open "{FORM}" with "form.txt"',
            'type "Ada" into "Full name"',
            'click "17"',
            'type secret "open sesame" into "Access code"',
            'choose "First" from "Class"',
            'click the button "OK"',
        ),
        *("--trace", "trace"),
        cwd=tmp_path,
    )
    assert recorded.code == 0, recorded
    written = (tmp_path / "form.txt").read_text()
    (tmp_path / "form.txt").unlink()

    replayed = oi(
        *("replay", "trace", "--private", "--size", "1600x1000", "-y", "--var", "secret1=open sesame"),
        cwd=tmp_path,
    )
    assert replayed.code == 0, replayed
    assert "Replayed 6 steps; all as recorded." in replayed.out
    assert (tmp_path / "form.txt").read_text() == written
    assert not replayed.left


def test_clicks_on_pixels_are_found_again_by_what_stood_there(tmp_path: Path) -> None:
    """The model points at pixels of one screen; on the other screen none of those pixels is right."""
    form = {"action": "open_app", "program": str(FORM), "arguments": ["form.txt"]}
    turns = [
        form,
        {"action": "type", "x": 623, "y": 312, "text": "London"},
        {"action": "type", "x": 623, "y": 272, "text": "Ada"},
        {"action": "click", "x": 821, "y": 597},
    ]
    replies = [Reply(calls=(Call("computer", turn),)) for turn in turns]
    end = Reply(calls=(Call("finish", {"done": True, "text": "Filled in."}),))
    with ModelServer(Scripted([*replies, end])) as server:
        recorded = oi(
            *("--os", "--private", "-y", "--trace", "trace", "--model", "openai/scripted"),
            *("--api-base", server.api_base, "--api-key", "test", *ABLE, "fill in the form"),
            cwd=tmp_path,
        )
        server.assert_clean()
    assert recorded.code == 0, recorded
    written = (tmp_path / "form.txt").read_text()
    assert written.startswith("Ada | London | ")
    (tmp_path / "form.txt").unlink()

    replayed = oi("replay", "trace", "--private", "--size", "1600x1000", "-y", cwd=tmp_path)
    assert replayed.code == 0, replayed
    assert (tmp_path / "form.txt").read_text() == written


def test_a_replay_stops_where_the_program_is_another(tmp_path: Path) -> None:
    (tmp_path / "say.sh").write_text('#!/bin/sh\nexec zenity --info --title=Note --text="$(cat words)"\n')
    (tmp_path / "say.sh").chmod(0o755)
    (tmp_path / "words").write_text("The first words")
    recorded = oi(*steps('open "./say.sh"', 'expect "The first words"'), "--trace", "trace", cwd=tmp_path)
    assert recorded.code == 0, recorded
    (tmp_path / "words").write_text("Something else")
    replayed = oi("replay", "trace", "--private", "-y", cwd=tmp_path)
    assert replayed.code == 1, replayed
    assert "The first words" in replayed.out
    assert json.loads((tmp_path / "trace" / "trace.jsonl").read_text().splitlines()[0])["kind"] == "start"


def test_a_trace_that_is_none_is_named(tmp_path: Path) -> None:
    ran = oi("replay", "no-such-trace", cwd=tmp_path)
    assert ran.code == 2
    assert '"no-such-trace"' in ran.err
