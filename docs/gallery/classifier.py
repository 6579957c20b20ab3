"""
Characters and classifiers: scikit-learn
========================================

You trained a classifier on the 150 characters that were labelled so far. The script has 1,500. How accurate will a
classifier of the same kind be once all are labelled?

**What you have.** A fitted scikit-learn classifier, and test examples with their labels. Or a matrix of its scores,
one row for each test example and one column for each class: then it is ``rc.Evidence.from_scores(scores, labels)``.

Here the features of 1,500 characters are simulated; a hundred and fifty are yours.
"""

# sphinx_gallery_thumbnail_number = 1
import matplotlib.pyplot as plt
import numpy as np
from sklearn.naive_bayes import GaussianNB

import rankcast as rc

rng = np.random.default_rng(3)
ALL, LABELLED = 1_500, 150
shape = rng.standard_normal((ALL, 12))
pen = rng.uniform(0.3, 0.8, (ALL, 12))  # how much each feature of each character varies


def write(characters, times):
    """Features of characters that were written some times each, and their labels."""
    y = np.repeat(characters, times)
    return shape[y] + pen[y] * rng.standard_normal((len(y), 12)), y


mine = np.arange(LABELLED)
X_train, y_train = write(mine, 20)
X_test, y_test = write(mine, 4)
model = GaussianNB().fit(X_train, y_train)

# %%
# What was measured
# -----------------
evidence = rc.Evidence.from_classifier(model, X_test, y_test)
print(evidence)

# %%
# Naive Bayes describes each class by itself, so a further class leaves the scores of the others as they are: that is
# what the theory asks for. Quadratic discriminants and nearest centroids do so too. Logistic regression, networks
# and trees learn each class by comparison with the others; for them you get a ``NotMarginalWarning``, and a forecast
# that has been fair in practice.
#
# The forecast
# ------------
fc = rc.forecast(evidence, k=[500, ALL], rng=0)
print(fc)

# %%
# The truth, by labelling and training on more and more characters:
sizes, accuracy = [150, 500, ALL], []
for size in sizes:
    some = rng.choice(ALL, size, replace=False)
    X, y = write(some, 1)
    accuracy.append(GaussianNB().fit(*write(some, 20)).score(X, y))

figure, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
fc.plot(ax=ax)
ax.plot(sizes, accuracy, "s", color="#d1242f", ms=5, label="truth, trained on that many", zorder=3)
ax.set_xlabel("number of characters")
ax.legend(frameon=False, loc="lower left")
print(f"truth at {ALL:,} characters: {accuracy[-1]:.3f}")

# %%
# Would it have worked before?
# ----------------------------
# The same forecast from a half, a quarter and an eighth of your own characters, held against what you measured on
# all of them:
print(rc.backtest(evidence, method="gaussian", rng=0))

# %%
# On the command line
# -------------------
# Save the scores with the labels, or write a CSV with a column for each class and one called ``label``::
#
#     np.savez("scores.npz", scores=model.predict_joint_log_proba(X_test), labels=y_test)
#
# .. code-block:: sh
#
#     rankcast forecast scores.npz --k 500,1500
#     rankcast backtest scores.npz
#     rankcast plan scores.npz --k 1500 --width 0.05
#
# Give logits or log-likelihoods rather than probabilities where you have them. All kinds of files:
# :doc:`/docs/inputs`.
