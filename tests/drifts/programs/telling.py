"""What a window of the drifts tells: every touch, value and press as a line of JSON, and where its controls are.

Stdlib only: the windows run under the system's own Python, which has the toolkits.
"""

import json
import os
import sys


class Telling:
    """Appends to the journal, and keeps the file of places (device pixels from the corner of the window)."""

    def __init__(self, arguments=None):
        """Read the scene of ``PROGRAM SCENE.json JOURNAL PLACES``."""
        scene, self.journal, self.places = arguments or sys.argv[1:4]
        with open(scene, encoding="utf-8") as file:
            self.scene = json.load(file)
        self.values = {}
        self._placed = None

    def tell(self, *event):
        """Write an event at once: the program may be killed next."""
        with open(self.journal, "a", encoding="utf-8") as out:
            out.write(json.dumps(event) + "\n")

    def touch(self, name):
        """A field was pressed with the mouse."""
        self.tell("touch", name)

    def value(self, name, value):
        """A field or a tick holds something else now."""
        self.values[name] = value
        self.tell("value", name, value)

    def press(self, name):
        """A button, a row or an entry of a menu was used, while the fields held this."""
        self.tell("press", name, dict(self.values))

    def place(self, places):
        """Where the controls are, when that is something else than was said last."""
        if places and places != self._placed:
            self._placed = places
            part = self.places + ".part"
            with open(part, "w", encoding="utf-8") as out:
                json.dump(places, out)
            os.replace(part, self.places)
