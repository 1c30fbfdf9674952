"""What participants read: a department's own words, filled with the facts, and never more than words."""

from __future__ import annotations

import html
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from intruder_cases import Friend, make, release, serving

import incrowd as ic
from incrowd.errors import InputError
from incrowd.intruder_test.texts import INVITATION, NAMES, blocks, templates, write_templates


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return release(tmp_path_factory.mktemp("release"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_templates(tmp_path / "texts")
    return tmp_path / "texts"


def test_our_own_texts_are_whole(folder: Path) -> None:
    assert templates(folder) == templates()
    assert sorted(path.name for path in folder.iterdir()) == sorted(f"{name}.md" for name in NAMES)
    with pytest.raises(InputError, match="D494"):
        write_templates(folder)
    (folder / "consent.md").write_text("mine")
    with pytest.raises(InputError, match="D494"):
        ic.intruder_test_texts(folder)
    assert (folder / "consent.md").read_text() == "mine"


@pytest.mark.parametrize(
    ("name", "text", "code", "told"),
    [
        ("conduct", "# A\n\n- {tittle}\n", "D492", r"conduct\.md, line 3.*\{tittle\}.*'title'"),
        ("information", "a { b", "D492", "line 1.*brace"), ("consent", "x\ny }", "D492", "line 2.*brace"),
        ("consent", "{}", "D492", "line 1"), ("consent", "{TITLE}", "D492", "line 1"),
        ("consent", "{title.__class__}", "D492", "line 1"), ("conduct", "{link}", "D492", "line 1"),
        ("invitation", "Come, {name}!", "D492", r"\{link\}"), ("information", " \n", "D493", "empty"),
        ("information", "x" * 20_001, "D493", "too long"),
    ],
)  # fmt: skip
def test_a_wrong_text_is_named_with_its_line(
    run: Path, tmp_path: Path, folder: Path, name: str, text: str, code: str, told: str
) -> None:
    (folder / f"{name}.md").write_text(text)
    with pytest.raises(InputError) as caught:
        make(run, tmp_path / "test.db", texts=folder)
    assert caught.value.code == code
    assert caught.match(told)
    assert not (tmp_path / "test.db").exists()


def test_a_missing_or_unreadable_text_is_named(folder: Path) -> None:
    (folder / "consent.md").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(InputError, match=r"D493.*consent\.md"):
        templates(folder)
    (folder / "consent.md").unlink()
    with pytest.raises(InputError, match=r"D493.*consent\.md"):
        templates(folder)


def test_participants_read_the_departments_words_before_the_clock_starts(
    run: Path, tmp_path: Path, folder: Path
) -> None:
    (folder / "information.md").write_text("# Our <b>department</b> asks\n\nIt is {title}, {records} records.\n")
    (folder / "consent.md").write_text("# Yes\n\n- I agree <script>alert(1)</script>\n- until {delete_on}\n")
    made = make(run, tmp_path / "test.db", texts=folder, title="The {link} & <i>files</i>")
    with serving(tmp_path / "test.db") as address, Friend(address, made.invitations[0].token) as friend:
        page = friend.get("/rules").text
        shown = html.unescape(page)
        assert "Our <b>department</b> asks" in shown
        assert "It is The {link} & <i>files</i>, 120 records." in shown  # what is filled in is not filled again
        assert "<b>" not in page
        assert "<script" not in page
        assert "Code of conduct" in page
        assert "I agree" in page
        assert "Your time has not begun" in page
        assert friend.send("/rules", "/rules").status_code == 400
        assert friend.get("/records").headers["location"] == "/rules"
        friend.accept()
        assert "I agree" in friend.get("/rules").text  # and can read it again


def test_each_invitation_is_a_letter(run: Path, tmp_path: Path, folder: Path) -> None:
    (folder / f"{INVITATION}.md").write_text("Dear {name}, come to {title}: {link}\n")
    (tmp_path / "names.txt").write_text("Ann {link}\nBob\n")
    options = ic.IntruderTestOptions(intruders=str(tmp_path / "names.txt"), targets=3, texts=folder, title="T")
    made = ic.intruder_test_new(run, str(tmp_path / "test.db"), options, address="https://example.org")
    text = made.written[0].read_text()
    for each in made.invitations:
        link = each.link("https://example.org")
        assert f"{each.name}\t{link}\n" in text
        assert f"Dear {each.name}, come to T: {link}\n" in text
    assert "{title}" not in "".join(made.facts.texts.values())


LINES = st.sampled_from(["# a", "- b", "* c", "d", "", "  ", "#", "- ", "-", "##x", "\t- e"])


@given(st.lists(LINES, max_size=12))
def test_no_word_of_a_text_is_lost(lines: list[str]) -> None:
    shown = "".join("".join(block.lines) for block in blocks("\n".join(lines)))
    for letter in "abcdex":
        assert shown.count(letter) == "".join(lines).count(letter)
    assert {block.kind for block in blocks("\n".join(lines))} <= {"heading", "list", "paragraph"}
