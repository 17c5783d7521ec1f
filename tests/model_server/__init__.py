"""A model server for tests: the providers' protocols over a real socket, with scripted and rule-based brains."""

from model_server.brain import (
    Brain,
    Call,
    Closed,
    ComputerCall,
    Cut,
    Fails,
    Garbled,
    Hang,
    Reply,
    SafetyCheck,
    Scripted,
    Status,
    Turn,
)
from model_server.pictures import Picture
from model_server.quirks import Quirk
from model_server.request import Request
from model_server.runtimes import Runtime, Served
from model_server.screen_reader import ScreenReader
from model_server.server import ModelServer

__all__ = [
    "Brain",
    "Call",
    "Closed",
    "ComputerCall",
    "Cut",
    "Fails",
    "Garbled",
    "Hang",
    "ModelServer",
    "Picture",
    "Quirk",
    "Reply",
    "Request",
    "Runtime",
    "SafetyCheck",
    "ScreenReader",
    "Scripted",
    "Served",
    "Status",
    "Turn",
]
