"""Weighs the built book as a reader with a slow connection and a slow processor gets it.

python scripts/weigh_pages.py [--html FOLDER] [PAGE ...]

Each page is opened in Chromium from a compressing server on this machine, with an empty cache, at
the speed of a slow mobile connection and a processor slowed four times. The table says what came
over the line, and when the first words and the last formula were there, in the slowest of three
times that it was opened. Pages are named as ``book/04_attention.html``; without a name all are
weighed.
"""

from __future__ import annotations

import argparse
import functools
import gzip
import http.server
import shutil
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SLOW_4G = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 1.6e6 / 8,
    "uploadThroughput": 750e3 / 8,
}
PROCESSOR_SLOWED = 4
LONGEST_WAIT = 120_000  # ms
COMPRESSED = (".html", ".css", ".js", ".svg", ".json", ".txt")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
TIMES = 3
SHORT_FRAME = 50  # ms: Chromium tells how long a frame took only if it took longer
QUIET = 1000  # ms after the last file that a page asks for as it opens
# The ends of the frames that lay out the last formula, and that set all of them in their own face.
# That all faces are there says another thing: `loadingdone` waits for those of controls and of what
# is hidden, and for the page.
NOTE_FORMULAS = f"""
    const formulas = document.getElementsByTagName('math');
    const seen = {{ formulas: 0, last: NaN, face: null }};
    const long = [];
    const note = (list) => {{ long.push(...list.getEntries()); }};
    new PerformanceObserver(note).observe({{ type: 'long-animation-frame', buffered: true }});
    const look = (now) => {{
        if (formulas.length > seen.formulas) {{
            seen.formulas = formulas.length;
            seen.last = now;
        }}
        for (const face of seen.face === null ? document.fonts : []) {{
            if (face.family.includes('MT Math')) {{
                seen.face = NaN;
                face.loaded.then(() => requestAnimationFrame((now) => {{ seen.face = now; }}));
            }}
        }}
        requestAnimationFrame(look);
    }};
    requestAnimationFrame(look);
    const end = (now) => {{
        const frame = long.find(({{ startTime, duration }}) =>
            startTime <= now && now <= startTime + duration);
        return frame ? frame.startTime + frame.duration : now + {SHORT_FRAME};
    }};
    window.formulasSet = () =>
        seen.formulas ? Math.max(end(seen.last), end(seen.face ?? 0)) : null;
"""
FIRST_PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN"


@dataclass
class Weight:
    """What a page costs its reader.

    Args:
        page: its path.
        sent: bytes that came over the line, compressed.
        requests: how many files.
        first_paint: seconds until the first words are there.
        formulas: seconds until the last formula is there, in the face of formulas.
    """

    page: str
    sent: int
    requests: int
    first_paint: float
    formulas: float


class _Compressing(http.server.SimpleHTTPRequestHandler):
    """Serves files as any server in the web does: compressed."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        return

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        if not path.is_file():
            self.send_error(404)
            return
        content = path.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        if path.suffix in COMPRESSED:
            content = gzip.compress(content, 6)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address at which a folder is served while this lasts."""
    handler = functools.partial(_Compressing, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def weigh(browser, site: str, page: str, slow: bool = True) -> Weight:
    """Opens a page in a fresh profile, and says what it costs."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    line = context.new_cdp_session(opened)
    sizes: list[int] = []
    line.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    line.send("Network.enable")
    if slow:
        line.send("Network.emulateNetworkConditions", SLOW_4G)
        line.send("Emulation.setCPUThrottlingRate", {"rate": PROCESSOR_SLOWED})
    opened.add_init_script(NOTE_FORMULAS)
    # A page that is long in work asks for nothing meanwhile: quiet is not yet the end.
    opened.goto(site + page, wait_until="load", timeout=LONGEST_WAIT)
    opened.wait_for_load_state("networkidle", timeout=LONGEST_WAIT)
    opened.evaluate("document.fonts.ready.then(() => null)")
    opened.wait_for_timeout(QUIET)
    first_paint = opened.evaluate(FIRST_PAINT)
    # A page without a formula has them all at once.
    formulas = opened.evaluate(f"formulasSet() ?? {FIRST_PAINT}")
    weight = Weight(page, int(sum(sizes)), len(sizes), first_paint / 1000, formulas / 1000)
    context.close()
    return weight


def slowest(weights: Sequence[Weight]) -> Weight:
    """What a page costs at most, of several times that it was opened."""
    first, *_ = weights
    most = {
        name: max(getattr(one, name) for one in weights)
        for name in ("sent", "requests", "first_paint", "formulas")
    }
    return Weight(first.page, **most)


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--html", type=Path, default=ROOT / "_build" / "html")
    parser.add_argument("pages", nargs="*")
    options = parser.parse_args(arguments)
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("Chromium is not installed: on Debian, apt install chromium")
    from playwright.sync_api import sync_playwright

    found = sorted(path.relative_to(options.html) for path in options.html.glob("book/*.html"))
    pages = options.pages or [path.as_posix() for path in found]
    print(f"{'page':34}{'kB sent':>9}{'files':>7}{'first paint, s':>16}{'formulas, s':>13}")
    with served(options.html) as site, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        for page in pages:
            it = slowest([weigh(browser, site, page) for _ in range(TIMES)])
            print(
                f"{page:34}{it.sent / 1000:9.0f}{it.requests:7}"
                f"{it.first_paint:16.1f}{it.formulas:13.1f}",
                flush=True,
            )
        browser.close()
    size = sum(path.stat().st_size for path in options.html.rglob("*") if path.is_file())
    print(f"the whole site: {size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
