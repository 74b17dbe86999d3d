// loopscope-lms.js in Chromium: scorm-again plays the course system, a small server the LRS. The element is played by a plain one that sends its events;
// what the real element sends is tested in tests/browser.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { bundleLms } from "../../scripts/package.mjs";
import { startBrowser } from "../browser/browser.mjs";
import { startServer } from "../browser/server.mjs";

const ISO_DURATION = /^P(?!$)(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?$/;
const state = { v: 1, seed: 1, commands: [] };

let folder;
let server;
let browser;

const scormApi = await readFile(new URL("../../node_modules/scorm-again/dist/scorm12.js", import.meta.url), "utf8");

/** A page with an element that can be made to send the events of <loop-scope>, connected by `how`. */
const course = (how) => `<!DOCTYPE html><title>course</title><link rel="icon" href="data:,"><div id="element"></div>
  <script type="module">
    import * as lms from "./loopscope-lms.js";
    const element = document.querySelector("#element");
    element.setState = (state) => { element.loaded = state; };
    window.send = (name, detail) => element.dispatchEvent(new CustomEvent("loopscope-" + name, { detail, bubbles: true }));
    window.errors = [];
    const options = { onError: (error) => window.errors.push(String(error)) };
    window.connected = lms.${how};
    window.connected.then((connection) => { window.connection = connection; }, (error) => window.errors.push(String(error)));
  </script>`;

/** The course system: scorm-again, whose calls are written down. */
const system = `<!DOCTYPE html><title>system</title><link rel="icon" href="data:,"><script src="./scorm12.js"></script>
  <script>
    window.calls = [];
    const api = new Scorm12API({ autocommit: false, logLevel: 5 });
    api.loadFromJSON(JSON.parse(new URLSearchParams(location.search).get("cmi") ?? "{}"), "");
    window.API = {};
    for (const name of ["LMSInitialize", "LMSGetValue", "LMSSetValue", "LMSCommit", "LMSFinish", "LMSGetLastError", "LMSGetErrorString", "LMSGetDiagnostic"]) {
      window.API[name] = (...values) => {
        const answer = api[name](...values);
        window.calls.push([name, ...values, answer]);
        return answer;
      };
    }
    // Course systems nest frames.
  </script>
  <iframe id="outer" srcdoc="<iframe src='course-scorm.html'></iframe>"></iframe>`;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "loopscope-lms-"));
  bundleLms(folder);
  const pages = {
    "/system.html": system,
    "/course-scorm.html": course("connect(element, options)"),
    "/course-any.html": course("connect(element, options)"),
    "/scorm12.js": scormApi,
  };
  server = await startServer(pages, { root: pathToFileURL(`${folder}/`) });
  browser = await startBrowser();
});

after(async () => {
  await browser?.close();
  await server?.stop();
  if (folder) await rm(folder, { recursive: true });
});

async function inSystem(cmi, use) {
  const page = await browser.newPage();
  const problems = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  await page.goto(`${server.url}system.html?cmi=${encodeURIComponent(JSON.stringify(cmi))}`);
  await page.waitForFunction(() => document.querySelector("#outer").contentWindow.frames[0]?.connection);
  const frame = page.frames().find((each) => each.url().includes("course-scorm"));
  await use(page, frame);
  assert.deepEqual(problems, []);
  await page.close();
}

const written = (calls) => calls.filter(([name]) => !/Get/.test(name)).map(([name, ...rest]) => [name, ...rest.slice(0, -1)].join(" "));

test("SCORM 1.2 hears of the status, the score and the time, in the order of the specification", async () => {
  await inSystem({}, async (page, frame) => {
    await frame.evaluate((shared) => {
      window.send("goal", { id: "converged", status: "open", attempt: 1, simTime: 0 });
      window.send("complete", { score: 1, max: 2, state: shared });
      window.send("complete", { score: 2, max: 2, state: shared });
      // Nothing takes a pass away.
      window.send("complete", { score: 0, max: 2, state: shared });
    }, state);
    assert.deepEqual(await frame.evaluate(() => window.errors), []);
    await page.evaluate(() => document.querySelector("#outer").remove());
    const calls = await page.evaluate(() => window.calls);
    assert.ok(calls.filter(([name]) => !/Get/.test(name)).every((call) => call.at(-1) === "true"), JSON.stringify(calls));
    const session = /^LMSSetValue cmi\.core\.session_time 0000:00:\d\d\.\d\d$/;
    const told = written(calls).map((call) => (session.test(call) ? "a session time" : call));
    const result = (raw, status) => [
      `LMSSetValue cmi.suspend_data ${JSON.stringify(state)}`,
      "LMSSetValue cmi.core.score.min 0",
      "LMSSetValue cmi.core.score.max 100",
      `LMSSetValue cmi.core.score.raw ${raw}`,
      `LMSSetValue cmi.core.lesson_status ${status}`,
      "LMSCommit ",
    ];
    assert.deepEqual(told, [
      "LMSInitialize ",
      "LMSSetValue cmi.core.lesson_status incomplete",
      "LMSCommit ",
      ...result(50, "failed"),
      ...result(100, "passed"),
      "a session time",
      "LMSSetValue cmi.core.exit ",
      "LMSCommit ",
      "LMSFinish ",
    ]);
  });
});

test("a learner who comes back finds the state, and keeps a pass", async () => {
  const cmi = { cmi: { core: { lesson_status: "passed", score: { raw: "100" } }, suspend_data: JSON.stringify(state) } };
  await inSystem(cmi, async (page, frame) => {
    assert.deepEqual(await frame.evaluate(() => document.querySelector("#element").loaded), state);
    await frame.evaluate(() => window.send("complete", { score: 0, max: 1 }));
    const status = await page.evaluate(() => window.API.LMSGetValue("cmi.core.lesson_status"));
    assert.equal(status, "passed");
  });
});

test("a page that nobody launched is connected to nothing", async () => {
  const page = await browser.newPage();
  await page.goto(`${server.url}course-any.html`);
  assert.equal(await page.evaluate(async () => (await window.connected)), null);
  await page.close();
});

/** A server that answers as an LRS of cmi5 does, and keeps the statements. */
async function startLrs(launchData) {
  const statements = [];
  const lrs = createServer((request, response) => {
    const headers = {
      "Access-Control-Allow-Origin": "*",
      "Access-Control-Allow-Headers": "*, Authorization, Content-Type, X-Experience-API-Version",
      "Access-Control-Allow-Methods": "GET, PUT, POST, OPTIONS",
      "Content-Type": "application/json",
    };
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk)).on("end", () => {
      const answer = (code, body) => response.writeHead(code, headers).end(JSON.stringify(body));
      const { pathname, searchParams } = new URL(request.url, "http://lrs");
      if (request.method === "OPTIONS") return response.writeHead(204, headers).end();
      if (pathname === "/token") return answer(200, { "auth-token": "dG9rZW4=" });
      if (searchParams.get("stateId") === "LMS.LaunchData") return answer(200, launchData);
      if (searchParams.get("profileId") === "cmi5LearnerPreferences") return answer(200, { languagePreference: "en", audioPreference: "on" });
      if (pathname === "/statements" && request.method !== "GET") {
        const body = JSON.parse(Buffer.concat(chunks));
        const all = Array.isArray(body) ? body : [body];
        statements.push(...all.map((statement) => ({ ...statement, authorization: request.headers.authorization })));
        return answer(200, all.map((_, i) => `id-${statements.length}-${i}`));
      }
      return answer(404, {});
    });
  });
  await new Promise((resolve) => lrs.listen(0, "127.0.0.1", resolve));
  const stop = () => new Promise((resolve) => { lrs.closeAllConnections(); lrs.close(resolve); });
  return { url: `http://127.0.0.1:${lrs.address().port}/`, statements, stop };
}

const launchData = (launchMode) => ({
  launchMode,
  masteryScore: 0.8,
  moveOn: "CompletedAndPassed",
  contextTemplate: {
    contextActivities: { grouping: [{ objectType: "Activity", id: "https://example.org/course" }] },
    extensions: { "https://w3id.org/xapi/cmi5/context/extensions/sessionid": "session-1" },
  },
});
const actor = { objectType: "Agent", account: { homePage: "https://example.org", name: "learner" } };
const verb = ({ verb: { id } }) => id.split("/").at(-1);

async function launched(mode, use) {
  const lrs = await startLrs(launchData(mode));
  const page = await browser.newPage();
  const parameters = new URLSearchParams({
    endpoint: lrs.url,
    fetch: `${lrs.url}token`,
    actor: JSON.stringify(actor),
    registration: "4c1b2a36-6d6e-4c6c-9d53-1d1f5c1b8a51",
    activityId: "https://example.org/au/1",
  });
  await page.goto(`${server.url}course-any.html?${parameters}`);
  await page.waitForFunction(() => window.connection || window.errors.length > 0);
  await use(page, lrs);
  assert.deepEqual(await page.evaluate(() => window.errors), []);
  await page.close();
  await lrs.stop();
}

test("an LRS of cmi5 gets initialized first, completed and passed once, terminated last, with durations", async () => {
  await launched("Normal", async (page, lrs) => {
    await page.evaluate(async (shared) => {
      window.send("goal", { id: "converged", status: "reached", attempt: 1, simTime: 3.5 });
      window.send("complete", { score: 1, max: 2, state: shared });
      window.send("complete", { score: 2, max: 2, state: shared });
      window.send("complete", { score: 2, max: 2, state: shared });
      await window.connection.settled();
      await window.connection.close();
      window.send("complete", { score: 2, max: 2, state: shared });
      await window.connection.close();
    }, state);
    assert.deepEqual(lrs.statements.map(verb), ["initialized", "completed", "failed", "passed", "terminated"]);
    for (const statement of lrs.statements) {
      assert.deepEqual(statement.actor, actor);
      assert.equal(statement.object.id, "https://example.org/au/1");
      assert.equal(statement.context.registration, "4c1b2a36-6d6e-4c6c-9d53-1d1f5c1b8a51");
      assert.equal(statement.context.extensions["https://w3id.org/xapi/cmi5/context/extensions/sessionid"], "session-1");
      assert.equal(statement.authorization, "Basic dG9rZW4=");
      assert.match(statement.id, /^[0-9a-f-]{36}$/);
      if (verb(statement) !== "initialized") assert.match(statement.result.duration, ISO_DURATION);
    }
    const passed = lrs.statements.find((statement) => verb(statement) === "passed");
    assert.deepEqual([passed.result.success, passed.result.score.scaled], [true, 1]);
    const times = lrs.statements.map(({ timestamp }) => Date.parse(timestamp));
    assert.deepEqual(times, times.toSorted((a, b) => a - b));
  });
});

test("a launch to browse is told to the LRS, but no result", async () => {
  await launched("Browse", async (page, lrs) => {
    await page.evaluate(async () => {
      window.send("complete", { score: 1, max: 1 });
      await window.connection.close();
    });
    assert.deepEqual(lrs.statements.map(verb), ["initialized", "terminated"]);
  });
});

test("an LRS gets plain statements of xAPI, with the share state as evidence", async () => {
  const lrs = await startLrs({});
  const page = await browser.newPage();
  await page.goto(`${server.url}course-any.html`);
  await page.evaluate(async ({ endpoint, learner, shared }) => {
    const lms = await import("./loopscope-lms.js");
    const activity = { id: "https://example.org/activity" };
    const connection = await lms.connectXapi(document.querySelector("#element"), { endpoint, auth: "Basic eDp5", actor: learner, activity });
    window.send("goal", { id: "converged", status: "reached", attempt: 1, simTime: 3 });
    window.send("complete", { score: 1, max: 1, state: shared });
    await connection.close();
  }, { endpoint: lrs.url, learner: actor, shared: state });
  assert.deepEqual(lrs.statements.map(verb), ["initialized", "passed", "completed", "passed", "terminated"]);
  assert.ok(lrs.statements.every(({ result }) => ISO_DURATION.test(result.duration)));
  const last = lrs.statements[3];
  assert.deepEqual(last.result.score, { scaled: 1, raw: 1, min: 0, max: 1 });
  assert.deepEqual(Object.values(last.result.extensions), [state]);
  assert.equal(lrs.statements[1].object.id, "https://example.org/activity/goals/converged");
  await page.close();
  await lrs.stop();
});
