// The picture of the chosen row: before, after, a slider between them, both, or what differs; marks, zoom, and the place under the pointer.
const SCALES = [0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4, 6, 8];

const chosen = () => rows[state.row];
const listsElements = frames.some(frame => frame.elements.length);
const frameOf = (row, side) => row?.[side] === null || row?.[side] === undefined ? null : frames[row[side]];

// What is really shown: without a picture after, the one before.
function mode() {
  const row = chosen();
  if (!frameOf(row, "after")) return "before";
  return frameOf(row, "before") ? state.mode : "after";
}

function marksOn(frame, row, sides) {
  const [width, height] = sizeOf(frame);
  const svg = draw("svg", {viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true"});
  const to = onto(frame);
  const box = (edges, kind) => {
    const [x, y, w, h] = to.box(edges);
    return draw("rect", {x, y, width: Math.max(w, 1), height: Math.max(h, 1), class: kind, rx: 1});
  };
  if (state.elements) {
    for (const [number, role, name, ...edges] of frame.elements) {
      const element = box(edges, "element");
      element.append(draw("title", {}, `${number}  ${role} ${name}`));
      svg.append(element);
    }
  }
  if (!state.marks || !row.places) return svg;
  const {points, targets, changed, moving} = row.places;
  if (sides.includes("after")) {
    svg.append(...changed.map(edges => box(edges, "changed")), ...moving.map(edges => box(edges, "moving")));
  }
  svg.append(...targets.map(edges => box(edges, "target")));
  const places = points.map(to.point);
  if (places.length > 1) svg.append(draw("polyline", {points: places.map(place => place.join(",")).join(" "), class: "way"}));
  const unit = width / (shownWidth() || width); // so that a ring has the same size at every zoom
  for (const [x, y] of places) {
    svg.append(
      draw("circle", {cx: x, cy: y, r: 13 * unit, class: "halo"}),
      draw("circle", {cx: x, cy: y, r: 13 * unit, class: "point", "data-x": x, "data-y": y}),
      draw("circle", {cx: x, cy: y, r: 2.5 * unit, class: "dot"}));
  }
  return svg;
}

let fitted = [0, 0]; // room for one picture
function measure() {
  const stage = $("stage"), frame = frameOf(chosen(), "before") ?? frameOf(chosen(), "after"), [width, height] = sizeOf(frame);
  fitted = [stage.clientWidth - 22, stage.clientHeight - 22];
  stage.classList.remove("column");
  if (mode() !== "both") return;
  const beside = [fitted[0] / 2 - 6, fitted[1]], below = [fitted[0], fitted[1] / 2 - 6];
  const room = ([wide, high]) => Math.min(wide / width, high / height);
  fitted = room(below) > room(beside) ? below : beside;
  stage.classList.toggle("column", fitted === below);
}

function scaleOf(frame) {
  const [width, height] = sizeOf(frame);
  return state.zoom === "fit" ? Math.min(fitted[0] / width, fitted[1] / height, 2) : state.zoom;
}

function shownWidth() {
  const frame = frameOf(chosen(), "before") ?? frameOf(chosen(), "after");
  return frame && sizeOf(frame)[0] * scaleOf(frame);
}

function sheet(row, sides) {
  const frame = frameOf(row, sides[0]), [width, height] = sizeOf(frame), scale = scaleOf(frame);
  const names = row.compared ? {before: "Expected", after: "Seen"} : {before: "Before", after: "After"};
  const element = make("div", {class: `sheet${scale >= 2 ? " pixels" : ""}${sides.length < 2 ? "" : mode() === "slide" ? " sliding" : " difference"}`, "data-sides": sides.join(" ")});
  element.style.width = `${Math.max(1, width * scale)}px`;
  element.style.height = `${Math.max(1, height * scale)}px`;
  // Of two the one after lies below, and the one before is cut off where the slider is.
  for (const side of [...sides].reverse()) {
    const number = frameOf(row, side).picture;
    const over = sides.length > 1 && side === "before";
    element.append(image(number, `${names[side]}: ${oneLine(row.words)}`, {class: over ? "over" : "whole", "data-side": side})
      ?? make("p", {class: "empty"}, whyNot(number)));
  }
  element.append(marksOn(frame, row, sides));
  if (sides.length > 1 && mode() === "slide") {
    element.append(make("span", {class: "cut"}), make("span", {class: "side"}, names.before.toLowerCase()), make("span", {class: "side right"}, names.after.toLowerCase()));
    element.style.setProperty("--at", `${state.at * 100}%`);
  } else if (mode() === "both") element.append(make("span", {class: "side"}, names[sides[0]].toLowerCase()));
  element.addEventListener("pointermove", event => {
    const area = element.getBoundingClientRect();
    const x = Math.floor((event.clientX - area.left) / area.width * width), y = Math.floor((event.clientY - area.top) / area.height * height);
    $("place").textContent = x >= 0 && y >= 0 && x < width && y < height ? `${x}, ${y}` : "";
  });
  return element;
}

function captions(row) {
  const said = row.compared ? {before: "Expected: as it was recorded", after: "Seen: in this replay"} : {
    before: row.ownBefore ? "Before: taken right before the action" : `Before: the start of step ${steps[row.step].number}`,
    after: row.ownAfter ? "After: taken right after the action" : `After: the start of step ${steps[row.step + 1]?.number ?? "?"}`,
  };
  const now = mode();
  if (now === "difference") return `What differs, black where nothing does · ${said.before} · ${said.after}`;
  const words = now === "before" ? [said.before] : now === "after" ? [said.after] : [said.before, said.after];
  if (!frameOf(row, "after") && state.mode !== "before") words.push("there is no picture after it");
  return words.join(" · ");
}

function drawLegend(row) {
  const places = state.marks && row.places;
  const parts = places ? [
    ["p", places.points.length > 1 ? "way" : "point", places.points.length],
    ["t", "target", places.targets.length],
    ["c", "changed", mode() !== "before" && places.changed.length],
    ["m", "still moving", mode() !== "before" && places.moving.length],
  ] : [];
  $("legend").replaceChildren(...parts.filter(part => part[2]).map(([kind, words]) => make("span", {class: kind}, words)));
}

function drawStage() {
  const row = chosen(), stage = $("stage");
  const frame = row && (frameOf(row, "before") ?? frameOf(row, "after"));
  const now = row ? mode() : "before";
  for (const button of document.querySelectorAll("[data-mode]")) {
    button.setAttribute("aria-pressed", String(button.dataset.mode === now));
    button.disabled = button.dataset.mode !== "before" && !frameOf(row, "after");
  }
  $("marks").setAttribute("aria-pressed", String(state.marks));
  $("elements").setAttribute("aria-pressed", String(state.elements));
  $("elements").disabled = !frame?.elements.length;
  $("elements").hidden = !listsElements;
  $("slider").hidden = now !== "slide";
  stage.classList.toggle("both", now === "both");
  if (!frame) {
    stage.replaceChildren(make("p", {class: "empty"}, rows.length ? "No picture was taken for this step." : "There is nothing to show."));
    for (const id of ["caption", "legend", "place", "zoom"]) $(id).replaceChildren();
    $("save").hidden = true;
    return;
  }
  measure();
  const sheets = now === "both" ? [["before"], ["after"]] : now === "slide" || now === "difference" ? [["before", "after"]] : [[now]];
  const [left, top] = [stage.scrollLeft, stage.scrollTop];
  stage.replaceChildren(...sheets.map(sides => sheet(row, sides)));
  stage.scrollTo(left, top);
  $("zoom").textContent = state.zoom === "fit" ? `fit ${Math.round(scaleOf(frame) * 100)}%` : `${Math.round(state.zoom * 100)}%`;
  $("caption").textContent = captions(row);
  drawLegend(row);
  drawSave(frameOf(row, now === "after" ? "after" : "before") ?? frame);
  letGo();
}

function drawSave(frame) {
  const source = address(frame.picture);
  $("save").hidden = !source;
  if (!source) return;
  $("save").href = source;
  $("save").download = `step-${steps[chosen().step].number}.${pictures[frame.picture].kind}`;
}

function zoomBy(steps) {
  const frame = frameOf(chosen(), "before") ?? frameOf(chosen(), "after");
  if (!frame) return;
  const now = scaleOf(frame);
  const next = steps > 0 ? SCALES.find(scale => scale > now + 0.01) : SCALES.findLast(scale => scale < now - 0.01);
  if (next) zoomTo(next);
}

// What the action aimed at moves to the middle as long as it is in sight; else the middle stays.
function zoomTo(zoom) {
  const stage = $("stage"), [x, y] = middle(stage);
  state.zoom = zoom;
  changed("view");
  const now = stage.querySelector(".sheet");
  if (now) stage.scrollTo(now.offsetLeft + x * now.offsetWidth - stage.clientWidth / 2, now.offsetTop + y * now.offsetHeight - stage.clientHeight / 2);
}

function middle(stage) { // of the picture, each from 0 to 1
  const sheet = stage.querySelector(".sheet"), frame = frameOf(chosen(), "before") ?? frameOf(chosen(), "after");
  if (!sheet || !frame) return [0.5, 0.5];
  const [point] = chosen().places?.points ?? [];
  if (point) {
    const [width, height] = sizeOf(frame), [px, py] = onto(frame).point(point), at = [px / width, py / height];
    const left = sheet.offsetLeft + at[0] * sheet.offsetWidth - stage.scrollLeft, top = sheet.offsetTop + at[1] * sheet.offsetHeight - stage.scrollTop;
    if (left >= 0 && top >= 0 && left <= stage.clientWidth && top <= stage.clientHeight) return at;
  }
  return [
    (stage.scrollLeft + stage.clientWidth / 2 - sheet.offsetLeft) / sheet.offsetWidth,
    (stage.scrollTop + stage.clientHeight / 2 - sheet.offsetTop) / sheet.offsetHeight,
  ];
}

function setMode(name) {
  state.mode = name;
  changed("view");
}

function slideTo(at) {
  state.at = Math.min(Math.max(at, 0), 1);
  $("slider").value = String(Math.round(state.at * 1000));
  $("stage").querySelector(".sliding")?.style.setProperty("--at", `${state.at * 100}%`);
}

function startStage() {
  const stage = $("stage");
  for (const button of document.querySelectorAll("[data-mode]")) button.addEventListener("click", () => setMode(button.dataset.mode));
  $("slider").addEventListener("input", () => slideTo($("slider").value / 1000));
  $("marks").addEventListener("click", toggleMarks);
  $("elements").addEventListener("click", toggleElements);
  $("smaller").addEventListener("click", () => zoomBy(-1));
  $("larger").addEventListener("click", () => zoomBy(1));
  $("zoom").addEventListener("click", () => zoomTo(state.zoom === "fit" ? 1 : "fit"));
  stage.addEventListener("wheel", event => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoomBy(event.deltaY < 0 ? 1 : -1);
  }, {passive: false});
  stage.addEventListener("pointerdown", event => {
    if (event.button || event.pointerType === "touch" && !event.target.closest(".sliding")) return;
    const sliding = event.target.closest(".sliding");
    const start = [event.clientX, event.clientY, stage.scrollLeft, stage.scrollTop];
    const moved = move => {
      if (sliding) {
        const area = stage.querySelector(".sliding").getBoundingClientRect(); // drawn anew when the window changes
        slideTo((move.clientX - area.left) / area.width);
      } else stage.scrollTo(start[2] + start[0] - move.clientX, start[3] + start[1] - move.clientY);
    };
    if (sliding) moved(event);
    stage.setPointerCapture(event.pointerId);
    stage.addEventListener("pointermove", moved);
    stage.addEventListener("lostpointercapture", () => stage.removeEventListener("pointermove", moved), {once: true});
  });
  let width = 0, height = 0;
  new ResizeObserver(() => {
    if (stage.clientWidth === width && stage.clientHeight === height) return;
    [width, height] = [stage.clientWidth, stage.clientHeight];
    drawStage();
  }).observe(stage);
  when("row", drawStage);
  when("view", drawStage);
}

function toggleMarks() {
  state.marks = !state.marks;
  changed("view");
}

function toggleElements() {
  state.elements = !state.elements;
  changed("view");
}
