"""The painted chess board: drawing, the big interactive board, and the small boards of thumbnails."""
