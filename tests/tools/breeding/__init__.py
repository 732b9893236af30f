"""Random valid queries over every family of filters, searched for by all engines, which must agree."""
