# What people type: demo, test, mutants, lint, bench, bench-memory, eval. Each makes its own environment from the lock file.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test test-full test-release test-wheel mutants lint format bench bench-memory eval pictures docs lock clean

demo: .venv/ready
	$(BIN)/bankctl demo

test: .venv/ready
	$(BIN)/python -m pytest -n 2 --dist worksteal

test-full: .venv/ready
	tests/agents/install .agents all > .agents.env && . ./.agents.env && rm .agents.env && $(BIN)/python -m pytest -m "full or not full"
	$(BIN)/python -m tests.mutants

# Wheel and sdist, built, checked and installed by pip, pipx and uvx from an index of their own. ONLY=uvx: only those tests.
test-release: .venv/ready .venv-release/ready
	BANKD_RELEASE_TOOLS=.venv-release/bin $(BIN)/python -m pytest -s -m full $(if $(ONLY),-k "$(ONLY)") tests/release

# The quick suite outside the checkout, on the wheel: the sdist without its code.
test-wheel: .venv/ready
	rm -rf build/wheel && $(BIN)/python -m build --no-isolation --outdir build/wheel . >/dev/null
	$(PYTHON) -m venv build/wheel/venv
	build/wheel/venv/bin/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	build/wheel/venv/bin/pip install --quiet --disable-pip-version-check --no-deps build/wheel/*.whl
	cd build/wheel && tar xf *.tar.gz && rm -r bankd-*/daemon && cd bankd-*/ && ../venv/bin/python -m pytest -n 2 --dist loadfile

# Rules switched off one by one in copies of the checkout: the tests that the table names must notice each. SAMPLE=8: only so many.
mutants: .venv/ready
	$(BIN)/python -m tests.mutants $(if $(SAMPLE),--sample $(SAMPLE))

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q tests/service/test_systemd.py

# Quality and speed, each figure beside its peer in the same run; they take the better part of an hour on two cores.
eval: .venv/ready
	$(BIN)/python -m bench.quality
	$(BIN)/python -m bench.floor
	$(BIN)/python -m bench.use

bench-memory: .venv/ready
	$(BIN)/python -m bench.memory --sample 400 --queries 100

bench: .venv/ready
	$(BIN)/python -m bench.quality --perturb
	$(BIN)/python -m bench.speed
	$(BIN)/python -m bench.served
	$(BIN)/python -m bench.page
	$(BIN)/python -m bench.all_banks
	$(BIN)/python -m bench.served_banks
	$(BIN)/python -m bench.start
	$(BIN)/python -m bench.hooks
	$(BIN)/python -m bench.briefs
	$(BIN)/python -m bench.reindex
	$(BIN)/python -m bench.tree
	$(BIN)/python -m bench.service
	$(BIN)/python -m bench.cliffs
	$(BIN)/python -m pytest -m full -s bench

# The page as it looks, into docs/pictures: needs chromium and fonts-nanum.
pictures: .venv/ready
	$(BIN)/python -m tests.ui.pictures

# The site into build/site: docs/, with the pages that are made from the code; every command of it and of the READMEs is run.
docs: .venv/ready .venv-release/ready
	$(BIN)/python -m pytest -q -n 2 -m "full or not full" tests/transcripts
	$(BIN)/python -m tests.docs.pages build/docs
	.venv-release/bin/mkdocs build --strict --quiet --config-file .ci/mkdocs.yml

# The rest is for those who change bankd.
format: .venv/ready
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lock:
	$(PYTHON) -m venv .venv-lock && .venv-lock/bin/pip install --quiet uv
	.venv-lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --group dev --no-annotate --no-header -o requirements.lock pyproject.toml
	.venv-lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --group release --no-annotate --no-header -o .ci/release.lock
	rm -rf .venv-lock

.venv/ready: requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

.venv-release/ready: .ci/release.lock
	$(PYTHON) -m venv .venv-release
	.venv-release/bin/pip install --quiet --disable-pip-version-check --require-hashes -r .ci/release.lock
	touch $@

clean:
	rm -rf .agents .venv .venv-release dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis
