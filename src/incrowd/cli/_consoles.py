"""The consoles: tables, colours and bars, with every text shown as it is written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from incrowd.errors import visible


class PlainConsole(Console):
    """A console to which a text is a text: `[red]` and `:smile:` stay as they are, and no character acts on it."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(markup=False, emoji=False, **settings)

    def render_str(self, text: str, **settings: Any) -> Text:
        """A text on its way to be measured and laid out, in cells and titles too."""
        return super().render_str(visible(text), **settings)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Whatever is shown, piece by piece. Rich's own controls are apart; a text that was not a `str` ends here."""
        for piece in super().render(renderable, options):
            shown = piece.text if piece.control else visible(piece.text)
            yield piece if shown == piece.text else Segment(shown, piece.style)


console = PlainConsole()
errors = PlainConsole(stderr=True)


def marked(*parts: str | tuple[str, str]) -> Text:
    """A line put together from texts and from texts in a style: marked(("holds", "green"), "  k = 5")."""
    return Text.assemble(*(visible(part) if isinstance(part, str) else (visible(part[0]), part[1]) for part in parts))
