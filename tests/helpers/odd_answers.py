"""Things that an answer can return, and that hardly anything can be done with."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import torch


class Hostile:
    """Forbids to be looked at in any way."""

    def __getattr__(self, name):
        raise RuntimeError("no")

    def __eq__(self, other):
        raise RuntimeError("no")

    def __repr__(self):
        raise RuntimeError("no")

    __hash__ = None


def recursive():
    inner: list = []
    inner.append(inner)
    return inner


ODD = {
    "meta": lambda: torch.ones(2, device="meta"),
    "meta scalar": lambda: torch.ones((), device="meta"),
    "sparse": lambda: torch.eye(2).to_sparse(),
    "compressed": lambda: torch.eye(2).to_sparse_csr(),
    "complex": lambda: torch.ones(2, dtype=torch.complex64),
    "complex number": lambda: 1 + 2j,
    "quantized": lambda: torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.quint8),
    "nested": lambda: torch.nested.nested_tensor([torch.ones(1), torch.ones(2)]),
    "empty": lambda: torch.ones(0, 2),
    "float8": lambda: torch.ones(2).to(torch.float8_e4m3fn),
    "half": lambda: torch.ones(2, dtype=torch.float16),
    "an array of objects": lambda: np.array([object(), None]),
    "an array of text": lambda: np.array(["a", "b"]),
    "a structured array": lambda: np.zeros(2, dtype=[("a", "f4")]),
    "hostile": Hostile,
    "a list of hostile ones": lambda: [Hostile(), Hostile()],
    "itself": recursive,
    "a class": lambda: Hostile,
    "a generator": lambda: (i for i in range(3)),
    "a huge integer": lambda: 10**400,
    "not a number": lambda: float("nan"),
    "a decimal": lambda: Decimal("0.1"),
    "bytes": lambda: b"ab",
    "half a character": lambda: "\ud800",
    "nothing": lambda: None,
    "itself not implemented": lambda: NotImplemented,
}
