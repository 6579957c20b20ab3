"""What is counted, from every kind of input, and what is refused."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from rankcast import Evidence, RankcastError, curve
from rankcast.errors import BelowChanceWarning, InputError

NAMES = [f"class {chr(97 + i)}" for i in range(25)]


def naive_counts(scores, labels):
    """Count rivals beaten and tied one comparison at a time."""
    beaten, tied = [], []
    for row, own in zip(scores, labels, strict=True):
        rivals = [value for column, value in enumerate(row) if column != own]
        beaten.append(sum(row[own] > value for value in rivals))
        tied.append(sum(row[own] == value for value in rivals))
    return beaten, tied


def same_counts(one: Evidence, other: Evidence) -> bool:
    fields = ("beaten", "tied", "rivals", "label")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in fields)


class TestFromScores:
    def test_counts_equal_a_naive_loop(self, scores):
        evidence = Evidence.from_scores(*scores)
        beaten, tied = naive_counts(*scores)
        assert evidence.beaten.tolist() == beaten
        assert evidence.tied.tolist() == tied
        assert evidence.tied.any()
        assert set(evidence.rivals) == {24}

    @pytest.mark.parametrize("kind", ["list", "float32", "int", "fortran", "memmap", "pandas", "polars", "torch"])
    def test_every_kind_of_table(self, scores, kind, tmp_path):
        matrix, labels = scores
        matrix = np.rint(matrix * 10)  # exact in every type
        expected = Evidence.from_scores(matrix, labels)
        if kind == "list":
            given = matrix.tolist()
        elif kind == "float32":
            given = matrix.astype(np.float32)
        elif kind == "int":
            given = matrix.astype(np.int16)
        elif kind == "fortran":
            given = np.asfortranarray(matrix)
        elif kind == "memmap":
            np.save(tmp_path / "scores.npy", matrix)
            given = np.load(tmp_path / "scores.npy", mmap_mode="r")
        elif kind == "pandas":
            given = pd.DataFrame(matrix)
        elif kind == "polars":
            given = pl.DataFrame(matrix)
        else:
            given = pytest.importorskip("torch").tensor(matrix, requires_grad=True)
        assert same_counts(Evidence.from_scores(given, labels), expected)

    def test_a_memmap_is_not_copied(self, scores, tmp_path):
        np.save(tmp_path / "scores.npy", scores[0])
        mapped = np.load(tmp_path / "scores.npy", mmap_mode="r")
        assert Evidence.from_scores(mapped, scores[1]).scores.matrix is mapped

    @pytest.mark.parametrize(
        "make",
        [
            list,
            np.array,
            pd.Series,
            pd.Categorical,
            pl.Series,
            lambda names: np.array(names, dtype=object),
        ],
        ids=["list", "numpy", "pandas", "categorical", "polars", "object"],
    )
    def test_string_labels_are_looked_up_among_the_classes(self, scores, make):
        matrix, labels = scores
        named = Evidence.from_scores(matrix, make([NAMES[i] for i in labels]), classes=NAMES)
        assert same_counts(named, Evidence.from_scores(matrix, labels))
        assert named.classes.tolist() == NAMES

    @pytest.mark.parametrize(
        "make",
        [list, np.array, pd.Index, pd.Series, pl.Series, lambda names: np.array(names, dtype=object)],
        ids=["list", "numpy", "index", "series", "polars", "object"],
    )
    def test_classes_of_every_kind(self, scores, make):
        matrix, labels = scores
        named = Evidence.from_scores(matrix, [NAMES[i] for i in labels], classes=make(NAMES))
        assert same_counts(named, Evidence.from_scores(matrix, labels))

    @pytest.mark.parametrize(
        "make",
        [
            pd.Series,
            pl.Series,
            lambda y: pd.Series(y, dtype="Int64"),
            lambda y: np.array(y, dtype=object),
            lambda y: [float(v) for v in y],
        ],
        ids=["pandas", "polars", "nullable", "object", "whole floats"],
    )
    def test_integer_labels_of_every_kind(self, scores, make):
        matrix, labels = scores
        assert same_counts(Evidence.from_scores(matrix, make(labels)), Evidence.from_scores(matrix, labels))

    def test_torch_labels(self, scores):
        torch = pytest.importorskip("torch")
        matrix, labels = scores
        found = Evidence.from_scores(torch.tensor(matrix), torch.tensor(labels))
        assert same_counts(found, Evidence.from_scores(matrix, labels))

    @pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
    def test_a_frame_names_the_classes(self, scores, frame):
        matrix, labels = scores
        table = frame({name: matrix[:, i] for i, name in enumerate(NAMES)})
        by_name = Evidence.from_scores(table, [NAMES[i] for i in labels])
        by_number = Evidence.from_scores(table, labels)
        assert same_counts(by_name, by_number)
        assert by_name.classes.tolist() == NAMES

    def test_unsorted_class_names_find_their_columns(self):
        evidence = Evidence.from_scores([[9, 1, 2], [1, 2, 9]], ["z", "a"], classes=["z", "m", "a"])
        assert evidence.beaten.tolist() == [2, 2]
        assert evidence.label.tolist() == [0, 2]

    def test_integer_names_are_names_and_not_columns(self):
        evidence = Evidence.from_scores([[9, 1, 2], [1, 2, 9]], [2, 0], classes=[2, 1, 0])
        assert evidence.label.tolist() == [0, 2]

    def test_distances(self, scores):
        matrix, labels = scores
        near = Evidence.from_scores(-matrix, labels, higher_is_better=False)
        assert same_counts(near, Evidence.from_scores(matrix, labels))
        assert np.array_equal(near.scores.block(slice(0, 5)), matrix[:5])

    def test_unsigned_distances_do_not_wrap_round(self):
        evidence = Evidence.from_scores(np.array([[0, 5, 9], [7, 0, 9]], np.uint8), [0, 1], higher_is_better=False)
        assert evidence.beaten.tolist() == [2, 2]

    @pytest.mark.parametrize("scale", [1e-300, 1e300])
    def test_extreme_scales(self, scores, scale):
        matrix, labels = scores
        assert same_counts(Evidence.from_scores(matrix * scale, labels), Evidence.from_scores(matrix, labels))

    def test_classes_without_examples_still_compete(self, scores):
        matrix, labels = scores
        few = labels < 3
        evidence = Evidence.from_scores(matrix[few], labels[few])
        assert evidence.k1 == 25
        assert "22 classes have none and only compete" in repr(evidence)

    def test_classes_count_equally(self):
        evidence = Evidence.from_scores([[2, 1], [2, 1], [2, 1], [2, 1]], [0, 0, 0, 1])
        assert evidence.accuracy == pytest.approx(0.5)
        assert evidence.weight.sum() == pytest.approx(1)

    def test_examples_count_equally_if_asked(self):
        evidence = Evidence.from_scores([[2, 1], [2, 1], [2, 1], [2, 1]], [0, 0, 0, 1], weighting="example")
        assert evidence.accuracy == pytest.approx(0.75)

    def test_a_tie_is_half_a_win(self):
        evidence = Evidence.from_scores([[1, 1, 0], [0, 2, 1]], [0, 1])
        assert evidence.accuracy == pytest.approx(0.75)


S = np.random.default_rng(3).normal(size=(30, 5))
Y = np.arange(30) % 5


def spoiled(value):
    matrix = S.copy()
    matrix[7, 3] = value
    return matrix


BAD_SCORES = {
    "nan": (lambda: Evidence.from_scores(spoiled(np.nan), Y), "found nan at row 7, column 3: drop"),
    "inf": (lambda: Evidence.from_scores(spoiled(-np.inf), Y), "found -inf at row 7, column 3"),
    "label too large": (lambda: Evidence.from_scores(S, Y + 1), "column numbers 0 to 4, found 5"),
    "label negative": (lambda: Evidence.from_scores(S, Y - 1), "column numbers 0 to 4, found -1"),
    "label fractional": (lambda: Evidence.from_scores(S, Y + 0.5), "labels must be whole numbers"),
    "label nan": (lambda: Evidence.from_scores(S, np.where(Y == 3, np.nan, Y)), "labels must be whole"),
    "labels short": (lambda: Evidence.from_scores(S, Y[:-1]), "labels has 29 entries for 30 rows"),
    "labels two-dimensional": (lambda: Evidence.from_scores(S, Y[:, None]), "flat list, found 2 dimensions"),
    "labels unknown": (
        lambda: Evidence.from_scores(S, ["q", *"abcde" * 5, *"abcd"], classes=list("abcde")),
        "1 values that are not among the 5 classes, e.g. q",
    ),
    "labels of another kind": (lambda: Evidence.from_scores(S, Y, classes=list("abcde")), "use the same kind"),
    "strings without classes": (lambda: Evidence.from_scores(S, list("abcde") * 6), "classes="),
    "transposed": (lambda: Evidence.from_scores(S.T, Y), "scores may be transposed"),
    "transposed with names": (
        lambda: Evidence.from_scores(S.T, np.array(list("abcde"))[Y], classes=list("abcde")),
        "transposed",
    ),
    "one class": (lambda: Evidence.from_scores(S[:, :1], Y * 0), "at least 2 classes"),
    "one dimension": (lambda: Evidence.from_scores(S[0], Y), "two dimensions"),
    "no rows": (lambda: Evidence.from_scores(S[:0], Y[:0]), "no rows"),
    "all tied": (lambda: Evidence.from_scores(S * 0, Y), "all scores are tied"),
    "ragged": (lambda: Evidence.from_scores([[1, 2], [3]], [0, 1]), "not a rectangular table"),
    "text": (lambda: Evidence.from_scores([["a", "b"]], [0]), "must be numbers"),
    "complex": (lambda: Evidence.from_scores(S + 0j, Y), "must be numbers"),
    "names missing": (lambda: Evidence.from_scores(S, Y, classes=list("abcd")), "4 names for 5 columns"),
    "names repeated": (lambda: Evidence.from_scores(S, Y, classes=[0, 1, 2, 3, 3]), "not unique"),
    "weighting": (lambda: Evidence.from_scores(S, Y, weighting="row"), "weighting must be"),
}
G = np.random.default_rng(4).normal(size=(6, 3))
BAD_EMBEDDINGS = {
    "nan": (lambda: Evidence.from_embeddings(np.full((6, 3), np.nan), range(6), G, range(6)), "gallery holds NaN"),
    "inf probes": (lambda: Evidence.from_embeddings(G, range(6), G / 0.0, range(6)), "probes holds NaN or inf"),
    "dimensions": (lambda: Evidence.from_embeddings(G, range(6), G[:, :2], range(6)), "3 dimensions, probes have 2"),
    "flat": (lambda: Evidence.from_embeddings(G[0], range(3), G, range(6)), "gallery must have two dimensions"),
    "scalar": (lambda: Evidence.from_embeddings(3.0, [0], G, range(6)), "gallery must have two dimensions"),
    "one class": (lambda: Evidence.from_embeddings(G, [0] * 6, G, [0] * 6), "at least 2 classes, found 1"),
    "not in gallery": (
        lambda: Evidence.from_embeddings(G, range(6), G, [0, 1, 2, 3, 4, 9]),
        "probe_labels holds 1 values that are not among the 6 classes, e.g. 9",
    ),
    "label count": (lambda: Evidence.from_embeddings(G, range(5), G, range(6)), "gallery_labels has 5 entries"),
    "zero vector": (
        lambda: Evidence.from_embeddings(G * 0, range(6), G, range(6), similarity="cosine"),
        "zero vector",
    ),
    "similarity": (
        lambda: Evidence.from_embeddings(G, range(6), G, range(6), similarity="manhattan"),
        "similarity must be one of euclidean, sqeuclidean, cosine, dot, not 'manhattan'",
    ),
    "exemplars": (
        lambda: Evidence.from_embeddings(G, range(6), G, range(6), exemplars="median"),
        "exemplars must be 'nearest' or 'mean'",
    ),
    "all tied": (lambda: Evidence.from_embeddings(np.ones((6, 3)), range(6), G, range(6)), "tied"),
}
BAD_RANKS = {
    "zero": (lambda: Evidence.from_ranks([0, 1], 5), "ranks start at 1 (best), found 0"),
    "negative": (lambda: Evidence.from_ranks([-3, 1], 5), "found -3"),
    "above candidates": (lambda: Evidence.from_ranks([1, 6], 5), "example 1 has rank 6 among 5 candidates"),
    "above own candidates": (lambda: Evidence.from_ranks([1, 6], [9, 5]), "example 1 has rank 6 among 5"),
    "one candidate": (lambda: Evidence.from_ranks([1, 1], 1), "at least 2 candidates, found 1"),
    "fraction": (lambda: Evidence.from_ranks([1.5, 2], 5), "rank must be whole numbers"),
    "nan": (lambda: Evidence.from_ranks([np.nan, 2], 5), "rank must be whole numbers"),
    "empty": (lambda: Evidence.from_ranks([], 5), "one or more ranks"),
    "scalar": (lambda: Evidence.from_ranks(3, 5), "list of one or more ranks"),
    "candidates of other length": (lambda: Evidence.from_ranks([1, 2, 3], [5, 5]), "candidates"),
    "labels of other length": (lambda: Evidence.from_ranks([1, 2, 3], 5, [0, 1]), "labels has 2 entries for 3"),
    "tied negative": (lambda: Evidence.from_ranks([1, 2], 5, tied=[-1, 0]), "tied"),
    "tied of other length": (lambda: Evidence.from_ranks([1, 2], 5, tied=[0]), "tied"),
    "too many tied": (lambda: Evidence.from_ranks([1, 3], 5, tied=[0, 3]), "tied"),
    "text": (lambda: Evidence.from_ranks(["first"], 5), "rank must be numbers"),
}
BAD = {
    f"{kind}: {name}": case
    for kind, cases in {"scores": BAD_SCORES, "embeddings": BAD_EMBEDDINGS, "ranks": BAD_RANKS}.items()
    for name, case in cases.items()
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_with_one_helpful_line(name):
    make, part = BAD[name]
    with np.errstate(divide="ignore"), pytest.raises(InputError) as caught:
        make()
    assert part in str(caught.value)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, RankcastError)
    assert isinstance(caught.value, ValueError)


class TestBelowChance:
    def test_distances_given_as_scores(self, scores):
        matrix, labels = scores
        with pytest.warns(BelowChanceWarning, match=r"below chance.*distances.*higher_is_better=False"):
            Evidence.from_scores(-matrix, labels)

    def test_the_warning_points_at_the_caller(self, scores):
        with pytest.warns(BelowChanceWarning) as from_scores:
            Evidence.from_scores(-scores[0], scores[1])
        with pytest.warns(BelowChanceWarning) as from_ranks:
            Evidence.from_ranks(np.full(100, 95), 100)
        assert {w.filename for w in [*from_scores, *from_ranks]} == {__file__}

    def test_chance_itself_is_no_reason_to_warn(self, rng):
        Evidence.from_scores(rng.normal(size=(200, 20)), np.arange(200) % 20)

    def test_low_accuracy_alone_is_no_reason_to_warn(self):
        Evidence.from_ranks(np.full(200, 30), 100)


class TestFromEmbeddings:
    @staticmethod
    def naive(gallery, owner, probes, similarity, exemplars):
        """Score every probe against every class, one pair at a time."""
        table = np.empty((len(probes), owner.max() + 1))
        for i, probe in enumerate(probes):
            for c in range(owner.max() + 1):
                vectors = gallery[owner == c]
                vectors = [vectors.mean(axis=0)] if exemplars == "mean" else vectors
                table[i, c] = max(TestFromEmbeddings.similarity(probe, v, similarity) for v in vectors)
        return table

    @staticmethod
    def similarity(a, b, kind):
        if kind == "dot":
            return float(np.dot(a, b))
        if kind == "cosine":
            return float(np.dot(a, b) / np.linalg.norm(a) / np.linalg.norm(b))
        distance = float(np.linalg.norm(a - b))
        return -(distance**2) if kind == "sqeuclidean" else -distance

    @pytest.mark.parametrize("similarity", ["euclidean", "sqeuclidean", "cosine", "dot"])
    @pytest.mark.parametrize("exemplars", ["nearest", "mean"])
    @pytest.mark.parametrize("several", [False, True], ids=["one exemplar", "several exemplars"])
    def test_equals_a_naive_implementation(self, rng, similarity, exemplars, several):
        owner = np.arange(8) if not several else rng.permutation(np.r_[np.arange(8), rng.integers(8, size=14)])
        gallery = rng.normal(size=(len(owner), 5))
        probe_labels = rng.integers(8, size=40)
        probes = gallery[[np.nonzero(owner == c)[0][0] for c in probe_labels]] + rng.normal(size=(40, 5))
        evidence = Evidence.from_embeddings(
            gallery, owner, probes, probe_labels, similarity=similarity, exemplars=exemplars
        )
        table = self.naive(gallery, owner, probes, similarity, exemplars)
        assert (evidence.beaten.tolist(), evidence.tied.tolist()) == naive_counts(table, probe_labels)
        np.testing.assert_allclose(evidence.scores.block(slice(0, 40)), table, atol=1e-7)

    def test_gallery_classes_without_probes_compete(self):
        evidence = Evidence.from_embeddings([[0.0], [1.0], [4.0], [5.0]], list("abcd"), [[0.9]], ["a"])
        assert (evidence.k1, evidence.beaten.tolist()) == (4, [2])

    def test_string_labels(self, rng):
        vectors = rng.normal(size=(6, 3))
        names = ["f", "b", "e", "a", "c", "d"]
        evidence = Evidence.from_embeddings(vectors, names, vectors, names)
        assert evidence.beaten.tolist() == [5] * 6
        assert evidence.classes.tolist() == sorted(names)

    def test_torch_tensors(self, rng):
        torch = pytest.importorskip("torch")
        gallery, probes = rng.normal(size=(2, 9, 4))
        tensors = (torch.tensor(gallery), torch.arange(9), torch.tensor(probes), torch.arange(9))
        expected = Evidence.from_embeddings(gallery, range(9), probes, range(9))
        assert same_counts(Evidence.from_embeddings(*tensors), expected)


class TestFromRanks:
    def test_equals_scores(self, scores):
        evidence = Evidence.from_scores(*scores)
        rank = 1 + evidence.rivals - evidence.beaten - evidence.tied
        again = Evidence.from_ranks(rank, 25, scores[1], tied=evidence.tied)
        assert same_counts(again, evidence)
        assert again.accuracy == evidence.accuracy

    def test_candidates_for_each_example(self):
        evidence = Evidence.from_ranks([1, 3, 2], [10, 20, 5])
        assert evidence.rivals.tolist() == [9, 19, 4]
        assert evidence.beaten.tolist() == [9, 17, 3]
        assert evidence.k1 == 5

    def test_whole_floats_and_series(self):
        for given in ([1.0, 3.0], pd.Series([1, 3]), pl.Series([1, 3]), np.array([1, 3], np.uint8)):
            assert Evidence.from_ranks(given, 10).beaten.tolist() == [9, 7]

    def test_labels_make_classes_count_equally(self):
        assert Evidence.from_ranks([1, 1, 1, 2], 3, list("aaab")).accuracy == pytest.approx(0.5)
        assert Evidence.from_ranks([1, 1, 1, 2], 3).accuracy == pytest.approx(0.75)


class TestSubset:
    CLASSES = (1, 4, 5, 11, 17, 24)

    def test_equals_recomputing_from_the_submatrix(self, scores):
        matrix, labels = scores
        rows = np.isin(labels, self.CLASSES)
        direct = Evidence.from_scores(matrix[np.ix_(rows, self.CLASSES)], labels[rows], classes=np.array(self.CLASSES))
        part = Evidence.from_scores(matrix, labels).subset(self.CLASSES)
        assert same_counts(part, direct)
        assert part.classes.tolist() == list(self.CLASSES)
        np.testing.assert_array_equal(part.weight, direct.weight)
        np.testing.assert_array_equal(part.scores.block(slice(0, 9)), direct.scores.block(slice(0, 9)))

    def test_by_name_in_any_order(self, scores):
        matrix, labels = scores
        named = Evidence.from_scores(matrix, [NAMES[i] for i in labels], classes=NAMES)
        part = named.subset([NAMES[i] for i in reversed(self.CLASSES)])
        assert same_counts(part, Evidence.from_scores(matrix, labels).subset(self.CLASSES))

    @pytest.mark.parametrize("similarity", ["euclidean", "cosine"])
    def test_of_embeddings(self, rng, similarity):
        owner = np.arange(30) % 10
        gallery, probes = rng.normal(size=(2, 30, 4))
        evidence = Evidence.from_embeddings(gallery, owner, probes, owner, similarity=similarity)
        chosen = np.isin(owner, (2, 3, 7))
        direct = Evidence.from_embeddings(
            gallery[chosen], owner[chosen], probes[chosen], owner[chosen], similarity=similarity
        )
        part = evidence.subset((2, 3, 7))
        assert same_counts(part, direct)
        assert same_counts(part.subset((2, 7)), evidence.subset((2, 7)))

    def test_refusals(self, scores):
        evidence = Evidence.from_scores(*scores)
        with pytest.raises(InputError, match="at least 2 classes"):
            evidence.subset([3])
        with pytest.raises(InputError, match="not among the 25 classes"):
            evidence.subset([3, 99])
        with pytest.raises(InputError, match="ranks only"):
            Evidence.from_ranks([1, 2], 5, [0, 1]).subset([0, 1])
        with pytest.raises(InputError, match="no class labels"):
            Evidence.from_ranks([1, 2], 5).subset([0, 1])
        with pytest.raises(InputError, match="none of these classes has a test example"):
            Evidence.from_scores(scores[0][:2], [0, 1]).subset([5, 6])


class TestMerge:
    def test_parts_of_the_examples_make_the_whole(self, scores):
        matrix, labels = scores
        whole = Evidence.from_scores(matrix, labels)
        parts = [Evidence.from_scores(matrix[i : i + 30], labels[i : i + 30]) for i in (0, 30, 60)]
        merged = parts[0].merge(*parts[1:])
        assert same_counts(merged, whole)
        np.testing.assert_allclose(merged.weight, whole.weight)
        assert same_counts(merged.subset([1, 2, 3]), whole.subset([1, 2, 3]))

    def test_embeddings_of_one_gallery(self, rng):
        gallery, probes = rng.normal(size=(2, 8, 3))
        halves = (np.arange(4), np.arange(4, 8))
        parts = [Evidence.from_embeddings(gallery, range(8), probes[half], half) for half in halves]
        whole = Evidence.from_embeddings(gallery, range(8), probes, range(8))
        merged = parts[0].merge(parts[1])
        assert same_counts(merged, whole)
        assert same_counts(merged.subset([0, 5, 6]), whole.subset([0, 5, 6]))

    def test_ranks_with_and_without_labels(self):
        plain = Evidence.from_ranks([1, 2], 10).merge(Evidence.from_ranks([3], 20))
        assert plain.rivals.tolist() == [9, 9, 19]
        named = Evidence.from_ranks([1, 2], 10, ["a", "b"]).merge(Evidence.from_ranks([3, 4], 10, ["b", "c"]))
        assert named.classes.tolist() == ["a", "b", "c"]
        np.testing.assert_allclose(named.weight, [1 / 3, 1 / 6, 1 / 6, 1 / 3])
        with pytest.raises(InputError, match="with labels and evidence without"):
            plain.merge(named)

    def test_refusals(self, scores):
        evidence = Evidence.from_scores(*scores)
        with pytest.raises(InputError, match="different classes"):
            evidence.merge(evidence.subset([1, 2, 3]))
        with pytest.raises(InputError, match="weighted by class"):
            evidence.merge(Evidence.from_scores(*scores, weighting="example"))


class TestFiles:
    @pytest.mark.parametrize("kind", ["scores", "names", "distances", "embeddings", "ranks", "unlabelled"])
    def test_round_trip(self, kind, scores, rng, tmp_path):
        matrix, labels = scores
        vectors = rng.normal(size=(2, 9, 3))
        made = {
            "scores": lambda: Evidence.from_scores(matrix, labels, weighting="example"),
            "names": lambda: Evidence.from_scores(matrix, [NAMES[i] for i in labels], classes=NAMES),
            "distances": lambda: Evidence.from_scores(-matrix, labels, higher_is_better=False),
            "embeddings": lambda: Evidence.from_embeddings(
                vectors[0], np.arange(9) // 2, vectors[1], np.arange(9) // 2, similarity="cosine"
            ),
            "ranks": lambda: Evidence.from_ranks([1, 2, 3], [9, 8, 7], ["x", "y", "y"], tied=[0, 1, 2]),
            "unlabelled": lambda: Evidence.from_ranks([1, 2, 3], 9),
        }[kind]()
        made.save(tmp_path / "e.npz")
        found = Evidence.load(tmp_path / "e.npz")
        assert same_counts(found, made)
        np.testing.assert_array_equal(found.weight, made.weight)
        assert found.weighting == made.weighting
        assert repr(found) == repr(made)
        assert found.fingerprint == made.fingerprint
        if made.classes is None:
            assert found.classes is None
        else:
            assert found.classes.tolist() == made.classes.tolist()
        if made.scores is not None:
            np.testing.assert_array_equal(found.scores.block(slice(0, 9)), made.scores.block(slice(0, 9)))
            assert same_counts(found.subset(made.classes[:3]), made.subset(made.classes[:3]))

    @pytest.mark.parametrize("dtype", [object, "U7"])
    def test_no_pickles_are_written(self, scores, tmp_path, dtype):
        names = np.array(NAMES, dtype=dtype)
        Evidence.from_scores(scores[0], names[scores[1]], classes=names).save(tmp_path / "e.npz")
        with np.load(tmp_path / "e.npz", allow_pickle=False) as archive:
            assert all(archive[name].dtype != object for name in archive.files)

    def test_scores_can_be_left_out(self, scores, tmp_path):
        Evidence.from_scores(*scores).save(tmp_path / "e.npz", scores=False)
        assert Evidence.load(tmp_path / "e.npz").scores is None


class TestPrinting:
    def test_says_what_was_measured(self, scores):
        text = repr(Evidence.from_scores(*scores))
        evidence = Evidence.from_scores(*scores)
        assert text.startswith("Evidence on 25 classes: 75 test examples, each against 24 rivals")
        assert "3 test examples" in text
        assert f"{np.mean(evidence.tied > 0):.1%} of examples tie with a rival" in text
        assert f"accuracy   {evidence.accuracy:.4f}" in text

    def test_ranks_with_different_rivals(self):
        text = repr(Evidence.from_ranks([1, 2, 3], [10, 2000, 30]))
        assert "9 to 1,999 rivals" in text
        assert "ties       none" in text
        assert "rank methods only" in text


class TestHistogram:
    def test_random_ties_are_spread_evenly(self):
        lost, rivals, weight = Evidence.from_ranks([2, 4], 10, tied=[2, 0]).histogram()
        assert rivals.tolist() == [9] * len(lost)
        found = dict(zip(lost.tolist(), weight, strict=True))
        assert found == pytest.approx({1: 1 / 6, 2: 1 / 6, 3: 1 / 6 + 1 / 2})

    @pytest.mark.parametrize(("ties", "places"), [("for", [1, 3]), ("against", [3])])
    def test_other_conventions(self, ties, places):
        lost, _, weight = Evidence.from_ranks([2, 4], 10, tied=[2, 0]).histogram(ties)
        assert lost.tolist() == places
        assert weight.sum() == pytest.approx(1)

    def test_unknown_convention(self):
        with pytest.raises(InputError, match="ties must be"):
            Evidence.from_ranks([2, 4], 10).histogram("coin")

    @pytest.mark.parametrize("ties", ["random", "for", "against"])
    def test_weights_sum_to_one_with_many_ties(self, rng, ties):
        rank = rng.integers(1, 400, size=3000)
        evidence = Evidence.from_ranks(rank, 1000, rng.integers(50, size=3000), tied=rng.integers(0, 500, size=3000))
        lost, rivals, weight = evidence.histogram(ties)
        assert weight.sum() == pytest.approx(1, abs=1e-12)
        assert weight.min() > 0
        assert np.all(lost <= rivals)

    def test_compress_keeps_the_curve(self, scores):
        evidence = Evidence.from_scores(*scores)
        merged, where = evidence.compress()
        assert len(merged) < len(evidence)
        np.testing.assert_array_equal(merged.beaten[where], evidence.beaten)
        np.testing.assert_allclose(curve(merged, range(1, 26)), curve(evidence, range(1, 26)), rtol=1e-13)


def test_evidence_is_frozen(measured):
    with pytest.raises(AttributeError):
        measured.beaten = None


def test_reweight_scales_to_one(measured, rng):
    weight = rng.random(len(measured))
    assert measured.reweight(weight).weight.sum() == pytest.approx(1)


def test_fingerprint_changes_with_the_data(scores):
    matrix, labels = scores
    one = Evidence.from_scores(matrix, labels).fingerprint
    assert one == Evidence.from_scores(matrix.tolist(), labels).fingerprint
    matrix[0, labels[0]] -= 5
    assert one != Evidence.from_scores(matrix, labels).fingerprint
