// Lets the page open without a network after the first visit. It never serves an old page after a new one is published: it fetches a file with a
// stable name every time, and uses the copy only if the network fails. Files with a hash in their name never change, so their copies are used at once.
//
// static/boot.js registers it where that is allowed. It serves only the files of its own folder, so it does not affect versions in other folders.

const scope = new URL("./", self.location.href).href;
const store = `loopscope ${scope}`;
const index = `${scope}index.html`;
const STABLE = ["index.html", "embed.html", "embed-page.js", "embed-page.css", "loop-scope.js", "embed-contract.json", "oembed.json", "engine.js", "loopscope-lms.js"];

/** The hashed files that the page names. */
const filesOf = (html) => [...html.matchAll(/(?:href|src)="\.?\/?([\w.-]+-[0-9a-f]{8,}(?:_bg)?\.\w+)"/g)].map(([, name]) => scope + name);

/** Keeps the page with all its files, and drops those that only an earlier page had. */
async function keep(response) {
  const html = await response.clone().text();
  const cache = await caches.open(store);
  const files = new Set(filesOf(html));
  if (files.size === 0) return;
  const kept = new Set((await cache.keys()).map(({ url }) => url));
  await Promise.all([...files].filter((url) => !kept.has(url)).map((url) => cache.add(new Request(url, { mode: "cors", credentials: "omit", cache: "force-cache" }))));
  await cache.put(index, new Response(html, { headers: response.headers }));
  const isOld = (url) => url.startsWith(scope) && isHashed(nameOf(url)) && !files.has(url);
  await Promise.all([...kept].filter(isOld).map((url) => cache.delete(url)));
}

/** Returns the name of a file of this folder; `undefined` for other addresses. */
function nameOf(url) {
  const path = url.split(/[?#]/)[0];
  const name = path.startsWith(scope) ? path.slice(scope.length) : undefined;
  return name === undefined || name.includes("/") ? undefined : name || "index.html";
}

const isHashed = (name) => /-[0-9a-f]{8,}(_bg)?\.\w+$/.test(name ?? "");

async function fromNetwork(request, name, wait) {
  const cache = await caches.open(store);
  const key = scope + name;
  try {
    const response = await fetch(request.mode === "navigate" ? request.url : request, { cache: "no-cache" });
    if (response.redirected) return Response.redirect(response.url);
    if (response.ok) wait(name === "index.html" ? keep(response.clone()) : cache.put(key, response.clone()));
    return response;
  } catch (error) {
    return (await cache.match(key)) ?? Promise.reject(error);
  }
}

async function fromStore(request) {
  const cache = await caches.open(store);
  return (await cache.match(request.url)) ?? fetch(request);
}

self.addEventListener("install", (event) => {
  event.waitUntil(fetch(index, { cache: "no-cache" }).then(keep).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const name = nameOf(request.url);
  if (request.method !== "GET" || name === undefined) return;
  if (isHashed(name)) event.respondWith(fromStore(request));
  else if (STABLE.includes(name)) event.respondWith(fromNetwork(request, name, (work) => event.waitUntil(work.catch(() => {}))));
});
