"""The tables that explorers leave on a page without scripts, against other ways to them."""

from __future__ import annotations

import math

import pytest
import torch
import torch.nn.functional as F

from mtcourse.errors import MtcourseError
from mtcourse.figures.still import Still
from mtcourse.layers.positions import sinusoidal_positions
from mtcourse.models.language_model import LanguageModel
from mtcourse.models.translator import Translator
from mtcourse.models.word_weights import word_weights
from mtcourse.text.tokenizer import BOS
from tests.chapters.test_every_explorer import explorer_of


def still_of(word: str, **settings) -> Still:
    """An explorer's table, for its first settings or for others."""
    explorer = explorer_of(word)
    assert explorer.still is not None
    return explorer.still({**explorer.settings, **settings})


def column(still: Still, head: str) -> list:
    """What stands below a head."""
    at = list(still.heads).index(head)
    return [row[at] for row in still.rows]


@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
def test_attention_has_the_weights_of_the_head(kind):
    translator = Translator.load(device="cpu")
    sentence = explorer_of("attention").data["sentences"][1]
    products = translator.attention_products(sentence["text"], sentence["translation"])
    scores = getattr(products, kind)[1][2][3] / math.sqrt(explorer_of("attention").data["d_k"])
    still = still_of("attention", sentence=1, kind=kind, layer=1, head=2, query=3)
    weights = column(still, "weight")
    assert weights == pytest.approx(scores.softmax(-1)[: len(weights)].tolist(), abs=1e-3)
    assert "layer 2, head 3" in still.caption


def test_cross_attention_has_the_alignment():
    pair = explorer_of("cross_attention").data["sentences"][0]
    looked = Translator.load(device="cpu").attention_map(pair["text"], pair["translation"])
    found = word_weights(looked, pair["text"], pair["translation"]).weights[1].mean(0)
    rows = [row[1:] for row in still_of("cross_attention").rows]
    torch.testing.assert_close(torch.tensor(rows), found[:-1].float(), atol=1e-5, rtol=0)


def test_masks_have_no_weight_on_hidden_keys():
    data = explorer_of("masks").data
    scores = torch.tensor(data["products"]) / math.sqrt(data["d_k"])
    n, length = len(scores), explorer_of("masks").settings["length"]
    hidden = torch.ones(n, n).triu(1).bool() | (torch.arange(n) >= length)
    rows = torch.tensor([row[1:] for row in still_of("masks").rows])
    torch.testing.assert_close(rows, scores.masked_fill(hidden, -math.inf).softmax(-1))
    left = still_of("masks", side="left", causal=False)
    assert left.heads[1 : 1 + n - length] == ("<pad>",) * (n - length)


@pytest.mark.parametrize("epsilon", [0.0, 0.1])
def test_the_loss_is_that_of_torch(epsilon):
    still = still_of("loss", epsilon=epsilon)
    for lead, loss in zip(column(still, "z"), column(still, "loss in nats"), strict=True):
        logits = torch.zeros(20, dtype=torch.float64)
        logits[7] = float(lead.replace("−", "-"))
        right = F.cross_entropy(logits, torch.tensor(7), label_smoothing=epsilon)
        assert loss == pytest.approx(right.item())


def test_positions_are_as_similar_as_their_rows():
    rows = sinusoidal_positions(80, 16).double()
    still = still_of("positions")
    for distance, found in zip(column(still, "distance"), column(still, "similarity"), strict=True):
        cosine = F.cosine_similarity(rows[3], rows[3 + int(distance)], dim=0)
        assert found == pytest.approx(cosine.item(), abs=1e-5)


@pytest.mark.parametrize("shape", ["cosine", "inverse square root"])
def test_the_learning_rate_has_its_peak_at_the_end_of_the_warm_up(shape):
    still = still_of("training", shape=shape)
    rates = dict(zip(column(still, "step"), column(still, "learning rate"), strict=True))
    assert rates["200"] == max(rates.values()) == 0.003
    assert rates["100"] == pytest.approx(0.0015)


def test_sampling_has_the_probabilities_of_the_language_model():
    model = LanguageModel.load(device="cpu")
    begun = explorer_of("sampling").data["texts"][0]["begun"]
    ids = torch.tensor([[BOS, *model.tokenizer.encode(begun)]])
    with torch.no_grad():
        p = model.model(ids)[0, -1].softmax(-1).topk(12).values
    assert column(still_of("sampling"), "probability") == pytest.approx(p.tolist(), abs=2e-3)


def test_a_prediction_is_that_of_the_prefix():
    model = LanguageModel.load(device="cpu")
    sentence = explorer_of("decoder_models").data["sentences"][0]
    ids = [BOS, *model.tokenizer.encode(sentence["text"])][:5]
    with torch.no_grad():
        p = model.model(torch.tensor([ids]))[0, -1].softmax(-1).topk(5).values
    assert column(still_of("decoder_models"), "probability") == pytest.approx(p.tolist(), rel=1e-3)


def test_a_step_of_the_search_keeps_as_many_as_there_are_beams():
    still = still_of("search")
    assert still.rows[0][0].startswith("W")
    kept = [row for row in still.rows if row[3] != "dropped"]
    assert len(kept) == 2
    logs = [float(text.replace("−", "-")) for text in column(still, "log p")]
    assert column(still, "probability") == pytest.approx([math.exp(x) for x in logs], rel=6e-3)


def test_numbers_have_bars_and_signs():
    table = Still("a < b", ("", "x", "y"), [("r", -0.5, 1), ("s", 1.0, "t")], 1).html()
    assert "a &lt; b" in table
    assert "#c8571b55 50%" in table
    assert "−0.5" in table
    assert "#2b7bba55 100%" in table
    assert table.count("gradient") == 2


def test_the_name_of_a_weight_has_a_subscript():
    table = still_of("worked_example", matrix="W_Q_E").html()
    assert "The matrix W<sub>Q</sub><sub>E</sub> of the example." in table


@pytest.mark.parametrize("rows", [[], [("r", 1.0), ("s",)]])
def test_rows_that_do_not_fit_their_heads_are_refused(rows):
    with pytest.raises(MtcourseError, match="rows of 2 cells"):
        Still("x", ("", "y"), rows)
