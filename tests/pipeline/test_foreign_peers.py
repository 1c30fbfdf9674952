"""Files that sdcMicro and ARX made, with their originals: by what fits as by their order."""

import csv
import random
from collections import Counter
from pathlib import Path

import pytest
from shared import SHARED, needs_shared

import incrowd as ic
from incrowd.attack.value import Attacked

SDC = SHARED / "data" / "sdcmicro"
ADULT = SHARED / "data" / "adult"
KEYS = ("urbrur", "roof", "walls", "water", "electcon", "relat", "sex")
ADULT_KEYS = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class")


def linked(release: Path, original: Path, told: ic.ForeignRelease) -> list[Attacked]:
    names = ["linkage", "nearest", "singling_out"]
    return list(ic.attack(release, original=original, foreign=told, attacks=names).attacks)


@needs_shared
@pytest.mark.parametrize("name", ["testdata_7_k3", "testdata_7_k5"])
def test_local_suppression_of_sdcmicro_by_what_fits_is_as_by_its_order(name: str) -> None:
    release, original = SDC / "oracle" / f"05_kanon_{name}.csv", SDC / "testdata.csv"
    by_fit = linked(release, original, ic.ForeignRelease(keys=KEYS))
    by_order = linked(release, original, ic.ForeignRelease(keys=KEYS, same_order=True))
    assert [one.success for one in by_fit] == [one.success for one in by_order]
    assert all(one.success is not None and one.success.tries == 4580 for one in by_fit)


@needs_shared
def test_microaggregation_of_every_column_is_judged_by_the_order_alone() -> None:
    release, original = SDC / "oracle" / "06_micro_testdata_mdav3.csv", SDC / "testdata.csv"
    keys = ("expend", "income", "savings")
    assert all(one.success is None for one in linked(release, original, ic.ForeignRelease(keys=keys))[:2])
    nearest = linked(release, original, ic.ForeignRelease(keys=keys, same_order=True))[1]
    assert nearest.success is not None
    assert nearest.success.value > 0.1


@needs_shared
def test_the_optimum_of_arx_is_linked_as_its_classes_say(tmp_path: Path) -> None:
    """Its levels for 8 keys, k = 5, 5% suppressed: 398 classes, 1,383 records as stars (see METHODS)."""
    levels = dict(zip(ADULT_KEYS, (0, 3, 0, 0, 2, 1, 1, 0), strict=True))
    up = {}
    for key in ADULT_KEYS:
        with (ADULT / f"adult_hierarchy_{key}.csv").open() as file:
            up[key] = {row[0]: row[levels[key]] for row in csv.reader(file, delimiter=";")}
    with (ADULT / "adult.csv").open() as file:
        made = [tuple(up[key][row[key]] for key in ADULT_KEYS) for row in csv.DictReader(file, delimiter=";")]
    sizes = Counter(made)
    kept = {one for one, size in sizes.items() if size >= 5}
    stars = ("*",) * len(ADULT_KEYS)
    lines = [one if one in kept else stars for one in made]
    assert (len(kept), lines.count(stars)) == (398, 1383)
    random.Random(1).shuffle(lines)
    with (tmp_path / "arx.csv").open("w", newline="") as file:
        csv.writer(file, delimiter=";").writerows([ADULT_KEYS, *lines])
    told = ic.ForeignRelease(keys=ADULT_KEYS, hierarchies=ADULT)
    success = linked(tmp_path / "arx.csv", ADULT / "adult.csv", told)[0].success
    assert success is not None
    assert success.tries == 30_162 - 1_383
    assert success.low <= 398 / success.tries <= success.high
