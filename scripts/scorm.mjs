// Makes a SCORM 1.2 package: node scorm.mjs. The variables GOAL (seconds), TITLE, EXAMPLE, STATE and PANELS set its content; the result is target/package/loopscope-scorm.zip.
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { assemble } from "./package.mjs";
import { filesIn, writeZip } from "./zip.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { GOAL: goal = "600", TITLE: title = "Loopscope", EXAMPLE: example, STATE: state, PANELS: panels } = process.env;
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

const attributes = Object.entries({ goal, example, state, panels })
  .filter(([, value]) => value)
  .map(([name, value]) => ` ${name}="${escaped(value)}"`)
  .join("");
const template = (name) => readFileSync(join(root, "static/scorm", name), "utf8");
const filled = (text, values) => text.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => values[name]);

const site = assemble();
const added = [
  ["launch.html", Buffer.from(filled(template("launch.html"), { title: escaped(title), attributes }))],
  ["launch.js", Buffer.from(template("launch.js"))],
];
// A course does not need engine.js.
const files = [...filesIn(site).filter(([path]) => !/^engine|\.d\.ts$/.test(path)), ...added];
const list = files.map(([path]) => `      <file href="${escaped(path)}"/>`).join("\n");
const manifest = filled(template("imsmanifest.xml"), { title: escaped(title), files: list });
const zip = join(site, "../loopscope-scorm.zip");
rmSync(zip, { force: true });
writeZip(zip, [["imsmanifest.xml", Buffer.from(manifest)], ...files]);
console.log(zip);
