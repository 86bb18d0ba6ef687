"""The exercise ``family``: told by who may look at whom (C01; chapter 01)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """All three wirings in several sizes, and wirings that are nearly one of them."""
    size, n = draw.size(5, 7), draw.size(2, 3)

    def but(looks, *cells):
        changed = looks.clone()
        for i, j in cells:
            changed[i, j] = ~changed[i, j]
        return changed

    def target(looks, n, **blocks):
        changed = looks.clone()
        if "among_themselves" in blocks:
            changed[n:, n:] = blocks["among_themselves"]
        if "at_the_source" in blocks:
            changed[n:, :n] = blocks["at_the_source"]
        return changed

    both = _wired(size, n)
    last = torch.zeros(n, dtype=torch.bool)
    last[-1] = True
    return [
        Case("2 words read and 2 written", (_wired(4, 2),), by_hand=True),
        Case("5 positions, everybody looks at everybody", (_wired(5, 5),)),
        Case("everybody looks at everybody", (_wired(size, size),)),
        Case("4 positions look back and at themselves", (_wired(4, 1),)),
        Case("everybody looks back and at itself", (_wired(size, 1),)),
        Case("some read and the others written", (both,)),
        Case("2 words read and 4 written", (_wired(6, 2),)),
        Case("5 words read and 1 written", (_wired(6, 5),)),
        Case("everybody looks forward and at itself", (_wired(size, 1).T.clone(),)),
        Case("everybody looks back and not at itself", (_wired(size, 1).tril(-1),)),
        Case("one does not look at one", (but(_wired(5, 5), (1, 3), (3, 1)),)),
        Case("one looks ahead", (but(_wired(size, 1), (2, size - 1)),)),
        Case("one forgets the beginning", (but(_wired(size, 1), (size - 1, 0)),)),
        Case("a source that looks at the target", (but(both, (0, size - 1)),)),
        Case("a target that looks ahead", (target(both, n, among_themselves=True),)),
        Case("a target that sees no source", (target(both, n, at_the_source=False),)),
        Case("a target that sees one word of the source", (target(both, n, at_the_source=last),)),
        Case("everybody looks at itself alone", (torch.eye(size, dtype=torch.bool),)),
        Case("no order at all", (draw.booleans(size, size).fill_diagonal_(True),)),
    ]


def _wired(size, n):
    """The first n look at each other; those behind them look back and at themselves."""
    looks = torch.ones(size, size, dtype=torch.bool).tril()
    looks[:, :n] = True
    return looks


ENCODER, DECODER, BOTH, NONE = "encoder", "decoder", "encoder-decoder", "none"


def correct(looks):
    """Everybody sees the first n and whatever stands before; n says which family it is."""
    n = int(looks[0].sum())
    if not torch.equal(looks, _wired(len(looks), n)):
        return NONE
    return {1: DECODER, len(looks): ENCODER}.get(n, BOTH)


# --- wrong ---------------------------------------------------------------------------------------


def names_exchanged(looks):
    """You call the encoder a decoder, and the decoder an encoder.

    Who writes word by word cannot look at what is not written yet.
    """
    return {ENCODER: DECODER, DECODER: ENCODER}.get(name := correct(looks), name)


def columns_look(looks):
    """You read the map on its side, as if columns looked at rows.

    `looks[i, j]` is True where position i may look at position j. Row i is the one who looks.
    """
    return correct(looks.T.clone())


def everything_else_is_both(looks):
    """What is neither an encoder nor a decoder is an encoder-decoder for you.

    Look at all four blocks: source at source, source at target, target at source, target at target.
    """
    return BOTH if (name := correct(looks)) == NONE else name


def counted(looks):
    """You counted how many cells are allowed, and not which.

    A decoder that looks only forward has as many as one that looks only back.
    """
    size = len(looks)
    found = int(looks.sum())
    if found == size * size:
        return ENCODER
    if found == size * (size + 1) // 2:
        return DECODER
    several = [n for n in range(2, size) if found == int(_wired(size, n).sum())]
    return BOTH if several else NONE


def by_the_first_row(looks):
    """You looked at the first row alone.

    It says how many positions are read together. Whether the others keep to it is another question.
    """
    n = int(looks[0].sum())
    return {1: DECODER, len(looks): ENCODER}.get(n, BOTH)


def itself_does_not_matter(looks):
    """You left the diagonal out of account. Each position may look at itself, in all three.

    A row that sees nothing at all, not even itself, cannot compute anything.
    """
    return correct(looks | torch.eye(len(looks), dtype=torch.bool))


def nothing_ahead_is_enough(looks):
    """Whatever never looks ahead is a decoder for you, also if it forgets what it has written.

    Below the diagonal, everything has to be allowed.
    """
    ahead = looks.triu(1).any()
    return correct(looks) if ahead else DECODER


def equal_halves(looks):
    """You took one half of the positions for the source, and the other for the target.

    The two may have any lengths. How many positions does the first row look at?
    """
    size = len(looks)
    if correct(looks) == BOTH and int(looks[0].sum()) != size // 2:
        return NONE
    return correct(looks)


def at_least_two_written(looks):
    """You asked of an encoder-decoder that it writes at least two words.

    A target of a single word, `<bos>`, is what every translation begins with.
    """
    name = correct(looks)
    return NONE if name == BOTH and int(looks[0].sum()) == len(looks) - 1 else name


def target_may_look_ahead(looks):
    """You did not ask in which direction the target looks.

    It is written one word after the other. Those behind a position are not there yet.
    """
    size = len(looks)
    for n in range(2, size):
        if looks[:, :n].all() and not looks[:n, n:].any():
            return BOTH
    return correct(looks)


def source_may_be_left_out(looks):
    """You did not ask whether the target looks at the source. If not, it is a decoder beside an
    encoder.

    How should the translation know what to say?
    """
    n = int(looks[0].sum())
    mended = looks.clone()
    if 1 < n < len(looks):
        mended[n:, :n] = True
    return correct(mended) if correct(mended) == BOTH else correct(looks)


def one_word_of_the_source_is_enough(looks):
    """For you it is enough if the target looks at one word of the source.

    Every target position may look at all of the source.
    """
    n = int(looks[0].sum())
    if 1 < n < len(looks) and looks[n:, :n].any(-1).all():
        mended = looks.clone()
        mended[n:, :n] = True
        return correct(mended)
    return correct(looks)


def source_may_look_at_the_target(looks):
    """You did not ask whether the source looks at the target.

    The encoder is done before the first word is written.
    """
    size = len(looks)
    for n in range(2, size):
        mended = looks.clone()
        mended[:n, n:] = False
        if correct(mended) == BOTH and looks[:n, :n].all() and not looks.all():
            return BOTH
    return correct(looks)


def never_none(looks):
    """For you every map without an order is a decoder.

    There are maps that are none of the three. Say "none".
    """
    return DECODER if (name := correct(looks)) == NONE else name


# --- right ---------------------------------------------------------------------------------------


def row_by_row(looks):
    """Each row sees a beginning; how long is it?"""
    size = len(looks)
    rows = looks.tolist()
    n = sum(rows[0])
    for i, row in enumerate(rows):
        sees = max(n, i + 1)
        if row != [True] * sees + [False] * (size - sees):
            return "none"
    return "encoder" if n == size else "decoder" if n == 1 else "encoder-decoder"


def block_by_block(looks):
    """Four blocks."""
    size, triangle = len(looks), torch.tril(torch.ones_like(looks))
    if bool(looks.all()):
        return "encoder"
    if torch.equal(looks, triangle):
        return "decoder"
    for n in range(2, size):
        reads, ahead = looks[:n, :n], looks[:n, n:]
        writes, asks = looks[n:, n:], looks[n:, :n]
        if (
            reads.all()
            and asks.all()
            and not ahead.any()
            and bool((writes == triangle[n:, n:]).all())
        ):
            return "encoder-decoder"
    return "none"


def by_comparison_with_all(looks):
    """Draws every wiring of this size, and looks for the map among them."""
    size = len(looks)
    for n in range(1, size + 1):
        drawn = [[j < n or j <= i for j in range(size)] for i in range(size)]
        if drawn == looks.tolist():
            return "decoder" if n == 1 else "encoder" if n == size else "encoder-decoder"
    return "none"


def by_how_many_each_sees(looks):
    """How many each row sees, and whether these stand at its beginning."""
    size = len(looks)
    sees = looks.sum(-1)
    beginning = torch.arange(size) < sees[:, None]
    grows = torch.arange(1, size + 1).clamp(min=int(sees[0]))
    if not (torch.equal(beginning, looks) and torch.equal(sees, grows)):
        return "none"
    return {1: "decoder", size: "encoder"}.get(int(sees[0]), "encoder-decoder")


EXERCISE = Exercise(
    id="family",
    oracle=correct,
    hint="Draw the three maps for five positions. Who is seen by everybody? Who sees only what "
    "stands before? Then see what the first row tells you.",
    misconceptions=(
        names_exchanged,
        columns_look,
        everything_else_is_both,
        counted,
        by_the_first_row,
        itself_does_not_matter,
        nothing_ahead_is_enough,
        equal_halves,
        at_least_two_written,
        target_may_look_ahead,
        source_may_be_left_out,
        one_word_of_the_source_is_enough,
        source_may_look_at_the_target,
        never_none,
    ),
    right=(row_by_row, block_by_block, by_comparison_with_all, by_how_many_each_sees),
    cases=cases,
)
