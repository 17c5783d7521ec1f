"""Who goes on offering what we have copied when we end: a clipboard manager, or else ``xclip``."""

from __future__ import annotations

import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING

from Xlib import X, Xatom

from computer_platform.desktop import DesktopUnavailable
from computer_platform.x11.clipboard.forms import HTML, NUMBERS, PNG

if TYPE_CHECKING:
    from collections.abc import Mapping

    from computer_platform.desktop import Selection
    from computer_platform.x11.clipboard.forms import Offer
    from computer_platform.x11.connection import Connection

_SECONDS = 2.0  # for either to take it over
_XCLIP_TAKES = ("UTF8_STRING", PNG, HTML)  # it offers one form, so the one that means most


def bequeath(
    offer: Offer, selection: Selection, connection: Connection, environment: Mapping[str, str]
) -> None:
    """Have somebody else offer it; where there is nobody it ends with us, as with any program."""
    with suppress(DesktopUnavailable):  # a screen that went first takes it along
        if selection == "clipboard" and _saved_by_manager(offer, connection):
            return
        with connection.talking():
            targets = [(name, connection.atom(name)) for name in _XCLIP_TAKES]
        for name, target in targets:
            data = offer[target].data if target in offer else b""
            if isinstance(data, bytes) and data:
                _give_to_xclip(data, selection, name, environment)
                return


def _saved_by_manager(offer: Offer, connection: Connection) -> bool:
    """Whether a clipboard manager says that it has taken all; it fetches that from our thread meanwhile."""
    with connection.talking():
        manager, save = connection.atom("CLIPBOARD_MANAGER"), connection.atom("SAVE_TARGETS")
        if connection.server.get_selection_owner(manager) == X.NONE:
            return False
        connection.window.change_property(save, Xatom.ATOM, NUMBERS, list(offer))
        connection.window.convert_selection(manager, save, save, X.CurrentTime)
        connection.flush()
        told = connection.wait_for(
            lambda event: event.type == X.SelectionNotify and event.selection == manager, _SECONDS
        )
        connection.window.delete_property(save)
        return told is not None and told.property != X.NONE


def _give_to_xclip(data: bytes, selection: Selection, target: str, environment: Mapping[str, str]) -> None:
    # xclip stays and keeps what it inherits open: nothing of ours but the content.
    command = ["xclip", "-selection", selection, "-in"]
    if target != "UTF8_STRING":  # which is its own choice for a text, under several names
        command += ["-target", target]
    try:
        with subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=dict(environment),
            start_new_session=True,
        ) as process:
            try:
                process.communicate(data, timeout=_SECONDS)
            finally:
                process.kill()  # one that hangs; otherwise it has ended, and its child has the content
    except (FileNotFoundError, subprocess.TimeoutExpired):
        return
