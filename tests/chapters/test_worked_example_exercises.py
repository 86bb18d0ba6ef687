"""What the checks of chapter 11 must not let through."""

from __future__ import annotations

import pytest
import torch

from mtcourse.chapters.worked_example.exercises import first_adam_step
from mtcourse.checks.judge import judge


@pytest.mark.parametrize("kind", [torch.optim.Adam, torch.optim.AdamW])
def test_torchs_optimiser_is_no_answer_to_the_first_adam_step(kind):
    def answer(w, g, lr, beta_1, beta_2, eps):
        weight = torch.nn.Parameter(w.clone())
        weight.grad = g.clone()
        kind([weight], lr, (beta_1, beta_2), eps, weight_decay=0.0).step()
        return weight.detach()

    w, g = torch.randn(2, 3), torch.randn(2, 3)
    own = first_adam_step.correct(w, g, 0.1, 0.9, 0.98, 1e-9)
    assert torch.allclose(answer(w, g, 0.1, 0.9, 0.98, 1e-9), own, atol=1e-5)
    verdict = judge(first_adam_step.EXERCISE, answer)
    assert not verdict.passed
    assert "not allowed here: write it yourself" in verdict.wrong
