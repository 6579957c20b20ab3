"""Evidence from scikit-learn classifiers: scores that rank as they predict, and who is known to be marginal."""

import numpy as np
import pytest

from rankcast import Evidence
from rankcast.errors import InputError, NotMarginalWarning

pytest.importorskip("sklearn")

from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.naive_bayes import ComplementNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

NAMES = np.array(["ant", "bee", "cat", "dog", "eel"])


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    centre = rng.normal(size=(5, 4))
    label = np.repeat(np.arange(5), 40)
    train, test = (np.abs(centre[label] + 0.7 * rng.normal(size=(200, 4))) for _ in range(2))
    return train, NAMES[label], test, NAMES[label]


MARGINAL = [
    GaussianNB(),
    MultinomialNB(),
    QuadraticDiscriminantAnalysis(),
    NearestCentroid(),
    NearestCentroid(metric="manhattan"),
    make_pipeline(StandardScaler(), GaussianNB()),
    make_pipeline(StandardScaler(), NearestCentroid()),
]
OTHERS = [
    LogisticRegression(),
    LinearDiscriminantAnalysis(),
    ComplementNB(),
    NearestCentroid(shrink_threshold=0.1),
    NearestCentroid(priors=[0.4, 0.2, 0.1, 0.2, 0.1]),
    RandomForestClassifier(5, random_state=0),
    KNeighborsClassifier(),
    Perceptron(),
    make_pipeline(StandardScaler(), SVC()),
]


def agrees(evidence, model, data):
    """What it predicts scores best, and the accuracy is its own if there are no ties."""
    test, truth = data[2:]
    best = evidence.beaten + evidence.tied == evidence.rivals
    right = model.predict(test) == truth
    assert np.all(best[right])
    assert np.array_equal(best & (evidence.tied == 0), right & (evidence.tied == 0))


@pytest.mark.parametrize("model", MARGINAL, ids=str)
def test_marginal_ones_are_known(model, data):
    model.fit(*data[:2])
    evidence = Evidence.from_classifier(model, *data[2:])
    agrees(evidence, model, data)
    assert evidence.classes.tolist() == NAMES.tolist()


@pytest.mark.parametrize("model", OTHERS, ids=str)
def test_others_are_warned_about(model, data):
    model.fit(*data[:2])
    with pytest.warns(NotMarginalWarning, match=r"not-marginal"):
        evidence = Evidence.from_classifier(model, *data[2:])
    agrees(evidence, model, data)


def test_the_score_is_the_joint_log_likelihood(data):
    model = GaussianNB().fit(*data[:2])
    evidence = Evidence.from_classifier(model, *data[2:])
    np.testing.assert_allclose(evidence.scores.matrix, model.predict_joint_log_proba(data[2]))


def test_two_classes(data):
    train, label, test, truth = data
    few, tested = np.isin(label, NAMES[:2]), np.isin(truth, NAMES[:2])
    model = QuadraticDiscriminantAnalysis().fit(train[few], label[few])
    evidence = Evidence.from_classifier(model, test[tested], truth[tested])
    assert evidence.accuracy == pytest.approx(model.score(test[tested], truth[tested]))


def test_bad_classifiers(data):
    with pytest.raises(InputError, match="GaussianNB has no classes_: pass a classifier that is fitted"):
        Evidence.from_classifier(GaussianNB(), *data[2:])
    pairs = SVC(decision_function_shape="ovo").fit(*data[:2])
    with pytest.warns(NotMarginalWarning), pytest.raises(InputError, match="10 scores for 5 classes"):
        Evidence.from_classifier(pairs, *data[2:])
    known = GaussianNB().fit(*data[:2])
    with pytest.raises(InputError, match=r"labels holds 1 values that are not among the 5 classes, e\.g\. fox"):
        Evidence.from_classifier(known, data[2], np.where(data[3] == "eel", "fox", data[3]))


def test_no_scores_at_all():
    class Oracle:
        classes_ = NAMES

    with pytest.warns(NotMarginalWarning), pytest.raises(InputError, match="Oracle gives no scores"):
        Evidence.from_classifier(Oracle(), [[0.0]], ["ant"])
