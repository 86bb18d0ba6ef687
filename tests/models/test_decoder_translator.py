"""Decoder-only translation: what is given, what is asked, and what may be seen."""

from __future__ import annotations

import pytest
import torch

from mtcourse.errors import MtcourseError
from mtcourse.models.decoder_model import DecoderModel
from mtcourse.models.decoder_translator import DecoderTranslator, reading_mask
from mtcourse.models.transformer import TransformerConfig
from mtcourse.text.batches import Example
from mtcourse.text.joined_pairs import JoinedBatch
from mtcourse.text.tokenizer import BOS, EOS
from tests.helpers.small_corpus import PAIRS, small_tokenizer

EXAMPLES = [Example([7, 8, 9], [11, 12]), Example([7], [13, 14, 15, 16])]


def test_a_pair_is_one_sequence_and_only_its_target_counts():
    batch = JoinedBatch.of(EXAMPLES)
    assert batch.inputs.tolist() == [
        [BOS, 7, 8, 9, EOS, 11, 12],
        [BOS, 7, EOS, 13, 14, 15, 16],
    ]
    assert batch.labels.tolist() == [[0, 0, 0, 0, 11, 12, EOS], [0, 0, 13, 14, 15, 16, EOS]]
    assert batch.prefix.tolist() == [5, 3]
    assert batch.target_tokens == 8
    whole = JoinedBatch.of(EXAMPLES, source_counts=True)
    assert whole.labels[0].tolist() == [7, 8, 9, EOS, 11, 12, EOS]
    assert torch.equal(whole.inputs, batch.inputs)
    assert batch.to(torch.device("cpu")).prefix.tolist() == [5, 3]


@pytest.mark.parametrize("both_sides", [True, False])
def test_no_target_token_sees_a_later_one_and_each_sees_the_whole_source(both_sides):
    """C41, by gradients; only the prefix mask lets the source's beginning see its end."""
    batch = JoinedBatch.of(EXAMPLES)
    model = DecoderModel(TransformerConfig(20, 16, 2, 32, 2), seed=1).double().eval()
    x = model.embed(batch.inputs).detach().requires_grad_()
    mask = reading_mask(batch.prefix, batch.inputs.shape[1], both_sides)
    # A sum of normalised numbers is 0 whatever they are: weigh them.
    rows = model.run(x, mask, causal=mask is None)[0][-1] * torch.arange(16.0)
    for row, (example, prefix) in enumerate(zip(EXAMPLES, batch.prefix.tolist(), strict=True)):
        for t in range(prefix + len(example.target)):
            (gradient,) = torch.autograd.grad(rows[row, t].sum(), x, retain_graph=True)
            seen = (gradient[row].abs().amax(-1) > 0).nonzero().flatten().tolist()
            last = max(t, prefix - 1) if both_sides else t
            assert seen == list(range(last + 1))


@pytest.mark.parametrize("both_sides", [True, False])
def test_greedy_translation_is_the_argmax_of_one_pass(both_sides):
    """The found tokens, forced through the model in one pass, are each row's most probable."""
    tokenizer = small_tokenizer()
    model = DecoderModel(TransformerConfig(tokenizer.vocabulary_size, 16, 2, 32, 2), seed=3)
    translator = DecoderTranslator(model, tokenizer, both_sides)
    sources = [pair.source for pair in PAIRS]
    translations = translator.translate(sources)
    assert translations == [translator.translate([source])[0] for source in sources]
    ids = tokenizer.encode(sources[0])
    given = [BOS, *ids, EOS]
    found: list[int] = []
    with torch.no_grad():
        for _ in range(min(2 * len(ids) + 12, 128 - len(ids) - 2)):
            sequence = torch.tensor([given + found])
            mask = reading_mask(torch.tensor([len(given)]), sequence.shape[1], both_sides)
            found.append(int(model(sequence, mask)[0, -1].argmax()))
            if found[-1] == EOS:
                break
    assert translations[0] == tokenizer.decode(found)


def test_what_does_not_fit_is_named():
    tokenizer = small_tokenizer()
    config = TransformerConfig(tokenizer.vocabulary_size, 16, 2, 32, 2, max_length=12)
    translator = DecoderTranslator(DecoderModel(config), tokenizer, both_sides=False)
    with pytest.raises(MtcourseError, match="The man does not see the dog"):
        translator.translate(["The man does not see the dog and the woman does not read."])
    with pytest.raises(MtcourseError, match="take both from the same run"):
        DecoderTranslator(DecoderModel(TransformerConfig(20, 16, 2, 32, 2)), tokenizer, False)
