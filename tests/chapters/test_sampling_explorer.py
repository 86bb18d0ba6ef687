"""The explorer of chapter 19: its filters are the package's, its numbers the models'."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator

import pytest
import torch

from mtcourse.chapters.sampling.explorer import sampling_explorer
from mtcourse.decoding.filters import in_order, min_p, temperature, top_k, top_p
from mtcourse.errors import MtcourseError
from mtcourse.models.language_model import LanguageModel
from mtcourse.text.tokenizer import BOS
from tests.helpers.browsing import Visit, visited_explorers
from tests.helpers.javascript import computed


@pytest.fixture(scope="module")
def explorer():
    return sampling_explorer()


@pytest.fixture(scope="module")
def node():
    """Computes an expression in the scope of the explorer's module."""
    return functools.partial(computed, "sampling")


KS = [1, 2, 3, 5, 10, 20, 50, 100, math.inf]
PS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1]
MS = [0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1]


def package_filter(T, k, p, m, order):
    warm = functools.partial(temperature, T=math.inf if T == 31 else T / 10)
    cut = [functools.partial(top_p, p=PS[p]), functools.partial(min_p, p=MS[m])]
    if k != len(KS) - 1:
        cut.insert(0, functools.partial(top_k, k=KS[k]))
    return in_order(warm, *cut) if order == "first" else in_order(*cut, warm)


SETTINGS = [
    *itertools.product((0, 5, 10, 20, 31), (8,), (8, 11), (0, 4), ("first", "last")),
    (15, 3, 6, 2, "first"),
    (15, 5, 4, 2, "last"),
]


@pytest.mark.parametrize("text", [0, 1, 5])
def test_what_stays_and_its_shares_are_the_packages(explorer, node, text):
    logits = torch.tensor(explorer.data["texts"][text]["logits"], dtype=torch.float64) / 100
    asked = [
        {"text": text, "T": T, "k": k, "p": p, "m": m, "order": order}
        for T, k, p, m, order in SETTINGS
    ]
    views = node(
        "asked.map((one) => { const view = viewOf(data, one); "
        "return [view.kept.length, view.shown.map((id) => [id, view.after[id]])]; })",
        data=explorer.data, asked=asked,
    )  # fmt: skip
    for of, (count, shown) in zip(SETTINGS, views, strict=True):
        changed = package_filter(*of)(logits)
        assert count == int((changed > -math.inf).sum()), of
        shares = changed.softmax(-1)
        assert [p for _, p in shown] == pytest.approx([float(shares[i]) for i, _ in shown]), of


def test_the_stored_logits_are_the_language_models(explorer):
    language_model = LanguageModel.load(device="cpu")
    ids = torch.tensor([[BOS, *language_model.tokenizer.encode("De kok")]])
    with torch.no_grad():
        expected = language_model.model(ids)[0, -1].softmax(-1)
    stored = (torch.tensor(explorer.data["texts"][0]["logits"]) / 100).softmax(-1)
    torch.testing.assert_close(stored, expected, rtol=0.02, atol=1e-5)


def test_draws_follow_the_shares_and_a_seed_repeats_them(explorer, node):
    settings = {"text": 0, "T": 10, "k": 2, "p": 11, "m": 0, "order": "first"}
    counts = node(
        "Array.from({ length: 200 }, (_, seed) => tally(viewOf(data, settings), seed))",
        data=explorer.data, settings=settings,
    )  # fmt: skip
    found = {}
    for name, n in itertools.chain(*counts):
        found[name] = found.get(name, 0) + n
    logits = torch.tensor(explorer.data["texts"][0]["logits"]) / 100
    shares = top_k(logits, 3).softmax(-1)
    names = explorer.data["pieces"]["dutch"]
    assert set(found) == {names[i] for i in shares.nonzero()[:, 0]}
    for i in shares.nonzero()[:, 0]:
        assert found[names[i]] / 4000 == pytest.approx(float(shares[i]), abs=0.04)
    first, second = (
        counts[1],
        node("tally(viewOf(data, settings), 1)", data=explorer.data, settings=settings),
    )
    assert first == second


def test_there_must_be_a_text():
    with pytest.raises(MtcourseError, match="at least one beginning"):
        sampling_explorer(beginnings=[])


@pytest.fixture
def opened(browser, request: pytest.FixtureRequest, explorer) -> Iterator[Visit]:
    with visited_explorers(browser, request, "file", explorer.html()) as visited:
        yield visited


@pytest.mark.browser
def test_a_reader_sees_what_a_filter_leaves_and_draws_from_it(opened):
    page = opened.page
    page.get_by_label("top-k").fill("1")
    assert "2 of 1,500 tokens stay" in page.locator(".explorer-says").first.inner_text()
    page.get_by_label("temperature").fill("0")
    assert "1 token stays" in page.locator(".explorer-says").first.inner_text()
    drawn = page.locator(".explorer-says").nth(1)
    assert drawn.inner_text() == "20 draws: is 20"
