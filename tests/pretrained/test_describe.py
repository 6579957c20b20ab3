"""What the network sees of evidence."""

from contextlib import nullcontext

import numpy as np
import pytest
from scipy import stats
from scipy.special import log_softmax, softmax

from rankcast import Evidence, curve
from rankcast.favourability import Favourability
from rankcast.methods.mixture import Mixture
from rankcast.pretrained.describe import (
    CURVE,
    MIXED,
    SCORED,
    backtest_estimates,
    describe,
    euclidean,
    logarithmic,
    posterior,
    score_estimates,
    squared,
)
from rankcast.pretrained.margins import MARGINS
from rankcast.pretrained.network import gathered
from rankcast.ranking import ScoreTable


def made(k=60, each=1, seed=0, gain=2.0):
    rng = np.random.default_rng(seed)
    label = np.repeat(np.arange(k), each)
    return Evidence.from_scores(rng.normal(size=(k * each, k)) + gain * np.eye(k)[label], label)


def see(evidence, seed=0):
    return describe(evidence, np.random.default_rng(seed))


class TestDescribe:
    def test_sizes_do_not_depend_on_the_evidence(self):
        small, large = see(made(30)), see(made(80, each=3))
        assert small.example.shape[1] == large.example.shape[1]
        assert small.context.shape == large.context.shape

    def test_ranks_come_first(self):
        evidence = made()
        ranks = Evidence.from_ranks(evidence.rivals - evidence.beaten + 1, evidence.k1)
        full, bare = see(evidence), see(ranks)
        np.testing.assert_allclose(full.example[:, : bare.example.shape[1]], bare.example)
        np.testing.assert_allclose(full.z[:, : len(MIXED)], bare.z)
        np.testing.assert_allclose(full.context[: len(bare.context)], bare.context, atol=1e-6)

    def test_the_exact_curve_is_where_the_network_looks_for_it(self):
        evidence = made()
        assert stats.norm.cdf(see(evidence).context[CURVE]) == pytest.approx(
            curve(evidence, [60, 30, 15, 8, 4, 2]), abs=1e-9
        )

    def test_the_order_of_examples_does_not_matter(self):
        evidence = made()
        turned = Evidence.from_scores(evidence.scores.block(slice(0, 60))[::-1], evidence.label[::-1])
        np.testing.assert_allclose(see(evidence).z, see(turned).z[::-1], atol=1e-6)

    @pytest.mark.parametrize("k", [2, 3, 5, 17])
    def test_few_classes(self, k):
        assert np.all(np.isfinite(see(made(k)).context))

    @pytest.mark.parametrize("gain", [-50.0, 50.0])
    def test_always_right_or_always_wrong(self, gain):
        with pytest.warns() if gain < 0 else nullcontext():
            evidence = made(gain=gain)
        seen = see(evidence)
        assert np.all(np.isfinite(seen.example))
        assert np.all(np.isfinite(seen.context))


class TestProbabilities:
    def test_logarithms_are_taken(self):
        logits = np.random.default_rng(0).normal(size=(40, 40)) * 3 + 4 * np.eye(40)
        one = see(Evidence.from_scores(softmax(logits, axis=1), np.arange(40)))
        two = see(Evidence.from_scores(log_softmax(logits, axis=1), np.arange(40)))
        np.testing.assert_allclose(one.z, two.z, atol=1e-4)

    def test_a_probability_of_zero(self):
        scores = np.eye(10)[np.arange(10)] * 0.5 + 0.05
        scores[:, 0] = 0.0
        scores /= scores.sum(axis=1, keepdims=True)
        assert np.all(np.isfinite(see(Evidence.from_scores(scores, np.arange(1, 11) % 10)).z))

    def test_other_scores_are_left_alone(self):
        evidence = made()
        assert logarithmic(evidence) is evidence


class TestDistances:
    @staticmethod
    def vectors(k=80, dimensions=20):
        rng = np.random.default_rng(0)
        gallery = rng.normal(size=(k, dimensions))
        return gallery, gallery + 0.5 * rng.normal(size=gallery.shape)

    @staticmethod
    def table(gallery, probes, power=1.0):
        return -(np.linalg.norm(probes[:, None] - gallery, axis=2) ** power)

    def test_distances_and_their_squares_are_seen_alike(self):
        gallery, probes = self.vectors()
        label = np.arange(len(gallery))
        near = Evidence.from_embeddings(gallery, label, probes, label, similarity="euclidean")
        square = Evidence.from_embeddings(gallery, label, probes, label, similarity="sqeuclidean")
        tables = [Evidence.from_scores(self.table(gallery, probes, power), label) for power in (1.0, 2.0)]
        positive = Evidence.from_scores(-self.table(gallery, probes), label, higher_is_better=False)
        expected = see(square)
        for other in (near, *tables, positive):
            np.testing.assert_allclose(see(other).z, expected.z, atol=1e-3)
            np.testing.assert_allclose(see(other).context, expected.context, atol=1e-3)

    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_told_by_the_directions_of_their_squares(self, dtype):
        gallery, probes = self.vectors()
        found = {
            power: euclidean(ScoreTable(self.table(gallery, probes, power).astype(dtype))) for power in (0.5, 1, 2)
        }
        assert found == {0.5: False, 1: True, 2: False}

    def test_other_scores_are_left_alone(self):
        evidence = made()
        assert squared(evidence) is evidence

    def test_numbers_whose_squares_are_too_large(self):
        gallery, probes = self.vectors()
        large = ScoreTable(1e200 * self.table(gallery, probes))
        assert euclidean(large)
        found = squared(Evidence.from_scores(large.matrix, np.arange(80))).scores.matrix
        assert np.all(np.isfinite(found))

    def test_large_tables_are_left_as_they_are(self, monkeypatch):
        gallery, probes = self.vectors()
        evidence = Evidence.from_scores(self.table(gallery, probes), np.arange(80))
        monkeypatch.setattr("rankcast.pretrained.describe.LARGEST_TABLE", 1000)
        assert squared(evidence) is evidence

    def test_more_dimensions_than_classes_do_not_tell(self):
        gallery, probes = self.vectors(30, 60)
        assert not euclidean(ScoreTable(self.table(gallery, probes)))


class TestPosterior:
    def test_against_quadrature(self):
        evidence = made(40)
        prior = Favourability([0.0, 1.0, 2.5], [0.2, 0.5, 0.3], 0.1)
        mean, spread = posterior(evidence, prior)
        z = np.linspace(-8, 12, 20001)
        density = prior.density(z) * stats.binom.pmf(evidence.rivals[3] - evidence.beaten[3], 39, stats.norm.sf(z))
        density /= density.sum()
        assert mean[3] == pytest.approx(density @ z, abs=0.05)
        assert spread[3] == pytest.approx(np.sqrt(density @ z**2 - (density @ z) ** 2), abs=0.05)

    def test_averaged_over_examples_it_is_the_mixture(self):
        evidence = made(300, gain=2.5)
        mixture = Mixture().fit(evidence, np.random.default_rng(0))
        together = gathered(*posterior(evidence, mixture), evidence.weight)
        assert together.value([300, 3000]) == pytest.approx(mixture.value([300, 3000]), abs=0.02)


class TestBacktest:
    def test_normal_scores_give_the_same_from_a_quarter_of_the_rivals(self):
        evidence = made(400, gain=2.5)
        estimates, _, margins = score_estimates(evidence, np.random.default_rng(0))
        now = margins.chances(399, [1.0])[0]
        again, then = backtest_estimates(evidence, estimates, now, np.arange(400), np.random.default_rng(1))
        line = MARGINS.index("line")
        assert then[line].mean() == pytest.approx(now[line].mean(), abs=0.03)
        pooled = SCORED.index("pooled")
        assert np.mean(again[:, pooled] - estimates[:, pooled]) == pytest.approx(0.0, abs=0.05)
        assert not np.array_equal(again, estimates)

    def test_too_few_classes_for_parts(self):
        evidence = made(10)
        estimates, _, margins = score_estimates(evidence, np.random.default_rng(0))
        now = margins.chances(9, [1.0])[0]
        again, then = backtest_estimates(evidence, estimates, now, np.arange(10), np.random.default_rng(1))
        assert again is estimates
        assert then is now

    def test_of_many_examples_a_part_is_tested(self, monkeypatch):
        evidence = made(300, gain=2.5)
        whole = describe(evidence, np.random.default_rng(0)).context
        monkeypatch.setattr("rankcast.pretrained.describe.TESTED", 150)
        part = describe(evidence, np.random.default_rng(0)).context
        assert whole.shape == part.shape
        assert 0 < np.abs(whole - part).max() < 0.6
