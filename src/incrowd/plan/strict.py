"""What all parts of a plan share: unknown fields are faults, and nothing changes after reading."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

Text = Annotated[str, Field(min_length=1)]
#: Digits before and after the point: 1e999999999 is a number, and as a text it fills the memory.
DIGITS = 50


def _short(number: Decimal) -> Decimal:
    exponent = number.as_tuple().exponent
    if number.adjusted() >= DIGITS or not isinstance(exponent, int) or exponent < -DIGITS:
        raise ValueError(f"a number has at most {DIGITS} digits before the point and after it")
    return number


#: An exact number, as it is written.
Number = Annotated[Decimal, AfterValidator(_short)]


class Strict(BaseModel):
    """A part of a plan."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, allow_inf_nan=False)
