"""A file of people, and releases of it as other tools and hands make them."""

import csv
import random
from collections.abc import Callable, Sequence
from pathlib import Path

Person = dict[str, str]
KEYS = ("age", "sex", "area", "job")
AREAS = ("NE1", "NE2", "SW1", "SW2", "LS1")
JOBS = ("nurse", "teacher", "driver", "clerk", "cook", "farmer")


def crowd(number: int = 600, seed: int = 3) -> list[Person]:
    """People with a name, four keys, an exact income and something private."""
    chance = random.Random(seed)
    return [
        {
            "name": f"n{i}", "age": str(chance.randint(18, 90)), "sex": chance.choice("mf"),
            "area": chance.choice(AREAS), "job": chance.choice(JOBS),
            "income": str(chance.randint(10_000, 90_000)), "ill": chance.choice("ynnn"),
        }
        for i in range(number)
    ]  # fmt: skip


def write(path: Path, people: Sequence[Person], *, delimiter: str = ",", encoding: str = "utf-8") -> Path:
    """A CSV file of them."""
    with path.open("w", newline="", encoding=encoding) as file:
        writer = csv.DictWriter(file, list(people[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(people)
    return path


def by_hand(
    people: Sequence[Person],
    columns: Sequence[str] = (*KEYS, "ill"),
    *,
    keep: Callable[[int], bool] = lambda line: True,
    shuffled: bool = True,
    change: Callable[[Person], Person] = lambda person: person,
) -> tuple[list[Person], list[int]]:
    """A release made by hand, ages in bands of ten, and the line behind each of its records."""
    made = []
    for line, person in enumerate(people):
        if keep(line):
            begin = int(person["age"]) // 10 * 10
            new = {**person, "age": f"{begin}-{begin + 9}", "area": person["area"][:2]}
            made.append(({name: change(new)[name] for name in columns}, line))
    if shuffled:
        random.Random(8).shuffle(made)
    return [one for one, _ in made], [line for _, line in made]
