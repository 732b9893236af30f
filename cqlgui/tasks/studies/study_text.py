"""Reads the file of a study (TOML): its bases, its queries, and the groups of its table.

    title = "Rook endings"
    bases = ["games.pgn", "more.cqlbase"]   # paths begin at the folder of the study
    games = "elo>2400"                      # the games of all queries (`db.game_filter`)
    samples = 3                             # examples for each query and base
    seed = 1                                # other examples for another number

    [groups]
    elo = 200                               # width of a band of ratings
    years = 10                              # length of a period

    [[query]]
    name = "Rook endings"
    text = '''[QBNqbn] == 0  R == 1  r == 1'''
    # instead of `text`: file = "rooks.cql", or theme = "endings/lucena" of the query library
    games = "year:1950-"                    # with `games` above
    variations = true

Only `query` is required, and in a query one of `text`, `file` and `theme`. Without a name, a query has its
own title.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from cqlgui.base import errors
from cqlgui.base.data import dataclass
from cqlgui.base.files import disk, resources
from cqlgui.base.patterns import pattern
from cqlgui.cql.checking import check
from cqlgui.cql.interpreting.runtime import settings
from cqlgui.cql.source import diagnostics
from cqlgui.db import game_filter
from cqlgui.tasks.asking import library, queries, themes
from cqlgui.tasks.studies import study_places

ENDING: Final = ".toml"
LONGEST: Final = 16 << 20
"""Maximum size of a study in bytes."""
MOST_SAMPLES: Final = 100
_STUDY: Final = ("title", "bases", "games", "samples", "seed", "judge", "groups", "query")
JUDGES: Final = ("syzygy", "engine")
"""What `judge` may list. Which tables and which program these are is never said in a study."""
_GROUPS: Final = ("elo", "years")
_QUERY: Final = ("name", "text", "file", "theme", "games", "variations")
_SOURCES: Final = ("text", "file", "theme")
_HIGHEST: Final = 10_000
"""The greatest width of a group."""


class StudyError(errors.CqlguiError):
    """A study that cannot be understood. The message has a line for each fault, with the file, the line if it
    is known, and what is wrong. What is wrong with a query is told as `refused` tells it."""


@dataclass(frozen=True, slots=True)
class Filter:
    """A line that filters games. `place` names the file and the line, for messages."""

    text: str
    place: str


@dataclass(frozen=True, slots=True)
class Question:
    """A query of a study. `fault` says why the query has no text; it is empty if there is a text.

    `where` names the file with the query in messages. The query begins at `offset` in `whole`, which is the
    text of this file.
    """

    name: str
    text: str
    games: str
    variations: bool
    where: str
    whole: str = ""
    offset: int = 0
    fault: str = ""
    filters: tuple[Filter, ...] = ()
    """The parts of `games`: that of the study, and that of the query."""

    def rendered(self, finding: diagnostics.Diagnostic) -> str:
        """A diagnostic of the query as text, with its place in the file."""
        from cqlgui.base import data

        span = diagnostics.Span(finding.span.offset + self.offset, finding.span.length)
        return diagnostics.render(self.whole, data.replace(finding, span=span), self.where)

    @property
    def alone(self) -> str:
        """The text for a search outside of the study. If the study asks for variations, the header of the
        text does."""
        if not self.variations:
            return self.text
        found = check.check(self.text).query
        if found is None or found.header.variations:
            return self.text
        if not found.header.span.length:
            at = library.body_start(self.text)
            return f"{self.text[:at]}cql(variations)\n{self.text[at:]}"
        at = self.text.index("(", found.header.span.offset) + 1
        return f"{self.text[:at]}variations {self.text[at:]}"


@dataclass(frozen=True, slots=True)
class Study:
    """A study. `elo` and `years` are the widths of the groups, or None without such groups."""

    path: Path
    title: str
    bases: tuple[Path, ...]
    questions: tuple[Question, ...]
    elo: int | None
    years: int | None
    samples: int
    seed: int
    bases_place: str
    """The file and the line of the list of bases, for messages."""
    judge: tuple[str, ...] = ()
    """The judges that the study asks for (`JUDGES`). Only the user can name them."""
    judge_place: str = ""


def shipped() -> dict[str, Path]:
    """The studies that come with the program, by name."""
    return {path.stem: path for path in sorted(resources.resource("studies").glob(f"*{ENDING}"))}


def located(path: Path) -> Path:
    """The file of a study. A name without a folder and an ending may be that of a shipped study. Raises
    `StudyError`."""
    if os.path.lexists(path):
        return path
    known = shipped()
    if str(path) in known:
        return known[str(path)]
    names = ", ".join(known)
    raise StudyError(f"{path} does not exist, and no such study comes with the program (these do: {names}).")


def read(path: Path) -> Study:
    """Read a study with the texts of its queries. A query whose text cannot be read has a `fault`. Raises
    `StudyError` for every other fault. The error has all faults that can be found, those of queries too."""
    return _Reader(path, _text(path)).study()


def refused(question: Question) -> tuple[str, ...]:
    """The errors of a query, each as a message with its place, as `cqlgui check` prints them. Empty for a
    query that can be searched with."""
    if question.fault:
        return (question.fault,)
    try:
        found = queries.expanded(question.text, said=said(question))
        queries.refuse_files(found, reading=False, writing=False)
    except queries.Rejected as rejected:
        return tuple(map(question.rendered, rejected.diagnostics))
    return ()


def said(question: Question) -> settings.Settings:
    """What the study says in place of the header of a query."""
    return settings.Settings(variations=question.variations)


def write_example(path: Path, bases: Sequence[Path] = ()) -> None:
    """Write a short study with comments to a file, as a beginning for the user's own. It names the `bases`,
    as far as TOML can name them. Raises `CqlguiError`."""
    listed = [str(one) for one in bases]
    named = ", ".join(json.dumps(one, ensure_ascii=False) for one in listed if one.isprintable())
    line = f"bases = [{named}]" if named else '# bases = ["games.pgn"]'
    try:
        disk.replace_file(path, _EXAMPLE.replace("{bases}", line).encode(), follow=True)
    except OSError as error:
        raise errors.CqlguiError(f"{path} cannot be written: {error.strerror or error}.") from error


_EXAMPLE: Final = """\
# A study searches several bases with many queries, and makes one table.

title = "An example"
# Paths begin at the folder of this file. Without bases, the open games are searched.
{bases}
# games = "elo>2400 year:1950-"
# Examples for each query and base:
samples = 3

# A row for each period of ten years, and one for each band of 200 points:
# [groups]
# years = 10
# elo = 200

[[query]]
name = "Rook endings"
text = '''
R == 1  r == 1  [QBNqbn] == 0
'''

# A query of the library, by its path there:
[[query]]
theme = "sacrifices/greek-gift"

[[query]]
theme = "mates/back-rank-mate"
"""


def _text(path: Path) -> str:
    if disk.is_folder(path):
        raise StudyError(f"{path} is a folder, not a study.")
    if os.path.lexists(path) and not disk.is_file(path):
        raise StudyError(f"{path} is no ordinary file.")
    try:
        with path.open("rb") as file:
            data = file.read(LONGEST + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise StudyError(f"{path} cannot be read: {reason or error}.") from error
    if len(data) > LONGEST:
        raise StudyError(f"{path} is too long for a study.")
    try:
        # TOML takes a line end of two characters for one line feed.
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise StudyError(f"{path}:{line}: This is not UTF-8 text. Save the study as UTF-8.") from error


_PLACE = pattern(r"^(.*) \(at (?:line (\d+), column (\d+)|end of document)\)$", re.DOTALL)


def _parsed(path: Path, text: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        match = _PLACE.match(str(error))
        words, line, column = (match[1], match[2], match[3]) if match else (str(error), None, None)
        if line is None:
            row, place = diagnostics.line_and_column(text, len(text))
            line, column = str(row), str(place)
        raise StudyError(f"{path}:{line}:{column}: This is not TOML: {words}.") from error
    except RecursionError as error:
        raise StudyError(f"{path}: This is not a study: its lists are nested too deeply.") from error


class _Reader:
    """Reads the tables of one study."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.text = text
        self.folder = path.absolute().parent
        self.places = study_places.Places(text)
        # Each with its line, which is 0 if it is not known.
        self.faults: list[tuple[int, str]] = []

    def study(self) -> Study:
        whole = _parsed(self.path, self.text)
        self._known(whole, _STUDY, "A study", "", 0)
        bases = whole.get("bases", [])
        if not isinstance(bases, list) or not all(isinstance(one, str) and one for one in bases):
            self._tell("bases is a list of file names.", "", 0, "bases")
            bases = []
        groups = whole.get("groups", {})
        if not isinstance(groups, dict):
            self._tell("groups is a table, as in [groups].", "", 0, "groups")
            groups = {}
        self._known(groups, _GROUPS, "groups", "groups", 0)
        judge = whole.get("judge", [])
        if not isinstance(judge, list) or not all(one in JUDGES for one in judge):
            self._tell(f"judge is a list of {' and '.join(JUDGES)}.", "", 0, "judge")
            judge = []
        listed = whole.get("query", [])
        if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
            self._tell("Each query is a table of its own, [[query]].", "query", 0)
            listed = []
        elif not listed:
            self._tell("The study has no query: a table [[query]] is missing.", "", 0)
        games = self._games(whole, "", 0)
        made = [self._question(one, number, games) for number, one in enumerate(listed)]
        known: dict[str, int] = {}
        for number, one in enumerate(made):
            if one is None:
                continue
            if one.name in known:
                first = self.places.line("query", known[one.name], "name")
                before = "" if first is None else f", as in line {first}"
                self._tell(f"Two queries have the name “{one.name}”{before}.", "query", number, "name")
            known.setdefault(one.name, number)
        found = Study(
            path=self.path,
            title=self._string(whole, "title", "", 0) or self.path.stem,
            bases=tuple(self.folder / one for one in bases),
            questions=tuple(one for one in made if one is not None),
            elo=self._number(groups, "elo", "groups", None, 1, _HIGHEST),
            years=self._number(groups, "years", "groups", None, 1, _HIGHEST),
            samples=self._number(whole, "samples", "", 0, 0, MOST_SAMPLES) or 0,
            seed=self._number(whole, "seed", "", 1, 0, 2**53) or 0,
            bases_place=self._place("", 0, "bases"),
            judge=tuple(judge),
            judge_place=self._place("", 0, "judge"),
        )
        if self.faults:
            for number, one in enumerate(made):
                if one is not None:
                    (key,) = (key for key in _SOURCES if key in listed[number])
                    line = self.places.line("query", number, key) or 0
                    self.faults += [(line, message) for message in refused(one)]
            raise StudyError("\n".join(words for _, words in sorted(self.faults, key=lambda fault: fault[0])))
        return found

    def _question(self, one: Mapping[str, Any], number: int, games: Filter) -> Question | None:
        """A query of the study; None if it has no text."""
        self._known(one, _QUERY, "A query", "query", number)
        given = [key for key in _SOURCES if key in one]
        if len(given) != 1:
            many = f"{' and '.join(given)} exclude each other" if given else "none is there"
            # The second of two keys that exclude each other is named.
            self._tell(f"A query has one of text, file and theme; {many}.", "query", number, *given[1:2])
        key = given[0] if given else ""
        value = self._string(one, key, "query", number) if given else ""
        name = self._string(one, "name", "query", number)
        variations = one.get("variations", False)
        if not isinstance(variations, bool):
            self._tell("variations is true or false.", "query", number, "variations")
            variations = False
        filters = tuple(part for part in (games, self._games(one, "query", number)) if part.text)
        if len(given) != 1 or not isinstance(one[key], str):
            return None
        path, fault, text = self.path, "", value
        if key != "text":
            path, fault, text = self._file(key, value, number)
        shown = name or library.title(text) or (path.stem if key != "text" else f"Query {number + 1}")
        where, whole, offset = str(path), text, 0
        if key == "text":
            found = self.places.content("query", number, key, text)
            if found is None:
                where = f"{self._place('query', number, key)}query “{shown}”"
            else:
                whole, offset = self.text, found
        return Question(
            name=shown,
            text=text,
            games=" ".join(part.text for part in filters),
            variations=variations,
            where=where,
            whole=whole,
            offset=offset,
            fault=fault and f"{self._place('query', number, key)}{fault}",
            filters=filters,
        )

    def _file(self, key: str, value: str, number: int) -> tuple[Path, str, str]:
        """The file of a query, the fault of the file, and the text in it."""
        path: Path | None
        if key == "theme":
            path = themes.file_of(value)
            if path is None:
                near = themes.nearest(value)
                hint = f" Did you mean {near}?" if near else ""
                return Path(value), f"There is no theme {value} in the library.{hint}", ""
        else:
            path = self.folder / value
            if os.path.lexists(path) and not disk.is_file(path) and not disk.is_folder(path):
                return path, f"{path} is no ordinary file.", ""
        try:
            return path, "", queries.read_query_file(path)
        except errors.SourceError as error:
            return path, str(error), ""

    def _games(self, table: Mapping[str, Any], name: str, number: int) -> Filter:
        text = self._string(table, "games", name, number)
        try:
            game_filter.parse(text)
        except game_filter.FilterError as error:
            self._tell(f"games: {error}", name, number, "games")
        return Filter(text, self._place(name, number, "games"))

    def _string(self, table: Mapping[str, Any], key: str, name: str, number: int) -> str:
        value = table.get(key, "")
        if not isinstance(value, str):
            self._tell(f"{key} is a text in quotes.", name, number, key)
            return ""
        return value

    def _number(
        self, table: Mapping[str, Any], key: str, name: str, default: int | None, least: int, most: int
    ) -> int | None:
        value = table.get(key, default)
        if value is None:
            return None
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            self._tell(f"{key} is a whole number from {least} to {most}.", name, 0, key)
            return default
        return value

    def _known(
        self, table: Mapping[str, Any], keys: Sequence[str], owner: str, name: str, number: int
    ) -> None:
        import difflib

        for key in table:
            if key not in keys:
                near = difflib.get_close_matches(key, keys, 1, 0.5)
                hint = f"Did you mean {near[0]}?" if near else f"Known are {', '.join(keys)}."
                self._tell(f"{owner} has no key {key}. {hint}", name, number, key)

    def _place(self, name: str, number: int, key: str) -> str:
        line = self.places.line(name, number, key)
        return f"{self.path}: " if line is None else f"{self.path}:{line}: "

    def _tell(self, words: str, name: str, number: int, key: str = "") -> None:
        """Remember a fault. The study is read on, so that all faults are told at once."""
        line = self.places.line(name, number, key) or 0
        self.faults.append((line, f"{self._place(name, number, key)}{words}"))
