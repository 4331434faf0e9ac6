# The developer's verbs. They need git, make and Python >= 3.11; all else comes from the locks.
# Written for GNU make 3.81 too, which is what macOS has.

VENV := .venv
BIN := $(VENV)/bin
LOCKS := requirements
STAMPS := $(VENV)/.stamps
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input install --quiet
LOCKED := $(PIP) --require-hashes

# The tests start the program hundreds of times: it is not compiled anew each time.
test: export PYTHONDONTWRITEBYTECODE =

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help serve test check format bench bench-check bench-scale drill soak mutants docs site lock install clean

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1	/p' Makefile

serve: $(STAMPS)/package ## Start Stoa; SERVE_ARGS="..." goes to `stoa serve`
	@exec $(BIN)/stoa serve $(SERVE_ARGS)

test: $(STAMPS)/package $(STAMPS)/test $(STAMPS)/generators $(STAMPS)/clients $(STAMPS)/node $(STAMPS)/browser ## Run the tests; PYTEST_ARGS="-k escrow" goes to pytest
	$(BIN)/python -m pytest -n 4 --dist worksteal $(PYTEST_ARGS)

check: install ## Lint, formatting, types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	scripts/types

format: $(STAMPS)/dev ## Bring the code into its standard form
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: $(STAMPS)/package $(STAMPS)/test ## Measure speed, on a quiet machine; BENCH_ARGS="..."
	$(BIN)/python -m bench $(BENCH_ARGS)

bench-check: $(STAMPS)/package $(STAMPS)/test ## Count instructions of fixed requests with valgrind; ACCEPT=1 makes them the figures
	$(BIN)/python -m bench.instructions $(if $(ACCEPT),--accept)

bench-scale: $(STAMPS)/package $(STAMPS)/test ## Measure large databases, for an hour; BENCH_ARGS="--posts 100000"
	$(BIN)/python -m bench.scale $(BENCH_ARGS)

drill: $(STAMPS)/package $(STAMPS)/drill ## Kill the primary of a PostgreSQL cluster again and again; DRILL_ARGS="..."
	$(BIN)/python -m drill $(DRILL_ARGS)

soak: $(STAMPS)/package $(STAMPS)/test $(STAMPS)/node ## Run the long tests; SOAK_SECONDS=600 shortens the longest from an hour
	$(BIN)/python -m pytest -m soak -s $(PYTEST_ARGS)

mutants: $(STAMPS)/package $(STAMPS)/test ## List small changes of the code that no test notices; MUTANTS_ARGS="--count 40 --seed 7 --only domain"
	$(BIN)/python -m mutants $(MUTANTS_ARGS)

docs: $(STAMPS)/package ## Write the reference in docs/ and the clients from the code
	$(BIN)/python -m scripts.docs
	$(BIN)/python -m scripts.clients

site: $(STAMPS)/package ## Write the documentation as pages into build/site
	$(BIN)/stoa docs --build build/site

lock: ## Recompile the locks; LOCK_ARGS=--upgrade moves every pin
	@PYTHON="$(PYTHON)" scripts/lock

install: $(STAMPS)/package $(STAMPS)/test $(STAMPS)/node $(STAMPS)/dev ## Make .venv to work in; PYTHON=python3.12 chooses its Python

clean: ## Remove .venv and what was built; stored data stays
	rm -rf $(VENV) build dist src/*.egg-info .hypothesis .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp is newer than the lock it stands for, so a .venv that is up to date costs no pip call.

$(STAMPS)/venv:
	@PYTHON="$(PYTHON)" scripts/venv $(VENV)
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/runtime: $(LOCKS)/build.txt $(LOCKS)/runtime.txt | $(STAMPS)/venv
	@echo "Installing what Stoa runs on; this takes a minute the first time."
	@$(LOCKED) -r $(LOCKS)/build.txt -r $(LOCKS)/runtime.txt
	@touch $@

$(STAMPS)/package: pyproject.toml $(LOCKS)/core.in $(LOCKS)/runtime.in $(LOCKS)/telemetry.in $(STAMPS)/runtime
	@$(PIP) --no-deps --no-build-isolation --no-index --editable .
	@touch $@

$(STAMPS)/test: $(LOCKS)/test.txt $(STAMPS)/runtime
	@echo "Installing what the tests need."
	@$(LOCKED) -r $(LOCKS)/test.txt
	@touch $@

$(STAMPS)/generators: $(LOCKS)/generators.txt $(STAMPS)/test
	@$(LOCKED) --no-compile --upgrade --target $(VENV)/generators -r $(LOCKS)/generators.txt
	@touch $@

$(STAMPS)/clients: $(LOCKS)/clients.txt $(STAMPS)/test
	@$(LOCKED) --no-compile --upgrade --target $(VENV)/clients -r $(LOCKS)/clients.txt
	@touch $@

$(STAMPS)/drill: $(LOCKS)/drill.txt $(STAMPS)/test
	@echo "Installing Patroni."
	@$(LOCKED) -r $(LOCKS)/drill.txt
	@touch $@

$(STAMPS)/node: tests/mcp/node/package-lock.json $(STAMPS)/test
	@echo "Installing the JavaScript tools that the tests run."
	@scripts/node-tools
	@touch $@

$(STAMPS)/browser: scripts/browser $(STAMPS)/test
	@scripts/browser
	@touch $@

$(STAMPS)/dev: $(LOCKS)/dev.txt $(STAMPS)/test
	@echo "Installing ruff and pyright."
	@$(LOCKED) -r $(LOCKS)/dev.txt
	@touch $@
