"""Ends with 0 when this interpreter has every package that pyproject.toml asks for, in a fitting version.

    python packaging/satisfied.py [EXTRA]

Lets the set-up go on without a network when nothing is missing. Uses the standard library and pip's parser of
requirements, as nothing else is sure to be there.
"""

from __future__ import annotations

import importlib.metadata
import sys
import tomllib
from pathlib import Path

from pip._vendor.packaging import requirements

ROOT = Path(__file__).resolve().parents[1]


def main(arguments: list[str]) -> int:
    """Compare what is installed with what the project asks for; name what is missing on stderr."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = list(project["dependencies"])
    for extra in arguments:
        wanted += project["optional-dependencies"][extra]
    missing = [line for line in wanted if not _fits(requirements.Requirement(line))]
    if not _points_here(project["name"]):
        missing.append(f"{project['name']} itself")
    for line in missing:
        print(f"missing: {line}", file=sys.stderr)
    return 1 if missing else 0


def _fits(wanted: requirements.Requirement) -> bool:
    if wanted.marker is not None and not wanted.marker.evaluate():
        return True
    try:
        version = importlib.metadata.version(wanted.name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return wanted.specifier.contains(version, prereleases=True)


def _points_here(name: str) -> bool:
    """Whether the project is installed, editable, from this checkout."""
    try:
        origin = importlib.metadata.distribution(name).read_text("direct_url.json") or ""
    except importlib.metadata.PackageNotFoundError:
        return False
    return ROOT.as_uri() in origin


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
