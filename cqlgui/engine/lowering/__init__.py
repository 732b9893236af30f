"""From a filter to machine code, one module for each family of filters."""
