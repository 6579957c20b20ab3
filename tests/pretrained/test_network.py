"""The network's own arithmetic, apart from its weights."""

import numpy as np
import pytest
from scipy.special import ndtri

from rankcast.favourability import Favourability
from rankcast.pretrained.anchoring import anchor
from rankcast.pretrained.network import gathered, networks

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
