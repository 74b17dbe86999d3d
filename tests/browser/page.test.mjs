// The page as a visitor and a host page meet it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startBrowser } from "./browser.mjs";
import { PLAIN } from "./run.mjs";
import { startServer } from "./server.mjs";
import { accessibilityProblems, complaintsOf } from "./watch.mjs";

const STRICT_POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; " +
  "img-src 'self' data:; connect-src 'self'; font-src 'self'";

const sandboxed = `<!DOCTYPE html><html lang="en"><title>host</title><link rel="icon" href="data:,">
<iframe sandbox="allow-scripts" src="/some/sub/path/" title="Loopscope" width="320" height="480"></iframe></html>`;

let browser;
let server;

before(async () => {
  server = await startServer({ "/sandboxed-host": sandboxed });
  browser = await startBrowser();
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

async function withPage(options, body) {
  const context = await browser.newContext(options);
  try {
    const page = await context.newPage();
    await body(page, complaintsOf(page));
  } finally {
    await context.close();
  }
}

const heading = (place) => place.getByRole("heading", { name: "Loopscope", level: 1 });

test("the page starts under its strict policy without a complaint", async () => {
  await withPage({}, async (page, complaints) => {
    await page.goto(server.url);
    await heading(page).waitFor();
    const policy = page.locator('meta[http-equiv="Content-Security-Policy"]');
    assert.equal(await policy.getAttribute("content"), STRICT_POLICY);
    assert.deepEqual(complaints, []);
  });
});

test("the policy is in force: an inline script is refused and noticed", async () => {
  await withPage({}, async (page, complaints) => {
    await page.goto(server.url);
    await heading(page).waitFor();
    await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "globalThis.inlineScriptRan = true";
      document.body.append(script);
    });
    assert.equal(await page.evaluate(() => globalThis.inlineScriptRan), undefined);
    await assert.doesNotReject(untilTrue(() => complaints.some((line) => line.includes("Content Security Policy"))));
  });
});

test("every file has a hashed name and a digest, and the engine is one of them", async () => {
  await withPage({}, async (page, complaints) => {
    const asked = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(server.url + PLAIN);
    await page.getByText("converged for").waitFor();
    await page.locator(".cm-content").waitFor();
    const named = await page.locator("link[href], script[src]").evaluateAll((all) =>
      all.map((one) => [new URL(one.href || one.src).pathname, one.integrity || one.dataset.integrity]));
    for (const [path, digest] of named) {
      assert.match(path, /-[0-9a-f]{12,16}(_bg)?\.(css|js|svg|txt|wasm)$/);
      assert.match(digest, /^sha384-/, path);
    }
    const unnamed = asked.filter((path) => path !== "/" && !named.some(([known]) => known === path));
    assert.deepEqual(unnamed, []);
    assert.equal(asked.filter((path) => path.endsWith(".wasm")).length, 1);
    assert.deepEqual(complaints, []);
  });
});

for (const [what, files, more] of [
  // An empty custom section: the file stays a valid module.
  ["an engine", "**/*.wasm", Buffer.from([0, 1, 0])],
  ["a script", "**/loopscope-app-*.js", Buffer.from("\n")],
]) {
  test(`${what} other than the one that the page was built with is refused`, async () => {
    await withPage({}, async (page) => {
      await page.route(files, async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, body: Buffer.concat([await response.body(), more]) });
      });
      await page.goto(server.url);
      await page.getByRole("heading", { name: "Loopscope could not start" }).waitFor();
    });
  });
}

for (const compress of [undefined, "gzip"]) {
  test(`on a slow line a bar shows how much of the engine has come, ${compress ? "compressed" : "as it is"}`, async (t) => {
    const host = await startServer({}, { compress });
    t.after(() => host.stop());
    await withPage({}, async (page, complaints) => {
      const session = await page.context().newCDPSession(page);
      await session.send("Network.enable");
      const downloadThroughput = compress ? 300_000 : 900_000;
      await session.send("Network.emulateNetworkConditions", { offline: false, latency: 20, downloadThroughput, uploadThroughput: -1 });
      await page.addInitScript(() => {
        globalThis.seen = [];
        const note = (records) => {
          const bars = records.map(({ target }) => target).filter((target) => target.localName === "progress");
          globalThis.seen.push(...bars.map((bar) => bar.getAttribute("value") / bar.max));
        };
        new MutationObserver(note).observe(document, { subtree: true, attributeFilter: ["value"] });
      });
      await page.goto(host.url, { waitUntil: "domcontentloaded" });
      await page.getByRole("progressbar", { name: "Loading the engine" }).waitFor();
      await heading(page).waitFor();
      const seen = await page.evaluate(() => globalThis.seen);
      assert.ok(new Set(seen).size > 5, `it stood still: ${seen}`);
      assert.deepEqual(seen, seen.toSorted((a, b) => a - b));
      assert.equal(seen.at(-1), 1);
      assert.deepEqual(complaints, []);
    });
  });
}

test("the page starts from a sub-path inside a sandboxed iframe", async () => {
  await withPage({}, async (page, complaints) => {
    await page.goto(`${server.url}sandboxed-host`);
    await heading(page.frameLocator("iframe")).waitFor();
    assert.deepEqual(complaints, []);
  });
});

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing wrong in the ${colorScheme} theme`, async () => {
    await withPage({ colorScheme }, async (page) => {
      await page.goto(server.url);
      await heading(page).waitFor();
      assert.deepEqual(await accessibilityProblems(page), []);
    });
  });
}

test("the first drawing has everything in its place", async () => {
  const boxes = (page) => page.evaluate(() =>
    Array.from(document.querySelectorAll(".bar, .pane, nav"), (one) => JSON.stringify(one.getBoundingClientRect())));
  for (const viewport of [{ width: 1440, height: 900 }, { width: 1024, height: 768 }, { width: 390, height: 844 }]) {
    await withPage({ viewport }, async (page, complaints) => {
      // No frame of the browser reaches the page until it may go on.
      await page.addInitScript(() => {
        const held = [];
        const ask = globalThis.requestAnimationFrame.bind(globalThis);
        globalThis.requestAnimationFrame = (callback) => held.push(callback);
        globalThis.goOn = () => {
          globalThis.requestAnimationFrame = ask;
          held.forEach((callback) => ask(callback));
        };
      });
      await page.goto(`${server.url}${PLAIN}&paused=1`);
      await page.getByRole("article", { name: "Node node-1" }).waitFor();
      for (const pane of [".desired", ".loop", ".drawer"]) assert.notEqual(await page.locator(`${pane} > *`).count(), 0, pane);
      const first = await boxes(page);
      assert.equal(first.length, 6);
      await page.evaluate(() => globalThis.goOn());
      await page.locator(".rings li").first().waitFor({ state: "attached" });
      await page.locator("#time").waitFor({ state: "attached" });
      await page.locator(".desired").filter({ hasText: "kind: ReplicaSet" }).waitFor({ state: "attached" });
      assert.deepEqual(await boxes(page), first);
      assert.deepEqual(complaints, []);
    });
  }
});

test("nothing sticks out sideways at 320 pixels", async () => {
  await withPage({ viewport: { width: 320, height: 640 } }, async (page) => {
    await page.goto(server.url);
    await heading(page).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
  });
});

/** Console messages arrive a little after what caused them. */
async function untilTrue(condition) {
  for (let tries = 0; tries < 100; tries += 1) {
    if (condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("waited two seconds in vain");
}
