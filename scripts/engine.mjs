// Builds the ES module of the engine: node engine.mjs [folder], by default target/engine. With ENGINE_PROFILE=dev it is quick to build and slow to run.
// The folder gets engine.js, engine.d.ts and the wasm under a name with its digest.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { optimised, shortHash } from "./wasm_opt.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");
const folder = process.argv[2] ?? join(target, "engine");
const release = process.env.ENGINE_PROFILE !== "dev";

const run = (command, args) => execFileSync(command, args, { cwd: root, stdio: "inherit" });
run("cargo", ["build", "--locked", "--quiet", "--bin", "loopscope-engine", "--target", "wasm32-unknown-unknown", ...(release ? ["--release"] : [])]);
const built = join(target, "wasm32-unknown-unknown", release ? "release" : "debug", "loopscope-engine.wasm");
const glue = join(target, "engine-glue");
run("wasm-bindgen", ["--target", "web", "--no-typescript", "--out-dir", glue, "--out-name", "glue", built]);

mkdirSync(folder, { recursive: true });
for (const old of readdirSync(folder).filter((name) => /^engine-\w+\.wasm$/.test(name))) rmSync(join(folder, old));
// For the tests of the module its size does not matter.
const wasm = release && process.env.ENGINE_OPT !== "0" ? optimised(readFileSync(join(glue, "glue_bg.wasm")), "engine") : readFileSync(join(glue, "glue_bg.wasm"));
const name = `engine-${shortHash(wasm)}.wasm`;
writeFileSync(join(folder, name), wasm);

const { outputFiles } = buildSync({
  entryPoints: [join(root, "static/engine/engine.js")],
  alias: { "loopscope-engine-glue": join(glue, "glue.js") },
  bundle: true,
  format: "esm",
  target: "es2022",
  minifyWhitespace: true,
  minifySyntax: true,
  write: false,
});
const text = outputFiles[0].text;
const named = text.replaceAll(/"engine\.wasm"/g, JSON.stringify(`./${name}`));
if (named === text) throw new Error("engine.js names no wasm");
writeFileSync(join(folder, "engine.js"), named);
writeFileSync(join(folder, "engine.d.ts"), readFileSync(join(root, "static/engine/engine.d.ts")));
console.log(`${folder}: engine.js ${named.length} bytes, ${name} ${wasm.length} bytes`);
