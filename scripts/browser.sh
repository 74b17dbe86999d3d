#!/usr/bin/env bash
# Runs the browser tests on dist/, each file in a process and a browser of its own, BROWSERS of them at a time (4 by default: most of their time they wait for
# something to be seen). What a file prints comes out in one piece when it ends. Several tests depend on wall-clock time, so a file in which one fails is run
# once more, alone, and the script says so. Only a test that fails again counts as failed.
set -uo pipefail
cd "$(dirname "$0")/.."

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

# run <file>: in its own log, which is shown when the file is done. A failure leaves a mark.
run() {
  local name
  name=$(basename "$1")
  node --test --test-reporter=tap "$1" >"$logs/$name" 2>&1 || echo "$1" >>"$logs/failed"
  printf '\n==> %s\n%s\n' "$name" "$(cat "$logs/$name")"
}
export -f run
export logs

# The longest files first: at the end they would run alone.
files=$( (cd tests/browser && printf 'tests/browser/%s\n' {auto,visible,frameworks,embed,claims}.test.mjs && printf 'tests/browser/%s\n' *.test.mjs) | awk '!seen[$0]++')
xargs -P "${BROWSERS:-4}" -I{} bash -c 'run {}' <<<"$files"
cat "$logs"/*.mjs | awk '/^# pass/ { pass += $3 } /^# fail/ { fail += $3 } END { printf "\n%d tests passed, %d failed\n", pass, fail }'
[ -f "$logs/failed" ] || exit 0

printf '\n==> Some tests failed. Once more, one file at a time:\n'
grep -h '^ *not ok' "$logs"/*.mjs
failed=$(cat "$logs/failed")
rm "$logs/failed"
xargs -P 1 -I{} bash -c 'run {}' <<<"$failed"
[ ! -f "$logs/failed" ]
