// What a visitor can do: apply, step, break, mend.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { answer, button, converged, edit, readyPods, setSpeed, startRig, untilPods } from "./run.mjs";
import { accessibilityProblems } from "./watch.mjs";

let rig;

before(async () => {
  rig = await startRig();
});

after(async () => {
  await rig?.stop();
});

const clock = (page) => page.getByRole("timer").textContent();
const podNames = (page) => page.locator(".tile .name").allTextContents();

test("a first visit is already running, and three pods converge within ten seconds", async () => {
  await rig.visit({ address: "?layout=inspect&speed=1" }, async (page) => {
    await untilPods(page, 3);
    assert.equal(await readyPods(page).count(), 3);
    assert.match(await answer(page).textContent(), /kubectl apply -f -.*replicaset\.apps\/my-app created/s);
    await page.getByText("Delete a pod and watch the ReplicaSet replace it.").waitFor();
    // The pass that made the difference stays until the next one that makes one.
    await page.getByText("I wanted 3 pods labelled app=my-app. I saw 0.").waitFor();
  });
});

test("an edited manifest is applied and answered as kubectl would", async () => {
  await rig.visit({}, async (page) => {
    await edit(page, "replicas: 3", "replicas: 5");
    await page.getByText("edited, not applied").waitFor();
    await button(page, "Apply").click();
    await answer(page).getByText("replicaset.apps/my-app configured").waitFor();
    await untilPods(page, 5);
  });
});

test("a wrong manifest gets the real words and changes nothing", async () => {
  await rig.visit({}, async (page) => {
    const before = await podNames(page);
    await edit(page, "replicas: 3", "replicas: -1");
    await button(page, "Apply").click();
    await answer(page)
      .getByText('The ReplicaSet "my-app" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0')
      .waitFor();
    await edit(page, "kind: ReplicaSet", "kind: [");
    await button(page, "Apply").click();
    await answer(page).getByText(/error: error parsing STDIN: error converting YAML to JSON: yaml: line \d+/).waitFor();
    await converged(page);
    assert.deepEqual(await podNames(page), before);
  });
});

test("nothing that is typed breaks the page", async () => {
  await rig.visit({}, async (page) => {
    const editor = page.getByRole("textbox", { name: "Manifest" });
    for (const text of ["", "---", "\t", "a:\n\t- b", "💥: [}", "- ".repeat(2000), "&a [*a, *a]", "\u0000", "kind: Pod", "x".repeat(100_000)]) {
      await editor.fill(text);
      await button(page, "Apply").click();
    }
    await converged(page);
    await page.getByRole("button", { name: /^Delete pod/ }).first().click();
    await answer(page).getByText("deleted").waitFor();
  });
});

test("time can be paused, stepped and sped up", async () => {
  await rig.visit({}, async (page) => {
    await button(page, "Pause").click();
    const paused = await clock(page);
    await page.waitForTimeout(150);
    assert.equal(await clock(page), paused);
    await page.getByRole("button", { name: /^Delete pod/ }).first().click();
    await answer(page).getByText("time stands still").waitFor();
    for (const phase of ["observe", "diff"]) {
      await button(page, "Step phase").click();
      await page.locator(".dial strong", { hasText: phase }).waitFor();
    }
    await button(page, "Step event").click();
    await button(page, "Run until converged").click();
    await untilPods(page, 3);
    await button(page, "Play").click();
    await setSpeed(page, "1000×");
    const [hours, minutes] = (await clock(page)).split(":").map(Number);
    await page.waitForTimeout(1_000);
    const [laterHours, laterMinutes] = (await clock(page)).split(":").map(Number);
    assert.ok(laterHours * 60 + laterMinutes - hours * 60 - minutes >= 2, "a second at 1000× is minutes");
  });
});

test("a deleted pod is replaced", async () => {
  await rig.visit({}, async (page) => {
    const before = await podNames(page);
    await page.getByRole("button", { name: `Delete pod ${before[0]}` }).click();
    await answer(page).getByText(`pod "${before[0]}" deleted`).waitFor();
    await untilPods(page, 3);
    const after = await podNames(page);
    assert.ok(!after.includes(before[0]));
  });
});

test("a crashed node is found out, and its pods come up elsewhere", async () => {
  await rig.visit({}, async (page) => {
    const node = page.getByRole("article", { name: "Node node-2" });
    await button(page, "Crash node-2").click();
    await node.getByText("no power").waitFor();
    await setSpeed(page, "100×");
    await node.getByText("NotReady").waitFor();
    await page.getByRole("article", { name: "Node node-1" }).or(page.getByRole("article", { name: "Node node-3" })).locator(".tile.good").nth(2).waitFor({ timeout: 20_000 });
    await button(page, "Restart node-2").click();
    await node.getByText("Ready", { exact: false }).and(node.locator(".state")).filter({ hasNotText: "NotReady" }).waitFor();
  });
});

test("the whole thing works with the keyboard alone", async () => {
  await rig.visit({}, async (page) => {
    const press = async (name) => {
      for (let presses = 0; presses < 80; presses += 1) {
        await page.keyboard.press("Tab");
        const focused = await page.evaluate(() => {
          const element = document.activeElement?.shadowRoot?.activeElement ?? document.activeElement;
          return element?.getAttribute("aria-label") ?? element?.textContent ?? "";
        });
        if (focused.startsWith(name)) return page.keyboard.press("Enter");
      }
      throw new Error(`Tab never reached ${name}`);
    };
    const before = await podNames(page);
    await press("Pause");
    await button(page, "Play").waitFor();
    await page.keyboard.press("Enter");
    await press("Manifest");
    await page.keyboard.press("Control+End");
    await page.keyboard.press("Control+Enter");
    await answer(page).getByText("replicaset.apps/my-app unchanged").waitFor();
    // Whoever has typed in the editor leaves it with Escape and Tab.
    await page.keyboard.press("Escape");
    await press("Delete pod");
    await answer(page).getByText("deleted").waitFor();
    await untilPods(page, 3);
    assert.notDeepEqual(await podNames(page), before);
    await press("deployment");
    await page.getByText("This controller has not had anything to do yet.").waitFor();
  });
});

test("on a phone one pane shows at a time, and nothing sticks out sideways", async () => {
  await rig.visit({ viewport: { width: 390, height: 844 } }, async (page) => {
    for (const [pane, heading] of [["Desired", "Desired"], ["Loop", "The loop"], ["Time", "Time"], ["Actual", "Actual"]]) {
      await button(page, pane).click();
      await page.getByRole("heading", { name: heading, exact: true }).waitFor();
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, pane);
      assert.equal(await page.evaluate(() => document.querySelector("main").scrollWidth), 390, pane);
      assert.equal(await page.evaluate(() => document.documentElement.scrollHeight), 844, `${pane}: only the pane scrolls`);
    }
  });
});

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing wrong with a broken cluster in the ${colorScheme} theme`, async () => {
    await rig.visit({ colorScheme }, async (page) => {
      await button(page, "Crash node-1").click();
      await setSpeed(page, "100×");
      await page.locator(".taints").first().waitFor();
      await edit(page, "replicas: 3", "replicas: x");
      await button(page, "Apply").click();
      await page.locator(".answer.failed").waitFor();
      await button(page, "Pause").click();
      assert.deepEqual(await accessibilityProblems(page), []);
    });
  });
}
