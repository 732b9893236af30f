"""Prints the table:  python -m tests.tools.keywords"""

from __future__ import annotations

from tests.tools.keywords import stages


def main() -> None:
    lines = stages.table()
    print(f"{'':24}{'':14}" + "".join(f"{stage:13}" for stage in stages.STAGES))
    for line in lines:
        print(f"{line.name:24}{line.kind:14}" + "".join(f"{result:13}" for result in line.results) + line.why)
    gaps = sum(stages.GAP in line.results for line in lines)
    free = sum(set(line.results) == {stages.NONE} for line in lines)
    print(f"{len(lines)} spellings, {gaps} with gaps, {free} internal or comments without an example")


main()
