# Every target makes .venv by itself when it is missing. `make help` lists them.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# Two layers of one environment: what incrowd and every attack of the demo need (what is not tried counts as failed),
# and then all that engines, pages and tests need besides.
CORE := .venv/.core
STAMP := .venv/.ready
# A group of tests, mostly a file, stays with one worker: it shares what it makes.
PYTEST := $(BIN)/python -m pytest -n 2 --dist loadgroup
FUZZ_SECONDS ?= 600
FUZZ_SEED ?= 1
.DEFAULT_GOAL := help
.PHONY: help demo app test test-slow test-all fuzz check bench bench-scale docs lock clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(CORE): requirements-core.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("incrowd needs Python 3.11 or newer") if sys.version_info < (3, 11) else None'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) --require-hashes -r requirements-core.lock
	$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

$(STAMP): requirements.lock $(CORE)
	$(PIP) --require-hashes -r requirements.lock
	@touch $@

demo: $(CORE) ## A study's plan on 100,000 people, what intruders find in its release, and a plan that may be opened
	$(BIN)/incrowd demo demo

test: $(STAMP) ## Every room, engine, page and command once: 8 minutes on two cores, kernels compiled
	$(PYTEST)

test-slow: $(STAMP) ## The rest: slow tests, and properties with all their examples (40 minutes)
	INCROWD_TESTS=all $(PYTEST) -m "slow or hypothesis"

test-all: test test-slow ## All tests

fuzz: $(STAMP) ## Chance attacks everything: FUZZ_SECONDS=600 FUZZ_SEED=1; what it finds is in fuzz-found/
	$(BIN)/python -m fuzz --seconds $(FUZZ_SECONDS) --seed $(FUZZ_SEED)

check: $(STAMP) ## Style, types, the rules of the rooms, and nothing dead
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/vulture

bench: $(STAMP) ## Benchmarks, as ratios in one run against a peer or a limit
	$(BIN)/python -m benchmarks

bench-scale: $(STAMP) ## 1 to 56 million people against DuckDB, with the plot of docs/scaling.md (an hour, 20 GB of disk)
	$(BIN)/python -m benchmarks.bench_scale

docs: $(STAMP) ## Make the generated pages again: commands, plan, schema, errors, public names
	$(BIN)/python docs/generate.py

app: $(STAMP) ## The workbench in the browser, on this machine only
	$(BIN)/incrowd app

COMPILE = $(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	--no-header --quiet --extra build
lock: ## Resolve requirements.lock and its core anew (versions and hashes, no index address)
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) uv
	$(COMPILE) --extra dev --extra app --extra postcodes --extra spark --extra postgres --extra intruders --extra link \
		--extra stat --extra word \
		--output-file requirements.lock
	$(COMPILE) --extra link --constraints requirements.lock --output-file requirements-core.lock

clean: ## Remove what the targets made
	rm -rf .venv demo fuzz-found build dist .pytest_cache .mypy_cache .ruff_cache
