"""A scene as a page of HTML, which posts what happens to it and where its controls are."""

from __future__ import annotations

import json
from html import escape
from threading import Lock
from typing import TYPE_CHECKING, Any

from web_page import WebPage

if TYPE_CHECKING:
    from drifts.scene import Item, Scene

_SCRIPT = """
const scene = SCENE, values = {}, began = Date.now()
let turn = 0, placed = ""
const post = told => { fetch("/", {method: "POST", keepalive: true, body: JSON.stringify({turn: ++turn, ...told})}) }
const tell = (...event) => post({event})
const slow = () => { const until = Date.now() + 1000 * scene.slow; while (Date.now() < until); }
const press = name => {
  slow(); tell("press", name, {...values})
  document.getElementById("said").textContent = scene.says[name] || "Done: " + name
  if (scene.closes === name) document.body.replaceChildren("Thank you")
}
const place = () => {
  const boxes = Object.fromEntries([...document.querySelectorAll("[data-name]")].map(one => {
    const box = one.getBoundingClientRect(), ratio = devicePixelRatio
    return [one.dataset.name, [box.x, box.y, box.width, box.height].map(side => Math.round(side * ratio))]}))
  const view = [innerWidth, innerHeight].map(side => Math.round(side * devicePixelRatio))
  const said = JSON.stringify([boxes, view])
  if (Object.keys(boxes).length && said !== placed) { placed = said; post({places: boxes, view}) }
}
const build = () => {
  document.body.append(document.getElementById("body").content)
  for (const one of document.querySelectorAll("[data-name]")) {
    const name = one.dataset.name
    if (one.matches("input[type=text]")) {
      values[name] = ""
      one.addEventListener("mousedown", () => tell("touch", name))
      one.addEventListener("input", () => { slow(); tell("value", name, values[name] = one.value) })
    } else if (one.matches("input")) {
      values[name] = false
      one.addEventListener("change", () => { slow(); tell("value", name, values[name] = one.checked) })
    } else one.addEventListener("click", () => press(name))
  }
  if (scene.dialog) document.querySelector("dialog").showModal()
  setInterval(place, 100)
}
setTimeout(build, 1000 * scene.late)
"""
_STYLE = """
html{color-scheme:SCHEME} body{font:FONTpt "DejaVu Sans",sans-serif;margin:16px;PAINT}
p{margin:10px 0} label.of{display:inline-block;width:120px} input[type=text]{width:220px}
input,button{font:inherit;padding:3px} button{padding:4px 14px;margin-right:10px} .row{display:inline-block;width:170px}
li{list-style:none;padding:4px;cursor:pointer} ul{padding:0;border:1px solid #888} dialog{margin-top:40px;padding:30px}
"""
_DARK = "background:#2b2b2b;color:#eee"


class ScenePage(WebPage):
    """Serves the scene; ``journal`` holds its events in the order in which they happened."""

    def __init__(self, scene: Scene) -> None:
        self.places: dict[str, list[int]] = {}
        self.view: tuple[int, int] = (0, 0)
        self._told: dict[int, list[Any]] = {}
        self._placed_in = 0
        self._one_at_a_time = Lock()  # what it tells comes over several connections at once
        super().__init__(html(scene).encode(), self._posted)

    @property
    def journal(self) -> list[list[Any]]:
        """Every event so far."""
        with self._one_at_a_time:
            return [self._told[turn] for turn in sorted(self._told)]

    def _posted(self, body: bytes) -> bytes:
        told = json.loads(body)
        with self._one_at_a_time:
            if "event" in told:
                self._told[told["turn"]] = told["event"]
            elif told["turn"] > self._placed_in:
                self._placed_in, self.places, self.view = told["turn"], told["places"], tuple(told["view"])
        return b""


def html(scene: Scene) -> str:
    """The page."""
    rows = "\n".join(_row(item) for item in scene.items)
    style = _STYLE.replace("SCHEME", "dark" if scene.dark else "light").replace("FONT", str(scene.font))
    dialog = f"<dialog><h3>{escape(scene.dialog)}</h3><p>A new version can be installed.</p>"
    dialog += '<button onclick=\'tell("press", "dialog", {})\'>Later</button></dialog>'
    return f"""<!doctype html><html lang=en><meta charset=utf-8><title>{escape(scene.title)}</title>
<style>{style.replace("PAINT", _DARK if scene.dark else "")}</style><body>
<template id=body>{rows}<p id=said>&nbsp;</p>{dialog}</template>
<script>{_SCRIPT.replace("SCENE", json.dumps(scene.json()))}</script></body></html>"""


def _row(item: Item) -> str:
    name, label = f'id="{item.id}" data-name="{item.id}"', escape(item.label)
    match item.kind:
        case "field":
            return f'<p><label class=of for="{item.id}">{label}</label> <input type=text autocomplete=off {name}>'
        case "tick":
            return f'<p><input type=checkbox {name}> <label for="{item.id}">{label}</label>'
        case "list":
            lines = "".join(f'<li id="{key}" data-name="{key}">{escape(words)}' for key, words in item.of)
            return f"<ul>{lines}</ul>"
        case "buttons":
            made = "".join(
                f'<button id="{key}" data-name="{key}">{escape(words)}</button>' for key, words in item.of
            )
            text = f"<span class=row>{escape(item.text)}</span>" if item.text else ""
            return f"<p>{text}{made}"
        case "note":
            return f"<p>{escape(item.text)}"
        case other:
            raise ValueError(f'a page shows no "{other}"')
