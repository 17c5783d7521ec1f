"""Windows where no window manager runs, as on a bare virtual screen: the X server itself lists and moves them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import Xlib.error
import Xlib.protocol.event
from Xlib import X

from computer_platform.x11.windows import X11Windows

if TYPE_CHECKING:
    from Xlib.xobject import drawable

    from computer_platform.desktop import Area, Arrangement, Window


class UnmanagedWindows(X11Windows):
    """Every window that shows and is no menu. Nobody maximises or minimises here: such requests do nothing."""

    managed = False

    def activate(self, window: Window) -> None:
        """Raise the window and give it the keyboard."""
        with self._connection.talking():
            shown = self._window(window.id)
            shown.configure(stack_mode=X.Above)
            shown.set_input_focus(X.RevertToPointerRoot, X.CurrentTime)
            self._connection.sync()

    def close(self, window: Window) -> None:
        """Ask the window to close; a program that knows no such question is cut off."""
        with self._connection.talking():
            shown = self._window(window.id)
            delete = self._connection.atom("WM_DELETE_WINDOW")
            if delete not in self._numbers(shown, "WM_PROTOCOLS"):
                shown.kill_client()
            else:
                question = Xlib.protocol.event.ClientMessage(
                    window=shown,
                    client_type=self._connection.atom("WM_PROTOCOLS"),
                    data=(32, [delete, X.CurrentTime, 0, 0, 0]),
                )
                shown.send_event(question)
            self._connection.sync()

    def move(self, window: Window, area: Area) -> None:
        """Place the window there; a program may then take another size, as ``all()`` tells."""
        with self._connection.talking():
            shown = self._window(window.id)
            client = self._shadow(shown).around(area)
            try:
                border = shown.get_geometry().border_width
            except Xlib.error.XError:
                return  # it closed meanwhile
            shown.configure(
                x=client.left - border, y=client.top - border, width=client.width, height=client.height
            )
            self._connection.sync()
            self._wait_until_still(window.id, area)

    def arrange(self, window: Window, how: Arrangement) -> None:
        """Raise the window."""
        if how == "raise":
            with self._connection.talking():
                self._window(window.id).configure(stack_mode=X.Above)
                self._connection.sync()

    def _stack(self) -> list[int]:
        return [child.id for child in self._connection.root.query_tree().children if self._shows(child)]

    def _shows(self, window: drawable.Window) -> bool:
        try:
            is_ = window.get_attributes()
        except Xlib.error.XError:
            return False  # it closed meanwhile
        return bool(
            is_.map_state == X.IsViewable and not is_.override_redirect and is_.win_class == X.InputOutput
        )

    def _active(self) -> int | None:
        """The window with the keyboard; where that follows the pointer, the one under it."""
        listed = self._stack()
        focused = next((identity for identity in listed if self._has_focus(identity)), None)
        if focused is not None or self._connection.server.get_input_focus().focus != X.PointerRoot:
            return focused
        under = self._connection.root.query_pointer().child
        return under.id if not isinstance(under, int) and under.id in listed else None
