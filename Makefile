# Works on a machine that has only git, make and Python 3.11 or newer. `make help` lists what there is.
# VENV=/abs/path reuses an environment; PYTHON=python3.13 picks the interpreter that makes one.

VENV ?= .venv
PYTHON ?= python3

SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help repro demo restore test lint bench scaling published check-clone lock env clean .install

# Absolute, so that the environment is found from whatever folder DVC runs a stage in.
override VENV := $(if $(filter /%,$(VENV)),$(VENV),$(CURDIR)/$(VENV))
# Stages call plain `python`: it has to be this environment's, whatever else is on PATH.
export PATH := $(VENV)/bin:$(PATH)
export VIRTUAL_ENV := $(VENV)
unexport PYTHONHOME

# A copy of the lock that the environment was made from, written last: without it, or when the lock has
# changed, the environment isn't ready. Contents are compared, not dates: a fresh clone's files are all new.
STAMP := $(VENV)/requirements.lock
READY := $(shell cmp -s requirements.lock "$(STAMP)" && test -x "$(VENV)/bin/python" && echo yes)
# Stands while an environment is being made. One that was interrupted is emptied first, since pip may
# take a half-copied package for a whole one. A person's own environment never gets this mark.
UNDERWAY := $(VENV)/.underway
PIP := "$(VENV)/bin/python" -m pip --disable-pip-version-check --no-input $(if $(CI),--quiet)
FAIL = { echo "error: $(1)" >&2; exit 1; }

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /  \1	/p' Makefile | expand -t 16

repro: env ## run every stage again, and print the main table at the end
	"$(VENV)/bin/dvc" repro --force

demo: env ## run the whole pipeline over the invented dataset in demo/, without the network
	"$(VENV)/bin/python" scripts/demo.py

restore: env ## bring settings, results and data back to what is committed; experiments stay in DVC
	git restore --staged --worktree -- params.yaml dvc.lock metrics reports
	git clean -d --force --quiet -- metrics reports
	"$(VENV)/bin/dvc" checkout --quiet --force --allow-missing
	@test -e data/scores.csv || echo "Restored. data/ is not made yet: run 'make repro'."

test: env ## run the tests, two at a time; ARGS="-k name" for some of them
	"$(VENV)/bin/python" -m pytest -n 2 --dist worksteal $(ARGS)

lint: env ## check style, format, types and the order of the rooms
	"$(VENV)/bin/ruff" check .
	"$(VENV)/bin/ruff" format --check .
	"$(VENV)/bin/mypy" src $(wildcard scripts/*.py benchmarks/*.py)
	PYTHONPATH=src "$(VENV)/bin/lint-imports" --no-cache

bench: env ## measure every stage against the least work, and write benchmarks/results.json and docs/cost.md
	"$(VENV)/bin/python" benchmarks/bench.py --out benchmarks/results.json --page $(ARGS)

scaling: env ## measure how cost grows with size, and write reports/scaling.*; ARGS="--turns 600 6000" for less
	"$(VENV)/bin/python" benchmarks/scaling.py $(ARGS)

published: env ## write src/locomo/published, the scores that the package ships, from the default run in this folder
	"$(VENV)/bin/python" scripts/published.py

check-clone: env ## prove that a fresh clone of HEAD gives what is committed
	VENV="$(VENV)" scripts/check_clone.sh

lock: ## make requirements.lock again from pyproject.toml; ARGS=--upgrade for newer releases
	@tools=$$(mktemp -d) && trap 'rm -rf "$$tools"' EXIT && "$(PYTHON)" -m venv "$$tools" && \
	"$$tools/bin/python" -m pip --disable-pip-version-check --quiet install uv && \
	VIRTUAL_ENV="$$tools" "$$tools/bin/uv" pip compile --quiet --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --custom-compile-command "make lock" --extra dev $(ARGS) \
		--output-file requirements.lock pyproject.toml

env: $(if $(READY),,.install) ## make the environment from requirements.lock, unless it stands

.install:
	@command -v "$(PYTHON)" >/dev/null || $(call FAIL,there is no $(PYTHON) on PATH; install Python 3.11 or newer or name one: make PYTHON=...)
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		$(call FAIL,$(PYTHON) is older than Python 3.11; install a newer one or name it: make PYTHON=...)
	@"$(PYTHON)" -c 'import venv; import ensurepip' 2>/dev/null || \
		$(call FAIL,$(PYTHON) has no venv module; install it (Debian: python3-venv) or name another Python: make PYTHON=...)
	@if test -e "$(UNDERWAY)"; then find "$(VENV)" -mindepth 1 -maxdepth 1 ! -name .underway -exec rm -rf {} +; fi
	@if test -e "$(STAMP)" || ! test -e "$(VENV)/pyvenv.cfg"; then mkdir -p "$(VENV)" && touch "$(UNDERWAY)"; fi
	@test -x "$(VENV)/bin/python" && test -e "$(VENV)/pyvenv.cfg" || "$(PYTHON)" -m venv "$(VENV)"
	@# What comes as source only is built with the locked setuptools, not with the newest of the day.
	@sed -n '/^setuptools==/,/[^\\]$$/p' requirements.lock > "$(VENV)/build.lock"
	$(PIP) install --require-hashes -r "$(VENV)/build.lock"
	$(PIP) install --require-hashes --no-build-isolation -r requirements.lock
	@# The command runs the package of the folder it is called in, as the stages do; elsewhere that of this tree.
	@# -P: other files of that folder are no modules.
	@printf '%s\n' '#!/bin/sh' 'if test -d src/locomo; then tree=.; else tree="$(CURDIR)"; fi' \
		'PYTHONPATH="$$tree/src" exec "$(VENV)/bin/python" -P -m locomo "$$@"' > "$(VENV)/bin/locomo"
	@chmod +x "$(VENV)/bin/locomo"
	@# `import locomo` finds this tree, in an environment of its own. Stages and scripts look in their own tree first.
	@case "$(VENV)" in "$(CURDIR)"/*) \
		echo "$(CURDIR)/src" > "$$("$(VENV)/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/locomo.pth";; \
	esac
	@cp requirements.lock "$(STAMP).new" && mv "$(STAMP).new" "$(STAMP)" && rm -f "$(UNDERWAY)" "$(VENV)/build.lock"

clean: ## remove the environment and the tools' caches
	rm -rf "$(CURDIR)/.venv" .hypothesis .mypy_cache .pytest_cache .ruff_cache
