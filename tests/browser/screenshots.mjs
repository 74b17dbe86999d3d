// Takes pictures of dist/ into tests/browser/out/: four sizes, light and dark; each pane of the narrow one, and two scenes of
// the widest. 1280x800 in light is the README's picture (static/screenshot.png).
import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { startBrowser } from "./browser.mjs";
import { startServer } from "./server.mjs";

const sizes = [
  { width: 1440, height: 900 },
  { width: 1280, height: 800 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
];
const out = fileURLToPath(new URL("out/", import.meta.url));

await mkdir(out, { recursive: true });
const server = await startServer();
const browser = await startBrowser();
try {
  for (const viewport of sizes) {
    for (const colorScheme of ["light", "dark"]) await takePictures(viewport, colorScheme);
  }
} finally {
  await browser.close();
  await server.stop();
}

/** A pod has just been deleted: its replacement is starting, and the reconcile that asked for it is open. */
async function healing(page) {
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("button", { name: "Delete pod" }).first().click();
  await page.getByLabel("Speed").selectOption("0.1×");
  await page.getByRole("button", { name: "Play" }).click();
  await page.locator(".node .tile.waiting").waitFor({ timeout: 30_000 });
  await page.getByRole("button", { name: "Pause" }).click();
  // On a narrow screen the list is on a pane that is not shown.
  await page.locator(".pass-line.differs").first().dispatchEvent("click");
}

/** A node has lost power and was found out. */
async function broken(page) {
  await page.getByRole("button", { name: "Crash node-2" }).click();
  await page.getByLabel("Speed").selectOption("10×");
  await page.getByRole("button", { name: "Play" }).click();
  await page.locator(".state", { hasText: "NotReady" }).waitFor({ timeout: 60_000 });
  await page.getByRole("button", { name: "Pause" }).click();
}

async function takePictures(viewport, colorScheme) {
  const context = await browser.newContext({ viewport, colorScheme, reducedMotion: "reduce" });
  const page = await context.newPage();
  await page.goto(server.url);
  await page.getByText("converged for").waitFor({ timeout: 30_000 });
  const path = (name) => `${out}${viewport.width}x${viewport.height}-${colorScheme}${name}.png`;
  await healing(page);
  await picture(page, path(""));
  if (viewport.width > 1400) {
    await broken(page);
    await picture(page, path("-broken"));
  }
  if (viewport.width < 700) {
    for (const pane of ["Desired", "Loop", "Time"]) {
      await page.getByRole("button", { name: pane, exact: true }).click();
      await picture(page, path(`-${pane.toLowerCase()}`));
    }
  }
  await context.close();
}

async function picture(page, path) {
  await page.screenshot({ path });
  console.log(path);
}
