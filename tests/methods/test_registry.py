"""The table of methods keeps its promises."""

import dataclasses

import numpy as np
import pytest

import rankcast
from rankcast import Evidence, Favourability
from rankcast.datasets import gaussian
from rankcast.errors import MethodError, MissingExtraError
from rankcast.methods import DEFAULT, REGISTRY, Method, get_method


def test_the_default_is_registered():
    assert DEFAULT in REGISTRY


@pytest.mark.parametrize("name", REGISTRY)
def test_a_method_is_a_frozen_dataclass_that_describes_itself(name):
    method = REGISTRY[name]()
    assert isinstance(method, Method)
    assert method.name == name
    assert method.needs in ("ranks", "scores")
    assert all(getattr(method, text) for text in ("reference", "cost", "fails"))
    assert dataclasses.is_dataclass(method)
    assert method == REGISTRY[name]()
    with pytest.raises(dataclasses.FrozenInstanceError):
        method.name = "other"


def test_public_table_lists_every_method():
    assert [info.name for info in rankcast.methods()] == list(REGISTRY)


def test_by_name_and_as_is():
    assert get_method(DEFAULT) == REGISTRY[DEFAULT]()
    mine = REGISTRY[DEFAULT]()
    assert get_method(mine) is mine


def test_unknown_name():
    with pytest.raises(MethodError, match="unknown method 'svm': choose one of"):
        get_method("svm")


def test_scores_are_asked_for():
    class Needy(Method):
        name, needs, reference, cost, fails = "needy", "scores", "none", "none", "none"

        def fit(self, evidence, rng):
            raise AssertionError

    with pytest.raises(MethodError, match="'needy' needs scores, and this evidence holds ranks only: use one of"):
        get_method(Needy(), Evidence.from_ranks([1, 2], 10))


@pytest.mark.parametrize("name", REGISTRY)
def test_every_method_fits_a_distribution(name):
    evidence = gaussian.simulate(40, 0.2, rng=0)
    try:
        fit = REGISTRY[name]().fit(evidence, np.random.default_rng(0))
    except MissingExtraError as error:
        pytest.skip(str(error))
    assert isinstance(fit, Favourability)
    values = fit.value([1, 2, 40, 400, 10**6])
    assert np.isfinite(values).all()
    assert values[0] == pytest.approx(1)


def test_replicates_refit_unless_a_method_knows_better(measured, rng):
    class Share(Method):
        name, needs, reference, cost, fails = "share", "ranks", "none", "none", "none"

        def fit(self, evidence, rng):
            return Favourability([np.inf], [evidence.accuracy])

    from rankcast.metrics import TOP1

    weights = rng.dirichlet(np.ones(len(measured)), size=3)
    draws = Share().replicate(measured, weights, np.array([5, 500]), TOP1, rng)
    expected = [measured.reweight(row).accuracy for row in weights]
    np.testing.assert_allclose(draws, np.c_[expected, expected])
