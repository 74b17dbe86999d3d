// Takes pictures of dist/ into tests/browser/out/: three sizes, light and dark, and each pane of the narrow one.
import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { startBrowser } from "./browser.mjs";
import { startServer } from "./server.mjs";

const sizes = [
  { width: 1440, height: 900 },
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

/** A converged cluster in which one pod has just been deleted: something of everything is to be seen. */
async function takePictures(viewport, colorScheme) {
  const context = await browser.newContext({ viewport, colorScheme, reducedMotion: "reduce" });
  const page = await context.newPage();
  await page.goto(server.url);
  await page.getByText("converged for").waitFor({ timeout: 30_000 });
  await page.getByRole("button", { name: "Delete pod" }).first().click();
  await page.getByText("converged for").waitFor({ timeout: 30_000 });
  await page.getByRole("button", { name: "Crash node-2" }).click();
  await page.getByLabel("Speed").selectOption("10×");
  await page.locator(".state", { hasText: "NotReady" }).waitFor({ timeout: 60_000 });
  await page.getByRole("button", { name: "Pause" }).click();
  const path = (name) => `${out}${viewport.width}x${viewport.height}-${colorScheme}${name}.png`;
  await picture(page, path(""));
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
