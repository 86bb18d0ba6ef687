# mtcourse: every target works from a fresh clone; each makes what it needs first.
#   make book    build the book            make test    run the whole test suite
#   make lab     JupyterLab on exercises   make serve   show the built book on this machine

SHELL   := /bin/bash
VENV    := .venv
ifeq ($(OS),Windows_NT)
BIN     := $(VENV)/Scripts
else
BIN     := $(VENV)/bin
endif
PYTHONS := $(PYTHON) python3.13 python3.12 python3.11 python3 python
PIP     := $(BIN)/python -m pip --disable-pip-version-check
PORT    := 8000
HTML    := _build/html

# One thread a process: the tests and the chapters bring their own parallelism.
export OMP_NUM_THREADS ?= 1
export PYTHONWARNINGS  ?= ignore::DeprecationWarning
export JUPYTER_PLATFORM_DIRS := 1

.DEFAULT_GOAL := help
.PHONY: help book test lab serve check bench real-data notebooks clean browser

help: ## Show this help
	@grep -E '^[a-z-]+:.*## ' $(firstword $(MAKEFILE_LIST)) | sed -E 's/:.*## /\t/' | expand -t 14

# --- environment -------------------------------------------------------------------------------

# pip can take minutes; a stamp that is newer than what it reads says that nothing has changed.
$(VENV)/book.stamp: requirements.txt constraints.txt pyproject.toml
	@chosen=; for python in $(PYTHONS); do \
	  if $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then chosen=$$python; break; fi; \
	done; \
	if [ -z "$$chosen" ]; then \
	  echo "mtcourse needs Python 3.11 or later, and found none among: $(PYTHONS)."; \
	  echo "Install one from https://www.python.org/downloads/, or name it: make PYTHON=/path/to/python3 $(MAKECMDGOALS)"; \
	  exit 1; \
	fi; \
	if [ ! -x $(BIN)/python ]; then \
	  echo "making $(VENV) with $$($$chosen --version)"; \
	  $$chosen -m venv $(VENV) || { echo "Python's venv module is missing: on Debian or Ubuntu, sudo apt install python3-venv"; exit 1; }; \
	fi
	@echo "installing what the book needs"
	@$(PIP) install --quiet -r requirements.txt -c constraints.txt \
	  || { echo "pip could not install the requirements: the lines above say why (often: no network, or a full disk)."; exit 1; }
	@touch $@

$(VENV)/test.stamp: $(VENV)/book.stamp
	@echo "installing what the tests need"
	@$(PIP) install --quiet -e '.[test]' -c constraints.txt \
	  || { echo "pip could not install the tests' requirements: the lines above say why."; exit 1; }
	@touch $@

# --- what people want --------------------------------------------------------------------------

book: $(VENV)/book.stamp ## Build the book, and print where it is
	@$(BIN)/python scripts/build_book.py

test: $(VENV)/test.stamp ## Run the whole test suite: package, notebooks, coverage
	@$(BIN)/python -m pytest -n auto --dist worksteal -q -m "not browser" \
	  --cov --cov-report=term:skip-covered --cov-fail-under=95 \
	  --nbval-lax --nbval-cell-timeout=300 tests $(wildcard book/[0-9]*.ipynb)

browser: $(VENV)/test.stamp ## Open every built page in Chromium
	@$(BIN)/python -m pytest -q -m browser tests

lab: $(VENV)/book.stamp ## Open JupyterLab on the exercises
	@$(BIN)/jupyter lab --ip=127.0.0.1 $(firstword $(wildcard exercises) book)

serve: ## Show the built book on this machine
	@[ -f $(HTML)/index.html ] || $(MAKE) book
	@echo "the book is at http://127.0.0.1:$(PORT)/ (Ctrl-C ends)"
	@$(BIN)/python -m http.server --bind 127.0.0.1 --directory $(HTML) $(PORT)

check: $(VENV)/test.stamp ## Check format, lint, types, import contract and notebook pairs
	@$(BIN)/ruff format --check --quiet . || { echo "run: $(BIN)/ruff format ."; exit 1; }
	@$(BIN)/ruff check --quiet .
	@$(BIN)/pyright
	@$(BIN)/lint-imports
	@$(BIN)/python scripts/pair_notebooks.py --check

bench: $(VENV)/test.stamp ## Measure against torch.nn, transformers, joeynmt and CTranslate2
	@$(BIN)/python benchmarks/compare.py train
	@$(BIN)/python benchmarks/compare.py decode

real-data: $(VENV)/book.stamp ## Get LibreOffice's help, the real corpus
	@$(BIN)/python scripts/get_real_data.py

notebooks: $(VENV)/book.stamp ## Write the notebooks that pair the chapters
	@$(BIN)/python scripts/pair_notebooks.py

clean: ## Remove what was built; the environment stays
	@rm -rf _build .pytest_cache .ruff_cache .hypothesis .coverage htmlcov
