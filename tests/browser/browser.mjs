// Finds and starts the Chromium of the machine. Run by itself it prints the path, or fails where there is none.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
const places = [
  ...(process.env.PATH ?? "").split(delimiter).flatMap((folder) => names.map((name) => join(folder, name))),
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** The path of the browser: `CHROMIUM` where it is set, else the first one found. */
export function chromiumPath() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const found = places.find(isExecutable);
  if (!found) throw new Error("no Chromium found: install it, or set CHROMIUM to its path");
  return found;
}

/** A headless browser with a profile of its own, which is gone when it closes. */
export async function startBrowser() {
  const { chromium } = await import("playwright-core");
  // Chromium's sandbox does not run in most containers, and /dev/shm is small there.
  const args = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"];
  const browser = await chromium.launch({ executablePath: chromiumPath(), args });
  return withoutIntroduction(browser);
}

/** Every context but one with `firstVisit` is that of a person who has been here before, so that no introduction lies over the page. */
function withoutIntroduction(browser) {
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async ({ firstVisit, ...options } = {}) => {
    const context = await newContext(options);
    if (!firstVisit) await context.addInitScript(rememberIntroduction);
    return context;
  };
  return browser;
}

function rememberIntroduction() {
  try {
    localStorage.setItem("loopscope.introduction", "seen");
  } catch {
    // A sandboxed frame has no storage, and is not introduced either.
  }
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(chromiumPath());
