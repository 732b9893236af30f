"""Used by all other packages: files, errors, cancellation, progress, logging. Knows nothing above it."""
