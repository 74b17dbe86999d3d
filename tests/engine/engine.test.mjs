// engine.js in Node: the class that scripts hold, on the module that scripts/engine.mjs has made.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { Worker } from "node:worker_threads";

const module = new URL("../../target/engine/engine.js", import.meta.url);
const { Cluster, LoopscopeError, grade } = await import(module);
const sharedRun = (name) => readFile(new URL(`../page/old_runs/${name}.json`, import.meta.url), "utf8");

/** The hashes that the native tests hold the same states to: the table in tests/page/old_runs.rs. */
async function nativeHashes() {
  const table = await readFile(new URL("../page/old_runs.rs", import.meta.url), "utf8");
  return [...table.matchAll(/old!\("(\w+)", (\d+), 0x(\w+)\)/g)].map(([, name, steps, hash]) => ({ name, step: Number(steps), hash: hash.padStart(16, "0") }));
}

test("a share state of the page is the same run here as in the native library", async () => {
  const hashes = await nativeHashes();
  assert.ok(hashes.length >= 7);
  const cluster = await Cluster.create();
  for (const { name, step, hash } of hashes) {
    const status = cluster.load(await sharedRun(name));
    assert.deepEqual({ name, step: status.step, hash: status.hash }, { name, step, hash });
  }
  cluster.free();
});

test("the same calls give the same run, and a share state repeats it", async () => {
  const play = async () => {
    const cluster = await Cluster.create({ seed: 5, nodes: 2 });
    cluster.apply({ apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: { containers: [{ name: "c", image: "nginx:1.25" }] } });
    cluster.kubectl("create deployment web --image=nginx:1.25 --replicas=2");
    cluster.fault({ fault: "crash-node", node: "node-1" });
    cluster.run("2m");
    return cluster;
  };
  const [one, two] = [await play(), await play()];
  assert.equal(one.hash, two.hash);
  const again = await Cluster.create({ state: one.share() });
  assert.deepEqual(again.status(), one.status());
  assert.equal((await Cluster.create()).load(`https://example.org/${one.shareHash()}`).hash, one.hash);
});

test("a watch is told what changes, while it changes", async () => {
  const cluster = await Cluster.create({ seed: 1 });
  const seen = [];
  const stop = cluster.watch("pods", ({ type, object, at }) => {
    seen.push(type);
    assert.ok(at <= cluster.time);
    // What a callback does is part of the run too.
    if (object.status?.phase === "Running" && seen.length < 100) {
      seen.length = 100;
      cluster.kubectl(["delete", "pod", object.metadata.name, "--wait=false"]);
    }
  });
  cluster.kubectl("create deployment web --image=nginx:1.25 --replicas=2");
  cluster.runUntilConverged();
  assert.equal(seen.length > 100, true);
  cluster.runUntil(() => cluster.list("pods").length === 2 && cluster.converged, { within: "5m" });
  assert.ok(seen.includes("DELETED"));
  const count = seen.length;
  stop();
  cluster.kubectl("scale deployment web --replicas=0");
  cluster.run(60);
  assert.equal(seen.length, count);
  assert.deepEqual(cluster.list("pods"), []);
});

test("time goes back and forth, and a fork goes its own way", async () => {
  const cluster = await Cluster.create();
  cluster.kubectl("create deployment web --image=nginx:1.25 --replicas=3");
  const { hash, time } = cluster.runUntilConverged();
  const other = cluster.fork();
  other.fault({ fault: "registry", up: false });
  assert.equal(cluster.seek(0).live, false);
  assert.equal(cluster.list("pods").length, 0);
  assert.equal(cluster.seek("live").hash, hash);
  assert.equal(cluster.time, time);
  assert.deepEqual(cluster.history().commands.map(({ text }) => text), ["create deployment web --image=nginx:1.25 --replicas=3"]);
  assert.deepEqual(other.history().commands.map(({ text }) => text).slice(1), ["registry down"]);
  assert.equal(cluster.step().number, other.step().number - 1);
});

test("a grade is what the page would say", async () => {
  const cluster = await Cluster.create();
  cluster.kubectl("create deployment web --image=nginx:1.25 --replicas=3");
  cluster.runUntilConverged();
  const lesson = { id: "start", goals: ["converged", { id: "quick", within: "10ms" }] };
  const graded = await grade(cluster.share(), lesson);
  assert.deepEqual(graded, cluster.check(lesson));
  assert.deepEqual(graded.goals.map(({ id, status }) => [id, status]), [["converged-1", "reached"], ["quick", "missed"]]);
  assert.deepEqual([graded.score, graded.max, graded.passed], [1, 2, false]);
  assert.equal(graded.hash, cluster.hash);
});

test("a mistake is thrown with a code and a sentence, and nothing else happens", async () => {
  const cluster = await Cluster.create();
  const before = cluster.hash;
  const circular = {};
  circular.self = circular;
  const nested = (depth) => Array.from({ length: depth }).reduce((inner) => [inner], []);
  const hostile = { get path() { cluster.run(1); throw new Error("a getter"); } };
  const mistakes = [
    ["bad-input", () => cluster.run(-1)],
    ["bad-input", () => cluster.run("soon")],
    ["bad-input", () => cluster.run()],
    ["bad-input", () => cluster.step(1.5)],
    ["bad-input", () => cluster.apply(circular)],
    ["bad-input", () => cluster.apply(10n)],
    ["bad-input", () => cluster.apply(() => {})],
    ["bad-input", () => cluster.kubectl({ command: 1 })],
    ["bad-input", () => cluster.request("GET /")],
    ["bad-input", () => cluster.request({ path: "/api/v1/pods", body: nested(500) })],
    ["bad-input", () => cluster.request({ path: "/api/v1/pods", body: nested(200_000) })],
    ["bad-input", () => cluster.watch("pods")],
    ["bad-input", () => cluster.fault({ fault: "__proto__" })],
    ["unknown-kind", () => cluster.list("constructor")],
    ["bad-state", () => cluster.load({ v: 1, seed: 1, commands: [{ at: -1 }] })],
    ["bad-state", () => cluster.load("x".repeat(2_000_000))],
    ["bad-lesson", () => cluster.check({ goals: [] })],
    ["too-long", () => cluster.step(1e15)],
    ["bad-input", () => new Cluster()],
  ];
  for (const [code, mistake] of mistakes) {
    assert.throws(mistake, (error) => error instanceof LoopscopeError && error.code === code && error.message.length > 10, String(mistake));
  }
  assert.equal(cluster.hash, before);
  assert.throws(() => cluster.request(hostile), { code: "bad-input" });
  await assert.rejects(Cluster.create({ nodes: 1e9 }), { code: "bad-input" });
  await assert.rejects(grade({ v: 1 }, "win"), { code: "bad-lesson" });
  cluster.free();
  cluster.free();
  assert.throws(() => cluster.status(), { code: "freed" });
});

test("it works in a worker as well", async () => {
  const source = `
    import { parentPort } from "node:worker_threads";
    import { Cluster } from ${JSON.stringify(module.href)};
    const cluster = await Cluster.create({ seed: 9 });
    parentPort.postMessage(cluster.run(5).hash);`;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`));
  const hash = await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
  const cluster = await Cluster.create({ seed: 9 });
  assert.equal(cluster.run(5).hash, hash);
  await worker.terminate();

});
