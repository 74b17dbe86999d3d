// What a visitor downloads: every file of dist/, compressed with brotli as a web server would send it.
import { readdirSync, readFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";

// What must be there before the page shows its first converged object has a budget. The second file of the engine and the editor come after that. All of the
// engine together, with the glue and the style, is far over that budget, so a ceiling keeps it from growing by accident; it goes down only.
const BUDGET_BYTES = 350_000;
const CEILING_BYTES = 800_000;
const LATER = ["loopscope-later.wasm", "editor.js"];
const dist = new URL("../../dist/", import.meta.url);

const rows = readdirSync(dist, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => {
    const folder = entry.parentPath ?? entry.path;
    const content = readFileSync(`${folder}/${entry.name}`);
    const packed = brotliCompressSync(content, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
    });
    return { name: entry.name, plain: content.length, packed: packed.length };
  })
  .sort((a, b) => b.packed - a.packed);

const line = (packed, plain, name) => console.log(`${String(packed).padStart(9)} ${String(plain).padStart(9)}  ${name}`);
const sum = (some) => some.reduce(({ packed, plain }, row) => ({ packed: packed + row.packed, plain: plain + row.plain }), { packed: 0, plain: 0 });
const first = sum(rows.filter(({ name }) => !LATER.includes(name)));
const engine = sum(rows.filter(({ name }) => name !== "editor.js"));

line("brotli", "plain", "file");
for (const { packed, plain, name } of rows) line(packed, plain, LATER.includes(name) ? `${name}, fetched later` : name);
line(first.packed, first.plain, `for the first converged object: ${Math.round((first.packed / BUDGET_BYTES) * 100)} % of ${BUDGET_BYTES}`);
line(engine.packed, engine.plain, `all but the editor: ${Math.round((engine.packed / BUDGET_BYTES) * 100)} % of ${BUDGET_BYTES}`);

for (const [what, { packed }, most] of [["What the start needs", first, BUDGET_BYTES], ["All but the editor", engine, CEILING_BYTES]]) {
  if (packed <= most) continue;
  console.error(`${what} is over ${most} bytes by ${packed - most}.`);
  process.exitCode = 1;
}
