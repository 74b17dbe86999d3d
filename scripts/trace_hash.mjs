// Prints `seed hash` lines as the native example does, from its wasm build: node trace_hash.mjs <glue.js> <seeds>
import { pathToFileURL } from "node:url";

const [glue, seeds] = process.argv.slice(2);
const { trace_hash } = (await import(pathToFileURL(glue))).default;
for (let seed = 1; seed <= Number(seeds); seed += 1) console.log(`${seed} ${trace_hash(seed)}`);
