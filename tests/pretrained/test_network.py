"""The network's own arithmetic, apart from its weights."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtri

from rankcast.datasets import gaussian
from rankcast.favourability import Favourability
from rankcast.pretrained.anchoring import anchor
from rankcast.pretrained.describe import describe
from rankcast.pretrained.network import averaged, gathered, networks, opinions

K = [2, 10, 1000, 10**6]


class TestGrid:
    def test_gathered_normals(self):
        mean, spread, weight = np.array([0.5, 2.0, 4.0]), np.array([0.3, 0.7, 1.2]), np.array([0.2, 0.5, 0.3])
        assert gathered(mean, spread, weight).value(K) == pytest.approx(
            Favourability(mean, weight, spread).value(K), abs=2e-5
        )


class TestAnchor:
    @pytest.mark.parametrize("accuracy", [0.02, 0.3, 0.9, 0.995])
    @pytest.mark.parametrize("k1", [20, 5000])
    def test_accuracy_becomes_what_was_measured(self, accuracy, k1):
        start = -ndtri(0.5 / k1) + ndtri(accuracy) + 0.3  # not far off, as the networks are
        fit = gathered(np.array([start]), np.array([0.8]), np.array([1.0]))
        shift, _ = anchor(fit.z, fit.weight, float(ndtri(accuracy)), k1)
        assert Favourability(fit.z + shift, fit.weight).value(k1) == pytest.approx(accuracy, abs=0.01)

    def test_its_slope_is_that_of_accuracy(self):
        fit, k1, step = gathered(np.array([2.5]), np.array([0.8]), np.array([1.0])), 100, 1e-3
        low, high = (Favourability(fit.z + move, fit.weight).value(k1) for move in (-step, step))
        _, slope = anchor(fit.z, fit.weight, float(ndtri((low + high) / 2)), k1)
        assert slope == pytest.approx((high - low) / (2 * step), rel=1e-3)

    def test_each_column_by_itself(self, rng):
        z, weight = rng.normal([2.0, 3.0], [0.5, 1.0], (200, 2)), np.full(200, 1 / 200)
        both, _ = anchor(z, weight, 0.3, 50, steps=8)
        alone = [anchor(z[:, j], weight, 0.3, 50, steps=8)[0] for j in (0, 1)]
        np.testing.assert_allclose(both, alone)


@pytest.mark.parametrize("kind", ["scores", "ranks"])
def test_the_networks_that_ship(kind):
    found = networks(kind)
    assert len(found) >= 4
    assert all(np.all(np.isfinite(layer)) for network in found for layer in network.layers.values())


class TestOpinions:
    @staticmethod
    def of(k1, scores=True):
        evidence = gaussian.simulate(k1, 0.2, rng=0)
        evidence = evidence if scores else replace(evidence, scores=None)
        seen = describe(evidence, np.random.default_rng(0))
        kind = "scores" if scores else "ranks"
        return evidence, opinions(networks(kind), seen, evidence.weight, k1)

    def test_shares_sum_to_one_and_pooled_tails_count_from_many_classes(self):
        pooled = []
        for k1 in (200, 500, 2000):
            _, found = self.of(k1)
            assert sum(each.share for each in found) == pytest.approx(1)
            pooled.append(sum(each.share for each in found[len(networks("scores")) :]))
        assert pooled[0] == 0 < pooled[1] < pooled[2] == pytest.approx(0.2)

    def test_pooled_tails_agree_with_what_was_measured(self):
        evidence, found = self.of(500)
        alone = averaged([found[-1]._replace(share=1.0)], evidence.weight)
        assert alone.value(500) == pytest.approx(evidence.accuracy, abs=0.005)

    def test_without_scores_there_is_nothing_to_pool(self):
        assert len(self.of(500, scores=False)[1]) == len(networks("ranks"))
