"""The exercise ``diagnose``: what is wrong with eight runs, by their logs (C40; chapter 12)."""

from __future__ import annotations

from mtcourse.chapters.training.sick_runs import WHAT_WAS_DONE
from mtcourse.checks.which_line import which_line

_CAUSES = {
    "no causal mask": "A",
    "encoder's rows detached": "B",
    "encoder not in the optimizer": "C",
    "lines of the files do not match": "D",
    "dropout left on": "E",
    "rate of the first step": "F",
    "divided by all positions": "G",
    "nothing": "none",
}
_LETTERS = {run: _CAUSES[what] for run, what in WHAT_WAS_DONE.items()}


class Wrong:
    """What learners write, the more particular before the more general."""

    def all_none():
        """You say that nothing is wrong with any run. Begin with the row of the table in which
        one run is far below all others.

        Find out for each cause in which row of the table you would see it.
        """
        return dict.fromkeys(_LETTERS, "none")

    def frozen_exchanged():
        """You exchanged runs 3 and 6. In both, the encoder's weights stay where they were; in one
        of them, a gradient comes as far as the encoder.

        Which of the two causes lets no gradient through?
        """
        return {"run 3": "C", "run 6": "B"}

    def low_losses_exchanged():
        """You exchanged runs 4 and 5. Both report low losses in training, but only one has a low
        dev loss.

        Which of the two causes changes what is *reported*, and which changes what the model can do?
        """
        return {"run 4": "A", "run 5": "G"}

    def slow_ones_exchanged():
        """You exchanged runs 1 and 7. In one of them the weights have hardly moved.

        Which of the two causes keeps weights where they are?
        """
        return {"run 1": "F", "run 7": "D"}

    def run_1_is_well():
        """You say that run 1 has no fault. Compare its dev loss with that for sources of other
        pairs.

        What does it tell you if a model predicts as well from a wrong source?
        """
        return {"run 1": "none"}

    def run_1_is_slow():
        """You say that run 1 had the rate of its first step all the time. But its weights have
        moved as far as those of other runs.

        Compare its dev loss with that for sources of other pairs.
        """
        return {"run 1": "F"}

    def run_1_without_mask():
        """You say that run 1 has no causal mask. A model that reads its own answer has a much lower
        loss.

        The source makes no difference in run 1. For which other reason could that be?
        """
        return {"run 1": "A"}

    def run_1_encoder_cut_off():
        """You say that the encoder of run 1 cannot learn. But a gradient reaches it, and its
        weights have moved.

        Compare the dev loss of run 1 with that for sources of other pairs.
        """
        return {"run 1": "B"}

    def run_1_encoder_left_out():
        """You say that the optimizer of run 1 lacks the encoder. But the encoder has moved.

        Compare the dev loss of run 1 with that for sources of other pairs.
        """
        return {"run 1": "C"}

    def run_1_divided_wrongly():
        """You say that run 1 divides by all positions. Its loss stays high, that is true; but such
        a division makes the reported loss lower.

        Compare its dev loss with that for sources of other pairs.
        """
        return {"run 1": "G"}

    def run_1_dropout():
        """You say that dropout was on when run 1 measured its dev loss. Then it would not measure
        the same loss twice.

        Compare its dev loss with that for sources of other pairs.
        """
        return {"run 1": "E"}

    def run_2_overfits():
        """You say that dropout was on when run 2 measured its dev loss. Then it would not measure
        the same loss twice.

        A dev loss a little above that of training is nothing unusual: these sentences are new.
        """
        return {"run 2": "E"}

    def run_2_source_mixed_up():
        """You say that the lines of run 2 do not match. But its model needs the right source: a
        wrong one costs it much.

        Compare the two dev losses with those of run 1.
        """
        return {"run 2": "D"}

    def run_2_divided_wrongly():
        """You say that run 2 divides by all positions. What would its training loss be before it
        has learnt anything?

        An untrained model is close to ln V, if the loss is a mean over tokens.
        """
        return {"run 2": "G"}

    def run_2_something():
        """You say that run 2 has no causal mask. A model that reads its own answer has a much lower
        loss.

        Find out for each cause in which row of the table you would see it. Does every run need
        a cause?
        """
        return {"run 2": "A"}

    def run_2_encoder_cut_off():
        """You say that the encoder of run 2 cannot learn. But a gradient reaches it, and its
        weights have moved.

        Does every run need a fault?
        """
        return {"run 2": "B"}

    def run_2_encoder_left_out():
        """You say that the optimizer of run 2 lacks the encoder. But the encoder has moved.

        Does every run need a fault?
        """
        return {"run 2": "C"}

    def run_3_is_well():
        """You say that run 3 has no fault. Look at its encoder.

        Which of the causes leave the encoder's weights as they were drawn?
        """
        return {"run 3": "none"}

    def run_3_left_out():
        """You say that the optimizer of run 3 lacks the encoder. Then a gradient would still reach
        the encoder.

        Which fault stops the gradient on its way from the loss back to the encoder?
        """
        return {"run 3": "C"}

    def run_3_is_slow():
        """You say that run 3 had the rate of its first step all the time. But its decoder has moved
        far.

        Which of the causes concern the encoder alone?
        """
        return {"run 3": "F"}

    def run_3_too_high():
        """You put H for run 3: a rate ten times as high. Its encoder has not moved at all.

        Which of the causes concern the encoder alone?
        """
        return {"run 3": "H"}

    def run_3_source_mixed_up():
        """You say that the lines of run 3 do not match. But its model needs the right source: a
        wrong one costs it much.

        Look at its encoder.
        """
        return {"run 3": "D"}

    def run_3_dropout():
        """You say that dropout was on when run 3 measured its dev loss. Then it would not measure
        the same loss twice.

        Look at its encoder.
        """
        return {"run 3": "E"}

    def run_3_without_mask():
        """You say that run 3 has no causal mask. A model that reads its own answer has a much lower
        loss.

        Look at its encoder.
        """
        return {"run 3": "A"}

    def run_4_is_well():
        """You say that run 4 has no fault. Compare its first training loss with those of others.
        All models begin with the same weights.

        An untrained model is close to ln V, if the loss is a mean over tokens.
        """
        return {"run 4": "none"}

    def run_4_without_mask():
        """You say that run 4 has no causal mask. But its dev loss is that of a run with a mask,
        and the *first* training loss is low already.

        What can make a loss low before anything is learnt?
        """
        return {"run 4": "A"}

    def run_4_source_mixed_up():
        """You say that the lines of run 4 do not match. But its model needs the right source: a
        wrong one costs it much.

        Compare its first training loss with those of others.
        """
        return {"run 4": "D"}

    def run_4_dropout():
        """You say that dropout was on when run 4 measured its dev loss. Then it would not measure
        the same loss twice.

        Which of its two losses is unusual, that of training or the dev loss? Begin with step 1.
        """
        return {"run 4": "E"}

    def run_5_is_well():
        """You say that run 5 has no fault, and its losses are the lowest. But it writes the worst
        translations, and does not need the source.

        What else could tell the model the right token?
        """
        return {"run 5": "none"}

    def run_5_is_slow():
        """You say that run 5 had the rate of its first step all the time. But its weights have
        moved as far as those of other runs.

        What makes a loss low and the source useless?
        """
        return {"run 5": "F"}

    def run_5_dropout():
        """You say that dropout was on when run 5 measured its dev loss. Then it would not measure
        the same loss twice.

        What makes a loss low and the source useless?
        """
        return {"run 5": "E"}

    def run_5_divided_wrongly():
        """You say that run 5 divides by all positions. Then its first training loss would be lower
        than that of others, and its dev loss would not.

        What makes a loss low and the source useless?
        """
        return {"run 5": "G"}

    def run_5_source_mixed_up():
        """You say that the lines of run 5 do not match. It does not need the source, that is true;
        but how would it come to so low a loss on new sentences?

        What else could tell the model the right token?
        """
        return {"run 5": "D"}

    def run_5_cut_off():
        """You say that run 5's encoder is detached. But a gradient reaches it, and its weights have
        moved.

        What makes a loss low and the source useless?
        """
        return {"run 5": "B"}

    def run_6_is_well():
        """You say that run 6 has no fault. Its losses do look right. Look at the last rows.

        Which of the causes leave the encoder's weights as they were drawn?
        """
        return {"run 6": "none"}

    def run_6_cut_off():
        """You say that the rows of run 6's encoder are detached. Then no gradient would reach the
        encoder.

        A gradient is there, but the weights do not move. Who moves weights?
        """
        return {"run 6": "B"}

    def run_6_is_slow():
        """You say that run 6 had the rate of its first step all the time. But its decoder has moved
        far.

        Which of the causes concern the encoder alone?
        """
        return {"run 6": "F"}

    def run_6_dropout():
        """You say that dropout was on when run 6 measured its dev loss. Then it would not measure
        the same loss twice.

        Look at the last rows.
        """
        return {"run 6": "E"}

    def run_6_source_mixed_up():
        """You say that the lines of run 6 do not match. But its model needs the right source: a
        wrong one costs it much.

        Look at the last rows.
        """
        return {"run 6": "D"}

    def run_7_is_well():
        """You say that run 7 has no fault. Its weights have moved less than those of all others,
        and its loss is the highest.

        Which of the causes makes all steps small?
        """
        return {"run 7": "none"}

    def run_7_without_mask():
        """You say that run 7 has no causal mask. A model that reads its own answer has a much lower
        loss.

        Which of the causes makes all steps small?
        """
        return {"run 7": "A"}

    def run_7_source_mixed_up():
        """You say that the lines of run 7 do not match. That would explain that the source makes
        little difference, but not that the weights have hardly moved.

        Which of the causes makes all steps small?
        """
        return {"run 7": "D"}

    def run_7_cut_off():
        """You say that run 7's encoder is detached. But a gradient reaches it, and its decoder has
        moved little, too.

        Which of the causes makes all steps small?
        """
        return {"run 7": "B"}

    def run_7_left_out():
        """You say that the optimizer of run 7 lacks the encoder. But its encoder has moved a
        little, and its decoder has moved little, too.

        Which of the causes makes all steps small?
        """
        return {"run 7": "C"}

    def run_8_is_well():
        """You say that run 8 has no fault. It has measured its dev loss twice, with the same
        weights on the same sentences.

        What can make the two differ?
        """
        return {"run 8": "none"}

    def run_8_divided_wrongly():
        """You say that run 8 divides by all positions. Then its first training loss would be lower
        than that of others.

        Compare its two measurements of the dev loss.
        """
        return {"run 8": "G"}

    def run_8_without_mask():
        """You say that run 8 has no causal mask. A model that reads its own answer has a much lower
        loss.

        Compare its two measurements of the dev loss.
        """
        return {"run 8": "A"}

    def run_8_too_high():
        """You put H for run 8: a rate ten times as high. It moved its weights as far as run 2.

        Compare its two measurements of the dev loss.
        """
        return {"run 8": "H"}

    def run_8_source_mixed_up():
        """You say that the lines of run 8 do not match. But its model needs the right source.

        Compare its two measurements of the dev loss.
        """
        return {"run 8": "D"}

    def run_4_too_high():
        """You put H for run 4: a rate ten times as high. A rate changes nothing before step 1.

        Compare the training losses of the first step.
        """
        return {"run 4": "H"}

    def run_5_too_high():
        """You put H for run 5: a rate ten times as high. Would that bring a loss so low?

        What makes a loss low and the source useless?
        """
        return {"run 5": "H"}

    def run_6_too_high():
        """You put H for run 6: a rate ten times as high. Its encoder has not moved at all.

        Which of the causes concern the encoder alone?
        """
        return {"run 6": "H"}

    def run_2_too_high():
        """You put H for run 2: a rate ten times as high. It learns as well as any, and moves its
        weights as far as others.

        Does every run need a fault?
        """
        return {"run 2": "H"}

    def nothing_from_too_high_a_rate():
        """You put H for run 7: a rate ten times as high. Then its weights would have moved further
        than those of others.

        Compare how far the weights have moved.
        """
        return {"run 7": "H"}

    def run_1_too_high():
        """You put H for run 1: a rate ten times as high. Its weights have moved as far as those of
        run 2.

        Compare the dev loss of run 1 with that for sources of other pairs.
        """
        return {"run 1": "H"}


EXERCISE = which_line(
    "diagnose",
    _LETTERS,
    Wrong,
    hint="Find out for each cause in which row you would see it: a loss at step 1, a loss "
    "measured twice, a loss from wrong sources, a gradient, or how far weights have moved.",
)
