# Every target makes .venv by itself when it is missing. `make help` lists them.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.ready
FUZZ_SECONDS ?= 600
FUZZ_SEED ?= 1
.DEFAULT_GOAL := help
.PHONY: help demo app test test-all fuzz check bench bench-scale docs lock clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(STAMP): requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("incrowd needs Python 3.11 or newer") if sys.version_info < (3, 11) else None'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: $(STAMP) ## The whole way on demo data: 100,000 people to a release at k = 9
	$(BIN)/incrowd demo demo

test: $(STAMP) ## The tests (slow ones apart)
	$(BIN)/python -m pytest -n 2 --dist loadfile

test-all: $(STAMP) ## All tests, the slow ones too
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "slow or not slow"

fuzz: $(STAMP) ## Chance attacks everything: FUZZ_SECONDS=600 FUZZ_SEED=1; what it finds is in fuzz-found/
	$(BIN)/python -m fuzz --seconds $(FUZZ_SECONDS) --seed $(FUZZ_SEED)

check: $(STAMP) ## Style, types and the rules of the rooms
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(STAMP) ## Benchmarks, as ratios in one run against a peer or a limit
	$(BIN)/python -m benchmarks

bench-scale: $(STAMP) ## 1 to 56 million people against DuckDB, with the plot of docs/scaling.md (an hour, 20 GB of disk)
	$(BIN)/python -m benchmarks.bench_scale

docs: $(STAMP) ## Make the generated pages again: commands, plan, schema, errors, public names
	$(BIN)/python docs/generate.py

app: $(STAMP) ## The workbench in the browser, on this machine only
	$(BIN)/python -c 'import streamlit' 2>/dev/null || $(BIN)/python -m pip install --quiet --disable-pip-version-check 'streamlit>=1.40'
	$(BIN)/incrowd app

lock: ## Resolve requirements.lock anew (versions and hashes, no index address)
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile pyproject.toml --extra dev --extra app --extra postcodes --extra spark --extra postgres \
		--extra intruders --extra link \
		--universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet --output-file requirements.lock

clean: ## Remove what the targets made
	rm -rf .venv demo fuzz-found build dist .pytest_cache .mypy_cache .ruff_cache
