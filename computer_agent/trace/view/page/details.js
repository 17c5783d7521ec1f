// Everything that is known of the chosen row, and of the run.
const TABS = [["step", "Step"], ["receipt", "Receipt"], ["code", "Output"], ["cost", "Cost"], ["run", "Run"]];
const FOLD_LINES = 24;

function facts(pairs) {
  const filled = pairs.filter(([, value]) => value !== "" && value !== null && value !== undefined);
  return make("dl", {class: "facts"}, ...filled.flatMap(([name, value]) => [
    make("dt", {}, name), make("dd", {}, ...(value instanceof Node ? [value] : lit(String(value))))]));
}

const headed = (title, ...parts) => parts.length ? [make("h3", {}, title), ...parts] : [];
const listed = texts => make("ul", {}, ...texts.map(text => make("li", {}, ...lit(text))));

// Long texts are folded: the first lines, and all of them when asked for or when a hit lies below.
function folded(text) {
  const lines = text.split("\n");
  const hit = state.words.length && state.words.some(word => lines.slice(FOLD_LINES).join("\n").toLowerCase().includes(word));
  if (lines.length <= FOLD_LINES + 4 && text.length < 20000) return [make("pre", {}, ...lit(text))];
  const first = make("pre", {}, ...lit(lines.slice(0, FOLD_LINES).join("\n").slice(0, 8000)));
  const rest = make("details", {open: Boolean(hit)}, make("summary", {}, `All ${many(lines.length, "line")}`));
  const fill = () => rest.open && rest.children.length === 1 && rest.append(make("pre", {}, ...lit(text)));
  rest.addEventListener("toggle", fill);
  fill();
  return [first, rest];
}

function stepPanel(row) {
  const step = steps[row.step], [sign, colour, words] = statusOf(row);
  const parts = [
    make("h2", {}, ...lit(row.words)),
    make("p", {class: colour}, make("span", {class: `sign state ${colour}`}, `${sign} ${words}`),
      row.seconds === null || row.seconds === undefined ? "" : ` in ${seconds(row.seconds)}`),
  ];
  if (row.why) parts.push(make("p", {class: isFailure(row) ? "alarm" : "notice"}, ...lit(row.why)));
  if (row.said) parts.push(...headed("Receipt", make("p", {}, ...lit(row.said))));
  if (row.denied?.length) parts.push(...headed("Denied by the sandbox", listed(row.denied)));
  if (step.checks.length) parts.push(...headed("Safety checks of the provider", ...step.checks.map(check => make("p", {class: "notice"}, ...lit(check)))));
  if (step.thought && !row.answer && oneLine(step.thought) !== oneLine(row.words)) parts.push(...headed("The model's words", make("p", {class: "quote"}, ...lit(step.thought))));
  if (step.notes.length) parts.push(...headed("Notes of the harness", ...step.notes.map(note => make("p", {class: "notice"}, ...lit(note)))));
  const windows = [...(row.opened ?? []).map(title => `opened: ${title}`), ...(row.closed ?? []).map(title => `closed: ${title}`)];
  if (windows.length) parts.push(...headed("Windows", listed(windows)));
  parts.push(...headed("About it", facts([
    ["step", `${label(row)} of ${steps[steps.length - 1]?.number ?? 0}`],
    ["at", `${seconds(row.at) || "0 ms"} after the start (${clock(row.at)})`],
    ["approval", row.approval],
    ["asked for by", row.nested ? "code of this step" : ""],
    ["hidden", row.redacted ? "a part of this action was hidden when it was recorded" : ""],
    ["screen", step.unchanged === null ? "" : `as it was at step ${step.unchanged}`],
    ["elements", step.elements ? `${many(step.elements, "was", "were")} shown to the model${step.truncated ? ", more left out" : ""}` : ""],
  ])));
  if (row.pictures?.length) {
    parts.push(...headed("Pictures that came back", make("div", {class: "pictures"},
      ...row.pictures.map(number => image(number, "A picture that came back") ?? make("p", {class: "notice"}, whyNot(number))))));
  }
  return parts;
}

function receiptPanel(row) {
  if (!row.fields) return [make("p", {class: "none"}, "There is no receipt: nothing was done, or its result was not recorded.")];
  const told = row.fields.filter(([, text]) => text), silent = row.fields.filter(([, text]) => !text);
  return [
    make("h2", {}, ...lit(row.said || "only output")), facts(told),
    ...headed("Not set", make("p", {class: "soft"}, silent.map(([name]) => name).join(", "))),
  ];
}

function codePanel(row) {
  const parts = [];
  if (row.code) parts.push(...headed(row.language, ...folded(row.code)));
  if (row.output) parts.push(...headed("Output", ...folded(row.output)));
  for (const html of row.html ?? []) parts.push(...headed("HTML, as text", ...folded(html)));
  return parts.length ? parts : [make("p", {class: "none"}, "This step ran no code and printed nothing.")];
}

function costPanel(row) {
  const step = steps[row.step], last = steps[steps.length - 1];
  const acting = rows.filter(one => one.step === row.step && !one.nested && one.kind !== "person").reduce((sum, one) => sum + (one.seconds ?? 0), 0);
  const columns = [[step.usage, step.seconds], [step.totals, step.at + step.seconds], [last.totals, total]];
  const line = (name, value) => make("tr", {}, make("th", {scope: "row"}, name), ...columns.map(column => make("td", {}, value(column))));
  const tokens = place => ([usage]) => usage ? count(usage[place]) : "–";
  return [
    make("table", {},
      make("thead", {}, make("tr", {}, ...["", "step", "so far", "run"].map(head => make("th", {scope: "col"}, head)))),
      make("tbody", {}, line("tokens in", tokens(0)), line("of them cached", tokens(2)), line("tokens out", tokens(1)),
        line("money", ([usage]) => usage ? money(usage[3]) : "–"), line("time", ([, time]) => seconds(time) || "0 ms"))),
    ...headed("Time of this step", facts([["looking, deciding, asking", seconds(Math.max(0, step.seconds - acting)) || "0 ms"], ["acting", seconds(acting) || "0 ms"]])),
  ];
}

function runPanel() {
  const kept = pictures.reduce((sum, picture) => sum + picture.bytes, 0);
  const lost = pictures.filter(picture => !picture.bytes);
  const spent = run.spent;
  return [
    make("h2", {}, ...lit(run.task || "(no task)")),
    run.words ? make("p", {class: "quote"}, ...lit(run.words)) : null,
    ...run.notes.map(note => make("p", {class: "notice"}, ...lit(note))),
    facts([
      ["ending", run.ending || "none: killed, or still going"], ["model", run.model], ["desktop", run.desktop],
      ["screen", run.screen], ["monitor", run.monitor], ["system", run.system], ["program", run.program],
      ["trace format", run.version ? `version ${run.version}` : "unknown"], ["folder", run.folder],
      ["began", new Date(run.began * 1000).toLocaleString()], ["took", seconds(total)],
      ["steps", `${count(steps.length)}, with ${many(rows.filter(row => row.action).length, "action")}`],
      ["spent", spent && `${many(spent.steps, "step")}, ${seconds(spent.seconds)}, ${count(spent.tokens)} tokens, ${money(spent.dollars)}`],
      ["pictures", `${count(pictures.length)}, ${size(kept)}${lost.length ? `; ${lost.length} cannot be shown` : ""}`],
    ]),
  ];
}

function panelFor(row) {
  if (state.tab === "run" || !row) return runPanel();
  return {step: stepPanel, receipt: receiptPanel, code: codePanel, cost: costPanel}[state.tab](row);
}

function drawDetails() {
  const row = chosen(), has = {receipt: row?.fields, code: row?.code || row?.output, step: row, cost: row, run: true};
  for (const tab of $("tabs").querySelectorAll("[role=tab]")) {
    const here = tab.dataset.tab === state.tab;
    tab.setAttribute("aria-selected", String(here));
    tab.tabIndex = here ? 0 : -1;
    tab.style.opacity = has[tab.dataset.tab] ? "" : "0.5";
    if (here) $("panel").setAttribute("aria-labelledby", tab.id);
  }
  $("panel").replaceChildren(...panelFor(row).filter(Boolean));
}

function openTab(name) {
  state.tab = name;
  $("panel").scrollTop = 0;
  changed("tab");
}

async function copyStep() {
  const row = chosen();
  if (!row) return;
  const text = asText(row);
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = make("textarea", {class: "hidden"});
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand("copy"); // where a page from a file may not use the clipboard otherwise
    field.remove();
  }
  say(`Copied step ${label(row)}`);
}

function startDetails() {
  for (const [name, words] of TABS) {
    $("tabs").append(make("button", {type: "button", role: "tab", id: `tab-${name}`, "data-tab": name, "aria-controls": "panel", onclick: () => openTab(name)}, words));
  }
  $("tabs").append(make("button", {type: "button", class: "copy", id: "copy", title: "Copy this step as text (c)", "aria-label": "Copy this step as text", onclick: copyStep}, "⧉"));
  $("tabs").addEventListener("keydown", event => {
    const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!by || !event.target.dataset.tab) return;
    const at = TABS.findIndex(([name]) => name === state.tab);
    openTab(TABS[(at + by + TABS.length) % TABS.length][0]);
    $(`tab-${state.tab}`).focus();
    event.preventDefault();
    event.stopPropagation();
  });
  when("row", () => { $("panel").scrollTop = 0; }, drawDetails);
  when("tab", drawDetails);
}
