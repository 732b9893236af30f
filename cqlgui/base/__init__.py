"""What all other packages use: files, errors, cancellation, progress, logging. This package imports none of
the others."""
