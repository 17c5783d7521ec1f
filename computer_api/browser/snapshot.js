// What a person can see of the page, as plain HTML: fields with what they hold, addresses in full. Elements that can be
// followed, filled or clicked carry their number in `elements` as data-oi, counted on from limits.first; a frame is left
// open as <div data-frame>. Gives {html, elements, frames, cut}.
(limits) => {
  const HIDDEN = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "HEAD", "SVG", "CANVAS", "OBJECT", "EMBED", "AUDIO", "VIDEO"]);
  const KEPT = ["id", "for", "role", "type", "name", "placeholder", "title", "alt", "aria-label", "aria-labelledby", "aria-checked"];
  const ROLES = new Set(["button", "link", "tab", "menuitem", "checkbox", "switch", "radio", "textbox", "searchbox", "option"]);
  const elements = [], frames = [], out = [];
  let size = 0, seen = 0, cut = false;
  const say = (text) => { out.push(text); size += text.length; };
  const escaped = (text) => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/"/g, "&quot;");

  function acts(element) {
    const tag = element.tagName;
    return tag === "INPUT" || tag === "SELECT" || tag === "TEXTAREA" || tag === "BUTTON" || tag === "SUMMARY"
      || (tag === "A" && (element.hasAttribute("href") || element.hasAttribute("onclick")))
      || ROLES.has(element.getAttribute("role")) || element.hasAttribute("onclick") || edited(element);
  }

  function edited(element) {
    return element.isContentEditable && !(element.parentElement && element.parentElement.isContentEditable);
  }

  function attributes(element, style) {
    const tag = element.tagName;
    let text = "";
    const add = (name, value) => { text += ` ${name}="${escaped(String(value).slice(0, limits.attribute))}"`; };
    for (const name of KEPT) if (element.hasAttribute(name)) add(name, element.getAttribute(name));
    if (acts(element)) { add("data-oi", limits.first + elements.length); elements.push(element); }
    if (tag === "A" && element.href) add("href", typeof element.href === "string" ? element.href : "");
    if (tag === "INPUT") {
      const secret = element.type === "password";
      add("value", secret ? "•".repeat(Math.min(3, element.value.length)) : element.value);
      if (element.checked) add("checked", "");
    }
    if (tag === "OPTION") { if (element.selected) add("selected", ""); }
    if (edited(element)) add("data-edited", "");
    if (tag === "LABEL" && element.control && !element.htmlFor && element.control.id) add("data-for", element.control.id);
    if (style && !/^(inline|contents|ruby)/.test(style.display)) add("data-block", "");
    return text;
  }

  function walk(node, depth) {
    if (cut || depth > limits.depth) return;
    if (size > limits.size || ++seen > limits.nodes) { cut = true; return; }
    if (node.nodeType === Node.TEXT_NODE) { say(escaped(node.data)); return; }
    if (node.nodeType !== Node.ELEMENT_NODE) return;
    const tag = node.tagName.toUpperCase();
    if (HIDDEN.has(tag) || node.getAttribute("aria-hidden") === "true") return;
    if (tag !== "OPTION" && tag !== "OPTGROUP" && !node.checkVisibility({ visibilityProperty: true })) {
      // What has no box of its own may have children with one.
      if (getComputedStyle(node).display !== "contents") return;
    }
    if (tag === "BR" || tag === "HR") { say(`<${tag}>`); return; }
    if (tag === "IFRAME" || tag === "FRAME") { inside(node); return; }
    const name = tag.toLowerCase().replace(/[^a-z0-9]/g, "") || "div";
    say(`<${name}${attributes(node, getComputedStyle(node))}>`);
    if (tag === "TEXTAREA") say(escaped(node.value));
    else children(node, depth);
    if (tag !== "INPUT" && tag !== "IMG") say(`</${name}>`);
  }

  function children(node, depth) {
    const root = node.shadowRoot || (node.tagName === "SLOT" && node.assignedNodes().length ? null : node);
    const inner = root ? root.childNodes : node.assignedNodes();
    for (const child of inner) walk(child, depth + 1);
  }

  function inside(frame) {
    const box = frame.getBoundingClientRect();
    if (box.width < 60 || box.height < 20) return;
    say(`<div data-frame="${frames.length}"></div>`);
    frames.push(frame);
  }

  if (document.body) walk(document.body, 0);
  return { html: out.join(""), elements, frames, cut };
}
