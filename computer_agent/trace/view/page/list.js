// The list of rows: only those in sight are in the document.
const HEIGHT = 46, BEYOND = 6;

function rowElement(index, place) {
  const row = rows[index];
  const [sign, colour, words] = statusOf(row);
  const chosen = index === state.row;
  return make("div", {
      id: `row-${index}`, role: "option", "aria-selected": String(chosen), "aria-setsize": state.shown.length,
      "aria-posinset": place + 1, class: `row ${colour}${row.nested ? " nested" : ""}`, "data-index": index,
      "data-status": row.status, title: oneLine(row.words).slice(0, 300),
    },
    make("span", {class: "sign", "aria-hidden": "true"}, sign),
    make("span", {class: "number"}, label(row)),
    make("span", {class: "words"}, ...lit(oneLine(row.words).slice(0, 300))),
    make("span", {class: "took"}, seconds(row.seconds)),
    make("span", {class: "said"}, make("span", {class: "hidden"}, `${words}. `), ...lit(oneLine(said(row)).slice(0, 300))));
}

function drawList() {
  const list = $("list"), from = Math.max(0, Math.floor(list.scrollTop / HEIGHT) - BEYOND);
  const until = Math.min(state.shown.length, Math.ceil((list.scrollTop + list.clientHeight) / HEIGHT) + BEYOND);
  $("rows").style.height = `${state.shown.length * HEIGHT}px`;
  const drawn = [];
  for (let place = from; place < until; place++) {
    const element = rowElement(state.shown[place], place);
    element.style.top = `${place * HEIGHT}px`;
    drawn.push(element);
  }
  if (!state.shown.length) drawn.push(make("p", {class: "none"}, rows.length ? "Nothing here fits the search and the filters. Esc clears them." : "This trace holds no step."));
  $("rows").replaceChildren(...drawn);
  const shown = state.shown.includes(state.row) && document.getElementById(`row-${state.row}`);
  if (shown) list.setAttribute("aria-activedescendant", shown.id);
  else list.removeAttribute("aria-activedescendant");
}

function reveal() {
  const list = $("list"), place = state.shown.indexOf(state.row), top = place * HEIGHT;
  if (place >= 0 && (top < list.scrollTop + HEIGHT || top + 2 * HEIGHT > list.scrollTop + list.clientHeight)) {
    list.scrollTop = top - (list.clientHeight - HEIGHT) / 2;
  }
  drawList();
}

function drawFound() {
  const filtered = state.shown.length !== rows.length;
  $("found").textContent = filtered ? `${count(state.shown.length)} of ${count(rows.length)}` : many(steps.length, "step");
  $("range").hidden = !state.range;
  if (state.range) $("range").textContent = `${seconds(state.range[0]) || "0 ms"} – ${seconds(state.range[1])} ×`;
}

const NAMES = {
  pointer: "mouse", keyboard: "keyboard", windows: "programs, windows", clipboard: "clipboard", code: "code",
  browser: "browser",
  checks: "checks", looks: "looks, waits", answer: "answers", person: "the person", other: "other",
};

function startList() {
  const kinds = Object.groupBy ? Object.groupBy(rows, row => row.kind) : {};
  for (const row of Object.groupBy ? [] : rows) (kinds[row.kind] ??= []).push(row);
  $("kind").append(make("option", {value: ""}, "all kinds"));
  for (const kind of Object.keys(NAMES)) {
    if (kinds[kind]) $("kind").append(make("option", {value: kind}, `${NAMES[kind]} (${kinds[kind].length})`));
  }
  $("list").addEventListener("scroll", () => requestAnimationFrame(drawList), {passive: true});
  $("rows").addEventListener("click", event => {
    const row = event.target.closest(".row");
    if (row) choose(Number(row.dataset.index));
  });
  new ResizeObserver(drawList).observe($("list"));
  when("row", reveal);
  when("shown", drawFound, () => { $("list").scrollTop = 0; }, reveal);
  $("kind").addEventListener("change", () => { state.kind = $("kind").value; filter(); });
  $("only").addEventListener("change", () => { state.only = $("only").checked; filter(); });
  $("range").addEventListener("click", () => { state.range = null; filter(); });
  $("search").addEventListener("input", () => {
    state.words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    filter();
    changed("tab");
  });
}
