# mtcourse: every target works from a fresh clone; each makes what it needs first.
#   make book    build the book            make test    run the whole test suite
#   make lab     JupyterLab on exercises   make serve   show the built book on this machine
#   make pdf     the book on paper         make epub    the book for e-readers
#   make slides  slides of each chapter

SHELL   := bash
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

# Chapters run in book/, and look for the real corpus where make real-data puts it.
ifneq ($(wildcard data/libreoffice-help),)
export MTCOURSE_LIBREOFFICE_HELP ?= $(CURDIR)/data/libreoffice-help
endif

# In a container one is often root, and Jupyter then wants to be told that this is meant.
AS_ROOT := $(if $(filter 0,$(shell id -u 2>/dev/null)),--allow-root)

# Of tests that are the same test for many cases, one in n runs, and the commit says which:
# TURN=all runs them all, and with SHARE=3 all take turns three times as long.
TURN ?= $(shell printf %d 0x0$$(git rev-parse HEAD 2>/dev/null | cut -c1-3))
ifneq ($(TURN),all)
export MTCOURSE_TURN := $(TURN)
export MTCOURSE_SHARE := $(or $(SHARE),1)
endif

.DEFAULT_GOAL := help
.PHONY: help book pdf epub slides site test anywhere grading isolation lab serve check bench real-data notebooks clean browser

help: ## Show this help
	@grep -E '^[a-z-]+:.*## ' $(firstword $(MAKEFILE_LIST)) | sed -E 's/:.*## /\t/' | expand -t 14

# --- environment -------------------------------------------------------------------------------

# A Python that can run this, and an environment that is whole: venv without Debian's python3-venv
# leaves one behind that has no pip.
RUNS_THIS := import sys; sys.exit(sys.version_info < (3, 11))
IS_WHOLE  := import pip, sys; sys.exit(sys.version_info < (3, 11))

# pip can take minutes; a stamp that is newer than what it reads says that nothing has changed.
$(VENV)/book.stamp: requirements.txt constraints.txt pyproject.toml
	@if ! $(BIN)/python -c '$(IS_WHOLE)' >/dev/null 2>&1; then \
	  chosen=; for python in $(PYTHONS); do \
	    if $$python -c '$(RUNS_THIS)' >/dev/null 2>&1; then chosen=$$python; break; fi; \
	  done; \
	  if [ -z "$$chosen" ]; then \
	    echo "mtcourse needs Python 3.11 or later, and found none among: $(PYTHONS)."; \
	    echo "Install one from https://www.python.org/downloads/, or name it: make PYTHON=/path/to/python3 $(MAKECMDGOALS)"; \
	    exit 1; \
	  fi; \
	  echo "making $(VENV) with $$($$chosen --version)"; \
	  $$chosen -m venv --clear $(VENV) \
	    || { echo "Python could not make $(VENV): the lines above say why. On Debian and Ubuntu: sudo apt install python3-venv"; exit 1; }; \
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

$(VENV)/bench.stamp: $(VENV)/test.stamp
	@echo "installing what the benchmarks measure beside this package"
	@$(PIP) install --quiet -e '.[bench]' -c constraints.txt \
	  || { echo "pip could not install the benchmarks' requirements: the lines above say why."; exit 1; }
	@$(PIP) install --quiet --no-deps joeynmt subword-nmt sacremoses -c constraints.txt \
	  || echo "joeynmt could not be installed: it is left out"
	@touch $@

# --- what people want --------------------------------------------------------------------------

# A desktop may have a LANGUAGE of its own in the environment: only that of the command line counts.
book: $(VENV)/book.stamp ## Build the book (LANGUAGE=nl for another one), and print where it is
	@$(BIN)/python scripts/build_book.py $(if $(filter command%,$(origin LANGUAGE)),--language $(LANGUAGE))

translations: book ## Bring the catalogues of translations (book/locale) up to date with the book
	@for language in $(notdir $(wildcard book/locale/*)); do \
	  $(BIN)/python scripts/update_translations.py $$language || exit 1; \
	done

pdf: $(VENV)/test.stamp ## Print the built book into _build/mtcourse.pdf (needs Chromium)
	@[ -f $(HTML)/index.html ] || $(BIN)/python scripts/build_book.py
	@$(BIN)/python scripts/build_pdf.py

epub: $(VENV)/test.stamp ## Make an ePub of the built book, _build/mtcourse.epub (needs Chromium)
	@[ -f $(HTML)/index.html ] || $(BIN)/python scripts/build_book.py
	@$(BIN)/python scripts/build_epub.py

slides: $(VENV)/book.stamp ## Make slides of each chapter of the built book, in _build/slides
	@[ -f $(HTML)/index.html ] || $(BIN)/python scripts/build_book.py
	@$(BIN)/python scripts/build_slides.py

site: $(VENV)/book.stamp ## Pack the built book into one file, for a school without a network
	@[ -f $(HTML)/index.html ] || $(BIN)/python scripts/build_book.py
	@$(BIN)/python scripts/build_archive.py

# A test that waits for ever ends with its process, is named, and the others go on.
LIMIT := --timeout 600 --timeout-method thread

# All groups run, and the last line says which of them failed. The notebooks apart: with --cov nbval
# measures inside their kernels, which then do not start. The book takes the chapters' outputs over.
PYTEST := python -m pytest $(LIMIT) -n auto --dist loadfile --no-loadscope-reorder -q

# Some thousand known answers, which are tests themselves: not counted, and shared out one by one.
BANKS := tests/chapters/test_every_bank.py

# Counting which lines are run takes as long again as running them, except from Python 3.12 on, with
# sys.monitoring: COVERAGE=yes counts with the tests' Python, COVERAGE=<folder> with that newer one.
COUNTED := $(if $(COVERAGE),--cov --cov-report=term:skip-covered --cov-fail-under=95)
NEWER := $(filter-out yes,$(COVERAGE))
COUNTING := $(if $(NEWER),COVERAGE_CORE=sysmon $(NEWER)/bin,$(BIN))

test: $(VENV)/test.stamp ## Run the test suite: package and notebooks (TURN=all runs every case)
	@failed=; \
	group() { name=$$1; shift; echo "== $$name"; "$$@" || failed="$$failed, $$name"; }; \
	group "the package" env $(COUNTING)/$(PYTEST) --durations=25 --durations-min=10 -m "not browser" $(COUNTED) tests \
	  --ignore=tests/catalogue --ignore=$(BANKS); \
	group "the banks of the checks" $(BIN)/$(PYTEST) --dist load $(BANKS); \
	group "the chapters" $(BIN)/python scripts/build_book.py --only-run; \
	group "the solutions" $(BIN)/$(PYTEST) --nbval $(wildcard solutions/*.ipynb); \
	[ -z "$$failed" ] || { echo "failed: $${failed#, }"; exit 1; }

# Words in ONLY choose files; WAYS are options of the script, such as --setting SSE4 --threads 1.
anywhere: $(VENV)/test.stamp ## Run what trains as on other processors, and with other seeds
	@$(BIN)/python scripts/run_anywhere.py $(WAYS) $(ONLY)

# tests/catalogue/conftest.py decides what stays on one worker, and what is shared out one by one.
# WALLS=podman takes another isolation; BY=scripts/unprivileged.sh does it without root's rights.
grading: $(VENV)/test.stamp ## Grade a catalogue of submissions, honest and hostile, behind walls
	@GRADING_WALLS=$(WALLS) $(BY) $(BIN)/python -m pytest $(LIMIT) -n auto --dist loadscope -q -p no:cacheprovider tests/catalogue

isolation: $(VENV)/test.stamp ## Test the isolation alone: a few minutes (WALLS=podman, one kind)
	@$(BY) $(BIN)/python -m pytest $(LIMIT) -q -p no:cacheprovider \
	  tests/grading/test_isolation.py tests/catalogue/test_walls.py $(if $(WALLS),-k "$(WALLS)")

browser: $(VENV)/test.stamp ## Open every built page in Chromium
	@$(BIN)/python -m pytest $(LIMIT) -n auto --dist load -q -m browser $$(grep -rl --include 'test_*.py' mark.browser tests)

lab: $(VENV)/book.stamp ## Open JupyterLab on the exercises
	@$(BIN)/jupyter lab --ip=127.0.0.1 $(AS_ROOT) $(firstword $(wildcard exercises) book)

serve: ## Show the built book on this machine
	@[ -f $(HTML)/index.html ] || $(MAKE) book
	@echo "the book is at http://127.0.0.1:$(PORT)/ (Ctrl-C ends)"
	@$(BIN)/python -m http.server --bind 127.0.0.1 --directory $(HTML) $(PORT)

check: $(VENV)/test.stamp ## Check format, lint, types, import contract and notebook pairs
	@$(BIN)/ruff format --check --quiet . || { echo "run: $(BIN)/ruff format ."; exit 1; }
	@$(BIN)/ruff check --quiet .
	@$(BIN)/pyright --pythonpath $(BIN)/python
	@$(BIN)/lint-imports
	@$(BIN)/python scripts/pair_notebooks.py --check
	@$(BIN)/mtcourse exercises build --check

bench: $(VENV)/bench.stamp ## Measure against torch.nn, transformers, joeynmt and CTranslate2
	@$(BIN)/python -m benchmarks.compare train
	@$(BIN)/python -m benchmarks.compare decode

real-data: $(VENV)/book.stamp ## Get LibreOffice's help, the real corpus
	@$(BIN)/python scripts/get_real_data.py

notebooks: $(VENV)/book.stamp ## Write the notebooks of chapters and exercises
	@$(BIN)/python scripts/pair_notebooks.py
	@$(BIN)/mtcourse exercises build

clean: ## Remove what was built; the environment stays
	@rm -rf _build .pytest_cache .ruff_cache .hypothesis .coverage htmlcov
