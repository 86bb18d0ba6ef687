"""A language model of a few hundred weights and its batches, for the tests of the training loop."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from mtcourse.fast.chunked_loss import chunked_loss
from mtcourse.training.loop import TrainingConfig

VOCABULARY = 12
CONFIG = TrainingConfig(steps=20, learning_rate=0.05, warmup=5, accumulate=2, seed=3)


@dataclass(frozen=True)
class TokenBatch:
    """Predict each token from the one before; 0 is padding."""

    tokens: Tensor

    @property
    def target_tokens(self) -> int:
        return int((self.tokens[:, 1:] != 0).sum())

    def to(self, device: torch.device) -> TokenBatch:
        return TokenBatch(self.tokens.to(device))


class LanguageModel(nn.Module):
    """An embedding, dropout, and a projection."""

    def __init__(self, dropout: float = 0.2, d: int = 8, seed: int = 0) -> None:
        super().__init__()
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self.embedding = nn.Embedding(VOCABULARY, d)
            self.output = nn.Linear(d, VOCABULARY)
        self.dropout = nn.Dropout(dropout)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.dropout(self.embedding(tokens))


def loss(model: LanguageModel, batch: TokenBatch) -> Tensor:
    """The summed loss, with the model's parts taken apart as a translator's are."""
    H = model(batch.tokens[:, :-1])
    return chunked_loss(H, model.output.weight, model.output.bias, batch.tokens[:, 1:], 0.1)


def batches(epoch: int) -> list[TokenBatch]:
    """Seven batches of unequal lengths, others in every epoch."""
    generator = torch.Generator().manual_seed(epoch)
    made = []
    for length in (3, 9, 4, 6, 5, 8, 7):
        tokens = torch.randint(1, VOCABULARY, (4, length), generator=generator)
        tokens[0, length - 1 - epoch % 2 :] = 0
        made.append(TokenBatch(tokens))
    return made


def dev_loss(model: LanguageModel) -> float:
    """The mean loss over one fixed batch."""
    batch = batches(1000)[1]
    return loss(model, batch).item() / batch.target_tokens


def weights_of(model: nn.Module) -> dict[str, Tensor]:
    """A copy of a model's weights, by name."""
    return {name: tensor.clone() for name, tensor in model.state_dict().items()}
