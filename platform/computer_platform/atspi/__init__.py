"""What programs tell assistive technology, read over D-Bus (AT-SPI2), never for longer than allowed.

``accessibility`` holds the questions, and the thread that asks them; ``connection`` is the way to the programs.
Of one program, ``reading`` finds the objects, ``sheets`` the cells of tables too large to be read whole,
``placing`` how places are told, and ``telling`` makes elements of what is wanted.
"""

from computer_platform.atspi.accessibility import AtspiAccessibility
from computer_platform.atspi.roles import ROLES, STATES

__all__ = ["ROLES", "STATES", "AtspiAccessibility"]
