"""The window: widgets, models and jobs; the only importer of Qt. Knows tasks, never how a search works."""
