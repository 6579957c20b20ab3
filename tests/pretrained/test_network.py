"""The network's own arithmetic, apart from its weights."""

import numpy as np
import pytest
from scipy.special import ndtri

from rankcast.favourability import Favourability
from rankcast.pretrained.network import anchor, gathered, networks

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
        shift, _ = anchor(fit.z, fit.weight, float(ndtri(accuracy)), k1, 0.0)
        assert Favourability(fit.z + shift, fit.weight).value(k1) == pytest.approx(accuracy, abs=0.01)

    def test_its_noise_is_that_of_a_share_of_independent_successes(self):
        fit, k1, size = gathered(np.array([2.5]), np.array([0.8]), np.array([1.0])), 100, 400
        accuracy = fit.value(k1)
        _, noise = anchor(fit.z, fit.weight, float(ndtri(accuracy)), k1, np.log(size))
        off = Favourability(fit.z + noise, fit.weight).value(k1) - accuracy
        assert off == pytest.approx(np.sqrt(accuracy * (1 - accuracy) / size), rel=0.05)


@pytest.mark.parametrize("kind", ["scores", "ranks"])
def test_the_networks_that_ship(kind):
    found = networks(kind)
    assert len(found) >= 4
    assert all(np.all(np.isfinite(layer)) for network in found for layer in network.layers.values())
