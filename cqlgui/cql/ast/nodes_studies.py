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
    """`hhdb award` and similar: the rank of the study's award. If the award names two ranks, the value is the
    smaller number. With `max`, the value is the larger number."""

    category: AwardCategory
    special: bool
    max: bool


@node
class StudySort(Node):
    """`hhdb sort award` and similar: sorts games by the category and the rank of the award."""

    category: AwardCategory
    special: bool
