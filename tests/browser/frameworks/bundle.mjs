// Makes the course pages of frameworks/ as a course author's own build would.
import { build } from "esbuild";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { compile } from "svelte/compiler";

const folder = fileURLToPath(new URL(".", import.meta.url));

const svelte = (generate) => ({
  name: "svelte",
  setup({ onLoad }) {
    onLoad({ filter: /\.svelte$/ }, async ({ path }) => {
      const { js, warnings } = compile(await readFile(path, "utf8"), { filename: basename(path), generate, dev: true });
      return { contents: js.code, warnings: warnings.map(({ message }) => ({ text: message })) };
    });
  },
});

/** A script with all that it imports, in the framework's build for developers, which is the one that warns. */
export async function bundle(contents, { generate = "client" } = {}) {
  const isForBrowser = generate === "client";
  const { outputFiles: [file], warnings } = await build({
    stdin: { contents, resolveDir: folder, loader: "jsx" },
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    conditions: isForBrowser ? ["browser", "development"] : ["development"],
    mainFields: ["module", "main"],
    // The build of Vue that has the compiler of templates.
    alias: { vue: "vue/dist/vue.esm-bundler.js" },
    define: {
      "process.env.NODE_ENV": '"development"',
      __VUE_OPTIONS_API__: "true",
      __VUE_PROD_DEVTOOLS__: "false",
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "true",
    },
    plugins: [svelte(generate)],
    logLevel: "silent",
  });
  if (warnings.length > 0) throw new Error(warnings.map(({ text }) => text).join("\n"));
  return file.text;
}
