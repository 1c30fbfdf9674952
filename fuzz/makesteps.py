"""Random protection steps that fit the columns of a table."""

from __future__ import annotations

from random import Random
from typing import Any

from fuzz import tables

Columns = dict[str, list[str | None]]
Step = dict[str, Any]
TRACE = "line_no"


class Steps:
    """Steps for one table, and what the requirements need to know of them."""

    def __init__(
        self, rng: Random, case: dict[str, Any], columns: Columns, sorts: dict[str, str], roles: dict[str, str]
    ) -> None:
        self.rng, self.case, self.columns, self.sorts, self.roles = rng, case, columns, sorts, roles
        self.keys = [name for name, role in roles.items() if role == "key"]
        self.sensitive = [name for name, role in roles.items() if role == "sensitive"]
        self.steady = False  # no perturbation: a population is counted by the same keys
        if (
            not case["unit"]
            and rng.random() < 0.15
            and not [n for n in columns if n in case["canaries"] and n in self.keys]
        ):
            self.steady = True
            case["population"] = self._population()

    def _population(self) -> Columns:
        """People who are like those of the file, and more of them."""
        many = len(self.columns[self.keys[0]])
        lines = [i for i in range(many) for _ in range(self.rng.randint(1, 4))]
        lines += [self.rng.randrange(many) for _ in range(many)]
        return {key: [self.columns[key][i] for i in lines] for key in self.keys}

    def steps(self) -> list[Step]:
        """First the identifiers, then anything, then what makes the requirements hold."""
        rng, steps = self.rng, []
        if "person" in self.roles:
            if rng.random() < 0.25:
                steps.append({"step": "pseudonymise", "variables": ["person"], "into": "pseudo"})
            elif rng.random() < 0.97:
                steps.append({"step": "drop", "variables": ["person"]})
        free = [name for name in self.roles if name not in ("person", TRACE, "weight")]
        sources = [name for name in self.keys[1:] if self.case["derived"] and rng.random() < 0.4]
        dropped = [name for name in free if name in sources or (name != self.keys[0] and rng.random() < 0.08)]
        if dropped:
            steps.append({"step": "drop", "variables": dropped})
        self.left = [name for name in free if name not in dropped]
        for _ in range(rng.choice([0, 1, 1, 2, 3, 4])):
            steps += self._step(rng.choice(self.left))
        if rng.random() < 0.1:
            steps.append({"step": "sample", "fraction": str(rng.choice([0.3, 0.5, 0.9]))})
        steps += self._last()
        if rng.random() < 0.04:
            rng.shuffle(steps)
        if rng.random() < 0.05 and steps:
            rng.choice(steps)["off"] = "true"
        return steps

    def _step(self, name: str) -> list[Step]:
        """One step that fits the column."""
        rng, sort = self.rng, self.sorts[name]
        values = sorted({cell for cell in self.columns[name] if cell is not None})
        words = [self._mapping, self._prefix, self._lookup, self._hierarchy, self._merge]
        if sort in ("number", "decimal"):
            ways = [self._bands, self._bands, self._round, self._code, *words]
            if not self.steady:
                ways += [self._noise, self._aggregate, self._rank]
        elif sort in ("date", "moment"):
            ways = [self._date, self._date, *words]
        else:
            ways = words
        if not self.steady:
            ways += [self._pram, self._shuffle, self._swap]
        return [rng.choice(ways)(name, values)] if values else []

    def _bands(self, name: str, values: list[str]) -> Step:
        cuts = sorted(self.rng.sample(range(-10, 90, 5), self.rng.randint(1, 4)))
        return {"step": "recode", "variable": name, "bands": [str(cut) for cut in cuts]}

    def _mapping(self, name: str, values: list[str]) -> Step:
        some = self.rng.sample(values, self.rng.randint(1, len(values)))
        step: Step = {"step": "recode", "variable": name, "mapping": {v: self.rng.choice(["one", "two"]) for v in some}}
        if self.rng.random() < 0.5:
            step["others"] = "rest"
        return step

    def _prefix(self, name: str, values: list[str]) -> Step:
        return {"step": "recode", "variable": name, "prefix": str(self.rng.randint(1, 3))}

    def _lookup(self, name: str, values: list[str]) -> Step:
        file = f"lookup{len(self.case['files'])}.csv"
        new = {v: self.rng.choice(["one", "two", "three"]) for v in values}
        self.case["files"][file] = tables.to_csv({"from": [*new], "to": [*new.values()]})
        return {"step": "recode", "variable": name, "lookup": file, "others": "rest"}

    def tree(self, values: list[str]) -> str:
        """A hierarchy file of three levels."""
        file = f"tree{len(self.case['files'])}.csv"
        middle = {v: f"g{self.rng.randrange(3)}" for v in values}
        lines = [[v, middle[v], "low" if middle[v] == "g0" else "high", "*"] for v in values]
        text = tables.to_csv({str(i): [line[i] for line in lines] for i in range(4)}, ";")
        self.case["files"][file] = text.split("\n", 1)[1]
        return file

    def _hierarchy(self, name: str, values: list[str]) -> Step:
        level = str(self.rng.randint(1, 3))
        return {"step": "recode", "variable": name, "hierarchy": self.tree(values), "level": level}

    def _merge(self, name: str, values: list[str]) -> Step:
        step: Step = {"step": "merge_small", "variable": name, "fewer_than": str(self.rng.randint(2, 12))}
        way = self.rng.choice(["into", "into", "with", "both", "hierarchy"])
        if way in ("into", "both"):
            step["into"] = "merged"
        if way in ("with", "both"):
            step["with"] = self.rng.choice(values)
        if way == "hierarchy":
            step["hierarchy"] = self.tree(values)
        return step

    def _date(self, name: str, values: list[str]) -> Step:
        return {
            "step": "recode",
            "variable": name,
            "date_part": self.rng.choice(
                ["decade", "year", "quarter", "month", "week", "month_of_year", "weekday", "hour"]
            ),
        }

    def _round(self, name: str, values: list[str]) -> Step:
        how = "nearest" if self.steady else self.rng.choice(["nearest", "random"])
        return {"step": "round", "variable": name, "base": self.rng.choice(["1", "5", "10", "0.5"]), "how": how}

    def _code(self, name: str, values: list[str]) -> Step:
        end = self.rng.choice(["top_code", "bottom_code"])
        where = (
            {"at": str(self.rng.randint(0, 60))}
            if self.rng.random() < 0.5
            else {"percentile": self.rng.choice(["10", "50", "90"])}
        )
        return {"step": end, "variable": name, **where, **({"label": "the rest"} if self.rng.random() < 0.3 else {})}

    def _noise(self, name: str, values: list[str]) -> Step:
        size = self.rng.choice([{"share": "0.1"}, {"share": "1"}, {"sd": "2.5"}])
        apart = {"apart": "true"} if self.case["unit"] and self.rng.random() < 0.4 else {}
        return {"step": "noise", "variables": [name], **size, **apart}

    def _aggregate(self, name: str, values: list[str]) -> Step:
        k = str(self.rng.randint(2, 5))
        return {
            "step": "microaggregate",
            "variables": [name],
            "k": k,
            "method": self.rng.choice(["mdav", "univariate"]),
        }

    def _rank(self, name: str, values: list[str]) -> Step:
        return {"step": "rank_swap", "variable": name, "within": self.rng.choice(["0.1", "0.5"])}

    def _pram(self, name: str, values: list[str]) -> Step:
        return {
            "step": "pram",
            "variable": name,
            "rate": self.rng.choice(["0.1", "0.5"]),
            "invariant": self.rng.choice(["true", "false"]),
        }

    def _shuffle(self, name: str, values: list[str]) -> Step:
        return {"step": "shuffle", "variables": [name]}

    def _swap(self, name: str, values: list[str]) -> Step:
        similar = [other for other in self.left if other != name]
        step: Step = {"step": "swap", "geography": [name], "rate": self.rng.choice(["0.1", "0.5"])}
        if similar and self.rng.random() < 0.5:
            step["similar"] = [self.rng.choice(similar)]
        return step

    def _last(self) -> list[Step]:
        """Search, blanked cells, dropped records, or nothing."""
        rng = self.rng
        keys = [key for key in self.keys if key in self.left]
        if rng.random() < 0.3:
            rules: dict[str, Any] = {}
            for key in rng.sample(keys, rng.randint(1, len(keys))):
                values = sorted({cell for cell in self.columns[key] if cell is not None})
                if values:
                    rules[key] = rng.choice(["auto", self.tree(values), {"prefixes": []}])
            if rules:
                local = "false" if self.steady or self.case["unit"] else rng.choice(["false", "true"])
                search = {
                    "step": "search",
                    "hierarchies": rules,
                    "suppression": rng.choice(["0", "0.1", "0.5", "1"]),
                    "local": local,
                }
                return [search, {"step": "suppress_records"}] if rng.random() < 0.5 else [search]
        if rng.random() < 0.15 and not self.steady:
            return [
                {"step": "suppress_cells", "k": str(rng.randint(2, 4))},
                *([{"step": "suppress_records"}] if rng.random() < 0.5 else []),
            ]
        if rng.random() < 0.1:
            step: Step = {"step": "suppress_records", "fewer_than": "3", "of": [rng.choice(self.left)]}
            return [step, {"step": "suppress_records"}]
        return [{"step": "suppress_records"}] if rng.random() < 0.85 else []
