"""The exercise ``kinds_of_errors``: search errors and model errors (C14; chapter 18)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case

SEARCH, MODEL, LUCKY = "search errors", "model errors", "lucky search errors"
SAME = 1e-3


def cases(draw: Draw) -> list[Case]:
    """Every combination by hand, then lists of several lengths, and lists without some kind."""
    # Best and right; best and wrong, with a worse reference; missed, and the reference is better;
    # missed and right; missed and wrong, with a reference that is worse still.
    found = draw.tensor([-1.0, -2.0, -5.0, -3.0, -4.0])
    best = draw.tensor([-1.0, -2.0, -4.0, -2.5, -3.5])
    reference = draw.tensor([-1.0, -6.0, -4.5, -3.0, -7.0])
    right = torch.tensor([True, False, False, True, False])
    each = (found, best, reference, right)
    return [
        Case("5 sentences", each, by_hand=True),
        Case("nothing is right", _some(each, [1, 2, 4])),
        Case("everything is right", _some(each, [0, 3, 3])),
        Case("no search errors", _some(each, [0, 1, 0, 1, 1])),
        Case("differences of rounding", _rounded(draw)),
        Case("a reference that differs by rounding", _rounded_reference(draw)),
        Case("differences of 0.004", _just_apart(draw)),
        Case("20 sentences", _drawn(draw, 20)),
        Case("33 sentences", _drawn(draw, 33)),
        Case("48 sentences", _drawn(draw, 48)),
    ]


def _some(each, rows):
    return tuple(one[rows] for one in each)


def _rounded(draw):
    """The same sentences, with sums that differ in their last digits."""
    best = draw.tensor([-1.0, -2.0, -3.0, -4.0])
    found = best - draw.tensor([4e-4, 0.0, 2e-4, 1.0])
    return found, best, found - draw.tensor([0.0, 1.0, 0.0, 2.0]), torch.tensor([1, 0, 1, 0]) == 1


def _rounded_reference(draw):
    """Wrong translations whose references are above and below them by less than counts."""
    found = draw.tensor([-1.0, -2.0, -3.0, -4.0])
    reference = found + draw.tensor([4e-4, -4e-4, 0.0, 2.0])
    return found, found + draw.tensor([0.0, 0.0, 0.0, 3.0]), reference, torch.tensor([False] * 4)


def _just_apart(draw):
    """Differences that are small, and no rounding."""
    found = draw.tensor([-1.0, -2.0, -3.0, -1.5])
    best = found + draw.tensor([4e-3, 4e-3, 0.0, 0.5])
    return (
        found,
        best,
        found + draw.tensor([4e-3, -1.0, 4e-3, 0.5]),
        torch.tensor([0, 1, 0, 0]) == 1,
    )


def _drawn(draw, n):
    """A third are search errors, some of them right."""
    best = -draw.normal(n, scale=3.0).abs() - 1
    missed = draw.booleans(n, share=0.4)
    found = best - missed * (0.1 + draw.normal(n).abs())
    right = draw.booleans(n, share=0.5)
    reference = torch.where(right, found, best - draw.normal(n, scale=1.5).abs() - 0.01)
    return found, best, reference, right


def correct(found, best, reference, right):
    """Three shares."""
    return _with(found, best, reference, right)


def _share(part, of):
    return float((part & of).sum()) / max(int(of.sum()), 1)


def _with(found, best, reference, right, missed=None, wrong_all=None, model=None, of_lucky=None):
    """The three shares, with a part replaced."""
    missed = found < best - SAME if missed is None else missed
    wrong = ~right if wrong_all is None else wrong_all
    model = reference <= found + SAME if model is None else model
    everything = torch.ones_like(right)
    return {
        SEARCH: _share(missed, everything),
        MODEL: _share(model, wrong),
        LUCKY: _share(right, missed) if of_lucky is None else _share(right & missed, of_lucky),
    }


class Wrong:
    """What learners write, the more particular before the more general."""

    def every_difference(found, best, reference, right):
        """You count differences of rounding as search errors.

        Two sums of the same numbers may differ in the last digit. Allow 0.001.
        """
        missed = found < best
        return _with(found, best, reference, right, missed=missed)

    def unequal_to_the_reference(found, best, reference, right):
        """You compare what was found with the reference. A search error is one that missed the
        *most probable* sentence.

        Which of the three lists has its log-probability?
        """
        return _with(found, best, reference, right, missed=found < reference - SAME)

    def wrong_ones(found, best, reference, right):
        """You count wrong translations as search errors. Whether a translation is right is a
        question for its reader; a search error is a question of log p.

        Compare found with best.
        """
        return _with(found, best, reference, right, missed=~right)

    def missed_and_wrong(found, best, reference, right):
        """You count only search errors that led to a wrong translation.

        A search can miss the best and still return a right sentence.
        """
        right_answer = correct(found, best, reference, right)
        missed = (found < best - SAME) & ~right
        return right_answer | {SEARCH: float(missed.double().mean())}

    def hits(found, best, reference, right):
        """You give the share of sentences that the search did *not* miss.

        A search error is where found lies below best.
        """
        right_answer = correct(found, best, reference, right)
        return right_answer | {SEARCH: 1 - right_answer[SEARCH]}

    def counts(found, best, reference, right):
        """You give numbers of sentences. Shares are asked for.

        Divide by how many there are of the kind.
        """
        missed = found < best - SAME
        return {
            SEARCH: float(missed.sum()),
            MODEL: float((~right & (reference <= found + SAME)).sum()),
            LUCKY: float((right & missed).sum()),
        }

    def percent(found, best, reference, right):
        """You give percentages. Shares between 0 and 1 are asked for.

        Leave the factor 100 out.
        """
        return {name: 100 * of for name, of in correct(found, best, reference, right).items()}

    def all_by_all(found, best, reference, right):
        """You divide all three by the number of sentences. The second is a share of the wrong ones,
        the third a share of the search errors.

        Read once more of what each of them is a share.
        """
        counted = Wrong.counts(found, best, reference, right)
        return {name: of / len(found) for name, of in counted.items()}

    def model_by_all(found, best, reference, right):
        """You divide the model errors by the number of all sentences.

        They are a share of the wrong translations.
        """
        model = (~right & (reference <= found + SAME)).double().mean()
        return correct(found, best, reference, right) | {MODEL: float(model)}

    def lucky_by_all(found, best, reference, right):
        """You divide the lucky ones by the number of all sentences.

        They are a share of the search errors.
        """
        everything = torch.ones_like(right)
        return _with(found, best, reference, right, of_lucky=everything)

    def lucky_by_right(found, best, reference, right):
        """You give the share of search errors among the right translations.

        Asked for is the share of right translations among the search errors.
        """
        return _with(found, best, reference, right, of_lucky=right)

    def unlucky(found, best, reference, right):
        """You give the share of *wrong* translations among the search errors.

        Lucky are those that are right all the same.
        """
        right_answer = correct(found, best, reference, right)
        missed = found < best - SAME
        return right_answer | {LUCKY: _share(~right, missed)}

    def reference_is_better(found, best, reference, right):
        """You count wrong translations whose reference is *more* probable. There the model is not
        to blame: a better search would have found something better.

        The model is to blame where it prefers the wrong translation to the reference.
        """
        return _with(found, best, reference, right, model=reference > found + SAME)

    def right_ones_too(found, best, reference, right):
        """You count model errors among all translations, right ones as well.

        A right translation is no error, whatever its probability.
        """
        model = (reference <= found + SAME).double().mean()
        return correct(found, best, reference, right) | {MODEL: float(model)}

    def among_the_right(found, best, reference, right):
        """You count model errors among the *right* translations.

        `right` is True where the translation is right: turn it round.
        """
        return _with(found, best, reference, right, wrong_all=right)

    def best_is_the_reference(found, best, reference, right):
        """You call it a model error where the *best* sentence is at least as probable as the
        reference. That is always so.

        Compare the reference with what was found.
        """
        return _with(found, best, reference, right, model=reference <= best + SAME)

    def what_is_no_search_error(found, best, reference, right):
        """You call every wrong translation that is no search error a model error, and no other. A
        translation can be missed, and still be preferred to its reference.

        Compare the reference with what was found.
        """
        return _with(found, best, reference, right, model=found >= best - SAME)

    def nothing_divided_by_nothing(found, best, reference, right):
        """Your shares are NaN where there is nothing to take a share of.

        Return 0 if no translation is wrong, or if there are no search errors.
        """
        missed = found < best - SAME
        return {
            SEARCH: float(missed.double().mean()),
            MODEL: float((reference <= found + SAME)[~right].double().mean()),
            LUCKY: float(right[missed].double().mean()),
        }

    def one_for_nothing(found, best, reference, right):
        """Your shares are 1 where there is nothing to take a share of.

        Return 0 if no translation is wrong, or if there are no search errors.
        """
        right_answer = correct(found, best, reference, right)
        if bool(right.all()):
            right_answer |= {MODEL: 1.0}
        if not bool((found < best - SAME).any()):
            right_answer |= {LUCKY: 1.0}
        return right_answer

    def three_numbers(found, best, reference, right):
        """You return the three numbers without their names.

        Return a dictionary with the names from the question.
        """
        return list(correct(found, best, reference, right).values())

    def rounding_of_the_reference(found, best, reference, right):
        """For the model errors you compare without allowing for rounding. A reference that lies a
        hair above counts as equal, and then the model does not put the translation below it.

        Allow 0.001 here, too.
        """
        return _with(found, best, reference, right, model=found >= reference)

    def strictly_above_the_reference(found, best, reference, right):
        """You count as model errors only translations that lie *above* their reference. Those that
        are equal to it are not below it either.

        The reference may be above by at most 0.001.
        """
        return _with(found, best, reference, right, model=found > reference + SAME)

    def below_by_rounding(found, best, reference, right):
        """You take a translation for a model error only if the reference lies below it by more than
        0, in plain numbers. Equal ones count, too.

        The reference may be above by at most 0.001.
        """
        return _with(found, best, reference, right, model=found > reference)

    def wider_than_rounding(found, best, reference, right):
        """You allow for differences that are larger than 0.001.

        Write 0.001, or 1e-3.
        """
        return _with(
            found,
            best,
            reference,
            right,
            missed=found < best - 1e-2,
            model=reference <= found + 1e-2,
        )

    def stops_at_nothing(found, best, reference, right):
        """You divide by zero where there is nothing to take a share of.

        Return 0 if no translation is wrong, or if there are no search errors.
        """
        counted, missed = Wrong.counts(found, best, reference, right), found < best - SAME
        return {
            SEARCH: counted[SEARCH] / len(found),
            MODEL: counted[MODEL] / int((~right).sum()),
            LUCKY: counted[LUCKY] / int(missed.sum()),
        }

    def search_errors_of_the_wrong(found, best, reference, right):
        """You give the search errors as a share of the *wrong* translations.

        They are a share of all sentences, right ones too.
        """
        missed = found < best - SAME
        return correct(found, best, reference, right) | {SEARCH: _share(missed, ~right)}

    def model_errors_of_the_preferred(found, best, reference, right):
        """You give the share of wrong ones among the translations that the model prefers.

        Asked for is the share of preferred ones among the wrong.
        """
        preferred = reference <= found + SAME
        return correct(found, best, reference, right) | {MODEL: _share(~right, preferred)}


class Right:
    """Right answers, written differently."""

    def with_loops(found, best, reference, right):
        """Counts sentence by sentence."""
        missed = wrong = model = lucky = 0
        for f, b, r, ok in zip(
            found.tolist(), best.tolist(), reference.tolist(), right.tolist(), strict=True
        ):
            is_missed = f < b - 1e-3
            missed += is_missed
            lucky += is_missed and ok
            wrong += not ok
            model += not ok and r <= f + 1e-3
        n = len(found)
        return {
            "search errors": missed / n,
            "model errors": model / wrong if wrong else 0.0,
            "lucky search errors": lucky / missed if missed else 0.0,
        }

    def with_indices(found, best, reference, right):
        """Selects the rows first."""
        missed = (best - found) > 1e-3
        preferred = (reference - found <= 1e-3)[~right]
        saved = right[missed]
        return {
            "lucky search errors": saved.double().mean().item() if len(saved) else 0.0,
            "model errors": preferred.double().mean().item() if len(preferred) else 0.0,
            "search errors": missed.double().mean().item(),
        }

    def with_clamp(found, best, reference, right):
        """Divides by at least 1."""
        missed, wrong = found < best - 1e-3, right.logical_not()
        model = wrong & ~(reference > found + 1e-3)
        return {
            "search errors": missed.sum().item() / missed.numel(),
            "model errors": (model.sum() / wrong.sum().clamp(min=1)).item(),
            "lucky search errors": ((missed & right).sum() / missed.sum().clamp(min=1)).item(),
        }

    def as_tensors(found, best, reference, right):
        """Numbers in tensors."""
        return {
            name: torch.tensor(of, dtype=torch.float64)
            for name, of in correct(found, best, reference, right).items()
        }

    def with_numpy(found, best, reference, right):
        """Means of selected rows in NumPy."""
        f, b, r, ok = (one.numpy() for one in (found, best, reference, right))

        def share(of):
            return float(of.mean()) if of.size else 0.0

        missed = b - f > 1e-3
        return {
            "search errors": share(missed),
            "model errors": share((r - f <= 1e-3)[~ok]),
            "lucky search errors": share(ok[missed]),
        }


EXERCISE = Exercise(
    id="kinds_of_errors",
    oracle=correct,
    hint="Make one boolean list for each kind: missed, wrong, preferred to the reference. Then ask "
    "of what each is a share.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
