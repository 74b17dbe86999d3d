#!/usr/bin/env bash
# Runs every check. Two lanes run side by side: one builds the page and engine.js and tests the latter, the other lints and tests the Rust code. Then the
# browser tests have both cores to themselves, because they depend on wall-clock time.
# A failed part does not stop the others; the table at the end has the result of each.
set -uo pipefail
cd "$(dirname "$0")/.."

out=${CARGO_TARGET_DIR:-target}/test
rm -rf "$out"
mkdir -p "$out"

# Where nothing is built yet, incremental compilation would cost a quarter more for nothing.
[ -d "${CARGO_TARGET_DIR:-target}/debug/incremental" ] || export CARGO_INCREMENTAL="${CARGO_INCREMENTAL:-0}"

# part <name> <command>: keeps the output until the end of the part, so that the lanes do not mix.
part() {
  local name=$1 start=$SECONDS verdict=ok
  shift
  echo "==> $name: $*"
  "$@" >"$out/$name.log" 2>&1 || verdict=FAILED
  printf '%-12s %-7s %4d s\n' "$name" "$verdict" $((SECONDS - start)) >>"$out/table"
  printf '\n<== %s: %s\n%s\n\n' "$name" "$verdict" "$(cat "$out/$name.log")"
}

rust_lane() {
  part format cargo fmt --check
  part clippy cargo clippy --locked --quiet --all-targets -- -D warnings
  # The library is the same for both targets, and examples are native programs, so only the binaries are linted again.
  part clippy-wasm cargo clippy --locked --quiet --no-deps --bins --target wasm32-unknown-unknown -- -D warnings
  part native cargo test --locked --quiet
}

page_lane() {
  part build trunk build
  part size node scripts/size.mjs
  part engine.js cargo build --locked --quiet --release --bin loopscope-engine --target wasm32-unknown-unknown
  part determinism scripts/determinism.sh
  part engine node --test tests/engine/
}

rust_lane &
page_lane
wait
part browser scripts/browser.sh

cat "$out/table"
failed=$(grep -c FAILED "$out/table")
printf '%s in all\n%d passed, %d failed\n' "$((SECONDS / 60)) min $((SECONDS % 60)) s" "$(grep -c ' ok ' "$out/table")" "$failed"
[ "$failed" -eq 0 ]
