// Which rows there are to see, and going from one to another.
function texts(row) {
  const step = steps[row.step];
  return [
    label(row), row.words, row.status, statusOf(row)[2], row.why, row.said, row.approval, row.code, row.output,
    ...(row.fields ?? []).flat(), ...(row.html ?? []), ...(row.denied ?? []),
    step.thought, ...step.notes, ...step.checks,
  ];
}

const searched = []; // made when it is first searched
function haystack(index) {
  return searched[index] ??= texts(rows[index]).filter(Boolean).join("\n").toLowerCase();
}

function fits(index) {
  const row = rows[index];
  if (state.kind && row.kind !== state.kind) return false;
  if (state.only && !isFailure(row)) return false;
  if (state.range && (row.at + (row.seconds ?? 0) < state.range[0] || row.at > state.range[1])) return false;
  return state.words.every(word => haystack(index).includes(word));
}

function filter() {
  state.shown = rows.map((_, index) => index).filter(fits);
  changed("shown");
  if (state.shown.length && !state.shown.includes(state.row)) choose(nearest(state.row));
}

const nearest = index => state.shown.find(one => one >= index) ?? state.shown[state.shown.length - 1] ?? index;

function choose(index) {
  if (!rows[index]) return;
  state.row = index;
  clearTimeout(linking);
  linking = setTimeout(linkTo, 80, index); // browsers stop a page that changes its address at each key
  changed("row");
}

let linking = 0;
function linkTo(index) {
  const row = rows[index];
  const first = rows.findIndex(one => one.step === row.step) === index;
  const link = `#step=${steps[row.step].number}${first ? "" : `&row=${index}`}`;
  if (location.hash !== link) history.replaceState(null, "", link);
}

// The row so many places further in what is shown.
function go(by) {
  const place = state.shown.indexOf(state.row);
  const next = state.shown[Math.min(Math.max((place < 0 ? -1 : place) + by, 0), state.shown.length - 1)];
  if (next !== undefined) choose(next);
}

const failures = rows.filter(isFailure).map(row => row.index);

function goToFailure(back = false) {
  if (!failures.length) return say("No step failed");
  const next = back
    ? failures.findLast(index => index < state.row) ?? failures[failures.length - 1]
    : failures.find(index => index > state.row) ?? failures[0];
  if (!state.shown.includes(next)) clearFilters();
  choose(next);
}

function clearFilters() {
  Object.assign(state, {words: [], kind: "", only: false, range: null});
  $("search").value = "";
  $("kind").value = "";
  $("only").checked = false;
  filter();
}

function rowOfLink() {
  const wish = new URLSearchParams(location.hash.slice(1));
  if (wish.has("row") && rows[Number(wish.get("row"))]) return Number(wish.get("row"));
  if (!wish.has("step")) return null;
  const found = rows.findIndex(row => String(steps[row.step].number) === wish.get("step"));
  return found < 0 ? null : found;
}
