// What must never happen on a page: errors in its console, exceptions, failed requests, violations of its policy.
import { readFile } from "node:fs/promises";

/** The short form of axe: the long one takes a page three times longer to read. */
const axeSource = await readFile(new URL("../../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

/** Collects the complaints of a page, of all its frames, from now on. */
export function complaintsOf(page) {
  const complaints = [];
  // Chromium reports a violated Content-Security-Policy as a console error too.
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`exception: ${error.message}`));
  page.on("requestfailed", (request) => complaints.push(`failed: ${request.url()} ${request.failure()?.errorText}`));
  page.on("response", (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()}: ${response.url()}`);
  });
  return complaints;
}

/** Runs axe on a page and returns what it finds, one line each. */
export async function accessibilityProblems(page) {
  if (!await page.evaluate(() => "axe" in globalThis)) {
    // Over the debugger's own channel, because the page's policy refuses scripts from elsewhere.
    const session = await page.context().newCDPSession(page);
    await session.send("Runtime.evaluate", { expression: axeSource });
    await session.detach();
  }
  return look(page);
}

/** Runs axe in each frame of a host page, and returns what it finds. */
export async function problemsInFrames(page) {
  const session = await page.context().newCDPSession(page);
  const contexts = [];
  session.on("Runtime.executionContextCreated", ({ context }) => contexts.push(context));
  await session.send("Runtime.enable");
  for (const { id, auxData } of contexts) {
    if (auxData.isDefault) await session.send("Runtime.evaluate", { expression: axeSource, contextId: id });
  }
  await session.detach();
  const found = [];
  for (const frame of page.frames().slice(1)) found.push(...await look(frame));
  return found;
}

/** A page that lives may take an element away while axe looks at it: then it looks again. */
async function look(page, tries = 3) {
  try {
    return await page.evaluate(async () => {
      // What passed is not asked for: it is every element of the page, with its source.
      const { violations } = await globalThis.axe.run({ resultTypes: ["violations"] });
      return violations.map(({ id, help, nodes }) => `${id}: ${help} (${nodes.map((node) => node.target).join(", ")})`);
    });
  } catch (error) {
    if (tries === 1) throw error;
    return look(page, tries - 1);
  }
}
