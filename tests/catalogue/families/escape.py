"""Escapes: code that reaches for what lies outside of its kernel.

The answer is right only if it got there; and witnesses outside tell whether anybody came.
"""

from __future__ import annotations

import textwrap
from typing import Any

from tests.catalogue.case import NO_POINTS, SHORT, Case

LAST = "leaking_rows"
RIGHT_IF_IT_WORKED = """
def leaking_rows(mask, lengths):
    place = torch.arange(len(mask))
    late, padding = place[None] > place[:, None], place >= lengths[:, None, None]
    return ((mask == 1) & (late | padding)).any(dim=worked)
"""


def attempted(code: str) -> str:
    """Code that leaves -1 in ``worked`` if it got what it wanted, and else 0."""
    inside = textwrap.indent(textwrap.dedent(code).strip(), "    ")
    return f"worked = 0\ntry:\n{inside}\nexcept Exception as error:\n    print(repr(error))\n"


def escape(name: str, code: str, outcome: str = "wrong", **others: Any) -> Case:
    """The last answer is an escape; all others keep their points."""
    answer = attempted(code) + RIGHT_IF_IT_WORKED
    return Case(name, {LAST: answer}, outcomes={LAST: outcome}, isolated=True, **others)


CALLING = {
    "TCP to the loopback address": """
        import socket
        with socket.create_connection(("127.0.0.1", $tcp), timeout=2) as caller:
            worked = int(caller.recv(9))
        """,
    "TCP to every address of the machine": """
        import socket
        for host in ("localhost", "::1", "127.0.0.2", "0.0.0.0", "10.0.2.2", socket.gethostname()):
            try:
                with socket.create_connection((host, $tcp), timeout=1) as caller:
                    worked = int(caller.recv(9))
            except OSError as error:
                print(host, error)
        """,
    "UDP": """
        import socket
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as caller:
            caller.settimeout(2)
            caller.sendto(b"the hidden inputs", ("127.0.0.1", $udp))
            worked = int(caller.recv(9))
        """,
    "a socket that is no file": """
        import socket
        with socket.socket(socket.AF_UNIX) as caller:
            caller.settimeout(2)
            caller.connect("\\0$abstract")
            worked = int(caller.recv(9))
        """,
    "a socket that is a file": """
        import socket
        with socket.socket(socket.AF_UNIX) as caller:
            caller.settimeout(2)
            caller.connect("$socket")
            worked = int(caller.recv(9))
        """,
    "a shell that calls": """
        import subprocess
        command = "exec 3<>/dev/tcp/127.0.0.1/$tcp; head -c 2 <&3"
        ended = subprocess.run(["bash", "-c", command], capture_output=True, timeout=3)
        worked = int(ended.stdout)
        """,
}

READING = {
    "a secret file": 'worked = int(open("$secret").read())',
    "a secret file, by a link": """
        import os
        os.symlink("$secret", "linked")
        worked = int(open("linked").read())
        """,
    "a secret file, climbing out": 'worked = int(open("../" * 30 + "$secret"[1:]).read())',
    "a secret file, by the roots of other processes": """
        import glob
        for root in glob.glob("/proc/[0-9]*/root") + glob.glob("/proc/[0-9]*/cwd"):
            try:
                above = "../" * 20 if root.endswith("cwd") else ""
                worked = int(open(f"{root}/{above}$secret").read())
            except OSError:
                pass
        """,
    "a secret file, by an inherited file": """
        import os
        for number in range(1000):
            try:
                found = os.open("../" * 30 + "$secret"[1:], os.O_RDONLY, dir_fd=number)
                worked = int(os.read(found, 9))
            except OSError:
                pass
        """,
    "a secret file, out of a root of its own": """
        import os
        os.mkdir("inner")
        os.chroot("inner")
        for _ in range(30):
            os.chdir("..")
        os.chroot(".")
        worked = int(open("$secret").read())
        """,
    "a secret file, from other namespaces": """
        import ctypes, glob
        libc = ctypes.CDLL(None)
        libc.unshare(0x10000000)
        for path in glob.glob("/proc/[0-9]*/ns/*"):
            try:
                libc.setns(open(path).fileno(), 0)
            except OSError:
                pass
        libc.umount2(b"/", 2)
        libc.umount2(b"$folder", 2)
        worked = int(open("$secret").read())
        """,
    "a secret file, as somebody else": """
        import os, subprocess
        for become in (os.setuid, os.setgid, os.seteuid):
            try:
                become(0)
            except OSError as error:
                print(error)
        for command in ("sudo -n cat $secret", "su -c 'cat $secret'", "pkexec cat $secret"):
            command = f"{command} < /dev/null"
            ended = subprocess.run(["sh", "-c", command], capture_output=True, timeout=3)
            worked = int(ended.stdout or worked)
        """,
    "the memory of other processes": """
        import glob, os
        others = [*glob.glob("/proc/[0-9]*/mem"), "/proc/$grader/mem", "/dev/mem", "/proc/kcore"]
        for path in others:
            if path == f"/proc/{os.getpid()}/mem":
                continue
            try:
                open(path, "rb").read(1)
                worked = -1
            except OSError as error:
                worked = -1 if error.errno == 5 else worked
        """,
}

WRITING = {
    "over a file": """
        open("$canary", "w").write("here")
        worked = -1
        """,
    "over a file, by a link": """
        import os
        os.symlink("$canary", "canary")
        open("canary", "w").write("here")
        worked = -1
        """,
    "a file deleted, renamed, opened to all": """
        import os
        for deed in (
            lambda: os.chmod("$canary", 0o777),
            lambda: os.rename("$canary", "$canary-moved"),
            lambda: os.truncate("$grades", 0),
            lambda: os.remove("$secret"),
        ):
            try:
                deed()
                worked = -1
            except OSError as error:
                print(error)
        """,
    "a file of its own": """
        import os
        for folder in ("$folder", "$home", "$root", "$root/tests", "/", "/etc", "/usr/local",
                       "/home", "/var/tmp", "/run", "/dev", "/mnt", "/opt", "/dev/shm"):
            try:
                open(os.path.join(folder, "$token"), "w").write("here")
            except OSError as error:
                print(error)
        """,
    "into the packages": """
        import os, sys
        torch, course = torch.__path__[0], sys.modules["mtcourse"].__path__[0]
        for folder in (torch, course, os.path.dirname(torch), sys.prefix, sys.base_prefix,
                       os.path.dirname(os.__file__), os.path.dirname(sys.executable)):
            try:
                open(os.path.join(folder, "$token"), "w").write("here")
                worked = -1
            except OSError as error:
                print(error)
        """,
    "start-up files of whoever grades": """
        import os
        for name in (".ipython/profile_default/startup", ".jupyter", ".config/matplotlib"):
            os.makedirs(os.path.join("$home", name), exist_ok=True)
            open(os.path.join("$home", name, "$token"), "w").write("here")
        """,
    "shared memory": """
        import ctypes, os
        from multiprocessing import resource_tracker, shared_memory
        made = shared_memory.SharedMemory("$token", create=True, size=100)
        resource_tracker.unregister("/$token", "shared_memory")
        libc = ctypes.CDLL(None)
        libc.shmget($shared, 4096, 0o1666)
        """,
}

PROCESSES = {
    "signals to a process": """
        import os, signal
        for number in (signal.SIGSTOP, signal.SIGTERM, signal.SIGKILL):
            os.kill($sentinel, number)
            worked = -1
        """,
    "a debugger on a process": """
        import ctypes
        libc = ctypes.CDLL(None)
        worked = -1 if libc.ptrace(16, $sentinel, 0, 0) == 0 else 0
        """,
    "orphans": """
        import ctypes, os, subprocess
        for options in ({"start_new_session": True}, {"close_fds": False}):
            subprocess.Popen(["sh", "-c", "trap '' 1 2 15; sleep 98765; : $token"], **options)
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                ctypes.CDLL(None).prctl(15, b"$token", 0, 0, 0)
                while True:
                    import time
                    time.sleep(1000)
            os._exit(0)
        """,
    "a port": """
        import os, socket, time  # $token
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("0.0.0.0", $free))
        listener.listen()
        if os.fork() == 0:
            os.setsid()
            while True:
                time.sleep(1000)
        """,
}

CASES = (
    *(escape(f"calls: {name}", code) for name, code in CALLING.items()),
    *(escape(f"reads: {name}", code) for name, code in READING.items()),
    *(escape(f"writes: {name}", code) for name, code in WRITING.items()),
    *(escape(f"processes: {name}", code) for name, code in PROCESSES.items()),
    escape(
        "writes: the folder of its sockets",
        """
        import glob, json, os, sys
        connection = get_ipython().config.IPKernelApp.connection_file
        folder = os.path.dirname(connection or get_ipython().kernel.parent.connection_file)
        written = 0
        for number in range(5):
            with open(os.path.join(folder, f"large-{number}"), "wb") as file:
                written += file.write(bytes(40_000_000))
        worked = -1
        """,
    ),
    escape(
        "processes: the kernel's parents",
        """
        import os, signal
        if os.getppid() > 1:
            os.kill(os.getppid(), signal.SIGKILL)
            worked = -1
        """,
        NO_POINTS,
        limits=SHORT,
    ),
)
