"""The form task: a form on a desktop in memory, filled in by a model that reads screenshots, through any dialect.

The model sees nothing but the requests; what it says is in the words of its family. So pictures, places, calls, answers
and history all have to be right for the form to hold what it should.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from model_server import ModelServer, ScreenReader

from computer_agent.models.language_model import LanguageModel
from computer_agent.models.transports.http import Http
from computer_agent.models.wires.wire import Asking

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agent_run import Played, Stage
    from model_server import Request
    from model_server.speaking import Speaker

    from computer_agent.models.dialect import Dialect
    from computer_agent.models.wires.wire import Wire

FIELDS: Mapping[str, str] = {"First name": "Ada Lovelace", "City": "Zürich"}
TASK = f'FILL {json.dumps(FIELDS, ensure_ascii=False)} THEN CLICK "Save" UNTIL "Saved"'
MODEL = "screen-reader"
KEY = "sk-test-key"
_BASES = {"chat": "/v1", "responses": "/v1", "messages": "/v1", "gemini": "/v1beta"}


@dataclass(frozen=True, kw_only=True)
class Filled:
    """What became of it: ``saved`` is what the form held when it was saved."""

    played: Played
    saved: Mapping[str, object]
    requests: list[Request]


def fill_in(
    stage: Stage,
    dialect: Dialect,
    wire: Wire,
    speaks: Speaker,
    **server_settings: Any,  # noqa: ANN401 - those of ModelServer
) -> Filled:
    """Play the whole task on the form of the stage, over a real socket. The server's complaints are failures."""
    with ModelServer(ScreenReader(speaks), **server_settings) as server:
        base = server.address if wire.framing == "ndjson" else server.address + _BASES[wire.name]
        transport = Http(MODEL, wire=wire, asking=Asking(model=MODEL), api_base=base, api_key=KEY)
        played = stage.play(
            LanguageModel(MODEL, dialect=dialect, transport=transport, wait=lambda _: None), TASK
        )
        server.assert_clean()
    return Filled(played=played, saved=dict(stage.desktop.values), requests=server.requests)
