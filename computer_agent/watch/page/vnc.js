// The desktop by VNC, with noVNC.
import RFB from "./novnc/core/rfb.js";

export class VncScreen {
  pictures = false;
  #rfb;

  constructor(where, viewer, lost) {
    const box = document.createElement("div");
    box.id = "vnc";
    where.replaceChildren(box);
    const address = new URL(`vnc?viewer=${viewer}`, location.href);
    address.protocol = "ws:";
    this.#rfb = new RFB(box, address.href, { shared: true });
    this.#rfb.viewOnly = true;
    this.#rfb.scaleViewport = true;
    this.#rfb.background = "transparent";
    this.#rfb.addEventListener("disconnect", lost);
  }

  async show() {}

  use(on) {
    this.#rfb.viewOnly = !on;
    if (on) this.focus();
    else this.#rfb.blur();
  }

  focus() {
    this.#rfb.focus();
  }

  close() {
    this.#rfb.disconnect();
  }
}
