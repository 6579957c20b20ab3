"""Real populations of molecules found again by their structure, as chemists search libraries and match spectra.

Needs PyPI's chemicals and rdkit when prepared.
"""

from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from training.generate import write
from training.sampling import Array, Rng, Vectors, log_integer, log_uniform, pick

from .chemicals import SOURCE
from .features import varied
from .views import stored, unit

SMILES = 4  # column of the structure
WIDTH = 2**15  # numbers that features of a structure are hashed to
VIEWS = ("circles", "pairs", "chains", "masses")
STEPS = {1: 0.3, 10: 0.3, 100: 0.4}  # hundredths of a dalton that masses are rounded to
LEAST = 20_000  # compounds to begin with: at least 6,000 are classes once a decoder has learnt from others


def molecules(rng: Rng, folder: Path) -> tuple[Vectors, Vectors]:
    """Structures with features lost and foreign ones, or what a break leaves of them; or what another view tells."""
    kept = stored(folder / "molecules.npz")
    how = pick(rng, {"spoilt": 0.35, "broken": 0.15, "mixed": 0.25, "other": 0.25})
    names = ["circles", "rest"] if how == "broken" else rng.permutation(VIEWS)[: 2 - (how == "spoilt")].tolist()
    views, dim = _structures(rng, kept, names), log_integer(rng, 64, 384)
    if how == "other":
        one, other = (_projected(rng, dim, view)[0] for view in views)
        return varied(rng, one, other, decode=1.0)
    if how == "broken":
        gallery, tests = _projected(rng, dim, views[0], _spoilt(rng, views[1], rng.uniform(0, 0.3)))
    else:
        gallery, tests = np.zeros((2, views[0].shape[0], dim), np.float32)
        for view in views:
            one, other = _projected(rng, dim, view, _spoilt(rng, view, rng.uniform(0, 0.8)))
            weight = np.float32(log_uniform(rng, 0.5, 2.0))
            gallery, tests = gallery + weight * one, tests + weight * other
    left = tests.any(axis=1)  # no compounds all of whose features are lost
    gallery, tests = varied(rng, gallery[left], tests[left], decode=0.15)
    # what little is left of two compounds may be the same once its length is one
    first = np.sort(np.unique(gallery.round(5), axis=0, return_index=True)[1])
    return gallery[first], tests[first]


# -- features --------------------------------------------------------------------------------------------


def _structures(rng: Rng, kept: dict[str, Array], names: list[str]) -> list[csr_matrix]:
    """Some or all compounds in views that all of them have, but one of those that are alike in every view."""
    there = np.all([np.diff(kept[f"{name} ends"], prepend=0) > 0 for name in names], axis=0)
    rows = rng.permutation(np.nonzero(there)[0])
    rows = rows[: log_integer(rng, LEAST, len(rows))]
    views = [_bags(rng, kept, name)[rows] for name in names]
    # told here, as what is spoilt may become the gallery, and is never the same; by shares, as lengths may be made one
    key = sum(view @ rng.standard_normal(view.shape[1]) / np.asarray(view.sum(axis=1)).ravel() for view in views)
    first = rng.permutation(np.unique(np.round(key, 9), return_index=True)[1])
    return [view[first] for view in views]


def _bags(rng: Rng, kept: dict[str, Array], name: str) -> csr_matrix:
    """How often each compound has each feature; masses that are nearly the same are one feature."""
    number, width = kept[f"{name} numbers"], WIDTH
    if name == "masses":
        found, number = np.unique(number // pick(rng, STEPS), return_inverse=True)
        width = len(found)
    ends = np.append(0, kept[f"{name} ends"])
    made = csr_matrix((kept[f"{name} counts"].astype(np.float32), number.copy(), ends), shape=(len(ends) - 1, width))
    made.sum_duplicates()
    return made


def _spoilt(rng: Rng, bags: csr_matrix, lost: float) -> csr_matrix:
    """Without a share of all occurrences, and often with foreign ones, which are such as other compounds have."""
    made = bags.copy()
    made.data = rng.binomial(made.data.astype(int), 1 - lost).astype(np.float32)
    if rng.random() < 0.6:
        size = np.asarray(bags.sum(axis=1)).ravel()
        ends = np.append(0, np.cumsum(rng.poisson(log_uniform(rng, 0.03, 0.6) * size)))
        others = bags.indices[rng.integers(bags.nnz, size=ends[-1])]
        made = made + csr_matrix((np.ones(len(others), np.float32), others, ends), shape=bags.shape)
    made.eliminate_zeros()
    return made


def _projected(rng: Rng, dim: int, *sides: csr_matrix) -> list[Vectors]:
    """Sums of random vectors of the features, weighted by presence, count or its root, and often by rarity."""
    table = rng.standard_normal((sides[0].shape[1], dim), np.float32)
    if rng.random() < 0.6:
        table *= np.log(1 + sides[0].shape[0] / (sides[0].getnnz(axis=0) + 1))[:, None].astype(np.float32)
    power = pick(rng, {0.0: 0.35, 0.5: 0.35, 1.0: 0.3})
    made = [csr_matrix((side.data**power, side.indices, side.indptr), shape=side.shape) @ table for side in sides]
    if rng.random() < 0.5:
        return [unit(each) for each in made]
    scale = np.linalg.norm(made[0], axis=1).mean()
    return [each / scale for each in made]


# -- raw material ----------------------------------------------------------------------------------------


def prepare_molecules(folder: Path) -> None:
    """Count features of all structures that differ: circles of atoms, pairs, chains, and masses of pieces."""
    if (folder / "molecules.npz").exists():
        return
    from rdkit import Chem, RDLogger
    from rdkit.Chem.rdFingerprintGenerator import (
        GetAtomPairGenerator,
        GetMorganGenerator,
        GetTopologicalTorsionGenerator,
    )

    RDLogger.DisableLog("rdApp.*")
    rng = np.random.default_rng(0)
    circles = GetMorganGenerator(radius=2, fpSize=WIDTH)
    pairs = GetAtomPairGenerator(fpSize=WIDTH)
    chains = GetTopologicalTorsionGenerator(fpSize=WIDTH)
    made: dict[str, list[dict[int, int]]] = {name: [] for name in (*VIEWS, "rest")}
    known: set[str] = set()
    for line in Path(str(metadata.distribution("chemicals").locate_file(SOURCE))).read_text().splitlines():
        molecule = Chem.MolFromSmiles(line.split("\t")[SMILES])
        if molecule is None or (name := Chem.MolToSmiles(molecule, isomericSmiles=False)) in known:
            continue
        known.add(name)
        for view, maker in (("circles", circles), ("pairs", pairs), ("chains", chains)):
            made[view].append(maker.GetCountFingerprint(molecule).GetNonzeroElements())
        masses, rest = _broken(molecule, rng)
        made["masses"].append(masses)
        made["rest"].append(circles.GetCountFingerprint(rest).GetNonzeroElements() if rest else {})
    arrays: dict[str, Array] = {}
    for view, bags in made.items():
        arrays[f"{view} numbers"] = np.array([number for bag in bags for number in bag], np.int32)
        arrays[f"{view} counts"] = np.array([count for bag in bags for count in bag.values()], np.uint16)
        arrays[f"{view} ends"] = np.cumsum([len(bag) for bag in bags])
    write(folder / "molecules.npz", arrays)


def _broken(molecule: Any, rng: Rng) -> tuple[dict[int, int], Any]:
    """How often each mass is that of the whole or a piece, as single bonds break, and the larger piece of one break."""
    from rdkit import Chem

    table = Chem.GetPeriodicTable()
    hydrogen = table.GetMostCommonIsotopeMass(1)
    each = np.array(
        [table.GetMostCommonIsotopeMass(a.GetAtomicNum()) + hydrogen * a.GetTotalNumHs() for a in molecule.GetAtoms()]
    )
    whole = each.sum()
    masses, rests = [whole], []
    for bond in molecule.GetBonds():
        if bond.GetBondType() == Chem.BondType.SINGLE and not bond.IsInRing():
            apart = Chem.FragmentOnBonds(molecule, [bond.GetIdx()], addDummies=False)
            pieces = Chem.GetMolFrags(apart)
            mass = next(each[list(piece)].sum() for piece in pieces if bond.GetBeginAtomIdx() in piece)
            masses += [mass, whole - mass]
            rests.append(apart)
    number, count = np.unique(np.round(100 * np.array(masses)).astype(int), return_counts=True)
    rest = None
    if rests:
        pieces = Chem.GetMolFrags(rests[rng.integers(len(rests))], asMols=True, sanitizeFrags=True)
        rest = max(pieces, key=lambda piece: piece.GetNumAtoms())
    return dict(zip(number.tolist(), count.tolist(), strict=True)), rest
