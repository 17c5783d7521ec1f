'use strict';
/*
Runs JavaScript cells for the terminal: one file, no packages, for Node.js 18 and later.

The terminal starts it as `node javascript_worker.js CONTROL`. CONTROL is a socket on which both sides
write records, one JSON object a line. What cells print goes to standard output and error, and
nothing else does.

    to the worker     {"values": [...]}  {"run": code, "first": code or null}
                      {"reply": id, "value" | "png" | "error": ...}  {"interrupt": true}
    from the worker   {"began": true}  {"call": path, "id": id, "args": [...], "kwargs": {...}}
                      {"png": base64}  {"done": number of the cell, "ok": bool, "exit": code or null}

Cells run on the main thread, where the inspector evaluates them as its console does: `let` and
`const` may be declared again, `await` stands at the top. A second thread, the watcher, reads the
control channel, so that a cell that never hands over can be told to stop: the inspector then ends
the code that runs, wherever that is, and what cells have set stays.

Ending code also drops the microtasks that wait. So nothing here that a cell's end depends on is a
promise: it is a callback of the inspector, of a port or of an immediate.
*/

const { Console } = require('node:console');
const fs = require('node:fs');
const inspector = require('node:inspector');
const Module = require('node:module');
const path = require('node:path');
const { Writable } = require('node:stream');
const url = require('node:url');
const util = require('node:util');
const { promiseHooks } = require('node:v8');
const { Worker, isMainThread, parentPort, workerData } = require('node:worker_threads');

const { setImmediate: soon } = globalThis; // also once cells find another one
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const IMPORT = '\u0131mport'; // what the terminal writes for `import`, as long as that: with a dotless i
const MOST_CALLS = 1000; // that wait for their answers at once
// In memory that both threads see: whether the code that runs began in this very turn, and which
// interrupt was the last that the main thread has dealt with.
const IN_ITS_FIRST_TURN = 0;
const HEARD = 1;
const PATIENCE = 50; // milliseconds that the main thread may take to hear of an interrupt

// ---- The watcher.

/** Reads records, passes them on, and ends code that does not listen. */
class Watcher {
  constructor({ control, shared }) {
    this.shared = shared;
    this.interrupts = 0;
    this.ending = false;
    this.held = [];
    this.session = new inspector.Session();
    this.session.connectToMainThread();
    this.listen(control);
  }

  listen(control) {
    const { Socket } = require('node:net');
    const { StringDecoder } = require('node:string_decoder');
    const channel = new Socket({ fd: control, readable: true, writable: false });
    const decoder = new StringDecoder('utf8');
    let parts = [];
    channel.on('data', (data) => {
      const [end, ...rest] = decoder.write(data).split('\n');
      parts.push(end);
      for (const piece of rest) {
        this.take(JSON.parse(parts.join('')));
        parts = [piece];
      }
    });
    channel.on('error', () => channel.destroy());
    channel.on('close', () => process.kill(0, 'SIGKILL')); // the terminal is gone
  }

  take(record) {
    if (!record.interrupt) {
      this.held.push(record);
      this.pass();
      return;
    }
    this.interrupts += 1;
    if (Atomics.load(this.shared, IN_ITS_FIRST_TURN)) this.end();
    else this.tell();
  }

  /** Pass records on, but not while code is being ended: it could be theirs that ends. */
  pass() {
    while (!this.ending && this.held.length) parentPort.postMessage(this.held.shift());
  }

  /** Have the main thread abandon its cell; if it does not hear, end what it does instead. */
  tell() {
    const number = this.interrupts;
    parentPort.postMessage({ interrupt: number });
    setTimeout(() => {
      if (Atomics.load(this.shared, HEARD) < number) this.end();
    }, PATIENCE);
  }

  /** End the code that runs; where none does, it is the next that ends, so nothing is passed on before. */
  end() {
    if (this.ending) return;
    this.ending = true;
    this.session.post('Runtime.terminateExecution', () => {
      this.ending = false;
      this.tell();
      this.pass();
    });
  }
}

// ---- Output and records.

/** Writes all of it before it returns, also where a child has made the pipe a non-blocking one. */
function write(descriptor, data) {
  for (let start = 0; start < data.length; ) {
    try {
      start += fs.writeSync(descriptor, data, start);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

/**
 * Standard output or error, in order with what child processes and other threads write. It writes at once and keeps no
 * state between writes, as a stream does: an interrupt in the middle of one would leave that state wrong for good.
 */
class Printed extends Writable {
  constructor(fd) {
    super({ autoDestroy: false, emitClose: false });
    this.fd = fd;
    this.setMaxListeners(0); // the console removes its own, but not when it is interrupted
  }

  write(data, encoding, done) {
    const then = typeof encoding === 'function' ? encoding : done;
    try {
      const as = typeof encoding === 'string' ? encoding : 'utf8';
      write(this.fd, typeof data === 'string' ? Buffer.from(data, as) : data);
    } catch (error) {
      if (error.code !== 'EPIPE') throw error;
    }
    if (then) process.nextTick(then);
    return true;
  }

  end(...given) {
    if (given.length && typeof given[0] !== 'function') this.write(...given);
    return this; // it is never closed
  }

  destroy() {
    return this;
  }
}

/** Print a line of ours, whatever cells have made of the streams; imports look as they were written. */
function print(descriptor, text) {
  try {
    write(descriptor, Buffer.from(`${text.replaceAll(IMPORT, 'import')}\n`));
  } catch (error) {
    if (error.code !== 'EPIPE') throw error;
  }
}

/** The worker's side of the control channel. */
class Channel {
  constructor(descriptor) {
    this.descriptor = descriptor;
    this.rest = null;
  }

  /** Write a record whole, after what an interrupt may have left of the one before it. */
  send(record) {
    const line = Buffer.from(JSON.stringify(record) + '\n');
    const all = this.rest ? Buffer.concat([this.rest, line]) : line;
    this.rest = all;
    for (let start = 0; start < all.length; ) {
      start += this.some(all, start);
      this.rest = all.subarray(start);
    }
    this.rest = null;
  }

  some(data, start) {
    try {
      return fs.writeSync(this.descriptor, data, start);
    } catch (error) {
      if (error.code !== 'EAGAIN') process.kill(0, 'SIGKILL'); // the terminal is gone
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
      return 0;
    }
  }
}

// ---- The computer.

class ComputerError extends Error {}
ComputerError.prototype.name = 'ComputerError';

/** The computer, used as `await computer.mouse.click("Save")`; the terminal's process does the work. */
class Computer {
  constructor(channel, cells) {
    this.channel = channel;
    this.cells = cells;
    this.values = new Set();
    this.errors = { ComputerError };
    this.asked = 0;
    this.waiting = new Map();
    const names = 'OffScreen NotFound Ambiguous NotTyped Expectation Unsupported TimedOut Refused PersonActive';
    for (const name of names.split(' ')) this.error(`${name}Error`);
  }

  /** The class of errors of that name. */
  error(name) {
    if (!this.errors[name]) {
      const own = { [name]: class extends ComputerError {} }[name];
      own.prototype.name = name;
      this.errors[name] = own;
    }
    return this.errors[name];
  }

  /** What `computer.mouse` is: a call of it, or of what it has, is a promise; so is a value. */
  part(names) {
    const shown = ['computer', ...names].join('.');
    const target = () => {};
    target[util.inspect.custom] = () => this.described(shown);
    const get = (_target, name) => {
      if (typeof name === 'symbol') return target[name];
      if (name === 'then' || name === 'toJSON') return undefined;
      const longer = [...names, name];
      return this.values.has(longer.join('.')) ? this.call(longer, []) : this.part(longer);
    };
    const refuse = () => {
      throw new TypeError(`${shown} cannot be changed.`);
    };
    const apply = (_target, _this, given) => this.call(names, given);
    return new Proxy(target, { get, apply, set: refuse, defineProperty: refuse, deleteProperty: refuse });
  }

  described(shown) {
    if (shown !== 'computer') return `<${shown}: its calls and values are promises>`;
    const hint = 'await computer.mouse.click("Save") and await computer.display.width';
    return `<computer: calls and values are promises, as in ${hint}>`;
  }

  /** Ask the terminal's process to do it; a plain object at the end holds arguments by name. */
  call(names, given) {
    const here = {};
    Error.captureStackTrace(here, Computer.prototype.call);
    const cell = this.cells.running;
    if (!cell && this.cells.stopped) return new Promise(() => {}); // so that what was abandoned ends here
    if (!cell) {
      const why = `computer.${names.join('.')} was called after its block had ended; await such calls in the block.`;
      return Promise.reject(placed(new ComputerError(why), here));
    }
    if (this.waiting.size >= MOST_CALLS) {
      const why = `More than ${MOST_CALLS} calls of the computer wait for their answers; await them.`;
      return Promise.reject(placed(new ComputerError(why), here));
    }
    const args = [...given];
    const kwargs = isPlain(args[args.length - 1]) ? args.pop() : {};
    try {
      for (const value of [...args, ...Object.values(kwargs)]) checkPlain(value, names.join('.'));
    } catch (error) {
      return Promise.reject(placed(error, here));
    }
    this.asked += 1;
    const id = this.asked;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, here, cell });
      cell.calls += 1;
      this.channel.send({ call: names, id, args, kwargs });
    });
  }

  /** Take a reply: settle the promise of its call. */
  reply(record) {
    const { resolve, reject, here, cell } = this.waiting.get(record.reply);
    this.waiting.delete(record.reply);
    cell.calls -= 1;
    if (cell.stopped) return; // what waits for it was abandoned
    if (record.error) {
      const [name, message] = record.error;
      reject(placed(new (this.error(name))(message), here));
    } else {
      resolve('png' in record ? Buffer.from(record.png, 'base64') : record.value);
    }
    // When the cell only waited for this, what its answer sets going may call again.
    soon(() => this.cells.settle(cell));
  }
}

/** The error as thrown where the call was made. */
function placed(error, here) {
  const frames = String(here.stack).split('\n').filter((line) => line.startsWith('    at '));
  Object.defineProperty(error, 'stack', {
    value: [`${error.name}: ${error.message}`, ...frames].join('\n'),
    configurable: true,
    writable: true,
  });
  return error;
}

function isPlain(value) {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function checkPlain(given, name) {
  const seen = [given];
  while (seen.length) {
    const value = seen.pop();
    const kind = typeof value;
    if (Array.isArray(value) || isPlain(value)) seen.push(...Object.values(value));
    else if (value !== null && !['string', 'boolean', 'undefined'].includes(kind) && !Number.isFinite(value)) {
      throw new TypeError(`${name} takes text, numbers, lists and objects only, and was given ${util.inspect(value)}.`);
    }
    if (seen.length > 1e6) throw new TypeError(`${name} was given too much, or something that holds itself.`);
  }
}

// ---- Cells.

/** Runs cells one after the other in the one global scope. */
class Cells {
  constructor(channel, shared) {
    this.channel = channel;
    this.shared = shared;
    this.count = 0;
    this.running = null;
    this.abandoned = [];
    this.stopped = false; // whether the last cell was abandoned
    this.session = new inspector.Session();
    this.session.connect();
    this.stash = {};
    this.stashId = this.remote(this.stash);
  }

  /** The inspector's number for a value. */
  remote(value) {
    const name = Symbol.for('oi.stash');
    globalThis[name] = value;
    let id;
    this.session.post('Runtime.evaluate', { expression: 'globalThis[Symbol.for("oi.stash")]' }, (_error, found) => {
      id = found.result.objectId;
    });
    delete globalThis[name];
    return id;
  }

  /** The value that the inspector tells of. */
  local(told) {
    if ('value' in told) return told.value;
    if (told.type === 'undefined') return undefined;
    const { objectId, unserializableValue } = told;
    const given = objectId === undefined ? { unserializableValue } : { objectId };
    const functionDeclaration = 'function (value) { this.value = value; }';
    this.session.post('Runtime.callFunctionOn', { functionDeclaration, objectId: this.stashId, arguments: [given] });
    const { value } = this.stash;
    delete this.stash.value;
    return value;
  }

  /** Run one cell; its end, whatever that is, is reported by `finish`. */
  run({ run: code, first }) {
    this.count += 1;
    const cell = {
      number: this.count,
      name: `<cell_${this.count}>`,
      code,
      timers: new Set(), // functions that end them
      calls: 0, // of the computer, that are not answered
      awaited: null,
      evaluated: false,
      stopped: false,
      over: false,
      ok: true,
      exit: null,
    };
    this.running = cell;
    this.channel.send({ began: true }); // an interrupt of this cell is not sent before this
    const body = () => this.evaluate(cell, code, (value) => this.await(cell, value));
    if (first) this.evaluate(cell, first, body);
    else body();
  }

  /** Evaluate a part of a cell, and go on with its value. */
  evaluate(cell, code, then) {
    const expression = `${code}\n//# sourceURL=${cell.name}`;
    const how = { expression, replMode: true, awaitPromise: true, silent: true, objectGroup: 'cell' };
    Atomics.store(this.shared, IN_ITS_FIRST_TURN, 1);
    // The first is the one that the inspector waits for. Node.js 24 ends when it is collected unsettled.
    const holding = promiseHooks.onInit((promise) => {
      cell.awaited = promise;
      holding();
    });
    this.session.post('Runtime.evaluate', how, (error, told) => {
      if (cell.over) return;
      if (error) this.ended(cell);
      else if (told.exceptionDetails) this.failed(cell, told.exceptionDetails);
      else then(this.local(told.result));
    });
    holding();
    Atomics.store(this.shared, IN_ITS_FIRST_TURN, 0);
  }

  /** The code of the cell was ended, which an interrupt or `process.exit` has done. */
  ended(cell) {
    cell.stopped = true;
    this.finish(cell, false);
  }

  /** A cell whose value is a promise, as that of `main()`, is not done before it is settled. */
  await(cell, value) {
    if (!util.types.isPromise(value)) {
      this.show(cell, value);
      return;
    }
    value.then(
      (settled) => cell.over || this.show(cell, settled),
      (reason) => {
        if (cell.over) return;
        report(reason);
        this.evaluated(cell, false);
      },
    );
  }

  /** Print the value of a cell, or send it as a picture. */
  show(cell, value) {
    if (value instanceof Uint8Array && PNG.equals(value.subarray(0, PNG.length))) {
      this.channel.send({ png: Buffer.from(value).toString('base64') });
    } else if (value !== undefined) {
      try {
        print(1, util.inspect(value));
      } catch (error) {
        report(error); // of its own inspect function
        cell.ok = false;
      }
    }
    this.evaluated(cell, cell.ok);
  }

  failed(cell, details) {
    const error = this.local(details.exception);
    if (details.scriptId !== undefined && error instanceof SyntaxError) {
      const lines = cell.code.split('\n');
      const inside = details.lineNumber < lines.length;
      const line = inside ? details.lineNumber : lines.length - 1;
      const column = inside ? details.columnNumber : lines[line].length;
      const place = `${cell.name}, line ${line + 1}\n${lines[line]}\n${' '.repeat(column)}^`;
      print(2, `${place}\nUncaught ${error.name}: ${error.message}`);
    } else {
      report(error);
    }
    this.evaluated(cell, false);
  }

  /** The code of the cell is through; calls of the computer that it did not await are not yet. */
  evaluated(cell, ok) {
    cell.ok = ok;
    cell.evaluated = true;
    soon(() => this.settle(cell)); // after the rejections that nobody handles were told
  }

  settle(cell) {
    if (cell.evaluated && !cell.calls && !cell.over) this.finish(cell, cell.ok);
  }

  /** Report the end of the cell. This may be ended itself, and is then done again. */
  finish(cell, ok) {
    if (cell.over) return;
    this.stopped = cell.stopped;
    if (cell.stopped) this.abandoned.push(cell.awaited);
    this.session.post('Runtime.releaseObjectGroup', { objectGroup: 'cell' });
    cell.exit ??= process.exitCode ?? null;
    process.exitCode = undefined;
    const exit = cell.exit === null ? null : Number(cell.exit) | 0;
    if (cell.stopped) for (const clear of cell.timers) clear();
    cell.timers.clear();
    this.channel.send({ done: cell.number, ok: exit === null ? ok : exit === 0, exit });
    cell.over = true;
    this.running = null;
  }

  /** Abandon the running cell, which the terminal asked for. */
  interrupt(number) {
    Atomics.store(this.shared, HEARD, number);
    Atomics.store(this.shared, IN_ITS_FIRST_TURN, 0);
    if (!this.running) return;
    this.ended(this.running);
  }

  /** What `process.exit` is: the cell ends here, and with it no other code. */
  exit(code, really) {
    const cell = this.running;
    if (!cell) return really(code);
    cell.exit = code ?? process.exitCode ?? 0;
    cell.stopped = true;
    soon(() => this.finish(cell, true));
    this.session.post('Runtime.terminateExecution');
    for (;;); // until it is terminated
  }

  /** Have functions that start timers remember them, so that a cell that is stopped can be stopped for good. */
  followTimers() {
    const promises = require('node:timers/promises');
    const timers = require('node:timers');
    for (const [name, clear] of [
      ['setTimeout', clearTimeout],
      ['setInterval', clearInterval],
      ['setImmediate', clearImmediate],
    ]) {
      const start = globalThis[name];
      const followed = (...given) => {
        const timer = start(...given);
        this.running?.timers.add(() => clear(timer));
        return timer;
      };
      Object.defineProperty(followed, 'name', { value: name });
      globalThis[name] = timers[name] = followed;
    }
    const { setTimeout: sleep } = promises;
    promises.setTimeout = (delay, value, options) =>
      options ? sleep(delay, value, options) : new Promise((resolve) => setTimeout(resolve, delay, value));
    globalThis.setTimeout[util.promisify.custom] = promises.setTimeout;
    globalThis.setImmediate[util.promisify.custom] = promises.setImmediate;
    Module.syncBuiltinESMExports();
  }
}

/** Print what was thrown and not caught. */
function report(thrown, how = 'Uncaught') {
  let shown;
  try {
    shown = util.inspect(thrown);
  } catch {
    shown = 'something that cannot be shown';
  }
  print(2, `${how} ${shown}`);
}

// ---- What cells find.

/** The stack of an error as Node.js gives it, without the frames that are the same for every cell. */
function withoutOwnFrames(error, frames) {
  const names = frames.map((frame) => String(frame.getFileName() ?? ''));
  const kept = frames.filter((_frame, n) => names[n] !== __filename && !names[n].startsWith('node:inspector'));
  while (kept.length && String(kept[kept.length - 1].getFileName() ?? '').startsWith('node:')) kept.pop();
  let head;
  try {
    head = Error.prototype.toString.call(error);
  } catch {
    head = 'Error';
  }
  return [head, ...kept].join('\n    at ');
}

/** Let cells load what a script in the current directory could. */
function loadFrom(directory) {
  const file = path.join(directory, 'cell.cjs');
  const own = new Module(file, null);
  own.filename = file;
  own.paths = Module._nodeModulePaths(directory);
  process.mainModule = own;
  own._compile('module.exports = [require, (name, options) => import(name, options)]', file);
  const [required, imported] = own.exports;
  own.exports = {};
  const load = async (name, options, needed = []) => {
    const found = await imported(name, options);
    const missing = needed.find((one) => !(one in found));
    if (missing === undefined) return found;
    throw new SyntaxError(`The requested module '${name}' does not provide an export named '${missing}'`);
  };
  const meta = { url: String(url.pathToFileURL(file)), dirname: directory, filename: file };
  define({ require: required, module: own, exports: own.exports, __filename: file, __dirname: directory });
  define({ [IMPORT]: load, [`${IMPORT}_meta`]: meta });
}

/** The current directory, or the last one if it is gone. */
function currentDirectory(last) {
  try {
    return process.cwd();
  } catch {
    return last ?? path.sep;
  }
}

/** Give cells globals that they may declare anew. */
function define(values) {
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
  }
}

/** The modules of Node.js by their names, as at its prompt. */
function defineModules() {
  for (const name of Module.builtinModules) {
    if (name.startsWith('_') || name.includes('/') || name.includes(':') || name in globalThis) continue;
    const set = (value) => define({ [name]: value });
    const get = () => {
      const loaded = process.getBuiltinModule ? process.getBuiltinModule(name) : require(name);
      set(loaded);
      return loaded;
    };
    Object.defineProperty(globalThis, name, { get, set, configurable: true, enumerable: false });
  }
}

function prepareProcess() {
  for (const [name, fd] of [['stdout', 1], ['stderr', 2]]) {
    const value = new Printed(fd);
    Object.defineProperty(process, name, { value, configurable: true, enumerable: true, writable: true });
  }
  // Not the one there is: that one tells the inspector too, which keeps what was printed.
  const { stdout, stderr } = process;
  define({ console: Object.assign(Object.create(console), new Console({ stdout, stderr, ignoreErrors: false })) });
  // What the first message loads of Node.js would stay half loaded, if the cell that prints it were stopped meanwhile.
  const unseen = new Console(new Writable({ write: (_chunk, _encoding, done) => done() }));
  unseen.log('%o', {}, new Error('none'));
  unseen.table([[1]]);
  process.argv.length = 1;
  process.execArgv.length = 0;
  process.on('SIGINT', () => {}); // it is meant for children
  process.on('uncaughtException', (error) => report(error));
  process.on('unhandledRejection', (reason) => report(reason, 'Uncaught (in promise)'));
  Error.prepareStackTrace = withoutOwnFrames;
}

function main() {
  const control = Number(process.argv[2]);
  const shared = new Int32Array(new SharedArrayBuffer(8));
  const watcher = new Worker(__filename, { workerData: { control, shared }, execArgv: [] });
  const channel = new Channel(control);
  prepareProcess();
  const cells = new Cells(channel, shared);
  const computer = new Computer(channel, cells);
  define({ ...computer.errors, computer: computer.part([]) });
  defineModules();
  let directory = null;
  const really = process.exit.bind(process);
  process.exit = (code) => cells.exit(code, really);
  cells.followTimers();
  watcher.on('message', (record) => {
    if ('run' in record) {
      const now = currentDirectory(directory);
      if (directory !== now) loadFrom((directory = now));
      cells.run(record);
    } else if ('reply' in record) computer.reply(record);
    else if ('interrupt' in record) cells.interrupt(record.interrupt);
    else computer.values = new Set(record.values);
  });
}

if (isMainThread) main();
else new Watcher(workerData);
