"""``computer.expect(...)``: from what a person writes to the action that waits for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from computer_api import actions
from computer_api.targets import ElementTarget, TextTarget

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from computer_api.actions import Action
    from computer_api.targets import Target

_BESIDE: dict[str, frozenset[str]] = {
    "file": frozenset({"gone", "holds"}),
    "process": frozenset({"gone"}),
    "url": frozenset({"status", "holds"}),
    "clipboard": frozenset({"part"}),
    "field": frozenset({"value", "part"}),
    "tick": frozenset({"ticked"}),
    "window": frozenset({"gone"}),
    "text": frozenset({"gone"}),
}
"""What can be expected, and what may be said beside each."""

_BESIDES_THE_SCREEN: dict[str, tuple[Callable[..., Action], str]] = {
    "file": (actions.ExpectFile, "path"),
    "process": (actions.ExpectProcess, "name"),
    "url": (actions.ExpectHttp, "url"),
    "clipboard": (actions.ExpectClipboard, "text"),
    "window": (actions.WaitForWindow, "title"),
}


def expectation(what: Target | str | None, asked: Mapping[str, Any], seconds: float | None) -> Action:
    """The action that waits for what was asked. Raises ``ValueError`` with the forms there are."""
    given = {name: value for name, value in asked.items() if value is not None}
    if isinstance(given.get("gone"), str):  # expect(gone="Busy")
        given["text"], given["gone"] = given["gone"], True
    if what is not None:
        given["text"] = what
    kinds = [kind for kind in _BESIDE if kind in given]
    if len(kinds) != 1:
        raise ValueError(
            f"expect() takes one of {', '.join(_BESIDE)}, not {' and '.join(kinds) or 'nothing'}."
        )
    (kind,) = kinds
    strange = set(given) - {kind} - _BESIDE[kind]
    if strange:
        raise ValueError(
            f"expect({kind}=…) takes {' and '.join(sorted(_BESIDE[kind]))} beside it, not {', '.join(sorted(strange))}."
        )
    within: dict[str, Any] = {} if seconds is None else {"seconds": seconds}
    return _built(kind, given, within)


def _built(kind: str, given: dict[str, Any], within: dict[str, Any]) -> Action:
    it, beside = given.pop(kind), given | within
    if kind in _BESIDES_THE_SCREEN:
        build, name = _BESIDES_THE_SCREEN[kind]
        return build(**{name: str(it)}, **beside)
    if kind == "tick":
        return actions.ExpectTicked(target=_control(it, "tick"), **beside)
    if "value" in beside:
        return actions.ExpectValue(target=_control(it, "field"), **beside)
    if kind == "field":
        return actions.Expect(target=_control(it, "field"), **within)
    return actions.Expect(target=TextTarget(it) if isinstance(it, str) else it, **beside)


def _control(label: Target | str, role: str) -> Target:
    return ElementTarget(label, role=role) if isinstance(label, str) else label
