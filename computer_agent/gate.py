"""The agent's gate: approve, perform, receipt, record. Everything that acts in a run passes here."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, assert_never

from computer_agent.approval.approval import Allow, Proposal, Refuse, Resolved, Stop
from computer_agent.sharing import Sharing
from computer_agent.step import Deciding, Done, NotDone, Performed
from computer_api.actions import (
    AnswerPrompt,
    AskModel,
    Browse,
    HoldKeys,
    KeyDown,
    KeyUp,
    Notify,
    PressKeys,
    RunCode,
    TypeText,
    secret_text,
    targets_of,
)
from computer_api.errors import ComputerError, PersonActiveError, RefusedError, Stopped

if TYPE_CHECKING:
    from computer_agent.approval.approval import Approval
    from computer_agent.step import Event, Outcome
    from computer_agent.trace.writer import TraceWriter
    from computer_api.actions import Action
    from computer_api.computer import Computer
    from computer_api.receipt import Receipt
    from computer_api.terminal.sandbox import Denial
    from computer_platform.desktop import Window


_HIDDEN = "•••"


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What the person wants done about code that was denied something: this action, ``words`` to the model."""

    action: RunCode
    by: str
    words: str


OnDenied = Callable[[RunCode, "tuple[Denial, ...]"], Offer | None]


def _leave(_action: RunCode, _denied: tuple[Denial, ...]) -> None:
    """Leave it at that: nobody is asked."""


_INTO_ACTIVE = (TypeText, PressKeys, HoldKeys, KeyDown, KeyUp)


class ApprovalGate:
    """Asks the approval, writes the intent before and the result after, tells the view both.

    ``sharing`` says what happens while the person uses the desktop; without it nothing does. ``before_code`` is called
    when code was approved and has not begun, ``after_code`` when it has ended;
    ``on_denied`` asks what to do about code that the sandbox stopped, and
    ``on_lost`` is told of a language whose worker is gone with all that was set in it.
    """

    def __init__(
        self,
        computer: Computer,
        approval: Approval,
        trace: TraceWriter,
        tell: Callable[[Event], None],
        sharing: Sharing | None = None,
    ) -> None:
        self._computer = computer
        self.approval = approval
        self._trace = trace
        self._tell = tell
        self.sharing = sharing or Sharing(
            presence=computer.presence, desktop=computer.desktop, trace=trace, tell=tell, mode="off"
        )
        self._depth = 0
        self._secrets: set[str] = set()
        self.before_code: Callable[[RunCode], None] = lambda _code: None
        self.after_code: Callable[[], None] = lambda: None
        self.on_denied: OnDenied = _leave
        self.on_lost: Callable[[str], None] = lambda _language: None
        self.step = 0  # the loop's turn, for the trace

    def record_in(self, trace: TraceWriter) -> None:
        """Write what is done from now on into another trace, as the next turn of a conversation does."""
        self._trace = self.sharing.trace = trace

    def __call__(self, action: Action, perform: Callable[[Action], Receipt]) -> Receipt:
        """Raises ``RefusedError``, ``Stopped``, and whatever ``perform`` raises."""
        if self._depth == 0:
            return self._through(action, perform, nested=False)
        while True:
            try:
                return self._through(action, perform, nested=True)
            except PersonActiveError as active:
                if active.begun:
                    raise
                self.sharing.settle(self.step)  # the code waits for its answer; nobody decides anew

    def _through(self, action: Action, perform: Callable[[Action], Receipt], *, nested: bool) -> Receipt:
        try:
            self._computer.presence.check()
            approval, resolved = self._approved(action, nested=nested)
        except ComputerError as error:
            self._not_let_through(action, error, nested=nested)
            raise
        asked, action = action, approval.instead or action
        receipt = self._done(action, perform, approval=approval, resolved=resolved, nested=nested)
        if action is not asked:
            receipt = replace(receipt, output=_changed(action) + receipt.output)
        if receipt.denied and isinstance(action, RunCode):
            return self._less_confined(action, receipt, perform, nested=nested)
        return receipt

    def _done(
        self,
        action: Action,
        perform: Callable[[Action], Receipt],
        *,
        approval: Allow,
        resolved: Resolved | None,
        nested: bool,
    ) -> Receipt:
        """Do what was approved, and record it before and after."""
        self._tell(Deciding(action=action, nested=nested))
        bound = f" (sha256 {approval.digest})" if approval.digest else ""
        intent = self._trace.intent(
            self.step, action, approval=approval.by + bound, nested=nested, into=self._receiver(action)
        )
        if text := secret_text(action):
            self._secrets.add(text)
        self._depth += 1
        try:
            with self._computer.only_as_shown(() if resolved is None else resolved.shown):
                self._give_keyboard(resolved)
                writes = isinstance(action, RunCode) and not approval.harmless
                if isinstance(action, RunCode) and writes:
                    self.before_code(action)
                receipt = self._without_secrets(perform(action))
                if writes:
                    self.after_code()
        except ComputerError as error:
            self._close(intent, not_done(action, error), nested=nested)
            raise
        finally:
            self._depth -= 1
        self._close(intent, Done(action=action, receipt=receipt), nested=nested)
        if receipt.lost_state and isinstance(action, RunCode):
            self.on_lost(action.language)
        return receipt

    def _less_confined(
        self, action: RunCode, receipt: Receipt, perform: Callable[[Action], Receipt], *, nested: bool
    ) -> Receipt:
        """Run code that the sandbox denied something once more, if the person wants that; never by itself."""
        offer = self.on_denied(action, receipt.denied)
        if offer is None:
            return receipt
        approval = Allow(offer.by)
        again = self._done(offer.action, perform, approval=approval, resolved=None, nested=nested)
        return replace(
            again, output=f"{receipt.output}[{offer.words}, and the code ran again:]\n{again.output}"
        )

    def asking(self, ask: Callable[[str, bool], str | None]) -> Callable[[str, bool], str | None]:
        """The question for a line that a program waits for: what is secret in the answer is hidden from then on."""

        def asked(question: str, secret: bool) -> str | None:  # noqa: FBT001 - the seam's
            with self._computer.presence.asking():
                line = ask(question, secret)
            if secret and line:
                self._secrets.add(line)
            return line

        return asked

    def _without_secrets(self, receipt: Receipt) -> Receipt:
        """The receipt with the secrets that were typed so far hidden: it goes to the view and to the model."""
        if receipt.value is not None and any(secret in receipt.value for secret in self._secrets):
            receipt = replace(receipt, value=_HIDDEN)
        # Copied from where it was typed, and read from the clipboard; or shown again by the program it was typed for.
        receipt = replace(receipt, output=self.hide(receipt.output))
        return receipt

    def keep_secret(self, texts: Iterable[str]) -> None:
        """Hide these from now on, too, such as the keys of this run's model."""
        self._secrets.update(texts)

    def hide(self, text: str) -> str:
        """The text without the secrets that are known so far."""
        for secret in self._secrets:
            text = text.replace(secret, _HIDDEN)
        return text

    def _approved(self, action: Action, *, nested: bool) -> tuple[Allow, Resolved | None]:
        """Who allowed it, and what that person was shown; None where nobody was asked."""
        resolved: list[Resolved] = []

        def resolve() -> Resolved:
            if not resolved:  # once: it costs a look at the screen
                resolved.append(self._resolved(action))
            return resolved[-1]

        proposal = Proposal(action=action, nested=nested, resolve=resolve, receiver=self._computer.receiving)
        decision = self.approval.decide(proposal)
        match decision:
            case Allow():
                return decision, resolved[-1] if resolved else None
            case Refuse(why):
                raise RefusedError(why)
            case Stop():
                raise Stopped("You stopped the run.")
            case _:
                assert_never(decision)

    def _not_let_through(self, action: Action, error: ComputerError, *, nested: bool) -> None:
        """Record what was refused, or could not even be asked about because its target is not there."""
        approval = f"refused: {error}" if isinstance(error, RefusedError) else "nobody was asked"
        intent = self._trace.intent(self.step, action, approval=approval, nested=nested)
        self._close(intent, not_done(action, error), nested=nested)

    def _resolved(self, action: Action) -> Resolved:
        if isinstance(action, RunCode | AnswerPrompt | Browse | Notify | AskModel):
            return Resolved(shown=(), screenshot=None)
        shown = tuple(self._computer.show(target) for target in targets_of(action))
        screenshot = self._computer.covering.cover(self._computer.look())
        return Resolved(shown=shown, screenshot=screenshot, receiver=self._receiver(action))

    def _receiver(self, action: Action) -> Window | None:
        """The window that an action without a target of its own would reach."""
        if targets_of(action) or not isinstance(action, _INTO_ACTIVE):
            return None
        return self._computer.receiving()

    def _give_keyboard(self, resolved: Resolved | None) -> None:
        """Have the keys go into the window that the person was asked about: they may have used another meanwhile.

        Raises ``ComputerError`` when it is gone, or does not take the keyboard.
        """
        asked = None if resolved is None else resolved.receiver
        manager = self._computer.desktop.windows
        if asked is None or manager is None or self._receives(asked):
            return
        if any(window.id == asked.id for window in manager.all()):
            manager.activate(asked)
        if not self._receives(asked):
            raise ComputerError(
                f'The window "{asked.title or asked.app}", which had the keyboard when you were asked, does not have '
                "it now, so nothing was done."
            )

    def _receives(self, window: Window) -> bool:
        now = self._computer.receiving()
        return now is not None and now.id == window.id

    def _close(self, intent: int, outcome: Outcome, *, nested: bool) -> None:
        self._trace.result(intent, outcome)
        self._tell(Performed(outcome=outcome, nested=nested))


def _changed(action: Action) -> str:
    """What the model is told about code that the person changed."""
    return (
        f"[The person changed the code before it ran, to:]\n{action.code}\n"
        if isinstance(action, RunCode)
        else ""
    )


def not_done(action: Action, error: ComputerError) -> NotDone:
    """The outcome of an action that ended with that error."""
    if isinstance(error, PersonActiveError):
        return NotDone(action=action, why=str(error), kind="interrupted", begun=error.begun)
    kind: Literal["refused", "error"] = "refused" if isinstance(error, RefusedError) else "error"
    return NotDone(action=action, why=str(error), kind=kind)
