// The terminal, used as a person would: typing, Tab, arrows, Ctrl-C, pasting.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { answer, button, edit, startRig, untilPods } from "./run.mjs";
import { accessibilityProblems } from "./watch.mjs";

let rig;

before(async () => {
  rig = await startRig();
});

after(async () => {
  await rig?.stop();
});

const line = (page) => page.getByRole("textbox", { name: "Command" });
const screen = (page) => page.getByRole("log", { name: "Terminal output" });

async function open(page) {
  await untilPods(page, 3);
  await page.getByRole("tab", { name: "Terminal" }).click();
}

async function enter(page, text) {
  await line(page).fill(text);
  await line(page).press("Enter");
}

/** The rows of the last table on the screen, each as its cells. */
async function lastTable(page) {
  const text = await screen(page).locator("pre").last().textContent();
  return text.trimEnd().split("\n").map((row) => row.trim().split(/ {2,}/));
}

test("kubectl answers with the table of the real client", async () => {
  await rig.visit({}, async (page) => {
    await open(page);
    await enter(page, "kubectl get pods");
    await screen(page).getByText("my-app-").first().waitFor();
    const [head, ...rows] = await lastTable(page);
    assert.deepEqual(head, ["NAME", "READY", "STATUS", "RESTARTS", "AGE"]);
    assert.equal(rows.length, 3);
    for (const [name, ready, status] of rows) {
      assert.match(name, /^my-app-[a-z0-9]{5}$/);
      assert.deepEqual([ready, status], ["1/1", "Running"]);
    }
    await screen(page).getByText("1 API request").click();
    await screen(page).getByText("GET /api/v1/namespaces/default/pods → 200").waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
  });
});

test("a deployment is created, a pod deleted and replaced, and the events tell of it", async () => {
  await rig.visit({}, async (page) => {
    await open(page);
    await enter(page, "kubectl create deployment demo --image=nginx:1.25 --replicas=3");
    await screen(page).getByText("deployment.apps/demo created").waitFor();
    await enter(page, "kubectl rollout status deployment/demo");
    await screen(page).getByText('deployment "demo" successfully rolled out').waitFor();
    await enter(page, "kubectl delete $(kubectl get pods -l app=demo -o name | head -1)");
    await screen(page).getByText(/pod "demo-.*" deleted from default namespace/).waitFor();
    await enter(page, 'kubectl describe replicaset -l app=demo | grep -A 10 "Events:" | grep -c SuccessfulCreate');
    await screen(page).locator("pre").last().getByText(/^4\s*$/).waitFor();
  });
});

test("a watch follows while time passes and ends with Ctrl-C", async () => {
  await rig.visit({}, async (page) => {
    await open(page);
    await enter(page, "kubectl get pods -w | grep web");
    await page.getByText("…", { exact: true }).waitFor();
    const first = await page.getByRole("button", { name: "Delete pod" }).first().getAttribute("aria-label");
    await button(page, first).click();
    await line(page).press("Control+c");
    await screen(page).getByText("^C").waitFor();
    await button(page, first).waitFor({ state: "detached" });
    await enter(page, "kubectl get pods -w");
    await screen(page).getByText("STATUS").waitFor();
    await page.getByRole("button", { name: "Delete pod" }).first().click();
    await screen(page).getByText("Terminating").first().waitFor();
    await screen(page).getByText("ContainerCreating").first().waitFor();
    await line(page).press("Control+c");
    await enter(page, "echo done");
    await screen(page).getByText("done", { exact: true }).waitFor();
  });
});

test("Tab completes commands, types, names and flags; arrows bring lines back", async () => {
  await rig.visit({}, async (page) => {
    await open(page);
    await line(page).pressSequentially("kubectl desc");
    await line(page).press("Tab");
    await line(page).pressSequentially("replicaset my");
    await line(page).press("Tab");
    assert.equal(await line(page).inputValue(), "kubectl describe replicaset my-app ");
    await line(page).press("Enter");
    await screen(page).getByText("Pods Status:").waitFor();
    await enter(page, "echo second");
    await line(page).press("ArrowUp");
    await line(page).press("ArrowUp");
    assert.equal(await line(page).inputValue(), "kubectl describe replicaset my-app");
    await line(page).press("ArrowDown");
    await line(page).press("ArrowDown");
    assert.equal(await line(page).inputValue(), "");
    await line(page).pressSequentially("kubectl get po");
    await line(page).press("Tab");
    await page.getByText("poddisruptionbudgets").first().waitFor();
  });
});

test("several lines and a here-document can be pasted at once", async () => {
  await rig.visit({}, async (page) => {
    await open(page);
    await enter(page, "kubectl apply -f - <<EOF\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: pasted\ndata:\n  a: b\nEOF\nkubectl get cm pasted -o jsonpath='{.data.a}{\"\\n\"}'");
    await screen(page).getByText("configmap/pasted created").waitFor();
    await screen(page).locator("pre").last().getByText(/^configmap\/pasted created\s+b\s*$/).waitFor();
  });
});

test("the manifest of the editor is a file, and kubectl edit hands an object to the editor", async () => {
  await rig.visit({}, async (page) => {
    await open(page);
    await enter(page, "ls && kubectl diff -f manifest.yaml && kubectl apply -f manifest.yaml");
    await screen(page).getByText("replicaset.apps/my-app unchanged").waitFor();
    await enter(page, "kubectl edit replicaset my-app");
    await button(page, "Save").waitFor();
    await edit(page, "replicas: 3", "replicas: 4");
    await button(page, "Save").click();
    await answer(page).getByText("replicaset.apps/my-app edited").waitFor();
    await untilPods(page, 4);
  });
});

test("nothing that is entered breaks the page", async () => {
  await rig.visit({}, async (page) => {
    await open(page);
    for (const text of ["'", "| |", "kubectl get pods -o jsonpath='{", "$(", "💥", "kubectl " + "x ".repeat(5_000), "cat <<A", "while true; do", "\\"]) {
      await enter(page, text);
      await line(page).press("Control+c");
    }
    await enter(page, "no-such-program");
    await screen(page).getByText("bash: no-such-program: command not found").waitFor();
    await enter(page, "clear");
    await page.locator(".terminal .entry pre").first().waitFor({ state: "detached" });
  });
});
