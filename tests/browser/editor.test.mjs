// The manifest's editor: typing, completion, help, problems, examples, the diff against live, and the plain box without the bundle.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { answer, button, edit, manifest, manifestText, startRig, untilPods } from "./run.mjs";
import { accessibilityProblems } from "./watch.mjs";

let rig;

before(async () => {
  rig = await startRig();
});

after(async () => {
  await rig?.stop();
});

const problems = (page) => page.getByRole("list", { name: "Problems" });
const comparison = (page) => page.getByRole("region", { name: "Diff against live" });
const choices = (page) => page.getByRole("listbox", { name: "Completions" });
const line = (page, text) => page.locator(".cm-line").filter({ hasText: text });

/** The number in the gutter beside the line that has a mark. */
const markedLine = async (page) => {
  const mark = page.locator(".cm-lint-marker").first();
  await mark.waitFor();
  const top = (await mark.boundingBox()).y;
  const numbers = await page.locator(".cm-lineNumbers .cm-gutterElement:visible").all();
  const places = await Promise.all(numbers.map(async (number) => [Math.abs((await number.boundingBox()).y - top), await number.textContent()]));
  return Number(places.sort((a, b) => a[0] - b[0])[0][1]);
};

test("what is typed is applied with Control and Enter, and answered word for word", async () => {
  await rig.visit({}, async (page) => {
    await line(page, "replicas: 3").click();
    await page.keyboard.press("Home");
    for (let i = 0; i < "replicas: ".length; i += 1) await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Delete");
    await page.keyboard.type("4");
    await page.getByText("edited, not applied").waitFor();
    await page.keyboard.press("Control+Enter");
    await answer(page).getByText("replicaset.apps/my-app configured").waitFor();
    await untilPods(page, 4);
    await line(page, "replicas: 4").click();
    await page.keyboard.press("Control+z");
    await page.keyboard.press("Control+z");
    await line(page, "replicas: 3").waitFor();
    await button(page, "Revert to applied").click();
    await line(page, "replicas: 4").waitFor();
  });
});

test("fields are completed from the schema with the keyboard alone", async () => {
  await rig.visit({}, async (page) => {
    await manifest(page).fill("apiVersion: apps/v1\nkind: Deployment\nspec:\n  ");
    await page.keyboard.press("Control+End");
    await page.keyboard.press("Control+Space");
    await choices(page).getByRole("option").first().waitFor();
    assert.match(await choices(page).getByRole("option").first().textContent(), /^selector.*required/);
    await page.keyboard.type("repl");
    await choices(page).getByRole("option", { name: /^replicas/ }).and(page.locator("[aria-selected=true]")).waitFor();
    await page.locator(".cm-completionInfo").waitFor();
    // A list that has just opened takes no key for a moment, so that nobody takes a choice they have not seen.
    await page.waitForTimeout(150);
    await page.keyboard.press("Enter");
    await page.keyboard.type("2");
    await page.keyboard.press("Enter");
    await page.keyboard.type("stra");
    await choices(page).getByRole("option", { name: /^strategy/ }).waitFor();
    await page.waitForTimeout(150);
    await page.keyboard.press("Enter");
    await choices(page).getByRole("option", { name: /^type/ }).waitFor();
    await page.keyboard.type("type: ");
    await page.keyboard.press("Control+Space");
    await choices(page).getByRole("option", { name: "Recreate" }).waitFor();
    await page.waitForTimeout(150);
    await page.keyboard.press("Enter");
    assert.equal(await manifestText(page), "apiVersion: apps/v1\nkind: Deployment\nspec:\n  replicas: 2\n  strategy:\n    type: Recreate");
  });
});

test("a field explains itself at the pointer and at the cursor", async () => {
  await rig.visit({}, async (page) => {
    const help = page.locator(".help");
    const path = help.getByText("spec.template.spec.containers[].image");
    // The editor explains what the pointer rests on. While the page is busy a pane may still move under it, so a person points once more.
    for (let tries = 0; tries < 8 && !(await path.isVisible()); tries += 1) {
      await page.mouse.move(900, 500);
      await line(page, "image: nginx").getByText("image").hover();
      await path.waitFor({ timeout: 3_000 }).catch(() => {});
    }
    await path.waitFor({ timeout: 1_000 });
    await help.getByText("The image to run").waitFor();
    await page.mouse.move(900, 500);
    await help.waitFor({ state: "detached" });
    await page.locator(".cm-content").focus();
    await page.keyboard.press("Control+Home");
    for (let down = 0; down < 5; down += 1) await page.keyboard.press("ArrowDown");
    // From the line's beginning to its first letter.
    await page.keyboard.press("Home");
    await page.keyboard.press("F1");
    await help.getByText("spec.replicas").waitFor();
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "detached" });
  });
});

test("a problem stands at its own line while typing, and goes when it is mended", async () => {
  await rig.visit({}, async (page) => {
    await edit(page, "replicas: 3", "replicas: -1");
    await problems(page).getByText("line 6: spec.replicas: Invalid value: -1: must be greater than or equal to 0").waitFor();
    assert.equal(await markedLine(page), 6);
    await edit(page, "replicas: -1", "replicas: 3\n  replica: 3");
    await problems(page).getByText('line 7: unknown field "spec.replica"').waitFor();
    await page.getByRole("button", { name: /line 7: unknown field/ }).click();
    await page.keyboard.type("x");
    assert.match(await manifestText(page), /\n {2}xreplica: 3 #/);
    await edit(page, "\n  xreplica: 3", "");
    await problems(page).waitFor({ state: "detached" });
    await page.locator(".cm-lint-marker").waitFor({ state: "detached" });
    // What only the cluster knows: the selector of an object that is there cannot be changed.
    await manifest(page).fill((await manifestText(page)).replaceAll("app: my-app", "app: other"));
    await problems(page).getByText(/line 7: spec\.selector: Invalid value: .*field is immutable/).waitFor();
  });
});

test("several documents are checked, compared and applied together", async () => {
  await rig.visit({}, async (page) => {
    await page.getByLabel("Examples").selectOption("Deployment and Service");
    await page.getByText("The Service reaches the pods that are ready").waitFor();
    await edit(page, "targetPort: http", "targetPort: true");
    await problems(page).getByText(/line 31: /).waitFor();
    await edit(page, "targetPort: true", "targetPort: http");
    await problems(page).waitFor({ state: "detached" });
    await button(page, "Diff against live").click();
    await comparison(page).getByText("Deployment shop: not there yet").waitFor();
    await comparison(page).getByText("Service shop: not there yet").waitFor();
    await manifest(page).focus();
    await page.keyboard.press("Control+Enter");
    await answer(page).getByText("deployment.apps/shop created").waitFor();
    await answer(page).getByText("service/shop created").waitFor();
    await untilPods(page, 6);
    await comparison(page).getByText("Deployment shop: no difference").waitFor();
  });
});

test("the diff against live shows the changed line, and follows what is live", async () => {
  await rig.visit({}, async (page) => {
    await button(page, "Diff against live").click();
    await comparison(page).getByText("ReplicaSet my-app: no difference").waitFor();
    await edit(page, "replicas: 3", "replicas: 5");
    assert.equal((await comparison(page).locator(".removed").textContent()).trim(), "-  replicas: 3");
    assert.equal((await comparison(page).locator(".added").textContent()).trim(), "+  replicas: 5");
    await button(page, "Apply").click();
    await comparison(page).getByText("ReplicaSet my-app: no difference").waitFor();
    await edit(page, "replicas: 5", "replicas: -5");
    await comparison(page).getByText("would be refused").waitFor();
    await comparison(page).getByText('The ReplicaSet "my-app" is invalid: spec.replicas').waitFor();
    // Nothing has failed: it only would.
    const colours = await comparison(page).evaluate((c) => [c.querySelector("pre"), c].map((e) => getComputedStyle(e).color));
    assert.equal(colours[0], colours[1]);
    await button(page, "Diff against live").click();
    await comparison(page).waitFor({ state: "detached" });
  });
});

test("Tab indents for whoever types, and never holds anybody", async () => {
  await rig.visit({}, async (page) => {
    const inside = () => page.evaluate(() => document.activeElement?.matches(".rich") ?? false);
    await manifest(page).focus();
    await page.keyboard.press("Tab");
    assert.equal(await inside(), false, "whoever passes moves on");
    await manifest(page).fill("a:\nb");
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("Tab");
    assert.equal(await manifestText(page), "  a:\nb");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    assert.equal(await inside(), false, "Escape, then Tab leaves");
  });
});

test("Escape leads from the editor and from the terminal to where single keys step", async () => {
  await rig.visit({}, async (page) => {
    const press = (...keys) => keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
    const clock = () => page.getByRole("timer").textContent();
    await manifest(page).waitFor();
    await press("e", "Control+End", "Enter", "#", "Control+Enter");
    await answer(page).getByText("replicaset.apps/my-app unchanged").waitFor();
    await press("Escape");
    // An open list of completions takes the first Escape for itself.
    if (await page.locator(".cm-content:focus").count()) await press("Escape");
    await press(" ");
    await button(page, "Play").waitFor();
    assert.match(await manifestText(page), /#$/, "the space was no letter");
    const before = await clock();
    await press("t");
    await page.locator("#terminal-line:focus").waitFor();
    await press("x", "Escape", "ArrowRight");
    assert.notEqual(await clock(), before, "it steps");
    assert.equal(await page.getByRole("textbox", { name: "Command" }).inputValue(), "x");
    await press("Tab");
    await page.locator(".drawer :focus").waitFor();
  });
});

test("without the bundle a plain text box does the same", async () => {
  const blocked = (page) => page.route("**/editor-*.js", (route) => route.abort());
  await rig.visit({ before: blocked, expect: /editor-\w+\.js|ERR_FAILED/ }, async (page) => {
    const box = page.getByRole("textbox", { name: "Manifest" });
    const text = await box.inputValue();
    await box.fill(text.replace("replicas: 3", "replicas: -2"));
    await problems(page).getByText("line 6: spec.replicas: Invalid value: -2").waitFor();
    await page.getByRole("button", { name: /line 6/ }).click();
    assert.equal(await box.evaluate((area) => area.value.slice(area.selectionStart).split("\n")[0].trim()), "replicas: -2 # <-- The sacred number");
    await box.fill(text.replace("replicas: 3", "replicas: 2"));
    await box.press("Control+Enter");
    await answer(page).getByText("replicaset.apps/my-app configured").waitFor();
    await untilPods(page, 2);
    await page.getByLabel("Examples").selectOption("Bare pod");
    assert.match(await box.inputValue(), /kind: Pod/);
  });
});

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing wrong with problems, choices and a diff in the ${colorScheme} theme`, async () => {
    await rig.visit({ colorScheme }, async (page) => {
      await button(page, "Diff against live").click();
      await edit(page, "replicas: 3", "replicas: 5\n  bogus: 1");
      await problems(page).waitFor();
      assert.deepEqual(await accessibilityProblems(page), []);
      await edit(page, "\n  bogus: 1", "");
      await comparison(page).locator(".added").waitFor();
      await line(page, "replicas: 5").click();
      await page.keyboard.press("End");
      await page.keyboard.press("Enter");
      await page.keyboard.press("Control+Space");
      await choices(page).waitFor();
      assert.deepEqual(await accessibilityProblems(page), []);
    });
  });
}
