"""A folder of Parquet files, partitioned or not: which files belong to it, and which columns its subfolders name."""

from __future__ import annotations

from pathlib import Path

from incrowd.errors import InputError
from incrowd.rows.formats import DATA


def partitions(folder: Path) -> tuple[list[Path], tuple[str, ...]]:
    """The Parquet files of a folder, and the columns that its subfolders name (`year=2024/sex=f/part-0.parquet`).

    Names that begin with '_' or '.' are a writer's own business, as in Spark. All files must lie equally deep, below
    the same columns: where they do not, two engines would read two different tables.
    """
    inside = sorted(path.relative_to(folder) for path in folder.rglob("*.parquet"))
    files = [path for path in inside if not _hidden(path) and not (folder / path).is_dir()]
    visible = (path for path in folder.rglob("*") if not _hidden(path.relative_to(folder)) and path.is_file())
    if others := sum(path.suffix != ".parquet" and path.suffix.lower() in DATA for path in visible):
        raise InputError(
            "D275",
            f"the folder {folder.name} holds {others} other file(s) of data, which would be left out.",
            "Keep only Parquet files in it, whose names end in .parquet, or begin other names with an underscore.",
        )
    if not files:
        raise InputError("D020", f"there is no Parquet file in the folder {folder.name}.")
    columns = {tuple(part.partition("=")[0] for part in path.parts[:-1]) for path in files}
    plain = any("=" not in part for path in files for part in path.parts[:-1])
    if len(columns) > 1 or plain:
        raise InputError(
            "D032",
            f"the Parquet files in {folder.name} do not lie below the same columns.",
            "Either all files lie in the folder itself, or in subfolders such as year=2024/sex=f.",
        )
    names = columns.pop()
    lower = [name.lower() for name in names]
    if len(set(lower)) < len(lower):
        raise InputError("D011", f"the subfolders of {folder.name} name a column twice.", "Rename one of the two.")
    return [folder / path for path in files], names


def _hidden(path: Path) -> bool:
    return any(part[0] in "_." for part in path.parts)
