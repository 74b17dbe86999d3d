// The claims of CLAIMS.md, each provoked by hand in the page. Those that another file shows already (S5, S6 in time, L4, K1, K2 in loop, K5 in terminal)
// are not repeated here.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { answer, button, converged, edit, manifest, setSpeed, startRig, untilPods } from "./run.mjs";

let rig;
before(async () => (rig = await startRig()));
after(() => rig?.stop());

const drawer = (page, name) => page.getByRole("tablist", { name: "Drawer" }).getByRole("tab", { name: new RegExp(`^${name}`) }).click();
const stage = (page, name) => page.getByRole("tablist", { name: "What is shown of the cluster" }).getByRole("tab", { name }).click();
const ring = (page, name) => page.getByTitle(name, { exact: true });
const screen = (page) => page.getByRole("log", { name: "Terminal output" });
const firstPod = (page) => page.locator('[data-kind="Pod"]').first();

/** Runs a line in the terminal and waits until it says something. */
async function run(page, text, said) {
  await drawer(page, "Terminal");
  const line = page.getByRole("textbox", { name: "Command" });
  await line.fill(text);
  await line.press("Enter");
  await screen(page).locator("pre", { hasText: said }).last().waitFor({ timeout: 15_000 });
}

async function apply(page, from, to) {
  await edit(page, from, to);
  await button(page, "Apply").click();
}

async function example(page, title) {
  await manifest(page).waitFor();
  await page.getByLabel("Examples").selectOption({ label: title });
  await button(page, "Apply").click();
}

/** Chooses from the menu of a thing. */
async function choose(page, thing, item) {
  await thing.click({ button: "right" });
  await page.getByRole("menu").getByRole("menuitem", { name: item }).first().click();
}

/** Opens an object by way of the palette. */
async function open(page, name) {
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: /^What to do/ }).fill(name);
  await page.locator("#palette-list").getByRole("option", { name: new RegExp(`^Open .*${name}`) }).first().click();
  await page.locator(".object-head").waitFor();
}

test("L1 and L2: each phase of a pass can be seen, from nothing to three pods", async () => {
  await rig.visit({}, async (page) => {
    await button(page, "Pause").click();
    await button(page, "Undo").click();
    await page.getByText("0 of 0 pods ready").waitFor();
    await button(page, "Apply").click();
    const seen = new Set();
    for (let i = 0; i < 60 && !seen.has("act"); i += 1) {
      await button(page, "Step phase").click();
      seen.add(await page.locator(".dial strong").textContent());
    }
    assert.ok(seen.has("diff") && seen.has("act"), [...seen].join(" "));
    await ring(page, "replicaset").click();
    await button(page, "Run until converged").click();
    await untilPods(page, 3);
    await page.locator(".pass-line", { hasText: /requests/ }).last().click();
    await page.getByText("I wanted 3 pods labelled app=my-app. I saw 0.").waitFor();
    await page.getByText("I created 3 pods.").waitFor();
  });
});

test("L3 and W6: with a resync passes come though nothing has changed, and do nothing", async () => {
  await rig.visit({}, async (page) => {
    await button(page, "New run").click();
    await page.getByLabel("Resync").fill("30");
    await button(page, "Start anew").click();
    await button(page, "Apply").click();
    await untilPods(page, 3);
    await setSpeed(page, "10×");
    await page.getByText(/resync/i).first().waitFor();
    const idle = page.locator(".pass-line", { hasText: "nothing to do" });
    const before = await idle.count();
    await page.waitForFunction((n) => [...document.querySelectorAll(".pass-line")].filter((l) => l.textContent.includes("nothing to do")).length > n, before, { timeout: 20_000 });
  });
});

test("L8: refused calls are made good by a later pass", async () => {
  await rig.visit({}, async (page) => {
    // Slow enough that the controller has not yet acted when the calls begin to be refused.
    await setSpeed(page, "0.01×");
    await apply(page, "replicas: 3", "replicas: 5");
    await answer(page).getByText("replicaset.apps/my-app configured").waitFor({ timeout: 30_000 });
    await choose(page, page.getByRole("button", { name: /^API server/ }), "Refuse the next 10 API calls");
    await setSpeed(page, "10×");
    await untilPods(page, 5);
    await drawer(page, "Store");
    await page.locator(".refusals li").first().waitFor();
  });
});

test("L10 and S4: a Deployment's pod goes back to the person's command, and its conditions tell how it is", async () => {
  await rig.visit({}, async (page) => {
    await example(page, "Deployment web");
    await answer(page).getByText("deployment.apps/web created").waitFor();
    await converged(page);
    await open(page, "Deployment web");
    await page.locator(".conditions").getByText("MinimumReplicasAvailable").waitFor();
    await page.locator(".conditions").getByText("NewReplicaSetAvailable").waitFor();
    await page.locator(".object-head").getByRole("button", { name: /^ReplicaSet web-/ }).first().click();
    await page.locator(".object-head").getByRole("button", { name: /^Pod web-/ }).first().click();
    await drawer(page, "Why");
    const why = page.locator("#drawer-panel");
    for (const words of [/You applied|kubectl apply/, /Deployment web/, /ReplicaSet web-/]) await why.getByText(words).first().waitFor();
  });
});

test("S1 and S7: what is refused or unchanged makes no revision", async () => {
  await rig.visit({}, async (page) => {
    await drawer(page, "Store");
    const newest = page.getByRole("list", { name: "Newest revisions" }).getByRole("listitem").first();
    await button(page, "Pause").click();
    const before = await newest.textContent();
    await button(page, "Play").click();
    await button(page, "Apply").click();
    await answer(page).getByText("replicaset.apps/my-app unchanged").waitFor();
    await apply(page, "replicas: 3", "replicas: -1");
    await page.getByText("Refused, nothing stored").waitFor();
    await button(page, "Pause").click();
    assert.equal(await newest.textContent(), before);
  });
});

test("S2 and S3: a written status is dropped; without a controller the generation runs ahead", async () => {
  await rig.visit({}, async (page) => {
    await run(page, `kubectl patch rs my-app --type=merge -p '{"status":{"replicas":42}}'`, "replicaset.apps/my-app patched");
    await open(page, "ReplicaSet my-app");
    await page.getByText("1, observed by its controller").waitFor();
    assert.match(await page.locator(".side-part.observed").textContent(), /replicas3/);
    await run(page, "kubectl scale rs my-app --replicas=4", "scaled");
    await page.getByText("2, observed by its controller").waitFor();
    await page.getByRole("tab", { name: "Loop" }).click();
    await choose(page, ring(page, "replicaset"), "Crash it now");
    await run(page, "kubectl scale rs my-app --replicas=5", "scaled");
    await open(page, "ReplicaSet my-app");
    await page.getByText("3, its controller has observed 2").waitFor();
  });
});

test("S8: the next apply overwrites a live edit, and the diff tells before", async () => {
  await rig.visit({}, async (page) => {
    await run(page, "kubectl scale rs my-app --replicas=5", "scaled");
    await untilPods(page, 5);
    await button(page, "Diff against live").click();
    await page.locator(".desired").getByText("replicas: 5").first().waitFor();
    await button(page, "Apply").click();
    await answer(page).getByText("configured").waitFor();
    await untilPods(page, 3);
  });
});

test("W1 and W2: the stream is pushed, and behind a slow link the cache is stale", async () => {
  await rig.visit({}, async (page) => {
    await page.getByRole("button", { name: /^Watch open/ }).click();
    await page.locator(".opened").getByText(/^(ADDED|MODIFIED)/).first().waitFor();
    await choose(page, ring(page, "replicaset"), /^Make the link slower by/);
    await page.getByRole("button", { name: /^Delete pod/ }).first().click();
    await page.getByText(/^[1-9]\d* new$/).first().waitFor({ timeout: 15_000 });
  });
});

test("W4: a manager that crashes in the middle of a pass does no harm once it is back", async () => {
  await rig.visit({}, async (page) => {
    await choose(page, ring(page, "replicaset"), "Crash it before its next action");
    await page.getByRole("button", { name: /^Delete pod/ }).first().click();
    await page.locator(".ring-button.down").first().waitFor({ timeout: 15_000 });
    await choose(page, ring(page, "replicaset"), "Start it again");
    await setSpeed(page, "10×");
    await untilPods(page, 3);
  });
});

test("F1 and G4: a deleted pod is replaced, and scaling down takes pods away", async () => {
  await rig.visit({}, async (page) => {
    const gone = await firstPod(page).getAttribute("data-name");
    await page.getByRole("button", { name: /^Delete pod/ }).first().click();
    await page.locator(`[data-kind="Pod"][data-name="${gone}"]`).waitFor({ state: "detached", timeout: 15_000 });
    await untilPods(page, 3);
    await apply(page, "replicas: 3", "replicas: 1");
    await untilPods(page, 1);
    await page.locator(".pass-line.differs").first().click();
    await page.getByText("I deleted 2 pods.").waitFor();
  });
});

test("F2 and F7: a dead node's pods are replaced elsewhere, a node that was cut off comes back", async () => {
  await rig.visit({}, async (page) => {
    await page.getByRole("button", { name: "Crash node-2" }).click();
    await setSpeed(page, "100×");
    await page.locator(".state", { hasText: "NotReady" }).waitFor({ timeout: 20_000 });
    await page.getByText("3 of 3 ready, 1 ending").waitFor({ timeout: 20_000 });
    await page.getByRole("button", { name: "Restart node-2" }).click();
    await untilPods(page, 3);
    await page.getByRole("button", { name: "Cut off node-1" }).click();
    await page.locator(".state", { hasText: "NotReady" }).waitFor({ timeout: 20_000 });
    await page.getByRole("button", { name: "Heal node-1" }).click();
    await page.locator(".state", { hasText: "NotReady" }).waitFor({ state: "detached", timeout: 20_000 });
  });
});

test("F3: a crash loop waits ever longer and is the loop at work", async () => {
  await rig.visit({}, async (page) => {
    await example(page, "Crash loop");
    await setSpeed(page, "10×");
    await page.locator(".tile", { hasText: "CrashLoopBackOff" }).first().waitFor({ timeout: 30_000 });
    await page.locator(".tile", { hasText: /[2-9] restarts/ }).first().waitFor({ timeout: 30_000 });
  });
});

test("F8: what a person changes in a container is gone with it", async () => {
  await rig.visit({}, async (page) => {
    const name = await firstPod(page).getAttribute("data-name");
    await run(page, `kubectl exec ${name} -- touch /fixed && kubectl exec ${name} -- ls /fixed`, "/fixed");
    await page.getByRole("button", { name: `Kill the containers of pod ${name}` }).click();
    await page.locator(`[data-name="${name}"]`, { hasText: "1 restart" }).waitFor({ timeout: 15_000 });
    await run(page, `kubectl exec ${name} -- ls /fixed`, "No such file");
  });
});

test("F10: the page says which reason it is that nothing happened", async () => {
  await rig.visit({}, async (page) => {
    await example(page, "Deployment web");
    await converged(page);
    await run(page, "kubectl rollout pause deployment web", "paused");
    await run(page, "kubectl set image deployment web '*=nginx:1.27'", "image updated");
    await open(page, "Deployment web");
    await page.locator("#side-panel").getByText(/paused/i).first().waitFor();
  });
});

test("G1 and G2: pods go with their owner, or stay as orphans and are adopted", async () => {
  await rig.visit({}, async (page) => {
    await stage(page, "Owners");
    const set = () => page.locator('[data-kind="ReplicaSet"]').first();
    await set().waitFor();
    await choose(page, set(), "Delete it alone");
    await set().waitFor({ state: "detached" });
    await page.locator('[data-kind="Pod"]').nth(2).waitFor();
    await button(page, "Apply").click();
    await set().waitFor();
    await stage(page, "Nodes");
    await untilPods(page, 3);
    await stage(page, "Owners");
    await choose(page, set(), "Delete");
    await page.getByText("0 of 0 pods ready").waitFor({ timeout: 15_000 });
  });
});

test("G3: a finalizer holds a deletion until it is taken away", async () => {
  await rig.visit({}, async (page) => {
    await example(page, "Finalizer");
    await answer(page).getByText("created").waitFor();
    const name = (await answer(page).textContent()).match(/configmap\/(\S+) created/)[1];
    await run(page, `kubectl delete configmap ${name} --wait=false`, "deleted");
    await open(page, name);
    await page.locator(".object-head").getByText(/finalizer/i).first().waitFor();
    await choose(page, page.locator(".object-head [data-kind=ConfigMap], .object-head").first(), /^Remove its finalizers/).catch(async () => {
      await run(page, `kubectl patch configmap ${name} --type=merge -p '{"metadata":{"finalizers":null}}'`, "patched");
    });
    await page.getByText(/gone since/i).first().waitFor();
  });
});
