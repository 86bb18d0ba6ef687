"""One wrong token in the prefix: what reads it, what it costs, and how the translator goes on."""

from __future__ import annotations

import pytest
import torch

from mtcourse.chapters.sampling.wrong_token import goes_on, nats_lost
from mtcourse.errors import MtcourseError
from mtcourse.models.translator import Translator
from mtcourse.text.tokenizer import EOS


@pytest.fixture(scope="module")
def translator():
    return Translator.load(device="cpu")


@pytest.fixture(scope="module")
def pair(translator):
    source = [*translator.tokenizers.source.encode("They have bought soup."), EOS]
    return source, [*translator.tokenizers.target.encode("Zij hebben soep gekocht."), EOS]


def test_a_wrong_token_harms_what_reads_it_and_nothing_before(translator, pair):
    source, target = pair
    lost = nats_lost(translator, source, target, 1, 900)
    torch.testing.assert_close(lost[:2], torch.zeros(2), rtol=0, atol=1e-6)
    assert lost[2] > 1
    same = nats_lost(translator, source, target, 1, target[1])
    torch.testing.assert_close(same, torch.zeros(len(target)), rtol=0, atol=1e-6)


def test_the_loss_is_what_two_runs_say(translator, pair):
    source, target = pair
    with torch.no_grad():
        runs = [
            translator.model(torch.tensor([source]), torch.tensor([[2, *read[:-1]]]))[0]
            for read in (target, [target[0], 900, *target[2:]])
        ]
    right, wrong = (run.log_softmax(-1)[range(len(target)), target] for run in runs)
    torch.testing.assert_close(
        nats_lost(translator, source, target, 1, 900), right - wrong, rtol=1e-5, atol=1e-5
    )


def test_it_goes_on_as_it_would_have_gone_on(translator, pair):
    source, target = pair
    whole = goes_on(translator, source, [])
    assert whole == target
    for cut in range(len(whole)):
        assert goes_on(translator, source, whole[:cut]) == whole[cut:]


def test_a_place_outside_is_refused(translator, pair):
    with pytest.raises(MtcourseError, match="place 40 is in none"):
        nats_lost(translator, *pair, 40, 5)
