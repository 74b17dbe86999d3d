// The main paths of the page in Firefox and WebKit. What is asked of the page in detail, its tests in Chromium ask.
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { describe, test, after, before } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { PLAIN } from "../run.mjs";
import { startServer } from "../server.mjs";
import { startFirefox } from "./firefox.mjs";
import { personAt } from "./person.mjs";
import { missingForWebKit, startWebKit } from "./webkit.mjs";

const SIZE = { width: 1280, height: 720 };
const BROWSERS = [
  { engine: "Firefox", start: startFirefox, missing: [] },
  { engine: "WebKit", start: startWebKit, missing: missingForWebKit() },
];

const converged = (person, ms) => person.reads("converged for", { ms });
const untilPods = (person, count) => person.reads(`${count} of ${count} pods ready`);
const podNames = (person) => person.textsOf(".tile .name");
const clock = (person) => person.textOf("[role=timer]");

/** The paths: at which address each begins, and what a person does there. */
const PATHS = {
  "a first visit shows the three cards and converges": ["?layout=learn", async (person) => {
    await person.until("the first pass is shown", () => all(".card.act").length > 0);
    for (let looks = 0; looks < 6; looks += 1) {
      for (const card of [".card.observe", ".card.diff", ".card.act"]) await person.inSight(card);
      await sleep(300);
    }
    await converged(person, 90_000);
    assert.equal(await person.count(".tile.good"), 3);
    const lines = await person.look(() => all(".term").map((one) => getComputedStyle(one)).map((style) => `${style.textDecorationLine} ${style.textDecorationStyle}`));
    assert.deepEqual([...new Set(lines)], ["underline dotted"], "words that explain themselves look so");
    assert.equal(await person.count(".introduction"), 0, "an address with parameters is not introduced");
  }],

  "a changed manifest is applied": [PLAIN, async (person) => {
    await converged(person);
    await typeReplicas(person, 3, 5);
    await person.reads("edited, not applied");
    await person.click("button", "Apply");
    await person.reads("replicaset.apps/my-app configured", { within: ".answer" });
    await untilPods(person, 5);
    assert.equal(await person.count(".tile.good"), 5);
  }],

  "a deleted pod is replaced": [PLAIN, async (person) => {
    await converged(person);
    const before = await podNames(person);
    assert.equal(before.length, 3);
    await person.click("button", `Delete pod ${before[0]}`);
    await person.reads(`pod "${before[0]}" deleted`, { within: ".answer" });
    await person.until("the pod is gone and three are ready", (gone) => {
      const names = all(".tile .name").map((one) => one.textContent);
      return !names.includes(gone) && all(".tile.good").length === 3;
    }, [before[0]]);
    assert.deepEqual((await podNames(person)).filter((name) => before.includes(name)).toSorted(), before.slice(1).toSorted());
  }],

  "time is paused and stepped phase by phase": [PLAIN, async (person) => {
    await converged(person);
    await person.click("button", "Pause");
    await person.until("time stands still", () => Boolean(named("button", "Play")));
    const paused = await clock(person);
    await sleep(300);
    assert.equal(await clock(person), paused);
    await person.click("button", "Delete pod …");
    await person.reads("time stands still", { within: ".answer" });
    for (const phase of ["diff", "act"]) {
      await person.click("button", "Step phase");
      await person.until(`the dial shows ${phase}`, (p) => all(".dial strong").some((one) => one.textContent.includes(p)), [phase]);
    }
    await person.click("button", "Run until converged");
    await untilPods(person, 3);
  }],

  "the terminal answers, and its prompt stays in view": [PLAIN, async (person) => {
    await converged(person);
    await person.click("[role=tab]", "Terminal");
    await person.click("textarea", "Command");
    await enter(person, "kubectl get pods");
    const table = (await person.textsOf(".terminal .entry pre")).at(-1);
    const [head, ...rows] = table.trimEnd().split("\n").map((row) => row.trim().split(/ {2,}/));
    assert.deepEqual(head, ["NAME", "READY", "STATUS", "RESTARTS", "AGE"]);
    assert.equal(rows.length, 3);
    for (const [name, ready, status] of rows) {
      assert.match(name, /^my-app-[a-z0-9]{5}$/);
      assert.deepEqual([ready, status], ["1/1", "Running"]);
    }
    for (const command of ["kubectl get pods -A -o yaml", "kubectl describe nodes", "kubectl get pods"]) {
      await enter(person, command);
      await person.inSight("textarea", "Command");
      await person.until(`the end of ${command} is in sight`, () => all(".terminal .screen").every((s) => s.scrollHeight - s.clientHeight - s.scrollTop <= 24));
    }
  }],

  "dragging along the line of time looks back": ["?layout=inspect&speed=10", async (person) => {
    await converged(person);
    await typeReplicas(person, 3, 5);
    await person.click("button", "Apply");
    await untilPods(person, 5);
    // A line that still grows would move what is aimed at.
    await person.click("button", "Pause");
    await person.until("both deeds are marked", () => all(".chart .mark:not(.converged) line").length >= 2);
    const [box, deed] = await person.look(() => {
      const { x, y, width, height } = named("[role=slider]", "Moment looked at").getBoundingClientRect();
      const deeds = all(".chart .mark:not(.converged) line").map((one) => Number.parseFloat(one.getAttribute("x1")));
      return [{ x, y, width, height }, Math.max(...deeds)];
    });
    const at = (share) => ({ x: box.x + box.width * share, y: box.y + box.height / 2 });
    await person.drag(at(0.9), at((deed - 4) / 100));
    await untilPods(person, 3);
    await person.reads("starts a new branch");
    assert.equal(await person.count(".chart .future"), 1);
    await person.click("button", await person.look(() => nameOf(all("button").find((one) => nameOf(one).includes("return to now")))));
    await untilPods(person, 5);
    assert.equal(await person.count(".past-note"), 0);
  }],
};

/** Puts the caret behind the number of replicas in the editor, and types another one. */
async function typeReplicas(person, from, to) {
  const behind = (n) => {
    const line = all(".cm-line").find((one) => one.textContent.includes(`replicas: ${n} `));
    if (!line) return null;
    const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
    let offset = line.textContent.indexOf(": ") + 2;
    while (walker.nextNode().data.length <= offset) offset -= walker.currentNode.data.length;
    const range = document.createRange();
    range.setStart(walker.currentNode, offset);
    range.setEnd(walker.currentNode, offset + 1);
    const { right, top, height } = range.getBoundingClientRect();
    return { x: right, y: top + height / 2 };
  };
  const { x, y } = await person.until(`the editor has replicas: ${from}`, behind, [from]);
  await person.clickAt(x, y);
  await person.press("Backspace");
  await person.type(String(to));
  await person.until(`the editor has replicas: ${to}`, behind, [to]);
}

/** Enters a command and waits for its answer. */
async function enter(person, text) {
  const before = await person.count(".terminal .entry");
  await person.type(text);
  await person.until("the command stands at the prompt", (t) => named("textarea", "Command").value === t, [text]);
  await person.press("Enter");
  await person.until(`${text} is answered`, (n) => all(".terminal .entry").length > n && all(".prompt-line label")[0].textContent.includes("$"), [before]);
}

/** What a page says of itself once it is there: exceptions, and violations of its policy. */
function noteComplaints() {
  globalThis.complaints = [];
  const note = (text) => globalThis.complaints.push(text);
  addEventListener("error", (event) => note(`exception: ${event.message}`));
  addEventListener("unhandledrejection", (event) => note(`rejection: ${event.reason}`));
  document.addEventListener("securitypolicyviolation", (event) => note(`policy: ${event.violatedDirective} ${event.blockedURI}`));
}

for (const { engine, start, missing } of BROWSERS) {
  const skip = missing.length > 0 && `not on this machine: ${missing.join(", ")}`;
  describe(engine, { skip }, () => {
    let server;
    let window;

    before(async () => {
      server = await startServer({ "/blank": "<!DOCTYPE html><title>blank</title><link rel=icon href=data:,>" });
      window = await start(SIZE);
      console.log(`${engine} is ${window.name}`);
    });

    after(async () => {
      await window?.stop();
      await server?.stop();
    });

    for (const [name, [address, walk]] of Object.entries(PATHS)) {
      test(name, { timeout: 180_000 }, async () => {
        const person = personAt(window);
        // Nothing is kept from the path before.
        await window.go(`${server.url}blank`);
        await person.look(() => localStorage.clear());
        window.complaints.length = 0;
        await window.go(server.url + address);
        await person.look(noteComplaints);
        try {
          await walk(person);
        } catch (error) {
          await keepPicture(`${engine} ${name}`, window);
          throw error;
        }
        const { scrollWidth, scrollHeight } = await person.look(() => {
          const { scrollWidth, scrollHeight } = document.documentElement;
          return { scrollWidth, scrollHeight };
        });
        assert.deepEqual([scrollWidth, scrollHeight], [SIZE.width, SIZE.height], "nothing sticks out");
        assert.deepEqual([...window.complaints, ...await person.look(() => globalThis.complaints)], []);
      });
    }
  });
}

/** Whoever looks for the fault wants to see the page. */
async function keepPicture(name, window) {
  const folder = new URL("../out/", import.meta.url);
  await mkdir(folder, { recursive: true });
  await writeFile(new URL(`${name.replaceAll(" ", "_")}.png`, folder), await window.picture());
}
