"""
Faces: from 500 people to 20,000
================================

You evaluated a face recogniser on 500 people. It finds the right person for 96 of 100 photographs. The customer has
20,000 people. What then?

**What you have.** A vector (embedding) of one enrolled photograph of each person, the *gallery*, and one of each new
photograph, the *probes*, with the names of both. The same goes for speakers, products, or anything that is matched
to a gallery.

Here a population of 20,000 people is simulated, so that we can look at the truth afterwards; you have the first 500.
"""

# sphinx_gallery_thumbnail_number = 1
import matplotlib.pyplot as plt
import numpy as np

import rankcast as rc

rng = np.random.default_rng(1)
person = rng.standard_normal((20_000, 32)) * np.geomspace(1, 0.2, 32)  # a few directions tell most


def photograph(person):
    """The vector of a photograph: the person, and how well it came out."""
    blur = 0.2 * rng.gamma(2.0, 0.5, (len(person), 1))
    return (person + blur * rng.standard_normal(person.shape)).astype(np.float32)


enrolled, new = photograph(person), photograph(person)
gallery, probes, names = enrolled[:500], new[:500], np.arange(500)

# %%
# What was measured
# -----------------
# Every probe is compared with every person in the gallery; the evidence is how many of them score below the right
# one.
evidence = rc.Evidence.from_embeddings(gallery, names, probes, names, similarity="cosine")
print(evidence)

# %%
# The forecast
# ------------
# ``rng=0`` fixes the seed, so that you get the same answer again.
fc = rc.forecast(evidence, k=[2_000, 20_000], rng=0)
print(fc)

# %%
# Read it as: *among 20,000 people drawn from the same population, the right one will come first this often, and we
# are 90% sure that the average lies in this interval.* Because this is a simulation, the truth can be drawn into the
# same picture.
everybody, some = np.arange(20_000), np.arange(1_000)
truth = rc.Evidence.from_embeddings(enrolled, everybody, new[:1_000], some, similarity="cosine")
k = np.unique(np.geomspace(2, 20_000, 40).astype(int))

figure, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
fc.plot(ax=ax)
ax.plot(k, rc.curve(truth, k), color="#d1242f", lw=1.5, label="truth", zorder=1)
ax.legend(frameon=False, loc="lower left")
print(f"truth at 20,000 people: {truth.accuracy:.3f}")

# %%
# How many people can it take?
# ----------------------------
# Accuracy falls slowly, so a little doubt about accuracy is a lot of doubt about numbers: expect a wide interval.
print(rc.capacity(evidence, accuracy=0.9, rng=0))

# %%
# A list of suspects
# ------------------
# If a person looks at the ten best matches, what counts is the chance that the right one is among them (the CMC
# curve).
print(rc.cmc(evidence, k=20_000, n=[1, 5, 10, 50], rng=0))

# %%
# On the command line
# -------------------
# Save the four arrays in one file; nothing else is needed::
#
#     np.savez("faces.npz", gallery=gallery, gallery_labels=names, probes=probes, probe_labels=names)
#
# .. code-block:: sh
#
#     rankcast forecast faces.npz --k 2000,20000 --similarity cosine --plot faces.png
#     rankcast capacity faces.npz --accuracy 0.9 --similarity cosine
#     rankcast cmc faces.npz --k 20000 --similarity cosine
#     rankcast diagnose faces.npz --k 20000 --similarity cosine
#
# Galleries that do not fit in memory, shards and clusters: :doc:`/docs/scale`. Before you rely on a forecast, read
# :doc:`/docs/trust`.
