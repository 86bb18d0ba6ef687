"""Pictures of chapter 4 show the numbers they were given, in ink that both pages let show."""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np
import pytest
import torch
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import same_color, to_rgba
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from mtcourse.chapters.attention.plots import links, lookup, matrix_chain, outline, points_and_laws
from mtcourse.errors import MtcourseError
from mtcourse.figures.style import INK, LINE_COLOURS
from mtcourse.models.translator import AttentionMap, Translator
from mtcourse.models.word_weights import membership, word_weights
from mtcourse.text.corpora import builtin_corpus
from tests.helpers.drawn import texts

WEIGHTS = torch.tensor([[0.7, 0.3, 0.0], [0.1, 0.01, 0.89]])
CHAIN = [
    ("$Q$", torch.tensor([[1.0, 2.0], [0.0, 0.5]])),
    "=",
    ("$S$", torch.tensor([[1 / 3, 7.0]])),
]
LAWS = {"law": [(1, 1), (4, 4)], "level": [(1, 1), (4, 1)]}
MEASURED = {"first": [(1, 1.1), (4, 3.9)], "second": [(1, 0.9), (4, 1.0)]}


def looked_at(source: tuple[str, ...], target: tuple[str, ...], seed: int = 0) -> AttentionMap:
    scores = torch.randn(2, 3, len(target), len(source), generator=torch.manual_seed(seed))
    return AttentionMap(source, target, scores.softmax(-1))


def test_pieces_belong_to_the_words_they_spell() -> None:
    pieces = ["▁", "Y", "est", "er", "▁do", "g", ".", "<eos>"]
    expected = torch.tensor([0, 0, 0, 0, 1, 1, 2, 3])
    assert torch.equal(membership(pieces, "Yester dog.").argmax(1), expected)
    assert torch.equal(membership(pieces, "Yester dog.").sum(1), torch.ones(8))


def test_bytes_spell_letters_that_no_piece_has() -> None:
    pieces = ["▁", "<0xC3>", "<0xBC>", "▁", "<0x47>", "is", "<eos>"]
    assert membership(pieces, "ü Gis").argmax(1).tolist() == [0, 0, 0, 1, 1, 1, 2]


@pytest.mark.parametrize("sentence", ["The dog runs.", "The", "The do", "A cat."])
def test_pieces_of_another_sentence_are_refused(sentence: str) -> None:
    with pytest.raises(MtcourseError, match="do not spell"):
        membership(["▁The", "▁dog", "<eos>"], sentence)


def test_the_translators_pieces_spell_the_corpus() -> None:
    tokenizers = Translator.load(device="cpu").tokenizers
    for pair in builtin_corpus(train=10).splits["test"][:200]:
        for tokenizer, sentence in zip(
            (tokenizers.source, tokenizers.target), (pair.source, pair.target), strict=True
        ):
            pieces = [*tokenizer.pieces(tokenizer.encode(sentence)), "<eos>"]
            member = membership(pieces, sentence)
            assert (member.sum(1) == 1).all()
            assert (member.sum(0) > 0).all()
            assert (member.argmax(1).diff() >= 0).all()


def test_words_add_up_columns_and_average_rows() -> None:
    looked = looked_at(("▁The", "▁d", "og", "<eos>"), ("▁De", "▁ho", "nd", "<eos>"))
    joined = word_weights(looked, "The dog", "De hond")
    assert joined.source_words == ("The", "dog", "<eos>")
    assert joined.target_words == ("De", "hond", "<eos>")
    w = looked.weights
    torch.testing.assert_close(joined.weights[:, :, 0, 1], w[:, :, 0, 1] + w[:, :, 0, 2])
    torch.testing.assert_close(joined.weights[:, :, 1, 0], (w[:, :, 1, 0] + w[:, :, 2, 0]) / 2)
    torch.testing.assert_close(joined.weights.sum(-1), torch.ones(2, 3, 3))


def test_a_lookup_draws_lines_as_thick_as_its_weights(ax: Axes) -> None:
    lookup(["a", "b", "c"], [0.0, 0.75, 0.25], "q", ax)
    thick = [
        line.get_linewidth() for line in ax.lines if same_color(line.get_color(), LINE_COLOURS[1])
    ]
    assert np.allclose(np.array(thick) / thick[0], [1, 1 / 3])
    assert {"0.00", "0.75", "0.25", "q", "a", "value 3"} <= set(texts(ax))


def test_a_chain_shows_every_number_and_shape(ax: Axes) -> None:
    matrix_chain(CHAIN, ax)
    assert texts(ax) == ["1", "2", "0", "0.50", "$Q$", "2 × 2", "=", "0.33", "7", "$S$", "1 × 2"]
    boxes = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    assert len(boxes) == 6
    assert max(box.get_x() + 1 for box in boxes) <= ax.get_xlim()[1]


def test_measurements_are_marks_and_laws_are_lines(ax: Axes) -> None:
    points_and_laws(MEASURED, LAWS, "d_k", "variance", ax)
    drawn = {str(line.get_label()): line for line in ax.lines}
    for name, points in {**MEASURED, **LAWS}.items():
        assert drawn[name].get_xydata().tolist() == [list(point) for point in points]
    assert [drawn[name].get_linestyle() for name in MEASURED] == ["None", "None"]
    assert len({drawn[name].get_marker() for name in MEASURED}) == 2
    assert len({drawn[name].get_linestyle() for name in LAWS}) == 2
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")


def test_links_are_as_thick_as_weights(ax: Axes) -> None:
    links(["a", "b", "c"], ["x", "y"], WEIGHTS, ax, chosen=[1])
    thick = [line.get_linewidth() for line in ax.lines]
    assert np.allclose(np.array(thick) / 6, [0.7, 0.3, 0.1, 0.89])
    assert [to_rgba(line.get_color()) for line in ax.lines] == [
        *[to_rgba(INK)] * 2,
        *[to_rgba(LINE_COLOURS[0])] * 2,
    ]
    assert texts(ax) == ["a", "b", "c", "x", "y"]


def test_links_of_another_shape_are_refused(ax: Axes) -> None:
    with pytest.raises(MtcourseError, match=r"\(2, 3\) do not fit 3 queries and 3 keys"):
        links(["a", "b", "c"], ["x", "y", "z"], WEIGHTS, ax)


def test_frames_stand_around_their_cells(ax: Axes) -> None:
    outline([(0, 2), (1, 0)], ax)
    centres = [patch.get_bbox().corners().mean(0).tolist() for patch in ax.patches]
    assert np.allclose(centres, [[2, 0], [0, 1]])


DRAWINGS: dict[str, Callable[[Axes], Axes]] = {
    "lookup": lambda ax: lookup(["a", "b"], [0.5, 0.5], "q", ax),
    "matrix_chain": lambda ax: matrix_chain(CHAIN, ax),
    "points_and_laws": lambda ax: points_and_laws(MEASURED, LAWS, "x", "y", ax),
    "links": lambda ax: links(["a", "b", "c"], ["x", "y"], WEIGHTS, ax),
}


@pytest.mark.parametrize("name", DRAWINGS)
def test_ground_is_transparent_and_all_text_is_in_ink_that_both_pages_show(
    ax: Axes, name: str
) -> None:
    DRAWINGS[name](ax)
    figure = ax.figure
    file = io.BytesIO()
    figure.savefig(file, format="png")
    file.seek(0)
    assert plt.imread(file)[0, 0, 3] == 0
    allowed = [to_rgba(colour) for colour in (INK, *LINE_COLOURS)]
    shown = [text for text in figure.findobj(Text) if text.get_text()]
    assert shown
    assert all(to_rgba(text.get_color()) in allowed for text in shown)
