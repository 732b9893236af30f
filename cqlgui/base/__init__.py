"""Ground floor: cancellation, progress, folders, resources, typed errors. Knows nothing above it."""
