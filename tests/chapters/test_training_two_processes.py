"""Two processes that divide by all tokens have the gradient of one process."""

from __future__ import annotations

import pytest
import torch

from mtcourse.chapters.training import two_processes
from mtcourse.errors import MtcourseError


@pytest.mark.slow
def test_only_the_tokens_of_all_processes_give_the_gradient_of_one():
    one, two = two_processes.gradient_of_one(), two_processes.gradients_of_two()
    torch.testing.assert_close(two["all tokens"], one, atol=1e-12, rtol=0)
    means = []
    for rows, labels in two_processes.shares():
        layer = two_processes.new_layer()
        torch.nn.functional.cross_entropy(layer(rows), labels).backward()
        means.append(layer.weight.grad)
    torch.testing.assert_close(two["own tokens"], sum(means) / 2, atol=1e-12, rtol=0)
    assert (two["own tokens"] - one).norm() > 0.1 * one.norm()


def test_a_process_that_fails_says_why(monkeypatch):
    monkeypatch.setattr(two_processes.sys, "executable", "false")
    with pytest.raises(MtcourseError, match="a process of two failed"):
        two_processes.gradients_of_two()
