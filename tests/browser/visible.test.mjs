// What has to be in sight is in sight, at every size: the terminal's prompt, completions, the way out of kubectl edit, a stop, the time axis.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { answer, button, converged, edit, manifest, manifestText, setSpeed, startRig, untilPods } from "./run.mjs";
import { SIZES, assertInSight, isNarrow, named } from "./sight.mjs";
import { accessibilityProblems } from "./watch.mjs";

let rig;
before(async () => (rig = await startRig()));
after(() => rig?.stop());

const line = (page) => page.getByRole("textbox", { name: "Command" });
const screen = (page) => page.getByRole("log", { name: "Terminal output" });
const newest = (page) => button(page, "Newest output below ↓");
const banner = (page) => page.locator(".stop-banner");
const notice = (page) => page.locator(".notice");

/** Shows a pane where only one has room. */
async function showPane(page, size, name) {
  if (isNarrow(size)) await page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name }).click();
}

async function openTerminal(page, size) {
  if (isNarrow(size)) await showPane(page, size, "Terminal");
  else await page.getByRole("tab", { name: "Terminal" }).click();
  await line(page).waitFor();
}

async function enter(page, text) {
  await line(page).fill(text);
  await line(page).press("Enter");
}

/** Enters a command and waits for its answer. */
async function run(page, text) {
  const before = await page.locator(".terminal .entry").count();
  await enter(page, text);
  await page.locator(".terminal .entry").nth(before).waitFor();
  await page.locator(".prompt-line label").getByText("$").waitFor();
}

/** How much of the output is hidden below its end. */
const hiddenBelow = (page) => screen(page).evaluate((s) => s.scrollHeight - s.clientHeight - s.scrollTop);

/** Whether the first letters of a text are inside the output's window. */
const isInOutput = (page, text) =>
  screen(page).evaluate((s, wanted) => {
    const walker = document.createTreeWalker(s, NodeFilter.SHOW_TEXT);
    const box = s.getBoundingClientRect();
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const from = node.data.lastIndexOf(wanted);
      if (from < 0) continue;
      const range = document.createRange();
      range.setStart(node, from);
      range.setEnd(node, from + wanted.length);
      const { top, bottom } = range.getBoundingClientRect();
      if (top >= box.top - 1 && bottom <= box.bottom + 1) return true;
    }
    return false;
  }, text);

for (const size of SIZES) {
  test(`the terminal's prompt stays in sight through twelve commands, ${named(size)}`, async () => {
    await rig.visit({ viewport: size }, async (page) => {
      await untilPods(page, 3);
      await openTerminal(page, size);
      await assertInSight(line(page), "the empty prompt");
      const long = "kubectl get pods -A -o yaml";
      const commands = ["kubectl get pods", long, "kubectl get nodes -o wide", "kubectl describe rs my-app", "kubectl get events", long, "echo a; echo b", "kubectl get pods -A", "no-such-program", "kubectl scale rs my-app --replicas=4", "kubectl api-resources", "kubectl describe nodes"];
      for (const command of commands) {
        await run(page, command);
        await assertInSight(line(page), `the prompt after ${command}`);
        assert.ok((await hiddenBelow(page)) <= 24, `the end of ${command} is in sight`);
      }
      assert.equal(await newest(page).count(), 0);
      // The first line of the last answer and its command can be reached, and stay while somebody reads them.
      await screen(page).evaluate((s) => s.scrollTo(0, 0));
      assert.ok(await isInOutput(page, "kubectl get pods"), "the first command can be reached");
      assert.ok(await isInOutput(page, "NAME"), "so can the head of its table");
      await assertInSight(newest(page));
      await assertInSight(line(page), "the prompt while somebody reads");
      await newest(page).click();
      await newest(page).waitFor({ state: "detached" });
      assert.ok((await hiddenBelow(page)) <= 24);
      // A new command leads to its answer, wherever one was.
      await screen(page).evaluate((s) => s.scrollTo(0, 0));
      await newest(page).waitFor();
      await run(page, "echo the-very-last");
      assert.ok(await isInOutput(page, "the-very-last"));
      assert.deepEqual(await accessibilityProblems(page), []);
    });
  });
}

test("what follows while somebody reads above does not take the page away from them", async () => {
  await rig.visit({}, async (page) => {
    await openTerminal(page, SIZES[0]);
    await run(page, "kubectl describe nodes");
    await enter(page, "kubectl get pods -w");
    await screen(page).getByText("STATUS").last().waitFor();
    await screen(page).evaluate((s) => s.scrollTo(0, 40));
    await newest(page).waitFor();
    await page.getByRole("button", { name: /^Delete pod/ }).first().click();
    await screen(page).getByText("Terminating").first().waitFor({ state: "attached" });
    assert.equal(await screen(page).evaluate((s) => s.scrollTop), 40);
    await assertInSight(newest(page));
    await line(page).press("Control+c");
  });
});

test("only what made a command fail is red, a warning is amber, progress is plain", async () => {
  await rig.visit({}, async (page) => {
    await untilPods(page, 3);
    await openTerminal(page, SIZES[0]);
    const last = () => page.locator(".terminal .entry").last();
    await run(page, "kubectl get pods -n nowhere");
    assert.equal(await last().locator(".stderr, .warning").count(), 0, "nothing was found, and nothing failed");
    await run(page, "kubectl delete pod --all --force --grace-period=0");
    await last().locator(".warning").getByText("Warning: Immediate deletion").waitFor();
    assert.equal(await last().locator(".stderr").count(), 0);
    await run(page, "kubectl get pod nobody");
    await last().locator(".stderr").getByText("NotFound").waitFor();
  });
});

for (const size of SIZES) {
  test(`the list of completions is whole and can be clicked, ${named(size)}`, async () => {
    await rig.visit({ viewport: size }, async (page) => {
      await showPane(page, size, "Desired");
      await manifest(page).fill("apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: a\nspec:\n  template:\n    spec:\n      containers:\n      - name: a\n        ");
      await page.keyboard.press("Control+End");
      await page.keyboard.press("Control+Space");
      const list = page.getByRole("listbox", { name: "Completions" });
      await assertInSight(list);
      const options = list.getByRole("option");
      await assertInSight(options.first());
      await page.waitForTimeout(150);
      const wanted = await options.nth(1).locator(".cm-completionLabel").textContent();
      await assertInSight(options.nth(1));
      await options.nth(1).click();
      assert.ok((await manifestText(page)).includes(wanted));
    });
  });
}

for (const size of SIZES) {
  test(`kubectl edit says what is edited and has a way out, ${named(size)}`, async () => {
    await rig.visit({ viewport: size }, async (page) => {
      await untilPods(page, 3);
      await showPane(page, size, "Desired");
      await edit(page, "replicas: 3", "replicas: 7");
      const mine = await manifestText(page);
      const begin = async () => {
        await openTerminal(page, size);
        await enter(page, "kubectl edit rs my-app");
        await page.getByRole("heading", { name: "Editing ReplicaSet my-app (kubectl edit)" }).waitFor();
      };
      const isBack = async () => {
        await button(page, "Cancel").waitFor({ state: "detached" });
        assert.equal(await manifestText(page), mine);
        await answer(page).getByText("Edit cancelled, no changes made.").waitFor();
        await assertInSight(button(page, "Apply"));
      };
      await begin();
      await assertInSight(button(page, "Save"));
      await assertInSight(button(page, "Cancel"));
      assert.deepEqual(await accessibilityProblems(page), []);
      await button(page, "Cancel").click();
      await isBack();
      // Escape in the head of the pane.
      await begin();
      await edit(page, "replicas: 3", "replicas: 5");
      await button(page, "Cancel").focus();
      await page.keyboard.press("Escape");
      await isBack();
      // Ctrl-C in the terminal.
      await begin();
      await openTerminal(page, size);
      await screen(page).getByText("ReplicaSet my-app is open in the editor").waitFor();
      await line(page).press("Control+c");
      await screen(page).getByText("Edit cancelled, no changes made.").last().waitFor();
      await showPane(page, size, "Desired");
      await isBack();
      // A refusal keeps the text, and saving gives the manifest back.
      await begin();
      await edit(page, "replicas: 3", "replicas: -4");
      await button(page, "Save").click();
      await answer(page).getByText('"my-app" is invalid').waitFor();
      await assertInSight(button(page, "Save"));
      await edit(page, "replicas: -4", "replicas: 4");
      await button(page, "Save").click();
      await answer(page).getByText("replicaset.apps/my-app edited").waitFor();
      await button(page, "Cancel").waitFor({ state: "detached" });
      assert.equal(await manifestText(page), mine);
      await button(page, "Apply").click();
      await answer(page).getByText("replicaset.apps/my-app configured").waitFor();
      await showPane(page, size, "Actual");
      await untilPods(page, 7);
    });
  });
}

test("text that was not applied survives an example and a reload", async () => {
  await rig.visit({}, async (page) => {
    await edit(page, "replicas: 3", "replicas: 8");
    const mine = await manifestText(page);
    const choose = (title) => page.getByLabel("Examples").selectOption(title);
    await choose("Bare pod");
    await notice(page).getByText("The example has taken the place of text that was not applied.").waitFor();
    await assertInSight(notice(page).getByRole("button", { name: "Undo" }));
    assert.deepEqual(await accessibilityProblems(page), []);
    await notice(page).getByRole("button", { name: "Undo" }).click();
    await page.locator(".cm-line").filter({ hasText: "replicas: 8" }).waitFor();
    assert.equal(await manifestText(page), mine);
    // The editor's own undo leads back as well.
    await choose("Bare pod");
    await page.locator(".cm-line").filter({ hasText: "kind: Pod" }).waitFor();
    await manifest(page).focus();
    await page.keyboard.press("Control+z");
    await page.locator(".cm-line").filter({ hasText: "replicas: 8" }).waitFor();
    assert.equal(await manifestText(page), mine);
    await page.getByText("edited, not applied").waitFor();
    await page.reload();
    await converged(page);
    await page.locator(".cm-line").filter({ hasText: "replicas: 8" }).waitFor();
    assert.equal(await manifestText(page), mine);
    await button(page, "Apply").click();
    await untilPods(page, 8);
    // What is typed after that goes along with the run that is resumed.
    await edit(page, "replicas: 8", "replicas: 9");
    await page.reload();
    await button(page, "Go on where you were").click();
    // A run that is resumed stands still at its moment.
    await button(page, "Play").click();
    await untilPods(page, 8);
    await page.locator(".cm-line").filter({ hasText: "replicas: 9" }).waitFor();
    await page.getByText("edited, not applied").waitFor();
  });
});

test("the same example, and what was applied, can be had back more than once", async () => {
  await rig.visit({}, async (page) => {
    for (const replicas of [5, 6]) {
      await edit(page, "replicas: 3", `replicas: ${replicas}`);
      await button(page, "Revert to applied").click();
      await page.locator(".cm-line").filter({ hasText: "replicas: 3" }).waitFor();
    }
  });
});

for (const size of SIZES) {
  test(`a stop is told in sight whatever is looked at, ${named(size)}`, async () => {
    await rig.visit({ viewport: size }, async (page) => {
      await showPane(page, size, "Loop");
      await page.getByRole("checkbox", { name: "act", exact: true }).check();
      await showPane(page, size, "Actual");
      await page.getByRole("button", { name: /^Delete pod/ }).first().click();
      await banner(page).getByText("Stopped before act of replicaset: POST pods").waitFor({ timeout: 10_000 });
      for (const pane of isNarrow(size) ? ["Desired", "Actual", "Loop", "Time", "Terminal"] : [""]) {
        await showPane(page, size, pane);
        await assertInSight(banner(page));
        await assertInSight(button(page, "Continue"));
        await banner(page).getByText("Next the API server handles this request.").waitFor();
      }
      assert.equal(await button(page, "Continue").count(), 1);
      assert.deepEqual(await accessibilityProblems(page), []);
      await showPane(page, size, "Loop");
      await page.getByRole("checkbox", { name: "act", exact: true }).uncheck();
      await button(page, "Continue").focus();
      await page.keyboard.press("Enter");
      await banner(page).waitFor({ state: "detached" });
      await converged(page);
      await button(page, "Pause").click();
      assert.equal(await banner(page).count(), 0, "whoever pauses knows why time stands still");
      await button(page, "Run until converged").click();
      await page.locator(".notice").getByText(/^Nothing is left to do\. The next timer: /).waitFor({ timeout: 20_000 });
      await assertInSight(button(page, "Skip to it"));
    });
  });
}

for (const size of SIZES) {
  test(`the time axis and its marks can be read, ${named(size)}`, async () => {
    await rig.visit({ viewport: size }, async (page) => {
      await showPane(page, size, "Desired");
      for (const replicas of [4, 3, 4]) {
        await edit(page, /replicas: (\d)/.exec(await manifestText(page))[0], `replicas: ${replicas}`);
        await button(page, "Apply").click();
        await answer(page).getByText("configured").waitFor();
      }
      await showPane(page, size, "Time");
      for (const tick of await page.locator(".chart .tick").all()) {
        const { top, bottom } = await tick.evaluate((t) => t.getBoundingClientRect().toJSON());
        const panel = await page.locator(".timeline").evaluate((t) => t.getBoundingClientRect().toJSON());
        assert.ok(top >= panel.top && bottom <= panel.bottom + 1 && bottom <= size.height, `a tick at ${top} to ${bottom} in ${panel.top} to ${panel.bottom}`);
      }
      const labels = await page.locator(".chart .mark text:visible").evaluateAll((all) => all.map((t) => ({ text: t.textContent.trim(), ...t.getBoundingClientRect().toJSON() })));
      const told = await page.locator(".command-list li").allTextContents();
      assert.ok(told.some((text) => text.includes("apply ReplicaSet my-app")), told.join());
      assert.ok(!told.some((text) => text.includes("apply -f -")), told.join());
      for (const a of labels) {
        for (const b of labels) {
          const apart = a === b || a.right <= b.left + 1 || b.right <= a.left + 1 || a.bottom <= b.top + 2 || b.bottom <= a.top + 2;
          assert.ok(apart, `"${a.text}" and "${b.text}" overlap`);
        }
      }
      if (!isNarrow(size)) assert.ok(labels.some(({ text }) => /apply ReplicaSet my-app/.test(text)), labels.map(({ text }) => text).join());
    });
  });
}

test("after undo the answer is that of then", async () => {
  await rig.visit({}, async (page) => {
    await edit(page, "replicas: 3", "replicas: 4");
    await button(page, "Apply").click();
    await answer(page).getByText("replicaset.apps/my-app configured").waitFor();
    await button(page, "Undo").click();
    await answer(page).getByText("replicaset.apps/my-app created").waitFor();
    await button(page, "Undo").click();
    await answer(page).getByText("At this moment nothing had been applied.").waitFor();
  });
});

test("the sign of a starting pod turns inside its tile", async () => {
  await rig.visit({ reducedMotion: "no-preference" }, async (page) => {
    await setSpeed(page, "0.1×");
    await page.getByRole("button", { name: /^Delete pod/ }).first().click();
    await page.locator(".tile.waiting .glyph").first().waitFor();
    const outside = await page.locator(".tile.waiting .glyph").first().evaluate((glyph) => {
      const [animation] = glyph.getAnimations();
      const tile = glyph.closest(".tile").getBoundingClientRect();
      const name = glyph.parentElement.querySelector(".name").getBoundingClientRect();
      animation.pause();
      const worst = [];
      for (let part = 0; part < 8; part += 1) {
        animation.currentTime = (part / 8) * animation.effect.getTiming().duration;
        const { left, top, right, bottom } = glyph.getBoundingClientRect();
        if (left < tile.left || top < tile.top || right > name.left + 4 || bottom > name.top + 28) worst.push([part, left - tile.left, top - tile.top, right - name.left, bottom - name.top].map(Math.round));
      }
      return worst;
    });
    assert.deepEqual(outside, []);
  });
});

test("names of 253 letters break nothing", async () => {
  const name = `x${"abcdefghij".repeat(25)}z`;
  await rig.visit({}, async (page) => {
    await openTerminal(page, SIZES[0]);
    await run(page, "kubectl create ns elsewhere");
    await run(page, `kubectl apply -f - <<EOF\napiVersion: v1\nkind: Pod\nmetadata:\n  name: ${name}\n  namespace: elsewhere\nspec:\n  containers:\n  - name: a\n    image: nginx:1.25\nEOF`);
    const tile = page.locator(`.tile[data-name="${name}"]`);
    await tile.waitFor();
    assert.equal(await tile.getByRole("button").first().getAttribute("title"), `elsewhere/${name}`);
    await tile.getByText("elsewhere/").waitFor();
    assert.ok((await tile.boundingBox()).height < 190, `the tile is ${(await tile.boundingBox()).height} high`);
    const tooWide = () =>
      page.evaluate(() =>
        [...document.querySelectorAll("main *, dialog, dialog *")]
          .filter((e) => e.getClientRects().length && !e.closest(".terminal, svg, .editor, .hidden, .answer, .code") && e.getBoundingClientRect().right > innerWidth + 1)
          .map((e) => `${e.tagName}.${e.className}`));
    assert.deepEqual(await tooWide(), []);
    await tile.getByRole("button").first().click();
    await page.locator(".object-head").waitFor();
    assert.deepEqual(await tooWide(), []);
    assert.equal(await page.evaluate(() => document.querySelector(".loop").scrollWidth > document.querySelector(".loop").clientWidth + 1), false);
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "What to do" }).fill("xabc");
    await page.getByRole("option", { name: /^Open Pod xabc/ }).waitFor();
    assert.deepEqual(await tooWide(), []);
    for (const row of await page.locator("#palette-list li").all()) assert.ok((await row.boundingBox()).height < 40);
    await page.keyboard.press("Escape");
    await tile.getByRole("button", { name: /^Menu of/ }).click();
    await assertInSight(page.getByRole("menu"));
    assert.deepEqual(await tooWide(), []);
  });
});

test("what the palette finds is shown where it can be seen", async () => {
  await rig.visit({}, async (page) => {
    await untilPods(page, 3);
    const pick = async (words, name) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "What to do" }).fill(words);
      await page.getByRole("option", { name }).first().click();
    };
    const pod = await page.locator(".tile").first().getAttribute("data-name");
    await pick(`logs ${pod}`, `Logs of pod ${pod}`);
    await screen(page).getByText(`kubectl logs ${pod}`).waitFor();
    await assertInSight(line(page));
    await pick(`${pod} describe`, `Describe Pod ${pod}`);
    await screen(page).getByText("Service Account").first().waitFor({ state: "attached" });
    await pick(`yaml ${pod}`, `YAML of Pod ${pod}`);
    await assertInSight(page.getByRole("tab", { name: "YAML" }));
    await page.getByRole("tab", { name: "YAML", selected: true }).waitFor();
    await pick("edit replicaset", "Edit ReplicaSet my-app");
    await assertInSight(button(page, "Save"));
    await pick("cancel edit", "Cancel the edit of ReplicaSet my-app");
    await answer(page).getByText("Edit cancelled, no changes made.").waitFor();
    await pick("crash replicaset", "Controller manager: Crash it now");
    await page.getByText("down", { exact: false }).first().waitFor();
  });
});
