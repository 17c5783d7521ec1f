// What the person does over the picture with the mouse and the keyboard, as what is sent.
const BUTTONS = ["left", "middle", "right", "back", "forward"];
const NOTCH = 100; // pixels that a browser scrolls for one notch of a wheel
const LINES = 3; // lines that it scrolls for one
const LOCKS = ["CapsLock", "NumLock", "ScrollLock", "AltGraph"]; // the characters that they make are sent instead
const COMPOSING = ["Dead", "Process", "Unidentified", "Compose"];

export class Input {
  #send;
  #box;
  #picture; // gives the element that is the picture now
  #used = false;
  #size = [1, 1];
  #keys = document.createElement("textarea"); // what has the keyboard, so that input methods work
  #down = new Map(); // code of a key -> the name it was pressed by
  #held = new Set(); // buttons
  #turned = [0, 0]; // parts of notches, not sent yet

  constructor(box, picture, send) {
    this.#box = box;
    this.#picture = picture;
    this.#send = send;
    this.#keys.id = "keys";
    this.#keys.setAttribute("aria-label", "The keyboard of the desktop");
    for (const name of ["autocomplete", "autocapitalize", "autocorrect", "spellcheck"]) this.#keys.setAttribute(name, "off");
    box.before(this.#keys);
    this.#listen();
  }

  show(news) {
    this.#size = news.size;
  }

  use(on) {
    this.#used = on;
    this.#forget();
    this.#keys.value = "";
    if (on) this.focus();
    else this.#keys.blur();
  }

  focus() {
    this.#keys.focus({ preventScroll: true });
  }

  #forget() {
    this.#down.clear();
    this.#held.clear();
    this.#turned = [0, 0];
  }

  #listen() {
    const on = (target, kind, heard, more = {}) =>
      target.addEventListener(kind, (event) => this.#used && heard(event), more);
    const first = { capture: true, passive: false }; // before what is in there hears of it, and keeps it to itself
    on(this.#box, "mousedown", (event) => this.#over(event) && this.#pressedButton(event), first);
    on(window, "mouseup", (event) => {
      if (!this.#held.delete(event.button)) return;
      event.preventDefault();
      this.#button(event, false);
    }, first);
    on(window, "mousemove", (event) => {
      if (this.#held.size || this.#over(event)) this.#send({ kind: "move", ...this.#place(event) });
    }, first);
    on(this.#box, "wheel", (event) => this.#over(event) && this.#wheel(event), first);
    for (const kind of ["contextmenu", "auxclick", "dragstart"]) on(this.#box, kind, (event) => event.preventDefault(), first);
    for (const kind of ["touchstart", "touchmove", "touchend"]) on(this.#box, kind, (event) => event.stopPropagation(), first);
    on(this.#keys, "keydown", (event) => this.#pressed(event));
    on(this.#keys, "keyup", (event) => this.#released(event));
    on(this.#keys, "input", (event) => event.isComposing || this.#written());
    on(this.#keys, "compositionend", () => this.#written());
    on(document, "paste", (event) => {
      if (event.target !== this.#keys && event.target !== document.body) return;
      event.preventDefault();
      const text = event.clipboardData.getData("text/plain");
      if (text) this.#send({ kind: "paste", text });
    });
    on(window, "blur", () => {
      this.#forget();
      this.#send({ kind: "release" });
    });
  }

  // The pixel of the picture that is under the mouse, or the nearest one.
  #place(event) {
    const shown = this.#picture().getBoundingClientRect();
    const within = (at, length, size) => Math.min(size - 1, Math.max(0, Math.floor((at * size) / length)));
    return {
      x: within(event.clientX - shown.left, shown.width, this.#size[0]),
      y: within(event.clientY - shown.top, shown.height, this.#size[1]),
    };
  }

  #over(event) {
    const shown = this.#picture().getBoundingClientRect();
    const { clientX: x, clientY: y } = event;
    return x >= shown.left && x < shown.right && y >= shown.top && y < shown.bottom;
  }

  #pressedButton(event) {
    event.preventDefault();
    event.stopPropagation();
    this.focus();
    this.#held.add(event.button);
    this.#button(event, true);
  }

  #button(event, down) {
    const name = BUTTONS[event.button];
    if (name) this.#send({ kind: "button", name, down, ...this.#place(event) });
  }

  #wheel(event) {
    event.preventDefault();
    const unit = [1 / NOTCH, 1 / LINES, 1][event.deltaMode];
    this.#turned[0] += event.deltaX * unit;
    this.#turned[1] += event.deltaY * unit;
    const [right, down] = this.#turned.map((turned) => Math.max(-100, Math.min(100, Math.trunc(turned))));
    if (!right && !down) return;
    this.#turned = [this.#turned[0] - right, this.#turned[1] - down];
    this.#send({ kind: "wheel", right, down, ...this.#place(event) });
  }

  #pressed(event) {
    if (event.isComposing || COMPOSING.includes(event.key)) return; // comes as text when it is whole
    event.preventDefault();
    if (LOCKS.includes(event.key)) return;
    if (event.key < " ") return; // a key that gives nothing
    const writes = [...event.key].length === 1;
    const shortcut = (event.ctrlKey || event.altKey || event.metaKey) && !event.getModifierState("AltGraph");
    if (writes && !shortcut) return this.#send({ kind: "text", text: event.key });
    if (event.repeat) return; // the desktop repeats it, as long as it is down
    const name = event.location === KeyboardEvent.DOM_KEY_LOCATION_RIGHT ? `${event.key}Right` : event.key;
    this.#down.set(event.code, name);
    this.#send({ kind: "key", name, down: true });
  }

  #released(event) {
    const name = this.#down.get(event.code);
    if (name === undefined) return;
    event.preventDefault();
    this.#down.delete(event.code);
    this.#send({ kind: "key", name, down: false });
  }

  #written() {
    const text = this.#keys.value;
    this.#keys.value = "";
    if (text) this.#send({ kind: "text", text });
  }
}
