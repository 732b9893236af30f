"""Nodes of `hhdb`, which reads the conventions of the Heijden study database (spec 14)."""

from __future__ import annotations

from typing import Literal

from cqlgui.cql.ast.nodes import Node, node


@node
class Study(Node):
    """`hhdb KEY`. `key` is the key as written, without quotes. It can have two words (`gbr kings`)."""

    key: str


AwardCategory = Literal["award", "prize", "hm", "commendation"]


@node
class StudyAward(Node):
    """`hhdb award` and similar: the rank of the study's award. Of shared ranks, it is the lower end, or the
    upper end with `max`."""

    category: AwardCategory
    special: bool
    max: bool


@node
class StudySort(Node):
    """`hhdb sort award` and similar: sorts games by category and rank of their award."""

    category: AwardCategory
    special: bool
