"""How servers differ from the protocol that they claim to speak."""

from __future__ import annotations

from typing import Literal

Quirk = Literal[
    "ollama_text_calls",  # tool calls come back as JSON text
    "lmstudio_blind",  # pictures are ignored when tools are given
    "no_stream_usage",
    "single_chunk",  # the whole text, and the whole arguments, in one event
    "id_less_calls",
    "index_less_calls",
    "string_content_only",  # a list as content is refused
    "no_tools",  # "does not support tools"
    "no_images",
    "crlf",  # events end with CRLF
    "comments",  # comments and pings between the events, to keep the line open
    "tight",  # no space after "data:"
]
