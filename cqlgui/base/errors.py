"""Typed faults that carry a sentence for the user; bugs are asserts and crash loudly instead."""

from __future__ import annotations


class CqlguiError(Exception):
    """A fault of the input or the surroundings; `str(error)` is a full sentence for the user."""


class SourceError(CqlguiError):
    """A PGN source cannot be read: missing, a folder, no permission, a damaged archive."""


class IndexDamaged(CqlguiError):  # noqa: N818  # a state, told in its own words
    """A file of the index is truncated or altered; the source must be read again."""


class Cancelled(CqlguiError):  # noqa: N818  # not an error but a wish
    """The user stopped the work; what was committed before stays."""
