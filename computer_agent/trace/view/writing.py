"""The page put together: one HTML file that needs nothing else and lets nothing in.

A policy in the page forbids all but its own script and style, which it names by their hashes, and pictures it makes
itself: whatever a trace holds, it is never run and nothing is fetched.
"""

from __future__ import annotations

import base64
import hashlib
import json
from importlib import resources
from typing import TYPE_CHECKING

from computer_agent.trace.replay_result import read_result
from computer_agent.trace.view.folding import fold_trace
from computer_agent.trace.view.pictures import pictures
from computer_agent.trace.view.salvage import salvage

if TYPE_CHECKING:
    from pathlib import Path

    from computer_agent.trace.view.pictures import Picture

__all__ = ["page", "write_page"]

_SCRIPTS = (
    *("start.js", "text.js", "pictures.js", "rows.js", "list.js", "stage.js", "details.js"),
    *("timeline.js", "print.js", "main.js"),
)


def write_page(trace: Path, out: Path) -> int:
    """Write the page of a trace to ``out``, whole or not at all, for its owner only; gives its size in bytes.

    Raises ``TraceError`` where there is no trace, and ``OSError`` where the file cannot be written.
    """
    data = page(trace).encode("utf-8")
    part = out.with_name(f".{out.name}.part")
    part.unlink(missing_ok=True)
    part.touch(mode=0o600)  # before it holds anything
    try:
        part.write_bytes(data)
        part.replace(out)
    finally:
        part.unlink(missing_ok=True)
    return len(data)


def page(path: Path) -> str:
    """The HTML page of the trace in a folder, in a zip, or of its ``trace.jsonl``. Raises ``TraceError``."""
    salvaged = salvage(path)
    folded = fold_trace(salvaged.trace, salvaged.version, read_result(salvaged.trace.folder))
    held = pictures(salvaged.trace, folded.pictures)
    data = folded.data | {"pictures": [_about(picture) for picture in held]}
    style = _file("page.css")
    script = '"use strict";\n(() => {\n' + "\n".join(_file(name) for name in _SCRIPTS) + "})();\n"
    return _filled(
        _file("page.html"),
        {
            "POLICY": _policy(script, style),
            "STYLE": style,
            "DATA": _json(data),
            "PICTURES": "\n".join(_block(number, picture) for number, picture in enumerate(held)),
            "SCRIPT": script,
        },
    )


def _file(name: str) -> str:
    return resources.files("computer_agent.trace.view").joinpath("page", name).read_text("utf-8")


def _filled(text: str, holes: dict[str, str]) -> str:
    """Each hole filled once; what is put in is not looked at again."""
    whole = []
    for name, value in holes.items():
        before, _, text = text.partition(f"%{name}%")
        whole += [before, value]
    return "".join([*whole, text])


def _policy(script: str, style: str) -> str:
    return (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; img-src blob: data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}'"


def _json(data: object) -> str:
    """ASCII without ``<``, ``>`` and ``&``: nothing in it can end the element that it stands in."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _about(picture: Picture) -> dict[str, object]:
    return {
        "name": picture.name,
        "kind": picture.kind,
        "width": picture.width,
        "height": picture.height,
        "bytes": len(picture.data),
        "how": picture.how,
    }


def _block(number: int, picture: Picture) -> str:
    data = base64.b64encode(picture.data).decode("ascii")
    return f'<script type="text/plain" id="picture-{number}">{data}</script>'
