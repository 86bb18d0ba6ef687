"""Several processes under torchrun train as one process does."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from mtcourse.training.callbacks import CsvLog
from mtcourse.training.loop import TrainingConfig, train
from tests.helpers.training_example import LanguageModel, batches, dev_loss, loss

TESTS = Path(__file__).parent


def run_here(folder: Path, accumulate: int, device: str) -> None:
    """Trains and leaves losses, weights, a log and a checkpoint in ``folder``."""
    rank = os.environ.get("RANK", "0")
    config = TrainingConfig(
        steps=12, learning_rate=0.05, warmup=5, accumulate=accumulate, evaluate_every=5
    )
    model = LanguageModel(dropout=0.0).to(device)

    def interrupt(report):
        (folder / f"called-in-{rank}").touch()
        if report.step == 7:
            raise KeyboardInterrupt

    for callbacks, resume in (([interrupt], False), ([], True)):
        state = train(
            model, batches, loss, config, evaluate=dev_loss, resume=resume,
            callbacks=[CsvLog(folder / "log.csv"), *callbacks],
            checkpoint_folder=folder / "last",
        )  # fmt: skip
        figures = {
            "losses": state.losses,
            "dev": state.dev_losses,
            "interrupted": state.interrupted,
        }
        (folder / f"state-{rank}-{resume}.json").write_text(json.dumps(figures))
        if torch.distributed.is_initialized():
            torch.distributed.barrier()
    torch.save(model.state_dict(), folder / f"model-{rank}.pt")


def launch(folder: Path, device: str) -> None:
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc_per_node", "2"]
    command += ["--master_port", "0", "--rdzv-backend", "c10d", "--rdzv-endpoint", "localhost:0"]
    paths = [str(TESTS.parent), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(paths)}
    result = subprocess.run(
        [*command, __file__, str(folder), device],
        env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr[-3000:]


def norms_in(path: Path) -> list[float]:
    with path.open(newline="") as file:
        return [float(row["gradient_norm"]) for row in csv.DictReader(file)]


two_gpus = pytest.mark.skipif(torch.cuda.device_count() < 2, reason="no two CUDA devices")


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=[pytest.mark.gpu, two_gpus])])
def test_two_processes_have_the_losses_of_one(tmp_path, device):
    """Two processes of three batches each make the updates of one that accumulates six."""
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    run_here(tmp_path / "one", accumulate=6, device=device)
    launch(tmp_path / "two", device)
    for resume in (False, True):
        one, two, other = (
            json.loads((tmp_path / name).read_text())
            for name in (
                f"one/state-0-{resume}.json",
                f"two/state-0-{resume}.json",
                f"two/state-1-{resume}.json",
            )
        )
        assert two == other
        assert two["losses"] == pytest.approx(one["losses"], abs=1e-5)
        assert two["interrupted"] is one["interrupted"] is not resume
        assert len(two["losses"]) == (12 if resume else 7)
        for (step, ours), (_, theirs) in zip(two["dev"], one["dev"], strict=True):
            assert step in (5, 10, 12)
            assert ours == pytest.approx(theirs, abs=1e-5)
    # Adam would hide a gradient that is too long or too short by a factor.
    assert norms_in(tmp_path / "two" / "log.csv") == pytest.approx(
        norms_in(tmp_path / "one" / "log.csv"), rel=1e-4
    )
    assert not (tmp_path / "two" / "called-in-1").exists()
    weights = [torch.load(tmp_path / name) for name in ("two/model-0.pt", "two/model-1.pt")]
    single = torch.load(tmp_path / "one" / "model-0.pt")
    for name, tensor in single.items():
        assert torch.equal(weights[0][name], weights[1][name])
        torch.testing.assert_close(weights[0][name].cpu(), tensor.cpu(), atol=1e-5, rtol=0)


if __name__ == "__main__":
    run_here(Path(sys.argv[1]), 3, sys.argv[2])
