"""Text as such: tokens, spans, messages, regular expressions, how tags are spelled. Knows no tree."""
