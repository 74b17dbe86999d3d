#!/usr/bin/env bash
# Every check, one after the other. A failed part does not stop the others; the table at the end says how each went.
set -uo pipefail
cd "$(dirname "$0")/../.."

table=
passed=0
failed=0

part() {
  local name=$1 start=$SECONDS verdict
  shift
  printf '\n==> %s: %s\n' "$name" "$*"
  if "$@"; then
    verdict=ok passed=$((passed + 1))
  else
    verdict=FAILED failed=$((failed + 1))
  fi
  table+=$(printf '%-16s %-7s %4d s' "$name" "$verdict" $((SECONDS - start)))$'\n'
}

part format cargo fmt --check
part clippy cargo clippy --locked --quiet --all-targets -- -D warnings
part clippy-wasm cargo clippy --locked --quiet --lib --bins --examples --target wasm32-unknown-unknown -- -D warnings
part native cargo test --locked --quiet
part build tests/tools/build.sh
part size node tests/tools/size.mjs
part determinism tests/tools/determinism.sh
part browser node --test tests/browser/*.test.mjs

printf '\n%s%d passed, %d failed\n' "$table" "$passed" "$failed"
[ "$failed" -eq 0 ]
