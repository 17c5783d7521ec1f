// The run over time: a film strip, a bar a row, an axis. A press chooses, a drag narrows the list to that time.
function spot(row) { // left edge and width, of 1
  if (state.even) return [row.index / rows.length, 1 / rows.length];
  const from = Math.min(Math.max(row.at / total, 0), 1);
  return [from, Math.min((row.seconds ?? 0) / total, 1 - from)];
}

function rowAt(part) {
  if (!rows.length) return null;
  if (state.even) return Math.min(Math.floor(part * rows.length), rows.length - 1);
  const at = part * total;
  let best = 0;
  for (const row of rows) if (row.at <= at && !row.nested && row.at >= rows[best].at) best = row.index;
  return best;
}

const timeAt = part => state.even ? rows[rowAt(part)]?.at ?? 0 : part * total;

function drawStrip() {
  const strip = $("strip"), frames_ = Math.max(1, Math.floor(strip.clientWidth / 84));
  const pieces = [];
  for (let place = 0; place < frames_; place++) {
    const row = rows[rowAt((place + 0.5) / frames_)];
    const frame = row && (frameOf(row, "before") ?? frameOf(row, "after"));
    pieces.push((frame && image(frame.picture, "", {loading: "lazy"})) ?? make("i"));
  }
  strip.replaceChildren(...pieces);
}

function drawBars() {
  const shown = new Set(state.shown);
  const bars = rows.filter(row => !row.nested).map(row => {
    const [left, width] = spot(row);
    const bar = make("i", {class: `${statusOf(row)[1]}${shown.has(row.index) ? "" : " faded"}`});
    bar.style.left = `${left * 100}%`;
    bar.style.width = `${width * 100}%`;
    return bar;
  });
  const here = make("span", {class: "here", id: "here"});
  const range = make("span", {class: "chosen", id: "chosen", hidden: !state.range});
  $("track").replaceChildren(...bars, range, here);
  drawRange(state.range);
  drawHere();
}

function drawRange(range) {
  const chosen = $("chosen");
  chosen.hidden = !range;
  if (!range) return;
  const edge = at => state.even ? rows.filter(row => row.at < at).length / rows.length : at / total;
  chosen.style.left = `${edge(range[0]) * 100}%`;
  chosen.style.width = `${Math.max(edge(range[1]) - edge(range[0]), 0) * 100}%`;
}

function drawHere() {
  const row = chosen(), track = $("track");
  track.setAttribute("aria-valuemax", String(Math.max(rows.length, 1)));
  track.setAttribute("aria-valuenow", String(state.row + 1));
  track.setAttribute("aria-valuetext", row ? `step ${label(row)}, ${statusOf(row)[2]}: ${oneLine(row.words).slice(0, 120)}` : "no step");
  if (row) $("here").style.left = `${(spot(row)[0] + (state.even ? 0.5 / rows.length : 0)) * 100}%`;
}

const NICE = [0.001, 0.01, 0.1, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 86400];

function drawAxis() {
  const axis = $("axis"), wide = axis.clientWidth || 800, places = [];
  if (state.even) {
    const every = Math.max(1, Math.ceil(rows.length * 70 / wide));
    for (let index = 0; index < rows.length; index += every) places.push([index / rows.length, `step ${label(rows[index])}`]);
  } else {
    const every = NICE.find(nice => nice / total * wide >= 70) ?? total;
    for (let at = 0; at < total; at += every) places.push([at / total, at ? tick(at) : "0"]);
  }
  axis.replaceChildren(...places.filter(([left]) => left * wide < wide - 110).map(([left, words]) => {
    const mark = make("span", {}, words);
    mark.style.left = `${left * 100}%`;
    return mark;
  }));
}

const tick = at => at < 1 ? `${Math.round(at * 1000)} ms` : at < 60 ? `${+at.toFixed(1)} s` : at < 3600
  ? `${Math.floor(at / 60)}:${String(Math.round(at % 60)).padStart(2, "0")}` : `${Math.floor(at / 3600)} h ${Math.round(at % 3600 / 60)} min`;

function drawTimeline() {
  drawStrip();
  drawBars();
  drawAxis();
}

function hover(event) {
  const area = $("track").getBoundingClientRect();
  const part = Math.min(Math.max((event.clientX - area.left) / area.width, 0), 1);
  const index = rowAt(part), row = rows[index], box = $("hover");
  if (!row) return;
  if (box.dataset.row !== String(index)) {
    box.dataset.row = String(index);
    const frame = frameOf(row, "before") ?? frameOf(row, "after");
    box.replaceChildren(...[frame && image(frame.picture, "")].filter(Boolean),
      make("b", {}, `${label(row)}  ${oneLine(row.words)}`), make("span", {}, `${statusOf(row)[2]} · ${clock(row.at)}`));
  }
  box.hidden = false;
  box.style.left = `${Math.min(Math.max(event.clientX - 142, 6), innerWidth - 292)}px`;
  box.style.top = `${area.bottom + 24}px`;
}

function startTimeline() {
  const track = $("track"), strip = $("strip");
  const part = event => {
    const area = track.getBoundingClientRect();
    return Math.min(Math.max((event.clientX - area.left) / area.width, 0), 1);
  };
  for (const surface of [track, strip]) {
    surface.addEventListener("pointermove", hover);
    surface.addEventListener("pointerleave", () => { $("hover").hidden = true; });
    surface.addEventListener("pointerdown", event => {
      if (event.button || !rows.length) return;
      const from = part(event), x = event.clientX;
      let range = null;
      surface.setPointerCapture(event.pointerId);
      const moved = move => {
        if (!range && Math.abs(move.clientX - x) < 5) return;
        range = [from, part(move)].sort((one, other) => one - other).map(timeAt);
        drawRange(range);
      };
      surface.addEventListener("pointermove", moved);
      surface.addEventListener("lostpointercapture", () => {
        surface.removeEventListener("pointermove", moved);
        if (range) { state.range = range; filter(); } else choose(nearest(rowAt(from)));
      }, {once: true});
    });
  }
  track.addEventListener("keydown", event => {
    const by = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10, Home: -rows.length, End: rows.length}[event.key];
    if (!by) return;
    go(by);
    event.preventDefault();
    event.stopPropagation();
  });
  $("scale").addEventListener("click", () => {
    state.even = !state.even;
    $("scale").setAttribute("aria-pressed", String(state.even));
    $("scale").textContent = state.even ? "by step" : "by time";
    drawTimeline();
  });
  let width = 0;
  new ResizeObserver(() => {
    if (track.clientWidth === width) return;
    width = track.clientWidth;
    drawTimeline();
  }).observe(track);
  when("row", drawHere);
  when("shown", drawBars);
}
