#!/usr/bin/env bash
# Installs the named tools where they are missing: need.sh [rust] [wasm-target] [trunk] [wasm-bindgen] [npm] [chromium] [firefox] [webkit]
# A tool that is installed already is used without a message.
set -euo pipefail
cd "$(dirname "$0")/.."

trunk_version=0.21.14
bindgen_version=$(sed -n '/^name = "wasm-bindgen"$/{n;s/^version = "\(.*\)"$/\1/p;}' Cargo.lock)

say() { printf '==> %s\n' "$*" >&2; }
stop() { say "$*"; exit 1; }
has() { command -v "$1" >/dev/null 2>&1; }

need_rust() {
  has cargo || stop "Rust is missing. Install it from https://rustup.rs, then run this again."
  rustc --version >/dev/null 2>&1 && return
  has rustup || stop "the Rust version of rust-toolchain.toml is missing, and so is rustup to install it."
  local channel
  channel=$(sed -n 's/^channel = "\(.*\)"/\1/p' rust-toolchain.toml)
  say "Installing Rust $channel (about a minute)."
  rustup toolchain install "$channel" --profile minimal --component rustfmt --component clippy
}

need_wasm_target() {
  need_rust
  [ -d "$(rustc --print target-libdir --target wasm32-unknown-unknown)" ] && return
  has rustup || stop "the Rust target wasm32-unknown-unknown is missing, and so is rustup to install it."
  say "Installing the Rust target wasm32-unknown-unknown (some seconds)."
  rustup target add wasm32-unknown-unknown
}

# cargo_install <crate> <version> <how long>: in the background, so that two tools are built at the same time.
installs=
cargo_install() {
  say "Installing $1 $2, once. Where it must be built that takes $3."
  { cargo binstall --no-confirm --locked "$1@$2" >/dev/null 2>&1 || env -u CARGO_TARGET_DIR cargo install --locked "$1" --version "$2"; } 2>&1 \
    | sed "s/^/$1: /" >&2 &
  installs+=" $!"
}

need_trunk() {
  case "$(trunk --version 2>/dev/null)" in
    "trunk 0.21."*) ;;
    *) cargo_install trunk "$trunk_version" "about 12 minutes of one core" ;;
  esac
}

# The command-line tool must be of the very version of the crate in Cargo.lock.
need_wasm_bindgen() {
  [ "$(wasm-bindgen --version 2>/dev/null)" = "wasm-bindgen $bindgen_version" ] && return
  cargo_install wasm-bindgen-cli "$bindgen_version" "about 5 minutes of one core"
}

need_npm() {
  has node || stop "Node is missing. Install version 20 or later, then run this again."
  has npm || stop "npm is missing. It comes with Node in most packages; on Debian it is the package npm."
  # npm writes this file last, so one that is older than the lock file means an unfinished or outdated install.
  [ node_modules/.package-lock.json -nt package-lock.json ] && return
  say "Installing the npm packages of the editor and the checks (190 MB in node_modules, about half a minute)."
  npm ci --no-fund --no-audit
  touch node_modules/.package-lock.json
}

may_apt() { [ "$(id -u)" = 0 ] && has apt-get; }

# apt_install <package>...: with lists that may be old first, because fetching them takes longer than most packages.
apt_install() {
  export DEBIAN_FRONTEND=noninteractive
  apt-get install -y "$@" || { apt-get update && apt-get install -y "$@"; }
}

need_chromium() {
  node tests/browser/browser.mjs >/dev/null 2>&1 && return
  if may_apt; then
    say "Installing Chromium with apt-get (about a minute)."
    apt_install chromium
  else
    stop "Chromium is missing. Install it (on Debian: sudo apt-get install chromium), or set CHROMIUM to the path of Chromium or Chrome."
  fi
}

need_firefox() {
  node tests/browser/other_browsers/firefox.mjs >/dev/null && return
  if may_apt; then
    say "Installing Firefox with apt-get (about a minute)."
    apt_install --no-install-recommends firefox-esr
  else
    stop "Firefox is missing. Install it (on Debian: sudo apt-get install firefox-esr), or set FIREFOX to its path."
  fi
}

# Outside Linux nobody has WebKitGTK: its tests then say that they were left out, and why.
need_webkit() {
  local missing
  missing=$(node tests/browser/other_browsers/webkit.mjs) && return
  if may_apt; then
    say "Installing WebKitGTK, its driver and a screen for it with apt-get (about a minute). Missing: $missing."
    apt_install --no-install-recommends webkit2gtk-driver xvfb || say "WebKitGTK could not be installed, so its tests are left out."
  else
    say "WebKit is left out, because this machine has no $missing. On Debian: sudo apt-get install webkit2gtk-driver xvfb."
  fi
}

for tool in "$@"; do
  "need_${tool//-/_}"
done
for install in $installs; do
  wait "$install" || stop "a tool could not be installed; the lines above say why."
done
