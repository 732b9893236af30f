"""The queries of the library, shipped and the user's own, by their names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cqlgui.base.files import disk, resources
from cqlgui.tasks.asking import library


def file_of(name: str) -> Path | None:
    """The file of a theme of the query library, shipped or the user's own. The name is its path in the folder
    of queries, without the ending, with `/` between folders. None if there is no such theme."""
    parts = name.split("/")
    if any(part in ("", ".", "..") or "\\" in part or ":" in part or "\0" in part for part in parts):
        return None
    for folder in _folders():
        path = folder.joinpath(*parts[:-1], f"{parts[-1]}.cql")
        if disk.is_file(path):
            return path
    return None


def nearest(name: str) -> str:
    """The theme whose name is most like a name; empty if none is alike."""
    import difflib

    known = list(names())
    ends = [one for one in known if one.rpartition("/")[2] == name.rpartition("/")[2]]
    near = ends or difflib.get_close_matches(name, known, 1)
    return near[0] if near else ""


def names() -> Iterator[str]:
    """The names of all themes."""
    for folder in _folders():
        for path in sorted(folder.rglob("*.cql")):
            yield path.relative_to(folder).with_suffix("").as_posix()


def _folders() -> tuple[Path, Path]:
    return resources.resource("queries"), library.own_folder()
