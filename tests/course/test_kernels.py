"""Two kernels that start at the same time cannot take each other's ports: they have none."""

import os

import nbval.kernel
import pytest


@pytest.mark.skipif(os.name != "posix", reason="kernels talk over TCP there")
def test_a_kernel_of_nbval_answers_without_a_port() -> None:
    manager, client = nbval.kernel.start_new_kernel(
        kernel_name=nbval.kernel.CURRENT_ENV_KERNEL_NAME
    )
    try:
        assert manager.get_connection_info()["transport"] == "ipc"
        reply = client.execute_interactive("assert 1 + 1 == 2", timeout=30)
        assert reply["content"]["status"] == "ok"
    finally:
        client.stop_channels()
        manager.shutdown_kernel()
