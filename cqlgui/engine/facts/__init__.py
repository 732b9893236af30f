"""What a query asks about the text of a game. Most questions are about a game as a whole: the result, the
players' ratings, the tags, and filters that combine only these data. Other questions are about the comment
and the glyphs at a position, or about the numbers that commands in the comments at a position give.

Compiled code finds the answers in the frame, and `pruning` uses the answers to exclude games. The
interpreter's own closures compute the answers before the search. The answers therefore agree with the
interpreter. Each answer is computed once for each distinct text of a tag, not once for each game. If a query
needs an unknown answer, the game is doubtful.
"""
