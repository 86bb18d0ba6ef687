"""The exercise ``dimension_flow``: shapes and parameters of B's model (B18, B21; chapter 11)."""

from __future__ import annotations

import torch

from mtcourse.checks.exercise import Exercise, functions_of

N, M, D, H, D_FF, V_T = 7, 6, 4, 2, 16, 10_000
D_K = D // H
_ATTENTION, _NETWORK, _NORM = 4 * D * D, 2 * D * D_FF + D_FF + D, 2 * D


def _answer(
    encoder_scores=(H, N, N),
    cross_scores=(H, M, N),
    hidden=(M, D_FF),
    logits=(M, V_T),
    encoder_layer=_ATTENTION + _NETWORK + 2 * _NORM,
    decoder_layer=2 * _ATTENTION + _NETWORK + 3 * _NORM,
    output=D * V_T,
):
    return {
        "encoder_scores": encoder_scores,
        "cross_scores": cross_scores,
        "hidden": hidden,
        "logits": logits,
        "encoder_layer": encoder_layer,
        "decoder_layer": decoder_layer,
        "output": output,
    }


def _layers(attention=_ATTENTION, network=_NETWORK, norm=_NORM):
    """Both layers with other parts."""
    return _answer(
        encoder_layer=attention + network + 2 * norm,
        decoder_layer=2 * attention + network + 3 * norm,
    )


def correct():
    """Seven English tokens, six French positions."""
    return _answer()


class Wrong:
    """What learners write, the more particular before the more general."""

    def without_names():
        """The answer is a dictionary with the names of the question.

        Put each shape and each number after its name.
        """
        return list(correct().values())

    def scores_without_heads():
        """Your scores have no dimension for the heads.

        Each of the two heads has a matrix of scores of its own.
        """
        return _answer(encoder_scores=(N, N), cross_scores=(M, N))

    def encoder_scores_without_heads():
        """The scores of the encoder have no dimension for the heads.

        Each of the two heads has a matrix of scores of its own.
        """
        return _answer(encoder_scores=(N, N))

    def cross_scores_without_heads():
        """The scores of cross-attention have no dimension for the heads.

        Each of the two heads has a matrix of scores of its own.
        """
        return _answer(cross_scores=(M, N))

    def eight_tokens():
        """Your scores have document B's eight tokens. This sentence has no padding.

        How many tokens does the encoder read here, and how many the decoder?
        """
        return _answer((H, 8, 8), (H, 8, 8), (8, D_FF), (8, V_T))

    def eight_tokens_in_the_encoder():
        """The scores of the encoder have document B's eight tokens. This sentence has no padding.

        How many tokens does the encoder read here?
        """
        return _answer(encoder_scores=(H, 8, 8))

    def scores_of_the_decoder():
        """Your scores of the encoder are those of the decoder's self-attention.

        Which tokens does the encoder compare?
        """
        return _answer(encoder_scores=(H, M, M))

    def scores_for_six_layers():
        """Your scores have a matrix for each of the six layers. One layer is asked for.

        How many matrices of scores does an attention of one layer have?
        """
        return _answer(encoder_scores=(6, N, N), cross_scores=(6, M, N))

    def encoder_scores_for_six_layers():
        """Your scores of the encoder have a matrix for each of the six layers. One layer is asked
        for.

        How many matrices of scores does an attention of one layer have?
        """
        return _answer(encoder_scores=(6, N, N))

    def queries_for_scores():
        """Where scores are asked for, you give the shape of queries: a row is as wide as a head.

        A score is one number for a query and a key. How many keys does a query have?
        """
        return _answer(encoder_scores=(H, N, D_K))

    def scores_as_wide_as_the_model():
        """A row of your scores is as wide as the model.

        A score is one number for a query and a key. How many keys does a query have?
        """
        return _answer(encoder_scores=(H, N, D))

    def cross_scores_transposed():
        """In your cross-attention, the queries are the English tokens.

        From which side do the queries come? They are the rows of the scores.
        """
        return _answer(cross_scores=(H, N, M))

    def cross_scores_square():
        """Your scores of cross-attention are square, as if the French tokens looked at each other.

        The keys come from the encoder. How many are there?
        """
        return _answer(cross_scores=(H, M, M))

    def cross_scores_of_the_encoder():
        """Your scores of cross-attention are those of the encoder.

        The queries come from the decoder. How many are there?
        """
        return _answer(cross_scores=(H, N, N))

    def cross_scores_of_both():
        """In your cross-attention, each query has a key for the tokens of both languages.

        The keys come from the encoder alone.
        """
        return _answer(cross_scores=(H, M, N + M))

    def five_positions():
        """You count five positions in the decoder. The start symbol is a position, too.

        What does the decoder read, token by token?
        """
        return _answer(cross_scores=(H, 5, N), hidden=(5, D_FF), logits=(5, V_T))

    def seven_positions():
        """You count seven positions in the decoder: <BOS>, five words and <EOS>. The decoder does
        not read <EOS>.

        Which token does it read when it predicts <EOS>?
        """
        return _answer(cross_scores=(H, 7, N), hidden=(7, D_FF), logits=(7, V_T))

    def hidden_as_wide_as_the_model():
        """Between W₁ and W₂ your rows are as wide as the model.

        W₁ widens them. How many columns does it have?
        """
        return _answer(hidden=(M, D))

    def hidden_transposed():
        """Your hidden rows are columns, as in the formula that document B prints.

        In this course rows are tokens, and weights multiply from the right.
        """
        return _answer(hidden=(D_FF, M))

    def hidden_with_heads():
        """The network has a dimension for the heads in your answer.

        The heads are merged before the network. How wide is a row then?
        """
        return _answer(hidden=(H, M, D_FF))

    def hidden_of_the_encoder():
        """You give the hidden rows of the encoder's network.

        How many positions does the decoder have?
        """
        return _answer(hidden=(N, D_FF))

    def hidden_four_times():
        """Your hidden rows are 64 wide: d_ff is already four times the width of the model.

        How many columns does W₁ have?
        """
        return _answer(hidden=(M, 4 * D_FF))

    def shape_of_W_1():
        """For the hidden rows, you give the shape of W₁.

        What comes out of X W₁ if X has a row for each position?
        """
        return _answer(hidden=(D, D_FF))

    def logits_of_the_encoder():
        """Your logits have a row for each English token.

        Predictions are made on the decoder's side. How many positions does it have?
        """
        return _answer(logits=(N, V_T))

    def logits_of_one_row():
        """You have one row of logits, as in a single step of inference.

        In training the decoder reads all its tokens at once, and each position predicts.
        """
        return _answer(logits=(1, V_T))

    def logits_without_rows():
        """Your logits have one dimension.

        Each position of the decoder predicts a token.
        """
        return _answer(logits=(V_T,))

    def logits_as_wide_as_the_model():
        """Your logits are as wide as the model. These are the rows before W_output.

        A logit belongs to each token of the vocabulary.
        """
        return _answer(logits=(M, D))

    def logits_transposed():
        """Your logits have a row for each token of the vocabulary.

        Rows are positions here too.
        """
        return _answer(logits=(V_T, M))

    def shape_of_W_output():
        """For the logits, you give the shape of W_output.

        What comes out of Y W_output if Y has a row for each position?
        """
        return _answer(logits=(D, V_T))

    def one_token_each():
        """For the logits, you give the shape of the tokens that are chosen.

        How many numbers are compared before one token is chosen?
        """
        return _answer(logits=(M, 1))

    def without_W_O():
        """You counted three matrices in each attention. W_O is missing.

        What mixes the two heads?
        """
        return _layers(attention=3 * D * D)

    def attention_of_one_head():
        """In each attention you counted matrices that are as narrow as one head.

        The two heads share the width: together their columns are as many as those of the model.
        """
        return _layers(attention=4 * D * D_K)

    def attention_per_head():
        """You counted full-width matrices for each head.

        The two heads share the width: together their columns are as many as those of the model.
        """
        return _layers(attention=8 * D * D)

    def attention_of_full_width_heads():
        """Your heads have three full-width matrices each, and one W_O. These are document A's
        heads, with a W_O that is too small for them.

        The two heads share the width: together their columns are as many as those of the model.
        """
        return _layers(attention=7 * D * D)

    def attention_with_biases():
        """You counted biases in the attentions.

        The question says which parts have one.
        """
        return _layers(attention=_ATTENTION + 4 * D)

    def network_without_biases():
        """You counted no biases in the network.

        Look at B12: what is added after W₁, and what after W₂?
        """
        return _layers(network=2 * D * D_FF)

    def network_with_one_bias():
        """One of the network's two biases is missing: you counted only the one after W₁.

        What is added after W₂?
        """
        return _layers(network=2 * D * D_FF + D_FF)

    def network_with_narrow_biases():
        """Both biases of the network have 4 numbers in your count.

        b₁ is added to rows that are as wide as d_ff.
        """
        return _layers(network=2 * D * D_FF + 2 * D)

    def network_with_wide_biases():
        """Both biases of the network have 16 numbers in your count.

        b₂ is added to rows that are as wide as the model.
        """
        return _layers(network=2 * D * D_FF + 2 * D_FF)

    def network_of_one_matrix():
        """You counted only one of the network's two matrices.

        W₁ widens, W₂ brings the rows back to the width of the model.
        """
        return _layers(network=D * D_FF + D_FF + D)

    def norms_without_bias():
        """You counted only one row of numbers in each normalisation.

        It has a gain and a bias, one number of each for every column.
        """
        return _layers(norm=D)

    def norms_of_two():
        """You counted two numbers in each normalisation.

        Gain and bias have a number for each *column*.
        """
        return _layers(norm=2)

    def norms_without_parameters():
        """You counted nothing in the normalisations.

        The mean and the deviation are computed. And gain and bias?
        """
        return _layers(norm=0)

    def norms_for_each_row():
        """Your normalisations have numbers for each token.

        Gain and bias are the same for all rows, and have a number for each column.
        """
        return _answer(
            encoder_layer=_ATTENTION + _NETWORK + 4 * D * N,
            decoder_layer=2 * _ATTENTION + _NETWORK + 6 * D * M,
        )

    def encoder_with_one_norm():
        """Your encoder layer comes out as if it had only one normalisation.

        B11 and B13: after how many sublayers does one stand?
        """
        return _answer(encoder_layer=_ATTENTION + _NETWORK + _NORM)

    def encoder_layer_short_by_16():
        """Your encoder layer lacks 16 numbers: as many as one matrix of its attention has, or both
        of its normalisations.

        List the four matrices, and a gain and a bias for each normalisation.
        """
        return _answer(encoder_layer=_ATTENTION + _NETWORK + 2 * _NORM - D * D)

    def decoder_layer_short_by_16():
        """Your decoder layer lacks 16 numbers: as many as one matrix of attention has, or two of
        its normalisations.

        List the four matrices of each attention, and a gain and a bias for each normalisation.
        """
        return _answer(decoder_layer=2 * _ATTENTION + _NETWORK + 3 * _NORM - D * D)

    def decoder_with_two_norms():
        """Your decoder layer comes out as if it had only two normalisations.

        One stands after each sublayer. How many sublayers does a decoder layer have?
        """
        return _answer(decoder_layer=2 * _ATTENTION + _NETWORK + 2 * _NORM)

    def decoder_like_encoder():
        """Your decoder layer has as many numbers as an encoder layer.

        Which sublayer does it have that the encoder lacks?
        """
        return _answer(decoder_layer=_ATTENTION + _NETWORK + 2 * _NORM)

    def decoder_with_two_networks():
        """Your decoder layer has two of everything: two attentions, two networks, four
        normalisations.

        How many networks does it have?
        """
        return _answer(decoder_layer=2 * (_ATTENTION + _NETWORK + 2 * _NORM))

    def cross_attention_without_keys():
        """In your decoder layer, cross-attention has only two matrices.

        Keys and values come from the encoder's output, with matrices of cross-attention's own.
        """
        return _answer(decoder_layer=_ATTENTION + 2 * D * D + _NETWORK + 3 * _NORM)

    def six_layers():
        """You counted all six layers. One is asked for.

        The names say encoder_layer and decoder_layer.
        """
        right = correct()
        return _answer(
            encoder_layer=6 * right["encoder_layer"], decoder_layer=6 * right["decoder_layer"]
        )

    def output_for_each_position():
        """Your output matrix is six times too large, as if each position or each layer had one.

        There is one W_output, behind the last layer, and all positions use it.
        """
        return _answer(output=M * D * V_T)

    def output_with_bias():
        """You counted a bias in the output.

        Look at B18: what is added after W_output?
        """
        return _answer(output=D * V_T + V_T)

    def output_by_positions():
        """For the output matrix, you give the number of logits.

        W_output turns a row of 4 numbers into 10,000.
        """
        return _answer(output=M * V_T)

    def output_from_d_ff():
        """Your output matrix reads rows as wide as d_ff.

        How wide is a row when it leaves the decoder?
        """
        return _answer(output=D_FF * V_T)

    def output_tied():
        """You counted nothing for the output, as if it were the target's table.

        Here it is a matrix of its own.
        """
        return _answer(output=0)

    def without_W_O_and_biases():
        """In each layer you counted three matrices for an attention, and no biases for the network.

        What mixes the two heads? And what is added after W₁ and W₂?
        """
        return _layers(attention=3 * D * D, network=2 * D * D_FF)

    def norms_of_one():
        """You counted a single number in each normalisation.

        Gain and bias have a number for each *column*.
        """
        return _layers(norm=1)

    def without_biases_and_norms():
        """In each layer you counted matrices only.

        What is added after W₁ and W₂? And what do gain and bias of a normalisation have?
        """
        return _layers(network=2 * D * D_FF, norm=0)

    def shape_of_W_2():
        """For the hidden rows, you give the shape of W₂.

        What comes out of X W₁ if X has a row for each position?
        """
        return _answer(hidden=(D_FF, D))

    def logits_of_five():
        """Your logits have five rows. The start symbol is a position, too.

        What does the decoder read, token by token?
        """
        return _answer(logits=(5, V_T))

    def logits_of_eight():
        """Your logits have document B's eight rows. Here, there is no padding.

        What does the decoder read, token by token?
        """
        return _answer(logits=(8, V_T))

    def hidden_of_five():
        """Your hidden rows are five. The start symbol is a position, too.

        What does the decoder read, token by token?
        """
        return _answer(hidden=(5, D_FF))

    def hidden_of_eight():
        """Your hidden rows are document B's eight. Here, there is no padding.

        What does the decoder read, token by token?
        """
        return _answer(hidden=(8, D_FF))

    def cross_scores_of_five():
        """Your cross-attention has five queries. The start symbol is a position, too.

        What does the decoder read, token by token?
        """
        return _answer(cross_scores=(H, 5, N))

    def cross_scores_of_eight_keys():
        """Your cross-attention has eight keys. This sentence has no padding.

        How many tokens does the encoder read here?
        """
        return _answer(cross_scores=(H, M, 8))

    def cross_scores_of_eight():
        """Your scores of cross-attention have document B's eight rows and columns. Here, there is
        no padding.

        How many tokens does the encoder read here, and how many the decoder?
        """
        return _answer(cross_scores=(H, 8, 8))

    def cross_scores_of_seven_queries():
        """Your cross-attention has seven queries and eight keys. Count both sides again.

        The decoder does not read <EOS>, and this source has no padding.
        """
        return _answer(cross_scores=(H, 7, 8))

    def logits_as_numbers_of_words():
        """For the logits, you give the shape of the table of target embeddings.

        A row of logits belongs to a position of the decoder, a column to a French token.
        """
        return _answer(logits=(V_T, D))

    def decoder_without_cross_attention():
        """Your decoder layer has three normalisations and a network, but only one attention.

        Which two attentions does a decoder layer have? Each has matrices of its own.
        """
        return _answer(decoder_layer=_ATTENTION + _NETWORK + 3 * _NORM)

    def half_of_the_network():
        """Of the network you counted only the first half, W₁ and b₁.

        What brings the rows back to the width of the model?
        """
        return _layers(network=D * D_FF + D_FF)

    def vocabulary_of_the_example():
        """You took the eight tokens of the chapter's own vocabulary. Here it is larger.

        How many French tokens does the question give?
        """
        return _answer(logits=(M, 8), output=D * 8)

    def one_norm_for_each_layer():
        """Your layers come out as if each had only one normalisation, or a W_O of half its size.

        A normalisation stands after each sublayer. And W_O reads both heads, side by side.
        """
        return _layers(attention=3 * D * D + D_K * D)

    def scores_of_one_head():
        """Your first dimension of the scores is 1. There is a matrix of scores for each head.

        How many heads are there? They share the width, not the scores.
        """
        return _answer(encoder_scores=(1, N, N), cross_scores=(1, M, N))

    def decoder_with_four_norms():
        """Your decoder layer comes out as if it had four normalisations.

        One stands after each sublayer. How many sublayers does a decoder layer have?
        """
        return _answer(decoder_layer=2 * _ATTENTION + _NETWORK + 4 * _NORM)

    def decoder_with_a_network_for_each_attention():
        """Your decoder layer has two networks, as if one came after each attention.

        How many networks does it have?
        """
        return _answer(decoder_layer=2 * _ATTENTION + 2 * _NETWORK + 3 * _NORM)

    def output_for_eight_tokens():
        """Your output matrix is that of the chapter's own vocabulary, with eight tokens.

        How many French tokens does the question give?
        """
        return _answer(output=D * 8)


class Right:
    """Right answers, written differently."""

    def in_numbers():
        """Written out."""
        return {"encoder_scores": (2, 7, 7), "cross_scores": (2, 6, 7), "hidden": (6, 16),
                "logits": (6, 10000), "encoder_layer": 228, "decoder_layer": 300,
                "output": 40000}  # fmt: skip

    def as_lists():
        """Shapes as lists."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in correct().items()}

    def from_tensors():
        """Shapes of tensors, numbers counted."""
        Q, K, Y = torch.ones(H, N, D_K), torch.ones(H, N, D_K), torch.ones(M, D)
        layer = torch.nn.TransformerEncoderLayer(D, H, D_FF)
        biases = 4 * D  # of PyTorch's attention
        return {
            "encoder_scores": (Q @ K.mT).shape,
            "cross_scores": (torch.ones(H, M, D_K) @ K.mT).shape,
            "hidden": (Y @ torch.ones(D, D_FF)).shape,
            "logits": (Y @ torch.ones(D, V_T)).shape,
            "encoder_layer": sum(p.numel() for p in layer.parameters()) - biases,
            "decoder_layer": 2 * 64 + 148 + 3 * 8,
            "output": torch.ones(D, V_T).numel(),
        }

    def in_floats():
        """Numbers with a decimal point."""
        return {**correct(), "encoder_layer": 228.0, "decoder_layer": 300.0, "output": 4e4}

    def in_another_order():
        """The names in another order."""
        return dict(reversed(correct().items()))


EXERCISE = Exercise(
    id="dimension_flow",
    oracle=correct,
    hint="Count the tokens on either side first. Then list the matrices of one layer: four in each "
    "attention, two with their biases in the network, gain and bias after each sublayer.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
)
