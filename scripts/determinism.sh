#!/usr/bin/env bash
# The same seeds give the same runs natively and in wasm: builds examples/trace_hash.rs both ways, runs both, compares.
# The native build is the tests' own, with overflow checks; the wasm one is optimised as the page is.
set -euo pipefail
cd "$(dirname "$0")/.."

seeds=${SEEDS:-100}
target=${CARGO_TARGET_DIR:-target}
out=$target/determinism
mkdir -p "$out"

cargo build --locked --quiet --example trace_hash
cargo build --locked --quiet --example trace_hash --release --target wasm32-unknown-unknown
wasm-bindgen --target nodejs --no-typescript --out-dir "$out" "$target/wasm32-unknown-unknown/release/examples/trace_hash.wasm"
# The repository's package.json says that .js files are ES modules; these are not.
echo '{ "type": "commonjs" }' >"$out/package.json"

# shellcheck disable=SC2046 # each seed is an argument of its own
"$target/debug/examples/trace_hash" $(seq 1 "$seeds") >"$out/native.txt"
node scripts/trace_hash.mjs "$out/trace_hash.js" "$seeds" >"$out/wasm.txt"

[ "$(wc -l <"$out/native.txt")" -eq "$seeds" ] || { echo "the native build did not run all $seeds seeds" >&2; exit 1; }
if ! diff "$out/native.txt" "$out/wasm.txt" >"$out/difference.txt"; then
  echo "native (<) and wasm (>) differ:" >&2
  head -20 "$out/difference.txt" >&2
  exit 1
fi
echo "$seeds seeds: native and wasm agree, $(cut -d' ' -f2 "$out/native.txt" | sort -u | wc -l | tr -d ' ') different hashes"
