"""The shipped language model and encoder, and what they say about sentences."""

from __future__ import annotations

import math
from functools import partial

import pytest
import torch

from mtcourse.decoding.sampling import ancestral_sampling
from mtcourse.decoding.search import beam_search
from mtcourse.errors import MtcourseError
from mtcourse.models.encoder_model import EncoderModel
from mtcourse.models.language_model import LanguageModel
from mtcourse.models.masked_language_model import MaskedLanguageModel
from mtcourse.models.text_model import family_of
from mtcourse.models.transformer import TransformerConfig
from mtcourse.models.translator import SHIPPED, Translator
from mtcourse.recipes.decoder import DecoderFamily
from mtcourse.recipes.encoder import EncoderFamily
from mtcourse.recipes.families import load_model, sample, score_text
from mtcourse.text.masking import Masking
from mtcourse.text.text_batches import next_token_batch, packed_batch
from mtcourse.text.tokenizer import BOS, EOS
from tests.helpers.small_corpus import small_tokenizer

SENTENCES = ["De hond slaapt.", "Gisteren heeft zij een brood gekocht.", "Wij lezen niet."]


@pytest.fixture(scope="module")
def dutch() -> LanguageModel:
    return LanguageModel.load(device="cpu")


@pytest.fixture(scope="module")
def encoder() -> MaskedLanguageModel:
    return MaskedLanguageModel.load(device="cpu")


def test_a_sentences_probability_is_the_product_of_its_tokens(dutch):
    """Against a loop that predicts one token after the other (C02)."""
    ids = [BOS, *dutch.tokenizer.encode(SENTENCES[1]), EOS]
    total = 0.0
    with torch.no_grad():
        for t in range(1, len(ids)):
            p = dutch.model(torch.tensor([ids[:t]]))[0, -1].softmax(-1)
            total += math.log(p[ids[t]])
    pieces, log_p = dutch.token_log_probabilities(SENTENCES[1])
    assert sum(log_p) == pytest.approx(total, abs=1e-4)
    assert len(pieces) == len(log_p) == len(ids) - 1
    assert pieces[-1] == "<eos>"


def test_likelihood_counts_what_it_says(dutch):
    found = dutch.likelihood(SENTENCES)
    each = [-sum(dutch.token_log_probabilities(sentence)[1]) for sentence in SENTENCES]
    assert found.nats == pytest.approx(sum(each), abs=1e-3)
    assert found.size == sum(len(sentence.encode()) for sentence in SENTENCES)
    assert found.tokens == sum(len(dutch.tokenizer.encode(s)) + 1 for s in SENTENCES)
    assert found.perplexity == pytest.approx(math.exp(found.nats / found.tokens))
    assert found.bits_per_byte == pytest.approx(found.nats / found.size / math.log(2))
    accented = dutch.likelihood(["Zij heeft één café gekocht."])
    assert (accented.characters, accented.size) == (27, 30)
    assert accented.bits_per_byte == pytest.approx(accented.nats / 30 / math.log(2))
    assert dutch.likelihood(["Hond de slaapt."]).nats > dutch.likelihood(SENTENCES[:1]).nats
    with pytest.raises(MtcourseError, match="every sentence is empty"):
        dutch.likelihood(["", "  "])


def test_continuations_begin_with_their_prompts_whatever_stands_beside(dutch):
    prompts = ["De hond", "", "Gisteren heeft de", "Zij"]
    together = dutch.continuations(prompts)
    assert together == [dutch.continuations([prompt])[0] for prompt in prompts]
    for prompt, text in zip(prompts, together, strict=True):
        assert text.startswith(prompt)
        assert text.endswith((".", "?", "!"))
    wider = dutch.continuations(prompts, partial(beam_search, beams=3))
    assert all(text.startswith(prompt) for prompt, text in zip(prompts, wider, strict=True))


def test_samples_follow_their_seed(dutch):
    def drawn(seed: int) -> list[str]:
        generator = torch.Generator().manual_seed(seed)
        return dutch.continuations(["De"] * 4, partial(ancestral_sampling, generator=generator))

    assert drawn(1) == drawn(1)
    assert len({*drawn(1), *drawn(2)}) > 2


def test_a_prompt_without_room_is_named(dutch):
    with pytest.raises(MtcourseError, match="De hond"):
        dutch.continuations(["De hond"], max_tokens=2)


def test_blanks_are_filled_from_both_sides(encoder):
    """Only what stands behind the blank tells these apart."""
    gender = [encoder.fill(f"Dit is <mask> {noun}.", 1)[0][0] for noun in ("huis", "boek")]
    assert all(filling.sentence.startswith("Dit is ") for filling in gender)
    two = encoder.fill("De <mask> leest een <mask>.", n_best=4)
    assert [len(of_one) for of_one in two] == [4, 4]
    for of_one in two:
        shares = [filling.probability for filling in of_one]
        assert shares == sorted(shares, reverse=True)
        assert 0 < sum(shares) <= 1 + 1e-5
        assert all(filling.piece in encoder.tokenizer.pieces(range(4, 4000)) for filling in of_one)
    with pytest.raises(MtcourseError, match="there is no <mask>"):
        encoder.fill("De hond slaapt.")


def test_a_blank_before_a_full_stop_leaves_no_space(encoder):
    ids = encoder.encode("De hond <mask>.")
    whole = [encoder.vocabulary.class_, *encoder.tokenizer.encode("De hond slaapt.")]
    assert encoder.vocabulary.pieces(ids)[-1] == encoder.vocabulary.pieces(whole)[-1]


def test_no_special_piece_is_proposed_even_by_a_model_that_has_learnt_nothing():
    tokenizer = small_tokenizer()
    config = TransformerConfig(tokenizer.vocabulary_size + 2, 16, 2, 32, 2)
    model = MaskedLanguageModel(EncoderModel(config, seed=1), tokenizer)
    ordinary = tokenizer.vocabulary_size - EOS - 1
    (proposed,) = model.fill("De <mask> slaapt.", n_best=ordinary)
    assert len({filling.piece for filling in proposed}) == ordinary
    assert sum(filling.probability for filling in proposed) == pytest.approx(1, abs=1e-4)
    assert not {"<pad>", "<unk>", "<bos>", "<eos>"} & {filling.piece for filling in proposed}


def test_blank_scores_are_those_of_the_distribution(encoder):
    """Every token hidden at once, against probabilities read one by one."""
    everything = Masking(rate=1.0, masked=1.0, random=0.0)
    found = encoder.blank_scores(SENTENCES[:1], everything)
    ids = encoder.tokenizer.encode(SENTENCES[0])
    assert found.blanks == len(ids)
    _, p = encoder.probabilities(" ".join(["<mask>"] * len(ids)))
    right = p[1:].gather(-1, torch.tensor(ids)[:, None]).squeeze(-1)
    assert found.nats == pytest.approx(-float(right.log().sum()), abs=1e-3)
    assert encoder.blank_scores(SENTENCES * 9, seed=3) == encoder.blank_scores(
        SENTENCES * 9, seed=3
    )


@pytest.mark.parametrize("kind", [LanguageModel, MaskedLanguageModel])
def test_what_is_saved_is_loaded_and_knows_its_family(kind, tmp_path):
    model = kind.load(device="cpu")
    model.save(tmp_path)
    again = load_model(tmp_path, device="cpu")
    assert type(again) is kind
    assert family_of(tmp_path) == kind.family
    for name, weight in model.model.state_dict().items():
        assert torch.equal(weight, again.model.state_dict()[name])
    assert score_text(again, SENTENCES * 9) == score_text(model, SENTENCES * 9)
    assert len(sample(again, ["De <mask> slaapt."], partial(beam_search, beams=2))) == 1
    with pytest.raises(MtcourseError, match=f"family {kind.family}"):
        Translator.load(tmp_path)


def test_a_translator_is_no_language_model():
    assert family_of(SHIPPED) == "translator"
    with pytest.raises(MtcourseError, match="family translator, not decoder"):
        LanguageModel.load(SHIPPED)
    assert isinstance(load_model(None, "translator", "cpu"), Translator)


def test_a_tokenizer_of_another_size_is_refused(dutch, encoder):
    with pytest.raises(MtcourseError, match="load both from the same run"):
        LanguageModel(dutch.model, encoder.tokenizer)


def test_the_losses_are_those_of_the_log_probabilities(dutch, encoder):
    ids = [dutch.tokenizer.encode(sentence) for sentence in SENTENCES]
    with torch.no_grad():
        loss = float(DecoderFamily().loss(dutch.model, next_token_batch(ids)))
        packed = packed_batch(ids, 64)
        assert float(DecoderFamily().loss(dutch.model, packed)) > 0
        ids = encoder.vocabulary.inputs(
            [encoder.tokenizer.encode(sentence) for sentence in SENTENCES]
        )
        from mtcourse.text.masking import mask_tokens

        batch = mask_tokens(ids, encoder.vocabulary, Masking(0.5), torch.Generator().manual_seed(1))
        masked = float(EncoderFamily().loss(encoder.model, batch))
        log_p = encoder.model(batch.inputs, (batch.inputs != 0)[:, None, None, :]).log_softmax(-1)
    assert loss == pytest.approx(dutch.likelihood(SENTENCES).nats, abs=1e-3)
    right = log_p.gather(-1, batch.labels[..., None]).squeeze(-1)[batch.labels != 0]
    assert masked == pytest.approx(-float(right.sum()), abs=1e-3)
