"""Files: whole or not at all, never unpickled, and one line for whatever is wrong with them."""

import os
import stat
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from rankcast import Evidence
from rankcast.errors import InputError
from rankcast.files import read_array, read_arrays, write_whole


class TestWriteWhole:
    @pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit])
    def test_a_failing_writer_leaves_nothing(self, tmp_path, error):
        def write(file):
            file.write(b"half")
            raise error

        with pytest.raises(error):
            write_whole(tmp_path / "new.bin", write)
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
    def test_a_failing_writer_keeps_the_old_file(self, tmp_path, error):
        (tmp_path / "old.bin").write_bytes(b"old")

        def write(file):
            file.write(b"half")
            raise error

        with pytest.raises(error):
            write_whole(tmp_path / "old.bin", write)
        assert [path.name for path in tmp_path.iterdir()] == ["old.bin"]
        assert (tmp_path / "old.bin").read_bytes() == b"old"

    def test_a_full_disk_is_one_line(self, tmp_path):
        def write(file):
            raise OSError(28, "No space left on device")

        with pytest.raises(InputError, match=r"new.bin: cannot be written \(No space left on device\)"):
            write_whole(tmp_path / "new.bin", write)
        assert list(tmp_path.iterdir()) == []

    def test_replaces_the_old_file(self, tmp_path):
        (tmp_path / "old.bin").write_bytes(b"old")
        write_whole(tmp_path / "old.bin", lambda file: file.write(b"new"))
        assert (tmp_path / "old.bin").read_bytes() == b"new"
        assert len(list(tmp_path.iterdir())) == 1

    def test_permissions_follow_the_umask(self, tmp_path):
        old = os.umask(0o027)
        try:
            write_whole(tmp_path / "new.bin", lambda file: file.write(b"new"))
        finally:
            os.umask(old)
        assert stat.S_IMODE((tmp_path / "new.bin").stat().st_mode) == 0o640

    def test_no_such_folder(self, tmp_path):
        with pytest.raises(InputError, match="cannot be written"):
            write_whole(tmp_path / "missing" / "new.bin", lambda file: file.write(b"new"))

    def test_a_folder_in_the_way_leaves_no_litter(self, tmp_path):
        (tmp_path / "folder").mkdir()
        with pytest.raises(InputError, match="cannot be written"):
            write_whole(tmp_path / "folder", lambda file: file.write(b"new"))
        assert [path.name for path in tmp_path.iterdir()] == ["folder"]


@pytest.fixture
def archive(tmp_path, rng) -> Path:
    path = tmp_path / "good.npz"
    np.savez_compressed(path, scores=rng.normal(size=(40, 25)), labels=np.arange(40) % 25)
    return path


class Trap:
    """Leaves a mark if anybody unpickles it."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self):
        return (Path.touch, (self.mark,))


class TestReading:
    def test_arrays(self, archive):
        assert set(read_arrays(archive)) == {"scores", "labels"}

    def test_a_single_array_is_mapped(self, tmp_path):
        np.save(tmp_path / "a.npy", np.eye(3))
        assert isinstance(read_array(tmp_path / "a.npy"), np.memmap)

    def test_missing(self, tmp_path):
        with pytest.raises(InputError, match=r"none.npz: no such file"):
            read_arrays(tmp_path / "none.npz")

    def test_a_folder(self, tmp_path):
        with pytest.raises(InputError, match="is a folder"):
            read_arrays(tmp_path)

    def test_not_npz(self, tmp_path):
        (tmp_path / "text.npz").write_text("label,score\n1,2\n")
        with pytest.raises(InputError, match="is not a numpy file"):
            read_arrays(tmp_path / "text.npz")

    def test_empty(self, tmp_path):
        (tmp_path / "empty.npz").touch()
        with pytest.raises(InputError, match="damaged or cut short"):
            read_arrays(tmp_path / "empty.npz")

    def test_npy_where_npz_is_expected(self, tmp_path):
        np.save(tmp_path / "a.npy", np.eye(3))
        with pytest.raises(InputError, match=r"holds a single array, not an .npz archive"):
            read_arrays(tmp_path / "a.npy")

    def test_npz_where_npy_is_expected(self, archive):
        with pytest.raises(InputError, match=r"is an .npz archive"):
            read_array(archive)

    @pytest.mark.parametrize("share", [0.02, 0.3, 0.6, 0.9, 0.99])
    def test_truncated(self, archive, share):
        data = archive.read_bytes()
        archive.write_bytes(data[: int(share * len(data))])
        with pytest.raises(InputError, match="damaged or cut short"):
            read_arrays(archive)

    def test_truncated_npy(self, tmp_path):
        np.save(tmp_path / "a.npy", np.eye(30))
        data = (tmp_path / "a.npy").read_bytes()
        for size in (5, 60, 1000, len(data) - 1):
            (tmp_path / "a.npy").write_bytes(data[:size])
            with pytest.raises(InputError, match=r"damaged or cut short|not a numpy file"):
                read_array(tmp_path / "a.npy")

    @pytest.mark.filterwarnings("ignore")
    @pytest.mark.parametrize("save", [np.savez, np.savez_compressed], ids=["plain", "compressed"])
    def test_damage_anywhere_is_an_input_error(self, tmp_path, save, rng):
        save(tmp_path / "good.npz", scores=rng.normal(size=(20, 8)), labels=np.arange(20) % 8)
        data = (tmp_path / "good.npz").read_bytes()
        path = tmp_path / "bad.npz"
        for where in rng.integers(len(data), size=500):
            broken = bytearray(data)
            broken[where] ^= int(rng.integers(1, 256))
            path.write_bytes(bytes(broken))
            with suppress(InputError):
                read_arrays(path)

    @pytest.mark.filterwarnings("ignore")
    def test_damage_to_the_head_of_an_npy_is_an_input_error(self, tmp_path, rng):
        np.save(tmp_path / "a.npy", np.eye(5))
        data = (tmp_path / "a.npy").read_bytes()
        path = tmp_path / "bad.npy"
        for where in range(128):
            broken = bytearray(data)
            broken[where] ^= int(rng.integers(1, 256))
            path.write_bytes(bytes(broken))
            with suppress(InputError):
                read_array(path)

    def test_pickled_objects_are_refused_and_not_run(self, tmp_path):
        mark = tmp_path / "mark"
        np.savez(tmp_path / "trap.npz", scores=np.array([Trap(mark)], dtype=object), labels=[0])
        with pytest.raises(InputError, match=r"array 'scores' holds pickled Python objects, which are refused"):
            read_arrays(tmp_path / "trap.npz")
        np.save(tmp_path / "trap.npy", np.array([Trap(mark)], dtype=object))
        with pytest.raises(InputError, match="pickled"):
            read_array(tmp_path / "trap.npy")
        assert not mark.exists()

    def test_a_file_that_may_not_be_read_says_so(self, archive, monkeypatch):
        def refuse(*_, **__):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(np, "load", refuse)
        with pytest.raises(InputError, match="Permission denied"):
            read_arrays(archive)


class TestEvidenceFiles:
    def test_another_kind_of_npz(self, archive):
        with pytest.raises(InputError, match="is not an evidence file, it holds labels, scores"):
            Evidence.load(archive)

    def test_another_version(self, measured, tmp_path):
        measured.save(tmp_path / "e.npz")
        arrays = read_arrays(tmp_path / "e.npz") | {"rankcast_evidence": np.int64(99)}
        np.savez(tmp_path / "e.npz", **arrays)
        with pytest.raises(InputError, match="format 99, this version reads 1"):
            Evidence.load(tmp_path / "e.npz")

    def test_an_array_missing(self, measured, tmp_path):
        measured.save(tmp_path / "e.npz")
        arrays = read_arrays(tmp_path / "e.npz")
        del arrays["tied"]
        np.savez(tmp_path / "e.npz", **arrays)
        with pytest.raises(InputError, match="lacks the array 'tied'"):
            Evidence.load(tmp_path / "e.npz")

    def test_arrays_that_do_not_fit_together(self, measured, tmp_path):
        measured.save(tmp_path / "e.npz")
        arrays = read_arrays(tmp_path / "e.npz")
        arrays["beaten"] = arrays["beaten"][:-1]
        np.savez(tmp_path / "e.npz", **arrays)
        with pytest.raises(InputError, match=r"e\.npz"):
            Evidence.load(tmp_path / "e.npz")

    def test_a_failed_save_keeps_the_old_evidence(self, measured, tmp_path, monkeypatch):
        measured.save(tmp_path / "e.npz")
        before = (tmp_path / "e.npz").read_bytes()

        def interrupted(file, **_):
            file.write(b"half")
            raise KeyboardInterrupt

        monkeypatch.setattr(np, "savez", interrupted)
        with pytest.raises(KeyboardInterrupt):
            measured.save(tmp_path / "e.npz")
        assert (tmp_path / "e.npz").read_bytes() == before
        assert len(list(tmp_path.iterdir())) == 1
