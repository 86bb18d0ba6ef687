"""The whole Transformer of 2017 in some thirty lines, each beside its equation (chapter 10)."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from mtcourse.errors import MtcourseError
from mtcourse.layers.attention import queries_keys_values, scaled_dot_product_attention
from mtcourse.layers.blocks import DecoderBlock, EncoderBlock, layer_norm, position_wise_network
from mtcourse.layers.embeddings import embed, tied_logits
from mtcourse.layers.masks import causal_mask, padding_mask
from mtcourse.layers.multi_head import CrossAttention, SelfAttention, merge_heads, split_heads
from mtcourse.layers.positions import sinusoidal_positions
from mtcourse.models.encoder_decoder import EncoderDecoder
from mtcourse.text.batches import shift_right
from mtcourse.training.loss import cross_entropy

Matrices = tuple[Tensor, ...]


@dataclass(frozen=True)
class BlockWeights:
    """The weights of one block.

    Args:
        self_attention: W_Q, W_K, W_V and W_O.
        network: W_1, b_1, W_2 and b_2.
        norms: gain and bias of each norm, in the order in which a row meets them.
        cross_attention: W_Q, W_K, W_V and W_O, in a decoder block.
    """

    self_attention: Matrices
    network: Matrices
    norms: tuple[tuple[Tensor, Tensor], ...]
    cross_attention: Matrices = ()


@dataclass(frozen=True)
class Weights:
    """All weights of a Transformer.

    Args:
        W_E: the one table of source, target and output.
        encoder: the blocks of the encoder.
        decoder: the blocks of the decoder.
    """

    W_E: Tensor
    encoder: tuple[BlockWeights, ...]
    decoder: tuple[BlockWeights, ...]


# --- the model: one statement a line, as the page shows it --------------------------------------


def attend(
    X: Float[Tensor, "batch m d_model"],
    Z: Float[Tensor, "batch n d_model"],
    W: Matrices,
    h: int,
    mask: Bool[Tensor, "..."],
) -> Float[Tensor, "batch m d_model"]:
    """Multi-head attention from the rows of X to those of Z (A24 to A27, B06; chapter 9)."""
    QKV = queries_keys_values(X, Z, *W[:3])
    Q, K, V = (split_heads(R, h) for R in QKV)
    A, _ = scaled_dot_product_attention(Q, K, V, mask)
    return merge_heads(A) @ W[3]


def transformer_2017(
    x: Int[Tensor, "batch n"], y: Int[Tensor, "batch m"], W: Weights, h: int
) -> tuple[Float[Tensor, "batch m V"], Float[Tensor, ""]]:
    """Logits and loss of the post-norm Transformer, from the book's free functions (chapter 10).

    Args:
        x: source ids, padded with 0.
        y: the labels: target ids that end in <eos>, padded with 0.
        W: the weights.
        h: the number of heads.

    Source: B11 to B14 and the rest of B, steps 1 to 7; Vaswani et al. (2017), section 3, without
    dropout.
    """
    n, m = x.shape[1], y.shape[1]
    real = padding_mask(x)
    past = causal_mask(m)
    d = W.W_E.shape[1]
    P = sinusoidal_positions(max(n, m), d)
    X = d**0.5 * embed(x, W.W_E) + P[:n]
    for L in W.encoder:
        A = attend(X, X, L.self_attention, h, real)
        X = layer_norm(X + A, *L.norms[0])
        F = position_wise_network(X, *L.network)
        X = layer_norm(X + F, *L.norms[1])
    y_read = shift_right(y)
    Y = d**0.5 * embed(y_read, W.W_E) + P[:m]
    for L in W.decoder:
        A_D = attend(Y, Y, L.self_attention, h, past)
        Y = layer_norm(Y + A_D, *L.norms[0])
        A_C = attend(Y, X, L.cross_attention, h, real)
        Y = layer_norm(Y + A_C, *L.norms[1])
        F = position_wise_network(Y, *L.network)
        Y = layer_norm(Y + F, *L.norms[2])
    logits = tied_logits(Y, W.W_E)
    return logits, cross_entropy(logits, y)


# --- its equations, line by line, with the chapter of each --------------------------------------

_MASKS, _HEADS, _BLOCKS = "05_masks", "09_multi_head", "10_blocks"
EQUATIONS_OF_ATTENTION = (
    (r"Q = X W_Q,\ K = Z W_K,\ V = Z W_V", "04_attention"),
    (r"Q_j, K_j, V_j \text{ with } d_k = d/h", _HEADS),
    (r"A_j = \operatorname{softmax}(Q_j K_j^\top / \sqrt{d_k} + M)\, V_j", "04_attention"),
    (r"\operatorname{Concat}(A_1, \dots, A_h)\, W_O", _HEADS),
)
_NETWORK = r"F = \operatorname{{ReLU}}({0} W_1 + b_1)\, W_2 + b_2"
_NORM = r"{0} \leftarrow \operatorname{{LayerNorm}}({0} + {1})"
_ROWS = r"{0} = \sqrt d\; {1}^\top W_E + P"
EQUATIONS = (
    (r"x_1, \dots, x_n,\quad y_1, \dots, y_m", "01_problem_setup"),
    (r"M_{ij} = -\infty \text{ where } x_j \text{ is padding}", _MASKS),
    (r"M_{ij} = -\infty \text{ where } j > i", _MASKS),
    (r"W_E \in \mathbb{R}^{V \times d}", "02_embeddings"),
    (r"P_{\text{pos},\, 2i} = \sin(\text{pos} / 10000^{2i/d}),\ \dots", "03_positions"),
    (_ROWS.format("X", "x"), "03_positions"),
    (r"N \text{ encoder blocks}", _BLOCKS),
    (r"A = \operatorname{MHA}(X, X)", _HEADS),
    (_NORM.format("X", "A"), _BLOCKS),
    (_NETWORK.format("X"), _BLOCKS),
    (_NORM.format("X", "F"), _BLOCKS),
    (r"\tilde y = (\text{bos}, y_1, \dots, y_{m-1})", "07_framework_model"),
    (_ROWS.format("Y", r"\tilde y"), "03_positions"),
    (r"N \text{ decoder blocks}", _BLOCKS),
    (r"A_D = \operatorname{MHA}(Y, Y), \text{ causal}", _MASKS),
    (_NORM.format("Y", "A_D"), _BLOCKS),
    (r"A_C = \operatorname{MHA}(Y, X)", "06_cross_attention"),
    (_NORM.format("Y", "A_C"), _BLOCKS),
    (_NETWORK.format("Y"), _BLOCKS),
    (_NORM.format("Y", "F"), _BLOCKS),
    (r"Y W_O,\ W_O = W_E^\top", "07_framework_model"),
    (r"-\tfrac1m \sum_j \log \operatorname{softmax}(Y W_O)_j[y_j]", "08_loss"),
)
"""For each line of ``transformer_2017`` its equation and the chapter that teaches it."""

_WIDEST = 47
"""Characters for which the column of code has room."""
_INDENT = "\u2003"


def statements(function: Callable[..., object]) -> list[str]:
    """The lines of a function's body after its docstring; those of a loop stay indented."""
    source = textwrap.dedent(inspect.getsource(function))
    body = source.split('"""')[-1]
    return [line for line in textwrap.dedent(body).splitlines() if line.strip()]


def equation_table(function: Callable[..., object], equations: Sequence[tuple[str, str]]) -> str:
    """A table in Markdown: equation, line of code, chapter.

    A line that is too long for its column is divided between two words.

    Args:
        function: whose lines are shown.
        equations: for each line its equation and the page that teaches it.

    Raises:
        MtcourseError: the function has another number of lines.
    """
    lines = statements(function)
    if len(lines) != len(equations):
        raise MtcourseError(
            f"{function.__name__} has {len(lines)} lines and {len(equations)} equations"
        )
    rows = ["| equation | code | ch. |", "| --- | --- | --- |"]
    for line, (equation, page) in zip(lines, equations, strict=True):
        indent = "" if line == line.lstrip() else _INDENT
        parts = textwrap.wrap(
            line.strip(), _WIDEST, initial_indent=indent, subsequent_indent=indent + _INDENT
        )
        code = " <br> ".join(f"`{part}`" for part in parts)
        rows.append(f"| ${equation}$ | {code} | [{int(page[:2])}](./{page}.md) |")
    return "\n".join(rows)


# --- the weights of the package's model, as plain matrices --------------------------------------


def weights_of(model: EncoderDecoder) -> Weights:
    """The weights of a model, each as its equation has it: W multiplies rows from the right.

    Args:
        model: post-norm, with one table, and without biases in its attention, as the equations are.

    Raises:
        MtcourseError: the model is another one.
    """
    if model.config.norm != "post" or not model.config.shared_embeddings:
        raise MtcourseError("the model of 2017 is post-norm and shares its embeddings")
    attentions = [m for m in model.modules() if isinstance(m, SelfAttention | CrossAttention)]
    maps = [m for of_one in attentions for m in of_one.children() if isinstance(m, nn.Linear)]
    if any(bool(layer.bias.any()) for layer in maps):
        raise MtcourseError("an attention of this model has a bias that is not 0")
    return Weights(
        model.output_weight,
        tuple(map(_of_encoder_block, model.encoder)),
        tuple(map(_of_decoder_block, model.decoder)),
    )


def _of_encoder_block(block: EncoderBlock) -> BlockWeights:
    norms = block.around_self_attention.layer_norm, block.around_feed_forward.layer_norm
    return BlockWeights(_of_self_attention(block), _of_network(block), tuple(map(_of_norm, norms)))


def _of_decoder_block(block: DecoderBlock) -> BlockWeights:
    cross = block.cross_attention
    around = block.around_self_attention, block.around_cross_attention, block.around_feed_forward
    return BlockWeights(
        _of_self_attention(block),
        _of_network(block),
        tuple(_of_norm(residual.layer_norm) for residual in around),
        (cross.W_Q.weight.T, *cross.W_KV.weight.T.chunk(2, -1), cross.W_O.weight.T),
    )


def _of_self_attention(block: EncoderBlock | DecoderBlock) -> Matrices:
    layer = block.self_attention
    return *layer.W_QKV.weight.T.chunk(3, -1), layer.W_O.weight.T


def _of_network(block: EncoderBlock | DecoderBlock) -> Matrices:
    W_1, W_2 = block.feed_forward.W_1, block.feed_forward.W_2
    return W_1.weight.T, W_1.bias, W_2.weight.T, W_2.bias


def _of_norm(norm: nn.LayerNorm) -> tuple[Tensor, Tensor]:
    return norm.weight, norm.bias
