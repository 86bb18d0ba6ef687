"""One picture of the whole model, in which every part leads to its chapter.

Large, it holds the matrices of a sentence, with their shapes; small, it shows where a chapter is.
"""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path

import torch
from jaxtyping import Float
from matplotlib.image import imsave
from torch import Tensor

from mtcourse.errors import MtcourseError
from mtcourse.figures.explorer import CSS, FOLDER, JAVASCRIPT, module, shown_pieces
from mtcourse.models.recorded_matrices import recorded_matrices
from mtcourse.models.translator import Translator
from mtcourse.text.batches import shift_right
from mtcourse.text.tokenizer import EOS

STYLES = (JAVASCRIPT / "whole_model.css").read_text(encoding="utf-8")
POSITIVE, NEGATIVE = (0x2B, 0x7B, 0xBA), (0xC8, 0x57, 0x1B)
"""The figures' blue and orange; how opaque a cell is says how large its number is."""
SHADES = 15
ROW_PIXELS = 4
OUTSHONE = 100
"""Of so many numbers of a row, one is too large for the scale of the colours."""


@dataclass(frozen=True)
class Matrix:
    """A matrix in the picture.

    Args:
        name: as ``recorded_matrices`` has it; ``{block}`` stands for the block that is shown, and
            ``{head}`` makes a matrix for each head.
        symbol: as the chapters write it, in HTML.
        rows: of the source, n, or of the target, m.
        columns: a symbol in HTML.
    """

    name: str
    symbol: str
    rows: str
    columns: str

    @property
    def of_heads(self) -> bool:
        """Whether each head has one."""
        return "{head}" in self.name


@dataclass(frozen=True)
class Part:
    """A part of the model, as a place in the picture.

    Args:
        name: one word, which the style sheet knows.
        label: what stands in the large picture.
        short: what stands in the small one; nothing where a number is enough.
        chapter: the chapter that explains it, by its word: ``attention``.
        matrices: what it computes.
        also: further chapters that are about it.
        note: what it does, where it has no matrix to show.
    """

    name: str
    label: str
    short: str
    chapter: str
    matrices: tuple[Matrix, ...] = ()
    also: tuple[str, ...] = ()
    note: str = ""


D_MODEL, D_FF = "d<sub>model</sub>", "d<sub>ff</sub>"
WHOLE = ("worked_example", "training", "seq2seq", "capstone")
"""Chapters that are about every part."""
ENCODER = (*WHOLE, "encoder_models", "fine_tuning")
DECODER = (*WHOLE, "decoder_models", "kv_cache")
FRAMEWORK = ("framework_model",)


def _attention(layer: str, symbols: str, queries: str, keys: str) -> tuple[Matrix, ...]:
    """Matrices of an attention layer: those of Q, K and V that are asked for, and the weights."""
    rows = {"Q": queries, "K": keys, "V": keys}
    projected = (Matrix(f"{layer}.{s}", s, rows[s], D_MODEL) for s in symbols)
    return (*projected, Matrix(f"{layer}.weights.{{head}}", "α<sub>{head}</sub>", queries, keys))


def _rows(side: str, ids: str, sum_: str, rows: str, also: tuple[str, ...]) -> tuple[Part, Part]:
    """Embeddings and positions of a side, which are called alike on both.

    Args:
        side: source or target.
        ids: the symbol of its one-hot tokens.
        sum_: of what the first block reads.
        rows: n or m.
        also: further chapters that are about them.
    """

    def matrix(name: str, symbol: str) -> Matrix:
        return Matrix(f"{side}_embedding.{name}", symbol, rows, D_MODEL)

    table = (matrix("E", f"{ids}<sup>⊤</sup>W<sub>E</sub>"),)
    summed = (matrix("P", "P"), matrix("X", sum_))
    return (
        Part(f"{side}-embedding", "Embeddings", "embedding", "embeddings", table, also),
        Part(f"{side}-positions", "Positions", "positions", "positions", summed, also),
    )


PARTS = (
    Part("source", "Source pieces", "source", "problem_setup", also=ENCODER),
    *_rows("source", "X", "H", "n", (*ENCODER, *FRAMEWORK)),
    Part(
        "self-attention",
        "Self-attention",
        "attention",
        "attention",
        _attention("encoder.{block}.self_attention", "QKV", "n", "n"),
        (*ENCODER, *FRAMEWORK, "multi_head"),
    ),
    Part(
        "heads",
        "Heads, side by side",
        "heads",
        "multi_head",
        (Matrix("encoder.{block}.self_attention.A", "A", "n", D_MODEL),),
        ENCODER,
    ),
    Part(
        "network",
        "Residuals, norms, network",
        "network",
        "blocks",
        (
            Matrix(
                "encoder.{block}.feed_forward.hidden",
                "ReLU(x W<sub>1</sub> + b<sub>1</sub>)",
                "n",
                D_FF,
            ),
        ),
        ENCODER,
    ),
    Part(
        "encoder-output",
        "Encoder output",
        "output",
        "blocks",
        (Matrix("encoder_norm.written", "H<sub>E</sub>", "n", D_MODEL),),
        (*ENCODER, "cross_attention"),
    ),
    Part(
        "target",
        "Target pieces so far",
        "target",
        "problem_setup",
        also=(*DECODER, "search", "sampling"),
    ),
    *_rows("target", "Y", "G", "m", (*DECODER, *FRAMEWORK)),
    Part(
        "masked-attention",
        "Masked self-attention",
        "masked",
        "masks",
        _attention("decoder.{block}.self_attention", "Q", "m", "m"),
        (*DECODER, *FRAMEWORK, "attention", "multi_head"),
    ),
    Part(
        "cache",
        "Key/value cache",
        "cache",
        "kv_cache",
        (
            Matrix("decoder.{block}.self_attention.K", "K", "m", D_MODEL),
            Matrix("decoder.{block}.self_attention.V", "V", "m", D_MODEL),
        ),
        (*WHOLE, "decoder_models"),
    ),
    Part(
        "cross-attention",
        "Cross-attention",
        "cross",
        "cross_attention",
        _attention("decoder.{block}.cross_attention", "QKV", "m", "n"),
        (*WHOLE, *FRAMEWORK, "multi_head"),
    ),
    Part(
        "decoder-network",
        "Residuals, norms, network",
        "network",
        "blocks",
        (
            Matrix(
                "decoder.{block}.feed_forward.hidden",
                "ReLU(x W<sub>1</sub> + b<sub>1</sub>)",
                "m",
                D_FF,
            ),
        ),
        DECODER,
    ),
    Part(
        "logits",
        "Logits and probabilities",
        "logits",
        "framework_model",
        (
            Matrix("decoder_norm.written", "H<sub>D</sub>", "m", D_MODEL),
            Matrix("output.logits", "U", "m", "V<sub>t</sub>"),
        ),
        (*DECODER, "loss"),
    ),
    Part(
        "loss",
        "Loss",
        "loss",
        "loss",
        also=("training", "worked_example"),
        note="−log p of each right piece, while it learns.",
    ),
    Part(
        "search",
        "Search",
        "search",
        "search",
        also=("capstone",),
        note="Which piece is written next: the best translation that can be found.",
    ),
    Part("sampling", "Sampling", "sampling", "sampling", note="Or a piece is drawn."),
    Part(
        "training",
        "Training",
        "training",
        "training",
        also=("fine_tuning", "capstone"),
        note="Moves every weight so that the loss falls.",
    ),
    Part("by-hand", "All of it in numbers", "", "worked_example"),
    Part("decoder-alone", "The decoder alone", "", "decoder_models"),
    Part("encoder-alone", "The encoder alone", "", "encoder_models"),
    Part("fine-tuned", "The encoder, fine-tuned", "", "fine_tuning"),
    Part("both", "One stack or two", "", "seq2seq"),
    Part("own", "Your own translator", "", "capstone"),
)
ELSEWHERE = ("by-hand", "decoder-alone", "encoder-alone", "fine-tuned", "both", "own")
"""Parts that stand below the model: what else is made of it."""


def chapter_pages(folder: Path) -> dict[str, str]:
    """The pages of a book's chapters by their words: ``{"attention": "04_attention"}``."""
    stems = sorted(page.stem for page in folder.glob("[0-9][0-9]_*.md"))
    return {stem.split("_", 1)[1]: stem for stem in stems}


def lit_parts(word: str) -> set[str]:
    """The names of the parts that a chapter is about.

    Args:
        word: the chapter's, as ``attention``.

    Raises:
        MtcourseError: the picture has no part for it.
    """
    lit = {part.name for part in PARTS if word == part.chapter or word in part.also}
    if not lit:
        raise MtcourseError(
            f"the picture of the whole model has no part for the chapter {word!r}: "
            "add one to PARTS in mtcourse/page/whole_model.py, or name it in a part's also"
        )
    return lit


# --- small --------------------------------------------------------------------------------------


def small_picture_html(word: str, pages: Mapping[str, str]) -> str:
    """The picture for a chapter's margin, in which that chapter's parts are lit.

    Args:
        word: the chapter's, as ``attention``.
        pages: as ``chapter_pages`` gives them; parts of other chapters are left out.

    Raises:
        MtcourseError: the chapter has no part.
    """
    lit = lit_parts(word)

    def place(part: Part) -> str:
        if part.chapter not in pages:
            return ""
        number = _number(part, pages)
        here = ' aria-current="page"' if part.chapter == word else ""
        kind = "whole-part is-lit" if part.name in lit else "whole-part"
        return (
            f'<a class="{kind}" data-part="{part.name}" href="{pages[part.chapter]}.html"{here} '
            f'title="Chapter {number}: {part.label}">{_small_label(part, number)}</a>'
        )

    return (
        '<nav class="whole-model whole-small" aria-label="This chapter in the model">'
        f"{_arranged(place)}</nav>"
    )


def _small_label(part: Part, number: int) -> str:
    if part.short:
        return f'{part.short} <span class="whole-chapter">{number}</span>'
    return f'<span class="whole-unseen">{part.label}, chapter </span>{number}'


def _number(part: Part, pages: Mapping[str, str]) -> int:
    """The number of a part's chapter."""
    return int(pages[part.chapter][:2])


def _arranged(place) -> str:
    """All parts: the model's own, and what else is made of them."""
    own = "".join(place(part) for part in PARTS if part.name not in ELSEWHERE)
    others = "".join(place(part) for part in PARTS if part.name in ELSEWHERE)
    return (
        '<div class="whole-grid">'
        '<div class="whole-block" data-part="encoder-block"><span>in each block</span></div>'
        '<div class="whole-block" data-part="decoder-block"><span>in each block</span></div>'
        f'{own}<div class="whole-elsewhere" data-part="elsewhere">'
        f'<span class="whole-heading">Whole models</span>{others}</div></div>'
    )


# --- large --------------------------------------------------------------------------------------


def whole_model_html(
    translator: Translator,
    sentence: str,
    translation: str,
    pages: Mapping[str, str],
    folder: str = FOLDER,
) -> str:
    """The picture with the matrices of one sentence, which a script fills with any other.

    Args:
        translator: what computes them.
        sentence: the source.
        translation: of this sentence, which the decoder is made to write.
        pages: as ``chapter_pages`` gives them; to other chapters no part leads.
        folder: the address of the translator's files, as seen from the page.
    """
    source = [*translator.tokenizers.source.encode(sentence), EOS]
    target = torch.tensor([[*translator.tokenizers.target.encode(translation), EOS]])
    read = shift_right(target)[0]
    matrices = recorded_matrices(translator.model, torch.tensor(source), read)
    config = translator.model.config
    pieces = {
        "source": shown_pieces(translator.tokenizers.source.pieces(source)),
        "target": shown_pieces(translator.tokenizers.target.pieces(read.tolist())),
    }

    def place(part: Part) -> str:
        name = f'<p class="whole-name">{part.label}</p>'
        if part.chapter in pages:
            name = (
                f'<p class="whole-name"><a href="{pages[part.chapter]}.html">{part.label} '
                f'<span class="whole-chapter">chapter {_number(part, pages)}</span></a></p>'
            )
        if part.name in pieces:
            inside = "".join(f"<span>{escape(piece)}</span>" for piece in pieces[part.name])
            shown = f'<p class="whole-pieces">{inside}</p>'
        else:
            shown = _matrices(part, config.h, matrices)
            shown += f'<p class="whole-note">{part.note}</p>' if part.note else ""
        return f'<section class="whole-part" data-part="{part.name}">{name}{shown}</section>'

    script = module(JAVASCRIPT / "whole_model.js").replace("export function", "function")
    script = re.sub(r"^ *//.*\n", "", script, flags=re.MULTILINE)
    return (
        f"<style>{CSS}{STYLES}</style>\n"
        f'<div class="mtcourse-explorer whole-model whole-large" role="group" '
        f'aria-label="The whole model" data-whole-model data-translator="{escape(folder)}" '
        f'data-blocks="{config.encoder_layers}" data-sentence="{escape(sentence)}" '
        f'data-translation="{escape(translation)}">\n'
        f'<p class="whole-sizes">{_sizes(config, len(source), len(read))}</p>\n'
        f"{_arranged(place)}\n</div>\n"
        f'<script type="module">\n{script}\nwholeModels();\n</script>'
    )


def _sizes(config, n: int, m: int) -> str:
    sizes = {
        "n": f'<span data-size="n">{n}</span> source pieces',
        "m": f'<span data-size="m">{m}</span> target pieces',
        D_MODEL: config.d_model,
        "h": f"{config.h} heads, side by side",
        D_FF: config.d_ff,
        "V<sub>t</sub>": f"{config.V_t:,}",
    }
    return "; ".join(f"<i>{symbol}</i> = {size}" for symbol, size in sizes.items()) + "."


def _matrices(part: Part, h: int, matrices: Mapping[str, Tensor]) -> str:
    """A part's matrices, in one row; those that each head has in a row of their own."""
    one = [_matrix(matrix, 0, matrices) for matrix in part.matrices if not matrix.of_heads]
    of_heads = [
        _matrix(matrix, head, matrices)
        for matrix in part.matrices
        if matrix.of_heads
        for head in range(h)
    ]
    return "".join(
        f'<div class="whole-matrices" style="--count: {len(row)}">{"".join(row)}</div>'
        for row in (one, of_heads)
        if row
    )


def _matrix(matrix: Matrix, head: int, matrices: Mapping[str, Tensor]) -> str:
    """A matrix as a button, which shows its numbers: image, symbol and shape."""
    values = matrices[matrix.name.format(block=0, head=head)]
    symbol = matrix.symbol.format(head=head + 1)
    template = matrix.name.replace("{head}", str(head))
    kind = "whole-matrix whole-weights" if matrix.of_heads else "whole-matrix"
    columns = matrix.columns if matrix.columns in ("n", "m") else ""
    return (
        f'<button type="button" class="{kind}" data-matrix="{template}" data-rows="{matrix.rows}" '
        f'data-columns="{columns}" style="--rows: {len(values)}">'
        f'<img alt="" src="data:image/png;base64,{_png(values)}">'
        f'<i class="whole-symbol">{symbol}</i> '
        f'<span class="whole-shape">{matrix.rows} × {matrix.columns}</span></button>'
    )


def full_strength(values: Float[Tensor, "rows columns"]) -> float:
    """How large a number has to be so that its colour is the strongest.

    It is the largest of a narrow matrix. Of a wide one the largest numbers are left out, one for
    each hundred columns of every row: beside a few large logits all others would be too faint.
    """
    sizes = values.abs().flatten().sort(descending=True).values
    left_out = len(values) * (values.shape[1] // OUTSHONE)
    return max(float(sizes[left_out]), 1e-30)


def _png(values: Float[Tensor, "rows columns"]) -> str:
    """A picture of a matrix: blue above zero, orange below, and the fainter the nearer to it."""
    tall = values.repeat_interleave(ROW_PIXELS, dim=0)
    strength = (tall.abs() / full_strength(values)).clamp(max=1)
    opacity = (strength * SHADES).round() / SHADES
    colours = torch.where(
        (tall >= 0)[..., None], torch.tensor(POSITIVE) / 255, torch.tensor(NEGATIVE) / 255
    )
    written = io.BytesIO()
    pixels = torch.cat([colours, opacity[..., None]], dim=-1).numpy()
    imsave(written, pixels, format="png", pil_kwargs={"optimize": True})
    return base64.b64encode(written.getvalue()).decode("ascii")
