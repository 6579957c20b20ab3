"""The compiled tally counts as numpy's does."""

import numpy as np
import pytest

from rankcast import Evidence, counting
from rankcast.kernel import Tally

pytest.importorskip("numba")
from rankcast.numba_kernel import NumbaWork, _tally


@pytest.mark.parametrize("share", [0.0, 0.02, 0.5, 1.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_tally(rng, share, dtype):
    x = np.where(rng.random((100, 24)) < share, rng.normal(size=(100, 24)) * 2, -5).astype(dtype)
    x[3, 4:7] = np.nan, 1.0, -1.0
    wins, unsure = np.zeros(24, np.int32), np.empty(x.size, np.int64)
    found = _tally(x, wins, unsure)
    beaten, places = Tally(24)(x)
    np.testing.assert_array_equal(wins, beaten)
    np.testing.assert_array_equal(unsure[:found], places)


@pytest.fixture
def used(monkeypatch):
    """What was counted compiled, where all jobs are large."""
    seen, tallies = [], NumbaWork.tallies
    monkeypatch.setattr(NumbaWork, "tallies", lambda work, x: seen.append(work) or tallies(work, x))
    monkeypatch.setattr(counting, "WORTH_COMPILING", 1)
    return seen


@pytest.mark.parametrize("similarity", ["dot", "cosine", "euclidean"])
@pytest.mark.parametrize("exemplars", [1, 3])
def test_large_jobs_are_compiled_and_count_the_same(rng, used, similarity, exemplars):
    gallery = rng.normal(size=(exemplars * 3000, 6)).round(1)  # so that there are ties
    names, label = np.repeat(np.arange(3000), exemplars), np.arange(50)
    probes = gallery[::exemplars][:50] + rng.normal(size=(50, 6)).round(1)
    plain = Evidence.from_embeddings(gallery, names, probes, label, similarity=similarity, memory="400MB")
    assert not used  # numba itself would not fit
    found = Evidence.from_embeddings(gallery, names, probes, label, similarity=similarity)
    assert used
    np.testing.assert_array_equal(found.beaten, plain.beaten)
    np.testing.assert_array_equal(found.tied, plain.tied)
