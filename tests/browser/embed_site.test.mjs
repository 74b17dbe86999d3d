// The author's page, and visits without a network.
import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { startBrowser } from "./browser.mjs";
import { PATIENCE, converged, frameOf, startHosts } from "./hosts.mjs";
import { startServer } from "./server.mjs";
import { accessibilityProblems, complaintsOf } from "./watch.mjs";

let hosts;

before(async () => {
  hosts = await startHosts();
});

after(async () => {
  await hosts?.stop();
});

const dist = new URL("../../dist/", import.meta.url);

test("the element is under 5 kB after brotli", async () => {
  assert.ok(brotliCompressSync(await readFile(new URL("loop-scope.js", dist))).length < 5_000);
});

test("an author chooses, looks and copies", async () => {
  // A preview that another one replaces is not loaded to its end.
  const expect = /net::ERR_ABORTED$/;
  await hosts.open("embed.html", { expect, permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    await frameOf(page).locator('[data-kind="Node"]').first().waitFor({ timeout: PATIENCE });
    await page.getByLabel("Example").selectOption("deployment-web");
    await page.getByRole("button", { name: "Remove loop" }).click();
    await page.getByLabel("Add a panel").selectOption("time");
    await page.getByLabel("Speed").selectOption("10");
    await page.getByLabel("Theme").selectOption("dark");
    const snippet = page.locator("#snippet");
    assert.match(await snippet.textContent(), /<loop-scope example="deployment-web" panels="cluster,time" theme="dark" speed="10" height="480"/);
    await frameOf(page).getByText("web-").first().waitFor({ timeout: PATIENCE });
    for (const kind of ["HTML, only an iframe", "Markdown", "MDX (Docusaurus)", "mdBook", "Hugo", "reveal.js", "Jupyter", "Moodle"]) {
      await page.getByLabel("For").selectOption(kind);
      assert.match(await snippet.textContent(), /index\.html\?embed=1/, kind);
      assert.match(await snippet.textContent(), /panels=cluster,time/, kind);
    }
    await page.getByRole("button", { name: "Copy" }).click();
    await page.getByText("Copied.").waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await snippet.textContent());
    assert.deepEqual(await accessibilityProblems(page), []);
  });
});

test("the oEmbed file is found from the author's page, and its frame opens", async () => {
  await hosts.open("embed.html", { expect: /ERR_ABORTED$/ }, async (page) => {
    const offered = await page.locator('link[type="application/json+oembed"]').evaluate((link) => fetch(link.href).then((answer) => answer.json()));
    assert.deepEqual([offered.version, offered.type, offered.width, offered.height], ["1.0", "rich", 720, 480]);
    await page.setContent(`<!DOCTYPE html><html lang="en"><head><title>Host</title><base href="${hosts.site}"></head><body>${offered.html}</body></html>`);
    await frameOf(page).locator('[data-kind="Node"]').nth(2).waitFor({ timeout: PATIENCE });
  });
});

test("after the first visit it opens without a network, and a new page is never held back", async () => {
  const folder = await mkdtemp(join(tmpdir(), "loopscope-"));
  await cp(dist, folder, { recursive: true });
  const site = await startServer({}, { root: pathToFileURL(`${folder}/`) });
  const browser = await startBrowser();
  try {
    const context = await browser.newContext();
    const page = await context.newPage();
    const complaints = complaintsOf(page);
    const address = `${site.url}?embed=1&panels=cluster&speed=1`;
    await page.goto(address);
    await converged(page);
    await page.waitForFunction(async () => {
      const [name] = await caches.keys();
      return navigator.serviceWorker.controller && name && (await (await caches.open(name)).match("index.html"));
    }, undefined, { timeout: PATIENCE });
    await context.setOffline(true);
    await page.reload();
    await converged(page);
    assert.deepEqual(complaints, []);
    await context.setOffline(false);
    const html = await readFile(join(folder, "index.html"), "utf8");
    await writeFile(join(folder, "index.html"), html.replace("<title>Loopscope</title>", "<title>The next Loopscope</title>"));
    await page.reload();
    assert.equal(await page.title(), "The next Loopscope");
    await converged(page);
  } finally {
    await browser.close();
    await site.stop();
    await rm(folder, { recursive: true });
  }
});
