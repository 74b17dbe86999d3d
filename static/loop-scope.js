// <loop-scope>: Loopscope in any page, as a custom element. One script, no dependency:
//
//   <script type="module" src="https://…/loop-scope.js"></script>
//   <loop-scope example="deployment-web" panels="cluster,loop">A link or a picture for those who cannot see it</loop-scope>
//
// The page runs in an iframe of its own, so the host's policy and styles do not affect it. The content of the element shows before the page has
// loaded, without scripts, and if the load fails. The names of attributes, methods and events are in embed-contract.json, and they are frozen.

/** Attributes that are parameters of the page's address. */
const PARAMETERS = [
  "example", "manifest", "seed", "nodes", "at", "speed", "paused", "autoplay", "lang", "panels", "controls", "readonly", "layout", "theme", "motion",
  "reading", "size", "goal", "persist", "autoheight",
];
/** Boolean attributes, which are on if they are present, as in HTML. */
const SWITCHES = new Set(["paused", "readonly", "autoheight"]);
/** Attributes of the element itself. */
const OWN = ["src", "state", "height", "loading", "label"];
/** Requests with the names of their arguments; each is a method. */
const METHODS = {
  load: ["options"], apply: ["manifest"], kubectl: ["line"], step: ["count", "by"], run: ["options"], pause: [], seek: ["at"], fork: [], fault: ["fault", "options"],
  check: [], getState: [], setState: ["state"], setTheme: ["theme"], focusPanel: ["panel"],
};
/** The time after which a page that has sent nothing counts as failed. */
const PATIENCE_MS = 15_000;
const CONTEXT = "loopscope";

const STYLE = `
:host { display: block; position: relative; height: 480px; }
:host([hidden]) { display: none; }
iframe, .cover { box-sizing: border-box; width: 100%; height: 100%; border: 1px solid color-mix(in srgb, currentColor 25%, transparent); border-radius: 8px; }
iframe { display: block; }
.cover { position: absolute; inset: 0; display: grid; place-content: center; justify-items: center; gap: .75rem; overflow: auto; padding: 1rem; font: .9375rem/1.45 system-ui, sans-serif; }
.cover[hidden], iframe[hidden] { display: none; }
.cover svg { width: min(60%, 14rem); height: auto; opacity: .8; }
button { padding: .5rem 1rem; border: 1px solid currentColor; border-radius: 8px; background: transparent; color: inherit; font: inherit; cursor: pointer; }
p { margin: 0; text-align: center; }`;

/** Creates an element. It parses no HTML text, which a host's policy may refuse. */
function make(name, properties = {}, ...children) {
  const isDrawn = name === "svg" || "d" in properties || "rx" in properties;
  const element = isDrawn ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(properties)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** A copy of a request without the proxies that Vue and Svelte wrap around state, which the browser refuses to copy. */
const plain = (message) => JSON.parse(JSON.stringify(message, (_, value) => {
  if (typeof value === "function") throw new TypeError("a function is no data");
  return value;
}));

/** The placeholder picture: three nodes with their pods, as at the start of most examples. */
const poster = () => make("svg", { viewBox: "0 0 100 40", fill: "none", stroke: "currentColor", "aria-hidden": "true" }, ...[1, 35, 69].flatMap((x) => [
  make("rect", { x, y: 4, width: 30, height: 34, rx: 4 }),
  make("path", { d: `M${x + 5} 10h12`, "stroke-width": 2 }),
  make("rect", { x: x + 5, y: 16, width: 20, height: 12, rx: 2, fill: "currentColor", "fill-opacity": 0.25 }),
]));

const root = import.meta.url;

/** An error with a code for programs. */
class LoopscopeError extends Error {
  constructor({ code, message }) {
    super(message);
    this.name = "LoopscopeError";
    this.code = code;
  }
}

// Frameworks that render on a server import this there too, where there is no element to extend.
export class LoopScope extends (globalThis.HTMLElement ?? Object) {
  static observedAttributes = [...PARAMETERS, ...OWN];
  #frame;
  #cover;
  #rule;
  #port;
  #calls = new Map();
  #last = 0;
  #waiting = [];
  #patience;
  #sight;
  #renewal;
  #connectedAt = -Infinity;
  #isPlaced = false;
  #isReady = false;

  constructor() {
    super();
    this.#cover = make("div", { class: "cover", part: "cover" }, make("slot"), make("p", { hidden: "", role: "alert" }));
    this.attachShadow({ mode: "open" }).append(this.#cover);
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    // The height is kept here and not in the attribute `style`, which belongs to the page and its framework.
    this.#rule = sheet.cssRules[sheet.insertRule(":host {}", sheet.cssRules.length)].style;
    this.shadowRoot.adoptedStyleSheets = [sheet];
  }

  connectedCallback() {
    // A property that was set before this script ran is no attribute yet.
    for (const name of LoopScope.observedAttributes) {
      if (Object.hasOwn(this, name)) {
        const value = this[name];
        delete this[name];
        this[name] = value;
      }
    }
    addEventListener("message", this.#hear);
    this.#isPlaced = true;
    this.#start();
  }

  /** Keeps the page as it is where the element is moved by `moveBefore`. */
  connectedMoveCallback() {}

  disconnectedCallback() {
    removeEventListener("message", this.#hear);
    this.#isPlaced = false;
    this.#close("removed", "the element was removed from its page");
    clearTimeout(this.#renewal);
    this.#renewal = undefined;
    this.#frame?.remove();
    this.#frame = undefined;
    this.#cover.hidden = false;
    this.#unarm();
  }

  attributeChangedCallback(name, before, now) {
    if (before === now) return;
    if (["height", "autoheight"].includes(name)) this.#setHeight(/^\d+$/.test(this.height) ? `${this.height}px` : this.height);
    if (name === "loading") {
      if (this.#isPlaced && !this.#frame) this.#start();
    } else if (!this.#frame || name === "height") return;
    else if (name === "label") this.#frame.title = this.#title;
    // While the page loads the call waits for it.
    else if (name === "theme") this.setTheme(now ?? "auto").catch(() => {});
    else {
      // Several attributes that change together load the page once.
      this.#renewal ??= setTimeout(() => {
        this.#renewal = undefined;
        if (this.#frame && this.isConnected) this.open();
      });
    }
  }

  get #title() {
    return this.label || "Loopscope: a Kubernetes cluster";
  }

  /** True once the page carries out calls. */
  get ready() {
    return this.#isReady;
  }

  /** The address of the page with the attributes as parameters. */
  get address() {
    const url = new URL(this.src || "index.html", this.src ? document.baseURI : root);
    url.searchParams.set("embed", "1");
    for (const name of PARAMETERS) {
      const value = this.getAttribute(name);
      if (SWITCHES.has(name) ? value !== null && value !== "false" : value) url.searchParams.set(name, SWITCHES.has(name) ? "1" : value);
    }
    // An opaque origin has no name that could be passed on.
    if (origin !== "null") url.searchParams.set("origin", origin);
    if (this.state && !this.state.startsWith("{")) url.hash = `s=${this.state.replace(/^.*#s=/, "")}`;
    return url.href;
  }

  /** Loads the page now, whatever the attribute `loading` is. */
  open() {
    this.#unarm();
    clearTimeout(this.#patience);
    this.#connectedAt = -Infinity;
    this.#disconnect("reloaded", "the page was loaded again");
    this.#frame?.remove();
    const frame = document.createElement("iframe");
    frame.title = this.#title;
    frame.allow = "clipboard-write";
    frame.setAttribute("part", "frame");
    frame.src = this.address;
    frame.hidden = true;
    this.#cover.hidden = false;
    this.#frame = frame;
    this.shadowRoot.append(frame);
    this.#patience = setTimeout(() => this.#fail("timeout", "Loopscope did not load."), PATIENCE_MS);
  }

  #setHeight(height) {
    this.#rule.removeProperty("height");
    this.#rule.setProperty("height", height, "important");
  }

  /** Loads the page now or later, as `loading` says. */
  #start() {
    this.#unarm();
    if (this.loading === "eager") this.open();
    else if (this.loading === "click") this.#offer();
    else this.#whenInSight();
  }

  /** Takes back what was to load the page later, and the notice of an earlier failure. */
  #unarm() {
    this.#sight?.disconnect();
    this.#cover.querySelector("button")?.remove();
    this.#cover.querySelector("p").hidden = true;
  }

  #offer() {
    this.#cover.querySelector("svg")?.remove();
    if (this.childElementCount === 0) this.#cover.prepend(poster());
    const button = make("button", { type: "button" }, "Start the cluster");
    button.addEventListener("click", () => this.open());
    this.#cover.append(button);
  }

  #whenInSight() {
    this.#sight = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && this.open(), { rootMargin: "200px" });
    this.#sight.observe(this);
  }

  /** Handles the page's hello, and hands it a port. After a restart of its engine the page says hello again. */
  #hear = ({ source, data }) => {
    if (!this.#frame || source !== this.#frame.contentWindow || data?.context !== CONTEXT || data.v !== 1 || data.type !== "hello") return;
    // Several hellos may be in flight before the first is answered.
    if (performance.now() - this.#connectedAt < 1_000) return;
    this.#connectedAt = performance.now();
    this.#disconnect("restarted", "the page was started again");
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.onmessage = ({ data }) => this.#receive(data);
    // The target is `*` because the origin may be opaque; the window that said hello is the one in our frame.
    source.postMessage({ context: CONTEXT, v: 1, type: "connect" }, "*", [port2]);
  };

  #receive(message) {
    if (message === null || typeof message !== "object") return;
    if ("id" in message) {
      const call = this.#calls.get(message.id);
      this.#calls.delete(message.id);
      if (message.error) call?.reject(new LoopscopeError(message.error));
      else call?.resolve(message.ok);
      return;
    }
    const { type, ...detail } = message;
    if (type === "ready") this.#begin();
    if (type === "resize" && this.autoheight && detail.height > 0) this.#setHeight(`${Math.min(detail.height + 2, 10_000)}px`);
    this.#tell(type, detail);
  }

  #begin() {
    clearTimeout(this.#patience);
    this.#isReady = true;
    this.#frame.hidden = false;
    this.#cover.hidden = true;
    if (this.state.startsWith("{")) this.setState(this.state).catch(({ code, message }) => this.#tell("error", { code, message }));
    for (const { post } of this.#waiting.splice(0)) post();
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(`loopscope-${type}`, { detail, bubbles: true, composed: true }));
  }

  #fail(code, message) {
    this.#close(code, message);
    this.#frame?.remove();
    this.#frame = undefined;
    this.#cover.hidden = false;
    const notice = this.#cover.querySelector("p");
    notice.textContent = message;
    notice.hidden = false;
    this.#tell("error", { code, message });
  }

  /** Ends the connection. Calls that wait for their answer fail; those that wait for the page go on waiting. */
  #disconnect(code, message) {
    this.#port?.close();
    this.#port = undefined;
    this.#isReady = false;
    for (const { reject } of this.#calls.values()) reject(new LoopscopeError({ code, message }));
    this.#calls.clear();
  }

  #close(code, message) {
    clearTimeout(this.#patience);
    this.#connectedAt = -Infinity;
    for (const { reject } of this.#waiting.splice(0)) reject(new LoopscopeError({ code, message }));
    this.#disconnect(code, message);
  }

  /** Sends a request. It waits until the page is ready. */
  request(type, fields = {}) {
    return new Promise((resolve, reject) => {
      const id = (this.#last += 1);
      const post = () => {
        this.#calls.set(id, { resolve, reject });
        const message = { ...fields, id, type };
        try {
          try {
            this.#port.postMessage(message);
          } catch {
            this.#port.postMessage(plain(message));
          }
        } catch (error) {
          // A value that the browser cannot clone is no request.
          this.#calls.delete(id);
          reject(new LoopscopeError({ code: "bad-input", message: String(error) }));
        }
      };
      if (this.#isReady) post();
      else {
        this.#waiting.push({ post, reject });
        if (this.isConnected && !this.#frame) this.open();
      }
    });
  }
}

for (const [name, names] of Object.entries(METHODS)) {
  const type = name === "focusPanel" ? "focus" : name;
  LoopScope.prototype[name] = async function (...given) {
    const fields = {};
    names.forEach((field, place) => {
      if (given[place] === undefined) return;
      if (field === "options") Object.assign(fields, given[place]);
      else fields[field] = given[place];
    });
    const ok = await this.request(type, fields);
    return type === "getState" ? ok.state : ok;
  };
}

// Attributes and properties agree, as frameworks expect.
for (const name of LoopScope.observedAttributes) {
  if (name in LoopScope.prototype && name !== "hidden") continue;
  Object.defineProperty(LoopScope.prototype, name, {
    configurable: true,
    enumerable: true,
    get() {
      if (SWITCHES.has(name)) return this.hasAttribute(name) && this.getAttribute(name) !== "false";
      return this.getAttribute(name) ?? (name === "loading" ? "lazy" : "");
    },
    set(value) {
      // Without the attribute `autoplay` time passes, so that `false` has to be written down.
      if (value === null || value === undefined || (value === false && name !== "autoplay")) this.removeAttribute(name);
      else this.setAttribute(name, value === true ? "" : Array.isArray(value) ? value.join(",") : typeof value === "object" ? JSON.stringify(value) : value);
    },
  });
}

if (globalThis.customElements && !customElements.get("loop-scope")) customElements.define("loop-scope", LoopScope);
