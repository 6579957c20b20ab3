"""ClassExReg with the authors' settings against their R package: mean (sd) over 20 seeds, as measured."""

import numpy as np
import pytest

from rankcast import Evidence
from rankcast.methods.classexreg import ClassExReg

# data, k2, R's mean, R's sd
ROWS = [
    ("deepcnn_20", 100, 0.9905, 0.000),
    ("logistic_20", 100, 0.9123, 0.011),
    ("svm_20", 100, 0.8653, 0.012),
    ("deepcnn_20", 400, 0.9861, 0.000),
    ("logistic_20", 400, 0.8669, 0.024),
    ("svm_20", 400, 0.8010, 0.027),
    ("logistic_100", 400, 0.7328, 0.015),
    ("svm_100", 400, 0.6084, 0.013),
]


@pytest.fixture(scope="module")
def predicted(shared):
    """Mean forecast over 20 seeds for each data set, at 100 and 400 classes."""
    path = shared / "data" / "telugu" / "telugu.npz"
    if not path.exists():
        pytest.skip("needs the Telugu data in ../shared/data")
    found = {}
    with np.load(path) as archive:
        for name in {row[0] for row in ROWS}:
            evidence = Evidence.from_scores(archive[name], np.arange(len(archive[name])) // 50)
            fits = [ClassExReg.authors().fit(evidence, np.random.default_rng(seed)) for seed in range(20)]
            found[name] = dict(zip((100, 400), np.mean([fit.value([100, 400]) for fit in fits], axis=0), strict=True))
    return found


@pytest.mark.parametrize(("name", "k", "mean", "sd"), ROWS)
def test_mean_over_twenty_seeds(predicted, name, k, mean, sd):
    # R's smallest and largest values were not kept: where its sd is 0.015 or more, allow two of them
    assert predicted[name][k] == pytest.approx(mean, abs=0.01 if sd < 0.015 else 2 * sd)
