"""Old scripts and what they become: exact texts, messages, designators, ranges, shifts, hostile input."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from cqlgui.cql import translate

SCRIPTS = Path(__file__).with_name("legacy_scripts.txt")


@dataclass(frozen=True)
class Script:
    """A pair of the golden file."""

    name: str
    hits: int
    warnings: list[str]
    old: str
    new: str


def scripts() -> list[Script]:
    found = []
    for block in SCRIPTS.read_text(encoding="utf-8").split("\n\n")[1:]:
        heads = re.findall(r"^# (name|hits|warning): (.*)$", block, re.MULTILINE)
        body = "\n".join(line for line in block.splitlines() if not line.startswith("# "))
        old, new = body.split("\n=>\n")
        values = dict(heads)
        warnings = [text for key, text in heads if key == "warning"]
        found.append(Script(values["name"], int(values["hits"]), warnings, old, new.strip("\n") + "\n"))
    return found


def body(old: str, **options: object) -> str:
    """The translation of what stands in one position list, without the header; there must be no error."""
    found = translate.translate(f"(match (position {old}))", **options)  # type: ignore[arg-type]
    assert not found.failed, found.notes
    header, _, text = found.text.partition("\n")
    assert header.startswith("cql(")
    return text.rstrip("\n")


def errors(script: str) -> list[str]:
    found = translate.translate(script)
    assert found.text == "" or not found.failed
    return [note.message for note in found.notes if note.severity == "error"]


@pytest.mark.parametrize("script", scripts(), ids=lambda script: script.name.split()[0])
def test_scripts_become_exactly_these_texts(script: Script) -> None:
    found = translate.translate(script.old)
    assert found.text == script.new
    assert [(note.severity, note.message) for note in found.notes] == [
        ("warning", text) for text in script.warnings
    ]


def test_there_are_all_the_scripts() -> None:
    assert [script.name.split()[0] for script in scripts()] == [f"T{n:02}" for n in range(1, 26)]


REFUSED = {
    "(match (position Xe4))": ("X", "unknown piece letter X"),
    "(match (position Ke6 be7 :relation (:pattern :shift :originalsamecount 0)))": (
        ":shift",
        ":relation with :shift has no CQL 6 equivalent",
    ),
    "(match (position :evaluation depth 6 mate))": (
        ":evaluation",
        ":evaluation has no CQL 6 equivalent (needs a chess engine)",
    ),
    "(match (position :between Ra1 Kh1))": (":between", "unknown keyword :between"),
    "(match (position :opposition K))": (":opposition", ":opposition has no CQL 6 equivalent"),
}


@pytest.mark.parametrize("script", REFUSED)
def test_what_cql6_cannot_say_is_refused_at_its_place(script: str) -> None:
    found = translate.translate(script)
    (note,) = found.notes
    place = script[note.span.offset : note.span.end]
    assert (found.text, note.severity, place, note.message) == ("", "error", *REFUSED[script])
