"""Makes comments from the events that the engine finds at hits, in the words of the output specification
(3.3).

The interpreter writes the same comments (`cql.interpreting.families`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from cqlgui.base import data
from cqlgui.engine.detail_pass import Form
from cqlgui.engine.replaying import games, layout
from cqlgui.tasks.results import found as found_module
from cqlgui.tasks.results import hit_model

_HALF: Final = (1 << 32) - 1


def told(
    columns: found_module.Columns,
    events: Sequence[int],
    ends: Sequence[int],
    defaults: found_module.GameDefaults,
    asked: games.Games,
    before: int,
) -> dict[int, hit_model.GameHits]:
    """The games of the hits in `columns`, with all comments that the query writes. The columns must have
    details.

    An event is two integers; the events of hit n end at `ends[n]`. The hits lie in the games `asked`, and
    `before` is the number of games before the first of these games in the base. The hits lie in main lines.
    """
    starts = found_module.first_hits(columns.hits).tolist()
    made: dict[int, hit_model.GameHits] = {}
    for begin, end in zip(starts, [*starts[1:], len(columns)], strict=True):
        whole = found_module.view(columns, begin, end, defaults)
        start = int(asked.starts[whole.game - before])
        turn = int(asked.start_records[start * layout.SIZE + layout.TURN])
        comments: list[tuple[int, str]] = (
            [(0, defaults.number(whole.game))] if defaults.header_comment else []
        )
        first = ends[begin - 1] if begin else 0
        for hit, last in zip(whole.hits, ends[begin:end], strict=True):
            for place in range(2 * first, 2 * last, 2):
                comments += _comments(events[place], events[place + 1], turn)
            if defaults.match_string:
                comments.append((hit.positionid, defaults.match_string))
            first = last
        made[whole.game] = data.replace(whole, comments=tuple(dict.fromkeys(comments)))
    return made


def _comments(head: int, numbers: int, turn: int) -> Iterator[tuple[int, str]]:
    """The comments of an event. `turn` is the side to move at the start of the game."""
    form, position = head >> 32, head & _HALF
    second, first = numbers >> 32, numbers & _HALF
    match form:
        case Form.FOUND:
            yield position, "Found"
        case Form.FOUND_OF:
            yield position, f"Found {first} of {second}"
        case Form.PATH | Form.LINE:
            what = "path" if form == Form.PATH else "line"
            yield position, f"Start {what} that ends at {_words(first, turn)}"
            yield first, f"End {what} of length {second} that starts at {_words(position, turn)}"


def _words(position: int, turn: int) -> str:
    """A position of a main line in words, like `Evaluation.position_text`."""
    number = (position + turn) // 2 + 1
    return f"move {number}({'btm' if (position + turn) % 2 else 'wtm'})"
