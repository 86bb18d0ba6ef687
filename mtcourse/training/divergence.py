"""What to say when a loss or a gradient is no longer a number (chapter 12)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mtcourse.errors import MtcourseError
from mtcourse.training.config import TrainingConfig


def check_finite(
    step: int, loss: float, gradient_norm: float, earlier: Sequence[float], config: TrainingConfig
) -> None:
    """Raises where training has diverged, with the step and the likely cause.

    Args:
        step: the update at which it happened.
        loss: its loss.
        gradient_norm: the norm of its gradient before clipping.
        earlier: the losses of the steps before, oldest first.
        config: the settings of the run.

    Raises:
        MtcourseError: where loss or gradient is infinite or not a number.
    """
    if math.isfinite(loss) and math.isfinite(gradient_norm):
        return
    if math.isfinite(loss):
        what = f"the gradient is {gradient_norm} (the loss is {loss:.4g})"
    else:
        what = f"the loss is {loss}"
    last = ", ".join(f"{value:.4g}" for value in earlier[-3:])
    before = f" The losses before: {last}." if earlier else ""
    raise MtcourseError(
        f"step {step}: {what}. Likely: {_likely_cause(step, loss, earlier, config)}.{before} "
        "The weights in memory are useless now; the last checkpoint is not affected."
    )


def _likely_cause(step: int, loss: float, earlier: Sequence[float], config: TrainingConfig) -> str:
    in_the_model = (
        "an attention row that may attend to nothing, a label whose own logit is -inf, or a "
        "logarithm, root or division at zero"
    )
    low = ", or overflow in bfloat16 (try precision='float32')"
    low = low if config.precision == "bfloat16" else ""
    if step == 1 or (math.isfinite(loss) and not _is_rising(earlier)):
        return in_the_model + low
    rate = config.learning_rate_at(step)
    return (
        f"a learning rate that is too high ({rate:.3g} at this step, after warmup={config.warmup} "
        f"up to {config.learning_rate:.3g}): lower it or warm up for longer{low}; else "
        f"{in_the_model}"
    )


def _is_rising(losses: Sequence[float]) -> bool:
    """Whether the last loss is well above the lowest before it."""
    return len(losses) > 1 and losses[-1] > 1.1 * min(losses)
