"""Work beside Qt's event loop: jobs on threads, turns of the event loop, and garbage collection."""
