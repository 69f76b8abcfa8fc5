# `make demo` and `make test` need only Python (3.11 or later) and make: each sets up .venv by itself.
# Another Python: make test PYTHON=/path/to/python3.12 VENV=.venv312. The profile of CI: make test CI=1.

.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: help demo test deep search laws check lint format types doctest readme architecture house coverage clean

ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$python -c '$(ENOUGH)' 2>/dev/null && echo $$python && break; done)
VENV ?= .venv
BIN := $(VENV)/bin
ROOMS := combinators interpreters laws papers diffcurry
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
PYTEST := $(BIN)/python -m pytest
# A process a core; a test is by itself in any of them.
ALL := $(PYTEST) --numprocesses=auto --dist=worksteal

ifneq ($(filter-out 0 false,$(CI)),)
DIFFCURRY_PROFILE ?= ci
endif
DIFFCURRY_PROFILE ?= dev
export DIFFCURRY_PROFILE

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: $(VENV)/.demo ## train the paper's recurrent network on the sunspot numbers
	$(BIN)/python examples/sunspots.py

test: $(VENV)/.dev ## every test but the sweeps that `make deep` adds
	$(ALL) -m "not slow"

laws: $(VENV)/.dev ## every law of every model as a table, written to docs/law-matrix.md
	$(BIN)/python -m tests.laws.matrix

deep: $(VENV)/.dev ## the sweeps: the whole matrix of laws, all seeded bugs, programs of 50,000 operations
	DIFFCURRY_PROFILE=deep $(ALL) -m slow

search: $(VENV)/.dev ## all tests, with 5,000 examples a property: hours
	DIFFCURRY_PROFILE=search $(ALL)

check: lint types doctest readme architecture ## everything about the code that is not a test of what it does

lint: $(VENV)/.dev ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(VENV)/.dev ## let ruff format and repair what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(VENV)/.dev ## mypy --strict on the five packages
	$(BIN)/mypy --strict $(ROOMS)

doctest: $(VENV)/.dev ## the examples in docstrings
	$(PYTEST) --doctest-modules $(ROOMS)

readme: $(VENV)/.dev ## the examples in README.md and docs/
	$(PYTEST) tests/test_readme.py

architecture: $(VENV)/.dev ## imports point downwards, files stay small
	$(PYTEST) tests/test_architecture.py

house: $(VENV)/.dev ## the measures of the house: lines, files, circles, files entered
	$(BIN)/python -m tests.house

coverage: $(VENV)/.dev ## which lines and branches the tests reach
	$(BIN)/coverage run -m pytest
	$(BIN)/coverage report

clean: ## remove what make, the tools and the demo wrote
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage build dist site examples/output
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# --- set-up: a stamp is newer than pyproject.toml when its extra is installed

$(VENV)/.made:
	@test -n "$(PYTHON)" && $(PYTHON) -c '$(ENOUGH)' || { \
		echo "diffcurry needs Python 3.11 or later; try: make PYTHON=/path/to/python3" >&2; exit 1; }
	@echo "making $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv --clear $(VENV) || { \
		echo "$(PYTHON) has no venv; on Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	@touch $@

$(VENV)/.demo: pyproject.toml | $(VENV)/.made
	@echo "installing diffcurry and what the demo needs"
	@$(PIP) install --editable '.[demo]'
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/.made
	@echo "installing diffcurry and what development needs"
	@$(PIP) install --editable '.[dev]'
	@touch $@ $(VENV)/.demo
