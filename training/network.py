"""The network in torch: a few layers over the test examples of a task, pooled, and over each example again."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

NODES = 9
_x, _w = np.polynomial.hermite_e.hermegauss(NODES)
GRID = torch.tensor(_x, dtype=torch.float32)
GRID_WEIGHT = torch.tensor(_w / _w.sum(), dtype=torch.float32)
CLIP = 5.0
BRIEF = 24  # numbers that the context is put in
BLURRED = 100  # classes, or fewer: the context is blurred as much as is asked for while training
POSTERIOR = 1  # place, among the estimates, of the one from ranks under the binomial mixture
BEHIND = torch.tensor(0.5 ** np.arange(6), dtype=torch.float32)
SIZE = 3  # place of the logarithm of the effective number of classes in the context
CURVE = slice(7, 13)  # in the context: probits of the exact curve at k₁ times ``BEHIND``
SMOOTHED = 23  # with scores: what smoothing adds to the first of them


@dataclass
class Batch:
    """Tasks end to end: rows of all examples, and which task each belongs to."""

    example: Tensor
    z: Tensor
    spread: Tensor
    weight: Tensor
    owner: Tensor
    context: Tensor
    k: Tensor
    truth: Tensor
    scale: Tensor
    known: Tensor


class Network(nn.Module):
    """From a description of evidence to a normal law of Φ⁻¹(U*) for each example.

    Each example is seen in its context, the examples are pooled (weighted mean and standard deviation), and
    each is seen again beside what was pooled. For each the network gives a convex mixture of its estimates,
    a shift, and a factor of its spread.
    """

    def __init__(self, features: int, estimates: int, context: int, width: int) -> None:
        super().__init__()
        self.see_example = nn.Linear(features, width)
        self.brief = nn.Linear(context, min(context, BRIEF), bias=False)
        self.see_context = nn.Linear(self.brief.out_features, width, bias=False)
        self.think = nn.Linear(width, width)
        self.pool = nn.Linear(2 * width + self.brief.out_features, width)
        self.whole = nn.Linear(width, width)
        self.again = nn.Linear(features, width)
        self.thought = nn.Linear(width, width, bias=False)
        self.beside = nn.Linear(width, width, bias=False)
        self.answer = nn.Linear(width, estimates + 2)
        self.trust = nn.Linear(width, 2)
        self.correct = nn.Linear(width + len(BEHIND), 2)
        self.direct = nn.Linear(context, 2, bias=False)
        self.smooth = nn.Linear(width, 1) if context > SMOOTHED else None
        self.register_buffer("example_mean", torch.zeros(features))
        self.register_buffer("example_sd", torch.ones(features))
        self.register_buffer("context_mean", torch.zeros(context))
        self.register_buffer("context_sd", torch.ones(context))
        with torch.no_grad():
            self.answer.weight.mul_(0.1)
            self.answer.bias.zero_()
            self.answer.bias[POSTERIOR] = (
                3.0  # so that it starts from the binomial mixture, and learns to depart from it
            )
            self.trust.weight.mul_(0.1)
            self.trust.bias.fill_(math.log(0.3))
            self.correct.weight.mul_(0.1)
            self.correct.bias.zero_()
            self.direct.weight.mul_(0.1)
            if self.smooth is not None:
                self.smooth.weight.mul_(0.1)
                self.smooth.bias.fill_(1.0)

    def standardise(self, example: Tensor, context: Tensor) -> None:
        """Take means and standard deviations of the inputs from the training tasks."""
        self.example_mean, self.example_sd = example.mean(0), example.std(0) + 1e-3
        self.context_mean, self.context_sd = context.mean(0), context.std(0) + 1e-3

    def forward(self, b: Batch, blur: float = 0.0) -> tuple[Tensor, Tensor]:
        """Mean and standard deviation of Φ⁻¹(U*) of each example."""
        x = ((b.example - self.example_mean) / self.example_sd).clamp(-CLIP, CLIP)
        c = ((b.context - self.context_mean) / self.context_sd).clamp(-CLIP, CLIP)
        if blur:  # less of what is known from many classes, which is sure
            sure = torch.exp(0.25 * (math.log(BLURRED) - b.context[:, SIZE])).clamp(max=1.0)
            c = c + blur * sure[:, None] * torch.randn_like(c)
        brief = self.brief(c)
        h = torch.relu(self.see_example(x) + self.see_context(brief)[b.owner])
        h = torch.relu(self.think(h))
        w = b.weight[:, None]
        mean = torch.zeros(len(c), h.shape[1]).index_add(0, b.owner, w * h)
        square = torch.zeros(len(c), h.shape[1]).index_add(0, b.owner, w * h * h)
        sd = torch.sqrt((square - mean * mean).clamp_min(0) + 1e-4)
        g = torch.relu(self.whole(torch.relu(self.pool(torch.cat([mean, sd, brief], 1)))))
        y = torch.relu(self.again(x) + self.thought(h) + self.beside(g)[b.owner])
        o = self.answer(y)
        share = torch.softmax(o[:, :-2], 1)
        centre, spread = (share * b.z).sum(1) + o[:, -2], b.spread * torch.exp(o[:, -1].clamp(-4, 2))
        doubt = torch.exp(2 * self.trust(g).clamp(-5, 2))
        measured = b.context[:, CURVE.start]
        if self.smooth is not None:
            measured = measured + torch.sigmoid(self.smooth(g)[:, 0]) * b.context[:, SMOOTHED]
        centre = centre + self.anchor(b, centre, spread, measured, doubt[:, 0])[b.owner]
        amiss = (probit(curve(b, centre, spread, b.k[:, :1] * BEHIND)) - b.context[:, CURVE]).clamp(-1, 1)
        move, tilt = (self.correct(torch.cat([g, 4 * amiss], 1)) + self.direct(c)).tanh().mul(0.5).unbind(1)
        pivot = -torch.special.ndtri(0.5 / b.k[:, 0])
        centre = centre + move[b.owner] + tilt[b.owner] * (centre - pivot[b.owner])
        spread = spread * (1 + tilt[b.owner])
        return centre + self.anchor(b, centre, spread, measured, doubt[:, 1])[b.owner], spread

    def anchor(self, b: Batch, centre: Tensor, spread: Tensor, target: Tensor, doubt: Tensor) -> Tensor:
        """A part of the shift that makes accuracy among the measured classes what was measured, by Newton's method.

        The part is all the larger, the larger ``doubt``, the variance of what the shift should be, is beside its
        variance if what was measured is right or wrong for each class anew.
        """
        shift = torch.zeros(len(b.k))
        for last in (False, False, True):  # the last step has the derivative of them all
            with torch.set_grad_enabled(last and torch.is_grad_enabled()):
                found, slopes = curve(b, centre + shift[b.owner], spread, b.k[:, :1], slope=True)
                z, slope = probit(found[:, 0]), slopes[:, 0].clamp_min(1e-3)
                density = torch.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)
                aim = target if last else target.detach()
                shift = shift + ((aim - z) * density / slope).clamp(-0.7, 0.7)
        right = torch.special.ndtr(target)
        noise = right * (1 - right) * torch.exp(-b.context[:, SIZE]) / slope**2
        return shift * doubt / (doubt + noise)

    def accuracy(self, b: Batch, blur: float = 0.0) -> Tensor:
        """AGA at each k of the ladder: tasks × k."""
        found: Tensor = curve(b, *self(b, blur), b.k)
        return found


def probit(p: Tensor) -> Tensor:
    """Φ⁻¹ away from its poles."""
    return torch.special.ndtri(p.clamp(1e-4, 1 - 1e-4))


def curve(b: Batch, centre: Tensor, spread: Tensor, k: Tensor, slope: bool = False) -> Any:
    """AGA at each k, tasks × k; with ``slope``, also how it changes when all centres move."""
    z = centre[:, None] + spread[:, None] * GRID
    log_u = torch.special.log_ndtr(z)
    wins, slopes = [], []
    for j in range(k.shape[1]):
        power = (k[b.owner, j] - 1).clamp_min(0.0)[:, None]
        each = torch.exp(power * log_u)
        wins.append((each * GRID_WEIGHT).sum(1) * b.weight)
        if slope:
            hazard = power * torch.exp(-0.5 * z * z - log_u) / math.sqrt(2 * math.pi)
            slopes.append((each * hazard * GRID_WEIGHT).sum(1) * b.weight)
    blank = torch.zeros(len(k), k.shape[1])
    found = blank.index_add(0, b.owner, torch.stack(wins, 1))
    return (found, blank.index_add(0, b.owner, torch.stack(slopes, 1))) if slope else found


def loss(found: Tensor, b: Batch) -> Tensor:
    """Squared error in units of what could be known, linear where it is large."""
    r = ((found - b.truth) / b.scale).abs()
    each = torch.where(r < 3, 0.5 * r * r, 3 * r - 4.5)
    return (each * b.known).sum() / b.known.sum()
