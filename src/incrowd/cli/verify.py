"""incrowd verify: count any file again."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from incrowd.cli import root
from incrowd.cli._options import Data, Json, name_of
from incrowd.cli._reading import PopulationReading, Unit, reads
from incrowd.cli._reading import population_reading as read_population
from incrowd.cli._terminal import say
from incrowd.cli.search import Models, parse_models


@root.command()
@reads
def verify(
    file: Data,
    keys: Annotated[str, typer.Option(help="The columns an intruder may know, separated by commas.")],
    k: Annotated[int | None, typer.Option(help="Every class must have at least so many people.")] = None,
    sensitive: Annotated[str | None, typer.Option(help="A column an intruder wants to learn.")] = None,
    l: Annotated[int, typer.Option("--l", help="With --sensitive: different values each class must have.")] = 2,  # noqa: E741
    model: Models = None,
    hierarchies: Annotated[Path | None, typer.Option(help="A folder with hierarchies, for hierarchical t.")] = None,
    unit: Unit = None,
    population: Annotated[
        Path | None, typer.Option(help="The people the file is about, for k_map and delta_presence.")
    ] = None,
    population_count: Annotated[
        str | None, typer.Option(help="The population's column of counts, when a line is not a person.")
    ] = None,
    population_reading: PopulationReading = None,
    json_: Json = False,
    **reading: Any,
) -> None:
    """Count the classes of any file and check requirements. Exit code 0 when all hold, 3 when one does not.

    Without --k and --model it asks for k = 2: is anybody unique?
    """
    from incrowd.cli._show import show_verification
    from incrowd.keys.requirements import DistinctL
    from incrowd.tasks.verify import verify as measure

    requirements = parse_models(model, 2 if k is None and not model else k, hierarchies)
    if sensitive is not None:
        requirements.append(DistinctL(sensitive, l))
    names = [key.strip() for key in keys.split(",") if key.strip()]
    how = read_population(population_reading, population)
    found = measure(file, names, requirements, unit, population, population_count, how, **reading)
    if json_:
        say(json.dumps({"passed": found.passed, **asdict(found)}, indent=1))
    else:
        show_verification(found, name_of(file))
    raise typer.Exit(0 if found.passed else 3)
