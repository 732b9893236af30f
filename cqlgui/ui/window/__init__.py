"""The main window: its parts, its controllers, its actions, its layouts and its start."""
