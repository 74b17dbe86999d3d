#!/usr/bin/env bash
# Finishes the page that trunk has put into its staging folder. Trunk runs it after every build (Trunk.toml).
# It installs the editor's npm packages where they are missing. Without Node or npm the page still works: it has a plain
# text box for an editor, and its wasm is larger.
set -euo pipefail
cd "$(dirname "$0")/.."

if scripts/need.sh npm; then
  exec node scripts/finish.mjs "${TRUNK_STAGING_DIR:-dist}"
fi
(cd static/content && find . -type f | LC_ALL=C sort | while read -r path; do echo "=== ${path#./}"; cat "$path"; done) >"${TRUNK_STAGING_DIR:-dist}/content.txt"
echo "==> The page gets a plain text box as its editor, and a wasm file that wasm-opt has not made smaller." >&2
