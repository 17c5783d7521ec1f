// Usage: node server.mjs FOLDER MODEL.gguf, where FOLDER/node_modules has node-llama-cpp
//
// Chat completions by a real model on one thread: /v1/models and /v1/chat/completions, whole and as server-sent events.
// A request's tools become a grammar, so a call is always JSON of their schema. The first line of the output is the port.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, modelPath] = process.argv.slice(2);
const library = pathToFileURL(join(folder, "node_modules/node-llama-cpp/dist/index.js"));
const { getLlama, LlamaCompletion } = await import(library);

const WINDOW = 6144; // tokens: our rules and tools are 2800, a step is 100
const LONGEST = 256; // tokens of a reply, unless the request says otherwise
// "local" calls the tools it is given, else it talks. "printed" is given none and prints a call all the same.
const NAMES = ["local", "printed"];
// The grammar knows no optional fields: these are the calls that a model this small can fill in.
const PLACED = ["click", "double_click", "right_click", "move"];
const FORMS = [
  { actions: PLACED, fields: ["element"] },
  { actions: PLACED, fields: ["x", "y"] },
  { actions: ["type"], fields: ["text"] },
];
const TEXT = { type: "string", minLength: 1, maxLength: 40 }; // it does not know when to stop

const llama = await getLlama({ gpu: false, build: "never", maxThreads: 1, logLevel: "error", progressLogs: false });
const model = await llama.loadModel({ modelPath });
const context = await model.createContext({ contextSize: WINDOW, threads: 1 });
const completion = new LlamaCompletion({ contextSequence: context.getSequence() });

// The grammar

function callsOf({ function: { name, parameters } }, shown) {
  const { properties, required = [] } = parameters;
  const typeOf = (field) => (field === "element" ? { enum: shown } : simplified(properties[field]));
  const all = (fields) => Object.fromEntries(fields.map((field) => [field, typeOf(field)]));
  const can = (field) => field in properties && (field !== "element" || shown.length > 0);
  const forms = properties.action ? FORMS.filter(({ fields }) => fields.every(can)) : [];
  if (forms.length === 0) return [callOf(name, all(required))];
  return forms.map(({ actions, fields }) => callOf(name, { action: { enum: known(actions, properties) }, ...all(fields) }));
}

const callOf = (name, properties) => ({
  type: "object",
  properties: { name: { const: name }, arguments: { type: "object", properties } },
});

const simplified = ({ type }) => (type === "string" ? TEXT : { type });

function known(actions, { action }) {
  const unknown = actions.filter((each) => !action.enum.includes(each));
  if (unknown.length > 0) throw new Error(`The tool has no action ${unknown}.`);
  return actions;
}

// The numbers of the elements in the newest list of them, whose lines are such as [3] button "Save".
function numbersIn(messages) {
  const lists = messages.map((message) => [...wordsOf(message).matchAll(/^\[(\d+)\]/gm)].map(([, number]) => Number(number)));
  return lists.findLast((numbers) => numbers.length > 0) ?? [];
}

const PRINTED = {
  function: {
    name: "computer",
    parameters: {
      properties: {
        action: { enum: [...PLACED, "type"] },
        x: { type: "integer" },
        y: { type: "integer" },
        text: { type: "string" },
      },
    },
  },
};

async function grammarOf({ model: name, tools = [], messages }) {
  const offered = name === "printed" ? [PRINTED] : tools;
  if (offered.length === 0) return undefined;
  const acting = offered.filter((tool) => tool.function.name === "computer");
  const began = messages.some((message) => message.role === "tool"); // else it would take finish at once
  const ending = offered.filter((tool) => tool.function.name === "finish" && began);
  const chosen = acting.length > 0 ? [...acting, ...ending] : offered;
  const shown = numbersIn(messages);
  const schema = { oneOf: chosen.flatMap((tool) => callsOf(tool, shown)) };
  const made = await llama.createGrammarForJsonSchema(schema);
  const { stopGenerationTriggers, trimWhitespaceSuffix } = made;
  // Nor does it know when a number is long enough.
  const grammar = made.grammar.replace(/^integer-number-rule ::= .*$/m, 'integer-number-rule ::= "0" | [1-9] [0-9]{0,2}');
  return llama.createGrammar({ grammar, stopGenerationTriggers, trimWhitespaceSuffix });
}

// The prompt

const special = (text) => model.tokenize(text, true);
const turn = (role, words) => [...special("<|im_start|>"), ...model.tokenize(`${role}\n${words}`), ...special("<|im_end|>\n")];
const start = (role) => [...special("<|im_start|>"), ...model.tokenize(`${role}\n`)];

function promptOf({ messages, tools = [] }) {
  const shown = tools.length > 0 ? [{ role: "system", content: JSON.stringify(tools) }, ...messages] : messages;
  return [...shown.flatMap((message) => turn(message.role, wordsOf(message))), ...start("assistant")];
}

function wordsOf({ content, tool_calls: calls = [] }) {
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
  const words = parts.map((part) => (part.type === "text" ? part.text : "[image omitted]"));
  return [...words, ...calls.map((one) => `{"name": "${one.function.name}", "arguments": ${one.function.arguments}}`)].join("\n");
}

// The reply

const HEAD = /^\s*\{\s*"name"\s*:\s*"(\w+)"\s*,\s*"arguments"\s*:\s*/;

// Passes on what is generated as the deltas of a stream: as text, or as the name and then the arguments of a call.
class Deltas {
  text = "";
  sent = 0;
  constructor(tell, calls) { Object.assign(this, { tell, calls }); }

  take(piece) {
    this.text += piece;
    // The brackets that are last may be those around the call.
    if (this.calls) this.arguments(this.text.trimEnd().replace(/[\s}]+$/, ""));
    else this.tell({ content: piece });
  }

  end() {
    if (this.calls) this.arguments(this.text.replace(/\s*\}\s*$/, ""));
  }

  arguments(text) {
    const head = HEAD.exec(text);
    if (!head) return;
    if (this.sent === 0) {
      this.sent = head[0].length;
      const named = { name: head[1], arguments: "" };
      this.tell({ tool_calls: [{ index: 0, id: `call_${randomUUID()}`, type: "function", function: named }] });
    }
    const piece = text.slice(this.sent);
    if (piece) this.tell({ tool_calls: [{ index: 0, function: { arguments: piece } }] });
    this.sent += piece.length;
  }
}

async function reply(body, tokens, tell, signal) {
  const printed = body.model === "printed";
  const calls = !printed && (body.tools ?? []).length > 0;
  const deltas = new Deltas(tell, calls);
  let count = 0;
  if (printed) tell({ content: "```json\n" });
  const { metadata } = await completion.generateCompletionWithMeta(tokens, {
    grammar: await grammarOf(body),
    maxTokens: Math.min(body.max_tokens ?? LONGEST, LONGEST),
    temperature: body.temperature ?? 0,
    onTextChunk: (piece) => deltas.take(piece),
    onToken: (more) => (count += more.length),
    signal,
    stopOnAbortSignal: true,
  });
  deltas.end();
  if (printed) tell({ content: "\n```" });
  const finish = metadata.stopReason === "maxTokens" ? "length" : calls ? "tool_calls" : "stop";
  const usage = { prompt_tokens: tokens.length, completion_tokens: count, total_tokens: tokens.length + count };
  return { finish, usage };
}

function merged(message, { content, tool_calls: calls = [] }) {
  if (content) message.content = (message.content ?? "") + content;
  for (const { index, ...piece } of calls) {
    if (piece.id) (message.tool_calls ??= []).push(piece);
    else message.tool_calls[index].function.arguments += piece.function.arguments;
  }
}

// The server

async function answer(body, response, signal) {
  if (!NAMES.includes(body.model)) return say(response, 404, failure(`The model "${body.model}" does not exist.`, "model_not_found"));
  const tokens = promptOf(body);
  if (tokens.length + LONGEST > WINDOW) {
    const long = `the request exceeds the available context size: ${tokens.length} of ${WINDOW} tokens`;
    return say(response, 400, failure(long, "exceed_context_size_error"));
  }
  const frame = { id: `chatcmpl-${randomUUID()}`, created: Math.floor(Date.now() / 1000), model: body.model };
  const message = { role: "assistant", content: null };
  const event = (choices, more = {}) =>
    response.write(`data: ${JSON.stringify({ ...frame, object: "chat.completion.chunk", choices, ...more })}\n\n`);
  if (body.stream) response.writeHead(200, { "Content-Type": "text/event-stream" });
  const tell = (delta) => (body.stream ? event([{ index: 0, delta, finish_reason: null }]) : merged(message, delta));
  const { finish, usage } = await reply(body, tokens, tell, signal);
  if (!body.stream) {
    const choices = [{ index: 0, message, finish_reason: finish }];
    return say(response, 200, { ...frame, object: "chat.completion", choices, usage });
  }
  event([{ index: 0, delta: {}, finish_reason: finish }]);
  if (body.stream_options?.include_usage) event([], { usage });
  response.end("data: [DONE]\n\n");
}

const failure = (message, type) => ({ error: { message, type } });

function say(response, status, body) {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(JSON.stringify(body));
}

const meta = { n_ctx: WINDOW, n_ctx_train: model.trainContextSize };
const listed = NAMES.map((id) => ({ id, object: "model", owned_by: "tests", meta }));
let before = Promise.resolve(); // one request after the other: there is one sequence

const server = createServer(async (request, response) => {
  if (request.url === "/v1/models") return say(response, 200, { object: "list", data: listed });
  if (request.url !== "/v1/chat/completions") return say(response, 404, failure(`There is no ${request.url}.`, "not_found"));
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  let text = "";
  for await (const piece of request.setEncoding("utf8")) text += piece;
  before = before
    .then(() => answer(JSON.parse(text), response, gone.signal))
    .catch((error) => (response.headersSent ? response.destroy() : say(response, 500, failure(String(error), "server_error"))));
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
