"""The explorer of chapter 13 shows the model's own predictions and gradients, in both ways."""

from __future__ import annotations

import copy
import functools
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from mtcourse.chapters.decoder_models.explorer import (
    SENTENCES,
    decoder_models_explorer,
    one_pass,
    prefix_by_prefix,
)
from mtcourse.errors import MtcourseError
from mtcourse.models.decoder_model import DecoderModel
from mtcourse.models.language_model import LanguageModel
from mtcourse.models.transformer import TransformerConfig
from mtcourse.text.corpora import builtin_corpus
from mtcourse.text.text_batches import next_token_batch
from tests.helpers.browsing import Visit, visited_explorers
from tests.helpers.javascript import computed

PAGE = "book/13_decoder_models.html"
VARIANTS = [(mask, way) for mask in ("masked", "open") for way in ("pass", "prefixes")]


@pytest.fixture(scope="module")
def language_model():
    return LanguageModel.load(device="cpu")


@pytest.fixture(scope="module")
def explorer(language_model):
    return decoder_models_explorer(language_model)


@pytest.fixture(scope="module")
def node():
    """Computes an expression in the scope of the explorer's module."""
    return functools.partial(computed, "decoder_models")


@pytest.fixture(scope="module")
def small():
    """A model in double precision, and a sequence with its labels."""
    config = TransformerConfig(V=11, d_model=12, h=3, d_ff=20, layers=2, dropout=0.0)
    batch = next_token_batch([[5, 9, 4, 5, 7]])
    return DecoderModel(config, seed=4).double().eval(), batch.inputs[0], batch.labels[0]


def of_page(explorer, sentence: int) -> dict[str, Any]:
    return explorer.data["sentences"][sentence]


def place_of(explorer, sentence: int, answer: str) -> int:
    return of_page(explorer, sentence)["answers"].index(answer)


# --- predictions and gradients ------------------------------------------------------------------


@pytest.mark.parametrize("causal", [True, False])
def test_one_pass_is_the_model_and_its_jacobian(small, causal):
    model, inputs, labels = small

    def losses(rows: torch.Tensor) -> torch.Tensor:
        logits = model.logits(model.run(rows[None], None, causal)[0][-1])[0]
        return F.cross_entropy(logits, labels, reduction="none")

    log_p, norms = one_pass(model, inputs, labels, causal)
    rows = model.embed(inputs)
    jacobian = torch.autograd.functional.jacobian(losses, rows)
    torch.testing.assert_close(norms, jacobian.norm(dim=-1), rtol=1e-12, atol=1e-15)
    right = log_p.gather(1, labels[:, None])[:, 0]
    torch.testing.assert_close(-right, losses(rows).detach(), rtol=1e-12, atol=1e-12)
    if causal:
        torch.testing.assert_close(log_p, model(inputs[None])[0].log_softmax(-1).detach())


def test_under_the_mask_both_ways_agree_and_later_gradients_are_exactly_0(small):
    (log_p, norms), (singly, singly_norms) = (
        way(*small, causal=True) for way in (one_pass, prefix_by_prefix)
    )
    torch.testing.assert_close(singly, log_p, rtol=1e-12, atol=1e-12)
    torch.testing.assert_close(singly_norms, norms, rtol=1e-11, atol=1e-14)
    assert torch.equal(norms != 0, torch.ones_like(norms, dtype=torch.bool).tril())


def test_without_the_mask_one_pass_reads_everything_and_a_prefix_only_itself(small):
    (log_p, norms), (singly, singly_norms) = (
        way(*small, causal=False) for way in (one_pass, prefix_by_prefix)
    )
    assert (norms > 0).all()
    assert torch.equal(singly_norms != 0, torch.ones_like(norms, dtype=torch.bool).tril())
    assert ((log_p - singly).abs().amax(1) > 1e-6).tolist() == [True] * (len(log_p) - 1) + [False]
    torch.testing.assert_close(singly[-1], log_p[-1], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("sentence", range(len(SENTENCES)))
def test_the_page_shows_what_the_language_model_says(explorer, language_model, sentence):
    shown = of_page(explorer, sentence)
    _, log_p = language_model.token_log_probabilities(SENTENCES[sentence])
    for way in ("pass", "prefixes"):
        run = shown["masked"][way]
        assert run["log_p"] == pytest.approx(log_p, abs=2e-3)
        assert sum(run["log_p"]) == pytest.approx(
            -language_model.likelihood([SENTENCES[sentence]]).nats, abs=2e-3
        )
    assert shown["masked"]["pass"] == shown["masked"]["prefixes"]


@pytest.mark.parametrize(("mask", "way"), VARIANTS)
def test_the_listed_tokens_are_the_most_probable_and_the_right_one_has_its_rank(
    explorer, language_model, mask, way
):
    tokenizer = language_model.tokenizer
    model = copy.deepcopy(language_model.model).double()
    batch = next_token_batch(tokenizer.encode_all([SENTENCES[1]]))
    inputs, labels = batch.inputs, batch.labels[0].tolist()
    run = of_page(explorer, 1)[mask][way]
    for t, label in enumerate(labels):
        read = inputs[:, : t + 1] if way == "prefixes" else inputs
        with torch.inference_mode():
            hidden = model.run(model.embed(read), None, causal=mask == "masked")[0][-1]
            p = model.logits(hidden)[0, t].softmax(-1).tolist()
        ordered = sorted(range(len(p)), key=lambda token: -p[token])
        pieces = [piece.removeprefix("▁") for piece in tokenizer.pieces(ordered[:5])]
        assert [of.removeprefix("·") for of in run["best"][t]] == [of or "▁" for of in pieces]
        assert run["probabilities"][t] == pytest.approx([p[of] for of in ordered[:5]], rel=1e-3)
        assert run["ranks"][t] == ordered.index(label) + 1
        assert run["p"][t] == pytest.approx(p[label], rel=1e-3)


def test_the_gradients_of_the_page_fill_the_triangle_or_the_square(explorer):
    for shown in explorer.data["sentences"]:
        n = len(shown["inputs"])
        triangle = torch.ones(n, n, dtype=torch.bool).tril()
        for mask, way in VARIANTS:
            filled = torch.tensor(shown[mask][way]["gradients"], dtype=torch.float64) != 0
            whole = mask == "open" and way == "pass"
            assert torch.equal(filled, torch.ones_like(triangle) if whole else triangle)


def test_the_sentences_are_of_the_test_split_and_fit_a_phone(explorer):
    test = {pair.target for pair in builtin_corpus(train=100).splits["test"]}
    assert test.issuperset(SENTENCES)
    assert max(len(shown["inputs"]) for shown in explorer.data["sentences"]) <= 9


@pytest.mark.parametrize(
    ("sentences", "says"),
    [
        ([], "needs at least one sentence"),
        (["Ja.", " "], "' ' has 0 tokens: take a sentence with 1 to 127"),
        (["hij " * 200], "has 200 tokens"),
    ],
)
def test_sentences_that_cannot_be_predicted_are_refused(language_model, sentences, says):
    with pytest.raises(MtcourseError, match=says):
        decoder_models_explorer(language_model, sentences)


# --- the script, run by node --------------------------------------------------------------------


def views(node, explorer, expression: str, changes: list[dict[str, Any]]) -> list[Any]:
    """An expression of ``view`` for each of several changes of the settings."""
    chosen = [{**explorer.settings, **change} for change in changes]
    return node(
        f"all.map((of) => {{ const view = viewOf(data, of); return {expression}; }})",
        data=explorer.data,
        all=chosen,
    )


def test_roles_are_those_of_the_mask_and_of_the_prefix(node):
    roles = "[0, 1, 2, 3].map((t) => [0, 1, 2, 3].map((j) => roleOf(view, t, j)))"
    masked, prefix, whole = (
        node(roles, view=view)
        for view in (
            {"mask": True, "way": "pass"},
            {"mask": False, "way": "prefixes"},
            {"mask": False, "way": "pass"},
        )
    )
    assert masked[1] == ["read", "read", "hidden", "hidden"]
    assert prefix[1] == ["read", "read", "absent", "absent"]
    assert whole[1] == ["read", "read", "answer", "later"]
    assert masked[3] == prefix[3] == whole[3] == ["read"] * 4
    assert node(roles, view={"mask": True, "way": "prefixes"}) == prefix


def test_costs_count_every_position_of_every_run(node):
    for n in (1, 2, 9):
        each, whole = node("[costOf(n, 'prefixes'), costOf(n, 'pass')]", n=n)
        lengths = [len(range(t + 1)) for t in range(n)]
        assert each == {"runs": len(lengths), "positions": sum(lengths)}
        assert whole == {"runs": 1, "positions": n}


def test_the_right_token_is_always_listed(node, explorer):
    for sentence, shown in enumerate(explorer.data["sentences"]):
        for t, answer in enumerate(shown["answers"]):
            run = shown["masked"]["pass"]
            (found,) = views(node, explorer, f"candidatesOf(view, {t})", [{"sentence": sentence}])
            assert len(found) == 5 + (run["ranks"][t] > 5)
            (right,) = [of for of in found if of[1] == run["ranks"][t]]
            assert right[0] == answer
            assert right[2] == pytest.approx(run["p"][t], rel=1e-3)


@pytest.mark.parametrize(("rank", "listed"), [(1, 5), (5, 5), (6, 6)])
def test_it_is_added_to_the_list_only_where_it_is_none_of_the_five(node, rank, listed):
    run = {"best": [list("vwxyz")], "probabilities": [[0.5, 0.2, 0.1, 0.1, 0.05]], "p": [0.04]}
    view = {"answers": ["z"], "run": {**run, "ranks": [rank]}}
    assert len(node("candidatesOf(view, 0)", view=view)) == listed


def test_the_two_ways_differ_only_without_the_mask(node, explorer):
    every = [
        {"sentence": k, "mask": mask, "way": way}
        for k in range(len(SENTENCES))
        for mask in (True, False)
        for way in ("pass", "prefixes")
    ]
    found = views(node, explorer, "[differing(view), view.n, sumOf(view.run)]", every)
    for change, (count, n, total) in zip(every, found, strict=True):
        assert count == (0 if change["mask"] else n - 1)
        run = of_page(explorer, change["sentence"])["masked" if change["mask"] else "open"]
        assert total == pytest.approx(sum(run[change["way"]]["log_p"]))


def test_the_strongest_colour_is_the_largest_gradient(node, explorer):
    (heat,) = views(node, explorer, "heatOf(view)", [{}])
    norms = torch.tensor(of_page(explorer, 0)["masked"]["pass"]["gradients"])
    found = torch.tensor(heat)
    assert float(found.max()) == 1
    torch.testing.assert_close(found**2, norms / norms.max(), rtol=1e-5, atol=1e-7)


SAID = [
    ({"at": [4, 3]}, "Row 5 reads “<bos> Heeft hij op de”. It gives the right token, “bank”,"),
    ({"at": [4, 3]}, "a gradient of norm 0.853 to input 4, “op”, the largest of this row."),
    (
        {"at": [4, 6]},
        "The mask hides input 7, “gelegen”, from this row: the gradient there is exac",
    ),
    ({"at": [4, 6], "way": "prefixes"}, "This run ends before input 7, “gelegen”."),
    ({"at": [4, 5], "mask": False}, "Row 5 reads all 8 inputs; its answer “bank” is input 6."),
    ({"at": [4, 5], "mask": False}, " to input 6, “bank”, which is the answer."),
    ({"at": [4, 6], "mask": False}, " to input 7, “gelegen”, which comes after the answer."),
    ({"at": [7, 0], "mask": False}, "its answer “<eos>” is not among them."),
    ({"at": [99, 99], "sentence": 5}, "Row 7 reads “<bos> Waarom groet Eva het kind ?”."),
    ({"at": [1, 0], "mask": False, "way": "prefixes"}, "Run 2 reads “<bos> Heeft”. It gives"),
]


@pytest.mark.parametrize(("change", "said"), SAID)
def test_a_cell_says_what_its_row_reads_gives_and_sends(node, explorer, change, said):
    ((first, rest),) = views(node, explorer, "rowSays(view)", [change])
    assert said in first + rest


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, ["One pass: 1 run of the model, 8 positions.", "−16.17, the log-probability of the"]),
        ({}, ["8 runs and 1 + … + 8 = 36 positions. Both ways give the same log-probabilities."]),
        ({"way": "prefixes"}, ["36 positions, 4.5 times as many", "Both ways give the same"]),
        ({"mask": False}, ["the loss means nothing: rows 1 to 7 read their own answers."]),
        ({"mask": False}, ["The two ways differ in 7 of 8 rows. So these rows have read"]),
        ({"mask": False, "way": "prefixes"}, ["No run reads its answer", "−17.32; in one pass"]),
    ],
)
def test_the_sentence_says_what_each_way_costs_and_what_a_leak_shows(node, explorer, change, said):
    (parts,) = views(node, explorer, "sentenceSays(view)", [change])
    for words in said:
        assert words in "".join(parts)


# --- what page and instructor ask ---------------------------------------------------------------


def test_what_an_instructor_asks_has_an_answer(explorer):
    op = place_of(explorer, 1, "op")
    separable = of_page(explorer, 1)
    row = separable["masked"]["pass"]["gradients"][op]
    assert separable["inputs"][row.index(max(row))] == "loste"
    assert separable["masked"]["pass"]["p"][op] > 0.9
    largest = max(map(max, separable["masked"]["pass"]["gradients"]))
    assert max(row) < largest / 10, "a prediction that is nearly right has little to learn"

    bank = place_of(explorer, 0, "bank")
    masked, leaking = (of_page(explorer, 0)[mask]["pass"] for mask in ("masked", "open"))
    assert masked["best"][bank][0] == "markt"
    assert leaking["best"][bank][0] == "bank"
    assert sum(leaking["log_p"]) < sum(masked["log_p"]), "and yet the sum is lower"

    question = of_page(explorer, 5)
    mark, greets = question["answers"].index("?"), question["answers"].index("groet")
    run = question["masked"]["pass"]
    assert run["p"][greets] < run["p"][mark] / 10
    assert max(run["gradients"][greets]) < max(run["gradients"][mark]) / 6


# --- in a browser -------------------------------------------------------------------------------


@pytest.fixture(params=["file", "book"])
def opened(browser, request, explorer):
    """The explorer alone in a file, and on the page of the book."""
    place = PAGE if request.param == "book" else "file"
    with visited_explorers(browser, request, place, explorer.html()) as visited:
        yield visited


@pytest.mark.browser
def test_cells_mask_and_way_are_chosen_with_mouse_and_keyboard(opened: Visit):
    explorer = opened.page.locator('[data-explorer="decoder_models"]').first
    row, sentence = explorer.locator("[aria-live]").first, explorer.locator("[aria-live]").nth(1)
    cells, listed = explorer.locator("[role=gridcell]"), explorer.locator("table").nth(1)
    assert "Row 5 reads “<bos> Heeft hij op de”." in row.inner_text()
    assert explorer.locator('[role="gridcell"][tabindex="0"]').count() == 1, "one stop of Tab"
    assert listed.locator("tbody tr").count() == 5
    assert listed.locator("b", has_text="bank ✓").count() == 1

    cells.nth(5 * 8 + 1).click()
    assert "Row 6 reads “<bos> Heeft hij op de bank”." in row.inner_text()
    for _ in range(5):
        opened.page.keyboard.press("ArrowRight")
    assert "The mask hides input 7, “gelegen”, from this row" in row.inner_text()
    assert cells.nth(5 * 8 + 6).inner_text() == "0"
    assert cells.nth(5 * 8 + 6).get_attribute("aria-label") == "gelegen: hidden, 0"
    assert explorer.get_by_text("0", exact=True).count() == 28

    explorer.get_by_label("one prefix at a time").press("Space")
    assert "This run ends before input 7" in row.inner_text()
    assert "36 positions, 4.5 times as many" in sentence.inner_text()
    assert cells.nth(5 * 8 + 6).get_attribute("aria-label") == "gelegen: not in this run"

    explorer.get_by_label("in one pass").check()
    explorer.get_by_label("Causal mask").press("Space")
    assert "“gelegen”, which is the answer." in row.inner_text()
    assert "Without the mask the loss means nothing" in sentence.inner_text()
    assert cells.nth(5 * 8 + 6).get_attribute("aria-label").startswith("gelegen: the answer, 0.")

    explorer.get_by_label("Causal mask").press("Space")
    explorer.get_by_label("Sentence").select_option(label="Waarom groet Eva het kind?")
    assert cells.count() == 49
    assert "Row 6 reads “<bos> Waarom groet Eva het kind”." in row.inner_text()
    assert listed.locator("tbody tr").count() == 6, "the right token is the last of them"


@pytest.mark.browser
@pytest.mark.parametrize("opened", ["file"], indirect=True)
def test_every_sentence_fits_a_narrow_screen(opened: Visit):
    opened.page.set_viewport_size({"width": 360, "height": 800})
    explorer = opened.page.locator('[data-explorer="decoder_models"]').first
    for sentence in range(len(SENTENCES)):
        explorer.get_by_label("Sentence").select_option(str(sentence))
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= 360
        assert explorer.locator(".explorer-scroll").evaluate(
            "of => of.scrollWidth <= of.clientWidth"
        ), "no cell has to be scrolled for"
