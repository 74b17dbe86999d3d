// Replays runs in the wasm of engine.js: node trace_hash.mjs <engine.js> <lines of examples/trace_hash.rs>. Prints `seed hash` for each.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [engine, file] = process.argv.slice(2);
const { Cluster } = await import(pathToFileURL(engine));
for (const line of readFileSync(file, "utf8").trimEnd().split("\n")) {
  const [, seed, state] = /^(\d+) \w+ (.*)$/.exec(line);
  const cluster = await Cluster.create({ state: JSON.parse(state) });
  console.log(`${seed} ${cluster.hash}`);
  cluster.free();
}
