// The same lines as trace_hash.mjs, from a wasm that was taken apart as the page's is, at places that are drawn by lot: half of its functions are in the second
// file, and half of the pieces that can be taken out of functions are: node apart.mjs <glue.js> <seeds>
import { pathToFileURL } from "node:url";
import { arrange } from "../tools/wasm/arrange.mjs";
import { outline } from "../tools/wasm/outline.mjs";
import { split } from "../tools/wasm/split.mjs";

/** Yes or no, always the same for the same numbers. */
const lot = (a, b) => ((Math.imul(a * 31 + b, 0x9e3779b1) >>> 13) & 1) === 1;

const { Module, Instance } = WebAssembly;
let later;
WebAssembly.Module = function apart(bytes) {
  const halves = split(outline(Buffer.from(bytes), lot), (place) => lot(place, -1));
  later = new Module(arrange(halves.later));
  return new Module(arrange(halves.first));
};
WebAssembly.Instance = function joined(module, imports) {
  const whole = new Instance(module, { ...imports, later: { get: () => void new Instance(later, { "-": whole.exports }) } });
  return whole;
};

const [glue, seeds] = process.argv.slice(2);
const { trace_hash } = (await import(pathToFileURL(glue))).default;
for (let seed = 1; seed <= Number(seeds); seed += 1) console.log(`${seed} ${trace_hash(seed)}`);
