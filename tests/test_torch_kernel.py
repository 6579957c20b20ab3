"""The torch kernel counts as numpy's does. There may be no GPU here: it is run on the CPU as if it were one."""

import numpy as np
import pytest

from rankcast import Evidence
from rankcast.errors import InputError
from rankcast.tensors import TensorStore

torch = pytest.importorskip("torch")
DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU"))]


@pytest.fixture
def on_device(monkeypatch):
    """Treat tensors on the CPU as those on a device."""
    monkeypatch.setattr("rankcast.stores.is_plain", lambda tensor: False)
    monkeypatch.setattr(TensorStore, "on_device", True)


def counts(*args, **kwargs):
    evidence = Evidence.from_embeddings(*args, **kwargs)
    return np.array([evidence.beaten, evidence.tied])


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("similarity", ["euclidean", "cosine", "dot"])
@pytest.mark.parametrize("exemplars", ["nearest", "mean"])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int8])
@pytest.mark.usefixtures("on_device")
def test_equal_counts(rng, device, similarity, exemplars, dtype):
    vectors = torch.as_tensor(rng.integers(-3, 4, size=(2, 200, 5)) + rng.integers(0, 2, size=(2, 200, 1)) * 0.25)
    vectors = vectors.to(dtype)
    vectors[:, :, 0] = 2  # no zero vectors
    owner = rng.permutation(np.arange(200) % 80)
    plain = vectors.double().numpy()
    expected = counts(plain[0], owner, plain[1], owner, similarity=similarity, exemplars=exemplars)
    gallery, probes = vectors.to(device)
    settings = {"similarity": similarity, "exemplars": exemplars, "memory": "1MB"}
    np.testing.assert_array_equal(counts(gallery, owner, probes, owner, **settings), expected)
    np.testing.assert_array_equal(counts(gallery, owner, plain[1], owner, **settings), expected)
    assert expected[1].any()


@pytest.mark.usefixtures("on_device")
def test_near_ties(rng):
    base = 1 + rng.normal(size=(1, 32))
    gallery, probes = base * (1 + rng.integers(-2, 3, size=(2, 150, 32)) * 2.0**-24)
    label = np.arange(150)
    expected = counts(gallery, label, probes, label, similarity="dot")
    tensors = torch.as_tensor(gallery), torch.as_tensor(probes)
    np.testing.assert_array_equal(counts(tensors[0], label, tensors[1], label, similarity="dot"), expected)


@pytest.mark.usefixtures("on_device")
@pytest.mark.parametrize("per_vector", [False, True])
def test_scales(rng, per_vector):
    codes = rng.integers(-9, 10, size=(2, 60, 4)).astype(np.int8)
    scale = rng.uniform(0.1, 0.2, size=60) if per_vector else 0.1
    expected = counts(codes[0], range(60), codes[1], range(60), gallery_scale=scale)
    gallery, probes = torch.as_tensor(codes)
    np.testing.assert_array_equal(counts(gallery, range(60), probes, range(60), gallery_scale=scale), expected)


@pytest.mark.usefixtures("on_device")
def test_what_is_wrong_is_said(rng):
    gallery = torch.as_tensor(rng.normal(size=(9, 3)))
    gallery[4, 1] = torch.nan
    with pytest.raises(InputError, match="gallery holds NaN"):
        counts(gallery, range(9), gallery[:3], range(3))
    with pytest.raises(InputError, match=r"gallery must be numbers, found type torch\.bool"):
        counts(gallery > 0, range(9), gallery, range(9))
    with pytest.raises(InputError, match="zero vector"):
        counts(torch.zeros(9, 3), range(9), torch.ones(9, 3), range(9), similarity="cosine")


@pytest.mark.usefixtures("on_device")
def test_lower_precision_asked_for_elsewhere_is_not_used_and_is_kept(rng):
    before = torch.get_float32_matmul_precision()
    try:
        torch.set_float32_matmul_precision("medium")
        vectors = torch.as_tensor(rng.normal(size=(50, 8)))
        counts(vectors, range(50), vectors, range(50))
        assert torch.get_float32_matmul_precision() == "medium"
    finally:
        torch.set_float32_matmul_precision(before)


def test_tensors_on_the_cpu_are_not_copied(rng):
    vectors = torch.as_tensor(rng.normal(size=(20, 3)))
    evidence = Evidence.from_embeddings(vectors, range(20), vectors, range(20))
    assert np.shares_memory(evidence.scores.gallery.vectors.store, vectors.numpy())


def test_saved_evidence_of_tensors(rng, tmp_path, on_device):
    vectors = torch.as_tensor(rng.normal(size=(20, 3))).bfloat16()
    made = Evidence.from_embeddings(vectors, range(20), vectors, range(20))
    made.save(tmp_path / "e.npz")
    found = Evidence.load(tmp_path / "e.npz")
    np.testing.assert_array_equal(found.scores.block(slice(0, 5)), made.scores.block(slice(0, 5)))
