// Operating a cluster: reads while time stands still, the table of objects, looks from menus, branches, runs with only an example.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { button, manifestText, startRig, untilPods } from "./run.mjs";
import { accessibilityProblems } from "./watch.mjs";

let rig;

before(async () => {
  rig = await startRig();
});

after(async () => {
  await rig?.stop();
});

const sizes = [
  { width: 1280, height: 720 },
  { width: 390, height: 844 },
];
const line = (page) => page.getByRole("textbox", { name: "Command" });
const screen = (page) => page.getByRole("log", { name: "Terminal output" });
const rows = (page) => page.locator(".object-table tbody tr");
const focused = (page) => page.evaluate(() => document.activeElement?.getAttribute("data-name"));
const item = (page, name) => page.getByRole("menuitem", { name, exact: true });
const isNarrow = (page) => page.viewportSize().width < 500;

/** Shows a pane where only one has room. */
async function pane(page, name) {
  if (isNarrow(page)) await page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name }).click();
}

async function openTerminal(page) {
  if (isNarrow(page)) await pane(page, "Terminal");
  else await page.getByRole("tab", { name: "Terminal" }).click();
}

async function openTable(page) {
  await pane(page, "Actual");
  await page.getByRole("tab", { name: "Objects" }).click();
  await rows(page).first().waitFor();
}

async function enter(page, text) {
  await line(page).fill(text);
  await line(page).press("Enter");
}

async function pause(page) {
  await untilPods(page, 3);
  await button(page, "Pause").click();
}

/** Fails unless some of the element is inside the window and hit where it is drawn. */
async function isInSight(locator, what) {
  await locator.waitFor();
  const reached = () =>
    locator.evaluate((element) => {
      const box = element.getBoundingClientRect();
      const [left, right] = [Math.max(box.left, 0), Math.min(box.right, innerWidth)];
      const [top, bottom] = [Math.max(box.top, 0), Math.min(box.bottom, innerHeight)];
      if (left >= right || top >= bottom) return false;
      // A long text may be cut by what it scrolls in: some of it has to be hit where it is drawn.
      const shares = [0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98];
      return shares.some((down) =>
        shares.some((along) => {
          const hit = document.elementFromPoint(left + (right - left) * along, top + (bottom - top) * down);
          return hit !== null && element.contains(hit);
        }),
      );
    });
  for (let tries = 0; tries < 20; tries += 1) {
    if (await reached()) return;
    await locator.page().waitForTimeout(50);
  }
  assert.fail(`${what} is not in sight`);
}

test("what only reads is answered while time stands still, and a write waits and says so", async () => {
  for (const viewport of sizes) {
    await rig.visit({ viewport }, async (page) => {
      await pause(page);
      const clock = await page.getByRole("timer").textContent();
      await openTerminal(page);
      await enter(page, "kubectl get pods | grep my-app");
      const read = screen(page).locator(".entry").last();
      await isInSight(read.getByText(/^answered from 0:\d\d\.\d{3}, time stands still$/), "the mark of a read");
      assert.equal((await read.locator("pre").textContent()).trim().split("\n").length, 3);
      await enter(page, "kubectl scale rs my-app --replicas=4");
      await isInSight(screen(page).locator(".queued").getByText("queued: time stands still; press play or step"), "the line that waits");
      await enter(page, "kubectl get rs my-app --no-headers");
      await screen(page).locator("pre", { hasText: /^my-app +3 +3 +3/ }).waitFor();
      assert.equal(await page.getByRole("timer").textContent(), clock);
      assert.deepEqual(await accessibilityProblems(page), []);
      await button(page, "Play").click();
      await screen(page).getByText("replicaset.apps/my-app scaled").waitFor();
      await screen(page).locator(".queued").waitFor({ state: "detached" });
    });
  }
});

test("the table lists objects live with kubectl's columns, sorts and filters them", async () => {
  await rig.visit({ viewport: sizes[0] }, async (page) => {
    await untilPods(page, 3);
    await openTable(page);
    const heads = await page.locator(".object-table thead th button").allTextContents();
    assert.deepEqual(heads, ["NAMESPACE", "NAME", "READY", "STATUS", "RESTARTS", "AGE"]);
    assert.equal(await rows(page).count(), 3);
    assert.deepEqual(await accessibilityProblems(page), []);
    await isInSight(rows(page).first(), "the first row");
    const names = await rows(page).locator("td:nth-child(2)").allTextContents();
    await page.getByRole("button", { name: "NAME", exact: true }).click();
    await page.getByRole("button", { name: "NAME", exact: true }).click();
    await page.locator('th[aria-sort="descending"]').waitFor();
    assert.deepEqual(await rows(page).locator("td:nth-child(2)").allTextContents(), names.toReversed());
    await page.getByLabel("Find objects").fill(names[0]);
    await page.waitForFunction(() => document.querySelectorAll(".object-table tbody tr").length === 1);
    await page.getByLabel("Find objects").fill("");
    await page.getByLabel("Kind", { exact: true }).selectOption({ label: "nodes (3)" });
    await page.locator('.object-table tr[data-name="node-3"]').waitFor();
    assert.equal(await page.getByLabel("Namespace", { exact: true }).count(), 0);
    await page.getByLabel("Kind", { exact: true }).selectOption({ label: "pods (3)" });
    await page.getByLabel("Namespace", { exact: true }).selectOption("kube-system");
    await page.getByText("There are none at this moment.").waitFor();
  });
});

test("the table is used by the keyboard alone", async () => {
  await rig.visit({ viewport: sizes[0] }, async (page) => {
    await untilPods(page, 3);
    await openTable(page);
    const names = await rows(page).evaluateAll((all) => all.map((row) => row.dataset.name));
    await rows(page).first().focus();
    await page.keyboard.press("ArrowDown");
    assert.equal(await focused(page), names[1]);
    await page.keyboard.press("End");
    assert.equal(await focused(page), names[2]);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await isInSight(page.locator(".object-head h2", { hasText: names[1] }), "the object");
    await page.keyboard.press("y");
    await isInSight(page.locator("#object-panel .yaml, #object-panel pre").first(), "the YAML");
    await page.keyboard.press("l");
    await screen(page).getByText(`kubectl logs pod/${names[1]} -n default`).waitFor();
    await isInSight(screen(page).locator("pre").last(), "the log");
    await page.keyboard.press("d");
    await screen(page).locator("pre", { hasText: "Node-Selectors" }).waitFor();
    await isInSight(screen(page).locator("pre").last(), "the description");
    assert.equal(await focused(page), names[1], "the focus stays in the table");
    await page.keyboard.press("Delete");
    await item(page, "Delete").waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Delete");
    await page.keyboard.press("Enter");
    await page.locator(`.object-table tr[data-name="${names[1]}"]`).waitFor({ state: "detached", timeout: 20_000 });
    await page.waitForFunction(() => document.activeElement?.matches(".object-table tbody tr"));
  });
});

test("logs, YAML and describe leave what they show in sight, from any menu", async () => {
  for (const viewport of sizes) {
    await rig.visit({ viewport }, async (page) => {
      await untilPods(page, 3);
      const choose = async (name) => {
        await openTable(page);
        await page.getByRole("button", { name: /^Menu of Pod my-app/ }).first().click();
        await item(page, name).click();
      };
      await choose("Logs");
      await screen(page).locator("pre", { hasText: "nginx" }).waitFor();
      await isInSight(screen(page).locator("pre").last(), "the log");
      await choose("Describe");
      await screen(page).locator("pre", { hasText: "Node-Selectors" }).waitFor();
      await isInSight(screen(page).locator("pre").last(), "the description");
      await choose("YAML");
      await isInSight(page.locator("#object-panel").getByText("apiVersion").first(), "the YAML");
    });
  }
});

test("a branch that was left behind is listed and can be had again", async () => {
  await rig.visit({ viewport: sizes[0] }, async (page) => {
    await untilPods(page, 3);
    await openTerminal(page);
    await enter(page, "kubectl scale rs my-app --replicas=5");
    await untilPods(page, 5);
    await page.evaluate(() => document.activeElement?.blur());
    await page.keyboard.press("u");
    await page.getByText(/to now, .* later/).waitFor();
    await page.getByRole("button", { name: "Delete pod" }).first().click();
    await page.getByRole("button", { name: "1 fork: 1 branch was left behind" }).click();
    const dialog = page.getByRole("dialog");
    await isInSight(dialog.getByText(/^Branch left at 0:\d\d\.\d{3}: 1 later command: scale rs my-app --replicas=5$/), "the branch");
    assert.deepEqual(await accessibilityProblems(page), []);
    await dialog.getByRole("button", { name: /^Reopen/ }).click();
    await page.getByText(/^This is the branch left at/).waitFor();
    await untilPods(page, 5);
    await page.getByRole("tab", { name: "Time" }).click();
    await page.getByRole("button", { name: "Branches 1" }).click();
    await dialog.getByText(/1 later command: delete pod my-app-/).waitFor();
  });
});

test("a new run begins with only the example, and the run before can be had back", async () => {
  for (const viewport of sizes) {
    await rig.visit({ viewport }, async (page) => {
      await untilPods(page, 3);
      await pane(page, "Desired");
      await page.locator(".cm-content").waitFor();
      await page.getByLabel("Examples").selectOption("Deployment web");
      const start = button(page, "Start a new run with only this example");
      await isInSight(start, "the offer");
      await start.click();
      await page.getByText("A new run has begun, with only this example in it.").waitFor();
      assert.match(await manifestText(page), /name: web/);
      await openTable(page);
      await page.waitForFunction(() => {
        const names = [...document.querySelectorAll(".object-table tbody tr")].map((row) => row.dataset.name);
        return names.length > 0 && names.every((name) => name.startsWith("web-"));
      });
      await button(page, "Go back to the run before").click();
      await page.locator('.actual [data-kind="Pod"][data-name^="my-app"]').first().waitFor();
    });
  }
});
