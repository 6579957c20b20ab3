# `make demo` and `make test` need nothing but Python 3.11, make and the package registries.
PYTHON ?= python3
BIN := .venv/bin
DATA ?= ../shared/data
CELLS ?= .cache/paper

.PHONY: demo test docs bench figures paper clean

.venv/demo: pyproject.toml CHANGELOG.md
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --editable '.[plot]'
	touch $@

.venv/test: .venv/demo
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	touch $@

.venv/docs: .venv/demo
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	touch $@

demo: .venv/demo
	$(BIN)/rankcast demo

test: .venv/test
	$(BIN)/rankcast demo
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest
	$(MAKE) docs

docs: .venv/docs
	$(BIN)/python -m sphinx --fail-on-warning --nitpicky --quiet --conf-dir docs . build/docs
	@echo "the site: build/docs/index.html"

bench: .venv/test
	$(BIN)/python -m benchmarks

figures: .venv/test
	$(BIN)/python scripts/readme_figures.py
	$(BIN)/python scripts/docs_figures.py
	$(BIN)/python scripts/report_picture.py
	$(BIN)/python scripts/method_figures.py
	$(BIN)/python scripts/docs_tables.py

paper: .venv/test
	$(BIN)/rankcast paper all --out docs/paper --cells $(CELLS) --data $(DATA)

clean:
	rm -rf .venv build docs/api docs/start
