# Every target first installs what it needs, says what that is, and does nothing the second time.
#
#   make demo                       no key, no network, no real desktop: watch it work
#   make test ARGS="-k geometry"    the whole suite, or the part that ARGS chooses; a process more than cores, "-n 0" for one
#   PYTHON=python3.12 make setup    with a Python of your choice (3.11 or newer)

BIN := .venv/bin
DEMO := demo-run
BENCHMARKS ?= $(wildcard tests/benchmarks/bench_*.py)
ARGS ?=
# xdist would start the files with the most tests first; tests/conftest.py starts those that take longest.
# And it would give a test that ended its process (one that hung: pyproject.toml) to the next one, again and again.
IN_PARALLEL := -n auto --dist loadfile --no-loadscope-reorder --max-worker-restart 0
# Some of the long ones take longer than a test that hangs may.
PATIENTLY := -o faulthandler_timeout=0

# A lock holds no release younger than this: stolen releases are usually found within days.
COOLDOWN_DAYS := 14
COMPILE_ANY = uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-header --no-emit-index-url --exclude-newer "$(LOCK_DATE)"
COMPILE = $(COMPILE_ANY) pyproject.toml
LOCK_DATE ?= $(shell python3 -c 'import datetime as d; print(d.date.today() - d.timedelta(days=$(COOLDOWN_DAYS)))')

# Containers set it, and with it each of the hundreds of processes that the tests start compiles its modules anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup demo test heavy drifts real-model bench lint style types-linux types-darwin types-win32 collected format lock clean

help: ## say what can be made
	@sed -n 's/^\([a-z-]*\):.*## /  make \1	/p' Makefile | expand -t 19

setup: ## install everything that the other targets need
	@.ci/setup test

demo: ## watch the agent do a task on a desktop of its own, without a key
	@.ci/setup demo
	@rm -rf $(DEMO) && mkdir $(DEMO)
	@$(BIN)/oi --os --private --model steps -y --file fixtures/demo/travel.steps --trace $(DEMO)/trace $(ARGS)
	@echo && echo "What the form program itself wrote, in $(DEMO)/form.txt:" && echo && cat $(DEMO)/form.txt && echo
	@cp $(DEMO)/trace/before.png $(DEMO)/trace/after.png $(DEMO)
	@echo "The screen: $(DEMO)/before.png, $(DEMO)/after.png. Every step: $(DEMO)/trace."
	@echo "The same again without a model: $(BIN)/oi replay $(DEMO)/trace --private -y --var 'secret1=analytical engine'"

test: ## run the tests, those that drive real programs included
	@.ci/setup test
	@$(BIN)/pytest $(IN_PARALLEL) $(ARGS)

heavy: ## run the tests that the whole grid of typing adds: all layouts, under all keyboards, in all programs
	@.ci/setup heavy
	@$(BIN)/pytest $(IN_PARALLEL) $(PATIENTLY) -m heavy $(ARGS)

drifts: ## replay recorded tasks on real programs under all that may be different, and print a table (ARGS="--only contact")
	@.ci/setup heavy
	@$(BIN)/python tests/drifts/table.py $(ARGS)

# In the order of the file: tests with the same beginning of the prompt stand together, and the model keeps what it read.
real-model: ## ask a real small model through every way to it: 180 MB once, then three minutes
	@.ci/setup real-model
	@$(BIN)/pytest -n 0 -p no:randomly $(PATIENTLY) -m real_model tests/real_model $(ARGS)

bench: ## measure ours beside pyautogui, pynput, xdotool, pytesseract, mss and a Jupyter kernel, and print tables (five minutes)
	@.ci/setup bench
	@set -e; for benchmark in $(BENCHMARKS); do echo "== $$benchmark"; $(BIN)/python "$$benchmark" $(ARGS); done

# Two at a time, since each takes one core.
lint: ## check format, style, the direction of imports, dependencies and types (for three systems)
	@.ci/setup lint
	@$(MAKE) --no-print-directory -j 2 style types-linux types-darwin types-win32 collected

style:
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports --no-cache
	$(BIN)/deptry .

# What mypy keeps of one system is worth nothing to another, and each would overwrite it.
types-linux types-darwin types-win32: types-%:
	$(BIN)/mypy --platform $* --cache-dir .mypy_cache/$*

# That every test can be read; and it compiles them, which else each process of `make test` does for itself.
collected:
	$(BIN)/pytest --collect-only -qqq -n 0 >.make/collected || { cat .make/collected; exit 1; }

format: ## put the code into the one format
	@.ci/setup lint
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

lock: ## choose the versions anew, none younger than 14 days (needs uv)
	$(COMPILE) --upgrade --extra models --extra browser --extra yaml --group dev --group build --output-file requirements-dev.lock
	$(COMPILE) --upgrade --group build --constraint requirements-dev.lock --no-annotate --output-file requirements.lock
	cd tests/benchmarks && $(COMPILE_ANY) --upgrade requirements.in --output-file requirements.lock
	cd tests/benchmarks && $(COMPILE_ANY) --upgrade --no-deps requirements-pynput.in --output-file requirements-pynput.lock

clean: ## remove what make made: the environment, caches, builds and runs
	rm -rf .venv .venv-bench .venv-real .make build dist demo-run bench-run
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
