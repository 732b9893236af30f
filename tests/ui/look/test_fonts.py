"""The fixed font: every sign of a query is in it, as wide as a letter."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFont, QFontMetricsF, QRawFont
from pytestqt.qtbot import QtBot

from cqlgui.cql.editing import spelling
from cqlgui.cql.source import designators
from cqlgui.cql.syntax.reading import lexer
from cqlgui.ui.look import fonts

SIGNS = "".join(sorted(spelling._SIGNS | set(lexer.UNICODE_WORDS) | set(designators.FIGURINES))) + "aKf5{}"


@pytest.mark.parametrize("weight", [QFont.Weight.Normal, QFont.Weight.DemiBold])
def test_every_sign_of_a_query_is_as_wide_as_a_letter(qtbot: QtBot, weight: QFont.Weight) -> None:
    font = fonts.fixed()
    font.setWeight(weight)
    raw = QRawFont.fromFont(font)
    assert [sign for sign in SIGNS if not raw.supportsCharacter(ord(sign))] == []
    metrics = QFontMetricsF(font)
    assert {metrics.horizontalAdvance(sign) for sign in SIGNS} == {metrics.horizontalAdvance("a")}
