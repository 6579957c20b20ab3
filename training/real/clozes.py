"""Real populations of words left out of texts, as guessed from what stands around them by a network that was taught to.

Of verses, passages and descriptions of packages (see ``text`` and ``passages``). Needs PyPI's torch.
"""

from pathlib import Path

import numpy as np

from training.sampling import Array, Ints, Rng, Vectors, log_integer, log_uniform, pick

from .hands import with_one
from .teaching import teach
from .views import stored

SOURCES = {
    ("verses", "kjv"): 0.3,
    ("verses", "web"): 0.2,
    ("verses", "asv"): 0.1,
    ("passages", "first"): 0.2,
    ("packages", "long"): 0.2,
}
LEAST, FEWEST, MOST = 8, 600, 5000  # times a word is there, and words that are classes
TESTS, BATCH = 4, 256  # places kept from the network, of each word at most; places shown at a time


def clozes(rng: Rng, folder: Path) -> tuple[Vectors, Vectors]:
    """What the network knows of each word, and what it makes of places where the word is that it was not taught."""
    name, side = pick(rng, SOURCES)
    kept = stored(folder / f"{name}.npz")
    flat, ends = kept[f"{side} words"], kept[f"{side} ends"]
    number = np.bincount(flat, minlength=len(kept["vocabulary"]))
    words = rng.permutation(np.nonzero(number >= LEAST)[0])
    words = words[: log_integer(rng, FEWEST, min(MOST, len(words)))]
    around = _around(flat, ends, log_integer(rng, 1, 5), len(number))
    order = np.lexsort((rng.random(len(flat)), flat))  # by word, its places at random
    starts = np.append(0, np.cumsum(number))[words]
    each = log_integer(rng, 1, TESTS)
    held = order[starts + np.arange(each)[:, None]]  # test × word
    more = np.minimum(number[words] - each, log_integer(rng, LEAST - TESTS, 2000))
    shown = np.concatenate([order[start + each : start + each + n] for start, n in zip(starts, more, strict=True)])
    weight, look = _taught(rng, around[shown], np.repeat(np.arange(len(words)), more), len(number) + 1)
    return weight, with_one(look[around[held]].mean(axis=2))


def _around(flat: Array, ends: Array, width: int, nothing: int) -> Ints:
    """The words before and after each place, as far as they are of the same text."""
    text = np.searchsorted(ends, np.arange(len(flat)), side="right")
    made = np.full((len(flat), 2 * width), nothing)
    for column, step in enumerate([*range(-width, 0), *range(1, width + 1)]):
        place = np.arange(len(flat)) + step
        there = (place >= 0) & (place < len(flat))
        there[there] = text[place[there]] == text[there]
        made[there, column] = flat[place[there]]
    return made


def _taught(rng: Rng, around: Ints, word: Ints, vocabulary: int) -> tuple[Vectors, Vectors]:
    """Weights and bias of each word, and vectors of what stands around; frequent words are shown more often, or not."""
    import torch
    from torch import nn
    from torch.nn import functional

    torch.set_num_threads(1)
    torch.manual_seed(int(rng.integers(2**31)))
    dim, steps = log_integer(rng, 24, 128), log_integer(rng, 300, 1500)
    look, last = nn.EmbeddingBag(vocabulary, dim, mode="mean"), nn.Linear(dim, int(word.max()) + 1)
    decay, rate = log_uniform(rng, 1e-3, 0.1), log_uniform(rng, 0.01, 0.05)
    often = np.bincount(word) ** -rng.uniform(0, 1)
    chance = np.cumsum(often[word])

    def loss() -> "torch.Tensor":
        some = np.searchsorted(chance, rng.random(BATCH) * chance[-1])
        guess = last(look(torch.from_numpy(around[some])))
        return functional.cross_entropy(guess, torch.from_numpy(word[some]))

    teach([*look.parameters(), *last.parameters()], loss, steps, decay, rate)
    weight = torch.cat([last.weight, last.bias[:, None]], dim=1).detach().numpy()
    return weight, look.weight.detach().numpy()
