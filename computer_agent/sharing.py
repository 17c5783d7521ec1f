"""One desktop, two users: while the person works on it themselves the agent lets go, asks or waits, and says so."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from computer_agent.step import Paused
from computer_api.errors import Stopped

if TYPE_CHECKING:
    from collections.abc import Callable

    from computer_agent.settings import ShareMode
    from computer_agent.step import Event
    from computer_agent.trace.record import Then
    from computer_agent.trace.writer import TraceWriter
    from computer_api.gestures import Doings
    from computer_api.presence import Presence
    from computer_platform.desktop import Desktop

    GoOn = Callable[[str], bool | None]

QUIET_SECONDS = 5.0
_PIECE_SECONDS = 0.05


def nobody_to_ask(_words: str) -> bool | None:
    """The answer where there is no terminal to ask on."""
    return None


@dataclass(slots=True, kw_only=True)
class Sharing:
    """What the agent does about the person's own work, which breaks its actions off unless ``mode`` is ``off``.

    ``go_on`` tells the person what they did and asks whether to go on; ``None`` is the answer where nobody can be
    asked. Then, as in the mode ``wait``, it goes on when the person has done nothing for ``quiet`` seconds.
    """

    presence: Presence
    desktop: Desktop
    trace: TraceWriter
    tell: Callable[[Event], None]
    mode: ShareMode = "ask"
    go_on: GoOn = nobody_to_ask
    quiet: float = QUIET_SECONDS
    check: Callable[[], None] = lambda: None
    _notes: list[str] = field(default_factory=list, init=False)
    _released: tuple[str, ...] = field(default=(), init=False)

    def __post_init__(self) -> None:
        self.presence.pausing = self.mode != "off"

    def settle(self, step: int, *, broken_off: bool = False) -> None:
        """If the person is at work, let them finish. Raises ``Stopped`` when they want an end."""
        doings = self._doings()
        if doings is None:
            return
        released = self._let_go()
        self._released += released
        then = self._finished(doings)
        doings = self._doings() or doings  # with what they did until they were quiet
        self._write(step, then)
        self.presence.go_on()
        if then == "stopped":
            raise Stopped("You stopped the run.")
        self._notes.append(_note(doings, released, broken_off=broken_off))

    def notes(self) -> tuple[str, ...]:
        """The sentences that the model has not been told yet."""
        notes, self._notes = tuple(self._notes), []
        return notes

    def released(self) -> tuple[str, ...]:
        """The keys and buttons that were let go of, and that nobody has been told of yet."""
        released, self._released = self._released, ()
        return released

    def end(self, step: int) -> None:
        """The run is over: what the person did last is written too."""
        if self._doings() is not None:
            self._write(step, "ended")

    def _doings(self) -> Doings | None:
        return self.presence.doings() if self.mode != "off" else None

    def _let_go(self) -> tuple[str, ...]:
        """Leave nothing pressed while the person works; what was, when they began."""
        held = self.desktop.held()
        if held:
            self.desktop.release_all()
        return tuple(sorted(held | self.presence.released))

    def _finished(self, doings: Doings) -> Then:
        words = f"You used {doings.tools()}."
        if self.mode == "ask":
            with self.presence.asking():
                answer = self.go_on(words)
            if answer is not None:
                return "told to go on" if answer else "stopped"
        self.tell(Paused(words=f"{words} It goes on when you have done nothing for {self.quiet:g} seconds."))
        while (left := self.quiet - self.presence.quiet_seconds()) > 0:
            self.presence.check_stop()
            self.check()
            time.sleep(min(left, _PIECE_SECONDS))
        return "quiet"

    def _write(self, step: int, then: Then) -> None:
        doings = self._doings()
        if doings is not None:
            self.trace.person(step, doings, then)


def _note(doings: Doings, released: tuple[str, ...], *, broken_off: bool) -> str:
    said = [f"The person used {doings.tools()} meanwhile", "the screen may have changed"]
    if broken_off:
        said.append("the last action was broken off")
    if released:
        said.append(f"what was held down was released ({', '.join(released)})")
    return "; ".join(said) + "."
