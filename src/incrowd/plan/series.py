"""A file that is released again and again: how a plan names its series, and what may differ between two releases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from incrowd.errors import Fault, did_you_mean
from incrowd.plan.steps.columns import Pseudonymise
from incrowd.plan.strict import Strict, Text

if TYPE_CHECKING:
    from incrowd.plan.model import Plan


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


class Series(Strict):
    """Releases of one source over time. Each is held against the last ones before it leaves."""

    name: Text = Field(description="What the series is called.")
    last: Annotated[int, Field(ge=1)] = Field(
        4, description="With how many of the last releases this one is compared, of each tier."
    )
    people: Annotated[list[Text], BeforeValidator(_listed), Field(min_length=1)] | None = Field(
        None,
        description="The identifiers that tell whose record it is in every release, written alike. Left out: the unit, "
        "the variables of pseudonymise, or the only identifier. The audit keeps keyed digests of them.",
    )
    overlap: Literal["few", "none"] | None = Field(
        None,
        description="What somebody knows of the people in two releases: few of them are in both, or none, as in "
        "samples drawn afresh. Needs a reason. Left out, what cannot be told is taken to be the same people.",
    )
    reason: Text | None = Field(None, description="How that is known. Stays in the audit.")
    pseudonyms: Literal["change", "stay"] = Field(
        "change",
        description="Whether pseudonymise calls the same person otherwise in every version, or the same in the whole "
        "series.",
    )
    limit: Annotated[float, Field(ge=0, le=1)] = Field(
        0.0,
        description="The largest share whom two releases may give away together although neither does alone: of the "
        "people in only one of them or changed, and of those in both.",
    )
    changed: Annotated[float, Field(ge=0, le=1)] | None = Field(
        None,
        description="The same for people who are in both, in the same class, with other values: only who knows that "
        "something changed finds them. Left out, they are counted and told, and refuse nothing.",
    )
    without: dict[Text, Text] = Field(
        default_factory=dict,
        description="Earlier releases that are not compared, each with why: by the name of the run, or of another "
        "series. For releases that never left, were withdrawn, or are about other people.",
    )


def _named(value: Any) -> Any:
    return {"name": value} if isinstance(value, str) else value


AnySeries = Annotated[Series, BeforeValidator(_named, json_schema_input_type=Text | Series)]


def people_of(plan: Plan) -> tuple[str, ...]:
    """The columns by which a series knows people again; none where the plan has nothing to tell them by."""
    series = plan.release.series
    if series is not None and series.people is not None:
        return tuple(series.people)
    if plan.data.unit is not None:
        return (plan.data.unit,)
    for _, step in plan.active:
        if isinstance(step, Pseudonymise):
            return tuple(step.variables)
    names = plan.with_role("identifier")
    return tuple(names) if len(names) == 1 else ()


def links_people(plan: Plan) -> bool:
    """Whether the run must know whose record each released one is, for the series."""
    return plan.release.series is not None and bool(people_of(plan))


def check_series(plan: Plan) -> Iterator[Fault]:
    """Does what a plan says of its series fit the rest of it?"""
    series = plan.release.series
    if series is None:
        return
    identifiers = plan.with_role("identifier")
    for number, name in enumerate(series.people or []):
        if name not in identifiers:
            hint = did_you_mean(name, identifiers) or "Give it the role identifier."
            place = f"release.series.people.{number}"
            yield Fault("P110", place, f"{name!r} is not an identifier of the plan.", hint)
    renames = any(isinstance(step, Pseudonymise) for _, step in plan.active)
    if renames and series.pseudonyms == "change" and plan.release.version is None:
        message = "pseudonyms change with every version of the series, and the release names none."
        yield Fault("P111", "release.version", message, "Name it (`2026-03`), or let them: pseudonyms: stay.")
    if (series.overlap is None) != (series.reason is None):
        message = "what is said of the overlap and its reason go together."
        yield Fault("P112", "release.series.overlap", message, "Say both: overlap: none, reason: drawn afresh …")
