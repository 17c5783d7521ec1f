"""What a judge has found in a block so far: labels, the level they make, and what only shows in the sum of them."""

from __future__ import annotations

from computer_agent.approval.code.assessment import LEVELS, Assessment, Label, LabelName, Level

_MOST_LABELS = 40
_MOST_SHOWN = 80


class Findings:
    """Collects what is found in one block. ``credentials`` and ``network`` are what, together, gives secrets away.

    ``dynamic`` tells that the block runs what is only known when it runs.
    """

    def __init__(self) -> None:
        self.level: Level = "low"
        self.hard: str | None = None
        self.labels: dict[Label, None] = {}
        self.credentials = False
        self.environment = False
        self.network = False
        self.dynamic = False
        self.written: dict[str, None] = {}
        """The paths that the block writes to: after it has read a secret, they may hold it."""

    def add(self, level: Level, name: LabelName, words: str) -> None:
        """Note one thing that is not harmless."""
        self.level = higher(self.level, level)
        self.network = self.network or name == "network"
        self.environment = self.environment or name == "secret-read"
        self.dynamic = self.dynamic or name in ("dynamic-command", "pipe-to-shell", "unparsed")
        if len(self.labels) < _MOST_LABELS:
            self.labels.setdefault(Label(name=name, words=words))

    def forbid(self, name: LabelName, words: str, hard: str) -> None:
        """Note something of the hard list, which is asked about whatever was allowed. The first such stays."""
        self.add("high", name, words)
        self.hard = self.hard or hard

    def credential(self, words: str) -> None:
        """Note that a file that holds a secret is named."""
        self.add("medium", "secret-read", words)
        self.credentials = True

    def absorb(self, other: Findings) -> None:
        """Note all that another judge found in a part of the block."""
        self.level = higher(self.level, other.level)
        self.hard = self.hard or other.hard
        self.credentials = self.credentials or other.credentials
        self.environment = self.environment or other.environment
        self.network = self.network or other.network
        self.dynamic = self.dynamic or other.dynamic
        self.written.update(other.written)
        for label in other.labels:
            if len(self.labels) < _MOST_LABELS:
                self.labels.setdefault(label)

    def close(self, *, credentials_before: bool = False) -> None:
        """Draw the sum: a secret and the network in one block, or a credential read earlier in the session."""
        if not self.network:
            return
        if self.credentials or credentials_before:
            hard = "it reads credentials and reaches the network"
            self.forbid("exfil", "reads credentials and reaches the network, in one session", hard)
        elif self.environment:
            self.add("high", "exfil", "reads what may be secret and reaches the network")

    def assessment(self, prefix: tuple[str, ...] | None) -> Assessment:
        """What was found, as a value. Labels of the low level are not told."""
        return Assessment(
            level=self.level,
            labels=tuple(self.labels),
            hard=self.hard,
            prefix=None if self.level == "high" or self.dynamic else prefix,
        )


def higher(one: Level, other: Level) -> Level:
    """The more risky of two levels."""
    return max(one, other, key=LEVELS.index)


def quoted(text: str) -> str:
    """A part of the code in quotes, on one line and shortened, as labels show it."""
    line = " ".join(text.split())
    return f'"{line if len(line) <= _MOST_SHOWN else line[: _MOST_SHOWN - 1] + "…"}"'
