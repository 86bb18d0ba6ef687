"""The picture of chapter 12's blocks has what the package's blocks have."""

from __future__ import annotations

import torch
from matplotlib.patches import Circle, Rectangle

from mtcourse.chapters.training.plots import residual_blocks
from mtcourse.models.encoder_decoder import EncoderDecoder, EncoderDecoderConfig


def test_the_blocks_have_the_sums_and_normalisations_of_a_model_with_one_layer(ax):
    residual_blocks(ax)
    sizes = EncoderDecoderConfig(V_s=9, V_t=9, d_model=8, h=2, encoder_layers=1, decoder_layers=1)
    modules = [name for name, _ in EncoderDecoder(sizes).named_modules()]
    sums = [name for name in modules if name.rpartition(".")[2].startswith("around_")]
    norms = [m for m in EncoderDecoder(sizes).modules() if isinstance(m, torch.nn.LayerNorm)]
    texts = [text.get_text() for text in ax.texts]
    assert len([patch for patch in ax.patches if isinstance(patch, Circle)]) == len(sums) == 5
    assert len([text for text in texts if text.startswith("LayerNorm")]) == len(norms) == 7
    boxes = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    assert len(boxes) == len(sums) + len(norms)


def test_everything_that_is_drawn_lies_within_the_picture(ax):
    residual_blocks(ax)
    ax.figure.canvas.draw()
    (x_low, x_high), (y_low, y_high) = ax.get_xlim(), ax.get_ylim()
    for text in ax.texts:
        low, high = text.get_window_extent().transformed(ax.transData.inverted()).get_points()
        assert x_low <= low[0] <= high[0] <= x_high
        assert y_low <= low[1] <= high[1] <= y_high
