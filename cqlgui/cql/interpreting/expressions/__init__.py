"""Closures of what all queries are made of: logic, numbers, strings, squares, men on the board."""
