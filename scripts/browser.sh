#!/usr/bin/env bash
# Runs the browser tests on dist/. Several depend on wall-clock time, and two browsers share two cores with other processes: the script runs a file in
# which a test fails once more, alone, and says so. Only a test that fails again counts as failed.
set -uo pipefail
cd "$(dirname "$0")/.."

log=$(mktemp)
trap 'rm -f "$log"' EXIT
node --test --test-concurrency="${BROWSERS:-2}" --test-reporter=tap tests/browser/*.test.mjs | tee "$log"
[ "${PIPESTATUS[0]}" -eq 0 ] && exit 0

mapfile -t files < <(sed -n "/^not ok/,/^  \.\.\./s/^  location: '\(.*\.test\.mjs\):.*/\1/p" "$log" | sort -u)
[ "${#files[@]}" -eq 0 ] && exit 1
printf '\n==> Some tests failed. Once more, one file at a time:\n'
grep '^not ok' "$log"
printf '%s\n' "${files[@]}"
node --test --test-concurrency=1 --test-reporter=tap "${files[@]}"
