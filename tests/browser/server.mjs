// Serves dist/ as a plain web host would: right MIME types, any origin may read, any sub-path works.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

const dist = new URL("../../dist/", import.meta.url);
const mime = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
};

const encodings = { gzip: gzipSync, br: brotliCompressSync };

/**
 * Starts a server on a free port. `pages` are extra documents by path, for host pages that embed the real one.
 * `compress` names an encoding in which every file is sent, as most hosts do. The page itself answers at `/` and, to show that it needs no fixed place, at `/some/sub/path/`.
 */
export async function startServer(pages = {}, { root = dist, compress } = {}) {
  const packed = new Map();
  const pack = async (name) => {
    const content = await readFile(new URL(name, root));
    if (compress && !packed.has(name)) packed.set(name, encodings[compress](content));
    return packed.get(name) ?? content;
  };
  // A manifest in the address makes a long request.
  const server = createServer({ maxHeaderSize: 1 << 20 }, async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    const headers = { "Access-Control-Allow-Origin": "*", "Cache-Control": "no-store" };
    if (path in pages) {
      response.writeHead(200, { ...headers, "Content-Type": mime[".html"] }).end(pages[path]);
      return;
    }
    const name = path.replace(/^\/(some\/sub\/path\/)?/, "") || "index.html";
    const type = mime[extname(name)];
    if (name.includes("..") || !type) {
      response.writeHead(404, headers).end();
      return;
    }
    try {
      const content = await pack(name);
      const encoding = compress ? { "Content-Encoding": compress } : {};
      response.writeHead(200, { ...headers, ...encoding, "Content-Type": type }).end(content);
    } catch {
      response.writeHead(404, headers).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    stop: () => new Promise((resolve) => {
      server.closeAllConnections();
      server.close(resolve);
    }),
  };
}
