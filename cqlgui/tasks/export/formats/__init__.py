"""The formats that hits are written in: one module for each."""
