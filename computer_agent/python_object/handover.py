"""A turn on a thread of its own, which hands over one chunk at a time to whoever iterates, and waits until it is taken.

The loop is synchronous and tells what happens by calling; a generator of chunks wants to be asked. So both sides take
turns: nothing goes on while a consumer holds a chunk, and going on is an answer, as closing the generator is another.
"""

from __future__ import annotations

import threading
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from computer_api.errors import Stopped

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from computer_agent.lmc import Chunk

_END = object()
_LOOK_SECONDS = 0.05  # between two looks whether what waits was stopped
_PATIENCE = 10.0  # seconds in which work that was stopped must have ended before somebody else goes on

Answered = TypeVar("Answered")


class _Question:
    """Something that is to be called where the consumer is."""

    def __init__(self, ask: Callable[[], Any]) -> None:
        self._ask = ask
        self.answer: Any = None
        self.error: BaseException | None = None

    def put(self) -> None:
        try:
            self.answer = self._ask()
        except BaseException as error:  # it belongs to whoever asks
            self.error = error
            if isinstance(error, KeyboardInterrupt):
                raise


class Handover:
    """Runs ``work`` on another thread once ``chunks`` is iterated. One that was closed has ``closed`` set.

    ``on_close`` breaks off what the work does, from the consumer's thread. ``stopped`` says whether somebody wants an
    end; the work then comes to it by ``Stopped``.
    """

    def __init__(
        self,
        work: Callable[[Handover], None],
        *,
        on_close: Callable[[], None] = lambda: None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self._work = work
        self._on_close = on_close
        self._stopped = stopped
        self._given: SimpleQueue[Any] = SimpleQueue()
        self._taken = threading.Semaphore(0)
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="oi-turn", daemon=True)
        self._waits = False
        self._wished = False
        self.closed = False

    def chunks(self) -> Generator[Chunk, None, None]:
        """What the work gives, piece by piece. Raises what it raised.

        Closing this, or an exception such as that of Ctrl-C in the middle of it, ends the work.
        """
        self._thread.start()
        whole = False
        try:
            while (given := self._given.get()) is not _END:
                if isinstance(given, _Question):
                    given.put()
                else:
                    yield given
                self._taken.release()
            whole = True
        finally:
            if not whole:
                self._close()
        if self._error is not None and not isinstance(self._error, Stopped):
            raise self._error

    def give(self, chunk: Chunk, *, last: bool = False) -> None:
        """Hand a chunk over and wait until the consumer comes for the next. Raises ``Stopped`` where none will.

        ``last`` ones are still given when somebody wants an end.
        """
        if self.is_stopped(but_closed=last):
            raise Stopped("The turn was stopped.")
        self._hand(chunk)

    def ask(self, question: Callable[[], Answered]) -> Answered:
        """Call something on the consumer's thread, and return what it returns. Raises what it raises."""
        asked = _Question(question)
        self._hand(asked)
        if asked.error is not None:
            raise asked.error
        answer: Answered = asked.answer
        return answer

    def is_stopped(self, *, but_closed: bool = False) -> bool:
        """Whether the work shall end: the generator was closed, or, if that counts, somebody wants it."""
        return self.closed or (not but_closed and (self._wished or self._stopped()))

    def wish_end(self) -> None:
        """Have the work come to an end; whoever iterates gets what there is until then."""
        self._wished = True

    def is_over(self) -> bool:
        """Whether nothing of it goes on any more; what was stopped has a moment for that."""
        if self.closed:
            self.join()
        return not self._thread.is_alive()

    def abandon(self) -> None:
        """Close it if it waits for a consumer, who does not seem to come any more."""
        if self._waits and not self.closed:
            self._close()

    def aside(
        self, work: Callable[[Callable[[Any], None]], Answered], take: Callable[[Any], None]
    ) -> Answered:
        """Do something that cannot be broken off on yet another thread, and take what it tells meanwhile.

        Raises what it raises, and ``Stopped`` as soon as an end is wanted: then it is left to itself, and broken off
        when it next tells something.
        """
        told: SimpleQueue[tuple[str, Any]] = SimpleQueue()
        left = threading.Event()

        def tell(something: Any) -> None:  # noqa: ANN401 - it is passed on as it is
            if left.is_set():
                raise Stopped("Nobody waits for this any more.")
            told.put(("told", something))

        def run() -> None:
            try:
                told.put(("answer", work(tell)))
            except BaseException as error:  # noqa: BLE001 - it belongs to whoever waits
                told.put(("error", error))

        threading.Thread(target=run, name="oi-asking", daemon=True).start()
        try:
            while True:
                try:
                    kind, value = told.get(timeout=_LOOK_SECONDS)
                except Empty:
                    if self.is_stopped():
                        raise Stopped("The turn was stopped.") from None
                    continue
                if kind == "told":
                    take(value)
                elif kind == "error":
                    raise value
                else:
                    answer: Answered = value
                    return answer
        finally:
            left.set()

    def join(self) -> bool:
        """Wait until the work has ended; whether it has in time."""
        if self._thread.ident is not None and self._thread is not threading.current_thread():
            self._thread.join(_PATIENCE)
        return not self._thread.is_alive()

    def _hand(self, something: object) -> None:
        self._waits = True
        self._given.put(something)
        self._taken.acquire()
        self._waits = False
        if self.closed:
            raise Stopped("The turn was stopped.")

    def _run(self) -> None:
        try:
            self._work(self)
        except BaseException as error:  # noqa: BLE001 - raised where the consumer is
            self._error = error
        finally:
            self._given.put(_END)

    def _close(self) -> None:
        self.closed = True
        self._on_close()
        self._taken.release()
        self.join()
