"""The explorer of chapter 10 computes what torch computes, and shows what was measured."""

from __future__ import annotations

import functools
import itertools
import statistics
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from mtcourse.chapters.blocks.explorer import WORDS, blocks_explorer
from mtcourse.errors import MtcourseError
from mtcourse.evaluation.starts import load_measured
from tests.helpers.browsing import Visit, visited_explorers
from tests.helpers.javascript import computed

PAGE = "book/10_blocks.html"
NETWORK, LAYER_NORM, ATTENTION, COLUMNS = range(1, 5)
"""Places in what ``comparisons`` returns; 0 is the input."""
DEPTHS = [1, 2, 4, 6, 8, 12, 16, 24, 32, 48]
BITES = WORDS.index("bites")


@pytest.fixture(scope="module")
def explorer():
    return blocks_explorer()


@pytest.fixture(scope="module")
def node():
    """Computes an expression in the scope of the explorer's module."""
    return functools.partial(computed, "blocks")


def compared(node, explorer, changes: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Input and outputs for each of several changes of the settings."""
    chosen = [{**explorer.settings, **change} for change in changes]
    return node("all.map((of) => comparisons(data, of))", data=explorer.data, all=chosen)


def with_numbers(explorer, word: int, numbers: dict[int, float]) -> list[list[float]]:
    """The rows, with other numbers in some columns of one word."""
    values = [list(row) for row in explorer.data["rows"]]
    for column, number in numbers.items():
        values[word][column] = number
    return values


def how_many_change(of: dict[str, Any]) -> int:
    return int(np.sum(of["changed"]))


# --- the four functions, run by node -------------------------------------------------------------


def rows_of(seed: int, size: float) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return size * torch.randn(5, 4, generator=generator, dtype=torch.float64)


def equal(found: Any, wanted: torch.Tensor) -> None:
    torch.testing.assert_close(
        torch.tensor(found, dtype=torch.float64), wanted, rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize(("seed", "size"), [(0, 1.0), (1, 30.0), (2, 0.01)])
def test_all_functions_are_torchs(node, explorer, seed, size):
    X, weights = rows_of(seed, size), explorer.data["weights"]
    W = {name: torch.tensor(of, dtype=torch.float64) for name, of in weights.items()}
    assert W["W_1"].shape == (4, 16), "the shapes of B12"
    assert W["W_2"].shape == (16, 4)
    given = {"X": X.tolist(), "W": weights}
    network, layer_norm, attention, columns = node("FUNCTIONS.map((of) => of[2](X, W))", **given)
    hidden = F.relu(F.linear(X, W["W_1"].T, W["b_1"]))
    equal(network, F.linear(hidden, W["W_2"].T, W["b_2"]))
    equal(layer_norm, F.layer_norm(X, (4,)))
    equal(columns, F.batch_norm(X, None, None, training=True))
    queries, keys, values = (X @ W[name] for name in ("W_Q", "W_K", "W_V"))
    one_head = (of[None] for of in (queries, keys, values))
    equal(attention, F.scaled_dot_product_attention(*one_head)[0])


# --- swapping rows and changing numbers ----------------------------------------------------------


def test_every_order_of_the_rows_is_followed_by_every_output(node, explorer):
    orders = list(itertools.permutations(range(5)))
    found = compared(node, explorer, [{"order": order} for order in orders])
    for order, tables in zip(orders, found, strict=True):
        wanted = ["same" if order[place] == place else "moved" for place in range(5)]
        assert [of["verdicts"] for of in tables] == [wanted] * 5


def test_each_number_changes_the_rows_that_it_should(node, explorer):
    cells = list(itertools.product(range(5), range(4), (-0.1, 0.7)))
    rows = explorer.data["rows"]
    changes = [
        {"values": with_numbers(explorer, word, {column: rows[word][column] + step})}
        for word, column, step in cells
    ]
    for (word, column, _), tables in zip(cells, compared(node, explorer, changes), strict=True):
        own = [place == word for place in range(5)]
        changed = [np.array(of["changed"]) for of in tables]
        assert np.argwhere(changed[0]).tolist() == [[word, column]]
        assert [row.any() for row in changed[NETWORK]] == own
        assert [row.all() for row in changed[LAYER_NORM]] == own
        assert not changed[LAYER_NORM][~np.array(own)].any()
        assert changed[ATTENTION].any(1).all()
        assert changed[COLUMNS].any(0).tolist() == [at == column for at in range(4)]
        assert changed[COLUMNS][:, column].all()


def test_a_word_that_is_both_swapped_and_changed_is_found_in_its_new_place(node, explorer):
    ((_, network, *_),) = compared(
        node,
        explorer,
        [{"order": [2, 1, 0, 3, 4], "values": with_numbers(explorer, BITES, {0: 2.5})}],
    )
    assert network["verdicts"] == ["changed", "same", "moved", "same", "same"]


def test_what_the_page_asks_of_the_rows_has_an_answer(node, explorer):
    """Which functions change only the row that was changed, and what swapped rows do."""
    row = explorer.data["rows"][BITES]
    raised = {column: round(number + 1, 1) for column, number in enumerate(row)}
    assert all(-3 <= number <= 3 for number in raised.values()), "the slider can do it"
    swapped, one, all_four = compared(
        node,
        explorer,
        [
            {"order": [0, 4, 2, 3, 1]},
            {"values": with_numbers(explorer, BITES, {0: raised[0]})},
            {"values": with_numbers(explorer, BITES, raised)},
        ],
    )
    assert [how_many_change(of) for of in swapped] == [0, 0, 0, 0, 0]
    assert [how_many_change(of) for of in one[1:]] == [4, 4, 20, 5]
    assert [how_many_change(of) == 0 for of in all_four[1:]] == [False, True, False, False]


# --- the gradients -------------------------------------------------------------------------------


def curves_of(node, explorer, stack: str, placement: str, depths: list[int]) -> list[Any]:
    """The curve of one placement for each depth."""
    chosen = [
        {**explorer.settings, "stack": stack, "shown": [placement], "depth": depth}
        for depth in depths
    ]
    return node("all.map((of) => curvesOf(data, of)[0])", data=explorer.data, all=chosen)


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
@pytest.mark.parametrize("placement", ["post-norm", "pre-norm", "no norm"])
def test_curves_are_the_medians_and_ranges_of_ten_starts(node, explorer, stack, placement):
    measured = load_measured("depth")["gradients"][stack][placement]
    curves = curves_of(node, explorer, stack, placement, [int(depth) for depth in measured])
    for (depth, starts), curve in zip(measured.items(), curves, strict=True):
        table = np.array([[np.inf if of is None else of for of in start] for start in starts])
        assert table.shape == (10, int(depth))
        wanted = np.stack([np.median(table, 0), table.min(0), table.max(0)], -1)
        found = np.array([[np.inf if of is None else of for of in row] for row in curve["norms"]])
        np.testing.assert_allclose(found, wanted, rtol=5e-3)
        if np.isfinite(table[:, [0, -1]]).all():
            ratio = table[:, -1] / table[:, 0]
            assert curve["ratio"] == pytest.approx(
                [statistics.median(ratio), min(ratio), max(ratio)], rel=5e-3
            )
        else:
            assert curve["ratio"] == [None] * 3


def test_what_the_page_asks_of_the_depth_has_an_answer(node, explorer):
    """From which depth on a decoder's first layer gets less than a hundredth, and the encoder."""
    ratios = {
        placement: [of["ratio"] for of in curves_of(node, explorer, "decoder", placement, DEPTHS)]
        for placement in ("post-norm", "pre-norm")
    }
    hundredth = [
        depth for depth, of in zip(DEPTHS, ratios["post-norm"], strict=True) if of[0] > 100
    ]
    assert hundredth == [16, 24, 32, 48]
    assert max(high for _, _, high in ratios["pre-norm"]) <= 1
    post, pre, encoder = (
        curves_of(node, explorer, stack, placement, [48])[0]
        for stack, placement in (
            ("decoder", "post-norm"),
            ("decoder", "pre-norm"),
            ("encoder", "post-norm"),
        )
    )
    assert post["ratio"][1] > 1e6, "in every start"
    assert min(range(48), key=lambda layer: post["norms"][layer][0]) < 3
    assert post["norms"][0][2] < 1e-5
    assert 0.1 < pre["ratio"][1] < pre["ratio"][2] < 1
    assert encoder["ratio"][2] < 10
    assert min(low for _, low, _ in encoder["norms"]) > 0.1


def test_what_an_instructor_asks_of_the_depth_has_an_answer(explorer):
    overflow = {
        stack: [
            depth
            for depth, layers in zip(explorer.data["depths"], of["no norm"], strict=True)
            if layers[0][0] is None
        ]
        for stack, of in explorer.data["norms"].items()
    }
    assert overflow == {"encoder": [24, 32, 48], "decoder": [32, 48]}


def test_an_overflow_counts_as_the_largest_and_leaves_no_ratio():
    starts = [[None, 1.0], [3.0, 1.0], [2.0, 4.0]]
    gradients = {"encoder": {"no norm": {"2": starts}}}
    data = blocks_explorer({"depths": [2], "gradients": gradients}).data
    assert data["norms"]["encoder"]["no norm"] == [[[3.0, 2.0, None], [1.0, 1.0, 4.0]]]
    assert data["ratios"]["encoder"]["no norm"] == [[None] * 3]


def test_a_depth_that_was_not_measured_is_refused():
    with pytest.raises(MtcourseError, match=r"no depth 5 was measured: choose one of \[1, 2, 4"):
        blocks_explorer(settings={"depth": 5})


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.0413, "0.041"),
        (1.0, "1.0"),
        (99.7, "100"),
        (155.4, "155"),
        (99_999.9, "1.0 × 10⁵"),
        (2.41e-8, "2.4 × 10⁻⁸"),
        (2.675e12, "2.7 × 10¹²"),
        (None, "overflow"),
    ],
)
def test_sizes_are_written_for_a_reader(node, value, said):
    assert node("sized(value)", value=value) == said


def test_the_axis_stays_while_the_depth_changes_and_holds_what_is_shown(node, explorer):
    for stack, shown in (("encoder", ["post-norm"]), ("decoder", ["post-norm", "pre-norm"])):
        low, high = node(
            "decadesOf(data, settings)",
            data=explorer.data,
            settings={"stack": stack, "shown": shown},
        )
        every = [
            layer
            for placement in shown
            for depth in explorer.data["norms"][stack][placement]
            for layer in depth
        ]
        assert low < np.log10(min(of for _, of, _ in every))
        assert high > np.log10(max(of for _, _, of in every))
    assert node(
        "decadesOf(data, settings)",
        data=explorer.data,
        settings={"stack": "decoder", "shown": ["no norm"]},
    )[1] == node("HIGHEST")


def test_a_curve_that_leaves_the_picture_is_drawn_to_its_edge(node):
    found = node("cutAt(6, [[1, 40], [2, 5], [3, 0]])")
    assert found[0] == [1, 40]
    assert found[1] == pytest.approx([1 + 34 / 35, 6])
    assert found[2:] == [[2, 5], [3, 0]]


# --- in a browser --------------------------------------------------------------------------------


@pytest.fixture(params=["file", "book", "dark"])
def opened(browser, request, explorer):
    """The explorer alone in a file, and on the page of the book."""
    place = PAGE if request.param == "book" else "file"
    scheme = "dark" if request.param == "dark" else "light"
    with visited_explorers(browser, request, place, explorer.html(), scheme) as visited:
        yield visited


def of(visited: Visit):
    return visited.page.locator('[data-explorer="blocks"]').first


@pytest.mark.browser
def test_depth_placement_and_layer_change_what_is_drawn_and_said(opened: Visit, node, explorer):
    ratios = explorer.data["ratios"]
    shallow, deep, encoder = node(
        "all.map(ranged)",
        all=[
            ratios["decoder"]["post-norm"][explorer.data["depths"].index(12)],
            ratios["decoder"]["post-norm"][-1],
            ratios["encoder"]["post-norm"][-1],
        ],
    )
    explorer = of(opened)
    says, picture = explorer.locator("[aria-live]").first, explorer.locator("svg").first
    assert "Post-norm: the norm is 0.0" in says.inner_text()
    assert f"in layer 1 of 12. The last layer has {shallow} times" in says.inner_text()
    assert picture.locator(".explorer-curve").count() == 2
    explorer.get_by_role("slider", name="Depth").press("End")
    assert f"in layer 1 of 48. The last layer has {deep} times" in says.inner_text()
    explorer.get_by_role("slider", name="Read the norm in layer").fill("20")
    assert "in layer 20 of 48" in says.inner_text()
    explorer.get_by_role("slider", name="Depth").fill("0")
    assert "in layer 1 of 1." in says.inner_text()
    assert "The last layer" not in says.inner_text(), "it is the first"
    explorer.get_by_role("slider", name="Depth").press("End")
    explorer.get_by_role("checkbox", name="no norm").check()
    assert picture.locator(".explorer-curve").count() == 3
    assert "No norm: the norm overflows in layer 1 of 48." in says.inner_text()
    explorer.get_by_label("encoder", exact=True).check()
    assert f"The last layer has {encoder} times" in says.inner_text()
    for placement in ("post-norm", "pre-norm", "no norm"):
        explorer.get_by_role("checkbox", name=placement).uncheck()
    assert says.inner_text() == "Choose at least one placement of the norm."


@pytest.mark.browser
def test_rows_are_swapped_and_numbers_changed_with_the_keyboard(opened: Visit):
    explorer = of(opened)
    says = explorer.locator("[aria-live]").nth(1)
    untouched = says.inner_text()
    assert untouched == "The rows are as they were. Swap two of them, or change a number."
    explorer.get_by_role("button", name="Swap the two rows").press("Enter")
    assert "The rows are now: the man bites a dog." in says.inner_text()
    assert "Every output moved with its row." in says.inner_text()
    network = explorer.locator("table", has_text="Position-wise network")
    verdicts = network.locator("tbody td:last-child")
    assert verdicts.all_inner_texts() == ["same", "moved", "same", "same", "moved"]
    explorer.get_by_role("button", name="Swap the two rows").press("Enter")
    assert says.inner_text() == untouched
    explorer.get_by_role("grid").locator("[tabindex='0']").press("ArrowUp")
    assert explorer.get_by_role("slider", name="Number 1 of “dog”").is_visible()
    explorer.get_by_role("grid").locator("[tabindex='0']").press("ArrowDown")
    explorer.get_by_role("slider", name="Number 1 of “bites”").press("ArrowRight")
    assert "network: “bites” (4 numbers); layer norm: “bites” (4" in says.inner_text()
    assert "columns: all 5 rows (5 numbers)." in says.inner_text()
    assert verdicts.all_inner_texts() == ["same", "same", "changed", "same", "same"]
    explorer.get_by_role("button", name="Start again").press("Enter")
    assert says.inner_text() == untouched
    explorer.get_by_label("with the row of").select_option(label="dog")
    assert explorer.get_by_role("button", name="Swap the two rows").is_disabled()


@pytest.mark.browser
@pytest.mark.parametrize("opened", ["file"], indirect=True)
def test_heads_of_three_letters_stand_upright(opened: Visit):
    heads = of(opened).locator("table", has_text="Position-wise network").locator("thead span")
    assert heads.all_inner_texts() == ["1", "2", "3", "4", "row"]
    flows = heads.evaluate_all("(all) => all.map((head) => getComputedStyle(head).writingMode)")
    assert set(flows) == {"horizontal-tb"}


@pytest.mark.browser
@pytest.mark.parametrize("opened", ["file"], indirect=True)
def test_a_small_screen_holds_it_and_its_letters_stay_large(opened: Visit):
    opened.page.set_viewport_size({"width": 360, "height": 800})
    opened.page.wait_for_function(
        "document.querySelector('.mtcourse-explorer svg').viewBox.baseVal.width < 400"
    )
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 360
    scale = opened.page.evaluate(
        "(() => { const svg = document.querySelector('.mtcourse-explorer svg');"
        " return svg.getBoundingClientRect().width / svg.viewBox.baseVal.width; })()"
    )
    assert 0.85 < scale < 1.15
