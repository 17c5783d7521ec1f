// What the page was given, how elements are made, and what is chosen. Texts become text nodes, never markup.
const data = JSON.parse(document.getElementById("data").textContent);
const {run, steps, rows, frames, pictures} = data;
const $ = id => document.getElementById(id);

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter(child => child !== null && child !== undefined));
  return element;
}

function draw(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// Sign, colour and words of each status.
const STATUS = {
  done: ["✓", "good", "done"],
  nothing: ["○", "odd", "done, but nothing changed"],
  failed: ["✗", "bad", "the code failed"],
  error: ["✗", "bad", "error"],
  refused: ["⊘", "bad", "refused"],
  unknown: ["?", "bad", "no result: whether it was done is unknown"],
  interrupted: ["‖", "odd", "interrupted by the person"],
  skipped: ["»", "odd", "not begun"],
  healed: ["↻", "odd", "done, after its target was found anew"],
  diverged: ["✗", "bad", "diverged from the recording"],
  "gave up": ["✗", "bad", "the run ended without it being done"],
  person: ["◆", "person", "the person's own work"],
};
const statusOf = row => STATUS[row.status] ?? ["?", "odd", row.status];
const FAILURES = new Set(["failed", "error", "refused", "unknown", "diverged", "gave up"]);
const isFailure = row => FAILURES.has(row.status);

const total = Math.max(run.ended - run.began, 0.001);

// What is chosen. `shown` are the indices of the rows that search and filters leave, in order.
const state = {
  row: 0, mode: "before", zoom: "fit", marks: true, elements: false, at: 0.5, tab: "step",
  words: [], kind: "", only: false, range: null, shown: rows.map((_, index) => index), even: false,
};

const listeners = {row: [], view: [], shown: [], tab: []};
const when = (what, ...does) => does.forEach(one => listeners[what].push(one));
const changed = what => listeners[what].forEach(one => one());

let quiet = 0;
function say(words) {
  $("said").textContent = words;
  $("said").classList.add("on");
  clearTimeout(quiet);
  quiet = setTimeout(() => $("said").classList.remove("on"), 1600);
}
