"""What only people can say about a release: attestations by role, date and text, sign-offs and the next review.

A machine cannot know whether users were consulted or who will answer a call at night. The plan asks; the internal
report shows what is missing. Nothing here changes what is released.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta, timezone
from typing import Annotated, Literal

from pydantic import Field

from incrowd.errors import Fault
from incrowd.plan.strict import Strict, Text

#: What stands where nobody has written anything yet.
PLACEHOLDERS = {"todo", "tbc", "tbd", "tba", "n/a", "na", "none", "xxx", "?", "??", "???", "-", "...", "…"}


def is_placeholder(text: str) -> bool:
    """Whether a text only keeps the place of one."""
    return text.strip().lower().rstrip(".!") in PLACEHOLDERS | {""}


class Attestation(Strict):
    """Somebody answers for something."""

    role: Text = Field(description="Who answers for it: the name of a role, not of a person.")
    date: Text = Field(description="When it was attested, as year-month-day; not in the future.")
    text: Text = Field(description="What is attested, in a sentence or two.")


class AcceptedRisk(Attestation):
    """The largest risk that the board accepts, where it is not the figure that people quote."""

    open: Annotated[float, Field(gt=0, le=0.2)] = Field(
        0.09, description="For an open file: the largest chance to find any one person; at most 0.2."
    )
    safeguarded: Annotated[float, Field(gt=0, le=0.34)] = Field(
        0.09, description="For a safeguarded file: the mean chance in the plan's scenarios; at most 0.34."
    )


class SignOff(Strict):
    """A decision about this release, as the plan tells it; `incrowd audit sign` lets the person sign it."""

    role: Text = Field(description="Who decided: the name of a role, not of a person.")
    date: Text = Field(description="When, as year-month-day; not in the future.")
    decision: Literal["release", "release with conditions", "do not release"] = Field(description="What was decided.")
    text: Text | None = Field(None, description="Why. Stays in the audit.")


class Review(Strict):
    """When the release is looked at again, by whom, and what brings that forward."""

    role: Text = Field(description="Who looks again: the name of a role.")
    next: Text = Field(description="The date of the next review, as year-month-day. It is in the public report, too.")
    triggers: Annotated[list[Text], Field(min_length=1)] = Field(
        description="What brings the review forward, such as a new public register. Stays in the audit."
    )


class Attest(Strict):
    """What a review board wants to hear from people. What is left out is shown as missing in the internal report."""

    data_situation: Attestation | None = Field(
        None, description="Where the data come from, whom they cover, what protects them already, and where they go."
    )
    lawful_basis: Attestation | None = Field(
        None, description="Who owns the data, and on what basis they may be released."
    )
    consultation: Attestation | None = Field(None, description="Which users were asked what they need, and the answer.")
    transparency: Attestation | None = Field(None, description="How the people in the data are told of the release.")
    scenarios: Attestation | None = Field(None, description="How it was decided which intruders are considered.")
    external_data: Attestation | None = Field(
        None, description="Which other data an intruder could use: registers, earlier releases, the web."
    )
    impact: Attestation | None = Field(None, description="What it would mean for a person to be found.")
    residual_risk: Attestation | None = Field(None, description="That the risks that remain are known and accepted.")
    accepted_risk: AcceptedRisk | None = Field(
        None, description="Other limits for the tier advice than the usual ones, with the reason."
    )
    dpia: Attestation | None = Field(None, description="The data protection impact assessment, and where it is.")
    governance: Attestation | None = Field(
        None, description="Who is responsible for the anonymisation, and how they are trained."
    )
    access: Attestation | None = Field(None, description="How the file is handed out, and how its conditions are kept.")
    incident_plan: Attestation | None = Field(None, description="What is done, and by whom, if somebody is found.")
    monitoring: Attestation | None = Field(
        None, description="How uses, complaints and new data that could be linked are watched."
    )
    no_other_release: Attestation | None = Field(
        None,
        description="That there is no other release about any of these people, beside the files of this plan. Then the "
        "attacks composition and differencing do not apply, as far as other releases go.",
    )
    no_tables: Attestation | None = Field(
        None,
        description="That no table of counts of these people is published. With no_other_release, the attack "
        "differencing does not apply.",
    )
    conditions: list[Text] = Field(
        default_factory=list, description="Conditions of use. They are in the public report, too."
    )
    review: Review | None = Field(None, description="The next review, and what triggers it earlier.")
    sign_off: list[SignOff] = Field(default_factory=list, description="Who decided what about this release.")

    def by_point(self) -> Mapping[str, Attestation | None]:
        """The attestations by their names, also those that are missing."""
        return {name: getattr(self, name) for name in ASKED}

    def missing(self) -> list[str]:
        """What nobody has attested yet."""
        rest = {"review": self.review, "sign_off": self.sign_off or None}
        return [name for name, given in {**self.by_point(), **rest}.items() if given is None]


#: The attestations that every board wants, in the order of the report. Other limits, and that there is nothing to put
#: beside the release, are nobody's duty.
ASKED = tuple(
    name
    for name in Attest.model_fields
    if name not in ("conditions", "review", "sign_off", "accepted_risk", "no_other_release", "no_tables")
)  # fmt: skip


def check_attest(attest: Attest, today: date | None = None) -> Iterator[Fault]:
    """Dates that are none or lie in the future, a review before the decision, and placeholders."""
    # Somewhere it is tomorrow already: what is written there today is not in the future.
    today = today or datetime.now(timezone(timedelta(hours=14))).date()
    more = {name: getattr(attest, name) for name in ("accepted_risk", "no_other_release", "no_tables")}
    given: list[tuple[str, Attestation | SignOff]] = [
        (f"attest.{name}", one) for name, one in (*attest.by_point().items(), *more.items()) if one is not None
    ]
    given += [(f"attest.sign_off.{number}", one) for number, one in enumerate(attest.sign_off)]
    for place, one in given:
        when = _date(one.date)
        if when is None:
            yield _no_date(f"{place}.date", one.date)
        elif when > today:
            message = "an attestation cannot be dated in the future."
            yield Fault("P064", f"{place}.date", message, "Write the day on which it was given.")
        for field, text in (("role", one.role), ("text", one.text)):
            if text is not None and is_placeholder(text):
                message = "this is a placeholder, not an attestation."
                yield Fault("P066", f"{place}.{field}", message, "Leave the point out until somebody answers for it.")
    if attest.review is not None:
        again = _date(attest.review.next)
        decided = [when for one in attest.sign_off if (when := _date(one.date)) is not None]
        if again is None:
            yield _no_date("attest.review.next", attest.review.next)
        elif decided and again <= max(decided):
            message = "the next review is not after the last sign-off."
            yield Fault("P065", "attest.review.next", message, "Name the review that comes after this release.")


def _no_date(place: str, text: str) -> Fault:
    return Fault("P059", place, f"{text!r} is not a date.", "Write year-month-day, such as 2026-03-31.")


def _date(text: str) -> date | None:
    """The day, or None; only the one way of writing it that cannot be misread."""
    try:
        return date.fromisoformat(text) if len(text) == 10 else None
    except ValueError:
        return None
