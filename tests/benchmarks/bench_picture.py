"""From the screen to a picture that a model takes, beside pyautogui with Pillow and mss with Pillow."""

from __future__ import annotations

import base64
import io
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from bare_shm import BareShm
from bed import ROOT, Child, peers, screen, window
from PIL import Image
from timing import Row, in_turn, rounds, show, timed

from computer_api.computer import Computer, PictureLimit
from computer_platform import connect

if TYPE_CHECKING:
    from collections.abc import Callable

    from bed import Answer

    from computer_platform.desktop import Desktop

SCREENS = ROOT / "fixtures" / "screens"
SHOWN = [("chromium_form_light", 20, 20), ("mousepad_menu_dark", 1180, 20), ("mousepad_text_light", 850, 500)]
LIKE = 30.0  # decibels: two ways of shrinking the same picture differ by less than this


def main() -> None:
    count = rounds(12)
    with screen((1920, 1080)) as environment, window(environment) as target, peers(environment) as peer:
        target.ask("show", pictures=[(str(SCREENS / f"{name}.png"), x, y) for name, x, y in SHOWN])
        peer.ask("load", modules=["pyautogui", "PIL.Image", "mss"])
        desktop = connect("x11", environment=environment)
        with Computer.on(desktop, environment=environment, picture=PictureLimit()) as computer:
            rows, kib = measure(computer, peer, count)
            capture = measure_capture(desktop, BareShm(environment["DISPLAY"], (1920, 1080)), 20 * count)
    show("A screen of 1920x1080 as a picture within 1568 pixels and 1.15 megapixels", rows, kib)
    show(
        "A screen of 1920x1080 as an array",
        [capture],
        "The bare call writes into memory of its own that it overwrites the next time; ours asks for the monitors, "
        "too, and its picture stays. Right: the same pixels.",
    )


def measure(computer: Computer, peer: Child, count: int) -> tuple[list[Row], str]:
    size = computer.look().size
    rows = {
        "pyautogui": Row(what="look().png()", peer="screenshot, resize, PNG"),
        "PNG": Row(what="look().png()", peer="mss, resize, PNG"),
        "JPEG": Row(what="look().jpeg()", peer="mss, resize, JPEG q88 4:4:4"),
        "quiet": Row(what="observe().jpeg(), when the screen is quiet", peer="-"),
    }
    last: dict[str, tuple[bytes, bytes]] = {}

    def one(key: str, ours: Callable[[], bytes], theirs: Callable[[], Answer] | None) -> None:
        row = rows[key]
        seconds, picture = timed(ours)
        row.ours.append(seconds)
        if theirs is None:
            return
        answer = theirs()
        row.theirs.append(answer.seconds)
        other = base64.b64decode(answer.value)
        last[key] = picture, other
        row.ours_right.count(right=_alike(picture, other, (size.width, size.height)))
        row.theirs_right.count(right=_alike(other, picture, (size.width, size.height)))

    grab = partial(peer.ask, "grab", width=size.width, height=size.height)
    screenshot = partial(peer.ask, "screenshot", width=size.width, height=size.height)
    in_turn(
        count + 1,
        partial(one, "pyautogui", lambda: computer.look().png(), screenshot),
        partial(one, "PNG", lambda: computer.look().png(), partial(grab, kind="PNG")),
        partial(one, "JPEG", lambda: computer.look().jpeg(), partial(grab, kind="JPEG")),
        partial(one, "quiet", lambda: computer.observe().jpeg(), None),
    )
    for row in rows.values():
        del row.ours[0], row.theirs[:1]  # the first of each loads what it needs
    sizes = "; ".join(
        f"{key} {len(ours) / 1024:.0f} and {len(theirs) / 1024:.0f}" for key, (ours, theirs) in last.items()
    )
    return list(
        rows.values()
    ), f"KiB of ours and theirs: {sizes}. Right: of that size, and like the other's picture."


def measure_capture(desktop: Desktop, bare: BareShm, count: int) -> Row:
    row = Row(what="capture()", peer="XShmGetImage alone")

    def ours() -> None:
        seconds, frame = timed(desktop.capture)
        row.ours.append(seconds)
        row.ours_right.count(right=frame.pixels[..., :3].tobytes() == _without_x(bare.pixels()))

    def theirs() -> None:
        seconds, _ = timed(bare.grab)
        row.theirs.append(seconds)

    theirs()
    for _ in range(3):
        ours()
    row.theirs.clear()
    row.ours.clear()
    for _ in range(count):
        seconds, _ = timed(desktop.capture)
        row.ours.append(seconds)
        theirs()
    return row


def _without_x(pixels: bytes) -> bytes:
    return np.frombuffer(pixels, np.uint8).reshape(-1, 4)[:, :3].tobytes()


def _alike(picture: bytes, other: bytes, size: tuple[int, int]) -> bool:
    """Whether the picture has the size asked for and shows what the other does."""
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    same = Image.open(io.BytesIO(other)).convert("RGB")
    if image.size != size or same.size != size:
        return False
    error = np.square(np.asarray(image, dtype=float) - np.asarray(same, dtype=float)).mean()
    return bool(10 * np.log10(255**2 / max(error, 1e-9)) > LIKE)


if __name__ == "__main__":
    main()
