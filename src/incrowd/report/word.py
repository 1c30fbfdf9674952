"""The decision paper as a Word document: the same sentences as the page, to be filled in and signed.

python-docx writes the time into the file; here every document of the same paper has the same bytes.
"""

from __future__ import annotations

import io
import zipfile
from datetime import datetime
from typing import Any

from incrowd.errors import missing_extra
from incrowd.report.board.paper import FILLED_IN, KIND, MARKS, SIGNATURES, SIGNED, STAMP, Figure, Paper, Part, Stand

#: Ink and ground of each way to stand: those of the page.
COLOURS: dict[Stand, tuple[str, str]] = {
    "good": ("14603A", "E8F4ED"), "fair": ("7A3A06", "FDF3E1"), "bad": ("9B1C1C", "FBEAEA"),
    "plain": ("1D2733", "F4F6F9"),
}  # fmt: skip
EPOCH = datetime(2000, 1, 1)


def need_word() -> None:
    """An error with the way out where python-docx is not installed."""
    try:
        import docx  # noqa: F401
    except ImportError:
        raise missing_extra("python-docx, which writes Word documents,", "word", "D392") from None


def word_document(paper: Paper) -> bytes:
    """The paper as a .docx file."""
    need_word()
    from docx import Document
    from docx.shared import Mm, Pt

    made = Document()
    page = made.sections[0]
    _set(page, page_width=Mm(210), page_height=Mm(297))
    _set(page, left_margin=Mm(13), right_margin=Mm(13), top_margin=Mm(10), bottom_margin=Mm(10))
    normal = made.styles["Normal"]
    _set(normal.font, name="Arial", size=Pt(8))
    _set(normal.paragraph_format, space_after=Pt(1.5), line_spacing=1.0)
    _heading(made, paper.title, 14)
    _text(made.add_paragraph(), f"{KIND}. {STAMP}", size=7.5, stands="bad")
    _text(made.add_paragraph(), paper.about, size=6.5)
    _figures(made, paper.figures)
    _text(made.add_paragraph(), paper.limits, size=6.5)
    _part(made, paper.decision)
    beside = made.add_table(rows=1, cols=2)
    for cell, one, width in zip(beside.rows[0].cells, (paper.worth, paper.risk), (74, 110), strict=True):
        cell.width = Mm(width)
        _part(cell, one)
        _drop(cell.paragraphs[0])  # every cell begins with an empty one
    for one in (paper.done, paper.remains, paper.answers):
        _part(made, one)
    _heading(made, SIGNATURES, 10)
    for text, size, bold in ((paper.signing, 8.0, True), (FILLED_IN, 7.0, False)):
        line = made.add_paragraph()
        line.paragraph_format.keep_with_next = True
        _text(line, text, size=size, bold=bold)
    _lines(made, paper)
    # The properties of a document hold 255 characters, and a title is shorter.
    _set(made.core_properties, title=paper.title, author="incrowd", created=EPOCH, modified=EPOCH)
    out = io.BytesIO()
    made.save(out)
    return _undated(out.getvalue())


def _heading(place: Any, text: str, size: float) -> None:
    from docx.shared import Pt

    line = place.add_paragraph()
    _set(line.paragraph_format, keep_with_next=True, space_before=Pt(4))
    _text(line, text, size=size, bold=True, colour="173F68")


def _part(place: Any, part: Part) -> None:
    """A heading, its sentence and its points."""
    from docx.shared import Mm

    _heading(place, part.title, 10)
    lead = place.add_paragraph()
    _set(lead.paragraph_format, keep_with_next=bool(part.points))
    _text(lead, part.lead, bold=True)
    for number, one in enumerate(part.points, start=1):
        line = place.add_paragraph()
        _set(line.paragraph_format, left_indent=Mm(4), first_line_indent=Mm(-4))
        line.paragraph_format.tab_stops.add_tab_stop(Mm(4))
        mark = f"{number}." if part.numbered else MARKS[one.stands] or "\N{EN DASH}"
        _text(line, f"{mark}\t", stands=one.stands, bold=one.stands != "plain")
        _text(line, one.text)
    if part.more:
        _text(place.add_paragraph(), part.more)


def _figures(made: Any, figures: tuple[Figure, ...]) -> None:
    """The figures in rows of three, each on its colour."""
    table = made.add_table(rows=-(-len(figures) // 3), cols=3)
    table.style = "Table Grid"
    for at, one in enumerate(figures):
        cell = table.cell(at // 3, at % 3)
        _shade(cell, COLOURS[one.stands][1])
        _text(cell.paragraphs[0], one.label, size=7)
        value = cell.add_paragraph()
        mark = f"{MARKS[one.stands]} " if MARKS[one.stands] else ""
        _text(value, f"{mark}{one.value}", size=12, bold=True, stands=one.stands)
        _text(cell.add_paragraph(), one.note, size=7)


def _lines(made: Any, paper: Paper) -> None:
    from docx.shared import Mm

    table = made.add_table(rows=1 + len(paper.lines), cols=len(SIGNED))
    table.style = "Table Grid"
    for cell, head in zip(table.rows[0].cells, SIGNED, strict=True):
        _text(cell.paragraphs[0], head, bold=True, size=7.5)
    for row, line in zip(table.rows[1:], paper.lines, strict=True):
        row.height = Mm(9)
        for cell, text in zip(row.cells, (line.role, "", line.decision, "", line.date), strict=True):
            _text(cell.paragraphs[0], text)
    for at, row in enumerate(table.rows):  # what is signed is on one page, with the words above it
        row._tr.get_or_add_trPr().append(_made("w:cantSplit"))
        for cell in row.cells:
            cell.paragraphs[0].paragraph_format.keep_with_next = at < len(table.rows) - 1


def _made(name: str) -> Any:
    from docx.oxml import OxmlElement

    return OxmlElement(name)


def _text(
    line: Any, text: str, *, size: float = 8, bold: bool = False, stands: Stand = "plain", colour: str = ""
) -> None:
    from docx.shared import Pt, RGBColor

    run = line.add_run(text)
    _set(run.font, bold=bold, size=Pt(size))
    _set(run.font.color, rgb=RGBColor.from_string(colour or COLOURS[stands][0]))


def _set(thing: Any, **values: Any) -> None:
    """Give a part of the document these properties."""
    for name, value in values.items():
        setattr(thing, name, value)


def _shade(cell: Any, colour: str) -> None:
    from docx.oxml.ns import qn

    shade = _made("w:shd")
    for name, value in (("val", "clear"), ("color", "auto"), ("fill", colour)):
        shade.set(qn(f"w:{name}"), value)
    cell._tc.get_or_add_tcPr().append(shade)


def _drop(line: Any) -> None:
    line._p.getparent().remove(line._p)


def _undated(made: bytes) -> bytes:
    """The same archive with the time of every entry taken out."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(made)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(zipfile.ZipInfo(name), old.read(name), zipfile.ZIP_DEFLATED)
    return out.getvalue()
