"""The explorers under a reader's hands: from a file, in the built book, and in JupyterLab."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nbformat
import pytest

from mtcourse.chapters.attention.explorer import attention_explorer
from mtcourse.chapters.masks.explorer import masks_explorer
from mtcourse.chapters.training.explorer import training_explorer
from tests.helpers.browsing import Visit, violations, visited_explorers

pytestmark = pytest.mark.browser

# Where a page of the book has it; from a file it works too, as `make book` names one.
PLACES = {"attention": "book/04_attention.html", "mask": "book/05_masks.html"}


@pytest.fixture
def opened(browser, request) -> Iterator[Visit]:
    """A page with the explorers that the test is marked with."""
    place, make, scheme = request.param
    html = "".join(of().html() for of in make)
    with visited_explorers(browser, request, place, html, scheme) as visited:
        yield visited


def with_explorers(place: str, make: list) -> pytest.MarkDecorator:
    """The test runs on a file and on the page of the book."""
    cases = [("file", make, "light"), (place, make, "light")]
    return pytest.mark.parametrize("opened", cases, ids=["file", "book"], indirect=True)


def first(visited: Visit, name: str):
    return visited.page.locator(f'[data-explorer="{name}"]').first


# --- attention ----------------------------------------------------------------------------------


@with_explorers(PLACES["attention"], [attention_explorer])
def test_without_division_the_rows_saturate(opened):
    explorer = first(opened, "attention")
    says, slider = explorer.locator("[aria-live]"), explorer.get_by_label("to the power")
    explorer.get_by_label("Attention").select_option("encoder")
    before = float(says.locator("b").inner_text().split(" gives ")[1].split()[0])
    slider.fill("0")
    assert slider.get_attribute("aria-valuetext") == "0.00, so 1.00"
    after = float(says.locator("b").inner_text().split(" gives ")[1].split()[0])
    assert after > before
    explorer.get_by_label("Temperature").fill("2")
    even = float(says.locator("b").inner_text().split(" gives ")[1].split()[0])
    assert even < 0.5 < after


def drag(page, slider, share: float) -> None:
    """Takes a slider's knob with the mouse and pulls it to a share of the track."""
    slider.scroll_into_view_if_needed()
    track = slider.bounding_box()
    low, high, value = slider.evaluate("it => [it.min, it.max, it.value].map(Number)")
    middle = track["y"] + track["height"] / 2
    page.mouse.move(track["x"] + track["width"] * (value - low) / (high - low), middle)
    page.mouse.down()
    page.mouse.move(track["x"] + track["width"] * share, middle, steps=8)
    page.mouse.up()


@with_explorers(PLACES["attention"], [attention_explorer])
def test_dragging_the_scale_and_the_temperature_changes_weights_and_picture(opened):
    explorer = first(opened, "attention")
    says, picture = explorer.locator("[aria-live]"), explorer.locator("[role=grid]")
    for label, share in (("to the power", 0.02), ("Temperature", 0.95)):
        slider = explorer.get_by_label(label)
        value, said, drawn = slider.input_value(), says.inner_text(), picture.screenshot()
        drag(opened.page, slider, share)
        assert slider.input_value() != value
        assert says.inner_text() != said
        assert picture.screenshot() != drawn


@with_explorers(PLACES["attention"], [attention_explorer])
def test_a_word_is_chosen_by_a_click_by_keys_and_in_the_map(opened):
    explorer = first(opened, "attention")
    words, says = explorer.locator("[role=option]"), explorer.locator("[aria-live]")
    asking = explorer.locator("table caption b")
    words.nth(1).click()
    assert asking.inner_text() == words.nth(1).inner_text()
    assert f"“{words.nth(1).inner_text()}” gives" in says.inner_text()

    explorer.get_by_role("listbox").press("ArrowRight")
    assert asking.inner_text() == words.nth(2).inner_text()
    explorer.get_by_role("listbox").press("End")
    assert asking.inner_text() == "<eos>"

    cells = explorer.locator("[role=gridcell]")
    assert explorer.locator('[role="gridcell"][tabindex="0"]').count() == 1, "one stop of Tab"
    cells.first.click()
    opened.page.keyboard.press("ArrowDown")
    assert asking.inner_text() == words.nth(1).inner_text()
    assert words.nth(1).get_attribute("aria-selected") == "true"


@with_explorers(PLACES["attention"], [attention_explorer])
def test_another_sentence_has_other_words_and_later_ones_are_hidden(opened):
    explorer = first(opened, "attention")
    explorer.get_by_label("Attention").select_option("decoder")
    before = explorer.locator("[role=option]").all_inner_texts()
    assert before[0] == "<bos>"
    explorer.locator("[role=option]").first.click()
    said = explorer.locator("[aria-live] b").inner_text()
    assert said.startswith("“<bos>” gives 1.00")
    assert said.endswith("to “<bos>”")
    assert explorer.locator("table").last.get_by_text("hidden").count() == len(before) - 1
    explorer.get_by_label("or one of these").select_option("1")
    assert explorer.locator("[role=option]").all_inner_texts() != before
    explorer.get_by_label("Layer").select_option("0")
    explorer.get_by_label("Head").select_option("0")
    for control, value in (("Layer", "1"), ("Head", "3")):
        old = explorer.locator("table").last.inner_text()
        explorer.get_by_label(control).select_option(value)
        assert explorer.locator("table").last.inner_text() != old


# --- masks --------------------------------------------------------------------------------------


@with_explorers(PLACES["mask"], [masks_explorer])
def test_dragging_the_length_moves_the_padding(opened):
    explorer = first(opened, "masks")
    slider, grids = explorer.get_by_label("Length of the sentence"), explorer.locator("[role=grid]")
    before, drawn = grids.last.inner_text(), grids.last.screenshot()
    drag(opened.page, slider, 0.05)
    assert slider.input_value() == slider.get_attribute("min")
    assert grids.last.inner_text() != before
    assert grids.last.screenshot() != drawn


@with_explorers(PLACES["mask"], [masks_explorer])
def test_a_finite_value_leaks_and_more_so_inside_the_division(opened):
    explorer = first(opened, "masks")
    says = explorer.locator("[aria-live]")
    explorer.get_by_role("radio", name="−∞", exact=True).check()
    assert "No weight leaks" in says.inner_text()
    explorer.get_by_label("Finite value", exact=True).fill("1")
    assert explorer.get_by_label("the finite value below").is_checked()
    leak = float(says.inner_text().split("weight of ")[1].split()[0])
    assert explorer.locator(".explorer-leak").count() > 0
    explorer.get_by_label("before the division").check()
    assert float(says.inner_text().split("weight of ")[1].split()[0]) > 10 * leak
    explorer.get_by_label("Finite value", exact=True).fill("6")
    assert "No weight leaks" in says.inner_text()
    explorer.get_by_label("multiplied").check()
    assert "leaks to hidden keys" in says.inner_text()
    assert explorer.get_by_role("radio", name="−∞", exact=True).is_disabled()


@with_explorers(PLACES["mask"], [masks_explorer])
def test_rows_with_nothing_to_attend_to_are_nan_or_zeros(opened):
    explorer = first(opened, "masks")
    says = explorer.locator("[aria-live]")
    explorer.get_by_label("on the left").check()
    assert "2 of 5 rows are NaN" in says.inner_text()
    weights = explorer.locator("table").last
    assert weights.get_by_text("NaN").count() == 10
    explorer.get_by_label("Empty rows give zeros").check()
    assert weights.get_by_text("NaN").count() == 0
    assert "2 of 5 rows may attend to nothing" in says.inner_text()
    explorer.get_by_label("Length of the sentence").fill("5")
    assert "rows" not in says.inner_text()


@with_explorers(PLACES["mask"], [masks_explorer])
def test_a_cell_of_the_mask_is_flipped_with_the_keyboard(opened):
    explorer = first(opened, "masks")
    cells = explorer.locator("[role=gridcell]")
    cells.first.focus()
    for key in ("ArrowDown", "Home", "Enter"):
        opened.page.keyboard.press(key)
    assert cells.nth(5).inner_text() == "−∞"
    assert cells.nth(5).get_attribute("aria-label").endswith("hidden")
    assert ": hidden" in explorer.locator(".explorer-readout").inner_text()
    weight = explorer.locator("table").last.locator("tbody td").nth(5)
    assert weight.inner_text() == "0"
    explorer.get_by_role("button", name="Turn all back").click()
    assert cells.nth(5).inner_text() == "0"
    assert weight.inner_text() != "0"


# --- all of them --------------------------------------------------------------------------------

ALL = [attention_explorer, masks_explorer, training_explorer, masks_explorer]


@pytest.mark.parametrize(
    "opened", [("file", ALL, "light"), ("file", ALL, "dark")], ids=["light", "dark"], indirect=True
)
def test_explorers_are_accessible_and_need_no_page_around_them(opened):
    page = opened.page
    assert page.locator(".mtcourse-explorer[data-hosted]").count() == 4
    assert page.locator("[id]").evaluate_all("of => new Set(of.map(x => x.id)).size === of.length")
    scheme = opened.page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    page.add_style_tag(content=f":root {{ color-scheme: {'dark' if scheme else 'light'}; }}")
    for width in (1400, 400):
        page.set_viewport_size({"width": width, "height": 900})
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("opened", [("file", ALL, "light")], indirect=True)
def test_a_schedule_follows_its_sliders(opened):
    explorer = first(opened, "training")
    says, curve = explorer.locator("[aria-live]"), explorer.locator(".explorer-curve")
    assert "At step 600 the learning rate is 0.00265, 88%" in says.inner_text()
    before = curve.get_attribute("d")
    explorer.get_by_label("Warm-up").press("ArrowRight")
    assert curve.get_attribute("d") != before
    explorer.get_by_label("Decay").select_option("inverse square root")
    explorer.get_by_label("Warm-up").fill("150")
    assert "0.00150, 50%" in says.inner_text()


# --- in a notebook ------------------------------------------------------------------------------


@contextmanager
def jupyter_lab(folder: Path) -> Iterator[str]:
    """JupyterLab on a loopback port, with nothing of the user's; ends what it started."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_hex(16)
    names = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    environment = {**os.environ, **{name: str(folder / name.lower()) for name in names}}
    settings = folder / "jupyter_config_dir/lab/user-settings/@jupyterlab/apputils-extension"
    settings.mkdir(parents=True, exist_ok=True)
    (settings / "notification.jupyterlab-settings").write_text('{"fetchNews": "false"}')
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
    command += ["--ip=127.0.0.1", f"--port={port}", "--ServerApp.port_retries=0"]
    command += [f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={folder}"]
    command += ["--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(
            command, env=environment, stdout=log, stderr=log, start_new_session=True
        )
    try:
        wait_until_answers(f"http://127.0.0.1:{port}/api?token={token}", server, folder / "log")
        yield f"http://127.0.0.1:{port}/lab/tree/play.ipynb?token={token}&reset"
    finally:
        os.killpg(server.pid, signal.SIGINT)  # once asks, twice answers yes
        os.killpg(server.pid, signal.SIGINT)
        try:
            server.wait(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, signal.SIGKILL)
            server.wait()


def wait_until_answers(address: str, server: subprocess.Popen, log: Path) -> None:
    for _ in range(150):
        assert server.poll() is None, log.read_text()
        try:
            urllib.request.urlopen(address).close()
            return
        except urllib.error.URLError:
            time.sleep(0.2)
    raise AssertionError(f"JupyterLab does not answer: {log.read_text()}")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="ends JupyterLab by its group of processes")
def test_in_jupyterlab_an_explorer_is_a_widget_that_tells_the_kernel(browser, tmp_path):
    pytest.importorskip("jupyterlab", reason="JupyterLab is not installed: make lab brings it")
    cells = [
        "from mtcourse.chapters.masks.explorer import masks_explorer\n"
        "explorer = masks_explorer()\nexplorer",
        'print("the length is", explorer.settings["length"])',
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(notebook, tmp_path / "play.ipynb")
    with jupyter_lab(tmp_path) as address:
        page = browser.new_page()
        page.set_default_timeout(40_000)
        page.goto(address)
        page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
        page.locator(".jp-Notebook .cm-content").first.click()
        page.keyboard.press("Shift+Enter")
        explorer = page.locator(".mtcourse-explorer")
        says = explorer.locator("[aria-live]")
        explorer.get_by_label("on the left").check()
        assert "2 of 5 rows are NaN" in says.inner_text()
        explorer.get_by_label("Length of the sentence").press("ArrowLeft")
        assert "3 of 5 rows are NaN" in says.inner_text()
        page.locator(".jp-Notebook .cm-content").last.click()
        page.keyboard.press("Shift+Enter")
        page.get_by_text("the length is 2").wait_for()
        if folder := os.environ.get("MTCOURSE_SCREENSHOTS"):
            explorer.screenshot(path=Path(folder) / "jupyterlab.png")
        page.close()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="ends JupyterLab by its group of processes")
def test_in_jupyterlab_an_explorer_gets_its_translator_from_the_kernel(browser, tmp_path):
    pytest.importorskip("jupyterlab", reason="JupyterLab is not installed: make lab brings it")
    cells = [
        "from mtcourse.chapters.multi_head.explorer import multi_head_explorer\n"
        "explorer = multi_head_explorer()\nexplorer",
        'print("without", *explorer.settings["off"], ":", explorer.settings["own"])',
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(notebook, tmp_path / "play.ipynb")
    with jupyter_lab(tmp_path) as address:
        page = browser.new_page()
        page.set_default_timeout(40_000)
        page.goto(address)
        page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
        page.locator(".jp-Notebook .cm-content").first.click()
        page.keyboard.press("Shift+Enter")
        explorer = page.locator(".mtcourse-explorer")
        explorer.get_by_role("checkbox", name="encoder 2.3").uncheck()
        explorer.get_by_text("Hij legde de idee voorzichtig uit.").wait_for()
        explorer.get_by_label("Your sentence").fill("The king has a zebra.")
        page.keyboard.press("Enter")
        explorer.get_by_text("New to the translator: zebra").wait_for()
        page.locator(".jp-Notebook .cm-content").last.click()
        page.keyboard.press("Shift+Enter")
        page.get_by_text("without encoder 2.3 : The king has a zebra.").wait_for()
        page.close()
