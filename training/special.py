"""Populations that are not noisy vectors around a centre: likelihoods, documents, and scores without a space."""

from dataclasses import dataclass

import numpy as np

from .geometry import Geometry
from .populations import Classes, Population, Probes, paired
from .sampling import Array, Cloud, Ints, Rng, Vectors
from .vectors import Noise


@dataclass(frozen=True, eq=False, kw_only=True)
class LikelihoodPopulation(Population):
    """Each class is a normal law with variances of its own; the score is the log-likelihood.

    Parameters
    ----------
    geometry, noise
        Where the means lie, and the law of test examples before each class's own variances.
    uneven : float
        Standard deviation of the logarithm of a class's variances, axis by axis.
    samples : float
        Training examples per class: its mean is known up to 1/√samples, its log-variances up to √(2/samples).
    prior : float
        Standard deviation of the logarithm of the classes' prior probabilities.
    """

    geometry: Geometry
    noise: Noise
    uneven: float
    samples: float
    prior: float = 0.0

    def classes(self, n: int, rng: Rng) -> Classes:
        """Draw ``n`` fresh classes."""
        places = self.geometry.sample(n, rng)
        scale = self.level * self.noise.class_scale(places.local, rng).astype(np.float64)
        deviation = np.exp(0.5 * self.uneven * rng.standard_normal(places.test.shape))
        deviation *= self.noise.cloud.axes * scale[:, None]
        error = rng.standard_normal(places.test.shape) / np.sqrt(self.samples)
        mean = places.gallery + deviation * error
        log_var = 2 * np.log(deviation)
        log_var += np.sqrt(2 / self.samples) * rng.standard_normal(places.test.shape)
        precision = np.exp(-log_var)
        last = -0.5 * (mean**2 * precision + log_var).sum(axis=1)
        last += self.prior * rng.standard_normal(n)
        entries = np.concatenate([-0.5 * precision, mean * precision, last[:, None]], axis=1)
        return Classes(entries[None], None, (places.test, deviation))

    def tests(self, classes: Classes, index: Ints, rng: Rng) -> Probes:
        """Draw a fresh test example of each of these classes."""
        centres, deviation = classes.state
        centre = centres[index].astype(np.float64)
        wrong = np.nonzero(rng.random(len(index)) < self.noise.mislabelled)[0]
        if len(wrong):
            centre[wrong] = self.geometry.sample(len(wrong), rng).test
        x = self.noise.cloud.points(len(index), rng) / self.noise.cloud.axes
        x = centre + deviation[index] * x * self.noise.example_scale(len(index), rng)[:, None]
        query = np.concatenate([x**2, x, np.ones((len(x), 1))], axis=1)
        return paired(query, np.zeros((len(x), 1)), classes, index)

    def facts(self) -> dict[str, float | str]:
        """The settings worth knowing when results are broken down."""
        return {
            "dim": self.geometry.dim,
            "score": "likelihood",
            "report": self.report.kind,
            "noise": self.noise.cloud.law,
            "exemplars": self.samples,
            "uneven": 1.0,
            "mislabelled": self.noise.mislabelled,
        }


@dataclass(frozen=True, eq=False, kw_only=True)
class DocumentPopulation(Population):
    """Each class is a distribution over words; naive Bayes scores a bag of words drawn from it.

    Parameters
    ----------
    geometry : Geometry
        Law of the log-probabilities around ``base``, times ``contrast``.
    base : ndarray
        Log-frequency of each word of the vocabulary.
    length, varied : float
        Words of a document at level 1, and the standard deviation of its logarithm; it falls with level².
    error : float
        Standard deviation of the estimated log-probabilities.
    mean : bool
        Whether the score is per word, rather than of the whole document.
    """

    geometry: Geometry
    base: Vectors
    contrast: float
    length: float
    varied: float
    error: float
    mean: bool
    mislabelled: float = 0.0

    def _log_odds(self, places: Vectors) -> Vectors:
        """Log-probabilities of the words of each class."""
        raw = places * np.float32(self.contrast) + self.base
        raw -= raw.max(axis=1, keepdims=True)
        raw -= np.log(np.exp(raw).sum(axis=1, keepdims=True))
        return raw

    def classes(self, n: int, rng: Rng) -> Classes:
        """Draw ``n`` fresh classes."""
        log_odds = self._log_odds(self.geometry.sample(n, rng).test)
        known = log_odds
        if self.error:
            noise = rng.standard_normal(log_odds.shape, np.float32)
            known = log_odds + np.float32(self.error) * noise
        return Classes(known[None], None, (log_odds,))

    def tests(self, classes: Classes, index: Ints, rng: Rng) -> Probes:
        """Draw a fresh document of each of these classes."""
        log_odds = classes.state[0][index]
        wrong = np.nonzero(rng.random(len(index)) < self.mislabelled)[0]
        if len(wrong):
            log_odds[wrong] = self._log_odds(self.geometry.sample(len(wrong), rng).test)
        words = self.length / self.level**2 * np.exp(self.varied * rng.standard_normal(len(index)))
        counts = rng.poisson(np.exp(log_odds) * np.clip(words, 0.5, 1e7)[:, None]).astype(np.float32)
        total = counts.sum(axis=1, keepdims=True)
        return paired(counts / np.maximum(total, 1), total, classes, index)

    def finish(self, core: Array, probes: Probes) -> Array:
        """Log-likelihood of the whole document, or per word."""
        return core if self.mean else core * probes.row

    def facts(self) -> dict[str, float | str]:
        """The settings worth knowing when results are broken down."""
        return {
            "dim": self.geometry.dim,
            "score": "likelihood",
            "report": self.report.kind,
            "noise": "poisson",
            "uneven": float(self.varied > 0),
            "mislabelled": self.mislabelled,
        }


@dataclass(frozen=True, eq=False, kw_only=True)
class PairPopulation(Population):
    """Scores of pairs without a space: one law of impostor scores, another of genuine ones.

    On a hidden scale impostor scores are standard normal, and the genuine score of an example is its own
    Φ⁻¹(U*), so the truth is known: E[Φ(T)^(k-1)]. The reported score is loc_i + scale_i · h(hidden), with
    h(t) = sinh((asinh(t) + skew) / tail) / c, which makes impostor scores skewed or heavy-tailed.

    Parameters
    ----------
    genuine : Cloud
        Law of T over examples (one coordinate), around −2 log(level).
    ease : float
        Standard deviation of the part of T that is common to the examples of a class.
    hard : tuple of float
        Share of classes that are harder, and by how much T is lower for them.
    popular : float
        Share of the variance of impostor scores that belongs to the impostor's class.
    skew, tail, place, stretch : float
        Shape h, and the standard deviations of loc_i and log(scale_i).
    """

    genuine: Cloud
    width: int
    ease: float
    hard: tuple[float, float]
    popular: float
    skew: float
    tail: float
    place: float
    stretch: float
    mislabelled: float = 0.0

    def classes(self, n: int, rng: Rng) -> Classes:
        """Draw ``n`` fresh classes."""
        entries = rng.standard_normal((n, self.width + 1), np.float32)
        ease = self.ease * rng.standard_normal(n)
        ease -= self.hard[1] * (rng.random(n) < self.hard[0])
        return Classes(entries[None], None, (ease,))

    def tests(self, classes: Classes, index: Ints, rng: Rng) -> Probes:
        """Draw a fresh test example of each of these classes."""
        n = len(index)
        direction = rng.standard_normal((n, self.width), np.float32)
        direction *= np.sqrt((1 - self.popular) / np.einsum("ij,ij->i", direction, direction))[:, None]
        query = np.concatenate([direction, np.full((n, 1), np.sqrt(self.popular), np.float32)], axis=1)
        hidden = classes.state[0][index] + self.genuine.points(n, rng)[:, 0] - 2 * np.log(self.level)
        wrong = rng.random(n) < self.mislabelled
        hidden[wrong] = rng.standard_normal(int(wrong.sum()))
        row = np.exp(self.stretch * rng.standard_normal((n, 2)))
        row[:, 0] = self.place * rng.standard_normal(n)
        return Probes(query, row, np.clip(hidden, -30, 30), index, None)

    def finish(self, core: Array, probes: Probes) -> Array:
        """Scores from the hidden scale."""
        bent = np.sinh((np.arcsinh(core.astype(np.float64)) + self.skew) / self.tail)
        return np.asarray(probes.row[:, :1] + probes.row[:, 1:] * bent)

    def _measured(self, probes: Probes, entries: Array) -> Array:
        core = self.core(probes, entries)
        core[np.arange(len(probes)), probes.owner] = probes.own
        return core

    def facts(self) -> dict[str, float | str]:
        """The settings worth knowing when results are broken down."""
        return {
            "dim": self.width,
            "score": "pairs",
            "report": self.report.kind,
            "noise": self.genuine.law,
            "uneven": float(self.stretch > 0),
            "mislabelled": self.mislabelled,
        }
