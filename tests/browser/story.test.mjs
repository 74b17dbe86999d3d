// What just happened: one key, one button, and the story that they show.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { button, readyPods, startRig } from "./run.mjs";
import { accessibilityProblems } from "./watch.mjs";

let rig;

before(async () => {
  rig = await startRig();
});

after(async () => {
  await rig?.stop();
});

const lines = (page) => page.locator(".story-lines li");
const line = (page, text) => lines(page).filter({ hasText: text }).first();
const SIZES = [
  { width: 1280, height: 720 },
  { width: 390, height: 844 },
];

/** Fails unless the middle of an element is inside the window and nothing lies over it. */
async function isVisible(locator, what) {
  const found = await locator.evaluate((element) => {
    const box = element.getBoundingClientRect();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const inside = box.width > 0 && box.x >= 0 && box.right <= innerWidth && y >= 0 && y <= innerHeight;
    const hit = document.elementFromPoint(x, y);
    return inside && (element.contains(hit) || hit?.contains(element));
  });
  assert.ok(found, `${what} is not to be seen`);
}

for (const viewport of SIZES) {
  const size = `${viewport.width}x${viewport.height}`;

  test(`the key w shows the story at ${size}`, async () => {
    await rig.visit({ viewport }, async (page) => {
      await page.keyboard.press("w");
      await isVisible(line(page, "You applied ReplicaSet my-app."), "the first line");
      await isVisible(page.locator(".story-now"), "the last line");
      assert.match(await page.locator(".story-now").textContent(), /3 of 3 pods are ready\. Converged after /);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(overflow <= 0, `the page is ${overflow} px too wide`);
    });
  });

  test(`the button shows the story at ${size}`, async () => {
    await rig.visit({ viewport }, async (page) => {
      const tool = page.getByRole("button", { name: "What just happened? (w)" });
      await isVisible(tool, "the button");
      await tool.click();
      await isVisible(line(page, "The scheduler placed 3 pods"), "the story");
      assert.equal(await page.getByRole("tab", { name: "Story", exact: true }).getAttribute("aria-selected"), "true");
    });
  });
}

test("the first tab of the drawer is the story, and a button beside the tabs leads to it", async () => {
  await rig.visit({ viewport: SIZES[0] }, async (page) => {
    const tabs = page.getByRole("tablist", { name: "Drawer" }).getByRole("tab");
    assert.equal(await tabs.first().textContent(), "Story");
    const beside = button(page, "What just happened?");
    await isVisible(beside, "the button beside the tabs");
    await beside.click();
    await lines(page).first().waitFor();
  });
});

test("names open objects, controllers their pass, revisions the store, times their moment", async () => {
  await rig.visit({ viewport: SIZES[0] }, async (page) => {
    await page.keyboard.press("w");
    await line(page, "You applied").getByRole("button", { name: "my-app", exact: true }).click();
    await page.getByRole("heading", { name: "my-app", exact: true }).waitFor();
    await line(page, "3 were missing").getByRole("button", { name: "ReplicaSet controller" }).click();
    await page.getByText("I wanted 3 pods labelled app=my-app. I saw 0.").first().waitFor();
    const revision = line(page, "The API server stored").getByRole("button", { name: /^revision \d+$/ });
    const number = (await revision.textContent()).replace("revision ", "");
    await revision.click();
    await page.locator(".revision[aria-expanded=true]").getByText(number, { exact: true }).waitFor();
    await page.keyboard.press("w");
    await line(page, "You applied").getByRole("button", { name: /^Go to / }).click();
    await page.getByText(/^What you do here, .* before now, starts a new branch/).waitFor();
    assert.equal(await lines(page).filter({ hasText: "The scheduler placed" }).count(), 0, "it is not told before it has happened");
  });
});

test("a deleted pod is a new story, and the one before can be had", async () => {
  await rig.visit({ viewport: SIZES[0] }, async (page) => {
    await page.keyboard.press("w");
    await readyPods(page).first().click({ button: "right" });
    await page.getByRole("menuitem", { name: /^Delete/ }).first().click();
    await line(page, /You deleted pod my-app-\w{5}\./).waitFor();
    await page.locator(".story-now").getByText("3 of 3 pods are ready. Converged after").waitFor({ timeout: 15_000 });
    const told = (await lines(page).allTextContents()).join("\n");
    assert.match(told, /marked it for deletion.*saw 2 of 3 pods: one was missing\..*created pod.*placed pod/s);
    assert.equal(await page.locator(".story-lines ol").getAttribute("aria-live"), "polite");
    await button(page, "Begin one action earlier").click();
    await line(page, "You applied ReplicaSet my-app.").waitFor();
  });
});

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing wrong with the story in the ${colorScheme} theme`, async () => {
    await rig.visit({ colorScheme, viewport: SIZES[0] }, async (page) => {
      await page.keyboard.press("w");
      await lines(page).first().waitFor();
      assert.deepEqual(await accessibilityProblems(page), []);
    });
  });
}
