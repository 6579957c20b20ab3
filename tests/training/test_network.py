"""The network as it is trained and as it ships."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="the network is trained in torch")

import torch

from rankcast.datasets import gaussian
from rankcast.pretrained.describe import describe
from rankcast.pretrained.network import Network as Shipped
from rankcast.pretrained.network import gathered
from training.features import RATIOS
from training.folds import fold_of
from training.network import Network
from training.train import batch, effective, forecast, some_rows, stored, train


@pytest.fixture(scope="module")
def task():
    evidence = gaussian.simulate(80, 0.2, rng=0)
    seen = describe(evidence, np.random.default_rng(0))
    return {
        "example": seen.example,
        "z": seen.z,
        "spread": seen.spread,
        "context": seen.context,
        "weight": evidence.weight,
        "label": evidence.label,
        "k1": 80,
        "truth": gaussian.aga(80 * RATIOS, 0.2),
        "error": np.zeros(len(RATIOS)),
        "seen": seen,
    }


@pytest.mark.parametrize("ranks_only", [False, True])
def test_torch_and_numpy_agree(task, ranks_only, monkeypatch):
    nodes, share = np.polynomial.hermite_e.hermegauss(61)  # the nine of training are quicker, and coarser
    monkeypatch.setattr("training.network.GRID", torch.tensor(nodes, dtype=torch.float32))
    monkeypatch.setattr("training.network.GRID_WEIGHT", torch.tensor(share / share.sum(), dtype=torch.float32))
    torch.manual_seed(0)
    b = batch([task], ranks_only)
    network = Network(b.example.shape[1], b.z.shape[1], b.context.shape[1], 16)
    network.standardise(b.example, torch.cat([b.context - 1, b.context + 1]))
    with torch.no_grad():
        network.correct.bias.add_(0.3)
        expected = network.accuracy(b).numpy()[0]
    shipped = Shipped({name: value.numpy().astype(float) for name, value in network.state_dict().items()})
    seen = task["seen"]
    if ranks_only:
        seen = type(seen)(b.example.numpy(), b.z.numpy(), seen.spread, b.context.numpy()[0])
    found = gathered(*shipped.laws(seen, task["weight"], 80), task["weight"])
    assert found.value(80 * RATIOS) == pytest.approx(expected, abs=0.004)


def test_unknown_truth_does_not_count(task):
    from training.network import loss

    hidden = task | {"truth": np.where(np.arange(len(RATIOS)) < 3, task["truth"], np.nan)}
    found = torch.full((1, len(RATIOS)), 0.5)
    other = found.clone()
    other[:, 3:] = 0.9
    b = batch([hidden], False)
    assert loss(found, b).item() == loss(other, b).item()


def test_some_rows_keep_their_shares(task):
    many = {name: np.concatenate([task[name]] * 10) for name in ("example", "z", "spread", "weight", "label")}
    part = some_rows(task | many, np.random.default_rng(0))
    assert len(part["weight"]) == 256
    assert part["weight"].sum() == pytest.approx(1)
    assert effective(part) == pytest.approx(effective(task | many))


def test_families_of_a_fold_stay_together():
    from training.families import FAMILIES

    folds = [fold_of(family) for family in FAMILIES]
    assert np.bincount(folds).tolist() == [8, 7, 7, 7, 1]


def test_a_network_goes_on_from_where_another_was(task, tmp_path):
    other = train(2 * [task], width=8, minutes=0.005, seed=0)
    np.savez(tmp_path / "other.npz", **{name: value.numpy() for name, value in other.state_dict().items()})
    before = forecast(other, [task], False)

    def moved(**settings):
        network = train(2 * [task], width=8, minutes=1e-6, seed=1, **settings)
        return np.abs(forecast(network, [task], False) - before).max()

    assert moved(rate=0.0) > 1e-3  # a new one
    assert moved(rate=0.0, start=tmp_path / "other.npz") < 1e-3
    assert moved(rate=1.0, start=tmp_path / "other.npz", keep=1.0) < 1e-6


@pytest.mark.parametrize("ranks_only", [False, True])
def test_networks_of_the_package_can_go_on(task, ranks_only):
    layers = stored(0, ranks_only)
    b = batch([task], ranks_only)
    network = Network(b.example.shape[1], b.z.shape[1], b.context.shape[1], len(layers["whole.bias"]))
    network.load_state_dict(layers)  # raises if anything is missing
    assert torch.all(torch.isfinite(network.accuracy(b)))
