"""A server of the Model Context Protocol, by which assistants ask in CQL: `cqlgui mcp`. It only reads."""
