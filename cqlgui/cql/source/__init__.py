"""The text of a query: tokens, spans, messages, regular expressions, names and dates in tags. This package
does not use syntax trees."""
