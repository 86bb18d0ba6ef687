"""Limits: whatever holds memory, files, processes or time is ended, and costs its exercise alone.

Each answer takes something, keeps it, and is right: it may earn its points only if the system has
refused to give more, so that nothing is held.
"""

from __future__ import annotations

import textwrap
from typing import Any

from mtcourse.grading.kernel import Limits
from tests.catalogue.case import SHORT, Case
from tests.catalogue.families.liveness import LOST, RIGHT, SIXTH, accident

A_WHILE = Limits(seconds=12.0)
"""For what has to be noticed while it goes on."""
REFUSED = "error"
"""The outcome where the system gives nothing more, and the answer does not get to its end."""


def taking(name: str, code: str, outcome: str, limits: Limits = A_WHILE, **others: Any) -> Case:
    """A right answer, in a cell that first takes what it should not get."""
    source = f"import os\n{textwrap.dedent(code).strip()}\n{RIGHT}"
    return accident(name, source, outcome, limits, isolated=True, **others)


MEMORY = (
    taking(
        "shared memory of no name",
        """
        import mmap
        kept = mmap.mmap(-1, 4 * 2**30)
        for place in range(0, 4 * 2**30, 4096): kept[place] = 1
        """,
        REFUSED,
    ),
    taking(
        "files in memory, mapped",
        """
        import mmap
        kept = []
        for number in range(70):
            file = os.memfd_create("kept")
            os.ftruncate(file, 60 * 2**20)
            kept.append(mmap.mmap(file, 60 * 2**20))
            kept[-1].write(bytes(60 * 2**20))
        """,
        REFUSED,
    ),
    taking(
        "files in memory that nobody maps",
        """
        kept = [os.memfd_create("kept") for _ in range(70)]
        for file in kept: os.write(file, bytes(60 * 2**20))
        """,
        REFUSED,
    ),
    taking(
        "files in memory, by their call's number",
        """
        import ctypes
        call = ctypes.CDLL(None, use_errno=True).syscall
        number = {"x86_64": 319, "aarch64": 279}[os.uname().machine]
        kept = [call(number, b"kept", 0) for _ in range(70)]
        if min(kept) < 0: raise OSError("refused")
        """,
        REFUSED,
    ),
    taking(
        "System V's shared memory",
        """
        import ctypes
        libc = ctypes.CDLL(None, use_errno=True)
        libc.shmat.restype = ctypes.c_void_p
        for _ in range(8):
            segment = libc.shmget(0, ctypes.c_size_t(2**29), 0o1600)
            if segment < 0: raise OSError("refused")
            ctypes.memset(libc.shmat(segment, None, 0), 1, 2**29)
        """,
        REFUSED,
    ),
    taking(
        "System V's queues",
        """
        import ctypes
        kept = [ctypes.CDLL(None).msgget(0, 0o1600) for _ in range(4)]
        if min(kept) < 0: raise OSError("refused")
        """,
        REFUSED,
    ),
    taking(
        "POSIX shared memory",
        """
        from multiprocessing.shared_memory import SharedMemory
        kept = [SharedMemory(create=True, size=2**26) for _ in range(40)]
        for one in kept: one.buf[:] = bytes(2**26)
        """,
        f"{REFUSED}|kernel-died",
    ),
    taking(
        "/dev/zero as shared memory",
        """
        import mmap
        file = os.open("/dev/zero", os.O_RDWR)
        kept = mmap.mmap(file, 4 * 2**30)
        for page in range(0, len(kept), 4096): kept[page] = 1
        """,
        f"{REFUSED}|kernel-died",
    ),
    taking(
        "files in all three folders",
        """
        for folder in ("/tmp", "/dev/shm", os.path.expanduser("~")):
            for number in range(20):
                with open(f"{folder}/{number}", "wb") as file: file.write(bytes(2**24))
        """,
        REFUSED,
    ),
    taking(
        "memory in many small processes",
        """
        import subprocess, sys, time
        code = "import time; kept = b'x' * (150 * 2**20); time.sleep(1e6)"
        kept = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(30)]
        time.sleep(1e6)
        """,
        "kernel-died|timeout",
        Limits(seconds=20.0),
    ),
    taking(
        "memory in processes that are stopped, and whose parents are gone",
        """
        import subprocess, sys, time
        code = (
            "import os, signal\\nif os.fork(): os._exit(0)\\nos.setsid()\\n"
            "kept = b'x' * (900 * 2**20)\\nos.kill(os.getpid(), signal.SIGSTOP)"
        )
        for _ in range(6): subprocess.Popen([sys.executable, "-c", code]).wait()
        time.sleep(1e6)
        """,
        "kernel-died|timeout",
        Limits(seconds=20.0),
    ),
    taking(
        "tables of pages for what is never written",
        """
        import ctypes, mmap
        libc = ctypes.CDLL(None, use_errno=True)
        libc.mmap.restype = ctypes.c_void_p
        libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + 3 * [ctypes.c_int] + [
            ctypes.c_long
        ]
        place = libc.mmap(None, 2**42, mmap.PROT_READ, 0x4022, -1, 0)
        if place == 2**64 - 1: raise MemoryError("refused")
        for step in range(0, 2**42, 2**21): ctypes.c_byte.from_address(place + step).value
        """,
        f"{REFUSED}|kernel-died",
    ),
    taking(
        "pages in pipes",
        """
        import ctypes, errno
        number = {"x86_64": 278, "aarch64": 75}[os.uname().machine]
        ctypes.CDLL(None, use_errno=True).syscall(number, -1, None, 0, 0)
        if ctypes.get_errno() == errno.ENOSYS: raise OSError("refused")
        """,
        REFUSED,
    ),
    taking(
        "pipes that nobody reads",
        """
        kept = []
        while True:
            kept.append(os.pipe())
            os.set_blocking(kept[-1][1], False)
            while True:
                try: os.write(kept[-1][1], bytes(2**16))
                except BlockingIOError: break
        """,
        f"{REFUSED}|open",
    ),
)

FILES = (
    taking(
        "empty files without number",
        """
        for number in range(10**6): open(f"/tmp/{number}", "w").close()
        """,
        REFUSED,
    ),
    taking(
        "folders without number, one in another",
        """
        while True:
            os.mkdir("/dev/shm/deeper") if os.getcwd() != "/dev/shm" else None
            os.chdir("/dev/shm") if os.getcwd() != "/dev/shm" else None
            for number in range(10**6): os.mkdir(f"{number}")
        """,
        REFUSED,
    ),
    taking(
        "sockets without number",
        """
        import socket
        kept = []
        while True: kept.append(socket.socketpair())
        """,
        f"{REFUSED}|open|kernel-died",
    ),
    taking(
        "a file with a hole",
        """
        import tempfile
        with tempfile.TemporaryFile() as file: file.truncate(2**40)
        """,
        REFUSED,
    ),
)

PROCESSES = (
    taking(
        "processes that ignore every signal",
        """
        import signal, subprocess, sys
        code = (
            "import signal, time\\n"
            "for one in range(1, 65):\\n"
            "    try: signal.signal(one, signal.SIG_IGN)\\n"
            "    except (OSError, ValueError): pass\\n"
            "while True: time.sleep(1)"
        )
        for _ in range(5): subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
        """,
        "passed",
    ),
    taking(
        "a process that is stopped",
        """
        import signal, subprocess
        sleeper = subprocess.Popen(["sleep", "100000"])
        sleeper.send_signal(signal.SIGSTOP)
        """,
        "passed",
    ),
    taking(
        "a daemon, forked twice",
        """
        import time
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                while True: time.sleep(1)
            os._exit(0)
        """,
        "passed",
    ),
    taking(
        "a child that is the kernel too",
        """
        child = os.fork()
        """,
        f"passed|{LOST}",
        SHORT,
    ),
    taking(
        "stops all processes that it may",
        """
        import signal, subprocess
        subprocess.Popen(["sleep", "100000"])
        os.kill(-1, signal.SIGSTOP)
        os.kill(os.getpid(), signal.SIGSTOP)
        """,
        "timeout",
        SHORT,
    ),
    taking(
        "kills all processes that it may",
        """
        import signal, subprocess
        subprocess.Popen(["sleep", "100000"])
        os.kill(-1, signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)
        """,
        "kernel-died",
        SHORT,
    ),
    taking(
        "a flood of output in a child",
        """
        import subprocess, sys
        print(subprocess.run(["yes"], stdout=subprocess.PIPE, timeout=600).stdout)
        """,
        f"{REFUSED}|{LOST}",
    ),
    taking(
        "fifty shells that never end",
        """
        import subprocess
        for _ in range(50): subprocess.Popen(["sh", "-c", "while :; do :; done"])
        """,
        "passed",
        Limits(seconds=60.0),
    ),
)

CASES = (*MEMORY, *FILES, *PROCESSES)
assert all(case.outcomes[SIXTH] for case in CASES)
