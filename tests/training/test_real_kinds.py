"""What single kinds of real populations take care of."""

import gzip
import struct

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from training.real import (
    clozes,
    cognates,
    dependencies,
    dictionaries,
    features,
    functions,
    letters,
    ligatures,
    messages,
    molecules,
    notes,
    passages,
    patches,
    people,
    positions,
    prepare,
    readers,
    speakers,
    spotting,
    tunes,
    typefaces,
)
from training.real.kinds import KINDS

ENTRY = """Anchor \\An"chor\\ ([a^][ng]"k[~e]r), n. [OE. anker.]
   1. (Naut.) A iron instrument which is attached to a ship by a cable.
      [1913 Webster]

   2. Any instrument serving a purpose like that of a ship's anchor.
      [1913 Webster]

   3. A television reporter who coordinates a broadcast.
      [PJC]
"""


@pytest.fixture
def dictionary(tmp_path):
    """A dictionary of GCIDE's format with one entry."""
    data = ENTRY.ljust(64 * (len(ENTRY) // 64 + 1)).encode()
    number = len(data)
    digits = dictionaries._DIGITS[number // 64] + dictionaries._DIGITS[number % 64]
    (tmp_path / "gcide.index").write_text(f"anchor\tA\t{digits}\n")
    (tmp_path / "gcide.dict.dz").write_bytes(gzip.compress(data))
    return tmp_path


def test_senses_of_a_headword_are_classes_of_their_own_and_only_websters(dictionary):
    found = list(dictionaries._senses(dictionary, "gcide"))
    assert [word for word, _ in found] == ["anchor", "anchor"]
    assert "serving a purpose" in found[1][1]


def test_all_kinds_are_prepared_but_those_of_other_material():
    named = {step.__name__.removeprefix("prepare_") for step in prepare.steps()}
    assert set(KINDS) - named == {"classifiers", "clozes", "decoders", "hands", "ligatures", "taught", "words"}


def test_texts_with_ties_keep_all_classes_in_order():
    rng = np.random.default_rng(0)
    gallery = np.repeat(rng.standard_normal((300, 30)).astype(np.float32), 2, axis=0)
    tests = gallery + 0.3 * rng.standard_normal(gallery.shape).astype(np.float32)
    kept, _ = features.finished(np.random.default_rng(1), gallery, tests, ties=True)
    single, _ = features.finished(np.random.default_rng(1), gallery, tests)
    assert (len(kept), len(single)) == (600, 300)
    np.testing.assert_array_equal(kept[::2], kept[1::2])


def test_a_recommender_does_not_know_the_pair_that_it_is_asked_for(monkeypatch):
    """Each item has users of its own, so that what else a user has says nothing once the pair is left out."""
    rng = np.random.default_rng(0)
    monkeypatch.setattr(dependencies, "some_classes", lambda rng, number: np.arange(number))
    monkeypatch.setattr(dependencies, "_sides", lambda rng, gallery, tests, furthest: (gallery, tests))
    monkeypatch.setattr(dependencies, "unit", lambda vectors: vectors)
    seen = []
    weighted = dependencies._weighted
    monkeypatch.setattr(dependencies, "_weighted", lambda users, way: seen.append(users) or weighted(users, way))
    users = csr_matrix((rng.random((400, 60)) < 0.2).astype(np.float32))
    gallery, tests = dependencies._left_out(np.random.default_rng(3), users, np.arange(60), 1.0)
    each = len(tests)
    assert users.nnz - seen[0].nnz == each * len(gallery)


def test_a_catalogue_gives_back_messages_and_leaves_plurals_out(tmp_path):
    pairs = [("Open file", "Datei oeffnen"), ("%d file\0%d files", "x\0y"), ("Close", "Schliessen")]
    head = 28
    tables, strings = b"", b""
    at = head + 16 * len(pairs)
    for column in (0, 1):
        for pair in pairs:
            text = pair[column].encode()
            tables += struct.pack("<2I", len(text), at + len(strings))
            strings += text + b"\0"
    header = struct.pack("<7I", 0x950412DE, 0, len(pairs), head, head + 8 * len(pairs), 0, 0)
    (tmp_path / "a.mo").write_bytes(header + tables + strings)
    assert messages.catalogue(tmp_path / "a.mo") == {"Open file": "Datei oeffnen", "Close": "Schliessen"}


def test_canonical_variates_find_what_two_languages_share():
    rng = np.random.default_rng(0)
    shared = rng.standard_normal((3000, 6))
    sides = [
        (shared @ rng.standard_normal((6, 40)) + 0.1 * rng.standard_normal((3000, 40))).astype(np.float32)
        for _ in range(2)
    ]
    gallery, tests = messages._canonical(np.random.default_rng(0), *sides)
    right = (2 * tests @ gallery.T - (gallery**2).sum(axis=1)).argmax(axis=1) == np.arange(len(gallery))
    assert right[:300].mean() > 0.5


def test_paragraphs_of_manual_pages_are_without_markup():
    page = ".SH DESCRIPTION\nThe \\fBls\\fP program lists what\n.I files\nthere are.\n.PP\nAnother paragraph."
    assert [" ".join(each.split()) for each in passages._paragraphs(page) if each.strip()] == [
        "The ls program lists what files there are.",
        "Another paragraph.",
    ]


def test_clerks_change_some_fields_and_keep_the_people_in_order():
    true = [[f"{field}{person:03d}" for person in range(500)] for field in people.FIELDS]
    later = [[f"new{field}{person:03d}" for person in range(500)] for field in people.FIELDS]
    copied = people._copied(np.random.default_rng(0), true, later)
    ends = [{field[person][-3:] for field in copied} for person in range(500)]
    kept = np.mean([f"{person:03d}" in ends[person] for person in range(500)])
    assert kept > 0.8
    assert copied != true


def test_runs_are_counted_by_length_and_not_those_that_touch_a_side():
    dark = np.zeros((1, 2, 10), bool)
    dark[0, 0, 2:5] = dark[0, 0, 6] = True  # a run of three and one of one
    dark[0, 1, :4] = True  # touches the side
    found = typefaces._runs(dark)[0]
    assert found[2] == 1
    assert found[0] == 1
    assert found.sum() == 2


def test_a_tone_is_loudest_in_the_band_of_its_pitch():
    filters = speakers.triangles(notes.BANDS, notes.WINDOW)
    tone = np.sin(2 * np.pi * 1500 * np.arange(notes.SAMPLES) / speakers.RATE).astype(np.float32)
    heard = notes._spectrogram(tone, filters).reshape(notes.FRAMES, notes.BANDS)
    at = np.fft.rfftfreq(notes.WINDOW, 1 / speakers.RATE)
    middle = (filters * at[:, None]).sum(axis=0) / filters.sum(axis=0)
    assert np.abs(middle[heard.argmax(axis=1)] - 1500).max() < 120


def test_functions_are_named_described_and_made_of_words(tmp_path):
    source = """
def no_docstring(a):
    return a

def readJsonFile(path):
    \"\"\"Read what a file of JSON holds.

    Not this.
    \"\"\"
    with open(path) as openFile:
        return json.loads(openFile.read(), object_hook=None, parse_int=default_parser)
"""
    (tmp_path / "a.py").write_text(source)
    ((name, said, body),) = functions._described(tmp_path / "a.py")
    assert (name, said) == ("read json file", "Read what a file of JSON holds.")
    assert {"open", "file", "json", "loads", "default", "parser"} <= set(body.split())


def test_tunes_are_pitches_and_lengths():
    text = "X:1\nT:a\nK:C\n" + 4 * "CDE2 ^F/2 | c'B,_A G " + '"Am" % not cdef\n'
    (tune,) = tunes._tunes(text)
    assert tune[:8, 0].tolist() == [0, 2, 4, 6, 24, -1, 8, 7]
    assert tune[:4, 1].tolist() == [16, 16, 32, 8]


def test_a_tune_in_another_key_has_the_same_runs():
    tune = np.column_stack([np.random.default_rng(0).integers(0, 12, 30), np.full(30, 16)])
    np.testing.assert_array_equal(tunes._runs(tune, (2, 3), True), tunes._runs(tune + np.array([5, 0]), (2, 3), True))


def test_signs_hold_their_letters_where_the_layout_says():
    shades = np.arange(1.0, 4.0)[:, None, None] * np.ones((3, letters.SIDE, letters.SIDE))
    half = ligatures.HALF
    beside, above, three = ligatures._composed(shades, np.array([[0, 1, 0], [0, 1, 0], [0, 1, 2]]), np.arange(3))
    assert np.unique(beside[:, :half]).tolist() == np.unique(above[:half]).tolist() == [1]
    assert np.unique(beside[:, half:]).tolist() == np.unique(above[half:]).tolist() == [2]
    assert three[[0, 0, -1], [0, -1, -1]].tolist() == [1, 2, 3]


def test_signs_differ_from_each_other():
    signs, layout = ligatures._signs(np.random.default_rng(0), 60)
    assert len(np.unique(np.column_stack([signs, layout]), axis=0)) == len(signs)


def test_a_photographed_place_is_what_is_there_when_nothing_changes():
    picture = np.random.default_rng(0).integers(0, 256, (60, 70)).astype(np.float32)
    half = patches.SIDE / 2 - 0.5
    (seen,) = patches._seen(picture, np.array([[20 + half, 30 + half]]), 0, np.random.default_rng(0))
    np.testing.assert_array_equal(seen, picture[20 : 20 + patches.SIDE, 30 : 30 + patches.SIDE].ravel())


def test_gradients_of_a_place_are_told_by_direction():
    ramp = np.tile(np.arange(patches.SIDE, dtype=np.float32), (patches.SIDE, 1))
    right, down, left = patches._gradients(np.stack([ramp, ramp.T, ramp[:, ::-1]])).reshape(3, 16, 8)
    strongest = [set(each.argmax(axis=1).tolist()) for each in (right, down, left)]
    assert all(len(each) == 1 for each in strongest)
    assert len(set.union(*strongest)) == 3


def test_what_a_structure_loses_is_its_own_and_what_it_gains_is_of_others():
    bags = csr_matrix(np.random.default_rng(0).poisson(2.0, (200, 50)).astype(np.float32))
    spoilt = [molecules._spoilt(np.random.default_rng(seed), bags, 0.5) for seed in range(20)]
    lost = [np.clip((bags - each).toarray(), 0, None).sum() / bags.sum() for each in spoilt]
    gained = [np.clip((each - bags).toarray(), 0, None).sum() / bags.sum() for each in spoilt]
    assert max(lost) == pytest.approx(0.5, abs=0.02)  # where nothing foreign came in its place
    assert min(gained) == 0 < max(gained)


def test_a_reader_scores_the_letters_it_is_shown(monkeypatch, tmp_path):
    """Whichever units and letters are left out, what is read and the class that it belongs to stay together."""
    number = 5000
    units = np.random.default_rng(0).standard_normal((number, 400)).astype(np.float32)
    made = {f"{name} weight": units for name in readers.RECIPES} | {
        f"{name} read": np.stack([units, units]) for name in readers.RECIPES
    }
    monkeypatch.setattr(readers, "stored", lambda path: made)
    for seed in range(4):
        gallery, tests = readers.readers(np.random.default_rng(seed), tmp_path)
        assert tests.shape[1:] == gallery.shape
        right = (tests[0, :300] @ gallery.T).argmax(axis=1) == np.arange(300)
        assert right.all()


def test_a_word_is_as_high_as_others_and_hardly_wider_than_it_was():
    square = np.full((20, 10), 255, np.uint8)
    picture = spotting._picture("ab", {"a": (square, 0, 12), "b": (square, 0, 12)})
    inked = np.flatnonzero(picture.any(axis=0))
    assert np.flatnonzero(picture.any(axis=1)).tolist() == list(range(1, 15))
    width = round(spotting.STRETCHED * 22 * spotting.INK[0] / 20)
    assert inked[-1] - inked[0] + 1 == width
    assert len(inked) < width  # a gap between the letters


def test_a_word_that_is_not_distorted_stays_where_it_is():
    pictures = np.random.default_rng(0).random((spotting.WAYS, spotting.HIGH, spotting.WIDE)).astype(np.float32)
    np.testing.assert_allclose(spotting._distorted(np.random.default_rng(0), pictures, 0.0), pictures, atol=1e-5)


def test_translations_are_without_remarks_and_other_than_the_word():
    entries = [
        "fuera /fwˈeɾa/\nfora\n",
        "orkaan /ɔrkan/\n1. Orkan <m>, Wirbelsturm\n",
        "Katalog <n, masc>\nkatalog 2.\nein Verzeichnis",  # written alike
        "metgezel",
    ]
    assert list(cognates._translated(iter(entries))) == [("fuera", "fora"), ("orkaan", "orkan")]


def test_around_a_word_are_words_of_its_own_text():
    around = clozes._around(np.array([3, 1, 4, 1, 5]), np.array([2, 5]), 2, nothing=9)
    np.testing.assert_array_equal(around[1], [9, 3, 9, 9])
    np.testing.assert_array_equal(around[2], [9, 9, 1, 5])
    np.testing.assert_array_equal(around[4], [4, 1, 9, 9])


def test_words_are_guessed_from_what_stands_around_them(tmp_path, monkeypatch):
    """Each word has a neighbour of its own, so that the network can know it."""
    pytest.importorskip("torch", reason="it learns in torch")
    words = np.tile(np.random.default_rng(0).permutation(700), 12)
    texts = {"vocabulary": np.arange(1400).astype(str), "all words": np.column_stack([words, words + 700]).ravel()}
    np.savez(tmp_path / "texts.npz", **texts, **{"all ends": np.arange(2, 2 * len(words) + 1, 2)})
    monkeypatch.setattr(clozes, "SOURCES", {("texts", "all"): 1.0})
    weight, tests = clozes.clozes(np.random.default_rng(3), tmp_path)
    right = ((tests[0] @ weight.T).argmax(axis=1) == np.arange(len(weight))).mean()
    assert right > 0.5


def test_points_are_in_few_dimensions_and_all_are_seen(tmp_path):
    rng = np.random.default_rng(0)
    cities = np.column_stack([rng.uniform(-60, 60, 9000), rng.uniform(-180, 180, 9000), rng.uniform(500, 1e6, 9000)])
    np.savez(tmp_path / "positions.npz", cities=cities, colours=rng.integers(256, size=(9000, 3)))
    for seed in range(12):
        points, seen = positions.positions(np.random.default_rng(seed), tmp_path)
        assert points.shape[1] in (2, 3, 4)
        assert seen.shape[1:] == points.shape
        assert np.isfinite(points).all()
        assert np.isfinite(seen).all()
