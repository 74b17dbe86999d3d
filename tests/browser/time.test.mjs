// Time along the bottom as a person uses it: dragging, keys, undo, acting in the past, requests, alerts. Claims S5 and S6.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { button, converged, edit, setSpeed, startRig, untilPods } from "./run.mjs";
import { accessibilityProblems } from "./watch.mjs";

let rig;
before(async () => (rig = await startRig()));
after(() => rig?.stop());

const slider = (page) => page.getByRole("slider", { name: "Moment looked at" });
const value = async (page) => Number(await slider(page).getAttribute("aria-valuenow"));
const drawer = (page, name) => page.getByRole("tab", { name: new RegExp(`^${name}`) }).click();

/** Applies the manifest with another number of replicas, and waits for its pods. */
async function scale(page, from, to) {
  await edit(page, `replicas: ${from}`, `replicas: ${to}`);
  await button(page, "Apply").click();
  await untilPods(page, to);
}

/** Drags the line's grip to a share of the line. */
async function dragTo(page, share) {
  const box = await slider(page).boundingBox();
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * 0.8, y);
  await page.mouse.down();
  for (let i = 1; i <= 6; i += 1) await page.mouse.move(box.x + box.width * (0.8 + ((share - 0.8) * i) / 6), y);
  await page.mouse.up();
}


test("whoever types goes first, and the run is drawn all the same", async () => {
  await rig.visit({}, async (page) => {
    await converged(page);
    await setSpeed(page, "1000×");
    await page.locator(".cm-content").focus();
    const moments = new Set();
    let keys = 0;
    for (const until = Date.now() + 3_000; Date.now() < until; keys += 1) {
      await page.keyboard.press("#");
      moments.add(await page.getByRole("timer").textContent());
    }
    assert.ok(moments.size > 3, `the clock stood at ${[...moments]}`);
    assert.ok(moments.size < keys / 2, `${moments.size} drawings for ${keys} keys`);
    await button(page, "Pause").click();
    const at = await page.getByRole("timer").textContent();
    await page.waitForTimeout(300);
    assert.equal(await page.getByRole("timer").textContent(), at, "a pause is one, whatever was still to be drawn");
  });
});

test("dragging along the line shows the pods of then, and the way back is a button", async () => {
  await rig.visit({}, async (page) => {
    await setSpeed(page, "10×");
    await page.waitForTimeout(600);
    await scale(page, 3, 5);
    // A line that still grows would move what is aimed at.
    await button(page, "Pause").click();
    await page.locator(".chart .mark").nth(1).waitFor({ state: "attached" });
    const deeds = await page.locator(".chart .mark:not(.converged) line").evaluateAll((all) => all.map((l) => Number.parseFloat(l.getAttribute("x1"))));
    await dragTo(page, (Math.max(...deeds) - 4) / 100);
    await page.getByText("3 of 3 pods ready").waitFor();
    await page.getByText("starts a new branch").waitFor();
    await page.locator(".chart .future").waitFor({ state: "attached" });
    await page.getByRole("button", { name: /return to now/ }).click();
    await untilPods(page, 5);
    assert.equal(await page.locator(".past-note").count(), 0);
  });
});

test("S6: every disturbance shows how long it took to converge", async () => {
  await rig.visit({}, async (page) => {
    await scale(page, 3, 4);
    await converged(page);
    const told = page.locator(".command-list .converged");
    await told.nth(1).waitFor({ state: "attached" });
    for (const text of await told.allTextContents()) assert.match(text, /: converged after [\d.:]+ (ms|s|min)$/);
  });
});

test("the line is a slider for the keyboard", async () => {
  await rig.visit({}, async (page) => {
    await button(page, "Pause").click();
    await slider(page).focus();
    assert.match(await slider(page).getAttribute("aria-valuetext"), /the newest moment: converged for .*3 of 3 wanted pods ready/);
    const newest = await value(page);
    await page.keyboard.press("ArrowLeft");
    await page.getByRole("button", { name: /return to now/ }).waitFor();
    const back = await value(page);
    assert.ok(back < newest, `${back} < ${newest}`);
    await page.keyboard.press("PageDown");
    await page.waitForFunction((v) => Number(document.querySelector(".chart").ariaValueNow) < v, back);
    await page.keyboard.press("Home");
    await page.waitForFunction(() => document.querySelector(".chart").ariaValueNow === "0");
    await page.getByText("0 of 0 pods ready").waitFor();
    await page.keyboard.press("End");
    await untilPods(page, 3);
    assert.equal(await value(page), newest);
  });
});

test("undo goes back before the last deed, and the deed can be had again", async () => {
  await rig.visit({}, async (page) => {
    await scale(page, 3, 5);
    await button(page, "Undo").click();
    await untilPods(page, 3);
    await page.getByRole("button", { name: /return to now/ }).click();
    await untilPods(page, 5);
  });
});

test("acting in the past forks, which is told before and marked after", async () => {
  await rig.visit({}, async (page) => {
    await scale(page, 3, 5);
    await button(page, "Undo").click();
    await page.getByText(/starts a new branch; the \d+ later steps are kept/).waitFor();
    await edit(page, "replicas: 5", "replicas: 1");
    await button(page, "Apply").click();
    await button(page, "Play").click();
    await untilPods(page, 1);
    await page.getByRole("button", { name: "1 fork: 1 branch was left behind" }).waitFor();
    await page.locator(".command-list .fork").waitFor({ state: "attached" });
    assert.equal(await page.getByRole("button", { name: /return to now/ }).count(), 0, "what came later is gone");
  });
});

test("texts on the line never overlap", async () => {
  for (const width of [800, 1440]) {
    await rig.visit({ viewport: { width, height: 900 } }, async (page) => {
      for (const n of [4, 5, 6]) await scale(page, n - 1, n);
      await button(page, "Pause").click();
      await slider(page).scrollIntoViewIfNeeded();
      const overlaps = await page.locator(".chart text").evaluateAll((texts) => {
        const boxes = texts.map((t) => [t.textContent, t.getBoundingClientRect()]);
        const meet = (a, b) => a.left < b.right && b.left < a.right && a.top + 2 < b.bottom && b.top + 2 < a.bottom;
        return boxes.flatMap(([text, a], i) => boxes.slice(i + 1).filter(([, b]) => meet(a, b)).map(([other]) => `${text} / ${other}`));
      });
      assert.deepEqual(overlaps, []);
    });
  }
});

test("a part of the run can be looked at closely, one workload at a time", async () => {
  await rig.visit({}, async (page) => {
    await setSpeed(page, "100×");
    await page.waitForTimeout(1_500);
    await button(page, "Pause").click();
    const first = () => page.locator(".chart .tick").first().textContent();
    const whole = await first();
    await button(page, "1 min").click();
    await page.waitForFunction((text) => document.querySelector(".chart .tick").textContent !== text, whole);
    await slider(page).hover();
    await page.mouse.wheel(0, -200);
    await page.locator('.zooms button[aria-pressed="true"]').waitFor({ state: "detached" });
    await button(page, "whole run").click();
    await page.getByLabel("Workload").selectOption("ReplicaSet my-app");
    await page.getByText("my-app: 3 of 3 wanted pods ready").waitFor();
  });
});

test("S5: an alert fires on drift that lasts, and not on drift that passes", async () => {
  await rig.visit({}, async (page) => {
    await drawer(page, "Alerts");
    await page.getByText("1 transient drift did not fire").first().waitFor();
    await button(page, "Crash node-1").click();
    await setSpeed(page, "100×");
    await page.locator(".standing.bad", { hasText: "firing" }).waitFor({ timeout: 30_000 });
    await page.getByRole("tab", { name: "Alerts 1 firing" }).waitFor();
    await button(page, "Pause").click();
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.getByLabel("fires after").fill("600");
    await page.locator(".standing.warning", { hasText: "pending" }).waitFor();
    await page.getByLabel("fires after").fill("60");
    await button(page, "Play").click();
    await page.getByRole("heading", { name: "Resolved" }).waitFor({ timeout: 30_000 });
    await page.getByRole("tab", { name: "Alerts", exact: true }).waitFor();
  });
});

test("requests and queues are drawn over time, and who asks the most is listed", async () => {
  await rig.visit({}, async (page) => {
    await drawer(page, "Requests");
    await page.getByRole("img", { name: /^requests per second: controllers/ }).waitFor();
    await page.getByRole("img", { name: /^keys in queues: ready/ }).waitFor();
    await page.getByRole("row", { name: /^kubelet node-1/ }).waitFor();
    await button(page, "by verb").click();
    await page.getByRole("img", { name: /^requests per second: get/ }).waitFor();
    await button(page, "Pause").click();
    assert.deepEqual(await accessibilityProblems(page), []);
  });
});

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing wrong while looking back in the ${colorScheme} theme`, async () => {
    await rig.visit({ colorScheme }, async (page) => {
      await scale(page, 3, 5);
      await button(page, "Undo").click();
      await page.locator(".past-note").waitFor();
      assert.deepEqual(await accessibilityProblems(page), []);
    });
  });
}

for (const width of [320, 390, 1024, 1440, 3840]) {
  test(`the top bar fits at ${width} pixels, also while looking back`, async () => {
    await rig.visit({ viewport: { width, height: 800 } }, async (page) => {
      await button(page, "Step back").click();
      await page.getByRole("button", { name: /return to now/ }).waitFor();
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
      const outside = await page.locator(".bar button, .bar select, .bar .drift").evaluateAll((all) => {
        const boxes = all.map((e) => e.getBoundingClientRect());
        return boxes.filter((b) => b.left < 0 || b.right > innerWidth).length;
      });
      assert.equal(outside, 0);
    });
  });
}

/** Counts the frames that the page asks for in some seconds, and how often its clock changed. */
const frames = (page, seconds) => page.evaluate((seconds) => new Promise((done) => {
  const ask = globalThis.requestAnimationFrame;
  const clock = document.querySelector(".clock");
  const seen = new Set([clock.textContent]);
  let count = 0;
  globalThis.requestAnimationFrame = (callback) => {
    count += 1;
    seen.add(clock.textContent);
    return ask.call(globalThis, callback);
  };
  setTimeout(() => {
    globalThis.requestAnimationFrame = ask;
    done({ count, changes: seen.add(clock.textContent).size - 1 });
  }, seconds * 1_000);
}), seconds);

test("a converged cluster at real time asks for a few frames a second, and its clock goes on", async () => {
  await rig.visit({}, async (page) => {
    const { count, changes } = await frames(page, 5);
    assert.ok(count <= 50, `${count} frames in five seconds`);
    assert.ok(changes >= 2, `the clock changed ${changes} times`);
    assert.match(await page.locator(".clock").textContent(), /^\d+:\d\d$/);
    await setSpeed(page, "10×");
    assert.ok((await frames(page, 2)).count > 10, "a faster run is drawn as before");
  });
});

test("nobody looks at a hidden page, so it does nothing", async () => {
  await rig.visit({}, async (page) => {
    await setSpeed(page, "10×");
    const hide = (hidden) => page.evaluate((hidden) => {
      Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
      document.dispatchEvent(new Event("visibilitychange"));
    }, hidden);
    await hide(true);
    // A frame that was asked for before may still come.
    await page.waitForTimeout(300);
    assert.deepEqual(await frames(page, 2), { count: 0, changes: 0 });
    await hide(false);
    assert.ok((await frames(page, 2)).count > 10);
  });
});
