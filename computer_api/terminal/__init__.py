"""Running code: a terminal with one persistent worker for each language."""

from computer_api.terminal.call import Answer, Call, Reply
from computer_api.terminal.output import Chunk, Output, plain, shorten
from computer_api.terminal.terminal import Terminal

__all__ = ["Answer", "Call", "Chunk", "Output", "Reply", "Terminal", "plain", "shorten"]
