"""Query files, in a folder of shipped files and a folder of the user's files. Both folders may have
subfolders of any depth. Each `.cql` file begins with its front matter, in comments that CQL ignores:

    // title: Two bishops against a lone king
    // description: One or more sentences; further lines
    //   continue them.
    // tags: endings, bishops
    // fen: 8/8/8/3k4/8/3BB3/3K4/8 w - - 0 1

Every field is optional. `fen` is the position of the diagram beside the query. The first field of a FEN is
enough.
"""

from __future__ import annotations

import re
from pathlib import Path

from cqlgui.base import errors
from cqlgui.base.files import disk, folders, resources
from cqlgui.board import position
from cqlgui.tasks.asking import queries
from cqlgui.tasks.results import entry_model

OWN_GROUP = "My queries"
"""Name of the group that holds the user's own folder."""

_FIELD = re.compile(r"//\s*(title|description|tags|fen)\s*:\s*(.*)", re.IGNORECASE)
_NOTE = re.compile(r"//(?!/)\s*(.*)")


def entries() -> list[entry_model.QueryEntry]:
    """The shipped queries, then the user's queries. Both lists are sorted by group and title. Unreadable
    files are left out."""
    return [*_inside(resources.resource("queries"), ()), *_inside(own_folder(), (OWN_GROUP,))]


def own_folder() -> Path:
    """The folder of the user's saved queries."""
    path = folders.data() / "queries"
    folders.make(path)
    return path


def read(path: Path, group: tuple[str, ...] = ()) -> entry_model.QueryEntry:
    """Read a query file with its front matter. If the front matter has no title, the file's name is the
    title. Raises `errors.SourceError`."""
    text = queries.read_query_file(path)
    fields, _end = _front_matter(text)
    tags = tuple(tag.strip() for tag in fields.get("tags", "").split(",") if tag.strip())
    return entry_model.QueryEntry(
        path=path,
        title=fields.get("title") or _words(path.stem),
        description=fields.get("description", ""),
        tags=tags,
        text=text,
        fen=_fen(fields.get("fen", "")),
        group=group,
    )


def title(text: str) -> str:
    """The title in a query's front matter; empty if there is no title."""
    return _front_matter(text)[0].get("title", "")


def body(text: str) -> str:
    """A query's text without its front matter."""
    return "\n".join(text.splitlines()[_front_matter(text)[1] :]).strip("\n")


def body_start(text: str) -> int:
    """The end of the front matter, as an offset in the query's text (in code points)."""
    return sum(len(line) for line in text.splitlines(keepends=True)[: _front_matter(text)[1]])


def save(path: Path, text: str) -> None:
    """Write a query file, whole or not at all; raises `CqlguiError`."""
    try:
        disk.replace_file(path, text.encode("utf-8"), follow=True)
    except OSError as error:
        raise errors.CqlguiError(f"{path} cannot be written: {error.strerror or error}.") from error


def _inside(folder: Path, above: tuple[str, ...]) -> list[entry_model.QueryEntry]:
    found: list[entry_model.QueryEntry] = []
    for path in sorted(folder.rglob("*.cql")):
        if not disk.is_file(path):
            # Skip everything that is not an ordinary file. Reading a pipe, for example, could wait forever.
            continue
        group = (*above, *(_words(part) for part in path.relative_to(folder).parent.parts))
        try:
            found.append(read(path, group))
        except errors.CqlguiError:
            continue
    return sorted(found, key=lambda entry: (entry.group, entry.title.casefold()))


def _front_matter(text: str) -> tuple[dict[str, str], int]:
    """The fields of the front matter, and the number of its lines."""
    fields: dict[str, str] = {}
    current = ""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        field = _FIELD.fullmatch(line.strip())
        note = _NOTE.fullmatch(line.strip())
        if field:
            current = field[1].lower()
            fields[current] = field[2].strip()
        elif note and current == "description":
            fields[current] = f"{fields[current]} {note[1].strip()}".strip()
        elif line.strip():
            return fields, number if fields else 0
    return fields, len(lines) if fields else 0


def _fen(text: str) -> str:
    """The complete FEN for the value of a `fen` field; empty if the value is no position."""
    try:
        return position.Position.from_fen(text).fen()
    except ValueError:
        return ""


def _words(name: str) -> str:
    words = name.replace("-", " ").replace("_", " ")
    return words[:1].upper() + words[1:]
