"""The questions of chapter 3."""

from __future__ import annotations

from fractions import Fraction

from mtcourse.questions.question import Mistake, Question

_READ = ("<bos>", "de", "hond")

_BAGS = ((60, 2), (40, 10))
_RIGHT = sum(Fraction(sentences, size) for sentences, size in _BAGS)
_ALL = sum(sentences for sentences, _ in _BAGS)
_MEAN_OF_BAGS = sum(Fraction(1, size) for _, size in _BAGS) / len(_BAGS) * _ALL


def _angle(exponent: float, position: int = 3) -> str:
    """The angle at a position, with a power of 10000 as the frequency."""
    return f"{position / 10000**exponent:g}"


_D_MODEL, _COLUMN = 8, 5
_PAIR = _COLUMN // 2

_QUERY, _KEY = 9, 4

_WIDE, _VARIANCE = 100.0, 0.01
_POSITION = _WIDE / 2


def _ratio(factor: float, of_position: float = _POSITION) -> str:
    """Squared norm of an embedding, multiplied by a factor, by that of its position."""
    return f"{_WIDE * _VARIANCE * factor**2 / of_position:g}"


QUESTIONS = (
    Question(
        "row of a new token",
        "A decoder writes one token at a time. It has read `<bos>`, *de* and *hond*, and now "
        "reads the next token. Which row of P has to be added to that token's embedding?",
        f"row {len(_READ)}",
        "Positions count from 0. The three tokens before it stand at positions 0, 1 and 2.",
        (
            Mistake(
                "row 0",
                "Row 0 belongs to the first token. The new token is the only one that is computed "
                "now, but it is not the only one in the sentence.",
                "decoder_rows.start_left",
            ),
            Mistake(
                f"row {len(_READ) + 1}",
                "You counted from 1. The first token stands at position 0.",
                "decoder_rows.one_place_late",
            ),
            Mistake(
                f"row {len(_READ) - 1}",
                "That row belongs to the token read just before. Number all tokens so far from 0, "
                "with <bos> as the first.",
                "decoder_rows.one_place_early",
            ),
        ),
    ),
    Question(
        "what a bag allows",
        "In a test set, 60 sentences belong to bags of two sentences each, and 40 to bags of ten "
        "each. All sentences of a bag are equally likely. How many of the 100 do you expect a "
        "translator that sees only the bags to get right?",
        f"{_RIGHT}",
        "For a bag of b sentences it is right with probability 1/b: 60 times 1/2 and 40 times "
        "1/10, which is 30 + 4.",
        (
            Mistake(
                f"{_ALL // 2}",
                "You took each bag for a bag of two sentences. What is the probability for a bag "
                "of ten?",
                "same_bag.sentences_not_used",
            ),
            Mistake(
                f"{_MEAN_OF_BAGS}",
                "You took the plain mean of 1/2 and 1/10. But more than half of the sentences "
                "belong to the smaller bags.",
                "most_right.mean_over_bags",
            ),
            Mistake(
                "0",
                "A translator that sees only the bag still writes one of its sentences. How often "
                "is that the right one?",
                "same_bag.never_right",
            ),
        ),
    ),
    Question(
        "entry of the table",
        "Sinusoidal positions have the width d_model = 8. Rows and columns are counted from 0. "
        "Which number stands in column 5 of the row of position 3?",
        f"cos {_angle(2 * _PAIR / _D_MODEL)}",
        "Columns 4 and 5 are pair 2, with the frequency 1/10000^(4/8) = 1/100. Odd columns hold "
        "the cosines.",
        (
            Mistake(
                f"sin {_angle(2 * _PAIR / _D_MODEL)}",
                "The angle is right. Which of the two functions stands in the odd columns?",
                "sinusoidal_positions.cosines_first",
            ),
            Mistake(
                f"cos {_angle(_PAIR / _D_MODEL)}",
                "You halved the exponent. For pair i it is 2i/d_model.",
                "sinusoidal_positions.half_the_exponent",
            ),
            Mistake(
                f"cos {_angle(0.0)}",
                "That is the angle of pair 0, whose frequency is 1. Which pair does column 5 "
                "belong to?",
                "sinusoidal_positions.one_speed_for_all",
            ),
        ),
    ),
    Question(
        "two shifts",
        "You multiply a row of sinusoidal positions by two rotations: PE(9) R_4 R_−6. What "
        "comes out?",
        f"PE({9 + 4 - 6})",
        "Each rotation moves every position by its own k: PE(9) R_4 is PE(13), and R_−6 moves it "
        "six positions back.",
        (
            Mistake(
                f"PE({9 + 4 + 6})",
                "You moved forward twice. A negative k turns each hand backwards.",
                "shift_rotation.backwards_as_forwards",
            ),
            Mistake(
                f"PE({9 - 4 + 6})",
                "You turned both rotations the wrong way. PE(pos) R_k is PE(pos + k).",
                "shift_rotation.turned_back",
            ),
            Mistake(
                f"PE({9 + 4})",
                "You used only the first rotation. A rotation can turn backwards, too.",
                "shift_rotation.never_backwards",
            ),
        ),
    ),
    Question(
        "rotary positions",
        f"With rotary positions, a query q at position {_QUERY} and a key k at position {_KEY} "
        "have some dot product. For which positions do the same q and k have the same one?",
        f"q at {_QUERY + 3}, k at {_KEY + 3}",
        "The two rotations become one, by the difference of the positions: 12 − 7 is 5, as is "
        "9 − 4.",
        (
            Mistake(
                f"q at {_KEY}, k at {_QUERY}",
                "The distance is the same, but the difference has the other sign. A rotation by "
                "−5 is not a rotation by 5.",
                "shift_rotation.backwards_as_forwards",
            ),
            Mistake(
                f"q at {_QUERY - 3}, k at {_KEY + 3}",
                "You kept the sum of the positions. In q R_i (k R_j)ᵀ, the second rotation is "
                "transposed. What does that do to its angle?",
                "position_similarity.cosine_of_the_sum_of_positions",
            ),
            Mistake(
                f"q at {2 * _QUERY}, k at {2 * _KEY}",
                "You kept the ratio of the positions. Moving both of them by the same number of "
                "positions is what changes nothing.",
                "sinusoidal_positions.share_of_the_length",
            ),
        ),
    ),
    Question(
        "word and position",
        f"Embeddings of width {_WIDE:g} have independent entries with mean 0 and variance "
        f"{_VARIANCE:g}. You multiply them by √d_model and add sinusoidal positions. How large is "
        "the mean squared norm of the scaled embeddings, divided by that of a position?",
        _ratio(_WIDE**0.5),
        f"Unscaled, an embedding has the mean squared norm {_WIDE:g} · {_VARIANCE:g} = 1, and the "
        f"scale multiplies it by {_WIDE:g}. A position has d_model/2 = {_POSITION:g}.",
        (
            Mistake(
                _ratio(1.0),
                "That is the ratio without the scale. A factor of √d_model multiplies the squared "
                "norm by d_model.",
                "decoder_rows.not_scaled",
            ),
            Mistake(
                _ratio(_WIDE),
                "You scaled by d_model itself. The factor is its root.",
                "decoder_rows.by_d_model",
            ),
            Mistake(
                _ratio(_WIDE**0.5, _WIDE),
                "You counted 1 for each column of the position. A sine and a cosine together "
                "contribute sin² + cos² = 1.",
                "position_similarity.every_column_once",
            ),
        ),
    ),
)
