"""Attack the whole system with chance: random plans, damaged files, signals and canaries.

    python -m fuzz --seconds 600 --seed 1          everything, each kind with its share of the time
    python -m fuzz --only plans --case 17          one case again
    python -m fuzz --again fuzz-found/plans-1-17   a saved case again

Five kinds, each a module with a function that makes a case from a seed and one that plays it:

    plans      random plans on random files, end to end; the release is counted again by `oracle.py`
    verify     the figures of `verify` on random tables, compared with the oracle's
    bytes      damaged CSV, YAML, Parquet, Excel, hierarchy and lookup files through the commands
    signals    real runs that are interrupted and killed at any moment
    canaries   every command on files that are full of canaries, whole and broken

Nothing here imports the counting of incrowd: `oracle.py`, `reading.py` and `recount.py` are written from the
definitions alone. A case depends on its seed only, so a fault can be made again; what was found is made smaller and
saved as a folder. docs/quality.md has the figures of the last run, made by `--write`.
"""
