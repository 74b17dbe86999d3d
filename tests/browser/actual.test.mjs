// The cluster as it is: tiles, cells, the heat map, owners and Services, by pointer and by keyboard.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { button, manifest, setSpeed, startRig } from "./run.mjs";
import { accessibilityProblems } from "./watch.mjs";

let rig;

before(async () => {
  rig = await startRig();
});

after(async () => {
  await rig?.stop();
});

const deployment = (replicas) => `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: nginx, image: "nginx:1.25"}]}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  type: NodePort
  selector: {app: web}
  ports: [{port: 8080, targetPort: 80}]
`;

/** The address of a cluster of so many nodes, some minutes after a manifest was applied to it. */
const at = (nodes, replicas) => `?${new URLSearchParams({ layout: "inspect", nodes, speed: 10, at: 200, manifest: deployment(replicas) })}`;

/** axe finds nothing. The loop beside has tests of its own. */
async function isAccessible(page) {
  await tab(page, "Object").click();
  assert.deepEqual(await accessibilityProblems(page), []);
}

const tab = (page, name) => page.getByRole("tab", { name, exact: true });
const focused = (page) => page.evaluate(() => document.activeElement?.getAttribute("data-name") ?? "");
const shownObject = (page) => tab(page, "Object").getAttribute("aria-selected");

test("a tile and a node open when pressed", async () => {
  await rig.visit({}, async (page) => {
    const tile = page.locator(".tile").first();
    await tile.locator(".status").click();
    assert.equal(await shownObject(page), "true");
    await tab(page, "Loop").click();
    await page.getByRole("article", { name: "Node node-1" }).getByRole("button", { name: "node-1", exact: true }).press("Enter");
    assert.equal(await shownObject(page), "true");
    for (const [selector, kind] of [[".tile", "Pod"], [".node", "Node"]]) {
      const thing = page.locator(selector).first();
      assert.equal(await thing.getAttribute("data-kind"), kind);
      assert.ok(await thing.getAttribute("data-name"));
    }
  });
});

test("three hundred pods are cells that can be walked and opened by keyboard", async () => {
  await rig.visit({ address: at(12, 300) }, async (page) => {
    assert.equal(await page.locator(".cells .square.good").count(), 300);
    await page.locator(".cells .square").first().focus();
    const first = await focused(page);
    await page.keyboard.press("ArrowRight");
    const second = await focused(page);
    assert.notEqual(second, first);
    await page.keyboard.press("ArrowDown");
    assert.ok(![first, second].includes(await focused(page)));
    await page.keyboard.press("Home");
    assert.equal(await focused(page), first);
    await page.keyboard.press("Enter");
    assert.equal(await shownObject(page), "true");
    await button(page, "Tiles").click();
    await page.locator(".tile").first().waitFor();
    await button(page, "Auto").click();
    await button(page, "Pause").click();
    await isAccessible(page);
  });
});

test("beyond a thousand pods there is one canvas, on which nodes are picked by pointer and arrow keys", async () => {
  // Reading the picture back is this test's own doing, which Chromium remarks upon.
  await rig.visit({ expect: /willReadFrequently/, address: at(40, 1_200) }, async (page) => {
    const picture = page.getByRole("img", { name: "40 nodes, 1,200 pods: 1,200 ready" });
    await picture.waitFor();
    assert.equal(await page.locator(".tile, .cells .square").count(), 0);
    const inks = () => picture.evaluate((canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const colours = new Set();
      for (let i = 0; i < data.length; i += 4) colours.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
      return [...colours];
    });
    assert.ok((await inks()).includes(0x1f7a4c), "ready pods are painted in their colour");
    const walk = page.getByRole("slider", { name: "Node on the map" });
    await walk.click({ position: { x: 5, y: 5 } });
    await page.locator(".picked").getByRole("article", { name: "Node node-1", exact: true }).waitFor();
    await page.keyboard.press("ArrowRight");
    await page.locator(".picked").getByRole("article", { name: "Node node-2", exact: true }).waitFor();
    assert.match(await walk.getAttribute("aria-valuetext"), /^node-2, Ready, \d+ pods: \d+ ready$/);
    await page.keyboard.press("End");
    await page.locator(".picked").getByRole("article", { name: "Node node-40" }).waitFor();
    assert.equal(await walk.getAttribute("aria-valuenow"), "40");
    await setSpeed(page, "10×");
    await page.getByRole("button", { name: "Crash node-40" }).click();
    await page.locator(".picked .truth", { hasText: "no power" }).waitFor();
    await page.emulateMedia({ colorScheme: "dark" });
    await page.waitForFunction(() => {
      const canvas = document.querySelector(".heat canvas");
      const [r, g, b] = canvas.getContext("2d").getImageData(canvas.width - 1, canvas.height - 1, 1, 1).data;
      return r + g + b < 200;
    });
    await button(page, "Pause").click();
    await isAccessible(page);
  });
});

test("owners are a tree that folds, with generations and a way to more", async () => {
  await rig.visit({ address: at(3, 20) }, async (page) => {
    await tab(page, "Owners").click();
    const row = (name) => page.getByRole("treeitem").filter({ hasText: name });
    await row("Deployment").getByText("20 of 20 ready").waitFor();
    await row("Deployment").getByText("generation 1, observed").waitFor();
    assert.equal(await row("Pod").count(), 12);
    await row("and 8 more").click();
    await row("Pod").nth(19).waitFor();
    await row("Deployment").focus();
    await page.keyboard.press("ArrowDown");
    assert.match(await focused(page), /^web-/);
    await page.keyboard.press("ArrowLeft");
    await page.waitForFunction(() => document.querySelectorAll("[role=treeitem][data-kind=Pod]").length === 0);
    await page.keyboard.press("ArrowLeft");
    assert.equal(await focused(page), "web");
    await page.keyboard.press("Enter");
    assert.equal(await shownObject(page), "true");
    await button(page, "Pause").click();
    await isAccessible(page);
  });
});

test("a request to a Service names who answers, and that nobody does", async () => {
  await rig.visit({ address: at(3, 2) }, async (page) => {
    await tab(page, "Services").click();
    const service = page.getByRole("article", { name: "Service web" });
    const send = service.getByRole("button", { name: "Send a request to web" });
    await send.click();
    await service.getByText(/Request 1: web-\S+ answers/).waitFor();
    await send.click();
    const second = await service.getByText(/Request 2: web-\S+ answers/).textContent();
    assert.equal(await service.locator(".endpoint.way").getAttribute("data-name"), /web-\S+/.exec(second)[0]);
    await manifest(page).fill(deployment(0));
    await button(page, "Apply").click();
    await service.getByText("A request would be refused").waitFor({ timeout: 30_000 });
    await send.click();
    await service.getByText("Refused").waitFor({ timeout: 30_000 });
    await button(page, "Pause").click();
    await isAccessible(page);
  });
});

test("parameters that make no sense are warned of and passed over", async () => {
  const warnings = [];
  const before = (page) => page.on("console", (message) => warnings.push(message.text()));
  const address = "?nodes=lots&seed=-1&speed=3&layout=inspect&what=ever&paused=0&at=3";
  await rig.visit({ before, address, expect: /is passed over/ }, (page) => page.getByText("3 of 3 pods ready").waitFor());
  for (const name of ["nodes=lots", "seed=-1", "speed=3", "what=ever"]) {
    assert.ok(warnings.some((text) => text.includes(name)), `${name}: ${warnings}`);
  }
});

test("on a phone the map and its node stand under each other, and the stages can be reached", async () => {
  await rig.visit({ viewport: { width: 390, height: 844 } }, async (page) => {
    await button(page, "Map").click();
    await page.getByRole("img", { name: /3 nodes, 3 pods/ }).waitFor();
    await page.getByRole("slider").press("ArrowRight");
    await page.locator(".picked article").waitFor();
    for (const name of ["Owners", "Services", "Nodes"]) {
      await tab(page, name).click();
      assert.equal(await page.evaluate(() => document.querySelector("main").scrollWidth), 390, name);
    }
  });
});
