"""Plain-English steps: a small language, and the model that follows it with no language model at all.

``words`` cuts a task into sentences and words, ``grammar`` makes each sentence an action, ``written`` is the
way back, ``model`` hands the actions to the loop. `oi help steps` prints ``prompts/steps.md``.
"""

from computer_agent.models.steps.grammar import Instruction, parse_steps, shown_task
from computer_agent.models.steps.model import StepsModel
from computer_agent.models.steps.written import shown, written

__all__ = ["Instruction", "StepsModel", "parse_steps", "shown", "shown_task", "written"]
