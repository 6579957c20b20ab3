"""Evidence from a fitted scikit-learn classifier."""

from typing import Any

import numpy as np

from ._typing import Array
from .counts import Weighting
from .errors import InputError, NotMarginalWarning, warn
from .evidence import Evidence

# each class's score is fitted on that class's own examples alone
MARGINAL = frozenset(
    {
        "GaussianNB",
        "MultinomialNB",
        "BernoulliNB",
        "CategoricalNB",
        "QuadraticDiscriminantAnalysis",
        "NearestCentroid",
    }
)
_READINGS = ("predict_joint_log_proba", "decision_function", "predict_log_proba", "predict_proba")


def classifier_evidence(classifier: Any, X: Any, y: Any, weighting: Weighting = "class") -> Evidence:
    """See :meth:`rankcast.Evidence.from_classifier`."""
    classes = getattr(classifier, "classes_", None)
    if classes is None:
        raise InputError(f"{_name(classifier)} has no classes_: pass a classifier that is fitted")
    if not is_marginal(classifier):
        warn(
            NotMarginalWarning(
                f"{_name(classifier)} scores a class by comparison with the others it was trained on, so with more "
                "classes it would be another classifier: the forecast is for this one with more like these, fair in "
                "practice but without a guarantee (see docs/diagnose.md#not-marginal)"
            )
        )
    scores = _scores(classifier, X)
    if scores.ndim == 1:  # two classes: the score of the second, against the first
        scores = np.column_stack([-scores, scores])
    if scores.shape[1] != len(classes):
        raise InputError(
            f"{_name(classifier)} gives {scores.shape[1]} scores for {len(classes)} classes: it needs one for each "
            "(for SVC, decision_function_shape='ovr')"
        )
    return Evidence.from_scores(scores, y, classes=classes, weighting=weighting)


def is_marginal(classifier: Any) -> bool:
    """Whether the score of a class depends on that class alone: known for generative classifiers without pooling."""
    last = _last(classifier)
    kinds = {kind.__name__ for kind in type(last).__mro__ if kind.__module__.startswith("sklearn.")}
    if "NearestCentroid" in kinds and (last.shrink_threshold is not None or not _by_distance(last)):
        return False  # centroids were drawn to a common one, or distances are scaled by a common deviation
    return bool(kinds & MARGINAL)


def _by_distance(centroid: Any) -> bool:
    """Whether nearest centroids are found by distance alone: priors, if there are any, are equal."""
    prior = getattr(centroid, "class_prior_", None)
    return prior is None or bool(np.allclose(prior, prior[0]))


def _scores(classifier: Any, X: Any) -> Array:
    last = _last(classifier)
    if type(last).__name__ == "NearestCentroid" and _by_distance(last):
        # its decision_function divides by the pooled deviation, which its predict does not
        from sklearn.metrics import pairwise_distances

        inputs = classifier[:-1].transform(X) if last is not classifier and len(classifier) > 1 else X
        return np.asarray(-pairwise_distances(inputs, last.centroids_, metric=last.metric))
    found = None
    for reading in _READINGS:
        read = getattr(classifier, reading, None)
        if read is None:
            continue
        with np.errstate(divide="ignore"):
            found = np.asarray(read(X))
        if np.isfinite(found).all():  # a vote of none is a log-probability of -inf, but a probability of 0
            return found
    if found is None:
        raise InputError(f"{_name(classifier)} gives no scores: it needs one of {', '.join(_READINGS)}")
    return found


def _last(classifier: Any) -> Any:
    """The classifier at the end of a pipeline."""
    return classifier[-1] if type(classifier).__name__ == "Pipeline" else classifier


def _name(classifier: Any) -> str:
    return type(_last(classifier)).__name__
