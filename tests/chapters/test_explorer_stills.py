"""What explorers leave on a page without scripts, against other ways to the same numbers."""

from __future__ import annotations

import math

import pytest
import torch
import torch.nn.functional as F
from bs4 import BeautifulSoup
from matplotlib import pyplot as plt

from mtcourse.errors import MtcourseError
from mtcourse.figures.curves import curves
from mtcourse.figures.still import Still
from mtcourse.layers.positions import sinusoidal_positions
from mtcourse.models.language_model import LanguageModel
from mtcourse.models.translator import Translator
from mtcourse.models.word_weights import word_weights
from mtcourse.text.tokenizer import BOS
from tests.chapters.test_every_explorer import WORDS, explorer_of


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


def drawn_numbers(still: Still) -> list[float]:
    """What its picture shows: lengths of bars, points of curves, cells of a map."""
    found: list[float] = []
    for ax in (figure := still.picture().figure).axes:
        if ax.get_label() == "<colorbar>":
            continue
        found += [bar.get_width() for bar in ax.patches]
        found += [y for line in ax.lines for y in line.get_ydata()]
        found += [cell for image in ax.images for cell in image.get_array().flatten().tolist()]
    plt.close(figure)
    return found


DRAWN_OTHERWISE = {"problem_setup", "kv_cache"}
"""Their tables hold no fractions; tests of their own are below."""


@pytest.mark.by_turns(3)
@pytest.mark.parametrize("word", [word for word in WORDS if word not in DRAWN_OTHERWISE])
def test_the_picture_shows_the_numbers_of_the_table(word):
    still = still_of(word)
    numbers = [cell for row in still.rows for cell in row if isinstance(cell, float)]
    drawn = drawn_numbers(still)
    assert numbers
    for number in numbers:
        assert min(abs(number - of) for of in drawn) <= 1e-6 * max(1.0, abs(number)), number


@pytest.mark.parametrize("word", ["attention", "cross_attention", "masks", "loss", "training"])
def test_another_choice_is_another_picture(word):
    other = {
        "attention": {"query": 2},
        "cross_attention": {"head": 0},
        "masks": {"causal": False},
        "loss": {"V": 2000},
        "training": {"peak": 0.001},
    }
    assert drawn_numbers(still_of(word)) != drawn_numbers(still_of(word, **other[word]))


def test_the_curves_of_the_cache_end_in_the_counts_of_the_step():
    still = still_of("kv_cache", step=9)
    counts = dict(zip((row[0] for row in still.rows), still.rows, strict=True))
    without, cached = counts["multiplications so far"][1:]
    ax = still.picture()
    ends = [line.get_ydata()[-1] for line in ax.lines]
    plt.close(ax.figure)
    assert ends == pytest.approx([without / 1e6, cached / 1e6])


def test_each_piece_has_a_box_in_the_row_of_its_vocabulary():
    still = still_of("problem_setup")
    ax = still.picture()
    texts = [text.get_text() for text in ax.texts]
    plt.close(ax.figure)
    assert texts == [piece for _, _, pieces in still.rows for piece in pieces.split()]
    assert len(ax.patches) == sum(row[1] for row in still.rows)


@pytest.fixture
def picture():
    """Draws a curve."""
    return lambda: curves({"x": [(0, 1), (1, 2)]}, "x", "y")


def test_a_still_is_its_picture_and_its_table(picture):
    rows = [("r", -0.5, 1000), ("s", 1.0, "t")]
    soup = BeautifulSoup(Still("a < b", ("", "x", "y"), rows, picture, 1).html(), "html.parser")
    assert soup.svg["role"] == "img"
    assert soup.svg["aria-label"] == "The numbers of the table as a picture"
    assert soup.svg.find_next("table") is soup.table
    assert soup.caption.text == "a < b"
    assert [cell.text for cell in soup.select("tbody :is(th, td)")] == [
        "r", "−0.5", "1,000", "s", "1.0", "t",
    ]  # fmt: skip
    assert plt.get_fignums() == []


def test_a_picture_with_a_ground_of_its_own_is_refused():
    with pytest.raises(MtcourseError, match="book's style"):
        Still("x", ("", "y"), [("r", 1.0)], lambda: plt.figure(facecolor="white").gca()).html()


def test_the_name_of_a_weight_has_a_subscript():
    table = still_of("worked_example", matrix="W_Q_E").html()
    assert "The matrix W<sub>Q</sub><sub>E</sub> of the example." in table


@pytest.mark.parametrize("rows", [[], [("r", 1.0), ("s",)]])
def test_rows_that_do_not_fit_their_heads_are_refused(rows, picture):
    with pytest.raises(MtcourseError, match="rows of 2 cells"):
        Still("x", ("", "y"), rows, picture)
