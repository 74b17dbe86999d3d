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
  // Alignment is only a hint, which browsers pass over. Without it more functions are alike.
  "dealign",
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

const IMPORT_NAME = /\b__wb\w+_[0-9a-f]{16}\b/g;

/** Returns a short name for each function that wasm-bindgen's script gives to the wasm. Their own names end in digests, which do not compress. */
export function shortNames(script) {
  return new Map([...new Set(script.match(IMPORT_NAME))].map((name, i) => [name, `i${i.toString(36)}`]));
}

/** Puts short names in place of the names that wasm-bindgen gave. */
export const renamed = (text, names) => text.replace(IMPORT_NAME, (name) => names.get(name) ?? name);

/** Runs wasm-opt, unless it has run on the same file before: changing a style sheet should not take long. `names` has short names for the imports. */
export function optimised(wasm, name, names = new Map()) {
  const features = FEATURES.map((feature) => `--enable-${feature}`);
  const passes = PASSES.map((pass) => `--${pass}`);
  const { version } = require("binaryen/package.json");
  const cache = join(root, "target", "wasm-opt", name);
  const output = join(cache, `${shortHash(wasm, version, [...LEVELS, ...passes, ...features, ...names].join(), sortFunctions.toString())}.wasm`);
  if (!existsSync(output)) {
    rmSync(cache, { recursive: true, force: true });
    mkdirSync(cache, { recursive: true });
    const [input, text] = [join(cache, "input.wasm"), join(cache, "sorted.wat")];
    writeFileSync(input, wasm);
    wasmOpt(input, "-S", "-o", text, ...LEVELS, ...passes, ...features);
    sortFunctions(text, names);
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
 * what they share: 32 kB after brotli. Imports get their short names.
 */
function sortFunctions(path, names) {
  const parts = readFileSync(path, "utf8").replace(/\)\s*$/, "").split(/\n(?= \()/);
  const isFunction = (part) => part.startsWith(" (func ");
  const keyed = parts.filter(isFunction).map((text) => {
    const [head, ...body] = text.replace(/\$(?:"[^"]*"|[^\s)]+)/g, "").split("\n");
    return { text, key: head + (body.join("").match(/\([a-z][\w.]*(?: offset=\d+| -?\d+)?/g) ?? []).join(" ") };
  });
  keyed.sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));
  const file = openSync(path, "w");
  const others = parts.filter((part) => !isFunction(part)).map((part) => part.replace(/(?<=^ \(import "[^"]*" )"[^"]*"/, (word) => renamed(word, names)));
  for (const text of [...others, ...keyed.map(({ text }) => text), ")"]) writeSync(file, `${text}\n`);
  closeSync(file);
}
