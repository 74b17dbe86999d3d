// Loads the page's engine and shows its progress; starts a fresh engine if it ever stops. It is a file of its own because the page's
// Content-Security-Policy allows no inline script. Its counterpart in the engine is src/ui/browser/recovery.rs.

// The build writes the names of the files into the page, with their digests.
const glueLink = document.querySelector('link[rel="modulepreload"]');
const wasmLink = document.querySelector('link[rel="preload"][as="fetch"]');
const contentLink = document.querySelector('link[rel="content"]');
const editorLink = document.querySelector('link[rel="editor"]');

/** Fetches the engine, shows the progress, and compiles it meanwhile. */
async function fetchEngine() {
  const response = await fetch(wasmLink.href);
  if (!response.ok) throw new Error(`${wasmLink.href}: ${response.status}`);
  const isNamed = response.headers.get("Content-Type")?.startsWith("application/wasm");
  const streamed = isNamed ? WebAssembly.compileStreaming(response.clone()) : undefined;
  streamed?.catch(() => {});
  const bytes = await received(response, document.querySelector("#loading progress"));
  await compareDigest(bytes);
  return streamed ?? WebAssembly.compile(bytes);
}

/** Reads a response to its end and moves the progress bar. The build has set the bar's `max`: a Content-Length would be of the compressed file. */
async function received(response, bar) {
  const reader = response.body.getReader();
  const chunks = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Blob(chunks).arrayBuffer();
    chunks.push(value);
    length += value.length;
    if (bar?.hasAttribute("max")) bar.value = length;
  }
}

/** Compares the engine's digest here, because `fetch` with `integrity` would say nothing before the last byte. Browsers have `crypto.subtle` only over https. */
async function compareDigest(bytes) {
  const expected = wasmLink.dataset.integrity || wasmLink.integrity;
  if (!expected || !crypto.subtle) return;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-384", bytes));
  if (`sha384-${btoa(String.fromCharCode(...digest))}` !== expected) throw new Error(`${wasmLink.href} is not the file that this page was built with`);
}

/** Imports a module; the browser checks its digest. */
function importChecked(href, { integrity }) {
  const link = Object.assign(document.createElement("link"), { rel: "modulepreload", href, integrity, crossOrigin: "anonymous" });
  document.head.append(link);
  return import(link.href);
}

/** Fetches the texts of static/content. A build without Node has them under a plain name. */
async function fetchContent() {
  const response = await (contentLink ? fetch(contentLink.href, { integrity: contentLink.integrity }) : fetch("content.txt", { cache: "no-cache" }));
  if (!response.ok) throw new Error(`${response.url}: ${response.status}`);
  return response.text();
}

// All are fetched while the browser parses the page. An error shows where the result is awaited.
const engine = fetchEngine();
const content = fetchContent();
// A module whose preload has failed already is fetched again by `import`, and then nobody compares its digest: so it is compared here as well.
const glue = Promise.all([import(glueLink.href), fetch(glueLink.href, { integrity: glueLink.integrity })]).then(([module]) => module);
engine.catch(() => {});
content.catch(() => {});
glue.catch(() => {});

const root = document.documentElement;
const skeleton = document.body.cloneNode(true);

// The storage for what the page keeps between visits: an embed has none, unless its address asks for it (src/embed/parameters.rs).
const parameters = new URLSearchParams(location.search);
const isEmbed = parameters.has("embed") && !["0", "false"].includes(parameters.get("embed"));
const persist = parameters.get("persist") ?? (isEmbed ? "none" : "local");

// A person's theme applies before the engine has loaded, so that the page does not flash. The engine reads it from the root element.
for (const name of ["theme", "motion", "size"]) {
  const wanted = parameters.get(name) ?? stored(name);
  if (/^[a-z]+$/.test(wanted)) root.dataset[name] = wanted;
}

function stored(name) {
  try {
    const storage = { local: () => localStorage, session: () => sessionStorage }[persist]?.();
    return storage?.getItem(`loopscope.${name}`) ?? "";
  } catch {
    // A sandboxed frame has no storage.
    return "";
  }
}

/** The texts of static/content, once they are fetched. */
let contentText = "";
/** The share state of the run that the engine kept last, as text. */
let run = "";
/** The run and the notice for a new engine after the last one has stopped. */
let kept = {};
/** The message of the panic that is stopping the engine. */
let panicWords = "";
let starts = 0;
let startedAt = 0;
let stopsInARow = 0;
/** The commands from which the engine was last restarted. */
let recovered = "";

globalThis.loopscopePage = {
  /** Returns the texts of static/content. */
  content: () => contentText,
  /** Returns `{ state, notice }` for an engine that starts after a stop. */
  kept: () => kept,
  /** Keeps a run, in case the engine stops. */
  keep(text) {
    run = text;
  },
  /** Takes the message of a panic. */
  stopped(words) {
    panicWords = words;
  },
};

globalThis.loopscope = {
  /** Puts the editor into `host`, after the first paint. It is a file of its own; if it cannot be fetched, the plain text box stays. */
  editor(host, text, tell, ask, ready) {
    if (!editorLink) return;
    const fetched = () => importChecked(editorLink.href, editorLink).then(({ connect }) => ready(connect(host, text, tell, ask)), () => {});
    requestAnimationFrame(() => setTimeout(fetched));
  },
};

/** Wraps the engine's functions: an error that one throws leaves the engine's memory inconsistent, so none of them may run again. */
function watched(exports, engine) {
  const all = {};
  for (const [name, value] of Object.entries(exports)) {
    all[name] = typeof value !== "function" ? value : (...given) => {
      if (engine.isOver) return undefined;
      engine.depth += 1;
      try {
        return value(...given);
      } catch (error) {
        stop(engine, error);
        if (engine.depth > 1) throw error;
        return undefined;
      } finally {
        engine.depth -= 1;
      }
    };
  }
  return all;
}

async function start() {
  const state = { isOver: false, depth: 0 };
  startedAt = performance.now();
  const glueModule = await (starts === 0 ? glue : importChecked(`${glueLink.href}?again=${starts}`, glueLink));
  contentText = await content;
  const { instantiate } = WebAssembly;
  // The glue of wasm-bindgen has no other place where its wasm could be wrapped.
  WebAssembly.instantiate = async (module, imports) => {
    const { exports } = await instantiate(module, imports);
    return { module, instance: { exports: watched(exports, state) } };
  };
  try {
    await glueModule.default({ module_or_path: await engine });
  } finally {
    WebAssembly.instantiate = instantiate;
  }
  // For tests: stops the engine by a real panic.
  globalThis.loopscopePage.fireDrill = (words) => glueModule.fireDrill(words);
}

function stop(engine, error) {
  if (engine.isOver) return;
  engine.isOver = true;
  console.error("The engine stopped.", error);
  const words = panicWords || String(error);
  panicWords = "";
  setTimeout(() => startAgain(words.slice(0, 300)), 0);
}

/** Starts a fresh engine from the run that was kept. If the last command stops the engine twice in a row, it is left out. */
async function startAgain(words) {
  stopsInARow = performance.now() - startedAt < 3_000 ? stopsInARow + 1 : 0;
  if (stopsInARow > 4) return fail(words);
  let without = "";
  let count = 0;
  if (run) {
    const state = JSON.parse(run);
    if (JSON.stringify(state.commands) === recovered && state.commands.length > 0) {
      state.commands.pop();
      without = " The last one is left out, as it led to the error again.";
    }
    recovered = JSON.stringify(state.commands);
    count = state.commands.length;
    run = JSON.stringify(state);
  }
  const commands = `${count} recorded command${count === 1 ? "" : "s"}`;
  kept = {
    state: run || undefined,
    notice: `The engine stopped by an error of its own (${words}). It was started again from your ${commands}.${without}`,
  };
  starts += 1;
  document.body.replaceWith(skeleton.cloneNode(true));
  await start().catch(fail);
}

function fail(error) {
  document.body.replaceWith(skeleton.cloneNode(true));
  document.querySelector("#loading svg")?.remove();
  document.querySelector("#loading progress")?.remove();
  document.querySelector("#loading h1").textContent = "Loopscope could not start";
  const notice = document.querySelector("#loading p");
  notice.setAttribute("role", "alert");
  notice.textContent = `It needs a browser with WebAssembly and all of its files. Try to load the page again. (${error})`;
}

await start().catch(fail);

// The service worker serves visits without a network. A page with an opaque origin may not have one, and a browser may refuse it as it refuses storage.
if (self.origin !== "null" && isSecureContext && navigator.serviceWorker) {
  const register = () => navigator.serviceWorker.register(new URL("service-worker.js", document.baseURI)).catch(() => {});
  (globalThis.requestIdleCallback ?? setTimeout)(register);
}
