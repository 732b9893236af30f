"""The transform picker: choosing transforms and seeing the orbit they make. This package runs no searches."""
