"""Bandwidths against R, against brute force over all pairs, and under changes of scale."""

import csv

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rankcast.bandwidth import bandwidth
from rankcast.binning import fast_size, spline_bins
from rankcast.errors import InputError

CRITERIA = ("bcv", "ucv", "plcv")
SAMPLES = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "exponential": lambda rng, shape: rng.exponential(size=shape),
    "heavy tails": lambda rng, shape: rng.standard_cauchy(size=shape),
    "two groups": lambda rng, shape: rng.normal(size=shape) / 10 + (rng.random(shape) < 0.5),
    "rounded": lambda rng, shape: rng.normal(size=shape).round(1),
    "half equal": lambda rng, shape: np.where(rng.random(shape) < 0.5, 0.0, rng.normal(size=shape)),
}


def interval(x):
    top = 1.144 * np.std(x, ddof=1) * len(x) ** -0.2
    return 0.1 * top, top


def by_definition(x, bandwidths, criterion):
    """The criterion from all pairs."""
    n, h = len(x), np.asarray(bandwidths)
    if criterion == "plcv":
        square = np.subtract.outer(x, x) ** 2
        np.fill_diagonal(square, np.inf)
        nearest = square.min(axis=1)
        kernels = np.array([np.exp((nearest[:, None] - square) / (2 * w * w)).sum(axis=1) for w in h])
        log_f = np.log(kernels) - nearest / (2 * h[:, None] ** 2) - np.log((n - 1) * h * np.sqrt(2 * np.pi))[:, None]
        return -log_f.sum(axis=1)
    q = np.subtract.outer(x, x)[np.triu_indices(n, 1)] ** 2 / h[:, None] ** 2
    if criterion == "ucv":
        total = (np.exp(-q / 4) - np.sqrt(8) * np.exp(-q / 2)).sum(axis=1)
        return (0.5 + total / n) / (n * h * np.sqrt(np.pi))
    total = (np.exp(-q / 4) * (q**2 - 12 * q + 12)).sum(axis=1)
    return (1 + total / (32 * n)) / (2 * n * h * np.sqrt(np.pi))


def excess(x, h, criterion, points=120):
    """How far the criterion at h is above its lowest point on a grid, as a share of its range."""
    values = by_definition(x, np.append(np.geomspace(*interval(x), points), h), criterion)
    return (values[-1] - values[:-1].min()) / np.ptp(values[:-1])


# -- R ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def from_r(shared):
    """The samples, and what R found for each."""
    folder = shared / "fixtures"
    samples = {}
    with (folder / "r_bw_vectors.csv").open() as file:
        for line in csv.DictReader(file):
            samples.setdefault(line["id"], []).append(float(line["x"]))
    with (folder / "r_bandwidths.csv").open() as file:
        found = {line["id"]: line for line in csv.DictReader(file)}
    return {name: (np.array(x), found[name]) for name, x in samples.items()}


@pytest.mark.parametrize("criterion", ["bcv", "ucv"])
def test_equal_to_r_with_many_bins_and_a_tight_tolerance(from_r, criterion):
    assert len(from_r) == 25
    ours = [bandwidth(x[None], criterion)[0] for x, _ in from_r.values()]
    theirs = [float(line[f"bw_{criterion}_nb1e5_tol1e10"]) for _, line in from_r.values()]
    np.testing.assert_allclose(ours, theirs, rtol=1e-3)


@pytest.mark.parametrize("criterion", ["bcv", "ucv"])
def test_local_search_stops_where_r_does_by_default(from_r, criterion):
    # R has 1000 bins by default, which moves its minimum by up to 0.013 of the interval
    for x, line in from_r.values():
        ours = bandwidth(x[None], criterion, search="local")[0]
        assert abs(ours - float(line[f"bw_{criterion}"])) < 0.015 * interval(x)[1]


# -- brute force -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [7, 32, 33, 120])
@pytest.mark.parametrize("kind", SAMPLES)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_lowest_of_all_bandwidths(criterion, kind, n):
    rows = SAMPLES[kind](np.random.default_rng(n), (3, n))
    for x, h in zip(rows, bandwidth(rows, criterion), strict=True):
        low, high = interval(x)
        for points in (60, 30, 30):  # zoom in on the lowest point of a grid
            grid = np.geomspace(low, high, points)
            best = by_definition(x, grid, criterion).argmin()
            low, high = grid[max(best - 1, 0)], grid[min(best + 1, points - 1)]
        assert h == pytest.approx(grid[best], rel=1e-3)


@pytest.mark.parametrize("criterion", CRITERIA)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_no_bandwidth_is_better(criterion, data):
    n = data.draw(st.integers(2, 60))
    x = data.draw(arrays(float, n, elements=st.integers(-1000, 1000).map(lambda i: i / 50)))
    h = bandwidth(x[None], criterion)[0]
    if np.ptp(x) == 0:
        assert h == 0
        return
    low, high = interval(x)
    assert low * (1 - 1e-9) <= h <= high * (1 + 1e-9)
    assert excess(x, h, criterion) < 1e-5


def test_a_global_search_finds_what_a_local_one_misses(rng):
    rows = rng.normal(size=(300, 20))
    found, stopped = bandwidth(rows, "ucv"), bandwidth(rows, "ucv", search="local")
    better = [np.diff(by_definition(x, pair, "ucv"))[0] for x, pair in zip(rows, np.c_[found, stopped], strict=True)]
    assert min(better) > -1e-6
    assert np.mean(np.abs(found / stopped - 1) > 0.1) > 0.01


# -- scale, shift, company -------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [20, 80])
@pytest.mark.parametrize("scale", [5e-324 * 2**30, 1e-300, 1e-5, 1e8, 1e300])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_scale(criterion, scale, n, rng):
    x = rng.normal(size=(3, n)).round(6)
    expected = bandwidth((x * scale) / scale, criterion)
    np.testing.assert_allclose(bandwidth(x * scale, criterion) / scale, expected, rtol=1e-6)


@pytest.mark.parametrize("n", [20, 80])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_shift_and_reflection(criterion, n, rng):
    x = rng.exponential(size=(3, n))
    expected = bandwidth(x, criterion)
    np.testing.assert_allclose(bandwidth(1e6 - x, criterion), expected, rtol=3e-4)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_rows_do_not_influence_each_other(criterion, rng):
    rows = np.concatenate([make(rng, (2, 200)) for make in SAMPLES.values()])
    rows = np.insert(rows, 3, 1.0, axis=0)
    alone = [bandwidth(row[None], criterion)[0] for row in rows]
    np.testing.assert_allclose(bandwidth(rows, criterion), alone, rtol=1e-6)


def test_the_largest_floats_do_not_overflow():
    assert np.isfinite(bandwidth(np.array([[-1.7e308, 1.7e308, 0.0, 1e308]]))).all()


# -- nothing to go by ------------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("row", [[3.0], [3.0, 3.0], [0.0] * 50, [-1e300] * 40])
def test_no_spread_no_bandwidth(criterion, row):
    assert bandwidth(np.array([row]), criterion)[0] == 0


@pytest.mark.parametrize("criterion", CRITERIA)
def test_two_values_get_the_largest_bandwidth(criterion):
    x = np.array([0.0, 1.0])
    assert bandwidth(x[None], criterion)[0] == pytest.approx(interval(x)[1])


@pytest.mark.parametrize("n", [20, 300])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_one_value_apart_from_many_equal_ones(criterion, n):
    x = np.zeros(n)
    x[-1] = 1.0
    assert excess(x, bandwidth(x[None], criterion)[0], criterion, points=30) < 1e-6


@pytest.mark.parametrize("distance", [2.0, 3.9, 6.0])
def test_a_value_in_sight_of_a_large_group_of_equal_ones(distance):
    # from so many equal values the density falls steeply, by more than itself from one bin to the next
    x = np.zeros(12_000)
    x[:60] = 3 * np.arange(60)
    x[-1] = distance * interval(x)[0]
    value, count = np.unique(x, return_counts=True)
    grid = np.geomspace(*interval(x), 2000)
    others = count - np.eye(len(value))  # of value j as seen from value i
    square = np.subtract.outer(value, value) ** 2
    log_f = [np.log((others * np.exp(square / (-2 * h * h))).sum(axis=1)) - np.log(h) for h in grid]
    best = grid[np.argmax(np.array(log_f) @ count)]
    assert bandwidth(x[None], "plcv")[0] == pytest.approx(best, rel=2e-3)


# -- arguments -------------------------------------------------------------------------------------------


def test_arguments_are_checked():
    with pytest.raises(InputError, match="criterion must be one of bcv, ucv, plcv, not 'sj'"):
        bandwidth(np.zeros((1, 3)), "sj")
    with pytest.raises(InputError, match="search must be one of global, local, not 'grid'"):
        bandwidth(np.zeros((1, 3)), "bcv", search="grid")
    with pytest.raises(InputError, match=r"a sample in each row, found shape \(3,\)"):
        bandwidth(np.zeros(3))


# -- bins ------------------------------------------------------------------------------------------------


def test_bins_keep_mean_and_variance(rng):
    values = 20 * rng.random((3, 40))
    weight, nearest = spline_bins(values.copy(), 32)
    grid = np.arange(32) - 2
    np.testing.assert_allclose(weight.sum(axis=1), 40)
    np.testing.assert_allclose(weight @ grid, values.sum(axis=1))
    np.testing.assert_allclose(weight @ grid**2, (values**2 + 0.25).sum(axis=1))
    np.testing.assert_array_equal(nearest % 32 - 2, np.round(values))


def test_sizes_are_fit_for_a_transform():
    bins = np.arange(100.0, 5000.0)
    assert set(fast_size(bins)) == {128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144}
    assert np.all(fast_size(bins) >= bins)
