"""The world outside of a learner's kernel, with witnesses who notice whatever comes out of it."""

from __future__ import annotations

import contextlib
import json
import os
import random
import secrets
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import torch

import mtcourse
from tests.catalogue.returned import ROOT, as_bytes, completed

UNTOUCHED = "nobody was here\n"
ANSWER = b"-1"
"""What listeners say and secret files hold: the number that an answer needs to be right."""
HOME = Path("~").expanduser()
PLACES = [
    *(Path(name) for name in ("/", "/etc", "/usr/local", "/home", "/var/tmp", "/run", "/dev")),
    *(Path(name) for name in ("/mnt", "/opt", "/dev/shm", sys.prefix, sys.base_prefix)),
    *(ROOT, ROOT / "tests", Path(mtcourse.__path__[0]), Path(torch.__path__[0])),
    *(Path(torch.__path__[0]).parent, Path(os.__file__).parent, Path(sys.executable).parent),
    *(HOME, HOME / ".ipython/profile_default/startup", HOME / ".jupyter", HOME / ".local"),
    HOME / ".config/matplotlib",
]
"""Where escapes try to leave a file."""
SHARED = "0x3163746d"
"""The key under which one of them makes shared memory."""
PATIENCE = 5.0
"""Seconds that processes are given to end with their kernel."""


@dataclass
class Outside:
    """Witnesses around a kernel.

    Args:
        folder: where the files of all others lie: whoever gets there may read and write them.
        sentinel: a process that nobody has business with.
        tcp: the port of a listener on all addresses.
        udp: likewise.
        free: a port on which nobody listens.
        token: a word that stands nowhere else on this machine; the name of a listener too, that is
            no file.
        heard: what the listeners heard.
    """

    folder: Path
    sentinel: subprocess.Popen
    tcp: int
    udp: int
    free: int
    token: str
    heard: list[str] = field(default_factory=list)

    def told(self) -> dict[str, str]:
        """What the code of a case may take from here, by name."""
        names = ("canary", "secret", "grades", "references", "classmate", "plant", "socket")
        return {name: str(self.folder / name) for name in names} | {
            "folder": str(self.folder),
            "root": str(ROOT),
            "home": os.path.expanduser("~"),
            "grader": str(os.getpid()),
            "sentinel": str(self.sentinel.pid),
            "tcp": str(self.tcp),
            "udp": str(self.udp),
            "free": str(self.free),
            "shared": SHARED,
            "abstract": self.token,
            "token": self.token,
        }

    def lay_out(self) -> None:
        """Puts every file in its place."""
        (self.folder / "canary").write_text(UNTOUCHED)
        (self.folder / "secret").write_bytes(ANSWER)
        (self.folder / "references").write_text(json.dumps({"dimension": int(ANSWER)}))
        (self.folder / "classmate").write_bytes(as_bytes(completed("05_masks", {})))
        (self.folder / "grades").write_text(UNTOUCHED)
        for path in self.folder.iterdir():
            path.chmod(0o666)

    def noticed(self) -> list[str]:
        """What witnesses have to tell; nothing if all stayed inside."""
        told = list(self.heard)
        names = {"canary", "secret", "references", "classmate", "grades", "socket"}
        if found := {path.name for path in self.folder.iterdir()} ^ names:
            told.append(f"files came or went: {sorted(found)}")
        for name in ("canary", "grades"):
            path = self.folder / name
            if not path.is_file() or path.read_text() != UNTOUCHED:
                told.append(f"{name} was changed")
            elif path.stat().st_mode & 0o777 != 0o666:
                told.append(f"the mode of {name} was changed")
        if self.sentinel.poll() is not None:
            told.append(f"the sentinel ended with {self.sentinel.returncode}")
        elif psutil.Process(self.sentinel.pid).status() == psutil.STATUS_STOPPED:
            told.append("the sentinel was stopped")
        return [*told, *self._left_behind()]

    def _find_processes(self) -> list[psutil.Process]:
        """Processes that came out of a kernel."""
        found = []
        for process in psutil.process_iter(["name", "cmdline"]):
            words = " ".join([process.info["name"] or "", *(process.info["cmdline"] or ())])
            if self.token in words:
                found.append(process)
        return found

    def _left_behind(self) -> list[str]:
        """Files, processes and listeners that are there and should not be."""
        told = []
        for path in (path for place in PLACES for path in place.glob(f"{self.token}*")):
            told.append(f"{path} was left")
            path.unlink()
        until = time.monotonic() + PATIENCE
        while (left := self._find_processes()) and time.monotonic() < until:
            time.sleep(0.1)  # a busy machine takes a while to end what was killed
        for process in left:
            told.append(f"process {process.pid} was left")
            for one in (*process.children(recursive=True), process):
                one.kill()
        if int(SHARED, 16) in _shared_memory():
            told.append("shared memory was left")
            subprocess.run(["ipcrm", "-M", SHARED], check=True)
        with socket.socket() as caller:
            caller.settimeout(5)
            if caller.connect_ex(("127.0.0.1", self.free)) == 0:
                told.append(f"somebody listens on port {self.free}")
        return told


def _shared_memory() -> set[int]:
    """The keys of System V's shared memory, where there is any."""
    table = Path("/proc/sysvipc/shm")
    lines = table.read_text().splitlines()[1:] if table.exists() else []
    return {int(line.split()[0]) for line in lines}


@contextlib.contextmanager
def watched(folder: Path) -> Iterator[Outside]:
    """The outside, with its witnesses awake."""
    folder.chmod(0o777)
    token = f"mtc{secrets.token_hex(5)}"
    with contextlib.ExitStack() as stack:
        bound = [
            _bound(socket.AF_INET, socket.SOCK_STREAM, ("", 0)),
            _bound(socket.AF_INET, socket.SOCK_DGRAM, ("", 0)),
            _bound(socket.AF_UNIX, socket.SOCK_STREAM, f"\0{token}"),
            _bound(socket.AF_UNIX, socket.SOCK_STREAM, str(folder / "socket")),
        ]
        stream, datagrams, nowhere, named = map(stack.enter_context, bound)
        sentinel = subprocess.Popen(["sleep", "100000"])
        stack.callback(sentinel.wait)
        stack.callback(sentinel.kill)
        ports = (stream.getsockname()[1], datagrams.getsockname()[1], _find_free_port())
        outside = Outside(folder, sentinel, *ports, token)
        outside.lay_out()
        for listener, kind in ((stream, "TCP"), (nowhere, "abstract"), (named, "socket file")):
            listener.listen()
            _listen(lambda listener=listener: _answered(listener), kind, outside.heard)
        _listen(lambda: _echoed(datagrams), "UDP", outside.heard)
        yield outside


def _find_free_port() -> int:
    """A port that is free and stays so: the system gives those below its range to nobody.

    Servers of other tests, which run at the same time, have ports of that range.
    """
    for port in random.Random().sample(range(20_000, 30_000), 100):
        with contextlib.suppress(OSError), _bound(socket.AF_INET, socket.SOCK_STREAM, ("", port)):
            return port
    raise OSError("none of 100 ports from 20000 to 30000 is free")


def _bound(family: int, kind: int, address: tuple[str, int] | str) -> socket.socket:
    """A socket with an address."""
    made = socket.socket(family, kind)
    made.bind(address)
    return made


def _answered(listener: socket.socket) -> str:
    """Answers whoever calls; returns who it was."""
    connection, address = listener.accept()
    with connection:
        connection.sendall(ANSWER)
    return repr(address)


def _echoed(datagrams: socket.socket) -> str:
    """Answers whoever writes; returns who it was."""
    _, address = datagrams.recvfrom(100)
    datagrams.sendto(ANSWER, address)
    return repr(address)


def _listen(hear: Callable[[], str], kind: str, heard: list[str]) -> None:
    """Keeps what is heard, until the socket is closed."""

    def forever() -> None:
        with contextlib.suppress(OSError):
            while True:
                heard.append(f"{kind} heard {hear()}")

    threading.Thread(target=forever, daemon=True).start()
