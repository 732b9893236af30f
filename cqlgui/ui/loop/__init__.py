"""Work beside Qt's event loop: jobs on threads, turns of the user interface, garbage collection."""
