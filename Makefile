# Both `make demo` and `make test` need nothing but Python 3.11 to 3.13 and, for the type checker, node and npm.

VENV ?= .venv
BIN := $(VENV)/bin
BUILT := build/demo
NOTEBOOKS := $(wildcard demo_notebooks/*.ipynb)

# A name on the PATH may be a shim for a version that is not there, so each candidate has to run, and to be able to make an environment.
SUITS := import ensurepip, sys, venv; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))
PYTHON ?= $(shell for name in python3 python3.13 python3.12 python3.11 python; do \
	if $$name -c '$(SUITS)' >/dev/null 2>&1; then echo $$name; break; fi; done)

.PHONY: help demo screenshots test lint types imports unit bench format clean

help:
	@echo "make demo         run the demo notebooks and say where the results lie"
	@echo "make test         check format, lint, types and imports, and run all tests"
	@echo "make bench        measure what tracing and cutting cost"
	@echo "make screenshots  take the pictures of README.md in JupyterLab; needs chromium"

demo: $(VENV)/demo.stamp
	@mkdir -p $(BUILT)
	JUPYTER_PREFER_ENV_PATH=1 $(BIN)/jupyter nbconvert --log-level WARN --to notebook --execute --output-dir $(BUILT) $(NOTEBOOKS)
	$(BIN)/jupyter nbconvert --log-level WARN --to html --output-dir $(BUILT) $(NOTEBOOKS:demo_notebooks/%=$(BUILT)/%)
	@echo; echo "Executed notebooks and their HTML:"; ls -1 $(abspath $(BUILT))/*.ipynb $(abspath $(BUILT))/*.html

screenshots: $(VENV)/dev.stamp
	JAX_PLATFORMS=cpu JUPYTER_PREFER_ENV_PATH=1 $(BIN)/python -m tests.screenshots

test: lint types imports unit

lint: $(VENV)/dev.stamp
	$(BIN)/ruff format --check
	$(BIN)/ruff check

types: $(VENV)/dev.stamp
	$(BIN)/pyright --pythonpath $(BIN)/python

imports: $(VENV)/dev.stamp
	$(BIN)/lint-imports

# A file's tests stay together, since they share what is costly to set up; each worker holds JAX, so there are never many.
# Where the hot path of the runtime could be compiled, what tests it runs once more in Python.
PYTEST = $(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist loadfile
unit: $(VENV)/dev.stamp
	$(PYTEST)
	if $(BIN)/python -c 'import sys; from x10_jupyter.lazy.core import IS_COMPILED; sys.exit(not IS_COMPILED)'; then XLA_COMPILED_RECORDING=0 $(PYTEST) tests/unit/lazy tests/property; fi

bench: $(VENV)/dev.stamp
	$(BIN)/python -m tests.benchmarks

format: $(VENV)/dev.stamp
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean:
	rm -rf $(VENV) build

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "No Python 3.11, 3.12 or 3.13 with venv found on the PATH; name one: make PYTHON=/path/to/python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

# The sources that are compiled as the package is installed.
HOT := $(wildcard x10_jupyter/lazy/*.pxd)
HOT += $(HOT:.pxd=.py)

$(VENV)/%.stamp: pyproject.toml hatch_build.py $(HOT) | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$*]'
	@touch $@
