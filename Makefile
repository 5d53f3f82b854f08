# make demo   set up, then the main job        make test    set up, then lint, types, imports and tests
# make bench  set up, then the benchmarks      make lint    the checks without the tests
# make calibrate   thousands of runs: is a verdict wrong at most as often as promised, and does the guard hold on real data?
PYTHON ?= python3
BIN := .venv/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_ROOT_USER_ACTION := ignore

.PHONY: setup demo test lint bench calibrate format clean
.DEFAULT_GOAL := test

setup: .venv/.ready

.venv/.ready: requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "logts needs Python 3.11 or later: make PYTHON=/path/to/python")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --requirement requirements.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

demo: setup
	$(BIN)/logts demo

test: lint
	$(BIN)/python -m pytest --numprocesses 2

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: setup
	$(BIN)/python benchmarks/designs.py
	$(BIN)/python benchmarks/runs.py

calibrate: setup
	$(BIN)/python benchmarks/calibrate.py
	$(BIN)/python benchmarks/replays.py

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +
