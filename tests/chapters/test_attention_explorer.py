"""The explorer of attention computes what the package computes."""

from __future__ import annotations

import math

import pytest
import torch

from mtcourse.chapters.attention.explorer import SENTENCES, attention_explorer
from mtcourse.errors import MtcourseError
from mtcourse.layers.attention import attention_weights
from mtcourse.layers.masks import causal_mask
from mtcourse.models.translator import Translator
from mtcourse.text.corpora import builtin_corpus
from tests.helpers.javascript import computed as node
from tests.helpers.script_numbers import equal, products_of


@pytest.mark.parametrize(
    ("d_k", "exponent", "temperature", "size"),
    [(1, 0.5, 1.0, 1.0), (32, 0.5, 1.0, 6.0), (32, 0.0, 1.0, 6.0), (8, 1.0, 0.3, 3.0),
     (64, 0.25, 7.5, 8.0), (32, 0.5, 1.0, 1e4)],
)  # fmt: skip
@pytest.mark.parametrize("causal", [False, True])
def test_weights_are_those_of_the_package(d_k, exponent, temperature, size, causal):
    products = products_of(d_k, 5, 5, size)
    how = {"d_k": d_k, "exponent": exponent, "temperature": temperature, "causal": causal}
    found = node(
        "attention", "attentionWeights(products, how)", products=products.tolist(), how=how
    )
    scores = products / (d_k**exponent * temperature)
    equal(found, attention_weights(scores, causal_mask(5) if causal else None))


def test_softmax_of_nothing_of_infinities_and_of_large_numbers():
    inf = math.inf
    rows = [[-inf, -inf], [0.0, -inf], [1000.0, 1001.0], [-1e9, -1e9]]
    mask = [[score > -inf for score in row] for row in rows]
    found = node("attention", "rows.map(softmax)", rows=rows)
    equal(found, attention_weights(torch.tensor(rows), torch.tensor(mask)))
    assert found[0] == [0, 0]


def test_the_effective_number_is_the_exponential_of_the_entropy():
    rows = torch.softmax(products_of(3, 4, 6, 2.0), -1)
    found = node("attention", "rows.map(effectiveNumber)", rows=rows.tolist())
    equal(found, torch.distributions.Categorical(rows).entropy().exp())
    assert node("attention", "effectiveNumber([0, 1, 0])") == 1
    assert node("attention", "effectiveNumber([0.25, 0.25, 0.25, 0.25])") == pytest.approx(4)


def test_a_heads_weights_are_those_that_the_translator_computed():
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


@pytest.mark.slow
def test_the_sentences_are_none_that_the_translator_has_learnt():
    learnt = {pair.source for pair in builtin_corpus().splits["train"]}
    assert learnt.isdisjoint(SENTENCES)


def test_an_explorer_of_no_sentences_says_what_it_needs():
    with pytest.raises(MtcourseError, match="at least one sentence"):
        attention_explorer(sentences=[])
