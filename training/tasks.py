"""Training tasks: the evidence that a user would have, and the truth that a forecast should come close to."""

import warnings
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from rankcast import Evidence
from rankcast.errors import BelowChanceWarning

from .calibration import calibrate, fit_report, target_accuracy
from .families import FAMILIES, HELD_OUT, STRUCTURED, TRAIN
from .populations import Classes, Population, Probes
from .sampling import Ints, Reals, Rng, log_integer, pick
from .truth import AMPLE, Tally, meet, stages

LADDER = np.array([1, 2, 5, 10, 20, 50, 100, 200, 500, 1000])
K1 = (40, 5000)
MOST_EXAMPLES = 5000
ORACLE_EXAMPLES = (500, 1000)
TRUTH_EXAMPLES = (1500, 8000)
SECONDS = 0.7  # to spend on the rivals of a task
SURER_FROM = 500  # classes: what is forecast from more of them can be told better, and so must the truth be
LARGEST_GALLERIES = (120_000, 200_000)  # where a comparison is dear, and cheap
_ACCURACIES = (0.015, 0.9995)
LISTS = {
    "train": TRAIN,
    "held-out": HELD_OUT,
    "plain": [name for name in FAMILIES if name not in STRUCTURED],
    "structured": STRUCTURED,
}


@dataclass(frozen=True, eq=False)
class Task:
    """Evidence on k₁ classes, and the truth about more of them.

    Attributes
    ----------
    seed, family, held_out, facts
        Where it came from.
    evidence : Evidence
        With scores, float32.
    k : ndarray
        k₁ times ``LADDER``.
    truth, error : ndarray
        AGA at each k by simulation with fresh classes and test examples, and its standard error; NaN beyond
        the rivals simulated.
    tally, oracle_tally : Tally
        The counts behind the truth, and those of the measured examples ``oracle_rows`` against the same rivals.
    oracle : ndarray
        Average chance of those measured examples to be right: what the best forecast could know of them.
    """

    seed: int
    family: str
    held_out: bool
    facts: dict[str, float | str]
    evidence: Evidence
    k: Ints
    truth: Reals
    error: Reals
    oracle: Reals
    oracle_rows: Ints
    tally: Tally
    oracle_tally: Tally

    @property
    def oracle_z(self) -> Reals:
        """Φ⁻¹ of the favourability of the measured examples ``oracle_rows``, from the rivals each of them met."""
        z = np.empty(len(self.oracle_rows))
        for s, rivals in enumerate(self.oracle_tally.rivals):
            met = ~self.oracle_tally.sat_out[s]
            beaten = rivals - self.oracle_tally.lost[s].sum(axis=0) - 0.5 * self.oracle_tally.tied[s].sum(axis=0)
            z[met] = ndtri((beaten[met] + 0.5) / (rivals + 1))
        return z


def make_task(seed: int, families: str = "plain", effort: float = 1.0, k1: int | None = None) -> Task:
    """The task of that number; the same seed gives the same task.

    Parameters
    ----------
    seed : int
        Number of the task.
    families : str
        Those to choose from: one of ``LISTS`` or the name of a family. The plain ones are the two halves.
    effort : float
        Multiplies the number of examples that the truth is averaged over (and, below one, that of the oracle), which
        grows with the number of measured classes beyond ``SURER_FROM``.
    k1 : int, optional
        Number of measured classes; random if None.
    """
    setting, measuring, simulating = (np.random.default_rng([seed, stream]) for stream in range(3))
    size = log_integer(setting, *K1) if k1 is None else k1
    population = draw_population(setting, LISTS.get(families, [families]), size)
    return measure(population, seed, size, effort, measuring, simulating)


def draw_population(rng: Rng, families: list[str], k1: int) -> Population:
    """A population of one of these families, at a level of noise that makes it neither trivial nor hopeless."""
    while True:
        population = FAMILIES[families[int(rng.integers(len(families)))]](rng)
        target = target_accuracy(rng, k1)
        pilot = int(rng.integers(2**32))
        population, accuracy = calibrate(population, k1, target, pilot)
        if accuracy < 0.8 * target and rng.random() < 0.75:
            continue  # the target is out of reach: keep some of these, but not so many that few are accurate
        if _ACCURACIES[0] <= accuracy <= _ACCURACIES[1] or accuracy >= target > 0.99:
            return fit_report(population, pilot)


def measure(population: Population, seed: int, k1: int, effort: float, measuring: Rng, simulating: Rng) -> Task:
    """Measure a population on ``k1`` classes, and find the truth about it."""
    classes = population.classes(k1, measuring)
    owner = examples(measuring, k1)
    probes = population.tests(classes, owner, measuring)
    evidence = _evidence(population, probes, classes)
    total, affordable = budget(population, k1, classes)
    known = int(min(effort, 1.0) * np.clip(affordable // 3, *ORACLE_EXAMPLES))
    rows = np.sort(measuring.permutation(len(owner))[:known])
    more = max(1.0, k1 / SURER_FROM) ** 0.6
    fresh = int(more * effort * np.clip(affordable - len(rows), *TRUTH_EXAMPLES))
    others = population.classes(fresh, simulating)
    unseen = population.tests(others, np.arange(fresh), simulating)
    both = meet(population, unseen.joined(probes.take(rows)), stages(k1, total), simulating)
    tally, oracle = both.take(np.arange(fresh)), both.take(np.arange(fresh, fresh + len(rows)))
    k = k1 * LADDER
    truth, error = tally.accuracy(k)
    return Task(
        seed=seed,
        family=population.family,
        held_out=population.family in HELD_OUT,
        facts=population.facts(),
        evidence=evidence,
        k=k,
        truth=truth,
        error=error,
        oracle=oracle.accuracy(k, evidence.weight[rows])[0],
        oracle_rows=rows,
        tally=tally,
        oracle_tally=oracle,
    )


def _evidence(population: Population, probes: Probes, classes: Classes) -> Evidence:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BelowChanceWarning)
        return Evidence.from_scores(population.score(probes, classes), probes.owner)


def examples(rng: Rng, k1: int) -> Ints:
    """Classes of the test examples: mostly one each, up to 50, sometimes uneven, sometimes not of all classes."""
    kind = pick(rng, {"one": 0.55, "few": 0.25, "many": 0.2})
    each = 1 if kind == "one" else log_integer(rng, 2, 5) if kind == "few" else log_integer(rng, 6, 50)
    each = max(1, min(each, MOST_EXAMPLES // k1))
    number = np.full(k1, each)
    if each > 1 and rng.random() < 0.3:
        number = np.maximum(1, rng.poisson(each * rng.standard_gamma(2.0, k1) / 2.0))
    if rng.random() < 0.1:
        number[rng.permutation(k1)[: int(k1 * rng.uniform(0, 0.8))]] = 0
    owner = np.repeat(np.arange(k1), number)
    if len(owner) > MOST_EXAMPLES:
        owner = np.sort(rng.permutation(owner)[:MOST_EXAMPLES])
    return owner


def budget(population: Population, k1: int, classes: Classes) -> tuple[int, int]:
    """Numbers of fresh rivals, and of test examples to let them meet, within about a second.

    There are enough rivals for the last k of the ladder within 120,000 classes (200,000 if a comparison is
    cheap), and some to spare.
    """
    exemplars, _, width = classes.entries.shape
    price = 1.0 + 0.02 * exemplars * width * (2 if population.match.double else 1)  # nanoseconds
    limit = LARGEST_GALLERIES[int(price < 1.5)]
    k = k1 * LADDER
    total = max(int(1.15 * k[k <= limit].max()), AMPLE * k1)
    return total, int(SECONDS * 1e9 / (price * total))
