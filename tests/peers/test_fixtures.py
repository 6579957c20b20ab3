"""Numbers of the authors' R code, and the truth of the paper's simulation."""

import numpy as np
import pytest

from rankcast import Evidence, curve
from rankcast.bases import RadialBasis, largest_knot
from rankcast.datasets import gaussian

FILES = {
    "deepslim20": "deepcnn_20",
    "logistic20": "logistic_20",
    "svm20": "svm_20",
    "logistic100": "logistic_100",
    "svm100": "svm_100",
}


@pytest.fixture(scope="module")
def telugu(shared):
    path = shared / "data" / "telugu" / "telugu.npz"
    if not path.exists():
        pytest.skip("needs the Telugu data in ../shared/data")
    with np.load(path) as archive:
        return {
            fixture: Evidence.from_scores(archive[name], np.arange(len(archive[name])) // 50)
            for fixture, name in FILES.items()
        }


@pytest.mark.parametrize("name", FILES)
def test_exact_curve(shared, telugu, name):
    k, ata = np.loadtxt(shared / "fixtures" / f"ata_{name}.csv", delimiter=",", skiprows=1, unpack=True)
    np.testing.assert_allclose(curve(telugu[name], k.astype(int)), ata, atol=1e-12, rtol=0)


@pytest.mark.parametrize("name", FILES)
def test_ranks(shared, telugu, name):
    row, label, rank = np.loadtxt(shared / "fixtures" / f"rank_{name}.csv", delimiter=",", skiprows=1, unpack=True)
    evidence = telugu[name]
    np.testing.assert_array_equal(evidence.label, label - 1)
    np.testing.assert_array_equal(1 + evidence.rivals - evidence.beaten, rank)
    assert len(row) == len(evidence)
    assert not evidence.tied.any()


@pytest.mark.parametrize("width", np.arange(1, 11) / 10)
def test_basis(shared, width):
    table = np.genfromtxt(shared / "fixtures" / f"basis_k100_K400_h{width:.1f}.csv", delimiter=",", skip_header=1)
    basis = RadialBasis(float(width), largest_knot(100), "authors", atoms=(1.0,))
    np.testing.assert_allclose(basis.knots, table[0, 1:-1], atol=1e-12)
    assert np.isinf(table[0, -1])
    np.testing.assert_allclose(basis.moments(table[1:, 0].astype(int)), table[1:, 1:], atol=1e-5)


def test_gaussian_truth(shared):
    table = np.genfromtxt(shared / "fixtures" / "truth_gauss_p10.csv", delimiter=",", names=True)
    for sigma2 in np.unique(table["s2"]):
        rows = table[table["s2"] == sigma2]
        found = gaussian.aga(rows["K"].astype(int), float(sigma2))
        assert np.all(np.abs(found - rows["aga"]) < 4 * rows["se"])
