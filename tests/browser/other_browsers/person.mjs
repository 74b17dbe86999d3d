// What a person does and sees in any browser, with nothing but a pointer, keys, and scripts that look at the page.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";

/** What every script that looks at the page may use. The editor lives in a shadow tree of its own, so all of them are searched. */
const EYES = `
  const all = (selector, root = document) => [
    ...root.querySelectorAll(selector),
    ...[...root.querySelectorAll("*")].filter((one) => one.shadowRoot).flatMap((one) => all(selector, one.shadowRoot)),
  ];
  const nameOf = (element) => (element.getAttribute("aria-label") ?? element.textContent).trim();
  const named = (selector, name) => all(selector).find((one) => name == null || nameOf(one) === name || (name.endsWith("…") && nameOf(one).startsWith(name.slice(0, -1))));
  const blind = (element) => {
    if (!element) return "is missing";
    const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
    const place = [left, top, right, bottom].map(Math.round) + " in " + innerWidth + "×" + innerHeight;
    if (width < 1 || height < 1) return "has no size: " + place;
    if (left < -1 || top < -1 || right > innerWidth + 1 || bottom > innerHeight + 1) return "is not in the window: " + place;
    const hit = element.getRootNode().elementFromPoint(left + width / 2, top + height / 2);
    return hit && (element === hit || element.contains(hit)) ? "" : "is covered by " + hit?.tagName + "." + hit?.className + ": " + place;
  };
`;

/** A person in front of a browser's window. Elements are named by a selector and, where there are several, by their name; a name that ends in … is a beginning. */
export function personAt(window) {
  const look = (script, ...args) => window.evaluate(`(() => { ${EYES} return (${script})(...${JSON.stringify(args)}); })()`);

  /** Waits until a script finds what it looks for, and returns it. */
  const until = async (what, script, args = [], ms = 20_000) => {
    for (const end = Date.now() + ms; ; await sleep(50)) {
      const found = await look(script, ...args);
      if (found) return found;
      if (Date.now() > end) assert.fail(`${window.name}: ${what}, not within ${ms / 1_000} s`);
    }
  };

  /** Where the middle of an element is, once it is in sight. */
  const middle = async (selector, name) => {
    let problem;
    for (let tries = 0; tries < 200; tries += 1) {
      const found = await look((s, n) => {
        const element = named(s, n);
        const box = element?.getBoundingClientRect();
        return { problem: blind(element), x: box?.x + box?.width / 2, y: box?.y + box?.height / 2 };
      }, selector, name);
      if (found.problem === "") return found;
      problem = found.problem;
      await sleep(50);
    }
    assert.fail(`${window.name}: ${selector} ${name ?? ""} ${problem}`);
  };

  const clickAt = async (x, y) => {
    await window.move(x, y);
    await window.down();
    await window.up();
  };

  return {
    look,
    until,
    clickAt,
    inSight: middle,
    press: (key) => window.press(key),
    type: (text) => window.type(text),

    async click(selector, name) {
      const { x, y } = await middle(selector, name);
      await clickAt(x, y);
    },

    /** Draws the pointer along a line while its button is down. */
    async drag(from, to) {
      await window.move(from.x, from.y);
      await window.down();
      for (let i = 1; i <= 6; i += 1) await window.move(from.x + ((to.x - from.x) * i) / 6, from.y + ((to.y - from.y) * i) / 6);
      await window.up();
    },

    /** Waits until a text can be read. */
    reads: (text, { within = "body", ms } = {}) =>
      until(`“${text}” is to be read`, (t, s) => all(s).some((one) => one.innerText.includes(t)), [text, within], ms),

    textOf: (selector) => look((s) => all(s)[0]?.textContent, selector),
    textsOf: (selector) => look((s) => all(s).map((one) => one.textContent), selector),
    count: (selector) => look((s) => all(s).length, selector),
  };
}
