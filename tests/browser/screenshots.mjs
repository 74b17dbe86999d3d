// Takes pictures of dist/ into tests/browser/out/: the main states, each at three sizes, light and dark; and the page in an iframe.
// 1440x900-light-healing.png is the README's picture (static/screenshot.png).
import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { startBrowser } from "./browser.mjs";
import { startServer } from "./server.mjs";

const sizes = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
];
const host = '<!DOCTYPE html><html lang="en"><title>A course page</title><h1>Lesson 3</h1><p>Delete a pod.</p><iframe title="Loopscope" src="/?embed=1" width="720" height="560" sandbox="allow-scripts"></iframe></html>';
const out = fileURLToPath(new URL("out/", import.meta.url));
const button = (page, name) => page.getByRole("button", { name, exact: true });

/** On a narrow screen a thing may be on a pane that is not shown. */
const press = (locator) => locator.first().dispatchEvent("click");
const tab = (page, name) => press(page.getByRole("tab", { name, exact: true, includeHidden: true }));
const showPane = async (page, name) => {
  const pane = page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name, exact: true });
  if (await pane.isVisible()) await pane.click();
};
const speed = (page, name) => page.getByLabel("Speed").selectOption(name);

async function example(page, title) {
  await showPane(page, "Desired");
  await page.getByLabel("Examples").selectOption({ label: title });
  await press(page.getByRole("button", { name: "Apply", exact: true, includeHidden: true }));
  await showPane(page, "Actual");
}

/** The states: each begins with a fresh page in which the first manifest has converged. */
const states = {
  first: async () => {},
  /** A pod has just been deleted: its replacement is starting, and the reconcile that asked for it is open. */
  healing: async (page) => {
    await button(page, "Pause").click();
    await press(page.getByRole("button", { name: "Delete pod", includeHidden: true }));
    await speed(page, "0.1×");
    await button(page, "Play").click();
    await page.locator(".node .tile.waiting").waitFor({ state: "attached", timeout: 30_000 });
    await button(page, "Pause").click();
    await press(page.locator(".pass-line.differs"));
  },
  loop: async (page) => {
    await button(page, "Pause").click();
    await press(page.getByRole("button", { name: "Delete pod", includeHidden: true }));
    for (let i = 0; i < 30; i += 1) await button(page, "Step event").click();
    await showPane(page, "Loop");
  },
  broken: async (page) => {
    await press(page.getByRole("button", { name: "Crash node-2", includeHidden: true }));
    await speed(page, "100×");
    await page.locator(".state", { hasText: "NotReady" }).waitFor({ state: "attached", timeout: 60_000 });
    await page.waitForTimeout(4_000);
    await button(page, "Pause").click();
  },
  object: async (page) => {
    await press(page.locator('.tile [data-kind="Pod"], .tile'));
    await page.waitForTimeout(500);
    await showPane(page, "Loop");
  },
  why: async (page) => {
    await example(page, "Deployment web");
    await page.waitForTimeout(3_000);
    await press(page.locator(".tile", { hasText: "web-" }));
    await tab(page, "Why");
    await showPane(page, "Time");
  },
  store: async (page) => {
    await tab(page, "Store");
    await showPane(page, "Time");
  },
  requests: async (page) => {
    await tab(page, "Requests");
    await showPane(page, "Time");
  },
  alerts: async (page) => {
    await tab(page, "Alerts");
    await showPane(page, "Time");
  },
  terminal: async (page) => {
    await tab(page, "Terminal");
    await showPane(page, "Terminal");
    const line = page.getByRole("textbox", { name: "Command" });
    for (const text of ["kubectl get pods -o wide", "kubectl get rs,pods | head -4"]) {
      await line.fill(text);
      await line.press("Enter");
    }
    await page.waitForTimeout(1_000);
  },
  editor: async (page) => {
    await showPane(page, "Desired");
    await page.locator(".cm-content").waitFor();
    const text = (await page.locator(".cm-line").allTextContents()).join("\n");
    await page.locator(".cm-content").fill(text.replace("replicas: 3", "replicas: three"));
    await page.waitForTimeout(1_500);
  },
  many: async (page) => {
    await page.locator(".cm-content").waitFor({ state: "attached" });
    await showPane(page, "Desired");
    const text = (await page.locator(".cm-line").allTextContents()).join("\n");
    await page.locator(".cm-content").fill(text.replace("replicas: 3", "replicas: 200"));
    await press(page.getByRole("button", { name: "Apply", exact: true, includeHidden: true }));
    await speed(page, "10×");
    await page.getByText("200 of 200 pods ready").waitFor({ state: "attached", timeout: 60_000 });
    await showPane(page, "Actual");
  },
  owners: async (page) => {
    await example(page, "Deployment and Service");
    await page.waitForTimeout(3_000);
    await tab(page, "Owners");
  },
  services: async (page) => {
    await example(page, "Deployment and Service");
    await page.waitForTimeout(3_000);
    await tab(page, "Services");
  },
  twins: async (page) => {
    await tab(page, "Twins");
    await press(button(page, "Begin twins"));
    await tab(page, "Nodes");
    await press(page.getByRole("button", { name: "Crash node-2", includeHidden: true }));
    await tab(page, "Twins");
    await speed(page, "10×");
    await page.waitForTimeout(6_000);
    await button(page, "Pause").click();
  },
  palette: async (page) => {
    await page.keyboard.press("Control+k");
    await page.waitForTimeout(300);
  },
};

const wanted = process.argv.slice(2);
await mkdir(out, { recursive: true });
const server = await startServer({ "/host.html": host });
const browser = await startBrowser();
try {
  for (const viewport of sizes) {
    for (const colorScheme of ["light", "dark"]) {
      for (const [name, reach] of Object.entries(states)) {
        if (wanted.length === 0 || wanted.includes(name)) await take(viewport, colorScheme, name, "", reach);
      }
      if (wanted.length === 0 || wanted.includes("embedded")) await take(viewport, colorScheme, "embedded", "host.html", (page) => page.waitForTimeout(4_000));
    }
  }
} finally {
  await browser.close();
  await server.stop();
}

async function take(viewport, colorScheme, name, path, reach) {
  const context = await browser.newContext({ viewport, colorScheme, reducedMotion: "reduce" });
  const page = await context.newPage();
  const file = `${out}${viewport.width}x${viewport.height}-${colorScheme}-${name}.png`;
  try {
    await page.goto(server.url + (path || "?layout=inspect&speed=1"));
    if (path === "") await page.getByText("converged for").waitFor({ timeout: 30_000 });
    await reach(page);
    await page.screenshot({ path: file });
    console.log(file);
  } catch (error) {
    console.error(`${file}: ${error.message.split("\n")[0]}`);
    process.exitCode = 1;
  } finally {
    await context.close();
  }
}
