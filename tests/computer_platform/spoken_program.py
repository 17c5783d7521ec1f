"""A program that describes its controls as a given toolkit does, spoken over the real bus.

It is run as ``python spoken_program.py SESSION_BUS TREE``: TREE is JSON of ``toolkit`` and
``controls``, each with path, parent, role number, name, states and extents, and perhaps ``count``, how many children
it claims to have; it tells of them only after a minute then. It has no cache, as Qt
has none, and says ``ready`` once it is in the registry.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import Any

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus

ROOT = "/org/a11y/atspi/accessible/root"
ACCESSIBLE, COMPONENT = "org.a11y.atspi.Accessible", "org.a11y.atspi.Component"
APPLICATION_ROLE = 75


async def main(session_address: str, tree: dict[str, Any]) -> None:
    session = await MessageBus(bus_address=session_address).connect()
    answer = await session.call(
        Message(
            destination="org.a11y.Bus",
            path="/org/a11y/bus",
            interface="org.a11y.Bus",
            member="GetAddress",
        )
    )
    bus = await MessageBus(bus_address=answer.body[0]).connect()
    controls = {one["path"]: one for one in tree["controls"]}
    controls[ROOT] = {"parent": "", "role": APPLICATION_ROLE, "name": "spoken", "states": 0, "extents": None}
    bus.add_message_handler(lambda message: reply_to(message, bus.unique_name, controls, tree["toolkit"]))
    await bus.call(
        Message(
            destination="org.a11y.atspi.Registry",
            path=ROOT,
            interface="org.a11y.atspi.Socket",
            member="Embed",
            signature="(so)",
            body=[[bus.unique_name, ROOT]],
        )
    )
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await bus.wait_for_disconnect()


def reply_to(message: Message, own: str, controls: dict[str, Any], toolkit: str) -> Message | None:
    control = controls.get(message.path)
    if message.message_type is not MessageType.METHOD_CALL or control is None:
        return None
    if message.member == "GetChildren" and "count" in control:
        time.sleep(60)  # as a program does that begins to make them all
    children = [[own, path] for path, one in controls.items() if one["parent"] == message.path]
    interfaces = [ACCESSIBLE, COMPONENT] if control["extents"] else [ACCESSIBLE]
    answers: dict[str, tuple[str, Any]] = {
        "GetRole": ("u", control["role"]),
        "GetState": ("au", [control["states"] & 0xFFFFFFFF, control["states"] >> 32]),
        "GetInterfaces": ("as", interfaces),
        "GetChildren": ("a(so)", children),
        "GetExtents": ("(iiii)", control["extents"]),
    }
    if message.member == "Get" and message.body[1] == "ChildCount":
        return Message.new_method_return(message, "v", [Variant("i", control.get("count", len(children)))])
    if message.member == "Get":
        value = toolkit if message.body[1] == "ToolkitName" else control["name"]
        return Message.new_method_return(message, "v", [Variant("s", value)])
    if message.member not in answers:
        return None
    signature, value = answers[message.member]
    return Message.new_method_return(message, signature, [value])


asyncio.run(main(sys.argv[1], json.loads(sys.argv[2])))
