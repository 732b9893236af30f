"""The SQLite files: the catalog of sources, bases and headers of games, and the user's own records. Does not
use queries or Qt."""
