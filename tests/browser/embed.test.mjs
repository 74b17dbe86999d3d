// The page inside course pages of another origin: as a plain frame, in a sandbox, under a strict policy, five at once, and by its element.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { PATIENCE, call, converged, frameOf, script, startHosts } from "./hosts.mjs";
import { accessibilityProblems, problemsInFrames } from "./watch.mjs";

let hosts;

before(async () => {
  hosts = await startHosts();
});

after(async () => {
  await hosts?.stop();
});

const iframe = (query, more = "") => `<iframe title="Loopscope" src="${hosts.site}?embed=1&${query}" width="400" height="300" ${more}></iframe>`;
const element = (attributes) => `${script(hosts.site)}<loop-scope ${attributes}><a href="/">fallback</a></loop-scope>`;
const untilReady = (page, place = 0) =>
  page.waitForFunction((place) => document.querySelectorAll("loop-scope")[place]?.ready, place, { timeout: PATIENCE });

test("a plain frame of 400×300 shows the cluster, and keeps nothing", async () => {
  await hosts.visit({ body: iframe("panels=cluster&speed=1") }, async (page) => {
    const frame = frameOf(page);
    await converged(frame);
    assert.equal(await frame.locator('[data-kind="Node"]').count(), 3);
    await frame.getByRole("button", { name: /^Delete pod/ }).first().click();
    await converged(frame);
    const kept = await frame.locator("body").evaluate(() => Object.keys(localStorage).filter((key) => key !== "loopscope.introduction"));
    assert.deepEqual(kept, []);
    const overflow = await frame.locator("body").evaluate(() => [document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]);
    assert.deepEqual(overflow, [0, 0]);
  });
});

test("in a sandbox with nothing but scripts it works, without storage and without a service worker", async () => {
  await hosts.visit({ body: iframe("panels=cluster,terminal&speed=1", 'sandbox="allow-scripts"') }, async (page) => {
    const frame = frameOf(page);
    await converged(frame);
    await frame.getByLabel("Command").fill("kubectl get nodes");
    await frame.getByLabel("Command").press("Enter");
    await frame.locator(".entry pre", { hasText: "node-3" }).waitFor();
    assert.equal(await frame.locator("body").evaluate(() => self.origin), "null");
  });
});

test("a host with a strict policy needs to allow only the page's origin", async () => {
  const origin = new URL(hosts.site).origin;
  const head = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src ${origin}; frame-src ${origin}; require-trusted-types-for 'script'">`;
  await hosts.visit({ head, body: element('panels="cluster" speed="1" height="300" loading="eager"') }, async (page) => {
    await untilReady(page);
    await converged(frameOf(page));
    assert.equal((await call(page, "check")).pods.desired, 3);
  });
});

test("where storage is blocked everything works but the memory", async () => {
  const block = () => {
    const refuse = () => {
      throw new DOMException("blocked", "SecurityError");
    };
    for (const name of ["localStorage", "sessionStorage", "indexedDB", "caches"]) Object.defineProperty(globalThis, name, { get: refuse });
    if (navigator.serviceWorker) navigator.serviceWorker.register = async () => refuse();
  };
  await hosts.visit({ body: iframe("panels=cluster&speed=1&persist=local"), before: (page) => page.addInitScript(block) }, async (page) => {
    await converged(frameOf(page));
  });
});

test("with persist a returning learner is offered the run, without it the teacher's is there", async () => {
  await hosts.visit({ body: iframe("panels=cluster&speed=1&persist=local") }, async (page) => {
    await converged(frameOf(page));
    await frameOf(page).getByRole("button", { name: /^Delete pod/ }).first().click();
    await page.waitForTimeout(1_500);
    await page.reload();
    await frameOf(page).getByText("An earlier visit left a run here.").waitFor({ timeout: PATIENCE });
  });
});

test("at 320 pixels nothing is cut off", async () => {
  for (const panels of ["cluster", "desired,cluster", "pass", "loop", "owners,events", "terminal", "time", "objects"]) {
    await hosts.open(`?embed=1&speed=1&panels=${panels}`, { viewport: { width: 320, height: 480 } }, async (page) => {
      await converged(page);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.equal(wide, 320, panels);
      await page.getByRole("button", { name: "Pause" }).click();
      assert.deepEqual(await accessibilityProblems(page), [], panels);
    });
  }
});

test("in frames of a host that are 320 pixels wide nothing is cut off", async () => {
  const all = ["cluster", "desired,cluster", "loop", "terminal,time"];
  const narrow = all.map((panels) => `<iframe title="Loopscope: ${panels}" src="${hosts.site}?embed=1&speed=1&panels=${panels}" width="320" height="480"></iframe>`).join("");
  await hosts.visit({ body: narrow, viewport: { width: 1_400, height: 700 } }, async (page) => {
    for (const [place, panels] of all.entries()) {
      await converged(frameOf(page, place));
      const wide = await frameOf(page, place).locator("html").evaluate((root) => [innerWidth, root.scrollWidth]);
      assert.deepEqual(wide, [320, 320], panels);
      await frameOf(page, place).getByRole("button", { name: "Pause" }).click();
    }
    assert.deepEqual(await problemsInFrames(page), []);
  });
});

test("a manifest is a file of the page's own origin, and one that is missing is told of", async () => {
  const yaml = "apiVersion: v1\nkind: Pod\nmetadata: {name: from-a-file}\nspec: {containers: [{name: c, image: nginx}]}\n";
  const before = (page) => page.route("**/course/pod.yaml", (route) => route.fulfill({ body: yaml, contentType: "text/yaml" }));
  await hosts.visit({ body: iframe("panels=cluster&speed=1&manifest=course/pod.yaml"), before }, async (page) => {
    await frameOf(page).getByText("from-a-file").first().waitFor({ timeout: PATIENCE });
    await converged(frameOf(page));
  });
  await hosts.visit({ body: iframe("panels=cluster&speed=1&manifest=course/none.yaml"), expect: /404|none\.yaml/ }, async (page) => {
    await frameOf(page).getByText("The manifest of this page is missing: the server answered with 404.").waitFor({ timeout: PATIENCE });
  });
});

test("five on one page converge, and those out of sight stand still", async () => {
  const five = Array.from({ length: 5 }, (_, place) => iframe(`panels=cluster&speed=1&seed=${place + 1}`)).join("<p>…</p>");
  await hosts.visit({ body: five, viewport: { width: 900, height: 1_900 } }, async (page) => {
    for (let place = 0; place < 5; place += 1) await converged(frameOf(page, place));
    await page.setViewportSize({ width: 900, height: 400 });
    const clock = () => frameOf(page, 4).getByRole("timer").textContent();
    await page.waitForTimeout(500);
    const before = await clock();
    await page.waitForTimeout(2_500);
    assert.equal(await clock(), before, "time stands still out of sight");
    await page.locator("iframe").nth(4).scrollIntoViewIfNeeded();
    await page.waitForTimeout(2_500);
    assert.notEqual(await clock(), before, "and goes on in sight");
  });
});

test("methods answer, events bubble, and ready comes first", async () => {
  await hosts.visit({ body: `<div id="around">${element('panels="cluster" speed="10" height="300" loading="eager" goal="60"')}</div>` }, async (page) => {
    await page.evaluate(() => {
      globalThis.heard = [];
      for (const name of ["ready", "change", "converged", "drift", "reconcile", "goal", "complete", "error"]) {
        document.querySelector("#around").addEventListener(`loopscope-${name}`, ({ detail }) => globalThis.heard.push([name, detail]));
      }
    });
    // A call before the page is there waits for it.
    const nodes = await call(page, "kubectl", ["kubectl get nodes -o name"]);
    assert.equal(nodes.stdout, "node/node-1\nnode/node-2\nnode/node-3\n");
    await page.waitForFunction(() => globalThis.heard.some(([name]) => name === "complete"), undefined, { timeout: PATIENCE });
    assert.equal(await page.evaluate(() => globalThis.heard[0][0]), "ready");
    const scaled = await call(page, "kubectl", ["kubectl scale rs my-app --replicas=5"]);
    assert.deepEqual([scaled.exitCode, scaled.stdout], [0, "replicaset.apps/my-app scaled\n"]);
    assert.equal((await call(page, "run", [{ until: "converged" }])).reached, true);
    await call(page, "fault", ["crash-node", { node: "node-2" }]);
    await frameOf(page).getByText("Restart").waitFor();
    const state = await call(page, "getState");
    assert.deepEqual([state.v, state.commands.length], [1, 3]);
    await call(page, "load", [{ example: "crash-loop", paused: true, at: 3 }]);
    assert.deepEqual([(await call(page, "check")).time, (await call(page, "check")).playing], [3, false]);
    assert.equal((await call(page, "setState", [state])).commands, 3);
    assert.equal((await call(page, "seek", [1])).live, false);
    const forked = await call(page, "fork");
    assert.deepEqual([forked.live, forked.time, forked.commands], [true, 1, 1], "the scaling and the crash were later");
    assert.equal((await call(page, "setState", [state])).commands, 3);
    await call(page, "setTheme", ["dark"]);
    assert.equal(await frameOf(page).locator("html").getAttribute("data-theme"), "dark");
    for (const [method, given, code] of [["seek", [-1], "bad-input"], ["setState", ["rubbish"], "bad-state"], ["request", ["lesson"], "unknown-type"], ["fault", ["nothing"], "bad-input"]]) {
      assert.equal((await call(page, method, given)).code, code, method);
    }
  });
});

test("attributes and properties agree, whether they are set before the script comes or after", async () => {
  await hosts.visit({ body: '<loop-scope speed="1" loading="click"></loop-scope>' }, async (page) => {
    await page.evaluate(() => {
      document.querySelector("loop-scope").panels = ["cluster", "owners"];
      document.querySelector("loop-scope").readonly = true;
    });
    await page.addScriptTag({ type: "module", url: `${hosts.site}loop-scope.js` });
    await page.waitForFunction(() => customElements.get("loop-scope"));
    const read = () => page.evaluate(() => {
      const element = document.querySelector("loop-scope");
      return [element.getAttribute("panels"), element.panels, element.readonly, element.getAttribute("readonly"), element.loading, new URL(element.address).search];
    });
    assert.deepEqual((await read()).slice(0, 5), ["cluster,owners", "cluster,owners", true, "", "click"]);
    assert.match((await read())[5], /^\?embed=1&speed=1&panels=cluster%2Cowners&readonly=1&origin=http/);
    await page.evaluate(() => document.querySelector("loop-scope").removeAttribute("readonly"));
    assert.equal((await read())[2], false);
    assert.equal(await page.locator("iframe").count(), 0, "under its poster nothing is loaded");
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.getByRole("button", { name: "Start the cluster" }).click();
    await untilReady(page);
    await frameOf(page).getByRole("heading", { name: "Owners" }).waitFor();
  });
});

test("a lazy one loads when it comes into sight", async () => {
  await hosts.visit({ body: `<p style="height: 3000px">long</p>${element('panels="cluster"')}`, viewport: { width: 800, height: 600 } }, async (page) => {
    await page.waitForTimeout(500);
    assert.equal(await page.locator("iframe").count(), 0);
    await page.locator("loop-scope").scrollIntoViewIfNeeded();
    await untilReady(page);
  });
});

test("removed and put back elsewhere it starts again, and old calls fail with a code", async () => {
  await hosts.visit({ body: `${element('panels="cluster" speed="1" loading="eager"')}<section></section>` }, async (page) => {
    await untilReady(page);
    const old = await page.evaluate(async () => {
      const element = document.querySelector("loop-scope");
      const late = element.run({ until: "converged" }).catch(({ code }) => code);
      element.remove();
      document.querySelector("section").append(element);
      return late;
    });
    assert.equal(old, "removed");
    await untilReady(page);
    assert.equal((await call(page, "run", [{ until: "converged" }])).pods.ready, 3);
    assert.equal(await page.locator("iframe").count(), 1);
  });
});

test("a host that navigates it gets a new page, and calls reach that one", async () => {
  await hosts.visit({ body: element('panels="cluster" speed="1" loading="eager"') }, async (page) => {
    await untilReady(page);
    await page.evaluate(() => {
      const element = document.querySelector("loop-scope");
      element.setAttribute("nodes", "5");
      element.setAttribute("panels", "owners");
    });
    await page.waitForFunction(() => !document.querySelector("loop-scope").ready);
    await untilReady(page);
    assert.equal((await call(page, "kubectl", ["kubectl get nodes -o name"])).stdout.split("\n").length, 6);
    await page.evaluate(() => {
      const frame = document.querySelector("loop-scope").shadowRoot.querySelector("iframe");
      frame.src = `${frame.src}&seed=2`;
    });
    await page.waitForTimeout(2_000);
    await untilReady(page);
    assert.equal((await call(page, "run", [{ until: "converged" }])).pods.ready, 3);
  });
});

test("two versions live side by side", async () => {
  const older = `${hosts.site}some/sub/path/index.html`;
  const body = `${element('panels="cluster" speed="1" loading="eager" height="250"')}<loop-scope src="${older}" panels="owners" loading="eager" height="250"></loop-scope>`;
  await hosts.visit({ body }, async (page) => {
    await untilReady(page, 0);
    await untilReady(page, 1);
    assert.match(await page.evaluate(() => document.querySelectorAll("loop-scope")[1].address), /\/some\/sub\/path\/index\.html\?embed=1/);
    await call(page, "kubectl", ["kubectl scale rs my-app --replicas=1"], 0);
    assert.equal((await call(page, "run", [{ until: "converged" }], 1)).pods.ready, 3, "they share nothing");
  });
});

test("a page that never answers is told of after fifteen seconds, and the fallback is seen", async () => {
  const body = element(`src="${hosts.site}loop-scope.js" loading="eager" height="200"`);
  await hosts.visit({ body }, async (page) => {
    const error = await page.evaluate(() => new Promise((resolve) => {
      addEventListener("loopscope-error", ({ detail }) => resolve(detail));
    }));
    assert.equal(error.code, "timeout");
    await page.getByRole("link", { name: "fallback" }).waitFor();
    await page.getByRole("alert").getByText("Loopscope did not load.").waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
  });
});

test("ten thousand hostile messages change nothing and stop nothing", async () => {
  await hosts.visit({ body: `${element('panels="cluster" at="5" paused loading="eager"')}<iframe id="other" title="other" srcdoc="x"></iframe>` }, async (page) => {
    await untilReady(page);
    const before = await call(page, "getState");
    await page.evaluate(async () => {
      const target = document.querySelector("loop-scope").shadowRoot.querySelector("iframe").contentWindow;
      const cyclic = { context: "loopscope", v: 1, type: "connect" };
      cyclic.self = cyclic;
      let nested = {};
      for (let i = 0; i < 2_000; i += 1) nested = { nested };
      const bad = [
        null, 1, "x", [], {}, cyclic, nested, "x".repeat(100_000), { context: "loopscope" }, { context: "loopscope", v: 2, type: "connect" },
        { context: "loopscope", v: 1, type: "connect" }, { context: "loopscope", v: "1", type: {} }, JSON.parse('{"__proto__": {"context": "loopscope", "v": 1, "type": "connect"}}'),
        { id: 1, type: "load" }, { context: "loopscope", v: 1, type: "load", id: 1 }, new Map([["context", "loopscope"]]), 10n, new Date(),
      ];
      for (let i = 0; i < 9_000; i += 1) target.postMessage(bad[i % bad.length], "*");
      // A window that is not the parent brings a port along.
      const other = document.querySelector("#other").contentWindow;
      for (let i = 0; i < 20; i += 1) {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => {
          throw new Error("a stranger got through");
        };
        other.Function("target", "port", 'target.postMessage({ context: "loopscope", v: 1, type: "connect" }, "*", [port])')(target, port2);
      }
    });
    const answers = await page.evaluate(async () => {
      const element = document.querySelector("loop-scope");
      const cyclic = {};
      cyclic.self = cyclic;
      let nested = {};
      for (let i = 0; i < 3_000; i += 1) nested = [nested];
      const wrong = [null, {}, [], cyclic, nested, 10n, -1, "x", NaN, Infinity, new Map(), () => 1];
      const types = ["apply", "kubectl", "seek", "fault", "setState", "setTheme", "focus", "__proto__", "constructor", {}, null];
      const names = { apply: "manifest", kubectl: "line", seek: "at", fault: "fault", setState: "state", setTheme: "theme", focus: "panel" };
      const codes = {};
      for (let i = 0; i < 1_000; i += 1) {
        const type = types[i % types.length];
        const value = wrong[i % wrong.length];
        // JSON has no NaN and no Infinity: both are null there.
        const isNull = value === null || (typeof value === "number" && !Number.isFinite(value));
        const isFine = (type === "focus" && isNull) || (["kubectl", "apply"].includes(type) && value === "x");
        if (isFine) continue;
        const code = await element.request(type, { [names[type]]: value }).then((ok) => `done: ${String(type)} ${JSON.stringify(ok)}`, (error) => error.code);
        codes[code] = (codes[code] ?? 0) + 1;
      }
      return codes;
    });
    assert.deepEqual(Object.keys(answers).filter((code) => !["bad-input", "bad-state", "unknown-type"].includes(code)), [], JSON.stringify(answers));
    assert.deepEqual(await call(page, "getState"), before);
    const frame = page.frameLocator("loop-scope iframe");
    await frame.getByRole("button", { name: "Play" }).click();
    await frame.getByRole("button", { name: "Pause" }).waitFor();
  });
});

test("a host at another origin than the address names gets no answer", async () => {
  const body = `<iframe title="Loopscope" src="${hosts.site}?embed=1&panels=cluster&speed=1&origin=https://elsewhere.example"></iframe>`;
  await hosts.visit({ body, expect: /target origin|postMessage/ }, async (page) => {
    await converged(frameOf(page));
    const answered = await page.evaluate(() => new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => resolve(true);
      document.querySelector("iframe").contentWindow.postMessage({ context: "loopscope", v: 1, type: "connect" }, "*", [port2]);
      setTimeout(() => resolve(false), 1_500);
    }));
    assert.equal(answered, false);
  });
});

test("with autoheight the host is told the height, in the dialects that hosts know", async () => {
  const listen = () => addEventListener("message", ({ data }) => (globalThis.dialects ??= []).push(data));
  await hosts.visit({ body: iframe("panels=cluster&speed=1&autoheight=1"), before: (page) => page.addInitScript(listen) }, async (page) => {
    await converged(frameOf(page));
    const heard = await page.evaluate(() => globalThis.dialects.map((data) => (typeof data === "string" ? JSON.parse(data) : data)));
    const heights = [heard.find(({ context }) => context === "iframe.resize")?.height, heard.find(({ subject }) => subject === "lti.frameResize")?.height, heard.find(({ action }) => action === "resize")?.scrollHeight];
    assert.ok(heights.every((height) => height > 100), JSON.stringify(heard.slice(0, 5)));
    assert.ok(heard.length < 60, `${heard.length} messages`);
  });
  await hosts.visit({ body: element('panels="cluster" speed="1" autoheight loading="eager" height="100"') }, async (page) => {
    await untilReady(page);
    await page.waitForFunction(() => document.querySelector("loop-scope").offsetHeight > 150, undefined, { timeout: PATIENCE });
  });
});

test("a manifest can be applied in a small embed: no panel cuts it off without scrolling", async () => {
  for (const [panels, width, height] of [["desired", 400, 300], ["desired,cluster", 400, 300], ["desired,cluster", 600, 400]]) {
    await hosts.open(`?embed=1&speed=1&panels=${panels}`, { viewport: { width, height } }, async (page) => {
      const cut = await page.getByRole("button", { name: "Apply", exact: true }).evaluate((button) => {
        const around = [];
        for (let place = button.parentElement; place; place = place.parentElement) around.push(place);
        return around.filter((place) => getComputedStyle(place).overflowY === "hidden" && place.scrollHeight > place.clientHeight + 1).map((place) => place.className);
      });
      assert.deepEqual(cut, [], `${panels} ${width}×${height}`);
    });
  }
});
