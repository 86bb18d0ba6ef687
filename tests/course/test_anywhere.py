"""``make anywhere`` finds what holds on one processor, or with one seed, only."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
from run_anywhere import SEED, SETTINGS, Column, columns_of, last_line, move_seeds

ROOT = Path(__file__).resolve().parents[2]
FAST = "DEFAULT"  # what torch calls instructions that every processor of the last decade has


def notebook(path: Path, cells: Sequence[str]) -> Path:
    """Writes a notebook with these code cells."""
    code = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    about = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    content = {
        "cells": [{**code, "id": f"cell-{i}", "source": cell} for i, cell in enumerate(cells)],
        "metadata": about,
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def run(root: Path, *arguments: str) -> tuple[int, str]:
    """The script on a project of its own: its status and what it printed."""
    script = ROOT / "scripts" / "run_anywhere.py"
    command = [sys.executable, str(script), "--root", str(root), *arguments]
    wide = {**os.environ, "COLUMNS": "200"}
    ended = subprocess.run(command, capture_output=True, text=True, env=wide)
    return ended.returncode, ended.stdout + ended.stderr


@pytest.mark.by_turns(2)
@pytest.mark.slow
def test_what_holds_on_one_processor_only_is_found_and_named(tmp_path: Path) -> None:
    capability = "import torch\ncapability = torch.backends.cpu.get_cpu_capability()"
    notebook(tmp_path / "book" / "01_fast.ipynb", [capability, f"assert capability != {FAST!r}"])
    notebook(tmp_path / "book" / "02_any.ipynb", [capability, "print(capability)"])
    status, printed = run(tmp_path, "--setting", "SSE4", "--threads", "1", "--seed", "0")
    assert status == 1
    assert "01_fast.ipynb, Cell 1 (SSE4 1 thread): AssertionError" in printed
    assert "not all hold everywhere" in printed
    assert "02_any.ipynb, Cell" not in printed


@pytest.mark.by_turns(2)
@pytest.mark.slow
def test_what_holds_with_one_seed_only_is_found(tmp_path: Path) -> None:
    drawn = "import random\nvalue = random.Random(dict(seed=3)['seed']).random()"
    lucky = f"{drawn}\nassert value == random.Random(3).random()"
    notebook(tmp_path / "book" / "01_lucky.ipynb", [lucky])
    before = (tmp_path / "book" / "01_lucky.ipynb").read_text(encoding="utf-8")
    ways = ("--setting", "native", "--threads", "1", "--seed")
    assert run(tmp_path, *ways, "0")[0] == 0
    status, printed = run(tmp_path, *ways, "2")
    assert (status, "01_lucky.ipynb, Cell 0" in printed) == (1, True)
    assert (tmp_path / "book" / "01_lucky.ipynb").read_text(encoding="utf-8") == before


@pytest.mark.slow
def test_tests_are_found_in_every_folder(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = trains\n    browser\n")
    folder = tmp_path / "tests" / "deep"
    folder.mkdir(parents=True)
    mark = "import pytest\n\n\n@pytest.mark.trains\n"
    (folder / "test_deep.py").write_text(f"{mark}def test_it():\n    assert 1 == 2\n")
    status, printed = run(tmp_path, "--setting", "native", "--threads", "1", "--seed", "0")
    assert status == 1
    assert "tests/deep/test_deep.py" in printed


def test_running_nothing_is_no_success(tmp_path: Path) -> None:
    (tmp_path / "book").mkdir()
    status, printed = run(tmp_path, "--setting", "native", "--threads", "1", "--seed", "0")
    assert (status, "0 files" in printed) == (1, True)


def test_an_unknown_setting_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    status, printed = run(tmp_path, "--setting", "ARM")
    assert status == 1
    assert "no setting ARM: there are native, AVX2, SSE4, compatible" in printed


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_column_sets_its_own_variables_and_takes_away_the_others(
    setting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MKL_CBWR", "AUTO")
    environment = Column(setting, 2).environment
    every = {name for one in SETTINGS.values() for name in one}
    assert {name: environment[name] for name in every & environment.keys()} == SETTINGS[setting]
    assert environment["OMP_NUM_THREADS"] == "2"


@pytest.mark.parametrize(("setting", "known"), [("AVX2", "AVX2"), ("SSE4", "DEFAULT")])
def test_torch_obeys_the_settings(setting: str, known: str) -> None:
    if torch.backends.cpu.get_cpu_capability() == "DEFAULT":
        pytest.skip("this processor has nothing better to leave out")
    printed = subprocess.run(
        [sys.executable, "-c", "import torch; print(torch.backends.cpu.get_cpu_capability())"],
        capture_output=True, text=True, env=Column(setting, 1).environment, check=True,
    ).stdout  # fmt: skip
    assert printed.strip() == known


def test_there_is_a_column_for_each_setting_and_number_of_threads() -> None:
    columns = columns_of(tuple(SETTINGS), (1, 2), (0, 1, 2))
    assert len(columns) == len(SETTINGS) * 2 + 2
    assert len({column.name for column in columns}) == len(columns)
    assert [column.seed for column in columns[-2:]] == [1, 2]


def test_seeds_are_moved_and_other_numbers_are_not(tmp_path: Path) -> None:
    path = notebook(tmp_path / "n.ipynb", ["f(seed=1)\ntorch.manual_seed(4)", "k = 1"])
    assert move_seeds(path, 2)
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert ["".join(cell["source"]) for cell in cells] == [
        "f(seed=3)\ntorch.manual_seed(6)",
        "k = 1",
    ]
    assert not SEED.search("reseed=1")
    assert not move_seeds(notebook(tmp_path / "m.ipynb", ["k = 1"]), 2)


def test_the_line_that_says_what_went_wrong_is_picked() -> None:
    traceback = "Traceback\n\x1b[31mValueError#x1B[0m: too long\n  at the end\n"
    assert last_line(traceback) == "ValueError: too long"
    assert last_line("") == "no message"
