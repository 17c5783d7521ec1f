"""A page that tells what the mouse did to it: every event, what is selected, and how far it was scrolled."""

from __future__ import annotations

import json
import threading
from typing import Any, NamedTuple

from web_page import WebPage
from xvfb import until

_SECONDS = 10.0  # the machine may be busy

_PAGE = rb"""<!doctype html><html lang="en"><meta charset="utf-8"><title>Mouse</title>
<style>
body{margin:0;font:16px monospace;overflow:hidden} body>*{position:absolute;margin:0;box-sizing:border-box}
#pad{left:20px;top:20px;width:300px;height:200px;background:#dde;user-select:none}
#words{left:20px;top:240px;width:300px;height:120px;line-height:30px}
#sheet{left:340px;top:20px;background:#efe}
#from{left:20px;top:400px;width:80px;height:60px;background:#fc8}
#to{left:200px;top:400px;width:120px;height:60px;background:#8cf}
#range{left:20px;top:500px;width:300px;height:30px}
#list{left:340px;top:340px;width:400px;height:400px;overflow:scroll;border:1px solid #888}
#list div{width:1600px;height:24px;white-space:pre;overflow:hidden}
#list #head{position:sticky;top:0;background:#ccc;height:40px}
#side{left:760px;top:340px;width:200px;height:400px;overflow:hidden}
#there{left:20px;top:560px;width:200px;height:30px}
</style>
<div id="pad"></div><p id="words">one two three<br>four five six<br>seven eight nine</p>
<canvas id="sheet" width="400" height="300"></canvas>
<div id="from" draggable="true">drag</div><div id="to">drop</div>
<input type="range" id="range" min="0" max="100" value="0">
<div id="list"><div id="head">Heading that stays</div></div><div id="side"></div>
<a id="there" href="#there">there</a>
<script>
const by = id => document.getElementById(id), events = []
let turn = 0, planned = false
for (let i = 0; i < 400; i++) by("list").insertAdjacentHTML("beforeend", "<div>" +
  [...Array(40)].map((_, k) => "row " + i + " cell " + (i * 7 + k * k)).join("  ") + "</div>")
by("side").innerHTML = [...Array(30)].map((_, i) => "side " + i).join("<br>")
const tell = async () => {
  planned = false
  const layout = Object.fromEntries([...document.querySelectorAll("[id]")].map(one => {
    const box = one.getBoundingClientRect(); return [one.id, [box.x, box.y, box.width, box.height]]}))
  await fetch("/told", {method: "POST", body: JSON.stringify({turn: ++turn, events, layout,
    selected: String(getSelection()), dropped: to.textContent, range: +by("range").value, hash: location.hash,
    list: [by("list").scrollLeft, by("list").scrollTop], size: [innerWidth, innerHeight]})})
}
const plan = () => { if (!planned) { planned = true; setTimeout(tell, 5) } }
const held = e => ["ctrlKey", "shiftKey", "altKey", "metaKey"].filter(name => e[name]).join()
const log = e => {
  events.push({type: e.type, on: e.target.id || "", button: e.button ?? -1, buttons: e.buttons ?? 0, count: e.detail,
    x: e.clientX ?? -1, y: e.clientY ?? -1, held: held(e), dx: e.deltaX ?? 0, dy: e.deltaY ?? 0})
  plan()
}
// Chromium joins the moves of one frame; these are all of them.
document.addEventListener("pointermove", e => e.getCoalescedEvents().forEach(one => log({type: "move", target: e.target,
  buttons: one.buttons, clientX: one.clientX, clientY: one.clientY})), {capture: true})
for (const type of ["mousedown", "mouseup", "click", "dblclick", "auxclick", "contextmenu", "wheel",
  "dragstart", "dragover", "drop", "dragend"]) document.addEventListener(type, log, {capture: true, passive: false})
addEventListener("contextmenu", e => e.preventDefault())
addEventListener("wheel", e => e.ctrlKey && e.preventDefault(), {passive: false})
const from = by("from"), to = by("to")
from.addEventListener("dragstart", e => e.dataTransfer.setData("text/plain", "parcel"))
to.addEventListener("dragover", e => e.preventDefault())
to.addEventListener("drop", e => { e.preventDefault(); to.textContent = e.dataTransfer.getData("text/plain"); plan() })
document.addEventListener("selectionchange", plan)
for (const type of ["hashchange", "resize"]) addEventListener(type, plan)
by("list").addEventListener("scroll", plan); by("range").addEventListener("input", plan)
tell()
</script></html>"""


class Box(NamedTuple):
    """Where an element is, in pixels of a page that fills the screen."""

    left: float
    top: float
    width: float
    height: float

    def at(self, x: float, y: float) -> tuple[int, int]:
        """The place that far from its corner."""
        return round(self.left + x), round(self.top + y)

    @property
    def middle(self) -> tuple[int, int]:
        return self.at(self.width // 2, self.height // 2)


class MousePage(WebPage):
    """Serves the page, and knows what it told last."""

    def __init__(self) -> None:
        super().__init__(_PAGE, self._posted)
        self.told: dict[str, Any] = {"turn": 0, "events": [], "layout": {}, "size": [0, 0]}
        self._seen = 0
        self._one_at_a_time = threading.Lock()  # what it tells comes over several connections at once

    def _posted(self, body: bytes) -> bytes:
        told = json.loads(body)
        with self._one_at_a_time:
            if told["turn"] == 1 or told["turn"] > self.told["turn"]:
                self.told = told
        return b""

    def box(self, name: str) -> Box:
        """Where the element with that id is."""
        return Box(*self.told["layout"][name])

    def forget(self) -> None:
        """From now on ``events`` are those to come."""
        self._seen = len(self.told["events"])

    def events(self, *types: str) -> list[dict[str, Any]]:
        """Those of the types that came since ``forget``."""
        return [event for event in self.told["events"][self._seen :] if event["type"] in types]

    def waits_for(self, *types: str, count: int = 1) -> list[dict[str, Any]]:
        """The events of the types, as soon as there are that many, otherwise what there is in the end."""
        until(lambda: len(self.events(*types)) >= count, _SECONDS)
        return self.events(*types)

    def says(self, name: str, value: object) -> bool:
        """Whether what it tells under that name becomes the value."""
        return until(lambda: self.told[name] == value, _SECONDS)
