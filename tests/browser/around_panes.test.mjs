// What is around the panes: palette, shortcuts, theme, settings, start, errors.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startBrowser } from "./browser.mjs";
import { PLAIN, button, converged, startRig, untilPods } from "./run.mjs";
import { startServer } from "./server.mjs";
import { accessibilityProblems, complaintsOf } from "./watch.mjs";

const sandboxed = `<!DOCTYPE html><html lang="en"><title>host</title><link rel="icon" href="data:,">
<iframe sandbox="allow-scripts" src="/some/sub/path/?speed=1&layout=inspect" title="Loopscope" width="1200" height="800"></iframe></html>`;

let rig;
let browser;
let server;

before(async () => {
  rig = await startRig();
  browser = await startBrowser();
  server = await startServer({ "/sandboxed-host": sandboxed });
});

after(async () => {
  await rig?.stop();
  await browser?.close();
  await server?.stop();
});

const dialog = (page) => page.getByRole("dialog");
const chosen = (page, name) => page.getByRole("tab", { name, exact: true, selected: true });
const field = (page) => page.getByRole("combobox", { name: "What to do" });
const clock = (page) => page.getByRole("timer").textContent();
const setting = (page, name) => dialog(page).getByRole("textbox", { name });
const focusIn = (page, selector) => page.waitForFunction((s) => document.activeElement?.closest(s), selector);

test("everything is done by the palette with the keyboard alone", async () => {
  await rig.visit({}, async (page) => {
    const run = async (words) => {
      await page.keyboard.press("Control+k");
      await field(page).waitFor();
      await page.keyboard.type(words);
      await page.waitForTimeout(50);
      await page.keyboard.press("Enter");
      await dialog(page).waitFor({ state: "detached" });
    };
    await run("play or pause");
    await button(page, "Play").waitFor();
    await run("drawer events");
    await chosen(page, "Events").waitFor();
    await run("node-2 power");
    await page.getByRole("article", { name: "Node node-2" }).getByText("no power").waitFor();
    await run("node-2 restart the node");
    await run("loop of deployment");
    await page.getByText("This controller has not had anything to do yet.").waitFor();
    await run("open replicaset my-app");
    await chosen(page, "Object").waitFor();
    await run("theme: dark");
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
    await run("to the editor");
    await focusIn(page, ".desired .rich, .desired textarea");
  });
});

test("the palette moves by arrows, says what fits nothing, and Escape leads back", async () => {
  await rig.visit({}, async (page) => {
    await button(page, "Share").focus();
    await page.keyboard.press("/");
    const input = field(page);
    await input.waitFor();
    const active = async () => page.locator(`#${await input.getAttribute("aria-activedescendant")}`).textContent();
    const first = await active();
    await page.keyboard.press("ArrowDown");
    assert.notEqual(await active(), first);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowDown");
    assert.equal(await active(), first);
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.keyboard.type("xyzzy");
    await page.getByText("Nothing fits.").waitFor();
    await page.keyboard.press("Escape");
    await dialog(page).waitFor({ state: "detached" });
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("aria-label")), "Share");
  });
});

test("every shortcut of the sheet works, and none while typing", async () => {
  await rig.visit({}, async (page) => {
    const body = page.locator("body");
    const press = async (key) => {
      await page.evaluate(() => document.activeElement?.blur());
      await page.keyboard.press(key);
    };
    await press("?");
    await dialog(page).getByRole("heading", { name: "Help", level: 2 }).waitFor();
    await dialog(page).getByRole("tab", { name: "Keys", exact: true }).click();
    assert.ok(await dialog(page).locator(".keys kbd").count() > 20);
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.keyboard.press("Escape");
    await dialog(page).waitFor({ state: "detached" });
    await press("Space");
    await button(page, "Play").waitFor();
    const events = async () => Number(/(\d+) events so far/.exec(await page.locator(".drift").getAttribute("title"))?.[1]);
    const before = await events();
    await press("ArrowRight");
    await page.waitForFunction(([s, n]) => Number(/(\d+) events/.exec(document.querySelector(s).title)[1]) === n, [".drift", before + 1]);
    await press("ArrowLeft");
    await page.waitForFunction(([s, n]) => Number(/(\d+) events/.exec(document.querySelector(s).title)[1]) === n, [".drift", before]);
    await press(".");
    await page.waitForFunction(([s, n]) => Number(/(\d+) events/.exec(document.querySelector(s).title)[1]) > n, [".drift", before]);
    const speed = () => page.getByLabel("Speed").inputValue();
    const usual = await speed();
    await press("+");
    await page.waitForFunction((was) => document.querySelector(".speed select").value !== was, usual);
    await press("-");
    await page.waitForFunction((was) => document.querySelector(".speed select").value === was, usual);
    for (const [key, name] of [["1", "Time"], ["2", "Terminal"], ["3", "Events"], ["4", "Store"], ["5", "Requests"], ["6", "Alerts"], ["7", "Why"]]) {
      await press(key);
      await chosen(page, name).waitFor();
    }
    for (const [key, place] of [["d", ".desired"], ["a", ".actual"], ["l", ".loop"], ["e", ".desired .rich, .desired textarea"]]) {
      await press(key);
      await focusIn(page, place);
    }
    await press("t");
    await focusIn(page, "#terminal-line");
    await page.keyboard.type("c1/? space");
    assert.equal(await page.getByLabel("Command").inputValue(), "c1/? space");
    await chosen(page, "Terminal").waitFor();
    await press("m");
    await page.getByRole("menu").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: /^Delete pod/ }).first().click();
    await press("c");
    // The run stops once it has converged. Until it starts, the page still tells of the convergence before.
    await button(page, "Play").waitFor();
    await converged(page);
    const done = await clock(page);
    await press("u");
    await page.waitForFunction((was) => {
      const seconds = (text) => text.match(/[\d.]+/g).reduce((sum, part) => sum * 60 + Number(part), 0);
      return seconds(document.querySelector(".clock").textContent) < seconds(was);
    }, done);
    await press("n");
    await page.waitForFunction((was) => document.querySelector(".clock").textContent === was, done);
    await body.press("/");
    await field(page).waitFor();
  });
});

test("single keys can be turned off, which lasts", async () => {
  await rig.visit({}, async (page) => {
    await page.keyboard.press("?");
    await button(page, "Preferences").click();
    await page.getByRole("group", { name: "Single-key shortcuts" }).getByLabel("off").click();
    await button(page, "Close").click();
    await page.keyboard.press("Space");
    await page.keyboard.press("?");
    await page.reload();
    await converged(page);
    await page.keyboard.press("?");
    assert.equal(await dialog(page).count(), 0);
    await page.keyboard.press("Control+k");
    await field(page).waitFor();
  });
});

test("the theme follows the system until a person chooses, and the choice lasts", async () => {
  const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  for (const colorScheme of ["light", "dark"]) {
    await rig.visit({ colorScheme }, async (page) => {
      const system = await background(page);
      const other = colorScheme === "light" ? "dark" : "light";
      await button(page, "Theme: auto").click();
      await button(page, `Theme: ${other}`).waitFor();
      assert.notEqual(await background(page), system);
      await button(page, "Pause").click();
      assert.deepEqual(await accessibilityProblems(page), []);
      await page.reload();
      await converged(page);
      assert.notEqual(await background(page), system);
    });
  }
});

test("less motion can be asked for", async () => {
  await rig.visit({ reducedMotion: "no-preference" }, async (page) => {
    await page.keyboard.press("?");
    await button(page, "Preferences").click();
    await page.getByRole("group", { name: "Motion" }).getByLabel("less").click();
    const moving = () => document.getAnimations().filter((a) => a.playState === "running").length;
    await button(page, "Close").click();
    await page.getByRole("button", { name: /^Delete pod/ }).first().click();
    await page.waitForTimeout(300);
    assert.equal(await page.evaluate(moving), 0);
  });
});

test("a new run has the settings that were asked for, and the run before can be had back", async () => {
  await rig.visit({}, async (page) => {
    const nodes = page.locator('[data-kind="Node"]');
    await button(page, "New run").click();
    await setting(page, "Nodes machines").fill("many");
    await button(page, "Start anew").click();
    await dialog(page).getByRole("alert").getByText("Nodes must be a whole number from 0 to 5000").waitFor();
    assert.equal(await setting(page, "Nodes machines").inputValue(), "many");
    assert.deepEqual(await accessibilityProblems(page), []);
    await setting(page, "Nodes machines").fill("5");
    await setting(page, "Controller managers").fill("2");
    await setting(page, "Resync").fill("30");
    await button(page, "Start anew").click();
    await page.locator(".notice").getByText("A new run has begun.").waitFor();
    await untilPods(page, 3);
    assert.equal(await nodes.count(), 5);
    await button(page, "Go back to the run before").click();
    await nodes.nth(3).waitFor({ state: "detached" });
    assert.equal(await nodes.count(), 3);
  });
});

/** Waits until the tiles are those of these pods. */
async function untilNamed(page, names) {
  for (let tries = 0; tries < 120; tries += 1) {
    if ((await page.locator(".tile .name").allTextContents()).join() === names.join()) return;
    await page.waitForTimeout(500);
  }
  assert.deepEqual(await page.locator(".tile .name").allTextContents(), names);
}

test("an engine that stops is started again from the recorded commands", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(server.url + PLAIN);
  await converged(page);
  await page.getByRole("button", { name: /^Delete pod/ }).first().click();
  await untilPods(page, 3);
  // The deleted pod's tile is gone, and nothing else will change.
  await converged(page);
  await page.locator(".tile").nth(3).waitFor({ state: "detached" });
  const names = await page.locator(".tile .name").allTextContents();
  const breakOnce = () => page.evaluate(() => {
    const now = performance.now.bind(performance);
    performance.now = () => {
      performance.now = now;
      throw new Error("the clock broke");
    };
  });
  await breakOnce();
  const notice = page.locator(".notice");
  await notice.getByText("The engine stopped by an error of its own (Error: the clock broke). It was started again from your 2 recorded commands.").waitFor();
  await button(page, "Play").click();
  await untilNamed(page, names);
  await breakOnce();
  await notice.getByText("It was started again from your 1 recorded command. The last one is left out, as it led to the error again.").waitFor();
  await button(page, "Play").click();
  await untilPods(page, 3);
  await page.getByRole("button", { name: /^Delete pod/ }).first().click();
  await untilPods(page, 3);
  await context.close();
});

test("without storage everything works but the memory of earlier visits", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const complaints = complaintsOf(page);
  await page.goto(`${server.url}sandboxed-host`);
  const frame = page.frameLocator("iframe");
  await frame.getByText("converged for").waitFor();
  await frame.getByRole("button", { name: "Theme: auto" }).click();
  await frame.getByRole("button", { name: "Theme: dark" }).waitFor();
  await frame.getByRole("button", { name: /^Delete pod/ }).first().click();
  await frame.getByRole("button", { name: "Share" }).click();
  await frame.getByLabel("Link").waitFor();
  await page.waitForTimeout(600);
  assert.match(await frame.getByLabel("Link").inputValue(), /#s=/);
  assert.deepEqual(complaints, []);
  await context.close();
});

test("while the engine is on its way the page says so, and what is missing too", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  let release;
  const held = new Promise((resolve) => {
    release = resolve;
  });
  await page.route("**/*.wasm", async (route) => {
    await held;
    await route.abort();
  });
  await page.goto(server.url, { waitUntil: "domcontentloaded" });
  await page.getByRole("heading", { name: "Starting a small cluster" }).waitFor();
  await page.getByRole("progressbar", { name: "Loading the engine" }).waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  release();
  await page.getByRole("heading", { name: "Loopscope could not start" }).waitFor();
  await page.getByRole("alert").getByText("It needs a browser with WebAssembly").waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await context.close();
});

test("without scripts the page says what it needs", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(server.url);
  assert.match(await page.locator("noscript").innerText(), /needs JavaScript and WebAssembly/);
  assert.equal(await page.locator("#loading").isVisible(), false);
  await context.close();
});

test("a panic shows its own words in the notice and the console, and the run comes back", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const errors = [];
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  await page.goto(server.url + PLAIN);
  await converged(page);
  await page.getByRole("button", { name: /^Delete pod/ }).first().click();
  await untilPods(page, 3);
  // The deleted pod's tile is gone, and nothing else will change.
  await converged(page);
  await page.locator(".tile").nth(3).waitFor({ state: "detached" });
  const names = await page.locator(".tile .name").allTextContents();
  await page.evaluate(() => loopscopePage.fireDrill("the store lost a revision"));
  const notice = page.locator(".notice");
  await notice.getByText(/stopped by an error of its own \(the store lost a revision, at src\/ui\/browser\/recovery\.rs:\d+\)\. It was started again from your 2 recorded commands\./).waitFor();
  assert.ok(errors.some((text) => text.includes("panicked at") && text.includes("the store lost a revision")), errors.join("\n"));
  await button(page, "Play").click();
  await untilNamed(page, names);
  await context.close();
});
