"""cqlgui: search chess games with CQL, and see which element of a transform's orbit matched.

As a library:

>>> import cqlgui
>>> base = cqlgui.open("games.pgn")                        # doctest: +SKIP
>>> result = base.search("Bh7 kg8 check", "elo>2400")      # doctest: +SKIP

The public names are those of `__all__`. They are loaded when they are first used. So `import cqlgui` takes no
time, and the program's own start does not load the library.
"""

# Type checkers know the name. A worker process imports this module before it can find the standard library
# (`base.places`), so the module imports nothing at its top.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from cqlgui.api.asking import Problem, Query, check, explain, orbit, query
    from cqlgui.api.bases import Base, CancelToken, open  # the name that `gzip` and `tarfile` use, too
    from cqlgui.api.faults import Cancelled, CqlguiError, QueryError, SourceError
    from cqlgui.api.results import Hit, Result, SearchStopped

__version__ = "0.1.0"

__all__ = [
    "Base",
    "CancelToken",
    "Cancelled",
    "CqlguiError",
    "Hit",
    "Problem",
    "Query",
    "QueryError",
    "Result",
    "SearchStopped",
    "SourceError",
    "check",
    "explain",
    "open",
    "orbit",
    "query",
]

_MODULES = {
    "bases": ("Base", "CancelToken", "open"),
    "asking": ("Problem", "Query", "check", "explain", "orbit", "query"),
    "faults": ("Cancelled", "CqlguiError", "QueryError", "SourceError"),
    "results": ("Hit", "Result", "SearchStopped"),
}
"""The modules of `cqlgui.api` that hold the public names."""


def __getattr__(name: str) -> object:
    for module, names in _MODULES.items():
        if name in names:
            from importlib import import_module

            found: object = getattr(import_module(f"cqlgui.api.{module}"), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module 'cqlgui' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
