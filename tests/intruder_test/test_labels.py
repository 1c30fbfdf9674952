"""Intruders read words: on cards, in the records, in filters; and may claim a word."""

import html

import pytest
from intruder_cases import Friend, make, release, serving

from incrowd.intruder_test.custodian import opened
from incrowd.intruder_test.facts import Facts
from incrowd.intruder_test.schema import ReleasedColumn

CODES = "variable,code,label\nsex,f,female\nsex,m,male\nsex,x,nobody is x\nill,y,has a disease\nill,n,is well\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("labels")
    (folder / "codes.csv").write_text(CODES)
    data = {"source": "people.csv", "kind": "survey", "codes": "codes.csv", "unit_name": "patient"}
    place = folder / "test.db"
    return make(release(folder, {"sex": "Sex at birth"}, data=data), place, intruders="1"), place


@pytest.mark.slow
def test_pages_are_in_words_and_claims_may_be(made):
    test, place = made
    with serving(place) as address, Friend(address, test.invitations[0].token) as friend:
        assert "a file of 120 records about patients" in html.unescape(friend.get("/rules").text)
        friend.accept()
        records, cards = friend.get("/records").text, friend.get("/targets").text
        assert "female (f)" in records
        assert "has a disease (y)" in records
        # On cards words come first, and what the file writes is behind them in small print.
        assert any(
            f'>{word} <span class="code">({code})</span><' in cards for word, code in (("female", "f"), ("male", "m"))
        )
        assert 'Sex at birth<span class="means">sex</span>' in cards
        assert "You are <em>a neighbour</em>: of each patient below you know" in cards
        assert "What the cards say is right." in cards
        # What a column means is there to be read, not only to be pointed at.
        assert 'sex<span class="means">Sex at birth</span>' in records
        assert "nobody is x" not in "".join(friend.seen)  # a code that does not occur is not told
        assert "ill is has a disease (y)" in friend.get("/records", f3="=y").text
        claim = {"target": "1", "attribute": "ill", "value": "Has a disease", "confidence": "60", "kinds": "own",
                 "reasoning": "I was told so"}  # fmt: skip
        assert friend.send("/claims/new", "/claims", **claim).status_code == 303
        assert "ill: has a disease (y)" in friend.get("/claims").text
    with opened(str(place)) as store, store.reading() as connection:
        from sqlalchemy import select

        from incrowd.intruder_test.schema import claim as claims

        assert connection.execute(select(claims.c.value)).scalar_one() == "y"  # judged as the release says it


def test_what_is_meant():
    column = ReleasedColumn("heat", "choice", False, words={"1": "gas", "2": "gas", "3": "2", "4": "oil"})
    assert column.meant("4") == ("4",)
    assert column.meant(" OIL ") == ("4",)
    assert column.meant("oil (4)") == ("4",)
    assert column.meant("2") == ("2",)  # a value goes before the words of another
    assert set(column.meant("gas")) == {"1", "2"}  # nobody can tell: the form asks again
    assert column.meant("coal") == ("coal",)


@pytest.mark.slow
def test_a_test_of_an_earlier_version_is_read(made):
    """Facts without words and names: as they were written before."""
    import json

    facts = json.loads(made[0].facts.dump())
    del facts["words"], facts["called"]
    for column in facts["columns"]:
        del column["words"], column["title"]
    old = Facts.parse(json.dumps(facts))
    assert old.called.many == "people"
    assert old.said("sex", "f") == "f"
    assert old.columns[1].said(None) == "(empty)"


def test_records_are_sorted_as_their_list_is():
    from dataclasses import replace

    from sqlalchemy import create_engine, insert

    from incrowd.intruder_test.browse import RecordSearch, search
    from incrowd.intruder_test.schema import record_table

    column = ReleasedColumn("rooms", "choice", True, (("2", 1), ("10", 1), (None, 1)))
    facts = replace(Facts("", "", 3, (), (), 0, 1.0, 0, 0, "", "", "", 0), columns=(column,))
    records = record_table(facts.columns)
    with create_engine("sqlite://").connect() as connection:
        records.create(connection)
        connection.execute(insert(records), [{"number": i, "c0": v} for i, v in enumerate(["10", None, "2"], start=1)])
        rising = search(connection, records, facts, RecordSearch(sort=0)).rows
        falling = search(connection, records, facts, RecordSearch(sort=0, falling=True)).rows
    assert [values[0] for _, values in rising] == ["2", "10", None]
    assert [values[0] for _, values in falling] == ["10", "2", None]
