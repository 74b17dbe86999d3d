#!/bin/sh
# Makes the editor's bundle: editor.sh <folder>. Trunk runs it with its own folder (Trunk.toml).
# Where the npm packages are missing the file says so, and the page keeps its plain text box: `trunk serve` alone is enough to work on the page.
set -eu
out="${1:-${TRUNK_STAGING_DIR:-dist}}/editor.js"
cd "$(dirname "$0")/../.."

if [ -x node_modules/.bin/esbuild ] && [ -d node_modules/@codemirror/view ] && command -v node >/dev/null 2>&1; then
  # Its licence asks to be handed on with it.
  licence="/*! CodeMirror and Lezer: $(cat node_modules/@codemirror/view/LICENSE) */"
  node_modules/.bin/esbuild static/editor/editor.mjs --bundle --format=esm --target=es2022 --minify --banner:js="$licence" \
    --log-level=warning --outfile="$out"
else
  echo "The npm packages are missing (npm ci), so the page gets the plain text box as its editor." >&2
  echo "export const connect = null;" >"$out"
fi
