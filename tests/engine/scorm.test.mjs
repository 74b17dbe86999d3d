// The SCORM 1.2 package as a course system plays it: scorm-again around the launch page, the real element and the real page in it.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { startBrowser } from "../browser/browser.mjs";
import { startServer } from "../browser/server.mjs";
import { unzipped } from "../browser/unzip.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

const system = `<!DOCTYPE html><title>system</title><link rel="icon" href="data:,"><script src="/scorm12.js"></script>
  <script>window.API = new Scorm12API({ autocommit: false, logLevel: 5 });</script><iframe src="launch.html" width="900" height="600"></iframe>`;

test("a course system plays the package, and hears that the learner has passed", async () => {
  const environment = { ...process.env, GOAL: "60", TITLE: "Pods & <loops>" };
  const { stdout } = await promisify(execFile)(process.execPath, ["scripts/scorm.mjs"], { cwd: root, env: environment });
  const members = unzipped(await readFile(stdout.trim()));
  const manifest = members.get("imsmanifest.xml").toString();
  assert.match(manifest, /<schemaversion>1\.2<\/schemaversion>/);
  assert.match(manifest, /<title>Pods &amp; &lt;loops><\/title>/);
  const listed = [...manifest.matchAll(/<file href="([^"]+)"\/>/g)].map(([, path]) => path);
  assert.deepEqual(listed.toSorted(), [...members.keys()].filter((path) => path !== "imsmanifest.xml").toSorted());

  const folder = await mkdtemp(join(tmpdir(), "loopscope-scorm-"));
  for (const [path, content] of members) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  const api = await readFile(join(root, "node_modules/scorm-again/dist/scorm12.js"), "utf8");
  const server = await startServer({ "/system.html": system, "/scorm12.js": api }, { root: pathToFileURL(`${folder}/`) });
  const browser = await startBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(`${server.url}system.html`);
    await page.waitForFunction(() => window.API.cmi.core.lesson_status === "passed", undefined, { timeout: 60_000 });
    assert.equal(String(await page.evaluate(() => window.API.cmi.core.score.raw)), "100");
    const state = JSON.parse(await page.evaluate(() => window.API.cmi.suspend_data));
    const { grade } = await import(pathToFileURL(join(root, "target/engine/engine.js")));
    assert.equal((await grade(state, "converged within 60s")).passed, true, "what the page told can be replayed");
  } finally {
    await browser.close();
    await server.stop();
    await rm(folder, { recursive: true });
  }
});
