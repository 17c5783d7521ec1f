"""The loop: observe, decide, approve, perform, record. The file to read first.

``run`` yields an event for each turn of the loop; what happens inside a turn (the model's words, a code
step's output, each action) goes to ``agent.tell`` as it happens. Both are the same events.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from computer_agent.context.numbers import check_still
from computer_agent.gate import not_done
from computer_agent.limits import Limits, OverdueError, all_steps_taken, nudge, overdue, reached
from computer_agent.models.model import ModelError, OverBudget
from computer_agent.step import (
    Act,
    Answer,
    Done,
    Finished,
    Looking,
    NotDone,
    Observation,
    Spent,
    Started,
    Step,
    Stepped,
    Thinking,
)
from computer_agent.trace.errors import TraceError
from computer_agent.window_news import window_news
from computer_api.errors import ComputerError, DesktopUnavailable, PersonActiveError, Stopped
from computer_api.settle import alike

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from computer_agent.gate import ApprovalGate
    from computer_agent.models.model import Model
    from computer_agent.step import Ending, Event, Outcome, SafetyCheck, Said, Usage
    from computer_agent.trace.writer import TraceWriter
    from computer_api.actions import Action
    from computer_api.computer import Computer
    from computer_api.elements import ScreenElement
    from computer_api.screenshot import Screenshot


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """What a run needs, put together by ``assemble``. ``gate`` is the computer's gate already.

    ``title`` is the task as it is shown and recorded: with secrets hidden. ``lists_elements`` lists with each
    observation what can be acted on, for models that are shown numbers or words. ``halted`` is called when nothing acts
    any more and the trace is whole, before anything is tidied up. ``set_aside`` asks the person about the safety checks
    of a provider; without it nobody sets one aside. One that does not ``look`` is shown no screen.
    """

    title: str
    model: Model
    computer: Computer
    gate: ApprovalGate
    trace: TraceWriter
    tell: Callable[[Event], None]
    limits: Limits = field(default_factory=Limits)
    halted: Callable[[], None] = lambda: None
    set_aside: Callable[[tuple[SafetyCheck, ...]], bool] = lambda _checks: False
    lists_elements: bool = False
    looks: bool = True


@dataclass(slots=True, kw_only=True)
class Memory:
    """What a run goes on from, and adds its steps to.

    ``past`` are the steps of the earlier turns of a conversation, and ``said`` is what the person says now; the first
    words of one are the task itself.
    """

    past: list[Step] = field(default_factory=list)
    said: Said | None = None
    _earlier: int = field(init=False)

    def __post_init__(self) -> None:
        self._earlier = len(self.past)

    @property
    def own(self) -> list[Step]:
        """The steps of this run alone: its limits are about these."""
        return self.past[self._earlier :]


def run(task: str, agent: Agent, memory: Memory | None = None) -> Generator[Event, None, None]:
    """Do a task; the last event is ``Finished``. However it ends, the trace says so and nothing stays pressed.

    Whoever takes no more events closes the generator (``contextlib.closing``): that stops the run. ``memory`` makes it
    a turn of a conversation.
    """
    memory = memory or Memory()
    began = time.monotonic()
    agent.computer.stop_when(lambda: _check_time(agent.limits, began))
    agent.gate.sharing.check = lambda: _check_time(agent.limits, began)
    finished = _finished("failed", "The run broke off.", memory, began)  # unless something better is known
    try:
        yield _started(agent)
        finished = yield from _turns(task, agent, memory, began)
    except OverdueError as late:
        finished = _finished("limit", str(late), memory, began)
    except OverBudget as dear:
        finished = _finished("limit", str(dear), memory, began, dear.usage)
    except (KeyboardInterrupt, Stopped):
        how = agent.computer.presence.stopped or "You stopped the run."
        finished = _finished("stopped", how, memory, began)
    except GeneratorExit:
        how = agent.computer.presence.stopped or "The run was stopped."
        finished = _finished("stopped", how, memory, began)
        raise
    except ModelError as error:  # a provider may repeat the key that it refuses
        finished = _finished("failed", agent.gate.hide(str(error)), memory, began, error.usage)
    except (DesktopUnavailable, TraceError) as error:
        finished = _finished("failed", str(error), memory, began)
    finally:
        finished = _ended(agent, finished)
    yield finished


def _started(agent: Agent) -> Started:
    return Started(
        task=agent.title,
        model=agent.model.name,
        desktop=agent.computer.desktop.name,
        trace=str(agent.trace.folder),
    )


def _ended(agent: Agent, finished: Finished) -> Finished:
    """Let go of what is pressed and write the end; a run whose end cannot be written has failed, whatever it did."""
    try:
        return _concluded(agent, finished)
    except KeyboardInterrupt:  # it ends already
        return _concluded(agent, finished)
    finally:
        agent.halted()


def _concluded(agent: Agent, finished: Finished) -> Finished:
    desktop = agent.computer.desktop
    with suppress(DesktopUnavailable):  # what is gone holds nothing down
        if desktop.held():
            desktop.release_all()
    try:
        agent.gate.sharing.end(agent.gate.step)
        agent.trace.end(finished.ending, finished.words, finished.spent)
    except TraceError as error:
        if finished.ending != "failed":
            return replace(finished, ending="failed", words=str(error))
    return finished


def _turns(task: str, agent: Agent, memory: Memory, began: float) -> Generator[Event, None, Finished]:
    """One turn after the other until the model answers or a limit is reached."""
    outcomes: tuple[Outcome, ...] = ()
    past = memory.past
    while True:
        reason = reached(agent.limits, _spent(memory, began), memory.own)
        if reason is not None:
            return _finished("limit", reason, memory, began)
        turn = time.monotonic()
        number = agent.gate.step = len(past) + 1
        now = _observed(agent, memory, outcomes)
        agent.trace.observation(number, now)
        yield Looking(number=number, seen=now)
        reply = agent.model.decide(task, past, now, lambda text: _think(agent, text, began))
        agent.trace.decision(number, reply)
        if isinstance(reply, Answer):
            return _finished("done" if reply.done else "gave up", reply.text, memory, began, reply.usage)
        if reply.checks and not agent.set_aside(reply.checks):
            return _finished("stopped", _doubted(reply.checks), memory, began, reply.usage)
        reason = all_steps_taken(agent.limits, _spent(memory, began))
        if reason is not None:
            return _finished("limit", reason, memory, began, reply.usage)
        outcomes = _performed(agent.computer, reply, _last_picture(past, now))
        seconds = time.monotonic() - turn
        past.append(Step(number=number, seen=now, act=reply, outcomes=outcomes, seconds=seconds))
        yield Stepped(step=past[-1], spent=_spent(memory, began))
        if reply.then is not None and all(map(_is_so, outcomes)):
            agent.trace.decision(number + 1, reply.then)
            return _finished("done", reply.then.text, memory, began)


def _doubted(checks: tuple[SafetyCheck, ...]) -> str:
    said = " ".join(check.message or check.code for check in checks)
    return f'The model\'s provider wants a person to confirm this step, and nobody did. It said: "{said}"'


def _is_so(outcome: Outcome) -> bool:
    return isinstance(outcome, Done) and not outcome.receipt.failed


def _think(agent: Agent, text: str, began: float) -> None:
    """A piece of the model's text; also the moment at which a slow reply meets the limit of time."""
    agent.tell(Thinking(text=text))
    _check_time(agent.limits, began)


def _check_time(limits: Limits, began: float) -> None:
    """Asked between and inside actions: a limit of time holds in the middle of a long wait too."""
    late = overdue(limits, time.monotonic() - began)
    if late is not None:
        raise OverdueError(late)


def _observed(agent: Agent, memory: Memory, outcomes: tuple[Outcome, ...]) -> Observation:
    """The screen once it is quiet, or that it is unchanged, with what became of the last actions."""
    past = memory.own  # a trace holds one turn of a conversation, and its first picture
    said = None if past else memory.said
    note = nudge(past)
    if not agent.looks:
        return Observation(
            screenshot=None, outcomes=outcomes, notes=() if note is None else (note,), said=said
        )
    screenshot = _seen(agent, broken_off=bool(past) and past[-1].interrupted)
    windows = agent.computer.windows.all()
    news = window_news(past[-1].seen.windows, windows, outcomes) if past else ()
    last = next((step for step in reversed(past) if step.seen.screenshot is not None), None)
    unchanged = (
        last is not None
        and last.seen.screenshot is not None
        and alike(last.seen.screenshot.frame, screenshot.frame)
    )
    elements = None
    if agent.lists_elements:
        known = last.seen.elements if last is not None and unchanged else None
        elements = known or agent.computer.elements(screenshot)
    return Observation(
        screenshot=None if unchanged else screenshot,
        unchanged_since=last.number if last is not None and unchanged else None,
        outcomes=outcomes,
        notes=(
            *agent.gate.sharing.notes(),
            *news,
            *(() if note is None else (note,)),
            *_unsure(last, screenshot),
        ),
        windows=windows,
        released=agent.gate.sharing.released(),
        elements=elements,
        said=said,
    )


def _unsure(last: Step | None, screenshot: Screenshot) -> tuple[str, ...]:
    """Say, once, that a password field may be seen: a program did not answer in time."""
    before = None if last is None else last.seen.screenshot
    if screenshot.sure or (before is not None and not before.sure):
        return ()
    return ("A program did not say where its password fields are, so one may not be covered on the picture.",)


def _last_picture(past: Sequence[Step], now: Observation) -> Screenshot | None:
    """The picture that the model saw last: the screen as it decided on it."""
    seen = [*(step.seen for step in past), now]
    return next((one.screenshot for one in reversed(seen) if one.screenshot is not None), None)


def _seen(agent: Agent, *, broken_off: bool) -> Screenshot:
    """The screen, once the person has done what they are doing there."""
    while True:
        agent.gate.sharing.settle(agent.gate.step, broken_off=broken_off)
        with suppress(PersonActiveError):
            return agent.computer.observe()


def _performed(computer: Computer, act: Act, seen: Screenshot | None) -> tuple[Outcome, ...]:
    """Do the actions in order; after the first that fails or is refused, the rest come back as not done."""
    outcomes: list[Outcome] = []
    for action, meant in zip(act.actions, act.meant or ((),) * len(act.actions), strict=True):
        if outcomes and isinstance(outcomes[-1], NotDone):
            why = "an action before it was not done"
            outcomes.append(NotDone(action=action, why=why, kind="skipped"))
        else:
            outcomes.append(_outcome(computer, action, partial(_check, computer, meant, seen)))
    return tuple(outcomes)


def _check(computer: Computer, meant: tuple[ScreenElement, ...], seen: Screenshot | None) -> None:
    """Raise ``ComputerError`` for an element that is not what it was when it got its number."""
    for element in meant:
        if seen is not None:
            check_still(computer, element, seen)


def _outcome(computer: Computer, action: Action, check: Callable[[], None]) -> Outcome:
    try:
        return Done(action=action, receipt=computer.perform(action, first=check))
    except ComputerError as error:
        return not_done(action, error)


def _spent(memory: Memory, began: float, last: Usage | None = None) -> Spent:
    past = memory.own
    usages = [step.act.usage for step in past] + ([] if last is None else [last])
    known = [usage.dollars for usage in usages if usage.dollars is not None]
    return Spent(
        steps=len(past),
        seconds=time.monotonic() - began,
        dollars=sum(known) if len(known) == len(usages) else None,
        tokens=sum(usage.tokens_in + usage.tokens_out for usage in usages),
    )


def _finished(
    ending: Ending, words: str, memory: Memory, began: float, usage: Usage | None = None
) -> Finished:
    return Finished(ending=ending, words=words, spent=_spent(memory, began, usage))
