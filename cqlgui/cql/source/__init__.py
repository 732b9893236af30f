"""The text of a query: tokens, spans, messages, regular expressions, names in tags. Knows no syntax tree."""
