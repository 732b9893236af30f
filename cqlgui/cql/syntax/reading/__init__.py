"""What all readers share: lexer, cursor, operators, ranges, and the table of readers."""
