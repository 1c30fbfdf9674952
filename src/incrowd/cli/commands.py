"""The commands. Each imports what it needs when it is called, so that --help stays quick."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from incrowd.cli import app
from incrowd.cli._options import writable
from incrowd.cli._terminal import say
from incrowd.cli._trusting import SigningKey, signing
from incrowd.cli.search import Models, parse_models
from incrowd.machine.writing import write_private

if TYPE_CHECKING:
    from incrowd.pipeline import Run

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON, for scripts.")]
Data = Annotated[Path, typer.Argument(help="A CSV (also .gz), Parquet or Excel file.")]
Header = Annotated[
    bool,
    typer.Option("--header", help="The first line names the columns, whatever it looks like."),
]
#: What `run --json` takes from the log.
TOLD = ("title", "tier", "kind", "unit", "steps", "verdicts", "variables", "released_columns", "risks")
PlanFile = Annotated[Path, typer.Argument(help="The release plan, a YAML file.")]


@app.command("demo-data")
def demo_data(
    rows: Annotated[str, typer.Option(help="How many people; 1e6 is understood.")] = "100000",
    seed: Annotated[int, typer.Option(help="The same seed gives the same bytes.")] = 1,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", help="Where to write: .csv or .parquet (default: people.csv).", callback=writable),
    ] = None,
    format_: Annotated[
        Literal["csv", "parquet"] | None, typer.Option("--format", help="Without -o: people.csv or people.parquet.")
    ] = None,
    population: Annotated[
        Path | None,
        typer.Option(help="Also write the larger population that the file is a sample of.", callback=writable),
    ] = None,
) -> None:
    """Write a synthetic population of people who do not exist, to try incrowd on."""
    from incrowd.cli._show import bar
    from incrowd.demo import write_demo
    from incrowd.errors import InputError

    try:
        number = int(float(rows))
    except (ValueError, OverflowError):
        raise InputError("D017", f"--rows {rows} is not a number.") from None
    ending = "parquet" if out is not None and out.suffix.lower() == ".parquet" else "csv"
    if out is not None and format_ not in (None, ending):
        raise InputError("D093", f"--format {format_} does not go with a file called {out.name}.", "Leave one out.")
    out = out or Path(f"people.{format_ or 'csv'}")
    with bar("people") as progress:
        write_demo(out, rows=number, seed=seed, population=population, progress=progress)
    say(f"{number:,} people in {out}" + (f", their population in {population}" if population else ""))


@app.command()
def profile(
    data: Data,
    json_: Json = False,
    delimiter: Annotated[str | None, typer.Option(help="For CSV files.")] = None,
    header: Header = False,
) -> None:
    """What is in a file: types, distinct and missing values, and which role each column suggests.

    Names, e-mail addresses, NHS and National Insurance numbers, phone numbers, postcodes and dates of birth are
    recognised. No value of the file is shown.
    """
    from incrowd.cli._show import show_profile
    from incrowd.profiling import profile as measure
    from incrowd.rows import open_source
    from incrowd.rows.header import refuse_records_as_names

    rows = open_source(data, delimiter=delimiter)
    if not header:
        refuse_records_as_names(rows)
    found = measure(rows)
    if json_:
        say(json.dumps(found.to_dict(), indent=1))
    else:
        show_profile(found, data.name)


@app.command()
def init(
    data: Data,
    out: Annotated[Path, typer.Option("-o", "--out", help="Where to write the plan.", callback=writable)] = Path(
        "plan.yaml"
    ),
    kind: Annotated[
        Literal["survey", "administrative", "census"], typer.Option(help="How the records were collected.")
    ] = "survey",
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing plan.")] = False,
    header: Header = False,
) -> None:
    """Write a commented starter plan for a file, with a suggested role for every column."""
    import os

    from incrowd.errors import InputError
    from incrowd.profiling import profile as measure
    from incrowd.profiling import starter_plan
    from incrowd.rows import open_source
    from incrowd.rows.header import refuse_records_as_names

    if out.exists() and not force:
        raise InputError("D018", f"{out} exists already.", "Choose another name with -o, or use --force.")
    # The plan names the data from its own folder, so that the two can move together.
    source = os.path.relpath(data.resolve(), out.resolve().parent)
    rows = open_source(data)
    if not header:
        refuse_records_as_names(rows)
    text = starter_plan(measure(rows), source, kind=kind)
    write_private(out, text)
    say(f"{out} is a start, not a decision: read every role and reason, then run: incrowd check {out}")


@app.command()
def check(
    plan: Annotated[Path | None, typer.Argument(help="The release plan, a YAML file.")] = None,
    json_: Json = False,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of plans instead.")] = False,
) -> None:
    """Show all faults of a plan at once, each with a code, a line and a way out. Exit code 2 when there are any."""
    from incrowd.errors import Fault, InputError, PlanError
    from incrowd.plan import Plan, check_columns, inspect_plan, read_text
    from incrowd.rows import open_source

    if schema:
        say(json.dumps(Plan.model_json_schema(by_alias=True), indent=1))
        return
    if plan is None:
        raise InputError("D019", "no plan is named.", "Say: incrowd check plan.yaml")
    folder = plan.resolve().parent
    found = inspect_plan(read_text(plan), folder)
    faults: list[Fault] = found.faults
    if found.plan is not None and found.plan.data.is_there(folder):
        data = found.plan.data
        rows = open_source(data.place(folder), delimiter=data.delimiter, encoding=data.encoding)
        try:
            check_columns(found.plan, rows.columns, rows.place)
        except PlanError as error:
            faults = sorted([*faults, *found.with_lines(error.faults)], key=lambda fault: fault.line or 0)
        finally:
            rows.close()
    if faults or found.plan is None:
        raise PlanError(faults)
    missing = found.plan.attest.missing()
    if json_:
        say(json.dumps({"faults": [], "not_attested": missing}))
    else:
        numbers = (len(found.plan.variables), len(found.plan.steps), len(found.plan.requirements))
        say(f"{plan} has no faults. Variables: {numbers[0]}, steps: {numbers[1]}, requirements: {numbers[2]}.")
        if missing:
            named = ", ".join(missing[:4]) + (f" and {len(missing) - 4} more" if len(missing) > 4 else "")
            say(f"Not attested yet ({len(missing)}): {named}. The internal report shows them as missing.")


@app.command()
def run(
    plan: PlanFile,
    out: Annotated[
        Path | None,
        typer.Option(help="Where to put runs/ and the pointer release (default: beside the plan)."),
    ] = None,
    memory: Annotated[
        str | None, typer.Option(help="The most memory the run may use, such as 8GB; the engine spills to the disk.")
    ] = None,
    pdf: Annotated[bool, typer.Option("--pdf", help="Also print both reports to PDF, with headless Chromium.")] = False,
    signing_key: SigningKey = None,
    json_: Json = False,
) -> None:
    """Take a plan from the raw file to a release: protect, count the written file again, publish or refuse.

    Exit code 0: released; 2: a fault in the plan or the data; 3: a requirement does not hold, nothing is released
    and an earlier release stays as it is.

    A plan with tiers makes a file for each, in a folder named after the tier, or none of them.
    """
    from incrowd.audit.checked import Trust
    from incrowd.cli._show import show_run, step_bars
    from incrowd.cli.report import pages, print_pages
    from incrowd.plan import load_tiers

    if pdf:
        from incrowd.report.pdf import need_browser

        need_browser()  # before an hour of work
    tiered, signer = len(load_tiers(plan)) > 1, signing(signing_key)
    with step_bars(quiet=json_) as bars:
        if tiered:
            from incrowd.pipeline.tiers import run_tiers

            runs = run_tiers(plan, out=out, memory=memory, progress=bars.begin, signer=signer)
        else:
            from incrowd.pipeline import run as run_plan

            done = run_plan(
                plan, out=out, memory=memory, progress=bars.begin, within=bars.within, signer=signer
            )  # fmt: skip
            runs = (done,)
    if pdf:
        for done in runs:
            trust = Trust() if signer is None else Trust((signer.public,))
            print_pages(pages(done.folder), trust, signer)
    if json_:
        content = [_told(done) for done in runs]
        say(json.dumps(content if tiered else content[0], indent=1))
        return
    for done in runs:
        show_run(done)


def _told(done: Run) -> dict[str, object]:
    """A run for scripts: what is named here and nothing else. Figures by group name values of the file as it came, and
    a rare value is somebody; they stay in the audit, as do the lines of records at risk.
    """
    from incrowd.report.board.advice import advise

    log = asdict(done.log)
    told = {name: log[name] for name in TOLD}
    told["attacks"] = [{name: value for name, value in one.items() if name != "worst"} for one in log["attacks"]]
    if done.log.utility is not None:
        verdicts = [{"use_case": o.use_case, "passed": o.passed} for o in done.log.utility.outcomes]
        told["utility"] = {"loss": log["utility"]["loss"], "outcomes": verdicts}
    places = {"release": str(done.release), "audit": str(done.audit)}
    return {**places, "notes": done.notes, "advice": asdict(advise(done.log)), **told}


@app.command()
def verify(
    file: Data,
    keys: Annotated[str, typer.Option(help="The columns an intruder may know, separated by commas.")],
    k: Annotated[int | None, typer.Option(help="Every class must have at least so many people.")] = None,
    sensitive: Annotated[str | None, typer.Option(help="A column an intruder wants to learn.")] = None,
    l: Annotated[int, typer.Option("--l", help="With --sensitive: different values each class must have.")] = 2,  # noqa: E741
    model: Models = None,
    hierarchies: Annotated[Path | None, typer.Option(help="A folder with hierarchies, for hierarchical t.")] = None,
    unit: Annotated[str | None, typer.Option(help="The column that tells whose record it is; k counts people.")] = None,
    population: Annotated[
        Path | None, typer.Option(help="The people the file is about, for k_map and delta_presence.")
    ] = None,
    population_count: Annotated[
        str | None, typer.Option(help="The population's column of counts, when a line is not a person.")
    ] = None,
    json_: Json = False,
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
    found = measure(file, names, requirements, unit, population, population_count)
    if json_:
        say(json.dumps({"passed": found.passed, **asdict(found)}, indent=1))
    else:
        show_verification(found, file.name)
    raise typer.Exit(0 if found.passed else 3)


@app.command()
def demo(
    folder: Annotated[Path, typer.Argument(help="Where to put the demo.")] = Path("demo"),
    rows: Annotated[int, typer.Option(help="How many people.")] = 100_000,
) -> None:
    """The whole way on demo data: 100,000 synthetic people, a plan, a release at k = 9, and its report."""
    from incrowd.cli._show import bar, show_run, step_bars
    from incrowd.demo import write_demo, write_example
    from incrowd.errors import IncrowdError
    from incrowd.pipeline import run as run_plan

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise IncrowdError("X004", f"no run can be stored in {folder} ({error.strerror}).") from None
    with bar("people") as progress:
        write_demo(folder / "people.csv", rows=rows, seed=1, progress=progress)
    plan = write_example(folder)
    with step_bars() as bars:
        done = run_plan(plan, progress=bars.begin, within=bars.within)
    show_run(done)
