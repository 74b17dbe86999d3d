// Finishes the page after trunk: node finish.mjs <folder of the page>
// wasm-opt optimises the wasm, esbuild bundles the editor, and index.html gets the names, digests and sizes of both.
// Trunk could run wasm-opt itself, but then it would stop where none is installed.
import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { optimised, shortHash } from "./wasm_opt.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const [folder] = process.argv.slice(2);
const page = join(folder, "index.html");
let html = readFileSync(page, "utf8");

const integrity = (content) => `sha384-${createHash("sha384").update(content).digest("base64")}`;

/** Changes a part of the page that must be there. */
function rewrite(pattern, replacement) {
  if (!pattern.test(html)) throw new Error(`index.html has no ${pattern}`);
  html = html.replace(pattern, replacement);
}

function finishWasm() {
  const link = /<link rel="preload" href="\.\/(loopscope-app-\w+_bg\.wasm)"[^>]*>/;
  const [, before] = link.exec(html) ?? [];
  if (!before) throw new Error("index.html names no wasm file");
  const original = readFileSync(join(folder, before));
  const wasm = process.env.TRUNK_PROFILE === "debug" ? original : optimised(original, "page");
  const name = `loopscope-app-${shortHash(wasm)}_bg.wasm`;
  rmSync(join(folder, before));
  writeFileSync(join(folder, name), wasm);
  // Browsers warn of `integrity` on a preload for fetch, so static/boot.js compares the digest.
  rewrite(link, `<link rel="preload" href="./${name}" as="fetch" type="application/wasm" crossorigin="anonymous" data-integrity="${integrity(wasm)}">`);
  rewrite(/<progress\b/, `<progress max="${wasm.length}"`);
}

function addEditor() {
  const licence = readFileSync(join(root, "node_modules/@codemirror/view/LICENSE"), "utf8");
  const { outputFiles } = buildSync({
    entryPoints: [join(root, "static/editor/editor.mjs")],
    bundle: true,
    format: "esm",
    target: "es2022",
    minify: true,
    // The licence asks to be handed on with the code.
    banner: { js: `/*! CodeMirror and Lezer: ${licence} */` },
    write: false,
  });
  const [{ contents }] = outputFiles;
  const name = `editor-${shortHash(contents)}.js`;
  writeFileSync(join(folder, name), contents);
  // No browser knows this relation. static/boot.js turns it into `modulepreload` after the first paint.
  rewrite(/<\/head>/, `<link rel="editor" href="./${name}" crossorigin="anonymous" integrity="${integrity(contents)}"></head>`);
}

finishWasm();
addEditor();
writeFileSync(page, html);
