"""Queries in files: the shipped ones and the user's own folder. Each `.cql` file begins with its front
matter,

// title: Two bishops against a lone king
// description: One or more sentences; further lines `// ...` continue them.
// tags: endings, bishops
"""

from __future__ import annotations

import re
from pathlib import Path

from cqlgui.base import errors, folders, resources
from cqlgui.tasks import model, queries

_FIELD = re.compile(r"//\s*(title|description|tags)\s*:\s*(.*)", re.IGNORECASE)
_NOTE = re.compile(r"//\s*(.*)")


def entries() -> list[model.QueryEntry]:
    """The shipped queries, then the user's, each by title; a file that cannot be read is left out."""
    found: list[model.QueryEntry] = []
    shipped = resources.resource("queries")
    for folder in (shipped, own_folder()):
        group = []
        for path in sorted(folder.glob("*.cql")):
            try:
                group.append(read(path))
            except errors.CqlguiError:
                continue
        found += sorted(group, key=lambda entry: entry.title.casefold())
    return found


def own_folder() -> Path:
    """The folder of the user's saved queries."""
    path = folders.data() / "queries"
    path.mkdir(parents=True, exist_ok=True)
    return path


def read(path: Path) -> model.QueryEntry:
    """One file with its front matter; without a title the file's name serves. Raises `errors.SourceError`."""
    text = queries.read_query_file(path)
    fields: dict[str, str] = {}
    current = ""
    for line in text.splitlines():
        field = _FIELD.fullmatch(line.strip())
        note = _NOTE.fullmatch(line.strip())
        if field:
            current = field[1].lower()
            fields[current] = field[2].strip()
        elif note and current:
            fields[current] = f"{fields[current]} {note[1].strip()}".strip()
        elif line.strip():
            break
    tags = tuple(tag.strip() for tag in fields.get("tags", "").split(",") if tag.strip())
    return model.QueryEntry(
        path=path,
        title=fields.get("title") or path.stem.replace("-", " "),
        description=fields.get("description", ""),
        tags=tags,
        text=text,
    )


def save(path: Path, text: str) -> None:
    """Write a query file, whole or not at all; raises `CqlguiError`."""
    temporary = path.with_name(path.name + ".tmp")
    try:
        temporary.write_text(text, encoding="utf-8", newline="")
        temporary.replace(path)
    except OSError as error:
        raise errors.CqlguiError(f"{path} cannot be written: {error.strerror or error}.") from error
