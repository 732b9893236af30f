"""The transform picker: choosing transforms and seeing the orbit they make. Does not use search."""
