"""The exercise ``products_saved``: the products of a text as powers of T (C11; chapter 14)."""

from __future__ import annotations

from fractions import Fraction

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """A small model by hand, the shipped sizes, a single block, and drawn ones."""
    L, d, d_ff, V = draw.size(5, 9), draw.size(10, 19), draw.size(30, 61), draw.size(100, 300)
    return [
        Case("L = 2, d = 3, d_ff = 5, V = 7", (2, 3, 5, 7), by_hand=True),
        Case("L = 4, d = 128, d_ff = 512, V = 2000", (4, 128, 512, 2000)),
        Case("L = 1, d = 6, d_ff = 10, V = 50", (1, 6, 10, 50)),
        Case(f"L = {L}, d = {d}, d_ff = {d_ff}, V = {V}", (L, d, d_ff, V)),
    ]


_WITH = ("with cache, T", "with cache, T^2", "with cache, T^3")
_WITHOUT = ("without cache, T", "without cache, T^2", "without cache, T^3")


def correct(L, d, d_ff, V):
    """Sums of 1, t and t^2 from 1 to T."""
    return _with(L, d, d_ff, V)


def _with(L, d, d_ff, V, block=None, pairs=None, output=None, sums=None, rows=None):
    """The right answer with a part of a step replaced.

    Args:
        L: blocks.
        d: d_model.
        d_ff: width of the network.
        V: tokens of the vocabulary.
        block: products of a row with the matrices of a block.
        pairs: products for each pair of a query and a key.
        output: products of the output layer in a step.
        sums: coefficients of T, T^2, T^3 in the sums of 1, t and t^2.
        rows: coefficients of the rows that attend without a cache, as powers of t: 1, t.
    """
    block = 4 * d**2 + 2 * d * d_ff if block is None else block
    pairs = 2 * d if pairs is None else pairs
    output = d * V if output is None else output
    of_one, of_t, of_square = sums or (_OF_ONE, _OF_T, _OF_SQUARE)
    cached = _added((L * block + output, of_one), (L * pairs, of_t))
    plain = _added((output, of_one), (L * block, of_t), (L * pairs, of_square))
    return dict(zip((*_WITH, *_WITHOUT), (*cached, *plain), strict=True))


_OF_ONE = (1, 0, 0)
_OF_T = (1 / 2, 1 / 2, 0)
_OF_SQUARE = (1 / 6, 1 / 2, 1 / 3)


def _added(*parts):
    """The coefficients of a sum of numbers times polynomials."""
    return [sum(float(number * of[power]) for number, of in parts) for power in range(3)]


def _but(sizes, **others):
    """The right answer, with some coefficients replaced: c for cached, p for plain."""
    names = {f"c{k}": name for k, name in enumerate(_WITH, 1)}
    names |= {f"p{k}": name for k, name in enumerate(_WITHOUT, 1)}
    return correct(*sizes) | {names[name]: number for name, number in others.items()}


class Wrong:
    """What learners write, the more particular before the more general."""

    def rounded_down(L, d, d_ff, V):
        """You rounded fractions down, as `//` and `int` do.

        Coefficients need not be whole numbers. Which operator divides without rounding?
        """
        return {name: int(number + 1e-6) for name, number in correct(L, d, d_ff, V).items()}

    def rounded(L, d, d_ff, V):
        """You rounded your coefficients to whole numbers.

        Coefficients need not be whole. The cost of T tokens is, once all terms are added up.
        """
        return {name: round(number) for name, number in correct(L, d, d_ff, V).items()}

    def attention_forgotten(L, d, d_ff, V):
        """You counted the matrices, and no product of attention itself.

        Each pair of a query and a key takes products for its score, and for the mean of the values.
        """
        return _with(L, d, d_ff, V, pairs=0)

    def without_names(L, d, d_ff, V):
        """Your numbers may be right, but their names are missing.

        Return a dictionary with the names from the question.
        """
        return list(correct(L, d, d_ff, V).values())

    def one_step(L, d, d_ff, V):
        """You give the powers of t in *one* step. The question asks for all T steps together.

        Sum each term over t = 1 to T: Σ 1, Σ t and Σ t².
        """
        block = 4 * d**2 + 2 * d * d_ff
        return dict(
            zip((*_WITH, *_WITHOUT), (2 * L * d, 0, 0, L * block, 2 * L * d, 0), strict=True)
        )

    def each_step_like_the_last(L, d, d_ff, V):
        """You took T times the last step. Earlier steps are shorter.

        Sum over t = 1 to T: Σ t is not T².
        """
        return _with(L, d, d_ff, V, sums=((1, 0, 0), (0, 1, 0), (0, 0, 1)))

    def integrals(L, d, d_ff, V):
        """You used T²/2 for Σ t and T³/3 for Σ t². These are the leading terms of the sums only.

        Σ t = T(T + 1)/2. What is Σ t²?
        """
        half, third = Fraction(1, 2), Fraction(1, 3)
        return _with(L, d, d_ff, V, sums=((1, 0, 0), (0, half, 0), (0, 0, third)))

    def sum_until_the_step_before(L, d, d_ff, V):
        """You summed from 0 to T − 1: Σ t is (T − 1) T / 2 in yours.

        Step 1 has one position, and step T has T.
        """
        half, third, sixth = Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)
        return _with(L, d, d_ff, V, sums=((1, 0, 0), (-half, half, 0), (sixth, -half, third)))

    def sum_of_t_not_halved(L, d, d_ff, V):
        """Your Σ t is T(T + 1). One half is missing.

        1 + 2 + 3 is 6, and 3 · 4 is 12.
        """
        return _with(L, d, d_ff, V, sums=(_OF_ONE, (1, 1, 0), _OF_SQUARE))

    def sum_of_squares_is_the_square_of_the_sum(L, d, d_ff, V):
        """Your Σ t² is wrong. For T = 2 it should be 1 + 4 = 5.

        Which formula gives 1, 5, 14 for T = 1, 2, 3?
        """
        half = Fraction(1, 2)
        return _with(L, d, d_ff, V, sums=(_OF_ONE, _OF_T, (0, half, half)))

    def sum_of_squares_leading_term(L, d, d_ff, V):
        """Your Σ t² is T³/3, which is its leading term only.

        Which formula gives 1, 5, 14 for T = 1, 2, 3?
        """
        return _with(L, d, d_ff, V, sums=(_OF_ONE, _OF_T, (0, 0, Fraction(1, 3))))

    def sum_of_t_leading_term(L, d, d_ff, V):
        """Your Σ t is T²/2, which is its leading term only.

        Which formula gives 1, 3, 6 for T = 1, 2, 3?
        """
        return _with(L, d, d_ff, V, sums=(_OF_ONE, (0, Fraction(1, 2), 0), _OF_SQUARE))

    def mask_saves_half(L, d, d_ff, V):
        """Without a cache you counted t(t + 1)/2 pairs of a query and a key: only those that the
        causal mask allows. All t² scores are computed.

        A mask saves no product: it hides scores that are there.
        """
        half = Fraction(1, 2)
        below = tuple(half * (a + b) for a, b in zip(_OF_SQUARE, _OF_T, strict=True))
        plain = _with(L, d, d_ff, V, sums=(_OF_ONE, _OF_T, below))
        return correct(L, d, d_ff, V) | {name: plain[name] for name in _WITHOUT}

    def one_query_without_a_cache(L, d, d_ff, V):
        """Without a cache you counted attention for the last query alone. All t rows are computed
        in each block, because the next block reads them.

        How many pairs of a query and a key are there with t rows?
        """
        plain = _with(L, d, d_ff, V, sums=(_OF_ONE, _OF_T, _OF_T))
        return correct(L, d, d_ff, V) | {name: plain[name] for name in _WITHOUT}

    def attention_of_one_step_cached(L, d, d_ff, V):
        """With a cache you let attention cost the same in every step. The new query meets t keys.

        How many scores does step t compute?
        """
        cached = _with(L, d, d_ff, V, sums=(_OF_ONE, _OF_ONE, _OF_SQUARE))
        return correct(L, d, d_ff, V) | {name: cached[name] for name in _WITH}

    def square_of_pairs_cached(L, d, d_ff, V):
        """With a cache you counted t² pairs of a query and a key in step t. There is one query.

        How many scores does one query have when there are t keys?
        """
        block = L * (4 * d**2 + 2 * d * d_ff) + d * V
        pairs = [2 * L * d * float(x) for x in _OF_SQUARE]
        return _but(
            (L, d, d_ff, V), c1=block + pairs[0], c2=pairs[1], c3=pairs[2]
        )  # fmt: skip

    def scores_or_means(L, d, d_ff, V):
        """For each pair of a query and a key you counted d products. There are 2 d: d for the
        score and d for the mean of the values.

        Two products are made with each key: q · k, and its weight times its value.
        """
        return _with(L, d, d_ff, V, pairs=d)

    def last_step_every_time_cached(L, d, d_ff, V):
        """With a cache you took T times the last step. Earlier steps meet fewer keys.

        Sum over t = 1 to T: Σ t is not T².
        """
        cached = _with(L, d, d_ff, V, sums=((1, 0, 0), (0, 1, 0), _OF_SQUARE))
        return correct(L, d, d_ff, V) | {name: cached[name] for name in _WITH}

    def last_step_every_time_without_a_cache(L, d, d_ff, V):
        """Without a cache you took T times the last step. Earlier steps are shorter.

        Sum over t = 1 to T: Σ t is not T², and Σ t² is not T³.
        """
        plain = _with(L, d, d_ff, V, sums=((1, 0, 0), (0, 1, 0), (0, 0, 1)))
        return correct(L, d, d_ff, V) | {name: plain[name] for name in _WITHOUT}

    def sum_of_t_not_halved_cached(L, d, d_ff, V):
        """With a cache your Σ t is T(T + 1). One half is missing.

        1 + 2 + 3 is 6, and 3 · 4 is 12.
        """
        cached = _with(L, d, d_ff, V, sums=(_OF_ONE, (1, 1, 0), _OF_SQUARE))
        return correct(L, d, d_ff, V) | {name: cached[name] for name in _WITH}

    def scores_or_means_cached(L, d, d_ff, V):
        """With a cache you counted d products for each pair of a query and a key. There are 2 d: d
        for the score and d for the mean of the values.

        Two products are made with each key: q · k, and its weight times its value.
        """
        cached = _with(L, d, d_ff, V, pairs=d)
        return correct(L, d, d_ff, V) | {name: cached[name] for name in _WITH}

    def scores_or_means_without_a_cache(L, d, d_ff, V):
        """Without a cache you counted d products for each pair of a query and a key. There are 2 d:
        d for the score and d for the mean of the values.

        Two products are made with each key: q · k, and its weight times its value.
        """
        plain = _with(L, d, d_ff, V, pairs=d)
        return correct(L, d, d_ff, V) | {name: plain[name] for name in _WITHOUT}

    def multiplications_and_additions(L, d, d_ff, V):
        """You counted additions as well: all your numbers are twice the right ones.

        Count multiplications only.
        """
        return {name: 2 * number for name, number in correct(L, d, d_ff, V).items()}

    def three_matrices(L, d, d_ff, V):
        """You counted three square matrices in a block. There are four: W_O is missing.

        What mixes the heads?
        """
        return _with(L, d, d_ff, V, block=3 * d**2 + 2 * d * d_ff)

    def one_matrix_in_the_network(L, d, d_ff, V):
        """You counted one of the network's two matrices.

        W₁ widens a row from d to d_ff, and W₂ brings it back.
        """
        return _with(L, d, d_ff, V, block=4 * d**2 + d * d_ff)

    def network_forgotten(L, d, d_ff, V):
        """You counted no network in a block.

        Each row passes through W₁ and W₂ as well.
        """
        return _with(L, d, d_ff, V, block=4 * d**2)

    def attention_matrices_forgotten(L, d, d_ff, V):
        """You counted the network's matrices, and not W_Q, W_K, W_V and W_O.

        A row is multiplied by these four in each block as well.
        """
        return _with(L, d, d_ff, V, block=2 * d * d_ff)

    def output_forgotten(L, d, d_ff, V):
        """You left out the output layer.

        In each step, one row of d numbers is multiplied by a matrix of d × V.
        """
        return _with(L, d, d_ff, V, output=0)

    def output_of_all_rows(L, d, d_ff, V):
        """Without a cache you sent all t rows through the output layer. The question sends the last
        one alone.

        Which row predicts the next token?
        """
        right = correct(L, d, d_ff, V)
        return right | {
            _WITHOUT[0]: right[_WITHOUT[0]] - d * V / 2,
            _WITHOUT[1]: right[_WITHOUT[1]] + d * V / 2,
        }

    def output_in_each_block(L, d, d_ff, V):
        """You multiplied the output layer by L. It stands behind the last block, once.

        Which part of a step is inside the bracket behind L?
        """
        return _with(L, d, d_ff, V, output=L * d * V)

    def a_single_block(L, d, d_ff, V):
        """You counted one block. There are L.

        Which part of a step is done in each block?
        """
        return _with(1, d, d_ff, V)

    def attention_of_one_block(L, d, d_ff, V):
        """You counted attention's scores and means in one block only.

        Each of the L blocks attends.
        """
        return _with(L, d, d_ff, V, pairs=2 * d / L) if L > 1 else _with(L, d, d_ff, V)

    def matrices_of_one_row_without_a_cache(L, d, d_ff, V):
        """Without a cache you sent one row through the matrices of each block. All t rows go
        through them.

        What is repeated at every step, when nothing is kept?
        """
        block, right = 4 * d**2 + 2 * d * d_ff, correct(L, d, d_ff, V)
        return right | {
            _WITHOUT[0]: right[_WITHOUT[0]] + L * block / 2,
            _WITHOUT[1]: right[_WITHOUT[1]] - L * block / 2,
        }

    def matrices_of_T_rows_without_a_cache(L, d, d_ff, V):
        """Without a cache you sent T rows through the matrices at every step. Step t has t rows.

        Σ t is not T².
        """
        block, right = 4 * d**2 + 2 * d * d_ff, correct(L, d, d_ff, V)
        return right | {
            _WITHOUT[0]: right[_WITHOUT[0]] - L * block / 2,
            _WITHOUT[1]: right[_WITHOUT[1]] + L * block / 2,
        }

    def four_for_each_pair(L, d, d_ff, V):
        """For each pair of a query and a key you counted 4 d products. There are 2 d: d for the
        score and d for the mean of the values.

        Do you count additions here? Count multiplications only.
        """
        return _with(L, d, d_ff, V, pairs=4 * d)

    def output_without_the_width(L, d, d_ff, V):
        """You counted V products for the output layer. Each logit adds up d products.

        Which shape has the output matrix?
        """
        return _with(L, d, d_ff, V, output=V)

    def matrices_of_all_rows_cached(L, d, d_ff, V):
        """With a cache you sent all t rows through the matrices of each block. One row is new.

        What does the cache save?
        """
        block, right = 4 * d**2 + 2 * d * d_ff, correct(L, d, d_ff, V)
        return right | {
            _WITH[0]: right[_WITH[0]] - L * block / 2,
            _WITH[1]: right[_WITH[1]] + L * block / 2,
        }

    def keys_and_values_computed_again(L, d, d_ff, V):
        """With a cache you multiply all t rows by W_K and W_V at every step. Their products are
        what the cache keeps.

        How many rows of K are new in step t?
        """
        right = correct(L, d, d_ff, V)
        return right | {
            _WITH[0]: right[_WITH[0]] - L * d**2,
            _WITH[1]: right[_WITH[1]] + L * d**2,
        }

    def no_keys_and_values_for_the_new_row(L, d, d_ff, V):
        """With a cache you left out W_K and W_V. The new row still needs its key and its value.

        What is appended to K and V in each step?
        """
        right = correct(L, d, d_ff, V)
        return right | {_WITH[0]: right[_WITH[0]] - 2 * L * d**2}

    def old_keys_alone(L, d, d_ff, V):
        """With a cache your query meets t − 1 keys. It meets its own as well.

        How many rows has K after the new one is appended?
        """
        right = correct(L, d, d_ff, V)
        return right | {_WITH[0]: right[_WITH[0]] - 2 * L * d}

    def ways_exchanged(L, d, d_ff, V):
        """You exchanged the two ways: what costs less stands at "without cache".

        Which way computes t rows at step t?
        """
        numbers = list(correct(L, d, d_ff, V).values())
        return dict(zip((*_WITHOUT, *_WITH), numbers, strict=True))

    def powers_backwards(L, d, d_ff, V):
        """Your powers are in reverse order: the coefficient of T³ stands at T.

        For a long text the last term counts most. How does the cost grow with a cache?
        """
        (*numbers,) = correct(L, d, d_ff, V).values()
        return dict(
            zip((*_WITH, *_WITHOUT), (*numbers[2::-1], *numbers[:2:-1]), strict=True)
        )  # fmt: skip

    def cubic_term_forgotten(L, d, d_ff, V):
        """Without a cache you have no term in T³. Attention costs 2 t² d in step t.

        What is the leading term of Σ t²?
        """
        return _but((L, d, d_ff, V), p3=0)

    def square_term_forgotten(L, d, d_ff, V):
        """With a cache you have no term in T²: as if a cache made attention linear.

        The new query meets t keys. What is the leading term of Σ t?
        """
        return _but((L, d, d_ff, V), c2=0)

    def square_term_of_attention_forgotten(L, d, d_ff, V):
        """Without a cache your term in T² has the matrices' part, and not attention's.

        Σ t² is T³/3 + T²/2 + T/6. Which of these do you use?
        """
        return _but((L, d, d_ff, V), p2=L * (4 * d**2 + 2 * d * d_ff) / 2)

    def linear_term_of_attention_forgotten(L, d, d_ff, V):
        """With a cache your term in T lacks what Σ t adds to it.

        Σ t is T²/2 + T/2.
        """
        return _but((L, d, d_ff, V), c1=L * (4 * d**2 + 2 * d * d_ff) + d * V)

    def sum_of_squares_without_its_last_term(L, d, d_ff, V):
        """Your Σ t² is T³/3 + T²/2. One term is missing.

        For T = 1 the sum should be 1.
        """
        third, half = Fraction(1, 3), Fraction(1, 2)
        return _with(L, d, d_ff, V, sums=(_OF_ONE, _OF_T, (0, half, third)))

    def half_of_the_cubic_term(L, d, d_ff, V):
        """Without a cache your term in T³ is half of what it should be.

        Multiply T(T + 1)(2T + 1)/6 out once more.
        """
        return _but((L, d, d_ff, V), p3=L * d / 3)

    def square_of_the_width_for_each_pair(L, d, d_ff, V):
        """For each pair of a query and a key you counted 2 d² products. There are 2 d: d for the
        score and d for the mean of the values.

        A score is the product of two rows of d numbers. How many multiplications is that?
        """
        return _with(L, d, d_ff, V, pairs=2 * d**2)

    def output_forgotten_without_a_cache(L, d, d_ff, V):
        """Without a cache you left out the output layer. Either way, one row in each step is
        multiplied by the output matrix.

        Which of your terms contains V?
        """
        right = correct(L, d, d_ff, V)
        return right | {_WITHOUT[0]: right[_WITHOUT[0]] - d * V}

    def output_forgotten_cached(L, d, d_ff, V):
        """With a cache you left out the output layer. Either way, one row in each step is
        multiplied by the output matrix.

        Which of your terms contains V?
        """
        right = correct(L, d, d_ff, V)
        return right | {_WITH[0]: right[_WITH[0]] - d * V}

    def network_four_times_as_wide(L, d, d_ff, V):
        """You took 4 d for the width of the network.

        The question has a letter of its own for this width.
        """
        return _with(L, d, d_ff, V, block=12 * d**2)


class Right:
    """Right answers, written differently."""

    def written_out(L, d, d_ff, V):
        """The six coefficients as they are found on paper."""
        B = 4 * d * d + 2 * d * d_ff
        return {
            "with cache, T": L * B + L * d + d * V,
            "with cache, T^2": L * d,
            "with cache, T^3": 0,
            "without cache, T": L * B / 2 + L * d / 3 + d * V,
            "without cache, T^2": L * B / 2 + L * d,
            "without cache, T^3": 2 * L * d / 3,
        }

    def from_three_values(L, d, d_ff, V):
        """Counts texts of one, two and three tokens, and solves for the coefficients."""

        def solved(step):
            one = step(1)
            two = one + step(2)
            three = two + step(3)
            cube = Fraction(three - 3 * two + 3 * one, 6)
            square = Fraction(two - 2 * one, 2) - 3 * cube
            return [float(one - square - cube), float(square), float(cube)]

        B = 4 * d**2 + 2 * d * d_ff
        found = solved(lambda t: L * (B + 2 * t * d) + d * V)
        found += solved(lambda t: L * (t * B + 2 * t * t * d) + d * V)
        return dict(zip((*_WITH, *_WITHOUT), found, strict=True))

    def in_fractions(L, d, d_ff, V):
        """With fractions, in another order."""
        B = Fraction(4 * d**2 + 2 * d * d_ff)
        plain = {
            "without cache, T^3": Fraction(2 * L * d, 3),
            "without cache, T^2": L * (B / 2 + d),
            "without cache, T": L * (B / 2 + Fraction(d, 3)) + d * V,
        }
        return plain | {
            "with cache, T^3": 0, "with cache, T^2": L * d, "with cache, T": L * (B + d) + d * V
        }  # fmt: skip

    def matrices_and_attention_apart(L, d, d_ff, V):
        """Adds two dictionaries of parts."""
        B = 2 * d * (2 * d + d_ff)
        matrices = {"with cache, T": L * B + d * V, "without cache, T": L * B / 2 + d * V,
                    "without cache, T^2": L * B / 2}  # fmt: skip
        attention = {"with cache, T": L * d, "with cache, T^2": L * d,
                     "without cache, T": L * d * 2 / 6, "without cache, T^2": L * d * 6 / 6,
                     "without cache, T^3": L * d * 4 / 6}  # fmt: skip
        return {n: matrices.get(n, 0) + attention.get(n, 0) for n in (*_WITH, *_WITHOUT)}

    def of_one_block_times_L(L, d, d_ff, V):
        """One block, times L, and the output layer added at the end."""
        block = (4 * d**2 + 2 * d * d_ff + d, d, 0.0)
        whole = (2 * d**2 + d * d_ff + d / 3, 2 * d**2 + d * d_ff + d, 2 * d / 3)
        answer = {n: L * c for n, c in zip((*_WITH, *_WITHOUT), (*block, *whole), strict=True)}
        for name in ("with cache, T", "without cache, T"):
            answer[name] += d * V
        return answer


EXERCISE = Exercise(
    id="products_saved",
    oracle=correct,
    hint="Write the products of step t as a + b t + c t², once with a cache and once without. "
    "Then replace 1, t and t² by their sums over t = 1 to T, and collect the powers of T.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
