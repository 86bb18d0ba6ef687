"""Shapes are checked while the tests run: jaxtyping's annotations, enforced by beartype.

Only where there are tensors: the grammar's many small functions would take minutes.
"""

from jaxtyping import install_import_hook

WITH_TENSORS = ("layers", "models", "training", "decoding", "figures", "text.batches", "recipe")
install_import_hook([f"mtcourse.{name}" for name in WITH_TENSORS], "beartype.beartype")

import pytest  # noqa: E402
import torch  # noqa: E402

from tests.browsing import browser, site  # noqa: E402, F401  (fixtures for all tests)


def available_devices() -> list:
    """The CPU always; an accelerator as a case marked ``gpu`` that skips where there is none."""
    cuda = torch.cuda.is_available()
    gpu = pytest.param(
        "cuda", marks=[pytest.mark.gpu, pytest.mark.skipif(not cuda, reason="no CUDA device")]
    )
    return ["cpu", gpu]


@pytest.fixture(params=available_devices())
def device(request: pytest.FixtureRequest) -> torch.device:
    """Each device on which the same test must hold."""
    return torch.device(request.param)
