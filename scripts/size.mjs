// Prints the size of what a visitor downloads: every file of dist/, compressed with brotli as a web server would send it.
// Fails if the page, its wasm, glue and style together are over the limit. The editor is a module of its own and does not count, nor do the files for other
// pages: the custom element, the author's page, the service worker.
import { readdirSync, readFileSync } from "node:fs";
import { brotliCompressSync } from "node:zlib";

const LIMIT_BYTES = 1_500_000;
const dist = new URL("../dist/", import.meta.url);

const files = readdirSync(dist).map((name) => {
  const content = readFileSync(new URL(name, dist));
  return { name, plain: content.length, packed: brotliCompressSync(content).length };
});
const limited = files.filter(({ name }) => /^(index\.html|boot-.*|loopscope-app-.*|style-.*|favicon-.*)$/.test(name));
const total = (some, what) => some.reduce((sum, file) => sum + file[what], 0);
const line = (packed, plain, name) => console.log(`${String(packed).padStart(9)} ${String(plain).padStart(9)}  ${name}`);

line("brotli", "plain", "file");
for (const { packed, plain, name } of files.sort((a, b) => b.packed - a.packed)) line(packed, plain, name);
line(total(files, "packed"), total(files, "plain"), "all");
const packed = total(limited, "packed");
line(packed, total(limited, "plain"), `page, wasm, glue and style: ${Math.round((packed / LIMIT_BYTES) * 100)} % of ${LIMIT_BYTES}`);
if (packed > LIMIT_BYTES) {
  console.error(`Over the limit by ${packed - LIMIT_BYTES} bytes.`);
  process.exitCode = 1;
}
