"""The pretrained method."""

import numpy as np
import pytest

from rankcast import Evidence, forecast
from rankcast.datasets import gaussian
from rankcast.methods.auto import Auto, widening
from rankcast.metrics import TOP1

K = [200, 1000, 20_000]


@pytest.fixture(scope="module")
def evidence():
    return gaussian.simulate(100, 0.15, rng=3)


def fit(evidence, seed=0):
    return Auto().fit(evidence, np.random.default_rng(seed))


class TestFit:
    def test_a_distribution(self, evidence):
        found = fit(evidence)
        assert found.proper
        assert found.weight.sum() == pytest.approx(1)

    def test_near_the_truth(self, evidence):
        assert fit(evidence).value(K) == pytest.approx(gaussian.aga(K, 0.15), abs=0.12)

    def test_shift_and_scale_of_the_scores_do_not_matter(self):
        scores = np.random.default_rng(0).normal(size=(50, 50)) + 2 * np.eye(50)
        one, two = (fit(Evidence.from_scores(each, np.arange(50))) for each in (scores, 1e6 * scores - 3))
        assert one.value(K) == pytest.approx(two.value(K), abs=2e-3)

    def test_ranks_alone(self, evidence):
        ranks = Evidence.from_ranks(evidence.rivals - evidence.beaten + 1, 100)
        assert fit(ranks).value(K) == pytest.approx(gaussian.aga(K, 0.15), abs=0.2)

    def test_sampled_negatives_of_different_numbers(self):
        rng = np.random.default_rng(0)
        candidates = rng.integers(20, 101, 400)
        rank = 1 + rng.binomial(candidates - 1, 0.02)
        found = fit(Evidence.from_ranks(rank, candidates)).value([50, 500])
        assert found == pytest.approx(0.98 ** np.array([49, 499]), abs=0.1)

    @pytest.mark.parametrize(
        ("scores", "label"),
        [
            (np.eye(30), np.arange(30)),
            (np.random.default_rng(0).normal(size=(6, 2)), np.arange(6) % 2),
            (np.random.default_rng(0).normal(size=(3, 40)), [0, 1, 2]),
        ],
        ids=["perfect", "two classes", "three examples"],
    )
    @pytest.mark.filterwarnings("ignore::rankcast.errors.RankcastWarning")
    def test_odd_evidence(self, scores, label):
        values = fit(Evidence.from_scores(scores, label)).value(K)
        assert np.all((values >= 0) & (values <= 1))
        assert np.all(np.diff(values) <= 1e-12)


class TestForecast:
    def test_same_seed_same_answer(self, evidence):
        one, two = (forecast(evidence, K, method="auto", rng=5) for _ in range(2))
        np.testing.assert_array_equal(one.draws, two.draws)

    def test_the_interval_widens_with_k(self, evidence):
        found = forecast(evidence, [150, 400, 1500], method="auto", rng=0)
        width = (found.high - found.low) / found.estimate
        assert width[0] < width[1] < width[2]

    def test_the_interval_of_one_set_is_wider(self, evidence):
        found = forecast(evidence, K, method="auto", rng=0)
        (low, high), (one_low, one_high) = found.interval(0.8), found.interval(0.8, "one-set")
        assert one_high[0] - one_low[0] > high[0] - low[0]
        assert one_high[-1] - one_low[-1] == pytest.approx(high[-1] - low[-1], rel=0.05)  # many classes, little luck

    def test_any_metric(self, evidence):
        found = forecast(evidence, [1000], method="auto", metric="mrr", rng=0)
        assert found.low[0] < found.estimate[0] < found.high[0]
        assert found.estimate[0] > forecast(evidence, [1000], method="auto", rng=0).estimate[0]

    def test_more_evidence_narrows_it(self):
        few, many = (forecast(gaussian.simulate(k, 0.15, rng=1), 2000, method="auto", rng=0) for k in (60, 600))
        assert many.high[0] - many.low[0] < few.high[0] - few.low[0]


class TestWidening:
    def test_none_where_the_backtest_passes(self):
        assert widening(gaussian.simulate(200, 0.2, rng=0), np.random.default_rng(0)) == 1.0

    def test_none_for_few_classes(self):
        assert widening(gaussian.simulate(40, 0.2, rng=0), np.random.default_rng(0)) == 1.0

    def test_twins_that_a_quarter_of_the_classes_hardly_shows(self):
        rng = np.random.default_rng(0)
        own = rng.normal(size=(200, 60))
        gallery = np.repeat(own, 2, axis=0) + 1e-3 * rng.normal(size=(400, 60))  # everyone has a twin
        probes = gallery + 1.5 * rng.normal(size=(400, 60))
        evidence = Evidence.from_embeddings(gallery, np.arange(400), probes, np.arange(400))
        assert widening(evidence, np.random.default_rng(0)) > 1.3


def test_replicates_follow_the_weights(evidence):
    easy = np.where(evidence.beaten == evidence.rivals, 1.0, 0.05)
    weights = np.stack([evidence.weight, easy / easy.sum()])
    rng = np.random.default_rng(0)
    plain, eased = Auto().replicate(evidence, weights, np.array([1000]), TOP1, rng)[:, 0]
    assert eased > plain
