"""The kernel methods on the Telugu data against R, whose search for a bandwidth stops early.

The published table has its two columns of kernel methods swapped; here they are under the right names.
"""

import numpy as np
import pytest

from rankcast import Evidence
from rankcast.methods.kde import KdeBcv, KdeUcv

# data, k2, R with bw.bcv, R with bw.ucv
ROWS = [
    ("deepcnn_20", 100, 0.6507, 0.7139),
    ("logistic_20", 100, 0.8161, 0.8415),
    ("svm_20", 100, 0.5771, 0.6544),
    ("deepcnn_20", 400, 0.3863, 0.4903),
    ("logistic_20", 400, 0.7015, 0.7467),
    ("svm_20", 400, 0.4070, 0.5163),
    ("logistic_100", 400, 0.6776, 0.7088),
    ("svm_100", 400, 0.3528, 0.4369),
]


@pytest.fixture(scope="module")
def fits(shared):
    path = shared / "data" / "telugu" / "telugu.npz"
    if not path.exists():
        pytest.skip("needs the Telugu data in ../shared/data")
    methods = {(m.criterion, m.search): m for kind in (KdeBcv, KdeUcv) for m in (kind(), kind.authors())}
    found = {}
    with np.load(path) as archive:
        for name in {row[0] for row in ROWS}:
            evidence = Evidence.from_scores(archive[name], np.arange(len(archive[name])) // 50)
            for key, method in methods.items():
                found[(name, *key)] = method.fit(evidence, np.random.default_rng(0))
    return found


@pytest.mark.parametrize(("name", "k", "bcv", "ucv"), ROWS)
def test_equal_to_r_where_the_search_stops_as_in_r(fits, name, k, bcv, ucv):
    ours = [fits[name, criterion, "local"].value(k) for criterion in ("bcv", "ucv")]
    np.testing.assert_allclose(ours, [bcv, ucv], atol=0.0006)


@pytest.mark.parametrize(("name", "k", "bcv", "ucv"), ROWS)
def test_the_exact_optimum_differs_by_what_r_stops_short_of_it(fits, name, k, bcv, ucv):
    # most optima are at the largest bandwidth, where R stops 0.6% short and so predicts more
    ours = [fits[name, criterion, "global"].value(k) for criterion in ("bcv", "ucv")]
    np.testing.assert_allclose(ours, [bcv, ucv], atol=0.0045)
