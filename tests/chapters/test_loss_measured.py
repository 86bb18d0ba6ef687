"""The results that chapter 8 loads are whole, and their scripts compute what they say."""

from __future__ import annotations

import math
from collections import Counter
from itertools import islice, pairwise

import pytest
import torch

from mtcourse.evaluation.starts import load_measured
from mtcourse.layers.masks import source_mask
from mtcourse.models.framework_model import FrameworkModel
from mtcourse.models.translator import Translator
from mtcourse.text.corpora import builtin_corpus
from mtcourse.text.tokenizer import TokenizerPair
from mtcourse.training.loss import label_smoothed_loss
from scripts import measure_descent, measure_tying

STARTS = 10


# --- gradient descent ---------------------------------------------------------------------------


def test_every_descent_is_there():
    found = load_measured("descent")
    batch, config = measure_descent.problem()
    assert found["tokens"] == batch.target_tokens
    for rate, (steps, every) in measure_descent.PLANS.items():
        runs = found[str(rate)]
        assert len(runs) == STARTS
        assert {run["every"] for run in runs} == {every}
        if rate < 0.5:
            assert {len(run["losses"]) for run in runs} == {steps // every + 1}
            assert not any(run["broken"] for run in runs)
    firsts = [[run["losses"][0] for run in found[rate]] for rate in ("0.003", "0.03", "0.5")]
    assert firsts[0] == firsts[1] == firsts[2], "all rates begin with the same weights"
    names = {name for name, _ in FrameworkModel(config, seed=0).named_parameters()}
    assert all(set(norms[state]) == names for norms in found["norms"] for state in norms)
    assert len(found["norms"]) == len(found["not cleared"]) == STARTS


def by_torch(seed: int, rate: float, clear: bool, steps: int) -> list[float]:
    """The losses of torch's SGD, with gradients by autograd, cleared before each step or never."""
    batch, config = measure_descent.problem()
    model = FrameworkModel(config, seed=seed).double()
    optimiser, losses = torch.optim.SGD(model.parameters(), lr=rate), []
    for _ in range(steps):
        U = model(batch.source, batch.decoder_input, source_mask(batch.source))
        loss = label_smoothed_loss(U, batch.labels) / batch.target_tokens
        losses.append(loss.item())
        if clear:
            optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return losses


@pytest.mark.parametrize("clear", [True, False])
def test_a_descent_is_that_of_torch_with_gradients_cleared_or_not(clear):
    states = list(islice(measure_descent.descent(3, 0.03, clear), 4))
    assert [step for step, _, _ in states] == [0, 1, 2, 3]
    assert [loss for _, loss, _ in states] == pytest.approx(by_torch(3, 0.03, clear, 4), abs=1e-9)


def test_a_stored_descent_begins_as_it_does_here():
    stored = load_measured("descent")
    states = islice(measure_descent.descent(2, 0.03), 11)
    losses = [loss for _, loss, _ in states]
    assert stored["0.03"][2]["losses"][:2] == pytest.approx([losses[0], losses[10]], abs=2e-3)
    _, _, gradients = next(measure_descent.descent(2, 0.03))
    for name, norm in stored["norms"][2]["start"].items():
        assert norm == pytest.approx(gradients[name].norm().item(), rel=1e-3)


def test_a_run_that_breaks_down_says_when():
    losses = [5.0, 4.0, 6.0, 120.0, math.nan]
    states = ((step, loss, None) for step, loss in enumerate(losses))
    found = measure_descent.losses_of(states, steps=9, every=2)
    assert found["losses"] == [5.0, 6.0, None]
    assert (found["lowest"], found["rises"], found["broken"]) == (4.0, 3, 3)


# --- tying --------------------------------------------------------------------------------------


def test_every_run_with_tied_and_untied_tables_is_there():
    found = load_measured("tying")
    for kind in measure_tying.KINDS:
        assert len(found[kind]) == STARTS
        assert {len(run["losses"]) for run in found[kind]} == {150 // found["every"] + 1}
        assert all(run["losses"][-1] > found["best"] for run in found[kind])
    assert len(found["untrained"]) == STARTS


def test_the_best_loss_is_the_entropy_of_the_counted_neighbours():
    found = load_measured("tying")
    tokenizers: TokenizerPair = Translator.load(device="cpu").tokenizers
    texts = [pair.target for pair in builtin_corpus(train=measure_tying.PAIRS).splits["train"]]
    rows = [["<s>", *tokenizers.target.encode(text), "</s>"] for text in texts]
    pairs = Counter(both for row in rows for both in pairwise(row))
    total = sum(pairs.values())
    of_first: Counter = Counter()
    for (first, _), count in pairs.items():
        of_first[first] += count
    entropy = -sum(n / total * math.log(n / of_first[first]) for (first, _), n in pairs.items())
    assert found["best"] == pytest.approx(entropy, abs=1e-3)
    assert found["tokens"] == len({token for both in pairs for token in both})
    (de,) = tokenizers.target.encode("de")
    assert found["counted"] == pytest.approx(pairs[de, de] / of_first[de], abs=1e-4)


def test_a_tied_score_is_symmetric_until_a_matrix_stands_between():
    (E, written), W = torch.randn(2, 5, 3), torch.randn(3, 3)
    S = {kind: scores(E, W, written) for kind, scores in measure_tying.KINDS.items()}
    torch.testing.assert_close(S["tied"], S["tied"].mT)
    torch.testing.assert_close(S["untied"][1, 2], E[1] @ written[2])
    torch.testing.assert_close(S["tied with W"][1, 2], E[1] @ W @ E[2])


def test_the_kinds_begin_where_they_should_and_learn():
    share, _ = measure_tying.counts()
    assert share.sum().item() == pytest.approx(1)
    kinds = measure_tying.KINDS
    found = {kind: measure_tying.trained(kind, 4, steps=5)["losses"] for kind in kinds}
    assert found["tied"][0] == found["tied with W"][0], "W begins as the identity"
    assert all(last < first for first, last in found.values())
    stored = load_measured("tying")
    for kind, (first, last) in found.items():
        assert stored[kind][4]["losses"][:2] == pytest.approx([first, last], abs=2e-3)


def test_only_a_tied_translator_begins_by_repeating():
    tied, untied = (measure_tying.untrained(shared, seed=5) for shared in (True, False))
    assert tied["repeats"] > 0.9 > 0.1 > untied["repeats"]
    assert tied["p"] > 50 * untied["p"]


# --- the scripts as commands --------------------------------------------------------------------


@pytest.mark.by_turns(3)
@pytest.mark.slow
def test_the_script_on_tying_runs(tmp_path):
    measure_tying.main(starts=1, steps=5, out=tmp_path)
    found = load_measured("tying", tmp_path)
    assert {len(found[kind][0]["losses"]) for kind in measure_tying.KINDS} == {2}


@pytest.mark.by_turns(3)
@pytest.mark.slow
def test_the_script_on_descent_runs(tmp_path):
    measure_descent.main(starts=1, out=tmp_path)
    assert set(load_measured("descent", tmp_path)) == set(load_measured("descent"))
