// Numbers and texts as people read them.
function seconds(value) {
  if (value === null || value === undefined) return "";
  if (value < 0) return `${seconds(-value)} before`;
  if (value < 1) return `${Math.round(value * 1000)} ms`;
  if (value < 60) return `${value.toFixed(value < 10 ? 2 : 1)} s`;
  const minutes = Math.floor(value / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(value % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const clock = at => new Date((run.began + at) * 1000).toLocaleTimeString([], {hour12: false});
const count = value => value.toLocaleString("en-US");
const many = (number, one, more = `${one}s`) => `${count(number)} ${number === 1 ? one : more}`;
const money = value => value === null ? "unknown price" : value ? `$${value.toFixed(4)}` : "$0";
const size = bytes => bytes >= 1048576 ? `${(bytes / 1048576).toFixed(1)} MB` : `${Math.max(1, Math.round(bytes / 1024))} KB`;

function label(row) {
  const number = steps[row.step].number;
  return row.action > 1 && !row.nested ? `${number}.${row.action}` : row.nested ? "↳" : `${number}`;
}

const said = row => row.why || row.said || (row.output ? row.output.trim().split("\n", 1)[0] : "");
const oneLine = text => text.replace(/\s+/g, " ").trim();

// The text with what is searched for marked; an array of nodes.
function lit(text) {
  if (!state.words.length || !text) return [text];
  const lower = text.toLowerCase();
  if (lower.length !== text.length) return [text]; // places would not fit
  const pieces = [];
  let from = 0;
  for (;;) {
    let at = -1, length = 0;
    for (const word of state.words) {
      const found = lower.indexOf(word, from);
      if (found >= 0 && (at < 0 || found < at || (found === at && word.length > length))) [at, length] = [found, word.length];
    }
    if (at < 0) break;
    if (at > from) pieces.push(text.slice(from, at));
    pieces.push(make("mark", {}, text.slice(at, at + length)));
    from = at + length;
  }
  return [...pieces, text.slice(from)];
}

function asText(row) {
  const step = steps[row.step];
  const lines = [`Step ${label(row)} at ${seconds(row.at) || "0 ms"}: ${row.words}`];
  if (row.code) lines.push(row.code);
  lines.push(`Status: ${statusOf(row)[2]}${row.seconds === null || row.seconds === undefined ? "" : `, ${seconds(row.seconds)}`}`);
  if (row.why) lines.push(`Why: ${row.why}`);
  if (row.approval) lines.push(`Approval: ${row.approval}`);
  if (step.thought && !row.answer) lines.push(`Model: ${step.thought}`);
  if (row.said) lines.push(`Receipt: ${row.said}`);
  for (const [name, text] of row.fields ?? []) if (text && name !== "output") lines.push(`  ${name}: ${text}`);
  if (row.output) lines.push("Output:", row.output);
  for (const note of step.notes) lines.push(`Note: ${note}`);
  for (const check of step.checks) lines.push(`Safety check: ${check}`);
  return lines.join("\n");
}
