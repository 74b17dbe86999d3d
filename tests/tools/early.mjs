// Finds what of the page's wasm runs at its start: it comes in the first file. Nothing breaks where this misses something; it only costs time.
import { rehearse } from "./stage.mjs";
import { beginnings } from "./wasm/decode.mjs";
import { bodiesOf, entries, leb, list, remade, sections, signed, sized, text } from "./wasm/module.mjs";

const DEPLOYMENT = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 3, selector: {matchLabels: {app: web}},
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: "nginx:1.25"}]}}}}`;
/** Ways in which people open the page: with nothing, or with an object of their own, on quick and on slow machines, which show other moments. */
const ADDRESSES = ["", "?speed=1000", `?speed=1000&manifest=${encodeURIComponent(DEPLOYMENT)}`];
const FRAMES = [1, 2, 3, 5, 8, 11, 16, 23, 33, 50, 90, 130, 250, 600];

/** For each function, by its place in the code, the set of bytes from which on it ran until a first object had converged and for two seconds more. */
export async function ranEarly(dist, wasm) {
  const { marked, marks } = mark(wasm);
  const ran = marks.map(() => new Set());
  for (const query of ADDRESSES) for (const frame of FRAMES) {
    const exports = await rehearse(dist, marked, { query, frame });
    const hasRun = (flag) => exports[`#${Math.floor(flag / FLAGS)}`].value & (1 << flag % FLAGS);
    let flag = 0;
    marks.forEach((places, i) => places.forEach((at) => hasRun(flag++) && ran[i].add(at)));
  }
  return ran;
}

/** How many flags one global holds. A module may not export as many globals as there are places. */
const FLAGS = 30;

/** The module with a flag for every place where code begins, which is set when it runs. */
function mark(wasm) {
  const all = sections(wasm);
  const globals = entries(all, 6, (r) => r.global());
  const exports = entries(all, 7, (r) => r.export());
  const bodies = bodiesOf(all);
  const marks = bodies.map(beginnings);
  let next = 0;
  const setting = () => {
    const global = leb(globals.length + Math.floor(next / FLAGS));
    // global.get, i32.const, i32.or, global.set
    return Buffer.from([0x23, ...global, 0x41, ...signed(1 << next++ % FLAGS), 0x72, 0x24, ...global]);
  };
  const body = (bytes, i) => {
    const parts = marks[i].flatMap((at, k) => [setting(), bytes.subarray(at, marks[i][k + 1])]);
    return sized([], Buffer.concat([bytes.subarray(0, marks[i][0]), ...parts]));
  };
  const code = list(bodies.map(body));
  const flags = Array.from({ length: Math.ceil(next / FLAGS) }, (_, i) => Buffer.concat([text(`#${i}`), Buffer.from([3]), leb(globals.length + i)]));
  const marked = remade(all, { 6: () => list([...globals, ...flags.map(() => Buffer.from([0x7f, 1, 0x41, 0, 0x0b]))]), 7: () => list([...exports, ...flags]), 10: () => code });
  return { marked, marks };
}
