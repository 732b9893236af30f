"""Both palettes can be read: contrast as WCAG 2 measures it."""

from __future__ import annotations

import re

import pytest
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from cqlgui.ui.look import icons, theme

TEXTS = (
    ("text", "window"), ("text", "panel"), ("text", "base"), ("text", "alternate"), ("text", "raised"),
    ("muted", "window"), ("muted", "panel"), ("muted", "base"), ("muted", "alternate"), ("muted", "raised"),
    ("link", "base"), ("link", "window"), ("selection_text", "selection"), ("accent_text", "accent"),
    ("badge_text", "badge"), ("current_move_text", "current_move"), ("hit_move", "base"),
    ("variation", "base"), ("comment_text", "base"), ("warning", "window"), ("error", "window"),
    ("error", "base"), ("success", "base"), ("keyword", "base"), ("transform", "base"), ("piece", "base"),
    ("square", "base"), ("number", "base"), ("string", "base"), ("comment", "base"), ("variable", "base"),
    ("operator", "base"), ("bracket", "base"), ("comment", "current_line"), ("keyword", "current_line"),
    ("gutter_text", "gutter"), ("light_coordinate", "light_square"), ("dark_coordinate", "dark_square"),
)  # fmt: skip
"""Roles of text, and what they are written on."""

SHAPES = (("ring", "light_square"), ("ring", "dark_square"), ("info", "raised"), ("warning", "raised"),
          ("error", "raised"), ("truth_yes", "base"), ("truth_no", "base"), ("accent", "base"))  # fmt: skip
"""Roles of shapes, and what they lie on; the ring's halo makes up for squares it is near to in tone."""


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("scheme", [theme.LIGHT, theme.DARK], ids=["light", "dark"])
def test_every_text_can_be_read(scheme: theme.Colours) -> None:
    poor = {
        (text, ground): round(contrast(getattr(scheme, text), getattr(scheme, ground)), 2)
        for text, ground in TEXTS
        if contrast(getattr(scheme, text), getattr(scheme, ground)) < 4.5
    }
    assert not poor


@pytest.mark.parametrize("scheme", [theme.LIGHT, theme.DARK], ids=["light", "dark"])
def test_every_shape_stands_out_or_has_a_halo_that_does(scheme: theme.Colours) -> None:
    for shape, ground in SHAPES:
        colours = [getattr(scheme, shape)]
        if shape == "ring":
            colours.append(scheme.ring_halo)
        assert max(contrast(colour, getattr(scheme, ground)) for colour in colours) >= 3.0, (shape, ground)


def test_the_application_wears_what_was_chosen(qtbot: QtBot, qapp: QApplication) -> None:
    for choice, scheme in ((theme.Choice.DARK, theme.DARK), (theme.Choice.LIGHT, theme.LIGHT)):
        with qtbot.waitSignal(theme.theme().changed):
            theme.theme().apply(choice)
        assert theme.colours() is scheme
        assert qapp.palette().color(QPalette.ColorRole.Base).name() == scheme.base
        assert qapp.palette().color(QPalette.ColorRole.Text).name() == scheme.text


def test_the_style_sheet_knows_every_colour_it_names(qtbot: QtBot) -> None:
    assert not re.findall(r"@\w+@", theme.style_sheet(theme.DARK))


def test_icons_take_the_colour_of_the_theme(qtbot: QtBot) -> None:
    for choice in (theme.Choice.DARK, theme.Choice.LIGHT):
        theme.theme().apply(choice)
        image = icons.icon("stop").pixmap(32, 32).toImage()
        seen = {
            image.pixelColor(x, y).name()
            for x in range(image.width())
            for y in range(image.height())
            if image.pixelColor(x, y).alpha() == 255
        }
        assert theme.colours().text in seen
