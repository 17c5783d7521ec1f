"""How the model of the Python object is spoken to, as far as a person may set it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from computer_agent.lmc import Chunk

PROMPTS = Path(__file__).parent.parent / "prompts"
PRINTED_NOTHING = "The code ran and printed nothing."


def usual_system_message() -> str:
    """The rules that hold unless a person replaces them."""
    return (PROMPTS / "execute.md").read_text(encoding="utf-8").strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """What a person sets of how the model is spoken to; each template has one ``{content}``."""

    system: str
    user_message: str = "{content}"
    always_user_message: bool = False
    code_output: str = "{content}"
    empty_code_output: str = PRINTED_NOTHING
    output_sender: str = "user"


def words_of(messages: Sequence[Chunk]) -> Iterator[str]:
    """Each message of words in a line, for a model that is told of them as the past."""
    for message in messages:
        if message["type"] in ("message", "code") and message["role"] != "computer":
            yield f"{message['role']}: {message['content']}"
