"""Turning what users have into arrays and column numbers."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from rankcast.errors import InputError
from rankcast.tables import check_labels, encode_labels, names_of, to_numpy, whole_numbers


@pytest.mark.parametrize(
    "make", [np.array, list, pd.DataFrame, pl.DataFrame], ids=["numpy", "list", "pandas", "polars"]
)
def test_to_numpy(make):
    np.testing.assert_array_equal(to_numpy(make([[1.5, 2.0], [3.0, 4.0]]), "scores").sum(), 10.5)


def test_arrays_are_not_copied():
    array = np.eye(3)
    assert to_numpy(array, "scores") is array


def test_names_of_columns():
    assert names_of(np.eye(2)) is None
    assert names_of(pd.DataFrame({"b": [1], "a": [2]})).tolist() == ["b", "a"]
    assert names_of(pl.DataFrame({"b": [1], "a": [2]})).tolist() == ["b", "a"]


def test_whole_numbers():
    assert whole_numbers([1.0, 2.0], "rank").dtype == np.int64
    for bad in ([1.5], [np.nan], [np.inf]):
        with pytest.raises(InputError, match="rank must be whole numbers"):
            whole_numbers(bad, "rank")


def test_whole_numbers_beyond_int64_are_refused():
    with pytest.raises(InputError, match="rank"):
        whole_numbers([1e300], "rank")


@pytest.mark.parametrize(
    "labels", [["a", "b"], np.array(["a", "b"], object), pd.Series(["a", "b"]), pl.Series(["a", "b"])]
)
def test_labels_become_strings(labels):
    assert check_labels(labels, 2, (2, 5)).dtype.kind == "U"


def test_missing_labels_are_refused():
    for missing in (["a", None], pd.Series(["a", None]), pd.Series(["a", float("nan")])):
        with pytest.raises(InputError, match="missing"):
            check_labels(missing, 2, (2, 5))


def test_lookup_and_column_numbers():
    names = np.array(["x", "c", "m"])
    assert encode_labels(np.array(["m", "x"]), names, 3, strict=True).tolist() == [2, 0]
    assert encode_labels(np.array([2, 0]), names, 3, strict=False).tolist() == [2, 0]
    with pytest.raises(InputError, match="use the same kind"):
        encode_labels(np.array([2, 0]), names, 3, strict=True)


def test_long_labels_are_not_cut_to_the_length_of_the_names():
    with pytest.raises(InputError, match=r"not among the 2 classes, e\.g\. ab"):
        encode_labels(np.array(["ab"]), np.array(["a", "b"]), 2, strict=True)
