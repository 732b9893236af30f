"""Errors with a sentence for the user. A `CqlguiError` never reports a bug in the program: a bug makes an
`assert` fail, and the program crashes."""

from __future__ import annotations


class CqlguiError(Exception):
    """A fault of the input or the environment. `str(error)` is a full sentence for the user."""


class SourceError(CqlguiError):
    """A PGN source cannot be read: the source is missing, is a folder, may not be read, or is a damaged
    archive."""


class IndexDamaged(CqlguiError):  # noqa: N818  # a state, told in its own words
    """A file of the index is truncated or altered; the source must be read again."""


class Cancelled(CqlguiError):  # noqa: N818  # not an error but a wish
    """The user stopped the work. Work that was committed before is kept."""
