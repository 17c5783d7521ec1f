// Every text that can be seen on the page, one entry for each line of each text node, in pixels of the picture.
(() => {
  const WIDE = "\\u3000-\\u9fff\\uf900-\\ufaff\\uff00-\\uffef";
  const PIECES = new RegExp(`[${WIDE}]|[^\\s${WIDE}]+`, "g");
  const CONTROLS =
    "a,button,select,summary,label,[role=button],[role=tab],[role=menuitem],[role=option],[role=treeitem],th[data-sort]";
  const ratio = window.devicePixelRatio;
  const entries = [];

  const scaled = (r) => {
    const left = Math.floor(r.left * ratio), top = Math.floor(r.top * ratio);
    return [left, top, Math.ceil(r.right * ratio) - left, Math.ceil(r.bottom * ratio) - top];
  };
  const union = (rects) => ({
    left: Math.min(...rects.map((r) => r.left)), top: Math.min(...rects.map((r) => r.top)),
    right: Math.max(...rects.map((r) => r.right)), bottom: Math.max(...rects.map((r) => r.bottom)),
  });
  const inView = (r) => r.left >= 0 && r.top >= 0 && r.right <= innerWidth && r.bottom <= innerHeight;
  const uncovered = (r, element) => {
    const middle = (r.top + r.bottom) / 2;
    return [r.left + 2, (r.left + r.right) / 2, r.right - 2].every((x) => {
      const seen = document.elementFromPoint(x, middle);
      return seen && (seen === element || seen.contains(element) || element.contains(seen));
    });
  };
  const kindOf = (element) => {
    const kinds = [
      ["button,[role=button],summary", "button"], ["a", "link"], ["[role=tab]", "tab"], ["[role=menuitem]", "menu"],
      ["[role=option],[role=treeitem]", "item"], ["label", element.closest("label")?.querySelector("input") ? "tick" : "label"],
      ["th", "header"], ["td", "cell"], ["h1,h2,h3,h4,legend", "heading"],
    ];
    return (kinds.find(([selector]) => element.closest(selector)) || [null, "text"])[1];
  };
  const add = (text, rect, element, kind, control) => {
    if (!inView(rect) || !uncovered(rect, element)) return;
    const entry = { text, box: scaled(rect), kind };
    if (control && inView(control)) entry.control = scaled(control);
    entries.push(entry);
  };

  // A person asks for a few words of a long line, not for all of it.
  const asked = (pieces) => {
    const text = pieces.map((p) => p.text).join("");
    if (pieces.length < 4 || text.length <= (pieces.every((p) => p.text.length === 1) ? 16 : 36)) return pieces;
    const count = pieces.every((p) => p.text.length === 1) ? 8 : 3;
    const start = (text.length * 7 + text.charCodeAt(1)) % (pieces.length - count + 1);
    return pieces.slice(start, start + count);
  };

  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (element.closest("script,style,select,textarea,[aria-hidden=true]")) continue;
    if (getComputedStyle(element).visibility !== "visible") continue;
    const lines = [];
    for (const match of node.data.matchAll(PIECES)) {
      const range = document.createRange();
      range.setStart(node, match.index);
      range.setEnd(node, match.index + match[0].length);
      const rects = [...range.getClientRects()].filter((r) => r.width > 0);
      if (rects.length !== 1) continue;
      const piece = { text: match[0], start: match.index, end: match.index + match[0].length, rect: rects[0] };
      const last = lines.at(-1)?.at(-1);
      if (last && Math.abs(last.rect.top - piece.rect.top) < last.rect.height / 2) lines.at(-1).push(piece);
      else lines.push([piece]);
    }
    for (const line of lines) {
      const part = asked(line);
      const text = node.data.slice(part[0].start, part.at(-1).end);
      const letters = text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
      if (letters < 2 && !/\p{Script=Han}/u.test(text) && !element.closest("td,button")) continue;
      if (letters * 2 <= text.replace(/\s/g, "").length) continue;
      if (element.closest("pre") && letters < 4) continue; // nobody asks for "if" in a program's text
      const rect = union(part.map((p) => p.rect));
      const owner = element.closest(CONTROLS);
      const control = owner && (getComputedStyle(owner).display === "inline" ? rect : owner.getBoundingClientRect());
      add(text, rect, element, kindOf(element), control);
    }
  }

  // What stands in fields has no text node; its width is that of its font.
  const pen = document.createElement("canvas").getContext("2d");
  for (const field of document.querySelectorAll("input,select")) {
    if (field.matches("[type=checkbox],[type=radio],[type=range],[type=password]")) continue;
    const text = field.matches("select") ? field.selectedOptions[0]?.text : field.value || field.placeholder;
    if (!text || !/[\p{L}\p{N}]/u.test(text)) continue;
    const style = getComputedStyle(field), outside = field.getBoundingClientRect();
    pen.font = style.font;
    const width = pen.measureText(text).width;
    const inset = (side) => parseFloat(style[`border${side}Width`]) + parseFloat(style[`padding${side}`]);
    const left = style.direction === "rtl" ? outside.right - inset("Right") - width : outside.left + inset("Left");
    const inner = field.matches("select") ? 4 : 0; // Chromium indents it
    const rect = { left: left + inner, right: left + inner + width, top: outside.top + inset("Top"), bottom: outside.bottom - inset("Bottom") };
    if (rect.right > outside.right || rect.left < outside.left) continue;
    add(text, rect, field, "field", outside);
  }
  return entries;
})()
