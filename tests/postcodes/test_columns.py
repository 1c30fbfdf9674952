"""Which column holds the postcodes? Told where it is plain, left open where it is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from incrowd.rows import open_source
from incrowd.rows.postcodes import postcode_column


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("name,Postcode\nAnn,x\n", "Postcode"),
        ("id,post_code\n1,x\n", "post_code"),
        ("a,b\n1,NE3 1ED\n2,NE35 2FG\n3,none\n", "b"),
        ("sex,marriage\nM,S\nM,M\nF,W\n", None),  # all codes of areas, but for F
        ("a,b\n,\n,\n", None),
    ],
)
def test_the_column_of_postcodes_is_found_where_that_is_plain(text: str, column: str | None, tmp_path: Path) -> None:
    (tmp_path / "file.csv").write_text(text)
    assert postcode_column(open_source(tmp_path / "file.csv")) == column
