// Two clusters side by side, as a person puts them there.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { button, setSpeed, startRig } from "./run.mjs";
import { accessibilityProblems } from "./watch.mjs";

let rig;
before(async () => (rig = await startRig()));
after(() => rig?.stop());

const stage = (page, name) => page.getByRole("tab", { name, exact: true }).click();
const half = (page, name) => page.getByRole("article", { name: `Cluster ${name}` });

async function begin(page, difference) {
  await stage(page, "Twins");
  await page.getByLabel("In B").selectOption(difference);
  await button(page, "Begin twins").click();
  await half(page, "B").waitFor();
}

test("twins without a difference stay alike, whatever is done to both", async () => {
  await rig.visit({}, async (page) => {
    await begin(page, "nothing is different");
    await page.getByText(/A and B are alike: \d+ steps, every one the same/).waitFor();
    await stage(page, "Nodes");
    await button(page, "Crash node-1").click();
    await setSpeed(page, "100×");
    await stage(page, "Twins");
    for (const name of ["A", "B"]) await half(page, name).getByText("NotReady").waitFor({ timeout: 20_000 });
    await button(page, "Pause").click();
    await page.getByText("A and B are alike").waitFor();
    await button(page, "End twins").click();
    await button(page, "Begin twins").waitFor();
  });
});

test("a twin that gives nodes up sooner converges earlier", async () => {
  await rig.visit({}, async (page) => {
    await begin(page, "a silent node is given up after 20 s instead of 50 s");
    await stage(page, "Nodes");
    await button(page, "Crash node-1").click();
    await setSpeed(page, "10×");
    await stage(page, "Twins");
    await half(page, "B").getByText("NotReady").waitFor({ timeout: 20_000 });
    await page.getByText("A has 2 of 3 pods ready, B 3 of 3.").waitFor({ timeout: 60_000 });
    await page.getByRole("table", { name: "Objects that only one of them has" }).waitFor();
    await page.getByText(/^B converged .* earlier\.$/).waitFor({ timeout: 60_000 });
    await button(page, "Pause").click();
  });
});

for (const colorScheme of ["light", "dark"]) {
  test(`a fault can be B's alone, and axe finds nothing wrong in the ${colorScheme} theme`, async () => {
    await rig.visit({ colorScheme }, async (page) => {
      await begin(page, "crash node-1");
      await setSpeed(page, "100×");
      await half(page, "B").getByText("NotReady").waitFor({ timeout: 20_000 });
      assert.equal(await half(page, "A").getByText("NotReady").count(), 0);
      await button(page, "Pause").click();
      assert.deepEqual(await accessibilityProblems(page), []);
      await button(page, "End twins").click();
      assert.deepEqual(await accessibilityProblems(page), []);
    });
  });
}

test("on a narrow screen the twins stand one below the other", async () => {
  await rig.visit({ viewport: { width: 390, height: 844 } }, async (page) => {
    await begin(page, "another seed");
    const [a, b] = [await half(page, "A").boundingBox(), await half(page, "B").boundingBox()];
    assert.ok(b.y >= a.y + a.height && a.width > 300, JSON.stringify([a, b]));
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  });
});
