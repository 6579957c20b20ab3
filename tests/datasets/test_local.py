"""Local copies of data sets: found, checked and downloaded."""

import hashlib
import http.server
import threading
from functools import partial

import numpy as np
import pytest

from rankcast.datasets import catalogue, local, telugu
from rankcast.datasets.catalogue import CATALOGUE, DataSet
from rankcast.errors import InputError


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A data set of one small file, known to the catalogue, in a folder."""
    path = tmp_path / "data" / "small" / "small.npz"
    path.parent.mkdir(parents=True)
    np.savez(path, x=np.arange(3))
    entry = DataSet("small", "small.npz", local.checksum(path), "three numbers", "nowhere")
    monkeypatch.setitem(catalogue.CATALOGUE, "small", entry)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv(local.VARIABLE, raising=False)
    return tmp_path / "data"


@pytest.fixture
def server(tmp_path):
    """A web server on this machine: its address, and the folder that it serves."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    folder = tmp_path / "served"
    folder.mkdir()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}", folder
        running.shutdown()
        thread.join()


class TestLoad:
    def test_from_a_folder(self, small):
        np.testing.assert_array_equal(local.load("small", small)["x"], [0, 1, 2])

    def test_from_the_environment(self, small, monkeypatch):
        monkeypatch.setenv(local.VARIABLE, str(small))
        assert local.locate("small") == small / "small" / "small.npz"

    def test_from_the_cache(self, small, tmp_path):
        (tmp_path / "cache").mkdir()
        small.rename(tmp_path / "cache" / "rankcast")
        assert local.locate("small", tmp_path) == tmp_path / "cache" / "rankcast" / "small" / "small.npz"

    def test_a_damaged_copy(self, small):
        path = small / "small" / "small.npz"
        path.write_bytes(path.read_bytes()[:-1])
        with pytest.raises(InputError, match=r"small.npz: its SHA-256 is .*damaged or another version"):
            local.load("small", small)

    def test_a_copy_with_its_own_checksum(self, small):
        path = small / "small" / "small.npz"
        np.savez(path, x=np.arange(4))
        (small / "small" / "small.npz.sha256").write_text(f"{local.checksum(path)}  small.npz\n")
        assert len(local.load("small", small)["x"]) == 4

    def test_no_copy(self, small, tmp_path):
        with pytest.raises(InputError, match=r"no such file; .*three numbers.* is made from nowhere.*--data"):
            local.load("small", tmp_path / "elsewhere")

    def test_unknown(self):
        with pytest.raises(InputError, match="unknown data set 'cats': choose one of telugu, lfw-dlib"):
            local.load("cats")

    def test_the_known_checksums(self, shared):
        for entry in CATALOGUE.values():
            path = shared / "data" / entry.name / entry.file
            if not path.exists():
                pytest.skip(f"needs {entry.name} in ../shared/data")
            assert local.checksum(path) == entry.sha256


class TestDownload:
    def test_whole(self, server, tmp_path):
        address, folder = server
        content = bytes(range(256)) * 3000
        (folder / "a.bin").write_bytes(content)
        local.download(f"{address}/a.bin", tmp_path / "new" / "a.bin", hashlib.sha256(content).hexdigest())
        assert (tmp_path / "new" / "a.bin").read_bytes() == content

    def test_another_file_than_expected_is_not_kept(self, server, tmp_path):
        address, folder = server
        (folder / "a.bin").write_bytes(b"other")
        with pytest.raises(InputError, match="SHA-256"):
            local.download(f"{address}/a.bin", tmp_path / "a.bin", "0" * 64)
        assert not list(tmp_path.glob("*a.bin*"))

    def test_not_there(self, server, tmp_path):
        with pytest.raises(InputError, match=r"none.bin: cannot be downloaded \(.*404.*--data"):
            local.download(f"{server[0]}/none.bin", tmp_path / "none.bin")

    def test_no_server(self, tmp_path):
        with pytest.raises(InputError, match="cannot be downloaded"):
            local.download("http://127.0.0.1:1/a.bin", tmp_path / "a.bin")


class TestTelugu:
    @pytest.fixture
    def published(self, server, monkeypatch):
        """A table as it is published: a row for each class, a column for each example."""
        address, folder = server
        (folder / "table.txt").write_text("-0.0000 -1.5000 -2.2500\n-3.1250 -0.2500 -0.1000\n")
        wanted = np.array([[-0.0, -3.125], [-1.5, -0.25], [-2.25, -0.1]], np.float32)
        sources = {"svm_2": ("table.txt", hashlib.sha256(wanted.tobytes()).hexdigest())}
        monkeypatch.setattr(telugu, "SOURCES", sources)
        return address, folder, wanted

    def test_fetch(self, published, tmp_path):
        address, _, wanted = published
        path = telugu.fetch(tmp_path / "telugu" / "telugu.npz", address)
        np.testing.assert_array_equal(np.load(path)["svm_2"], wanted)
        assert local.checked(path, CATALOGUE["telugu"]) == path
        assert sorted(each.name for each in path.parent.iterdir()) == ["telugu.npz", "telugu.npz.sha256"]

    @pytest.mark.parametrize("content", ["-0.0000 -1.5000 -2.2500\n-3.1250 -0.2500 -0.2000\n", "<html>\n", "1 2\n3\n"])
    def test_another_table_is_refused(self, published, tmp_path, content):
        address, folder, _ = published
        (folder / "table.txt").write_text(content)
        with pytest.raises(InputError, match="is not"):
            telugu.fetch(tmp_path / "telugu" / "telugu.npz", address)
        assert not (tmp_path / "telugu" / "telugu.npz").exists()

    def test_every_source_is_an_array_of_the_data_set(self, shared):
        if not (shared / "data" / "telugu" / "telugu.npz").exists():
            pytest.skip("needs the Telugu data in ../shared/data")
        arrays = local.load("telugu", shared / "data")
        found = {name: hashlib.sha256(array.tobytes()).hexdigest() for name, array in arrays.items()}
        assert found == {name: sha256 for name, (_, sha256) in telugu.SOURCES.items()}

    def test_no_such_classifier(self, shared):
        if not (shared / "data" / "telugu" / "telugu.npz").exists():
            pytest.skip("needs the Telugu data in ../shared/data")
        with pytest.raises(InputError, match="no scores of 'deepcnn' on 100 characters"):
            telugu.evidence("deepcnn", 100, shared / "data")
