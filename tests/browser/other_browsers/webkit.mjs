// WebKit as WebKitGTK has it, driven by its own W3C WebDriver. Run by itself it fails where a part of it is missing, and names that part.
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { programPath } from "./program.mjs";

/** The programs that are needed and missing. */
export const missingForWebKit = () => ["WebKitWebDriver", "Xvfb"].filter((name) => !programPath([name]));

/** The keys that have no letter, as WebDriver writes them. */
const KEYS = { Backspace: "\uE003", Enter: "\uE007", End: "\uE010" };

/** Starts its small browser on a screen that nobody sees. It keeps nothing when it closes. */
export async function startWebKit({ width, height }) {
  const screen = await startScreen(width + 200, height + 200);
  const driver = await startDriver(screen.name);
  const stop = () => [driver, screen].forEach((one) => one.stop());
  try {
    const { sessionId, capabilities } = await driver.ask("POST", "/session", { capabilities: {} });
    const ask = (method, path, body) => driver.ask(method, `/session/${sessionId}${path}`, body);
    const window = windowOf(ask, `WebKit ${capabilities.browserVersion}`);
    await resize(ask, window, { width, height });
    return { ...window, stop: () => ask("DELETE", "").finally(stop) };
  } catch (error) {
    stop();
    throw error;
  }
}

function windowOf(ask, name) {
  const act = (type, id, actions, more = {}) => ask("POST", "/actions", { actions: [{ type, id, actions, ...more }] });
  const mouse = (action) => act("pointer", "mouse", [action], { parameters: { pointerType: "mouse" } });
  const keys = (texts) => act("key", "keyboard", texts.flatMap((value) => [{ type: "keyDown", value }, { type: "keyUp", value }]));
  return {
    name,
    // This protocol does not hand out what the page writes to its console.
    complaints: [],
    go: (url) => ask("POST", "/url", { url }),
    evaluate: (expression) => ask("POST", "/execute/sync", { script: `return ${expression}`, args: [] }),
    move: (x, y) => mouse({ type: "pointerMove", x: Math.round(x), y: Math.round(y), duration: 0 }),
    down: () => mouse({ type: "pointerDown", button: 0 }),
    up: () => mouse({ type: "pointerUp", button: 0 }),
    press: (key) => keys([KEYS[key] ?? key]),
    type: (text) => keys([...text]),
    picture: async () => Buffer.from(await ask("GET", "/screenshot"), "base64"),
  };
}

/** Gives the page so much room, whatever stands around it in the window. */
async function resize(ask, window, { width, height }) {
  await ask("POST", "/window/rect", { x: 0, y: 0, width, height });
  const [innerWidth, innerHeight] = await window.evaluate("[innerWidth, innerHeight]");
  await ask("POST", "/window/rect", { x: 0, y: 0, width: 2 * width - innerWidth, height: 2 * height - innerHeight });
  for (let tries = 0; tries < 50; tries += 1) {
    const room = await window.evaluate("[innerWidth, innerHeight]");
    if (room[0] === width && room[1] === height) return;
    await sleep(100);
  }
  throw new Error(`the window cannot be made ${width}×${height}`);
}

/** An X server without a screen. It chooses its own number and writes it to the fourth channel. */
async function startScreen(width, height) {
  const child = spawn("Xvfb", ["-displayfd", "3", "-screen", "0", `${width}x${height}x24`, "-nolisten", "tcp"], { stdio: ["ignore", "ignore", "ignore", "pipe"] });
  const number = await new Promise((resolve, reject) => {
    child.stdio[3].once("data", (text) => resolve(String(text).trim()));
    child.once("exit", (code) => reject(new Error(`Xvfb ended with ${code}`)));
    child.once("error", reject);
  });
  return { name: `:${number}`, stop: () => child.kill() };
}

async function startDriver(display) {
  const port = await freePort();
  const child = spawn("WebKitWebDriver", [`--port=${port}`], { env: { ...process.env, DISPLAY: display, GDK_BACKEND: "x11", NO_AT_BRIDGE: "1" }, stdio: "ignore" });
  const ask = async (method, path, body) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, body: body && JSON.stringify(body) });
    const { value } = await answer.json();
    if (!answer.ok) throw new Error(`${method} ${path}: ${value.error}: ${value.message}`);
    return value;
  };
  for (let tries = 0; ; tries += 1) {
    try {
      await ask("GET", "/status");
      return { ask, stop: () => child.kill() };
    } catch (error) {
      if (tries === 100 || child.exitCode !== null) throw new Error("WebKitWebDriver does not answer", { cause: error });
      await sleep(100);
    }
  }
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const missing = missingForWebKit();
  if (missing.length > 0) {
    console.log(missing.join(", "));
    process.exitCode = 1;
  }
}
