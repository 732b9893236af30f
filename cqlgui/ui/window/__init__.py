"""The main window: its parts and controllers, its actions, its layouts and its start."""
