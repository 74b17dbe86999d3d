// Makes the release packages: node package.mjs. It takes the page from dist/ and the engine from target/engine and makes
// target/package/loopscope-<version>.tgz for npm, and target/package/loopscope-<version>.zip for any web host.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { filesIn, writeZip } from "./zip.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");
const out = join(target, "package");
const site = join(out, "site");

/** Names that never change. Everything else in the folder carries a digest in its name. */
export const STABLE = ["index.html", "loop-scope.js", "engine.js", "loopscope-lms.js"];

const need = (path, command) => {
  if (!existsSync(path)) throw new Error(`${path} is missing: run ${command} first`);
};

/** Bundles loopscope-lms.js into a folder, with chunks for the parts that not everybody needs. */
export function bundleLms(folder) {
  buildSync({
    entryPoints: { "loopscope-lms": join(root, "static/lms/loopscope-lms.js") },
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    minify: true,
    outdir: folder,
    chunkNames: "lms-[name]-[hash]",
  });
  // These licences must be passed on with the code.
  const packages = ["@xapi/cmi5", "@xapi/xapi", "axios", "deepmerge", "uuid"];
  const licences = packages.map((name) => {
    const place = join(root, "node_modules", name);
    const file = readdirSync(place).find((entry) => /^licen[cs]e/i.test(entry));
    return file ? `${name}\n\n${readFileSync(join(place, file), "utf8")}` : `${name}: ${JSON.parse(readFileSync(join(place, "package.json"))).license}`;
  });
  writeFileSync(join(folder, "lms-licences.txt"), licences.join("\n\n---\n\n"));
}

/** Puts all files that are served into one folder. */
export function assemble() {
  need(join(root, "dist/index.html"), "make build");
  need(join(target, "engine/engine.js"), "make engine");
  rmSync(out, { recursive: true, force: true });
  mkdirSync(site, { recursive: true });
  cpSync(join(root, "dist"), site, { recursive: true });
  cpSync(join(target, "engine"), site, { recursive: true });
  bundleLms(site);
  cpSync(join(root, "static/lms/loopscope-lms.d.ts"), join(site, "loopscope-lms.d.ts"));
  cpSync(join(root, "static/loop-scope.d.ts"), join(site, "loop-scope.d.ts"));
  for (const name of STABLE) need(join(site, name), "make build");
  return site;
}

export const version = () => /^version = "(.*)"$/m.exec(readFileSync(join(root, "Cargo.toml"), "utf8"))[1];

function npmPackage() {
  const folder = join(out, "npm");
  cpSync(site, folder, { recursive: true });
  cpSync(join(root, "examples/engine"), join(folder, "examples"), { recursive: true });
  for (const name of ["README.md", "LICENSE-MIT", "LICENSE-APACHE"]) cpSync(join(root, name), join(folder, name));
  const entry = (name) => ({ types: `./${name}.d.ts`, default: `./${name}.js` });
  const about = {
    name: "loopscope",
    version: version(),
    description: "A playground for the Kubernetes reconciliation loop: an element for web pages, and its engine for scripts.",
    license: "MIT OR Apache-2.0",
    type: "module",
    engines: { node: ">=20" },
    exports: { ".": entry("loop-scope"), "./engine": entry("engine"), "./lms": entry("loopscope-lms"), "./package.json": "./package.json", "./*": "./*" },
    types: "./loop-scope.d.ts",
    sideEffects: ["./loop-scope.js"],
    keywords: ["kubernetes", "simulator", "education", "custom-element", "webassembly"],
  };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(about, null, 2)}\n`);
  execFileSync("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", out], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  assemble();
  npmPackage();
  writeZip(join(out, `loopscope-${version()}.zip`), filesIn(site));
  for (const name of readdirSync(out).filter((entry) => /\.(tgz|zip)$/.test(entry))) console.log(join(out, name));
}
