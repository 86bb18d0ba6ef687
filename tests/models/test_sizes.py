"""Sizes that no model can have are refused, in the words of every config alike."""

from __future__ import annotations

import pytest

from mtcourse.errors import MtcourseError
from mtcourse.models.encoder_decoder import EncoderDecoderConfig
from mtcourse.models.transformer import TransformerConfig

KINDS = [(TransformerConfig, {"V": 20}), (EncoderDecoderConfig, {"V_s": 20, "V_t": 20})]


@pytest.mark.parametrize(("kind", "needed"), KINDS)
@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"d_model": 0}, "d_model must be at least 1, not 0"),
        ({"max_length": -3}, "max_length must be at least 1, not -3"),
        ({"d_model": 10, "h": 4}, "multiple of h, but 10 is not one of 4"),
        ({"dropout": 1.0}, "dropout must be in"),
        ({"norm": "both"}, "'pre' or 'post', not 'both'"),
    ],
)
def test_sizes_that_cannot_be_are_quoted(kind, needed, wrong, said):
    with pytest.raises(MtcourseError, match=said):
        kind(**needed | wrong)


@pytest.mark.parametrize(("kind", "needed"), KINDS)
def test_a_config_comes_back_from_its_dictionary_and_strange_keys_are_named(kind, needed):
    config = kind(**needed, d_model=24, h=3, norm="post")
    assert kind.from_dict(config.to_dict()) == config
    with pytest.raises(MtcourseError, match="unknown keys: depth, width"):
        kind.from_dict(needed | {"width": 3, "depth": 1})
    with pytest.raises(MtcourseError, match=f"lacks {', '.join(sorted(needed))}"):
        kind.from_dict({"h": 4})
