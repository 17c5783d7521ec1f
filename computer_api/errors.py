"""What can go wrong when the computer is asked to do something.

    ComputerError            told to the model and to the person, who may try otherwise
    ├── OffScreenError       the place is not on the picture
    ├── NotFoundError        nothing on the screen fits; names the closest
    ├── AmbiguousError       several places fit; names them all
    ├── NotTypedError        the text did not arrive; holds what was expected and what was seen
    ├── ExpectationError     what was expected did not show up in time
    ├── UnsupportedError     this desktop or this installation cannot do that
    ├── TimedOutError        it took longer than allowed
    ├── PersonActiveError    a person used the desktop meanwhile; says whether the action had begun
    └── RefusedError         a person or a rule did not allow it; holds the reason
    DesktopUnavailable       no desktop, or it went away: told to the person (from computer_platform)
    Stopped                  a person stopped the run; nothing more is done

Catch ``ComputerError`` to go on otherwise. A message says what happened, the value in quotes, and what would work.
"""

from __future__ import annotations

from computer_platform.desktop import DesktopUnavailable

__all__ = [
    "AmbiguousError",
    "ComputerError",
    "DesktopUnavailable",
    "ExpectationError",
    "NotFoundError",
    "NotTypedError",
    "OffScreenError",
    "PersonActiveError",
    "RefusedError",
    "Stopped",
    "TimedOutError",
    "UnsupportedError",
]


class ComputerError(Exception):
    """An action could not be done; the message says why and what would work. ``begun``: something of it was sent."""

    begun = False


class OffScreenError(ComputerError):
    """The place is outside the picture or the desktop; nothing was clicked."""


class NotFoundError(ComputerError):
    """Nothing on the screen fits the target; ``closest`` holds the nearest texts, best first."""

    def __init__(self, message: str, closest: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.closest = closest


class AmbiguousError(ComputerError):
    """Several places fit the target; ``candidates`` describes each, from the top of the screen."""

    def __init__(self, message: str, candidates: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.candidates = candidates


class NotTypedError(ComputerError):
    """The text did not arrive as sent; ``expected`` and ``seen`` hold both."""

    def __init__(self, message: str, expected: str = "", seen: str = "") -> None:
        super().__init__(message)
        self.expected = expected
        self.seen = seen


class ExpectationError(ComputerError):
    """What the task expected to see did not show up, or did not go away, in time."""


class UnsupportedError(ComputerError):
    """This desktop or this installation has no way to do that."""


class TimedOutError(ComputerError):
    """It took longer than allowed."""


class PersonActiveError(ComputerError):
    """A person used the desktop, so the action was broken off; ``begun`` says whether any of it had been sent."""

    def __init__(self, tools: str, *, begun: bool = False) -> None:
        super().__init__(tools)
        self.tools = tools
        self.begun = begun

    def __str__(self) -> str:
        if self.begun:
            return (
                f"The person used {self.tools} in the middle of it; whether it had its effect is not known."
            )
        return f"The person used {self.tools} before it began; nothing of it was done."


class RefusedError(ComputerError):
    """It was not allowed; the message is the reason."""


class Stopped(Exception):
    """A person stopped the run."""
