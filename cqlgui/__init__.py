"""cqlgui: search chess games with CQL, and see which element of a transform's orbit matched."""

__version__ = "0.1.0"
