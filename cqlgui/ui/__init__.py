"""The window: widgets, models and jobs; the only importer of Qt. This package calls `cqlgui.tasks`, and does
not know how a search works."""
