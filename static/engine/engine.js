// The engine for scripts: a whole control plane as one class, without any user interface. The same file works in a page, in a worker and in Node.
// engine.d.ts documents every name. Arguments travel as JSON (src/engine says why), so nothing that is passed in can be more than data.
import instantiate, { Engine, grade as gradeInEngine } from "loopscope-engine-glue";

// scripts/engine.mjs puts the name with its digest here; written like this, bundlers find the file as well.
const wasmAddress = () => new URL("engine.wasm", import.meta.url);

/** An error with a code for programs and a sentence for people. */
export class LoopscopeError extends Error {
  constructor(code, message, options) {
    super(message, options);
    this.name = "LoopscopeError";
    this.code = code;
  }
}

let loading;
let stopped;

async function compiled(source) {
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source);
  const address = new URL(source ?? wasmAddress(), import.meta.url);
  if (address.protocol === "file:" && globalThis.process?.versions?.node) {
    // Bundlers for the browser must not look for this module, so its name is no literal.
    const files = "node:fs/promises";
    const { readFile } = await import(/* webpackIgnore: true */ /* @vite-ignore */ files);
    return WebAssembly.compile(await readFile(address));
  }
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  const isNamed = response.headers.get("Content-Type")?.startsWith("application/wasm");
  return isNamed ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/** Loads the engine's wasm, once. */
export function init({ wasm } = {}) {
  loading ??= (async () => {
    try {
      await instantiate({ module_or_path: await compiled(wasm) });
    } catch (cause) {
      loading = undefined;
      throw new LoopscopeError("not-loaded", `the engine could not be loaded: ${cause?.message ?? cause}`, { cause });
    }
  })();
  return loading;
}

/** What the engine throws is JSON. Anything else has left its memory in pieces, so nothing of it may run again. */
function guarded(work) {
  if (stopped) throw new LoopscopeError("internal", "the engine has stopped after an error of its own", { cause: stopped });
  try {
    return work();
  } catch (cause) {
    if (typeof cause === "string") {
      const { code, message } = JSON.parse(cause);
      throw new LoopscopeError(code, message);
    }
    stopped = cause;
    throw new LoopscopeError("internal", `the engine has stopped: ${cause?.message ?? cause}`, { cause });
  }
}

/** Arguments as JSON; what JSON cannot hold is refused before the engine hears of it. */
function json(value) {
  let text;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw new LoopscopeError("bad-input", `the arguments are no plain data: ${cause?.message ?? cause}`, { cause });
  }
  if (text === undefined) throw new LoopscopeError("bad-input", "the arguments are no plain data");
  return text;
}

const plainObject = (value, name) => {
  if (value === undefined || value === null) return {};
  if (typeof value !== "object" || Array.isArray(value)) throw new LoopscopeError("bad-input", `${name} must be an object`);
  return value;
};

const HIDDEN = Symbol("made by the class itself");
// A function that waits for a change asks again at most so often while nothing changes.
const DEFAULT_PATIENCE = 600;

export class Cluster {
  #engine;
  #watches = new Map();
  #delivering = false;

  /** Use `await Cluster.create()`. */
  constructor(secret, engine) {
    if (secret !== HIDDEN) throw new LoopscopeError("bad-input", "a cluster is made by `await Cluster.create()`");
    this.#engine = engine;
  }

  static async create(options) {
    const text = json(plainObject(options, "options"));
    await init();
    return new Cluster(HIDDEN, guarded(() => new Engine(text)));
  }

  #call(method, input = {}) {
    const text = json(input);
    if (!this.#engine) throw new LoopscopeError("freed", "the cluster has been freed");
    return JSON.parse(guarded(() => this.#engine.call(method, text)));
  }

  /** Calls a method that may change something, and tells the watches. */
  #act(method, input) {
    const answer = this.#call(method, input);
    this.#deliver();
    return answer;
  }

  /** Tells the watches what has changed. What a callback does is told after what it was called for. */
  #deliver() {
    if (this.#delivering || this.#watches.size === 0) return;
    this.#delivering = true;
    try {
      for (;;) {
        const changes = this.#engine ? this.#call("changes") : [];
        if (changes.length === 0) return;
        for (const { id, events } of changes) {
          for (const event of events) this.#watches.get(id)?.(event);
        }
      }
    } finally {
      this.#delivering = false;
    }
  }

  apply(manifest, options) {
    return this.#act("apply", { ...plainObject(options, "options"), manifest });
  }

  kubectl(command, options) {
    return this.#act("kubectl", { ...plainObject(options, "options"), command });
  }

  request(request) {
    return this.#act("request", plainObject(request, "the request"));
  }

  fault(fault) {
    return this.#act("fault", plainObject(fault, "the fault"));
  }

  step(count = 1) {
    return this.#act("step", { count });
  }

  #advance(input, stopAt, isDone = () => false) {
    let target = input;
    for (;;) {
      const { reached, until } = this.#call("advance", { ...target, stopAt: stopAt ?? (this.#watches.size ? "event" : undefined) });
      target = { until };
      this.#deliver();
      if (isDone()) return true;
      if (reached) return false;
    }
  }

  run(time) {
    this.#advance({ for: time });
    return this.status();
  }

  runUntil(goal, { within = DEFAULT_PATIENCE } = {}) {
    if (typeof goal !== "function") {
      this.#advance({ until: goal });
      return true;
    }
    return Boolean(goal(this)) || this.#advance({ for: within }, "change", () => Boolean(goal(this)));
  }

  runUntilConverged(options) {
    return this.#act("converge", plainObject(options, "options"));
  }

  get(kind, name, namespace) {
    return this.#call("get", { kind, name, namespace });
  }

  list(kind, options) {
    return this.#call("list", { ...plainObject(options, "options"), kind });
  }

  watch(kind, options, callback) {
    const tell = typeof options === "function" ? options : callback;
    if (typeof tell !== "function") throw new LoopscopeError("bad-input", "a watch needs a function that it calls with every change");
    const { id } = this.#call("watch", { ...(tell === options ? {} : plainObject(options, "options")), kind });
    this.#watches.set(id, tell);
    this.#deliver();
    return () => {
      if (this.#watches.delete(id) && this.#engine) this.#call("unwatch", { id });
    };
  }

  status() {
    return this.#call("status");
  }

  get time() {
    return this.status().time;
  }

  get hash() {
    return this.status().hash;
  }

  get converged() {
    return this.status().converged;
  }

  history() {
    return this.#call("history");
  }

  seek(moment) {
    if (moment === "live") return this.#act("seek", { live: true });
    if (typeof moment === "object" && moment !== null) return this.#act("seek", moment);
    return this.#act("seek", { at: moment });
  }

  fork() {
    if (!this.#engine) throw new LoopscopeError("freed", "the cluster has been freed");
    return new Cluster(HIDDEN, guarded(() => this.#engine.fork()));
  }

  share() {
    return this.#call("share").state;
  }

  shareHash() {
    return this.#call("share").hash;
  }

  load(state) {
    return this.#act("load", state);
  }

  check(lesson = null) {
    return this.#call("check", lesson);
  }

  free() {
    this.#watches.clear();
    const engine = this.#engine;
    this.#engine = undefined;
    if (engine && !stopped) engine.free();
  }

  [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() {
    this.free();
  }
}

/** Replays a learner's share state and judges the goals of a lesson, as the page does. */
export async function grade(state, lesson = null) {
  const [stateText, lessonText] = [json(state), json(lesson)];
  await init();
  return JSON.parse(guarded(() => gradeInEngine(stateText, lessonText)));
}
