"""Closures of the basic filters: logic, numbers, strings, squares, men on the board."""
