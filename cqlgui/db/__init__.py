"""The SQLite files: the catalog of sources, bases and headers of games, and the user's own records. This
package uses no CQL queries and no Qt."""
