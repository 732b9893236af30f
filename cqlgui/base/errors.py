"""Typed faults that carry a sentence for the user; bugs are asserts and crash loudly instead."""

from __future__ import annotations


class CqlguiError(Exception):
    """A fault of the input or the surroundings; `str(error)` is a full sentence for the user."""


class SourceError(CqlguiError):
    """A PGN source cannot be read: missing, a folder, no permission, a damaged archive."""


class IndexDamaged(CqlguiError):
    """A file of the index is truncated or altered; the source must be read again."""


class Cancelled(CqlguiError):
    """The user stopped the work; what was committed before stays."""


class NotYet(CqlguiError):
    """Specified, but not built yet."""
