// Menus on the things themselves: by pointer, keyboard and long press.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { answer, button, converged, setSpeed, startRig, untilPods } from "./run.mjs";
import { accessibilityProblems } from "./watch.mjs";

let rig;

before(async () => {
  rig = await startRig();
});

after(async () => {
  await rig?.stop();
});

const menu = (page) => page.getByRole("menu");
const item = (page, name) => menu(page).getByRole("menuitem", { name });
const pods = (page) => page.locator('[data-kind="Pod"]');
const node = (page, name) => page.locator(`[data-kind="Node"][data-name="${name}"]`);
const controller = (page) => page.locator('[data-kind="Controller"]', { hasText: "replicaset" });
const nameOf = (thing) => thing.getAttribute("data-name");

test("a right click on a pod opens its menu, and a deleted pod is replaced", async () => {
  await rig.visit({}, async (page) => {
    const name = await nameOf(pods(page).first());
    await pods(page).first().click({ button: "right" });
    await menu(page).and(page.getByLabel(`Pod ${name}`)).waitFor();
    await item(page, "Delete", { exact: true }).first().click();
    await menu(page).waitFor({ state: "detached" });
    await answer(page).getByText(`pod "${name}" deleted`).waitFor();
    await untilPods(page, 3);
  });
});

test("a click beside a menu closes it and does nothing else", async () => {
  await rig.visit({}, async (page) => {
    await pods(page).first().click({ button: "right" });
    await menu(page).waitFor();
    await page.mouse.click(5, 300);
    await menu(page).waitFor({ state: "detached" });
    await untilPods(page, 3);
  });
});

test("the keyboard opens a menu, moves in it, and leaves it where it came from", async () => {
  await rig.visit({}, async (page) => {
    const thing = page.getByRole("button", { name: /^Menu of node node-1/ });
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
    for (const key of ["Shift+F10", "ContextMenu", "m"]) {
      await thing.focus();
      await page.keyboard.press(key);
      await menu(page).waitFor();
      assert.equal(await focused(), "Open");
      await page.keyboard.press("ArrowDown");
      assert.equal(await focused(), "YAML");
      await page.keyboard.press("c");
      assert.match(await focused(), /^Cordon/);
      await page.keyboard.press("Home");
      await page.keyboard.press("ArrowUp");
      assert.equal(await focused(), "Lose the next 10 answers");
      await page.keyboard.press("f");
      assert.equal(await focused(), "Freeze it");
      await page.keyboard.press("Home");
      assert.equal(await focused(), "Open");
      await page.keyboard.press("Escape");
      await menu(page).waitFor({ state: "detached" });
      assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("aria-label")), "Menu of node node-1");
    }
    await page.keyboard.press("Enter");
    await menu(page).waitFor();
    await page.keyboard.press("c");
    await page.keyboard.press("Enter");
    await answer(page).getByText("node/node-1 cordoned").waitFor();
    await node(page, "node-1").getByText("SchedulingDisabled").waitFor();
  });
});

test("a long press opens the menu on a touch screen, and lifting the finger does not close it", async () => {
  await rig.visit({ hasTouch: true, viewport: { width: 390, height: 844 } }, async (page) => {
    await button(page, "Actual").click();
    const { x, y } = await pods(page).first().boundingBox();
    const session = await page.context().newCDPSession(page);
    const touch = (type, points) => session.send("Input.dispatchTouchEvent", { type, touchPoints: points });
    await touch("touchStart", [{ x: x + 20, y: y + 12 }]);
    await menu(page).waitFor();
    await touch("touchEnd", []);
    await page.waitForTimeout(200);
    assert.equal(await menu(page).count(), 1);
    const box = await menu(page).boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= 390 && box.y >= 0 && box.y + box.height <= 844, JSON.stringify(box));
    await item(page, "Kill all its containers").tap();
    await menu(page).waitFor({ state: "detached" });
    await page.locator(".tile", { hasText: "restart" }).first().waitFor();
  });
});

test("a node is frozen, found out, and thawed by its menu", async () => {
  await rig.visit({}, async (page) => {
    const act = async (name) => {
      await page.getByRole("button", { name: "Menu of node node-2" }).click();
      await item(page, name).click();
    };
    await act("Freeze it");
    await setSpeed(page, "100×");
    await node(page, "node-2").getByText("NotReady").waitFor();
    await act("Thaw it");
    await node(page, "node-2").locator(".state").filter({ hasNotText: "NotReady" }).waitFor();
    await act("Make the link slower by 10 s");
    await page.getByRole("button", { name: "Menu of node node-2" }).click();
    assert.equal(await item(page, /slower by 10 s/).getAttribute("aria-disabled"), "true");
    await item(page, "Make the link as fast as before").click();
  });
});

test("a controller that crashes in the middle of a reconcile goes on after its restart", async () => {
  await rig.visit({}, async (page) => {
    await controller(page).click({ button: "right" });
    await item(page, "Crash it after one more action").click();
    for (const pod of [0, 0, 0]) await page.getByRole("button", { name: /^Delete pod/ }).nth(pod).click();
    await page.locator(".ring-button.down").first().waitFor();
    await setSpeed(page, "10×");
    await controller(page).click({ button: "right" });
    await item(page, "Start it again").click();
    await untilPods(page, 3);
  });
});

test("the cluster's own menu adds a node and takes the registry down", async () => {
  await rig.visit({}, async (page) => {
    await page.locator("body").press("m");
    await item(page, "Add a node").click();
    await node(page, "node-4").waitFor();
    await page.locator("body").press("m");
    await item(page, "Take the image registry down").click();
    await page.locator("body").press("m");
    await item(page, "Bring the image registry up").click();
    await converged(page);
  });
});

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing wrong with a menu in the ${colorScheme} theme`, async () => {
    await rig.visit({ colorScheme }, async (page) => {
      await button(page, "Pause").click();
      await node(page, "node-1").click({ button: "right", position: { x: 20, y: 8 } });
      await menu(page).waitFor();
      assert.deepEqual(await accessibilityProblems(page), []);
    });
  });
}
