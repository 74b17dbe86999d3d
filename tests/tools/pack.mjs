// Makes dist/ small: one style sheet of the many, so that the first paint waits for one file only; nothing that only people read; and short names for
// what the wasm takes from its glue, which are numbers with a hash otherwise.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { transformSync } from "esbuild";

const dist = new URL("../../dist/", import.meta.url);
const read = (name) => readFileSync(new URL(name, dist), "utf8");
const write = (name, content) => writeFileSync(new URL(name, dist), content);
const shorten = (text, loader) => transformSync(text, { loader, minify: true, target: "esnext" }).code;

const page = read("index.html");
const links = [...page.matchAll(/<link rel="stylesheet" href="(?:\.\/)?([\w-]+\.css)"\s*\/?>\s*/g)];
if (links.length < 2) throw new Error("index.html names no style sheets to join");

write("style.css", shorten(links.map(([, name]) => read(name)).join("\n"), "css"));
let first = true;
const joined = page.replace(/<link rel="stylesheet" href="(?:\.\/)?[\w-]+\.css"\s*\/?>\s*/g, () => {
  const link = first ? '<link rel="stylesheet" href="./style.css"/>' : "";
  first = false;
  return link;
});
write("index.html", joined);
for (const [, name] of links) rmSync(new URL(name, dist));

write("boot.js", shorten(read("boot.js"), "js"));
const glue = read("loopscope-app.js");
const [, module] = glue.match(/"(\.\/loopscope-app_bg\.js)": import0/) ?? [];
const names = new Map([[module, "-"], ...[...new Set(glue.match(/\b__wb\w+(?=: function\()/g))].map((name, i) => [name, i.toString(36)])]);
const short = glue.replace(/"\.\/loopscope-app_bg\.js": import0/, '"-": import0').replace(/\b__wb\w+(?=: function\()/g, (name) => `"${names.get(name)}"`);
write("loopscope-app.js", shorten(short, "js"));
write("loopscope-app_bg.wasm", renamed(readFileSync(new URL("loopscope-app_bg.wasm", dist)), names));
console.log(`pack: ${links.length} style sheets in one, ${names.size} short names`);

/** A wasm whose imports, all of which are functions, have other names. */
function renamed(wasm, names) {
  let at = 8;
  const number = () => {
    let [value, shift, byte] = [0, 0, 0];
    do {
      byte = wasm[at++];
      value |= (byte & 127) << shift;
      shift += 7;
    } while (byte > 127);
    return value;
  };
  const written = (value) => (value < 128 ? [value] : [(value & 127) | 128, ...written(value >>> 7)]);
  const name = () => {
    const size = number();
    const text = wasm.toString("utf8", at, (at += size));
    if (!names.has(text)) throw new Error(`the glue has no ${text}`);
    return [...written(names.get(text).length), ...Buffer.from(names.get(text))];
  };
  while (at < wasm.length) {
    const begin = at;
    const sort = wasm[at++];
    const end = number() + at;
    if (sort !== 2) {
      at = end;
      continue;
    }
    const count = number();
    const entries = Array.from({ length: count }, () => {
      const entry = [...name(), ...name()];
      if (wasm[at++] !== 0) throw new Error("the wasm takes more than functions from its glue");
      return [...entry, 0, ...written(number())];
    }).flat();
    const body = [...written(count), ...entries];
    return Buffer.concat([wasm.subarray(0, begin), Buffer.from([sort, ...written(body.length), ...body]), wasm.subarray(end)]);
  }
  throw new Error("the wasm has no imports");
}
