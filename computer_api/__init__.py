"""What a computer can do, as values and verbs.

from computer_api import Computer

with Computer.open("private") as computer:
    computer.windows.open("mousepad")
    computer.keyboard.write("Hello")
"""

from computer_api.computer import Computer
from computer_api.geometry import Pixel
from computer_api.targets import ElementTarget, IconTarget, TextTarget

__all__ = ["Computer", "ElementTarget", "IconTarget", "Pixel", "TextTarget"]
