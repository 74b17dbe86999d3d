#!/usr/bin/env bash
# Makes dist/: trunk builds the page, then its texts become small and its style sheets one, and wasm-opt shrinks the wasm, of which two files are made.
# wasm-opt is not run by trunk itself because trunk would download a wasm-opt where it finds none.
set -euo pipefail
cd "$(dirname "$0")/../.."

trunk build --release
node tests/tools/pack.mjs
node tests/tools/shrink.mjs dist
