"""Peak memory of a training step: ``python -m benchmarks.memory CONTESTANT`` prints its MiB.

Each contestant gets a fresh process, because a process's peak never falls.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path


def peak_of(contestant: str) -> float:
    """MiB that a contestant's training takes beyond its imports, measured in a new process."""
    process = subprocess.run(
        [sys.executable, "-m", "benchmarks.memory", contestant],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parent.parent,
    )
    return float(process.stdout.splitlines()[-1])


def peak_resident() -> float:
    """The most memory that this process has had, in MiB."""
    status = Path("/proc/self/status")
    if status.exists():
        # getrusage would count what the parent had when it started this process.
        lines = status.read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 2**10
    import resource

    unit = 1 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20


def _main(contestant: str) -> None:
    import torch

    from benchmarks.contestants import TRAINING
    from benchmarks.work import SIZES, training_batches

    torch.set_num_threads(1)
    tiny = replace(SIZES, d_model=16, d_ff=16, V_s=100, V_t=100)
    TRAINING[contestant](tiny)(1, training_batches(1, tokens_per_batch=300, V=100)[0])
    batches = training_batches(3)
    imports = peak_resident()
    step = TRAINING[contestant](SIZES)
    for number, batch in enumerate(batches, start=1):
        step(number, batch)
    print(peak_resident() - imports)


if __name__ == "__main__":
    _main(sys.argv[1])
