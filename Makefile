# Everything runs from the checkout in .venv; only Python 3.11+ and make are needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
WORKERS ?= auto

.PHONY: setup lake test check format bench docs picture browser-test faults fuzz lock clean

setup: $(STAMP)

$(STAMP): requirements.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed")'
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	touch $(STAMP)

# A lake from a small sample of every source, under ./lake.
lake: setup
	$(BIN)/callake demo --lake lake

test: setup
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -m "not slow"

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/deptry pipelines synthetic transforms warehouse
	$(BIN)/deptry tests --ignore DEP002,DEP004
	$(BIN)/sqlfluff lint sql

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/sqlfluff fix sql

bench: setup
	$(BIN)/python -m tests.bench

# The pages that are generated from the code.
docs: setup
	$(BIN)/callake tables --format markdown > docs/data_dictionary.md
	$(BIN)/python -m warehouse.sqldocs
	$(BIN)/python -m tests.faults.table > docs/faults.md

# The picture on the front page, from the sample.
picture: lake
	$(BIN)/python -m pipelines.report.cover lake docs/reliability.svg

# The report in Chromium: `make test` runs these too, and skips them where there is none.
browser-test: setup
	$(BIN)/python -m tests.report.browser
	$(BIN)/python -m pytest tests/report -n $(WORKERS) --dist loadfile

# Executions a parser, and the most seconds a parser (0: as long as it takes).
RUNS ?= 100000
SECONDS ?= 0

# Every parser under a fuzzer that is guided by coverage; `make test` runs the same checks on a few hundred inputs each.
fuzz: setup
	$(BIN)/python -m tests.fuzz --runs $(RUNS) --seconds $(SECONDS)

faults: setup
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile tests/faults -m "slow or not slow"

# No index address and no find-links: the lock says what, never from where.
lock: setup
	$(BIN)/uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --generate-hashes \
		--no-strip-extras --no-emit-index-url --no-emit-find-links --upgrade --quiet -o requirements.lock

clean:
	rm -rf lake sample build bench-results .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
