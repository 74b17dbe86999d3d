// Takes pictures of dist/ into tests/browser/out/: three sizes, light and dark.
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
    for (const colorScheme of ["light", "dark"]) {
      const context = await browser.newContext({ viewport, colorScheme, reducedMotion: "reduce" });
      const page = await context.newPage();
      await page.goto(server.url);
      await page.getByRole("heading", { level: 1 }).waitFor();
      const path = `${out}${viewport.width}x${viewport.height}-${colorScheme}.png`;
      await page.screenshot({ path });
      console.log(path);
      await context.close();
    }
  }
} finally {
  await browser.close();
  await server.stop();
}
