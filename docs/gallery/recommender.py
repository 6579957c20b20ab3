"""
Recommender: sampled negatives, full catalogue
==============================================

Ranking each user's item against the whole catalogue is expensive, so it is common to rank it among 100 random
others. The ``recall@10`` that comes out looks splendid, but it is not the ``recall@10`` on the catalogue, and it can
put the worse of two models first (Krichene & Rendle, 2020). There is nothing wrong with the ranks: they are a
measurement among 101 items, and the catalogue is a forecast.

**What you have.** For each user the rank of the held-out item, and the number of candidates: a table with two
columns.

Here 2,000 users of a catalogue of 10,000 items are simulated, so that the full ranks are known.
"""

# sphinx_gallery_thumbnail_number = 1
import matplotlib.pyplot as plt
import numpy as np

import rankcast as rc

rng = np.random.default_rng(4)
USERS, ITEMS, SAMPLED = 2_000, 10_000, 100
scores = rng.standard_normal((USERS, 16), np.float32) @ rng.standard_normal((16, ITEMS), np.float32)
liked = np.argmax(0.6 * scores + rng.gumbel(size=scores.shape), axis=1)  # what the user really went for
better = (scores > scores[np.arange(USERS), liked][:, None]).sum(axis=1)
full_rank = 1 + better
rank = 1 + rng.hypergeometric(better, ITEMS - 1 - better, SAMPLED)  # among the item and 100 random others

# %%
# What was measured
# -----------------
# ``candidates`` counts the item itself too. It may differ between users: pass an array.
evidence = rc.Evidence.from_ranks(rank, candidates=SAMPLED + 1)
print(evidence)

# %%
# The forecast
# ------------
# ``mixture`` reads nothing but ranks, and takes each user's own number of candidates into account.
truth = rc.Evidence.from_ranks(full_rank, candidates=ITEMS)
print(f"{'':10}{'among 101':>10}{'forecast':>10}{'interval':>18}{'catalogue':>11}")
for metric in ("recall@10", "ndcg@10", "mrr"):
    sampled = float(rc.curve(evidence, SAMPLED + 1, metric))
    fc = rc.forecast(evidence, k=ITEMS, metric=metric, method="mixture", rng=0)
    exact = float(rc.curve(truth, ITEMS, metric))
    interval = f"{fc.low[0]:.3f} to {fc.high[0]:.3f}"
    print(f"{metric:10}{sampled:10.3f}{fc.estimate[0]:10.3f}{interval:>18}{exact:11.3f}")

# %%
# The first column is what is usually reported. The forecast is for the catalogue; the last column is the truth,
# which the forecast has not seen. The dotted line in the picture is what was measured: everything to the right of it
# is forecast.
fc = rc.forecast(evidence, k=[1_000, ITEMS], metric="recall@10", method="mixture", rng=0)
k = np.unique(np.geomspace(11, ITEMS, 40).astype(int))

figure, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
fc.plot(ax=ax)
ax.plot(k, rc.curve(truth, k, "recall@10"), color="#d1242f", lw=1.5, label="truth, all 10,000 ranked", zorder=1)
ax.set_xlabel("number of items")
ax.legend(frameon=False, loc="lower left")

# %%
# Is it enough?
# -------------
# A hundred negatives say nothing of what one item in five thousand does: the forecast relies on the shape of the
# distribution, and where users fall into kinds of their own it can be off by several hundredths. More users do not
# help with that, more negatives do: 1,000 for a part of the users are well spent. ``rankcast diagnose`` says how far
# the methods disagree.
print(rc.diagnose(evidence, k=ITEMS))

# %%
# On the command line
# -------------------
# A CSV or Parquet table with the columns ``rank`` and ``candidates`` is all there is to it:
#
# .. code-block:: text
#
#     rank,candidates
#     1,101
#     7,101
#     …
#
# .. code-block:: sh
#
#     rankcast inspect ranks.csv
#     rankcast forecast ranks.csv --k 10000 --metric recall@10 --method mixture
#     rankcast forecast ranks.csv --k 10000 --metric ndcg@10 --method all
#
# Negatives must be drawn evenly from the catalogue. If yours were drawn by popularity, the forecast is for a
# catalogue of that kind: :doc:`/docs/trust`. How far off forecasts from 100 negatives are, measured:
# :doc:`/benchmarks/results/sampled_negatives`.
