"""A model server for tests: OpenAI chat completions over a real socket, with scripted and rule-based brains."""

from model_server.brain import Brain, Call, Cut, Garbled, Hang, Reply, Scripted, Status, Turn
from model_server.request import Picture, Request
from model_server.screen_reader import ScreenReader
from model_server.server import ModelServer

__all__ = [
    "Brain",
    "Call",
    "Cut",
    "Garbled",
    "Hang",
    "ModelServer",
    "Picture",
    "Reply",
    "Request",
    "ScreenReader",
    "Scripted",
    "Status",
    "Turn",
]
