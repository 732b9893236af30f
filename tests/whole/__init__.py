"""The whole program: scenarios in a real window, the library, recorded results, hostile input."""
