"""Clicking and typing beside pyautogui: how long the call takes, and whether what was meant arrived."""

from __future__ import annotations

import string
import subprocess
from contextlib import contextmanager
from difflib import SequenceMatcher
from functools import partial
from itertools import cycle
from typing import TYPE_CHECKING

from bed import Child, FailedError, HungError, arrived, peers, screen, window
from timing import Row, Tally, in_turn, rounds, show, timed
from xvfb import until

from computer_api.computer import Computer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bed import Environment

PAUSE = 0.1  # pyautogui's default after every call
PEER_SECONDS = 6.0  # pyautogui has been seen to hang for minutes
DIALOG_SECONDS = 5.0
PLAIN = "The quick brown fox jumps over the lazy dog 1234567890 times while 25 more wait in a row behind him "
TEXTS = {
    "100 letters": PLAIN,
    "all of ASCII": "Hello, World! 123 " + string.punctuation,
    "accents": "Größe, café, naïve, Ångström, señor, çà",
    "any script": "Ω λόγος Привет 你好 🙂 € → “x”",
}


def main() -> None:
    count = rounds(15)
    with screen() as environment, window(environment) as target, peers(environment) as peer:
        peer.ask("load", modules=["pyautogui"])
        rows = clicks(environment, target, peer, count)
    show("Click at a place: right are those that arrived there, and that the receipt says so", rows)
    typed = [
        typing(layout, name, receipts=receipts, count=max(1, count // 5))
        for layout in ("us", "de")
        for receipts, names in ((False, tuple(TEXTS)), (True, ("100 letters",)))
        for name in names
    ]
    show("Type into a Tk field: right are the characters that arrived", typed)
    entered = [entering(layout, name) for layout in ("us", "de") for name in ("all of ASCII", "any script")]
    show("Type into a GTK entry and press Return, once: right are the characters that it holds", entered)


def clicks(environment: Environment, target: Child, peer: Child, count: int) -> list[Row]:
    """Every click at another place than the one before, by whomever."""
    quick = Row(what="click(x, y), receipts=False", peer="pyautogui PAUSE=0")
    full = Row(what="click(x, y), receipts=True", peer="pyautogui default")
    places = cycle(map(tuple, target.ask("places").value))
    with (
        Computer.open("x11", environment=environment, receipts=False) as bare,
        Computer.open("x11", environment=environment, receipts=True) as watching,
    ):

        def ours(row: Row, computer: Computer) -> None:
            x, y = next(places)
            seconds, receipt = timed(lambda: computer.mouse.click(x, y))
            row.ours.append(seconds)
            said = "here" if computer is watching else "unknown"
            row.ours_right.count(right=_landed(target, (x, y)) and receipt.effect == said)

        def theirs(row: Row, pause: float) -> None:
            x, y = next(places)
            row.theirs.append(peer.ask("click", x=x, y=y, pause=pause).seconds)
            row.theirs_right.count(right=_landed(target, (x, y)))

        measures = [
            partial(ours, quick, bare),
            partial(theirs, quick, 0.0),
            partial(ours, full, watching),
            partial(theirs, full, PAUSE),
        ]
        in_turn(count + 1, *measures)
    for row in (quick, full):
        del row.ours[0], row.theirs[0]  # the first of each loads what it needs
    return [quick, full]


def typing(layout: str, name: str, *, receipts: bool, count: int) -> Row:
    """One text, by both into the same field, on a screen of its own: a peer that hung leaves keys down on it."""
    text, pause = TEXTS[name], PAUSE if receipts else 0.0
    row = Row(
        what=f"{name}, {layout}, receipts={receipts}",
        peer=f"pyautogui {'default' if receipts else 'PAUSE=0'}",
    )
    with screen() as environment:
        subprocess.run(["setxkbmap", layout], env=environment, check=True)
        with (
            window(environment) as target,
            peers(environment) as peer,
            Computer.open("x11", environment=environment, receipts=receipts) as computer,
        ):

            def ours() -> None:
                target.ask("clear")
                row.ours.append(timed(lambda: computer.keyboard.write(text))[0])
                _count(row.ours_right, text, arrived(target, text))

            def theirs() -> None:
                target.ask("clear")
                seconds = peer.ask("write", text=text, pause=pause, within=PEER_SECONDS).seconds
                row.theirs.append(seconds)
                _count(row.theirs_right, text, arrived(target, text))

            try:
                peer.ask("load", modules=["pyautogui"])
                in_turn(count, ours, theirs)
            except HungError:
                row.said = f"hung > {PEER_SECONDS:g} s"
            except FailedError as error:
                row.said = str(error)[:40]
            else:
                return row
            # What it left half done is not held against it twice: only the hang is reported.
            _count(row.theirs_right, text, arrived(target, text))
            row.theirs.clear()
    return row


def entering(layout: str, name: str) -> Row:
    """The same into a dialog of zenity, which prints what it holds when Return is pressed."""
    text = TEXTS[name]
    row = Row(what=f"{name}, {layout}, receipts=False", peer="pyautogui PAUSE=0")
    with screen() as environment:
        subprocess.run(["setxkbmap", layout], env=environment, check=True)
        with Computer.open("x11", environment=environment, receipts=False) as computer:
            with _entry(computer, environment) as dialog:
                row.ours.append(timed(lambda: computer.keyboard.write(text))[0])
                computer.keyboard.press("enter")
                _count(row.ours_right, text, _printed(dialog))
            with _entry(computer, environment) as dialog, peers(environment) as peer:
                try:
                    peer.ask("load", modules=["pyautogui"])
                    answer = peer.ask("write", text=text, pause=0, within=PEER_SECONDS)
                    row.theirs.append(answer.seconds)
                    peer.ask("press", key="enter", within=PEER_SECONDS)
                except HungError:
                    row.said = f"hung > {PEER_SECONDS:g} s"
                except FailedError as error:
                    row.said = str(error)[:40]
                _count(row.theirs_right, text, _printed(dialog))
    return row


@contextmanager
def _entry(computer: Computer, environment: Environment) -> Iterator[subprocess.Popen[str]]:
    """A dialog with one text field, which has the keyboard."""
    command = ["zenity", "--entry", "--title=Bench entry", "--text=Value"]
    dialog = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:

        def active() -> bool:
            window = computer.windows.active()
            return window is not None and window.title == "Bench entry"

        assert until(active), "zenity has not come up"
        yield dialog
    finally:
        dialog.kill()
        dialog.communicate()


def _printed(dialog: subprocess.Popen[str]) -> str:
    try:
        return dialog.communicate(timeout=DIALOG_SECONDS)[0].removesuffix("\n")
    except subprocess.TimeoutExpired:
        return ""  # Return did not arrive


def _landed(target: Child, place: tuple[int, ...]) -> bool:
    """Whether exactly one click arrived, and exactly there."""
    got: list[list[int]] = []

    def some() -> bool:
        got.extend(target.ask("clicks").value)
        return bool(got)

    until(some, 2)
    return [tuple(where) for where in got] == [place]


def _count(tally: Tally, wanted: str, got: str) -> None:
    """Add the characters that arrived in their order."""
    blocks = SequenceMatcher(None, wanted, got, autojunk=False).get_matching_blocks()
    tally.right += sum(block.size for block in blocks)
    tally.of += len(wanted)


if __name__ == "__main__":
    main()
