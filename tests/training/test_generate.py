import numpy as np
import pytest

from training import generate
from training.generate import Settings, Shard, load, make_shard, pending

NOTHING = f"{generate.__name__}:nothing"


@pytest.fixture
def two_tasks(monkeypatch):
    monkeypatch.setattr(generate, "SHARD", 2)
    made = generate.make_task
    monkeypatch.setattr(generate, "make_task", lambda seed, families, effort: made(seed, families, effort / 4, k1=20))


def test_a_shard_is_written_whole(tmp_path, two_tasks):
    _, _, failures = make_shard(Shard(0, tmp_path, Settings(NOTHING)))
    assert not failures
    data = load(tmp_path)
    assert data["seed"].tolist() == [0, 1]
    assert data["truth"].shape == (2, 10)
    assert [path.name for path in tmp_path.iterdir()] == ["tasks-00000000.npz"]


def test_a_failing_task_is_left_out_and_named(tmp_path, two_tasks, monkeypatch):
    made = generate.make_task

    def broken(seed, families, effort):
        if seed == 0:
            raise RuntimeError("no luck")
        return made(seed, families, effort)

    monkeypatch.setattr(generate, "make_task", broken)
    _, _, failures = make_shard(Shard(0, tmp_path, Settings(NOTHING)))
    assert "task 0" in failures[0]
    assert load(tmp_path)["seed"].tolist() == [1]


def test_finished_shards_are_skipped(tmp_path):
    settings = Settings(NOTHING)
    todo = pending(tmp_path, 0, 300, settings)
    np.savez(todo[1].path, x=np.zeros(1))
    assert [shard.first for shard in pending(tmp_path, 0, 300, settings)] == [0, 200]


def test_other_settings_are_refused(tmp_path):
    pending(tmp_path, 0, 100, Settings(NOTHING))
    with pytest.raises(SystemExit, match="other settings"):
        pending(tmp_path, 0, 100, Settings(NOTHING, effort=2.0))


@pytest.mark.parametrize("seeds", [(50, 100), (100, 100), (0, 250)])
def test_seeds_come_in_whole_shards(tmp_path, seeds):
    with pytest.raises(SystemExit, match="multiples of 100"):
        pending(tmp_path, *seeds, Settings(NOTHING))
