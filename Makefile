# The developer's verbs. They need git, make and Python >= 3.11; all else comes from the locks.
# Written for GNU make 3.81 too, which is what macOS has.

# What one verb installs is never there for another: each environment holds what its locks name, whichever
# verb comes first. .venv is what Stoa runs on; the others stand in folders of it.
RUN := .venv
TEST := .venv/test
CHECK := .venv/check
DRILL := .venv/drill
LOCKS := requirements
PIP := -m pip --disable-pip-version-check --no-input install --quiet

# The verbs start programs again and again, hundreds of times in the tests: what they load is compiled once.
export PYTHONDONTWRITEBYTECODE =

.DEFAULT_GOAL := help

# What one verb installs comes from several places at once; two verbs run one after the other.
ifeq ($(words $(MAKECMDGOALS)),1)
MAKEFLAGS += -j4
else
.NOTPARALLEL:
endif
.PHONY: help serve test check format bench bench-check bench-day bench-scale bench-world drill soak mutants docs screens site sim lock release release-date install clean

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1	/p' Makefile

serve: $(RUN)/.stamps/package ## Start Stoa; SERVE_ARGS="..." goes to `stoa serve`
	@exec $(RUN)/bin/stoa serve $(SERVE_ARGS)

test: $(TEST)/.stamps/compiled $(TEST)/.stamps/tools ## Run the tests; PYTEST_ARGS="-k escrow" goes to pytest
	$(TEST)/bin/python -m pytest -n 4 --dist worksteal $(PYTEST_ARGS)

check: $(CHECK)/.stamps/locks $(TEST)/.stamps/package ## Lint, formatting, types, size and structure
	$(CHECK)/bin/ruff check
	$(CHECK)/bin/ruff format --check
	tools/types
	$(TEST)/bin/python -m tools.house

format: $(CHECK)/.stamps/locks ## Bring the code into its standard form
	$(CHECK)/bin/ruff check --fix
	$(CHECK)/bin/ruff format

bench: $(TEST)/.stamps/tools ## Measure speed, on a quiet machine; BENCH_ARGS="..."
	$(TEST)/bin/python -m tools.bench $(BENCH_ARGS)

bench-check: $(TEST)/.stamps/tools ## Count instructions of fixed requests with valgrind; ACCEPT=1 makes them the figures
	$(TEST)/bin/python -m tools.bench.instructions $(if $(ACCEPT),--accept) $(BENCH_ARGS)

bench-day: $(TEST)/.stamps/tools ## Measure what one agent can store in a day, on both engines, in some minutes
	$(TEST)/bin/python -m tools.bench.day

bench-scale: $(TEST)/.stamps/tools ## Measure large databases, for an hour; BENCH_ARGS="--posts 100000"
	$(TEST)/bin/python -m tools.bench.scale $(BENCH_ARGS)

bench-world: $(TEST)/.stamps/tools ## Find how many agents a machine carries; BENCH_ARGS="--engine postgresql"
	$(TEST)/bin/python -m tools.bench.world $(BENCH_ARGS)

drill: $(DRILL)/.stamps/package ## Kill the primary of a PostgreSQL cluster again and again; DRILL_ARGS="..."
	$(DRILL)/bin/python -m tools.drill $(DRILL_ARGS)

soak: $(TEST)/.stamps/more ## Run the long tests; SOAK_SECONDS=600 shortens the longest from an hour
	$(TEST)/bin/python -m pytest -m soak -s $(PYTEST_ARGS)

mutants: $(TEST)/.stamps/tools ## List small changes of the code that no test notices; MUTANTS_ARGS="--count 40 --seed 7 --only domain"
	$(TEST)/bin/python -m tools.mutants $(MUTANTS_ARGS)

docs: $(TEST)/.stamps/tools ## Write the reference in docs/ and the clients from the code
	$(TEST)/bin/python -m tools.docs
	$(TEST)/bin/python -m tools.clients

screens: $(TEST)/.stamps/tools ## Take the pictures in docs/screens again; POSTS=Posts.xml is the archive they show
	$(TEST)/bin/python -m tools.screens $(POSTS)

site: $(RUN)/.stamps/package ## Write the documentation as pages into build/site
	$(RUN)/bin/stoa docs --build build/site

sim: $(RUN)/.stamps/package ## Make the figures of docs/standing.md again, in ten minutes or more; SIM_ARGS="--days 30"
	$(RUN)/bin/stoa sim --seed 1 $(if $(SIM_ARGS),,--out docs/standing.svg) $(SIM_ARGS)
	@set -e; for seed in 2 3 4 5; do $(RUN)/bin/stoa sim --seed $$seed $(SIM_ARGS); done

lock: ## Recompile the locks; LOCK_ARGS=--upgrade moves every pin
	@PYTHON="$(PYTHON)" tools/lock

# Installing takes minutes, so what most often stops a release is said before it.
release: ## Build the files of a release twice, compare them and try them out; writes dist
	@version=$$(sed -n 's/^_RELEASE = "\(.*\)"$$/\1/p' src/stoa/__init__.py); case $$version in *.dev*) \
	echo "release: the version is $$version: run \`make release-date VERSION=$${version%%.dev*}\` and commit" >&2; exit 1;; esac
	@$(MAKE) --no-print-directory $(TEST)/.stamps/package
	$(TEST)/bin/python -m tools.release build

release-date: $(TEST)/.stamps/package ## Make what is unreleased a version of today; VERSION=0.2.0
	$(TEST)/bin/python -m tools.release date $(VERSION)

install: $(RUN)/.stamps/package $(TEST)/.stamps/tools $(CHECK)/.stamps/locks ## Make what serve, test and check run in; PYTHON=python3.12 chooses their Python

clean: ## Remove .venv and what was built; stored data stays
	rm -rf $(RUN) build dist src/*.egg-info .hypothesis .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp is newer than the lock it stands for, so what is up to date costs no pip call.

$(RUN)/.stamps/venv:
	@PYTHON="$(PYTHON)" tools/venv $(RUN)
	@mkdir -p $(@D) && touch $@

$(TEST)/.stamps/venv $(DRILL)/.stamps/venv: | $(RUN)/.stamps/venv
	@$(RUN)/bin/python -m venv --clear $(@D:/.stamps=)
	@mkdir -p $(@D) && touch $@

# Where there is no uv, pip installs all (tools/locked).
$(RUN)/.stamps/uv: $(LOCKS)/uv.txt | $(RUN)/.stamps/venv
	@$(RUN)/bin/python $(PIP) --require-hashes --upgrade --target $(RUN)/uv -r $< || true
	@touch $@

# The locks of each environment.
$(RUN)/.stamps/locks: $(LOCKS)/build.txt $(LOCKS)/runtime.txt
$(TEST)/.stamps/locks: $(LOCKS)/build.txt $(LOCKS)/runtime.txt $(LOCKS)/test.txt
$(DRILL)/.stamps/locks: $(LOCKS)/build.txt $(LOCKS)/runtime.txt $(LOCKS)/test.txt $(LOCKS)/drill.txt

%/.stamps/locks: | %/.stamps/venv $(RUN)/.stamps/uv
	@tools/locked $* $^
	@touch $@

%/.stamps/package: pyproject.toml $(LOCKS)/core.in $(LOCKS)/runtime.in $(LOCKS)/telemetry.in %/.stamps/locks
	@$*/bin/python $(PIP) --no-deps --no-build-isolation --no-index --editable .
	@touch $@

# Programs of others, each apart from what the tests import, and what comes from elsewhere than PyPI.
$(TEST)/.stamps/tools: $(addprefix $(TEST)/.stamps/,package clients node programs)
	@touch $@

# What the long tests run as well.
$(TEST)/.stamps/more: $(addprefix $(TEST)/.stamps/,tools generators)
	@touch $@

$(TEST)/.stamps/generators: $(LOCKS)/generators.txt | $(TEST)/.stamps/venv $(RUN)/.stamps/uv
$(TEST)/.stamps/clients: $(LOCKS)/clients.txt | $(TEST)/.stamps/venv $(RUN)/.stamps/uv
$(TEST)/.stamps/generators $(TEST)/.stamps/clients:
	@tools/locked $(TEST) --target $(TEST)/$(@F) $<
	@touch $@

$(TEST)/.stamps/node: tests/mcp/node/package-lock.json $(TEST)/.stamps/locks
	@echo "Installing the JavaScript tools that the tests run."
	@tools/node-tools $(TEST)
	@touch $@

$(TEST)/.stamps/programs: tools/programs | $(TEST)/.stamps/venv
	@tools/programs
	@touch $@

# On a new machine each process that runs tests would compile all of them, and for Hypothesis read all
# of the code: one does it first, while what they run is installed. What is wrong with them the tests'
# own run says.
$(TEST)/.stamps/compiled: | $(TEST)/.stamps/package
	@$(TEST)/bin/python -m pytest -qq -k "test_every_generated_request and search_threads" >/dev/null 2>&1 || true
	@touch $@

# In a folder whose name no version of Python changes, since pyright reads the stubs in it.
$(CHECK)/.stamps/locks: $(LOCKS)/dev.txt | $(RUN)/.stamps/venv $(RUN)/.stamps/uv
	@tools/locked $(RUN) --target $(CHECK) $<
	@mkdir -p $(@D) && touch $@
