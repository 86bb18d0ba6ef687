"""The exercises of chapter 13 against torch, the package, brute force and a model."""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from mtcourse.chapters.decoder_models.exercises import (
    bits_per_byte,
    decoder_loss_lines,
    kneser_ney,
    next_token_predictions,
    next_tokens,
    packed_mask,
    packed_reads,
    packed_rows,
    sequence_log_probability,
    two_roles,
)
from mtcourse.checks.judge import judge
from mtcourse.layers.masks import causal_mask, document_mask
from mtcourse.models.decoder_model import DecoderModel
from mtcourse.models.language_model import TextLikelihood
from mtcourse.models.transformer import TransformerConfig
from mtcourse.text.batches import pad
from mtcourse.text.text_batches import next_token_batch, packed_batch
from mtcourse.text.tokenizer import BOS, EOS, PAD

SOLUTIONS = Path(__file__).resolve().parents[2] / "solutions" / "13_decoder_models.ipynb"
SENTENCES = st.lists(st.lists(st.integers(4, 30), max_size=7), min_size=1, max_size=5)


def small_model() -> DecoderModel:
    sizes = TransformerConfig(40, d_model=16, h=2, d_ff=32, layers=3, dropout=0.0)
    return DecoderModel(sizes, seed=1).double().eval()


def ids_of(sentences):
    return pad([[BOS, *ids, EOS] for ids in sentences])


@settings(deadline=None)
@given(SENTENCES)
def test_the_probability_of_a_text_is_minus_its_loss(sentences):
    ids, batch = ids_of(sentences), next_token_batch(sentences)
    model = small_model()
    with torch.no_grad():
        found = sequence_log_probability.correct(model(ids), ids)
        losses = F.cross_entropy(model(batch.inputs).mT, batch.labels, reduction="none")
    expected = -(losses * (batch.labels != PAD)).sum(-1)
    torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-9)


@settings(deadline=None)
@given(SENTENCES)
def test_a_prompt_in_a_batch_is_continued_as_it_is_alone(sentences):
    prompts = [[BOS, *ids] for ids in sentences]
    model = small_model()
    with torch.no_grad():
        together = next_token_predictions.correct(
            model.hidden(pad(prompts)), model.output_weight, torch.tensor([len(p) for p in prompts])
        )
        alone = torch.cat([model(torch.tensor([p]))[:, -1].softmax(-1) for p in prompts])
    torch.testing.assert_close(together, alone, rtol=1e-9, atol=1e-12)


@given(SENTENCES, st.integers(1, 12))
def test_the_counts_are_those_of_the_batches_and_masks(sentences, row):
    found = two_roles.correct([len(ids) for ids in sentences], row)
    alone, packed = next_token_batch(sentences), packed_batch(sentences, row)
    prefixes = [causal_mask(len(ids) + 1) for ids in sentences]
    assert found["predictions"] == alone.target_tokens == packed.target_tokens
    assert found["padded"] == alone.labels.numel()
    assert found["packed"] == len(packed.labels) * row
    assert found["one by one"] == sum(int(mask.sum()) for mask in prefixes)
    assert found["helps"] == sum(int(mask[:, 1:].sum()) for mask in prefixes)  # <bos> left out


@given(SENTENCES, st.integers(1, 12))
def test_rows_and_mask_are_the_packages(sentences, length):
    batch = packed_batch(sentences, length)
    inputs, labels = packed_rows.correct(sentences, length)
    width = batch.labels.shape[1]  # the package does not fill up a single row
    assert torch.equal(inputs[:, :width], batch.inputs)
    assert torch.equal(labels[:, :width], batch.labels)
    assert inputs.shape == labels.shape == (len(batch.labels), length)
    assert not inputs[:, width:].any()
    assert not labels[:, width:].any()
    assert batch.document is not None
    real = batch.labels != PAD
    pairs = real[:, :, None] & real[:, None, :]
    ours = packed_mask.correct(inputs)[:, :width, :width]
    assert torch.equal(ours[pairs], document_mask(batch.document)[:, 0][pairs])
    assert packed_mask.correct(inputs).any(-1).all()


@given(st.lists(st.floats(-9, -0.01), min_size=1, max_size=9), st.text(min_size=1, max_size=9))
def test_bits_per_byte_is_the_packages(log_p, text):
    size = len(text.encode())
    theirs = TextLikelihood(-sum(log_p), len(log_p), len(text), size).bits_per_byte
    ours = bits_per_byte.correct(torch.tensor(log_p, dtype=torch.float64), text)
    assert math.isclose(ours, theirs, rel_tol=1e-9)


def test_an_end_of_line_is_a_byte_of_the_text():
    def stripped(log_p, text):
        return bits_per_byte.correct(log_p, text.strip())

    assert not judge(bits_per_byte.EXERCISE, stripped).passed


@pytest.mark.parametrize("kind", [TypeError, ValueError, RuntimeError, IndexError])
def test_no_mistake_is_named_for_a_function_that_only_stops(kind):
    """Outcomes that stop are compared by the kind of the exception, which many mistakes share."""

    def stops(documents, length):
        raise kind("something else")

    assert not judge(packed_rows.EXERCISE, stops).misconception


@given(st.lists(st.integers(0, 5), min_size=2, max_size=40), st.floats(0.1, 0.9))
def test_the_bigram_table_counts_pairs_of_a_text(text, D):
    V, pairs = 6, list(itertools.pairwise(text))
    counts = torch.zeros(V, V, dtype=torch.float64)
    for pair in pairs:
        counts[pair] += 1
    found, occurs = kneser_ney.correct(counts, D), Counter(pairs)
    before = Counter(w for _, w in set(pairs))
    for v in range(V):
        following = [w for u, w in pairs if u == v]
        for w in range(V):
            p = before[w] / len(set(pairs))
            if following:
                weight = D * len(set(following)) / len(following)
                p = max(occurs[v, w] - D, 0) / len(following) + weight * p
            assert math.isclose(found[v, w].item(), p, abs_tol=1e-12)
    torch.testing.assert_close(found.sum(-1), torch.ones(V, dtype=torch.float64))


def test_numbers_at_equal_distances_draw_each_token_as_often_as_it_is_probable():
    p = torch.tensor([0.0, 0.35, 0.0, 0.4, 0.05, 0.2], dtype=torch.float64)
    u = (torch.arange(1000, dtype=torch.float64) + 0.5) / 1000
    drawn = next_tokens.correct(p.log().expand(1000, -1), u)
    assert torch.bincount(drawn, minlength=6).tolist() == [0, 350, 0, 400, 50, 200]
    assert next_tokens.correct(p.log()[None], torch.zeros(1)).tolist() == [1]  # 0 is impossible


KINDS = {"causal": (True, None), "no mask": (False, None)}


@pytest.mark.parametrize("kind", ["causal", "document", "no mask"])
def test_who_reads_whom_is_what_the_gradients_say(kind):
    documents = [[11, 12], [13, 14, 15]]
    batch, model = packed_batch(documents, 7), small_model()
    assert batch.document is not None
    causal, mask = KINDS.get(kind, (False, document_mask(batch.document)))
    x = model.embed(batch.inputs).detach().requires_grad_()
    logits = model.logits(model.run(x, mask, causal)[0][-1])
    losses = F.cross_entropy(logits[0], batch.labels[0], reduction="none")
    of_each = [torch.autograd.grad(loss, x, retain_graph=True)[0][0] for loss in losses]
    depends = torch.stack(of_each).norm(dim=-1) > 0

    def told(found):
        return "".join(str(1 + int(place)) for place in found.nonzero().flatten()) or "none"

    right = packed_reads.correct()
    assert right["predicts C"] == told(batch.labels[0] == 13)
    assert right["predicts the last <eos>"] == told(batch.labels[0] == EOS)[-1]
    answers = {
        "loss 4": told(depends[3]),
        "loss 6": told(depends[5]),
        "input 2": told(depends[:, 1]),
        "input 4": told(depends[:, 3]),
        "copies": told(depends.diagonal(1)),
    }
    for what, found in answers.items():
        assert right.get(f"{what}, {kind}", found) == found


# --- the broken step -----------------------------------------------------------------------------

FIXED = {
    "D": "    hidden = model.run(rows, None, causal=True)[0][-1]",
    "F": "    nats = F.cross_entropy(logits.mT, labels, ignore_index=PAD, reduction='none')",
    "G": "    loss = nats.sum() / (labels != PAD).sum()",
}
SHORT, LONG = [5], [7, 8, 9]


class Optimizer:
    """Takes no step, so that one model can be looked at several times."""

    def zero_grad(self):
        pass

    step = zero_grad


def broken_step(*fixed):
    """What happens in the notebook's step with some of its lines replaced by right ones."""
    cells = json.loads(SOLUTIONS.read_text("utf-8"))["cells"]
    source = next(
        "".join(cell["source"]) for cell in cells if cell["id"] == "decoder-loss-lines-given-1"
    )
    for letter in fixed:
        (line,) = (line for line in source.split("\n") if line.endswith(f"# {letter}"))
        source = source.replace(line, FIXED[letter])
    seen, model = {}, small_model()

    class Functional:
        @staticmethod
        def cross_entropy(logits, labels, **rest):
            seen["labels"], seen["losses"] = labels, F.cross_entropy(logits, labels, **rest)
            return seen["losses"]

    embed = model.embed

    def embedded(ids):
        seen["rows"] = embed(ids).detach().requires_grad_()
        return seen["rows"]

    model.embed = embedded  # type: ignore[method-assign]
    names = {"F": Functional, "BOS": BOS, "EOS": EOS, "PAD": PAD, "DecoderModel": DecoderModel,
             "pad": pad}  # fmt: skip
    exec(source.replace("loss.backward()", "loss.backward(retain_graph=True)"), names)
    seen["loss"] = names["broken_step"](model, [LONG, SHORT], Optimizer())
    return seen


def depends(seen, sentence, row):
    """The inputs of a sentence on which the loss of a row depends."""
    (gradient,) = torch.autograd.grad(
        seen["losses"][sentence, row], seen["rows"], retain_graph=True
    )
    return (gradient[sentence].norm(dim=-1) > 0).nonzero().flatten().tolist()


@pytest.mark.parametrize("others", [(), ("F",), ("G",), ("F", "G")])
def test_line_d_lets_rows_read_their_answers_and_padding(others):
    assert depends(broken_step(*others), 0, 0) == [0, 1, 2, 3]
    assert depends(broken_step("D", *others), 0, 0) == [0]
    if "F" in others:  # the short sentence has two rows: 0 and 1; behind them is padding
        assert {2, 3} <= set(depends(broken_step(*others), 1, 1))
        assert depends(broken_step("D", *others), 1, 1) == [0, 1]


@pytest.mark.parametrize("others", [(), ("D",), ("G",), ("D", "G")])
def test_line_f_asks_for_the_token_after_the_next_and_never_for_the_first(others):
    assert broken_step(*others)["labels"].tolist() == [[8, 9, EOS], [EOS, PAD, PAD]]
    right = broken_step("F", *others)["labels"].tolist()
    assert right == [[7, 8, 9, EOS], [5, EOS, PAD, PAD]]  # <eos> is a label, <bos> is none


@pytest.mark.parametrize("others", [("F",), ("D", "F")])
def test_line_g_counts_padding_which_has_no_loss(others):
    for fixed in ((), ("G",)):
        seen = broken_step(*others, *fixed)
        real = seen["labels"] != PAD
        assert seen["losses"][~real].tolist() == [0, 0]
        mean = seen["losses"][real].mean().item()
        assert math.isclose(seen["loss"], mean) == bool(fixed)


def test_each_line_that_is_fixed_is_blamed():
    letters = decoder_loss_lines.EXERCISE.oracle().values()
    assert set(letters) == {*FIXED, "none"}
