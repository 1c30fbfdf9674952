"""The rules of a test in words: what participants accept, and what the custodian keeps with the result."""

from __future__ import annotations

from datetime import UTC, datetime

from incrowd.intruder_test.facts import Facts, Team

SOURCES = "what you know yourself, search engines, social media and public registers"
CONFIDENTIALITY = (
    "Do not tell anybody outside this test what you find, do not contact anybody you think you have found, and delete "
    "your notes when the test is over."
)


def day(seconds: int) -> str:
    """A date for readers.

    >>> day(0)
    '1 January 1970'
    """
    when = datetime.fromtimestamp(seconds, UTC)
    return f"{when.day} {when:%B %Y}"


def moment(seconds: int) -> str:
    """A date and a time, with its zone."""
    return f"{day(seconds)}, {datetime.fromtimestamp(seconds, UTC):%H:%M} UTC"


def at(seconds: int, now: int) -> str:
    """The time alone when it is less than a day away, otherwise with its date.

    >>> at(3600, 0), at(90000, 0)
    ('01:00 UTC', '2 January 1970, 01:00 UTC')
    """
    return moment(seconds).rpartition(", ")[2] if seconds - now < 86400 else moment(seconds)


def span(seconds: float) -> str:
    """A length of time.

    >>> span(5400), span(90), span(7200), span(0)
    ('1 h 30 min', '1 min', '2 h', 'less than a minute')
    """
    minutes = int(seconds // 60)
    parts = [f"{minutes // 60} h"] if minutes >= 60 else []
    parts += [f"{minutes % 60} min"] if minutes % 60 else []
    return " ".join(parts) or "less than a minute"


def rules(facts: Facts, team: Team) -> list[tuple[str, list[str]]]:
    """The rules of a team, heading by heading."""
    task = [
        f"You see a file of {facts.records:,} records about {facts.called.many}. It is about to be released. Names are "
        "not in it.",
        f"Try to find out whose record one of them is, or something about {facts.called.a} that you did not know "
        "before.",
        "Each time you believe you have, file a claim: whose, which record or what about them, how sure you are, what "
        "you used and how you got there. A wrong claim is a useful result too: say honestly how sure you are.",
    ]
    if team.cards:
        who = "All of them are in the file." if team.all_in_file else (
            "Some of them may not be in the file: leave out whom you do not find."
        )  # fmt: skip
        cards = "is 1 target card" if team.cards == 1 else f"are {team.cards} target cards"
        task.append(
            f"There {cards} for you: {facts.called.many} of whom you are told what an intruder in the scenario "
            f"\N{LEFT DOUBLE QUOTATION MARK}{team.scenario}\N{RIGHT DOUBLE QUOTATION MARK} would know, which can be "
            f"wrong. {who}"
        )
    task.append(f"You may also claim to have found {facts.called.somebody} you know.")
    time = [
        f"You have {span(facts.hours * 3600)} from the moment you accept these rules, and not later than "
        f"{moment(facts.expires)}. You can leave and come back; the clock goes on.",
        "Claims can be changed or withdrawn until then. Of withdrawn ones it is only counted how many there "
        "were, and how many of them were right.",
    ]
    use = [f"You may use: {facts.sources}.", "Do not attack this website, other participants or other computers."]
    data = [
        facts.confidentiality,
        "Your claims, with your name, and what you do on these pages are stored for this test only, and seen by those "
        f"who run it. They are deleted on {day(facts.delete_on)}; only counts stay, without names.",
        "Taking part is voluntary. You can stop at any time, and withdraw your claims.",
    ]
    found = [
        ("Your task", task),
        ("Your time", time),
        ("What you may use", use),
        ("Confidentiality and your data", data),
    ]
    return [*found, ("Prize", [facts.prize])] if facts.prize else found


def protocol(facts: Facts, names: int, targets: int, decoys: int, note: str) -> str:
    """The protocol of the test, for the custodian and whoever approves it. It tells about decoys: keep it inside."""
    lines = [
        f"# {facts.title}: protocol of the intruder test", "",
        "For the custodian. It says how many cards are decoys: participants get the rules below, not this file.", "",
        f"- Release tested: {facts.records:,} records, SHA-256 {facts.sha256}",
        *(["- This is a dry run, to practise: its scores say nothing about any release."] if facts.dry_run else []),
        f"- Intruders invited: {names}",
        f"- Scenario of the target cards: {facts.scenario}",
        f"- Target cards: {facts.cards}, {targets} of {facts.called.many} in the release; {note}",
        f"- Made {moment(facts.made)}; open until {moment(facts.expires)}; truth and claims deleted on "
        f"{day(facts.delete_on)}",
        "", "## Roles", "",
        "- Custodian: made the test, keeps its database, sends each link to one person, answers whether people whom "
        "intruders know are in the file. Does not take part and gives no hints.",
        "- Two judges: judge every claim, each without knowing what the other says, and without intruders' names.",
        "- Observer: may watch, and changes nothing; sees no truth before the test is over.",
        "- Intruders: know the kind of data as a user would, can search and analyse; no need to be specialists.",
        "- Contact for worries: name somebody who can stop the test.",
        "", "## Rules for participants",
    ]  # fmt: skip
    for team in facts.teams:
        lines += ["", f"### Team: {team.name}"] if len(facts.teams) > 1 else []
        for heading, sentences in rules(facts, team):
            lines += ["", f"### {heading}", "", *(f"- {sentence}" for sentence in sentences)]
    if not decoys:
        lines += ["", "There are no decoys: the test cannot tell how often intruders claim to find who is not there."]
    return "\n".join(lines) + "\n"
