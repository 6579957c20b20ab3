"""Evidence: what was measured, and nothing that was guessed."""

import hashlib
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ._typing import Array, BoolArray, FloatArray, IntArray, Seed
from .counts import Weighting, example_weights, span, tally
from .errors import BelowChanceWarning, InputError, warn
from .merging import Shard
from .ranking import Scores, ScoreTable, count_within
from .tables import check_labels, encode_labels, names_of, plain, to_numpy, whole_numbers


@dataclass(frozen=True, eq=False, repr=False)
class Evidence:
    """For each test example, how many of its rivals the true class beat, and how many it tied with.

    Make one with :meth:`from_scores`, :meth:`from_embeddings`, :meth:`from_ranks` or :meth:`from_classifier`.

    Attributes
    ----------
    beaten, tied, rivals : ndarray of int
        For each example: rivals that score below its true class, level with it, and all of them.
    label : ndarray of int
        Position in ``classes`` of each example's true class.
    classes : ndarray or None
        Names of the classes. None if ranks were given without labels: each example is then its own class.
    weight : ndarray of float
        Share of each example in every average; sums to one. Classes count equally unless asked otherwise.
    scores : Scores or None
        Where the scores can be read again, for the methods that need them.
    shard : Shard or None
        Which probes met which classes, if they were embeddings: what :meth:`merge` goes by.
    """

    beaten: IntArray
    tied: IntArray
    rivals: IntArray
    label: IntArray
    classes: Array | None
    weight: FloatArray
    scores: Scores | None = None
    weighting: Weighting = field(default="class")
    shard: Shard | None = None

    @classmethod
    def from_scores(
        cls,
        scores: Any,
        labels: Any,
        *,
        classes: Any = None,
        higher_is_better: bool = True,
        weighting: Weighting = "class",
    ) -> "Evidence":
        """Evidence from a matrix of scores, one row per test example and one column per class.

        Parameters
        ----------
        scores : array, memmap, nested lists, pandas or polars frame, torch tensor; shape (examples, classes)
            Kept by reference, not copied, unless it has to be converted.
        labels : array of int or str
            True class of each row: a column number, or one of ``classes``.
        classes : sequence, optional
            Names of the columns; a frame brings its own.
        higher_is_better : bool
            False for distances.
        weighting : {"class", "example"}
            Whether classes or examples count equally in averages.

        Examples
        --------
        >>> ev = Evidence.from_scores([[3, 1, 2], [1, 2, 3], [1, 1, 2]], [0, 1, 2])
        >>> ev.beaten, ev.tied, ev.rivals
        (array([2, 1, 2]), array([0, 0, 0]), array([2, 2, 2]))
        """
        names = names_of(scores) if classes is None else plain(classes, "classes")
        matrix = to_numpy(scores, "scores")
        if matrix.ndim != 2:
            raise InputError(f"scores must have two dimensions (examples × classes), found {matrix.ndim}")
        rows, columns = matrix.shape
        if columns < 2:
            raise InputError(f"scores need at least 2 classes (columns) to rank, found {columns}")
        if names is not None and len(names) != columns:
            hint = ": scores may be transposed (rows are examples)" if len(names) == rows else ""
            raise InputError(f"classes has {len(names)} names for {columns} columns of scores{hint}")
        given = check_labels(labels, rows, matrix.shape)
        label = encode_labels(given, names, columns, strict=classes is not None)
        table = ScoreTable(matrix, higher_is_better)
        beaten, tied = table.count(label)
        return cls.counted(table, beaten, tied, label, np.arange(columns) if names is None else names, weighting)

    @classmethod
    def from_embeddings(
        cls,
        gallery: Any,
        gallery_labels: Any,
        probes: Any,
        probe_labels: Any,
        *,
        similarity: str = "euclidean",
        exemplars: str = "nearest",
        weighting: Weighting = "class",
        gallery_scale: Any = None,
        probe_scale: Any = None,
        memory: str | int = "1GB",
        precision: str = "float32",
        checkpoint: str | Path | None = None,
        truth: Any = None,
        truth_labels: Any = None,
        truth_scale: Any = None,
        max_probes: int | None = None,
        max_rivals: int | None = None,
        rng: Seed = None,
    ) -> "Evidence":
        """Evidence from embeddings: each probe is matched against a gallery of labelled vectors.

        The scores are computed in blocks and compared at once: a matrix of examples × classes never exists. Products
        are added up in float32, and whatever its rounding could decide is computed again in float64, so the counts
        are those of float64 (see ``rankcast.kernel``).

        Parameters
        ----------
        gallery, probes : array or tensor of shape (exemplars, d) and (examples, d), or path
            Vectors of the classes and of the test examples. Files (.npy, .safetensors, .parquet, .h5, .zarr) are read
            in blocks; ``FILE::NAME`` names an array in one. Labels may be paths too.
        gallery_labels, probe_labels : array of int or str
            Their classes. Every class of a probe must be in the gallery; the converse need not hold.
        similarity : {"euclidean", "sqeuclidean", "cosine", "dot"}
            Distances are negated, so that higher is better.
        exemplars : {"nearest", "mean"}
            For classes with several exemplars: the score of the nearest, or of the mean vector.
        weighting : {"class", "example"}
            Whether classes or examples count equally in averages.
        gallery_scale, probe_scale : float or array, optional
            For quantised vectors (int8): what the stored numbers are multiplied by, one number or one per vector.
        memory : str or int
            Budget for the work beside the inputs, such as ``"1GB"``.
        precision : {"float32", "float64"}
            In which products are added up. The counts are the same; float64 takes twice the time.
        checkpoint : path, optional
            A file to continue from if the work was interrupted; written every half minute, and when it stops.
        truth, truth_labels, truth_scale : array, optional
            Vectors of the probes' own classes, if the gallery is a shard that may lack them; all exemplars of each
            class. The evidence of several shards is put together with :meth:`merge`.
        max_probes, max_rivals : int, optional
            Random subsets of the probes, and of the classes they are ranked against, where the full product is not
            worth it. With ``max_rivals`` the evidence holds ranks only.
        rng : int, Generator or None
            Seed of the subsets.

        Examples
        --------
        >>> ev = Evidence.from_embeddings([[0.0], [1.0], [4.0]], ["a", "b", "c"], [[0.9], [3.0]], ["a", "c"])
        >>> ev.beaten
        array([1, 2])
        """
        from .matching import match

        return match(
            gallery,
            gallery_labels,
            probes,
            probe_labels,
            similarity=similarity,
            exemplars=exemplars,
            weighting=weighting,
            gallery_scale=gallery_scale,
            probe_scale=probe_scale,
            memory=memory,
            precision=precision,
            checkpoint=checkpoint,
            truth=truth,
            truth_labels=truth_labels,
            truth_scale=truth_scale,
            max_probes=max_probes,
            max_rivals=max_rivals,
            rng=rng,
        )

    @classmethod
    def from_ranks(
        cls,
        rank: Any,
        candidates: Any,
        labels: Any = None,
        *,
        tied: Any = None,
        weighting: Weighting = "class",
    ) -> "Evidence":
        """Evidence from the rank of the truth among the candidates; rank 1 is best.

        Parameters
        ----------
        rank : array of int
            One more than the number of candidates that score above the truth.
        candidates : int or array of int
            Number of candidates ranked, the truth included; one number, or one for each example.
        labels : array, optional
            True classes, so that they count equally; without them examples do.
        tied : array of int, optional
            Number of other candidates level with the truth.
        weighting : {"class", "example"}
            Whether classes or examples count equally in averages.

        Examples
        --------
        >>> Evidence.from_ranks([1, 3, 100], candidates=100).beaten
        array([99, 97,  0])
        """
        place = whole_numbers(rank, "rank")
        total = whole_numbers(candidates, "candidates")
        total = np.full_like(place, total) if total.ndim == 0 else total
        level = np.zeros_like(place) if tied is None else whole_numbers(tied, "tied")
        if place.ndim != 1 or len(place) == 0:
            raise InputError(f"rank must be a list of one or more ranks, found shape {place.shape}")
        for name, array in (("candidates", total), ("tied", level)):
            if array.shape != place.shape:
                raise InputError(f"{name} has shape {array.shape} for {len(place)} ranks")
        if place.min() < 1:
            raise InputError(f"ranks start at 1 (best), found {int(place.min())}: are they counted from 0?")
        if total.min() < 2:
            raise InputError(f"each example needs at least 2 candidates, found {int(total.min())}")
        if level.min() < 0:
            raise InputError(f"tied counts other candidates, found {int(level.min())}")
        if np.any(place + level > total):
            worst = int(np.argmax(place + level - total))
            others = f" (and {level[worst]} tied)" if level[worst] else ""
            raise InputError(
                f"example {worst} has rank {place[worst]}{others} among {total[worst]} candidates: "
                "a rank cannot exceed the number of candidates (which includes the truth)"
            )
        if labels is None:
            names, label = None, np.arange(len(place))
        else:
            names, label = np.unique(check_labels(labels, len(place), place.shape), return_inverse=True)
        made = cls(
            beaten=total - place - level,
            tied=level,
            rivals=total - 1,
            label=label.astype(np.int64),
            classes=names,
            weight=example_weights(label, weighting),
            weighting=weighting,
        )
        return made.checked()

    @classmethod
    def from_classifier(cls, classifier: Any, X: Any, y: Any, *, weighting: Weighting = "class") -> "Evidence":
        """Evidence from a fitted scikit-learn classifier and test examples that it was not trained on.

        The scores are its joint log-likelihood, its decision function, or its (log-)probabilities, the first that it
        has. Classifiers that fit each class by itself are known to keep what the theory assumes: Gaussian, multinomial,
        Bernoulli and categorical naive Bayes, QDA, and nearest centroids. Others give a
        :class:`rankcast.errors.NotMarginalWarning`. Pipelines are known by their last step.

        Parameters
        ----------
        classifier : fitted classifier
            With ``classes_``.
        X, y : array
            Test examples and their true classes.
        weighting : {"class", "example"}
            Whether classes or examples count equally in averages.
        """
        from .classifiers import classifier_evidence

        return classifier_evidence(classifier, X, y, weighting)

    @classmethod
    def counted(
        cls,
        source: Scores,
        beaten: IntArray,
        tied: IntArray,
        label: IntArray,
        names: Array,
        weighting: Weighting,
        shard: Shard | None = None,
    ) -> "Evidence":
        """Evidence from the counts of a matrix of scores, which is kept."""
        if np.all(tied == source.shape[1] - 1):
            raise InputError("all scores are tied: every example scores all classes alike, nothing to rank")
        rivals = np.full(len(label), source.shape[1] - 1)
        weight = example_weights(label, weighting)
        return cls(beaten, tied, rivals, label, names, weight, source, weighting, shard).checked()

    def checked(self) -> "Evidence":
        """Warn if the truth does worse than chance."""
        odds = float(self.weight @ ((self.beaten + self.tied / 2) / self.rivals))
        if odds < 0.5 - 2.0 / np.sqrt(len(self.beaten)):
            warn(
                BelowChanceWarning(
                    f"the truth beats a random rival in only {odds:.0%} of pairs, below chance: "
                    "are these distances? then pass higher_is_better=False (--distances)"
                )
            )
        return self

    @property
    def k1(self) -> int:
        """Number of classes measured: the truth and the fewest rivals that an example had."""
        return int(self.rivals.min()) + 1

    def __len__(self) -> int:
        return len(self.beaten)

    @cached_property
    def accuracy(self) -> float:
        """Measured top-1 accuracy, ties broken at random: the mean of 1/(1 + tied) where none was better."""
        best = self.beaten + self.tied == self.rivals
        return float(self.weight @ (best / (1.0 + self.tied)))

    def __repr__(self) -> str:
        per_class = np.bincount(self.label)
        per_class = per_class[per_class > 0]
        many = span(per_class)
        against = span(self.rivals)
        lines = [f"Evidence on {self.k1:,} classes: {len(self):,} test examples, each against {against} rivals"]
        if self.classes is not None:
            silent = len(self.classes) - len(per_class)
            rest = f"; {silent:,} classes have none and only compete" if silent else ""
            lines.append(f"  per class  {many} test example{'' if many == '1' else 's'}{rest}")
        share = np.mean(self.tied > 0)
        ties = f"{share:.1%} of examples tie with a rival" if share else "none"
        kept = "kept: every method can run" if self.scores is not None else "none: rank methods only"
        lines += [f"  ties       {ties}", f"  accuracy   {self.accuracy:.4f} (top-1)", f"  scores     {kept}"]
        return "\n".join(lines)

    def histogram(self, ties: str = "random") -> tuple[IntArray, IntArray, FloatArray]:
        """Weight of each (rivals that outrank the truth, rivals): all that rank methods use.

        Breaking a tie among t rivals at random is the same as spreading the example's weight evenly over
        the t + 1 places it may take.
        """
        above = self.rivals - self.beaten - self.tied
        return tally(above, self.tied, self.rivals, self.weight, ties)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the counts, labels and weights, and of the scores of up to 64 examples and 4096 classes."""
        digest = hashlib.sha256()
        for array in (self.beaten, self.tied, self.rivals, self.label):
            digest.update(np.ascontiguousarray(array, "<i8").tobytes())
        digest.update(np.ascontiguousarray(self.weight, "<f8").tobytes())
        if self.scores is not None:
            rows = np.unique(np.linspace(0, len(self) - 1, 64).astype(np.int64))
            columns = np.unique(np.linspace(0, self.scores.shape[1] - 1, 4096).astype(np.int64))
            sample = self.scores.take(rows, columns).block(slice(0, len(rows)))
            digest.update(np.ascontiguousarray(sample, "<f8").tobytes())
        return digest.hexdigest()

    def reweight(self, weight: FloatArray) -> "Evidence":
        """The same measurements with other weights, scaled to sum to one."""
        return replace(self, weight=weight / weight.sum())

    def compress(self) -> tuple["Evidence", IntArray]:
        """Merge examples with the same counts; also where each example went. Scores are left behind."""
        rows = np.stack([self.beaten, self.tied, self.rivals], axis=1)
        kept, where = np.unique(rows, axis=0, return_inverse=True)
        where = where.ravel().astype(np.int64)
        merged = Evidence(
            beaten=kept[:, 0],
            tied=kept[:, 1],
            rivals=kept[:, 2],
            label=np.arange(len(kept)),
            classes=None,
            weight=np.asarray(np.bincount(where, self.weight, minlength=len(kept)), float),
            weighting="example",
        )
        return merged, where

    def subset(self, classes: Any) -> "Evidence":
        """Evidence among some of the classes only: their examples, ranked against each other.

        Parameters
        ----------
        classes : sequence
            Names of the classes to keep (column numbers if the classes have no names).
        """
        columns = self._columns(classes)
        keep = np.isin(self.label, columns)
        if not keep.any():
            raise InputError("none of these classes has a test example")
        mask = np.zeros((self._scores.shape[1], 1), bool)
        mask[columns] = True
        rows = np.nonzero(keep)[0]
        chosen = self._scores.take(rows, None)
        beaten, tied = count_within(chosen, self.label[rows], mask)
        label = np.searchsorted(columns, self.label[rows])
        return Evidence(
            beaten=beaten[:, 0],
            tied=tied[:, 0],
            rivals=np.full(len(rows), len(columns) - 1),
            label=label,
            classes=self.names[columns],
            weight=example_weights(label, self.weighting),
            scores=self._scores.take(rows, columns),
            weighting=self.weighting,
        )

    def merge(self, *others: "Evidence") -> "Evidence":
        """Put together evidence on different test examples, or on different classes for the same examples.

        Evidence from embeddings remembers its probes and classes. Parts with the same probes and different classes are
        shards of one gallery: their counts add up. Parts that belong together in neither way are refused. Scores are
        kept if different examples have them in the same form.
        """
        from .merging import merge

        return merge((self, *others))

    def within(self, masks: BoolArray) -> tuple[IntArray, IntArray]:
        """Count rivals beaten and tied within many sets of classes at once, for every example.

        ``masks`` is classes × sets; the counts are examples × sets.
        """
        return count_within(self._scores, self.label, masks)

    @property
    def _scores(self) -> Scores:
        if self.scores is None:
            raise InputError("this evidence holds ranks only: which rival beat which example is not known")
        return self.scores

    @property
    def names(self) -> Array:
        """Names of the classes; an error if they have none."""
        if self.classes is None:
            raise InputError("this evidence has no class labels")
        return self.classes

    def _columns(self, classes: Any) -> IntArray:
        wanted = np.unique(np.asarray(classes))
        columns = encode_labels(wanted, self.names, len(self.names), strict=True, what="classes")
        if len(columns) < 2:
            raise InputError(f"a subset needs at least 2 classes, found {len(columns)}")
        return np.sort(columns)

    def save(self, path: str | Path, *, scores: bool = True) -> None:
        """Write to an ``.npz`` file, whole or not at all; with the scores (or embeddings) if it has them."""
        from .files import save_evidence

        save_evidence(self, Path(path), scores=scores)

    @classmethod
    def load(cls, path: str | Path) -> "Evidence":
        """Read a file written by :meth:`save`."""
        from .files import load_evidence

        return load_evidence(Path(path))
