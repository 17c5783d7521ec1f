"""What the programs on a desktop inherit of our environment: everything but keys and passwords."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# A program that shows a web page or runs a macro has no need of the key that pays for the model, and a task on
# the screen could ask it for its environment. Who wants a program to have one starts it with it.
_SECRET_ENDINGS = (
    "API_KEY",
    "TOKEN",
    "SECRET",
    "SECRET_KEY",
    "PASSWORD",
    "ACCESS_KEY",
    "CREDENTIALS",
)
_SECRET_BEGINNINGS = ("AWS_SECRET", "AWS_ACCESS_KEY", "AWS_SESSION_TOKEN", "OI_API_KEY")


def without_secrets(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables whose names do not say that they hold a secret: ``GITHUB_TOKEN`` goes, ``TOKENIZERS`` stays."""
    return {name: value for name, value in environment.items() if not _is_secret(name)}


def _is_secret(name: str) -> bool:
    whole_words = "_" + name.upper()
    return whole_words.endswith(tuple("_" + ending for ending in _SECRET_ENDINGS)) or name.upper().startswith(
        _SECRET_BEGINNINGS
    )
