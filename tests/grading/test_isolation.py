"""Kernels behind walls: what is seen from there, what is not, and that nothing is left of them."""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
import textwrap
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import zmq
from jupyter_client.channels import HBChannel

from mtcourse.checks.banks import bank_folders
from mtcourse.errors import MtcourseError
from mtcourse.grading.isolation import backends, bubblewrap
from mtcourse.grading.isolation.backends import BACKEND_NAMES, open_isolation, why_unavailable
from mtcourse.grading.isolation.sandbox import ResourceLimits, find_visible_files
from mtcourse.grading.isolation.watch import Watch, can_watch
from mtcourse.grading.kernel import GradingKernel, Limits

ROOT = Path(__file__).resolve().parents[2]
WALLS = [name for name in BACKEND_NAMES if name != "none"]
LIMITS = Limits(seconds=30)


@pytest.fixture(scope="module", params=WALLS)
def kernel(request: pytest.FixtureRequest) -> Iterator[GradingKernel]:
    """A kernel behind each kind of walls that this machine has."""
    if reason := why_unavailable(request.param):
        pytest.skip(reason)
    started = GradingKernel(request.param)
    yield started
    started.stop()


def value_of(kernel: GradingKernel, source: str) -> Any:
    """What the last line of a cell is, through JSON."""
    *lines, last = textwrap.dedent(source).strip().splitlines()
    shown = f"import json\ndisplay({{'text/plain': json.dumps({last})}}, raw=True)"
    ran = kernel.execute("\n".join([*lines, shown]), LIMITS)
    assert ran.state == "ok", ran
    return json.loads(ran.data[-1]["text/plain"])


def test_neither_solutions_nor_banks_nor_anybodys_home_can_be_seen(kernel):
    hidden = [
        ROOT / "solutions",
        ROOT / "tests",
        ROOT / ".git",
        Path.home() / ".ssh",
    ]
    assert not value_of(
        kernel, f"import os\n[p for p in {list(map(str, hidden))} if os.path.exists(p)]"
    )
    folders = [str(path) for path in bank_folders(ROOT / "mtcourse").values()]
    assert folders
    found = value_of(kernel, f"[os.listdir(p) if os.access(p, os.R_OK) else [] for p in {folders}]")
    assert not any(found)
    tried = kernel.execute("import mtcourse.chapters.attention.exercises.scaled_scores", LIMITS)
    assert tried.error.startswith("ModuleNotFoundError")


def test_its_home_is_empty_and_its_own_and_nothing_else_can_be_written(kernel):
    found = value_of(
        kernel, "import os\nos.listdir(os.getcwd()) + os.listdir(os.path.expanduser('~'))"
    )
    assert set(found) <= {".ipython"}  # IPython has made it
    value_of(kernel, "open('notes', 'w').write('kept')")
    for place in (ROOT / "mtcourse" / "x", "/usr/x", "/x", sys.prefix + "/x"):
        ran = kernel.execute(f"open({str(place)!r}, 'w')", LIMITS)
        assert ran.state == "error", place
        assert not Path(place).exists()


def test_the_folder_of_its_sockets_takes_no_file_from_any_thread(kernel):
    tried = """
        import os, queue, threading
        folder = os.path.dirname(get_ipython().kernel.parent.connection_file)
        answers = queue.Queue()
        def write():
            try: answers.put(open(f"{folder}/large", "w").write("kept"))
            except OSError as error: answers.put(type(error).__name__)
        write()
        threading.Thread(target=write).start()
        get_ipython().kernel.iopub_thread.schedule(write)  # it began before any cell
        [answers.get(timeout=20) for _ in range(3)] + [os.path.exists(f"{folder}/s-1")]
    """
    *answers, is_there = value_of(kernel, tried)
    assert set(answers) <= {"PermissionError", "OSError"}
    assert is_there


def test_files_move_between_the_folders_that_it_may_fill(kernel):
    tried = """
        import os, pathlib, tempfile
        before, after = (pathlib.Path(tempfile.mkdtemp()) for _ in range(2))
        (before / "a").write_text("kept")
        os.rename(before / "a", after / "b")
        open(os.devnull, "w").write("nothing")
        [os.listdir(before), (after / "b").read_text()]
    """
    assert value_of(kernel, tried) == [[], "kept"]


def test_a_file_that_an_assignment_leaves_out_is_empty(walls):
    left_out = ROOT / "mtcourse" / "layers" / "attention.py"
    kernel = GradingKernel(walls, hidden=[left_out])
    try:
        assert value_of(kernel, f"open({str(left_out)!r}).read()") == ""
    finally:
        kernel.stop()


def test_it_has_no_rights_and_nobody_elses_processes(kernel):
    assert value_of(kernel, "import os\nos.getuid()") != 0
    mine = subprocess.Popen(["sleep", "1000"])
    try:
        kernel.execute(f"os.kill({mine.pid}, 9)\nos.kill({os.getpid()}, 9)", LIMITS)
        assert mine.poll() is None
    finally:
        mine.kill()
        mine.wait()
    tried = kernel.execute(
        "import ctypes\nassert ctypes.CDLL(None).mount(b'a', b'/tmp', b'tmpfs', 0, None)", LIMITS
    )
    assert tried.state == "ok"


def test_it_has_no_network(kernel):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port), timeout=5):
            listener.accept()[0].close()  # from here it can be reached
        ran = kernel.execute(
            f"import socket\nsocket.create_connection(('127.0.0.1', {port}), timeout=5)", LIMITS
        )
        assert ran.state == "error"
        listener.settimeout(0.1)
        with pytest.raises(TimeoutError):
            listener.accept()


def test_memory_and_files_have_a_limit(kernel):
    ran = kernel.execute("import torch\ntorch.empty(800_000_000)", LIMITS)
    assert ran.state == "error"
    assert "memory" in ran.error
    ran = kernel.execute(
        "import tempfile\nwith tempfile.TemporaryFile() as f: f.write(bytes(100_000_000))", LIMITS
    )
    assert ran.state == "error"
    assert value_of(kernel, "1 + 1") == 2


def test_what_the_course_gives_works_there(kernel):
    source = """
        from mtcourse.chapters.attention.exercises import check
        from mtcourse.models.translator import Translator
        check("anything", None)
        translator = Translator.load(device="cpu")
        [check.passes("anything", None), translator.translate(["He did not open the door."])]
    """
    assert value_of(kernel, source) == [False, ["Hij deed de deur niet open."]]


@pytest.fixture(params=WALLS)
def walls(request: pytest.FixtureRequest) -> str:
    """Each way that this machine has to keep a kernel apart."""
    if reason := why_unavailable(request.param):
        pytest.skip(reason)
    return request.param


def test_a_folder_with_a_long_name_for_temporary_files_is_none_for_sockets(
    walls, tmp_path, monkeypatch
):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / ("long" * 25)))
    Path(tempfile.tempdir).mkdir()
    kernel = GradingKernel(walls)
    assert value_of(kernel, "1 + 1") == 2
    kernel.stop()


def test_a_kernel_that_cannot_start_is_an_error_that_comes_at_once(monkeypatch, tmp_path):
    place = tmp_path / ("long" * 25)
    place.mkdir()
    monkeypatch.setattr(
        "mtcourse.grading.isolation.provisioner.find_socket_folder", lambda: str(place)
    )
    with pytest.raises(zmq.ZMQError, match="too long"):
        GradingKernel("none")
    gc.collect()  # what is left of it does not wait for anything
    assert list(place.iterdir()) == []


def test_a_kernel_that_is_stopped_leaves_no_process_and_no_folder(walls):
    kernel = GradingKernel(walls)
    folder = Path(kernel.km.connection_file).parent.parent
    orphan = "import subprocess\nsubprocess.Popen(['sleep', '4242'], start_new_session=True)"
    assert kernel.execute(orphan, LIMITS).state == "ok"
    kernel.stop()
    assert not folder.exists()
    assert gone("4242")


def test_no_thread_uses_a_kernels_context_that_an_interruption_would_end(walls, monkeypatch):
    started: list[threading.Thread] = []
    start = threading.Thread.start
    monkeypatch.setattr(
        threading.Thread, "start", lambda thread: (started.append(thread), start(thread))
    )
    kernel = GradingKernel(walls)
    try:
        assert value_of(kernel, "1 + 1") == 2
    finally:
        kernel.stop()
    assert not any(isinstance(thread, HBChannel) for thread in started)


def test_without_walls_a_kernel_ends_too():
    kernel = GradingKernel("none")
    connection_file = kernel.km.connection_file
    assert value_of(kernel, "6 * 7") == 42
    kernel.stop()
    assert gone(connection_file)
    assert not Path(connection_file).exists()


def gone(argument: str) -> bool:
    """Whether, after a while, no process has this argument."""
    for _ in range(50):
        if not any(argument in arguments for arguments in command_lines()):
            return True
        time.sleep(0.1)
    return False


def command_lines() -> Iterator[list[str]]:
    """The arguments of every process on this machine."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            yield path.read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_when_the_grader_is_killed_its_kernels_end(walls):
    source = f"""
        from mtcourse.grading.kernel import GradingKernel, Limits
        kernel = GradingKernel({walls!r})
        print(kernel.km.connection_file, flush=True)
        kernel.execute("import subprocess; subprocess.Popen(['sleep', '434343'])", Limits())
        kernel.execute("while True: pass", Limits())
    """
    command = [sys.executable, "-c", textwrap.dedent(source)]
    grader = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    connection_file = grader.stdout.readline().strip()
    for _ in range(300):
        if any("434343" in arguments for arguments in command_lines()):
            break
        time.sleep(0.1)
    grader.send_signal(signal.SIGKILL)
    grader.communicate()
    assert gone("434343")
    assert gone(connection_file)


@pytest.mark.skipif(sys.platform != "linux", reason="has no such filters")
def test_memory_that_no_limit_counts_is_refused(kernel):
    number = {"x86_64": 319, "aarch64": 279}[os.uname().machine]
    for source in (
        "import os\nos.memfd_create('kept')",
        f"import ctypes\nif ctypes.CDLL(None).syscall({number}, b'kept', 0) < 0: raise OSError",
        "import mmap\nmmap.mmap(-1, 4096)",
        "import ctypes\nif ctypes.CDLL(None).shmget(0, 4096, 0o1600) < 0: raise OSError",
        "import mmap\nfile = open('/dev/zero', 'r+b', 0)\nmmap.mmap(file.fileno(), 4096)",
        "import mmap\nmmap.mmap(-1, 2**42, prot=mmap.PROT_READ, flags=mmap.MAP_PRIVATE)",
    ):
        if kernel.km.kernel_name in ("podman", "docker") and "/dev/zero" in source:
            continue  # their control group counts it
        assert kernel.execute(source, LIMITS).state == "error", source
    assert value_of(kernel, "import mmap\nlen(mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE))") == 4096


@pytest.mark.skipif(not can_watch(), reason="the system does not tell who started whom")
def test_what_a_kernel_starts_has_the_lowest_priority(walls):
    if walls in ("podman", "docker"):
        pytest.skip("their control groups share the processor out")
    kernel = GradingKernel(walls)
    source = """
        import os, subprocess, time
        started = [subprocess.Popen(["sleep", "1000"], start_new_session=own) for own in (0, 1)]
        until = time.monotonic() + 60
        def nice(): return [os.getpriority(os.PRIO_PROCESS, one.pid) for one in started]
        while min(nice()) < 19 and time.monotonic() < until: time.sleep(0.05)
        nice() + [os.getpriority(os.PRIO_PROCESS, 0) - BEFORE]
    """
    before = value_of(kernel, "import os\nos.getpriority(os.PRIO_PROCESS, 0)")
    try:
        assert value_of(kernel, source.replace("BEFORE", str(before))) == [19, 19, 0]
    finally:
        kernel.stop()


@pytest.mark.skipif(not can_watch(), reason="the system does not tell who started whom")
@pytest.mark.skipif(
    not Path("/proc/self/autogroup").exists(), reason="sessions do not compete for the processor"
)
def test_a_session_of_its_own_has_the_lowest_priority_too():
    """Where sessions compete, the priority of a process counts within its session alone."""
    code = "import subprocess\nown = subprocess.Popen(['sleep', '1000'], start_new_session=True)\n"
    code += "print(own.pid, flush=True)\nown.wait()"
    started = subprocess.Popen(  # in a session, too: without one it has no such priority to read
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    child = int(started.stdout.readline())
    try:
        with closing(Watch(started.pid, 0, ResourceLimits(), folders=())) as watch:
            watch.is_exceeded()
        told = [Path(f"/proc/{one}/autogroup").read_text() for one in (started.pid, child)]
        assert [one.partition("nice ")[2].strip() for one in told] == ["0", "19"]
        assert os.getpriority(os.PRIO_PROCESS, child) == 19
    finally:
        os.kill(child, signal.SIGKILL)
        started.communicate()


KEEPER = "import os\nif os.fork():\n    os._exit(0)\nos.setsid()\n"
"""Code of a daemon: nothing shows any more who started it."""


@pytest.mark.skipif(not can_watch(), reason="the system does not tell who started whom")
def test_the_memory_of_all_processes_together_has_a_limit(walls, monkeypatch):
    if walls in ("podman", "docker", "warm"):
        pytest.skip("the limit is not read in this process")
    limits = replace(ResourceLimits(), memory=400 * 2**20)
    monkeypatch.setattr("mtcourse.grading.isolation.watch.ResourceLimits", lambda: limits)
    kernel = GradingKernel(walls)
    code = KEEPER + "import time\nkept = b'x' * (300 * 2**20)\ntime.sleep(1000)"
    source = f"""
        import subprocess, sys, time
        for _ in range(3): subprocess.Popen([sys.executable, "-c", {code!r}])
        time.sleep(1000)
    """
    ran = kernel.execute(textwrap.dedent(source), Limits(seconds=100))
    kernel.stop()
    assert ran.state == "kernel-died"


def test_a_kernel_that_holds_too_much_tells_its_end_once(tmp_path):
    if reason := why_unavailable("warm"):
        pytest.skip(reason)
    connection_file = tmp_path / "connection.json"
    connection_file.write_text("{}")
    requests, theirs = socket.socketpair()
    source = f"""
        import socket
        from mtcourse.grading.isolation import fork_server
        fork_server.Watch.is_exceeded = lambda watch: True
        fork_server.serve(socket.socket(fileno={theirs.fileno()}))
    """
    command = [sys.executable, "-c", textwrap.dedent(source)]
    with subprocess.Popen(command, pass_fds=[theirs.fileno()]) as server, requests:
        theirs.close()
        assert requests.recv(16) == b"ready"
        control, others = socket.socketpair()
        with control, others:
            socket.send_fds(requests, [str(connection_file).encode()], [others.fileno()])
            others.close()
            assert b"".join(iter(lambda: control.recv(16), b"")) == b"-9"
    assert server.returncode == 0


@pytest.mark.skipif(not can_watch(), reason="the system does not tell who started whom")
def test_the_number_of_files_has_a_limit(walls):
    if walls in ("podman", "docker"):
        pytest.skip("podman takes no limit on the files of a tmpfs")
    kernel = GradingKernel(walls)
    source = """
        import time
        for number in range(12_000): open(f"/tmp/{number}", "w").close()
        time.sleep(60)
    """
    ran = kernel.execute(textwrap.dedent(source), LIMITS)
    kernel.stop()
    assert ran.state == {"warm": "error", "bubblewrap": "kernel-died"}[walls], ran


def test_the_number_of_processes_has_a_limit(walls):
    if walls == "bubblewrap" and os.geteuid() == 0:
        pytest.skip("the system does not count root's processes")
    kernel = GradingKernel(walls)
    source = """
        import subprocess
        started = []
        try:
            while len(started) < 200: started.append(subprocess.Popen(["sleep", "1000"]))
        except OSError: pass
        len(started)
    """
    try:
        assert 10 < value_of(kernel, source) < ResourceLimits().processes
    finally:
        kernel.stop()


@pytest.mark.skipif(not can_watch(), reason="the system does not tell who started whom")
@pytest.mark.parametrize(
    "kept",
    ["b'x' * (400 * 2**20)", "mmap.mmap(-1, 400 * 2**20)"],
    ids=["its own", "shared"],
)
def test_a_watch_counts_memory_of_descendants_whatever_their_state(kept):
    limits = replace(ResourceLimits(), memory=200 * 2**20)
    code = f"import mmap, os, signal\nkept = {kept}\n"
    code += "if isinstance(kept, mmap.mmap): kept.write(bytes(len(kept)))\n"
    code += "os.kill(os.getpid(), signal.SIGSTOP)"
    started = subprocess.Popen([sys.executable, "-c", code])
    try:
        with closing(Watch(os.getpid(), 0, replace(limits, memory=2**50), folders=())) as watch:
            assert not watch.is_exceeded()
        with closing(Watch(started.pid, 0, limits, folders=())) as watch:
            for _ in range(600):
                if watch.is_exceeded():
                    break
                time.sleep(0.1)
            assert watch.is_exceeded()
    finally:
        started.kill()
        started.wait()


def test_bubblewrap_is_found_outside_of_path(monkeypatch, tmp_path):
    program = tmp_path / ".local" / "bin" / "bwrap"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\necho it does not work >&2; exit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(bubblewrap, "USUAL_FOLDERS", ("~/.local/bin",))
    assert bubblewrap.find_program() == str(program)
    assert bubblewrap.Bubblewrap().why_unavailable() == "it does not work"
    program.write_text("no program at all")
    assert "cannot be run" in bubblewrap.Bubblewrap().why_unavailable()
    program.unlink()
    assert "install the package" in bubblewrap.Bubblewrap().why_unavailable()


def test_an_isolation_that_cannot_be_had_says_why(monkeypatch):
    with pytest.raises(MtcourseError, match=r"no isolation 'steel': take auto, warm, bubblewrap"):
        open_isolation("steel")
    monkeypatch.setattr(
        backends, "why_unavailable", lambda name: "" if name == "none" else "out of order"
    )
    with pytest.raises(MtcourseError, match="'warm' cannot be had here: out of order"):
        open_isolation.__wrapped__("warm")
    with pytest.raises(MtcourseError, match=r"bubblewrap: out of order[\s\S]*--isolation none"):
        open_isolation.__wrapped__("auto")
    monkeypatch.setattr(
        backends, "why_unavailable", lambda name: "" if name == "bubblewrap" else "out of order"
    )
    assert open_isolation.__wrapped__("auto").name == "bubblewrap"


def test_the_view_holds_python_and_the_package_and_nothing_beside_it():
    view = find_visible_files()
    seen = [*view.read_only, *(path for path, _ in view.links)]
    for needed in (sys.prefix, sys.base_prefix, ROOT / "mtcourse", "/usr"):
        assert any(Path(needed).resolve().is_relative_to(path.resolve()) for path in seen), needed
    for secret in (ROOT, ROOT / "solutions", Path.home(), Path("/"), Path("/etc"), Path("/tmp")):
        assert secret not in seen
    assert {path.parent.name for path in view.hidden} >= {"attention", "masks"}


def test_an_environment_behind_a_link_is_seen_at_one_place(tmp_path, monkeypatch):
    real, link = tmp_path / "real", tmp_path / "link"
    (real / "lib").mkdir(parents=True)
    link.symlink_to(real)
    monkeypatch.setattr(sys, "prefix", str(link))
    monkeypatch.setattr(sysconfig, "get_path", lambda _: str(link / "lib"))
    view = find_visible_files()
    assert (link, str(real)) in view.links
    assert real in view.read_only
    assert not any(path.is_relative_to(link) for path in view.read_only)


WITHOUT_FILES = """
import sys, tempfile
from mtcourse.grading.isolation import namespaces
tempfile.mkdtemp = tempfile.mkstemp = None
sys.exit(namespaces.try_walls())
"""


def test_whoever_is_killed_while_it_tries_the_walls_leaves_no_file():
    """An impatient Ctrl-C may come at that moment."""
    if reason := why_unavailable("warm"):
        pytest.skip(reason)
    tried = subprocess.run([sys.executable, "-c", WITHOUT_FILES], cwd=ROOT, stderr=subprocess.PIPE)
    assert tried.returncode == 0, tried.stderr


SILENT = "get_ipython()._showtraceback = lambda *_: None\n"


def test_an_error_that_is_not_shown_is_read_from_the_reply():
    kernel = GradingKernel("none")
    try:
        for _ in range(20):  # more than the replies that may wait to be read
            assert kernel.execute("1", Limits()).state == "ok"
        result = kernel.execute(f"{SILENT}raise MemoryError('no room')", Limits())
        assert (result.state, result.error) == ("error", "MemoryError: no room")
        assert kernel.execute("1", Limits()).state == "ok"
    finally:
        kernel.stop()


def test_a_kernel_that_ends_slowly_has_ended_and_has_not_put_out_too_much(monkeypatch):
    kernel = GradingKernel("none")
    ended = []

    def is_alive() -> bool:  # a container goes on for a while when its kernel has ended
        if not alive():
            ended.append(time.monotonic())
        return not ended or time.monotonic() < ended[0] + 4

    alive = kernel.is_alive
    monkeypatch.setattr(kernel, "is_alive", is_alive)
    ran = kernel.execute("import os\nos._exit(0)", LIMITS)
    assert ran.state == "kernel-died"
    assert time.monotonic() >= ended[0] + 4


def test_a_kernel_whose_message_was_too_large_is_known_by_its_coming_back(monkeypatch):
    monkeypatch.setattr("mtcourse.grading.kernel.EXIT_TIMEOUT", 1e6)
    kernel = GradingKernel("none")
    assert kernel.execute("print('x' * 60_000_000)", LIMITS).state == "output-limit"
