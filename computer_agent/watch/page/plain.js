// The desktop as a picture that is fetched when it has changed.
export class PlainScreen {
  pictures = true;
  #number = 0;
  #size = [0, 0];
  #box = document.createElement("div");
  #image = new Image();
  #pointer = document.createElement("div");

  constructor(where) {
    this.#box.id = "picture";
    this.#image.alt = "the private desktop";
    this.#image.draggable = false;
    this.#pointer.id = "pointer";
    this.#box.append(this.#image, this.#pointer);
    where.replaceChildren(this.#box);
    new ResizeObserver(() => this.#size[0] && this.#fit()).observe(where);
  }

  get picture() {
    return this.#image;
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

  close() {}

  #fit() {
    const [width, height] = this.#size;
    const room = this.#box.parentElement;
    if (!room) return;
    const scale = Math.min(1, (room.clientWidth - 12) / width, (room.clientHeight - 12) / height);
    this.#box.style.width = `${width * scale}px`;
    this.#box.style.height = `${height * scale}px`;
  }
}
