"""The exercise ``encoder_block``: the pre-norm block (B11, B13, B14; chapter 10)."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Collection

import torch
import torch.nn.functional as F

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """A single row, as many rows as numbers, padding, a batch of batches."""
    return [
        Case("a single row", _drawn(draw, (1, 4))),
        Case("5 rows of 4", _drawn(draw, (5, 4))),
        Case("4 rows of 4", _drawn(draw, (4, 4))),
        Case("2 sentences of 3 rows, padded", _drawn(draw, (2, 3, 6), [[3], [2]])),
        Case("2 batches of 3 sentences", _drawn(draw, (2, 3, 2, 4))),
    ]


def _drawn(draw: Draw, shape, lengths=None):
    """Rows, and the weights of a block; the two norms have gains and biases of their own."""
    n, d = shape[-2:]
    gains, biases = 1 + 0.5 * draw.normal(2, d), draw.normal(2, d)
    real = torch.ones(shape[:-1], dtype=torch.bool)
    return draw.normal(*shape, scale=1.5), {
        "W_QKV": draw.normal(d, 3 * d, scale=1 / math.sqrt(d)),
        "b_QKV": draw.normal(3 * d, scale=0.3),
        "W_O": draw.normal(d, d, scale=1 / math.sqrt(d)),
        "b_O": draw.normal(d, scale=0.3),
        "h": 2,
        "real": real if lengths is None else torch.arange(n) < torch.tensor(lengths),
        "W_1": draw.normal(d, 2 * d),
        "b_1": draw.normal(2 * d),
        "W_2": draw.normal(2 * d, d, scale=0.5),
        "b_2": draw.normal(d),
        "gain_1": gains[0],
        "bias_1": biases[0],
        "gain_2": gains[1],
        "bias_2": biases[1],
    }


def parts_of(w):
    """Attention, network and norms with these weights, each from rows to rows."""

    def attention(z):
        parts = (z @ w["W_QKV"] + w["b_QKV"]).chunk(3, -1)
        Q, K, V = (part.unflatten(-1, (w["h"], -1)).transpose(-3, -2) for part in parts)
        scores = Q @ K.mT / math.sqrt(K.shape[-1])
        weights = scores.masked_fill(~w["real"][..., None, None, :], -math.inf).softmax(-1)
        return (weights @ V).transpose(-3, -2).flatten(-2) @ w["W_O"] + w["b_O"]

    def network(z):
        return torch.relu(z @ w["W_1"] + w["b_1"]) @ w["W_2"] + w["b_2"]

    def norm_1(z):
        return F.layer_norm(z, z.shape[-1:], w["gain_1"], w["bias_1"])

    def norm_2(z):
        return F.layer_norm(z, z.shape[-1:], w["gain_2"], w["bias_2"])

    return attention, network, norm_1, norm_2


def correct(x, w):
    """Two residual connections; the sublayers read normalised rows."""
    return _block(x, *parts_of(w))


def _block(x, attention, network, norm_1, norm_2):
    y = x + attention(norm_1(x))
    return y + network(norm_2(y))


def _parts(x, attention, network, norm_1, norm_2):
    """What attention adds, and the sum."""
    A = attention(norm_1(x))
    return A, x + A


def _as_it_is(x):
    """In the place of a norm that is left out."""
    return x


def _added(x, out):
    """A residual connection: the rows, and what the sublayer returns."""
    return x + out


class Half:
    """How one half of a block can be put together; the docstring is how a message says so."""

    def pre_norm(x, sublayer, norm, together=_added):
        """you normalised what the sublayer reads, and not the sum"""
        return together(x, sublayer(norm(x)))

    def post_norm(x, sublayer, norm, together=_added):
        """you normalised the sum, and not what the sublayer reads"""
        return norm(together(x, sublayer(x)))

    def output_normalised(x, sublayer, norm):
        """you normalised what the sublayer returns, before the sum"""
        return x + norm(sublayer(x))

    def residual_of_the_norm(x, sublayer, norm):
        """you added the normalised rows, not the rows from before the norm"""
        z = norm(x)
        return z + sublayer(z)

    def without_norm(x, sublayer, norm):
        """you used no norm"""
        return x + sublayer(x)

    def without_residual(x, sublayer, norm):
        """you normalised what the sublayer reads, and left out the residual connection"""
        return sublayer(norm(x))

    def without_residual_before_the_norm(x, sublayer, norm):
        """you normalised what the sublayer returns, and left out the residual connection"""
        return norm(sublayer(x))

    def sublayer_alone(x, sublayer, norm):
        """you used neither norm nor residual connection"""
        return sublayer(x)

    def normalised_on_both_sides(x, sublayer, norm):
        """you normalised what the sublayer reads and the sum as well"""
        return norm(x + sublayer(norm(x)))

    def normalised_in_and_out(x, sublayer, norm):
        """you normalised what the sublayer reads and also what it returns"""
        return x + norm(sublayer(norm(x)))


def mistaken_halves(
    right: Callable, hint: str, named: Collection[tuple[str, str]]
) -> tuple[Callable, ...]:
    """Blocks of two halves of which at least one is not as it should be.

    Args:
        right: how both halves should be put together.
        hint: said of all of them.
        named: the pairs of halves that have a message of their own, by their names.
    """
    halves = functions_of(Half)
    return tuple(
        _of_halves(first, second, right, hint)
        for first in halves
        for second in halves
        if not first is second is right and (first.__name__, second.__name__) not in named
    )


def _of_halves(first: Callable, second: Callable, right: Callable, hint: str) -> Callable:
    """A block of these two halves, with its message."""

    def block(x, w):
        attention, network, norm_1, norm_2 = parts_of(w)
        return second(first(x, attention, norm_1), network, norm_2)

    if first is second:
        both = f"Around both sublayers, {inspect.getdoc(first)}."
    said = (
        [both]
        if first is second
        else [
            f"Around {sublayer} all is right."
            if half is right
            else f"Around {sublayer}, {inspect.getdoc(half)}."
            for sublayer, half in (("attention", first), ("the network", second))
        ]
    )
    block.__name__ = f"attention_{first.__name__}_network_{second.__name__}"
    block.__doc__ = f"{' '.join(said)}\n\n{hint}"
    return block


def mistaken_norms(right: Callable, hint: str) -> tuple[Callable, ...]:
    """Blocks whose halves are alike, not as they should be, and have the wrong norms besides.

    Args:
        right: how both halves should be put together.
        hint: said of all of them.
    """
    without = (Half.without_norm, Half.sublayer_alone, right)
    halves = [half for half in functions_of(Half) if half not in without]
    return tuple(_of_norms(half, *norms, hint) for half in halves for norms in _NORMS)


_NORMS = (
    (0, 0, "you used norm_1 both times"),
    (1, 1, "you used norm_2 both times"),
    (1, 0, "you exchanged the two norms"),
)


def _of_norms(half: Callable, first: int, second: int, said: str, hint: str) -> Callable:
    """A block of two such halves with these norms."""

    def block(x, w):
        attention, network, *norms = parts_of(w)
        return half(half(x, attention, norms[first]), network, norms[second])

    block.__name__ = f"both_{half.__name__}_norms_{first + 1}_{second + 1}"
    block.__doc__ = f"Around both sublayers, {inspect.getdoc(half)}. And {said}.\n\n{hint}"
    return block


def _added_in_place(x, out):
    x += out
    return x


def _added_to_a_constant(x, out):
    return x.detach() + out


def _out_alone(x, out):
    return out


def _subtracted(x, out):
    return x - out


def _multiplied(x, out):
    return x * out


def _relu_of_the_sum(x, out):
    return F.relu(x + out)


def _relu_of_the_output(x, out):
    return x + F.relu(out)


class InBoth:
    """What learners write in a pre-norm block and in a post-norm block alike.

    ``half`` is how a half should be put together. All of them say the same in both blocks.
    """

    def changes_x(x, w, half):
        """The result is right, but your function changes x.

        `x += …` writes into the caller's tensor. `x = x + …` makes a new one.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        return half(half(x, attention, norm_1, _added_in_place), network, norm_2)

    def residual_does_not_learn(x, w, half):
        """The result is right, but no gradient flows back along the residual connection.

        Where did you detach or copy x? This path is what the residual connection is for.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        return half(half(x, attention, norm_1, _added_to_a_constant), network, norm_2)

    def first_norm_twice(x, w, half):
        """You used norm_1 both times. Each norm has its own gain and bias.

        norm_1 belongs to attention, norm_2 to the network.
        """
        attention, network, norm_1, _norm_2 = parts_of(w)
        return half(half(x, attention, norm_1), network, norm_1)

    def second_norm_twice(x, w, half):
        """You used norm_2 both times. Each norm has its own gain and bias.

        norm_1 belongs to attention, norm_2 to the network.
        """
        attention, network, _norm_1, norm_2 = parts_of(w)
        return half(half(x, attention, norm_2), network, norm_2)

    def norms_exchanged(x, w, half):
        """You exchanged the two norms.

        norm_1 belongs to attention, norm_2 to the network.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        return half(half(x, attention, norm_2), network, norm_1)

    def network_first(x, w, half):
        """You put the network before attention, with its own norm.

        Which sublayer comes first in the block?
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        return half(half(x, network, norm_2), attention, norm_1)

    def network_in_the_place_of_attention(x, w, half):
        """You exchanged the two sublayers, but not the norms.

        Attention comes first, with norm_1.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        return half(half(x, network, norm_1), attention, norm_2)

    def without_norms(x, w, half):
        """You used neither norm.

        Each half of the block has a norm. What does it normalise?
        """
        attention, network, _norm_1, _norm_2 = parts_of(w)
        return half(half(x, attention, _as_it_is), network, _as_it_is)

    def without_residuals(x, w, half):
        """You left out both residual connections.

        What is added to the output of a sublayer?
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        return half(half(x, attention, norm_1, _out_alone), network, norm_2, _out_alone)

    def without_first_residual(x, w, half):
        """You left out the residual connection around attention.

        What is added to the output of attention?
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        return half(half(x, attention, norm_1, _out_alone), network, norm_2)

    def without_second_residual(x, w, half):
        """You left out the residual connection around the network.

        What is added to the output of the network?
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        return half(half(x, attention, norm_1), network, norm_2, _out_alone)

    def normalised_on_both_sides(x, w, half):
        """You normalised before each sublayer and once more after each sum.

        Each norm is used once.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        y = norm_1(x + attention(norm_1(x)))
        return norm_2(y + network(norm_2(y)))

    def first_norm_for_both_and_the_second_at_the_end(x, w, half):
        """You used norm_1 before both sublayers, and norm_2 at the end.

        norm_1 belongs to attention, norm_2 to the network. Where does each stand?
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        y = x + attention(norm_1(x))
        return norm_2(y + network(norm_1(y)))

    def attention_twice(x, w, half):
        """You used attention in both places.

        The second sublayer is the network.
        """
        attention, _network, norm_1, norm_2 = parts_of(w)
        return half(half(x, attention, norm_1), attention, norm_2)

    def network_twice(x, w, half):
        """You used the network in both places.

        The first sublayer is attention.
        """
        _attention, network, norm_1, norm_2 = parts_of(w)
        return half(half(x, network, norm_1), network, norm_2)

    def sublayers_subtracted(x, w, half):
        """You subtracted what the sublayers return. Add it.

        A residual connection is a sum.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        return half(half(x, attention, norm_1, _subtracted), network, norm_2, _subtracted)

    def sublayers_multiplied(x, w, half):
        """You multiplied the rows by what the sublayers return. Add it.

        A residual connection is a sum.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        return half(half(x, attention, norm_1, _multiplied), network, norm_2, _multiplied)

    def relu_after_the_sums(x, w, half):
        """A ReLU follows each of your sums, as in residual networks for images.

        The network has its ReLU inside. The block has no other.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        return half(half(x, attention, norm_1, _relu_of_the_sum), network, norm_2, _relu_of_the_sum)

    def relu_after_the_network(x, w, half):
        """You took a ReLU of what the network returns.

        The network has its ReLU inside. Add what it returns, as it is.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        return half(half(x, attention, norm_1), network, norm_2, _relu_of_the_output)

    def returned_both_halves(x, w, half):
        """You return two things, the rows after the first half and those after the second. The
        question asks for the second alone.

        What does a block give to the next block?
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        y = half(x, attention, norm_1)
        return y, half(y, network, norm_2)

    def six_blocks(x, w, half):
        """You ran the block six times. The question asks for one block.

        In the stack, each block has weights of its own.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        for _ in range(6):
            x = half(half(x, attention, norm_1), network, norm_2)
        return x

    def part_called_without_weights(x, w, half):
        """Python stopped with a TypeError on every input. Most often a part is called without `w`.

        Each of the four parts takes two arguments: rows, and the weights.
        """
        raise TypeError


def mistakes_in_both(half: Callable) -> tuple[Callable, ...]:
    """The mistakes of ``InBoth``, made in blocks of such halves.

    Args:
        half: how both halves should be put together.
    """
    return tuple(_made_in(half, mistake) for mistake in functions_of(InBoth))


def _made_in(half: Callable, mistake: Callable) -> Callable:
    """This mistake in a block of such halves, with its message."""

    def block(x, w):
        return mistake(x, w, half)

    block.__name__ = f"{mistake.__name__}_in_{half.__name__}"
    block.__doc__ = mistake.__doc__
    return block


class Rows:
    """What the network can read, and what can be added to its output: said by the docstring."""

    def the_sum(x, A, y):
        """the rows after the first half"""
        return y

    def the_input(x, A, y):
        """the block's input"""
        return x

    def attention_alone(x, A, y):
        """attention's output alone"""
        return A

    def input_and_sum(x, A, y):
        """the block's input plus the rows after the first half"""
        return x + y


def mistaken_wiring(pre: bool, hint: str, named: Collection[str]) -> tuple[Callable, ...]:
    """Blocks in pre-norm and in post-norm whose second half is connected in other ways.

    Args:
        pre: whether pre-norm is asked for.
        hint: said of all of them.
        named: the names of those that have a message of their own.
    """
    rows = functions_of(Rows)
    blocks = (
        _wired(is_pre, read, added, "" if is_pre is pre else _OTHER[is_pre], hint)
        for is_pre in (True, False)
        for read in rows
        for added in rows
    )
    return tuple(block for block in blocks if block.__name__ not in named)


_OTHER = {
    True: "You wrote a pre-norm block: each norm stands before its sublayer. ",
    False: "You wrote a post-norm block: each norm comes after the sum. ",
}


def _wired(is_pre: bool, read: Callable, added: Callable, said: str, hint: str) -> Callable:
    """A block whose network reads some rows, and to whose output some are added."""

    def block(x, w):
        attention, network, norm_1, norm_2 = parts_of(w)
        if is_pre:
            A = attention(norm_1(x))
            y = x + A
            return added(x, A, y) + network(norm_2(read(x, A, y)))
        A = attention(x)
        y = norm_1(x + A)
        return norm_2(added(x, A, y) + network(read(x, A, y)))

    placement = "pre" if is_pre else "post"
    block.__name__ = f"{placement}_reads_{read.__name__}_adds_{added.__name__}"
    reads, adds = inspect.getdoc(read), inspect.getdoc(added)
    block.__doc__ = (
        f"{said}Your network reads {reads}, and {adds} is what you add to its output.\n\n{hint}"
    )
    return block


class Wrong:
    """What learners write, the more particular before the more general."""

    def post_norm(x, w):
        """You wrote the post-norm block of B11 and B13: each norm comes after the sum.

        In the pre-norm block the norm stands before the sublayer, and nothing normalises the sum.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        y = norm_1(x + attention(x))
        return norm_2(y + network(y))

    def post_norm_around_attention(x, w):
        """Your network is as in pre-norm, but around attention you wrote post-norm: the norm comes
        after the sum.

        Attention, too, reads normalised rows, and nothing normalises the sum.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        y = norm_1(x + attention(x))
        return y + network(norm_2(y))

    def post_norm_around_the_network(x, w):
        """Your attention is as in pre-norm, but around the network you wrote post-norm: the norm
        comes after the sum.

        The network, too, reads normalised rows, and nothing normalises the sum.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        _, y = _parts(x, attention, network, norm_1, norm_2)
        return norm_2(y + network(y))

    def norm_of_the_output(x, w):
        """You normalised what each sublayer returns, before the sum.

        In pre-norm, normalise what a sublayer *reads*.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        y = x + norm_1(attention(x))
        return y + norm_2(network(y))

    def residual_of_the_norm(x, w):
        """Both of your residual connections start after the norm, so the normalised rows are added,
        not the rows themselves.

        Did you write the normalised rows back into x? The sum needs the old x. Give the normalised
        rows a name of their own.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        z = norm_1(x)
        z = norm_2(z + attention(z))
        return z + network(z)

    def first_residual_of_the_norm(x, w):
        """Your first residual connection starts after the norm, so the normalised rows are added to
        attention's output, not the rows themselves.

        The sum needs the old x. Give the normalised rows a name of their own.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        z = norm_1(x)
        y = z + attention(z)
        return y + network(norm_2(y))

    def second_residual_of_the_norm(x, w):
        """Your second residual connection starts after the norm, so the normalised rows are added
        to the network's output, not the rows themselves.

        The sum needs the rows before the second norm. Give the normalised rows a name of their own.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        _, y = _parts(x, attention, network, norm_1, norm_2)
        z = norm_2(y)
        return z + network(z)

    def without_first_norm(x, w):
        """Your attention reads x itself: norm_1 is missing.

        What does a sublayer read in the pre-norm block?
        """
        attention, network, _norm_1, norm_2 = parts_of(w)
        return _block(x, attention, network, _as_it_is, norm_2)

    def without_second_norm(x, w):
        """Your network reads rows that are not normalised: norm_2 is missing.

        What does a sublayer read in the pre-norm block?
        """
        attention, network, norm_1, _norm_2 = parts_of(w)
        return _block(x, attention, network, norm_1, _as_it_is)

    def network_reads_the_input(x, w):
        """Your network reads the input of the block, not the sum after attention. Both sublayers
        work side by side.

        Some models do so on purpose. In this block, the network reads what attention has found.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        _, y = _parts(x, attention, network, norm_1, norm_2)
        return y + network(norm_2(x))

    def network_reads_the_first_norm(x, w):
        """Your network reads the same normalised rows as attention does: those of the block's
        input.

        Normalise the sum after attention, with norm_2.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        _, y = _parts(x, attention, network, norm_1, norm_2)
        return y + network(norm_1(x))

    def second_residual_of_the_input(x, w):
        """Your second residual connection adds the block's input, so the output of attention
        reaches the result through the network only.

        Which rows go into the second norm? They are added.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        _, y = _parts(x, attention, network, norm_1, norm_2)
        return x + network(norm_2(y))

    def network_reads_attention_alone(x, w):
        """Your network reads attention's output alone, without the first residual connection, and
        you add x at the end.

        First add x to attention's output. The network reads this sum, normalised.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        A, _ = _parts(x, attention, network, norm_1, norm_2)
        return x + network(norm_2(A))

    def network_reads_attention_and_all_is_added(x, w):
        """Your sums are right, but the network reads attention's output alone, without x.

        The network reads the sum after the first residual connection, normalised.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        A, y = _parts(x, attention, network, norm_1, norm_2)
        return y + network(norm_2(A))

    def attentions_output_is_added(x, w):
        """Your second residual connection adds attention's output alone, without x.

        Which rows go into the second norm? They are added.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        A, y = _parts(x, attention, network, norm_1, norm_2)
        return A + network(norm_2(y))

    def bracket_of_the_network_too_late(x, w):
        """Your network reads the sum of the normalised rows and the rows themselves, and nothing is
        added to its output.

        Close the bracket of the network after the norm: the second residual connection is outside.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        _, y = _parts(x, attention, network, norm_1, norm_2)
        return network(norm_2(y) + y)

    def both_brackets_too_late(x, w):
        """Both sublayers read the sum of the normalised rows and the rows themselves, and nothing
        is added to their outputs.

        Close the bracket of each sublayer after the norm: the residual connection is outside.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        y = attention(norm_1(x) + x)
        return network(norm_2(y) + y)

    def input_added_twice(x, w):
        """You added x once more at the end. It is in the sum after attention already.

        How many residual connections has the block, and where does each start?
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        return x + _block(x, attention, network, norm_1, norm_2)

    def normalised_at_the_end(x, w):
        """You normalised the result with norm_2. In pre-norm, the last norm stands after the whole
        stack of blocks, not in each block.

        The block ends with a sum.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        return norm_2(_block(x, attention, network, norm_1, norm_2))

    def normalised_at_the_end_by_the_first(x, w):
        """You normalised the result with norm_1. In pre-norm, the last norm stands after the whole
        stack of blocks, not in each block.

        The block ends with a sum.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        return norm_1(_block(x, attention, network, norm_1, norm_2))

    def normalised_in_and_out(x, w):
        """You normalised what each sublayer reads and also what it returns.

        Each norm is used once, before its sublayer.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        y = x + norm_1(attention(norm_1(x)))
        return y + norm_2(network(norm_2(y)))

    def post_norm_with_the_input_added(x, w):
        """You wrote a post-norm block: each norm comes after the sum. And your second residual
        connection adds the block's input.

        In the pre-norm block the norm stands before the sublayer. Which rows go into the second
        norm? They are added.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        return norm_2(x + network(norm_1(x + attention(x))))

    def post_norm_halves_apart(x, w):
        """You wrote both halves in post-norm, each from the block's input, and added them.

        The network reads what attention has found. And in the pre-norm block the norm stands before
        the sublayer.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        return norm_1(x + attention(x)) + norm_2(x + network(x))

    def halves_apart(x, w):
        """You computed both halves from the block's input, and added them: x is in the sum twice.

        The network reads what attention has found.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        return x + attention(norm_1(x)) + x + network(norm_2(x))

    def without_the_network(x, w):
        """You returned the sum after attention. The network is missing.

        What comes after the first residual connection?
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        return _parts(x, attention, network, norm_1, norm_2)[1]

    def without_attention(x, w):
        """Attention is missing: you returned x plus the network of the normalised x.

        Which sublayer comes first?
        """
        _attention, network, _norm_1, norm_2 = parts_of(w)
        return x + network(norm_2(x))

    def sums_halved(x, w):
        """You took the mean of the two rows at each residual connection. Add them.

        x + F(x) has no factor.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        y = (x + attention(norm_1(x))) / 2
        return (y + network(norm_2(y))) / 2

    def one_norm_in_front(x, w):
        """You normalised the input once, with norm_1, and never used norm_2.

        Each sublayer reads rows that were normalised just before it. The residual connections add
        rows that were not.
        """
        attention, network, norm_1, _norm_2 = parts_of(w)
        z = norm_1(x)
        z = z + attention(z)
        return z + network(z)

    def network_reads_both_norms_of_the_input(x, w):
        """Your network reads the block's input, normalised with norm_1 and once more with norm_2,
        so it does not see what attention has found.

        Normalise the sum after attention, with norm_2 alone.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        z = norm_1(x)
        return x + attention(z) + network(norm_2(z))

    def network_reads_both_norms_of_the_sum(x, w):
        """Your network reads rows that are normalised twice, with norm_1 and then with norm_2.

        Each norm is used once.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        _, y = _parts(x, attention, network, norm_1, norm_2)
        return y + network(norm_2(norm_1(y)))

    def second_residual_of_the_first_norm(x, w):
        """Your second residual connection adds rows that went through norm_1.

        Which rows go into the second norm? They are added, as they are.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        _, y = _parts(x, attention, network, norm_1, norm_2)
        return norm_1(y) + network(norm_2(y))


class Right:
    """Right answers, written differently."""

    def with_names(x, w):
        """Every step by itself."""
        attention, network, norm_1, norm_2 = parts_of(w)
        normalised = norm_1(x)
        attended = attention(normalised)
        after_attention = torch.add(x, attended)
        computed = network(norm_2(after_attention))
        return torch.add(after_attention, computed)

    def in_one_name(x, w):
        """The name x stands for each sum in turn."""
        attention, network, norm_1, norm_2 = parts_of(w)
        x = x + attention(norm_1(x))
        return x + network(norm_2(x))

    def as_a_loop(x, w):
        """Two sublayers of one form."""
        attention, network, norm_1, norm_2 = parts_of(w)
        for sublayer, norm in ((attention, norm_1), (network, norm_2)):
            x = sublayer(norm(x)) + x
        return x

    def as_a_function_around(x, w):
        """Wraps a sublayer."""
        attention, network, norm_1, norm_2 = parts_of(w)

        def residual(sublayer, norm):
            return lambda x: x + sublayer(norm(x))

        return residual(network, norm_2)(residual(attention, norm_1)(x))

    def as_a_stack(x, w):
        """Collects what is added, and sums."""
        attention, network, norm_1, norm_2 = parts_of(w)
        added = [x, attention(norm_1(x))]
        added.append(network(norm_2(sum(added))))
        return torch.stack(added).sum(0)


_HINT = "In each half: what does the sublayer read, what is added, and what is normalised?"
_NAMED = [
    ("post_norm", "post_norm"),
    ("post_norm", "pre_norm"),
    ("pre_norm", "post_norm"),
    ("output_normalised", "output_normalised"),
    ("residual_of_the_norm", "residual_of_the_norm"),
    ("residual_of_the_norm", "pre_norm"),
    ("pre_norm", "residual_of_the_norm"),
    ("without_norm", "without_norm"),
    ("without_norm", "pre_norm"),
    ("pre_norm", "without_norm"),
    ("without_residual", "without_residual"),
    ("without_residual", "pre_norm"),
    ("pre_norm", "without_residual"),
    ("pre_norm", "normalised_on_both_sides"),
    ("residual_of_the_norm", "without_norm"),
    ("normalised_on_both_sides", "normalised_on_both_sides"),
    ("normalised_in_and_out", "normalised_in_and_out"),
]

_WIRING = "Which rows leave the first half? The network reads them, normalised, and they are added."
_NAMED_WIRING = [
    "pre_reads_the_sum_adds_the_sum",
    "pre_reads_the_sum_adds_the_input",
    "pre_reads_the_sum_adds_attention_alone",
    "pre_reads_the_sum_adds_input_and_sum",
    "pre_reads_the_input_adds_the_sum",
    "pre_reads_the_input_adds_the_input",
    "pre_reads_the_input_adds_input_and_sum",
    "pre_reads_attention_alone_adds_the_sum",
    "pre_reads_attention_alone_adds_the_input",
    "pre_reads_attention_alone_adds_attention_alone",
    "post_reads_the_sum_adds_the_sum",
    "post_reads_the_sum_adds_the_input",
    "post_reads_attention_alone_adds_attention_alone",
]

EXERCISE = Exercise(
    id="encoder_block",
    oracle=correct,
    hint="For each sublayer, ask three questions. What does it read? What is added to what it "
    "returns? Where does the norm stand? Draw the block as two detours around one straight line.",
    misconceptions=(
        *mistakes_in_both(Half.pre_norm),
        *functions_of(Wrong),
        *mistaken_halves(Half.pre_norm, _HINT, _NAMED),
        *mistaken_wiring(True, _WIRING, _NAMED_WIRING),
        *mistaken_norms(Half.pre_norm, _HINT),
    ),
    right=functions_of(Right),
    cases=cases,
    gradients=True,
)
