"""The exercise ``printed_network``: shapes and counts as printed (B12, B14, C38; chapter 10)."""

from __future__ import annotations

import itertools

import torch

from mtcourse.checks.exercise import Exercise, functions_of

TOKENS, D_MODEL, D_FF, LAYERS = 8, 4, 16, 6
_ATTENTION, _NORM = 3 * D_MODEL * D_MODEL, 2 * D_MODEL
_NETWORK = 2 * D_MODEL * D_FF + D_FF + D_MODEL


def correct():
    """Three products exist; the network has 148 numbers, a layer 212, six layers 1272."""
    return _answer()


def _answer(
    exist="BCE",
    middle=(TOKENS, D_FF),
    columns=(D_FF, D_MODEL),
    biases=(D_FF, D_MODEL),
    network=_NETWORK,
    layer=None,
    stack=None,
    C38=(1, 1),
):
    """The answer; a wrong count goes on into the larger ones unless they are given."""
    layer = _ATTENTION + network + 2 * _NORM if layer is None else layer
    stack = LAYERS * layer if stack is None else stack
    return {
        "exist": exist,
        "middle": middle,
        "columns": columns,
        "biases": biases,
        "network": network,
        "layer": layer,
        "stack": stack,
        "C38": C38,
    }


class Wrong:
    """What learners write, the more particular before the more general."""

    def without_names():
        """The values may be right, but their names are missing.

        Give a dictionary with the names from the question.
        """
        return list(correct().values())

    def nothing_is_wrong():
        """You say that the products of the printed formula exist, and you leave W_1 as it is
        printed.

        Write 4 × 16 beside 4 × 1. Which two numbers must agree in a product?
        """
        return _answer(exist="ABCE", columns=(D_MODEL, D_FF))

    def printed_product_exists():
        """You say that W_1 @ x exists, as printed.

        Write 4 × 16 beside 4 × 1. Which two numbers must agree in a product?
        """
        return _answer(exist="ABCE")

    def printed_product_exists_in_place_of_another():
        """You say that W_1 @ x exists, as printed, and that W_2 @ x does not. The shapes say the
        opposite.

        Write each shape beside that of x, 4 × 1. Which two numbers must agree in a product?
        """
        return _answer(exist="ABC")

    def only_in_rows():
        """You found the product in row form, X_1 @ W_1, and say that no other exists.

        A product may exist although it is not the one that is meant. Compare the inner sizes of
        all six.
        """
        return _answer(exist="B")

    def rows_and_transposed_alone():
        """You say that W_2 @ x does not exist. It is not what anybody means, but do its shapes fit?

        Write 16 × 4 beside 4 × 1.
        """
        return _answer(exist="BC")

    def rows_and_second_alone():
        """You say that W_1.T @ x does not exist. What is the shape of W_1.T?

        Transposing exchanges the two sizes.
        """
        return _answer(exist="BE")

    def columns_alone():
        """You say that X_1 @ W_1 does not exist. That is the product in row form.

        Write 8 × 4 beside 4 × 16.
        """
        return _answer(exist="CE")

    def sequence_from_the_right():
        """You say that W_1 @ X_1.T exists, besides those that do.

        What is the shape of X_1.T? Which two numbers must agree?
        """
        return _answer(exist="BCEF")

    def sequence_as_it_stands():
        """You say that W_1 @ X_1 exists, besides those that do.

        Write 4 × 16 beside 8 × 4. Which two numbers must agree?
        """
        return _answer(exist="BCDE")

    def all_exist():
        """You say that all six products exist.

        In a product, the inner sizes must agree. Write the shapes beside each other.
        """
        return _answer(exist="ABCDEF")

    def none_exists():
        """You say that no product exists.

        In a product, the inner sizes must agree. Write the shapes beside each other.
        """
        return _answer(exist="")

    def the_others_exist():
        """You named the products that do *not* exist.

        Read the question again: which exist?
        """
        return _answer(exist="ADF")

    def letters_in_a_list():
        """You gave the letters of the products as a list.

        The question asks for one string, such as "AF".
        """
        return _answer(exist=["B", "C", "E"])

    def letters_with_commas():
        """You put commas between the letters of the products.

        The question asks for one string without blanks, such as "AF".
        """
        return _answer(exist="B, C, E")

    def small_letters():
        """You wrote the letters of the products small.

        Write them as they stand in the question.
        """
        return _answer(exist="bce")

    def printed_formula_alone():
        """You say that the two products with x exist which the formula prints or suggests, W_1 @ x
        and W_2 @ x, and no other.

        Write 4 × 16 beside 4 × 1. Which two numbers must agree in a product?
        """
        return _answer(exist="AE")

    def weights_as_they_stand():
        """You say that W_1 @ x exists, and that W_1.T @ x does not. The shapes say the opposite.

        Write 4 × 16 and 16 × 4 beside 4 × 1. Which two numbers must agree?
        """
        return _answer(exist="ABE")

    def whole_sequence_alone():
        """You say that W_1 @ X_1.T exists, and no product with x does.

        x is 4 × 1, and X_1.T is 4 × 8. Compare the inner sizes of all six.
        """
        return _answer(exist="BF")

    def sequence_in_place_of_the_second():
        """You say that W_1 @ X_1.T exists, and that W_2 @ x does not. The shapes say the opposite.

        Write each shape out. Which two numbers must agree in a product?
        """
        return _answer(exist="BCF")

    def only_the_printed_one_is_wrong():
        """You say that all products but W_1 @ x exist.

        What are the shapes of X_1 and of X_1.T? Which two numbers must agree?
        """
        return _answer(exist="BCDEF")

    def middle_in_columns():
        """Your middle has the tokens as columns.

        In row form a token is a row, from the input to the output.
        """
        return _answer(middle=(D_FF, TOKENS))

    def middle_of_one_token():
        """Your middle holds a single token. All eight go through the network.

        In row form, X_1 has a row for each token. What does the product with W_1 do to its shape?
        """
        return _answer(middle=(1, D_FF))

    def middle_of_one_column():
        """Your middle is a column for a single token. All eight go through the network, as rows.

        What does the product X_1 W_1 do to the shape of X_1?
        """
        return _answer(middle=(D_FF, 1))

    def middle_not_wider():
        """Your middle is as wide as the input. W_1 widens the rows.

        How many columns has W_1?
        """
        return _answer(middle=(TOKENS, D_MODEL))

    def middle_is_the_weight():
        """You gave the shape of W_1 for the middle.

        What is the shape of X_1 W_1?
        """
        return _answer(middle=(D_MODEL, D_FF))

    def columns_as_printed():
        """You left W_1 as it is printed, 4 × 16, which a column of 4 numbers does not fit.

        In W_1 x, how many columns must W_1 have, and how many numbers should come out?
        """
        return _answer(columns=(D_MODEL, D_FF))

    def columns_for_the_sequence():
        """You fitted W_1 to the eight tokens. The network acts on one token at a time.

        In W_1 x, x has 4 numbers. How many should come out?
        """
        return _answer(columns=(D_FF, TOKENS))

    def columns_without_widening():
        """Your W_1 is square, so nothing is widened.

        In W_1 x, x has 4 numbers. How many should come out?
        """
        return _answer(columns=(D_MODEL, D_MODEL))

    def columns_of_one_number():
        """Your W_1 has a single column, and a column x of 4 numbers does not fit it.

        In W_1 x, how many columns must W_1 have?
        """
        return _answer(columns=(D_FF, 1))

    def biases_exchanged():
        """You exchanged the sizes of the two biases.

        b_1 is added in the middle, b_2 at the end. How wide is a row there?
        """
        return _answer(biases=(D_MODEL, D_FF))

    def biases_of_the_middle():
        """You gave both biases the width of the middle.

        b_2 is added at the end. How wide is a row there?
        """
        return _answer(biases=(D_FF, D_FF), network=_NETWORK + D_FF - D_MODEL)

    def wide_biases_in_the_network():
        """Your count of the network comes out as if both biases had 16 numbers.

        How many numbers have W_1, b_1, W_2 and b_2? Write the four below each other.
        """
        return _answer(network=_NETWORK + D_FF - D_MODEL)

    def both_biases_wide():
        """Your b_2 is as wide as the middle.

        b_2 is added at the end. How wide is a row there?
        """
        return _answer(biases=(D_FF, D_FF))

    def both_biases_narrow():
        """Your b_1 is as wide as the input.

        b_1 is added in the middle. How wide is a row there?
        """
        return _answer(biases=(D_MODEL, D_MODEL))

    def biases_for_each_token():
        """You gave the biases a number for each of the eight tokens.

        The network is the same for all positions, and so are its biases.
        """
        return _answer(biases=(TOKENS * D_FF, TOKENS * D_MODEL))

    def biases_with_a_row_for_each_token():
        """You gave the biases a row for each of the eight tokens.

        The network is the same for all positions, and so are its biases. Give two numbers.
        """
        return _answer(biases=((TOKENS, D_FF), (TOKENS, D_MODEL)))

    def biases_of_one_number():
        """You gave each bias a single number.

        A bias has a number for each column. How wide are the rows where it is added?
        """
        return _answer(biases=(1, 1), network=2 * D_MODEL * D_FF + 2)

    def network_without_biases():
        """You counted the two weights of the network, and not its biases.

        What does B12 add after each product?
        """
        return _answer(network=2 * D_MODEL * D_FF)

    def network_without_second_bias():
        """You did not count b_2 of the network.

        How many biases does B12 have, and how long is each?
        """
        return _answer(network=_NETWORK - D_MODEL)

    def network_without_first_bias():
        """You did not count b_1 of the network.

        How many biases does B12 have, and how long is each?
        """
        return _answer(network=_NETWORK - D_FF)

    def network_with_one_weight():
        """You counted only one of the network's two weights.

        W_2 has numbers, too.
        """
        return _answer(network=_NETWORK - D_MODEL * D_FF)

    def network_for_each_token():
        """You counted a network for each of the eight tokens.

        The network is the same for all positions.
        """
        return _answer(network=TOKENS * _NETWORK)

    def layer_without_norms():
        """You did not count the gains and biases of the two norms.

        Each norm has a gain and a bias for each of the 4 columns.
        """
        return _answer(layer=_ATTENTION + _NETWORK)

    def layer_with_one_norm():
        """You counted one norm with gain and bias, or two with gains only.

        B11 and B13 each have a norm, and each has a gain and a bias of 4 numbers.
        """
        return _answer(layer=_ATTENTION + _NETWORK + _NORM)

    def norms_of_two_numbers():
        """You gave each norm one number for its gain and one for its bias.

        Each column has its own gain and its own bias.
        """
        return _answer(layer=_ATTENTION + _NETWORK + 4)

    def norms_for_each_token():
        """You gave each norm a gain and a bias for each token and each column.

        Gain and bias are the same for all tokens.
        """
        return _answer(layer=_ATTENTION + _NETWORK + 2 * TOKENS * _NORM)

    def layer_with_an_output_matrix():
        """You counted a fourth matrix of attention, 4 × 4. Document B prints only W_Q, W_K and W_V.

        A W_O would be right in a real model. Here, count what the question lists.
        """
        return _answer(layer=_ATTENTION + D_MODEL**2 + _NETWORK + 2 * _NORM)

    def layer_with_one_matrix_of_attention():
        """You counted one matrix of attention. The question lists three.

        W_Q, W_K and W_V are 4 × 4 each.
        """
        return _answer(layer=D_MODEL**2 + _NETWORK + 2 * _NORM)

    def attention_for_each_head():
        """Your layer has 48 numbers too many: as many as three more 4 × 4 matrices have.

        The two heads share the width: both are in the same three matrices. And a norm is 4 wide.
        """
        return _answer(layer=2 * _ATTENTION + _NETWORK + 2 * _NORM)

    def layer_without_attention():
        """You did not count the matrices of attention.

        The layer has W_Q, W_K and W_V, too.
        """
        return _answer(layer=_NETWORK + 2 * _NORM)

    def layer_without_network():
        """You did not count the network in the layer.

        The network is part of the layer.
        """
        return _answer(layer=_ATTENTION + 2 * _NORM)

    def same_weights_in_all_layers():
        """You counted one layer, as if all six had the same weights.

        The document says "identical layers with different parameters". What is identical?
        """
        return _answer(stack=_ATTENTION + _NETWORK + 2 * _NORM)

    def one_norm_for_the_stack():
        """You added one more norm behind the six layers. A pre-norm stack has it; this one is
        post-norm.

        After the last layer, the rows are normalised already.
        """
        return _answer(stack=LAYERS * (_ATTENTION + _NETWORK + 2 * _NORM) + _NORM)

    def eight_layers():
        """You counted eight layers: there are eight tokens.

        How many layers does document B have?
        """
        return _answer(stack=TOKENS * (_ATTENTION + _NETWORK + 2 * _NORM))

    def C38_as_B():
        """You gave C38 two residual connections and two norms, as B11 and B13 have.

        Read both equations of C38. What happens to the output of FFN?
        """
        return _answer(C38=(2, 2))

    def C38_with_a_second_norm():
        """You gave C38 a second norm.

        Read both equations of C38. What happens to the output of FFN?
        """
        return _answer(C38=(1, 2))

    def C38_with_a_second_residual():
        """You gave C38 a second residual connection.

        Read both equations of C38. What is added to the output of FFN?
        """
        return _answer(C38=(2, 1))

    def C38_without_a_residual():
        """You gave C38 no residual connection.

        What is the sum in its first equation?
        """
        return _answer(C38=(0, 1))

    def C38_without_anything():
        """You gave C38 neither residual connection nor norm.

        Read its first equation.
        """
        return _answer(C38=(0, 0))

    def in_the_order_of_the_table():
        """Your letters are right, but they stand in the order of the table's rows.

        The question asks for the order of the alphabet.
        """
        return _answer(exist="BEC")

    def letters_with_blanks():
        """You put blanks between the letters of the products.

        The question asks for one string such as "AF".
        """
        return _answer(exist="B C E")

    def columns_for_the_tokens():
        """Your W_1 ends in the eight tokens. The network acts on one token at a time.

        In W_1 x, x is a column of 4 numbers. How many should come out?
        """
        return _answer(columns=(D_MODEL, TOKENS))

    def biases_as_shapes():
        """You gave the shapes of the biases. The question asks how many numbers each has.

        Give two numbers, as `(…, …)`.
        """
        return _answer(biases=((D_FF,), (D_MODEL,)))

    def biases_as_wide_as_the_tokens():
        """You gave each bias a number for each of the eight tokens.

        A bias has a number for each column, and is the same for all tokens.
        """
        return _answer(biases=(TOKENS, TOKENS))

    def network_alone_without_biases():
        """Your network has no biases, though your count of the layer includes them.

        Training changes the biases, too.
        """
        return _answer(network=2 * D_MODEL * D_FF, layer=_ATTENTION + _NETWORK + 2 * _NORM)

    def network_ends_after_the_first_layer():
        """You counted W_1 and b_1 of the network, and nothing behind the ReLU.

        W_2 and b_2 belong to the network, too.
        """
        return _answer(network=D_MODEL * D_FF + D_FF)

    def attention_with_biases():
        """Your layer has 12 numbers too many: as many as biases of W_Q, W_K and W_V have.

        The question says that these have no biases. And b_2 of the network is 4 wide.
        """
        return _answer(layer=_ATTENTION + 3 * D_MODEL + _NETWORK + 2 * _NORM)

    def attention_of_one_head():
        """You counted W_Q, W_K and W_V of one head only.

        Each is 4 × 4 for both heads together.
        """
        return _answer(layer=_ATTENTION // 2 + _NETWORK + 2 * _NORM)

    def stack_of_networks():
        """Your stack holds six networks. A layer has more than its network.

        Multiply the count of the whole layer.
        """
        return _answer(stack=LAYERS * _NETWORK)

    def twelve_layers():
        """You counted twelve layers. The question asks for the encoder, not for the decoder.

        How many encoder layers does document B have?
        """
        return _answer(stack=2 * LAYERS * (_ATTENTION + _NETWORK + 2 * _NORM))

    def C38_without_a_norm():
        """You gave C38 no norm.

        What stands outside the sum in its first equation?
        """
        return _answer(C38=(1, 0))

    def C38_with_two_residuals_and_no_norm():
        """You gave C38 two residual connections and no norm.

        Count the plus signs and the norms in both equations.
        """
        return _answer(C38=(2, 0))

    def C38_with_two_norms_and_no_residual():
        """You gave C38 two norms and no residual connection.

        Count the plus signs and the norms in both equations.
        """
        return _answer(C38=(0, 2))

    def seven_layers():
        """You counted seven layers.

        How many layers does document B have? Nothing is added for the stack itself.
        """
        return _answer(stack=(LAYERS + 1) * (_ATTENTION + _NETWORK + 2 * _NORM))

    def five_layers():
        """You counted five layers.

        How many layers does document B have?
        """
        return _answer(stack=(LAYERS - 1) * (_ATTENTION + _NETWORK + 2 * _NORM))


def _other_letters(named):
    """One mistake for each set of letters that has no message of its own."""
    right, letters = correct()["exist"], "ABCDEF"
    for size in range(1, len(letters)):
        for chosen in map("".join, itertools.combinations(letters, size)):
            if chosen != right and chosen not in named:
                yield _letters(chosen, next(x for x in letters if (x in chosen) != (x in right)))


def _other_orders(named):
    """One mistake for each other order of the right letters that has no message of its own."""
    for chosen in map("".join, itertools.permutations(correct()["exist"])):
        if chosen != correct()["exist"] and chosen not in named:
            yield _order(chosen)


def _order(chosen):
    """The right letters in this order."""

    def ordered():
        return _answer(exist=chosen)

    ordered.__name__ = f"letters_in_the_order_{chosen}"
    ordered.__doc__ = (
        f'Your letters are right, but "{chosen}" is not in the order of the alphabet.\n\nSort them.'
    )
    return ordered


def _letters(chosen, wrong):
    """These letters, with a word on the first that is wrong."""
    product, shapes = _PRODUCTS[wrong]
    claim = "exists" if wrong in chosen else "does not exist"

    def named():
        return _answer(exist=chosen)

    named.__name__ = f"letters_{chosen}"
    named.__doc__ = (
        f'In "{chosen}" you say that {product} {claim}. Look at its shapes again.\n\n'
        f"Write {shapes}. Which two numbers must agree in a product?"
    )
    return named


_PRODUCTS = {
    "A": ("W_1 @ x", "4 × 16 beside 4 × 1"),
    "B": ("X_1 @ W_1", "8 × 4 beside 4 × 16"),
    "C": ("W_1.T @ x", "16 × 4 beside 4 × 1"),
    "D": ("W_1 @ X_1", "4 × 16 beside 8 × 4"),
    "E": ("W_2 @ x", "16 × 4 beside 4 × 1"),
    "F": ("W_1 @ X_1.T", "4 × 16 beside 4 × 8"),
}


def _every_mistake():
    """Those above, and all other letters."""
    named = [wrong() for wrong in functions_of(Wrong)]
    letters = {str(one["exist"]) for one in named if isinstance(one, dict)}
    return (*functions_of(Wrong), *_other_letters(letters), *_other_orders(letters))


class Right:
    """Right answers, written differently."""

    def in_lists():
        """Lists for shapes."""
        return {
            key: list(value) if isinstance(value, tuple) else value
            for key, value in correct().items()
        }

    def as_torch_gives_them():
        """Shapes and counts of real tensors."""
        X_1, W_1, W_2 = torch.zeros(8, 4), torch.zeros(4, 16), torch.zeros(16, 4)
        b_1, b_2 = torch.zeros(16), torch.zeros(4)
        network = sum(part.numel() for part in (W_1, W_2, b_1, b_2))
        return {
            **correct(),
            "middle": torch.relu(X_1 @ W_1 + b_1).shape,
            "columns": W_1.T.shape,
            "biases": (*b_1.shape, *b_2.shape),
            "network": network,
        }

    def counted_by_layers():
        """Counts written as sums and products."""
        network = 4 * 16 + 16 + 16 * 4 + 4
        layer = 3 * 4 * 4 + network + 4 * 4
        return {**correct(), "network": network, "layer": layer, "stack": 6 * layer}

    def in_another_order():
        """The names from behind."""
        return dict(reversed(list(correct().items())))

    def with_tensors_for_counts():
        """Numbers as tensors."""
        counts = ("network", "layer", "stack")
        return {
            key: torch.tensor(value) if key in counts else value for key, value in correct().items()
        }


EXERCISE = Exercise(
    id="printed_network",
    oracle=correct,
    hint="Write the shapes beside each other: in a product, the inner sizes must agree. Count one "
    "part at a time: two weights, two biases, three matrices, two norms.",
    misconceptions=_every_mistake(),
    right=functions_of(Right),
)
