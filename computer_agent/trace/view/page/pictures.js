// Pictures lie in the page as text, each once; one becomes a picture when it is first needed.
const KEPT = 60;
const addresses = new Map(); // by number, the one used last at the end

function address(number) {
  const kept = addresses.get(number);
  if (kept) {
    addresses.delete(number);
    addresses.set(number, kept);
    return kept;
  }
  const text = $(`picture-${number}`)?.textContent;
  if (!text) return null;
  const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  const made = URL.createObjectURL(new Blob([bytes], {type: `image/${pictures[number].kind}`}));
  addresses.set(number, made);
  return made;
}

// Once they are drawn, the addresses of pictures that nobody shows any more are let go.
function letGo() {
  if (addresses.size <= KEPT) return;
  const used = new Set([...document.images].map(image => image.src));
  for (const [number, made] of addresses) {
    if (addresses.size <= KEPT) break;
    if (used.has(made)) continue;
    URL.revokeObjectURL(made);
    addresses.delete(number);
  }
}

function image(number, text, attributes = {}) {
  const source = address(number);
  return source && make("img", {src: source, alt: text, draggable: "false", decoding: "async", ...attributes});
}

const whyNot = number => `This picture cannot be shown: ${pictures[number].how}.`;

// The size that a frame's marks are drawn in, and a place of the desktop on it.
function sizeOf(frame) {
  const picture = pictures[frame.picture];
  return frame.size ?? [picture.width || 1280, picture.height || 800];
}

function onto(frame) {
  const [width, height] = sizeOf(frame);
  const [left, top, wide, high] = frame.area ?? [0, 0, width, height];
  const across = width / wide, down = height / high;
  return {
    point: ([x, y]) => [(x - left) * across, (y - top) * down],
    box: ([x, y, w, h]) => [(x - left) * across, (y - top) * down, w * across, h * down],
  };
}
