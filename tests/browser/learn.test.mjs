// The layout Learn in low and narrow windows, and what a person needs there to find the way: the refusal, the way back, the prompt, the text of the manifest.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { button, converged, setSpeed, startRig } from "./run.mjs";
import { assertInSight, isNarrow, named } from "./sight.mjs";

let rig;
before(async () => (rig = await startRig()));
after(() => rig?.stop());

const LEARN = "?layout=learn&speed=1&at=3";
const pane = (page, name) => page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name });

for (const size of [{ width: 1280, height: 720 }, { width: 1024, height: 768 }, { width: 800, height: 500 }, { width: 390, height: 844 }]) {
  test(`a refused request is in sight in the card Act, ${named(size)}`, async () => {
    await rig.visit({ address: LEARN, viewport: size }, async (page) => {
      if (isNarrow(size)) await pane(page, "Desired").click();
      await page.getByLabel("Examples").selectOption({ label: "Quota and limits" });
      await button(page, "Apply").click();
      if (isNarrow(size)) await pane(page, "Loop").click();
      await page.getByLabel("follow").selectOption("replicaset");
      const refused = page.locator(".card.act li.refused").first();
      // Once the next try is far off, the last pass stays.
      await page.locator(".drift", { hasText: "pods cannot be created" }).waitFor();
      await button(page, "Pause").click();
      await page.getByText(/refused by the API server$/).waitFor();
      await assertInSight(refused.locator(".asked"), "the refused request");
      if (size.height > 500) await assertInSight(refused, "the refusal with its reason");
    });
  });
}

for (const size of [{ width: 390, height: 844 }, { width: 360, height: 640 }]) {
  test(`the badge says the whole reason on a phone, ${named(size)}`, async () => {
    await rig.visit({ address: LEARN, viewport: size }, async (page) => {
      const badge = page.locator(".drift");
      const isWhole = async (what) => {
        await assertInSight(badge, what);
        assert.ok(await badge.evaluate((b) => b.scrollWidth <= b.clientWidth && b.querySelector(".drift-text").scrollWidth <= b.clientWidth), `${what}: ${await badge.textContent()}`);
      };
      await isWhole("converged");
      await pane(page, "Terminal").click();
      await page.getByRole("textbox", { name: "Command" }).fill("kubectl create deployment frontend --image=ngnix:1.25 --replicas=12");
      await page.keyboard.press("Enter");
      await badge.getByText(/drifting for .*: 3 of 15 ready/).waitFor();
      await button(page, "Pause").click();
      await isWhole("drifting");
      await button(page, "Play").click();
      await badge.getByText(/stuck: frontend-\w+-\w+: (ErrImagePull|ImagePullBackOff)$/).waitFor({ timeout: 20_000 });
      await isWhole("stuck");
    });
  });
}

test("a request that is opened keeps its pass, which says when it was and has a way back", async () => {
  await rig.visit({ address: LEARN }, async (page) => {
    await page.locator(".card.act .asked").first().click();
    await page.locator(".card.act .message-body").getByText("generateName: my-app-").first().waitFor();
    await assertInSight(page.locator(".learn-head").getByText(/^at 0:00\.\d{3}$/));
    await assertInSight(button(page, "Back to the newest pass"));
    await button(page, "Back to the newest pass").click();
    await button(page, "Back to the newest pass").waitFor({ state: "detached" });
  });
});

test("on a phone the terminal is ready for typing when its pane is opened", async () => {
  await rig.visit({ address: LEARN, viewport: { width: 390, height: 844 }, hasTouch: true }, async (page) => {
    await pane(page, "Terminal").tap();
    await page.locator("#terminal-line:focus").waitFor();
    await page.keyboard.type("w");
    assert.equal(await page.getByRole("textbox", { name: "Command" }).inputValue(), "w");
  });
});

for (const layout of ["learn", "operate", "inspect"]) {
  test(`the manifest has room for twelve lines in ${layout} at 1280×720`, async () => {
    await rig.visit({ address: `?layout=${layout}&speed=1&at=3`, viewport: { width: 1280, height: 720 } }, async (page) => {
      const line = await page.locator(".cm-line").first().boundingBox();
      const editor = await page.locator(".rich").boundingBox();
      assert.ok(editor.height / line.height >= 12, `${editor.height / line.height} lines`);
    });
  });
}

for (const colorScheme of ["light", "dark"]) {
  test(`the first press on the theme button changes the colours where the system is ${colorScheme}`, async () => {
    await rig.visit({ address: LEARN, colorScheme }, async (page) => {
      const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const before = await ground();
      await page.getByRole("button", { name: /^Theme/ }).click();
      assert.notEqual(await ground(), before);
    });
  });
}

test("in a small embed the status of a pod and its button stand apart", async () => {
  await rig.visit({ address: "?embed=1&panels=cluster&at=3&speed=1", viewport: { width: 400, height: 300 } }, async (page) => {
    const tile = page.locator(".tile.good").first();
    const status = await tile.locator(".status").evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      const { right, bottom } = range.getBoundingClientRect();
      return { right, bottom };
    });
    const remove = await tile.getByText("Delete", { exact: true }).boundingBox();
    assert.ok(remove.x - status.right >= 4 || remove.y >= status.bottom - 1, JSON.stringify({ status, remove }));
    await converged(page);
  });
});

test("a long reason is whole in the badge of a tablet", async () => {
  await rig.visit({ address: LEARN, viewport: { width: 1024, height: 768 } }, async (page) => {
    const badge = page.locator(".drift");
    await page.getByRole("tab", { name: "Terminal" }).click();
    await page.getByRole("textbox", { name: "Command" }).fill("kubectl run web --image=ngnix:1.25");
    await page.keyboard.press("Enter");
    await badge.getByText(/stuck: web: (ErrImagePull|ImagePullBackOff)$/).waitFor({ timeout: 20_000 });
    await assertInSight(badge);
    assert.ok(await badge.locator(".drift-text").evaluate((b) => b.scrollHeight <= b.clientHeight + 1 && b.scrollWidth <= b.clientWidth + 1), await badge.textContent());
    assert.ok((await page.locator(".bar").boundingBox()).height < 56, "the bar is one row");
  });
});

test("on a phone the letters of the diagram can be read", async () => {
  await rig.visit({ address: LEARN, viewport: { width: 390, height: 844 } }, async (page) => {
    await pane(page, "Loop").click();
    const text = page.locator(".learn .diagram:visible").getByText("API server", { exact: true });
    await assertInSight(text);
    assert.ok((await text.boundingBox()).height >= 11, "eleven pixels from the top of a letter to its foot");
  });
});

test("a tab that is chosen elsewhere is scrolled into sight", async () => {
  await rig.visit({ address: "?layout=operate&speed=1&at=3", viewport: { width: 1440, height: 900 } }, async (page) => {
    await page.locator(".tile .name").first().click();
    await page.getByRole("button", { name: /^Why .+\?$/ }).first().click();
    await page.getByRole("tab", { name: "Why", selected: true }).waitFor();
    await assertInSight(page.getByRole("tab", { name: "Why" }));
  });
});

for (const size of [{ width: 1280, height: 720 }, { width: 1024, height: 768 }, { width: 800, height: 500 }, { width: 390, height: 844 }]) {
  test(`every view of the cluster has its tab in sight and fits into its pane, ${named(size)}`, async () => {
    await rig.visit({ address: LEARN, viewport: size }, async (page) => {
      if (isNarrow(size)) await pane(page, "Actual").click();
      for (const name of ["Nodes", "Owners", "Services", "Objects", "Twins"]) {
        const tab = page.locator(".actual").getByRole("tab", { name, exact: true });
        await assertInSight(tab, name);
        await tab.click();
        if (name === "Twins") await button(page, "Begin twins").click();
        const [wide, room] = await page.locator(".pane.actual").evaluate((element) => [element.scrollWidth, element.clientWidth]);
        assert.ok(wide <= room + 1, `${name} is ${wide} pixels wide in ${room}`);
      }
    });
  });

  test(`nothing shows under the controllers at work, ${named(size)}`, async () => {
    await rig.visit({ address: LEARN, viewport: size }, async (page) => {
      if (isNarrow(size)) await pane(page, "Loop").click();
      const under = await page.locator(".at-work").evaluate((row) => {
        const rest = row.closest(".learn").getBoundingClientRect().bottom - row.getBoundingClientRect().bottom;
        return getComputedStyle(row).position === "sticky" ? Math.round(rest) : 0;
      });
      assert.ok(under <= 1, `${under} pixels`);
    });
  });
}

for (const size of [{ width: 1280, height: 720 }, { width: 1024, height: 768 }, { width: 1440, height: 900 }]) {
  test(`what is read stays where it is from pass to pass, and the whole of it is in sight, ${named(size)}`, async () => {
    await rig.visit({ address: LEARN, viewport: size }, async (page) => {
      await setSpeed(page, "0.1×");
      await page.getByRole("button", { name: /^Delete pod / }).first().click();
      const places = new Set();
      for (let look = 0; look < 30; look++) {
        const parts = page.locator(".bar, .cards, .saying, .diagram:visible, .at-work");
        places.add(await parts.evaluateAll((all) => all.map((part) => Math.round(part.getBoundingClientRect().top)).join(" ")));
        await page.waitForTimeout(100);
      }
      assert.equal(places.size, 1, [...places].join(" | "));
      const diagram = page.locator(".learn .diagram:visible");
      for (const box of ["etcd", "Queue", "Cache"]) await assertInSight(diagram.getByText(box, { exact: true }).locator(".."), box);
    });
  });
}

test("a step back leaves the page where it is, and all tabs beside the note of the past", async () => {
  await rig.visit({ address: LEARN, viewport: { width: 1280, height: 720 } }, async (page) => {
    await button(page, "Pause").click();
    const top = async () => (await page.locator(".cards").boundingBox()).y;
    const before = await top();
    await button(page, "Step back").click();
    await button(page, /to now/).waitFor();
    assert.equal(await top(), before);
    await assertInSight(page.getByRole("tab", { name: "Why", exact: true }));
    await assertInSight(page.locator(".past-note"));
  });
});

test("in a low frame a pod is in sight, and nothing lies over the choice of whom to follow", async () => {
  await rig.visit({ address: "?embed=1&speed=1&at=3", viewport: { width: 400, height: 300 } }, async (page) => {
    await assertInSight(page.locator(".tile .name").first());
  });
  await rig.visit({ address: `${LEARN}&size=large`, viewport: { width: 800, height: 500 } }, async (page) => {
    const [select, tool] = [await page.getByLabel("follow").boundingBox(), await button(page, "Fold Loop").boundingBox()];
    assert.ok(select.x + select.width <= tool.x, JSON.stringify({ select, tool }));
  });
});

test("on a phone nothing that has the focus is under the strip with the last pass", async () => {
  await rig.visit({ address: LEARN, viewport: { width: 390, height: 844 } }, async (page) => {
    await page.getByRole("tab", { name: "Nodes" }).focus();
    for (let stop = 0; stop < 24; stop += 1) {
      await page.keyboard.press("Tab");
      const focused = page.locator(":focus");
      if (await focused.evaluate((element) => !element.closest(".actual"))) break;
      await assertInSight(focused, `stop ${stop}`);
    }
  });
});
