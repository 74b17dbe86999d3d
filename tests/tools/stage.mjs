// A stage on which the page's start is rehearsed without a browser, so that a build can see which functions of its wasm run then.
// The stage is of cardboard: nothing is laid out or painted, nobody clicks, and time is made up, so that each rehearsal takes the same way.
// It only has what the page asks for at its start. Where it differs from a browser, the page is still right, but the build's picture of the start is not.
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const GOAL = "converged for";
const FRAME_MS = 16;
/** How long the page may take to get there, and how long it goes on after that. */
const PATIENCE_MS = 30_000;
const ENCORE_MS = 2_000;
/** Looking at all of the text is slow, so it is not done after every frame. */
const LOOK_EVERY = 8;

let rehearsals = 0;

/**
 * Starts the page of the folder `dist` with the bytes `wasm` instead of its own, and lets it run until its text says that it is converged, and a
 * little longer. Gives the exports of the wasm, and whether they got there, which is always true: where they do not, it throws.
 * Only one rehearsal can run at a time, as it takes the place of the global objects for that long.
 */
export async function rehearse(dist, wasm, { query = "", width = 1440, height = 900 } = {}) {
  const folder = dist instanceof URL ? fileURLToPath(dist) : dist;
  const glue = pathToFileURL(resolve(folder, "loopscope-app.js"));
  // A module is run only once, so each rehearsal asks for another address.
  glue.search = `?rehearsal=${++rehearsals}`;
  const trouble = [];
  const time = makeTime((error) => trouble.push(String(error?.stack ?? error)));
  const document = makeDocument(width, height);
  const restore = replaceGlobals(makeWorld({ document, time, trouble, query, width, height }));
  try {
    const { default: init } = await import(glue);
    const exports = await init({ module_or_path: wasm });
    const converged = await play(time, document, trouble);
    if (!converged) throw new Error(`after ${PATIENCE_MS / 1000} seconds the text of the page has no "${GOAL}"`);
    return { exports, converged };
  } catch (error) {
    throw new Error(["The rehearsal of the page's start failed:", error.message, ...trouble].join("\n"), { cause: error });
  } finally {
    restore();
  }
}

/** Lets time pass until the goal is in the text, and for the encore. */
async function play(time, document, trouble) {
  let ends = PATIENCE_MS;
  let converged = false;
  for (let frame = 0; time.now < ends; frame++) {
    await time.frame();
    if (trouble.length > 0) throw new Error("the engine stopped");
    if (converged || frame % LOOK_EVERY !== 0 || !document.body.textContent.includes(GOAL)) continue;
    converged = true;
    ends = time.now + ENCORE_MS;
  }
  return converged;
}

/** Time that only passes when it is told to: animation frames, and the timers between them. What is thrown in one is told to `failed`. */
function makeTime(failed) {
  const { setImmediate, queueMicrotask } = globalThis;
  const frames = new Map();
  const timers = new Map();
  let last = 0;
  const guarded = (callback, ...given) => {
    try {
      callback(...given);
    } catch (error) {
      failed(error);
    }
  };
  /** As in a browser, what is waiting in microtasks is done before the next task. */
  const task = async (callback, ...given) => {
    guarded(callback, ...given);
    await new Promise((done) => setImmediate(done));
  };
  const set = (callback, wait, every) => {
    // A timer that sets itself again must not stop time.
    const delay = Math.max(1, Number(wait) || 0);
    timers.set(++last, { callback, at: time.now + delay, every: every && delay });
    return last;
  };
  const due = (until) => [...timers].filter(([, { at }]) => at <= until).sort(([, a], [, b]) => a.at - b.at)[0];
  const time = {
    now: 0,
    setTimeout: (callback, wait) => set(callback, wait, false),
    setInterval: (callback, wait) => set(callback, wait, true),
    clearTimer: (id) => void timers.delete(id),
    requestAnimationFrame: (callback) => (frames.set(++last, callback), last),
    cancelAnimationFrame: (id) => void frames.delete(id),
    queueMicrotask: (callback) => queueMicrotask(() => guarded(callback)),
    /** Whoever waits for time to pass sees it pass. */
    look: () => (time.now += 0.05),
    /** Runs what was asked for this frame, and then the timers up to the next one. */
    async frame() {
      const next = time.now + FRAME_MS;
      const asked = [...frames.values()];
      frames.clear();
      for (const callback of asked) await task(callback, time.now);
      for (let found = due(next); found; found = due(next)) {
        const [id, timer] = found;
        time.now = Math.max(time.now, timer.at);
        if (timer.every) timer.at = time.now + timer.every;
        else timers.delete(id);
        await task(timer.callback);
      }
      time.now = Math.max(time.now, next);
    },
  };
  return time;
}

const nothing = () => {};
/** Can do everything, which has no effect. */
const anything = () => new Proxy({}, { get: () => nothing, set: () => true });

/** A list of nodes as a browser gives it. */
class List extends Array {
  item(i) {
    return this[i] ?? null;
  }
}

class Node {
  childNodes = new List();
  parentNode = null;
  addEventListener() {}
  removeEventListener() {}
  get parentElement() {
    return this.parentNode instanceof Element ? this.parentNode : null;
  }
  get lastChild() {
    return this.childNodes.at(-1) ?? null;
  }
  get nextSibling() {
    const siblings = this.parentNode?.childNodes ?? [];
    return siblings[siblings.indexOf(this) + 1] ?? null;
  }
  get textContent() {
    return this.childNodes.map((node) => node.textContent).join("");
  }
  set textContent(text) {
    for (const node of [...this.childNodes]) this.removeChild(node);
    if (text) this.insertBefore(new Text(text), null);
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

class Text extends Node {
  constructor(text) {
    super();
    this.nodeValue = text;
  }
  get textContent() {
    return this.nodeValue;
  }
}

const HTML = "http://www.w3.org/1999/xhtml";

/** An element. Each has the size of the window, as nothing is laid out, and none is found by a selector. */
class Element extends Node {
  attributes = new Map();
  style = anything();
  constructor(tagName, namespaceURI, size) {
    super();
    Object.assign(this, { tagName, namespaceURI, size, scrollTop: 0 });
    for (const kind of ["client", "offset", "scroll"]) Object.assign(this, { [`${kind}Width`]: size.width, [`${kind}Height`]: size.height });
  }
  get children() {
    return this.childNodes.filter((node) => node instanceof Element);
  }
  get firstElementChild() {
    return this.children[0] ?? null;
  }
  get lastElementChild() {
    return this.children.at(-1) ?? null;
  }
  get nextElementSibling() {
    const siblings = this.parentElement?.children ?? [];
    return siblings[siblings.indexOf(this) + 1] ?? null;
  }
  get previousElementSibling() {
    const siblings = this.parentElement?.children ?? [];
    return siblings[siblings.indexOf(this) - 1] ?? null;
  }
  get classList() {
    return { contains: (name) => (this.getAttribute("class") ?? "").split(" ").includes(name) };
  }
  set innerHTML(text) {
    this.textContent = text;
  }
  setAttribute(name, value) {
    this.attributes.set(name, value);
  }
  getAttribute(name) {
    return this.attributes.get(name) ?? null;
  }
  hasAttribute(name) {
    return this.attributes.has(name);
  }
  removeAttribute(name) {
    this.attributes.delete(name);
  }
  cloneNode() {
    const copy = new this.constructor(this.tagName, this.namespaceURI, this.size);
    for (const [name, value] of this.attributes) copy.setAttribute(name, value);
    return copy;
  }
  getBoundingClientRect() {
    const { width, height } = this.size;
    return { left: 0, top: 0, right: width, bottom: height, width, height };
  }
  closest() {
    return null;
  }
  querySelector() {
    return null;
  }
  querySelectorAll() {
    return new List();
  }
  scrollIntoView() {}
}

class HTMLElement extends Element {
  value = "";
  focus() {}
  getContext() {
    return new CanvasRenderingContext2D();
  }
}
class HTMLInputElement extends HTMLElement {}
class HTMLSelectElement extends HTMLElement {
  selectedIndex = 0;
}
class CanvasRenderingContext2D {
  putImageData() {}
}
const classes = { INPUT: HTMLInputElement, SELECT: HTMLSelectElement };

function makeDocument(width, height) {
  const size = { width, height };
  const createElement = (tag) => new (classes[tag.toUpperCase()] ?? HTMLElement)(tag.toUpperCase(), HTML, size);
  const createElementNS = (space, tag) => (space === HTML ? createElement(tag) : new Element(tag, space, size));
  const [documentElement, body] = [createElement("html"), createElement("body")];
  documentElement.insertBefore(body, null);
  // What the page shows while it is fetched, and clears away.
  body.insertBefore(createElement("main"), null);
  const document = Object.assign(new Node(), { documentElement, body, activeElement: body, createElement, createElementNS });
  document.insertBefore(documentElement, null);
  return Object.assign(document, { createTextNode: (text) => new Text(text), querySelector: () => null });
}

/** The global objects of the stage. */
function makeWorld({ document, time, trouble, query, width, height }) {
  class Window {
    static [Symbol.hasInstance](value) {
      return value === globalThis;
    }
  }
  class ResizeObserver {
    constructor(resized) {
      this.resized = resized;
    }
    observe() {
      time.requestAnimationFrame(() => this.resized([], this));
    }
    disconnect() {
      this.resized = nothing;
    }
  }
  class ImageData {}
  class Clock extends Date {
    static now = () => Math.floor(time.look());
  }
  const told = (...words) => trouble.push(words.join(" "));
  const { setTimeout, setInterval, clearTimer, requestAnimationFrame, cancelAnimationFrame, queueMicrotask } = time;
  return {
    ...{ Node, Text, Element, HTMLElement, HTMLInputElement, HTMLSelectElement, CanvasRenderingContext2D, ImageData, ResizeObserver, Window },
    ...{ setTimeout, setInterval, requestAnimationFrame, cancelAnimationFrame, queueMicrotask, document, Date: Clock },
    ...{ window: globalThis, self: globalThis, innerWidth: width, innerHeight: height, devicePixelRatio: 1 },
    ...{ addEventListener: nothing, removeEventListener: nothing, clearTimeout: clearTimer, clearInterval: clearTimer },
    console: { ...console, error: told },
    performance: { now: time.look },
    location: { search: query },
    matchMedia: () => ({ matches: false }),
    getComputedStyle: () => ({ getPropertyValue: () => "" }),
    getSelection: () => ({ isCollapsed: true }),
    // The page around the engine, as boot.js has it: a first visit, and an editor that is still being fetched.
    loopscopePage: { found: () => "", preference: () => "", keep: nothing, prefer: nothing, listen: nothing, stopped: told },
    loopscope: { editor: nothing },
  };
}

/** Puts global objects in place of others, and gives a function that takes it back. */
function replaceGlobals(world) {
  const before = Object.keys(world).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]);
  for (const [name, value] of Object.entries(world)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  return () => {
    for (const [name, old] of before) {
      if (old) Object.defineProperty(globalThis, name, old);
      else delete globalThis[name];
    }
  };
}
