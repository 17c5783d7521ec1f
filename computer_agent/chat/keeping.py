"""What is said in a conversation, as messages, kept in its file as they become whole."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING

from computer_agent.conversations.claim import Claim
from computer_agent.conversations.pictures import picture_message
from computer_agent.conversations.record import (
    ConversationError,
    ConversationWriter,
    Header,
    of_person,
    read,
)
from computer_agent.conversations.storage import folder_of
from computer_agent.lmc import Fold, Recorder
from computer_agent.settings import known_secrets

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from computer_agent.conversations.record import Kept
    from computer_agent.lmc import Chunk
    from computer_agent.settings import Settings
    from computer_agent.step import Event

_LONGEST_OUTPUT = 100_000  # characters of an output that are kept
_HIDDEN = "•••"


class Transcript:
    """The messages of a conversation. ``complain`` is told, once, that they cannot be kept."""

    def __init__(
        self, settings: Settings, complain: Callable[[str], None], resumed: Kept | None = None
    ) -> None:
        self._settings = settings
        self._complain = complain
        self._claim = Claim()
        self._secrets = sorted(known_secrets(settings), key=len, reverse=True)
        self._begin(list(resumed.messages) if resumed is not None else [], resumed)

    def _begin(self, messages: list[Chunk], resumed: Kept | None = None) -> None:
        self.messages = messages
        header = Header(
            began=time.time(),
            model=self._settings.model or "",
            os=self._settings.os,
            folder=str(self._settings.code.workspace),
        )
        self._writer = ConversationWriter(
            folder=folder_of(self._settings.state),
            header=header if resumed is None else resumed.header,
            hide=self._hide,
            path=None if resumed is None else resumed.path,
            count=0 if resumed is None else len(messages),
        )
        self._is_kept = True
        recorder = Recorder(messages, _LONGEST_OUTPUT, kept=self._keep)
        self._fold = Fold(recorder)
        if resumed is None:
            self._claim.release()
        elif not self._is_ours(resumed):
            self._complain(
                "Another oi has this conversation open, or has gone on with it: what is said here is kept as one of "
                "its own."
            )
            self.replace(messages)

    def _is_ours(self, resumed: Kept) -> bool:
        """Whether nobody else writes into its file, or has done so since it was read."""
        with suppress(ConversationError):  # a file that is gone is told of when it is written
            return self._claim.take(resumed.path) and read(resumed.path).messages == resumed.messages
        return True

    def close(self) -> None:
        """Let others go on with it."""
        self._claim.release()

    @property
    def path(self) -> Path | None:
        """Its file, once there is one."""
        return self._writer.path

    def said(self, words: str, pictures: Sequence[bytes]) -> None:
        """Keep what the person says, before anything is done about it."""
        self.messages.append({"role": "user", "type": "message", "content": words})
        self.messages += [picture_message("user", picture) for picture in pictures]
        self._keep()

    def take(self, event: Event) -> None:
        """Keep what an event tells."""
        for _chunk in self._fold.take(event):
            pass

    def end_turn(self) -> None:
        """However the turn ended, what came of it is whole now."""
        recorder = self._fold.recorder
        for _chunk in recorder.end():
            pass
        self._keep()
        self._fold = Fold(recorder)

    def take_back(self) -> None:
        """Take the last turn back."""
        turns = [place for place, message in enumerate(self.messages) if of_person(message)]
        if turns:
            del self.messages[turns[-1] :]
            self._safely(lambda: self._writer.take_back(turns[-1]))

    def begin_anew(self) -> None:
        """From now on it is another conversation."""
        self._begin([])

    def replace(self, messages: Sequence[Chunk]) -> None:
        """Another conversation, which begins with these messages."""
        self._begin(list(messages))
        self._keep()

    def _keep(self) -> None:
        new, is_new = self.messages[self._writer.count :], self._writer.path is None
        self._safely(lambda: self._writer.add(new))
        if is_new and self._writer.path is not None:
            self._claim.take(self._writer.path)

    def _safely(self, write: Callable[[], None]) -> None:
        if not self._is_kept:
            return
        try:
            write()
        except ConversationError as error:
            self._is_kept = False
            self._complain(f"{error} It goes on, and is not kept.")

    def _hide(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, _HIDDEN)
        return text
