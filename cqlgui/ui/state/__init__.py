"""What the window knows and does, without drawing it."""
