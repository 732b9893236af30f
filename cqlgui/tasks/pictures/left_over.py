"""The games that are left after each filter of a query."""

from __future__ import annotations

from typing import Final

from cqlgui.base import progress
from cqlgui.base.data import dataclass
from cqlgui.tasks.pictures import pictures
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import explaining

_MEANS: Final = {
    "header": "header",
    "catalog": "tags",
    "signature": "men, squares",
    "together": "all of it",
}


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a search with the games that are left after it. `means` says what the step looks at."""

    words: str
    means: str
    games: int


@dataclass(frozen=True, slots=True)
class LeftOver:
    """The steps in order. The first step has all games of the base, and the last step the games of the
    result."""

    steps: tuple[Step, ...]

    @property
    def note(self) -> str:
        """The reason why there is nothing to show. It is empty if there is something."""
        return "" if self.steps[0].games else "The base has no games."

    @property
    def table(self) -> pictures.Table:
        """The steps as rows."""
        whole = self.steps[0].games
        return pictures.Table(
            ("Filter", "Games left", "Share"),
            tuple((step.words, step.games, pictures.share(step.games, whole)) for step in self.steps),
        )


def left_over(
    base: base_model.Base,
    result: search_model.SearchResult,
    *,
    cancel: progress.CancelToken | None = None,
) -> LeftOver:
    """The games that are left after each filter of a result's query, as `cqlgui explain` counts them: a game
    is left if its header, its men and the squares of its men do not exclude it. Filters that cannot exclude a
    game before it is played are not listed. Raises the errors of `explaining.stages`."""
    token = cancel or progress.CancelToken()
    steps = [Step("all games", "", base.games)]
    found = explaining.stages(result.query, base, result.variations, cancel=token)
    for one in found.plan:
        if one.means in _MEANS and one.games is not None:
            steps.append(Step(one.text, _MEANS[one.means], one.games))
    steps.append(Step("games with hits", "moves", len(result.order)))
    return LeftOver(tuple(steps))
