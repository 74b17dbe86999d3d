// A page with a running cluster, and what a person does with it.
import assert from "node:assert/strict";
import { startBrowser } from "./browser.mjs";
import { startServer } from "./server.mjs";
import { complaintsOf } from "./watch.mjs";

/** The address at which time runs like the wall's, the first manifest has converged and every pane is there. The speed auto and the other layouts have tests of their own. */
export const PLAIN = "?layout=inspect&speed=1&at=3";

/** The editor may still be on its way when a test leaves the page. */
const LEFT = /\/editor-\w+\.js net::ERR_ABORTED$/;

/** A browser and a server for the tests of one file. */
export async function startRig() {
  const server = await startServer();
  const browser = await startBrowser();
  return {
    /**
     * Opens the page, waits until desired and actual agree, and lets `body` use it. No complaint may come up meanwhile but those that
     * `expect` names; `before` prepares the page, and `address` opens it with other parameters.
     */
    async visit({ before, expect, address = PLAIN, ...options }, body) {
      const context = await browser.newContext({ reducedMotion: "reduce", ...options });
      try {
        const page = await context.newPage();
        const complaints = complaintsOf(page);
        await before?.(page);
        await page.goto(server.url + address);
        await converged(page);
        await body(page);
        assert.deepEqual(complaints.filter((line) => !LEFT.test(line) && !expect?.test(line)), []);
      } finally {
        await context.close();
      }
    },
    async stop() {
      await browser.close();
      await server.stop();
    },
  };
}

/** Waits until desired and actual agree. At the very moment the badge has no time yet for which they do. */
export const converged = (page) => page.locator(".drift.good").waitFor({ timeout: 10_000 });

/** The tiles of all pods that are ready. */
export const readyPods = (page) => page.locator(".tile.good");

/** Waits until so many pods are ready and no others are there. */
export async function untilPods(page, count) {
  await page.getByText(`${count} of ${count} ${count === 1 ? "pod" : "pods"} ready`).waitFor({ timeout: 15_000 });
}

export const button = (page, name) => page.getByRole("button", { name, exact: true });

export const answer = (page) => page.locator(".answer");

export async function setSpeed(page, name) {
  await page.getByLabel("Speed").selectOption(name);
}

/** The editor, once its bundle has come. */
export const manifest = (page) => page.locator(".cm-content");

/** All that stands in it. */
export async function manifestText(page) {
  await manifest(page).waitFor();
  assert.equal(await page.locator(".cm-gap").count(), 0, "the editor has not drawn all lines of so long a text");
  return (await page.locator(".cm-line").allTextContents()).join("\n");
}

/** Replaces a part of the manifest. */
export async function edit(page, from, to) {
  const text = await manifestText(page);
  assert.ok(text.includes(from), `the manifest has no ${from}`);
  await manifest(page).fill(text.replace(from, to));
}
