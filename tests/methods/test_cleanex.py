import importlib

import numpy as np
import pytest

from rankcast import Evidence
from rankcast.datasets import gaussian
from rankcast.errors import MethodError, MissingExtraError
from rankcast.methods.cleanex import CleaneX, _held_classes, _k_grid, _picked, _shown_scores

K = np.array([2, 30, 60, 600])


@pytest.fixture(scope="module")
def evidence():
    return gaussian.simulate(60, 0.2, rng=0)


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


def fit(evidence, seed=0, **settings):
    return CleaneX(**{"steps": 60, "warm_up": 40, **settings}).fit(evidence, np.random.default_rng(seed)).value(K)


class TestWithoutTorch:
    def test_the_error_names_the_extra(self, evidence, monkeypatch):
        def absent(name):
            raise ImportError(name)

        monkeypatch.setattr(importlib, "import_module", absent)
        with pytest.raises(MissingExtraError, match=r"pip install 'rankcast\[torch\]'"):
            CleaneX().fit(evidence, np.random.default_rng(0))

    @pytest.mark.parametrize("settings", [{"inputs": 2}, {"hidden": ()}, {"steps": -1}, {"rate": 0}, {"held_out": 1}])
    def test_bad_settings(self, settings):
        with pytest.raises(MethodError, match=next(iter(settings))):
            CleaneX(**settings)

    def test_few_rivals_are_all_shown(self):
        assert _picked(20, 96).tolist() == list(range(20))

    def test_many_rivals_are_shown_from_the_top(self):
        pick = _picked(10_000, 96)
        assert len(pick) == 96
        assert pick[:64].tolist() == list(range(64))
        assert pick[-1] == 9_999
        assert np.all(np.diff(pick) > 0)

    def test_what_is_shown_is_the_gap_to_each_rival_in_order(self):
        scores = np.array([[5.0, 1.0, 3.0], [0.0, 4.0, 2.0]])
        shown = _shown_scores(Evidence.from_scores(scores, [0, 2]).scores, np.array([0, 2]), None)
        spread = scores.std()
        np.testing.assert_allclose(shown[:, 1:] * spread, [[-2, -4], [2, -2]])

    def test_the_grid_stands_for_every_k_once(self):
        k, share = _k_grid(500)
        assert (k[0], k[-1]) == (2, 500)
        assert share.sum() == pytest.approx(1)

    def test_classes_are_held_out_whole(self):
        evidence = Evidence.from_scores(np.eye(20)[np.arange(100) % 20], np.arange(100) % 20)
        held = _held_classes(evidence, 0.25, np.random.default_rng(0))
        assert held.sum() == 25
        assert len(np.unique(evidence.label[held])) == 5


class TestTraining:
    def test_same_seed_same_answer(self, torch, evidence):
        np.testing.assert_array_equal(fit(evidence, 1), fit(evidence, 1))

    def test_another_seed_another_answer(self, torch, evidence):
        assert not np.array_equal(fit(evidence, 1), fit(evidence, 2))

    def test_it_follows_the_measured_curve(self, torch, evidence):
        from rankcast import curve

        values = fit(evidence, warm_up=150, steps=300)
        assert values[:3] == pytest.approx(curve(evidence, K[:3]), abs=0.08)

    def test_weights_count(self, torch, evidence):
        hard = evidence.beaten < evidence.rivals
        tilted = evidence.reweight(np.where(hard, 1.0, 0.05))
        assert fit(tilted)[2] < fit(evidence)[2] - 0.1

    def test_the_best_number_of_steps_is_kept(self, torch, evidence):
        # with a patience of one check, later steps at a wild rate can only make the held-out curve worse
        calm, wild = (fit(evidence, rate=rate, patience=1000) for rate in (1e-12, 10.0))
        assert np.all(np.isfinite(wild))
        assert np.abs(wild - calm).max() < 0.3

    def test_uneven_classes(self, torch):
        rng = np.random.default_rng(0)
        label = np.r_[np.zeros(30, int), np.arange(12)]
        scores = rng.normal(size=(42, 12)) + 2 * np.eye(12)[label]
        assert np.all(np.isfinite(fit(Evidence.from_scores(scores, label))))

    @pytest.mark.parametrize("scale", [1e-300, 1e300])
    def test_the_scale_of_scores_does_not_matter(self, torch, evidence, scale):
        matrix = evidence.scores.block(slice(0, 60))
        one, two = (fit(Evidence.from_scores(scores, np.arange(60))) for scores in (matrix, matrix * scale))
        np.testing.assert_allclose(one, two, atol=0.01)

    def test_one_rival_and_constant_scores(self, torch):
        pairs = np.random.default_rng(0).normal(size=(20, 2)) + 2 * np.eye(2)[np.arange(20) % 2]
        constant = np.ones((20, 5))
        constant[0, 0] = 2
        for scores, label in ((pairs, np.arange(20) % 2), (constant, np.arange(20) % 5)):
            values = fit(Evidence.from_scores(scores, label))
            assert np.all((values >= 0) & (values <= 1))
