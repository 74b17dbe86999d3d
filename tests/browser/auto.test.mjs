// Time that follows attention: what a person sees on a first visit, and after a pod was deleted, without touching the clock.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startBrowser } from "./browser.mjs";
import { startServer } from "./server.mjs";
import { complaintsOf } from "./watch.mjs";

/** The shortest reading time, in milliseconds, less the length of two frames of a busy machine. */
const LEAST_MS = 1_000 - 100;

let server;
let browser;

before(async () => {
  server = await startServer();
  browser = await startBrowser();
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

/** Notes in every frame which phase of which pass is marked, and whether it really is in sight. */
function watchPhases() {
  globalThis.stood = {};
  let last;
  const look = (now) => {
    const card = document.querySelector(".card.now");
    if (card) {
      const box = card.getBoundingClientRect();
      const hit = document.elementFromPoint(box.x + box.width / 2, box.y + 12);
      const inside = box.top >= 0 && box.bottom <= innerHeight && box.left >= 0 && box.right <= innerWidth;
      const phase = ["observe", "diff", "act"].find((name) => card.classList.contains(name));
      const key = `${document.querySelector(".learn-head h2").textContent} #${card.parentElement.dataset.pass} ${phase}`;
      const entry = (globalThis.stood[key] ??= { ms: 0, unseen: 0, differs: false });
      entry.ms += last === undefined ? 0 : Math.min(now - last, 1_000);
      if (!inside || !card.contains(hit)) entry.unseen += 1;
      entry.differs ||= Boolean(card.parentElement.querySelector(".figures"));
    }
    last = now;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/** All phases of passes with a difference were in sight for long enough. Returns the titles of the passes. */
function assertReadable(stood) {
  const passes = new Set(Object.entries(stood).filter(([, entry]) => entry.differs).map(([key]) => key.replace(/ \w+$/, "")));
  for (const pass of passes) {
    const phases = pass.includes("scheduler") ? ["diff", "act"] : ["observe", "diff", "act"];
    for (const phase of phases) {
      const entry = stood[`${pass} ${phase}`];
      assert.ok(entry, `${pass}: ${phase} was never shown (${JSON.stringify(stood, null, 1)})`);
      assert.ok(entry.ms >= LEAST_MS, `${pass}: ${phase} was shown for ${entry.ms} ms only`);
      assert.equal(entry.unseen, 0, `${pass}: ${phase} was out of sight`);
    }
  }
  return [...passes];
}

for (const viewport of [{ width: 1280, height: 720 }, { width: 1024, height: 768 }]) {
  test(`at ${viewport.width}x${viewport.height} a first visit and a deleted pod can be read phase by phase`, async () => {
    const context = await browser.newContext({ viewport });
    try {
      const page = await context.newPage();
      const complaints = complaintsOf(page);
      await page.addInitScript(watchPhases);
      await page.goto(`${server.url}?layout=learn`);
      await page.getByText("converged for").waitFor({ timeout: 60_000 });
      const visit = await page.evaluate(() => globalThis.stood);
      const first = assertReadable(visit);
      assert.ok(first.some((title) => title.includes("replicaset controller")) && first.some((title) => title.includes("scheduler")), first.join("\n"));

      await page.evaluate(() => {
        globalThis.stood = {};
      });
      const began = Date.now();
      await page.getByRole("button", { name: /^Delete pod/ }).first().click();
      await page.getByText("drifting").first().waitFor();
      await page.getByText("converged for").waitFor({ timeout: 60_000 });
      const seconds = (Date.now() - began) / 1_000;
      // The last pass of the visit stays on the screen until the next one that makes a difference.
      const stood = Object.entries(await page.evaluate(() => globalThis.stood)).filter(([key]) => !(key in visit));
      const deleted = assertReadable(Object.fromEntries(stood));
      assert.ok(deleted.some((title) => title.includes("replicaset controller")), deleted.join("\n"));
      assert.ok(seconds >= 10 && seconds <= 30, `the story took ${seconds} s`);
      assert.deepEqual(complaints, []);
    } finally {
      await context.close();
    }
  });
}

test("a stretch in which nothing happens is skipped, and the page says so", async () => {
  const context = await browser.newContext({ reducedMotion: "reduce" });
  const page = await context.newPage();
  await page.goto(`${server.url}?layout=learn`);
  await page.getByText("converged for").waitFor({ timeout: 60_000 });
  await page.getByRole("button", { name: "Crash node-2" }).click();
  await page.getByText(/^Skipped .*: nothing happened until the /).waitFor({ timeout: 20_000 });
  await page.getByText("NotReady").first().waitFor({ timeout: 20_000 });
  await context.close();
});
