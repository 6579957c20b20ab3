"""How networks and regressions that real populations need are taught. Needs PyPI's torch."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


def teach(
    parameters: "Iterable[torch.Tensor]", loss: "Callable[[], torch.Tensor]", steps: int, decay: float, rate: float
) -> None:
    """Steps of AdamW, each on what ``loss`` gives then, with a rate that rises to ``rate`` and falls again."""
    import torch

    adam = torch.optim.AdamW(parameters, weight_decay=decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(adam, rate, total_steps=steps)
    for _ in range(steps):
        adam.zero_grad()
        loss().backward()
        adam.step()
        schedule.step()
