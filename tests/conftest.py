"""Shapes are checked while the tests run: jaxtyping's annotations, enforced by beartype."""

from jaxtyping import install_import_hook

install_import_hook("mtcourse", "beartype.beartype")

import pytest  # noqa: E402
import torch  # noqa: E402


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
