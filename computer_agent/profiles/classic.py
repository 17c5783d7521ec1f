"""What Open Interpreter's own keys mean here: another key, or a sentence on what replaced them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

RENAMED: Mapping[str, str] = {
    **{
        f"llm.{key}": key
        for key in (
            "model",
            "temperature",
            "supports_vision",
            "supports_functions",
            "context_window",
            "max_tokens",
            "max_budget",
            "api_base",
            "api_key",
            "api_version",
        )
    },
    "debug": "verbose",
    "plain_text_display": "plain",
    "computer.offline": "offline",
    "computer.max_output": "max_output",
    "computer.verbose": "verbose",
    "computer.debug": "verbose",
}
"""Keys whose value is that of one of ours."""

_KEPT = "Every conversation and every run is kept; XDG_STATE_HOME says where."
_ALWAYS = "Code steps always have `computer`, without importing anything."
_SKILLS = "Skills are recorded runs under a name: they need no import."

ANSWERED: Mapping[str, str] = {
    "version": "",  # of the format; it says nothing about what is wished
    "disable_telemetry": "",  # there is none
    "anonymous_telemetry": "There is no telemetry.",
    "contribute_conversation": "Nothing is ever uploaded.",
    "loop_message": "With `loop` the words are ours; in Python they are `interpreter.loop_message`.",
    "loop_breakers": "With `loop` the sentences are ours; in Python they are `interpreter.loop_breakers`.",
    "shrink_images": "Pictures always have the size that the model takes.",
    "speak_messages": "Nothing is spoken.",
    "conversation_history": _KEPT,
    "conversation_history_path": _KEPT,
    "conversation_filename": _KEPT,
    "always_apply_user_message_template": "The template holds for every message.",
    "code_output_sender": "Output is always told as data of the computer's.",
    "in_terminal_interface": "It is known by itself.",
    "sync_computer": "There is one computer, which code steps reach directly.",
    "import_computer_api": _ALWAYS,
    "computer.import_computer_api": _ALWAYS,
    "import_skills": _SKILLS,
    "computer.import_skills": _SKILLS,
    "computer.save_skills": _SKILLS,
    "skills_path": _SKILLS,
    "computer.skills.path": _SKILLS,
    "computer.emit_images": "--no-supports-vision keeps pictures away from the model.",
    "computer.languages": 'Further languages stand in a JSON file: languages = "FILE".',
    "computer.api_base": "Nothing is asked of a hosted service but the model.",
    "computer.system_message": "What a model is told of the computer is made from what is there.",
    "llm.execution_instructions": 'How code is asked for belongs to the model\'s dialect: dialect = "printed".',
    "llm.vision_renderer": 'A model that cannot see is told the screen in words: observe = "text".',
    "llm.completions": "A function cannot stand in a file; in Python it is `interpreter.llm.completions`.",
}
"""Keys that set nothing here, with what replaced them; ``""`` where there is nothing to say."""


def said_otherwise(key: str, value: object) -> tuple[str, Any] | None:
    """A key and a value of ours that mean the same as Open Interpreter's, or ``None``."""
    if key == "auto_run" and isinstance(value, bool):
        return "approve", "all" if value else "ask"
    return (RENAMED[key], value) if key in RENAMED else None
