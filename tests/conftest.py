"""Fixtures that several test files share."""

from pathlib import Path

import numpy as np
import pytest

from rankcast import Evidence
from rankcast.datasets import toy

SHARED = Path(__file__).resolve().parents[1] / ".." / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with fixtures and real data, which is not part of the repository."""
    if not SHARED.is_dir():
        pytest.skip("needs ../shared (fixtures and real data), which is not part of the repository")
    return SHARED.resolve()


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20260101)


@pytest.fixture(scope="session")
def measured() -> Evidence:
    """Evidence on 60 classes with two test examples each, with scores."""
    return toy.simulate(60, rho=0.99, examples=2, rng=11)


@pytest.fixture
def scores(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A score matrix (75 examples × 25 classes) with some ties, and its labels."""
    labels = np.arange(75) % 25
    matrix = rng.normal(size=(75, 25)).round(1)
    matrix[np.arange(75), labels] += 1.5
    return matrix.round(1), labels
