"""End tokens for ranges of lengths, and copies among the targets, against brute force."""

from __future__ import annotations

import functools
import itertools
import math
from collections import Counter

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mtcourse.chapters.search.copies import copy_log_probabilities, is_copy, with_copies
from mtcourse.chapters.search.end_tokens import (
    FOLDS,
    CountedState,
    EndTokens,
    ManyEnded,
    folded_step,
    grown,
)
from mtcourse.chapters.search.measures import in_batches, trained
from mtcourse.decoding.search import BOS, EOS, beam_search
from mtcourse.errors import MtcourseError
from mtcourse.models.decoding_state import prefix_state, prefix_step
from mtcourse.models.encoder_decoder import EncoderDecoder, EncoderDecoderConfig
from mtcourse.models.translator import Translator
from mtcourse.text.batches import Batch, Example, batches_in_order
from mtcourse.text.pairs import SentencePair

V = 6
ENDS = EndTokens(V, (1, 2))
BOTH = pytest.mark.parametrize("fold", FOLDS)


def test_a_border_is_the_longest_sentence_of_its_bucket():
    ends = EndTokens(700, (4, 6, 9))
    assert ends.ids == (3, 700, 701, 702)
    found = {n: ends.id(n) for n in (0, 1, 4, 5, 6, 7, 9, 10, 1000)}
    assert found == {0: 3, 1: 3, 4: 3, 5: 700, 6: 700, 7: 701, 9: 701, 10: 702, 1000: 702}


def test_without_borders_every_sentence_ends_as_ever():
    assert [EndTokens(700, ()).id(n) for n in (0, 5, 50)] == [EOS] * 3


def test_buckets_are_quarters_of_the_lengths():
    ends = EndTokens.of(700, range(1, 101), 4)
    counts = Counter(ends.id(n) for n in range(1, 101))
    assert [counts[token] for token in ends.ids] == [25, 25, 25, 25]


def test_borders_that_do_not_rise_are_an_error():
    with pytest.raises(MtcourseError, match=r"\(4, 4\) do not rise"):
        EndTokens(700, (4, 4))
    with pytest.raises(MtcourseError, match="fewer buckets"):
        EndTokens.of(700, [5] * 10, 4)


def test_labels_change_at_the_end_of_a_sentence_and_nowhere_else():
    batch = Batch.of([Example([4], [5]), Example([4, 5], [5, 4]), Example([4], [4, 5, 4, 5])])
    labelled = ENDS.labelled(batch)
    assert labelled.labels.tolist() == [[5, 3, 0, 0, 0], [5, 4, 6, 0, 0], [4, 5, 4, 5, 7]]
    assert torch.equal(labelled.decoder_input, batch.decoder_input)
    assert torch.equal(labelled.source, batch.source)
    assert not (batch.decoder_input == EOS).any()


@settings(deadline=None)
@given(st.lists(st.floats(-9, 3), min_size=V + 2, max_size=V + 2), st.integers(0, 9))
def test_all_ends_together_are_as_probable_as_their_sum(logits, length):
    log_probs = torch.tensor(logits, dtype=torch.float64).log_softmax(-1)
    p = log_probs.exp()
    folded = ENDS.any_end(log_probs, length)
    assert float(folded[EOS].exp()) == pytest.approx(sum(float(p[e]) for e in ENDS.ids))
    assert float(folded.exp().sum()) == pytest.approx(1)
    fitting = ENDS.fitting(log_probs, length)
    assert float(fitting[EOS]) == float(log_probs[ENDS.id(length)])
    for kept in (folded, fitting):
        others = [i for i in range(V) if i != EOS]
        assert torch.equal(kept[others], log_probs[others])


def test_neither_reading_changes_what_the_model_said():
    log_probs = torch.randn(2, 3, V + 2).log_softmax(-1)
    before = log_probs.clone()
    for fold in FOLDS.values():
        fold(ENDS, log_probs, 2)
    assert torch.equal(log_probs, before)


def table_of(prefix: tuple[int, ...]) -> torch.Tensor:
    """What a made-up model says after a prefix: something else after every other one."""
    generator = torch.Generator().manual_seed(hash(prefix) % 2**31)
    return torch.randn(V + 2, generator=generator, dtype=torch.float64)


def decode(prefixes: torch.Tensor, *_: object) -> torch.Tensor:
    rows = [[table_of(tuple(p[: i + 1])) for i in range(len(p))] for p in prefixes.tolist()]
    return torch.stack([torch.stack(row) for row in rows])


def every_sentence(longest: int, fold: str) -> dict[tuple[int, ...], float]:
    """log p of each sentence that ends within so many tokens, from single probabilities."""
    words = [i for i in range(V) if i != EOS]
    found = {}
    for n in range(longest):
        for ids in itertools.product(words, repeat=n):
            total = 0.0
            for place, token in enumerate((*ids, EOS)):
                p = table_of((BOS, *ids[:place])).softmax(-1)
                if token != EOS:
                    total += math.log(p[token])
                elif fold == "any end":
                    total += math.log(sum(p[end] for end in (EOS, V, V + 1)))
                else:
                    total += math.log(p[(EOS, EOS, V, V + 1, V + 1)[n]])
            found[*ids, EOS] = total
    return found


@BOTH
def test_beam_search_finds_the_best_of_all_sentences(fold):
    sentences = every_sentence(4, fold)
    step = folded_step(prefix_step(decode), ENDS, fold)
    state = CountedState(prefix_state(torch.zeros(1, 1)))
    ((found,),) = beam_search(step, state, torch.tensor([4]), beams=200, length_penalty=0.0)
    best = max(sentences, key=sentences.__getitem__)
    assert found.ids == best
    assert found.log_probability == pytest.approx(sentences[best], abs=1e-5)


def test_sentences_that_stay_in_the_batch_keep_their_length():
    state = CountedState(prefix_state(torch.zeros(3, 1)), length=4)
    assert state.keep(torch.tensor([0, 2])).length == 4
    assert state.reorder(torch.zeros(3, 1, dtype=torch.long)).length == 4
    assert len(state.keep(torch.tensor([0, 2])).inner.H_E) == 2


@pytest.fixture(scope="module")
def small() -> EncoderDecoder:
    return EncoderDecoder(EncoderDecoderConfig(40, 40, 16, 2, 32, 1, 1, dropout=0.0), seed=1)


def test_a_grown_model_has_the_same_weights_and_new_rows(small):
    ends = EndTokens(40, (3, 6, 9))
    larger = grown(small, ends, seed=5)
    assert larger.config.V_t == larger.config.V_s == 43
    mine, its = small.state_dict(), larger.state_dict()
    assert set(mine) == set(its)
    for name, weights in mine.items():
        assert torch.equal(its[name][: len(weights)], weights)
    new = larger.output_weight[40:].detach()
    assert len(new) == 3
    assert float(new.abs().min()) > 0
    source, prefix = torch.tensor([[4, 5, EOS]]), torch.tensor([[BOS, 7]])
    torch.testing.assert_close(larger(source, prefix)[..., :40], small(source, prefix))


def test_any_end_of_no_border_is_a_plain_translator():
    plain = Translator.load(device="cpu")
    V = plain.model.config.V_t
    encoded = plain._encode(["The dog sleeps.", "Why did the doctors arrive?"])
    search = functools.partial(beam_search, beams=4, length_penalty=0.0)
    for fold in FOLDS:
        ended = ManyEnded(plain.model, plain.tokenizers, EndTokens(V, ()), fold)
        assert [one.ids for one in in_batches(ended, encoded, search)] == [
            one.ids for one in in_batches(plain, encoded, search)
        ]


@pytest.mark.slow
@pytest.mark.trains
def test_the_right_end_is_learnt_for_each_length(small):
    """From any start: the target repeats the source, whose length says which end is due."""
    ends = EndTokens(40, (2, 4))
    examples = [Example([n + 4] * n, [n + 4] * n) for n in range(1, 7) for _ in range(4)]
    batches = [ends.labelled(one) for one in batches_in_order(examples, 64)]
    model = grown(small, ends, seed=1)
    trained(model, lambda _: batches, 0.0, 1e-2, 80, seed=0)
    for n in range(1, 7):
        (batch,) = batches_in_order([examples[4 * (n - 1)]], 64)
        logits = model(batch.source, batch.decoder_input)[0, -1]
        assert int(logits.argmax()) == ends.id(n)


EXAMPLES = [Example([i, i + 1], [100 + i]) for i in range(4, 44)]


def test_so_many_targets_become_copies():
    for share, count in ((0.0, 0), (0.05, 2), (0.5, 20), (1.0, 40)):
        changed = with_copies(EXAMPLES, share, seed=3)
        assert [one.source for one in changed] == [one.source for one in EXAMPLES]
        assert sum(one.target == one.source for one in changed) == count
        kept = [one for one, old in zip(changed, EXAMPLES, strict=True) if one == old]
        assert len(kept) == 40 - count


def test_more_copies_contain_fewer_copies():
    fewer, more = (with_copies(EXAMPLES, share, seed=3) for share in (0.1, 0.3))
    copies = [{i for i, one in enumerate(of) if one.target == one.source} for of in (fewer, more)]
    assert copies[0] < copies[1]
    others = with_copies(EXAMPLES, 0.1, seed=4)
    assert others != fewer
    with pytest.raises(MtcourseError, match="from 0 to 1"):
        with_copies(EXAMPLES, 5.0, seed=3)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Open the file menu.", True),
        ("the file, open MENU", True),
        ("Open het bestand the file.", True),
        ("Open het bestandsmenu.", False),
        ("Open het menu.", False),
        ("", False),
    ],
)
def test_a_copy_has_half_of_the_words_that_the_reference_lacks(text, expected):
    pair = SentencePair("Open the file menu.", "Open het bestandsmenu.")
    assert is_copy(pair, text) is expected


def test_nothing_tells_a_copy_where_the_reference_is_one():
    assert not is_copy(
        SentencePair("LibreOffice Writer", "LibreOffice Writer"), "LibreOffice Writer"
    )


def test_a_copy_is_as_probable_as_search_would_say():
    """The oracle is search: where a translation is the source, it comes with its log p."""
    translator = Translator.load(device="cpu")
    step_by_step = []
    source = "The dog sleeps."
    ids = translator._encode([source])[0]
    for place, token in enumerate(ids):
        prefix = torch.tensor([[BOS, *ids[:place]]])
        with torch.no_grad():
            logits = translator.model(torch.tensor([ids]), prefix)[0, -1]
        step_by_step.append(float(logits.log_softmax(-1)[token]))
    assert copy_log_probabilities(translator, source) == pytest.approx(step_by_step, abs=1e-4)
