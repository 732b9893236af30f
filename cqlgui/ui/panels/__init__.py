"""The panels of the window; none of them imports another."""
