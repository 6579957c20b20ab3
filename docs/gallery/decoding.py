"""
Brain decoding: which of k images was seen?
===========================================

A model of the visual cortex predicts the response to any image. To find which of 120 images somebody looked at, the
measured response is correlated with the predicted response to each, and the best match wins (Kay et al., 2008). It
is right for 106 of them. Is that good? On 120 images it is hard to say, and papers with different numbers of images
cannot be compared. What would it be on 1,000, or on 10,000?

**What you have.** A matrix of scores: one row for each measured response, one column for each candidate image; and
which column is right. Correlations, log-likelihoods and (negative) distances all do.

Here responses of 300 voxels are simulated; there are 10,000 images, and you showed 120.
"""

# sphinx_gallery_thumbnail_number = 1
import matplotlib.pyplot as plt
import numpy as np

import rankcast as rc

rng = np.random.default_rng(5)
TOTAL, SHOWN, VOXELS = 10_000, 120, 300
features = rng.standard_normal((TOTAL, 25))
tuning = rng.standard_normal((25, VOXELS))
predicted = features @ tuning
signal = rng.uniform(0.12, 0.75, (1_000, 1))  # the subject is not always attentive
measured = signal * predicted[:1_000] + 5.0 * rng.standard_normal((1_000, VOXELS))


def correlate(responses, predictions):
    """Correlation of each measured response with each predicted one."""
    rows = [(x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True) for x in (responses, predictions)]
    return rows[0] @ rows[1].T / VOXELS


# %%
# What was measured
# -----------------
scores = correlate(measured[:SHOWN], predicted[:SHOWN])
evidence = rc.Evidence.from_scores(scores, np.arange(SHOWN))
print(evidence)

# %%
# The forecast
# ------------
# Kay et al. used a kernel density of the wrong images' scores, which is here under the names ``kde-bcv``,
# ``kde-ucv`` and ``kde-plcv``. The default, ``auto``, weighs it against others, and its interval covers its own
# error as well.
asked = [1_000, TOTAL]
fc = rc.forecast(evidence, k=asked, rng=0)
print(fc)
for method in ("kde-bcv", "gaussian"):
    print(method, rc.forecast(evidence, k=asked, method=method, rng=0).estimate.round(3))

# %%
# The truth, from a thousand trials against all 10,000 images:
truth = rc.Evidence.from_scores(correlate(measured, predicted), np.arange(1_000))
k = np.unique(np.geomspace(2, TOTAL, 40).astype(int))

figure, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
fc.plot(ax=ax)
ax.plot(k, rc.curve(truth, k), color="#d1242f", lw=1.5, label="truth", zorder=1)
ax.plot(k, 1 / k, color="grey", lw=1, ls="-.", label="chance")
ax.set_xlabel("number of images")
ax.legend(frameon=False, loc="lower left")
print(f"truth at {TOTAL:,} images: {truth.accuracy:.3f}")

# %%
# What the next session should measure
# ------------------------------------
# Show more images, or repeat those you have? From what was measured so far:
print(rc.plan(evidence, k=1_000, width=0.1, method="gaussian", rng=0))

# %%
# On the command line
# -------------------
# ::
#
#     np.savez("scores.npz", scores=scores, labels=np.arange(120))
#
# .. code-block:: sh
#
#     rankcast forecast scores.npz --k 1000,10000
#     rankcast forecast scores.npz --k 1000,10000 --method all
#     rankcast plan scores.npz --k 1000 --width 0.1
#
# One subject's data say nothing of other subjects, and images that were picked to be distinct say nothing of images
# at large: :doc:`/docs/trust`. How each method works: :doc:`/docs/methods`.
