// Starts the page, and starts it again should its engine ever stop. It is a file of its own because the page's Content-Security-Policy allows no
// inline script. What the engine cannot do itself (storage, links, files, the clipboard) it asks for here: src/ui/host.rs names the same functions.

const LONGEST = 1_000_000;

// A built page has its engine in two files: the first shows the page, the second has the rest and comes right after it.
const ENGINE = new URL("loopscope-app_bg.wasm", import.meta.url);
const REST = new URL("loopscope-later.wasm", import.meta.url);

async function compiled(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url.pathname}: ${answer.status}`);
  const isNamed = answer.headers.get("Content-Type")?.startsWith("application/wasm");
  return isNamed ? WebAssembly.compileStreaming(answer) : WebAssembly.compile(await answer.arrayBuffer());
}

// Both are on their way while the page is read. What goes wrong is told where they are waited for.
const engine = compiled(ENGINE);
const glue = import("./loopscope-app.js");
engine.catch(() => {});
glue.catch(() => {});

// The script does not wait for the rest of the page, which is short.
if (document.readyState === "loading") await new Promise((read) => document.addEventListener("DOMContentLoaded", read, { once: true }));
const root = document.documentElement;
const skeleton = document.body.cloneNode(true);
const asked = new URLSearchParams(location.search);

// Storage throws where it is not allowed, as in a sandboxed frame. Then memory has to do.
const memory = new Map();
const store = {
  get(key) {
    try {
      return localStorage.getItem(`loopscope.${key}`) ?? "";
    } catch {
      return memory.get(key) ?? "";
    }
  },
  set(key, value) {
    memory.set(key, value);
    try {
      localStorage.setItem(`loopscope.${key}`, value);
    } catch {
      // In memory it is, for as long as the page is open.
    }
  },
};

const found = { state: "", notice: "", saved: store.get("run") };
let kept = "";
let saving = 0;
let opened = () => {};

globalThis.loopscopePage = {
  /** What the engine finds when it starts: a state to begin with, something to say, what an earlier visit left. */
  found: (what) => found[what],
  /** Remembers a run in case the engine stops; `lasting` also for the next visit, a little later, as it may soon change again. */
  keep(text, lasting) {
    kept = text;
    if (!lasting) return;
    clearTimeout(saving);
    saving = setTimeout(() => store.set("run", text), 400);
  },
  preference: (name) => root.dataset[name] ?? "",
  prefer(name, value) {
    root.dataset[name] = value;
    store.set(name, value);
  },
  pack(text, done) {
    pack(text).then((payload) => done(`${location.href.split("#")[0]}#s=${payload}`), () => done(""));
  },
  copy(text, done) {
    Promise.resolve().then(() => navigator.clipboard.writeText(text)).then(() => done(true), () => done(false));
  },
  download(text) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.download = "loopscope.json";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  },
  read(input, done) {
    const file = input.files?.[0];
    if (!file) return;
    if (file.size > LONGEST) done("", "it is longer than 1 MB");
    else file.text().then((text) => done(text, ""), (error) => done("", String(error)));
  },
  /** Who is told of a link that is opened in the running page. */
  listen(callback) {
    opened = callback;
  },
  /** The engine's last words. */
  stopped(words) {
    lastWords = words;
    console.error(words);
  },
};

// The editor proper is a file of its own, fetched after the first paint; where it does not come, the plain text box stays.
globalThis.loopscope = {
  editor(host, text, tell, ask, ready) {
    const fetched = () => import("./editor.js").then(({ connect }) => connect && ready(connect(host, text, tell, ask)), () => {});
    requestAnimationFrame(() => setTimeout(fetched));
  },
};

async function pack(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpack(payload) {
  const binary = atob(payload.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    length += value.length;
    if (length > LONGEST) {
      reader.cancel().catch(() => {});
      throw new Error("it is longer than 1 MB when it is unpacked");
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** The state in the page's address: nothing, a text, or why it cannot be had. */
async function linked() {
  const payload = /^#s=(.*)$/.exec(location.hash)?.[1];
  if (payload === undefined) return undefined;
  try {
    return { text: await unpack(payload), error: "" };
  } catch (error) {
    return { text: "", error: error instanceof Error && error.message.startsWith("it is") ? error.message : "it is damaged or cut off" };
  }
}

addEventListener("hashchange", async () => {
  const link = await linked();
  if (link) opened(link.text, link.error);
});

let lastWords = "";
let lives = 0;
let recovered = "";
let lastStart = 0;
let quick = 0;

/** The engine's functions, each of which is watched: an error that comes out of one has left the engine in pieces, and none may run again. */
function watched(exports, life) {
  const all = {};
  for (const [name, value] of Object.entries(exports)) {
    if (name.startsWith("$")) continue;
    all[name] = typeof value !== "function" ? value : (...given) => {
      if (life.over) return undefined;
      life.depth += 1;
      try {
        return value(...given);
      } catch (error) {
        end(life, error);
        if (life.depth > 1) throw error;
        return undefined;
      } finally {
        life.depth -= 1;
      }
    };
  }
  return all;
}

let rest;

/** The first file has come to what only the second has: it waits for it here. */
function getNow(given) {
  if (!rest) {
    const request = new XMLHttpRequest();
    request.open("GET", REST, false);
    request.overrideMimeType("text/plain; charset=x-user-defined");
    request.send();
    if (request.status !== 200) throw new Error(`${REST.pathname}: ${request.status}`);
    rest = new WebAssembly.Module(Uint8Array.from(request.responseText, (letter) => letter.charCodeAt(0)));
  }
  new WebAssembly.Instance(rest, { "-": given.exports });
}

async function getSoon(given) {
  rest ??= await compiled(REST);
  await WebAssembly.instantiate(rest, { "-": given.exports });
}

async function start() {
  const life = { over: false, depth: 0 };
  const given = { exports: {} };
  lastStart = performance.now();
  const { default: init } = await (lives === 0 ? glue : import(`./loopscope-app.js?again=${lives}`));
  const { instantiate } = WebAssembly;
  // The glue has no other place where its wasm could be made to be watched.
  WebAssembly.instantiate = async (module, imports) => {
    given.exports = (await instantiate(module, { ...imports, later: { get: () => getNow(given) } })).exports;
    return { module, instance: { exports: watched(given.exports, life) } };
  };
  try {
    await init({ module_or_path: await engine });
  } finally {
    WebAssembly.instantiate = instantiate;
  }
  // Only an engine in two files gives its memory to the other. Should that not come now, it is asked for again when it is needed.
  if ("$20" in given.exports) getSoon(given).catch(() => {});
}

function end(life, error) {
  if (life.over) return;
  life.over = true;
  console.error("The engine stopped.", error);
  const words = lastWords || String(error);
  lastWords = "";
  setTimeout(() => again(words.split("\n")[0].slice(0, 300)), 0);
}

/** Starts a fresh engine from what was kept. What stops it twice in a row is left out. */
async function again(why) {
  quick = performance.now() - lastStart < 3_000 ? quick + 1 : 0;
  if (quick > 4) return fail(why);
  let without = "";
  let count = 0;
  if (kept) {
    const state = JSON.parse(kept);
    if (JSON.stringify(state.commands) === recovered && state.commands.length > 0) {
      state.commands.pop();
      without = " The last one is left out, as it led to the error again.";
    }
    recovered = JSON.stringify(state.commands);
    count = state.commands.length;
    kept = JSON.stringify(state);
  }
  Object.assign(found, { state: kept, saved: "" });
  const commands = `${count} recorded command${count === 1 ? "" : "s"}`;
  found.notice = `The engine stopped by an error of its own (${why}). It was started again from your ${commands}.${without}`;
  lives += 1;
  document.body.replaceWith(skeleton.cloneNode(true));
  await start().catch(fail);
}

function fail(error) {
  document.body.replaceWith(skeleton.cloneNode(true));
  document.querySelector("#loading svg")?.remove();
  document.querySelector("#loading h1").textContent = "Loopscope could not start";
  const notice = document.querySelector("#loading p");
  notice.setAttribute("role", "alert");
  notice.textContent = `It needs a browser with WebAssembly and all of its files. Try to load the page again. (${error})`;
}

for (const name of ["theme", "motion", "keys"]) {
  const wanted = (name === "keys" ? null : asked.get(name)) ?? store.get(name);
  if (/^[a-z]+$/.test(wanted)) root.dataset[name] = wanted;
}
const link = await linked();
if (link?.error) found.notice = `This link cannot be opened: ${link.error}.`;
else if (link) found.state = link.text;
await start().catch(fail);
