"""The transform picker: choosing transforms and seeing the orbit they make. Knows no search."""
