"""What is done with windows that are there: focus, close, arrange, place, wait for; each checked, each honest.

A window manager takes requests and promises nothing, and a program may have its own will. So after each request
the windows are listed again, and what is not as it was asked for is an error that says how it is.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from computer_api import actions
from computer_api.errors import ComputerError, NotFoundError, OffScreenError, TimedOutError, UnsupportedError
from computer_api.geometry import Box
from computer_api.programs import launch
from computer_api.titles import Meaning, meaning_of, named, window_meant
from computer_platform.desktop import Area

if TYPE_CHECKING:
    from collections.abc import Callable

    from computer_api.acting import Acting
    from computer_api.receipt import Receipt
    from computer_platform.desktop import Window, Windows

WindowAction = (
    actions.OpenApp
    | actions.FocusWindow
    | actions.CloseWindow
    | actions.ArrangeWindow
    | actions.PlaceWindow
    | actions.WaitForWindow
)

_CLOSE_SECONDS = 5.0  # a program may have much to put away
_ASKING_SECONDS = 0.3
_POLL_SECONDS = 0.02
_WAIT_POLL_SECONDS = 0.05
_SMALLEST = 1
_LARGEST = 32_767  # points; beyond that X11 and others count into the negative


def perform_on_windows(acting: Acting, action: WindowAction) -> Receipt:
    """Do it and say what came of it; where a window ended up is the receipt's ``output``.

    Raises ``NotFoundError`` and ``AmbiguousError`` for a title that means no window or several,
    ``UnsupportedError`` where no window manager answers, ``TimedOutError`` for a wait in vain, and
    ``ComputerError`` when the window did not do what it was asked.
    """
    said: list[str] = []

    def act() -> None:
        said.append(_done(acting, action))

    receipt = acting.watched((), act)
    return replace(receipt, output="; ".join(filter(None, said)))


def manager_of(acting: Acting) -> Windows:
    """The desktop's window manager. Raises ``UnsupportedError``."""
    manager = acting.desktop.windows
    if manager is None:
        raise UnsupportedError(f"The {acting.desktop.name} desktop has no window manager that answers.")
    return manager


def _done(acting: Acting, action: WindowAction) -> str:
    """What is to be said of it beside what the screen shows."""
    match action:
        case actions.OpenApp():
            return launch(acting, action)
        case actions.FocusWindow(title=title):
            return _focus(*_meant(acting, title))
        case actions.CloseWindow(title=title):
            return _close(acting, *_meant(acting, title))
        case actions.ArrangeWindow(title=title, how=how):
            return _arrange(*_meant(acting, title), how)
        case actions.PlaceWindow():
            return _place(acting, *_meant(acting, action.title), action)
        case actions.WaitForWindow():
            _wait_for(acting, action)
            return ""
        case _:
            assert_never(action)


def _meant(acting: Acting, title: str) -> tuple[Windows, Window]:
    manager = manager_of(acting)
    return manager, window_meant(manager.all(), title)


def _focus(manager: Windows, window: Window) -> str:
    manager.activate(window)
    now = _now(manager, window)
    if not now.active:
        active = next((one for one in manager.all() if one.active), None)
        if active is not None and active.dialog_of == window.id:
            raise ComputerError(
                f"{named(window)} cannot have the keyboard while its dialog {named(active)} is open."
            )
        has = "no window" if active is None else named(active)
        raise ComputerError(f"{named(window)} was asked to take the keyboard, but {has} has it.")
    return ""


def _close(acting: Acting, manager: Windows, window: Window) -> str:
    """It may ask first whether to save: then that is said, and it counts as done what could be done."""
    before = {one.id for one in manager.all()}
    manager.close(window)
    asking: list[Window] = []

    def gone() -> bool:
        return all(one.id != window.id for one in manager.all())

    def answered() -> bool:
        stack = manager.all()
        asking[:] = [one for one in stack if one.id not in before and _belongs(one, window)]
        return bool(asking) or all(one.id != window.id for one in stack)

    if not _waited(acting, answered, _CLOSE_SECONDS):
        open_ones = [one for one in manager.all() if one.dialog_of == window.id]
        asks = (
            f"Its dialog {named(open_ones[-1])} is open." if open_ones else "Look whether it asks something."
        )
        raise ComputerError(
            f"{named(window)} was asked to close and is still open after {_CLOSE_SECONDS:g} s. {asks}"
        )
    # What opens may also be another window of the program, which this one makes room for.
    if not asking or _waited(acting, gone, _ASKING_SECONDS):
        return ""
    return f"{named(window)} is still open: it asks in {named(asking[-1])}"


def _belongs(dialog: Window, window: Window) -> bool:
    """Whether a new window is a question of this one."""
    return dialog.dialog_of == window.id or (dialog.pid is not None and dialog.pid == window.pid)


def _arrange(manager: Windows, window: Window, how: actions.Arrangement) -> str:
    if not manager.managed and how != "raise":
        raise UnsupportedError(f"{named(window)} cannot be asked to {how}: no window manager runs here.")
    if how == "raise" and window.hidden:
        manager.activate(window)  # to restore it would also undo that it is maximised
    manager.arrange(window, how)
    stack = manager.all()
    now = _now(manager, window)
    match how:
        case "raise":
            over = [one for one in _above(stack, now) if one.dialog_of != now.id]
            if over:
                raise ComputerError(f"{named(window)} was raised, but {named(over[-1])} stays above it.")
        case "maximize":
            _must(now, now.maximized, "be maximised", "it is not")
        case "minimize":
            _must(now, now.hidden, "be minimised", "it still shows")
        case "restore":
            _must(now, not now.hidden, "come back", "it is still hidden")
            _must(now, not now.maximized, "be as large as before", "it is still maximised")
        case _:
            assert_never(how)
    return ""


def _above(stack: tuple[Window, ...], window: Window) -> list[Window]:
    """The windows that cover a part of it."""
    at = next((index for index, one in enumerate(stack) if one.id == window.id), len(stack))
    return [
        one for one in stack[at + 1 :] if not one.hidden and Box(*one.outside).overlap(Box(*window.outside))
    ]


def _must(window: Window, fact: bool, asked: str, instead: str) -> None:  # noqa: FBT001 - a fact, not a flag
    if not fact:
        raise ComputerError(f"{named(window)} was asked to {asked}, but {instead}.")


def _place(acting: Acting, manager: Windows, window: Window, action: actions.PlaceWindow) -> str:
    """The frame goes with it: the place and the size are those of all that a person sees of the window."""
    asked = (action.left, action.top, action.width, action.height)
    _check(action, asked)
    if window.hidden or window.maximized:
        manager.arrange(window, "restore")
        window = _now(manager, window)
    seen, before = acting.locator.as_seen(acting.look()), Box(*window.outside)
    pixels = seen.rectangle(before)
    left, top, width, height = (now if new is None else new for new, now in zip(asked, pixels, strict=True))
    new = seen.box_at(left, top, width, height)
    wanted = Box(  # what is to stay stays exactly, whatever the picture's scale
        before.left if action.left is None else new.left,
        before.top if action.top is None else new.top,
        before.width if action.width is None else new.width,
        before.height if action.height is None else new.height,
    )
    if max(wanted.width, wanted.height) > _LARGEST:
        raise UnsupportedError(f"No window can be {width}x{height}. The picture is {seen.size}.")
    if not wanted.overlap(seen.box):
        raise OffScreenError(f"There {named(window)} would be out of sight; the picture is {seen.size}.")
    manager.move(window, _inside(window, wanted))
    after = Box(*_now(manager, window).outside)
    left, top, width, height = seen.rectangle(after)
    if after == before != wanted:
        raise ComputerError(f"{named(window)} did not follow: it stays {width}x{height} at {left},{top}.")
    return f"now {width}x{height} at {left},{top}"


def _check(action: actions.PlaceWindow, asked: tuple[int | None, ...]) -> None:
    if all(value is None for value in asked):
        raise UnsupportedError(
            f'"{action.title}" was to be placed nowhere: give left and top, or width and height.'
        )
    for name, value in (("width", action.width), ("height", action.height)):
        if value is not None and value < _SMALLEST:
            raise UnsupportedError(f'A {name} of "{value}" is none: give at least {_SMALLEST} pixel.')


def _inside(window: Window, outside: Box) -> Area:
    """The window's area when all of it with its frame is there."""
    frame, area = window.outside, window.area
    return Area(
        outside.left + area.left - frame.left,
        outside.top + area.top - frame.top,
        max(_SMALLEST, outside.width - (frame.width - area.width)),
        max(_SMALLEST, outside.height - (frame.height - area.height)),
    )


def _wait_for(acting: Acting, action: actions.WaitForWindow) -> None:
    """A window that goes and another that then fits less well are two: the second is not waited for."""
    manager = manager_of(acting)
    if not action.title.strip():
        raise NotFoundError(
            f"\"{action.title}\" is no title to wait for. Give the window's, or its program's name."
        )
    fixed: list[Meaning] = []

    def happened() -> bool:
        stack = manager.all()
        if not action.gone:
            return meaning_of(stack, action.title) is not None
        meaning = fixed[0] if fixed else meaning_of(stack, action.title)
        if meaning is None:
            return True
        fixed[:] = [meaning]
        return not any(meaning.fits(window) for window in stack)

    if _waited(acting, happened, action.seconds, poll=_WAIT_POLL_SECONDS):
        return
    if action.gone:
        raise TimedOutError(f'The window "{action.title}" is still open after {action.seconds:g} s.')
    titles = ", ".join(named(window) for window in manager.all()) or "none"
    raise TimedOutError(
        f'No window called "{action.title}" has opened in {action.seconds:g} s. Open are: {titles}.'
    )


def _now(manager: Windows, window: Window) -> Window:
    """How the window is now. Raises ``NotFoundError`` when it has closed meanwhile."""
    for one in manager.all():
        if one.id == window.id:
            return one
    raise NotFoundError(f"{named(window)} has closed meanwhile.")


def _waited(acting: Acting, fact: Callable[[], bool], seconds: float, poll: float = _POLL_SECONDS) -> bool:
    """Whether the fact came true in that time."""
    until = time.monotonic() + seconds
    while not fact():
        if time.monotonic() >= until:
            return False
        acting.wait(poll)
    return True
