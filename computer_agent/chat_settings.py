"""Settings of the conversation on the terminal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatSettings:
    """How a conversation looks."""

    verbose: bool = False
    """Whether more is said of what is done."""
    plain: bool = False
    """Whether texts are shown as they are, without colours and layout."""
    multi_line: bool = True
    """Whether three quotes begin and end a text of several lines."""
    loop: bool = False
    """Whether the model is asked to go on until it says that it is done."""
    highlight_active_line: bool = True
    """The classic's; lines are only appended here, so that none is marked."""


def chat_from_flags(flags: argparse.Namespace) -> ChatSettings:
    """The settings of the conversation that flags, each with the value that holds, say."""
    return ChatSettings(
        verbose=flags.verbose,
        plain=flags.plain,
        multi_line=flags.multi_line,
        loop=flags.loop,
        highlight_active_line=flags.highlight_active_line,
    )
