"""What programs do that are more than harmless readers: a rule for each family, found by name in ``SPECIALISTS``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from computer_agent.approval.code.files import FILES
from computer_agent.approval.code.git import git
from computer_agent.approval.code.interpreters import INTERPRETERS
from computer_agent.approval.code.network import NETWORK
from computer_agent.approval.code.system import SYSTEM
from computer_agent.approval.code.text_tools import TEXT_TOOLS
from computer_agent.approval.code.wrappers import WRAPPERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from computer_agent.approval.code.commands import Call
    from computer_agent.approval.code.shell import ShellJudge

    Rule = Callable[[ShellJudge, Call], None]

SPECIALISTS: dict[str, Rule] = {
    **FILES,
    **INTERPRETERS,
    **NETWORK,
    **SYSTEM,
    **TEXT_TOOLS,
    **WRAPPERS,
    "git": git,
}
