"""What all parts of a plan share: unknown fields are faults, and nothing changes after reading."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Text = Annotated[str, Field(min_length=1)]


class Strict(BaseModel):
    """A part of a plan."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)
