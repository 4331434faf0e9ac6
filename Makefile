# The developer's verbs. `make help` lists them; each needs only git, make and Python >= 3.11.
# PYTHON=python3.12 make serve    picks the interpreter that .venv is made with.

VENV := .venv
BIN := $(VENV)/bin
LOCKS := requirements
STAMPS := $(VENV)/.stamps

# pip must take what the locks say and ask nobody for a newer pip.
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input

.DEFAULT_GOAL := help
.PHONY: help serve test check format bench soak lock clean install

help: ## Show this list
	@sed -n 's/^\([a-z][a-z]*\):.*## \(.*\)/  make \1	\2/p' Makefile

serve: $(STAMPS)/package ## Start Stoa; SERVE_ARGS="--port 9000" is passed on
	@exec $(BIN)/stoa serve $(SERVE_ARGS)

test: $(STAMPS)/package $(STAMPS)/test ## Run all tests; PYTEST_ARGS="-k escrow" is passed on
	$(BIN)/python -m pytest -n 2 $(PYTEST_ARGS)

check: install ## Lint, formatting and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	scripts/types

format: $(STAMPS)/dev ## Put the code into its standard form
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(STAMPS)/package $(STAMPS)/test ## Measure speed; wants a quiet machine
	$(BIN)/python -m bench $(BENCH_ARGS)

soak: $(STAMPS)/package $(STAMPS)/test ## Run the long tests under load
	$(BIN)/python -m pytest -m soak $(PYTEST_ARGS)

lock: ## Recompile the lock files; LOCK_ARGS=--upgrade moves every pin
	PYTHON="$(PYTHON)" scripts/lock

install: $(STAMPS)/package $(STAMPS)/test $(STAMPS)/dev ## Make .venv with everything in it

clean: ## Remove .venv and everything built; stored data stays
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .hypothesis
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
	rm -rf src/*.egg-info

# A stamp is newer than the lock it was installed from, so an up-to-date .venv costs no pip call.

$(STAMPS)/venv: scripts/venv
	PYTHON="$(PYTHON)" scripts/venv $(VENV)
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/runtime: $(STAMPS)/venv $(LOCKS)/build.txt $(LOCKS)/runtime.txt
	$(PIP) install --quiet --require-hashes -r $(LOCKS)/build.txt -r $(LOCKS)/runtime.txt
	@touch $@

$(STAMPS)/package: $(STAMPS)/runtime pyproject.toml $(LOCKS)/runtime.in
	$(PIP) install --quiet --no-deps --no-build-isolation --no-index --editable .
	@touch $@

$(STAMPS)/test: $(STAMPS)/runtime $(LOCKS)/test.txt
	$(PIP) install --quiet --require-hashes -r $(LOCKS)/test.txt
	@touch $@

$(STAMPS)/dev: $(STAMPS)/test $(LOCKS)/dev.txt
	$(PIP) install --quiet --require-hashes -r $(LOCKS)/dev.txt
	@touch $@
