"""What attacks work out once, and share: the same figures, whoever asks first, and nothing of another situation."""

from collections.abc import Sequence
from dataclasses import replace

from situations import crowd, situation

from incrowd.attack.matching.meeting import meet
from incrowd.attack.registry import ATTACKS
from incrowd.attack.situation import Auxiliary, Situation
from incrowd.attack.value import Attacked
from incrowd.risk.value import Scenario

NEIGHBOUR = Scenario("neighbour", ("area", "age"), {"age": 0.3})
SCENARIOS = (
    NEIGHBOUR,
    replace(NEIGHBOUR, error={}),
    replace(NEIGHBOUR, keys=("area",)),
    replace(NEIGHBOUR, knows_who_is_in=False),
)
NAMES = ("homogeneity", "skewness", "gap", "minimality", "singling_out", "linkage", "nearest")
#: Models take their time to learn: they are tried in one scenario.
LEARNT = "inference"


def people(seed: int = 1) -> Situation:
    source = crowd(
        300,
        seed,
        area=["N", "S", "E", "W"],
        age=[str(age) for age in range(20, 32)],
        ill=lambda record, chance, i: "yes" if record["area"] == "N" or chance.random() < 0.2 else "no",
        income=lambda record, chance, i: str(chance.randrange(10_000, 60_000)),
    )
    return situation(
        source, ["area", "age"], ["ill", "income"], keep=lambda record: (record["area"], record["age"]) != ("N", "25")
    )


def tried(one: Situation, scenarios: Sequence[Scenario], names: Sequence[str] = NAMES) -> dict[str, list[Attacked]]:
    return {
        f"{at} {name}": ATTACKS[name](one.within(scenario), Auxiliary())
        for at, scenario in enumerate(scenarios)
        for name in names
    }


def test_figures_are_those_of_an_attack_that_shares_nothing() -> None:
    alone = {}
    for at, scenario in enumerate(SCENARIOS):
        for name in NAMES:
            alone[f"{at} {name}"] = ATTACKS[name](replace(people(), scenario=scenario), Auxiliary())
    shared = people()
    assert tried(shared, SCENARIOS) == alone
    assert tried(shared, SCENARIOS) == alone, "an attack changed what another uses"
    backwards = {}
    other = people()
    for at in reversed(range(len(SCENARIOS))):
        for name in reversed(NAMES):
            backwards[f"{at} {name}"] = ATTACKS[name](other.within(SCENARIOS[at]), Auxiliary())
    assert backwards == alone
    learnt = ATTACKS[LEARNT](replace(people(), scenario=NEIGHBOUR), Auxiliary())
    assert ATTACKS[LEARNT](shared.within(NEIGHBOUR), Auxiliary()) == learnt


def test_a_situation_meets_the_release_once_in_each_scenario() -> None:
    one = people()
    assert meet(one.within(NEIGHBOUR)) is meet(one.within(NEIGHBOUR))
    assert meet(one.within(NEIGHBOUR)) is not meet(one.within(SCENARIOS[1])), "beliefs without errors are others"
    assert meet(one.within(NEIGHBOUR)) is not meet(one.within(SCENARIOS[2])), "other keys"
    assert meet(one.within(NEIGHBOUR)) is not meet(people(2).within(NEIGHBOUR)), "other people"


def test_a_situation_with_other_data_begins_anew() -> None:
    one, other = people(), people(2)
    tried(one, SCENARIOS)
    changed = replace(one, released=other.released, lines=other.lines, known=other.known)
    assert tried(changed, SCENARIOS) == tried(other, SCENARIOS)


def test_it_is_asked_for_by_its_name_and_what_it_depends_on() -> None:
    one, worked = people(), list[int]()

    def work() -> int:
        worked.append(len(worked))
        return worked[-1]

    assert [one.within(NEIGHBOUR).once(work, *what) for what in (("a", 1), ("a", 2), ("b", 1), ("a", 1))] == [
        0,
        1,
        2,
        0,
    ]
    assert people().once(work, "a", 1) == 3
