// Finishes the page after trunk: node finish.mjs <folder of the page>
// wasm-opt optimises the wasm, esbuild shortens the scripts, joins the style sheets and bundles the editor, the texts of static/content become one file, and index.html gets the
// names, digests and sizes of these.
// Trunk could run wasm-opt itself, but then the build would fail where it is not installed.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync, transformSync } from "esbuild";
import { addressed } from "./oembed.mjs";
import { optimised, renamed, shortHash, shortNames } from "./wasm_opt.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const [folder] = process.argv.slice(2);
const page = join(folder, "index.html");
let html = readFileSync(page, "utf8");
const glue = /<link rel="modulepreload" href="\.\/((loopscope-app)-\w+\.js)"[^>]*>/;

const integrity = (content) => `sha384-${createHash("sha384").update(content).digest("base64")}`;

/** Replaces a part of index.html, and fails if it is missing. */
function rewrite(pattern, replacement) {
  if (!pattern.test(html)) throw new Error(`index.html has no ${pattern}`);
  html = html.replace(pattern, replacement);
}

function finishWasm() {
  const link = /<link rel="preload" href="\.\/(loopscope-app-\w+_bg\.wasm)"[^>]*>/;
  const [, before] = link.exec(html) ?? [];
  if (!before) throw new Error("index.html names no wasm file");
  const original = readFileSync(join(folder, before));
  const script = join(folder, glue.exec(html)[1]);
  const names = shortNames(readFileSync(script, "utf8"));
  const isDebug = process.env.TRUNK_PROFILE === "debug";
  const wasm = isDebug ? original : optimised(original, "page", names);
  if (!isDebug) writeFileSync(script, renamed(readFileSync(script, "utf8"), names));
  const name = `loopscope-app-${shortHash(wasm)}_bg.wasm`;
  rmSync(join(folder, before));
  writeFileSync(join(folder, name), wasm);
  // Browsers warn of `integrity` on a preload for fetch, so static/boot.js compares the digest.
  rewrite(link, `<link rel="preload" href="./${name}" as="fetch" type="application/wasm" crossorigin="anonymous" data-integrity="${integrity(wasm)}">`);
  rewrite(/<progress\b/, `<progress max="${wasm.length}"`);
}

/** Shortens a script that `tag` names, which is mostly comments and long names. `made` makes its new tag of its name and digest. */
function shorten(tag, made) {
  const [, before, stem] = tag.exec(html) ?? [];
  if (!before) throw new Error(`index.html has no ${tag}`);
  const { code } = transformSync(readFileSync(join(folder, before), "utf8"), { loader: "js", format: "esm", target: "es2022", minify: true });
  const name = `${stem}-${shortHash(code)}.js`;
  rmSync(join(folder, before));
  writeFileSync(join(folder, name), code);
  rewrite(tag, made(name, integrity(code)));
}

/** Joins the style sheets, in their order: one file is fetched sooner than twenty, and compresses better. */
function joinStyles() {
  const link = /<link rel="stylesheet" href="\.\/([\w-]+\.css)"[^>]*>/g;
  const names = [...html.matchAll(link)].map(([, name]) => name);
  const joined = names.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
  const { code } = transformSync(joined, { loader: "css", minify: true });
  const name = `style-${shortHash(code)}.css`;
  for (const part of names) rmSync(join(folder, part));
  writeFileSync(join(folder, name), code);
  let isFirst = true;
  html = html.replace(link, () => {
    const kept = isFirst ? `<link rel="stylesheet" href="./${name}" crossorigin="anonymous" integrity="${integrity(code)}">` : "";
    isFirst = false;
    return kept;
  });
}

/** Adds the texts of static/content as one file, each after a line with its path (src/api/content.rs). */
function addContent() {
  const texts = join(root, "static/content");
  const paths = readdirSync(texts, { recursive: true }).filter((path) => statSync(join(texts, path)).isFile()).sort();
  const contents = paths.map((path) => `=== ${path.replaceAll("\\", "/")}\n${readFileSync(join(texts, path), "utf8")}`).join("");
  const name = `content-${shortHash(contents)}.txt`;
  writeFileSync(join(folder, name), contents);
  rewrite(/<\/head>/, `<link rel="content" href="./${name}" integrity="${integrity(contents)}"></head>`);
}

function addEditor() {
  const licence = readFileSync(join(root, "node_modules/@codemirror/view/LICENSE"), "utf8");
  const { outputFiles } = buildSync({
    entryPoints: [join(root, "static/editor/editor.mjs")],
    bundle: true,
    format: "esm",
    target: "es2022",
    minify: true,
    // The licence must be passed on with the code.
    banner: { js: `/*! CodeMirror and Lezer: ${licence} */` },
    write: false,
  });
  const [{ contents }] = outputFiles;
  const name = `editor-${shortHash(contents)}.js`;
  writeFileSync(join(folder, name), contents);
  // No browser knows this relation. static/boot.js turns it into `modulepreload` after the first paint.
  rewrite(/<\/head>/, `<link rel="editor" href="./${name}" crossorigin="anonymous" integrity="${integrity(contents)}"></head>`);
}

if (process.env.SITE) {
  const file = join(folder, "oembed.json");
  writeFileSync(file, addressed(readFileSync(file, "utf8"), process.env.SITE));
}
finishWasm();
shorten(glue, (name, digest) => `<link rel="modulepreload" href="./${name}" crossorigin="anonymous" integrity="${digest}">`);
const boot = /<script src="\.\/((boot)-\w+\.js)"[^>]*>/;
shorten(boot, (name, digest) => `<script type="module" src="./${name}" fetchpriority="high" integrity="${digest}">`);
joinStyles();
addContent();
addEditor();
writeFileSync(page, html);
