"""The window: widgets, models and jobs; the only importer of Qt. This package knows tasks, but not how a
search works."""
