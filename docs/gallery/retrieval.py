"""
Retrieval: recall when the corpus grows
=======================================

Your embedding search was tested on 1,000 documents, with a query for each. Production holds 50,000. How far will
``recall@10`` and MRR fall?

**What you have.** Vectors of the documents and of the queries, and which document answers which query. If you have
only the rank at which each query's document came back, that is enough: see the :doc:`recommender
<recommender>`.

Here queries and documents on 50,000 subjects are simulated; some queries are vague. You have a random thousand.
"""

# sphinx_gallery_thumbnail_number = 1
import matplotlib.pyplot as plt
import numpy as np

import rankcast as rc

rng = np.random.default_rng(2)
TOTAL, MEASURED = 50_000, 1_000
documents = rng.standard_normal((TOTAL, 48)).astype(np.float32)
vague = rng.lognormal(0.05, 0.35, (2_000, 1))
queries = (documents[:2_000] + vague * rng.standard_normal((2_000, 48))).astype(np.float32)
subject = np.arange(TOTAL)

# %%
# What was measured
# -----------------
# The documents of the thousand queries that were tested, and nothing else, are the corpus so far.
evidence = rc.Evidence.from_embeddings(
    documents[:MEASURED], subject[:MEASURED], queries[:MEASURED], subject[:MEASURED], similarity="cosine"
)
for metric in ("recall@10", "mrr"):
    print(f"{metric} on {MEASURED:,} documents: {float(rc.curve(evidence, MEASURED, metric)):.3f}")

# %%
# The forecast
# ------------
# One estimate serves every metric of the rank; ``recall@N``, ``mrr``, ``ndcg@N``, ``topN`` and your own are in
# :doc:`/docs/metrics`.
asked = [10_000, TOTAL]
found = {metric: rc.forecast(evidence, asked, metric=metric, rng=0) for metric in ("recall@10", "mrr")}
for fc in found.values():
    print(fc, "\n")

# %%
# The truth, since this is a simulation, from 2,000 queries on all 50,000 documents:
truth = rc.Evidence.from_embeddings(documents, subject, queries, subject[:2_000], similarity="cosine")
k = np.unique(np.geomspace(2, TOTAL, 40).astype(int))

figure, axes = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained", sharey=True)
for ax, (metric, fc) in zip(axes, found.items(), strict=True):
    fc.plot(ax=ax)
    ax.plot(k, rc.curve(truth, k, metric), color="#d1242f", lw=1.5, label="truth", zorder=1)
    ax.set_title(metric)
    ax.set_ylim(0.6, 1.01)
    ax.legend(frameon=False, loc="lower left")

# %%
# Which of two models will be better there?
# -----------------------------------------
# A second model has fewer dimensions. Both are measured on the same thousand documents, so luck with them cancels.
small = rc.Evidence.from_embeddings(
    documents[:MEASURED, :40], subject[:MEASURED], queries[:MEASURED, :40], subject[:MEASURED], similarity="cosine"
)
print(rc.compare(evidence, small, k=asked, metric="recall@10", method="gaussian", rng=0))

# %%
# On the command line
# -------------------
# ::
#
#     np.savez("search.npz", gallery=documents, gallery_labels=subject, probes=queries, probe_labels=asked_for)
#
# .. code-block:: sh
#
#     rankcast forecast search.npz --k 10000,50000 --metric recall@10 --similarity cosine
#     rankcast compare search.npz smaller.npz --k 10000,50000 --metric recall@10 --similarity cosine
#
# A forecast is for more documents *like those measured*. A corpus that grows into new areas, or one measured on hard
# negatives, is another matter: :doc:`/docs/trust`.
