"""What the checks of chapter 10 must not let through, and what two banks say alike."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

from mtcourse.chapters.blocks.exercises import encoder_block, layer_norm, post_norm_block
from mtcourse.checks.exercise import functions_of, message_of
from mtcourse.checks.judge import judge


def _rows(x):
    return x.reshape(-1, x.shape[-1]).T


def by_the_function(x, gain, bias, epsilon=1e-5):
    z = F.batch_norm(_rows(x), None, None, training=True, eps=epsilon)
    return gain * z.T.reshape(x.shape) + bias


def by_the_module(x, gain, bias, epsilon=1e-5):
    norm = torch.nn.BatchNorm1d(_rows(x).shape[1], epsilon, affine=False, dtype=x.dtype)
    return gain * norm(_rows(x)).T.reshape(x.shape) + bias


def by_the_operation(x, gain, bias, epsilon=1e-5):
    rows = _rows(x)
    z = torch.native_batch_norm(rows, None, None, None, None, True, 0.0, epsilon)[0]
    return gain * z.T.reshape(x.shape) + bias


def by_each_rows_own(x, gain, bias, epsilon=1e-5):
    z = F.instance_norm(x.reshape(1, -1, x.shape[-1]), eps=epsilon).reshape(x.shape)
    return gain * z + bias


def as_one_group(x, gain, bias, epsilon=1e-5):
    z = F.group_norm(x.reshape(-1, x.shape[-1]), 1, eps=epsilon).reshape(x.shape)
    return gain * z + bias


@pytest.mark.parametrize(
    "answer", [by_the_function, by_the_module, by_the_operation, by_each_rows_own, as_one_group]
)
def test_another_normalisation_of_torch_is_no_answer_to_layer_norm(answer):
    x, one = torch.randn(3, 4), torch.ones(4)
    assert torch.allclose(answer(x, one, 0 * one), F.layer_norm(x, (4,)), atol=1e-5)
    verdict = judge(layer_norm.EXERCISE, answer)
    assert not verdict.passed
    assert "not allowed here: write it yourself" in verdict.wrong


def test_a_mistake_that_is_made_in_both_blocks_stands_in_their_common_table_alone():
    shared, *own = (
        {message_of(wrong)[0] for wrong in functions_of(mistakes)}
        for mistakes in (encoder_block.InBoth, encoder_block.Wrong, post_norm_block.Wrong)
    )
    assert own[0] & own[1] == set()
    for exercise in (encoder_block.EXERCISE, post_norm_block.EXERCISE):
        assert shared <= {message_of(wrong)[0] for wrong in exercise.misconceptions}
