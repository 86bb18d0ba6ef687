"""Interrupts ``mtcourse grade`` at random moments, and looks for what hangs or is left behind.

A class of four is graded again and again. At a random moment the command gets Ctrl-C as a terminal
sends it (to the whole group), Ctrl-C for the main process alone, or SIGTERM. It must then end, with
a status that says so, and leave no process, no temporary file and no half-written file; and the
same command must go on where it stopped, until all are graded. Each fault is printed, and the
script ends with status 1 if there is one:

    python scripts/interrupt_grading.py --moments 300
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOK = ROOT / "solutions" / "04_attention.ipynb"
FIRST_LINE = '"def scaled_scores'
ANSWERS = {
    "ada": "",
    "ben": '"import os; os._exit(1)\\n",\n    ',
    "cleo": "\"import subprocess; subprocess.Popen(['sleep', '600'])\\n\",\n    ",
    "dan": "",
}
"""What each learner writes in front of the first answer: ben's ends Python."""
COMMAND = (
    "import faulthandler, signal; faulthandler.register(signal.SIGUSR1, all_threads=True);"
    "signal.signal(signal.SIGINT, signal.default_int_handler);"
    "from mtcourse.cli import main; main()"
)
"""It hears Ctrl-C also in the background, and says what it does when it is asked by SIGUSR1."""
WAYS = {
    "Ctrl-C": (signal.SIGINT, True),
    "Ctrl-C for one": (signal.SIGINT, False),
    "SIGTERM": (signal.SIGTERM, False),
}
"""Signals, and whether the whole group gets them."""
PATIENCE = 90.0
"""Seconds after which what was interrupted hangs."""
GRACE = 15.0
"""Seconds that processes are given to go after the command has ended."""


class Class:
    """A class in a folder of its own, with a folder for the command's temporary files."""

    def __init__(self, folder: Path, isolation: str, workers: int) -> None:
        self.submissions, self.grades = folder / "submissions", folder / "grades"
        self.temporary = folder / "t"
        self.temporary.mkdir()
        self._options = ["--isolation", isolation, "--workers", str(workers), "--seed", "4711"]
        text = NOTEBOOK.read_text(encoding="utf-8")
        for learner, code in ANSWERS.items():
            path = self.submissions / learner / NOTEBOOK.name
            path.parent.mkdir(parents=True)
            path.write_text(text.replace(FIRST_LINE, code + FIRST_LINE), encoding="utf-8")

    def begin(self) -> subprocess.Popen[str]:
        """Starts the command in a session of its own."""
        places = ["--solutions", str(NOTEBOOK), "--out", str(self.grades)]
        return subprocess.Popen(
            [
                sys.executable,
                "-c",
                COMMAND,
                "grade",
                str(self.submissions),
                *places,
                *self._options,
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=ROOT,
            env=os.environ | {"TMPDIR": str(self.temporary), "PYTHONPATH": str(ROOT)},
            start_new_session=True,
        )

    def family(self) -> set[int]:
        """Returns the processes that were told of the folder for temporary files."""
        mark, found = f"TMPDIR={self.temporary}".encode(), set()
        for one in psutil.pids():
            try:
                if mark in Path(f"/proc/{one}/environ").read_bytes().split(b"\0"):
                    found.add(one)
            except OSError:
                continue
        return found

    def find_leftovers(self, family: set[int]) -> list[str]:
        """Returns what is left: processes, temporary files, and files that are half-written."""
        until = time.monotonic() + GRACE
        while (alive := self.family() | set(filter(_is_alive, family))) and (
            time.monotonic() < until
        ):
            time.sleep(0.1)
        files = [*self.temporary.rglob("*")]
        files += [one for one in self.grades.rglob(".*") if one.name != ".lock"]
        return [f"left process {one}" for one in alive] + [f"left file {one}" for one in files]


def _is_alive(process: int) -> bool:
    try:
        return psutil.Process(process).status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def interrupt_once(one: Class, way: str, seconds: float) -> tuple[int, float, list[str]]:
    """Starts the command and interrupts it.

    Args:
        one: the class.
        way: how, one of ``WAYS``.
        seconds: after how many seconds.

    Returns:
        its status, the seconds that it took to end, and its faults.
    """
    number, to_group = WAYS[way]
    running = one.begin()
    with contextlib.suppress(subprocess.TimeoutExpired):
        running.wait(seconds)
    family = one.family()
    began = time.monotonic()
    if running.poll() is None:
        (os.killpg if to_group else os.kill)(running.pid, number)
    faults = []
    try:
        said, _ = running.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        running.send_signal(signal.SIGUSR1)
        time.sleep(2.0)
        os.killpg(running.pid, signal.SIGKILL)
        said, _ = running.communicate()
        faults.append(f"hung for {PATIENCE:.0f} seconds:\n{said}")
    took = time.monotonic() - began
    has_begun = running.returncode != -number  # before, Python itself ends as it always does
    if has_begun and (running.returncode not in (0, 128 + number) or "Traceback" in said):
        faults.append(f"ended with status {running.returncode}:\n{said}")
    return running.returncode, took, faults + one.find_leftovers(family)


def measure_whole_run(folder: Path, isolation: str, workers: int) -> float:
    """Returns the seconds of a run that nobody interrupts."""
    one, began = Class(folder, isolation, workers), time.monotonic()
    said, _ = (running := one.begin()).communicate()
    if running.returncode:
        raise SystemExit(f"the class cannot be graded here:\n{said}")
    return time.monotonic() - began


def main() -> int:
    """Interrupts the command as often as is asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--moments", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--isolation", default="auto")
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    draw = random.Random(arguments.seed)
    statuses: Counter[tuple[str, int]] = Counter()
    longest, faulty, whole, finished = 0.0, 0, 0.0, 0
    with tempfile.TemporaryDirectory(prefix="t-", dir="/tmp") as folder:
        places = (Path(folder) / str(n) for n in range(arguments.moments + 1))
        make = (arguments.isolation, arguments.workers)
        (first := next(places)).mkdir()
        whole = measure_whole_run(first, *make)
        print(f"a whole run takes {whole:.1f} seconds", flush=True)
        (place := next(places)).mkdir()
        one = Class(place, *make)
        for moment in range(arguments.moments):
            way, seconds = draw.choice([*WAYS]), draw.uniform(0.0, whole)
            status, took, faults = interrupt_once(one, way, seconds)
            statuses[way, status] += 1
            longest = max(longest, took)
            for fault in faults:
                print(f"moment {moment}, {way} after {seconds:.2f} s: {fault}", flush=True)
            faulty += bool(faults)
            if status == 0 or faults:  # all are graded: begin anew
                finished += status == 0
                shutil.rmtree(place, ignore_errors=True)
                (place := next(places)).mkdir()
                one = Class(place, *make)
            if moment % 25 == 24:
                print(f"{moment + 1} moments, {faulty} with faults", flush=True)
    for (way, status), count in sorted(statuses.items()):
        print(f"{way}: status {status} {count} times")
    print(f"{arguments.moments} moments, {faulty} with faults; {finished} classes were finished")
    print(f"the longest wait after a signal: {longest:.1f} seconds")
    return 1 if faulty else 0


if __name__ == "__main__":
    sys.exit(main())
