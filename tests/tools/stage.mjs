// A stage on which the page's start is rehearsed without a browser, so that a build can see which functions of its wasm run then.
// The stage is of cardboard: nothing is laid out or painted, nobody clicks, and time is made up, so that each rehearsal takes the same way.
// It only has what the page asks for at its start. Where it differs from a browser, the page is still right, but the build's picture of the start is not.
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const GOAL = "converged for";
/** How long the page may take to get there, and how long it goes on after that. */
const PATIENCE_MS = 30_000;
const ENCORE_MS = 2_000;
/** Looking at all of the text is slow, so it is not done after every frame. */
const LOOK_EVERY = 8;

let rehearsals = 0;

/**
 * Starts the page of the folder `dist` with `wasm` (bytes or a module) instead of its own, and lets it run until its text says that it is
 * converged, and a little longer. Gives the exports of the wasm; where it does not get there, this throws.
 * `frame` is how many milliseconds pass from one picture to the next. Only one rehearsal can run at a time, as it takes the place of global objects for that long.
 */
export async function rehearse(dist, wasm, { query = "", frame = 16, width = 1440, height = 900 } = {}) {
  const glue = pathToFileURL(resolve(dist instanceof URL ? fileURLToPath(dist) : dist, "loopscope-app.js"));
  // A module is run only once, so each rehearsal asks for another address.
  glue.search = `?rehearsal=${++rehearsals}`;
  const life = new Life();
  const time = new Time(life, frame);
  const document = makeDocument({ width, height, time });
  const restore = replaceGlobals({ ...makeWindow(time, document, query), ...makeHost(life, time) });
  try {
    const { default: init } = await import(glue);
    const exports = await init({ module_or_path: wasm });
    await play(time, document, life);
    return exports;
  } catch (error) {
    throw new Error(["The rehearsal of the page's start failed:", error.message, ...life.words].join("\n"), { cause: error });
  } finally {
    restore();
  }
}

/** Lets time pass until the goal is in the text, and for the encore. */
async function play(time, document, life) {
  let converged = false;
  let ends = PATIENCE_MS;
  for (let frame = 0; time.now < ends; frame++) {
    await time.frame();
    if (life.over) throw new Error("the engine stopped");
    if (converged || frame % LOOK_EVERY !== 0) continue;
    converged = document.body.textContent.includes(GOAL);
    if (converged) ends = time.now + ENCORE_MS;
  }
  if (!converged) throw new Error(`after ${PATIENCE_MS / 1000} seconds the text of the page has no "${GOAL}"`);
}

/** Whether the engine still runs, and what it said about errors. */
class Life {
  over = false;
  words = [];
  watch(callback, ...given) {
    try {
      callback(...given);
    } catch (error) {
      this.end(error.stack ?? error);
    }
  }
  end(words) {
    this.over = true;
    this.words.push(String(words));
  }
}

/** Time that only passes when it is told to: animation frames, and the timers between them. */
class Time {
  now = 0;
  frames = new Map();
  timers = new Map();
  last = 0;
  constructor(life, perFrame) {
    Object.assign(this, { life, perFrame });
  }
  /** Looking at the clock and making an element take a moment each, so that who must end in time does, and a large drawing is a slow one, above all where
   * frames are slow. */
  spend() {
    return (this.now += this.perFrame / 300);
  }
  request(callback) {
    this.frames.set(++this.last, callback);
    return this.last;
  }
  set(callback, wait, again) {
    // A timer that sets itself again must not stop time.
    const delay = Math.max(1, Number(wait) || 0);
    const id = ++this.last;
    this.timers.set(id, { id, callback, at: this.now + delay, every: again ? delay : 0 });
    return id;
  }
  /** The next timer up to then. */
  due(until) {
    return [...this.timers.values()].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
  }
  /** As in a browser, what waits in microtasks is done before the next task. */
  async task(callback, ...given) {
    this.life.watch(callback, ...given);
    await new Promise((done) => setImmediate(done));
  }
  /** Runs what was asked for this frame, and then the timers up to the next one. */
  async frame() {
    const next = this.now + this.perFrame;
    const asked = [...this.frames.values()];
    this.frames.clear();
    for (const callback of asked) await this.task(callback, this.now);
    for (let timer = this.due(next); timer; timer = this.due(next)) {
      this.now = Math.max(this.now, timer.at);
      timer.at = this.now + timer.every;
      if (!timer.every) this.timers.delete(timer.id);
      await this.task(timer.callback);
    }
    this.now = Math.max(this.now, next);
  }
}

const nothing = () => {};

class Node {
  childNodes = [];
  parentNode = null;
  get lastChild() {
    return this.childNodes.at(-1) ?? null;
  }
  get nextSibling() {
    const siblings = this.parentNode?.childNodes ?? [];
    return siblings[siblings.indexOf(this) + 1] ?? null;
  }
  get textContent() {
    return this.nodeValue ?? this.childNodes.map((node) => node.textContent).join("");
  }
  insertBefore(node, next) {
    node.parentNode?.removeChild(node);
    node.parentNode = this;
    this.childNodes.splice(next ? this.childNodes.indexOf(next) : this.childNodes.length, 0, node);
    return node;
  }
  removeChild(node) {
    this.childNodes.splice(this.childNodes.indexOf(node), 1);
    node.parentNode = null;
    return node;
  }
}
// Nothing happens on the stage that anyone could listen to.
Object.assign(Node.prototype, { addEventListener: nothing, removeEventListener: nothing });

class Text extends Node {}

/** An element. Each has the size of the stage, as nothing is laid out. */
class Element extends Node {
  attributes = new Map();
  style = { setProperty: nothing };
  constructor(tagName, namespaceURI, stage) {
    super();
    stage.time.spend();
    Object.assign(this, { tagName, namespaceURI, stage, value: "", scrollTop: 0 });
    for (const part of ["client", "offset", "scroll"]) Object.assign(this, { [`${part}Width`]: stage.width, [`${part}Height`]: stage.height });
  }
  setAttribute(name, value) {
    this.attributes.set(name, value);
  }
  getAttribute(name) {
    return this.attributes.get(name) ?? null;
  }
  removeAttribute(name) {
    this.attributes.delete(name);
  }
  cloneNode() {
    const copy = new this.constructor(this.tagName, this.namespaceURI, this.stage);
    for (const [name, value] of this.attributes) copy.setAttribute(name, value);
    return copy;
  }
  getBoundingClientRect() {
    const { width, height } = this.stage;
    return { left: 0, top: 0, right: width, bottom: height, width, height };
  }
}
// Selectors find nothing.
const finding = { closest: () => null, querySelector: () => null, querySelectorAll: () => [] };
Object.assign(Element.prototype, finding, { scrollIntoView: nothing, focus: nothing, getContext: () => new CanvasRenderingContext2D() });

class HTMLElement extends Element {}
class HTMLInputElement extends HTMLElement {}
class HTMLSelectElement extends HTMLElement {}
class CanvasRenderingContext2D {
  putImageData = nothing;
}
const HTML = "http://www.w3.org/1999/xhtml";
const classes = { INPUT: HTMLInputElement, SELECT: HTMLSelectElement };

function makeDocument(stage) {
  const createElement = (tag) => new (classes[tag.toUpperCase()] ?? HTMLElement)(tag.toUpperCase(), HTML, stage);
  const createElementNS = (space, tag) => (space === HTML ? createElement(tag) : new Element(tag, space, stage));
  const createTextNode = (nodeValue) => Object.assign(new Text(), { nodeValue });
  const [documentElement, body] = [createElement("html"), createElement("body")];
  documentElement.insertBefore(body, null);
  // What the page shows while it is fetched, and then clears away.
  body.insertBefore(createElement("main"), null);
  return Object.assign(new Node(), finding, { documentElement, body, activeElement: body, createElement, createElementNS, createTextNode });
}

/** The global objects that a browser has. */
function makeWindow(time, document, query) {
  class Window {
    static [Symbol.hasInstance] = (value) => value === globalThis;
  }
  class ResizeObserver {
    constructor(resized) {
      this.resized = resized;
    }
    observe() {
      time.request(() => this.resized([], this));
    }
    disconnect() {
      this.resized = nothing;
    }
  }
  // What runs must not depend on when memory is cleaned up.
  class FinalizationRegistry {
    register = nothing;
    unregister = nothing;
  }
  const now = () => time.spend();
  const { queueMicrotask } = globalThis;
  const clear = (id) => void time.timers.delete(id);
  return {
    ...{ Node, Text, Element, HTMLElement, HTMLInputElement, HTMLSelectElement, CanvasRenderingContext2D, ImageData: class {} },
    ...{ Window, ResizeObserver, FinalizationRegistry, document, window: globalThis, self: globalThis, devicePixelRatio: 1 },
    ...{ addEventListener: nothing, removeEventListener: nothing, clearTimeout: clear, clearInterval: clear },
    setTimeout: (callback, wait) => time.set(callback, wait, false),
    setInterval: (callback, wait) => time.set(callback, wait, true),
    requestAnimationFrame: (callback) => time.request(callback),
    cancelAnimationFrame: (id) => void time.frames.delete(id),
    queueMicrotask: (callback) => queueMicrotask(() => time.life.watch(callback)),
    performance: { now },
    Date: Object.assign(class extends Date {}, { now }),
    location: { search: query },
    matchMedia: () => ({ matches: false }),
    getComputedStyle: () => ({ getPropertyValue: () => "" }),
    getSelection: () => ({ isCollapsed: true }),
  };
}

/** The page around the engine, as boot.js has it: a first visit, and an editor that comes a little later. */
function makeHost(life, time) {
  const stopped = (words) => life.end(words);
  const loopscopePage = { found: () => "", preference: () => "", keep: nothing, prefer: nothing, listen: nothing, stopped };
  const connected = { setText: nothing, setDiagnostics: nothing, show: nothing, destroy: nothing };
  const editor = (_host, _text, _tell, _ask, ready) => time.request(() => time.set(() => ready(connected), 0));
  const error = (...words) => life.words.push(words.join(" "));
  return { loopscopePage, loopscope: { editor }, console: { ...console, error } };
}

/** Puts global objects in the place of others, and gives a function that takes it back. */
function replaceGlobals(others) {
  const before = Object.keys(others).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]);
  for (const [name, value] of Object.entries(others)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  return () => before.forEach(([name, old]) => (old ? Object.defineProperty(globalThis, name, old) : delete globalThis[name]));
}
