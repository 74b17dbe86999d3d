// Firefox, driven by WebDriver BiDi. Run by itself it prints the path of the browser, or fails where there is none.
import { fileURLToPath } from "node:url";
import { programPath } from "./program.mjs";

/** The path of the browser: `FIREFOX` where it is set, else the first one found. */
export const firefoxPath = () => process.env.FIREFOX ?? programPath(["firefox-esr", "firefox"], ["/Applications/Firefox.app/Contents/MacOS/firefox"]);

/** Starts it without a window of its own, with a profile that is gone when it closes. */
export async function startFirefox({ width, height }) {
  const executablePath = firefoxPath();
  if (!executablePath) throw new Error("no Firefox found: install it, or set FIREFOX to its path");
  const { default: puppeteer } = await import("puppeteer-core");
  const browser = await puppeteer.launch({ browser: "firefox", executablePath, defaultViewport: { width, height }, protocolTimeout: 60_000 });
  const page = await browser.newPage();
  const complaints = [];
  page.on("console", (message) => {
    if (["error", "warn"].includes(message.type())) complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`exception: ${error.message}`));
  return {
    name: await browser.version(),
    complaints,
    go: (url) => page.goto(url),
    evaluate: (expression) => page.evaluate(expression),
    move: (x, y) => page.mouse.move(x, y),
    down: () => page.mouse.down(),
    up: () => page.mouse.up(),
    press: (key) => page.keyboard.press(key),
    type: (text) => page.keyboard.type(text),
    picture: () => page.screenshot(),
    stop: () => browser.close(),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const path = firefoxPath();
  if (path) console.log(path);
  else process.exitCode = 1;
}
