"""The questions of chapter 18."""

from __future__ import annotations

from mtcourse.questions.question import Mistake, Question

_FIRST, _NEXT = {"a": 0.6, "b": 0.4}, {"a": 0.5, "b": 0.9}
_P = {word: _FIRST[word] * _NEXT[word] for word in _FIRST}
_GREEDY, _BEST = max(_FIRST, key=_FIRST.__getitem__), max(_P, key=_P.__getitem__)

_BEAMS = 4

_TOTAL, _T, _LONGEST, _FINISHED = -4.0, 2, 8, -0.6
_REACHABLE = _TOTAL / _LONGEST


def _written(value: float, form: str = "g") -> str:
    """A number with a minus sign, which Python has as a hyphen."""
    return f"{value:{form}}".replace("-", "−")


QUESTIONS = (
    Question(
        "two steps",
        "At the first step, token a has probability 0.6 and token b has 0.4. After a, the best "
        "next token has 0.5; after b, it has 0.9. Both sentences end there for sure. What does "
        "greedy search return, and what is the most probable sentence?",
        f"It returns {_GREEDY} … with {_P[_GREEDY]:.2f}; the best is {_BEST} … with "
        f"{_P[_BEST]:.2f}.",
        "Greedy search takes a, the larger of the first two. The products are 0.6 · 0.5 and "
        "0.4 · 0.9, and the second is larger.",
        (
            Mistake(
                f"It returns {_BEST} … with {_P[_BEST]:.2f}, the best.",
                "Greedy search does not look ahead. It takes the most probable first token.",
                "who_finds_what.greedy_looks_ahead",
            ),
            Mistake(
                f"It returns {_GREEDY} … with {_P[_GREEDY]:.2f}, the best.",
                "The sentence that begins with b is more probable: multiply 0.4 by 0.9.",
                "who_finds_what.best_is_greedy",
            ),
            Mistake(
                "It returns a … with 1.10; the best is b … with 1.30.",
                "These are sums. The probability of a sentence is a product.",
                "who_finds_what.greedy_sum",
            ),
        ),
    ),
    Question(
        "how many candidates",
        f"A beam search keeps {_BEAMS} prefixes. In each step it takes the best candidates of all "
        f"prefixes. What is the smallest number that always leaves {_BEAMS} prefixes to go on?",
        f"{2 * _BEAMS}",
        f"Each of the {_BEAMS} prefixes can end once, so at most {_BEAMS} of the candidates end.",
        (
            Mistake(
                f"{_BEAMS}",
                "If one of them ends, only three go on, and the beam becomes narrower.",
                "beam_step.only_B_candidates",
            ),
            Mistake(
                f"{_BEAMS + 1}",
                "Only one candidate could end then. But several prefixes may end in one step.",
                "beam_step.one_for_each_beam",
            ),
            Mistake(
                f"{_BEAMS * _BEAMS}",
                "With four beams this is more than needed. How many candidates can be ends?",
                "scored_tokens.only_candidates",
            ),
        ),
    ),
    Question(
        "a length penalty",
        "A program divides log p by the length to the power of its option `length_penalty`. You "
        "raise the option from 0.5 to 1.5. What happens to the translations?",
        "They become longer, or stay as they are.",
        "log p is negative, so dividing it by more makes it larger. The longer the hypothesis, the "
        "more it gains.",
        (
            Mistake(
                "They become shorter, or stay as they are.",
                "The name suggests it. But log p is negative: what does dividing by more do to it?",
                "length_scores.all_reversed",
            ),
            Mistake(
                "Shorter below 1, longer above 1.",
                "The neutral value is 0, where the divisor is 1 for every length.",
                "length_scores.neutral_at_one",
            ),
            Mistake(
                "Nothing: all hypotheses change alike.",
                "They would if the amount did not depend on the length of the hypothesis.",
                "length_scores.one_reward",
            ),
        ),
    ),
    Question(
        "may it stop",
        f"Sentences are ranked by the mean of log p, and have at most {_LONGEST} tokens. The best "
        f"finished one has the mean {_written(_FINISHED)}. The best live prefix has {_T} tokens "
        f"and log p = {_written(_TOTAL)}. May the search stop?",
        f"No: the prefix could still reach {_written(_REACHABLE)}.",
        f"If all further tokens had probability 1, the sum would stay {_written(_TOTAL)}, over "
        f"{_LONGEST} tokens.",
        (
            Mistake(
                f"Yes: its mean is {_written(_TOTAL / _T)} now.",
                "A mean can rise: sure tokens add to the length, and nothing to the sum.",
                "reachable_score.length_now",
            ),
            Mistake(
                f"Yes: it can reach {_written(_TOTAL / (_T + 1), '.2f')} at most.",
                "That is its mean if it ends at once. With more tokens the mean can be better.",
                "reachable_score.next_length_always",
            ),
            Mistake(
                f"Yes: {_written(_TOTAL)} is below {_written(_FINISHED)}.",
                "You compare a sum with a mean. They are not of one kind.",
                "reachable_score.not_normalised",
            ),
        ),
    ),
    Question(
        "an end in the queue",
        "In a uniform-cost search, a sentence that has ended waits in the queue with probability "
        "0.20. One prefix waits there with 0.25, and everything else with less than 0.20. What is "
        "known?",
        "Not enough: what begins with the prefix may be better.",
        "The prefix has to be expanded first. Its continuations may still have more than 0.20.",
        (
            Mistake(
                "The ended sentence is the best one.",
                "It would be if it were at the front of the queue. A more probable prefix waits.",
                "first_ended.end_that_is_made",
            ),
            Mistake(
                "The prefix is the best sentence.",
                "A prefix is no sentence: its probability is shared by all its continuations.",
                "best_of_all.unfinished_ones_too",
            ),
            Mistake(
                "All other prefixes must be expanded, too.",
                "Those below 0.20 can only fall further, and cannot win any more.",
                "first_ended.all_above_the_bound",
            ),
        ),
    ),
    Question(
        "whose error",
        "A translation is wrong. Its log p is −5. Exact search finds another one with −4, and the "
        "reference has −7. What went wrong?",
        "The search missed the best, and the model prefers a wrong one.",
        "−5 is below −4, so the search made an error. And −7 is below −5: no search could have "
        "preferred the reference.",
        (
            Mistake(
                "Only the search: it missed the best.",
                "A better search would not have found the reference, which has only −7.",
                "kinds_of_errors.what_is_no_search_error",
            ),
            Mistake(
                "Only the model: −5 is above the reference.",
                "A search error is measured against the best sentence, not the reference.",
                "kinds_of_errors.unequal_to_the_reference",
            ),
            Mistake(
                "Nothing: it is more probable than the reference.",
                "It is wrong all the same. That the model prefers it is just the model's error.",
                "kinds_of_errors.reference_is_better",
            ),
        ),
    ),
)
