"""The main window: its parts put together, its actions, layouts and start."""
