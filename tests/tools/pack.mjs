// Makes one style sheet of the many in dist/, so that the first paint waits for one file only.
import { readFileSync, rmSync, writeFileSync } from "node:fs";

const dist = new URL("../../dist/", import.meta.url);
const page = readFileSync(new URL("index.html", dist), "utf8");
const links = [...page.matchAll(/<link rel="stylesheet" href="(?:\.\/)?([\w-]+\.css)"\s*\/?>\s*/g)];
if (links.length < 2) throw new Error("index.html names no style sheets to join");

const sheets = links.map(([, name]) => readFileSync(new URL(name, dist), "utf8"));
writeFileSync(new URL("style.css", dist), sheets.join("\n"));
let first = true;
const joined = page.replace(/<link rel="stylesheet" href="(?:\.\/)?[\w-]+\.css"\s*\/?>\s*/g, () => {
  const link = first ? '<link rel="stylesheet" href="./style.css"/>' : "";
  first = false;
  return link;
});
writeFileSync(new URL("index.html", dist), joined);
for (const [, name] of links) rmSync(new URL(name, dist));
console.log(`pack: ${links.length} style sheets in one`);
