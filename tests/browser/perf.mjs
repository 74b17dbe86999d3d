// How heavy the page is, as ratios, so that the machine matters little: `make perf`. Each line says what was measured and what it may be at most.
// Smaller clusters for a quick look: PERF_NODES=500 node tests/browser/perf.mjs. Names of measures as arguments run only those.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { startBrowser } from "./browser.mjs";
import { startServer } from "./server.mjs";

const NODES = Number(process.env.PERF_NODES ?? 5_000);
const PODS_PER_NODE = 30;
const PATIENCE = 30 * 60_000;
const target = new URL("../../target/", import.meta.url);

const wanted = process.argv.slice(2);
const measures = { rest: atRest, embeds: fiveEmbeds, frame: workPerFrame, roll: longTasks, typing: keyToPaint, start: firstConvergence };
const host = { "/host": `<!DOCTYPE html><html lang="en"><title>Host</title>${'<iframe src="/?embed=1&panels=cluster&speed=1" title="Loopscope" width="400" height="300"></iframe>'.repeat(5)}</html>` };
const server = await startServer(host);
const browser = await startBrowser();
let missed = 0;

function report(what, value, most) {
  if (value > most) missed += 1;
  console.log(`${what}: ${value.toFixed(2)} (at most ${most})${value > most ? " MISSED" : ""}`);
}

const deployment = (name, replicas, image = "nginx:1.25") =>
  `{apiVersion: apps/v1, kind: Deployment, metadata: {name: ${name}}, spec: {replicas: ${replicas}, selector: {matchLabels: {app: ${name}}}, ` +
  `template: {metadata: {labels: {app: ${name}}}, spec: {containers: [{name: c, image: "${image}"}]}}}}`;

/** Opens the page with parameters, or another one, and lets `body` use it. */
async function visit(parameters, body, before = () => {}, address = `${server.url}?${new URLSearchParams({ layout: "inspect", ...parameters })}`) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  try {
    const page = await context.newPage();
    await page.addInitScript(before);
    await page.goto(address);
    return await body(page);
  } finally {
    await context.close();
  }
}

const converged = (page) => page.getByText("converged for").waitFor({ timeout: PATIENCE });
const button = (page, name) => page.getByRole("button", { name, exact: true });

/** As fast as it can until desired and actual agree. */
async function runUntilConverged(page) {
  await button(page, "Run until converged").click();
  await button(page, "Play").waitFor({ timeout: PATIENCE });
  await converged(page);
}

/** CPU of the main thread while a converged cluster is looked at, at real time, in hundredths of the time that passes. */
async function atRest() {
  await visit({}, async (page) => {
    await converged(page);
    await page.waitForTimeout(3_000);
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    const busy = async () => (await session.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration").value;
    const before = await busy();
    await page.waitForTimeout(20_000);
    report("main thread at rest, in percent", ((await busy()) - before) * 100 / 20, 3);
  });
}

/** The same for five embeds on one page, all in sight, together: frames of one site share a thread. */
async function fiveEmbeds() {
  await visit({}, async (page) => {
    for (const frame of page.frames().slice(1)) await frame.getByText("converged for").first().waitFor({ timeout: PATIENCE });
    await page.waitForTimeout(3_000);
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    const busy = async () => (await session.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration").value;
    const before = await busy();
    await page.waitForTimeout(20_000);
    report("main thread with five embeds at rest, in percent", ((await busy()) - before) * 100 / 20, 5);
  }, undefined, `${server.url}host`);
}

/** The same from inside the page: asking it again and again from here would be work of its own. */
const rollOut = (page) =>
  page.evaluate(() => new Promise((done) => {
    const press = (name) => [...document.querySelectorAll("button")].find((one) => one.textContent === name).click();
    const play = document.querySelector(".play");
    const paused = new MutationObserver(() => {
      if (play.textContent !== "Play") return;
      paused.disconnect();
      // What the last task did is known a little later.
      setTimeout(() => done(globalThis.longTasks), 500);
    });
    press("Apply");
    setTimeout(() => {
      press("Run until converged");
      setTimeout(() => paused.observe(play, { childList: true, subtree: true, characterData: true }));
    }, 200);
  }));

/** Milliseconds of main-thread work for one frame, while time passes for a while. */
async function frameWork(page, frames = 240) {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const busy = async () => (await session.send("Performance.getMetrics")).metrics.find((m) => m.name === "TaskDuration").value;
  const pass = (count) =>
    page.evaluate((count) => new Promise((done) => {
      const next = () => (count-- > 0 ? requestAnimationFrame(next) : done());
      next();
    }), count);
  await pass(60);
  const from = await busy();
  await pass(frames);
  return ((await busy()) - from) * 1000 / frames;
}

/** A large cluster may not cost more for each frame than a small one, but for what changes in it. */
async function workPerFrame() {
  const settled = async (page) => {
    await runUntilConverged(page);
    await page.getByLabel("Speed").selectOption("1×");
    await button(page, "Play").click();
    return frameWork(page);
  };
  const small = await visit({ nodes: 10 }, settled);
  const count = Math.max(1, Math.round(NODES * PODS_PER_NODE / 1_000));
  const manifest = Array.from({ length: count }, (_, i) => deployment(`web-${i}`, 1_000)).join("\n---\n");
  const began = performance.now();
  const large = await visit({ nodes: NODES, manifest }, settled);
  console.log(`  ${NODES} nodes and ${count * 1_000} pods converged and measured after ${Math.round((performance.now() - began) / 1_000)} s`);
  console.log(`  work per frame: ${small.toFixed(2)} ms with 10 nodes, ${large.toFixed(2)} ms`);
  report("work per frame, large over small", large / small, 3);
}

/** While a thousand replicas roll, no task holds the page for longer than 50 ms. */
async function longTasks() {
  const watch = () => {
    globalThis.longTasks = [];
    new PerformanceObserver((list) => globalThis.longTasks.push(...list.getEntries().map((e) => e.duration))).observe({ type: "longtask" });
  };
  const tasks = await visit({ nodes: 34, speed: "10", manifest: deployment("web", 1_000) }, async (page) => {
    await runUntilConverged(page);
    await page.locator(".cm-content").fill(deployment("web", 1_000, "nginx:1.26"));
    await page.waitForTimeout(1_000);
    await page.evaluate(() => { globalThis.longTasks = []; });
    return rollOut(page);
  }, watch);
  if (tasks.length > 0) console.log(`  the longest: ${tasks.sort((a, b) => b - a).slice(0, 5).map((t) => `${Math.round(t)} ms`).join(", ")}`);
  report("tasks over 50 ms while 1,000 replicas roll", tasks.length, 0);
}

/** The time from a key to its painted character hardly grows when the engine runs as fast as it can. */
async function keyToPaint() {
  const presses = async (page) => {
    const editor = page.locator(".cm-content");
    await editor.focus();
    await page.keyboard.press("Control+End");
    await page.evaluate(() => {
      globalThis.latencies = [];
      addEventListener("keydown", (event) => {
        requestAnimationFrame(() => {
          const channel = new MessageChannel();
          channel.port1.onmessage = () => globalThis.latencies.push(performance.now() - event.timeStamp);
          channel.port2.postMessage(0);
        });
      }, { capture: true });
    });
    for (let i = 0; i < 60; i += 1) {
      await page.keyboard.press("x");
      await page.waitForTimeout(20 + (i * 7) % 30);
    }
    const all = await page.evaluate(() => globalThis.latencies.sort((a, b) => a - b));
    return all[Math.floor(all.length / 2)];
  };
  const measure = (parameters) => visit(parameters, async (page) => {
    await page.waitForTimeout(1_500);
    return presses(page);
  });
  const manifest = deployment("web", 300);
  const still = await measure({ nodes: 20, paused: 1, manifest });
  const running = await measure({ nodes: 20, speed: 1000, manifest });
  console.log(`  key to paint: ${still.toFixed(1)} ms paused, ${running.toFixed(1)} ms at full speed`);
  report("key to paint, full speed over paused", running / still, 1.5);
}

/** On a line of 10 Mbit/s, without anything cached, a first Deployment has converged soon. A page that does nothing at all is opened beside it in the same way. */
async function firstConvergence() {
  const [slow, hello] = [await startServer({}, { compress: "br" }), await startServer({}, { root: helloWorld(), compress: "br" })];
  const opened = async (address, text) => {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    try {
      const page = await context.newPage();
      await page.addInitScript((text) => {
        new MutationObserver(() => {
          if (!globalThis.shownAt && document.body?.textContent.includes(text)) globalThis.shownAt = performance.now();
        }).observe(document, { childList: true, subtree: true, characterData: true });
      }, text);
      const session = await context.newCDPSession(page);
      await session.send("Network.enable");
      await session.send("Network.emulateNetworkConditions", { offline: false, latency: 20, downloadThroughput: 10e6 / 8, uploadThroughput: 10e6 / 8 });
      await page.goto(address);
      await page.getByText(text).first().waitFor();
      return await page.evaluate(() => globalThis.shownAt);
    } finally {
      await context.close();
    }
  };
  const samples = { page: [], hello: [] };
  // The first visit makes the servers compress their files, and does not count.
  for (let i = 0; i < 6; i += 1) {
    const first = new URLSearchParams({ layout: "inspect", speed: 1000, manifest: deployment("web", 3) });
    const [page, plain] = [await opened(`${slow.url}?${first}`, "converged for"), await opened(hello.url, "Hello")];
    if (i > 0) samples.page.push(page), samples.hello.push(plain);
  }
  await Promise.all([slow.stop(), hello.stop()]);
  const median = (all) => all.sort((a, b) => a - b)[Math.floor(all.length / 2)];
  const [page, plain] = [median(samples.page), median(samples.hello)];
  console.log(`  on 10 Mbit/s converged after ${Math.round(page)} ms, hello world shown after ${Math.round(plain)} ms`);
  report("seconds to the first converged Deployment on 10 Mbit/s", page / 1_000, 2.5);
}

/** Builds a page that only greets, with the same Yew, and says where it is. */
function helloWorld() {
  const folder = new URL("hello/", target);
  mkdirSync(new URL("src/", folder), { recursive: true });
  const files = {
    "Cargo.toml": `[package]\nname = "hello"\nversion = "0.0.0"\nedition = "2024"\n\n[workspace]\n\n[dependencies]\nyew = { version = "0.23.0", features = ["csr"] }\nwasm-bindgen = "=0.2.129"\n\n[profile.release]\nopt-level = "z"\nlto = "fat"\ncodegen-units = 1\n`,
    "src/main.rs": `use yew::{Html, component, html};\n\n#[component]\nfn App() -> Html {\n    html! { <p>{ "Hello" }</p> }\n}\n\nfn main() {\n    yew::Renderer::<App>::new().render();\n}\n`,
    "index.html": `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Hello</title><link data-trunk rel="rust" data-wasm-opt="0"></head><body></body></html>\n`,
    "Trunk.toml": `[build]\noffline = true\npublic_url = "./"\nno_sri = true\nfilehash = false\n`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(new URL(name, folder), text);
  execFileSync("trunk", ["build", "--release"], { cwd: fileURLToPath(folder), stdio: "ignore" });
  return new URL("dist/", folder);
}

try {
  for (const [name, measure] of Object.entries(measures)) {
    if (wanted.length === 0 || wanted.includes(name)) await measure();
  }
} finally {
  await browser.close();
  await server.stop();
}
if (missed > 0) {
  console.log(`${missed} above what they may be`);
  process.exitCode = 1;
}
