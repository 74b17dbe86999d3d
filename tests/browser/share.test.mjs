// A run as a link, as a file, and as what an earlier visit left.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { button, converged, setSpeed, startRig, untilPods } from "./run.mjs";
import { unzipped } from "./unzip.mjs";
import { accessibilityProblems } from "./watch.mjs";

let rig;

before(async () => {
  rig = await startRig();
});

after(async () => {
  await rig?.stop();
});

const dialog = (page) => page.getByRole("dialog");
const notice = (page) => page.locator(".notice");

/** What is to be the same wherever a run is opened. */
async function moment(page) {
  await page.getByRole("tab", { name: "Time" }).click();
  return {
    clock: await page.getByRole("timer").textContent(),
    pods: await page.locator(".tile .name").allTextContents(),
    store: await page.getByText(/store at revision \d+/).textContent(),
  };
}

/** A run in which a few things were done by hand. */
async function live(page) {
  await page.getByRole("button", { name: /^Delete pod/ }).first().click();
  await page.getByRole("tab", { name: "Terminal" }).click();
  await page.getByLabel("Command").fill("kubectl scale rs my-app --replicas=4 && kubectl get nodes > nodes.txt");
  await page.keyboard.press("Enter");
  await untilPods(page, 4);
  await button(page, "Crash node-3").click();
  await setSpeed(page, "100×");
  await page.getByRole("article", { name: "Node node-3" }).getByText("NotReady").waitFor();
}

async function linkOf(page) {
  await button(page, "Share").click();
  const field = dialog(page).getByLabel("Link");
  await page.waitForFunction((input) => input.value !== "", await field.elementHandle());
  return field.inputValue();
}

test("a link opened elsewhere shows the same clock, pods and revision", async () => {
  await rig.visit({}, async (page) => {
    await live(page);
    const link = await linkOf(page);
    assert.match(link, /#s=[\w-]+$/);
    await button(page, "Close").click();
    const here = await moment(page);
    await rig.visit({}, async (other) => {
      await other.goto("about:blank");
      await other.goto(link);
      await button(other, "Play").waitFor();
      assert.deepEqual(await moment(other), here);
      await other.getByRole("tab", { name: "Terminal" }).click();
      await other.getByText("kubectl get nodes > nodes.txt").waitFor();
      await other.getByLabel("Command").fill("cat nodes.txt | wc -l");
      await other.keyboard.press("Enter");
      await button(other, "Play").click();
      await other.locator(".entry pre", { hasText: /^\s*4/ }).waitFor();
    });
  });
});

test("a link is copied to the clipboard", async () => {
  await rig.visit({ permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    const link = await linkOf(page);
    await button(page, "Copy link").click();
    await dialog(page).getByText("The link is on the clipboard.").waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), link);
  });
});

test("a file is exported and imported again, and the run before can be had back", async () => {
  await rig.visit({ acceptDownloads: true }, async (page) => {
    await live(page);
    await button(page, "Share").click();
    const [download] = await Promise.all([page.waitForEvent("download"), button(page, "Export file").click()]);
    assert.equal(download.suggestedFilename(), "loopscope.json");
    const state = JSON.parse(await readFile(await download.path(), "utf8"));
    assert.deepEqual([state.v, state.commands.length > 3], [1, true]);
    await button(page, "Close").click();
    const here = await moment(page);
    await page.getByRole("button", { name: /^Delete pod/ }).first().click();
    await button(page, "Run until converged").click();
    await converged(page);
    const later = await moment(page);
    await button(page, "Share").click();
    await dialog(page).getByLabel("Import file").setInputFiles(await download.path());
    await notice(page).getByText("This file was opened.").waitFor();
    assert.deepEqual(await moment(page), here);
    await button(page, "Go back to the run before").click();
    assert.deepEqual(await moment(page), later);
  });
});

test("a run is taken along to a real cluster as a folder", async () => {
  await rig.visit({ acceptDownloads: true }, async (page) => {
    await live(page);
    await button(page, "Share").click();
    const [download] = await Promise.all([page.waitForEvent("download"), button(page, "Export folder").click()]);
    assert.equal(download.suggestedFilename(), "loopscope.zip");
    const members = unzipped(await readFile(await download.path()));
    assert.match(members.get("loopscope/manifests/01-replicaset-my-app.yaml").toString(), /^apiVersion: apps\/v1\nkind: ReplicaSet/);
    const script = members.get("loopscope/run.sh").toString();
    execFileSync("bash", ["-n"], { input: script });
    const lines = script.split("\n");
    const order = [
      /^kubectl apply -f manifests\/01-replicaset-my-app\.yaml$/,
      /^kubectl delete pod my-app-\w+ -n default$/,
      /^kubectl scale rs my-app --replicas=4 && kubectl get nodes > nodes\.txt$/,
      /^# You crashed node-3\.$/,
    ].map((line) => lines.findIndex((text) => line.test(text)));
    assert.ok(order.every((place, i) => place > (order[i - 1] ?? 0)), `${order} in\n${script}`);
  });
});

test("a bad file or link is refused in words, and nothing is lost", async () => {
  await rig.visit({}, async (page) => {
    await button(page, "Pause").click();
    const here = await moment(page);
    await button(page, "Share").click();
    const file = (text) => ({ name: "x.json", mimeType: "application/json", buffer: Buffer.from(text) });
    await dialog(page).getByLabel("Import file").setInputFiles(file('{"v":7}'));
    await notice(page).getByText("This file cannot be opened: it has version 7, and this page reads version 1.").waitFor();
    for (const hash of ["#s=", "#s=%%%", "#s=AAAA", "#s=q1YqU7Iy1FGqBQA"]) {
      await page.evaluate((to) => { location.hash = to; }, hash);
      if (hash !== "#s=q1YqU7Iy1FGqBQA") await notice(page).getByText("This link cannot be opened").waitFor();
    }
    await page.evaluate(() => { location.hash = ""; });
    assert.equal((await moment(page)).clock, here.clock);
  });
});

test("a page that begins with a bad link says so and shows the first run", async () => {
  await rig.visit({}, async (page) => {
    const url = page.url();
    await page.goto("about:blank");
    await page.goto(`${url}#s=nothing-good`);
    await notice(page).getByText("This link cannot be opened: it is damaged or cut off.").waitFor();
    await untilPods(page, 3);
  });
});

test("a link that unpacks to more than a megabyte is refused", async () => {
  await rig.visit({}, async (page) => {
    const bomb = await page.evaluate(async () => {
      const stream = new Blob(["x".repeat(60_000_000)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
      const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
      let text = "";
      for (const byte of bytes) text += String.fromCharCode(byte);
      return btoa(text).replaceAll("+", "-").replaceAll("/", "_");
    });
    await page.evaluate((payload) => { location.hash = `#s=${payload}`; }, bomb);
    await notice(page).getByText("it is longer than 1 MB when it is unpacked").waitFor();
  });
});

test("the next visit offers to go on, and does not force it", async () => {
  await rig.visit({}, async (page) => {
    await live(page);
    await button(page, "Pause").click();
    await page.waitForTimeout(6_000);
    const here = await moment(page);
    await page.reload();
    await notice(page).getByText("An earlier visit left a run here.").waitFor();
    await untilPods(page, 3);
    await button(page, "Go on where you were").click();
    await button(page, "Play").waitFor();
    assert.deepEqual(await moment(page), here);
  });
});

test("axe finds nothing wrong with the share dialog", async () => {
  await rig.visit({}, async (page) => {
    await linkOf(page);
    assert.deepEqual(await accessibilityProblems(page), []);
  });
});

/** Does something, takes it back, and does something else: what came first is left behind as a branch. */
async function branchOff(page) {
  await page.getByRole("tab", { name: "Terminal" }).click();
  for (const replicas of [5, 4]) {
    await page.getByLabel("Command").fill(`kubectl scale rs my-app --replicas=${replicas}`);
    await page.keyboard.press("Enter");
    await untilPods(page, replicas);
    if (replicas === 5) await button(page, "Undo").click();
    if (replicas === 5) await button(page, "Play").click();
  }
}

test("branches outlive a reload, and one of them can be had again", async () => {
  await rig.visit({}, async (page) => {
    await branchOff(page);
    await page.waitForFunction(() => localStorage.getItem("loopscope.branches")?.includes("--replicas=5"));
    await page.reload();
    await converged(page);
    await button(page, "Go on where you were").click();
    await page.getByRole("button", { name: "1 fork: 1 branch was left behind" }).click();
    await dialog(page).getByText(/1 later command: scale rs my-app --replicas=5$/).waitFor();
    await dialog(page).getByRole("button", { name: /^Reopen/ }).click();
    await untilPods(page, 5);
  });
});

test("branches for which the browser has no room are said to be lost with the page", async () => {
  await rig.visit({}, async (page) => {
    // The run itself needs a little; its branches need more.
    await page.evaluate(() => {
      for (let size = 1 << 22; size >= 1 << 10; size /= 2) {
        for (let n = 0; n < 12; n += 1) {
          try {
            localStorage.setItem(`full${size}.${n}`, "x".repeat(size));
          } catch {
            break;
          }
        }
      }
    });
    await branchOff(page);
    await notice(page).getByText("The browser's storage is full: the oldest branches are lost when this page is closed or reloaded.").waitFor();
    await page.getByRole("button", { name: "1 fork: 1 branch was left behind" }).click();
    await dialog(page).getByText("The browser's storage is full: 1 of them, the oldest, are lost when this page is closed.").waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
  });
});
