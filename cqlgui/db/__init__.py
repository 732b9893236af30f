"""The SQLite files: the catalog of sources, bases and headers of games, and the user's own records. This
package uses no queries and no Qt."""
