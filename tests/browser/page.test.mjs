// The page as a visitor and a host page meet it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startBrowser } from "./browser.mjs";
import { startServer } from "./server.mjs";
import { accessibilityProblems, complaintsOf } from "./watch.mjs";

const STRICT_POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; " +
  "img-src 'self' data:; connect-src 'self'; font-src 'self'";

const sandboxed = `<!DOCTYPE html><html lang="en"><title>host</title><link rel="icon" href="/favicon.svg">
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

const SECOND = "**/loopscope-later.wasm";

test("a first object converges before the second file of the engine is there", async () => {
  await withPage({}, async (page, complaints) => {
    let release;
    const released = new Promise((done) => (release = done));
    await page.route(SECOND, (route) => released.then(() => route.continue()));
    await page.goto(`${server.url}?speed=1000`);
    await page.getByText("converged for").waitFor();
    release();
    await runs(page, "kubectl get nodes");
    assert.deepEqual(complaints, []);
  });
});

test("a second file that does not come is asked for again when it is needed", async () => {
  await withPage({}, async (page) => {
    let asked = 0;
    await page.route(SECOND, (route) => (++asked === 1 ? route.abort() : route.continue()));
    await page.goto(server.url);
    await page.getByText("converged for").waitFor();
    await runs(page, "kubectl get nodes");
    assert.equal(asked, 2);
    assert.equal(await page.getByText("The engine stopped").count(), 0);
  });
});

/** Types a command that answers with the nodes. */
async function runs(page, command) {
  await page.getByRole("tab", { name: "Terminal" }).click();
  await page.getByRole("textbox", { name: "Command" }).fill(command);
  await page.keyboard.press("Enter");
  await page.locator(".terminal").getByText("Ready").first().waitFor();
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

test("what is drawn first stays in its place when the rest comes", async () => {
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
      await page.goto(`${server.url}?paused=1`);
      await page.getByRole("article", { name: "Node node-1" }).waitFor();
      assert.equal(await page.locator(".desired > *, .loop > *, .drawer > *").count(), 0);
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
