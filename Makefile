# Every command installs what it lacks, says so, and reuses what is there. The work is done in tests/tools/.

CARGO_HOME ?= $(HOME)/.cargo
export PATH := $(CURDIR)/node_modules/.bin:$(CARGO_HOME)/bin:$(PATH)

# Trunk takes NO_COLOR for a truth value and stops at the usual NO_COLOR=1.
ifdef NO_COLOR
export NO_COLOR := true
endif

PORT ?= 8080
TOOLS := tests/tools

.PHONY: help serve test build size bench perf screenshots tools

help: ## List the commands
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{ printf "%-20s %s\n", $$1, $$2 }'

serve: ## Build the page and serve it (PORT=8080)
	@$(TOOLS)/need.sh wasm-target trunk wasm-bindgen editor
	@echo "Building. The page will be at http://localhost:$(PORT)/ (stop with Ctrl-C)."
	@exec trunk serve --release --port $(PORT)

test: ## Run every check
	@$(TOOLS)/need.sh wasm-target trunk wasm-bindgen npm chromium
	@$(TOOLS)/test.sh

build: ## Make the page in dist/, as small as it gets
	@$(TOOLS)/need.sh wasm-target trunk wasm-bindgen npm
	@$(TOOLS)/build.sh

size: build ## Show what a visitor downloads; fail over the budget
	@node $(TOOLS)/size.mjs

bench: ## Measure the engine
	@$(TOOLS)/need.sh rust
	@cargo bench --locked

perf: build ## Measure the page in a browser
	@$(TOOLS)/need.sh chromium
	@node tests/browser/perf.mjs

screenshots: build ## Take pictures of the page into tests/browser/out/
	@$(TOOLS)/need.sh chromium
	@node tests/browser/screenshots.mjs

tools: ## Only install what the other commands need
	@$(TOOLS)/need.sh wasm-target trunk wasm-bindgen npm chromium
	@echo "All tools are there."
