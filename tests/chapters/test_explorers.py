"""The explorers compute what the package computes, and stand in a page with all that they need."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest
import torch

from mtcourse.chapters.attention.explorer import SENTENCES, attention_explorer
from mtcourse.chapters.masks.explorer import masks_explorer
from mtcourse.chapters.problem_setup.explorer import problem_setup_explorer
from mtcourse.chapters.training.explorer import training_explorer
from mtcourse.errors import MtcourseError
from mtcourse.figures.explorer import shown_pieces
from mtcourse.layers.attention import attention_weights
from mtcourse.layers.masks import additive_mask, causal_mask, padding_mask
from mtcourse.models.translator import Translator
from mtcourse.text.corpora import builtin_corpus
from mtcourse.text.tokenizer import Tokenizer
from mtcourse.training.schedules import cosine, inverse_square_root
from tests.helpers.javascript import computed
from tests.helpers.small_corpus import PAIRS

# Torch sums in float32, in another order.
CLOSE = {"rtol": 0.0, "atol": 1e-5, "equal_nan": True}


# --- the scripts, run by node -------------------------------------------------------------------


@pytest.fixture(scope="module")
def node():
    """Computes an expression in the scope of an explorer's module."""
    return computed


def products_of(seed: int, m: int, n: int, size: float = 1.0) -> torch.Tensor:
    return size * torch.randn(m, n, generator=torch.Generator().manual_seed(seed))


def equal(found: Any, wanted: torch.Tensor) -> None:
    torch.testing.assert_close(torch.tensor(found, dtype=wanted.dtype), wanted, **CLOSE)


@pytest.mark.parametrize(
    ("d_k", "exponent", "temperature", "size"),
    [(1, 0.5, 1.0, 1.0), (32, 0.5, 1.0, 6.0), (32, 0.0, 1.0, 6.0), (8, 1.0, 0.3, 3.0),
     (64, 0.25, 7.5, 8.0), (32, 0.5, 1.0, 1e4)],
)  # fmt: skip
@pytest.mark.parametrize("causal", [False, True])
def test_weights_are_those_of_the_package(node, d_k, exponent, temperature, size, causal):
    products = products_of(d_k, 5, 5, size)
    how = {"d_k": d_k, "exponent": exponent, "temperature": temperature, "causal": causal}
    found = node(
        "attention", "attentionWeights(products, how)", products=products.tolist(), how=how
    )
    scores = products / (d_k**exponent * temperature)
    equal(found, attention_weights(scores, causal_mask(5) if causal else None))


def test_softmax_of_nothing_of_infinities_and_of_large_numbers(node):
    inf = math.inf
    rows = [[-inf, -inf], [0.0, -inf], [1000.0, 1001.0], [-1e9, -1e9]]
    mask = [[score > -inf for score in row] for row in rows]
    found = node("attention", "rows.map(softmax)", rows=rows)
    equal(found, attention_weights(torch.tensor(rows), torch.tensor(mask)))
    assert found[0] == [0, 0]


def test_the_effective_number_is_the_exponential_of_the_entropy(node):
    rows = torch.softmax(products_of(3, 4, 6, 2.0), -1)
    found = node("attention", "rows.map(effectiveNumber)", rows=rows.tolist())
    equal(found, torch.distributions.Categorical(rows).entropy().exp())
    assert node("attention", "effectiveNumber([0, 1, 0])") == 1
    assert node("attention", "effectiveNumber([0.25, 0.25, 0.25, 0.25])") == pytest.approx(4)


def test_a_heads_weights_are_those_that_the_translator_computed(node):
    translator = Translator.load(device="cpu")
    explorer = attention_explorer(translator, SENTENCES[:1])
    looked = translator.attention_map(SENTENCES[0])
    (of_sentence,) = explorer.data["sentences"]
    found = node(
        "attention",
        "products.map((heads) => heads.map((head) => attentionWeights(head, { d_k })))",
        products=of_sentence["cross"],
        d_k=explorer.data["d_k"],
    )
    # The products are rounded to three decimals, so that the page stays small.
    torch.testing.assert_close(torch.tensor(found), looked.weights, rtol=0, atol=1e-4)


@pytest.mark.parametrize("side", ["right", "left"])
@pytest.mark.parametrize("length", [0, 3, 5])
def test_who_may_see_whom_is_what_the_package_says(node, side, length):
    filled = [j < length if side == "right" else j >= 5 - length for j in range(5)]
    ids = torch.tensor([[4 if real else 0 for real in filled]])
    for causal, padding in itertools.product([False, True], repeat=2):
        found = node(
            "masks",
            "allowedOf(realPositions(5, length, side), { causal, padding })",
            length=length,
            side=side,
            causal=causal,
            padding=padding,
        )
        everything = torch.ones(5, 5, dtype=torch.bool)
        wanted = causal_mask(5) if causal else everything
        wanted = wanted & (padding_mask(ids)[0, 0] if padding else everything)
        assert torch.tensor(found).equal(wanted)


def test_a_flipped_cell_is_the_opposite(node):
    found = node(
        "masks",
        'allowedOf([true, true], { causal: true, padding: true, flipped: ["0,1", "1,1"] })',
    )
    assert found == [[True, True], [True, False]]


ALLOWED = torch.tensor([[1, 0, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0], [1, 0, 1, 1]], dtype=torch.bool)
VALUES = (-math.inf, -1.0, -10.0, -1000.0, -1e9)


def torch_scores(
    products: torch.Tensor, d_k: int, how: str, value: float, inside: bool
) -> torch.Tensor:
    """The documents' masks, in torch: A14 inside the division, D03 outside, B16 by a product."""
    scores = products if inside else products / math.sqrt(d_k)
    if how == "multiply":
        scores = scores * ALLOWED
    elif how == "replace":
        scores = scores.masked_fill(~ALLOWED, value)
    elif value == -math.inf:
        scores = scores + additive_mask(ALLOWED)
    else:
        scores = scores + value * (~ALLOWED).float()
    return scores / math.sqrt(d_k) if inside else scores


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("how", ["add", "replace", "multiply"])
@pytest.mark.parametrize("size", [4.0, 300.0])
def test_masked_weights_are_those_of_torch(node, how, inside, size):
    products = products_of(7, 4, 4, size)
    settings = [{"d_k": 16, "how": how, "value": v, "inside": inside} for v in VALUES]
    found = node(
        "masks",
        "settings.map((how) => ({ scores: maskedScores(products, allowed, how), "
        "weights: maskedWeights(products, allowed, how), "
        "zeros: maskedWeights(products, allowed, { ...how, zeros: true }) }))",
        products=products.tolist(),
        allowed=ALLOWED.tolist(),
        settings=settings,
    )
    for one, value in zip(found, VALUES, strict=True):
        scores = torch_scores(products, 16, how, value, inside)
        torch.testing.assert_close(torch.tensor(one["scores"]), scores)
        weights = torch.softmax(scores, -1)
        equal(one["weights"], weights)
        equal(one["zeros"], weights.masked_fill(~ALLOWED.any(-1, keepdim=True), 0.0))
        if value == -math.inf and how != "multiply":
            equal(one["zeros"], attention_weights(products / 4, ALLOWED))
            assert all(map(math.isnan, one["weights"][2])), "nothing to attend to is 0/0"


def test_leaks_are_counted(node):
    weights = [[0.9, 0.1, 0, 0], [0.5, 0.5, 0, 0], [math.nan] * 4, [0.7, 0.2, 0.1, 0]]
    found = node("masks", "leaks(w, allowed)", w=weights, allowed=ALLOWED.tolist())
    assert found == {"rows": 2, "total": pytest.approx(0.3), "nan": 1}


def test_schedules_are_those_of_the_package(node):
    steps = [1, 2, 199, 200, 201, 777, 2000]
    by_cosine = node("training", "s.map((t) => cosine(t, 200, 2000))", s=steps)
    by_root = node("training", "s.map((t) => inverseSquareRoot(t, 200))", s=steps)
    assert by_cosine == pytest.approx([cosine(step, 200, 2000) for step in steps])
    assert by_root == pytest.approx([inverse_square_root(step, 200) for step in steps])


def test_numbers_are_written_so_that_0_means_nothing(node):
    of = [0, 0.004, 3e-7, 0.5, 1]
    assert node("masks", "of.map((x) => weight(x))", of=of) == [
        "0", "4e−3", "3e−7", "0.50", "1.00",
    ]  # fmt: skip
    of = [0.001, -0.001, -2.5, -1e9, -math.inf]
    assert node("masks", "of.map((x) => written(x, 1))", of=of) == [
        "0.0", "0.0", "−2.5", "−1e9", "−∞",
    ]  # fmt: skip


# --- what a notebook and a page get -------------------------------------------------------------


@pytest.fixture(scope="module")
def tokenizers() -> list[Tokenizer]:
    return [Tokenizer.train([pair.source for pair in PAIRS], size) for size in (290, 320)]


def test_settings_are_known_by_name(tokenizers):
    assert masks_explorer(settings={"causal": False}).settings["causal"] is False
    assert problem_setup_explorer(tokenizers, ["A cat"]).settings == {"at": 1}
    with pytest.raises(MtcourseError, match="no settings speed; it has shape, peak"):
        training_explorer({"speed": 1})


def test_an_explorer_of_nothing_says_what_it_needs(tokenizers):
    with pytest.raises(MtcourseError, match="at least one sentence"):
        attention_explorer(sentences=[])
    with pytest.raises(MtcourseError, match="not 2 and 0"):
        problem_setup_explorer(tokenizers, [])


def test_pieces_that_go_on_with_a_word_begin_with_a_dot():
    shown = shown_pieces(["▁The", "▁", "bak", "er", ".", "<eos>"])
    assert shown == ["The", "▁", "·bak", "·er", ".", "<eos>"]


def test_the_mask_builders_scores_are_of_the_usual_size():
    explorer = masks_explorer()
    scores = torch.tensor(explorer.data["products"]) / math.sqrt(explorer.data["d_k"])
    assert scores.shape == (5, 5)
    assert 0.5 < scores.std() < 1.5


@pytest.mark.slow
def test_the_sentences_are_none_that_the_translator_has_learnt():
    learnt = {pair.source for pair in builtin_corpus().splits["train"]}
    assert learnt.isdisjoint(SENTENCES)
