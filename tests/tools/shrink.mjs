// Runs wasm-opt on a file in place, and arranges its functions: node shrink.mjs <file.wasm> [level]
// The features are those that rustc's wasm32 target turns on. They are named one by one because with
// --all-features wasm-opt writes code that browsers refuse.
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { arrange } from "./arrange.mjs";

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
// Between two rounds the flow of each function is taken apart and put together anew.
const passes = (level) => ["--low-memory-unused", level, "--flatten", "--rereloop", level, level, level];

const [file, level = "-Oz"] = process.argv.slice(2);
const tool = fileURLToPath(new URL("../../node_modules/binaryen/bin/wasm-opt", import.meta.url));
const before = statSync(file).size;
const output = `${file}.opt`;
execFileSync(
  process.execPath,
  [tool, file, "-o", output, ...passes(level), ...features.map((feature) => `--enable-${feature}`)],
  { stdio: "inherit" },
);
writeFileSync(file, arrange(readFileSync(output)));
rmSync(output);
console.log(`wasm-opt ${level}: ${before} to ${statSync(file).size} bytes`);
