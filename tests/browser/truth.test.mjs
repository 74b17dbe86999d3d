// The page says nothing that is not so: a pass in hand, convergence, steps at rest.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { button, setSpeed, startRig } from "./run.mjs";

let rig;

before(async () => {
  rig = await startRig();
});

after(async () => {
  await rig?.stop();
});

const phase = (page, name) => page.locator(`.phase.${name}`);
const notice = (page) => page.locator(".notice p");

/** Whether an element is in the window and nothing lies over it. */
async function isVisible(locator) {
  return locator.evaluate((element) => {
    const box = element.getBoundingClientRect();
    const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    return box.width > 0 && box.bottom <= innerHeight && box.right <= innerWidth && (element.contains(hit) || hit?.contains(element));
  });
}

/** Time stands still, and a pod has just been deleted. */
async function drift(page) {
  await button(page, "Pause").click();
  await page.getByRole("button", { name: /^Delete pod/ }).first().click();
}

test("a pass that has not compared yet says so, and is filled phase by phase", async () => {
  await rig.visit({}, async (page) => {
    await drift(page);
    await button(page, "Step phase").click();
    await page.locator(".dial strong", { hasText: "observe" }).waitFor();
    assert.match(await phase(page, "diff").textContent(), /not compared yet/);
    assert.match(await phase(page, "act").textContent(), /nothing is asked for yet/);
    assert.ok(await page.locator(".phase.act.pending").count(), "act has not come yet");
    assert.doesNotMatch(await page.locator(".thoughts").textContent(), /nothing to change/);
    assert.doesNotMatch(await page.locator(".pass-line").first().textContent(), /nothing to do/);
    await button(page, "Step phase").click();
    await page.locator(".dial strong", { hasText: "diff" }).waitFor();
    assert.match(await phase(page, "diff").textContent(), /desired 3/);
    assert.match(await phase(page, "act").textContent(), /leaves now/);
  });
});

test("a cluster without living nodes is stuck, and running on does not call it converged", async () => {
  await rig.visit({}, async (page) => {
    await setSpeed(page, "1000×");
    for (const node of ["node-1", "node-2", "node-3"]) {
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: /^What to do/ }).fill(`${node} power`);
      await page.locator("#palette-list").getByRole("option").first().click();
    }
    const badge = page.locator(".drift.bad", { hasText: "stuck:" });
    await badge.waitFor({ timeout: 30_000 });
    assert.ok(await isVisible(badge), "the badge is to be seen");
    assert.match(await badge.getAttribute("title"), /0 of 3 ready/);
    await button(page, "Run until converged").click();
    await notice(page).filter({ hasText: /^Stuck: / }).waitFor();
    assert.equal(await page.getByText("converged for").count(), 0);
  });
});

test("at rest a step of a phase stays, says so and offers the next timer", async () => {
  await rig.visit({}, async (page) => {
    await button(page, "Pause").click();
    const clock = page.getByRole("timer");
    const before = await clock.textContent();
    await button(page, "Step phase").click();
    await notice(page).filter({ hasText: /^Nothing is left to do\. The next timer: / }).waitFor();
    assert.equal(await clock.textContent(), before);
    await button(page, "Skip to it").click();
    await page.waitForFunction((text) => document.querySelector(".clock").textContent !== text, before);
  });
});

test("the menu beside the steps goes on until something is created", async () => {
  await rig.visit({}, async (page) => {
    await drift(page);
    await button(page, "More steps").click();
    const entry = button(page, "Until something is created");
    assert.ok(await isVisible(entry), "the menu is to be seen");
    await entry.click();
    await notice(page).filter({ hasText: /^Created: Pod my-app-/ }).waitFor();
  });
});
