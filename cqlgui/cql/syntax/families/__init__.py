"""The functions that read filters, with a module for each family of filters."""
