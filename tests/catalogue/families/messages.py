"""Messages that no kernel sends: a learner's code holds the kernel's key, and can send anything."""

from __future__ import annotations

from tests.catalogue.case import SHORT, Case
from tests.catalogue.returned import right_answers

SIXTH = "decoder_mask"
SENDER = """
kernel = get_ipython().kernel
session, thread = kernel.session, kernel.iopub_thread

def raw(*parts):
    thread.send_multipart([*parts])

def tell(kind, content, header=None, parent=None):
    told = session.msg(kind, parent=kernel.get_parent("shell"))
    told["header"] = told["header"] if header is None else header
    told["parent_header"] = told["parent_header"] if parent is None else parent
    parts = [session.pack(told[name]) for name in ("header", "parent_header", "metadata")]
    parts.append(content if isinstance(content, bytes) else session.pack(content))
    raw(b"x", b"<IDS|MSG>", session.sign(parts), *parts)

"""
LOST = "kernel-died|output-limit|timeout|error"
ODD = {
    "contents of other kinds": (
        'tell("stream", 5); tell("display_data", [])',
        'tell("stream", {"text": 5}); tell("display_data", {"data": None})',
        'tell("display_data", {"data": []}); tell("execute_result", {})',
    ),
    "errors and states without their names": (
        'tell("error", {})',
        'tell("error", {"ename": [1], "evalue": {}, "traceback": 7})',
        'tell("status", {})',
    ),
    "headers of other kinds": (
        'tell("stream", {"text": ""}, parent=[])',
        'tell("stream", {"text": ""}, parent="x")',
        'tell("stream", {"text": ""}, header={})',
        'tell("stream", {"text": ""}, header=[])',
        'tell("stream", {"text": ""}, parent={"date": "2026-13-45T99:99:99"})',
    ),
    "no JSON, or deeper than any": (
        'tell("display_data", b"\\xff{")',
        'tell("display_data", b"[" * 100_000)',
        "tell(\"display_data\", b'{\"data\":' * 50_000 + b'1' + b'}' * 50_000)",
    ),
    "signatures that are wrong or used": (
        'raw(b"x", b"<IDS|MSG>", b"0" * 64, b"{}", b"{}", b"{}", b"{}")',
        'parts = [b"x", *session.serialize(session.msg("stream"))]; raw(*parts); raw(*parts)',
    ),
    "parts missing": ('raw(b"")', 'raw(b"x", b"y")', 'raw(b"x", b"<IDS|MSG>", b"")'),
}


def sent(name: str, messages: tuple[str, ...]) -> Case:
    """Such messages, each sent while the sixth answer is defined; it may be lost for that."""
    code = SENDER + "\n".join(messages) + "\n" + right_answers("05_masks")[SIXTH]
    return Case(name, {SIXTH: code}, outcomes={SIXTH: f"passed|{LOST}"}, limits=SHORT)


FLOODS = {
    "one message of 200 MB": 'raw(b"x" * 200_000_000)',
    "answers on the other channel": (
        "identity = kernel._parent_ident\n"
        "identity = identity.get('shell') if isinstance(identity, dict) else identity\n"
        "for _ in range(3000):\n"
        "    session.send(kernel.shell_stream or kernel.shell_socket, 'execute_reply',\n"
        "        {'x': 'x' * 100_000}, ident=identity)"
    ),
    "displays without number": (
        "from IPython.display import display\n"
        "for _ in range(10 ** 6): display({'text/plain': ''}, raw=True, metadata={'x': 'x' * 999})"
    ),
}

CASES = (
    *(sent(name, messages) for name, messages in ODD.items()),
    *(sent(name, (code,)) for name, code in FLOODS.items()),
    Case(
        "says that it is done long before it is",
        {
            SIXTH: SENDER + 'tell("status", {"execution_state": "idle"})\n'
            "import time\ntime.sleep(1)\n" + right_answers("05_masks")[SIXTH]
        },
        outcomes={SIXTH: f"passed|{LOST}"},
    ),
    Case(
        "says at each cell that it is done before it is",
        {
            SIXTH: SENDER + "import time\n"
            "def early(*_):\n"
            '    tell("status", {"execution_state": "idle"})\n'
            "    time.sleep(0.2)\n"
            'get_ipython().events.register("pre_run_cell", early)\n'
        },
        outcomes={SIXTH: "no points"},
        others="passed|error",
    ),
)
