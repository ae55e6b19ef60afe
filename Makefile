# Every target sets itself up: the first one makes .venv and installs everything, later ones start at once.
# For another Python: make test PYTHON=python3.12

VENV   := .venv
STAMP  := $(VENV)/.installed
BIN    := $(VENV)/bin
PYTEST := $(BIN)/python -m pytest -q

.DEFAULT_GOAL := help
.PHONY: help install demo check test test-llm bench soak build clean

help:
	@echo 'make demo     open the app on a copy of the sample (without a terminal: print the report)'
	@echo 'make test     format, lint, types, import contracts and all tests'
	@echo 'make check    the same without the tests'
	@echo 'make soak     the tests with their long counts'
	@echo 'make test-llm  answers of a real small language model on this machine (compiles for many minutes at first)'
	@echo 'make bench    measure, and print the figures as a table and as JSON'
	@echo 'make install  make .venv and install everything into it'
	@echo 'make build    the wheel and the source archive in dist/'
	@echo 'make clean    remove .venv and everything that can be made again'

install: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	@set -e; found=; \
	for python in $(PYTHON) python3 python3.13 python3.12 python3.11 /usr/bin/python3 /usr/bin/python3.11; do \
	  if $$python -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then found=$$python; break; fi; \
	done; \
	if [ -z "$$found" ]; then echo 'make: Python 3.11 or newer with venv is needed; name it with PYTHON=/path/to/python3' >&2; exit 1; fi; \
	if ! $(BIN)/python -m pip --version >/dev/null 2>&1; then echo "making $(VENV) with $$found"; $$found -m venv --clear $(VENV); fi
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

demo: $(STAMP)
	@if [ -t 0 ] && [ -t 1 ]; then $(BIN)/ragtriage demo; else $(BIN)/ragtriage demo --plain; fi

check: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache --no-logo

test: check
	$(PYTEST) -n 2 --dist loadgroup

soak: check
	RAGTRIAGE_SOAK=1 $(PYTEST) -n 2 --dist loadgroup

test-llm: $(VENV)/.installed-llm
	RAGTRIAGE_TEST_LLM=1 $(PYTEST) tests/llm

$(VENV)/.installed-llm: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[local-llm]'
	@touch $@

bench: $(STAMP)
	$(BIN)/python -m tests.benchmarks

build: $(STAMP)
	$(BIN)/python -m build --no-isolation

clean:
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
