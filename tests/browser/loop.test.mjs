// The loop as a person follows it: step by step, message by message, stopped where it matters.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { button, converged, setSpeed, startRig, untilPods } from "./run.mjs";
import { accessibilityProblems } from "./watch.mjs";

let rig;

before(async () => {
  rig = await startRig();
});

after(async () => {
  await rig?.stop();
});

const loop = (page) => page.getByRole("group", { name: "The loop of the one that is chosen" });
const ring = (page, name) => page.getByTitle(name, { exact: true });
const litLine = (page) => page.locator(".code .lit").textContent();

/** Time stands still, and a pod has just been deleted. */
async function drift(page) {
  await button(page, "Pause").click();
  await page.getByRole("button", { name: /^Delete pod/ }).first().click();
}

/** Handles one event after the other until something is to be seen. */
async function stepUntil(page, locator) {
  for (let steps = 0; steps < 200; steps += 1) {
    if (await locator.count()) return;
    await button(page, "Step event").click();
  }
  throw new Error("200 events were not enough");
}

test("phase by phase the lit line moves on, and requests can be opened", async () => {
  await rig.visit({}, async (page) => {
    await drift(page);
    await button(page, "Step phase").click();
    await page.locator(".dial strong", { hasText: "observe" }).waitFor();
    assert.equal((await litLine(page)).trim(), "missing = set.replicas - len(pods)");
    await button(page, "Step phase").click();
    await page.locator(".dial strong", { hasText: "diff" }).waitFor();
    assert.equal((await litLine(page)).trim(), "api.create(missing × set.template)");
    await loop(page).getByRole("button", { name: /^POST pods/ }).last().click();
    await loop(page).locator(".message-body").getByText("generateName: my-app-").waitFor();
    await button(page, "Run until converged").click();
    await untilPods(page, 3);
    await loop(page).locator(".message-body").getByText("resourceVersion").first().waitFor();
  });
});

test("a message is a dot on its line, and opens by pointer and by keyboard", async () => {
  await rig.visit({}, async (page) => {
    await drift(page);
    const dot = page.locator(".dot.on-watch");
    await stepUntil(page, dot);
    await dot.first().click();
    const letter = page.getByRole("region", { name: "The message that is open" });
    await letter.getByText("API server → controller manager").waitFor();
    await letter.getByText("because").waitFor();
    await button(page, "Close the message").click();
    const listed = page.getByRole("list", { name: "Messages in flight" }).getByRole("button").first();
    await listed.focus();
    await page.keyboard.press("Enter");
    await letter.waitFor();
  });
});

test("at a hundredth of real time messages travel and arrive", async () => {
  await rig.visit({ reducedMotion: "no-preference" }, async (page) => {
    await drift(page);
    await setSpeed(page, "0.01×");
    await button(page, "Play").click();
    await page.locator(".dot").first().waitFor({ state: "attached", timeout: 10_000 });
    await page.locator(".spark").first().waitFor({ state: "attached", timeout: 10_000 });
  });
});

test("boxes of the diagram open, by keyboard too", async () => {
  await rig.visit({}, async (page) => {
    await button(page, "Pause").click();
    const opens = [[/^Watch open/, "What was pushed last"], [/^Cache /, "heard of every change"], [/^Queue /, "0 ready"], [/^etcd rev/, "The store is at revision"], [/^API server /, "requests and"], [/^Controller /, "never talks to another controller"], [/^You /, "kubectl apply"]];
    for (const [name, words] of opens) {
      await page.getByRole("button", { name }).focus();
      await page.keyboard.press("Enter");
      await loop(page).locator(".opened").getByText(words).first().waitFor();
    }
    await button(page, "Close the box").click();
    await loop(page).locator(".opened").waitFor({ state: "detached" });
  });
});

test("a breakpoint stops the run before the request, and Continue goes on", async () => {
  await rig.visit({}, async (page) => {
    await page.getByRole("checkbox", { name: "act", exact: true }).check();
    await page.getByRole("button", { name: /^Delete pod/ }).first().click();
    await page.getByText("Stopped before act of replicaset: POST pods").waitFor({ timeout: 10_000 });
    await button(page, "Play").waitFor();
    await page.getByRole("button", { name: /^Remove breakpoint/ }).click();
    await button(page, "Continue").click();
    await converged(page);
    await untilPods(page, 3);
  });
});

test("the scheduler shows what each plugin thought of each node", async () => {
  await rig.visit({}, async (page) => {
    await ring(page, "scheduler").click();
    const rows = page.locator(".verdicts tbody tr");
    await rows.nth(2).waitFor();
    await page.locator(".verdicts .chosen").getByText("chosen").waitFor({ state: "attached" });
    const sums = await page.locator(".verdicts .sum").allTextContents();
    assert.equal(Math.max(...sums.map(Number)), Number(sums[0]));
    await page.getByRole("textbox", { name: "of pod" }).fill("nobody");
    await page.keyboard.press("Enter");
    await page.getByText("There is no such pod.").waitFor();
  });
});

test("a kubelet has its own ring, with its containers and what it did", async () => {
  await rig.visit({}, async (page) => {
    await page.getByRole("button", { name: "Crash node-3" }).waitFor();
    await ring(page, "kubelet node-1").click();
    await page.locator(".pod-work .container.running").first().waitFor();
    await page.locator(".did").getByText("Container started").first().waitFor();
  });
});

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing wrong with an open loop in the ${colorScheme} theme`, async () => {
    await rig.visit({ colorScheme }, async (page) => {
      await page.getByRole("checkbox", { name: "act", exact: true }).check();
      await page.getByRole("button", { name: /^Delete pod/ }).first().click();
      await page.getByText("Stopped before act").waitFor({ timeout: 10_000 });
      await page.getByRole("button", { name: /^Cache / }).click();
      await page.getByRole("list", { name: "Messages in flight" }).getByRole("button").first().click();
      assert.deepEqual(await accessibilityProblems(page), []);
      for (const name of ["scheduler", "kubelet node-1"]) {
        await ring(page, name).click();
        assert.deepEqual(await accessibilityProblems(page), []);
      }
    });
  });
}
