// The words of the page: help, the glossary, preferences, and the introduction of a first visit.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startBrowser } from "./browser.mjs";
import { button, untilPods } from "./run.mjs";
import { startServer } from "./server.mjs";
import { accessibilityProblems, complaintsOf } from "./watch.mjs";

const PHONE = { width: 390, height: 844 };
const LAPTOP = { width: 1280, height: 720 };

let browser;
let server;

before(async () => {
  browser = await startBrowser();
  server = await startServer();
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

const dialog = (page) => page.getByRole("dialog");
const tip = (page) => page.getByRole("tooltip");
const bubble = (page) => page.getByRole("complementary", { name: "Introduction" });

/** Opens the page and waits until it runs; no complaint may come up. */
async function visit({ address = "", ...options }, body) {
  const context = await browser.newContext({ reducedMotion: "reduce", viewport: LAPTOP, ...options });
  try {
    const page = await context.newPage();
    const complaints = complaintsOf(page);
    await page.goto(server.url + address);
    await runs(page);
    await body(page);
    assert.deepEqual(complaints, []);
  } finally {
    await context.close();
  }
}

/** Waits until the page is drawn and the editor's bundle has come. */
async function runs(page) {
  await page.waitForFunction(() => document.querySelector(".actual")?.textContent.includes("pods ready"));
  await page.locator(".cm-content").waitFor({ state: "attached" });
}

/** An address at which the first manifest has soon converged. */
const QUICK = "?speed=10";

/** Fails unless an element is in the window and on top there. */
async function assertSeen(page, locator) {
  const seen = await locator.evaluate((element) => {
    const box = element.getBoundingClientRect();
    const inside = box.left >= 0 && box.top >= 0 && box.right <= innerWidth && box.bottom <= innerHeight && box.width > 0;
    const hit = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
    return { inside, hit: element.contains(hit), box: JSON.stringify(box) };
  });
  assert.ok(seen.inside && seen.hit, JSON.stringify(seen));
}

test("the key ? and the button open help, which says what the page is before its keys", async () => {
  await visit({}, async (page) => {
    await button(page, "Help (?)").click();
    const help = dialog(page);
    await help.getByRole("heading", { name: "Help", level: 2 }).waitFor();
    const text = await help.innerText();
    for (const word of ["observe", "diff", "act", "Learn", "Operate", "Inspect", "auto", "kubectl"]) assert.ok(text.includes(word), word);
    assert.equal(await help.locator(".keys").count(), 0);
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "detached" });
    await page.keyboard.press("?");
    await help.getByRole("tab", { name: "Keys", exact: true }).click();
    await help.getByText("Step one event back").waitFor();
    await help.getByRole("tab", { name: "Glossary", exact: true }).click();
    await help.getByRole("searchbox", { name: "Find a word" }).fill("drift");
    assert.match(await help.locator(".glossary dt").first().innerText(), /^drift/);
    assert.deepEqual(await accessibilityProblems(page), []);
    await help.getByRole("searchbox").fill("xyzzy");
    await help.getByText("No word fits.").waitFor();
  });
});

test("a phone has all parts of help", async () => {
  await visit({ viewport: PHONE }, async (page) => {
    await button(page, "Help (?)").click();
    for (const name of ["This page", "Keys", "Glossary"]) {
      const tab = dialog(page).getByRole("tab", { name, exact: true });
      await assertSeen(page, tab);
      await tab.click();
    }
    await dialog(page).getByText("A difference between desired and actual.").waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), PHONE.width);
  });
});

test("what help offers to try really happens", async () => {
  await visit({ address: QUICK }, async (page) => {
    await untilPods(page, 3);
    const attempt = async (name) => {
      await page.keyboard.press("?");
      await dialog(page).getByRole("button", { name, exact: true }).click();
      await dialog(page).waitFor({ state: "detached" });
    };
    await attempt("Change replicas");
    await untilPods(page, 5);
    await attempt("Delete a pod");
    await page.locator(".answer").getByText(/pod "my-app-\w+" deleted/).waitFor();
    await attempt("Crash node-2");
    await page.getByRole("article", { name: "Node node-2" }).getByText("no power").waitFor();
  });
});

test("the palette explains a word", async () => {
  await visit({}, async (page) => {
    await page.keyboard.press("Control+k");
    await page.keyboard.type("what is drift");
    await page.getByRole("option", { name: /What is drift\?/ }).waitFor();
    await page.keyboard.press("Enter");
    await dialog(page).getByText("A difference between desired and actual.").waitFor();
  });
});

for (const viewport of [LAPTOP, PHONE]) {
  test(`a word explains itself at the focus, at the pointer and at a tap, at ${viewport.width} pixels`, async () => {
    await visit({ viewport, hasTouch: true }, async (page) => {
      // While time passes, words come and go.
      await button(page, "Pause").click();
      const words = page.locator(".term").filter({ visible: true });
      assert.ok(await words.count() >= 2);
      for (const word of await words.all()) {
        await word.focus();
        await tip(page).waitFor();
        await assertSeen(page, tip(page));
        assert.equal(await word.getAttribute("aria-describedby"), await tip(page).getAttribute("id"));
        await page.keyboard.press("Escape");
        await tip(page).waitFor({ state: "detached" });
      }
      const actual = page.locator("#actual .term");
      await page.evaluate(() => document.activeElement?.blur());
      await actual.tap();
      await tip(page).getByText("The things that are there now").waitFor();
      await assertSeen(page, tip(page));
      assert.deepEqual(await accessibilityProblems(page), []);
      await page.locator(".hint").tap();
      await tip(page).waitFor({ state: "detached" });
      await actual.hover();
      await tip(page).waitFor();
      await tip(page).hover();
      await page.waitForTimeout(300);
      assert.equal(await tip(page).count(), 1, "the pointer may rest on the explanation");
      await page.mouse.move(2, viewport.height - 2);
      await tip(page).waitFor({ state: "detached" });
    });
  });
}

for (const viewport of [LAPTOP, PHONE, { width: 800, height: 500 }]) {
  test(`a first visit is introduced in three steps that cover nothing of what they point at, at ${viewport.width} pixels`, async () => {
    await visit({ viewport, firstVisit: true }, async (page) => {
      for (const words of [/^This is what you asked for: 3 pods\./, /compares what you asked for with what it sees/, /^This is what is there: .* Delete a pod and watch\./]) {
        await bubble(page).getByText(words).waitFor({ timeout: 20_000 });
        await page.waitForFunction(() => {
          const [frame, told] = [".pointed", ".introduction"].map((s) => document.querySelector(s));
          return !told.classList.contains("away") && frame.getBoundingClientRect().width > 0;
        });
        await assertSeen(page, bubble(page));
        const apart = await page.evaluate(() => {
          const [a, b] = [".pointed", ".introduction"].map((s) => document.querySelector(s).getBoundingClientRect());
          return a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
        });
        assert.ok(apart, `${words} covers what it points at`);
        assert.equal(await page.evaluate(() => document.activeElement.tagName), "BODY", "the focus stays where it was");
        assert.deepEqual(await accessibilityProblems(page), []);
        await bubble(page).getByRole("button", { name: /^(Next|Done)$/ }).click();
        await page.evaluate(() => document.activeElement?.blur());
      }
      assert.equal(await bubble(page).count(), 0);
      await page.reload();
      await runs(page);
      await page.waitForTimeout(1_500);
      assert.equal(await page.locator(".introduction").count(), 0, "it is over for good");
    });
  });
}

test("Escape ends the introduction for good, and an address with parameters has none", async () => {
  await visit({ firstVisit: true }, async (page) => {
    await bubble(page).waitFor({ timeout: 20_000 });
    await page.keyboard.press("Escape");
    await bubble(page).waitFor({ state: "detached" });
    await page.reload();
    await runs(page);
    await page.waitForTimeout(1_500);
    assert.equal(await page.locator(".introduction").count(), 0);
  });
  await visit({ firstVisit: true, address: "?layout=learn" }, async (page) => {
    await page.getByText("of 3 wanted pods ready").first().waitFor();
    await page.waitForTimeout(500);
    assert.equal(await page.locator(".introduction").count(), 0);
  });
});

test("preferences last a reload, and an address's own do not", async () => {
  await visit({}, async (page) => {
    const choice = (group, name) => page.getByRole("group", { name: group }).getByLabel(name, { exact: true });
    await button(page, "Help (?)").click();
    await button(page, "Preferences").click();
    assert.deepEqual(await accessibilityProblems(page), []);
    for (const [group, name] of [["Theme", "dark"], ["Motion", "less"], ["Reading time", "brief"], ["Layout", "Operate"]]) await choice(group, name).click();
    await page.reload();
    await runs(page);
    const kept = await page.evaluate(() => ({ ...document.documentElement.dataset }));
    assert.deepEqual(kept, { theme: "dark", motion: "less", keys: "on", reading: "brief", layout: "operate", size: "normal" });
    await page.locator(".page.layout-operate").waitFor();
    await page.goto(`${server.url}?theme=light`);
    await runs(page);
    assert.equal(await page.evaluate(() => localStorage.getItem("loopscope.theme")), "dark");
    await button(page, "Help (?)").click();
    await button(page, "Preferences").click();
    assert.ok(await choice("Theme", "light").isChecked());
  });
});

test("the buttons of time have their names where there is room", async () => {
  await visit({ viewport: { width: 1680, height: 1000 } }, async (page) => {
    for (const name of ["Undo", "Step event", "Step phase"]) {
      const box = await button(page, name).locator("span").first().boundingBox();
      assert.ok(box.width > 20, `${name} shows its symbol only`);
    }
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 1680);
  });
});
