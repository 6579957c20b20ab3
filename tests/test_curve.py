"""The exact curve against brute force, exact arithmetic and itself."""

from itertools import combinations

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankcast import Evidence, curve
from rankcast.curve import class_counts, example_values, measured_values
from rankcast.errors import InputError
from rankcast.metrics import Metric, get_metric


def expected_gain(above: int, level: int, depth: int) -> float:
    """Chance of a place within the depth when ties are broken at random."""
    return sum(above + place < depth for place in range(level + 1)) / (level + 1)


def over_all_subsets(table, label, k, depth):
    """Mean over every subset of k classes of its macro accuracy, one subset at a time.

    In a subset an example competes if its own class is there; each class counts equally, and the average over subsets
    gives every class the same number of subsets.
    """
    table, label = np.asarray(table), np.asarray(label)
    per_class = []
    for own in np.unique(label):
        gains = []
        for rest in combinations([c for c in range(table.shape[1]) if c != own], k - 1):
            rows = table[label == own]
            truth, rivals = rows[:, [own]], rows[:, list(rest)]
            above, level = (rivals > truth).sum(axis=1), (rivals == truth).sum(axis=1)
            gains += [expected_gain(a, t, depth) for a, t in zip(above, level, strict=True)]
        per_class.append(np.mean(gains))
    return np.mean(per_class)


tables = st.integers(2, 6).flatmap(
    lambda k: st.lists(
        st.tuples(st.lists(st.integers(0, 3), min_size=k, max_size=k), st.integers(0, k - 1)), min_size=1, max_size=8
    )
)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(tables, st.integers(1, 4))
def test_equals_brute_force_over_all_subsets(rows, depth):
    table, label = np.array([row for row, _ in rows]), np.array([own for _, own in rows])
    own = table[np.arange(len(table)), label][:, None]
    if np.all(table == own):
        table[0, (label[0] + 1) % table.shape[1]] -= 1  # not everything tied, which is refused
    evidence = Evidence.from_scores(table, label)
    ks = range(1, table.shape[1] + 1)
    brute = [over_all_subsets(table, label, k, depth) for k in ks]
    np.testing.assert_allclose(curve(evidence, ks, f"top{depth}"), brute, atol=1e-13)


def over_all_rival_sets(above, level, rivals, k, metric):
    """Mean over every set of k-1 rivals, of those above, level and below, with ties broken at random."""
    marks = [2] * above + [1] * level + [0] * (rivals - above - level)
    places = [np.arange(c.count(1) + 1) + c.count(2) + 1 for c in combinations(marks, k - 1)]
    return np.mean([metric.gain(place).mean() for place in places])


examples = st.lists(
    st.integers(1, 7).flatmap(
        lambda rivals: st.integers(0, rivals).flatmap(
            lambda above: st.tuples(st.just(rivals), st.just(above), st.integers(0, rivals - above))
        )
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(examples, st.sampled_from(["top1", "top3", "mrr", "mrr@3", "ndcg", "ndcg@2", "mean_rank", np.sin]), st.randoms())
@pytest.mark.filterwarnings("ignore::rankcast.errors.BelowChanceWarning")
def test_unequal_rivals_ties_and_macro_weights(counts, spec, random):
    rivals, above, level = np.array(counts).T
    labels = np.array([random.randrange(3) for _ in counts])
    evidence = Evidence.from_ranks(above + 1, rivals + 1, labels, tied=level)
    weight = np.array([1 / np.sum(labels == own) for own in labels]) / len(np.unique(labels))
    ks = np.arange(1, rivals.min() + 2)
    metric = get_metric(spec)
    brute = np.array(
        [[over_all_rival_sets(a, t, m, k, metric) for k in ks] for m, a, t in zip(rivals, above, level, strict=True)]
    )
    np.testing.assert_allclose(curve(evidence, ks, spec), weight @ brute, atol=1e-12)
    np.testing.assert_allclose(example_values(evidence, ks, metric), brute, atol=1e-12)


@pytest.mark.parametrize(("ties", "shift"), [("for", 0), ("against", 1)])
def test_ties_for_and_against(ties, shift):
    tied = np.array([1, 0, 2, 3])
    evidence = Evidence.from_ranks([1, 2, 1, 3], 8, tied=tied)
    strict = Evidence.from_ranks(np.array([1, 2, 1, 3]) + shift * tied, 8)
    np.testing.assert_allclose(curve(evidence, range(1, 9), ties=ties), curve(strict, range(1, 9)), atol=1e-15)


def test_more_than_eight_numbers_of_rivals_take_another_road(rng):
    rivals = 30 + np.arange(40) % 12
    rank = rng.integers(1, 20, size=40)
    evidence = Evidence.from_ranks(rank, rivals + 1)
    for metric in ("top1", "top3"):
        groups = [
            (np.mean(rivals == m), curve(Evidence.from_ranks(rank[rivals == m], m + 1), range(1, 32), metric))
            for m in np.unique(rivals)
        ]
        expected = sum(share * values for share, values in groups)
        np.testing.assert_allclose(curve(evidence, range(1, 32), metric), expected, rtol=1e-12)


def exact_value(lost, rivals, k, depth):
    """Hypergeometric probability of fewer than ``depth`` outranking rivals, in integers."""
    ways = sum(mpmath.binomial(lost, s) * mpmath.binomial(rivals - lost, k - 1 - s) for s in range(depth))
    return ways / mpmath.binomial(rivals, k - 1)


@pytest.mark.parametrize("depth", [1, 5])
def test_a_hundred_thousand_classes_without_overflow_or_cancellation(depth):
    lost = np.array([0, 1, 2, 10, 300, 20_000, 99_999])
    k = np.array([2, 3, 50, 1000, 2449, 2452, 30_000, 99_990, 100_000])
    with np.errstate(all="raise", under="ignore"):
        found = curve(Evidence.from_ranks(lost + 1, 100_000), k, f"top{depth}")
    with mpmath.workdps(60):
        exact = [float(mpmath.fsum(exact_value(int(d), 99_999, int(n), depth) for d in lost) / len(lost)) for n in k]
    np.testing.assert_allclose(found, exact, rtol=1e-12)


@pytest.mark.parametrize("lost", [3, 40, 700])
def test_small_values_keep_their_digits(lost):
    k = np.array([2, 60, 5000, 40_000])
    found = curve(Evidence.from_ranks([lost + 1], 50_000), k)
    with mpmath.workdps(60):
        exact = np.array([float(exact_value(lost, 49_999, int(n), 1)) for n in k])
    kept = exact > 1e-20
    np.testing.assert_allclose(found[kept], exact[kept], rtol=1e-12)
    np.testing.assert_allclose(found[~kept], 0, atol=1e-20)


@pytest.mark.parametrize("metric", ["top1", "top5", "recall@12"])
def test_never_rises_and_ends_at_the_measured_accuracy(measured, metric):
    values = curve(measured, range(1, 61), metric)
    assert values[0] == pytest.approx(1, abs=1e-14)
    assert np.all(np.diff(values) <= 1e-15)
    if metric == "top1":
        assert values[-1] == pytest.approx(measured.accuracy, abs=1e-15)


def test_a_metric_as_deep_as_k_is_one(measured):
    np.testing.assert_allclose(curve(measured, [1, 3, 5], "top5"), 1, atol=1e-15)
    np.testing.assert_allclose(curve(measured, range(1, 61), "top5000"), 1, atol=1e-14)


def test_recall_is_another_name_of_top_n(measured):
    np.testing.assert_array_equal(curve(measured, range(1, 61), "recall@3"), curve(measured, range(1, 61), "top3"))


def test_any_gain_by_rank(measured):
    halves = Metric("mine", (1.0, 0.5))
    expected = (curve(measured, range(1, 61), "top1") + curve(measured, range(1, 61), "top2")) / 2
    np.testing.assert_allclose(curve(measured, range(1, 61), halves), expected, atol=1e-14)


def test_keeps_the_shape_and_order_of_k(measured):
    assert curve(measured, 7).shape == ()
    table = curve(measured, [[5, 2], [2, 60]])
    assert table.shape == (2, 2)
    assert table[0, 1] == table[1, 0] == curve(measured, 2)


def test_random_subsets_average_to_the_curve(measured, rng):
    accuracy = [measured.subset(rng.choice(60, 12, replace=False)).accuracy for _ in range(600)]
    error = np.std(accuracy) / np.sqrt(600)
    assert abs(np.mean(accuracy) - curve(measured, 12)) < 4 * error


def test_measured_values_are_curves_of_reweighted_evidence(scores, rng):
    evidence = Evidence.from_scores(*scores)
    weights = rng.dirichlet(np.ones(75), size=4)
    k = np.array([2, 5, 25])
    found = measured_values(evidence, weights, k, get_metric("top2"))
    for row, weight in zip(found, weights, strict=True):
        np.testing.assert_allclose(row, curve(evidence.reweight(weight), k, "top2"), atol=1e-13)


BAD_K = {
    "zero": (0, "at least 1, found 0"),
    "negative": ([5, -2], "at least 1, found -2"),
    "fraction": (2.5, "whole numbers of classes, found [2.5]"),
    "nan": (float("nan"), "whole numbers"),
    "infinite": (float("inf"), "whole numbers"),
    "empty": ([], "one or more whole numbers"),
    "text": ("many", "one or more whole numbers of classes, not 'many'"),
    "truth value": (True, "one or more whole numbers"),
    "absurd": (10**12, "beyond 10⁹"),
    "more absurd": (10**30, "beyond 10⁹"),
    "ragged": ([[1], [2, 3]], "whole numbers"),
}


@pytest.mark.parametrize("name", BAD_K)
def test_bad_k_is_refused(name):
    k, part = BAD_K[name]
    with pytest.raises(InputError) as caught:
        class_counts(k)
    assert part in str(caught.value)


def test_beyond_the_measured_classes_is_for_forecast(measured):
    with pytest.raises(InputError, match=r"ends at the 60 classes measured, asked for k = 61: use forecast\(\)"):
        curve(measured, [2, 61])


def test_the_mean_rank_is_exact_beyond_them(measured):
    slope = curve(measured, 2, "mean_rank") - 1
    np.testing.assert_allclose(curve(measured, [60, 10**6], "mean_rank"), [1 + 59 * slope, 1 + 999_999 * slope])


def test_mrr_of_a_hundred_thousand_classes():
    lost, k = np.array([0, 1, 300, 20_000, 99_999]), np.array([2, 3, 1000, 30_000, 100_000])
    found = curve(Evidence.from_ranks(lost + 1, 100_000), k, "mrr")
    with mpmath.workdps(60):
        missed = [[exact_value(int(d) + 1, 100_000, int(n) + 1, 1) / 1 for d in lost] for n in k]
        exact = [
            float(sum((1 - miss) * 100_000 / (int(n) * (int(d) + 1)) for miss, d in zip(row, lost, strict=True)) / 5)
            for row, n in zip(missed, k, strict=True)
        ]
    np.testing.assert_allclose(found, exact, rtol=1e-10)


def test_whole_floats_and_numpy_integers_are_numbers(measured):
    assert curve(measured, 1e1) == curve(measured, np.uint8(10)) == curve(measured, 10)


def test_unknown_metric(measured):
    with pytest.raises(InputError, match="unknown metric 'top0'"):
        curve(measured, 2, "top0")
