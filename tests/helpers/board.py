"""A plan with all that a review board wants to hear, its report cut into sections, and a log that lacks nothing."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from logs import snapshot
from people import PLAN, plan_with, write_case

import incrowd as ic
from incrowd.attack import ATTACKS
from incrowd.attack.value import Attacked, Rate
from incrowd.audit.log import RunLog
from incrowd.intruder_test.score_parts import Luck, ScoreLine
from incrowd.intruder_test.value import Scores, Tested
from incrowd.pipeline import FileRun
from incrowd.plan.attest import ASKED as ATTESTED
from incrowd.plan.verdict import Verdict

ATTEST: dict[str, Any] = {
    **{name: {"role": f"role-{name}", "date": "2026-01-31", "text": f"said-{name}."} for name in ATTESTED},
    "conditions": ["condition-one"],
    "review": {"role": "role-review", "next": "2027-01-31", "triggers": ["trigger-one", "trigger-two"]},
    "sign_off": [{"role": "role-board", "date": "2026-02-01", "decision": "release", "text": "said-board"}],
}
WHOLE: dict[str, Any] = {
    "data": {
        "source": "people.csv", "kind": "survey",
        "protection": {"sampling_fraction": 0.25, "reason": "one in four was asked"},
    },
    "scenarios": [
        {"name": "scenario-one", "keys": ["age", "sex"]},
        {"name": "stranger", "keys": ["age", "sex"], "knows_who_is_in": False, "error": {"age": 0.1}},
    ],
    "use_cases": [{"name": "illness-by-sex", "test": "proportion", "by": "sex", "share": {"ill": ["y"]}}],
    "alternatives": [{"name": "k of twenty", "requirements": [{"model": "k", "k": 20}]}],
    "steps": [{**each, "reason": f"reason-{number}"} for number, each in enumerate(PLAN["steps"])],
}  # fmt: skip


class Sections(HTMLParser):
    """The text of each section of a report, and of its heading."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.texts: dict[str, str] = {}
        self.heads: dict[str, str] = {}
        self._in: str | None = None
        self._head = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "section":
            self._in = str(dict(attrs)["id"])
        self._head = tag == "h2" or (self._head and tag == "span")

    def handle_endtag(self, tag: str) -> None:
        if tag == "section":
            self._in = None
        if tag == "h2":
            self._head = False

    def handle_data(self, data: str) -> None:
        if self._in is not None:
            self.texts[self._in] = " ".join(f"{self.texts.get(self._in, '')} {data}".split())
            if self._head or self._in not in self.heads:
                self.heads[self._in] = " ".join(f"{self.heads.get(self._in, '')} {data}".split())


def run(folder: Path, **changes: Any) -> tuple[FileRun, str]:
    done = ic.run(write_case(folder, plan_with(**changes)))
    return done, (done.audit / "report.html").read_text()


def nothing_missing(log: RunLog) -> RunLog:
    """The log of a run of the whole plan, with the rest made up: nothing is missing and every figure is good."""
    attacks = tuple(
        Attacked(attack.word, scenario, "keys", "links", Rate(0, 1000), 0.01, Rate(10, 1000),
                 f"sentence of {attack.word}", about="ill" if attack.on_values else "")
        for attack in ATTACKS.values()
        for scenario in (("scenario-one",) if attack.once else ("scenario-one", "stranger"))
    )  # fmt: skip
    end = replace(log.steps[-1], after=snapshot({}, {50: 40}, people=2400, keys=("age", "sex")))
    risks = tuple(
        replace(
            r, after=replace(r.after, risks=tuple(replace(x, value=min(x.value or 0, 0.02)) for x in r.after.risks))
        )
        for r in log.risks
    )
    verdicts = (*log.verdicts, Verdict("every class has 2 values of ill", "distinct_l", True, 2, 2, "ill"))
    return replace(
        log, attacks=attacks, steps=(*log.steps[:-1], end), risks=risks, verdicts=verdicts,
        intruder_test=Tested(scores(100, 0), True),
    )  # fmt: skip


def scores(claims: int, right: int, luck: float = 0.5) -> Scores:
    """A human intruder test with so many claims, so many of them right."""
    verdicts = ["correct"] * right + ["wrong"] * (claims - right)
    total = ScoreLine.of("all", verdicts, [50] * claims)
    return Scores(
        "A test", "0" * 64, 60, "scenario-one", "2026-01-31", 5, 5, 2.0, 10, 5, "", claims, 0, total, total.high, 0.1,
        0.1, Luck(claims, right, min(0.1, claims), luck, luck), 0, 0.2, 0.2, 0,
        (0, 50), (0, 25), (0, 0), (total,), (total,), (total,), "sex", (total,), (),
    )  # fmt: skip
