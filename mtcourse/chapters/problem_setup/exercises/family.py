"""The exercise ``family``: which family a map of who may look at whom has (C01; chapter 01)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """All three wirings in several sizes, and wirings that nearly match one of them."""
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
        Case("5 positions, each looks at all", (_wired(5, 5),)),
        Case("each position looks at all", (_wired(size, size),)),
        Case("4 positions, each looks back and at itself", (_wired(4, 1),)),
        Case("each position looks back and at itself", (_wired(size, 1),)),
        Case("some words read and the others written", (both,)),
        Case("2 words read and 4 written", (_wired(6, 2),)),
        Case("5 words read and 1 written", (_wired(6, 5),)),
        Case("each position looks forward and at itself", (_wired(size, 1).T.clone(),)),
        Case("each position looks back but not at itself", (_wired(size, 1).tril(-1),)),
        Case("two positions do not look at each other", (but(_wired(5, 5), (1, 3), (3, 1)),)),
        Case("one position looks ahead", (but(_wired(size, 1), (2, size - 1)),)),
        Case(
            "the last position does not look at the first", (but(_wired(size, 1), (size - 1, 0)),)
        ),
        Case("a source that looks at the target", (but(both, (0, size - 1)),)),
        Case("a target that looks ahead", (target(both, n, among_themselves=True),)),
        Case("a target that sees no source", (target(both, n, at_the_source=False),)),
        Case("a target that sees one word of the source", (target(both, n, at_the_source=last),)),
        Case("each position looks at itself only", (torch.eye(size, dtype=torch.bool),)),
        Case("no order at all", (draw.booleans(size, size).fill_diagonal_(True),)),
    ]


def _wired(size, n):
    """The first n look at each other; those after them look back and at themselves."""
    looks = torch.ones(size, size, dtype=torch.bool).tril()
    looks[:, :n] = True
    return looks


ENCODER, DECODER, BOTH, NONE = "encoder", "decoder", "encoder-decoder", "none"


def correct(looks):
    """Each position sees the first n, all before it, and itself; n decides the family."""
    n = int(looks[0].sum())
    if not torch.equal(looks, _wired(len(looks), n)):
        return NONE
    return {1: DECODER, len(looks): ENCODER}.get(n, BOTH)


class Wrong:
    """What learners write, the more particular before the more general."""

    def names_exchanged(looks):
        """You called the encoder a decoder, and the decoder an encoder.

        A decoder writes word by word, so it cannot look at what is not written yet.
        """
        return {ENCODER: DECODER, DECODER: ENCODER}.get(name := correct(looks), name)

    def columns_look(looks):
        """You exchanged rows and columns, as if columns looked at rows.

        `looks[i, j]` is True where position i may look at position j: row i is the one that looks.
        """
        return correct(looks.T.clone())

    def everything_else_is_both(looks):
        """If a map is neither an encoder nor a decoder, you call it an encoder-decoder.

        Check all four blocks: source at source, source at target, target at source, target at
        target.
        """
        return BOTH if (name := correct(looks)) == NONE else name

    def counted(looks):
        """You counted how many cells are True, but not which.

        A map in which each position looks only forward has as many as a decoder's map.
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
        """You looked only at the first row.

        It tells how many positions are read together. You still have to check the other rows.
        """
        n = int(looks[0].sum())
        return {1: DECODER, len(looks): ENCODER}.get(n, BOTH)

    def itself_does_not_matter(looks):
        """You ignored the diagonal. In all three families each position may look at itself.

        A row that sees nothing at all, not even itself, cannot compute anything.
        """
        return correct(looks | torch.eye(len(looks), dtype=torch.bool))

    def nothing_ahead_is_enough(looks):
        """You called a map a decoder as soon as no position looks ahead.

        A decoder also looks at everything before: below the diagonal, every cell must be True.
        """
        ahead = looks.triu(1).any()
        return correct(looks) if ahead else DECODER

    def equal_halves(looks):
        """You assumed that source and target are equally long.

        They may have any lengths. How many positions does the first row look at?
        """
        size = len(looks)
        if correct(looks) == BOTH and int(looks[0].sum()) != size // 2:
            return NONE
        return correct(looks)

    def at_least_two_written(looks):
        """You required at least two target positions of an encoder-decoder.

        Every translation begins with a target of one position, `<bos>`.
        """
        name = correct(looks)
        return NONE if name == BOTH and int(looks[0].sum()) == len(looks) - 1 else name

    def target_may_look_ahead(looks):
        """You did not check in which direction the target looks.

        It is written one word after the other. When a word is written, those after it do not exist
        yet.
        """
        size = len(looks)
        for n in range(2, size):
            if looks[:, :n].all() and not looks[:n, n:].any():
                return BOTH
        return correct(looks)

    def source_may_be_left_out(looks):
        """You did not check whether the target looks at the source. If it does not, there is a
        decoder beside an encoder.

        How could such a model know what to translate?
        """
        n = int(looks[0].sum())
        mended = looks.clone()
        if 1 < n < len(looks):
            mended[n:, :n] = True
        return correct(mended) if correct(mended) == BOTH else correct(looks)

    def one_word_of_the_source_is_enough(looks):
        """You accepted a target that looks at only one position of the source.

        Every target position may look at all of the source.
        """
        n = int(looks[0].sum())
        if 1 < n < len(looks) and looks[n:, :n].any(-1).all():
            mended = looks.clone()
            mended[n:, :n] = True
            return correct(mended)
        return correct(looks)

    def source_may_look_at_the_target(looks):
        """You did not check whether the source looks at the target.

        The encoder has finished before the first target word is written.
        """
        size = len(looks)
        for n in range(2, size):
            mended = looks.clone()
            mended[:n, n:] = False
            if correct(mended) == BOTH and looks[:n, :n].all() and not looks.all():
                return BOTH
        return correct(looks)

    def never_none(looks):
        """You called every other map a decoder.

        Some maps belong to no family. Return "none" for them.
        """
        return DECODER if (name := correct(looks)) == NONE else name


class Right:
    """Right answers, written differently."""

    def row_by_row(looks):
        """Each row sees a prefix; how long is it?"""
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
        """How many each row sees, and whether these are a prefix."""
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
    hint="Draw the three maps for five positions. Which positions does every position see? Which "
    "see only what comes before? Then look at what the first row tells you.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
