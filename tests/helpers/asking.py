"""What `scanning.scan` asks, without a query."""

from __future__ import annotations

from typing import Any

from cqlgui.engine.replaying import replay, tiers


def by(ask: Any) -> tiers.Tiers:
    """From what `replay.search` can call."""
    return tiers.Tiers(tiers.Functions(ask, ask, replay.streamed.routine, None))
