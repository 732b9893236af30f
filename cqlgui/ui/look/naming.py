"""Names of files for narrow spaces. If several files have the same name, the folders are named, too."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cqlgui.ui.look import wording

LONGEST = 48
"""A longer name is shortened to this number of characters."""
LISTED = 20
"""The greatest number of files that a tooltip names."""


def shortened(name: str, longest: int = LONGEST) -> str:
    """A name on one line. A long name is cut in the middle, because the end of a file name is important."""
    plain = wording.straight(" ".join(name.split()))
    if len(plain) <= longest:
        return plain
    behind = (longest - 1) // 2
    return f"{plain[: longest - 1 - behind]}…{plain[len(plain) - behind :]}"


def told_apart(paths: Sequence[Path]) -> list[str]:
    """The name of each file, with as many folders as are needed to distinguish the files."""
    parts = [path.absolute().parts for path in paths]
    found = []
    for own in parts:
        others = [other for other in parts if other != own]
        count = 1
        while count < len(own) and any(other[-count:] == own[-count:] for other in others):
            count += 1
        *folders, name = own[-count:]
        # If more than two folders are needed, the name shows only the outermost folder, because this folder
        # distinguishes the files. The folders in between are left out.
        if len(folders) > 2:
            folders = [folders[0], "…"]
        found.append(shortened(str(Path(*folders, name))))
    return found


def title(paths: Sequence[Path]) -> str:
    """Files in a few words: `a.pgn`, `a.pgn and 2 more`."""
    first = told_apart(paths)[0]
    return first if len(paths) == 1 else f"{first} and {len(paths) - 1:,} more"


def listing(paths: Sequence[Path]) -> str:
    """The paths of files, one on each line."""
    lines = [str(path) for path in paths[:LISTED]]
    if len(paths) > LISTED:
        lines.append(f"and {len(paths) - LISTED:,} more")
    return "\n".join(lines)
