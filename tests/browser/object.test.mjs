// One object opened, the store behind it, and why things are as they are.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { button, edit, setSpeed, startRig, untilPods } from "./run.mjs";
import { accessibilityProblems } from "./watch.mjs";

let rig;

before(async () => {
  rig = await startRig();
});

after(async () => {
  await rig?.stop();
});

const drawer = (page, name) => page.getByRole("tablist", { name: "Drawer" }).getByRole("tab", { name, exact: true });
const pages = (page) => page.getByRole("tablist", { name: "Pages of the object" });
const panel = (page) => page.locator("#object-panel");

/** Opens the first object with a kind and a name like this by way of the events about it. */
async function openFromEvents(page, about) {
  await drawer(page, "Events").click();
  await page.locator(".events").getByRole("button", { name: about }).first().click();
}

async function openReplicaSet(page) {
  await openFromEvents(page, "replicaset/my-app");
  await page.getByRole("heading", { name: "my-app", exact: true }).waitFor();
}

test("an object opens from what is said about it, its spec and its status apart", async () => {
  await rig.visit({}, async (page) => {
    await openReplicaSet(page);
    await page.getByText("1, observed by its controller").waitFor();
    await page.getByText("3 of 3 ready").waitFor();
    const wanted = page.locator(".side-part.wanted");
    const observed = page.locator(".side-part.observed");
    assert.match(await wanted.textContent(), /replicas3.*/s);
    assert.match(await wanted.textContent(), /last written by kubectl apply/);
    assert.match(await observed.textContent(), /readyReplicas3/);
    assert.match(await observed.textContent(), /you do not\. Last: replicaset-controller/);
    await page.locator(".object-head").getByRole("button", { name: /^Pod my-app-/ }).first().click();
    await page.getByRole("heading", { name: /^my-app-\w{5}$/ }).waitFor();
    await page.locator(".conditions").getByRole("rowheader", { name: "Ready", exact: true }).waitFor();
    await page.locator(".object-head").getByRole("button", { name: "ReplicaSet my-app", exact: true }).click();
    await page.getByRole("heading", { name: "my-app", exact: true }).waitFor();
  });
});

test("the pages of an object are turned with the keyboard alone", async () => {
  await rig.visit({}, async (page) => {
    await openReplicaSet(page);
    await pages(page).getByRole("tab", { name: "Overview" }).focus();
    await page.keyboard.press("ArrowRight");
    await panel(page).getByText("apiVersion").first().waitFor();
    assert.ok(!(await panel(page).textContent()).includes("managedFields"));
    await button(page, "Managed fields").focus();
    await page.keyboard.press("Enter");
    await panel(page).getByText("managedFields").first().waitFor();
    await pages(page).getByRole("tab", { name: "YAML" }).focus();
    await page.keyboard.press("End");
    await panel(page).getByText("SuccessfulCreate").first().waitFor();
    await page.keyboard.press("ArrowLeft");
    await panel(page).locator(".revision").first().waitFor();
  });
});

test("the history of an object shows what each revision changed, and compares any two", async () => {
  await rig.visit({}, async (page) => {
    await edit(page, "replicas: 3", "replicas: 4");
    await button(page, "Apply").click();
    await untilPods(page, 4);
    await openReplicaSet(page);
    await pages(page).getByRole("tab", { name: "History" }).click();
    const changed = panel(page).getByRole("button", { name: /spec\.replicas 3 → 4/ });
    await changed.click();
    assert.equal(await changed.getAttribute("aria-expanded"), "true");
    const diff = panel(page).locator(".diff");
    assert.match(await diff.textContent(), /- {3}replicas: 3\n\+ {3}replicas: 4/);
    await panel(page).getByRole("button", { name: /^Compare with revision/ }).last().click();
    await diff.getByText(/^from revision \d+ to \d+$/).waitFor();
  });
});

test("the store lists who wrote what, shows a diff, and what was refused never reached it", async () => {
  await rig.visit({}, async (page) => {
    await edit(page, "replicas: 3", "replicas: -1");
    await button(page, "Apply").click();
    await drawer(page, "Store").click();
    await page.getByText("Refused, nothing stored").waitFor();
    assert.match(await page.locator(".refusals").textContent(), /422.*kubectl apply.*must be greater than or equal to 0/s);
    const revisions = page.getByRole("list", { name: "Newest revisions" });
    await page.getByLabel("Kind").selectOption("ReplicaSet");
    await revisions.getByText("/registry/replicasets/default/my-app").first().waitFor();
    assert.equal(await revisions.getByText("/registry/pods/").count(), 0);
    await page.getByLabel("Kind").selectOption("all kinds");
    await page.getByRole("searchbox", { name: /Find revisions/ }).fill("bind");
    await revisions.getByRole("button", { name: /scheduler bind.*spec\.nodeName node-/ }).first().click();
    await page.locator(".store-open .diff .new", { hasText: "nodeName: node-" }).waitFor();
    await page.locator(".store-open").getByRole("button", { name: /^Pod my-app-/ }).click();
    await page.getByRole("heading", { name: /^my-app-\w{5}$/ }).waitFor();
    await page.getByRole("searchbox", { name: /Find revisions/ }).fill("");
    await button(page, "Heartbeats").click();
    await setSpeed(page, "10×");
    await revisions.getByText("/registry/leases/").first().waitFor({ timeout: 15_000 });
  });
});

test("why goes back to what the visitor did, in sentences and as boxes that open", async () => {
  await rig.visit({}, async (page) => {
    await openFromEvents(page, /^pod\/my-app-/);
    await page.locator(".object-head").getByRole("button", { name: /^Why/ }).click();
    await page.getByRole("heading", { name: /^Why does Pod my-app-\w+ exist\?$/ }).waitFor();
    const story = page.locator(".why-story", { has: page.getByRole("heading", { name: /exist\?$/ }) });
    assert.match(
      await story.locator(".told").textContent(),
      /You applied the manifest \(0:00\.000\)\..*stored ReplicaSet my-app.*wanted 3 and saw 0.*It created Pod my-app-.*It bound Pod my-app-\w+ to node-/s,
    );
    const chain = story.getByRole("list", { name: /Chain of causes/ });
    assert.match(await chain.getByRole("listitem").first().textContent(), /kubectl apply/);
    await chain.getByRole("button", { name: /replicaset-controller/ }).click();
    await page.getByText("I created 3 pods.").waitFor();
    await chain.getByRole("button", { name: /ReplicaSet my-app/ }).first().click();
    await page.getByRole("heading", { name: "my-app", exact: true }).waitFor();
    await page.getByRole("button", { name: "Why spec.replicas?" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Why is spec.replicas of ReplicaSet my-app 3?" }).waitFor();
    await page.getByText("Nothing holds ReplicaSet my-app up.").waitFor();
  });
});

test("events are found by text, and an object that is gone keeps its history", async () => {
  await rig.visit({}, async (page) => {
    await page.getByRole("button", { name: /^Delete pod / }).first().click();
    await drawer(page, "Events").click();
    await page.getByRole("searchbox", { name: "Find events" }).fill("Killing");
    const about = page.locator(".events").getByRole("button", { name: /^pod\/my-app-/ });
    await about.first().waitFor();
    assert.equal(await page.locator(".events .reason", { hasText: "Scheduled" }).count(), 0);
    await about.first().click();
    await page.getByText(/^Gone since revision \d+/).waitFor({ timeout: 30_000 });
    await pages(page).getByRole("tab", { name: "History" }).click();
    await panel(page).locator(".revision.gone").waitFor();
  });
});

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing wrong with objects, store and causes in the ${colorScheme} theme`, async () => {
    await rig.visit({ colorScheme }, async (page) => {
      await openFromEvents(page, /^pod\/my-app-/);
      assert.deepEqual(await accessibilityProblems(page), []);
      for (const name of ["YAML", "History", "Events"]) {
        await pages(page).getByRole("tab", { name }).click();
        if (name === "History") await panel(page).locator(".revision").first().click();
        assert.deepEqual(await accessibilityProblems(page), [], name);
      }
      for (const name of ["Store", "Why"]) {
        await drawer(page, name).click();
        assert.deepEqual(await accessibilityProblems(page), [], name);
      }
    });
  });
}

test("a pod that is touched on a phone opens", async () => {
  await rig.visit({ hasTouch: true, viewport: { width: 390, height: 844 } }, async (page) => {
    await page.locator(".tile .name").first().tap();
    await page.locator(".side-part.observed").waitFor();
  });
});

test("an object can be read at 390 pixels, and nothing sticks out sideways", async () => {
  await rig.visit({ viewport: { width: 390, height: 844 } }, async (page) => {
    await page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: "Time" }).click();
    await openFromEvents(page, /^pod\/my-app-/);
    await page.locator(".side-part.observed").waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    await page.locator(".object-head").getByRole("button", { name: /^Why/ }).click();
    await page.locator(".chain .box").first().waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  });
});
