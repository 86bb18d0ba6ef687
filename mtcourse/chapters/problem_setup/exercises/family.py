"""The exercise ``family``: which family a map of who may look at whom has (C01; chapter 1)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
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
    ahead = _wired(5, 5)
    ahead[0, 1:] = False
    symmetric = but(_wired(5, 5), (0, 4), (4, 0))
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
        Case("two positions, each looks at both", (_wired(2, 2),)),
        Case("two positions, the second looks back", (_wired(2, 1),)),
        Case("2 words read and 1 written", (_wired(3, 2),)),
        Case("3 words read and 2 written", (_wired(5, 3),)),
        Case("a source position that does not look back", (but(_wired(5, 3), (2, 0)),)),
        Case("a source position that looks at the next", (but(_wired(6, 2), (1, 2)),)),
        Case("a target position that misses the one before", (but(_wired(6, 2), (5, 4)),)),
        Case("a target position that misses itself", (but(_wired(6, 2), (3, 3)),)),
        Case("no target position looks at itself", (_strictly(6, 3),)),
        Case("a target position that misses a source position", (but(_wired(6, 3), (4, 1)),)),
        Case("only the last target position looks ahead", (but(_wired(6, 2), (4, 5)),)),
        Case("a target that looks only at the source", (_blocks(5, 2, False),)),
        Case("a source and a target apart", (_apart(5, 2),)),
        Case("as many as in a decoder, and others", (but(_wired(4, 1), (0, 0), (0, 1)),)),
        Case("seen by as many as in a decoder", (but(_wired(4, 1), (0, 1), (2, 1)),)),
        Case("as many as in both, and others", (but(_wired(5, 2), (3, 3), (3, 4)),)),
        Case("a first row that sees all", (but(_wired(4, 1), (0, 1), (0, 2), (0, 3)),)),
        Case("a decoder that looks ahead everywhere but at first", (ahead,)),
        Case("a map that does not change when it is transposed", (symmetric,)),
        Case("each position looks at itself only", (torch.eye(size, dtype=torch.bool),)),
        Case("no order at all", (draw.booleans(size, size).fill_diagonal_(True),)),
    ]


def _strictly(size, n):
    """As an encoder-decoder, but without the diagonal of the target."""
    looks = _wired(size, n)
    looks[n:, n:] = looks[n:, n:].tril(-1)
    return looks


def _blocks(size, n, target):
    """All look at the source; the target at all of itself, or at nothing of it."""
    looks = torch.zeros(size, size, dtype=torch.bool)
    looks[:, :n] = True
    looks[n:, n:] = target
    return looks


def _apart(size, n):
    """As an encoder-decoder, but without what the target sees of the source."""
    looks = _wired(size, n)
    looks[n:, :n] = False
    return looks


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


def _is_both(looks):
    """Whether it is an encoder-decoder."""
    return correct(looks) == BOTH


def _reads_itself(looks):
    """Whether a source that ends before the last position looks at itself and at nothing else."""
    n = int(looks[0].sum())
    return 1 < n < len(looks) and torch.equal(looks[:n], _wired(len(looks), n)[:n])


def _named(looks, encoder=None, decoder=None, both=None):
    """The first family that fits; what is not given is judged rightly."""
    name = correct(looks)
    if encoder if encoder is not None else name == ENCODER:
        return ENCODER
    if both if both is not None else name == BOTH:
        return BOTH
    return DECODER if (decoder if decoder is not None else name == DECODER) else NONE


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

        A map in which each position looks forward and at itself has as many as a decoder's map.
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

        A position that sees nothing at all, not even itself, cannot compute anything.
        """
        return correct(looks | torch.eye(len(looks), dtype=torch.bool))

    def nothing_ahead_is_enough(looks):
        """You called a map a decoder as soon as no position looks ahead.

        A decoder also looks at everything before: below the diagonal, every cell must be True.
        """
        ahead = looks.triu(1).any()
        return correct(looks) if ahead else DECODER

    def equal_halves(looks):
        """You took half of the positions for the source, rounded down.

        Source and target may have any lengths. How many positions does the first row look at?
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
        """You did not check which target positions a target position looks at.

        The target is written one word after the other. When a word is written, those after it do
        not exist yet.
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

    def part_of_the_source_is_enough(looks):
        """You accepted a target that looks at only a part of the source.

        Every target position looks at all of the source.
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
        """If a map belongs to no family, you call it a decoder.

        Return "none" for it. Check every cell before you call a map a decoder.
        """
        return DECODER if (name := correct(looks)) == NONE else name

    def only_two_families(looks):
        """You never say "encoder-decoder".

        A source that is read as a whole and a target that is written from left to right: which
        blocks of the map are full?
        """
        return _named(looks, both=False)

    def never_a_decoder(looks):
        """You never say "decoder".

        Each position looks at itself and at those before it. What does such a map look like?
        """
        return _named(looks, decoder=False)

    def never_an_encoder(looks):
        """You never say "encoder".

        Every position looks at every position. What does such a map look like?
        """
        return _named(looks, encoder=False)

    def a_source_of_one_is_enough(looks):
        """You call a decoder an encoder-decoder: you allow a source of one position.

        The question asks for two source positions or more.
        """
        n = int(looks[0].sum())
        fits = 0 < n < len(looks) and torch.equal(looks, _wired(len(looks), n))
        return BOTH if fits else correct(looks)

    def an_empty_target_is_enough(looks):
        """You call an encoder an encoder-decoder: you allow a target of no positions.

        The question asks for one target position or more.
        """
        return BOTH if looks.all() else correct(looks)

    def more_than_two_read(looks):
        """You required more than two source positions of an encoder-decoder.

        Two are enough.
        """
        n = int(looks[0].sum())
        return _named(looks, both=_is_both(looks) and n > 2)

    def three_read(looks):
        """You required exactly three source positions of an encoder-decoder.

        You are not told where the source ends. How many positions does the first row look at?
        """
        return _named(looks, both=torch.equal(looks, _wired(len(looks), 3)))

    def two_read(looks):
        """You required exactly two source positions of an encoder-decoder.

        You are not told where the source ends. How many positions does the first row look at?
        """
        return _named(looks, both=torch.equal(looks, _wired(len(looks), 2)))

    def one_written(looks):
        """You required exactly one target position of an encoder-decoder.

        A target may have any number of positions. How many does the first row look at?
        """
        return _named(looks, both=_is_both(looks) and int(looks[0].sum()) == len(looks) - 1)

    def all_before_is_enough(looks):
        """You called a map a decoder as soon as each position looks at itself and at all before it,
        even if some position also looks ahead.

        Above the diagonal, every cell must be False.
        """
        size = len(looks)
        return _named(looks, decoder=bool((looks | ~_wired(size, 1)).all()))

    def encoder_by_the_first_row(looks):
        """You called a map an encoder as soon as its first row is True throughout.

        Every position looks at every position. Check the other rows.
        """
        return _named(looks, encoder=bool(looks[0].all()))

    def encoder_by_the_last_row(looks):
        """You called a map an encoder as soon as its last row is True throughout. A decoder's last
        row is, too.

        Every position looks at every position. Check the other rows.
        """
        return _named(looks, encoder=bool(looks[-1].all()))

    def encoder_by_symmetry(looks):
        """You called every map an encoder that does not change when rows and columns are exchanged.

        Such a map may also have two positions that do not look at each other. In an encoder every
        cell is True.
        """
        return _named(looks, encoder=torch.equal(looks, looks.T))

    def decoder_by_the_first_row(looks):
        """You called a map a decoder as soon as its first position looks only at itself.

        Check the other rows, too.
        """
        return _named(looks, decoder=int(looks[0].sum()) == 1 and bool(looks[0, 0]))

    def both_by_the_first_row(looks):
        """You called a map an encoder-decoder as soon as its first row looks at two positions or
        more, but not at every position.

        The first row tells where the source would end. Check the other rows, too.
        """
        return _named(looks, both=1 < int(looks[0].sum()) < len(looks))

    def both_by_the_source(looks):
        """You called a map an encoder-decoder by its source alone: all of it looks at all of it,
        and at nothing else.

        Check the rows of the target, too.
        """
        return _named(looks, both=_reads_itself(looks))

    def both_by_the_target(looks):
        """You called a map an encoder-decoder by its target alone, and did not check the rows of
        the source after the first.

        Each source position looks at all of the source and at nothing else.
        """
        size, n = len(looks), int(looks[0].sum())
        return _named(looks, both=1 < n < size and torch.equal(looks[n:], _wired(size, n)[n:]))

    def past_of_the_target_not_checked(looks):
        """You did not check whether the target looks at the target positions before it.

        A target position looks at all of the source, at the target positions before it, and at
        itself.
        """
        n = int(looks[0].sum())
        asked = bool(looks[n:, :n].all())
        return _named(looks, both=_reads_itself(looks) and asked and not looks.triu(1)[n:].any())

    def not_at_itself(looks):
        """You require that no position of a decoder, or of the target of an encoder-decoder, looks
        at itself.

        In all three families each position looks at itself, too.
        """
        size = len(looks)
        return _named(
            looks,
            decoder=torch.equal(looks, _wired(size, 1).tril(-1)),
            both=any(torch.equal(looks, _strictly(size, n)) for n in range(2, size)),
        )

    def decoder_not_at_itself(looks):
        """You require of a decoder that no position looks at itself.

        Each position looks at itself and at those before it.
        """
        return _named(looks, decoder=torch.equal(looks, _wired(len(looks), 1).tril(-1)))

    def target_not_at_itself(looks):
        """You require that a target position does not look at itself.

        A target position looks at all of the source, at the target positions before it, and at
        itself.
        """
        size = len(looks)
        return _named(
            looks, both=any(torch.equal(looks, _strictly(size, n)) for n in range(2, size))
        )

    def decoder_looks_ahead(looks):
        """You call a map a decoder if each position looks at itself and at those *after* it.

        Row i is the position that looks. A decoder looks back.
        """
        return _named(looks, decoder=torch.equal(looks, _wired(len(looks), 1).T))

    def target_reads_itself(looks):
        """You require that all target positions look at each other.

        The target is written from left to right: each position looks at those before it and at
        itself.
        """
        size = len(looks)
        return _named(
            looks, both=any(torch.equal(looks, _blocks(size, n, True)) for n in range(2, size))
        )

    def target_looks_only_at_the_source(looks):
        """You require that target positions look only at the source.

        They also look at the target positions before them, and at themselves.
        """
        size = len(looks)
        return _named(
            looks, both=any(torch.equal(looks, _blocks(size, n, False)) for n in range(2, size))
        )

    def source_from_left_to_right(looks):
        """You require of an encoder-decoder that every position, also of the source, looks only
        back and at itself. That is the map of a decoder.

        The source is read as a whole: its positions look at each other in both directions.
        """
        return _named(looks, both=torch.equal(looks, _wired(len(looks), 1)))

    def target_without_the_source(looks):
        """You require that the target does not look at the source.

        How could such a model know what to translate? A target position looks at all of the source.
        """
        size = len(looks)
        return _named(looks, both=any(torch.equal(looks, _apart(size, n)) for n in range(2, size)))

    def lengths_of_rows_alone(looks):
        """You compare how many positions each row looks at, but not which.

        A row may look at as many positions as it should, but at the wrong ones. Compare the cells.
        """
        size, sees = len(looks), looks.sum(-1).tolist()
        if sees != [max(sees[0], i + 1) for i in range(size)] or not sees[0]:
            return NONE
        return {1: DECODER, size: ENCODER}.get(sees[0], BOTH)

    def lengths_of_columns_alone(looks):
        """You compare how many positions look at each position, but not which.

        A column may have as many True cells as it should, but in the wrong rows. Compare the cells.
        """
        size, seen = len(looks), looks.sum(0).tolist()
        fits = [n for n in range(1, size + 1) if seen == _wired(size, n).sum(0).tolist()]
        return {1: DECODER, size: ENCODER}.get(fits[0], BOTH) if fits else NONE

    def source_by_the_second_row(looks):
        """You took the length of the source from the second row. A decoder's second row looks at
        two positions, too.

        Which row tells a decoder from an encoder-decoder with two source positions?
        """
        size, n = len(looks), int(looks[1].sum())
        wired = _wired(size, n)
        wired[0, 1:] = looks[0, 1:]
        if not torch.equal(looks, wired):
            return NONE
        return {1: DECODER, size: ENCODER}.get(n, BOTH)

    def everything_else_is_an_encoder(looks):
        """If a map belongs to no family, you call it an encoder.

        Return "none" for it. Check every cell before you call a map an encoder.
        """
        return ENCODER if (name := correct(looks)) == NONE else name

    def decoder_and_both_exchanged(looks):
        """You exchanged "decoder" and "encoder-decoder".

        Which of the two has a source that is read as a whole?
        """
        return {BOTH: DECODER, DECODER: BOTH}.get(name := correct(looks), name)

    def encoder_and_both_exchanged(looks):
        """You exchanged "encoder" and "encoder-decoder".

        Which of the two has a target that is written from left to right?
        """
        return {BOTH: ENCODER, ENCODER: BOTH}.get(name := correct(looks), name)

    def none_itself(looks):
        """Where a map belongs to no family you return `None`, or nothing at all.

        Return the text "none".
        """
        return None if (name := correct(looks)) == NONE else name

    def names_with_capitals(looks):
        """You wrote the names with capitals.

        Write them as the question does: "encoder".
        """
        return correct(looks).capitalize()

    def names_with_underscore(looks):
        """You wrote `encoder_decoder` with an underscore.

        Write the name as the question does: "encoder-decoder".
        """
        return correct(looks).replace("-", "_")

    def always_none(looks):
        """You never recognise a family.

        Is the map that you compare with of the same size and type as `looks`?
        """
        return NONE

    def never_none_but_both(looks):
        """You call a map a decoder if nothing looks ahead, an encoder if all look at all, and every
        other map an encoder-decoder.

        Some maps belong to no family. Check every cell.
        """
        if looks.all():
            return ENCODER
        return BOTH if looks.triu(1).any() else DECODER

    def last_row_not_checked(looks):
        """You did not check the last row.

        Does your loop reach the last position?
        """
        size, n = len(looks), int(looks[0].sum())
        fits = torch.equal(looks[:-1], _wired(size, n)[:-1])
        return {1: DECODER, size: ENCODER}.get(n, BOTH) if fits else NONE

    def last_column_not_checked(looks):
        """You did not check the last column.

        Does your loop reach the last position?
        """
        size, n = len(looks), int(looks[0].sum())
        fits = torch.equal(looks[:, :-1], _wired(size, n)[:, :-1])
        return {1: DECODER, size: ENCODER}.get(n, BOTH) if fits else NONE

    def first_and_last_row_only(looks):
        """You looked only at the first row and the last.

        Check the rows between them, too.
        """
        size, n = len(looks), int(looks[0].sum())
        fits = looks[-1].all() and looks[0, :n].all()
        return {1: DECODER, size: ENCODER}.get(n, BOTH) if fits else NONE

    def lower_half_not_checked(looks):
        """You did not check the cells below the diagonal.

        Which positions before it may a position look at?
        """
        size, n = len(looks), int(looks[0].sum())
        fits = torch.equal(looks.triu(), _wired(size, n).triu())
        return {1: DECODER, size: ENCODER}.get(n, BOTH) if fits else NONE

    def upper_half_not_checked(looks):
        """You did not check the cells above the diagonal, except in the first row.

        Which positions after it may a position look at?
        """
        size, n = len(looks), int(looks[0].sum())
        fits = torch.equal(looks.tril(), _wired(size, n).tril())
        return {1: DECODER, size: ENCODER}.get(n, BOTH) if fits else NONE

    def source_by_the_full_columns(looks):
        """You counted the columns that are True throughout, and checked nothing else.

        Other maps have such columns, too. Check every cell against the family that you suspect.
        """
        size, n = len(looks), int(looks.all(0).sum())
        return {0: NONE, 1: DECODER, size: ENCODER}.get(n, BOTH)

    def by_rows_of_the_source_alone(looks):
        """You counted the rows that look at as many positions as the first row, and took them for
        the source.

        Check which cells these are, and the rows of the target.
        """
        size, n = len(looks), int(looks[0].sum())
        same = int((looks.sum(-1) == n).sum())
        return {1: DECODER, size: ENCODER}.get(n, BOTH) if same == n else NONE


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
