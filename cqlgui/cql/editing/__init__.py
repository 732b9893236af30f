"""What an editor asks about a text: its structure and the spelling of keywords."""
