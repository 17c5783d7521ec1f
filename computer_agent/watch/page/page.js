// The page: asks what is new, shows who is in charge, and sends what the person does, in order.
import { Input } from "./input.js";
import { PlainScreen } from "./plain.js";

const viewer = crypto.randomUUID();
const part = Object.fromEntries([...document.querySelectorAll("[id]")].map((element) => [element.id, element]));
const HEARTBEAT = 1000; // milliseconds; after four of them in silence the server takes the desktop back

const AGAIN = 300; // milliseconds until VNC is tried again

let screen = null;
let known = null; // the news
let mine = false;
let ended = false;

async function post(path, words, more = {}) {
  const answer = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ viewer, ...words }),
    ...more,
  });
  return { status: answer.status, ...(await answer.json()) };
}

// ---- what the person does: one request at a time, so that nothing overtakes

const waiting = [];
let sending = false;

function send(input) {
  if (!mine) return;
  const last = waiting.at(-1);
  if (input.kind === "move" && last?.kind === "move") waiting.pop();
  if (input.kind === "text" && last?.kind === "text") last.text += input.text;
  else waiting.push(input);
  flush();
}

async function flush(always = false) {
  if (sending) return;
  sending = true;
  try {
    while (waiting.length || always) {
      always = false;
      const answer = await post("input", { inputs: waiting.splice(0, 200) });
      if (answer.error) trouble(answer.error);
      if (answer.status === 409) charge(false);
    }
  } catch {
    waiting.length = 0; // the server has gone; the news says so
  } finally {
    sending = false;
  }
}

const input = new Input(part.screen, () => screen?.picture ?? part.screen, send);
setInterval(() => mine && flush(true), HEARTBEAT);

// ---- who is in charge

function charge(on) {
  mine = on;
  if (!on) waiting.length = 0;
  part.texts.hidden = !on;
  part.take.textContent = on ? "Give back" : "Take over";
  document.body.classList.toggle("mine", on);
  input.use(on);
}

part.take.addEventListener("click", async () => {
  const on = !mine;
  if (!on) charge(false);
  try {
    const answer = await post(on ? "take" : "give");
    if (answer.error) trouble(answer.error);
    else if (on) charge(true);
  } catch {
    trouble("`oi watch` does not answer.");
  }
});

part.stop.addEventListener("click", async () => {
  try {
    const answer = await post("stop");
    if (answer.error || !answer.stopped) trouble(answer.error ?? "There is no run to stop.");
  } catch {
    trouble("`oi watch` does not answer.");
  }
});

part.texts.addEventListener("submit", (event) => {
  event.preventDefault();
  if (part.text.value) send({ kind: "paste", text: part.text.value });
  part.text.value = "";
  input.focus();
});

addEventListener("pagehide", () => mine && post("give", {}, { keepalive: true }).catch(() => {}));

// ---- what there is to see

function tell(news) {
  const theirs = news.viewer !== null && news.viewer !== viewer;
  if (mine && news.viewer !== viewer) {
    charge(false);
    trouble(theirs ? "Another window has taken over." : "The desktop was taken back: this page was not heard of.");
  }
  document.body.classList.toggle("theirs", theirs);
  document.body.classList.toggle("gone", Boolean(news.gone));
  const working = news.run === null ? "No run works on it." : `The task: ${news.run}`;
  const [who, what] = news.gone
    ? ["This desktop has ended.", "There is nothing more to see."]
    : mine
      ? ["You are in charge.", news.run === null ? "" : "The agent waits until you give it back; Esc twice stops it."]
      : theirs
        ? ["Somebody is in charge in another window.", working]
        : [news.run === null ? "You are watching." : "The agent is in charge, you are watching.", working];
  part.who.textContent = who;
  part.what.textContent = what;
  part.charge.title = what; // a long task is cut short
  document.title = `oi watch: ${who}`;
  part.take.disabled = Boolean(news.gone);
  part.stop.disabled = news.run === null || Boolean(news.gone);
}

async function follow() {
  let version = 0;
  while (!ended) {
    const answer = await fetch(`news?after=${version}${screen?.pictures === false ? "&pictures=no" : ""}`);
    if (!answer.ok) throw new Error((await answer.json()).error);
    const news = await answer.json();
    version = news.version;
    ended = Boolean(news.gone);
    if (ended) charge(false);
    known = news;
    input.show(news);
    if (!ended && screen === null) await open();
    tell(news);
    if (!ended) await screen?.show(news);
  }
  screen?.close();
}

// One screen at a time; VNC that breaks off begins anew.
let opening = null;
function open() {
  opening ??= screenFor(known)
    .then((found) => (screen = found))
    .finally(() => (opening = null));
  return opening;
}

async function screenFor(news) {
  const plain = () => new PlainScreen(part.screen);
  if (!news.vnc) return plain();
  try {
    const { VncScreen } = await import("./vnc.js");
    return new VncScreen(part.screen, () => {
      screen = null;
      setTimeout(() => ended || open(), AGAIN);
    });
  } catch (error) {
    trouble(`The VNC viewer did not start (${error.message}), so pictures are shown.`);
    return plain();
  }
}

let quiet = 0;
function trouble(words) {
  part.trouble.textContent = words;
  part.trouble.hidden = false;
  clearTimeout(quiet);
  quiet = setTimeout(() => (part.trouble.hidden = true), 5000);
}

follow().catch((error) => {
  ended = true;
  charge(false);
  document.body.classList.add("gone");
  part.who.textContent = "The view has ended.";
  part.what.textContent = error instanceof TypeError ? "`oi watch` no longer answers." : error.message;
  document.title = "oi watch: the view has ended";
  part.take.disabled = part.stop.disabled = true;
});
