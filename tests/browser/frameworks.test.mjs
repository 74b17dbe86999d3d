// <loop-scope> in course pages that are written with React, Vue and Svelte, and in one without a framework. The pages are in frameworks/.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { bundle } from "./frameworks/bundle.mjs";
import { manifest } from "./frameworks/lesson.mjs";
import { PATIENCE, converged, script, startHosts } from "./hosts.mjs";

let hosts;

before(async () => {
  hosts = await startHosts();
});

after(async () => {
  await hosts?.stop();
});

const FRAMEWORKS = { React: "./react.jsx", Vue: "./vue.js", Svelte: "./svelte.js" };
/** The same pages as a server makes them. */
const SERVED = {
  React: 'import { renderToString } from "react-dom/server.edge"; import { App } from "./react.jsx"; export const html = renderToString(<App panels="cluster" />);',
  Vue: 'import { createSSRApp } from "vue"; import { renderToString } from "@vue/server-renderer"; import { App } from "./vue.js"; export const html = await renderToString(createSSRApp(App));',
  Svelte: 'import { render } from "svelte/server"; import App from "./App.svelte"; export const html = render(App).body;',
};
// A frame that goes away while it loads leaves a request behind.
const expect = /net::ERR_ABORTED$/;

// Not as text in a page: the comments of HTML that Vue's code has in its strings would end the script.
const address = (code) => `data:text/javascript;base64,${Buffer.from(code).toString("base64")}`;
const starter = async (path, how) => address(await bundle(`import { ${how} } from "${path}"; ${how}(document.querySelector("#app"));`));
const mounted = async (path) => `<div id="app"></div><script type="module" src="${await starter(path, "mount")}"></script>`;
const addElement = (page) => page.addScriptTag({ type: "module", url: `${hosts.site}loop-scope.js` });
const press = (place, name) => place.getByRole("button", { name, exact: true }).click();
const section = (page, name = "first") => page.getByRole("region", { name });
const frameIn = (place) => place.locator("iframe").contentFrame();
const says = (place, words) => place.getByText(words).waitFor({ timeout: PATIENCE });

/** Waits until the only frame in a place shows so many pods, all as they should be. */
async function showsPods(place, count) {
  const frame = frameIn(place);
  await frame.locator('[data-kind="Pod"]').nth(count - 1).waitFor({ timeout: PATIENCE });
  await converged(frame);
  assert.equal(await frame.locator('[data-kind="Pod"]').count(), count);
  assert.equal(await frame.locator('[data-kind="Node"]').count(), 2);
  assert.equal(await place.locator("iframe").count(), 1);
}

for (const [framework, path] of Object.entries(FRAMEWORKS)) {
  test(`${framework} binds properties, hears events and calls methods`, async () => {
    await hosts.visit({ body: script(hosts.site) + (await mounted(path)), expect }, async (page) => {
      const first = section(page);
      await showsPods(first, 2);
      await says(first, "Ready: 1. Converged: 2 of 2.");
      assert.equal(await first.locator("iframe").getAttribute("title"), "Cluster first");
      assert.equal((await first.locator("loop-scope").boundingBox()).height, 300);
      await press(first, "More replicas");
      await says(first, "Ready: 2. Converged: 3 of 3.");
      await showsPods(first, 3);
      // A change of colours does not start the cluster again.
      await press(first, "Dark");
      await frameIn(first).locator('html[data-theme="dark"]').waitFor();
      await press(first, "Save");
      await says(first, "Saved: yes");
      await press(first, "Scale");
      await says(first, "Ready: 2. Converged: 4 of 4. Said: deployment.apps/web scaled");
      await showsPods(first, 4);
      await press(first, "Restore");
      await says(first, "commands. Saved: yes");
      await showsPods(first, 3);
    });
  });

  test(`${framework} takes it away, puts it back and moves it`, async () => {
    await hosts.visit({ body: script(hosts.site) + (await mounted(path)), expect }, async (page) => {
      const first = section(page);
      await showsPods(first, 2);
      await press(page, "Hide or show");
      await first.waitFor({ state: "detached" });
      // Away again before anything has come, and back.
      for (let time = 0; time < 3; time += 1) await press(page, "Hide or show");
      await says(first, "Ready: 1. Converged: 2 of 2.");
      await showsPods(first, 2);
      await press(page, "Add");
      const second = section(page, "second");
      await press(second, "More replicas");
      await showsPods(second, 3);
      await press(page, "Swap");
      assert.deepEqual(await page.getByRole("region").evaluateAll((all) => all.map((one) => one.ariaLabel)), ["second", "first"]);
      await press(first, "Scale");
      await says(first, "Converged: 4 of 4. Said: deployment.apps/web scaled");
      await showsPods(first, 4);
      await showsPods(second, 3);
    });
  });

  test(`${framework} may be there before the element is`, async () => {
    await hosts.visit({ body: await mounted(path), expect }, async (page) => {
      const first = section(page);
      await page.getByRole("link", { name: "A picture of the cluster" }).waitFor();
      await press(first, "More replicas");
      await press(first, "Dark");
      await addElement(page);
      await says(first, "Ready: 1. Converged: 3 of 3.");
      await showsPods(first, 3);
      assert.equal(await frameIn(first).locator("html").getAttribute("data-theme"), "dark");
      assert.equal(await page.getByRole("link").count(), 0, "the fallback is covered");
      await press(first, "More replicas");
      await says(first, "Ready: 2. Converged: 4 of 4.");
      await showsPods(first, 4);
    });
  });

  test(`${framework} takes over what a server has rendered`, async () => {
    const { html } = await import(address(await bundle(SERVED[framework], { generate: "server" })));
    await hosts.visit({ body: `${script(hosts.site)}<div id="app">${html}</div>`, expect }, async (page) => {
      await page.waitForFunction(() => document.querySelector("loop-scope").ready, undefined, { timeout: PATIENCE });
      await page.addScriptTag({ type: "module", url: await starter(path, "hydrate") });
      const first = section(page);
      await showsPods(first, 2);
      await press(first, "More replicas");
      await says(first, "Converged: 3 of 3.");
      await showsPods(first, 3);
    });
  });
}

test("without a framework, what was set before the script came holds after it", async () => {
  const body = '<section aria-label="first"><loop-scope speed="1" height="200" style="max-width: 500px"></loop-scope></section>';
  await hosts.visit({ body, expect }, async (page) => {
    const first = section(page);
    await page.evaluate((manifest) => {
      globalThis.heard = [];
      globalThis.element = document.querySelector("loop-scope");
      Object.assign(globalThis.element, { manifest, panels: ["cluster"], nodes: 2, paused: false, loading: "click", label: "Lesson 3" });
      document.addEventListener("loopscope-ready", ({ target }) => globalThis.heard.push(target.localName));
    }, manifest(2));
    await addElement(page);
    await page.getByRole("button", { name: "Start the cluster" }).waitFor();
    // The second three come while the page loads.
    await page.evaluate(() => Object.assign(globalThis.element, { loading: "eager", theme: "dark", label: "Lesson 4", height: "12em" }));
    await showsPods(first, 2);
    assert.deepEqual(await page.evaluate(() => globalThis.heard), ["loop-scope"]);
    await frameIn(first).locator('html[data-theme="dark"]').waitFor();
    assert.equal(await first.locator("iframe").getAttribute("title"), "Lesson 4");
    const { width, height } = await first.locator("loop-scope").boundingBox();
    assert.deepEqual([width, height], [500, 192]);
    assert.equal(await first.locator("loop-scope").getAttribute("style"), "max-width: 500px", "the page's own attribute is left alone");
    await page.evaluate(() => globalThis.element.removeAttribute("height"));
    assert.equal((await first.locator("loop-scope").boundingBox()).height, 480);
    const [commands, code] = await page.evaluate(async () => {
      const wrap = (value) => new Proxy(value, {});
      const state = await globalThis.element.getState();
      const { commands } = await globalThis.element.setState(wrap(state));
      return [commands === state.commands.length, await globalThis.element.setState(wrap({ v: () => 1 })).catch(({ code }) => code)];
    });
    assert.ok(commands, "what a framework wraps is sent as what it is");
    assert.equal(code, "bad-input");
  });
});

test("moved by moveBefore the page goes on", async () => {
  const body = '<loop-scope panels="cluster" nodes="2" speed="1" loading="eager"></loop-scope><section aria-label="first"></section>';
  await hosts.visit({ body: script(hosts.site) + body }, async (page) => {
    await converged(page.locator("iframe").contentFrame());
    const isKept = await page.evaluate(async () => {
      const element = document.querySelector("loop-scope");
      await element.kubectl("kubectl scale rs my-app --replicas=4");
      const frame = element.shadowRoot.querySelector("iframe");
      document.querySelector("section").moveBefore(element, null);
      return element.ready && element.shadowRoot.querySelector("iframe") === frame;
    });
    assert.ok(isKept);
    await showsPods(section(page), 4);
  });
});

test("a server may import the element, which does nothing there", async () => {
  const { LoopScope } = await import("../../static/loop-scope.js");
  assert.ok(LoopScope.observedAttributes.includes("panels"));
});

test("the types that docs/embedding.md shows make React and Svelte know the element", async () => {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  const project = await mkdtemp(join(tmpdir(), "loopscope-types-"));
  try {
    const installed = join(project, "node_modules/loopscope");
    await mkdir(installed, { recursive: true });
    await writeFile(join(installed, "package.json"), '{"name": "loopscope", "type": "module", "types": "./loop-scope.d.ts"}');
    await cp(join(root, "static/loop-scope.d.ts"), join(installed, "loop-scope.d.ts"));
    await cp(join(root, "static/engine/engine.d.ts"), join(installed, "engine.d.ts"));
    for (const name of ["@types", "react", "svelte"]) await symlink(join(root, "node_modules", name), join(project, "node_modules", name));
    const shown = [...(await readFile(join(root, "docs/embedding.md"), "utf8")).matchAll(/```ts\n(.*?)```/gs)];
    assert.equal(shown.length, 2);
    for (const [place, [, text]] of shown.entries()) await writeFile(join(project, `shown-${place}.d.ts`), text);
    await cp(join(root, "tests/browser/frameworks/typed.tsx"), join(project, "typed.tsx"));
    const options = ["--noEmit", "--strict", "--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler", "--jsx", "react-jsx", "--types", "react", "--lib", "es2022,dom,dom.iterable,esnext.disposable"];
    const compiler = [join(root, "node_modules/typescript/bin/tsc"), ...options, "typed.tsx", "shown-0.d.ts", "shown-1.d.ts"];
    const said = await promisify(execFile)(process.execPath, compiler, { cwd: project }).then(() => "", ({ stdout }) => stdout);
    assert.equal(said, "");
  } finally {
    await rm(project, { recursive: true });
  }
});
