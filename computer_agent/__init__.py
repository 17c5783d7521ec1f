"""The agent: it decides, asks, records and shows. ``computer_agent.loop`` is the file to read first.

For programs: ``interpreter`` is a ready ``Interpreter``, ``AsyncInterpreter`` the same for asyncio.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from computer_agent.python_object.asynchronous import AsyncInterpreter
    from computer_agent.python_object.interpreter import Interpreter, OpenInterpreter

    interpreter: Interpreter

__all__ = ["AsyncInterpreter", "Interpreter", "OpenInterpreter", "interpreter"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever it is the name of
    """Import it when it is first used: most who import this package never do."""
    if name == "AsyncInterpreter":
        from computer_agent.python_object.asynchronous import AsyncInterpreter

        return AsyncInterpreter
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module = import_module("computer_agent.python_object.interpreter")
    if name != "interpreter":
        return getattr(module, name)
    made = globals()["interpreter"] = module.Interpreter()
    return made
