// The desktop by VNC, with noVNC; for looking only.
import RFB from "./novnc/core/rfb.js";

export class VncScreen {
  pictures = false;
  #box = document.createElement("div");
  #rfb;

  constructor(where, lost) {
    this.#box.id = "vnc";
    where.replaceChildren(this.#box);
    const address = new URL("vnc", location.href);
    address.protocol = "ws:";
    this.#rfb = new RFB(this.#box, address.href, { shared: true });
    this.#rfb.viewOnly = true;
    this.#rfb.focusOnClick = false;
    this.#rfb.scaleViewport = true;
    this.#rfb.background = "transparent";
    this.#rfb.addEventListener("disconnect", lost);
  }

  get picture() {
    return this.#box.querySelector("canvas");
  }

  async show() {}

  close() {
    this.#rfb.disconnect();
  }
}
