"""The SQLite files: the catalog of sources, bases and games' headers, and the user's own records. Knows no
queries and no Qt."""
