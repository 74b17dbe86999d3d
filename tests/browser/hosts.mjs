// Host pages on an origin of their own, which embed the real page.
import assert from "node:assert/strict";
import { startBrowser } from "./browser.mjs";
import { startServer } from "./server.mjs";
import { complaintsOf } from "./watch.mjs";

export const PATIENCE = 60_000;

/** A document of a host. */
export const hostPage = (body, head = "") => `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>A course</title>${head}</head><body><main><h1>Lesson 3</h1>${body}</main></body></html>`;

/** The site with the page, a host on another origin, and a browser. */
export async function startHosts() {
  const site = await startServer();
  const pages = { "/favicon.ico": "" };
  const host = await startServer(pages, { root: new URL("nowhere/", import.meta.url) });
  const browser = await startBrowser();
  return {
    site: site.url,
    host: host.url,
    /** Opens a host page that has `body`, and lets `look` use it. No complaint may come up but those that `expect` names. */
    async visit({ body, head, expect, before, ...options }, look) {
      pages["/"] = hostPage(body, head);
      const context = await browser.newContext({ reducedMotion: "reduce", ...options });
      try {
        const page = await context.newPage();
        const complaints = complaintsOf(page);
        await before?.(page);
        await page.goto(host.url);
        await look(page, context);
        assert.deepEqual(complaints.filter((line) => !expect?.test(line)), []);
      } finally {
        await context.close();
      }
    },
    /** Opens the site itself. */
    async open(query, { expect, ...options }, look) {
      const context = await browser.newContext({ reducedMotion: "reduce", ...options });
      try {
        const page = await context.newPage();
        const complaints = complaintsOf(page);
        await page.goto(site.url + query);
        await look(page, context);
        assert.deepEqual(complaints.filter((line) => !expect?.test(line)), []);
      } finally {
        await context.close();
      }
    },
    async stop() {
      await browser.close();
      await host.stop();
      await site.stop();
    },
  };
}

export const script = (site) => `<script type="module" src="${site}loop-scope.js"></script>`;
export const frameOf = (page, place = 0) => page.locator("iframe").nth(place).contentFrame();

/** Waits until desired and actual agree in a frame. */
export const converged = (frame) => frame.getByText("converged for").first().waitFor({ timeout: PATIENCE });

/** Calls a method of the first element, or of another. */
export const call = (page, method, given = [], place = 0) =>
  page.evaluate(async ({ method, given, place }) => {
    await customElements.whenDefined("loop-scope");
    const element = document.querySelectorAll("loop-scope")[place];
    return element[method](...given).catch(({ code, message }) => ({ code, message }));
  }, { method, given, place });
