"""The tables of games and hits: models that hold numbers and fetch rows as they come into view."""
