"""The text of a query: tokens, spans, messages, regular expressions, tag names. Does not use syntax trees."""
