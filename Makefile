# Every command installs what it lacks, says so, and reuses what is there. The work is done in scripts/.

CARGO_HOME ?= $(HOME)/.cargo
export PATH := $(CARGO_HOME)/bin:$(PATH)

# Trunk takes NO_COLOR for a truth value and stops at the usual NO_COLOR=1.
ifdef NO_COLOR
export NO_COLOR := true
endif

PORT ?= 8080

.PHONY: help serve test browsers soak build engine package scorm size bench perf screenshots tools

help: ## List the commands
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{ printf "%-20s %s\n", $$1, $$2 }'

serve: ## Build the page and serve it (PORT=8080)
	@scripts/need.sh wasm-target trunk wasm-bindgen
	@echo "Building. The page will be at http://localhost:$(PORT)/ (stop with Ctrl-C)."
	@exec trunk serve --port $(PORT)

test: ## Run every check
	@scripts/need.sh wasm-target trunk wasm-bindgen npm chromium
	@scripts/test.sh

browsers: build ## Run the main paths in Firefox and WebKit too
	@scripts/need.sh npm firefox webkit
	@node --test --test-reporter=spec tests/browser/other_browsers/*.test.mjs

soak: ## Run the long checks: many more seeds and lines
	@scripts/need.sh wasm-target wasm-bindgen
	@LOOPSCOPE_SOAK=1 CARGO_PROFILE_DEV_OPT_LEVEL=2 cargo test --locked --target-dir target/soak
	@SEEDS=1000 scripts/determinism.sh

build: ## Make the page in dist/
	@scripts/need.sh wasm-target trunk wasm-bindgen npm
	@trunk build

engine: ## Make engine.js, the engine for scripts, in target/engine/
	@scripts/need.sh wasm-target wasm-bindgen npm
	@node scripts/engine.mjs

package: build engine ## Make the npm package and the zip for a web host in target/package/
	@node scripts/package.mjs

scorm: build engine ## Make a SCORM 1.2 package in target/package/ (GOAL, TITLE, EXAMPLE, STATE, PANELS)
	@node scripts/scorm.mjs

size: build ## Show what a visitor downloads; fail over 1.5 MB
	@node scripts/size.mjs

bench: ## Measure the engine
	@scripts/need.sh rust
	@cargo bench --locked

perf: build ## Measure the page in a browser
	@scripts/need.sh chromium
	@node tests/browser/perf.mjs

screenshots: build ## Take pictures of the page into tests/browser/out/
	@scripts/need.sh chromium
	@node tests/browser/screenshots.mjs

tools: ## Only install what the other commands need
	@scripts/need.sh wasm-target trunk wasm-bindgen npm chromium
	@echo "All tools are there."
