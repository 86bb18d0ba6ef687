"""A process that has imported everything once, and forks an isolated kernel on request::

    python -P -m mtcourse.grading.isolation.fork_server DESCRIPTOR

Requests arrive on the socket with that descriptor. Each is a connection file, together with a
socket for this kernel: the kernel's exit status is sent there, and the kernel ends if the other end
is closed. Each kernel has two parent processes: a supervisor outside of its namespaces, and process
1 inside.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import os
import select
import signal
import socket
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from mtcourse.grading.isolation import namespaces
from mtcourse.grading.isolation.kernel_process import PRELOADED_MODULES, limit_process, run_kernel
from mtcourse.grading.isolation.sandbox import (
    HOME,
    ResourceLimits,
    VisibleFiles,
    find_visible_files,
    kernel_environment,
    read_hidden_files,
)
from mtcourse.grading.isolation.watch import POLL_SECONDS, Watch

FIRST_USER_ID = 1_900_000_000
"""The first of the user ids for kernels; no user of the machine has one of these."""
KERNEL_MODULES = (
    "ipykernel.kernelapp",
    "ipykernel.ipkernel",
    "ipykernel.debugger",
    "IPython.core.completerlib",
    "IPython.core.debugger",
    "IPython.core.oinspect",
    "IPython.extensions.storemagic",
    "encodings.idna",
    "psutil",
    "tornado.platform.asyncio",
    "tornado.queues",
)
"""The modules that every kernel imports while it starts, so far as they are there."""
MAX_REQUEST_BYTES = 4096


def serve(requests: socket.socket) -> None:
    """Forks a kernel for each request, until the socket is closed."""
    for name in KERNEL_MODULES:
        with contextlib.suppress(ImportError):  # other versions of them have other modules
            importlib.import_module(name)
    for name in PRELOADED_MODULES:
        importlib.import_module(name)
    visible = find_visible_files()
    gc.collect()
    gc.freeze()  # a collection in a kernel would otherwise copy every page that is shared
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # supervisors are not waited for
    requests.sendall(b"ready")
    while True:
        request, descriptors, _, _ = socket.recv_fds(requests, MAX_REQUEST_BYTES, 1)
        if not request:
            return
        with socket.socket(fileno=descriptors[0]) as control:
            if os.fork() == 0:
                _run_and_exit(
                    functools.partial(_supervise, visible, Path(request.decode()), control)
                )


def _run_and_exit(act: Callable[[], int | None]) -> NoReturn:
    """Runs a function and exits, even after an exception: a forked process never returns."""
    status = 1
    try:
        status = act() or 0
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
    finally:
        os._exit(status)


def _supervise(visible: VisibleFiles, connection_file: Path, control: socket.socket) -> None:
    """Runs outside: ends the kernel if its client is gone, and sends its exit status."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    as_root = os.geteuid() == 0
    user = FIRST_USER_ID + os.getpid() % 100_000_000 if as_root else None
    if user is not None:
        os.chown(connection_file.parent, user, user)
        os.chown(connection_file, user, user)
    visible = replace(visible, blank=read_hidden_files(connection_file))
    processes = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)
    namespaces.unshare(as_root)
    first = os.fork()
    if first == 0:
        control.close()
        os.close(processes)
        _run_and_exit(functools.partial(_run_first_process, visible, connection_file, user))
    exited = os.pidfd_open(first)
    watch = Watch(first, 1, ResourceLimits(), processes)
    told = False
    while not (ready := select.select([exited, control], [], [], POLL_SECONDS)[0]):
        if watch.is_exceeded():
            control.sendall(str(-signal.SIGKILL).encode())  # to free much memory takes its time
            told = True
            break
    if exited not in ready:
        os.kill(first, signal.SIGKILL)  # the first process takes all others with it
    _, status = os.waitpid(first, 0)
    if not told:  # a second number would be read together with the first one
        control.sendall(str(os.waitstatus_to_exitcode(status)).encode())


def _run_first_process(visible: VisibleFiles, connection_file: Path, user: int | None) -> int:
    """Runs as process 1 inside: enters the namespaces, starts the kernel, and ends with it."""
    limits = ResourceLimits()
    owner = user if user is not None else namespaces.INSIDE_USER_ID
    namespaces.enter(visible, connection_file.parent, limits, owner)
    listens, ready = os.pipe()
    kernel = os.fork()
    if kernel == 0:
        _run_and_exit(functools.partial(_run_kernel_process, connection_file, limits, user, ready))
    os.close(ready)
    os.read(listens, 1)  # its sockets exist, and no cell has run yet
    namespaces.make_read_only(connection_file.parent)
    namespaces.drop_privileges(None if user is None else user + 100_000_000)
    namespaces.hide_from_others()
    while True:
        ended, status = os.wait()  # also those whose parents are gone
        if ended == kernel:
            return abs(os.waitstatus_to_exitcode(status))


def _run_kernel_process(
    connection_file: Path, limits: ResourceLimits, user: int | None, ready: int
) -> None:
    """Runs as process 2 inside: drops privileges, files and environment, and becomes the kernel."""
    nothing = os.open("/dev/null", os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    ready = os.dup2(ready, 3)
    os.closerange(4, os.sysconf("SC_OPEN_MAX"))
    os.setsid()
    limit_process(limits, own_user=True)
    namespaces.drop_privileges(user)
    os.environ.clear()
    os.environ.update(kernel_environment())
    os.umask(0o077)
    os.chdir(HOME)
    run_kernel(connection_file, functools.partial(os.close, ready))


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[1])) as requests_socket:
        serve(requests_socket)
