// What must never happen on a page: errors in its console, exceptions, failed requests, violations of its policy.

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
  const { default: axe } = await import("axe-core");
  // Over the debugger's own channel, because the page's policy refuses scripts from elsewhere.
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: axe.source });
  await session.detach();
  const { violations } = await look(page);
  return violations.map(({ id, help, nodes }) => `${id}: ${help} (${nodes.map((node) => node.target).join(", ")})`);
}

/** A page that lives may take an element away while axe looks at it: then it looks again. */
async function look(page, tries = 3) {
  try {
    return await page.evaluate(() => globalThis.axe.run());
  } catch (error) {
    if (tries === 1) throw error;
    return look(page, tries - 1);
  }
}
