// Runs wasm-opt for the page and for engine.js, and remembers its last result for each.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

// The passes that shrink the file after compression. -Oz makes it shorter before, and 40 kB longer after: its more thorough passes make functions less alike.
const PASSES = [
  "inlining",
  "dae-optimizing",
  "optimize-added-constants-propagate",
  "duplicate-function-elimination",
  "remove-unused-module-elements",
  "dce",
  "remove-unused-names",
  "remove-unused-brs",
  "vacuum",
  "optimize-instructions",
  "precompute",
  "simplify-locals-notee-nostructure",
  "rse",
  "vacuum",
  "reorder-locals",
  "duplicate-function-elimination",
  "optimize-instructions",
  "precompute-propagate",
  "simplify-locals-notee-nostructure",
  "vacuum",
  "reorder-locals",
];
// Only functions of three instructions are put in place of their calls. The lowest kilobyte is the end of the stack, which no offset leads to.
const LEVELS = ["--optimize-level=2", "--shrink-level=2", "-aimfs", "3", "-ocimfs", "3", "--low-memory-unused"];
// The features of rustc's wasm32 target, one by one: with --all-features wasm-opt writes code that browsers refuse.
const FEATURES = [
  "bulk-memory",
  "bulk-memory-opt",
  "call-indirect-overlong",
  "multivalue",
  "mutable-globals",
  "nontrapping-float-to-int",
  "reference-types",
  "sign-ext",
];

const root = fileURLToPath(new URL("..", import.meta.url));
const require = createRequire(import.meta.url);

export const shortHash = (...contents) =>
  contents.reduce((hash, content) => hash.update(content), createHash("sha256")).digest("hex").slice(0, 16);

/** Runs wasm-opt, unless it has run on the same file before: changing a style sheet should not take long. */
export function optimised(wasm, name) {
  const features = FEATURES.map((feature) => `--enable-${feature}`);
  const passes = PASSES.map((pass) => `--${pass}`);
  const { version } = require("binaryen/package.json");
  const cache = join(root, "target", "wasm-opt", name);
  const output = join(cache, `${shortHash(wasm, version, [...LEVELS, ...passes, ...features].join(), sortFunctions.toString())}.wasm`);
  if (!existsSync(output)) {
    rmSync(cache, { recursive: true, force: true });
    mkdirSync(cache, { recursive: true });
    const [input, text] = [join(cache, "input.wasm"), join(cache, "sorted.wat")];
    writeFileSync(input, wasm);
    wasmOpt(input, "-S", "-o", text, ...LEVELS, ...passes, ...features);
    sortFunctions(text);
    wasmOpt(text, "-o", output, ...LEVELS, "--vacuum", ...features);
    rmSync(text);
  }
  return readFileSync(output);
}

function wasmOpt(...words) {
  execFileSync(process.execPath, [join(root, "node_modules/binaryen/bin/wasm-opt"), ...words], { stdio: "inherit" });
}

/**
 * Sorts the functions of a module in text form by their types and instructions. Functions that are alike thus stand side by side, where a compressor finds
 * what they share: 32 kB after brotli.
 */
function sortFunctions(path) {
  const parts = readFileSync(path, "utf8").replace(/\)\s*$/, "").split(/\n(?= \()/);
  const isFunction = (part) => part.startsWith(" (func ");
  const keyed = parts.filter(isFunction).map((text) => {
    const [head, ...body] = text.replace(/\$(?:"[^"]*"|[^\s)]+)/g, "").split("\n");
    return { text, key: head + (body.join("").match(/\([a-z][\w.]*(?: offset=\d+| -?\d+)?/g) ?? []).join(" ") };
  });
  keyed.sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));
  const file = openSync(path, "w");
  for (const text of [...parts.filter((part) => !isFunction(part)), ...keyed.map(({ text }) => text), ")"]) writeSync(file, `${text}\n`);
  closeSync(file);
}
