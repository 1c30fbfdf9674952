"""What an attack gives back: how often the intruder was right, beside how often a guess would have been."""

from __future__ import annotations

from dataclasses import dataclass

from incrowd.risk.value import wilson

#: How the scenario of an attack begins that needs two files of one plan.
TOGETHER = "holds the files"
FEWEST = 30  # tries that can show that a guess is always right


@dataclass(frozen=True)
class Rate:
    """So many right of so many tries, with the Wilson interval.

    >>> rate = Rate(850, 1000)
    >>> round((rate.low + rate.high) / 2, 3), round((rate.high - rate.low) / 2, 3)
    (0.849, 0.022)
    """

    hits: int
    tries: int

    @property
    def value(self) -> float:
        """The share of the tries that were right; 0 without any."""
        return self.hits / self.tries if self.tries else 0.0

    @property
    def low(self) -> float:
        """The lower end of the 95% interval."""
        return wilson(self.hits, self.tries)[0] if self.tries else 0.0

    @property
    def high(self) -> float:
        """The upper end: none right of n is not no risk, and no try at all tells nothing."""
        return wilson(self.hits, self.tries)[1] if self.tries else 1.0


@dataclass(frozen=True)
class Attacked:
    """One attack on one release, measured.

    `success` is of those whom the intruder went for. `baseline` is what a guess without the file reaches, `control` the
    same attack on people who are not in the file, or without the target's own record. `claimed` is how often the
    intruder dared to claim anything, with how many of the claims right: no baseline, but what it looks like from
    outside. `outsiders` is no control: who is not in the file cannot be found, only be taken for another. `worst` are
    the lines of the records most at risk, from 1 on, for the audit only.

    Without a single try there is no figure: 0 of 0 cannot be put here as a success, and what has none says why. An
    attack that has nothing to attack (no gap, no pseudonym, no other release) *does not apply*, and names who says so.
    One that could not use all that it was given (a table that it cannot read) keeps what it found, and is judged as if
    it had not been tried.

    >>> Attacked("linkage", "s", "", "", Rate(0, 0), None, None, "")
    Traceback (most recent call last):
    ValueError: linkage: nobody was tried, so there is no figure
    """

    attack: str  # its word: "linkage", "homogeneity", ...
    scenario: str
    knows: str  # what the intruder knows, in words
    acts: str  # what the intruder does, in words
    success: Rate | None  # None when it could not be tried; `why` says so
    baseline: float | None
    control: Rate | None
    sentence: str  # what a manager understands
    claimed: Rate | None = None
    worst: tuple[int, ...] = ()
    why: str = ""  # why there is no figure, no baseline or no control; what the figure does not show
    outsiders: Rate | None = None  # people outside the file who are taken for somebody in it: claims that are all wrong
    about: str = ""  # the sensitive variable that it is after, where it is after one
    fair: bool = True  # whether the people of the control are like the targets; if not, it is shown and excuses nothing
    exact: bool = False  # whether the baseline is so by design: the control only shows it, its interval adds nothing
    does_not_apply: str = ""  # who says that there is nothing to attack, where there is not; `why` says what
    assumed: str = ""  # what the figure takes for granted; left empty, what the attack's entry in the registry says
    drawn_of: int | None = None  # of how many targets those that were tried were drawn by chance, where not all were
    not_tried: int = 0  # targets that were to be tried and could not be: at a limit they count as found
    given_away: int = 0  # people of whom something is certain only because of what is published beside the release
    undecided: int = 0  # people of whom nobody could work out whether they are given away so
    incomplete: str = ""  # what it was to use and could not, such as a table: nobody knows what it would have found

    def __post_init__(self) -> None:
        if self.success is not None and not self.success.tries:
            raise ValueError(f"{self.attack}: nobody was tried, so there is no figure")
        if self.control is not None and not self.control.tries:
            raise ValueError(f"{self.attack}: nobody was tried for the control, so there is none")
        if self.success is None and not self.why:
            raise ValueError(f"{self.attack}: an attack without a figure says why")
        if self.success is not None and self.does_not_apply:
            raise ValueError(f"{self.attack}: what was tried cannot be said not to apply")
        if self.drawn_of is not None and (self.success is None or self.drawn_of < self.success.tries):
            raise ValueError(f"{self.attack}: nobody can be drawn from fewer than were tried")

    @property
    def in_full(self) -> bool:
        """Whether it was tried with all that it was to use: else it counts as not tried, whatever it found so far."""
        return self.success is not None and not self.incomplete

    @property
    def name(self) -> str:
        """What it is called in tables: 'homogeneity of income'."""
        return self.attack.replace("_", " ") + (f" of {self.about}" if self.about else "")

    @property
    def most(self) -> float | None:
        """The success at its worst: the upper end of the interval, with everybody found who could not be tried.

        None where it was not tried in full: what is found so far bounds nothing.
        """
        if self.success is None or self.incomplete:
            return None
        found = Rate(self.success.hits + self.not_tried, self.success.tries + self.not_tried)
        return max(self.success.high, found.high)

    @property
    def tried(self) -> str:
        """How many were tried, and of how many: '5,000 of 77,058'."""
        if self.success is None:
            return ""
        of = self.drawn_of if self.drawn_of is not None else self.success.tries + self.not_tried
        return f"{self.success.tries:,}" + (f" of {of:,}" if of > self.success.tries else "")

    def auxiliary(self, worst: bool) -> float | None:
        """What the success is set against: the control (its lower end at `worst`), or the baseline without one.

        A control whose people are not like the targets can excuse nothing: then it is the smaller of the two. And where
        it is known what a guess reaches, a control that estimates the same would only add its own chance.
        """
        if self.control is None or self.exact:
            return self.baseline
        control = self.control.low if worst else self.control.value
        return control if self.fair else min(control, self.baseline or 0.0)

    @property
    def residual(self) -> float | None:
        """(attack - control) / (1 - control): what the file adds to what anybody could do without it.

        Against the baseline where there is no control, or it is exact; None where there is neither, or nothing to add.
        """
        auxiliary = self.auxiliary(worst=False)
        if self.success is None or auxiliary is None or auxiliary >= 1:
            return None
        return (self.success.value - auxiliary) / (1 - auxiliary)

    @property
    def excess(self) -> float | None:
        """The residual at its worst: the upper end of the success against the lower end of the control.

        Where a guess is always right the file adds nothing, unless too few tries say so; where there is nothing to
        compare with, it adds all. None where the attack was not tried in full.
        """
        if self.success is None or self.incomplete:
            return None
        if self.baseline is not None and self.baseline >= 1:
            return 0.0 if self.success.tries >= FEWEST else self.success.high
        auxiliary = self.auxiliary(worst=True) or 0.0
        return ((self.most or 0.0) - auxiliary) / (1 - auxiliary)
