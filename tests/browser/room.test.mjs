// The room of the panes: edges that move, folded and maximised panes, the size for a lecture hall, and that each layout fits its window.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startBrowser } from "./browser.mjs";
import { button } from "./run.mjs";
import { startServer } from "./server.mjs";
import { accessibilityProblems, complaintsOf } from "./watch.mjs";

let browser;
let server;

before(async () => {
  server = await startServer();
  browser = await startBrowser();
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

/** Opens a layout, and lets `body` use the page. */
async function visit(layout, { query = "", ...options }, body) {
  const context = await browser.newContext({ reducedMotion: "reduce", viewport: { width: 1440, height: 900 }, ...options });
  try {
    const page = await context.newPage();
    const complaints = complaintsOf(page);
    await page.goto(`${server.url}?layout=${layout}${query}`);
    await page.locator(".bar").waitFor();
    await body(page);
    assert.deepEqual(complaints, []);
  } finally {
    await context.close();
  }
}

const separator = (page, name) => page.getByRole("separator", { name });
const box = async (page, selector) => {
  const found = await page.locator(selector).boundingBox();
  assert.ok(found, `${selector} has no box`);
  return found;
};
const now = async (page, name) => Number(await separator(page, name).getAttribute("aria-valuenow"));
const focusedLabel = (page) => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));

/** Whether an element is inside the window and is what a click at its middle and near its corners would meet. */
const isSeen = (page, selector) => page.evaluate((s) => {
  const element = document.querySelector(s);
  if (!element) return `${s} is missing`;
  const { left, right, top, bottom } = element.getBoundingClientRect();
  if (left < 0 || top < 0 || right > innerWidth || bottom > innerHeight) return `${s} is outside: ${[left, top, right, bottom]}`;
  for (const [x, y] of [[(left + right) / 2, (top + bottom) / 2], [left + 6, top + 8], [right - 6, bottom - 8]]) {
    const hit = document.elementFromPoint(x, y);
    if (!hit || !element.contains(hit)) return `${s} is covered at ${x}, ${y} by ${hit?.outerHTML.slice(0, 120)}`;
  }
  return "";
}, selector);

test("edges are dragged, which survives a reload, and a double click puts them back", async () => {
  await visit("inspect", {}, async (page) => {
    for (const [name, pane, side, by] of [["Width of Desired", ".desired", "width", 90], ["Width of Loop", ".loop", "width", -60], ["Height of the drawer", ".drawer", "height", -80]]) {
      const usual = (await box(page, pane))[side];
      const edge = await separator(page, name).boundingBox();
      const [x, y] = [edge.x + edge.width / 2, edge.y + edge.height / 2];
      const isRow = side === "height";
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(isRow ? x : x + by / 2, isRow ? y + by / 2 : y);
      await page.mouse.move(isRow ? x : x + by, isRow ? y + by : y);
      await page.mouse.up();
      await page.mouse.move(x, y + 40);
      const wider = (await box(page, pane))[side];
      assert.ok(Math.abs(wider - usual - Math.abs(by)) < 4, `${name}: ${usual} became ${wider}`);
      await page.reload();
      await page.locator(".bar").waitFor();
      await page.waitForFunction(([s, k, n]) => Math.abs(document.querySelector(s)?.getBoundingClientRect()[k] - n) < 2, [pane, side, wider]);
      await separator(page, name).dblclick();
      await page.waitForFunction(([s, k, n]) => Math.abs(document.querySelector(s).getBoundingClientRect()[k] - n) < 2, [pane, side, usual]);
    }
  });
});

test("edges are moved by keys, as far as every pane stays usable", async () => {
  await visit("learn", {}, async (page) => {
    for (const [name, more, less] of [["Width of Desired", "ArrowRight", "ArrowLeft"], ["Width of Actual", "ArrowLeft", "ArrowRight"], ["Height of the drawer", "ArrowUp", "ArrowDown"]]) {
      const usual = await now(page, name);
      await separator(page, name).focus();
      await page.keyboard.press(more);
      assert.equal(await now(page, name), usual + 2);
      await page.keyboard.press(less);
      assert.equal(await now(page, name), usual);
      for (const key of ["End", "Home"]) {
        await page.keyboard.press(key);
        assert.equal(await now(page, name), Number(await separator(page, name).getAttribute(key === "End" ? "aria-valuemax" : "aria-valuemin")));
        for (const pane of [".desired", ".loop", ".actual"]) assert.ok((await box(page, pane)).width >= 175, `${name} ${key} ${pane}`);
        assert.ok((await box(page, ".drawer")).height >= 95, `${name} ${key}`);
        assert.ok((await box(page, ".loop")).height >= 95, `${name} ${key}`);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 1440);
      }
      await separator(page, name).dblclick();
    }
    await separator(page, "Width of Desired").press("ArrowRight");
    const left = await now(page, "Width of Desired");
    await button(page, "Inspect").click();
    assert.notEqual(await now(page, "Width of Desired"), left);
    await page.reload();
    await page.locator(".bar").waitFor();
    assert.equal(await now(page, "Width of Desired"), left);
  });
});

test("panes are folded to a strip and unfolded, by pointer and keyboard", async () => {
  for (const layout of ["learn", "operate", "inspect"]) {
    await visit(layout, {}, async (page) => {
      const drawer = layout === "operate" ? "Terminal" : "Time";
      for (const [name, pane, side] of [["Desired", ".desired", "width"], ["Actual", ".actual", "width"], [drawer, ".drawer", "height"]]) {
        const usual = (await box(page, pane))[side];
        await button(page, `Fold ${name}`).click();
        await button(page, `Unfold ${name}`).waitFor();
        assert.ok((await box(page, pane))[side] <= 40, `${layout} ${name} is a strip`);
        assert.equal(await focusedLabel(page), `Unfold ${name}`);
        assert.equal(await isSeen(page, `${pane} .strip`), "");
        await page.keyboard.press("Enter");
        await button(page, `Fold ${name}`).waitFor();
        assert.ok(Math.abs((await box(page, pane))[side] - usual) < 2, `${layout} ${name} is as before`);
      }
      await button(page, "Fold Desired").click();
      await page.reload();
      await button(page, "Unfold Desired").click();
      await button(page, "Fold Desired").waitFor();
    });
  }
});

test("a pane is maximised and the others come back, by its button, by f and by Escape", async () => {
  await visit("learn", {}, async (page) => {
    const isAlone = async (pane) => {
      await page.waitForFunction(([s, all]) => all.every((one) => (document.querySelector(one).offsetWidth > 0) === (one === s)), [pane, [".desired", ".loop", ".actual", ".drawer"]]);
      const [main, one] = [await box(page, "main"), await box(page, pane)];
      assert.deepEqual([one.width, one.height], [main.width, main.height]);
    };
    const areAll = () => page.waitForFunction((all) => all.every((one) => document.querySelector(one).offsetWidth > 0), [".desired", ".loop", ".actual", ".drawer"]);
    for (const [name, pane] of [["Desired", ".desired"], ["Loop", ".loop"], ["Actual", ".actual"], ["Time", ".drawer"]]) {
      await button(page, `Maximise ${name}`).click();
      await isAlone(pane);
      await button(page, "Restore panes").click();
      await areAll();
    }
    await page.keyboard.press("a");
    await page.waitForFunction(() => document.activeElement?.matches(".actual"));
    await page.keyboard.press("f");
    await isAlone(".actual");
    await page.keyboard.press("f");
    await areAll();
    await page.keyboard.press("f");
    await isAlone(".actual");
    await page.reload();
    await page.locator(".bar").waitFor();
    await isAlone(".actual");
    await page.keyboard.press("Escape");
    await areAll();
    await button(page, "Maximise Actual").click();
    await page.keyboard.press("t");
    await areAll();
    await page.waitForFunction(() => document.activeElement?.id === "terminal-line");
    await button(page, "Maximise Terminal").click();
    await page.locator("#terminal-line").click();
    await page.keyboard.type("free");
    await isAlone(".drawer");
    await page.keyboard.press("Escape");
    await areAll();
  });
});

test("what is asked for unfolds", async () => {
  await visit("inspect", { query: "&speed=1" }, async (page) => {
    await button(page, "Fold Time").click();
    await page.keyboard.press("t");
    await page.waitForFunction(() => document.activeElement?.id === "terminal-line");
    assert.equal(await isSeen(page, "#terminal-line"), "");
    await button(page, "Fold Loop").click();
    await page.locator(".tile .name").first().click();
    await page.locator(".object-head h2").waitFor();
    assert.equal(await isSeen(page, ".object-head"), "");
    await button(page, "Fold Desired").click();
    await page.keyboard.press("e");
    await page.waitForFunction(() => document.activeElement?.closest(".desired"));
    assert.ok((await box(page, ".desired")).width > 200);
  });
});

test("in Operate an object has a column until it is closed", async () => {
  await visit("operate", { query: "&speed=1" }, async (page) => {
    await page.getByRole("tab", { name: "Terminal", exact: true, selected: true }).waitFor();
    // A tile that moves to its node while it is clicked is not hit.
    await page.locator(".tile.good").nth(2).waitFor();
    assert.equal(await isSeen(page, "#terminal-line"), "");
    assert.ok((await box(page, ".drawer")).height > 350);
    await page.locator(".tile .name").first().click();
    await page.locator(".object-head h2").waitFor();
    const [loop, actual] = [await box(page, ".loop"), await box(page, ".actual")];
    assert.ok(loop.width > 300 && loop.x >= actual.x + actual.width - 1, JSON.stringify({ loop, actual }));
    assert.equal(await isSeen(page, ".object-head"), "");
    await button(page, "Close Object").click();
    await button(page, "Unfold Loop").waitFor();
    assert.ok((await box(page, ".loop")).width <= 40);
  });
});

for (const viewport of [{ width: 1280, height: 720 }, { width: 1024, height: 768 }]) {
  test(`in Learn the three cards and the wires are in view at ${viewport.width}×${viewport.height}`, async () => {
    await visit("learn", { viewport }, async (page) => {
      // The passes differ in length: each of the first ones must fit.
      await page.locator(".card.act").waitFor();
      for (let look = 0; look < 8; look += 1) {
        for (const part of [".card.observe", ".card.diff", ".card.act", ".learn .diagram", ".at-work"]) assert.equal(await isSeen(page, part), "");
        await page.waitForTimeout(500);
      }
      assert.ok((await box(page, ".bar")).height < 56, "the bar is one row");
    });
  });
}

test("the size for a lecture hall is larger, fits a projector and lasts", async () => {
  await visit("learn", { viewport: { width: 1280, height: 720 } }, async (page) => {
    await page.locator(".card.act").waitFor();
    const usual = await page.evaluate(() => parseFloat(getComputedStyle(document.querySelector(".card h3")).fontSize));
    await page.keyboard.press("/");
    await page.keyboard.type("size large");
    await page.keyboard.press("Enter");
    const large = () => page.evaluate(() => parseFloat(getComputedStyle(document.querySelector(".card h3")).fontSize));
    assert.ok(await large() >= usual * 1.2);
    for (let look = 0; look < 6; look += 1) {
      for (const part of [".card.observe", ".card.diff", ".card.act"]) assert.equal(await isSeen(page, part), "");
      await page.waitForTimeout(500);
    }
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 1280);
    await page.reload();
    await page.locator(".card.act").waitFor();
    assert.ok(await large() >= usual * 1.2);
  });
});

for (const colorScheme of ["light", "dark"]) {
  for (const layout of ["learn", "operate", "inspect"]) {
    test(`axe finds nothing in ${layout}, ${colorScheme}, also with folded and maximised panes`, async () => {
      await visit(layout, { colorScheme, query: "&speed=1" }, async (page) => {
        await page.locator(".tile").first().waitFor();
        await button(page, "Pause").click();
        assert.deepEqual(await accessibilityProblems(page), []);
        await button(page, "Fold Desired").click();
        assert.deepEqual(await accessibilityProblems(page), []);
        await button(page, "Maximise Actual").click();
        assert.deepEqual(await accessibilityProblems(page), []);
      });
    });
  }
}

test("nothing sticks out sideways in any window, and a phone's bar is low", async () => {
  for (const layout of ["learn", "operate", "inspect"]) {
    for (const [width, height] of [[320, 480], [390, 844], [800, 500], [1024, 768], [1280, 720], [2560, 1440]]) {
      await visit(layout, { viewport: { width, height }, query: "&speed=1" }, async (page) => {
        await page.locator(".tile").first().waitFor({ state: "attached" });
        const at = `${layout} ${width}×${height}`;
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width, at);
        const wide = () => Array.from(document.querySelectorAll(".bar *"), (one) => [one.getBoundingClientRect().right, one.className]).filter(([right]) => right > innerWidth + 1);
        assert.deepEqual(await page.evaluate(wide), [], at);
        const { height: bar } = await box(page, ".bar");
        if (width < 500) assert.ok(bar <= 104, `${at}: the bar is ${bar} high`);
        if (width >= 1024) assert.ok(bar <= 60, `${at}: the bar is ${bar} high`);
      });
    }
  }
});
