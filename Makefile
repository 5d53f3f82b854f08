# make demo   set up, then the main job        make test    set up, then lint, types, imports and tests
# make bench  how fast it is, on one page      make lint    the checks without the tests
# make pages  the other benchmarks: designs and estimates beside others, samples, usual rules, live studies, cores, a million options
# make paper  the paper's experiments and the league of peers; can be stopped and goes on where it was
# make calibrate   thousands of runs: is a verdict wrong at most as often as promised, and does the guard hold on real data?
# make docs  this documentation as a site in out/site, examples run; a warning is an error
# make kills  workers of a live study killed 200 times, bits of its file flipped 3,000 times: is anything lost without a word?
# make load  servers under 32 clients, and under kills: pairs a second, waiting times, is anything lost?
# make release-check  a wheel and an sdist, each installed into an empty environment and tried there
# make test-lowest    the tests that meet other packages, with the lowest versions of these that are permitted
PYTHON ?= python3
BIN := .venv/bin
LOWEST := .venv-lowest/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_ROOT_USER_ACTION := ignore

.PHONY: setup demo test browser lint docs bench pages calibrate kills load paper release-check test-lowest format recompile clean
.DEFAULT_GOAL := test

setup: .venv/.ready

.venv/.ready: requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "logts needs Python 3.11 or later: make PYTHON=/path/to/python")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --requirement requirements.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@$(BIN)/logts compile
	@touch $@

demo: setup
	$(BIN)/logts demo

test: lint browser
	$(BIN)/python -m pytest --numprocesses 2

# A browser for the test of the pages: Debian's, where it can be installed.
browser:
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -qq -y chromium >/dev/null; } \
		|| echo "Chromium is missing and could not be installed (as root: apt-get install chromium): the test in a browser is skipped."

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/sp-repo-review . >/dev/null || $(BIN)/sp-repo-review .

docs: setup
	rm -rf docs/generated docs/gallery out/site
	$(BIN)/python -m sphinx -q -W --keep-going -c docs -d out/doctrees . out/site
	@echo "The site: out/site/index.html"

bench: setup
	$(BIN)/python benchmarks/speed.py

pages: setup
	$(BIN)/python benchmarks/designs.py
	$(BIN)/python benchmarks/samples.py
	$(BIN)/python benchmarks/studies.py
	$(BIN)/python benchmarks/cores.py
	$(BIN)/python benchmarks/online_estimates.py
	$(BIN)/python benchmarks/usual_rules.py
	$(BIN)/python benchmarks/million.py

kills: setup
	$(BIN)/python benchmarks/kills.py
	$(BIN)/python benchmarks/flips.py

load: setup
	$(BIN)/python benchmarks/load.py

calibrate: setup
	$(BIN)/python benchmarks/calibrate.py
	$(BIN)/python benchmarks/replays.py
	$(BIN)/python benchmarks/worlds.py
	$(BIN)/python benchmarks/gates.py
	$(BIN)/python benchmarks/pairs.py

paper: setup
	$(BIN)/logts paper all --runs 10 --jobs 2 --out benchmarks/results/paper
	$(BIN)/logts bench peers --runs 100 --jobs 2 --out benchmarks/results/league.md

release-check: setup
	$(BIN)/python tests/release.py

test-lowest: .venv-lowest/.ready
	NUMBA_CACHE_DIR=.venv-lowest/numba $(LOWEST)/python -m pytest --numprocesses 2 -W ignore::DeprecationWarning $(MEETING)

# Where the package meets others: tables, pictures, databases, the server, processes, notebooks; and the core.
MEETING := $(addprefix tests/test_, $(addsuffix .py, arms bounds problems evidence package parallel \
	pictures study study_pictures study_run journal journal_sql cli screens report plan plan_command written_files \
	server server_live client notebook effects))

.venv-lowest/.ready: requirements-lowest.txt pyproject.toml
	$(PYTHON) -m venv .venv-lowest
	$(LOWEST)/python -m pip install --quiet --requirement requirements-lowest.txt
	$(LOWEST)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# numba does not notice that a compiled function in another file has changed
recompile:
	find src \( -name '*.nbi' -o -name '*.nbc' \) -delete

clean:
	rm -rf .venv .venv-lowest docs/generated docs/gallery out/site out/doctrees .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +
