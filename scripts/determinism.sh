#!/usr/bin/env bash
# Checks that the same seeds give the same runs natively and in wasm: examples/trace_hash.rs makes random runs natively and writes their share states;
# engine.js replays these, and the script compares the hashes. So it also finds a share state that leaves something out.
# The native build is the tests' own, with overflow checks; the wasm one is optimised as the page is.
set -euo pipefail
cd "$(dirname "$0")/.."

seeds=${SEEDS:-100}
target=${CARGO_TARGET_DIR:-target}
out=$target/determinism
mkdir -p "$out"

cargo build --locked --quiet --example trace_hash
ENGINE_OPT=${ENGINE_OPT:-0} node scripts/engine.mjs

# shellcheck disable=SC2046 # each seed is an argument of its own
"$target/debug/examples/trace_hash" $(seq 1 "$seeds") >"$out/runs.txt"
cut -d' ' -f1,2 "$out/runs.txt" >"$out/native.txt"
node scripts/trace_hash.mjs "$target/engine/engine.js" "$out/runs.txt" >"$out/wasm.txt"

[ "$(wc -l <"$out/native.txt")" -eq "$seeds" ] || { echo "the native build did not run all $seeds seeds" >&2; exit 1; }
if ! diff "$out/native.txt" "$out/wasm.txt" >"$out/difference.txt"; then
  echo "native (<) and wasm (>) differ:" >&2
  head -20 "$out/difference.txt" >&2
  exit 1
fi
echo "$seeds seeds: native and wasm agree, $(cut -d' ' -f2 "$out/native.txt" | sort -u | wc -l | tr -d ' ') different hashes"
