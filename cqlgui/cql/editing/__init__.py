"""Services for an editor: the structure of a text, and the spelling of keywords."""
