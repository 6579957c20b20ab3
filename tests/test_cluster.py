"""The same work on a Dask cluster: equal answers, also after a worker is killed, and errors rather than hangs."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from rankcast import Evidence, backtest, forecast
from rankcast.datasets import gaussian
from rankcast.errors import InputError, MissingExtraError
from rankcast.methods.gaussian import Gaussian
from rankcast.paper import engine
from rankcast.paper.cells import Cells
from rankcast.paper.study import Row
from rankcast.paper.table1 import Table1

distributed = pytest.importorskip("distributed")
from rankcast import cluster  # noqa: E402
from rankcast.parallel import working_on  # noqa: E402
from rankcast.shard_tasks import FileStore, PartStore  # noqa: E402

pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::ResourceWarning"
)


@pytest.fixture(scope="module")
def pool():
    with cluster.connect(workers=2, timeout=20) as made:
        yield made


@pytest.fixture
def data(rng):
    """Classes with one to three exemplars in any order, and ties."""
    owner = rng.permutation(np.r_[np.arange(500), rng.integers(500, size=400)])
    gallery = rng.integers(-3, 4, size=(900, 5)).astype(np.float32)
    label = rng.integers(500, size=120)
    return gallery, owner, rng.integers(-3, 4, size=(120, 5)).astype(np.float32), label


def same(one, two):
    for name in ("beaten", "tied", "rivals", "label", "weight"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


class Few(Table1):
    """One row of the first table, with one column."""

    def rows(self):
        return [Row("0.1", 60, (120,), 4, 2)]

    def columns(self):
        return {"gaussian": Gaussian()}


def slowly(number):
    time.sleep(0.1)
    return number**2


class TestRanking:
    @pytest.mark.parametrize("exemplars", ["nearest", "mean"])
    def test_arrays(self, pool, data, exemplars):
        found = pool.from_embeddings(*data, exemplars=exemplars, shards=7)
        whole = Evidence.from_embeddings(*data, exemplars=exemplars)
        same(found, whole)
        assert found.fingerprint == whole.fingerprint  # its scores too

    def test_files(self, pool, data, tmp_path):
        gallery, owner, probes, label = data
        np.save(tmp_path / "g.npy", gallery)
        np.save(tmp_path / "p.npy", probes)
        found = pool.from_embeddings(tmp_path / "g.npy", owner, f"{tmp_path}/p.npy", label, similarity="cosine")
        same(found, Evidence.from_embeddings(*data, similarity="cosine"))

    def test_dask_arrays(self, pool, data):
        da = pytest.importorskip("dask.array")
        gallery, owner, probes, label = data
        found = pool.from_embeddings(
            da.from_array(gallery, chunks=(100, 5)), owner, da.from_array(probes, chunks=(50, 5)), label, shards=5
        )
        same(found, Evidence.from_embeddings(*data))
        assert found.scores is None

    def test_shards_scales_and_random_designs(self, pool, data):
        gallery, owner, probes, label = data
        scale = np.linspace(0.5, 1, 900)
        part = owner < 200
        options = {"truth": gallery, "truth_labels": owner, "truth_scale": scale, "max_rivals": 50, "rng": 3}
        args = (gallery[part], owner[part], probes, label)
        found = pool.from_embeddings(*args, gallery_scale=scale[part], **options)
        same(found, Evidence.from_embeddings(*args, gallery_scale=scale[part], **options))

    def test_bad_input_is_the_same_error(self, pool, data):
        gallery, owner, probes, label = data
        gallery[700] = np.nan
        with pytest.raises(InputError, match="gallery holds NaN"):
            pool.from_embeddings(gallery, owner, probes, label)
        with pytest.raises(InputError, match="checkpoint= is for one process"):
            pool.from_embeddings(*data, checkpoint="a.npz")

    def test_the_command_line(self, data, tmp_path, pool):
        for name, array in zip(("g", "gl", "p", "pl"), data, strict=True):
            np.save(tmp_path / f"{name}.npy", array)
        words = ["ranks", "g.npy", "p.npy", "--gallery-labels", "gl.npy", "--probe-labels", "pl.npy"]
        words += ["-o", "e.npz", "-q", "--cluster", pool.client.scheduler.address]
        done = subprocess.run(
            [sys.executable, "-c", "from rankcast.cli import main; main()", *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        same(Evidence.load(tmp_path / "e.npz"), Evidence.from_embeddings(*data))


def test_map_keeps_the_order(pool):
    assert pool.map(slowly, range(6)) == [0, 1, 4, 9, 16, 25]


def test_map_sends_what_is_shared(pool):
    assert pool.map(pow, range(4), 2) == [0, 1, 4, 9]


class TestResampling:
    evidence = gaussian.simulate(60, 0.2, rng=0)

    @pytest.fixture
    def sent(self, pool, monkeypatch):
        """Names of the functions that go to the cluster."""
        names, submit = [], pool._submit
        monkeypatch.setattr(pool, "_submit", lambda task, *rest: names.append(task.__name__) or submit(task, *rest))
        return names

    def test_back_tests(self, sent):
        found = backtest(self.evidence, method="kde-bcv", rng=3, repetitions=2)
        with working_on(None):
            expected = backtest(self.evidence, method="kde-bcv", rng=3, repetitions=2)
        assert sent.count("_forecast") == 6
        assert found.to_dict() == expected.to_dict()

    def test_replicates_that_do_not_fit_in_memory(self, sent, monkeypatch):
        monkeypatch.setattr("rankcast.intervals._HELD", 60 * 40)
        found = forecast(self.evidence, 500, method="gaussian", rng=3, replicates=100)
        with working_on(None):
            expected = forecast(self.evidence, 500, method="gaussian", rng=3, replicates=100)
        assert sent.count("_values") == 3
        np.testing.assert_allclose(found.draws, expected.draws, rtol=1e-12)  # BLAS may add in another order there

    def test_studies_of_the_paper(self, sent, tmp_path):
        study = Few()
        there, here = Cells(tmp_path / "there"), Cells(tmp_path / "here")
        assert engine.measure(study, there) == 3
        with working_on(None):
            engine.measure(study, here)
        assert sent.count("measured") == 3
        row = study.rows()[0]
        found, expected = (engine.gather(study, each)[row, "gaussian"] for each in (there, here))
        np.testing.assert_array_equal(found, expected)

    def test_little_work_stays_here(self, sent):
        forecast(self.evidence, 500, method="gaussian", rng=3)
        assert sent == []


def test_a_client_is_used_as_it_is(pool):
    with cluster.connect(pool.client) as again:
        assert again.map(slowly, [3]) == [9]
    assert pool.client.status == "running"


class TestKilledWorkers:
    """With a real kill in the middle of the work."""

    @staticmethod
    def kill_one_when(pool, key, done):
        """Kill a worker once so many tasks of a kind are done; gives the thread that does it."""
        victim = next(iter(pool.client.run(os.getpid).values()))

        def watch():
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline:
                if sum(str(name).startswith(key) for name in pool.client.who_has()) >= done:
                    os.kill(victim, signal.SIGKILL)
                    killed.set()
                    return
                time.sleep(0.01)

        killed = threading.Event()
        thread = threading.Thread(target=watch)
        thread.start()
        return thread, killed

    def test_any_function(self, pool):
        thread, killed = self.kill_one_when(pool, "slowly", 4)
        assert pool.map(slowly, range(24)) == [n**2 for n in range(24)]
        thread.join()
        assert killed.is_set()

    def test_ranking(self, pool, rng):
        gallery, probes = rng.normal(size=(2, 60_000, 32)).astype(np.float32)
        args = (gallery, np.arange(60_000), probes[:1500] + gallery[:1500], np.arange(1500))
        expected = Evidence.from_embeddings(*args)
        thread, killed = self.kill_one_when(pool, "count_shard", 3)
        same(pool.from_embeddings(*args, shards=60), expected)
        thread.join()
        assert killed.is_set()


class TestLostCluster:
    """Errors, not hangs."""

    SCRIPT = (
        "import sys, time\n"
        "from distributed import LocalCluster\n"
        "if __name__ == '__main__':\n"
        "    made = LocalCluster(n_workers=int(sys.argv[1]), threads_per_worker=1, processes=False,\n"
        "                        dashboard_address=None, protocol='tcp')\n"
        "    print(made.scheduler_address, flush=True)\n"
        "    time.sleep(120)\n"
    )

    @pytest.fixture
    def start(self, tmp_path):
        """Start a scheduler with so many workers in a process of its own: (its address, the process)."""
        started = []

        def run(workers):
            (tmp_path / "scheduler.py").write_text(self.SCRIPT)
            words = [sys.executable, str(tmp_path / "scheduler.py"), str(workers)]
            process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            started.append(process)
            return process.stdout.readline().strip(), process

        yield run
        for process in started:
            process.kill()
            process.wait()
            process.stdout.close()

    def test_no_scheduler(self):
        with (
            pytest.raises(cluster.ClusterError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9"),
            cluster.connect("tcp://127.0.0.1:9", timeout=1),
        ):
            pass

    def test_no_workers(self, start, data):
        address, _ = start(0)
        with (
            cluster.connect(address, timeout=1) as empty,
            pytest.raises(cluster.ClusterError, match="no workers after 1 s"),
        ):
            empty.from_embeddings(*data)

    def test_a_scheduler_that_dies(self, start):
        address, process = start(1)
        with cluster.connect(address, timeout=3) as doomed:
            threading.Timer(0.5, process.kill).start()
            with pytest.raises(cluster.ClusterError, match="scheduler"):
                doomed.map(time.sleep, [0.2] * 100)

    def test_not_a_cluster(self):
        with (
            pytest.raises(InputError, match=r"a dask\.distributed\.Client or None, not int"),
            cluster.connect(3),
        ):
            pass
        with pytest.raises(InputError, match="at least 1 worker"), cluster.connect(workers=0):
            pass

    def test_extra_not_installed(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "distributed", None)
        with pytest.raises(MissingExtraError, match=r"rankcast\[dask\]"), cluster.connect():
            pass


def test_a_file_travels_as_its_name(tmp_path, rng):
    vectors = rng.normal(size=(100, 3))
    np.save(tmp_path / "v.npy", vectors)
    store = FileStore(str(tmp_path / "v.npy"))
    assert store[2:4].shape == (2, 3)
    assert len(pickle.dumps(store)) < 300
    for rows in (slice(20, 60), np.arange(60, 20, -1)):
        part = pickle.loads(pickle.dumps(PartStore(store, rows)))
        assert part.shape == (40, 3)
        assert part.dtype == float
        np.testing.assert_array_equal(part[5:9], vectors[rows][5:9])
        np.testing.assert_array_equal(part[np.array([39, 0, 7])], vectors[rows][[39, 0, 7]])
