"""The text of a source is read only while it begins with what was indexed."""

from __future__ import annotations

from pathlib import Path

import pytest

from cqlgui.base import errors
from cqlgui.tasks import importing, sources

GAMES = '[White "A"]\n\n1. e4 e5 *\n\n[White "B"]\n\n1. d4 d5 *\n\n'


def test_a_text_that_has_changed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.pgn"
    path.write_text(GAMES)
    (source,) = importing.open_base([path]).base.sources
    with sources.opened(source) as opened:
        assert opened.raw(0).startswith(b'[White "A"]')
    path.write_text(GAMES.replace("e4 e5", "c4 c5"))
    with sources.opened(source) as opened, pytest.raises(errors.SourceError, match="changed"):
        opened.raw(0)


def test_a_text_that_has_grown_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.pgn"
    path.write_text(GAMES)
    (source,) = importing.open_base([path]).base.sources
    path.write_text(GAMES + GAMES)
    with sources.opened(source) as opened:
        assert opened.raw(1).startswith(b'[White "B"]')
