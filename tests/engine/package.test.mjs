// What others install: the npm package in an empty project, and the zip for a web host. Takes the page from dist/ and the engine from target/engine.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { startBrowser } from "../browser/browser.mjs";
import { startServer } from "../browser/server.mjs";
import { unzipped } from "../browser/unzip.mjs";
import { addressed } from "../../scripts/oembed.mjs";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
const out = join(root, "target/package");

let project;
let installed;

before(async () => {
  await run(process.execPath, ["scripts/package.mjs"], { cwd: root });
  project = await mkdtemp(join(tmpdir(), "loopscope-project-"));
  await writeFile(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const [tarball] = (await readdir(out)).filter((name) => name.endsWith(".tgz"));
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", "--ignore-scripts", join(out, tarball)], { cwd: project });
  installed = join(project, "node_modules/loopscope");
});

after(async () => {
  if (project) await rm(project, { recursive: true });
});

const node = (...args) => run(process.execPath, args, { cwd: project });

async function compile(name, text) {
  await writeFile(join(project, name), text);
  const options = ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom,esnext.disposable"];
  return node(join(root, "node_modules/typescript/bin/tsc"), ...options, name).then(() => "", ({ stdout }) => stdout);
}

test("TypeScript compiles against its types", async () => {
  const good = `
    import { Cluster, LoopscopeError, grade, init, type Fault, type Grade, type WatchEvent } from "loopscope/engine";
    import { connect, connectXapi, type LmsConnection } from "loopscope/lms";
    import { LoopScope } from "loopscope";
    await init({ wasm: new URL("https://example.org/engine.wasm") });
    const cluster: Cluster = await Cluster.create({ seed: 1, nodes: { count: 2, cpu: "4" } });
    const fault: Fault = { fault: "crash-node", node: "node-1" };
    cluster.fault(fault);
    const stop: () => void = cluster.watch("pods", { namespace: "default" }, ({ type, object, at }: WatchEvent) => console.log(type, object.metadata.name, at));
    stop();
    const code: number = cluster.kubectl(["get", "pods"], { timeout: "5s" }).exitCode + cluster.request({ path: "/api/v1/pods" }).code;
    const reached: boolean = cluster.runUntil((c) => c.converged, { within: 60 });
    const result: Grade = await grade(cluster.share(), { id: "a", goals: ["converged", { within: "60s" }] });
    cluster.seek({ step: 3 });
    try { cluster.run("1m"); } catch (error) { if (error instanceof LoopscopeError && error.code === "too-long") console.log(error.message); }
    const element = document.createElement("loop-scope");
    const typed: LoopScope = element;
    const said: number | null = (await typed.kubectl("kubectl get pods")).exitCode;
    typed.addEventListener("loopscope-complete", ({ detail }) => console.log(detail.score, detail.state.v, said));
    const connection: LmsConnection | null = await connect(typed, { passing: 0.5 });
    await connectXapi(element, { endpoint: "https://example.org", actor: {}, activity: { id: "x" } });
    console.log(code, reached, result.goals[0].status, connection?.kind, cluster.fork().history().commands.length);`;
  assert.equal(await compile("good.ts", good), "");
  const bad = `
    import { Cluster } from "loopscope/engine";
    new Cluster();
    declare const cluster: Cluster;
    cluster.run({ seconds: 1 });
    cluster.dance();
    const text: string = cluster.step();`;
  const said = await compile("bad.ts", bad);
  assert.equal(said.match(/error TS/g)?.length, 4, said);
});

test("the scenario and the grader of the examples run", async () => {
  for (const name of ["scenario.mjs", "grader.mjs"]) await cp(join(installed, "examples", name), join(project, name));
  const { stdout } = await node("scenario.mjs", "7");
  assert.match(stdout, /6 of 6 pods are ready/);
  assert.match(stdout, /node-1 is not ready \(NodeStatusUnknown\)/);
  assert.match(stdout, /all pods run on the other nodes/);
  assert.equal((await node("scenario.mjs", "7")).stdout, stdout);

  await writeFile(join(project, "learner.json"), await readFile(join(root, "tests/page/old_runs/first_visit.json")));
  await writeFile(join(project, "forged.json"), '{"v":1,"score":100}');
  const graded = await node("grader.mjs", "converged within 60s", "learner.json", "forged.json").catch((error) => error);
  assert.equal(graded.code, 1);
  assert.match(graded.stdout, /learner\.json: not passed, 0 of 1\n {2}converged: open\./);
  assert.match(graded.stdout, /forged\.json: bad-state: the state cannot be read: the field "score" is not known/);
});

test("the page that draws its own pods runs, and so does a worker", async () => {
  const server = await startServer({}, { root: pathToFileURL(`${installed}/`) });
  const browser = await startBrowser();
  try {
    const page = await browser.newPage();
    const problems = [];
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    page.on("pageerror", (error) => problems.push(String(error)));
    await page.goto(`${server.url}examples/pods.html`);
    await page.getByRole("status").getByText("converged: 6 of 6 ready").waitFor();
    assert.equal(await page.getByRole("listitem").count(), 6);
    await page.getByRole("button", { name: "One more" }).click();
    await page.getByRole("status").getByText("converged: 7 of 7 ready").waitFor();
    const hash = await page.evaluate(() => new Promise((resolve, reject) => {
      const source = `import { Cluster } from "${new URL("../engine.js", location.href)}"; postMessage((await Cluster.create({ seed: 4 })).run(3).hash);`;
      const worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })), { type: "module" });
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = reject;
    }));
    const { Cluster } = await import(pathToFileURL(join(installed, "engine.js")));
    assert.equal((await Cluster.create({ seed: 4 })).run(3).hash, hash, "Node, page and worker agree");
    assert.deepEqual(problems, []);
  } finally {
    await browser.close();
    await server.stop();
  }
});

test("the zip for a web host has few names that never change, and digests in all others", async () => {
  const [file] = (await readdir(out)).filter((name) => /^loopscope-[\d.]+\.zip$/.test(name));
  const names = [...unzipped(await readFile(join(out, file))).keys()];
  for (const name of ["index.html", "loop-scope.js", "engine.js", "loopscope-lms.js"]) assert.ok(names.includes(name), name);
  const isNamedByDigest = (name) => /-[0-9a-zA-Z]{8,}(_bg)?\.(js|wasm|css)$/.test(name);
  // A service worker is found by its name, and the author's page is fetched anew every time.
  const stable = ["loop-scope.js", "engine.js", "loopscope-lms.js", "service-worker.js", "embed-page.js", "embed-page.css"];
  assert.deepEqual(names.filter((name) => /\.(js|wasm|css)$/.test(name) && !isNamedByDigest(name) && !stable.includes(name)), []);
});

test("an oEmbed file that was built for a site leads there from anywhere", async () => {
  const offer = JSON.parse(addressed(await readFile(join(root, "static/oembed.json"), "utf8"), "https://example.org/loop"));
  assert.match(offer.html, /src="https:\/\/example\.org\/loop\/index\.html\?embed=1&(amp;)?panels=cluster,loop"/);
  assert.equal(offer.provider_url, "https://example.org/loop");
});
