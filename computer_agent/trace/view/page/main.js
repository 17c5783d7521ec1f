// The head of the page, the keys, and the start.
const KEYS = [
  ["Steps", [["j k, ↓ ↑", "next step, step before"], ["Home End", "first, last"], ["f, Shift+f", "next failure, failure before"], ["Space", "play, pause"]]],
  ["Pictures", [["b a s d x", "before, after, slider, both, what differs"], ["+ − 0 1", "larger, smaller, fit, every pixel"], ["← →", "move the slider"], ["m e", "marks, elements"]]],
  ["All else", [["/", "search"], ["Esc", "clear search and filters"], ["c", "copy this step as text"], ["t", "dark or light"], ["?", "these keys"]]],
];

function drawHead() {
  const title = oneLine(run.task) || "(no task)";
  document.title = `${title.slice(0, 60)} – oi trace`;
  $("task").textContent = title;
  $("task").title = run.task;
  const good = run.ending === "done", colour = !run.ending ? "odd" : good ? "good" : run.ending === "failed" || run.ending === "gave up" ? "bad" : "odd";
  const last = steps[steps.length - 1];
  const facts = [many(steps.length, "step"), seconds(total)];
  const tokens = last ? last.totals[0] + last.totals[1] : 0;
  if (tokens) facts.push(`${count(tokens)} tokens`, money(last.totals[3]));
  $("facts").replaceChildren(make("span", {class: `badge ${colour}`}, run.ending || "no end"),
    ...facts.map((words, place) => make("span", {class: place > 1 ? "less" : ""}, words)), make("span", {class: "less"}, `model ${run.model}`));
  $("failures").textContent = failures.length ? `✗ ${many(failures.length, "failure")}` : "no failures";
  $("failures").classList.toggle("some", failures.length > 0);
  $("failures").disabled = !failures.length;
  $("failures").title = "To the next failure (f)";
  const lost = pictures.filter(picture => !picture.bytes).length;
  const notes = [...run.notes, ...(lost ? [`${many(lost, "picture")} of this trace cannot be shown: missing or damaged.`] : [])];
  const end = run.ending && !good && run.words ? [make("li", {class: "end"}, `Ended as “${run.ending}”: ${run.words}`)] : [];
  $("missing").hidden = !notes.length && !end.length;
  $("missing").replaceChildren(make("ul", {}, ...end, ...notes.map(note => make("li", {}, note))));
}

function startTheme() {
  const kept = () => { try { return localStorage.getItem("oi-trace-theme"); } catch { return null; } };
  const theme = kept();
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
  $("theme").setAttribute("aria-label", "Dark or light");
  $("theme").addEventListener("click", toggleTheme);
}

function toggleTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  try { localStorage.setItem("oi-trace-theme", root.dataset.theme); } catch { /* a file may keep nothing */ }
}

let playing = 0;
function play(on = !playing) {
  clearInterval(playing);
  playing = 0;
  if (on && state.shown.indexOf(state.row) < state.shown.length - 1) {
    playing = setInterval(() => {
      go(1);
      if (state.row === state.shown[state.shown.length - 1]) play(false);
    }, Number($("speed").value));
  }
  $("play").textContent = playing ? "❚❚" : "▶";
  $("play").setAttribute("aria-pressed", String(Boolean(playing)));
  $("play").setAttribute("aria-label", playing ? "Pause" : "Play");
}

function showKeys() {
  const dialog = $("keys");
  if (dialog.open) return dialog.close();
  dialog.replaceChildren(make("h2", {}, "Keys"), ...KEYS.flatMap(([title, keys]) => [make("h3", {}, title),
    make("dl", {class: "facts"}, ...keys.flatMap(([key, does]) => [make("dt", {}, make("kbd", {}, key)), make("dd", {}, does)]))]),
    make("button", {type: "button", onclick: () => dialog.close()}, "Close"));
  dialog.showModal();
}

function escape() {
  if (playing) play(false);
  clearFilters();
  if (document.activeElement === $("search")) $("search").blur();
  changed("tab");
}

const DOES = {
  j: () => go(1), k: () => go(-1), ArrowDown: () => go(1), ArrowUp: () => go(-1),
  Home: () => go(-rows.length), End: () => go(rows.length), PageDown: () => go(10), PageUp: () => go(-10),
  f: () => goToFailure(), F: () => goToFailure(true), " ": () => play(), "/": () => $("search").select(),
  b: () => setMode("before"), a: () => setMode("after"), s: () => setMode("slide"), d: () => setMode("both"),
  x: () => setMode("difference"),
  "+": () => zoomBy(1), "=": () => zoomBy(1), "-": () => zoomBy(-1), 0: () => zoomTo("fit"), 1: () => zoomTo(1),
  m: toggleMarks, e: toggleElements, c: copyStep, t: toggleTheme, "?": showKeys, Escape: escape,
  ArrowLeft: () => mode() === "slide" && slideTo(state.at - 0.05), ArrowRight: () => mode() === "slide" && slideTo(state.at + 0.05),
};
const SCROLLING = new Set(["ArrowDown", "ArrowUp", "Home", "End", "PageDown", "PageUp", "ArrowLeft", "ArrowRight"]);

function pressed(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if ($("keys").open) {
    if (event.key === "?" || event.key === "Escape") $("keys").close();
    return;
  }
  const at = event.target, typing = at.matches?.("input:not([type=checkbox]):not([type=range]), select, textarea");
  if (typing && event.key !== "Escape") {
    if (event.key === "Enter" && at === $("search")) { at.blur(); $("list").focus(); }
    return;
  }
  if (event.key === " " && at.matches?.("button, summary, input, a")) return;
  if (SCROLLING.has(event.key) && at.matches?.("input[type=range], [role=separator], #panel")) return;
  const does = DOES[event.key];
  if (!does) return;
  event.preventDefault();
  does();
}

function startSplit() {
  const split = $("split"), main = document.querySelector("main");
  const beside = matchMedia("(min-width: 1121px)"); // as in the style
  let percent = 0;
  const set = to => {
    percent = Math.min(Math.max(to, 12), 80);
    document.documentElement.style.setProperty("--details", `${percent}%`);
    split.setAttribute("aria-valuenow", String(Math.round(percent)));
  };
  const turn = () => {
    split.setAttribute("aria-orientation", beside.matches ? "vertical" : "horizontal");
    set(beside.matches ? 26 : 38);
  };
  beside.addEventListener("change", turn);
  turn();
  split.addEventListener("pointerdown", event => {
    split.setPointerCapture(event.pointerId);
    const moved = move => {
      const area = main.getBoundingClientRect();
      set(beside.matches ? (area.right - move.clientX) / area.width * 100 : (area.bottom - move.clientY) / area.height * 100);
    };
    split.addEventListener("pointermove", moved);
    split.addEventListener("lostpointercapture", () => split.removeEventListener("pointermove", moved), {once: true});
  });
  split.addEventListener("keydown", event => {
    const by = {ArrowUp: 4, ArrowDown: -4, ArrowLeft: 4, ArrowRight: -4}[event.key];
    if (!by) return;
    set(percent + by);
    event.preventDefault();
  });
}

function start() {
  startTheme();
  drawHead();
  startList();
  startStage();
  startDetails();
  startTimeline();
  startSplit();
  startPrint();
  $("back").addEventListener("click", () => go(-1));
  $("next").addEventListener("click", () => go(1));
  $("play").addEventListener("click", () => play());
  $("speed").addEventListener("change", () => playing && play(true));
  $("failures").addEventListener("click", () => goToFailure());
  $("help").addEventListener("click", showKeys);
  addEventListener("keydown", pressed);
  addEventListener("hashchange", () => { const row = rowOfLink(); if (row !== null && row !== state.row) choose(row); });
  changed("shown");
  // Failure first: what went wrong is what one comes to see.
  const first = rowOfLink() ?? failures[0] ?? (run.ending && run.ending !== "done" ? rows.length - 1 : 0);
  if (rows[first]?.compared) state.mode = "both";
  if (rows.length) choose(first);
  else { state.tab = "run"; drawStage(); drawDetails(); }
  document.documentElement.dataset.ready = "yes";
}

start();
