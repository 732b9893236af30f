"""Games on disk to positions in memory, and compiled queries run over them."""
