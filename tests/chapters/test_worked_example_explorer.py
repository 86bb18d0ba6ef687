"""The explorer of chapter 11 computes what the chapter's Python does, in node and in a browser."""

from __future__ import annotations

import functools
import random
from typing import Any

import pytest
import torch

from mtcourse.chapters.worked_example.adam import LEARNING_RATE, first_steps
from mtcourse.chapters.worked_example.backward import backward_pass
from mtcourse.chapters.worked_example.example import (
    DECODER_INPUT,
    LABELS,
    SOURCE_TOKENS,
    TARGET_TOKENS,
    example_steps,
    example_weights,
    source_ids,
    source_mask,
    target_ids,
)
from mtcourse.chapters.worked_example.explorer import worked_example_explorer
from mtcourse.chapters.worked_example.forward import forward_pass, loss_steps
from mtcourse.errors import MtcourseError
from tests.helpers.browsing import Visit, visited_explorers
from tests.helpers.javascript import computed

PAGE = "book/11_worked_example.html"
TOLERANCE = {"atol": 1e-12, "rtol": 0}
ATTENTIONS = (2, 7, 9)


@pytest.fixture(scope="module")
def explorer():
    return worked_example_explorer()


@pytest.fixture(scope="module")
def node():
    """Computes an expression in the scope of the explorer's module."""
    return functools.partial(computed, "worked_example")


def everything_of(node, explorer, **settings) -> dict[str, Any]:
    return node("everything(data, settings)", data=explorer.data, settings=settings)


def followers_of(node, explorer, show="numbers", **settings) -> dict[str, int]:
    """How many numbers of each matrix differ from the example's."""
    return node(
        "followers(everything(data, settings), everything(data, {}), show)",
        data=explorer.data, settings=settings, show=show,
    )  # fmt: skip


def stages_of(node) -> list[list[str]]:
    """The names of each stage's matrices."""
    return node("STAGES.map(([, matrices]) => matrices.map(([name]) => name))")


def random_changes(seed: int, how_many: int) -> tuple[list[list], dict[str, torch.Tensor]]:
    """A few other numbers, as the explorer's settings say it, and the weights that have them."""
    draw, weights, changes = random.Random(seed), example_weights(), []
    for _ in range(how_many):
        name = draw.choice(sorted(weights))
        rows = weights[name].view(-1, weights[name].shape[-1])
        i, j = draw.randrange(len(rows)), draw.randrange(rows.shape[1])
        value = draw.uniform(-1.5, 1.5)
        rows[i, j] = value
        changes.append([name, i, j, value])
    return changes, weights


# --- the script, run by node --------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_all_numbers_gradients_and_steps_are_pythons(node, explorer, seed):
    """The example itself, and the same with other weights, another target, and padding seen."""
    changes, weights = random_changes(seed, 3 * seed)
    tokens, mask = [*DECODER_INPUT, "<EOS>"], source_mask()
    settings: dict[str, Any] = {"changes": changes}
    if seed > 1:
        tokens[3], tokens[5] = "profond", "J'"
        settings["target"] = target_ids(tuple(tokens)).tolist()
    if seed > 2:
        mask = torch.ones_like(mask)
        settings["hidden"] = False
    read, labels = target_ids(tuple(tokens[:-1])), target_ids(tuple(tokens[1:]))
    steps = loss_steps(forward_pass(weights, source_ids(), read, mask), labels)
    gradients = backward_pass(weights, steps, source_ids(), read, labels)
    after = {name: of.parameter for name, of in first_steps(weights, gradients).items()}

    found = everything_of(node, explorer, **settings)
    assert set(found["numbers"]) == {*steps, *weights, "target"}
    for kind, expected in (
        ("numbers", {**steps, **weights}), ("gradients", gradients), ("adam", after)
    ):  # fmt: skip
        assert set(found[kind]) >= set(expected)
        for name, value in expected.items():
            ours = torch.tensor(found[kind][name], dtype=torch.float64)
            torch.testing.assert_close(ours, value, msg=f"{kind}: {name}", **TOLERANCE)


def test_the_loss_after_adams_step_is_pythons(node, explorer):
    weights, steps = example_weights(), example_steps()
    gradients = backward_pass(weights, steps, source_ids(), target_ids(), target_ids(LABELS))
    new = {name: of.parameter for name, of in first_steps(weights, gradients).items()}
    found = node("lossAfter(everything(data, {}))", data=explorer.data)
    assert found == pytest.approx(example_steps(new)["loss"].item(), abs=1e-12)


def test_the_stages_have_every_matrix_once(node):
    names = [name for stage in stages_of(node) for name in stage]
    assert sorted(names) == sorted({*example_weights(), *example_steps(), "target"})


def test_rows_and_columns_of_every_matrix_have_names(node, explorer):
    axes = node(
        "Object.entries(everything(data, {}).numbers).map(([name, x]) => [name, rowsOf(x).length,"
        " rowsOf(x)[0].length, ...axesOf(name, rowsOf(x), changedExample(data, {}))])",
        data=explorer.data,
    )
    assert [name for name, m, n, rows, columns in axes if (len(rows), len(columns)) != (m, n)] == []
    named = {name: (rows, columns) for name, _, _, rows, columns in axes}
    assert named["weights_1_C"] == (list(DECODER_INPUT), list(SOURCE_TOKENS))
    assert named["K_C"][0] == list(SOURCE_TOKENS)
    assert named["probabilities"] == (list(DECODER_INPUT), list(TARGET_TOKENS))
    assert named["losses"][1] == list(LABELS)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0, "0"),
        (0.3, "0.30"),
        (-1.5, "−1.50"),
        (0.02, "0.020"),
        (-0.00004, "−4e−5"),
        (12.0, "12.00"),
    ],
)
def test_a_small_number_is_never_written_as_nothing(node, value, said):
    assert node("short(x)", x=value) == said


def test_what_the_page_asks_about_padding_has_an_answer(node, explorer):
    """<PAD>'s embedding reaches keys, values and scores of cross-attention, and nothing after."""
    change = ["W_E_X", SOURCE_TOKENS.index("<PAD>"), 0, 0.1]
    follow = followers_of(node, explorer, changes=[change])
    stages = stages_of(node)
    cross = {name: follow[name] for name in stages[8] if follow[name]}
    assert set(cross) == {"K_C", "V_C", "scores_1_C", "scores_2_C"}
    assert cross["scores_1_C"] == len(DECODER_INPUT)
    for number, stage in enumerate(stages, start=1):
        if number != 9:
            assert any(follow[name] for name in stage) == (number <= 5), number
    assert follow["loss"] == 0
    seen = followers_of(node, explorer, hidden=False)
    first = next(stage for stage in stages if any(seen[name] for name in stage))
    assert next(name for name in first if seen[name]) == "weights_1_E"
    loss = everything_of(node, explorer, hidden=False)["numbers"]["loss"]
    assert abs(loss - example_steps()["loss"]) > 1e-4


@pytest.mark.parametrize(("token", "positions"), [("profond", 1), ("J'", 5), ("<BOS>", 6)])
def test_what_the_page_asks_about_later_tokens_has_an_answer(node, explorer, token, positions):
    """An embedding changes the row of its position and those after it, and no row before."""
    row = TARGET_TOKENS.index(token)
    value = example_weights()["W_E_Y"][row, 0].item() + 0.1
    now = everything_of(node, explorer, changes=[["W_E_Y", row, 0, value]])["numbers"]
    own = example_steps()
    for name in ("Y_1", "Y_decoder", "probabilities"):
        differs = (torch.tensor(now[name], dtype=torch.float64) - own[name]).abs().amax(-1) > 1e-9
        assert differs.tolist() == [k >= 6 - positions for k in range(6)]
    follow = followers_of(node, explorer, changes=[["W_E_Y", row, 0, value]])
    assert follow["losses"] == positions
    assert follow["X_encoder"] == 0


def test_what_the_page_asks_about_adam_has_an_answer(node, explorer):
    """Every number of W_output moves by the learning rate; an embedding that is not read, by 0."""
    found = everything_of(node, explorer)
    now = {name: torch.tensor(of, dtype=torch.float64) for name, of in found["adam"].items()}
    moved = {name: (now[name] - of).abs() for name, of in example_weights().items()}
    sizes = torch.tensor(found["gradients"]["W_output"]).abs()
    assert sizes.max() > 50 * sizes.min()
    torch.testing.assert_close(
        moved["W_output"], torch.full((4, 8), LEARNING_RATE).double(), atol=2e-6, rtol=0
    )
    unread = [TARGET_TOKENS.index(token) for token in ("<PAD>", "<EOS>")]
    assert (moved["W_E_Y"] == 0).all(-1).nonzero().flatten().tolist() == unread
    assert (moved["W_E_X"] == 0).all(-1).tolist() == [token == "<PAD>" for token in SOURCE_TOKENS]


def test_a_gradient_predicts_what_a_small_change_does(node, explorer):
    found = everything_of(node, explorer)
    weight, gradient = explorer.data["weights"]["W_O_C"][2][1], found["gradients"]["W_O_C"][2][1]
    change = ["W_O_C", 2, 1, weight + 1e-6]
    after = everything_of(node, explorer, changes=[change])["numbers"]["loss"]
    assert (after - found["numbers"]["loss"]) / 1e-6 == pytest.approx(gradient, rel=1e-3, abs=1e-6)


def test_a_number_that_is_put_back_is_the_examples(node, explorer):
    own = explorer.data["weights"]["W_V_D"][1][1]
    assert set(followers_of(node, explorer, changes=[["W_V_D", 1, 1, own]]).values()) == {0}


# --- what a page gets ---------------------------------------------------------------------------


def test_settings_are_known_by_name():
    assert worked_example_explorer({"matrix": "W_1_E", "show": "adam"}).settings["show"] == "adam"
    with pytest.raises(MtcourseError, match="no settings colour"):
        worked_example_explorer({"colour": 1})


# --- in a browser -------------------------------------------------------------------------------


@pytest.fixture
def opened(browser, request, explorer):
    """A file that holds nothing but the explorer, or the page of the book."""
    place, scheme = request.param
    with visited_explorers(browser, request, place, explorer.html(), scheme) as visited:
        yield visited


def of(visited: Visit):
    return visited.page.locator('[data-explorer="worked_example"]').first


BOTH = pytest.mark.parametrize(
    "opened", [("file", "light"), (PAGE, "light")], ids=["file", "book"], indirect=True
)
FILE = pytest.mark.parametrize("opened", [("file", "dark")], ids=["file"], indirect=True)


def choose(explorer, words: str, text: str) -> None:
    """Chooses a stage or a matrix by the beginning of its name."""
    options = explorer.get_by_role("listbox", name=words, exact=True).get_by_role("option")
    options.filter(has_text=text).first.click()


def names_of(explorer, words: str) -> list[str]:
    return explorer.get_by_role("listbox", name=words, exact=True).inner_text().split("\n")


@pytest.mark.browser
@BOTH
def test_a_changed_number_lights_up_what_depends_on_it_and_is_put_back(opened):
    explorer = of(opened)
    says = explorer.locator("[aria-live]")
    assert "nothing is changed" in says.inner_text()
    before = explorer.get_by_role("spinbutton").input_value()
    explorer.get_by_role("button", name="raise by 0.1").click()
    assert float(explorer.get_by_role("spinbutton").input_value()) == pytest.approx(
        float(before) + 0.1
    )
    assert "You changed 1 number." in says.inner_text()
    assert explorer.locator("td.explorer-leak").count() == 1
    choose(explorer, "Matrix", "weights 1")
    assert explorer.locator("td.explorer-follows").count() > 20
    choose(explorer, "Stage", "13 output")
    choose(explorer, "Matrix", "losses")
    assert explorer.locator("td.explorer-follows").count() == 6
    choose(explorer, "Stage", "6 French")
    assert explorer.locator("td.explorer-follows").count() == 0
    choose(explorer, "Stage", "2 self")
    explorer.get_by_role("button", name="put back this number").click()
    assert "nothing is changed" in says.inner_text()
    assert explorer.locator("td.explorer-leak").count() == 0


@pytest.mark.browser
@FILE
def test_numbers_are_typed_and_cells_are_reached_with_the_keyboard(opened):
    explorer = of(opened)
    page = opened.page
    table = explorer.get_by_role("grid")
    table.locator("td[tabindex='0']").focus()
    for key in ("ArrowRight", "ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
    assert explorer.get_by_label("WQ, row 3, column 2").count() == 1
    number = explorer.get_by_role("spinbutton")
    number.fill("0.75")
    number.press("Enter")
    assert table.locator("td.explorer-leak").inner_text() == "0.75"
    number.fill("1000")
    number.press("Enter")
    assert number.input_value() == "100"
    number.fill("")
    number.press("Enter")
    assert "You changed 1 number." in explorer.locator("[aria-live]").inner_text()
    explorer.get_by_role("button", name="Reset everything").click()
    assert "nothing is changed" in explorer.locator("[aria-live]").inner_text()
    explorer.get_by_role("listbox", name="Stage").press("ArrowRight")
    assert names_of(explorer, "Matrix")[0] == "gain γ"


@pytest.mark.browser
@FILE
def test_gradients_and_adams_step_are_shown_where_there_are_some(opened):
    explorer = of(opened)
    says = explorer.locator("[aria-live]")
    explorer.get_by_label("gradients of the loss").check()
    assert explorer.get_by_role("grid").count() == 1
    choose(explorer, "Stage", "1 English")
    choose(explorer, "Matrix", "PE")
    assert "computes no gradient" in explorer.inner_text()
    explorer.get_by_label("after Adam’s first step").check()
    assert "changes parameters only" in explorer.inner_text()
    assert "After Adam’s first step it is" in says.inner_text()
    choose(explorer, "Matrix", "WE")
    assert explorer.get_by_role("grid").count() == 1


@pytest.mark.browser
@FILE
def test_names_have_subscripts_wherever_they_are_read(opened):
    explorer = of(opened)
    assert explorer.locator("sub").count() > 0
    for stage in names_of(explorer, "Stage"):
        choose(explorer, "Stage", stage)
        assert "_" not in explorer.inner_text()
    choose(explorer, "Stage", "1 English")
    choose(explorer, "Matrix", "Xembedded")
    assert "Xembedded = the row of each token in WE" in explorer.inner_text()


@pytest.mark.browser
@FILE
def test_the_target_and_the_mask_can_be_changed(opened):
    explorer = of(opened)
    says = explorer.locator("[aria-live]")
    choose(explorer, "Stage", "6 French")
    explorer.get_by_role("gridcell").filter(has_text="profond").click()
    explorer.get_by_label("Token at position 5").select_option(label="J'")
    assert "You changed the target." in says.inner_text()
    assert "In the example: profond." in explorer.inner_text()
    explorer.get_by_label("hide <PAD>").uncheck()
    assert "You changed the target and the mask." in says.inner_text()
    explorer.get_by_role("button", name="Reset everything").click()
    assert "nothing is changed" in says.inner_text()
    assert explorer.get_by_label("hide <PAD>").is_checked()
    assert explorer.get_by_label("Token at position 5").input_value() == "7"


@pytest.mark.browser
@FILE
def test_it_fits_on_a_phone(opened):
    opened.page.set_viewport_size({"width": 360, "height": 800})
    choose(of(opened), "Stage", "11 network")
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 360
