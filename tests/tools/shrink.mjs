// Makes the page's wasm small, and two files of it: node shrink.mjs <folder of the page> [level]
// wasm-opt goes over it, then what the start needs is parted from the rest, and the functions of both are arranged.
// The features are those that rustc's wasm32 target turns on. They are named one by one because with
// --all-features wasm-opt writes code that browsers refuse.
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { arrange } from "./wasm/arrange.mjs";
import { ranEarly } from "./early.mjs";
import { outline } from "./wasm/outline.mjs";
import { split } from "./wasm/split.mjs";

const features = [
  "bulk-memory",
  "bulk-memory-opt",
  "call-indirect-overlong",
  "multivalue",
  "mutable-globals",
  "nontrapping-float-to-int",
  "reference-types",
  "sign-ext",
];

// The stack comes first in memory, so nothing lives in its lowest bytes and small offsets can be folded into addresses.
// Functions with one caller stay functions unless they are small, so that the start need not take in what it does not run; very small ones are no functions at
// all, as each costs a browser time when it is first called. Between two rounds the flow of each function is taken apart and put together anew.
const inlining = ["--one-caller-inline-max-function-size=20", "--always-inline-max-function-size=8"];
const passes = (level) => ["--low-memory-unused", ...inlining, level, "--flatten", "--rereloop", level, level, level];

const [dist, level = "-Oz"] = process.argv.slice(2);
const tool = fileURLToPath(new URL("../../node_modules/binaryen/bin/wasm-opt", import.meta.url));
const file = join(dist, "loopscope-app_bg.wasm");
const before = statSync(file).size;
const output = `${file}.opt`;
execFileSync(
  process.execPath,
  [tool, file, "-o", output, ...passes(level), ...features.map((feature) => `--enable-${feature}`)],
  { stdio: "inherit" },
);
const small = readFileSync(output);
rmSync(output);
console.log(`wasm-opt ${level}: ${before} to ${small.length} bytes`);

/** Long texts that the engine is built with. */
const source = new URL("../../src/", import.meta.url);
const texts = readdirSync(source, { recursive: true }).filter((name) => name.endsWith(".txt")).map((name) => readFileSync(new URL(name, source)));

const ran = await ranEarly(dist, small);
const isEarly = (place) => ran[place]?.size > 0;
const { first, later } = split(outline(small, (place, at) => isEarly(place) && !ran[place].has(at)), isEarly, texts);
writeFileSync(file, arrange(first));
writeFileSync(join(dist, "loopscope-later.wasm"), arrange(later));
console.log(`split: what runs at the start has ${first.length} bytes, the rest ${later.length}`);
