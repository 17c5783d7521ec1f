// The desktop as a picture that is fetched when it has changed; the mouse and keys over it are sent.
const BUTTONS = ["left", "middle", "right", "back", "forward"];
const NOTCH = 100; // pixels that a browser scrolls for one notch of a wheel
const LINES = 3; // lines that it scrolls for one
const LOCKS = ["CapsLock", "NumLock", "ScrollLock", "AltGraph"]; // the characters that they make are sent instead
const COMPOSING = ["Dead", "Process", "Unidentified", "Compose"];

export class PlainScreen {
  pictures = true;
  #send;
  #used = false;
  #number = 0;
  #size = [0, 0];
  #box;
  #image = new Image();
  #pointer = document.createElement("div");
  #keys = document.createElement("textarea"); // what has the keyboard, so that input methods work
  #down = new Map(); // code of a key -> the name it was pressed by
  #held = new Set(); // buttons
  #turned = [0, 0]; // parts of notches, not sent yet
  #ending = new AbortController();

  constructor(where, send) {
    this.#send = send;
    this.#box = document.createElement("div");
    this.#box.id = "picture";
    this.#image.alt = "the private desktop";
    this.#image.draggable = false;
    this.#pointer.id = "pointer";
    this.#keys.id = "keys";
    this.#keys.setAttribute("aria-label", "The keyboard of the desktop");
    for (const name of ["autocomplete", "autocapitalize", "autocorrect", "spellcheck"]) this.#keys.setAttribute(name, "off");
    this.#box.append(this.#keys, this.#image, this.#pointer);
    where.replaceChildren(this.#box);
    this.#listen(where);
  }

  async show(news) {
    if (news.picture !== this.#number) {
      this.#number = news.picture;
      const next = new Image();
      next.src = `picture.jpg?${news.picture}`;
      try {
        await next.decode();
        this.#image.src = next.src;
      } catch {
        this.#number = 0; // the desktop has ended, or the server: the news will say so
        return;
      }
    }
    this.#size = news.size;
    this.#pointer.style.left = `${(100 * (news.pointer[0] + 0.5)) / news.size[0]}%`;
    this.#pointer.style.top = `${(100 * (news.pointer[1] + 0.5)) / news.size[1]}%`;
    this.#fit();
  }

  use(on) {
    this.#used = on;
    this.#down.clear();
    this.#held.clear();
    this.#turned = [0, 0];
    this.#keys.value = "";
    if (on) this.focus();
    else this.#keys.blur();
  }

  focus() {
    this.#keys.focus({ preventScroll: true });
  }

  close() {
    this.#ending.abort();
  }

  #fit() {
    const [width, height] = this.#size;
    const room = this.#box.parentElement;
    const scale = Math.min(1, (room.clientWidth - 12) / width, (room.clientHeight - 12) / height);
    this.#box.style.width = `${width * scale}px`;
    this.#box.style.height = `${height * scale}px`;
  }

  #listen(where) {
    const on = (target, kind, heard, more = {}) =>
      target.addEventListener(kind, (event) => this.#used && heard(event), { signal: this.#ending.signal, ...more });
    new ResizeObserver(() => this.#size[0] && this.#fit()).observe(where);
    on(this.#box, "mousedown", (event) => {
      event.preventDefault();
      this.focus();
      this.#held.add(event.button);
      this.#button(event, true);
    });
    on(window, "mouseup", (event) => {
      if (!this.#held.delete(event.button)) return;
      event.preventDefault();
      this.#button(event, false);
    });
    on(window, "mousemove", (event) => {
      if (this.#held.size || this.#box.contains(event.target)) this.#send({ kind: "move", ...this.#place(event) });
    });
    for (const kind of ["contextmenu", "auxclick", "dragstart"]) on(this.#box, kind, (event) => event.preventDefault());
    on(this.#box, "wheel", (event) => this.#wheel(event), { passive: false });
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
    on(window, "blur", () => this.#down.clear());
  }

  // The pixel of the picture that is under the mouse, or the nearest one.
  #place(event) {
    const shown = this.#image.getBoundingClientRect();
    const within = (at, length, size) => Math.min(size - 1, Math.max(0, Math.floor((at * size) / length)));
    return {
      x: within(event.clientX - shown.left, shown.width, this.#size[0]),
      y: within(event.clientY - shown.top, shown.height, this.#size[1]),
    };
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
