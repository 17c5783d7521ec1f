"""A conversation as a Jupyter notebook, format 4.5: words are cells of Markdown, code keeps its output."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from computer_agent.conversations.markdown import fenced
from computer_agent.conversations.pictures import ending_of, media_type, picture_in
from computer_agent.conversations.record import ConversationError, title_of

if TYPE_CHECKING:
    from pathlib import Path

    from computer_agent.conversations.record import Kept
    from computer_agent.lmc import Chunk

Cell = dict[str, Any]

_MAGIC = {
    "shell": "%%bash\n",
    "bash": "%%bash\n",
    "sh": "%%sh\n",
    "javascript": "%%script node\n",
    "html": "%%html\n",
    "ruby": "%%ruby\n",
    "perl": "%%perl\n",
}
"""How a notebook of Python runs other languages."""


def export_notebook(conversation: Kept, file: Path) -> tuple[Path, ...]:
    """Write it; gives the file. Raises ``ConversationError``."""
    text = json.dumps(notebook(conversation), ensure_ascii=False, indent=1)
    try:
        file.write_bytes(text.encode("utf-8", "backslashreplace") + b"\n")
    except OSError as error:
        raise ConversationError(f'"{file}" cannot be written: {error.strerror}.') from None
    return (file,)


def notebook(conversation: Kept) -> dict[str, Any]:
    """The notebook, as nbformat 4.5 has it."""
    cells = _Cells()
    cells.words(f"# {title_of(conversation.messages)}")
    for message in conversation.messages:
        cells.add(message)
    return {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "cells": cells.made,
    }


@dataclass(slots=True)
class _Cells:
    made: list[Cell] = field(default_factory=list)
    _ran: int = 0  # how many cells of code there are

    def add(self, message: Chunk) -> None:
        """A message as a cell, or as an output of the newest one."""
        content = str(message.get("content") or "")
        picture = picture_in(message)
        match message.get("role"), message.get("type"):
            case "user", "message":
                self.words(f"**You:** {content}")
            case _, "message":
                self.words(content)
            case "assistant", "code":
                self._code(content, str(message.get("format") or ""))
            case "computer", "console" if message.get("format") == "output" and content:
                self._output(
                    {"output_type": "stream", "name": "stdout", "text": content.splitlines(keepends=True)}
                )
            case "computer", "image" if picture is not None:
                self._output(_display({media_type(picture): base64.b64encode(picture).decode()}))
            case _, "image" if picture is not None:
                self._picture(picture)
            case "computer", "code" if message.get("format") == "html":
                self._output(_display({"text/html": content.splitlines(keepends=True)}))
            case _:
                pass

    def words(self, text: str) -> None:
        if text.strip():
            self._cell("markdown", text.strip())

    def _code(self, code: str, language: str) -> None:
        """A cell that runs; what a notebook cannot run is shown."""
        magic = "" if language.casefold() == "python" else _MAGIC.get(language.casefold())
        if magic is None:
            self.words(fenced(code, language))
            return
        self._ran += 1
        cell = self._cell("code", magic + code.rstrip("\n"))
        cell["execution_count"] = self._ran
        cell["outputs"] = []

    def _output(self, output: Cell) -> None:
        """Below the newest code; without any it is words."""
        if self.made and self.made[-1]["cell_type"] == "code":
            self.made[-1]["outputs"].append(output)
        elif output["output_type"] == "stream":
            self.words(fenced("".join(output["text"]), "text"))

    def _picture(self, picture: bytes) -> None:
        name = f"picture.{ending_of(picture)}"
        cell = self._cell("markdown", f"![picture](attachment:{name})")
        cell["attachments"] = {name: {media_type(picture): base64.b64encode(picture).decode()}}

    def _cell(self, kind: str, source: str) -> Cell:
        cell: Cell = {
            "cell_type": kind,
            "id": f"cell-{len(self.made) + 1}",
            "metadata": {},
            "source": source.splitlines(keepends=True),
        }
        self.made.append(cell)
        return cell


def _display(data: dict[str, Any]) -> Cell:
    return {"output_type": "display_data", "data": data, "metadata": {}}
