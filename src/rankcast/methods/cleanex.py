"""CleaneX: a network that reads an example's scores and returns its favourability.

Slavutsky & Benjamini (2021) map the score of the truth and the sorted scores of its rivals to C in (0, 1), with
1−C the favourability, and choose the network so that the mean of (1−C)^(k−1) matches the measured accuracy
curve at k = 2…k₁.
"""

from copy import deepcopy
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from .._typing import BoolArray, FloatArray, IntArray
from ..curve import curve
from ..errors import MethodError
from ..evidence import Evidence
from ..extras import need
from ..favourability import probit_of_log
from ..progress import track
from ..ranking import Scores, blocks
from .base import ExampleMethod

_GRID = 40  # numbers of classes at which the curve is matched
_CHECK = 10  # steps between two looks at the classes held out
_WARM_RATE = 1e-3
_STEEPEST = 700.0  # logits are kept within what exp() can hold


@dataclass(frozen=True)
class CleaneX(ExampleMethod):
    """Train a network on the whole evidence so that its favourabilities reproduce the measured curve.

    With w the weights of the examples, the loss is the mean over k = 2…k₁ of (Σ_i w_i (1−C_i)^(k−1) − ATA_k)².

    Ours differs from the authors' in five ways. The curve alone does not say which example is favourable, and
    networks that agree on it up to k₁ disagree widely beyond; so the network is first fitted, for ``warm_up``
    steps, to the likelihood of each example's own rank, Binomial(k₁−1, C_i). The number of steps on the curve
    is not fixed at 10,000: a first run leaves some classes out and ends when their curve has not improved for
    ``patience`` steps; a second run, on all classes, takes as many steps as the first did up to the last look
    at which the classes left out were fitted as well as at best, within their sampling noise. Of many rivals,
    only ``inputs`` are shown: the highest two thirds of that number, and even quantiles of the rest. They are
    shown as differences from the truth, and the curve is matched on a logarithmic grid of k, weighted by the
    numbers of classes that each point stands for.

    Parameters
    ----------
    inputs : int or None
        Number of rivals' scores that the network sees; None for all.
    hidden : tuple of int
        Widths of the hidden layers.
    warm_up : int
        Steps on the likelihood of the ranks; 0 starts from random weights, as the authors do.
    steps : int
        Most steps on the curve.
    rate : float
        Learning rate of Adam on the curve.
    held_out : float
        Share of the classes left out of the first run; with 0 there is none, and ``patience`` steps are taken.
    patience : int
        Steps without improvement after which the first run ends.
    device : str or None
        Where torch computes; None takes a GPU if there is one.

    Examples
    --------
    >>> CleaneX(inputs=None, held_out=0.2).hidden
    (512, 128)
    """

    name: ClassVar[str] = "cleanex"
    needs: ClassVar[Literal["ranks", "scores"]] = "scores"
    reference: ClassVar[str] = "Slavutsky & Benjamini (ICLR 2021)"
    cost: ClassVar[str] = "one reading of the scores and some 800 training steps; needs the extra 'torch'"
    fails: ClassVar[str] = "with few classes, and far beyond them: its answer varies with the seed"

    inputs: int | None = 96
    hidden: tuple[int, ...] = (512, 128)
    warm_up: int = 200
    steps: int = 400
    rate: float = 1e-4
    held_out: float = 0.25
    patience: int = 200
    device: str | None = None

    def __post_init__(self) -> None:
        checks = {
            "inputs": self.inputs is None or self.inputs >= 3,
            "hidden": len(self.hidden) > 0 and all(width >= 1 for width in self.hidden),
            "warm_up": self.warm_up >= 0,
            "steps": self.steps >= 0,
            "rate": self.rate > 0,
            "held_out": 0 <= self.held_out < 1,
            "patience": self.patience >= 1,
        }
        for setting, fine in checks.items():
            if not fine:
                found = getattr(self, setting)
                raise MethodError(f"cleanex cannot work with {setting} = {found!r}: see help(CleaneX)")

    def example_z(self, evidence: Evidence, rng: np.random.Generator) -> FloatArray:
        """Estimate Φ⁻¹(U*) of each example."""
        torch = need("torch", "torch")
        if evidence.scores is None:
            raise MethodError(
                "'cleanex' reads scores, and this evidence holds ranks only: use a method that needs ranks, "
                "or make the evidence from scores or embeddings"
            )
        shown = _shown_scores(evidence.scores, evidence.label, self.inputs)
        problem = _Problem(torch, evidence, shown, self._device(torch))
        held = _held_classes(evidence, self.held_out, rng)
        network = _network(torch, shown.shape[1], self.hidden, _typical_logit(evidence), rng).to(problem.device)
        steps = min(self.patience, self.steps)
        if held.any():
            first = deepcopy(network)
            steps = _chosen_step(_train(problem, first, problem.part(~held), problem.part(held), self, self.steps))
        _train(problem, network, problem.part(np.ones(len(held), bool)), None, self, steps)
        with torch.no_grad():
            logit = network(problem.inputs)[:, 0].double().cpu().numpy()
        log_u = -np.logaddexp(0.0, np.clip(logit, -_STEEPEST, _STEEPEST))
        return probit_of_log(log_u)

    def _device(self, torch: Any) -> str:
        return self.device or ("cuda" if torch.cuda.is_available() else "cpu")


def _shown_scores(scores: Scores, label: IntArray, inputs: int | None) -> FloatArray:
    """What the network sees of each example: the truth, then rivals from the highest, less the truth.

    All are standardised by one mean and one standard deviation.
    """
    pick = _picked(scores.shape[1] - 1, inputs)
    shown = np.empty((len(label), 1 + len(pick)))
    for rows in blocks(scores.shape):
        block = np.array(scores.block(rows))
        own = label[rows, None]
        shown[rows, 0] = np.take_along_axis(block, own, axis=1)[:, 0]
        np.put_along_axis(block, own, block[:, -1:], axis=1)
        wrong = block[:, :-1]
        wrong.sort(axis=1)
        shown[rows, 1:] = wrong[:, ::-1][:, pick]
    size = float(np.abs(shown).max())
    shown /= size if size > 0 else 1.0  # before anything is squared, or 1e300 would overflow
    spread = float(shown.std())
    shown = (shown - shown.mean()) / (spread if spread > 0 else 1.0)
    shown[:, 1:] -= shown[:, :1]
    return np.asarray(shown, np.float64)


def _picked(rivals: int, inputs: int | None) -> IntArray:
    """Places, from the highest, of the rivals shown: the top without gaps, the rest evenly."""
    if inputs is None or rivals <= inputs:
        return np.arange(rivals)
    top = 2 * inputs // 3
    rest = np.linspace(top, rivals - 1, inputs - top).round().astype(np.int64)
    return np.concatenate([np.arange(top), rest])


def _held_classes(evidence: Evidence, share: float, rng: np.random.Generator) -> BoolArray:
    """Examples of a random share of the classes; none if either side would be without weight."""
    present = np.unique(evidence.label)
    chosen = rng.permutation(present)[: round(share * len(present))]
    held = np.isin(evidence.label, chosen)
    mass = evidence.weight[held].sum()
    return held if 0 < mass < evidence.weight.sum() * (1 - 1e-9) else np.zeros(len(held), bool)


def _outranked(evidence: Evidence) -> FloatArray:
    """Share of the rivals that outrank each truth, half of the ties included."""
    return (evidence.rivals - evidence.beaten - evidence.tied / 2) / evidence.rivals


def _typical_logit(evidence: Evidence) -> float:
    """Where the network starts: the log odds of losing to a random rival."""
    least = 0.5 / float(np.sum(evidence.rivals))
    share = np.clip(evidence.weight @ _outranked(evidence), least, 1 - least)
    return float(np.log(share / (1 - share)))


def _k_grid(k1: int) -> tuple[IntArray, FloatArray]:
    """Numbers of classes, and the share of 2…k₁ that each stands for."""
    k = np.unique(np.geomspace(2, k1, _GRID).round().astype(np.int64))
    ends = np.concatenate([[1.5], (k[1:] + k[:-1]) / 2, [k1 + 0.5]])
    return k, np.diff(ends) / (k1 - 1)


_Part: TypeAlias = tuple[Any, Any, Any, Any]  # inputs, weights, outranked shares, measured curve


class _Problem:
    """The evidence as tensors, and the two losses."""

    def __init__(self, torch: Any, evidence: Evidence, shown: FloatArray, device: str) -> None:
        self.torch, self.device, self._evidence = torch, device, evidence
        self._k, share = _k_grid(evidence.k1)
        self.inputs = self._tensor(shown)
        self._draws, self._share = self._tensor(self._k - 1), self._tensor(share)
        self._rivals = float(evidence.rivals.mean())

    def _tensor(self, values: Any) -> Any:
        return self.torch.tensor(np.asarray(values, np.float32), device=self.device)

    def part(self, rows: BoolArray) -> _Part:
        """Inputs, weights and outranked shares of some examples, and their own measured curve."""
        weight = np.where(rows, self._evidence.weight, 0.0)
        index = self.torch.tensor(np.nonzero(rows)[0], device=self.device)
        target = curve(self._evidence.reweight(weight), self._k)
        own = weight[rows] / weight.sum()
        lost = _outranked(self._evidence)[rows]
        return self.inputs[index], self._tensor(own), self._tensor(lost), self._tensor(target)

    def curve_loss(self, network: Any, part: _Part) -> Any:
        """Squared error of the mean of (1−C)^(k−1)."""
        inputs, weight, _, target = part
        log_u = self.torch.nn.functional.logsigmoid(-network(inputs)[:, 0])
        mean = weight @ self.torch.exp(log_u[:, None] * self._draws)
        return (self._share * (mean - target) ** 2).sum()

    def held_loss(self, network: Any, part: _Part) -> tuple[float, float]:
        """The loss on classes left out, and what chance alone would make it if the network were right.

        A truth that wins with probability p = (1−C)^(k−1) does so with variance p(1−p).
        """
        inputs, weight, _, target = part
        with self.torch.no_grad():
            log_u = self.torch.nn.functional.logsigmoid(-network(inputs)[:, 0])
            wins = self.torch.exp(log_u[:, None] * self._draws)
            loss = (self._share * (weight @ wins - target) ** 2).sum()
            noise = (self._share * (weight**2 @ (wins * (1 - wins)))).sum()
        return float(loss), float(noise)

    def rank_loss(self, network: Any, part: _Part) -> Any:
        """Minus the log likelihood of the ranks, per example."""
        inputs, weight, lost, _ = part
        log, logit = self.torch.nn.functional.logsigmoid, network(inputs)[:, 0]
        return -self._rivals * (weight @ (lost * log(logit) + (1 - lost) * log(-logit)))


def _network(torch: Any, width: int, hidden: tuple[int, ...], start: float, rng: np.random.Generator) -> Any:
    """Linear layers with ReLU between them, torch's usual initial weights drawn from ``rng``."""
    layers, sizes = [], [width, *hidden, 1]
    for before, after in pairwise(sizes):
        layer, bound = torch.nn.Linear(before, after), before**-0.5
        with torch.no_grad():
            for values in (layer.weight, layer.bias):
                values.copy_(torch.tensor(rng.uniform(-bound, bound, tuple(values.shape))))
        layers += [layer, torch.nn.ReLU()]
    with torch.no_grad():
        layers[-2].bias.fill_(start)
    return torch.nn.Sequential(*layers[:-1])


def _train(
    problem: _Problem, network: Any, train: _Part, test: _Part | None, settings: CleaneX, steps: int
) -> list[tuple[int, float, float]]:
    """Fit the ranks, then the curve for some steps; with ``test``, end once its curve no longer improves.

    Returns the step, the loss and its noise of every look at ``test``.
    """
    torch, warm = problem.torch, settings.warm_up
    total, best, since = warm + steps, np.inf, 0
    history: list[tuple[int, float, float]] = []
    adam = torch.optim.Adam(network.parameters(), lr=_WARM_RATE)
    for step in track(range(total + 1), total + 1, "training cleanex"):
        taken = step - warm
        if taken == 0:
            adam = torch.optim.Adam(network.parameters(), lr=settings.rate)
        if test is not None and taken >= 0 and (taken % _CHECK == 0 or step == total):
            found, noise = problem.held_loss(network, test)
            history.append((taken, found, noise))
            best, since = (found, taken) if found < best else (best, since)
            if taken - since >= settings.patience or not np.isfinite(found):
                break
        if step == total:
            break
        if step < warm:  # the rate falls to zero, so that the end does not depend on the last few steps
            adam.param_groups[0]["lr"] = _WARM_RATE * (0.5 + 0.5 * np.cos(np.pi * step / warm))
        adam.zero_grad()
        loss = problem.rank_loss if step < warm else problem.curve_loss
        loss(network, train).backward()
        adam.step()
    return history


def _chosen_step(history: list[tuple[int, float, float]]) -> int:
    """The last step whose loss is the smallest one, give or take the noise there.

    Examples
    --------
    >>> _chosen_step([(0, 5.0, 0.1), (10, 1.0, 0.1), (20, 1.05, 0.1), (30, 2.0, 0.1)])
    20
    """
    finite = [look for look in history if np.isfinite(look[1])]
    if not finite:
        return 0
    _, best, noise = min(finite, key=lambda look: look[1])
    return max(step for step, loss, _ in finite if loss <= best + noise)
