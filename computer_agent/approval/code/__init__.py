"""How risky a block of code is, by its syntax tree: an allow-list decides what is harmless, labels say what is not."""

from computer_agent.approval.code.assessment import LEVELS, Assessment, Label, LabelName, Level
from computer_agent.approval.code.assessor import Assessor, assess, matches_prefix
from computer_agent.approval.code.visible import visible

__all__ = [
    "LEVELS",
    "Assessment",
    "Assessor",
    "Label",
    "LabelName",
    "Level",
    "assess",
    "matches_prefix",
    "visible",
]
