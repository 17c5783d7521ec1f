"""The main job: a real program's form, filled in by `oi`, judged by what the program wrote."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from model_server import Call, ModelServer, Reply, ScreenReader
from oi_process import ABLE, oi, steps
from web_form import WebForm
from web_page import CHROMIUM_FLAGS

if TYPE_CHECKING:
    from model_server import Brain, Request, Turn

pytestmark = pytest.mark.desktop

FORM = Path(__file__).parents[2] / "fixtures" / "demo" / "travel-form.sh"
CHROMIUM = " ".join(f'"--{flag}"' for flag in CHROMIUM_FLAGS)


@pytest.mark.parametrize("size", ["1280x800", "2560x1440"])
def test_zenity_writes_what_the_steps_entered(tmp_path: Path, size: str) -> None:
    ran = oi(
        *steps(
            f'open "{FORM}" with "form.txt"',
            'expect "Where are you going?"',
            'type "Ada Lovelace" into "Full name"',
            'type "Zürich <HB>" into "City"',
            'click "17"',
            'type secret "analytical engine" into "Access code"',
            'choose "Business" from "Class"',
            'click the button "OK"',
            'expect no "Where are you going?"',
        ),
        "--size",
        size,
        "--trace",
        "trace",
        cwd=tmp_path,
    )
    assert ran.code == 0, ran
    name, city, day, code, travel_class = (tmp_path / "form.txt").read_text().strip().split(" | ")
    assert (name, city, code, travel_class) == (
        "Ada Lovelace",
        "Zürich <HB>",
        "analytical engine",
        "Business",
    )
    assert day.endswith("-17")
    assert not ran.left
    assert "analytical engine" not in ran.out
    assert "analytical engine" not in (tmp_path / "trace" / "trace.jsonl").read_text()


def test_mousepad_saves_what_was_typed(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("first line\n")
    ran = oi(
        *steps(
            'open "mousepad" with "notes.txt"',
            'expect "first line"',
            "press ctrl+end",
            'type "häuser <kosten> 12 €, 你好 🙂"',
            "press ctrl+s",
            "press ctrl+q",
        ),
        cwd=tmp_path,
    )
    assert ran.code == 0, ran
    assert (tmp_path / "notes.txt").read_text() == "first line\nhäuser <kosten> 12 €, 你好 🙂"
    assert not ran.left


def test_chromium_posts_what_the_steps_entered(tmp_path: Path) -> None:
    with WebForm() as site:
        ran = oi(
            *steps(
                f'open "chromium" with {CHROMIUM} "--user-data-dir={tmp_path}/profile" "--app={site.address}"',
                'expect "Book a trip" within 30 seconds',
                'type "Ada Lovelace" into "Full name"',
                'type "ada@example.org" into "E-mail"',
                'tick "Window seat"',
                'choose "Business" from "Class"',
                'click the button "Book now"',
                'expect "Thank you" within 10 seconds',
            ),
            cwd=tmp_path,
        )
    assert ran.code == 0, ran
    assert site.posted == [
        {"name": ["Ada Lovelace"], "mail": ["ada@example.org"], "window": ["on"], "class": ["business"]}
    ]
    assert not ran.left


@dataclass(frozen=True, slots=True)
class OpensFirst:
    """A brain that opens a program, and then leaves the deciding to another."""

    program: str
    arguments: list[str]
    then: Brain

    def unread(self) -> int:
        return self.then.unread()

    def answer(self, request: Request) -> Turn:
        if request.calls():
            return self.then.answer(request)
        call = {"action": "open_app", "program": self.program, "arguments": self.arguments}
        return Reply(text="Open the browser.", calls=(Call("computer", call),))


@pytest.mark.parametrize("size", ["1280x800", "2560x1440"])
def test_a_model_behind_http_fills_in_the_chromium_form_from_screenshots(tmp_path: Path, size: str) -> None:
    fields = json.dumps({"Full name": "Ada Lovelace", "E-mail": "ada@example.org"})
    with WebForm() as site:
        flags = [word.strip('"') for word in CHROMIUM.split()]
        browser = [*flags, f"--user-data-dir={tmp_path}/profile", f"--app={site.address}"]
        with ModelServer(OpensFirst("chromium", browser, ScreenReader())) as server:
            ran = oi(
                *("--os", "--private", "--size", size, "-y", "--max-steps", "20", "--trace", "trace"),
                *(
                    "--model",
                    "openai/screen-reader",
                    "--api-base",
                    server.api_base,
                    "--api-key",
                    "test",
                    *ABLE,
                ),
                f'FILL {fields} THEN CLICK "Book now" UNTIL "Thank you"',
                cwd=tmp_path,
            )
            server.assert_clean()
    assert ran.code == 0, ran
    assert [post["name"] + post["mail"] for post in site.posted] == [["Ada Lovelace", "ada@example.org"]]
    assert not ran.left
